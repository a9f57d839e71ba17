"""What a server asks for is done: robots.txt, Crawl-delay, Retry-After; and what the site definition asks for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]
SLACK = 0.1  # Scrapy's clock and the server's are not read at the same moment


def gaps(server: Any) -> list[float]:
    """Seconds between requests, robots.txt left out."""
    times = [at for at, path, _ in server.hits if path != "/robots.txt"]
    return [later - earlier for earlier, later in pairwise(times)]


@pytest.fixture
def crawl_of(small_crawl: Run, make_sites: Run, address_file: Run, server: Any, tmp_path: Path) -> Run:
    """A crawl of some addresses of the one server."""

    def run(*urls: str, settings: dict[str, Any] | None = None, **site: Any) -> Any:
        sites = make_sites({"name": "made", "start": [server.url("/")], **site})
        return small_crawl(tmp_path / "news.jsonl", "-a", address_file(*urls), sites=sites, settings=settings).check()

    return run


def test_robots_txt_is_obeyed(server: Any, crawl_of: Run) -> None:
    server.put("/robots.txt", "User-agent: *\nDisallow: /closed/\nAllow: /closed/except\n", kind="text/plain")
    urls = [server.put_article(path) for path in ("/open", "/closed/page", "/closed/except")]
    crawl = crawl_of(*urls)
    assert sorted(line["url"] for line in crawl.records) == sorted([urls[0], urls[2]])
    assert crawl.reasons == {"/closed/page": "robots"}
    assert server.times("/closed/page") == []


def test_robots_txt_for_us_by_name(server: Any, crawl_of: Run) -> None:
    server.put("/robots.txt", "User-agent: newsextract\nDisallow: /\n\nUser-agent: *\nDisallow:\n", kind="text/plain")
    crawl = crawl_of(server.put_article("/open"))
    assert crawl.records == []
    assert crawl.reasons == {"/open": "robots"}


def test_obey_robots_false(server: Any, crawl_of: Run) -> None:
    server.put("/robots.txt", "User-agent: *\nDisallow: /\n", kind="text/plain")
    crawl = crawl_of(server.put_article("/closed/page"), obey_robots=False)
    assert len(crawl.records) == 1
    assert crawl.rejected == []


def test_user_agent(server: Any, crawl_of: Run) -> None:
    crawl_of(server.put_article("/a"))
    assert {headers["User-Agent"].split("/")[0] for _, _, headers in server.hits} == {"newsextract"}
    server.hits.clear()
    crawl_of(server.put_article("/b"), user_agent="paperboy/2 (+https://paper.example/bot)")
    pages = {headers["User-Agent"] for _, path, headers in server.hits if path != "/robots.txt"}
    assert pages == {"paperboy/2 (+https://paper.example/bot)"}


def test_robots_rules_are_those_of_the_sites_own_user_agent(server: Any, crawl_of: Run) -> None:
    server.put("/robots.txt", "User-agent: paperboy\nDisallow: /\n\nUser-agent: *\nDisallow:\n", kind="text/plain")
    crawl = crawl_of(server.put_article("/b"), user_agent="paperboy/2 (+https://paper.example/bot)")
    assert crawl.reasons == {"/b": "robots"}


def test_all_that_wait_for_a_robots_txt_obey_it(server: Any, crawl_of: Run) -> None:
    """Scrapy 2.19 gives the rules to the first of the waiting requests only."""

    def slow(handler: Any) -> None:
        time.sleep(0.5)
        body = b"User-agent: *\nDisallow: /closed/\n"
        handler.answer(200, body, {"Content-Type": "text/plain"})

    server.put("/robots.txt", slow)
    paths = [f"/closed/{k}" for k in range(6)]
    crawl = crawl_of(*map(server.put_article, paths), concurrency=8)
    assert crawl.reasons == dict.fromkeys(paths, "robots")
    assert [path for _, path, _ in server.hits] == ["/robots.txt"]


@pytest.mark.parametrize("status", [429, 503, None])
def test_without_a_robots_txt_that_can_be_had_nothing_is_fetched(status: int | None, server: Any, crawl_of: Run) -> None:
    """Nor is it given up: the next run asks again."""
    if status is None:
        server.put("/robots.txt", lambda handler: handler.connection.close())
    else:
        server.put("/robots.txt", "<html>later</html>", status=status)
    url = server.put_article("/page")
    crawl = crawl_of(url, settings={"RETRY_TIMES": 0})
    assert crawl.reasons == {"/page": "download"}
    assert "robots.txt" in crawl.rejected[0]["reason"]
    assert server.times("/page") == []
    server.answers["/robots.txt"].clear()
    server.put("/robots.txt", "User-agent: *\nDisallow:\n", kind="text/plain")
    assert [line["url"] for line in crawl_of(url).records] == [url]


def test_an_error_page_is_no_robots_txt(server: Any, crawl_of: Run) -> None:
    server.put("/robots.txt", "User-agent: *\nDisallow: /\n", status=404)
    assert len(crawl_of(server.put_article("/page")).records) == 1


def test_crawl_delay(server: Any, crawl_of: Run) -> None:
    server.put("/robots.txt", "User-agent: *\nCrawl-delay: 0.7\n", kind="text/plain")
    crawl = crawl_of(*[server.put_article(f"/{k}") for k in range(4)])
    assert len(crawl.records) == 4
    assert min(gaps(server)[1:]) >= 0.7 - SLACK, gaps(server)


def test_delay_of_the_site(server: Any, crawl_of: Run) -> None:
    crawl = crawl_of(*[server.put_article(f"/{k}") for k in range(4)], delay=0.6)
    assert len(crawl.records) == 4
    assert min(gaps(server)) >= 0.6 * 0.75 - SLACK, gaps(server)  # the delay has a jitter of a quarter


def test_without_a_word_requests_are_a_second_apart(server: Any, crawl_of: Run) -> None:
    crawl = crawl_of(*[server.put_article(f"/{k}") for k in range(3)], delay=None, concurrency=None)
    assert len(crawl.records) == 3
    assert min(gaps(server)) >= 0.5 - SLACK, gaps(server)  # Scrapy takes half to one and a half of it


def test_concurrency_of_the_site(server: Any, crawl_of: Run) -> None:
    at_once: list[int] = []
    busy: set[str] = set()

    def slow(handler: Any) -> None:
        busy.add(handler.path)
        at_once.append(len(busy))
        server.released.wait(0.15)
        busy.discard(handler.path)
        handler.answer(200, server.article(handler.path).encode(), {"Content-Type": "text/html"})

    crawl = crawl_of(*[server.put(f"/{k}", slow) for k in range(9)], delay=0.03, concurrency=2)
    assert len(crawl.records) == 9
    assert max(at_once) == 2, at_once


def test_a_request_that_waits_for_a_robots_txt_takes_no_place(
    small_crawl: Run, make_sites: Run, address_file: Run, make_server: Run, tmp_path: Path
) -> None:
    slow, fast = make_server(), make_server("127.0.0.2")
    is_read, in_time = threading.Event(), []

    def rules(handler: Any) -> None:
        in_time.append(is_read.wait(5))
        handler.answer(404, b"", {})

    def last(handler: Any) -> None:
        is_read.set()
        handler.answer(200, fast.article("/last").encode(), {"Content-Type": "text/html"})

    slow.put("/robots.txt", rules)
    urls = [slow.put_article("/slow"), *map(fast.put_article, ["/1", "/2", "/3"]), fast.put("/last", last)]
    sites = make_sites({"name": "slow", "start": [slow.url("/")]}, {"name": "fast", "start": [fast.url("/")]})
    settings = {"CONCURRENT_REQUESTS": 2}
    crawl = small_crawl(tmp_path / "news.jsonl", "-a", address_file(*urls), sites=sites, settings=settings).check()
    assert len(crawl.records) == 5
    assert in_time == [True]


def test_concurrent_requests_of_all_hosts(
    small_crawl: Run, make_sites: Run, address_file: Run, make_server: Run, tmp_path: Path
) -> None:
    at_once: list[int] = []
    busy: set[tuple[int, str]] = set()

    def answer(handler: Any, status: int, body: bytes) -> None:
        key = (handler.server.server_port, handler.path)
        busy.add(key)
        begun = len(busy)
        time.sleep(0.1)
        at_once.append(max(begun, len(busy)))  # of two that go in step, only the second sees the other when it begins
        busy.discard(key)
        handler.answer(status, body, {"Content-Type": "text/html"})

    sites, urls = [], []
    for number in range(6):
        server = make_server(f"127.0.0.{number + 1}")
        server.put("/robots.txt", lambda handler: answer(handler, 404, b""))
        server.put("/.well-known/tdmrep.json", lambda handler: answer(handler, 404, b""))
        for path in ("/1", "/2"):
            text = server.article(f"{number}{path}").encode()
            urls.append(server.put(path, lambda handler, text=text: answer(handler, 200, text)))
        sites.append({"name": f"site{number}", "start": [server.url("/")], "delay": 0.0, "concurrency": 8})
    settings = {"CONCURRENT_REQUESTS": 2}
    crawl = small_crawl(tmp_path / "news.jsonl", "-a", address_file(*urls), sites=make_sites(*sites), settings=settings)
    assert len(crawl.check().records) == 12
    assert max(at_once) == 2, at_once
    assert sum(count == 2 for count in at_once) > len(at_once) / 2, at_once


@pytest.mark.parametrize("code", [429, 503])
def test_retry_after(code: int, server: Any, crawl_of: Run) -> None:
    busy = server.put("/busy", status=code, Retry_After="2")
    server.put_article("/busy")
    others = [server.put_article(f"/{k}") for k in range(6)]
    crawl = crawl_of(busy, *others, delay=0.05, concurrency=1)
    assert len(crawl.records) == 7
    assert crawl.rejected == []
    refused, again = server.times("/busy")
    assert again - refused >= 2 - SLACK
    following = [at - refused for at, path, _ in server.hits if at > refused and path != "/robots.txt"]
    assert min(following) >= 2 - SLACK, "the host was not left in peace meanwhile"


def test_a_long_retry_after_does_not_stop_other_sites(
    make_server: Run, small_crawl: Run, make_sites: Run, address_file: Run, tmp_path: Path
) -> None:
    busy, free = make_server("127.0.0.1"), make_server("127.0.0.2")
    busy.put("/busy", status=503, Retry_After="3")
    busy.put_article("/busy")
    urls = [free.put_article(f"/{k}") for k in range(6)]
    sites = make_sites(*({"name": n, "start": [s.url("/")]} for n, s in (("busy", busy), ("free", free))))
    crawl = small_crawl(tmp_path / "news.jsonl", "-a", address_file(busy.url("/busy"), *urls), sites=sites).check()
    assert len(crawl.records) == 7
    assert max(at for at, _, _ in free.hits) < busy.times("/busy")[1]
