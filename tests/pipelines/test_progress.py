"""The figures of a crawl's summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from newsextract.feed.record_lines import NewsRecord, Rejection
from pipelines.progress import Progress

Make = Callable[..., Any]


@pytest.fixture
def progress() -> Progress:
    """Of a crawl of site x whose feed has the records 1 and 2."""
    plan = SimpleNamespace(sites={"x": None}, records=Path("news.jsonl"), rejected=Path("news.rejected.jsonl"), urls=())
    spider: Any = SimpleNamespace(
        plan=plan, ledger=SimpleNamespace(records={1, 2}, size=2), unwritten=None, archive=None, notes=(), warning=None,
        traps=SimpleNamespace(lines=list), wrapping=SimpleNamespace(fits={}), sharing=None, unmatched={},
    )  # fmt: skip
    stats = SimpleNamespace(get_value=lambda name, default=None: default)
    spider.crawler = SimpleNamespace(stats=stats, signals=SimpleNamespace(connect=lambda handler, signal: None))
    made = Progress(spider)
    made.known, made.fetched, made.fields = 2, Counter(x=9), ("title",)
    return made


def told(progress: Progress) -> str:
    """The line with the sums, without what depends on the time."""
    return next(line for line in progress.summary("shutdown") if " new, " in line).partition("; 9 pages")[0]


def test_withdrawn_records_are_not_counted_as_new(progress: Progress, make_record: Make, make_rejection: Make) -> None:
    for number in (3, 4, 5):
        progress.scraped(make_record(number))
    for number in (4, 5, 1):
        progress.scraped(make_record(number, revision=1, status="withdrawn"))
        progress.scraped(make_rejection(number, "withdrawn"))
    assert told(progress) == "1 new, 1 already there; 3 rejected"
    lines = progress.summary("shutdown")
    assert any(line.split()[:4] == ["x", "9", "1", "3"] for line in lines)
    assert "block_statistics: 1 record; title 100%" in lines


def test_revisions_are_not_counted_as_new(progress: Progress, make_record: Callable[..., NewsRecord]) -> None:
    """Neither of a record of this run, whose title is corrected, nor of one of an earlier run."""
    for record in (make_record(3), make_record(3, revision=1), make_record(1, revision=4)):
        progress.scraped(record)
    assert told(progress) == "1 new, 2 already there, 1 revised; 0 rejected"


def test_a_crawl_whose_only_record_is_withdrawn_has_none(
    progress: Progress, make_record: Make, make_rejection: Make
) -> None:
    for item in (make_record(3), make_record(3, revision=1, status="withdrawn"), make_rejection(3, "withdrawn")):
        assert isinstance(item, NewsRecord | Rejection)
        progress.scraped(item)
    assert told(progress) == "0 new, 2 already there; 1 rejected"
