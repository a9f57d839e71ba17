"""How many sites a process of a shared crawl leases, by what it has in hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request

from spiders.sharing import AT_A_TIME, BACKLOG, Sharing, by_size

Room = Callable[..., int]
SITES = [f"s{k}" for k in range(40)]


@pytest.fixture
def room() -> Room:
    """The room of a process.

    Its arguments: ``concurrent`` (``CONCURRENT_REQUESTS``), the numbers of sites to which a request is under way and of those
    that wait for their delay, and the requests in the queue, all of the first site.
    """

    def measured(concurrent: int, transferring: int = 0, delayed: int = 0, queued: int = 0) -> int:
        requests = [Request(f"http://{name}.example/") for name in SITES[: transferring + delayed]]
        slots: dict[str, Any] = {}
        for number, request in enumerate(requests):
            is_sent = number < transferring
            slots[request.url] = SimpleNamespace(
                transferring={request} if is_sent else set(), queue=[] if is_sent else [(request, None)]
            )
        downloader = SimpleNamespace(total_concurrency=concurrent, slots=slots, active=set(requests))
        engine = SimpleNamespace(downloader=downloader, scraper=SimpleNamespace(slot=None))
        sharing: Any = object.__new__(Sharing)
        sharing._units = dict(zip(SITES, SITES, strict=True))
        sharing._state = SimpleNamespace(leases=SimpleNamespace(leased=set()))
        sharing._spider = SimpleNamespace(
            crawler=SimpleNamespace(engine=engine),
            sites_waiting=set(),
            queued=Counter({SITES[0]: queued}),
            site_of=lambda url: SimpleNamespace(name=url[7:].partition(".")[0]),
        )
        found = sharing._room()
        assert isinstance(found, int)
        return found

    return measured


def test_sites_to_which_requests_are_under_way_take_room(room: Room) -> None:
    assert room(32) == AT_A_TIME
    assert room(32, transferring=10) == AT_A_TIME - 10
    assert room(4) == 8
    assert room(0) == AT_A_TIME, "without a bound of Scrapy's"


def test_sites_that_wait_for_their_delay_take_none_until_all_requests_wait(room: Room) -> None:
    assert room(32, delayed=10) == AT_A_TIME
    assert room(32, delayed=20) == 12
    assert room(32, delayed=32) == 0


def test_a_long_queue_takes_all_room_while_all_requests_are_under_way(room: Room) -> None:
    rest = BACKLOG * (4 - 3)  # three of the sites have begun, nobody knows with how many pages
    assert room(4, transferring=4, queued=rest) == 4
    assert room(4, transferring=4, queued=rest + 1) == 0
    assert room(5, transferring=4, queued=1_000) == 6, "another request could be made"
    assert room(4, delayed=4, queued=1_000) == 4


def test_new_sites_come_first_and_then_the_largest() -> None:
    units = {"a": "a", "b": "a", "c": "c", "d": "d", "e": "e"}
    assert by_size(units, {"a": 2, "b": 2, "c": 3, "d": 5, "gone": 9}) == ["e", "d", "a", "c"]
