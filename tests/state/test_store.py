"""The state beside a feed: it follows the feed, and is rebuilt where it does not agree with it."""

from __future__ import annotations

import json
import logging
import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from newsextract import Hints
from newsextract.errors import DataError
from newsextract.feed import LedgerFile, line
from newsextract.feed.duplicates import original, sketch
from newsextract.feed.record_lines import NewsRecord, Rejection
from newsextract.state.schema import KeptLink
from newsextract.state.store import CrawlState, StateFollower, _newest, remove_state, state_path
from tests.pipelines.conftest import make_record as _make_record
from tests.pipelines.conftest import make_rejection as _make_rejection

make_record, make_rejection = _make_record, _make_rejection
Make = Callable[..., NewsRecord]
MARK = "0f" * 192


def known(feed: Path) -> tuple[int, list[int], dict[str, list[int]], dict[int, int]]:
    """What a new process finds: lines read, ids of records, of rejections by status, attempts."""
    state = CrawlState(feed)
    read = state.catch_up()
    rejected = {status: [int(number) for number in ids] for status, ids in state.rejection_ids().items()}
    found = read, [int(number) for number in state.record_ids()], rejected, state.attempts()
    state.close()
    return found


@pytest.fixture
def feed(tmp_path: Path, make_record: Make, make_rejection: Callable[..., Rejection]) -> Path:
    path = tmp_path / "out" / "news.jsonl"
    path.parent.mkdir()
    path.write_bytes(b"".join(line(make_record(n, fingerprint=MARK)) for n in (1, 2**63, 2**64 - 1)))
    rejections = [
        make_rejection(4),
        make_rejection(5, "failed", attempt=2),
        make_rejection(6, "robots"),
        make_rejection(6, "short"),
    ]
    path.with_suffix(".rejected.jsonl").write_bytes(b"".join(map(line, rejections)))
    return path


FOUND = [1, 2**63, 2**64 - 1], {"short": [4, 6]}, {5: 2}


def test_what_the_feeds_say_is_read_once(feed: Path) -> None:
    assert known(feed) == (7, *FOUND)
    assert known(feed) == (0, *FOUND)
    assert sorted(path.name for path in feed.parent.iterdir()) == ["news.jsonl", "news.rejected.jsonl", "news.state"]


def test_what_comes_later_is_read_alone(feed: Path, make_record: Make) -> None:
    known(feed)
    with feed.open("ab") as file:
        file.write(line(make_record(9)) + line(make_record(10))[:-5])
    assert known(feed) == (1, [1, 9, *FOUND[0][1:]], *FOUND[1:]), "not a torn line"


@pytest.mark.parametrize("length", [10, 100_000])
def test_the_newest_record_may_be_a_long_line(tmp_path: Path, make_record: Make, length: int) -> None:
    feed = tmp_path / "news.jsonl"
    last = make_record(2, text="x" * length, fetched_at="2026-11-20T10:00:00+00:00")
    feed.write_bytes(line(make_record(1)) + line(last) + b'{"torn": ')
    assert _newest(feed).startswith("2026-11-20T10:00:00")


def test_one_process_follows_what_another_writes(feed: Path, make_record: Make) -> None:
    state = CrawlState(feed)
    state.catch_up()
    file = LedgerFile(feed)
    for number in (20, 21):
        file.write(line(make_record(number)))
        assert state.catch_up() == 1
    assert state.record(21) is not None
    assert state.line(21) == json.loads(line(make_record(21)))
    assert state.line(22) is None
    file.close()
    state.close()


def test_a_thread_follows(feed: Path, make_record: Make) -> None:
    state = CrawlState(feed)
    follower = StateFollower(state)
    follower.start()
    with feed.open("ab") as file:
        file.write(line(make_record(20)))
    follower.close()
    assert state.record(20) is not None
    assert follower.error is None
    state.close()


def replaced(feed: Path) -> None:
    copy = feed.with_suffix(".copy")
    shutil.copy(feed, copy)
    copy.replace(feed)


def cut(feed: Path) -> None:
    lines = feed.read_bytes().splitlines(keepends=True)
    os.truncate(feed, sum(map(len, lines[:2])))


def rewritten(feed: Path) -> None:
    values = [json.loads(text) | {"more": 1} for text in feed.read_bytes().splitlines()]
    feed.write_text("\n".join(json.dumps(value, separators=(",", ":")) for value in values) + "\n", "utf-8")


def blank(feed: Path) -> None:
    lines = feed.read_bytes().splitlines(keepends=True)
    feed.write_bytes(lines[0] + b"\n\n" + b"".join(lines[1:]))


def one_byte(feed: Path) -> None:
    data = feed.read_bytes()
    feed.write_bytes(data[:-900] + data[-900:].replace(b'"block_statistics"', b'"block_statistiks"'))


def no_state(feed: Path) -> None:
    remove_state(feed)


def damaged_state(feed: Path) -> None:
    data = bytearray(state_path(feed).read_bytes())
    data[0:4096] = b"x" * 4096
    state_path(feed).write_bytes(data)


def state_of_another(feed: Path) -> None:
    other = feed.with_name("other.jsonl")
    other.write_bytes(feed.read_bytes().splitlines(keepends=True)[0].replace(b'"id": "0', b'"id": "7'))
    known(other)
    shutil.copy(state_path(other), state_path(feed))
    other.unlink()


@pytest.mark.parametrize(
    ("change", "ids"),
    [
        (replaced, 3),
        (cut, 2),
        (rewritten, 3),
        (blank, 3),
        (one_byte, 3),
        (no_state, 3),
        (damaged_state, 3),
        (state_of_another, 3),
    ],
)
def test_a_state_that_does_not_agree_is_rebuilt(feed: Path, change: Callable[[Path], None], ids: int) -> None:
    known(feed)
    change(feed)
    read, found, *_ = known(feed)
    assert (read > 0, found) == (True, FOUND[0][:ids])
    assert known(feed)[0] == 0


