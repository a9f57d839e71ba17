"""Questions to a state, the same for SQLite and PostgreSQL: what is known of records, rejections, and links.

Every question takes a connection of the pool for itself, so any thread may ask.
"""

from __future__ import annotations

import errno
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Engine, Table, func, select
from sqlalchemy.exc import SQLAlchemyError

from newsextract import Hints
from newsextract.database.connection import explain, reading
from newsextract.errors import DataError
from newsextract.feed.duplicates import Sketch
from newsextract.feed.lines import OBJECT
from newsextract.state import schema
from newsextract.state import schema as state_lines
from newsextract.state.schema import NEWS, signed, unsigned

Ids = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class KnownRecord:
    """A record of the feed, as its last line has it."""

    number: int
    """Its id."""
    url: str
    site: str
    revision: int
    status: str
    said: bytes | None
    """Hash of its text, or of what an object says."""
    etag: str | None
    last_modified: str | None
    place: int
    """First byte of the line."""


@dataclass(frozen=True, slots=True)
class KeptLink:
    """A URL that no later run would find again: only a page that is done leads to it (a redirect, another canonical URL)."""

    site: str
    url: str
    depth: int
    role: str
    hints: Hints
    is_vouched: bool = True
    """Whether more than a menu leads to it."""


class State(ABC):
    """What is known, in tables.

    :param engine: of the database.
    :param shown: its name in messages.
    """

    was_interrupted = False
    """Whether the last crawl did not come to its end."""

    def __init__(self, engine: Engine, shown: str) -> None:
        self._engine = engine
        self._reading = reading(engine)
        self._shown = shown

    def close(self, *, is_complete: bool = True) -> None:
        """Close the connections.

        :param is_complete: the crawl has come to its end.
        """
        self._engine.dispose()

    @abstractmethod
    def line(self, number: int) -> dict[str, Any] | None:
        """The last line of an article, by its id.

        :raises DataError: the feed has been changed since it was read.
        """

    @abstractmethod
    def latest(self, site: str, count: int) -> list[dict[str, Any]]:
        """The last lines of those articles of a site that were written last, in that order.

        :raises DataError: as above.
        """

    # -- what is known -------------------------------------------------------------------------------------------------

    def record_ids(self, site: str | None = None) -> Ids:
        """The ids of all records, or of those of a site, in ascending order."""
        with self._asking() as connection:
            found = connection.execute(_of_site(select(schema.records.c.id), schema.records, site))
            rows = found.cursor.fetchall() if found.cursor is not None else []  # a million: SQLAlchemy's rows take a second
            return _unsigned(np.fromiter(chain.from_iterable(rows), dtype=np.int64, count=len(rows)))

    def rejection_ids(self, site: str | None = None) -> dict[str, Ids]:
        """Ids of pages that were rejected for good, by status."""
        found: dict[str, list[int]] = {}
        wanted = select(schema.rejections.c.id, schema.rejections.c.status).where(schema.rejections.c.status.is_not(None))
        for number, status in self._all(_of_site(wanted, schema.rejections, site)):
            found.setdefault(status, []).append(number)
        return {status: _unsigned(np.array(numbers, dtype=np.int64)) for status, numbers in found.items()}

    def attempts(self, site: str | None = None) -> dict[int, int]:
        """Tries of pages that failed temporarily, by id."""
        wanted = select(schema.rejections.c.id, schema.rejections.c.attempts).where(schema.rejections.c.attempts > 0)
        return {unsigned(number): count for number, count in self._all(_of_site(wanted, schema.rejections, site))}

    def counts(self, site: str | None = None) -> dict[str, int]:
        """Number of records of each site."""
        wanted = select(schema.records.c.site, func.count()).group_by(schema.records.c.site)
        return dict(tuple(row) for row in self._all(_of_site(wanted, schema.records, site)))

    def algorithms(self) -> set[str]:
        """The algorithms that the records were made by."""
        found = self._all(select(schema.records.c.algorithm).where(schema.records.c.algorithm.is_not(None)).distinct())
        return {name for (name,) in found}

    def record(self, number: int) -> KnownRecord | None:
        """A record by its id."""
        row = self._one(select(schema.records).where(schema.records.c.id == signed(number)))
        return None if row is None else _known(row)

    def objects(self, site: str | None = None) -> Iterator[KnownRecord]:
        """The objects of wrappers."""
        wanted = select(schema.records).where(schema.records.c.kind == OBJECT)
        for row in self._all(_of_site(wanted, schema.records, site)):
            yield _known(row)

    def due(self, before: datetime, site: str | None = None, since: datetime | None = None) -> list[KnownRecord]:
        """Articles that were fetched last at ``before`` or earlier, or at a time to come, when a clock was ahead.

        :param site: of this site alone.
        :param since: written first then or later.
        """
        table = schema.records.c
        wanted = select(schema.records).where(
            table.kind == NEWS, (table.fetched_at <= _utc(before)) | (table.fetched_at > schema.to_come())
        )
        wanted = _of_site(wanted, schema.records, site)
        if since is not None:
            wanted = wanted.where(table.first_at >= _utc(since))
        return [_known(row) for row in self._all(wanted.order_by(table.place, table.id))]

    def site_titles(self, site: str) -> list[str]:
        """Titles that turned out to be the site's, folded."""
        return [key for (key,) in self._all(select(schema.titles.c.key).where(schema.titles.c.site == site))]

    def near(self, record: Sketch) -> list[Sketch]:
        """Records that share a band with one. May be called from any thread."""
        with self._asking() as connection:
            return state_lines.near(connection, record)

    # -- links that only a page that is done leads to ------------------------------------------------------------------

    def keep_link(self, link: KeptLink) -> None:
        """Write a link down; it is on disk when this returns.

        :raises OSError: it cannot be written, because the disk is full, say.
        """
        hints, table = link.hints, schema.links
        row = {
            "url": link.url, "site": link.site, "depth": link.depth, "role": link.role, "title": hints.title,
            "date": hints.date, "source": hints.source, "language": hints.language, "is_vouched": link.is_vouched,
        }  # fmt: skip
        try:
            with self._engine.begin() as connection:
                connection.execute(table.delete().where(table.c.url == link.url))
                connection.execute(table.insert().values(row))
        except SQLAlchemyError as error:
            raise OSError(errno.EIO, explain(error), self._shown) from error

    def kept_links(self, site: str) -> list[KeptLink]:
        """The links of a site that were written down."""
        found = self._all(_of_site(select(schema.links), schema.links, site))
        return [
            KeptLink(
                row.site,
                row.url,
                row.depth,
                row.role,
                Hints(row.title, row.date, row.source, row.language),
                row.is_vouched,
            )
            for row in found
        ]

    # -- how the database is asked -------------------------------------------------------------------------------------

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        try:
            with self._engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise DataError(f"{self._shown}: {explain(error)}") from error

    def _all(self, wanted: Any) -> Sequence[Any]:
        with self._asking() as connection:
            return connection.execute(wanted).fetchall()

    def _one(self, wanted: Any) -> Any:
        with self._asking() as connection:
            return connection.execute(wanted).first()

    @contextmanager
    def _asking(self) -> Iterator[Connection]:
        try:
            with self._reading.connect() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise DataError(f"{self._shown}: {explain(error)}") from error

    def _fact(self, name: str) -> str | None:
        row = self._one(select(schema.facts.c.value).where(schema.facts.c.name == name))
        return None if row is None else str(row.value)

    def _set_fact(self, name: str, value: str) -> None:
        with self._writing() as connection:
            connection.execute(schema.facts.delete().where(schema.facts.c.name == name))
            connection.execute(schema.facts.insert().values(name=name, value=value))


def _of_site(wanted: Any, table: Table, site: str | None) -> Any:
    return wanted if site is None else wanted.where(table.c.site == site)


def _known(row: Any) -> KnownRecord:
    return KnownRecord(
        unsigned(row.id), row.url, row.site, row.revision, row.status, row.said, row.etag, row.last_modified, row.place
    )


def _unsigned(numbers: npt.NDArray[np.int64]) -> Ids:
    return np.sort(numbers.astype(np.uint64) + np.uint64(1 << 63))


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds")
