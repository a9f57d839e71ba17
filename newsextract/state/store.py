"""A crawl's state beside its feed: ``out/news.jsonl`` → ``out/news.state``, a SQLite file.

Except links (:class:`~newsextract.state.schema.KeptLink`), all of it is read from the feeds: :meth:`CrawlState.catch_up`
continues at the byte up to which the state agrees with each file. They agree if device, inode and length fit, and the bytes
before that place are unchanged; otherwise the file is read from its beginning. Single pages and earlier runs are looked up
without opening the state.
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Table, select
from sqlalchemy.exc import DatabaseError, SQLAlchemyError

from newsextract.alarms import RunFigures
from newsextract.database import Address
from newsextract.database.connection import explain, open_engine
from newsextract.database.schema import INSERTS, in_utc
from newsextract.errors import DataError, naming
from newsextract.feed import OBJECT, SHOWN, Check, batches, check_record, check_rejection, line_at, reason, tail_digest
from newsextract.fields.title_parts import fold_key
from newsextract.state import schema
from newsextract.state.schema import NEWS, BucketRows, Rows, State, signed

logger = logging.getLogger(__name__)

BATCH = 2_000
"""Lines of a feed whose rows are written by one statement a table."""
STRETCH = 100
"""Batches of one transaction, at most: the more records, the less often each page of the index of buckets is written."""
_LARGE = 10_000_000
"""Bytes of a feed that are read with a larger cache."""
_CACHE, _SMALL = -32_000, -2_000
"""Kilobytes of SQLite's cache: with the larger one a million records take a tenth less time, with more no less."""
_LAST = (1 << 16, 1 << 20)
"""Bytes at the end of a feed in which its last record is looked for; the second number, where the first has none."""
SECONDS = 3.0
"""Pause between two looks at the feeds. Many records at a time cost less each: with a pause of one second half as much again
(``python -m benchmarks.crawl_state``)."""
LINE_KINDS = frozenset({"post", "hit", "teaser", OBJECT})
"""Kinds of lines beside those of articles."""
_DAMAGED = ("SQLITE_NOTADB", "SQLITE_CORRUPT")
_DERIVED: dict[str, tuple[Table, ...]] = {
    "records": (schema.records, schema.sketches, schema.buckets, schema.titles),
    "rejections": (schema.rejections,),
}
"""What is read from each file."""


@dataclass(slots=True)
class _File:
    name: str
    path: Path
    check: Check
    position: int = 0
    lines: int = 0
    inode: tuple[int, int] = (0, 0)


