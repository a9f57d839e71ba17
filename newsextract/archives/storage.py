"""The bytes of an archive, wherever they stand: a file, or a member of a zip file (WACZ). Read at an offset, never whole."""

from __future__ import annotations

import errno
import lzma
import os
import struct
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, Self

from newsextract.archives.entries import Failure, mark_of
from newsextract.errors import DataError, MissingExtra, naming

# --- encodings ------------------------------------------------------------------------------------
# Bodies as they came over the wire → bodies as pages have them: content codings removed, within a cap.
#
# For archives and crawls: known codings are taken off from the last to the first, an unknown one stays and ends it, and of a
# body that is cut off what can be had is taken.

MAX_CODINGS = 3
"""Of one body. A header has room for 40,000, each of which may unpack what was packed without compression: minutes."""
MAX_MEMBERS = 1_000
"""Gzip members of one body; tools that write many put 64 KB into each."""
MAX_FRAMES = 100
"""Zstd frames of one body; what is left of it is copied for each."""
_DECODED_CHUNK = 65_536


class TooLarge(ValueError):
    """A body is over the cap when unpacked."""

    status = "too_large"


class MissingCoding(ValueError):
    """The package that a content coding needs is not installed: no fault of the body."""

    status = "failed"


def status_of(error: Exception) -> str:
    """Status of what cannot be read."""
    return str(getattr(error, "status", "damaged"))


def decoded(body: bytes, codings: str | None, most: int) -> bytes:
    """The body without its content codings.

    :param codings: value of the Content-Encoding header, several separated by commas.
    :param most: bytes that the result may have.
    :raises TooLarge: it has more.
    :raises MissingCoding: the package for a coding is missing.
    :raises ValueError: nothing can be unpacked.
    """
    names = [name.strip().lower() for name in (codings or "").split(",") if name.strip()]
    if len(names) > MAX_CODINGS:
        raise ValueError(f"the body has {len(names):,} content codings")
    for coding in reversed(names):
        unpack = _CODINGS.get(coding)
        if unpack is None:
            return body
        parts: list[bytes] = []
        size = 0
        for part in unpack(body):
            size += len(part)
            if size > most:
                raise TooLarge(f"more than {most:,} bytes when unpacked")
            parts.append(part)
        if body and not parts:
            raise ValueError(f"the body is not {coding}")
        body = b"".join(parts)
    return body


def _zlib(data: bytes, bits: int) -> Iterator[bytes]:
    """All members, as far as they can be had. Raises ValueError: there are more than :data:`MAX_MEMBERS`."""
    at = 0
    for _ in range(MAX_MEMBERS):
        stream = zlib.decompressobj(bits)
        while not stream.eof and (stream.unconsumed_tail or at < len(data)):
            packed = stream.unconsumed_tail
            if not packed:  # in pieces: what is left of the whole body would be copied each time
                packed = data[at : at + _DECODED_CHUNK]
                at += len(packed)
            try:
                part = stream.decompress(packed, _DECODED_CHUNK)
            except zlib.error:
                return  # reason: damaged; what was had until here is the body
            if part or stream.eof:
                yield part
        if not stream.eof or bits < 31:
            return
        at -= len(stream.unused_data)
        while (padding := data[at : at + _DECODED_CHUNK]) and not padding.strip(b"\0"):
            at += len(padding)
        at += len(padding) - len(padding.lstrip(b"\0"))
        if at >= len(data):
            return
    raise ValueError(f"the body has more than {MAX_MEMBERS:,} gzip members")


def _deflate(data: bytes) -> Iterator[bytes]:
    """With the header that the standard asks for, or without, as some servers send it."""
    try:
        zlib.decompressobj().decompress(data, 1)
    except zlib.error:
        return _zlib(data, -15)
    return _zlib(data, 15)


def _brotli(data: bytes) -> Iterator[bytes]:
    stream = _module("brotli", "br").Decompressor()
    error: type[Exception] = _module("brotli", "br").error
    try:
        part = stream.process(data, output_buffer_limit=_DECODED_CHUNK)
        while part or stream.is_finished():
            yield part
            if stream.is_finished():
                return
            part = stream.process(b"", output_buffer_limit=_DECODED_CHUNK)
    except error:
        return  # reason: as above


