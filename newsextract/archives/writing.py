"""Writing WARC 1.1 files: request, response and metadata records, each in a gzip member of its own.

A file is written whole records at a time and has no buffer; while it is written, its name ends in ``.open``, as Heritrix
does it. What was torn when a writer died is cut off when the next one begins. warcio makes the records; it would compress
them with zlib at level 9, so that is done here.

Cost: ``benchmarks/archives.py``.
"""

from __future__ import annotations

import fcntl
import io
import os
import uuid
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import newsextract
from newsextract.archives.entries import CONTENT_TYPE, MARK, VERSION, WALK_TYPE, Described
from newsextract.archives.storage import OPEN, open_file
from newsextract.archives.warc_records import loader, whole_until
from newsextract.errors import DataError

# --- open files -----------------------------------------------------------------------------------
# WARC files that are being written: their writer holds a lock, and what a dead one has left is ended by the next.
#
# Several crawls may begin in one folder at once, so a file may be renamed or removed at any time before it is locked.


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


# --- writing --------------------------------------------------------------------------------------

LEVEL = 1
"""On 300 pages of the bench, 134 KB each: ISA-L 0.20 ms and 29 % of the size, zlib 0.95 ms and 23 %, its level 6 1.8 ms and
20 %."""
MAX_FILE = 1_000_000_000
"""Bytes after which the next file is begun."""
_SECRET = frozenset({"authorization", "proxy-authorization", "cookie"})
"""Request headers that are not written down."""
Headers = Sequence[tuple[str, str]]


_RECORDS = uuid.UUID("3b1c9a52-6a0e-5d7e-9a53-0a3f6c1d2e4b")
"""What the ids of records are made with: no other file of the world has the same name and the same record there."""


