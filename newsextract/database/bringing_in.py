"""Feeds into the database, a batch at a time: rows and how far the feeds have been read, in one transaction.

A line that the database refuses (a number that is too large, say) does not stop the others: the batch is written line by
line then, and what is refused is noted in ``unwritten``, with its place in the feed and the reason.

Cost: 64 µs of CPU time a line of 4.4 kB with SQLite, 83 µs with PostgreSQL without its server's (20,000 articles).
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, StatementError

from newsextract.database.feed_reader import HOST, FeedReader, Line, OtherReader, known_duplicates
from newsextract.database.rows import KINDS, Kind, Row, read_row
from newsextract.database.schema import unwritten
from newsextract.database.upserts import write

LINES = 500
"""Lines a batch. 500 articles are about 2 MB, and take 0.1 s with SQLite, 0.2 s with PostgreSQL."""
SIZE = 8_000_000
"""Bytes a batch."""
_TOO_LARGE = "54"
"""PostgreSQL's class of errors for values that are too large, as for an index."""
_FAILURES = (StatementError, OverflowError)  # sqlite3 has the latter for numbers over 64 bits
logger = logging.getLogger(__name__)


def feeds_of(records: Path) -> list[Path]:
    """A feed of records and those beside it; they need not exist."""
    return [records, records.with_suffix(".rejected.jsonl"), records.with_suffix(".pages.jsonl")]


@dataclass(slots=True)
class Written:
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

    def __init__(self, engine: Engine, paths: Iterable[Path], lines: int = LINES) -> None:
        self.engine = engine
        self.feeds = [FeedReader(path) for path in paths]
        self.written = Written()
        self._lines = lines
        self._loaded = False

    @property
    def pending(self) -> int:
        """Lines that wait in the feeds."""
        return sum(feed.pending() for feed in self.feeds)

    def mark(self, path: Path, position: int) -> None:
        """Note that a line of a feed has changed. May be called from any thread."""
        for feed in self.feeds:
            if feed.path == path.absolute():
                feed.mark(position)

    def forget(self) -> None:
        """After a failure: what has been committed is asked of the database, connections are made anew."""
        self._loaded = False
        self.engine.dispose()

    def step(self) -> bool:
        """Bring in one batch of each feed.

        :returns: whether there may be more.
        :raises SQLAlchemyError: the database does not take it now.
        :raises OSError: a feed cannot be read.
        """
        if not self._loaded:
            with self.engine.begin() as connection:
                for feed in self.feeds:
                    feed.load(connection)
                known = known_duplicates(connection)
            for feed in self.feeds:
                feed.look_back(known)
            self._loaded = True
        more = [self._bring_in(feed) for feed in self.feeds]  # each has its turn
        return any(more)

    def _bring_in(self, feed: FeedReader) -> bool:
        changed, marks = feed.marked()
        lines = feed.following(self._lines, SIZE)
        if not lines and not changed:
            feed.settle([], marks)
            return False
        rows, refused = self._read(feed, [*changed, *lines])
        with self.engine.begin() as connection:
            refused += _write(connection, rows)
            if refused:
                _note(connection, feed, refused)
            if lines:
                feed.advance(connection, lines)
        feed.settle(lines, marks)
        new = {line.start for line in lines} - {line.start for line, _ in refused}
        self.written.rows.update(kind.name for line, kind, _ in rows if line.start in new)
        self.written.refused += len(refused)
        for line, reason in refused:
            logger.warning("%s: the line at byte %d is not in the database: %s", feed.path, line.start, reason)
        return True

    @staticmethod
    def _read(feed: FeedReader, lines: Sequence[Line]) -> tuple[list[tuple[Line, Kind, Row]], list[tuple[Line, str]]]:
        rows, refused = [], []
        for line in lines:
            for patience in (True, False):
                try:
                    rows.append((line, *read_row(line.text)))
                    break
                except (ValueError, KeyError, TypeError) as error:
                    if not patience:
                        refused.append((line, f"{error}"))
                        continue
                    time.sleep(0.02)  # a mark of a duplicate may just be written
                    line = feed.again(line)
        return rows, refused


def _write(connection: Connection, rows: list[tuple[Line, Kind, Row]]) -> list[tuple[Line, str]]:
    """Write all rows that the database takes; gives the lines of the others, with the reasons."""
    try:
        with connection.begin_nested():
            write(connection, ((kind, row) for _, kind, row in rows))
        return []
    except _FAILURES as error:
        if not _is_of_rows(error):
            raise
    refused = []
    for line, kind, row in rows:
        try:
            with connection.begin_nested():
                write(connection, [(kind, row)])
        except _FAILURES as error:
            if not _is_of_rows(error):
                raise
            refused.append((line, " ".join(str(getattr(error, "orig", error)).split())[:300]))
    return refused


def _is_of_rows(error: Exception) -> bool:
    """Whether a row is to blame, not the database."""
    if not isinstance(error, DBAPIError):
        return True
    return isinstance(error, (DataError, IntegrityError)) or str(getattr(error.orig, "sqlstate", ""))[:2] == _TOO_LARGE


def _note(connection: Connection, feed: FeedReader, refused: list[tuple[Line, str]]) -> None:
    where = {"host": HOST, "path": str(feed.path)}
    for line, reason in refused:
        place = where | {"position": line.start}
        connection.execute(unwritten.delete().where(*(unwritten.c[name] == value for name, value in place.items())))
        connection.execute(unwritten.insert().values(reason=reason, **place))


__all__ = ["LINES", "Importer", "OtherReader", "Written", "feeds_of"]
