"""Item pipelines of users: what they return is written, what they drop or fail on is told, and nothing is lost in between."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]
MINE = """
from datetime import date
from itemadapter import ItemAdapter
from scrapy.exceptions import DropItem

class AsDict:
    def process_item(self, item):
        assert type(item).__name__ in ("NewsRecord", "Post", "Hit", "Teaser", "ObjectRecord"), item
        seen = {"topic": "harbour", "nested": {"duplicate_of": None}, "on": date(2026, 1, 2), "attempt": 7, "records": [1]}
        return {**ItemAdapter(item).asdict(), **seen}

class Attribute:
    def process_item(self, item):
        item.topic = "harbour"
        ItemAdapter(item)["section"] = "Quays"
        return item

class Drops:
    def process_item(self, item):
        raise DropItem("nobody reads this")

class DropsEvenPosts:
    def process_item(self, item):
        if item.position % 2 == 0:
            raise DropItem("even")
        return item

class Fails:
    def process_item(self, item):
        raise KeyError("price")

class ForgetsToReturn:
    def process_item(self, item):
        item.topic = "harbour"

class WithoutId:
    def process_item(self, item):
        found = ItemAdapter(item).asdict()
        del found["id"]
        return found

class CannotOpen:
    def open_spider(self):
        raise ConnectionError("no database here")

    def process_item(self, item):
        return item

class Nothing:
    def __init__(self, options):
        pass

    def accepts(self, item):
        return False

class Stranger:
    async def process_spider_output(self, response, result):
        async for found in result:
            yield found
        yield {"price": 7}
