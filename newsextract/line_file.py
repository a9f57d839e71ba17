"""A feed of JSON lines that survives ``kill -9``: append-only, unbuffered, whole lines.

* A line is written whole, by one system call; if the disk is full, what was written of it is taken back.
* A torn last line (the process died while writing) is cut off when the file is opened.
* The place of ``duplicate_of`` in a line is padded, so that it can be filled in later without moving anything: the smallest
  id of a group of near-same texts wins, whatever order they come in.
* The file is locked: two processes cannot write one feed.
"""

from __future__ import annotations

import fcntl
import io
import json
import os
from pathlib import Path
from typing import Any

from newsextract.errors import DataError
from newsextract.news_record import NewsRecord

_PADDING = 18  # a quoted id
_DUPLICATE_OF = b'"duplicate_of": '


class LedgerFile(io.RawIOBase):
    """An append-only file of whole lines."""

    def __init__(self, path: Path, *, overwrite: bool = False) -> None:
        super().__init__()
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._descriptor)
            raise DataError(f"{path}: another crawl is writing this feed; wait for it, or name another feed") from error
        self._end = 0 if overwrite else whole_lines(self._descriptor)  # not before the lock is ours
        os.ftruncate(self._descriptor, self._end)

    def writable(self) -> bool:
        """True: the exporter asks."""
        return True

    def write(self, data: Any) -> int:
        """Append a whole line; on failure the file is as before.

        :raises OSError: the disk is full or the file cannot be written.
        """
        line, done = bytes(data), 0
        try:
            while done < len(line):
                done += os.pwrite(self._descriptor, line[done:], self._end + done)
        except OSError as error:
            os.ftruncate(self._descriptor, self._end)
            error.filename = str(self.path)
            raise
        self.last_position = self._end + duplicate_position(line)
        """Where the value of ``duplicate_of`` of this line stands."""
        self._end += len(line)
        return len(line)

    def mark_duplicate(self, position: int, duplicate_of: str) -> None:
        """Fill in the value of ``duplicate_of`` that stands at a position."""
        os.pwrite(self._descriptor, quoted(duplicate_of), position)

    def close(self) -> None:
        """Give the lock back."""
        if not self.closed:
            os.close(self._descriptor)
        super().close()


def whole_lines(descriptor: int) -> int:
    """The length of the file up to its last newline."""
    end = os.fstat(descriptor).st_size
    while end > 0:
        start = max(0, end - 65_536)
        newline = os.pread(descriptor, end - start, start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        end = start
    return 0


def line(item: Any) -> bytes:
    """A record or a rejection as a line of a feed: a dataclass with slots, in the order of its fields."""
    values = {name: getattr(item, name) for name in item.__slots__}
    text = json.dumps(values, ensure_ascii=False)
    if isinstance(item, NewsRecord) and item.duplicate_of is None:
        text = text.replace('"duplicate_of": null', '"duplicate_of": null' + " " * (_PADDING - 4), 1)
    return text.encode("utf-8", "replace") + b"\n"


def quoted(identity: str) -> bytes:
    """A value of ``duplicate_of`` as it stands in a line: as many bytes as are left for it."""
    return json.dumps(identity).encode("ascii")


def duplicate_position(line: bytes) -> int:
    """Where the value of ``duplicate_of`` stands in a line."""
    return line.rfind(_DUPLICATE_OF) + len(_DUPLICATE_OF)
