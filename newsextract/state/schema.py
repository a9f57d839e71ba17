"""The tables of a crawl's state, the same in SQLite and in PostgreSQL.

Ids are 64 bits without a sign; both databases have signed integers, so :func:`signed` and :func:`unsigned` translate.
"""

from __future__ import annotations

import errno
from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Engine,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    bindparam,
    delete,
    func,
    select,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.postgresql import psycopg
from sqlalchemy.exc import SQLAlchemyError

from newsextract import Hints
from newsextract.database.connection import explain, reading
from newsextract.database.schema import INSERTS, in_utc, make_columns
from newsextract.errors import DataError
from newsextract.feed import OBJECT, content_hash, post_hash, text_hash
from newsextract.feed.duplicates import BANDS, Sketch, columns, complete, window
from newsextract.feed.record_lines import TRANSIENT, WITHDRAWN

# --- schema ---------------------------------------------------------------------------------------

POST = "post"
NEWS = "news"
"""The kind of the lines of articles."""
VERSION = 1
"""A state of another version is rebuilt."""
_MIDDLE = 1 << 63

metadata = MetaData()

facts = Table("state_facts", metadata, *make_columns("name", Text, key=True), *make_columns("value", Text))
"""``version``, and ``running`` while a crawl writes."""

files = Table(
    "state_files",
    metadata,
    *make_columns("name", Text, key=True),
    *make_columns("device inode position lines", BigInteger),
    *make_columns("digest", Text),
)
"""Up to which byte of which file the state agrees with the feeds, and a digest of the bytes before it."""

records = Table(
    "state_records",
    metadata,
    *make_columns("id", BigInteger, key=True),
    *make_columns("site kind url", Text),
    *make_columns("revision", Integer),
    *make_columns("status first_at fetched_at etag? last_modified? algorithm?", Text),
    *make_columns("said?", LargeBinary),
    *make_columns("place", BigInteger),
    Index("state_records_by_site", "site", "place"),
)
"""Each record as its last line has it. ``said`` is a hash of what it says; ``place`` is the first byte of the line."""
_IS_OBJECT = records.c.kind == OBJECT
Index("state_objects", records.c.id, sqlite_where=_IS_OBJECT, postgresql_where=_IS_OBJECT)

rejections = Table(
    "state_rejections",
    metadata,
    *make_columns("id", BigInteger, key=True),
    *make_columns("site status?", Text),
    *make_columns("attempts", Integer),
)
"""Rejected pages: the last status that is final, and the tries that failed temporarily."""

sketches = Table(
    "state_sketches",
    metadata,
    *make_columns("id", BigInteger, key=True),
    *make_columns("sketch", LargeBinary),
    *make_columns("at", Text),
    Index("state_sketches_by_time", "at"),
)
buckets = Table("state_buckets", metadata, *make_columns("key id", BigInteger, key=True), sqlite_with_rowid=False)
"""Number and key of each band of each fingerprint → the records that have it (:mod:`newsextract.feed.duplicates`)."""

titles = Table("state_titles", metadata, *make_columns("site key", Text, key=True))
"""Titles that turned out to be a site's, not an article's."""

links = Table(
    "state_links",
    metadata,
    *make_columns("url", Text, key=True),
    *make_columns("site", Text),
    *make_columns("depth", Integer),
    *make_columns("role title? date? source? language?", Text),
    *make_columns("is_vouched", Boolean),
)
"""URLs that no later run would find again: only a page that is done leads to them."""

origins = Table("state_origins", metadata, *make_columns("id", BigInteger, key=True), *make_columns("how place?", Text))
"""Where each page that was requested was found first: ``sitemap``, ``feed``, ``link`` …, and the URL of that place. No feed
has it: a state that is rebuilt keeps it, one that is made anew lacks it."""

figures = Table("state_figures", metadata, *make_columns("site at", Text, key=True), *make_columns("figures alarms", Text))
"""The figures of each run (:mod:`newsextract.state.store`)."""