class CrawlState(State):
    """What is known of a feed and its rejections.

    :param records: the feed. Its state is ``NAME.state``, its rejections are ``NAME.rejected.jsonl``.
    :param kind: of the feed's lines: ``news``, ``post``, ``hit``, ``teaser`` or ``object``; None: that of the last crawl.
    :raises DataError: the state or a feed cannot be read or written, or the file is no feed of newsextract.
    """

    def __init__(self, records: Path, kind: str | None = NEWS) -> None:
        self.path = state_path(records)
        self.records = records
        self.foreign = 0
        """Lines that are none of ours; they stay in the files and are reported in the log."""
        self.read = 0
        """Lines that this process has taken in."""
        self._lock = threading.Lock()  # one thread at a time follows the files
        self._origins: list[dict[str, Any]] = []
        super().__init__(self._open(), str(self.path))
        self.was_interrupted = self._fact("running") == "1"
        """Whether the last crawl did not come to its end."""
        known = self._fact("kind")
        self.kind = kind or known or _kind_of(records)
        check: Check = partial(check_record, wanted=None if self.kind == NEWS else self.kind)
        self._files = (
            _File("records", records, check),
            _File("rejections", records.with_suffix(".rejected.jsonl"), check_rejection),
        )
        if known != self.kind:
            self._forget_all()

    # -- opening and closing -------------------------------------------------------------------------------------------

    def _open(self) -> Engine:
        """The engine; a file that is no state of this version is made anew."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            engine = self._connected()
        except DatabaseError as error:
            if getattr(error.orig, "sqlite_errorname", "") not in _DAMAGED:
                raise DataError(f"{self.path}: {explain(error)}") from error
            logger.warning("%s is damaged (%s); it is rebuilt from the feed", self.path, explain(error))
            remove_state(self.records)
            engine = self._connected()
        except OSError as error:
            raise DataError(f"{self.path}: cannot be written: {error.strerror}; name another feed with -o") from error
        return engine

    def _connected(self) -> Engine:
        engine = open_engine(Address(f"sqlite:///{self.path}", str(self.path), "sqlite", self.path))
        try:
            with engine.begin() as connection:
                schema.metadata.create_all(connection)
                found = connection.execute(select(schema.facts.c.value).where(schema.facts.c.name == "version")).scalar()
                if found != str(schema.VERSION):
                    schema.metadata.drop_all(connection)
                    schema.metadata.create_all(connection)
                    connection.execute(schema.facts.insert().values(name="version", value=str(schema.VERSION)))
        except SQLAlchemyError:
            engine.dispose()
            raise
        return engine

    def begin(self) -> None:
        """Note that a crawl writes."""
        self._set_fact("running", "1")
        with self._asking(writes=True) as connection:
            schema.forget_old_sketches(connection)

    def close(self, *, is_complete: bool = True) -> None:
        """Close the file, and note how the crawl has ended."""
        if is_complete and self._fact("running") == "1":
            self._set_fact("running", "0")
        super().close()

    # -- following the feeds -------------------------------------------------------------------------------------------

    def catch_up(self, told: Callable[[int], None] | None = None) -> int:
        """Take in the lines that the state does not have.

        :param told: called with the number of lines so far.
        :raises DataError: a file cannot be read, or none of its lines is ours.
        """
        before = self.read
        with self._lock:
            self._write_origins()
            for file in self._files:
                try:
                    with naming(f"{file.path}: cannot be read"):
                        self._follow(file, told)
                except SQLAlchemyError as error:
                    raise DataError(f"{self.path}: {explain(error)}") from error
        return self.read - before

    def note_origin(self, number: int, how: str, place: str | None) -> None:
        """Note where a page was found, unless that is known; it is on disk with the next look at the feeds."""
        self._origins.append({"id": signed(number), "how": how, "place": place})

    def _write_origins(self) -> None:
        rows, self._origins = self._origins, []
        if rows:
            with self._asking(writes=True) as connection:
                connection.execute(INSERTS["sqlite"](schema.origins).on_conflict_do_nothing(), rows)

    def rebuild(self, told: Callable[[int], None] | None = None) -> int:
        """Forget what the feeds have said, and read them again; see :meth:`catch_up`."""
        self._forget_all()
        return self.catch_up(told)

    def _forget_all(self) -> None:
        for file in self._files:
            self._forget(file)
        self._set_fact("kind", self.kind)

    def _follow(self, file: _File, told: Callable[[int], None] | None) -> None:
        if not file.path.exists() or not (there := os.stat(file.path)).st_size:
            if file.inode != (0, 0) or self._stored(file.name) is not None:
                self._forget(file)
            return
        if file.inode != (there.st_dev, there.st_ino) and not self._agrees(file, there):
            self._forget(file)
            file.inode = (there.st_dev, there.st_ino)
        ours = file.position > 0
        newest = _newest(file.path) if file.name == "records" else ""
        found = batches(file.path, file.position, BATCH)
        for first in found:
            position, number, later = file.position, file.lines, BucketRows()
            with self._engine.begin() as connection:
                connection.exec_driver_sql(f"PRAGMA cache_size = {_CACHE if there.st_size - position > _LARGE else _SMALL}")
                for batch in chain([first], islice(found, STRETCH - 1)):
                    rows = Rows(newest=newest)
                    for line, place in batch:
                        number += 1
                        position = place + len(line)
                        ours |= self._take(connection, file, rows, line, place, number)
                    if not ours and any(line.strip() for line, _ in batch):
                        raise DataError(f"{file.path}: it has no record of newsextract; name another feed")
                    rows.write(connection, later)
                    self.read += len(batch)
                    if told is not None:
                        told(self.read)
                later.write(connection)
                self._note(connection, file, position, number)
            file.position, file.lines = position, number

    def _take(self, connection: Connection, file: _File, rows: Rows, line: bytes, place: int, number: int) -> bool:
        if not line.strip():
            return False
        try:
            value = json.loads(line)
            file.check(value, line)
            if file.name == "records":
                if value.get("revision") and value.get("kind") == NEWS:
                    self._compare(connection, rows, value)
                rows.add_record(value, place)
            else:
                rows.add_rejection(value)
            return True
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            self.foreign += 1
            if self.foreign <= SHOWN:
                logger.warning(
                    "%s: line %d is not a record of newsextract (%s); it is kept", file.path, number, reason(error)
                )
            return False

    def _compare(self, connection: Connection, rows: Rows, line: dict[str, Any]) -> None:
        """A revision that differs in its title alone: another run has found that the first title is the site's."""
        number = int(line["id"], 16)
        if number in rows.records:
            place = rows.records[number]["place"]
        else:
            known = select(schema.records.c.place).where(schema.records.c.id == signed(number))
            place = connection.execute(known).scalar()
        if place is None:
            return
        earlier = line_at(self.records, place)
        if earlier["title"] and earlier["text"] == line["text"] and earlier["title"] != line["title"]:
            rows.titles.add((line["site"], fold_key(earlier["title"])))

    def _note(self, connection: Connection, file: _File, position: int, lines: int) -> None:
        """Write down up to which byte the state agrees with a file."""
        values = {
            "name": file.name,
            "device": file.inode[0],
            "inode": file.inode[1],
            "position": position,
            "lines": lines,
            "digest": tail_digest(file.path, position),
        }
        connection.execute(schema.files.insert().prefix_with("OR REPLACE"), values)

    def _forget(self, file: _File) -> None:
        """What the state has of a file is of another one."""
        with self._asking(writes=True) as connection:
            for table in _DERIVED[file.name]:
                connection.execute(table.delete())
            connection.execute(schema.files.delete().where(schema.files.c.name == file.name))
        file.position = file.lines = 0
        file.inode = (0, 0)

    def _stored(self, name: str) -> Any:
        return self._one(select(schema.files).where(schema.files.c.name == name))

    def _agrees(self, file: _File, there: os.stat_result) -> bool:
        """Whether the state was made of this very file; then it goes on where it stopped."""
        stored = self._stored(file.name)
        if stored is None or stored.position > there.st_size:
            return False
        if (stored.device, stored.inode) != (there.st_dev, there.st_ino):
            return False
        if stored.digest != tail_digest(file.path, stored.position):
            return False
        file.position, file.lines, file.inode = stored.position, stored.lines, (there.st_dev, there.st_ino)
        return True

    # -- lines ---------------------------------------------------------------------------------------------------------

    def line(self, number: int) -> dict[str, Any] | None:
        """The last line of an article, read from the feed."""
        known = self.record(number)
        return line_at(self.records, known.place) if known is not None else None

    def latest(self, site: str, count: int) -> list[dict[str, Any]]:
        """The last lines of those articles of a site that were written last, read from the feed."""
        table = schema.records.c
        wanted = select(table.place).where(table.site == site, table.kind == NEWS).order_by(table.place.desc()).limit(count)
        return [line_at(self.records, place) for (place,) in reversed(self._all(wanted))]


