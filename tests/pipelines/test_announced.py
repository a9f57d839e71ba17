"""What sitemaps name waits on disk, newest first, and each page comes once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract import Hints
from newsextract.state.announced import Announced, AnnouncedPages
from tests.examples import examples


def page(number: int, priority: int = 0, **hints: str) -> Announced:
    return Announced(number, f"https://e.example/{number}", priority, Hints(source="sitemap", **hints))


@pytest.fixture
def announced() -> Iterator[AnnouncedPages]:
    found = AnnouncedPages()
    yield found
    found.close()


def test_pages_come_by_priority_and_then_in_their_order(announced: AnnouncedPages) -> None:
    announced.add("a", [page(3), page(1, 5), page((1 << 64) - 1)])
    announced.add("a", [page(2, 5)])
    assert [found.number for found in announced.take("a", 3)] == [1, 2, 3]
    assert announced.sites == {"a"}
    assert [found.number for found in announced.take("a", 3)] == [(1 << 64) - 1]
    assert announced.sites == set()
    assert announced.count("a") == 4


def test_what_is_said_later_completes_what_was_said_first(announced: AnnouncedPages) -> None:
    announced.add("a", [page(1, 2, title="First", language="en")])
    announced.add("a", [page(1, 7, title="Second", date="2025-05-06")])
    assert announced.take("a", 2) == [page(1, 7, title="First", date="2025-05-06", language="en")]
    announced.add("a", [page(1, 9)])
    assert announced.take("a", 2) == []
    assert announced.count("a") == 1


def test_two_sites_may_name_the_same_page(announced: AnnouncedPages) -> None:
    announced.add("a", [page(1)])
    announced.add("b", [page(1)])
    assert announced.take("a", 1) == announced.take("b", 1) == [page(1)]


def test_a_page_that_a_link_leads_to_comes_out_of_turn(announced: AnnouncedPages) -> None:
    announced.add("a", [page(1), page(2, title="Two")])
    assert announced.pop("a", 2) == page(2, title="Two")
    assert announced.pop("a", 2) is None
    assert announced.pop("b", 1) is None
    assert announced.take("a", 5) == [page(1)]


def test_what_is_dropped_is_counted_and_what_is_noted_does_not_wait(announced: AnnouncedPages) -> None:
    announced.note("a", 9)
    announced.add("a", [page(n) for n in range(5)])
    announced.take("a", 2)
    assert announced.drop("a", "limit") == 3
    assert announced.drop("a", "limit") == 0
    assert [row[-1] for row in announced.rows()].count("limit") == 3
    assert announced.take("a", 5) == []
    assert announced.count("a") == 6


def test_a_full_disk_is_an_error_that_ends_the_crawl_with_a_clear_line(announced: AnnouncedPages) -> None:
    announced._database.execute("PRAGMA max_page_count = 4")
    with pytest.raises(OSError, match="database or disk is full"):
        announced.add("a", [page(n) for n in range(10_000)])


@settings(max_examples=examples(60))
@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 3)), max_size=60), st.integers(1, 7))
def test_every_page_comes_once_and_the_more_urgent_ones_before(pages: list[tuple[int, int]], at_a_time: int) -> None:
    announced = AnnouncedPages()
    announced.add("a", [page(number, priority) for number, priority in pages])
    found: list[Announced] = []
    while announced.sites:
        found += announced.take("a", at_a_time)
    announced.close()
    assert sorted(one.number for one in found) == sorted({number for number, _ in pages})
    assert [one.priority for one in found] == sorted((one.priority for one in found), reverse=True)
    assert all(one.priority == max(p for n, p in pages if n == one.number) for one in found)
