"""Feeds into the database: follows the lines of feeds, writes them in batches, and a thread that does so during a crawl."""

from __future__ import annotations

import hashlib
import logging
import os
import platform
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from time import monotonic

from sqlalchemy import Connection, Engine, and_, select, update
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, SQLAlchemyError, StatementError

from newsextract.database import Address, Pace
from newsextract.database.connection import explain, open_engine, reading
from newsextract.database.schema import KINDS, LineKind, Row, feeds, read_row, unwritten, write
from newsextract.feed import read_whole

# --- feed reader ----------------------------------------------------------------------------------
# Follows a feed: whole lines from the stored position. A line never changes once it is written.
#
# The position is stored by host, path and a digest of the feed's first line (hosts may share a name, feeds may be begun
# afresh), with a digest of the last line read. If the file is shorter or has another line there, it is read from its start.

HOST = platform.node()


class OtherReader(Exception):
    """Another process reads the same feed into the same database; look again how far it has got."""


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A line of a feed."""

    start: int
    """Its first byte."""
    text: bytes

    @property
    def end(self) -> int:
        """The byte behind it."""
        return self.start + len(self.text)


class FeedReader:
    """A feed and how far the database has it."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.position = 0
        self.lines = 0
        self.first = ""
        """Digest of the feed's first line; empty: it has none yet."""
        self.stored_as: str | None = None
        """The database has this as the digest of the first line; None: it does not have this feed."""
        self._stored = 0
        """What the database says of the position."""

    def load(self, connection: Connection) -> None:
        """Ask the database how far it has the feed. Raises OSError: the feed cannot be read."""
        first = next(read_whole(self.path), None)
        self.first = _digest(first[0]) if first else ""
        here = feeds.c.host == HOST, feeds.c.path == str(self.path), feeds.c.first_digest == self.first
        row = connection.execute(select(feeds).where(*here)).one_or_none() if first else None
        self.position = self.lines = 0
        self.stored_as = row.first_digest if row is not None else None
        self._stored = row.position if row is not None else 0
        if row is not None and self._is_same(row.last_line, row.position, row.last_digest):
            self.position, self.lines = row.position, row.lines

    def pending(self) -> int:
        """Lines that have not been read."""
        if not self.path.exists():
            return 0
        with self.path.open("rb") as file:
            file.seek(self.position)
            return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1_000_000), b""))

    def following(self, most: int) -> list[ReadLine]:
        """The next whole lines, up to a number, of at most :data:`SIZE` bytes together, but at least one."""
        found: list[ReadLine] = []
        for text, place in islice(read_whole(self.path, self.position), most):
            found.append(ReadLine(place, text))
            if found[-1].end >= self.position + SIZE:
                break
        if found and not self.position:
            self.first = _digest(found[0].text)
        return found

    def advance(self, connection: Connection, lines: list[ReadLine]) -> None:
        """Within the transaction that writes them: the database has these lines. Until :meth:`settle` it may be undone.

        :raises OtherReader: somebody else has moved on meanwhile.
        """
        last = lines[-1]
        values = {
            "first_digest": self.first,
            "position": last.end,
            "lines": self.lines + len(lines),
            "last_line": last.start,
            "last_digest": _digest(last.text),
            "read_at": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        if self.stored_as is not None:
            here = feeds.c.host == HOST, feeds.c.path == str(self.path), feeds.c.first_digest == self.stored_as
            statement = update(feeds).where(*here, feeds.c.position == self._stored).values(values)
            if connection.execute(statement).rowcount != 1:
                raise OtherReader(str(self.path))
            return
        try:
            connection.execute(feeds.insert().values(host=HOST, path=str(self.path), **values))
        except IntegrityError as error:
            raise OtherReader(str(self.path)) from error

    def settle(self, lines: list[ReadLine]) -> None:
        """The transaction that has written these lines has been committed."""
        self.position = self._stored = lines[-1].end
        self.lines += len(lines)
        self.stored_as = self.first

    def _is_same(self, start: int, end: int, digest: str) -> bool:
        if not self.path.exists():
            return False
        with self.path.open("rb") as file:
            return end <= os.fstat(file.fileno()).st_size and _digest(os.pread(file.fileno(), end - start, start)) == digest


def _digest(line: bytes) -> str:
    return hashlib.blake2b(line, digest_size=8).hexdigest()


# --- refusals -------------------------------------------------------------------------------------
# Lines that are none, or that the database refuses (a number that is too large, say): they do not stop the others.
#
# Where a batch is refused, it is written row by row. What is refused is noted in ``unwritten``, with its place in the feed
# and the reason, until the feed is read from its beginning.

_TOO_LARGE = "54"
"""PostgreSQL's class of errors for values that are too large, as for an index."""
_FAILURES = (StatementError, OverflowError)  # sqlite3 has the latter for numbers over 64 bits
_REASON = 300
"""Characters of a reason that are kept."""
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """A line that is not in the database."""

    line: ReadLine
    reason: str


def read_lines(lines: Sequence[ReadLine]) -> tuple[list[tuple[ReadLine, LineKind, Row]], list[RefusedLine]]:
    """The rows of some lines, and the lines that have none."""
    rows: list[tuple[ReadLine, LineKind, Row]] = []
    refused: list[RefusedLine] = []
    for line in lines:
        try:
            rows.append((line, *read_row(line.text)))
        except ValueError as error:
            refused.append(RefusedLine(line, str(error)[:_REASON]))
    return rows, refused


def write_rows(connection: Connection, rows: list[tuple[ReadLine, LineKind, Row]], feed: str) -> list[RefusedLine]:
    """Write all rows that the database takes.

    :param feed: what tells the feed from others.
    :returns: the lines of the others, with the reasons.
    """
    try:
        with connection.begin_nested():
            write(connection, ((kind, row) for _, kind, row in rows), feed)
        return []
    except _FAILURES as error:
        if not _is_of_rows(error):
            raise
    refused = []
    for line, kind, row in rows:
        try:
            with connection.begin_nested():
                write(connection, [(kind, row)], feed)
        except _FAILURES as error:
            if not _is_of_rows(error):
                raise
            refused.append(RefusedLine(line, " ".join(str(getattr(error, "orig", error)).split())[:_REASON]))
    return refused


def _is_of_rows(error: Exception) -> bool:
    """Whether a row is to blame, not the database."""
    if not isinstance(error, DBAPIError):
        return True
    return isinstance(error, (DataError, IntegrityError)) or str(getattr(error.orig, "sqlstate", ""))[:2] == _TOO_LARGE


def note(connection: Connection, feed: FeedReader, lines: Sequence[ReadLine], refused: Sequence[RefusedLine]) -> None:
    """Within the transaction that writes them: note what is refused, and forget what was refused there before.

    :param lines: lines that follow each other.
    """
    where = unwritten.c.position
    anew = not lines[0].start  # what was noted after that is of another feed
    place = where >= 0 if anew else and_(where >= lines[0].start, where < lines[-1].end)
    of_feed = unwritten.c.host == HOST, unwritten.c.path == str(feed.path)
    connection.execute(unwritten.delete().where(*of_feed, place))
    if refused:
        here = {"host": HOST, "path": str(feed.path)}
        rows = [here | {"position": one.line.start, "reason": one.reason} for one in refused]
        connection.execute(unwritten.insert(), rows)


def tell(feed: FeedReader, refused: Sequence[RefusedLine]) -> None:
    """One warning a batch."""
    if refused:
        first = min(refused, key=lambda one: one.line.start)
        count = f"{len(refused)} lines are" if len(refused) != 1 else "1 line is"
        logger.warning(
            "%s: %s not in the database; at byte %d: %s; the table unwritten lists all of them",
            feed.path, count, first.line.start, first.reason,
        )  # fmt: skip


# --- bringing in ----------------------------------------------------------------------------------
# Feeds into the database, in batches: rows and positions in one transaction. What a database refuses: *refusals*. Cost: see
# docs/storage.md; ``python -m benchmarks.storage --import 10000``.

SIZE = 8_000_000
"""Bytes a batch."""


def feed_files(records: Path) -> list[Path]:
    """A feed of records and those beside it; they need not exist."""
    return [records, records.with_suffix(".rejected.jsonl"), records.with_suffix(".pages.jsonl")]


@dataclass(slots=True)
class WrittenLines:
    """What a process has brought in."""

    rows: Counter[str] = field(default_factory=Counter)
    """Lines by kind."""
    refused: int = 0
    """Lines that the database has refused, or that are none."""

    def __str__(self) -> str:
        found = [(self.rows[kind.name], kind.name) for kind in KINDS if self.rows[kind.name]]
        counts = [f"{count:,} {name if count != 1 else name.removesuffix('s')}" for count, name in found]
        return ", ".join(counts) or "nothing new"


class Importer:
    """Some feeds and the database that they go to."""

    def __init__(self, engine: Engine, paths: Iterable[Path], lines: int = Pace.lines) -> None:
        self.engine = engine
        self.feeds = [FeedReader(path) for path in paths]
        self.written = WrittenLines()
        self.worked_at = monotonic()
        """When something was done last."""
        self._reading = reading(engine)
        self._lines = lines
        self._loaded = False

    @property
    def pending(self) -> int:
        """Lines that wait in the feeds."""
        return sum(feed.pending() for feed in self.feeds)

    def look_again(self) -> None:
        """Another process has moved on: how far it has got is asked of the database."""
        self._loaded = False
        self.worked_at = monotonic()

    def forget(self) -> None:
        """After a failure: what has been committed is asked of the database, connections are made anew."""
        self._loaded = False
        self.engine.dispose()

    def step(self) -> bool:
        """Bring in one batch of each feed.

        :returns: whether there may be more.
        :raises SQLAlchemyError: the database does not take it now.
        :raises OtherReader: another process brings the same feed in; see :meth:`look_again`.
        :raises OSError: a feed cannot be read.
        """
        if not self._loaded:
            with self._reading.begin() as connection:
                for feed in self.feeds:
                    feed.load(connection)
            self._loaded = True
        more = [self._bring_in(feed) for feed in self.feeds]  # each has its turn
        return any(more)

    def _bring_in(self, feed: FeedReader) -> bool:
        lines = feed.following(self._lines)
        if not lines:
            return False
        rows, refused = read_lines(lines)
        with self.engine.begin() as connection:
            refused += write_rows(connection, rows, feed.first)
            note(connection, feed, lines, refused)
            feed.advance(connection, lines)
        feed.settle(lines)
        self.worked_at = monotonic()
        bad = {one.line.start for one in refused}
        self.written.rows.update(kind.name for line, kind, _ in rows if line.start not in bad)
        self.written.refused += len(refused)
        tell(feed, refused)
        return True


# --- writer ---------------------------------------------------------------------------------------
# A crawl's thread that brings new lines into the database, so that the reactor never waits for it.
#
# It wakes every second and writes all new lines, at most ``LINES`` a batch. A slow database slows nothing down, because
# lines wait in the feeds; a database that does not answer is tried again after 0.5, 1, 2 … 30 seconds.

_FIRST, _LONGEST = 0.5, 30.0
_AT_THE_END = 2.0
"""Longest pause between two tries when the crawl has ended."""


class DatabaseWriter:
    """Follows some feeds; see the module. A crawl has one."""

    def __init__(self, address: Address, paths: Iterable[Path], pace: Pace) -> None:
        self.address = address
        self.pace = pace
        self.importer = Importer(open_engine(address), paths, pace.lines)
        self.trouble: str | None = None
        """Why the database could not be written when it was last tried; None: it could."""
        self._failing_since: float | None = None
        self._finishing_since = 0.0
        self._finishing = threading.Event()
        self._given_up = threading.Event()
        self._thread = threading.Thread(target=self._run, name="database", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def finish(self) -> None:
        """All lines have been written to the feeds: bring in what waits, then end."""
        if not self._finishing.is_set():
            self._finishing_since = monotonic()
            self._finishing.set()

    def give_up(self, why: str | None = None) -> None:
        """End after the batch that is being written; the rest is for the next start. A thread that waits for a server which
        hangs cannot be ended; it ends with the process.

        :param why: to be told, if there is no other trouble.
        """
        self.trouble = self.trouble or why
        self._given_up.set()
        self.finish()

    def join(self, seconds: float) -> bool:
        """Wait for the thread; False if it has not ended by then."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    @property
    def is_running(self) -> bool:
        """Whether the thread has not ended yet."""
        return self._thread.is_alive()

    @property
    def is_overdue(self) -> bool:
        """Whether the end of the crawl has waited long enough: nothing has been written for all the seconds of patience."""
        since = max(self._finishing_since, self.importer.worked_at)
        return self._finishing.is_set() and monotonic() - since > self.pace.patience

    def summary(self) -> list[str]:
        """What is to be told at the end of the crawl; a warning if something has not been written."""
        written, waiting = self.importer.written, self.importer.pending
        lines = [f"database {self.address.shown}: {written}"]
        if waiting or self.trouble:
            why = f" ({self.trouble})" if self.trouble else ""
            lines.append(
                f"WARNING: {waiting} line{'s'[: waiting != 1]} of the feeds {'are' if waiting != 1 else 'is'} not in the "
                f"database {self.address.shown}{why}; nothing is lost: the next crawl with this feed and this database "
                "imports them, or newsextract database import"
            )
        if written.refused:
            lines.append(
                f"WARNING: the database has refused {written.refused} line{'s'[: written.refused != 1]} of the feeds; "
                "its table unwritten lists them with the reasons"
            )
        return lines

    @property
    def is_complete(self) -> bool:
        """Whether all that stands in the feeds is in the database."""
        return self.trouble is None and not self.importer.pending and not self.importer.written.refused

    def _run(self) -> None:
        try:
            self._follow()
        except Exception as error:  # told in the log, in the summary and by the exit code
            logger.exception("database %s: a defect stops the writing", self.address.shown)
            self.trouble = f"a defect: {type(error).__name__}: {error}"
        finally:
            self.importer.engine.dispose()

    def _follow(self) -> None:
        pause = _FIRST
        while not self._given_up.is_set():
            finishing = self._finishing.is_set()  # asked for before reading: the feeds do not grow any more then
            try:
                more = self.importer.step()
            except OtherReader:
                logger.info("another process brings the same feed into %s", self.address.shown)
                self.importer.look_again()
                self._finishing.wait(0.1)
                continue
            except (SQLAlchemyError, OSError) as error:
                self._failed(error)
                if finishing and self.is_overdue:
                    return
                if finishing:
                    self._given_up.wait(min(pause, _AT_THE_END))
                else:
                    self._finishing.wait(pause)
                pause = min(2 * pause, _LONGEST)
                continue
            self._worked()
            pause = _FIRST
            if not more:
                if finishing:
                    return
                self._finishing.wait(self.pace.seconds)

    def _failed(self, error: SQLAlchemyError | OSError) -> None:
        self.importer.forget()
        self.trouble = explain(error) if isinstance(error, SQLAlchemyError) else str(error)
        if self._failing_since is None:
            self._failing_since = monotonic()
            logger.warning(
                "database %s cannot be written: %s. The crawl goes on; its records wait in the feed.",
                self.address.shown,
                self.trouble,
            )

    def _worked(self) -> None:
        self.trouble = None
        if self._failing_since is not None:
            logger.warning(
                "database %s can be written again, after %.0f s", self.address.shown, monotonic() - self._failing_since
            )
            self._failing_since = None
