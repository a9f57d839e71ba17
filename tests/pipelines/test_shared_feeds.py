"""All workers' feeds together are the ledger."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from newsextract.errors import DataError
from newsextract.feed_lines import check_record, lines
from newsextract.line_file import LedgerFile
from newsextract.near_duplicates import NearDuplicates
from pipelines.ledger import MEND
from pipelines.shared_feeds import SharedReading, feed_of, settle, siblings, written_of

PLACE = " " * 14


def record(number: int, mark: str = "0" * 64, fetched: str = "2026-01-01T00:00:00+00:00", **more: Any) -> str:
    values = {
        "id": f"{number:016x}", "url": f"http://x.example/{number}", "site": "x", "revision": 0, "text": "t", "etag": None,
        "last_modified": None, "fetched_at": fetched, "fingerprint": mark, **more, "duplicate_of": None,
    }  # fmt: skip
    return json.dumps(values).replace('"duplicate_of": null', f'"duplicate_of": null{PLACE}') + "\n"


def rejected(number: int, status: str = "listing") -> str:
    return json.dumps({"id": f"{number:016x}", "status": status, "reason": "r", "attempt": 1}) + "\n"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return tmp_path / "news.jsonl"


def test_names(base: Path) -> None:
    assert feed_of(base, "w-1").name == "news.w-1.jsonl"
    for name in ("news.jsonl", "news.a.jsonl", "news.b-2.jsonl", "news.rejected.jsonl", "news.a.rejected.jsonl", "news.pages.jsonl",
                 "news.a.pages.jsonl", "other.a.jsonl", "news.a.lock", "news.a.settled.json"):  # fmt: skip
        (base.parent / name).touch()
    assert [path.name for path in siblings(base)] == ["news.jsonl", "news.a.jsonl", "news.b-2.jsonl"]


def test_the_ledger_is_that_of_all_feeds(base: Path) -> None:
    base.write_text(record(1))
    feed_of(base, "a").write_text(record(2))
    feed_of(base, "b").write_text(record(3) + record(4)[:50])
    feed_of(base, "a").with_suffix(".rejected.jsonl").write_text(rejected(9, "short"))
    ledger = SharedReading(base, feed_of(base, "c"), None, "news").read()
    assert ledger.records == {1, 2, 3}
    assert ledger.rejected == {9}
    assert ledger.path == feed_of(base, "c")


def test_of_several_revisions_the_newest_counts(base: Path) -> None:
    feed_of(base, "a").write_text(record(1, fetched="2026-03-01T00:00:00+00:00", revision=2))
    feed_of(base, "b").write_text(record(1, fetched="2026-01-01T00:00:00+00:00", revision=1))
    ledger = SharedReading(base, feed_of(base, "c"), datetime(2026, 2, 1, tzinfo=UTC), "news").read()
    assert ledger.revisit == {}
    ledger = SharedReading(base, feed_of(base, "c"), datetime(2026, 4, 1, tzinfo=UTC), "news").read()
    assert ledger.revisit[1].revision == 2


def test_which_claims_a_dead_worker_has_written(base: Path) -> None:
    feed = feed_of(base, "dead")
    feed.write_text(record(1) + record(2)[:-1])
    feed.with_suffix(".rejected.jsonl").write_text(rejected(3, "short") + rejected(4, "listing"))
    claims = {f"{k:016x}" for k in (1, 2, 5)} | {f"r{3:016x}short", f"r{4:016x}short"}
    assert written_of(feed, claims) == {f"{1:016x}", f"r{3:016x}short"}
    assert written_of(feed_of(base, "nobody"), claims) == set()


def test_a_changed_article_is_claimed_beside_its_first_line(base: Path) -> None:
    feed = feed_of(base, "dead")
    feed.write_text(record(1) + record(2) + record(2, revision=1))
    claims = {f"{k:016x}.1" for k in (1, 2)} | {f"{2:016x}.2"}
    assert written_of(feed, claims) == {f"{2:016x}.1"}


def test_what_the_feeds_have_grown_by(base: Path) -> None:
    feed_of(base, "a").write_text(record(1) + record(2)[:50])
    reading = SharedReading(base, feed_of(base, "c"), datetime(2026, 2, 1, tzinfo=UTC), "news")
    ledger = reading.read()
    assert ledger.records == {1}
    with feed_of(base, "a").open("a") as file:
        file.write(record(2)[50:] + record(1, fetched="2026-03-01T00:00:00+00:00", revision=1))
    feed_of(base, "b").write_text(record(3))
    feed_of(base, "b").with_suffix(".rejected.jsonl").write_text(rejected(9, "short"))
    assert reading.read() is ledger
    assert ledger.records == ledger.pages.written == {1, 2, 3}
    assert ledger.rejected == {9}
    assert set(ledger.revisit) == {2, 3}, "the other one has been visited since"
    with feed_of(base, "a").open("a") as file:
        file.write('{"id": "none"}\n')
    with pytest.raises(DataError, match="line 1 after byte"):
        reading.read()


def marks(path: Path) -> dict[int, int | None]:
    return {
        int(line["id"], 16): int(line["duplicate_of"], 16) if line["duplicate_of"] else None
        for line in map(json.loads, path.read_text().splitlines())
    }


def near_of(path: Path) -> NearDuplicates:
    near = NearDuplicates()
    for line, position in lines(path, check_record, MEND):
        near.restore(line["id"], line["fingerprint"], line["duplicate_of"], position)
    return near


def test_near_same_records_of_different_workers_find_each_other(base: Path) -> None:
    """The smallest id, whoever wrote it, whichever worker settles first; also in the feed of one that is no more."""
    one, other = "0" * 64, "f" * 64
    a, b, dead = (feed_of(base, name) for name in ("a", "b", "dead"))
    a.write_text(record(5, one) + record(2, other))
    b.write_text(record(1, one) + record(7, other))
    dead.write_text(record(9, one))
    before = a.stat().st_size
    held = LedgerFile(b.with_suffix(".lock"))  # b lives
    assert settle(base, a, near_of(a)) > 0
    assert marks(a) == {5: 1, 2: None}
    assert marks(dead) == {9: 1}
    assert marks(b) == {1: None, 7: None}, "its own worker does that"
    assert a.stat().st_size == before
    assert settle(base, b, near_of(b)) == 1
    assert marks(b)[7] == 2
    assert marks(b)[1] is None
    held.close()
    assert settle(base, a, near_of(a)) == 0, "nothing is compared twice"
    with a.open("a") as file:
        file.write(record(0, one))
    assert settle(base, b, near_of(b)) >= 1
    assert marks(b)[1] == 0
    assert marks(dead) == {9: 0}
