"""A feed of JSON lines that survives ``kill -9``: append-only, unbuffered, whole lines.

* A line is written whole, by one system call; if the disk is full, what was written of it is taken back.
* A torn last line (the process died while writing) is cut off when the file is opened.
* The file is locked: two processes cannot write one feed.
* Before each line it is checked that the file is still the one that was opened, and as long as what was written.
"""

from __future__ import annotations

import fcntl
import io
import json
import os
from pathlib import Path
from typing import Any

from newsextract.errors import DataError
from newsextract.news_record import FeedLine


class FeedChangedError(OSError):
    """A feed was deleted, replaced or cut while it was being written."""

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(f"{path} {what} while the crawl was writing it")


class LedgerFile(io.RawIOBase):
    """An append-only file of whole lines."""

    def __init__(self, path: Path, *, overwrite: bool = False) -> None:
        super().__init__()
        self._descriptor = -1  # none yet: close() is called whatever happens below
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self.close()
            raise DataError(f"{path}: another crawl is writing this feed; wait for it, or name another feed") from error
        self._end = 0 if overwrite else whole_lines(self._descriptor)  # not before the lock is ours
        os.ftruncate(self._descriptor, self._end)

    def check(self) -> None:
        """See that the file is still the one that was opened, and as long as it was left. Costs 2 µs.

        :raises FeedChangedError: somebody else has deleted, replaced, cut or lengthened it.
        """
        try:
            there = os.stat(self.path)
        except FileNotFoundError:
            raise FeedChangedError(self.path, "was deleted") from None
        if not os.path.samestat(there, os.fstat(self._descriptor)):
            raise FeedChangedError(self.path, "was replaced by another file")
        if there.st_size != self._end:
            done = "cut off" if there.st_size < self._end else "written to by another program"
            raise FeedChangedError(self.path, f"was {done} (it has {there.st_size} bytes, not {self._end})")

    def writable(self) -> bool:
        """True: the exporter asks."""
        return True

    def write(self, data: Any) -> int:
        """Append a whole line; on failure the file is as before.

        :raises FeedChangedError: it is not the file any more that it was.
        :raises OSError: the disk is full or the file cannot be written.
        """
        self.check()
        line, done = bytes(data), 0
        try:
            while done < len(line):
                done += os.pwrite(self._descriptor, line[done:], self._end + done)
        except OSError as error:
            os.ftruncate(self._descriptor, self._end)
            error.filename = str(self.path)
            raise
        self.last_place = self._end
        """The first byte of this line."""
        self._end += len(line)
        return len(line)

    def close(self) -> None:
        """Give the lock back."""
        if not self.closed and self._descriptor >= 0:
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


def line(item: FeedLine) -> bytes:
    """A record or a rejection as a line of a feed, in the order of its fields."""
    return json.dumps(item.values(), ensure_ascii=False).encode("utf-8", "replace") + b"\n"