class StateFollower:
    """The thread that keeps a state up with its feeds while a crawl writes them."""

    def __init__(self, state: CrawlState) -> None:
        self._state = state
        self._ended = threading.Event()
        self.error: DataError | None = None
        """Why the state could not be kept up; the next start does it."""
        self._thread = threading.Thread(target=self._run, name="state", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._state.begin()
        self._thread.start()

    def close(self) -> None:
        """Take in what is left, and end."""
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while not (is_last := self._ended.wait(SECONDS)) or is_last:
            try:
                self._state.catch_up()
                self.error = None
            except DataError as error:
                if self.error is None:
                    logger.warning("%s. The crawl continues; the next start completes the state.", error)
                self.error = error
            if is_last:
                return


def state_path(records: Path) -> Path:
    """Where the state of a feed is."""
    return records.with_suffix(".state")


def remove_state(records: Path) -> None:
    """Delete the state of a feed."""
    remove_database(state_path(records))


def remove_database(path: Path) -> None:
    """Delete a database of SQLite."""
    for end in ("", "-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)


def _kind_of(feed: Path) -> str:
    """The kind of a feed's lines, by the first that has one."""
    with feed.open("rb") as file:
        for line in file:
            try:
                kind = str(json.loads(line)["kind"])
            except (ValueError, KeyError, TypeError, RecursionError):
                continue  # reason: a line of others; what it is is reported when the feed is read
            return kind if kind in LINE_KINDS else NEWS
    return NEWS


def _newest(path: Path) -> str:
    """When the last record of a feed was fetched, in UTC; empty if that cannot be read."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        for last in _LAST:
            file.seek(max(0, size - last))
            for line in reversed(file.read().splitlines()):
                try:
                    return in_utc(json.loads(line)["fetched_at"])
                except (ValueError, KeyError, TypeError, RecursionError):
                    continue  # reason: a torn line, or none of ours: the one before it says it
    return ""


# --- traces of pages and runs ---------------------------------------------------------------------
# What the state says of single pages, read without opening it as a crawl does: also while a crawl writes it.


@dataclass(frozen=True, slots=True)
class Trace:
    """What is known of a page."""

    how: str | None = None
    """How it was found: ``sitemap``, ``feed``, ``link``, ``next page``, ``start page``, ``redirect from URL`` …"""
    place: str | None = None
    """URL of what led to it."""
    kept: str | None = None
    """If its link was written down for later runs: its role, and the depth."""
    attempts: int = 0
    """Tries that failed for a passing reason."""
    skipped: str | None = None
    """Why the last run did not request it, and where it was named, if that was noted (:mod:`.announced`)."""


def trace(feed: Path, numbers: Iterable[int], url: str | None) -> Trace:
    """What the state of a feed knows of a page."""
    known = [signed(number) for number in numbers]
    marks = ", ".join("?" * len(known))
    origin = ask(feed, f"SELECT how, place FROM state_origins WHERE id IN ({marks})", *known)
    links = ask(feed, "SELECT role, depth FROM state_links WHERE url = ?", url)
    attempts = ask(feed, f"SELECT max(attempts) FROM state_rejections WHERE id IN ({marks})", *known)
    left = ask(feed, f"SELECT reason, how, place FROM state_skipped WHERE id IN ({marks})", *known)
    skipped = f"{left[0][0]} ({left[0][1]}{f' at {left[0][2]}' if left[0][2] else ''})" if left else None
    how, place = origin[0] if origin else (None, None)
    kept = f"{links[0][0]}, {links[0][1]} links from the start" if links else None
    return Trace(how, place, kept, (attempts[0][0] or 0) if attempts else 0, skipped)


def ask(feed: Path, question: str, *values: Any) -> list[Any]:
    """Rows of a feed's state; none if it does not exist, or is of an earlier version."""
    path = state_path(feed)
    if not path.is_file():
        return []
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=10)) as database:
            return database.execute(question, values).fetchall()
    except sqlite3.DatabaseError:
        return []  # reason: a table that an earlier version did not have, or a damaged file, which the next crawl mends


