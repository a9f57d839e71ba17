"""A feed that is followed: whole lines from where the database has got to. A line never changes once it is written.

How far a feed has been read is kept by host, path and a digest of its first line (two machines may have one name, and a feed
may be begun afresh), with a digest of the last line that was read. If the file is shorter by now, or has another line
there (it was restored from a backup), it is read from its beginning.
"""

from __future__ import annotations

import hashlib
import os
import platform
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import ColumnElement, Connection, select, update
from sqlalchemy.exc import IntegrityError

from newsextract.database.schema import feeds

HOST = platform.node()


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

    def load(self, connection: Connection) -> None:
        """Ask the database how far it has the feed.

        :raises OSError: the feed cannot be read.
        """
        first = self._following(0, 1, 1)
        self.first = _digest(first[0].text) if first else ""
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

    def following(self, most: int, size: int) -> list[Line]:
        """The next whole lines.

        :param most: lines.
        :param size: bytes, but at least one line.
        """
        found = self._following(self.position, most, size)
        if found and not self.position:
            self.first = _digest(found[0].text)
        return found

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

    def settle(self, lines: list[Line]) -> None:
        """The transaction that has written these lines has been committed."""
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
    return hashlib.blake2b(line, digest_size=8).hexdigest()