def test_a_feed_that_was_deleted_is_forgotten(feed: Path) -> None:
    known(feed)
    feed.unlink()
    assert known(feed) == (0, [], *FOUND[1:])


def test_lines_of_others_stay_and_are_reported(feed: Path, caplog: pytest.LogCaptureFixture) -> None:
    foreign = [b"{}", b"[]", b"null", b"no json", b'{"id": "xyz"}', b"\xff", b'{"id": "ab"}', b"", b"[" * 100_000]
    with feed.open("ab") as file:
        file.write(b"\n".join(foreign) + b"\n")
    whole = feed.read_bytes()
    with caplog.at_level(logging.WARNING):
        assert known(feed)[1:] == FOUND
    assert feed.read_bytes() == whole
    assert [record.message.split(" is not a record")[0] for record in caplog.records] == [
        f"{feed}: line {number}" for number in (4, 5, 6)
    ]


@pytest.mark.parametrize(
    "values",
    [{"revision": 10**400}, {"revision": -1}, {"revision": "1"}, {"url": "http://x/\ud800"}, {"site": ["x"]}, {"etag": 5}],
)
def test_a_line_with_values_that_no_database_takes_is_reported(
    feed: Path, make_record: Make, values: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    with feed.open("a") as file:
        file.write(json.dumps(json.loads(line(make_record(9))) | values) + "\n")
    with caplog.at_level(logging.WARNING):
        assert known(feed)[1:] == FOUND
    (told,) = caplog.messages
    assert f"is not a record of newsextract (its {next(iter(values))} " in told


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_text('{"a": 1}\n{"a": 2}\n')
    with pytest.raises(DataError, match=r"notes.jsonl: it has no record of newsextract"):
        CrawlState(path).catch_up()


def test_the_last_line_of_a_record_counts(feed: Path, make_record: Make) -> None:
    old, new = "2026-01-01T00:00:00+00:00", "2026-02-01T00:00:00+00:00"
    feed.write_bytes(
        line(make_record(1, fetched_at=old)) + line(make_record(2, fetched_at=old))
        + line(make_record(1, fetched_at=new, revision=1, etag='"b"', status="gone"))
    )  # fmt: skip
    state = CrawlState(feed)
    state.catch_up()
    found = state.record(1)
    assert found is not None
    assert (found.revision, found.status, found.etag) == (1, "gone", '"b"')
    assert state.counts() == {"x": 2}
    middle, late = datetime(2026, 1, 15, tzinfo=UTC), datetime(2026, 3, 1, tzinfo=UTC)
    assert [one.number for one in state.due(middle)] == [2]
    assert [one.number for one in state.due(late, "x", middle)] == [], "written first before that"
    assert [one.number for one in state.due(late, "x", datetime(2025, 1, 1, tzinfo=UTC))] == [2, 1], "by their last lines"
    assert [value["id"][-1] for value in state.latest("x", 5)] == ["2", "1"]
    state.close()


@pytest.mark.parametrize("at_once", [True, False])
def test_a_record_of_a_time_to_come_makes_no_other_one_old(tmp_path: Path, make_record: Make, at_once: bool) -> None:
    """The clock was ahead for one record, and was put back, within a run or between two: near-duplicates are still found."""
    today = datetime.now(UTC).isoformat(timespec="seconds")
    feed = tmp_path / "news.jsonl"
    records = [make_record(1, fingerprint=MARK, fetched_at=today), make_record(2, fingerprint=MARK, fetched_at="2099-01-01T00:00:00+00:00"),
               make_record(3, fingerprint="1e" * 192, fetched_at=today)]  # fmt: skip
    for part in [records] if at_once else [[one] for one in records]:
        with feed.open("ab") as file:
            file.write(b"".join(map(line, part)))
        known(feed)
    state = CrawlState(feed)
    for mark, number in ((MARK, 1), ("1e" * 192, 3)):
        new = sketch(9, mark, today)
        assert original(new, state.near(new)) == number
    state.close()


def test_a_record_of_a_time_to_come_is_due(feed: Path, make_record: Make) -> None:
    """Else no run would visit it again before that time."""
    now = datetime.now(UTC)
    with feed.open("ab") as file:
        file.write(line(make_record(7, fingerprint=MARK, fetched_at="2099-01-01T00:00:00+00:00")))
        file.write(line(make_record(8, fingerprint=MARK, fetched_at=now.isoformat(timespec="seconds"))))
    state = CrawlState(feed)
    state.catch_up()
    due = {record.number for record in state.due(now - timedelta(hours=1))}
    assert (7 in due, 8 in due) == (True, False)
    state.close()


def test_links_survive_the_process_and_a_rebuild(feed: Path) -> None:
    state = CrawlState(feed)
    link = KeptLink("x", "https://example.org/a", 2, "article", Hints("Title", "2026-01-01", "feed", "en"), False)
    state.keep_link(KeptLink("x", link.url, 2, "article", Hints()))
    state.keep_link(link)
    state.keep_link(KeptLink("y", "https://example.org/b", 1, "link", Hints()))
    state.close()
    state = CrawlState(feed)
    state.rebuild()
    assert state.kept_links("x") == [link]
    state.close()


def test_whether_the_last_crawl_came_to_its_end_is_known(feed: Path) -> None:
    for ended in (True, False):
        state = CrawlState(feed)
        state.begin()
        state.close(is_complete=ended)
        state = CrawlState(feed)
        assert state.was_interrupted is not ended
        state.close()


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="cannot be written"):
        CrawlState(tmp_path / "file" / "news.jsonl")
