"""What a crawl reads from its own feeds."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract.discovery import record_id
from newsextract.feed import MAX_ATTEMPTS, line, text_hash
from newsextract.feed.record_lines import TRANSIENT, NewsRecord, Rejection
from pipelines.ledger import KnownIds, Ledger, Visits, age, identity, now
from tests.examples import examples
from tests.pipelines.loading import load_feed

MakeRecord = Callable[..., NewsRecord]
MakeRejection = Callable[..., Rejection]


@pytest.fixture
def paths(tmp_path: Path) -> tuple[Path, Path]:
    return tmp_path / "news.jsonl", tmp_path / "news.rejected.jsonl"


def test_missing_files_are_empty(paths: tuple[Path, Path]) -> None:
    ledger = load_feed(paths[0])
    assert ledger.size == 0
    assert not ledger.is_done(1)
    assert ledger.path == paths[0]


def test_records_and_rejections_are_done(
    paths: tuple[Path, Path], make_record: MakeRecord, make_rejection: MakeRejection
) -> None:
    paths[0].write_bytes(line(make_record(1)) + line(make_record(2)))
    paths[1].write_bytes(line(make_rejection(3)) + line(make_rejection(4, "listing")))
    ledger = load_feed(paths[0])
    assert [ledger.is_done(n) for n in (1, 2, 3, 4, 5)] == [True, True, True, False, False]
    assert ledger.size == 2


@pytest.mark.parametrize("status", sorted(TRANSIENT))
def test_passing_failures_are_tried_three_times(
    paths: tuple[Path, Path], make_rejection: MakeRejection, status: str
) -> None:
    for attempt in range(1, MAX_ATTEMPTS + 1):
        assert not load_feed(paths[0]).is_done(1)
        with paths[1].open("ab") as file:
            file.write(line(make_rejection(1, status, attempt=attempt)))
    ledger = load_feed(paths[0])
    assert ledger.attempts == {1: MAX_ATTEMPTS}
    assert MAX_ATTEMPTS == 3
    assert ledger.is_done(1)


def test_a_record_after_a_failure_is_done(
    paths: tuple[Path, Path], make_record: MakeRecord, make_rejection: MakeRejection
) -> None:
    paths[1].write_bytes(line(make_rejection(1, "download")))
    paths[0].write_bytes(line(make_record(1)))
    assert load_feed(paths[0]).is_done(1)


def test_a_torn_last_line_is_passed_over(paths: tuple[Path, Path], make_record: MakeRecord) -> None:
    for cut in (1, 5, 100):
        paths[0].write_bytes(line(make_record(1)) + line(make_record(2))[:-cut])
        ledger = load_feed(paths[0])
        assert (ledger.size, 1 in ledger.records, 2 in ledger.records) == (1, True, False)


@given(st.lists(st.integers(0, 2**64 - 1), max_size=20), st.lists(st.tuples(st.booleans(), st.integers(0, 2**64 - 1))))
@settings(max_examples=examples(100))
def test_known_ids_are_a_set(known: list[int], steps: list[tuple[bool, int]]) -> None:
    ids, expected = KnownIds(), set(known)
    ids.extend(np.array(known[:7], dtype=np.uint64))
    ids.extend(np.array(known[7:], dtype=np.uint64))
    for adds, number in steps + [(False, number) for number in known[:3]]:
        (ids.add if adds else ids.discard)(number)
        (expected.add if adds else expected.discard)(number)
        assert (number in ids) is (number in expected)
    assert len(ids) == len(expected)
    assert all(number in ids for number in expected)


# --- revisits -------------------------------------------------------------------------------------


def test_old_records_are_visited_again(paths: tuple[Path, Path], make_record: MakeRecord) -> None:
    old, new = "2024-01-01T00:00:00+00:00", "2024-06-01T00:00:00+00:00"
    records = [make_record(1, fetched_at=old, etag='"a"'), make_record(2, fetched_at=new), make_record(3, fetched_at=old)]
    records.append(make_record(3, fetched_at=new, revision=1))
    paths[0].write_bytes(b"".join(map(line, records)))
    ledger = load_feed(paths[0], Visits(datetime(2024, 3, 1, tzinfo=UTC)))
    assert [ledger.is_done(n) for n in (1, 2, 3)] == [False, True, True]
    known = ledger.revisit[1]
    assert (known.url, known.site, known.revision, known.etag) == ("https://example.org/1", "x", 0, '"a"')
    assert all(load_feed(paths[0]).is_done(n) for n in (1, 2, 3)), "only if asked"


def test_a_changed_text_is_a_revision_and_an_equal_one_is_not_written(
    paths: tuple[Path, Path], make_record: MakeRecord
) -> None:
    first = make_record(1, fetched_at="2024-01-01T00:00:00+00:00", revision=2)
    paths[0].write_bytes(line(first))
    ledger = load_feed(paths[0], Visits(datetime(2024, 3, 1, tzinfo=UTC)))
    assert ledger.admit(make_record(1)) is None
    assert ledger.is_done(1)
    ledger = load_feed(paths[0], Visits(datetime(2024, 3, 1, tzinfo=UTC)))
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


# --- helpers --------------------------------------------------------------------------------------


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


def test_a_correction_is_the_next_revision_and_keeps_what_users_have_added(
    paths: tuple[Path, Path], make_record: MakeRecord
) -> None:
    first = make_record(1, fingerprint="f" * 384, title="The Site")
    first.stars = 5  # type: ignore[attr-defined]  # as a user's pipeline does
    paths[0].write_bytes(line(first) + line(make_record(2, fingerprint=None)))
    ledger = load_feed(paths[0])
    assert ledger.counts == {"x": 2}
    assert ledger.revision(3, title="A headline") is None
    corrected = ledger.revision(1, title="A headline")
    assert corrected is not None
    assert (corrected.title, corrected.revision, corrected.values()["stars"]) == ("A headline", 1, 5)
    assert ledger.admit(corrected) is corrected
    with paths[0].open("ab") as file:
        file.write(line(corrected))
    ledger = load_feed(paths[0])
    again = ledger.revision(1, status="withdrawn")
    assert again is not None
    assert (again.title, again.revision, again.status) == ("A headline", 2, "withdrawn")
    assert ledger.counts == {"x": 2}
    assert ledger.site("x").titles.of_site == {"thesite": frozenset()}
