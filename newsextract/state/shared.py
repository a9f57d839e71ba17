"""The state and the records of a shared crawl in one PostgreSQL database.

One transaction writes records, rejections and pages (:mod:`newsextract.database`), and what the next run must know
(:mod:`newsextract.state.schema`), after checking that the process still has the lease of the site (*leases*). So each record
is written exactly once.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC
from time import monotonic, sleep
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Float, Integer, Table, Text, cast, func, select, update
from sqlalchemy.dialects.postgresql import ARRAY, insert
from sqlalchemy.exc import SQLAlchemyError

from newsextract.database import Address
from newsextract.database.bringing_in import ReadLine, write_rows
from newsextract.database.connection import explain, open_engine
from newsextract.database.schema import PAGES, REJECTIONS, LineKind, Row, article_revisions, make_columns, pages, read_row
from newsextract.errors import DataError
from newsextract.feed import line as line_of
from newsextract.feed.duplicates import Sketch
from newsextract.feed.record_lines import FeedLine, NewsRecord, mark_duplicate, record_sketch
from newsextract.state import schema
from newsextract.state.schema import KeptLink, Rows, State, metadata

# --- leases ---------------------------------------------------------------------------------------
# The processes of a shared crawl lease whole sites from PostgreSQL, one process a site at a time.
#
# A *run* visits every site once. A process that starts during a run joins it; when all sites are finished, it begins the
# next run. A lease ends when it was not renewed for ``seconds``, by the database's clock, or would last longer than
# :data:`LONGEST` leases, because that clock was put back. Then another process takes the site over, and finds in the state
#     what is done. Each transaction that writes records checks the lease (:meth:`SiteLeases.held`).

sites = Table(
    "state_sites",
    metadata,
    *make_columns("crawl site", Text, key=True),
    *make_columns("owner?", Text),
    *make_columns("until", Float),
    *make_columns("finished", Integer),
)
"""Which process has a site until when (seconds since 1970), and the last run that has finished it."""
processes = Table(
    "state_processes",
    metadata,
    *make_columns("owner", Text, key=True),
    *make_columns("crawl", Text),
    *make_columns("until", Float),
)
"""The processes of a crawl, as long as they renew it."""
runs = Table("state_runs", metadata, *make_columns("crawl", Text, key=True), *make_columns("run", Integer))
_NOW = func.extract("epoch", func.clock_timestamp())
LONGEST = 10
"""A lease that ends later than so many would was given before the clock was put back; processes may have leases of their own
length."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How a run stands."""

    lost: frozenset[str]
    """Sites whose lease was not renewed in time."""
    unfinished: int
    """Sites that no process has finished yet, one's own included."""


