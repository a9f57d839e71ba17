"""A crawl reaches private addresses only where sites.toml names the host: no link or redirect leads it elsewhere."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.conftest import REPOSITORY, SCRAPY

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]


@pytest.mark.parametrize("middlewares", ["{}", '{"scrapy.downloadermiddlewares.stats.DownloaderStats": 851}'])
def test_links_and_redirects_into_the_private_network(
    server: Any, make_server: Run, small_crawl: Run, make_sites: Run, address_file: Run, tmp_path: Path, middlewares: str
) -> None:
    """The site is 127.0.0.1 with its port. Its pages lead to other loopback hosts and ports, and to other schemes.

    A user's own middlewares are merged with ours, and replace none of them.
    """
    inner = make_server("127.0.0.2")
    same_host = make_server("127.0.0.1")
    for other in (inner, same_host):
        other.put_article("/secret")
    targets = {
        "/to-host": inner.url("/secret"),
        "/to-host-in-hex": f"http://0x7f000002:{inner.port}/secret",
        "/to-name": f"http://localhost:{inner.port}/secret",
        "/to-mapped": f"http://[::ffff:127.0.0.2]:{inner.port}/secret",
        "/to-metadata": "http://169.254.169.254/latest/meta-data/",
        "/to-file": "file:///etc/passwd",
        "/to-data": "data:text/html,<h1>Secret</h1>",
        "/to-ftp": "ftp://127.0.0.2/secret",
        "/to-port": same_host.url("/secret"),
    }
    urls = [server.put(path, status=302, Location=target) for path, target in targets.items()]
    page = '<html><head><meta http-equiv="refresh" content="0;url={}"></head><body></body></html>'
    refresh = server.put("/refresh", page.format(inner.url("/secret")))
    direct = [f"http://localhost:{server.port}/good", inner.url("/secret")]
    good = server.put_article("/good")
    sites = make_sites(
        {"name": "made", "start": [server.url("/")], "domains": ["localhost", "127.0.0.2", "169.254.169.254"]}
    )
    crawl = small_crawl(
        *(tmp_path / "news.jsonl", "-a", address_file(*urls, refresh, *direct, good)),
        sites=sites,
        settings={"RETRY_TIMES": 0, "DOWNLOADER_MIDDLEWARES": middlewares},
    )
    crawl.check()
    assert inner.hits == []
    assert [line["url"] for line in crawl.records] == [good], crawl.records
    assert same_host.hits == [], "another port of the host is another server"
    statuses = {line["url"]: line["status"] for line in crawl.rejected}
    assert {path: statuses.get(server.url(path)) for path in targets} == dict.fromkeys(targets, "private")
    assert statuses[direct[0]] == "private"
    assert statuses[direct[1]] == "private"
    reasons = {line["url"]: line["reason"] for line in crawl.rejected}
    assert "127.0.0.1" in reasons[direct[0]]
    assert "private = true" in reasons[direct[0]]


@pytest.mark.parametrize("form", ["setting", "shell"])
def test_whoever_starts_the_reactor(
    server: Any, small_crawl: Run, make_sites: Run, address_file: Run, tmp_path: Path, form: str
) -> None:
    """CrawlerProcess and ``scrapy shell`` make the crawl first, then start the reactor, with Scrapy's own resolver."""
    url = server.put_article("/secret").replace("127.0.0.1", "localhost")
    if form == "shell":
        command = [SCRAPY, "shell", "-s", "ROBOTSTXT_OBEY=0", "-s", "RETRY_TIMES=0", "-c", f"fetch({url!r})"]
        subprocess.run(command, cwd=REPOSITORY, capture_output=True, timeout=60, check=False)
    else:
        sites = make_sites({"name": "made", "start": [server.url("/")], "domains": ["localhost"]})
        settings = {"FORCE_CRAWLER_PROCESS": True, "RETRY_TIMES": 0}
        crawl = small_crawl(tmp_path / "news.jsonl", "-a", address_file(url), sites=sites, settings=settings).check()
        assert [line["status"] for line in crawl.rejected] == ["private"]
    assert server.times("/secret") == []


def test_robots_txt_may_not_lead_there_either(
    server: Any, make_server: Run, small_crawl: Run, make_sites: Run, address_file: Run, tmp_path: Path
) -> None:
    inner = make_server("127.0.0.2")
    inner.put("/robots.txt", "User-agent: *\nDisallow:\n", kind="text/plain")
    server.put("/robots.txt", status=302, Location=inner.url("/robots.txt"))
    good = server.put_article("/good")
    sites = make_sites({"name": "made", "start": [server.url("/")], "sitemaps": ["robots.txt"]})
    crawl = small_crawl(tmp_path / "news.jsonl", "-a", address_file(good), sites=sites).check()
    assert inner.hits == []
    assert [line["url"] for line in crawl.records] == [good]


def test_reservations_of_a_host_may_not_lead_there_either(
    server: Any, make_server: Run, small_crawl: Run, make_sites: Run, address_file: Run, tmp_path: Path
) -> None:
    inner = make_server("127.0.0.2")
    inner.put("/.well-known/tdmrep.json", '[{"location": "*", "tdm-reservation": 1}]', kind="application/json")
    server.put("/.well-known/tdmrep.json", status=302, Location=inner.url("/.well-known/tdmrep.json"))
    good = server.put_article("/good")
    sites = make_sites({"name": "made", "start": [server.url("/")]})
    crawl = small_crawl(tmp_path / "news.jsonl", "-a", address_file(good), sites=sites).check()
    assert len(server.times("/.well-known/tdmrep.json")) == 1
    assert inner.hits == []
    assert [(line["url"], line["reserved"]) for line in crawl.records] == [(good, None)]


def test_sitemaps_and_feeds_may_not_lead_there(server: Any, make_server: Run, small_crawl: Run, make_sites: Run,
                                               tmp_path: Path) -> None:  # fmt: skip
    inner = make_server("127.0.0.2")
    inner.put_article("/secret")
    server.put(
        "/sitemap.xml",
        f"<sitemapindex><sitemap><loc>{inner.url('/sitemap.xml')}</loc></sitemap></sitemapindex>",
        kind="application/xml",
    )
    server.put(
        "/feed.xml",
        f"<rss version='2.0'><channel><title>x</title><item><title>t</title><link>{inner.url('/secret')}</link></item>"
        "</channel></rss>",
        kind="application/rss+xml",
    )
    sites = make_sites({"name": "made", "sitemaps": [server.url("/sitemap.xml")], "feeds": [server.url("/feed.xml")],
                        "domains": ["127.0.0.2"]})  # fmt: skip
    crawl = small_crawl(tmp_path / "news.jsonl", sites=sites).check()
    assert inner.hits == []
    assert {line["url"]: line["status"] for line in crawl.rejected} == {
        inner.url("/sitemap.xml"): "private",
        inner.url("/secret"): "private",
    }


def test_named_hosts_are_reached(
    make_server: Run, small_crawl: Run, make_sites: Run, address_file: Run, tmp_path: Path
) -> None:
    """An address and a name that resolves to one, both in sites.toml."""
    one, two = make_server("127.0.0.2"), make_server("127.0.0.1")
    urls = [one.put_article("/a"), two.put_article("/b").replace("127.0.0.1", "localhost")]
    sites = make_sites({"name": "one", "start": [one.url("/")]}, {"name": "two", "start": [f"http://localhost:{two.port}/"]})
    crawl = small_crawl(tmp_path / "news.jsonl", "-a", address_file(*urls), sites=sites).check()
    assert sorted(line["url"] for line in crawl.records) == sorted(urls)