"""


@pytest.fixture
def news(small_crawl: Run, server: Any, make_sites: Run, tmp_path: Path) -> Run:
    """Crawl three articles with a pipeline of the module above."""
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "mine.py").write_text(MINE, "utf-8")
    server.put("/", server.listing("/a-1.html", "/a-2.html", "/a-3.html"))
    for number in (1, 2, 3):
        server.put_article(f"/a-{number}.html")

    def run(pipeline: str | None, place: int = 400, settings: dict[str, Any] | None = None, **options: Any) -> Any:
        if "sites" not in options:
            options["sites"] = make_sites({"name": "courier", "start": [server.url("/")]})
        own = {"ITEM_PIPELINES": json.dumps({f"mine.{pipeline}": place})} if pipeline else {}
        server.hits.clear()
        env = {"PYTHONPATH": str(folder)}
        return small_crawl(tmp_path / "own.jsonl", settings={**own, **(settings or {})}, env=env, **options)

    return run


def articles_asked(server: Any) -> list[str]:
    return sorted(path for _, path, _ in server.hits if path.startswith("/a-"))


@pytest.mark.parametrize("place", [150, 250, 300, 400, 5000])
def test_a_dict_with_more_fields_is_written_and_known_to_the_next_run(news: Run, server: Any, place: int) -> None:
    crawl = news("AsDict", place).check()
    assert len(crawl.records) == 3
    assert {(line["topic"], line["on"], line["attempt"]) for line in crawl.records} == {("harbour", "2026-01-02", 7)}
    assert all(line["text"] and "duplicate_of" in line for line in crawl.records)
    before = crawl.feed.read_bytes()
    again = news("AsDict", place).check()
    assert "0 new, 3 already there" in again.err
    assert again.feed.read_bytes() == before
    assert articles_asked(server) == []


def test_duplicates_among_dicts_with_more_fields_are_marked(news: Run, server: Any) -> None:
    for number in (2, 3):
        server.answers[f"/a-{number}.html"] = server.answers["/a-1.html"]
    crawl = news("AsDict").check()
    first, second, third = crawl.records
    earliest = min((line["fetched_at"], line["id"]) for line in (first, second))[1]
    assert [line["duplicate_of"] for line in crawl.records] == [None, first["id"], earliest]
    assert third["topic"] == "harbour"
    assert all(line["nested"] == {"duplicate_of": None} for line in crawl.records)


def test_fields_that_are_set_on_a_record_are_written(news: Run) -> None:
    crawl = news("Attribute").check()
    assert [(line["topic"], line["section"]) for line in crawl.records] == [("harbour", "Quays")] * 3


def test_further_fields_reach_other_feeds(news: Run, tmp_path: Path) -> None:
    feeds = {str(tmp_path / "own.jsonl"): {"format": "jsonlines"}, str(tmp_path / "own.csv"): {"format": "csv"}}
    news("Attribute", settings={"FEEDS": json.dumps(feeds)}, output=None).check()
    with (tmp_path / "own.csv").open(encoding="utf-8", newline="") as file:
        assert [line["topic"] for line in csv.DictReader(file)] == ["harbour"] * 3


@pytest.mark.parametrize("place", [50, 150, 400])
def test_a_dropped_record_is_a_rejection_and_not_fetched_again(news: Run, server: Any, place: int) -> None:
    crawl = news("Drops", place).check()
    assert crawl.records == []
    dropped = [line for line in crawl.rejected if line["status"] == "dropped"]
    assert [line["reason"] for line in dropped] == ["nobody reads this"] * 3
    assert "<html" not in crawl.err
    assert "said the keeper of the books" not in crawl.err, "no text of a page either"
    assert "dropped 3" in crawl.err
    again = news("Drops", place).check()
    assert articles_asked(server) == []
    assert [line for line in again.rejected if line["status"] == "dropped"] == dropped


@pytest.mark.parametrize(
    ("pipeline", "place", "reason"),
    [
        ("Fails", 400, "mine.Fails: KeyError: 'price'"),
        ("Fails", 50, "mine.Fails: KeyError: 'price'"),
        ("ForgetsToReturn", 400, "mine.ForgetsToReturn: process_item returned None"),
        ("WithoutId", 400, "mine.WithoutId: process_item returned no id"),
        ("AsDict", 50, "mine.AsDict: AssertionError: <FetchedPage"),
    ],
)
def test_a_pipeline_that_fails_is_told_and_its_records_are_tried_again(
    news: Run, server: Any, pipeline: str, place: int, reason: str
) -> None:
    crawl = news(pipeline, place)
    assert crawl.code == 1, crawl.err
    assert crawl.records == []
    failed = [line for line in crawl.rejected if line["status"] == "failed"]
    assert [line["reason"][: len(reason)] for line in failed] == [reason] * 3
    assert "said the keeper of the books" not in crawl.err
    assert "ERROR: item pipelines have failed on 3" in crawl.err
    assert crawl.err.count("Traceback") <= 1, "the first is enough"
    mended = news(None).check()
    assert len(mended.records) == 3, "once the pipeline is mended, all is there"


def test_what_no_feed_takes_is_counted(news: Run, tmp_path: Path) -> None:
    feeds = {str(tmp_path / "own.jsonl"): {"format": "jsonlines", "item_filter": "mine.Nothing"}}
    crawl = news(None, settings={"FEEDS": json.dumps(feeds)}, output=None)
    assert crawl.code == 1, crawl.err
    assert "ERROR: no feed has taken 3 of what the item pipelines returned" in crawl.err
    assert "0 new" in crawl.err, "a record that stands in no feed is not new"


def test_items_of_other_kinds_are_counted(news: Run) -> None:
    crawl = news(None, settings={"SPIDER_MIDDLEWARES": json.dumps({"mine.Stranger": 500})})
    assert crawl.code == 1, crawl.err
    assert len(crawl.records) == 3
    assert "ERROR: no feed has taken" in crawl.err


def test_a_pipeline_that_cannot_open_ends_the_crawl(news: Run, server: Any) -> None:
    crawl = news("CannotOpen")
    assert crawl.code == 1, crawl.err
    assert "no database here" in crawl.err
    assert articles_asked(server) == []


def test_posts_as_dicts(news: Run, forum: Any, make_sites: Run) -> None:
    forum.add(7, 12)
    sites = make_sites({"name": "quay", "kind": "forum", "start": [forum.board]})
    crawl = news("AsDict", sites=sites, spider="forum").check()
    assert len(crawl.records) == 12
    assert {line["topic"] for line in crawl.records} == {"harbour"}
    assert len(crawl.pages) == 3
    again = news("AsDict", sites=sites, spider="forum").check()
    assert "0 new, 12 already there" in again.err


def test_a_page_whose_posts_are_written_or_dropped_is_done(news: Run, forum: Any, make_sites: Run) -> None:
    forum.add(7, 12)
    sites = make_sites({"name": "quay", "kind": "forum", "start": [forum.board]})
    crawl = news("DropsEvenPosts", sites=sites, spider="forum").check()
    assert sorted(line["position"] for line in crawl.records) == [1, 3, 5, 7, 9, 11]
    assert [line["status"] for line in crawl.rejected if line["status"] != "listing"] == ["dropped"] * 6
    rejected = crawl.rejected
    again = news("DropsEvenPosts", sites=sites, spider="forum").check()
    asked = [path for _, path, _ in forum.server.hits if "viewtopic" in path]
    assert len(asked) <= 2, "the thread's last page, which may have grown"
    assert again.rejected == rejected


def test_teasers_and_objects_as_dicts(run_crawl: Run, news: Run, tmp_path: Path) -> None:
    env = {"PYTHONPATH": str(tmp_path / "own")}
    own = {"ITEM_PIPELINES": json.dumps({"mine.AsDict": 400}), "EXTRACTION_WORKERS": 0}
    for spider, more in (("list", ()), ("wrapped", ()), ("search", ("-a", "query=harbour"))):
        feed = tmp_path / f"{spider}.jsonl"
        crawl = run_crawl(feed, *more, spider=spider, settings=own, env=env).check()
        assert crawl.records, spider
        assert {line["topic"] for line in crawl.records} == {"harbour"}
        before = feed.read_bytes()
        again = run_crawl(feed, *more, spider=spider, settings=own, env=env).check()
        assert "0 new" in again.err
        assert feed.read_bytes() == before
