"""A feed that is followed: whole lines from where the database has got to, and lines that have changed behind that.

How far a feed has been read is kept by host, path and a digest of its first line (two machines may have one name, and a feed
may be begun afresh), with a digest of the last line that was read. If the file is shorter by now, or another line stands
there (it was put back from a backup), it is read from its beginning.

A line changes once it has been written in one way only: ``duplicate_of`` is filled in. The crawl names such lines as it
goes (:meth:`FeedReader.mark`); those that were filled in before it began are found by looking back
(:mod:`~newsextract.database.looking_back`), once a process, a part at a time.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic

from sqlalchemy import ColumnElement, Connection, select, update
from sqlalchemy.exc import IntegrityError

from newsextract.database.looking_back import changed_lines
from newsextract.database.schema import feeds

HOST = platform.node()
FORGOTTEN = 60.0
"""Seconds that a server which crashes may forget: PostgreSQL's ``wal_writer_delay`` thrice, which is 0.6 s, at most 30 s."""
_FILLED = re.compile(rb'"duplicate_of": ("[0-9a-f]{16}"|null {14})')
_CHUNK = 65_536


class OtherReader(Exception):
    """Another process reads the same feed into the same database; look again how far it has got."""


@dataclass(frozen=True, slots=True)
class Line:
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
        self._marks: set[int] = set()
        self._settled: deque[tuple[float, set[int]]] = deque()
        """Marks that were committed lately, and when."""
        self._look_from = 0
        self._look_to: int | None = None
        """What of the feed has still to be looked through; None: that is not known yet."""

    def load(self, connection: Connection) -> None:
        """Ask the database how far it has the feed.

        :raises OSError: the feed cannot be read.
        """
        first = self._following(0, 1, 1)
        self.first = _digest(first[0].text) if first else ""
        here = feeds.c.host == HOST, feeds.c.path == str(self.path), feeds.c.first_digest.in_([self.first, ""])
        found = {row.first_digest: row for row in connection.execute(select(feeds).where(*here))} if first else {}
        row, old = found.get(self.first), found.get("")
        if row is None and old is not None and self._is_same(old.last_line, old.position, old.last_digest):
            row = old
        self.position = self.lines = 0
        self.stored_as = row.first_digest if row is not None else None
        self._stored = row.position if row is not None else 0
        if row is not None and self._is_same(row.last_line, row.position, row.last_digest):
            self.position, self.lines = row.position, row.lines
        if self._look_to is None:
            self._look_to = self.position

    @property
    def has_looked_back(self) -> bool:
        """Whether nothing is left to look through: what lies behind the cursor now is read anyway."""
        return self._look_from >= min(self._look_to or 0, self.position)

    def look_back(self, connection: Connection, most: int, size: int) -> None:
        """Look at the next part of what the database had when this process began, for lines that have changed since.

        :param most: marked lines.
        :param size: bytes.
        :raises OSError: the feed cannot be read.
        """
        end = min(self._look_to or 0, self.position)
        changed, self._look_from = changed_lines(self.path, self._look_from, end, connection, most, size)
        self._marks.update(changed)

    def mark(self, position: int) -> None:
        """Note that the line in which this byte stands has changed. May be called from any thread."""
        self._marks.add(position)

    def remember_marks(self) -> None:
        """After a failure of the database: what was committed lately may be lost."""
        now = monotonic()
        for at, marks in self._settled:
            if now - at < FORGOTTEN:
                self._marks.update(marks)

    def pending(self) -> int:
        """Lines that have not been read."""
        if not self.path.exists():
            return 0
        with self.path.open("rb") as file:
            file.seek(self.position)
            return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1_000_000), b""))

    def marked(self, most: int, size: int) -> tuple[list[Line], set[int]]:
        """Changed lines that have been read before, and the marks that are settled by writing them and what follows.

        Ask for them before :meth:`following`: what is marked while lines are read is settled next time.

        :param most: lines.
        :param size: bytes, but at least one line.
        """
        marks = self._marks.copy()
        behind = sorted(mark for mark in marks if mark < self.position)
        marks -= set(behind)  # the lines of these will be read anyway
        lines: list[Line] = []
        if behind:
            with self.path.open("rb") as file:
                read = 0
                for mark in behind:
                    if not lines or mark >= lines[-1].end:
                        if len(lines) >= most or read >= size:
                            break
                        lines.append(_line_around(file.fileno(), mark))
                        read += len(lines[-1].text)
                    marks.add(mark)
        return lines, marks

    def following(self, most: int, size: int) -> list[Line]:
        """The next whole lines.

        :param most: lines.
        :param size: bytes, but at least one line.
        """
        found = self._following(self.position, most, size)
        if found and not self.position:
            self.first = _digest(found[0].text)
        return found

    def again(self, line: Line) -> Line:
        """The same line, read again: the mark of a duplicate may have been half written."""
        with self.path.open("rb") as file:
            return Line(line.start, os.pread(file.fileno(), len(line.text), line.start))

    def advance(self, connection: Connection, lines: list[Line]) -> None:
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
            statement = update(feeds).where(*self._key(), feeds.c.position == self._stored).values(values)
            if connection.execute(statement).rowcount != 1:
                raise OtherReader(str(self.path))
            return
        try:
            connection.execute(feeds.insert().values(host=HOST, path=str(self.path), **values))
        except IntegrityError as error:
            raise OtherReader(str(self.path)) from error

    def settle(self, lines: list[Line], marks: set[int]) -> None:
        """The transaction has been committed."""
        self._marks -= marks
        now = monotonic()
        if marks:
            self._settled.append((now, marks))
        while self._settled and now - self._settled[0][0] > FORGOTTEN:
            self._settled.popleft()
        if lines:
            self.position = self._stored = lines[-1].end
            self.lines += len(lines)
            self.stored_as = self.first

    def _key(self) -> tuple[ColumnElement[bool], ...]:
        return feeds.c.host == HOST, feeds.c.path == str(self.path), feeds.c.first_digest == self.stored_as

    def _following(self, start: int, most: int, size: int) -> list[Line]:
        found: list[Line] = []
        if most < 1 or not self.path.exists() or self.path.stat().st_size <= start:
            return found
        end = start + size
        with self.path.open("rb") as file:
            file.seek(start)
            for text in file:
                if not text.endswith(b"\n"):
                    break
                found.append(Line(start, text))
                start += len(text)
                if len(found) >= most or start >= end:
                    break
        return found

    def _is_same(self, start: int, end: int, digest: str) -> bool:
        if not self.path.exists():
            return False
        with self.path.open("rb") as file:
            return end <= os.fstat(file.fileno()).st_size and _digest(os.pread(file.fileno(), end - start, start)) == digest


def _digest(line: bytes) -> str:
    """What tells a line; the same whatever ``duplicate_of`` says."""
    return hashlib.blake2b(_FILLED.sub(b"", line), digest_size=8).hexdigest()


def _line_around(descriptor: int, position: int) -> Line:
    """The whole line in which a byte stands."""
    start = end = position
    while start > 0:
        before = max(0, start - _CHUNK)
        newline = os.pread(descriptor, start - before, before).rfind(b"\n")
        if newline >= 0:
            start = before + newline + 1
            break
        start = before
    while chunk := os.pread(descriptor, _CHUNK, end):
        newline = chunk.find(b"\n")
        end += newline + 1 if newline >= 0 else len(chunk)
        if newline >= 0:
            break
    return Line(start, os.pread(descriptor, end - start, start))
