"""Several processes share a crawl: each leases whole sites from PostgreSQL, one process a site at a time.

A *run* visits every site of a crawl once. A process that starts while a run is on joins it; if all sites are finished, it
begins the next run. A lease ends when its process has not renewed it for ``seconds``, by the database's clock; then
another process takes the site over, and finds in the state what is done. A process that stood still for longer writes
nothing any more: each transaction that writes records looks whether the lease still holds (:meth:`SiteLeases.held`).
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, Engine, Float, Integer, Table, Text, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import SQLAlchemyError

from newsextract.database.connection import explain
from newsextract.errors import DataError
from newsextract.state.schema import metadata

sites = Table(
    "state_sites",
    metadata,
    Column("crawl", Text, primary_key=True),
    Column("site", Text, primary_key=True),
    Column("owner", Text),
    Column("until", Float, nullable=False),
    Column("finished", Integer, nullable=False),
)
"""Which process has a site until when (seconds since 1970), and the last run that has finished it."""
processes = Table(
    "state_processes",
    metadata,
    Column("owner", Text, primary_key=True),
    Column("crawl", Text, nullable=False),
    Column("until", Float, nullable=False),
)
"""The processes of a crawl, as long as they renew it."""
runs = Table(
    "state_runs",
    metadata,
    Column("crawl", Text, primary_key=True),
    Column("run", Integer, nullable=False),
)
_NOW = func.extract("epoch", func.clock_timestamp())


@dataclass(frozen=True, slots=True)
class Standing:
    """How a run stands."""

    lost: frozenset[str]
    """Sites whose lease was not renewed in time."""
    unfinished: int
    """Sites that no process has finished yet, one's own included."""


class SiteLeases:
    """A process's leases.

    :param crawl: name of the crawl; all its processes give the same.
    :param seconds: time without renewal after which a site is another's.
    """

    def __init__(self, engine: Engine, crawl: str, seconds: float) -> None:
        self._engine = engine
        self.crawl = crawl
        self.seconds = seconds
        self.owner = uuid.uuid4().hex
        self.run = 0
        self.leased: set[str] = set()
        self._lock = threading.Lock()
        """Held while leases change, so that one thread does not miss what another has just leased."""

    def join(self, names: Iterable[str]) -> None:
        """Join the run that is on, or begin the next one.

        :param names: of all sites of the crawl.
        :raises DataError: the database does not answer.
        """
        rows: list[dict[str, Any]] = [
            {"crawl": self.crawl, "site": name, "until": 0.0, "finished": 0} for name in sorted(names)
        ]
        with self._asking() as connection:
            connection.execute(insert(runs).on_conflict_do_nothing(), [{"crawl": self.crawl, "run": 1}])
            mine = runs.c.crawl == self.crawl
            self.run = connection.execute(select(runs.c.run).where(mine).with_for_update()).scalar_one()
            connection.execute(insert(sites).on_conflict_do_nothing(), rows)
            self._show_life(connection)
            if not self._unfinished(connection, [row["site"] for row in rows]):
                self.run += 1
                connection.execute(update(runs).where(mine).values(run=self.run))

    def acquire(self, names: Iterable[str], count: int) -> list[str]:
        """Lease sites that nobody has: of those that are left a part, so that all processes end at the same time.

        :param names: those that the process knows.
        :param count: at most so many.
        """
        with self._lock:
            with self._asking() as connection:
                self._show_life(connection)
                free = self._open(names) & (sites.c.owner.is_(None) | (sites.c.until < _NOW))
                left = connection.execute(select(func.count()).select_from(sites).where(free)).scalar_one()
                alive = select(func.count()).where(processes.c.crawl == self.crawl, processes.c.until >= _NOW)
                processes_now = connection.execute(alive).scalar_one()
                part = max(1, left // (2 * processes_now)) if processes_now > 1 else left
                wanted = select(sites.c.site).where(free).order_by(sites.c.site).limit(min(count, part))
                found = [name for (name,) in connection.execute(wanted.with_for_update(skip_locked=True))]
                values = {"owner": self.owner, "until": _NOW + self.seconds}
                connection.execute(update(sites).where(sites.c.crawl == self.crawl, sites.c.site.in_(found)).values(values))
            self.leased.update(found)
        return found

    def renew(self, names: Iterable[str]) -> Standing:
        """Renew all leases.

        :param names: sites that count as unfinished until the run is over.
        """
        with self._lock:
            with self._asking() as connection:
                self._show_life(connection)
                mine = update(sites).where(sites.c.crawl == self.crawl, sites.c.owner == self.owner)
                kept = {
                    name for (name,) in connection.execute(mine.values(until=_NOW + self.seconds).returning(sites.c.site))
                }
                unfinished = self._unfinished(connection, list(names))
            return Standing(frozenset(self.leased - kept), unfinished)

    def _show_life(self, connection: Connection) -> None:
        row = {"crawl": self.crawl, "owner": self.owner, "until": _NOW + self.seconds}
        alive = insert(processes).values(row)
        connection.execute(
            alive.on_conflict_do_update(index_elements=[processes.c.owner], set_={"until": alive.excluded.until})
        )

    def held(self, connection: Connection, names: Iterable[str]) -> frozenset[str]:
        """Within a transaction: those of some sites that are this process's; nobody takes them before it ends."""
        wanted = select(sites.c.site).where(
            sites.c.crawl == self.crawl, sites.c.owner == self.owner, sites.c.site.in_(sorted(names))
        )
        return frozenset(name for (name,) in connection.execute(wanted.order_by(sites.c.site).with_for_update(read=True)))

    def finish(self, names: Iterable[str]) -> None:
        """Some of the leased sites are finished in this run."""
        self._give_back(names, {"owner": None, "until": 0.0, "finished": self.run})

    def leave(self) -> None:
        """Give all leased sites back, unfinished; this process does not count any more."""
        self._give_back(list(self.leased), {"owner": None, "until": 0.0})
        with self._asking() as connection:
            connection.execute(processes.delete().where((processes.c.owner == self.owner) | (processes.c.until < _NOW)))

    def _give_back(self, names: Iterable[str], values: dict[str, object]) -> None:
        found = sorted(names)
        with self._lock:
            with self._asking() as connection:
                mine = sites.c.crawl == self.crawl, sites.c.owner == self.owner, sites.c.site.in_(found)
                connection.execute(update(sites).where(*mine).values(values))
            self.leased.difference_update(found)

    @contextmanager
    def _asking(self) -> Iterator[Connection]:
        try:
            with self._engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise DataError(f"the shared state: {explain(error)}") from error

    def _open(self, names: Iterable[str]) -> ColumnElement[bool]:
        return (sites.c.crawl == self.crawl) & sites.c.site.in_(sorted(names)) & (sites.c.finished < self.run)

    def _unfinished(self, connection: Connection, names: Sequence[str]) -> int:
        return int(connection.execute(select(func.count()).select_from(sites).where(self._open(names))).scalar_one())
