"""The feed of a plain project: each item once, whatever kind of item it is, and wrong files are errors."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest
from scrapy.exceptions import DropItem
from scrapy.utils.test import get_crawler

from newsextract.errors import DataError
from newsextract.scrapy import LinesPipeline

Open = Callable[[], LinesPipeline]


@dataclass
class Job:
    url: str
    day: date


@pytest.fixture
def feed(tmp_path: Path) -> Path:
    return tmp_path / "below" / "lines.jsonl"


@pytest.fixture
def opened(feed: Path) -> Iterator[Open]:
    made: list[LinesPipeline] = []

    def open_one() -> LinesPipeline:
        for earlier in made:
            earlier.close_spider()
        made.append(LinesPipeline(get_crawler(), feed))
        made[-1].open_spider()
        return made[-1]

    yield open_one
    for pipeline in made:
        pipeline.close_spider()


def test_each_item_is_written_once_also_by_later_runs(opened: Open, feed: Path) -> None:
    items = [{"id": "a", "n": 1}, Job("https://x.example/1", date(2026, 1, 2)), {"url": "https://x.example/2", "t": "é"}]
    first = opened()
    for item in items:
        assert first.process_item(item) is item
    written = feed.read_bytes()
    assert [json.loads(line) for line in written.splitlines()][1] == {"url": "https://x.example/1", "day": "2026-01-02"}
    for pipeline in (first, opened()):
        for item in [*items, {"url": "http://www.x.example/2?utm_source=mail"}]:  # another spelling of a URL
            with pytest.raises(DropItem):
                pipeline.process_item(item)
    assert feed.read_bytes() == written


def test_a_torn_line_is_cut_off(opened: Open, feed: Path) -> None:
    opened().process_item({"id": "a"})
    with feed.open("ab") as file:
        file.write(b'{"id": "b"')
    opened().process_item({"id": "b"})
    assert [json.loads(line) for line in feed.read_bytes().splitlines()] == [{"id": "a"}, {"id": "b"}]


def test_an_item_that_no_later_run_could_recognise_is_an_error(opened: Open, feed: Path) -> None:
    with pytest.raises(ValueError, match="no id and no url"):
        opened().process_item({"title": "x"})
    assert feed.read_bytes() == b""


def test_a_file_of_something_else_stays_as_it_is(opened: Open, feed: Path) -> None:
    feed.parent.mkdir()
    feed.write_text('{"id": "a"}\n{"title": "x"}\n', "utf-8")
    with pytest.raises(DataError, match="line 2"):
        opened()
    assert feed.read_text("utf-8") == '{"id": "a"}\n{"title": "x"}\n'


def test_two_crawls_cannot_write_one_feed(opened: Open, feed: Path) -> None:
    opened()
    other = LinesPipeline(get_crawler(), feed)
    with pytest.raises(DataError, match="another crawl"):
        other.open_spider()