class SiteLeases:
    """A process's leases.

    :param seconds: time without renewal after which a site is another's.
    """

    def __init__(self, engine: Engine, crawl: str, seconds: float) -> None:
        self._engine = engine
        self.crawl = crawl
        self.seconds = seconds
        self.owner = uuid.uuid4().hex
        self.run = 0
        self.leased: set[str] = set()
        self._has_left = False
        self._lock = threading.Lock()
        """Held while leases change, so that one thread does not miss what another has just leased."""

    def join(self, names: Iterable[str]) -> None:
        """Join the run that is on, or begin the next one. Raises DataError: the database does not answer."""
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

    def acquire(self, names: Sequence[str], count: int) -> list[str]:
        """Lease sites that nobody has: of those that are left a part, so that all processes end at the same time.

        :param names: those that the process knows, in the order in which they are wanted.
        :param count: at most so many; none once the process has left.
        """
        with self._lock:
            if self._has_left:  # asked for in a thread before the crawl ended
                return []
            with self._asking() as connection:
                self._show_life(connection)
                free = self._open(names) & (sites.c.owner.is_(None) | ~self._holds(sites))
                left = connection.execute(select(func.count()).select_from(sites).where(free)).scalar_one()
                alive = select(func.count()).where(processes.c.crawl == self.crawl, self._holds(processes))
                processes_now = connection.execute(alive).scalar_one()
                part = max(1, left // (2 * processes_now)) if processes_now > 1 else left
                turn = func.array_position(cast(list(names), ARRAY(Text)), sites.c.site)
                wanted = select(sites.c.site).where(free).order_by(turn).limit(min(count, part))
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
        with self._lock:
            self._has_left = True
        self._give_back(list(self.leased), {"owner": None, "until": 0.0})
        with self._asking() as connection:
            connection.execute(processes.delete().where((processes.c.owner == self.owner) | ~self._holds(processes)))

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

    def _holds(self, table: Table) -> ColumnElement[bool]:
        return table.c.until.between(_NOW, _NOW + LONGEST * self.seconds)

    def _unfinished(self, connection: Connection, names: Sequence[str]) -> int:
        return int(connection.execute(select(func.count()).select_from(sites).where(self._open(names))).scalar_one())


# --- shared ---------------------------------------------------------------------------------------

_LOCK = 7_310_223_018
"""Names our lock among those of a PostgreSQL database; any number will do."""
PATIENCE = 10.0
"""Seconds for which a question is asked again."""
LOST = "another process has the lease of its site"
"""Why a line is not written: the process stood still for too long."""


@dataclass(slots=True)
class NewLine:
    """A line to be written."""

    item: FeedLine
    site: str
    refused: str | None = None
    """Why it is not in the database, once :meth:`SharedState.write` has returned."""


class SharedState(State):
    """A process's view of a shared crawl.

    :param address: of a PostgreSQL database whose schema is up to date.
    :raises DataError: the database does not answer, or has a state of another version.
    """

    def __init__(self, address: Address, crawl: str, seconds: float) -> None:
        super().__init__(open_engine(address, is_durable=True), address.shown)
        self.leases = SiteLeases(self._engine, crawl, seconds)
        self._feed = f"shared:{crawl}"
        try:
            self._make_tables()
        except SQLAlchemyError as error:
            raise DataError(f"{self._shown}: {explain(error)}") from error

    def _make_tables(self) -> None:
        with self._engine.begin() as connection:
            connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))  # one process at a time
            schema.metadata.create_all(connection)
            version = schema.facts.c.name == "version"
            found = connection.execute(select(schema.facts.c.value).where(version)).scalar()
            if found is None:
                connection.execute(schema.facts.insert().values(name="version", value=str(schema.VERSION)))
            elif found != str(schema.VERSION):
                raise DataError(
                    f"{self._shown}: its state has version {found}, this newsextract knows version {schema.VERSION}; "
                    "all processes of a crawl need the same version"
                )
            schema.forget_old_sketches(connection)

    def write(self, lines: Sequence[NewLine]) -> None:
        """Write lines of leased sites in one transaction; each says afterwards whether it was refused.

        :raises SQLAlchemyError: the database does not take them now; nothing of them is written.
        """
        with self._engine.begin() as connection:
            held = self.leases.held(connection, {new.site for new in lines})
            fresh: list[Sketch] = []
            rows: list[tuple[ReadLine, LineKind, Row]] = []
            for number, new in enumerate(lines):
                new.refused = None if new.site in held else LOST
                if new.refused is None:
                    if isinstance(new.item, NewsRecord) and (mine := record_sketch(new.item)) is not None:
                        mark_duplicate(new.item, [*schema.near(connection, mine), *fresh])
                        fresh.append(mine)
                    try:
                        rows.append((ReadLine(number, line_of(new.item)), *read_row(line_of(new.item))))
                    except ValueError as error:
                        new.refused = str(error)
            for refusal in write_rows(connection, rows, self._feed):
                lines[refusal.line.start].refused = refusal.reason
            noted = Rows()
            for line, kind, _ in rows:
                if lines[line.start].refused is None and kind is not PAGES:
                    value = json.loads(line.text)
                    noted.add_rejection(value) if kind is REJECTIONS else noted.add_record(value, 0)
            noted.write(connection)

    def keep_link(self, link: KeptLink) -> None:
        """As with any state, but a server that is started anew is waited for."""
        _patiently(super().keep_link, link)

    def _all(self, wanted: Any) -> Sequence[Any]:
        rows: Sequence[Any] = _patiently(super()._all, wanted)
        return rows

    def _one(self, wanted: Any) -> Any:
        return _patiently(super()._one, wanted)

    def pages(self, site: str) -> list[dict[str, Any]]:
        """The lines of a site's pages of many records."""
        return [_values(row) for row in self._all(select(pages).where(pages.c.site == site))]

    def line(self, number: int) -> dict[str, Any] | None:
        """The last line of an article."""
        row = self._one(select(_ARTICLES).where(_ARTICLES.c.id == f"{number:016x}"))
        return _values(row) if row is not None else None

    def latest(self, site: str, count: int) -> list[dict[str, Any]]:
        """The last lines of those articles of a site that were fetched last."""
        wanted = select(_ARTICLES).where(_ARTICLES.c.site == site).order_by(_ARTICLES.c.fetched_at.desc()).limit(count)
        return [_values(row) for row in reversed(self._all(wanted))]


def _patiently(ask: Callable[[Any], Any], argument: Any) -> Any:
    """Ask again while the server is started anew."""
    deadline = monotonic() + PATIENCE
    while True:
        try:
            return ask(argument)
        except (DataError, OSError):
            if monotonic() > deadline:
                raise
            sleep(0.2)


_ARTICLES = article_revisions.to_metadata(type(article_revisions.metadata)(), name="articles")
"""The view, with the columns of its table."""
_NO_FIELDS = frozenset({"day", "text_hash", "content_hash"})


def _values(row: Any) -> dict[str, Any]:
    values = {name: value for name, value in row._mapping.items() if name not in _NO_FIELDS}
    return values | {"fetched_at": values["fetched_at"].astimezone(UTC).isoformat(timespec="seconds")}