def _zstd(data: bytes) -> Iterator[bytes]:
    module = _module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd", "zstd")
    for _ in range(MAX_FRAMES):
        stream = module.ZstdDecompressor()
        try:
            part = stream.decompress(data, _DECODED_CHUNK)
            while part or stream.eof:
                yield part
                if stream.eof or stream.needs_input:
                    break
                part = stream.decompress(b"", _DECODED_CHUNK)
        except module.ZstdError:
            return  # reason: as above
        data = stream.unused_data
        if not stream.eof or not data:
            return
    raise ValueError(f"the body has more than {MAX_FRAMES:,} zstd frames")


def _module(name: str, coding: str) -> Any:
    """A package that is loaded only where it is needed."""
    try:
        return import_module(name)
    except ImportError as error:
        missing = MissingExtra(name, "archive", f"the content coding {coding}")
        raise MissingCoding(str(missing)) from error


_CODINGS: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": lambda data: _zlib(data, 31), "x-gzip": lambda data: _zlib(data, 31), "deflate": _deflate,
    "br": _brotli, "zstd": _zstd,
}  # fmt: skip

# --- storage --------------------------------------------------------------------------------------

OPEN = ".open"
"""What a WARC file's name ends in as long as a crawl writes it."""
MAX_NAME = 255
"""Bytes of a file's name."""
MAX_UNPACKED = 4_000_000_000
"""Bytes that a compressed member of a WACZ file may unpack to; the format asks for members that are not compressed."""
FREE_UNPACKED = 100_000_000
MAX_RATIO = 200
"""A compressed member over :data:`FREE_UNPACKED` bytes may unpack to so many times its bytes. WARC files of ordinary pages
reach 15; deflate can reach 1,030."""
MAX_DIRECTORY = 16_000_000
"""Bytes of a WACZ file's directory, all of whose entries (350,000 at most) are in memory at once; real ones have tens."""
_LOCAL = struct.Struct("<4s22xHH")
_DIRECTORY_SIZE = 5
"""Its place in what zipfile finds at the end of a file."""
_CHUNK = 1 << 20
_ZIP_ERRORS = (
    zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError, struct.error, zlib.error, lzma.LZMAError,
)  # fmt: skip


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
        sibling: Callable[[str], Stored | None],
        grows: bool = False,
    ) -> None:
        self.name = name
        self.size = size
        self.written_at = written_at
        self.sibling = sibling
        """Another file of the same crawl, by its name; None: it is not there. Who calls closes it."""
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

    def __exit__(self, *error: object) -> None:
        self._file.close()


def existing(path: Path) -> Path:
    """A file, under its final name if its crawl has ended it meanwhile."""
    return path if path.exists() else path.with_name(path.name.removesuffix(OPEN))


def open_file(path: Path, size: int | None = None) -> Stored:
    """A file; one that its crawl has ended meanwhile is read under its final name.

    :param size: bytes that count, if it has grown since it was found.
    :raises DataError: it cannot be read.
    """
    name = path.name.removesuffix(OPEN)
    with naming(path):
        file = existing(path).open("rb")
        status = os.fstat(file.fileno())
    size = status.st_size if size is None else min(size, status.st_size)
    at = datetime.fromtimestamp(int(status.st_mtime), UTC)
    return Stored(name, file, 0, size, at, partial(_beside, path.parent), path.name != name)


def _beside(folder: Path, name: str) -> Stored | None:
    """Another file of the same folder, also while it is being written."""
    if not name or "/" in name or "\\" in name or name.startswith(".") or len(name.encode("utf-8", "replace")) > MAX_NAME:
        return None  # a name from inside an archive leads nowhere else
    for path in (folder / name, folder / (name + OPEN)):
        try:
            if path.is_file():
                return open_file(path)
        except OSError as error:
            if error.errno != errno.ENAMETOOLONG:
                raise
    return None


