"""However many processes crawl, a host sees one polite visitor: told by the server's own clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.redis_server import RedisServer, running

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]
SLACK = 0.1  # Scrapy's clock and the server's are not read at the same moment
LEASE = 2.0


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    with running(tmp_path / "redis") as server:
        yield server


@pytest.fixture
def start_worker(start_crawl: Run, redis: RedisServer, tmp_path: Path) -> Run:
    def start(worker: str, *arguments: str, **options: Any) -> Any:
        settings = {"CLUSTER_LEASE": LEASE, "EXTRACTION_WORKERS": 0}
        names = ("-a", f"cluster={redis.url}", "-a", f"worker={worker}")
        return start_crawl(tmp_path / "news.jsonl", *names, *arguments, settings=settings, **options)

    return start


def two_papers(server: Any, make_sites: Run, articles: int, **more: Any) -> Path:
    for name in ("one", "two"):
        paths = [f"/{name}/news/{k}/a-story-of-the-day" for k in range(articles)]
        server.put(f"http://www.{name}.example/", server.listing(*paths))
        for path in paths:
            server.put(f"http://www.{name}.example{path}", server.article(path))
    proxy = server.url("").rstrip("/")
    path: Path = make_sites(
        *({"name": name, "start": [f"http://www.{name}.example/"], "proxy": proxy, **more} for name in ("one", "two"))
    )
    return path


def gaps(server: Any, host: str) -> list[float]:
    times = [at for at, path, _ in server.hits if host in path and not path.endswith("robots.txt")]
    return [later - earlier for earlier, later in pairwise(times)]


def test_the_delay_holds_across_processes_and_when_one_dies(start_worker: Run, server: Any, make_sites: Run) -> None:
    sites = two_papers(server, make_sites, 6, delay=0.4, concurrency=2)
    crawls = [start_worker(name, sites=sites) for name in ("a", "b")]
    end = time.monotonic() + 30
    while min(len(gaps(server, "one")), len(gaps(server, "two"))) < 4:
        assert time.monotonic() < end, crawls[0].err[-3000:]
        time.sleep(0.01)
    crawls[0].kill()
    again = start_worker("a", sites=sites)  # at once, under the same name: it has what it had
    for crawl in (again, crawls[1]):
        crawl.wait(90).check()
    for host in ("one", "two"):
        found = gaps(server, host)
        assert len(found) >= 6
        assert min(found) >= 0.4 * 0.75 - SLACK, host  # Scrapy's jitter is a quarter of the delay


def test_concurrency_holds_across_processes(start_worker: Run, server: Any, make_sites: Run) -> None:
    sites = two_papers(server, make_sites, 12, delay=0, concurrency=2)
    busy = {"one": 0, "two": 0}
    most = dict(busy)
    for path, answers in server.answers.items():
        if "/news/" in path:
            server.answers[path] = [_counting(answers[0], "one" if ".one." in path else "two", busy, most)]
    crawls = [start_worker(name, sites=sites) for name in ("a", "b", "c")]
    for crawl in crawls:
        crawl.wait(60).check()
    assert most == {"one": 2, "two": 2}


def _counting(answer: Any, host: str, busy: dict[str, int], most: dict[str, int]) -> Callable[[Any], None]:
    def handle(handler: Any) -> None:
        busy[host] += 1
        most[host] = max(most[host], busy[host])
        time.sleep(0.1)
        busy[host] -= 1
        handler.answer(*answer)

    return handle


def test_crawl_delay_and_retry_after_outlive_a_process(start_worker: Run, server: Any, make_sites: Run) -> None:
    """The pause that a host asks for is longer than a lease; the process that was asked dies at once."""
    sites = two_papers(server, make_sites, 2, delay=0.1)
    proxy_path = "http://www.one.example/one/news/0/a-story-of-the-day"
    page = server.answers[proxy_path][0]
    server.answers[proxy_path] = [(503, b"", {"Retry-After": "6"}), page]
    server.put("http://www.two.example/robots.txt", "User-agent: *\nCrawl-delay: 2\n", kind="text/plain")
    crawls = [start_worker(name, sites=sites) for name in ("a", "b")]
    end = time.monotonic() + 30
    while not server.times(proxy_path) or not server.times("http://www.two.example/"):
        assert time.monotonic() < end, crawls[0].err[-3000:]
        time.sleep(0.005)
    time.sleep(0.3)
    asked = server.times(proxy_path)[0]
    for crawl in crawls:
        crawl.kill()
    last = start_worker("c", sites=sites).wait(120).check()
    later = [at for at, path, _ in server.hits if ".one." in path and at > asked + 0.5]
    assert min(later) - asked >= 6 - SLACK
    assert min(gaps(server, ".two.")) >= 2 - SLACK
    assert "c " in last.err
