"""Sites that name far more pages than are ever fetched: their articles come at once, and nothing is left out without a word."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]
XML = "<?xml version='1.0' encoding='utf-8'?>"


def urlset(server: Any, *pages: tuple[str, str]) -> str:
    """A sitemap of (path, day of the last change)."""
    entries = "".join(f"<url><loc>{server.url(path)}</loc><lastmod>{day}</lastmod></url>" for path, day in pages)
    return f"{XML}<urlset>{entries}</urlset>"


def index(server: Any, *paths: str) -> str:
    return (
        f"{XML}<sitemapindex>{''.join(f'<sitemap><loc>{server.url(path)}</loc></sitemap>' for path in paths)}</sitemapindex>"
    )


def asked_for(server: Any) -> list[str]:
    return [path for _, path, _ in server.hits]


@pytest.fixture
def site(server: Any, make_sites: Run) -> Run:
    """A site of which nothing but its sitemap is known."""
    return lambda **keys: make_sites(
        {"name": "made", "sitemaps": [server.url("/map.xml")], "start": [], "concurrency": 1, **keys}
    )


def test_the_newest_of_many_pages_come_first_and_the_limit_counts_the_rest(
    server: Any, site: Run, small_crawl: Run, tmp_path: Any
) -> None:
    """Six sitemaps with 12,000 pages, of which ten are wanted: those of the last days, whichever sitemap has them."""
    maps = [f"/map-{number}.xml" for number in range(6)]
    server.put("/map.xml", index(server, *maps), kind="text/xml")
    newest = []
    for number, path in enumerate(maps):
        old = [(f"/old/{number}-{n}-of-the-harbour.html", "2019-03-04") for n in range(2_000)]
        new = f"/new/{number}-in-the-harbour.html"
        server.put_article(new)
        newest.append(new)
        server.put(path, urlset(server, *old, (new, f"2026-11-{10 + number}")), kind="text/xml")
    done = small_crawl(tmp_path / "news.jsonl", sites=site(limit=6), seconds=120).check()
    fetched = asked_for(server)
    assert [path for path in fetched if path in maps] == maps
    assert sorted(path for path in fetched if path.endswith(".html")) == newest
    assert f"skipped: {6 * 2_001 - 6} over the limit" in done.err


def test_without_a_limit_articles_are_fetched_before_all_sitemaps_have_been_read(
    server: Any, site: Run, run_crawl: Run, tmp_path: Any
) -> None:
    maps = [f"/map-{number}.xml" for number in range(3)]
    server.put("/map.xml", index(server, *maps), kind="text/xml")
    for path in maps:
        story = path.replace("/map", "/harbour").replace(".xml", ".html")
        server.put_article(story)
        server.put(
            path, urlset(server, (story, "2025-01-01"), *((f"{path[:-4]}/{n}", "") for n in range(20_000))), kind="text/xml"
        )
    crawl = run_crawl(tmp_path / "news.jsonl", sites=site(), settings={"CLOSESPIDER_PAGECOUNT": 30}, seconds=120)
    fetched = asked_for(server)
    assert fetched.index("/harbour-0.html") < [*fetched, maps[-1]].index(maps[-1])
    assert len(crawl.records) >= 1


@pytest.mark.slow
def test_an_index_of_more_sitemaps_than_are_allowed_starts_at_once_and_counts_the_rest(
    server: Any, site: Run, run_crawl: Run, tmp_path: Any
) -> None:
    """Each is a request that waits in memory."""
    maps = [f"/map-{number}.xml" for number in range(50_100)]
    server.put("/map.xml", index(server, *maps), kind="text/xml")
    for path in maps[:5]:
        story = path.replace("/map", "/harbour").replace(".xml", ".html")
        server.put_article(story)
        server.put(path, urlset(server, (story, "2025-01-01")), kind="text/xml")
    crawl = run_crawl(tmp_path / "news.jsonl", sites=site(), settings={"CLOSESPIDER_PAGECOUNT": 12}, seconds=200)
    fetched = asked_for(server)
    assert 1 <= len([path for path in fetched if path in maps]) < 50
    assert len(crawl.records) >= 1
    assert re.search(r"/map\.xml: of its sitemaps only 50\d\d\d are read", crawl.err), crawl.err[-2000:]


def test_a_sitemap_that_fails_does_not_keep_the_next_ones_from_being_read(
    server: Any, site: Run, small_crawl: Run, tmp_path: Any
) -> None:
    server.put("/map.xml", index(server, "/gone.xml", "/moved.xml", "/broken.xml", "/last.xml"), kind="text/xml")
    server.put("/gone.xml", status=410)
    server.put("/moved.xml", status=301, Location=server.url("/there.xml"))
    server.put("/there.xml", urlset(server, ("/a.html", "2025-01-01")), kind="text/xml")
    server.put("/broken.xml", "no sitemap")
    server.put("/last.xml", urlset(server, ("/b.html", "2025-01-02")), kind="text/xml")
    for path in ("/a.html", "/b.html"):
        server.put_article(path)
    done = small_crawl(tmp_path / "news.jsonl", sites=site()).check()
    assert {record["url"] for record in done.records} == {server.url("/a.html"), server.url("/b.html")}


def test_a_sitemap_that_has_failed_is_tried_again_when_all_else_is_done_and_then_named(
    server: Any, site: Run, small_crawl: Run, tmp_path: Any
) -> None:
    """Scrapy itself asks three times in a row; both sitemaps fail so often, one of them recovers."""
    server.put("/map.xml", index(server, "/poorly.xml", "/dead.xml", "/well.xml"), kind="text/xml")
    for _ in range(3):
        server.put("/poorly.xml", "busy", status=503)
    server.put("/poorly.xml", urlset(server, ("/late.html", "2025-01-01")), kind="text/xml")
    server.put("/dead.xml", "busy", status=503)
    server.put("/well.xml", urlset(server, ("/early.html", "2025-01-02")), kind="text/xml")
    for path in ("/early.html", "/late.html"):
        server.put_article(path)
    done = small_crawl(tmp_path / "news.jsonl", sites=site()).check(1)
    assert {record["url"] for record in done.records} == {server.url("/early.html"), server.url("/late.html")}
    fetched = asked_for(server)
    assert fetched.index("/early.html") < len(fetched) - fetched[::-1].index("/poorly.xml"), "the second time comes last"
    assert done.reasons == {"/dead.xml": "server_error"}
    assert f"WARNING: the sitemap {server.url('/dead.xml')} could not be read (HTTP 503)" in done.err
    assert "poorly" not in done.err


DEFECT = """
from scrapy.cmdline import execute
from spiders.news import NewsSpider
announce = NewsSpider._announce
def defective(self, site, entries, *more):
    if any("bad" in entry.url for entry in entries):
        raise LookupError("made for this test")
    return announce(self, site, entries, *more)