announced = Table(
    "state_announced", metadata, *make_columns("id", BigInteger, key=True), *make_columns("site day? how reason?", Text)
)
skipped = Table(
    "state_skipped",
    metadata,
    Column("number", Integer, primary_key=True),
    *make_columns("site", Text),
    *make_columns("id?", BigInteger),
    *make_columns("url? how day? reason place?", Text),
    *make_columns("count", Integer),
    Index("state_skipped_by_id", "id"),
    Index("state_skipped_by_site", "site"),
)
"""What sitemaps and feeds have named, and what was left out (:mod:`newsextract.state.announced`)."""


def signed(number: int) -> int:
    """An id as the databases have it."""
    return number - _MIDDLE


def unsigned(number: int) -> int:
    """The id that a database has as this number."""
    return number + _MIDDLE


# --- lines ----------------------------------------------------------------------------------------
# Lines of feeds → rows of the state.

_BUCKETS = {
    "sqlite": ("INSERT OR IGNORE INTO state_buckets (key, id) VALUES {}", "(?, ?)"),
    "postgresql": ("INSERT INTO state_buckets (key, id) VALUES {} ON CONFLICT DO NOTHING", "(%s, %s)"),
}
"""Sixteen rows a record: SQLAlchemy's own way takes twelve times as long, one row a statement three times."""
_ROWS = 100
"""Rows of buckets in one statement."""
_STATEMENTS = 200
"""Statements whose values are in memory at once."""
_NEAR = (
    select(sketches.c.id, sketches.c.sketch, sketches.c.at)
    .where(sketches.c.id.in_(select(buckets.c.id).where(buckets.c.key.in_([bindparam(f"key{n}") for n in range(BANDS)]))))
    .where(sketches.c.at.between(bindparam("first"), bindparam("last")))
)
_DIALECTS = {"sqlite": sqlite, "postgresql": psycopg}
Row = dict[str, Any]
_Compiled = tuple[str, tuple[str, ...]]
"""A statement, and the names of its values in their order; without names it takes the row itself."""


class BucketRows:
    """Rows of buckets of many records. They are written in the order of the index: a page of it is then changed once."""

    def __init__(self) -> None:
        self._keys: list[npt.NDArray[np.int64]] = []
        self._records = array("q")

    def add(self, keys: npt.NDArray[np.int64], records: Sequence[int]) -> None:
        """Take in the bands of records.

        :param keys: (records, bands).
        :param records: their ids, with a sign.
        """
        self._keys.append(keys)
        self._records.extend(records)

    def write(self, connection: Connection) -> None:
        """Write the rows within the connection's transaction."""
        if not self._keys:
            return
        keys = np.concatenate(self._keys).ravel()
        self._keys.clear()
        order = np.argsort(keys)
        rows = np.empty((len(order), 2), np.int64)
        rows[:, 0] = keys[order]
        del keys
        order //= BANDS
        rows[:, 1] = np.frombuffer(self._records, np.int64)[order]
        del order
        whole = len(rows) // _ROWS * _ROWS
        _write_buckets(connection, rows[:whole].reshape(-1, 2 * _ROWS))
        _write_buckets(connection, rows[whole:])


