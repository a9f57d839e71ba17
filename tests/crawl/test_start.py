"""What a crawl cannot do without when it starts, and who it says it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]
NO_PYTHON = """
import multiprocessing
multiprocessing.set_executable("/nowhere/python")
"""
NO_FEEDS = """
from scrapy.extensions.feedexport import FileFeedStorage
import pipelines.feeds

def open(self, spider):
    raise OSError(24, "Too many open files")

pipelines.feeds.LedgerStorage.open = open
"""
RUN = "from scrapy.cmdline import execute\nexecute()\n"


@pytest.mark.parametrize(
    ("before", "message"),
    [
        (NO_PYTHON, "worker processes"),
        (NO_FEEDS, "The crawl cannot start its feeds: [Errno 24] Too many open files"),
    ],
)
def test_a_crawl_that_cannot_start_ends_at_once(
    run_crawl: Run, server: Any, make_sites: Run, tmp_path: Path, before: str, message: str
) -> None:
    paths = [f"/a-{number}.html" for number in range(30)]
    server.put("/", server.listing(*paths))
    for path in paths:
        server.put_article(path)
    sites = make_sites({"name": "courier", "start": [server.url("/")], "delay": 1, "concurrency": 1})
    crawl = run_crawl(tmp_path / "news.jsonl", sites=sites, program=before + RUN, seconds=40)
    assert crawl.code == 1, crawl.err
    assert message in crawl.err
    if before != NO_PYTHON:  # without it, Python's own tracker of resources complains, too
        assert "Traceback" not in crawl.err, crawl.err
    assert crawl.seconds < 25, "thirty pages would take thirty seconds"


def test_who_asks_real_sites_without_a_name_is_warned(small_crawl: Run, make_sites: Run, tmp_path: Path) -> None:
    sites = make_sites({"name": "real", "start": ["http://news.invalid/"]}, {"name": "named", "start": ["http://other.invalid/"], "user_agent": "me (+http://me.invalid/)"})  # fmt: skip
    crawl = small_crawl(tmp_path / "news.jsonl", sites=sites)
    assert crawl.err.count("WARNING: real: the user agent ") == 2, "at the start, and in the end"
    assert 'USER_AGENT = "yourproject/1.0 (+https://your.site/contact)"' in crawl.err
    assert "WARNING" not in small_crawl(tmp_path / "b.jsonl", sites=sites, settings={"USER_AGENT": "mine/1"}).err


def test_nobody_is_given_a_false_contact(small_crawl: Run, server: Any, make_sites: Run, tmp_path: Path) -> None:
    server.put("/", server.listing("/a-1.html"))
    sites = make_sites({"name": "courier", "start": [server.url("/")]})
    crawl = small_crawl(tmp_path / "news.jsonl", sites=sites).check()
    assert {headers["User-Agent"] for _, _, headers in server.hits} == {"newsextract/0.1 (web crawler)"}
    assert "WARNING" not in crawl.err, "this machine needs no name"