def wacz_members(path: Path) -> Iterator[Stored | Failure]:
    """The WARC files in a WACZ file, in the order of their names; one that cannot be had is a failure.

    :raises DataError: it cannot be read as a zip file.
    """
    try:
        at = datetime.fromtimestamp(int(path.stat().st_mtime), UTC)
        with path.open("rb") as file:
            end = zipfile._EndRecData(file)  # type: ignore[attr-defined]  # what ZipFile itself reads first
        if end is not None and end[_DIRECTORY_SIZE] > MAX_DIRECTORY:
            raise zipfile.BadZipFile(f"its directory has more than {MAX_DIRECTORY:,} bytes")
        archive = zipfile.ZipFile(path)
    except _ZIP_ERRORS as error:
        raise DataError(f"{path}: not readable as a WACZ (zip) file: {error}") from error
    with archive:
        infos = archive.infolist()
        overlapping = _overlapping(infos)
        warc = [entry for entry in infos if not entry.is_dir() and entry.filename.lower().endswith((".warc", ".warc.gz"))]
        by_name = {_base(entry.filename): entry for entry in warc if _plain(entry) and entry not in overlapping}

        def beside(other: str) -> Stored | None:
            """Only members that are not compressed: others would be unpacked once more for each page."""
            entry = by_name.get(_base(other))
            try:
                return _member(path, archive, entry, f"{path.name}/{entry.filename}", at, lambda _: None) if entry else None
            except _ZIP_ERRORS as error:
                raise DataError(f"{path}: {other} is not readable as a member of a zip file: {error}") from error

        for entry in sorted(warc, key=lambda entry: entry.filename):
            name = f"{path.name}/{entry.filename}"
            try:
                if entry in overlapping:
                    raise zipfile.BadZipFile("it overlaps with another member")
                stored = _member(path, archive, entry, name, at, beside)
            except TooLarge as error:
                yield Failure(name, str(error), "too_large", at=at, mark=f"{entry.CRC:08x}")
            except _ZIP_ERRORS as error:
                yield Failure(name, f"not readable as a member of a zip file: {error}", at=at, mark=f"{entry.CRC:08x}")
            else:
                with stored:
                    yield stored


def _base(name: str) -> str:
    return name.rpartition("/")[2]


def _plain(entry: zipfile.ZipInfo) -> bool:
    """Whether a member can be read where it stands."""
    return entry.compress_type == zipfile.ZIP_STORED and not entry.flag_bits & 1


def _overlapping(entries: Iterable[zipfile.ZipInfo]) -> set[zipfile.ZipInfo]:
    """Members that begin inside of another one: the same bytes would be read for each of them."""
    found: set[zipfile.ZipInfo] = set()
    end = 0
    for entry in sorted(entries, key=lambda entry: entry.header_offset):
        if entry.header_offset < end:
            found.add(entry)
        else:
            size = max(entry.compress_size, entry.file_size if _plain(entry) else 0)
            end = entry.header_offset + _LOCAL.size + len(entry.filename) + size
    return found


def _member(
    path: Path,
    archive: zipfile.ZipFile,
    entry: zipfile.ZipInfo,
    name: str,
    at: datetime,
    beside: Callable[[str], Stored | None],
) -> Stored:
    """A member: read where it stands if it is not compressed, and else unpacked."""
    with ExitStack() as opened:
        if _plain(entry):
            file: BinaryIO = opened.enter_context(path.open("rb"))
            begin, size = _begin_of(file, entry), entry.file_size
        else:
            file = opened.enter_context(tempfile.TemporaryFile())
            begin, size = 0, _unpack(archive, entry, file)
        opened.pop_all()  # who reads it closes it
    return Stored(name, file, begin, size, at, beside)


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
    """:raises TooLarge: it is over a cap."""
    if entry.file_size > max(FREE_UNPACKED, MAX_RATIO * entry.compress_size):
        raise TooLarge(f"it would unpack to {entry.file_size:,} bytes, over {MAX_RATIO} times its own")
    size = 0
    with archive.open(entry) as member:
        while data := member.read(_CHUNK):
            size += len(data)
            if size > MAX_UNPACKED:
                raise TooLarge(f"more than {MAX_UNPACKED:,} bytes when unpacked")
            target.write(data)
    target.flush()
    return size
