"""The bytes of an archive, wherever they stand: a file, or a member of a zip file (WACZ). Read at an offset, never whole."""

from __future__ import annotations

import os
import struct
import tempfile
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from newsextract.errors import DataError

OPEN = ".open"
"""What a WARC file's name ends in as long as a crawl writes it."""
MAX_UNPACKED = 4_000_000_000
"""Bytes that a compressed member of a WACZ file may unpack to; the format asks for members that are not compressed."""
_LOCAL = struct.Struct("<4s22xHH")
_CHUNK = 1 << 20


class Stored:
    """A stretch of a file; a context manager.

    :param name: what places call it.
    :param file: stays open as long as this is used.
    """

    def __init__(self, name: str, file: BinaryIO, start: int, size: int, written_at: datetime, folder: Path | None) -> None:
        self.name = name
        self.size = size
        self.written_at = written_at
        self.folder = folder
        """Where other files of the same crawl stand; None in a WACZ file."""
        self._file = file
        self._start = start

    def read(self, offset: int, size: int) -> bytes:
        """At most so many bytes; fewer at the end."""
        size = min(size, self.size - offset)
        return os.pread(self._file.fileno(), size, self._start + offset) if size > 0 else b""

    def place(self, offset: int) -> str:
        """How the user is told where something stands."""
        return f"{self.name}#{offset}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._file.close()


def open_file(path: Path) -> Stored:
    """A file.

    :raises DataError: it cannot be read.
    """
    try:
        file = path.open("rb")
        status = os.fstat(file.fileno())
    except OSError as error:
        raise DataError(f"{path}: {error.strerror or error}") from error
    name = path.name.removesuffix(OPEN)
    return Stored(name, file, 0, status.st_size, datetime.fromtimestamp(int(status.st_mtime), UTC), path.parent)


def sibling(folder: Path, name: str) -> Stored | None:
    """Another file of the same folder, also while it is being written; None: there is none."""
    if not name or "/" in name or "\\" in name or name.startswith("."):
        return None  # a name from inside an archive leads nowhere else
    path = next((path for path in (folder / name, folder / (name + OPEN)) if path.is_file()), None)
    return open_file(path) if path else None


def wacz_members(path: Path) -> Iterator[Stored]:
    """The WARC files in a WACZ file, in the order of their names.

    :raises DataError: it cannot be read as a zip file.
    """
    at = datetime.fromtimestamp(int(path.stat().st_mtime), UTC)
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in sorted(archive.infolist(), key=lambda entry: entry.filename):
                if entry.is_dir() or not entry.filename.lower().endswith((".warc", ".warc.gz")):
                    continue
                name = f"{path.name}/{entry.filename}"
                if entry.compress_type == zipfile.ZIP_STORED and not entry.flag_bits & 1:
                    with _member(path, entry, name, at) as stored:
                        yield stored
                    continue
                with tempfile.TemporaryFile() as unpacked:
                    size = _unpack(archive, entry, unpacked, name)
                    yield Stored(name, unpacked, 0, size, at, None)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError, struct.error) as error:
        raise DataError(f"{path}: not readable as a WACZ (zip) file: {error}") from error


def _member(path: Path, entry: zipfile.ZipInfo, name: str, at: datetime) -> Stored:
    """A member that is not compressed, read where it stands."""
    file = path.open("rb")
    magic, named, extra = _LOCAL.unpack(os.pread(file.fileno(), _LOCAL.size, entry.header_offset))
    if magic != b"PK\x03\x04":
        file.close()
        raise zipfile.BadZipFile(f"{entry.filename} is not where the directory says")
    return Stored(name, file, entry.header_offset + _LOCAL.size + named + extra, entry.file_size, at, None)


def _unpack(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, target: BinaryIO, name: str) -> int:
    size = 0
    with archive.open(entry) as member:
        while data := member.read(_CHUNK):
            size += len(data)
            if size > MAX_UNPACKED:
                raise DataError(f"{name}: more than {MAX_UNPACKED:,} bytes when unpacked")
            target.write(data)
    target.flush()
    return size
