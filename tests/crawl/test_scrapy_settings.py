"""Scrapy's own settings, feeds and conventions in this project's crawls: they do what docs/usage.md says."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.conftest import REPOSITORY

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]
ARTICLES = [f"/2025/0{k}/11/news-of-month-{k}.html" for k in range(1, 7)]
MINE = """
from spiders.news import NewsSpider


class Mine(NewsSpider):
    name = "mine"
    custom_settings = {
        "CLOSESPIDER_ITEMCOUNT": 3,
        "CONCURRENT_REQUESTS": 1,
        "SPIDER_MIDDLEWARES": {"mine.WithoutSpring": 500},
    }


class WithoutSpring:
    async def process_spider_output(self, response, result):
        async for one in result:
            if not any(f"/2025/0{month}/" in getattr(one, "url", "") for month in (4, 5)):
                yield one
"""


@pytest.fixture
def courier(small_crawl: Run, server: Any, make_sites: Run, tmp_path: Path) -> Run:
    """Crawl a site of six articles."""
    server.put("/", server.listing(*ARTICLES))
    for path in ARTICLES:
        server.put_article(path)

    def run(*arguments: str, feed: str = "news.jsonl", site: dict[str, Any] | None = None, **options: Any) -> Any:
        sites = make_sites({"name": "courier", "start": [server.url("/")], **(site or {})})
        return small_crawl(tmp_path / feed, *arguments, sites=sites, **options)

    return run


def asked(server: Any) -> list[str]:
    return [path for _, path, _ in server.hits]


def test_the_http_cache_answers_later_crawls(courier: Run, server: Any, tmp_path: Path) -> None:
    cache = {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": tmp_path / "cache"}
    first = courier(settings=cache).check(0)
    assert len(first.records) == 6
    server.hits.clear()
    second = courier(settings=cache, feed="again.jsonl").check(0)
    assert asked(server) == []
    assert {line["id"]: line["text"] for line in second.records} == {line["id"]: line["text"] for line in first.records}


def test_a_crawl_that_closes_early_goes_on_and_a_job_folder_adds_nothing(courier: Run, server: Any, tmp_path: Path) -> None:
    job = {"JOBDIR": tmp_path / "job", "CONCURRENT_REQUESTS": 1}
    first = courier(settings={**job, "CLOSESPIDER_ITEMCOUNT": 2}).check(0)
    assert 2 <= len(first.records) < 6
    assert "ended early (closespider_itemcount)" in first.err
    assert "JOBDIR is not used" in first.err
    done = {line["url"] for line in first.records}
    server.hits.clear()
    second = courier(settings=job).check(0)
    assert len({line["id"] for line in second.records}) == len(second.records) == 6
    again = [path for path in asked(server) if path in ARTICLES]
    assert sorted(again) == sorted(path for path in ARTICLES if server.url(path) not in done)


@pytest.mark.parametrize(("throttled", "least"), [(True, 0.4), (False, 0.1)])
def test_autothrottle_sets_the_delay_of_sites_without_one(throttled: bool, least: float, courier: Run, server: Any) -> None:
    settings = {"AUTOTHROTTLE_ENABLED": throttled, "AUTOTHROTTLE_START_DELAY": 0.4, "AUTOTHROTTLE_TARGET_CONCURRENCY": 1e-4}
    limits = {"AUTOTHROTTLE_MAX_DELAY": 0.4, "DOWNLOAD_DELAY": 0.1, "DOWNLOAD_DELAY_JITTER": 0}
    courier(settings={**settings, **limits}, site={"delay": None, "concurrency": 1}).check(0)
    times = [at for at, path, _ in server.hits if path in ARTICLES]
    gaps = sorted(later - earlier for earlier, later in pairwise(times))
    assert len(gaps) == 5
    assert gaps[2] == pytest.approx(least, abs=0.15)


def test_a_subclass_of_a_spider_has_its_own_settings_and_middlewares(courier: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE, "utf-8")
    env = {"PYTHONPATH": f"{tmp_path}:{REPOSITORY}"}
    crawl = courier(spider="mine", settings={"SPIDER_MODULES": "spiders,mine"}, env=env).check(0)
    assert "closespider_itemcount" in crawl.err
    assert len(crawl.records) >= 3
    assert not any("/2025/04/" in line["url"] or "/2025/05/" in line["url"] for line in crawl.records)


def test_several_feeds_at_once_with_fields_encodings_and_compression(courier: Run, tmp_path: Path) -> None:
    gzipped = {"format": "jsonlines", "postprocessing": ["scrapy.extensions.postprocessing.GzipPlugin"], "fields": ["id"]}
    feeds = {
        "news.jsonl": {"format": "jsonlines"},
        "ids.jsonl.gz": gzipped,
        "table.csv": {"format": "csv", "fields": {"url": "Address", "title": "Title"}, "encoding": "utf-16"},
        "x.xml": {"format": "xml", "fields": ["title"]},
    }
    named = {str(tmp_path / name): options for name, options in feeds.items()} | {"stdout:": {"format": "jsonlines"}}
    crawl = courier(settings={"FEEDS": json.dumps(named), "FEED_EXPORT_FIELDS": "id,url"}, output=None).check(0)
    assert all(line["text"] for line in crawl.records), "the feed that records what is done has all fields"
    records = {line["id"]: line for line in crawl.records}
    assert len(records) == 6
    with gzip.open(tmp_path / "ids.jsonl.gz", "rt", encoding="utf-8") as file:
        assert [json.loads(line) for line in file] == [{"id": key} for key in records]
    with (tmp_path / "table.csv").open(encoding="utf-16", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows == [{"Address": line["url"], "Title": line["title"]} for line in records.values()]
    assert (tmp_path / "x.xml").read_text("utf-8").count("<title>") == 6
    printed = [json.loads(line) for line in crawl.out.splitlines()]
    assert printed == [{"id": line["id"], "url": line["url"]} for line in crawl.records]


@pytest.mark.parametrize(("feed", "reason"), [("s3://bucket/x.jsonl", "boto"), ("nowhere://x/x.jsonl", "nowhere")])
def test_a_feed_that_cannot_be_written_starts_no_crawl(
    feed: str, reason: str, courier: Run, server: Any, tmp_path: Path
) -> None:
    if reason == "boto" and find_spec("boto3") is not None:
        pytest.skip("boto3 is installed")
    crawl = courier("-O", feed, "-a", f"ledger={tmp_path / 'news.jsonl'}", output=None).check(1)
    assert reason in crawl.err.splitlines()[0]
    assert "The crawl cannot start its feeds" in crawl.err
    assert server.hits == []
