"""What a crawl reads from its own feeds."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from newsextract.discovery import record_id
from newsextract.errors import DataError
from newsextract.feed_lines import MAX_ATTEMPTS, check_record, lines, text_hash
from newsextract.line_file import line
from pipelines.items import TRANSIENT, NewsRecord, Rejection
from pipelines.ledger import MEND, Ledger, age, identity, load, now

MakeRecord = Callable[..., NewsRecord]
MakeRejection = Callable[..., Rejection]


@pytest.fixture
def paths(tmp_path: Path) -> tuple[Path, Path]:
    return tmp_path / "news.jsonl", tmp_path / "news.rejected.jsonl"


def test_missing_files_are_empty(paths: tuple[Path, Path]) -> None:
    ledger = load(*paths)
    assert ledger.size == 0
    assert not ledger.is_done(1)
    assert ledger.path == paths[0]


def test_records_and_rejections_are_done(
    paths: tuple[Path, Path], make_record: MakeRecord, make_rejection: MakeRejection
) -> None:
    paths[0].write_bytes(line(make_record(1)) + line(make_record(2)))
    paths[1].write_bytes(line(make_rejection(3)) + line(make_rejection(4, "listing")))
    ledger = load(*paths)
    assert [ledger.is_done(n) for n in (1, 2, 3, 4, 5)] == [True, True, True, False, False]
    assert ledger.size == 2


@pytest.mark.parametrize("status", sorted(TRANSIENT))
def test_passing_failures_are_tried_three_times(
    paths: tuple[Path, Path], make_rejection: MakeRejection, status: str
) -> None:
    for attempt in range(1, MAX_ATTEMPTS + 1):
        assert not load(*paths).is_done(1)
        with paths[1].open("ab") as file:
            file.write(line(make_rejection(1, status, attempt=attempt)))
    ledger = load(*paths)
    assert ledger.attempts == {1: MAX_ATTEMPTS}
    assert MAX_ATTEMPTS == 3
    assert ledger.is_done(1)


def test_a_record_after_a_failure_is_done(
    paths: tuple[Path, Path], make_record: MakeRecord, make_rejection: MakeRejection
) -> None:
    paths[1].write_bytes(line(make_rejection(1, "download")))
    paths[0].write_bytes(line(make_record(1)))
    assert load(*paths).is_done(1)


def test_a_torn_last_line_is_passed_over(paths: tuple[Path, Path], make_record: MakeRecord) -> None:
    for cut in (1, 5, 100):
        paths[0].write_bytes(line(make_record(1)) + line(make_record(2))[:-cut])
        assert load(*paths).records == {1}


ALIEN = [
    b"{}",
    b"[]",
    b"1",
    b"null",
    b"no json",
    b'{"id": 5}',
    b'{"id": "xyz"}',
    b'{"id": null}',
    b"",
    b"\xff",
    b'{"id": "ab"}',
]
ALIEN_RECORDS = [
    b'{"id": "fffffffffffffffffff", "fingerprint": null, "duplicate_of": null}',
    b'{"id": "ab", "fingerprint": "xy", "duplicate_of": null}',
]


@pytest.mark.parametrize(("which", "bad"), [*((0, b) for b in ALIEN + ALIEN_RECORDS), *((1, b) for b in ALIEN)])
def test_a_line_that_is_not_ours_is_named(paths: tuple[Path, Path], make_record: MakeRecord, which: int, bad: bytes) -> None:
    first = line(make_record(1)) if which == 0 else b""
    paths[which].write_bytes(first + bad + b"\n")
    number = 2 if which == 0 else 1
    with pytest.raises(
        DataError, match=rf"line {number} is not a record of newsextract \(.*\); name another feed, or start afresh"
    ):
        load(*paths)


def test_a_feed_that_was_written_anew_by_another_tool_is_not_damaged(
    paths: tuple[Path, Path], make_record: MakeRecord
) -> None:
    """Without the room for ``duplicate_of`` a later mark would overwrite its neighbours."""
    value = json.loads(line(make_record(1, fingerprint="0" * 64)))
    for data in (json.dumps(value, separators=(",", ":")), json.dumps(value)):
        paths[0].write_text(data + "\n")
        with pytest.raises(DataError, match=r"line 1 .*; name another feed, or start afresh"):
            load(*paths)


def test_positions_point_at_the_value(paths: tuple[Path, Path], make_record: MakeRecord) -> None:
    data = [line(make_record(n, text="港口" * n, duplicate_of=None if n % 2 else f"{1:016x}")) for n in range(1, 6)]
    paths[0].write_bytes(b"".join(data))
    whole = paths[0].read_bytes()
    for value, position in lines(paths[0], check_record, MEND):
        there = whole[position : position + 18]
        assert json.loads(there) == value["duplicate_of"]
        assert whole[position - 16 : position] == b'"duplicate_of": '


# --- revisits ---------------------------------------------------------------------------------------------------------


def test_old_records_are_visited_again(paths: tuple[Path, Path], make_record: MakeRecord) -> None:
    old, new = "2024-01-01T00:00:00+00:00", "2024-06-01T00:00:00+00:00"
    records = [make_record(1, fetched_at=old, etag='"a"'), make_record(2, fetched_at=new), make_record(3, fetched_at=old)]
    records.append(make_record(3, fetched_at=new, revision=1))
    paths[0].write_bytes(b"".join(map(line, records)))
    ledger = load(*paths, revisit_before=datetime(2024, 3, 1, tzinfo=UTC))
    assert [ledger.is_done(n) for n in (1, 2, 3)] == [False, True, True]
    known = ledger.revisit[1]
    assert (known.url, known.site, known.revision, known.etag) == ("https://example.org/1", "x", 0, '"a"')
    assert all(load(*paths).is_done(n) for n in (1, 2, 3)), "only if asked"


def test_a_changed_text_is_a_revision_and_an_equal_one_is_not_written(
    paths: tuple[Path, Path], make_record: MakeRecord
) -> None:
    first = make_record(1, fetched_at="2024-01-01T00:00:00+00:00", revision=2)
    paths[0].write_bytes(line(first))
    ledger = load(*paths, revisit_before=datetime(2024, 3, 1, tzinfo=UTC))
    assert ledger.admit(make_record(1)) is None
    assert ledger.is_done(1)
    ledger = load(*paths, revisit_before=datetime(2024, 3, 1, tzinfo=UTC))
    changed = ledger.admit(make_record(1, text="Another text."))
    assert isinstance(changed, NewsRecord)
    assert changed.revision == 3
    assert ledger.admit(make_record(1, text="A third text.")) is None, "once a run"


def test_each_record_and_rejection_once(make_record: MakeRecord, make_rejection: MakeRejection) -> None:
    ledger = Ledger()
    record = make_record(1)
    assert ledger.admit(record) is record
    assert ledger.admit(make_record(1)) is None
    rejection = make_rejection(2)
    assert ledger.admit(rejection) is rejection
    assert ledger.admit(make_rejection(2)) is None
    again = make_rejection(3, "download")
    assert ledger.admit(again) is again
    assert ledger.admit(again) is again, "a passing failure is written each time"


# --- helpers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("all", timedelta(0)),
        ("12h", timedelta(hours=12)),
        ("7d", timedelta(days=7)),
        ("2w", timedelta(weeks=2)),
        ("0d", timedelta(0)),
    ],
)
def test_ages(value: str, expected: timedelta) -> None:
    assert age(value) == expected


@pytest.mark.parametrize("value", ["", "d", "7", "7m", "-1d", "1.5d", "7 d", "d7", "ALL", "²d", "99999999999999d"])
def test_wrong_ages(value: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011  # the caller words the message
        age(value)
    assert str(error.value) == value


def test_identity_and_hash() -> None:
    assert identity("https://example.org/a") == int(record_id("https://example.org/a"), 16) < 2**64
    assert text_hash("a") != text_hash("b")
    assert len(text_hash("\ud800")) == 8
    assert now().tzinfo is UTC
    assert now().microsecond == 0
