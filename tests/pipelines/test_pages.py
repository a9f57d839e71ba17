"""Pages of many records: done when all their records stand in the feed."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from newsextract.errors import DataError
from newsextract.feed import line
from newsextract.feed.record_lines import Post, ReadPage, Rejection
from pipelines.items import NextPage, PageLines, check_page, page_id
from pipelines.ledger import Ledger, pages_path
from tests.pipelines.loading import load_feed

URLS = [f"http://f.example/t/1?page={k}" for k in range(1, 5)]


def read(number: int, *records: int, last: bool = False, run: str | None = None, **values: Any) -> ReadPage:
    given: dict[str, Any] = {
        "id": page_id(URLS[number - 1], run), "url": URLS[number - 1], "site": "x", "kind": "thread", "number": number,
        "first": 2 * number - 1, "count": 2, "records": [f"{record:016x}" for record in records],
        "next": None if last else URLS[number], "run": run, "fetched_at": "2025-01-01T00:00:00+00:00",
    }  # fmt: skip
    return ReadPage(**given | values)


def known(written: set[int], *pages: ReadPage) -> PageLines:
    lines = PageLines(written=written)
    for page in pages:
        lines.add(page)
    return lines


START = NextPage(URLS[0], 1, 1)
OPENING = f"{1:016x}"


def test_nothing_is_known() -> None:
    assert known(set()).resume(START) == START


def test_done_pages_are_passed_over_but_for_the_last() -> None:
    last = read(3, 5, last=True)
    assert known({1, 2, 3, 4, 5}, read(1, 1, 2), read(2, 3, 4), last).resume(START) == NextPage(
        URLS[2], 3, 5, last, opening=OPENING
    )
    assert known({1, 2, 3, 4}, read(1, 1, 2), read(2, 3, 4)).resume(START) == NextPage(URLS[2], 3, 5, opening=OPENING)


@pytest.mark.parametrize("missing", [1, 2])
def test_a_page_with_a_record_missing_is_not_done(missing: int) -> None:
    lines = known({1, 2, 3, 4, 5} - {missing}, read(1, 1, 2), read(2, 3, 4), read(3, 5, last=True))
    assert lines.resume(START) == START


def test_records_outside_the_window_count_for_positions_only() -> None:
    assert known({2}, read(1, 2)).resume(START) == NextPage(URLS[1], 2, 3)


@pytest.mark.parametrize(
    ("left_out", "window", "is_done"),
    [
        ({"since": "2025-03-04"}, (date(2025, 3, 4), None), True),
        ({"since": "2025-03-04"}, (date(2025, 3, 5), date(2025, 3, 6)), True),
        ({"since": "2025-03-04"}, (date(2025, 3, 3), None), False),
        ({"since": "2025-03-04"}, (None, None), False),
        ({"until": "2025-03-04"}, (None, date(2025, 3, 4)), True),
        ({"until": "2025-03-04"}, (None, date(2025, 3, 5)), False),
        ({"until": "2025-03-04"}, (None, None), False),
        ({}, (None, None), True),
    ],
)
def test_posts_left_out_by_a_window_are_fetched_with_a_wider_one(
    left_out: dict[str, str], window: tuple[date | None, date | None], is_done: bool
) -> None:
    lines = known(set(), read(1, **left_out))
    expected = NextPage(URLS[1], 2, 3) if is_done else START
    assert lines.resume(START, None, *window) == expected


def test_a_page_that_repeats_the_one_before_is_passed_over() -> None:
    first = read(1, 1, 2)
    lines = known({1, 2}, first, read(2, count=0, last=True))
    assert lines.resume(START) == NextPage(URLS[0], 1, 1, first)


def test_what_robots_txt_forbade_is_done_only_while_it_is_obeyed() -> None:
    def turned_away(status: str) -> Rejection:
        return Rejection(
            id="1" * 16, url=URLS[0], site="x", status=status, reason="", fetched_at="2025-01-01T00:00:00+00:00"
        )

    ledger, number = Ledger(), int("1" * 16, 16)
    ledger.rejected.add(number)
    ledger.robots.add(number)
    assert ledger.is_done(number)
    assert not ledger.is_done(number, obey_robots=False)
    assert ledger.admit(turned_away("robots")) is None
    empty = turned_away("empty")
    assert ledger.admit(empty) is empty
    assert ledger.is_done(number, obey_robots=False)


SHAPE = (
    '{"kinds":[{"path":["html","body","ol"],"root":"li","tail":[],"longest":1,"levels":0,"parts":["/p"]}],"confidence":0.9}'
)


def test_where_a_list_goes_on_it_is_known_what_its_records_look_like() -> None:
    pages = read(1, 1, 2, shape=SHAPE), read(2, 3, 4), read(3, 5, last=True)
    lines = known({1, 2, 3, 4}, *pages)
    assert lines.resume(START) == NextPage(URLS[2], 3, 5, shape=SHAPE, opening=OPENING)
    assert known({1, 2, 3, 4, 5}, *pages).resume(START) == NextPage(URLS[2], 3, 5, pages[2], SHAPE, OPENING)
    assert known({1}, *pages).resume(START) == START, "its own page is read again"
    assert lines.resume(NextPage(URLS[0], 1, 1, shape="own")).shape == "own"
    empty = known({1, 2}, read(1, 1, 2, shape=SHAPE), read(2, count=0, last=True))
    assert empty.resume(START).shape == SHAPE


def test_a_shape_alone_is_no_news() -> None:
    ledger = Ledger()
    assert ledger.admit(read(1, 1, 2, shape=SHAPE)) is not None
    assert ledger.admit(read(1, 1, 2)) is None


@pytest.mark.parametrize("shape", ["{}", "x", '{"kinds":[{}],"confidence":1}', "[]", "3"])
def test_a_shape_that_is_none_is_refused(shape: str) -> None:
    value = dataclasses.asdict(read(1, 1, 2, shape=SHAPE))
    check_page(value, b"")
    with pytest.raises(ValueError, match="no shape of records"):
        check_page(value | {"shape": shape}, b"")


def test_pages_in_a_circle_end() -> None:
    circle = read(2, 3, 4, next=URLS[0])
    found = known({1, 2, 3, 4}, read(1, 1, 2), circle).resume(START)
    assert found.known is not None


def test_a_run_is_an_observation_of_its_own() -> None:
    lines = known({1, 2}, read(1, 1, 2, run="a"))
    assert lines.resume(START, "a") == NextPage(URLS[1], 2, 3, opening=OPENING)
    assert lines.resume(START, "b") == START
    assert page_id(URLS[0], "a") != page_id(URLS[0], "b") != page_id(URLS[0])


def test_a_line_that_says_what_is_known_is_not_written_again() -> None:
    ledger = Ledger()
    page = read(1, 1, 2)
    assert ledger.admit(page) is page
    assert ledger.admit(read(1, 1, 2, fetched_at="2025-02-02T00:00:00+00:00", etag='"x"')) is None
    grown = read(1, 1, 2, 3)
    assert ledger.admit(grown) is grown


@pytest.fixture
def make_post() -> Callable[[int], Post]:
    def make(identity: int) -> Post:
        return Post(
            id=f"{identity:016x}", url=URLS[0], permalink=None, thread_id="0" * 16, thread_title=None, thread_url=URLS[0],
            site="x", page=1, position=identity, author=None, date=None, date_precision=None, text="A post.",
            fetched_at="2025-01-01T00:00:00+00:00", algorithm="visual_blocks", confidence=0.5,
        )  # fmt: skip

    return make


def test_a_ledger_of_posts_is_read_from_its_feeds(tmp_path: Path, make_post: Callable[[int], Post]) -> None:
    feed = tmp_path / "forum.jsonl"
    feed.write_bytes(line(make_post(1)) + line(make_post(2)) + line(make_post(3))[:-5])
    pages_path(feed).write_bytes(line(read(1, 1, 2)) + line(read(2, 3, last=True)))
    ledger = load_feed(feed, kind="forum")
    assert ledger.size == 2
    assert [ledger.has(k) for k in (1, 2, 3)] == [True, True, False]
    after = NextPage(URLS[1], 2, 3, opening=OPENING)
    assert ledger.pages.resume(START) == after, "the torn post is missing, so its page is read again"
    assert ledger.admit(make_post(2)) is None
    third = make_post(3)
    assert ledger.admit(third) is third


@pytest.mark.parametrize("kind", ["news", "search"])
def test_a_feed_of_another_kind_is_refused(tmp_path: Path, make_post: Callable[[int], Post], kind: str) -> None:
    feed = tmp_path / "forum.jsonl"
    feed.write_bytes(line(make_post(1)))
    with pytest.raises(DataError, match="it has no record of newsextract"):
        load_feed(feed, kind=kind)


@pytest.mark.parametrize("change", [{"number": "1"}, {"records": ["x"]}, {"records": 1}, {"colour": 1}])
def test_lines_of_pages_that_are_not_ours(tmp_path: Path, change: dict[str, Any]) -> None:
    feed = tmp_path / "forum.jsonl"
    pages_path(feed).write_text(json.dumps(json.loads(line(read(1, 1))) | change) + "\n", "utf-8")
    with pytest.raises(DataError, match=r"forum.pages.jsonl: line 1 is not a record of newsextract"):
        load_feed(feed, kind="forum")


def test_a_foreign_line_among_those_of_pages_is_told_and_skipped(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    feed = tmp_path / "forum.jsonl"
    pages_path(feed).write_bytes(line(read(1, 1)) + b"mine\n" + line(read(2, 1)))
    ledger = load_feed(feed, kind="forum")
    assert len(ledger.pages.lines) == 2
    assert "forum.pages.jsonl: line 2 is not a record of newsextract (it is not JSON); it is skipped" in caplog.text
