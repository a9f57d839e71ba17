"""WARC files that are being written: their writer holds a lock, and what a dead one has left is ended by the next.

Several crawls may begin in one folder at once, so a file may be renamed or removed at any time before it is locked.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from newsextract.archives.storage import OPEN, open_file
from newsextract.archives.warc_streams import whole_until


def mend(folder: Path) -> None:
    """End the files whose writer has died: what was torn is cut off, and they get their final names.

    :raises OSError: one cannot be written.
    """
    for path in sorted(folder.glob(f"*.warc.gz{OPEN}")):
        try:
            descriptor = os.open(path, os.O_RDWR)
        except FileNotFoundError:
            continue  # reason: somebody else has just ended it
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            continue  # reason: somebody writes it
        try:
            if not _is_at(path, descriptor):
                continue
            with open_file(path) as stored:
                end = whole_until(stored)
            os.ftruncate(descriptor, end)
            if end:
                path.rename(path.with_name(path.name.removesuffix(OPEN)))
            else:
                path.unlink()
        finally:
            os.close(descriptor)


def locked(path: Path) -> int:
    """A new file that nobody else mends; -1: somebody was faster."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    if _is_at(path, descriptor):
        return descriptor
    os.close(descriptor)
    return -1


def _is_at(path: Path, descriptor: int) -> bool:
    """Whether an open file still has this name: before it was locked, another process may have renamed or removed it."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
