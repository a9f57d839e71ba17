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
    limit, feed = 8_000_000, tmp_path / "news.jsonl"
    other = undisturbed.records[0] | {"id": "0" * 16, "site": "other", "fingerprint": None}
    other["text"] = "x" * (
        limit - 50_000 - len(json.dumps(other, ensure_ascii=False).encode()) + len(other["text"].encode())
    )
    feed.write_text(json.dumps(other, ensure_ascii=False) + "\n", "utf-8")  # so the state has room, and the feed has not
    crawl = small_crawl(feed, preexec_fn=at_most(limit))
    assert crawl.code == 5, crawl.err
    assert "Traceback" not in crawl.err, crawl.err
    assert f"cannot write {crawl.feed}: File too large. The crawl stops" in crawl.err
    assert crawl.err.count("cannot write") <= 3, "one message, not one for each page in flight"
    assert "same command again" in crawl.err
    begun = crawl.records[1:]  # whole lines only
    assert 0 < len(begun) < len(undisturbed.records)
    assert crawl.feed.stat().st_size <= limit
    again = small_crawl(crawl.feed).check()
    assert again.records[1 : 1 + len(begun)] == begun
    ids = [line["id"] for line in again.records[1:]]
    assert sorted(ids) == sorted(line["id"] for line in undisturbed.records)
    wanted = sorted((line["url"], line["status"]) for line in undisturbed.rejected)
    assert sorted((line["url"], line["status"]) for line in again.rejected) == wanted


def test_the_state_is_full(small_crawl: Run, undisturbed: Any, tmp_path: Path) -> None:
    """Articles whose links cannot be noted down must not become records."""
    crawl = small_crawl(tmp_path / "news.jsonl", preexec_fn=at_most(400_000))
    assert crawl.code == 5, crawl.err
    assert f"cannot write {tmp_path / 'news.state'}" in crawl.err
    assert "Traceback" not in crawl.err, crawl.err[-3000:]
    again = small_crawl(crawl.feed).check()
    assert sorted(line["id"] for line in again.records) == sorted(line["id"] for line in undisturbed.records)


def test_there_is_no_room_for_a_state(small_crawl: Run, tmp_path: Path) -> None:
    crawl = small_crawl(tmp_path / "news.jsonl", preexec_fn=at_most(20_000))
    assert crawl.code == 2, crawl.err
    assert f"{tmp_path / 'news.state'}: " in crawl.err
    assert "Traceback" not in crawl.err, crawl.err[-3000:]