@contextmanager
def writing(feed: Path, what: str) -> Iterator[sqlite3.Connection]:
    """A transaction in a feed's state. Raises DataError: the state cannot be written."""
    path = state_path(feed)
    try:
        with closing(sqlite3.connect(path, timeout=30)) as database, database:
            yield database
    except sqlite3.Error as error:
        raise DataError(f"{path}: {what} cannot be written: {error}") from error


# --- figures of runs ------------------------------------------------------------------------------
# Figures and alarms of each run of each site. They are not in the feed: a rebuilt state has no history.

MOST = 100
"""Runs of a site that are kept."""


def read_runs(feed: Path) -> dict[str, list[tuple[RunFigures, list[str]]]]:
    """By site: figures and alarms of each run, the oldest first."""
    found: dict[str, list[tuple[RunFigures, list[str]]]] = {}
    for site, figures, alarms in ask(feed, "SELECT site, figures, alarms FROM state_figures ORDER BY site, at"):
        with suppress(ValueError, TypeError):  # reason: of a later version
            found.setdefault(site, []).append((RunFigures.read(figures), list(json.loads(alarms))))
    return found


def add_runs(feed: Path, runs: Mapping[str, tuple[RunFigures, Sequence[str]]]) -> None:
    """Write down a run. Raises DataError: the state cannot be written."""
    rows = [(site, figures.at, figures.text(), json.dumps(list(alarms))) for site, (figures, alarms) in runs.items()]
    with writing(feed, "the figures of this run") as database:
        database.executemany("INSERT OR REPLACE INTO state_figures VALUES (?, ?, ?, ?)", rows)
        old = "SELECT at FROM state_figures WHERE site = ?1 ORDER BY at DESC LIMIT -1 OFFSET ?2"
        database.executemany(f"DELETE FROM state_figures WHERE site = ?1 AND at IN ({old})", [(site, MOST) for site in runs])