def _write_buckets(connection: Connection, rows: npt.NDArray[np.int64]) -> None:
    """Write rows of buckets, several in each row of the matrix."""
    text, values = _BUCKETS[connection.dialect.name]
    statement = text.format(", ".join([values] * (rows.shape[1] // 2)))
    for start in range(0, len(rows), _STATEMENTS):
        connection.exec_driver_sql(statement, list(map(tuple, rows[start : start + _STATEMENTS].tolist())))


@dataclass(slots=True)
class Rows:
    """What some lines of feeds say, one row for each record or page: of two lines the later one counts."""

    records: dict[int, Row] = field(default_factory=dict)
    rejections: dict[int, Row] = field(default_factory=dict)
    sketches: dict[int, tuple[str, str] | None] = field(default_factory=dict)
    """Fingerprint, and when the record was first fetched; None: it has been withdrawn."""
    titles: set[tuple[str, str]] = field(default_factory=set)
    newest: str = ""
    """When the newest record was fetched, as far as it is known already: no sketch is kept of records much older."""

    def add_record(self, line: dict[str, Any], place: int) -> None:
        """Take in a line of a feed of records. Raises ValueError, KeyError, TypeError: it is no such line."""
        number, at = int(line["id"], 16), in_utc(line["fetched_at"])
        is_object = line["kind"] == OBJECT
        said = content_hash(line["fields"], line["object"], line["missing"]) if is_object else None
        if line["kind"] == POST:
            said = post_hash(line["site"], line.get("author"), line.get("date"), line.get("text") or "")
        is_news = not is_object and "fingerprint" in line
        if is_news:
            said = text_hash(line["text"])
        known = self.records.get(number)
        row = {
            "id": signed(number),
            "site": line["site"] if "site" in line else line["engine"],
            "kind": line["kind"],
            "url": line["url"],
            "revision": line.get("revision", 0),
            "status": line.get("status", "ok"),
            "first_at": known["first_at"] if known else at,
            "fetched_at": at,
            "etag": line.get("etag"),
            "last_modified": line.get("last_modified"),
            "algorithm": line.get("algorithm"),
            "said": said,
            "place": place,
        }
        if is_news:
            mark = complete(line["fingerprint"], line["text"])
            withdrawn = line["status"] == WITHDRAWN or mark is None
            self.sketches[number] = None if withdrawn or mark is None else (mark, row["first_at"])
        self.records[number] = row

    def add_rejection(self, line: dict[str, Any]) -> None:
        """Take in a line of a feed of rejections. Raises ValueError, KeyError, TypeError: it is no such line."""
        number, status = int(line["id"], 16), str(line["status"])
        empty: Row = {"id": signed(number), "site": line["site"], "status": None, "attempts": 0}
        row = self.rejections.setdefault(number, empty)
        if status in TRANSIENT:
            row["attempts"] = max(row["attempts"], int(line["attempt"]))
        else:
            row["status"] = status

    def write(self, connection: Connection, later: BucketRows | None = None) -> None:
        """Write the rows within the connection's transaction.

        :param later: takes the rows of buckets, which are written with those of other batches.
        """
        dialect = connection.dialect.name
        if self.records:
            _run(connection, _upsert(dialect, records, "first_at"), self.records.values())
        if self.rejections:
            connection.execute(_rejections(dialect), list(self.rejections.values()))
        if self.titles:
            rows = [{"site": site, "key": key} for site, key in self.titles]
            connection.execute(INSERTS[dialect](titles).on_conflict_do_nothing(), rows)
        bucket_rows = BucketRows() if later is None else later
        self._write_sketches(connection, bucket_rows)
        if later is None:
            bucket_rows.write(connection)

    def _write_sketches(self, connection: Connection, bucket_rows: BucketRows) -> None:
        gone = [{"number": signed(number)} for number, found in self.sketches.items() if found is None]
        if gone:
            for table in (sketches, buckets):
                connection.execute(delete(table).where(table.c.id == bindparam("number")), gone)
        made = [(signed(number), *found) for number, found in self.sketches.items() if found is not None]
        if not made:
            return
        oldest = _oldest(connection, self.newest, *(at for _, _, at in made))
        made = [one for one in made if one[2] >= oldest]
        if not made:
            return
        numbers, marks, times = zip(*made, strict=True)
        keys, made_sketches = columns(marks)
        rows = [{"id": one, "sketch": data, "at": at} for one, data, at in zip(numbers, made_sketches, times, strict=True)]
        _run(connection, _upsert(connection.dialect.name, sketches, "at"), rows)
        bucket_rows.add(keys, numbers)


def near(connection: Connection, record: Sketch) -> list[Sketch]:
    """Records of the state that share a band with one and were fetched within a fortnight of it."""
    text, names = _near(connection.dialect.name)
    first, last = window(record.at)
    values = {f"key{n}": key for n, key in enumerate(record.keys)} | {"first": first, "last": last}
    found = connection.exec_driver_sql(text, itemgetter(*names)(values) if names else values)
    return [Sketch(unsigned(number), record.keys, data, at) for number, data, at in found]


def forget_old_sketches(connection: Connection) -> None:
    """Remove what no record to come can be a duplicate of: more than a fortnight older than the newest record."""
    oldest = _oldest(connection)
    old = connection.execute(delete(sketches).where(sketches.c.at < oldest))
    if old.rowcount:
        connection.execute(delete(buckets).where(buckets.c.id.not_in(select(sketches.c.id))))


def _oldest(connection: Connection, *known: str) -> str:
    """From when on sketches count; empty: all do.

    :param known: when other records were fetched.
    """
    limit = to_come()
    stored = connection.execute(select(func.max(sketches.c.at)).where(sketches.c.at <= limit)).scalar()
    newest = max((at for at in (*known, stored or "") if at <= limit), default="")
    return window(newest)[0] if newest else ""


def to_come() -> str:
    """From when on a time in a feed is wrong: a clock was ahead when it was written. Such a record makes no other old."""
    return (datetime.now(UTC) + timedelta(days=1)).isoformat(timespec="seconds")


def _run(connection: Connection, statement: _Compiled, rows: Iterable[Row]) -> None:
    """Execute a statement for many rows as they are; SQLAlchemy's own way looks at each value, which costs a third more."""
    text, names = statement
    connection.exec_driver_sql(text, list(map(itemgetter(*names), rows)) if names else list(rows))


def _compiled(dialect: str, statement: Any) -> _Compiled:
    compiled = statement.compile(dialect=_DIALECTS[dialect].dialect())
    return str(compiled), tuple(compiled.positiontup or ())


@cache
def _near(dialect: str) -> _Compiled:
    """Compiled once: SQLAlchemy's own way takes twice as long as the look-up itself."""
    return _compiled(dialect, _NEAR)


@cache
def _upsert(dialect: str, table: Table, kept: str) -> _Compiled:
    """Insert rows, or replace what is known by the same id, except one column."""
    statement = INSERTS[dialect](table)
    values = {name: statement.excluded[name] for name in set(table.c.keys()) - {"id", kept}}
    return _compiled(dialect, statement.on_conflict_do_update(index_elements=[table.c.id], set_=values))


@cache
def _rejections(dialect: str) -> Any:
    statement = INSERTS[dialect](rejections)
    new, old = statement.excluded, rejections.c
    larger = func.max if dialect == "sqlite" else func.greatest
    values = {"status": func.coalesce(new.status, old.status), "attempts": larger(new.attempts, old.attempts)}
    return statement.on_conflict_do_update(index_elements=[rejections.c.id], set_=values)


# --- tables ---------------------------------------------------------------------------------------
# Questions to a state, the same for SQLite and PostgreSQL: what is known of records, rejections, and links.
#
# Every question takes a connection of the pool for itself, so any thread may ask.

Ids = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class KnownRecord:
    """A record of the feed, as its last line has it."""

    number: int
    """Its id."""
    url: str
    site: str
    revision: int
    status: str = "ok"
    said: bytes | None = None
    """Hash of its text, or of what an object says; None: it is not known, and counts as changed."""
    etag: str | None = None
    last_modified: str | None = None
    place: int = 0
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
    """What is known, in tables."""

    was_interrupted = False
    """Whether the last crawl did not come to its end."""

    def __init__(self, engine: Engine, shown: str) -> None:
        self._engine = engine
        self._reading = reading(engine)
        self._shown = shown

    def close(self, *, is_complete: bool = True) -> None:
        """Close the connections."""
        self._engine.dispose()

    @abstractmethod
    def line(self, number: int) -> dict[str, Any] | None:
        """The last line of an article, by its id. Raises DataError: the feed has been changed since it was read."""

    @abstractmethod
    def latest(self, site: str, count: int) -> list[dict[str, Any]]:
        """The last lines of those articles of a site that were written last, in that order.

        :raises DataError: the feed has been changed since it was read.
        """

    # -- what is known -------------------------------------------------------------------------------------------------

    def record_ids(self, site: str | None = None) -> Ids:
        """The ids of all records, or of those of a site, in ascending order."""
        with self._asking() as connection:
            found = connection.execute(_of_site(select(records.c.id), records, site))
            rows = found.cursor.fetchall() if found.cursor is not None else []  # a million: SQLAlchemy's rows take a second
            return _unsigned(np.fromiter(chain.from_iterable(rows), dtype=np.int64, count=len(rows)))

    def told(self, site: str | None = None) -> Ids:
        """The hashes of the posts as numbers, in ascending order."""
        wanted = select(records.c.said).where(records.c.kind == POST, records.c.said.is_not(None))
        with self._asking() as connection:
            found = connection.execute(_of_site(wanted, records, site))
            rows = found.cursor.fetchall() if found.cursor is not None else []
            return np.sort(np.frombuffer(b"".join(chain.from_iterable(rows)), dtype=">u8").astype(np.uint64))

    def rejection_ids(self, site: str | None = None) -> dict[str, Ids]:
        """Ids of pages that were rejected for good, by status."""
        found: dict[str, list[int]] = {}
        wanted = select(rejections.c.id, rejections.c.status).where(rejections.c.status.is_not(None))
        for number, status in self._all(_of_site(wanted, rejections, site)):
            found.setdefault(status, []).append(number)
        return {status: _unsigned(np.array(numbers, dtype=np.int64)) for status, numbers in found.items()}

    def attempts(self, site: str | None = None) -> dict[int, int]:
        """Tries of pages that failed temporarily, by id."""
        wanted = select(rejections.c.id, rejections.c.attempts).where(rejections.c.attempts > 0)
        return {unsigned(number): count for number, count in self._all(_of_site(wanted, rejections, site))}

    def counts(self, site: str | None = None) -> dict[str, int]:
        """Number of records of each site."""
        wanted = select(records.c.site, func.count()).group_by(records.c.site)
        return dict(tuple(row) for row in self._all(_of_site(wanted, records, site)))

    def algorithms(self) -> set[str]:
        """The algorithms that the records were made by."""
        found = self._all(select(records.c.algorithm).where(records.c.algorithm.is_not(None)).distinct())
        return {name for (name,) in found}

    def record(self, number: int) -> KnownRecord | None:
        """A record by its id."""
        row = self._one(select(records).where(records.c.id == signed(number)))
        return None if row is None else _known(row)

    def objects(self, site: str | None = None) -> Iterator[KnownRecord]:
        """The objects of wrappers."""
        wanted = select(records).where(records.c.kind == OBJECT)
        for row in self._all(_of_site(wanted, records, site)):
            yield _known(row)

    def due(self, before: datetime, site: str | None = None, since: datetime | None = None) -> list[KnownRecord]:
        """Articles that were fetched last at ``before`` or earlier, or at a time to come, when a clock was ahead.

        :param since: written first then or later.
        """
        table = records.c
        wanted = select(records).where(
            table.kind == NEWS, (table.fetched_at <= _utc(before)) | (table.fetched_at > to_come())
        )
        wanted = _of_site(wanted, records, site)
        if since is not None:
            wanted = wanted.where(table.first_at >= _utc(since))
        return [_known(row) for row in self._all(wanted.order_by(table.place, table.id))]

    def site_titles(self, site: str) -> list[str]:
        """Titles that turned out to be the site's, folded."""
        return [key for (key,) in self._all(select(titles.c.key).where(titles.c.site == site))]

    def near(self, record: Sketch) -> list[Sketch]:
        """Records that share a band with one. May be called from any thread."""
        with self._asking() as connection:
            return near(connection, record)

    # -- links that only a page that is done leads to ------------------------------------------------------------------

    def keep_link(self, link: KeptLink) -> None:
        """Write a link down; it is on disk when this returns.

        :raises OSError: it cannot be written, because the disk is full, say.
        """
        hints, table = link.hints, links
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
        found = self._all(_of_site(select(links), links, site))
        return [
            KeptLink(
                row.site, row.url, row.depth, row.role, Hints(row.title, row.date, row.source, row.language), row.is_vouched
            )
            for row in found
        ]

    # -- how the database is asked -------------------------------------------------------------------------------------

    def _all(self, wanted: Any) -> Sequence[Any]:
        with self._asking() as connection:
            return connection.execute(wanted).fetchall()

    def _one(self, wanted: Any) -> Any:
        with self._asking() as connection:
            return connection.execute(wanted).first()

    @contextmanager
    def _asking(self, *, writes: bool = False) -> Iterator[Connection]:
        try:
            with self._engine.begin() if writes else self._reading.connect() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise DataError(f"{self._shown}: {explain(error)}") from error

    def _fact(self, name: str) -> str | None:
        row = self._one(select(facts.c.value).where(facts.c.name == name))
        return None if row is None else str(row.value)

    def _set_fact(self, name: str, value: str) -> None:
        with self._asking(writes=True) as connection:
            connection.execute(facts.delete().where(facts.c.name == name))
            connection.execute(facts.insert().values(name=name, value=value))


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
