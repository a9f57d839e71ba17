"""Feeds into the database, a batch at a time: rows and how far the feeds have been read, in one transaction.

What a database refuses, and how that is noted, is told in :mod:`~newsextract.database.refusals`.

Cost: see docs/storage.md; ``python -m benchmarks.storage --import 10000``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from sqlalchemy import Engine

from newsextract.database.connection import reading
from newsextract.database.feed_reader import FeedReader, OtherReader
from newsextract.database.pace import Pace
from newsextract.database.refusals import note, read_lines, tell, write_rows
from newsextract.database.rows import KINDS

SIZE = 8_000_000
"""Bytes a batch."""


def feed_files(records: Path) -> list[Path]:
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

    def __init__(self, engine: Engine, paths: Iterable[Path], lines: int = Pace.lines) -> None:
        self.engine = engine
        self.feeds = [FeedReader(path) for path in paths]
        self.written = Written()
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
        lines = feed.following(self._lines, SIZE)
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


__all__ = ["Importer", "OtherReader", "Written", "feed_files"]