NewsSpider._announce = defective
import sys
sys.argv[0] = "scrapy"
execute()
"""


@pytest.mark.parametrize("limit", [None, 5])
def test_a_defect_in_one_sitemap_keeps_neither_the_others_nor_the_end_of_the_crawl_from_coming(
    server: Any, site: Run, small_crawl: Run, tmp_path: Any, limit: int | None
) -> None:
    server.put("/map.xml", index(server, "/bad.xml", "/good.xml"), kind="text/xml")
    server.put("/bad.xml", urlset(server, ("/bad.html", "2025-01-01")), kind="text/xml")
    server.put("/good.xml", urlset(server, ("/good.html", "2025-01-02")), kind="text/xml")
    server.put_article("/good.html")
    done = small_crawl(tmp_path / "news.jsonl", sites=site(limit=limit), program=DEFECT)
    assert [record["url"] for record in done.records] == [server.url("/good.html")]
    assert done.reasons == {"/bad.xml": "failed"}


def test_a_sitemap_may_be_larger_than_a_page(server: Any, site: Run, small_crawl: Run, tmp_path: Any) -> None:
    filler = f"<!--{'x' * 11_000_000}-->"
    server.put(
        "/map.xml", urlset(server, ("/a.html", "2025-01-01")).replace("</urlset>", f"{filler}</urlset>"), kind="text/xml"
    )
    server.put_article("/a.html")
    done = small_crawl(tmp_path / "news.jsonl", sites=site()).check()
    assert [record["url"] for record in done.records] == [server.url("/a.html")]


def test_what_a_sitemap_says_of_a_page_is_known_though_a_link_has_led_to_it_first(
    server: Any, site: Run, small_crawl: Run, tmp_path: Any
) -> None:
    """The page itself tells neither title nor day."""
    news = "<news:news><news:publication_date>2025-02-03</news:publication_date><news:title>Eels in a suitcase</news:title></news:news>"
    many = "".join(
        f"<url><loc>{server.url(f'/none/{n}-there.html')}</loc><lastmod>2026-11-01</lastmod></url>" for n in range(300)
    )
    last = f"<url><loc>{server.url('/eels.html')}</loc>{news}</url>"
    server.put(
        "/map.xml",
        f"{XML}<urlset xmlns:news='http://www.google.com/schemas/sitemap-news/0.9'>{many}{last}</urlset>",
        kind="text/xml",
    )
    server.put("/", server.listing("/eels.html"))
    text = "".join(
        f"<p>{sentence} said the keeper of the books, and went on with the work.</p>"
        for sentence in ("The eels,", "The box,", "The quay,") * 3
    )
    server.put("/eels.html", f"<html><body><article>{text}</article></body></html>")
    sites = site(start=[server.url("/")])
    done = small_crawl(tmp_path / "news.jsonl", sites=sites, seconds=120).check(3)  # all others are missing
    (record,) = done.records
    assert (record["title"], record["date"], record["date_source"]) == ("Eels in a suitcase", "2025-02-03", "sitemap")


def test_the_next_run_asks_for_what_is_left(server: Any, site: Run, small_crawl: Run, tmp_path: Any) -> None:
    paths = [f"/{n}-in-the-harbour.html" for n in range(8)]
    for path in paths:
        server.put_article(path)
    server.put("/map.xml", urlset(server, *((path, "2025-01-01") for path in paths)), kind="text/xml")
    small_crawl(tmp_path / "news.jsonl", sites=site(limit=5)).check()
    done = small_crawl(tmp_path / "news.jsonl", sites=site(limit=5)).check()
    assert len(done.records) == 8
    assert sorted(path for path in asked_for(server) if path.endswith(".html")) == sorted(paths), "each once"