@dataclass(frozen=True, slots=True)
class Written:
    """Where a record stands."""

    file: str
    offset: int

    @classmethod
    def at(cls, place: str) -> Written:
        """The reverse of :attr:`place`."""
        file, _, offset = place.rpartition("#")
        return cls(file, int(offset))

    @property
    def place(self) -> str:
        """As pages have it."""
        return f"{self.file}#{self.offset}"

    @property
    def record(self) -> str:
        """The WARC record's id. It is made of the place, so whoever has a page need not keep it."""
        return f"<urn:uuid:{uuid.uuid5(_RECORDS, self.place)}>"


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its answer."""

    url: str
    """Of the answer."""
    asked: str
    """Of the request."""
    method: str
    request_headers: Headers
    status: int
    headers: Headers
    body: bytes
    """As it came, without transfer coding, with content coding."""
    at: datetime
    walk: bytes | None = None
    """What a browser saw."""
    cut: bool = False
    """Whether the body is not there."""


@dataclass(slots=True)
class _Open:
    """A file that is being written."""

    name: str
    descriptor: int
    end: int = 0
    info: str = ""
    """The id of its warcinfo record."""


class WarcWriter:
    """Writes the files of one run; not to be used by two threads at a time.

    The last file but one stays open: what is known of a page goes where its answer stands, so each file can be read alone.

    :param folder: is made where it is missing.
    :param name: what the files' names begin with.
    :raises DataError: the folder cannot be written.
    :raises MissingExtra: warcio is not installed.
    """

    def __init__(self, folder: Path, name: str, *, limit: int = MAX_FILE) -> None:
        loader()
        self.folder = folder
        self._name = name
        self._limit = limit
        self._number = 0
        self._file: _Open | None = None
        self._before: _Open | None = None
        self._files: list[str] = []
        self._size = self._answers = self._described = 0
        self._began = datetime.now(UTC)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            mend(folder)
            if not os.access(folder, os.W_OK):
                raise PermissionError(13, "Permission denied")
        except OSError as error:
            raise DataError(f"{folder}: cannot be written: {error.strerror}; name another folder for the archive") from error

    def exchange(self, exchange: Exchange) -> tuple[Written, Written | None]:
        """Write an answer, its request, and the walk if there is one; gives the places of answer and walk.

        :raises OSError: the disk is full, or the file cannot be written; then it is as before.
        """
        file = self._begin()
        head = _head_class()
        answer = head(f"{exchange.status} {_phrase(exchange.status)}", list(exchange.headers), "HTTP/1.1")
        parts = urlsplit(exchange.asked)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        sent = [("Host", parts.netloc.rpartition("@")[2]), *exchange.request_headers]
        request = head(f"{target} HTTP/1.1", [h for h in sent if h[0].lower() not in _SECRET], exchange.method)
        packed = bytearray()
        more = {"WARC-Truncated": "unspecified"} if exchange.cut else {}
        page = self._add(file, packed, "response", exchange.url, exchange.at, exchange.body, answer, **more)
        more = {"WARC-Concurrent-To": page.record}
        self._add(file, packed, "request", exchange.asked, exchange.at, b"", request, **more)
        walk = None
        if exchange.walk is not None:
            more = {"WARC-Refers-To": page.record, "Content-Type": WALK_TYPE}
            walk = self._add(file, packed, "metadata", exchange.url, exchange.at, exchange.walk, **more)
        self._append(file, packed)
        self._answers += 1
        return page, walk

    def describe(self, described: Described, at: datetime) -> Written:
        """Write what a crawl knows of a page.

        :raises OSError: as above.
        """
        first = described.parts[0]
        file = self._before if self._before is not None and self._before.name == first.file else self._begin(first.file)
        more = {"WARC-Refers-To": first.record, "Content-Type": CONTENT_TYPE}
        packed = bytearray()
        written = self._add(file, packed, "metadata", first.url, at, described.to_bytes(), **more)
        self._append(file, packed)
        self._described += 1
        return written

    def summary(self) -> str:
        """What has been written, in one line; files are told by their final names."""
        if not self._files:
            return f"nothing new in {self.folder}"
        where = self.folder / self._files[0] if len(self._files) == 1 else f"{len(self._files)} files in {self.folder}"
        responses = f"{self._answers:,} response{'s'[: self._answers != 1]}"
        return f"{where} ({responses}{'' if self._described else ', no new page'}, {self._size / 1e6:.1f} MB)"

    def close(self) -> None:
        """End the files: they get their final names."""
        while self._before is not None or self._file is not None:
            self._roll()

    def _roll(self) -> None:
        if (ended := self._before) is not None:
            os.rename(self.folder / (ended.name + OPEN), self.folder / ended.name)
            os.close(ended.descriptor)
        self._before, self._file = self._file, None

    def _begin(self, wanted: str = "") -> _Open:
        """The file that is written; the next one, if it is time, but for what belongs to this one."""
        if self._file is not None and (self._file.end < self._limit or self._file.name == wanted):
            return self._file
        if self._file is not None:
            self._roll()
        descriptor = -1
        while descriptor < 0:
            stamp = self._began.strftime("%Y%m%d%H%M%S")
            name = f"{self._name}-{stamp}-{self._number:05}-{uuid.uuid4().hex[:8]}.warc.gz"
            descriptor = locked(self.folder / (name + OPEN))
        self._number += 1
        file = _Open(name, descriptor)
        fields = {
            "software": f"newsextract/{newsextract.__version__}",
            "format": "WARC File Format 1.1",
            "conformsTo": "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
        }
        text = "".join(f"{key}: {value}\r\n" for key, value in fields.items()).encode()
        more = {"WARC-Filename": name, "Content-Type": "application/warc-fields"}
        packed = bytearray()
        info = self._add(file, packed, "warcinfo", None, self._began, text, **more)
        try:
            self._append(file, packed)
        except OSError:
            os.unlink(self.folder / (name + OPEN))
            os.close(descriptor)
            raise
        file.info = info.record
        self._files.append(name)
        self._file = file
        return file

    def _add(
        self,
        file: _Open,
        packed: bytearray,
        kind: str,
        url: str | None,
        at: datetime,
        content: bytes,
        head: Any = None,
        **more: str,
    ) -> Written:
        """Put a record, as a gzip member, behind those that are to be appended with it; gives its place."""
        from warcio.warcwriter import WARCWriter

        place = Written(file.name, file.end + len(packed))
        written = io.BytesIO()
        writer = WARCWriter(written, gzip=False, warc_version="WARC/1.1")
        headers = {
            "WARC-Record-ID": place.record,
            "WARC-Date": at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            **({"WARC-Warcinfo-ID": file.info} if file.info else {}),
            MARK: str(VERSION),
            **more,
        }
        record = writer.create_warc_record(
            url, kind, payload=io.BytesIO(content), length=len(content), http_headers=head, warc_headers_dict=headers
        )
        writer.write_record(record)
        packer = _packer()
        packed += packer.compress(written.getbuffer()) + packer.flush()
        return place

    def _append(self, file: _Open, packed: bytes | bytearray) -> None:
        """Write members in one go; on failure the file is as before."""
        done = 0
        try:
            while done < len(packed):
                done += os.pwrite(file.descriptor, packed[done:], file.end + done)
        except OSError as error:
            os.ftruncate(file.descriptor, file.end)
            error.filename = str(self.folder / file.name)
            raise
        file.end += len(packed)
        self._size += len(packed)


def _packer() -> Any:
    """A gzip compressor: ISA-L's where it is installed, which costs a fifth of zlib's time."""
    module = _packers()
    return module.compressobj(LEVEL, zlib.DEFLATED, 31)


@cache
def _packers() -> Any:
    try:
        from isal import isal_zlib
    except ImportError:
        return zlib
    return isal_zlib


@cache
def _head_class() -> Any:
    from warcio.statusandheaders import StatusAndHeaders

    class Head(StatusAndHeaders):  # type: ignore[misc]  # warcio has no types
        """Header bytes stay as they came; warcio would percent-encode those that are not ASCII."""

        def compute_headers_buffer(self, header_filter: Any = None) -> None:
            self.headers_buff = self.to_bytes(header_filter, "latin-1")

    return Head


def _phrase(status: int) -> str:
    return HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else ""
