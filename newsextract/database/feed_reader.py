"""A feed that is followed: whole lines from where the database has got to, and lines that have changed behind that.

How far a feed has been read is kept by host and path, with a digest of the last line that was read. If the file is shorter
by now, or another line stands there (it was begun afresh, or put back from a backup), it is read from its beginning.

A line changes once it has been written in one way only: ``duplicate_of`` is filled in. The crawl names such lines as it
goes (:meth:`FeedReader.mark`); after a start they are found by looking at all lines before the cursor.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import ColumnElement, Connection, select, update
from sqlalchemy.exc import IntegrityError

from newsextract.database.schema import article_revisions, feeds

HOST = platform.node()
_FILLED = re.compile(rb'"duplicate_of": ("[0-9a-f]{16}"|null {14})')
_MARK = re.compile(rb'^\{"id": "([0-9a-f]{16})".*"duplicate_of": "([0-9a-f]{16})"', re.DOTALL)
_CHUNK = 65_536


class OtherReader(Exception):
    """Another process reads the same feed into the same database; look again how far it has got."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a feed."""

    start: int
    """Its first byte."""
    text: bytes


class FeedReader:
    """A feed and how far the database has it."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.position = 0
        self.lines = 0
        self._stored = 0
        """What the database says of the position."""
        self._known = False
        """Whether the database has a row for it."""
        self._marks: set[int] = set()

    def load(self, connection: Connection) -> None:
        """Ask the database how far it has the feed.

        :raises OSError: the feed cannot be read.
        """
        row = connection.execute(select(feeds).where(*self._key())).one_or_none()
        self._known = row is not None
        self.position = self.lines = 0
        self._stored = row.position if row is not None else 0
        if row is not None and self._is_same(row.last_line, row.position, row.last_digest):
            self.position, self.lines = row.position, row.lines

    def look_back(self, known: Set[tuple[str, str]]) -> None:
        """Look for lines that the database has, and that have changed since; outside of transactions, for it takes ten
        seconds for a million lines.

        :param known: pairs of ``id`` and ``duplicate_of`` in the database.
        :raises OSError: the feed cannot be read.
        """
        self._marks.update(self._changed(known))

    def mark(self, position: int) -> None:
        """Note that the line in which this byte stands has changed. May be called from any thread."""
        self._marks.add(position)

    def pending(self) -> int:
        """Lines that have not been read."""
        if not self.path.exists():
            return 0
        with self.path.open("rb") as file:
            file.seek(self.position)
            return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1_000_000), b""))

    def marked(self) -> tuple[list[Line], set[int]]:
        """Changed lines that have been read before, and the marks that are settled by writing them and what follows.

        Ask for them before :meth:`following`: what is marked while lines are read is settled next time.
        """
        marks = self._marks.copy()
        lines: dict[int, Line] = {}
        if any(mark < self.position for mark in marks):
            with self.path.open("rb") as file:
                for mark in marks:
                    if mark < self.position:  # a later line will be read anyway
                        line = _line_around(file.fileno(), mark)
                        lines[line.start] = line
        return list(lines.values()), marks

    def following(self, most: int, size: int) -> list[Line]:
        """The next whole lines.

        :param most: lines.
        :param size: bytes, but at least one line.
        """
        found: list[Line] = []
        if not self.path.exists() or self.path.stat().st_size <= self.position:
            return found
        with self.path.open("rb") as file:
            file.seek(self.position)
            start = self.position
            for text in file:
                if not text.endswith(b"\n"):
                    break
                found.append(Line(start, text))
                start += len(text)
                if len(found) >= most or start - self.position >= size:
                    break
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
            "position": last.start + len(last.text),
            "lines": self.lines + len(lines),
            "last_line": last.start,
            "last_digest": _digest(last.text),
            "read_at": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        if self._known:
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
        if lines:
            self.position = self._stored = lines[-1].start + len(lines[-1].text)
            self.lines += len(lines)
            self._known = True

    def _key(self) -> tuple[ColumnElement[bool], ...]:
        return feeds.c.host == HOST, feeds.c.path == str(self.path)

    def _is_same(self, start: int, end: int, digest: str) -> bool:
        if not self.path.exists():
            return False
        with self.path.open("rb") as file:
            return end <= os.fstat(file.fileno()).st_size and _digest(os.pread(file.fileno(), end - start, start)) == digest

    def _changed(self, known: Set[tuple[str, str]]) -> Iterator[int]:
        """First bytes of lines before the cursor whose ``duplicate_of`` the database does not have."""
        if not self.position:
            return
        start = 0
        with self.path.open("rb") as file:
            for text in file:
                if start >= self.position:
                    return
                found = _MARK.match(text) if b'"duplicate_of": "' in text else None
                if found is not None and (found[1].decode(), found[2].decode()) not in known:
                    yield start
                start += len(text)


def known_duplicates(connection: Connection) -> set[tuple[str, str]]:
    """Pairs of ``id`` and ``duplicate_of`` in the database."""
    columns = article_revisions.c.id, article_revisions.c.duplicate_of
    stored = connection.execute(select(*columns).where(article_revisions.c.duplicate_of.is_not(None)))
    return {(row.id, row.duplicate_of) for row in stored}


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
