"""Leases of sites: one process a site, taken over when they end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

import pytest
from sqlalchemy import update

from newsextract.database.connection import prepare
from newsextract.sites import Site
from newsextract.state.shared import SharedState, SiteLeases, processes, sites
from spiders.sharing import units_of
from tests.postgres_server import PostgresServer

NAMES = ["a", "b", "c", "d"]
Join = Callable[..., SiteLeases]


@pytest.fixture
def join(postgres: PostgresServer) -> Iterator[Join]:
    """A further process of a crawl."""
    address, _ = prepare(postgres.schema())
    states = []

    def made(seconds: float = 60, crawl: str = "news", names: Sequence[str] = NAMES) -> SiteLeases:
        state = SharedState(address, crawl, seconds)
        states.append(state)
        state.leases.join(names)
        return state.leases

    yield made
    for state in states:
        state.close()


def test_a_site_has_one_owner(join: Join) -> None:
    one = join()
    assert one.acquire(NAMES, 3) == ["a", "b", "c"]
    other = join()
    assert other.acquire(NAMES, 9) == ["d"]
    assert other.acquire(NAMES, 9) == []
    elsewhere = join(crawl="another")
    assert elsewhere.acquire(NAMES, 9) == NAMES


def test_sites_are_shared_out(join: Join) -> None:
    names = list("abcdefghijkl")
    one, other = join(names=names), join(names=names)
    assert one.acquire(names, 9) == ["a", "b", "c"], "of two processes each takes a quarter of what is free"
    assert other.acquire(names, 1) == ["d"], "no more than it can crawl"
    assert one.acquire(names, 9) == ["e", "f"]
    for rest in "ghijkl":
        assert other.acquire(names, 9) == [rest]
    assert one.acquire(names, 9) == []


def test_sites_are_leased_in_the_order_that_is_wanted(join: Join) -> None:
    one = join()
    assert one.acquire(["c", "a", "d"], 2) == ["c", "a"]
    assert one.acquire(NAMES[::-1], 9) == ["d", "b"]


def test_a_lease_that_ends_is_taken_over_and_its_owner_may_not_write(join: Join) -> None:
    still = join(0.3)
    assert still.acquire(NAMES, 9) == NAMES
    other = join()
    time.sleep(0.5)
    assert other.acquire(NAMES, 9) == NAMES, "the silent process does not count any more"
    for leases, mine in ((still, frozenset[str]()), (other, frozenset(NAMES))):
        with leases._engine.begin() as connection:
            assert leases.held(connection, [*NAMES, "x"]) == mine
    standing = still.renew(NAMES)
    assert (standing.lost, standing.unfinished) == (frozenset(NAMES), 4)
    still.finish(NAMES)
    assert other.renew(NAMES).unfinished == 4, "only the owner says that a site is finished"


def test_renewed_leases_hold(join: Join) -> None:
    one = join(0.6)
    one.acquire(NAMES, 9)
    other = join()
    for _ in range(6):
        time.sleep(0.2)
        assert one.renew(NAMES).lost == frozenset()
    assert other.acquire(NAMES, 9) == []


def test_a_clock_that_is_put_back_keeps_no_lease_of_a_process_that_has_ended(join: Join, postgres: PostgresServer) -> None:
    """The database's clock an hour ahead when the leases were given, as far as the table shows."""
    gone = join()
    assert gone.acquire(NAMES, 2) == ["a", "b"]
    alive = join()
    assert [*alive.acquire(NAMES, 9), *alive.acquire(NAMES, 9)] == ["c", "d"]
    with alive._engine.begin() as connection:
        for table in (sites, processes):
            connection.execute(update(table).values(until=table.c.until + 3600))
    assert alive.renew(NAMES).lost == frozenset(), "a process that is alive keeps its own"
    other = join()
    assert [*other.acquire(NAMES, 9), *other.acquire(NAMES, 9)] == ["a", "b"]
    with other._engine.begin() as connection:
        assert gone.held(connection, NAMES) == frozenset()
        assert alive.held(connection, NAMES) == frozenset("cd")


def test_a_run_visits_each_site_once(join: Join) -> None:
    one = join()
    one.acquire(NAMES, 9)
    one.finish(["a", "b"])
    assert one.renew(NAMES).unfinished == 2
    late = join()
    assert (late.run, late.acquire(NAMES, 9)) == (1, []), "it joins the run that is on"
    one.leave()
    assert late.acquire(NAMES, 9) == ["c", "d"], "given back, unfinished"
    late.finish(["c", "d"])
    late.leave()
    again = join()
    assert (again.run, again.acquire(NAMES, 9)) == (2, NAMES)


def test_a_process_that_has_left_leases_nothing(join: Join) -> None:
    """A thread may ask for sites when the crawl is ended; nobody would give them back."""
    one, other = join(), join()
    one.acquire(NAMES, 1)
    one.leave()
    assert (one.acquire(NAMES, 9), one.leased) == ([], set())
    assert [*other.acquire(NAMES, 9), *other.acquire(NAMES, 9)] == NAMES


def test_sites_that_share_a_domain_belong_together() -> None:
    sites = [
        Site(name="d", start=["http://d.example/"]),
        Site(name="b", start=["http://www.x.example/b"]),
        Site(name="a", start=["http://www.x.example/a"]),
        Site(name="c", start=["http://deep.www.x.example/"]),
    ]
    assert units_of(sites) == {"a": "a", "b": "a", "c": "a", "d": "d"}
