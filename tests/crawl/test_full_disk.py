"""A feed that cannot grow any more, as on a full disk: the crawl stops and says so, and goes on when there is room.

RLIMIT_FSIZE stands for the full disk: a write beyond it fails (EFBIG, once SIGXFSZ is ignored, as Python does).
"""

from __future__ import annotations

import json
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]


def at_most(size: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def test_the_feed_is_full(small_crawl: Run, undisturbed: Any, tmp_path: Path) -> None:
    limit = 50_000
    crawl = small_crawl(tmp_path / "news.jsonl", preexec_fn=at_most(limit))
    assert crawl.code == 1, crawl.err
    assert "Traceback" not in crawl.err, crawl.err
    assert f"cannot write {crawl.feed}: File too large. The crawl stops" in crawl.err
    assert crawl.err.count("cannot write") <= 3, "one message, not one for each page in flight"
    assert "the same command goes on from here" in crawl.err
    begun = crawl.records  # whole lines only
    assert 0 < len(begun) < len(undisturbed.records)
    assert crawl.feed.stat().st_size <= limit
    again = small_crawl(crawl.feed).check()
    assert again.records[: len(begun)][0]["id"] == begun[0]["id"]
    ids = [line["id"] for line in again.records]
    assert sorted(ids) == sorted(line["id"] for line in undisturbed.records)
    duplicates = {line["id"]: line["duplicate_of"] for line in undisturbed.records}
    assert {line["id"]: line["duplicate_of"] for line in again.records} == duplicates
    wanted = sorted((line["url"], line["status"]) for line in undisturbed.rejected)
    assert sorted((line["url"], line["status"]) for line in again.rejected) == wanted


def test_the_other_files_are_full(small_crawl: Run, undisturbed: Any, tmp_path: Path) -> None:
    """The frontier fills first: articles whose links cannot be noted down must not become records."""
    limit = 500_000
    frontier = tmp_path / "news.frontier"
    line = json.dumps(["nobody", "http://nobody.example/" + "x" * 400, 1, "link"]) + "\n"
    frontier.write_text(line * ((limit - 1000) // len(line)), "utf-8")
    crawl = small_crawl(tmp_path / "news.jsonl", preexec_fn=at_most(limit))
    assert crawl.code == 1, crawl.err
    assert f"cannot write {frontier}" in crawl.err
    assert "Traceback" not in crawl.err, crawl.err[-3000:]
    again = small_crawl(crawl.feed).check()
    assert sorted(line["id"] for line in again.records) == sorted(line["id"] for line in undisturbed.records)
