"""The bytes of an archive, wherever they stand: a file, or a member of a zip file (WACZ). Read at an offset, never whole."""

from __future__ import annotations

import lzma
import os
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from newsextract.archives.encodings import TooLarge
from newsextract.archives.entries import Failure, mark_of
from newsextract.errors import DataError

OPEN = ".open"
"""What a WARC file's name ends in as long as a crawl writes it."""
MAX_UNPACKED = 4_000_000_000
"""Bytes that a compressed member of a WACZ file may unpack to; the format asks for members that are not compressed."""
_LOCAL = struct.Struct("<4s22xHH")
_CHUNK = 1 << 20
_ZIP_ERRORS = (
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
    OSError,
    EOFError,
    struct.error,
    zlib.error,
    lzma.LZMAError,
)


class Stored:
    """A stretch of a file; a context manager.

    :param name: what places call it.
    :param file: stays open as long as this is used.
    """

    def __init__(
        self,
        name: str,
        file: BinaryIO,
        start: int,
        size: int,
        written_at: datetime,
        folder: Path | None,
        grows: bool = False,
    ) -> None:
        self.name = name
        self.size = size
        self.written_at = written_at
        self.folder = folder
        """Where other files of the same crawl stand; None in a WACZ file."""
        self.grows = grows
        """Whether a crawl may still be writing it."""
        self._file = file
        self._start = start

    def read(self, offset: int, size: int) -> bytes:
        """At most so many bytes; fewer at the end."""
        size = min(size, self.size - offset)
        return os.pread(self._file.fileno(), size, self._start + offset) if size > 0 else b""

    def place(self, offset: int, inside: int = 0) -> str:
        """How the user is told where something stands.

        :param inside: bytes into what is unpacked there: a gzip member may have many records.
        """
        return f"{self.name}#{offset}+{inside}" if inside else f"{self.name}#{offset}"

    def failure(self, offset: int, inside: int, reason: str, status: str = "damaged", url: str | None = None) -> Failure:
        """What cannot be read at a place."""
        return Failure(self.place(offset, inside), reason, status, url, self.written_at, mark_of(self.read(offset, 256)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._file.close()


def open_file(path: Path, size: int | None = None) -> Stored:
    """A file; one that its crawl has ended meanwhile is read under its final name.

    :param size: bytes that count, if it has grown since it was found.
    :raises DataError: it cannot be read.
    """
    name = path.name.removesuffix(OPEN)
    try:
        file = (path if path.exists() else path.with_name(name)).open("rb")
        status = os.fstat(file.fileno())
    except OSError as error:
        raise DataError(f"{path}: {error.strerror or error}") from error
    size = status.st_size if size is None else min(size, status.st_size)
    at = datetime.fromtimestamp(int(status.st_mtime), UTC)
    return Stored(name, file, 0, size, at, path.parent, path.name != name)


def sibling(folder: Path, name: str) -> Stored | None:
    """Another file of the same folder, also while it is being written; None: there is none."""
    if not name or "/" in name or "\\" in name or name.startswith("."):
        return None  # a name from inside an archive leads nowhere else
    path = next((path for path in (folder / name, folder / (name + OPEN)) if path.is_file()), None)
    return open_file(path) if path else None


def wacz_members(path: Path) -> Iterator[Stored | Failure]:
    """The WARC files in a WACZ file, in the order of their names; one that cannot be had is a failure.

    :raises DataError: it cannot be read as a zip file.
    """
    try:
        at = datetime.fromtimestamp(int(path.stat().st_mtime), UTC)
        archive = zipfile.ZipFile(path)
    except _ZIP_ERRORS as error:
        raise DataError(f"{path}: not readable as a WACZ (zip) file: {error}") from error
    with archive:
        for entry in sorted(archive.infolist(), key=lambda entry: entry.filename):
            if entry.is_dir() or not entry.filename.lower().endswith((".warc", ".warc.gz")):
                continue
            name = f"{path.name}/{entry.filename}"
            try:
                stored = _member(path, archive, entry, name, at)
            except TooLarge as error:
                yield Failure(name, str(error), "too_large", at=at, mark=f"{entry.CRC:08x}")
            except _ZIP_ERRORS as error:
                yield Failure(name, f"not readable as a member of a zip file: {error}", at=at, mark=f"{entry.CRC:08x}")
            else:
                with stored:
                    yield stored


def _member(path: Path, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str, at: datetime) -> Stored:
    """A member: read where it stands if it is not compressed, and else unpacked."""
    if entry.compress_type == zipfile.ZIP_STORED and not entry.flag_bits & 1:
        file: BinaryIO = path.open("rb")
        try:
            return Stored(name, file, _begin_of(file, entry), entry.file_size, at, None)
        except BaseException:
            file.close()
            raise
    unpacked = tempfile.TemporaryFile()  # noqa: SIM115  # who reads it closes it
    try:
        return Stored(name, unpacked, 0, _unpack(archive, entry, unpacked), at, None)
    except BaseException:
        unpacked.close()
        raise


def _begin_of(file: BinaryIO, entry: zipfile.ZipInfo) -> int:
    """Where the bytes of a member begin that is not compressed.

    :raises zipfile.BadZipFile: they are not where the directory says.
    """
    magic, named, extra = _LOCAL.unpack(os.pread(file.fileno(), _LOCAL.size, entry.header_offset))
    begin: int = entry.header_offset + _LOCAL.size + named + extra
    if magic != b"PK\x03\x04" or begin + entry.file_size > os.fstat(file.fileno()).st_size:
        raise zipfile.BadZipFile(f"{entry.filename} is not where the directory says")
    return begin


def _unpack(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, target: BinaryIO) -> int:
    """:raises TooLarge: it is over the cap."""
    size = 0
    with archive.open(entry) as member:
        while data := member.read(_CHUNK):
            size += len(data)
            if size > MAX_UNPACKED:
                raise TooLarge(f"more than {MAX_UNPACKED:,} bytes when unpacked")
            target.write(data)
    target.flush()
    return size
