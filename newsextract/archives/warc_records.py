"""WARC records (ISO 28500, 1.0 and 1.1) of a file, each as bytes in memory; a damaged one does not stop the rest.

A record is taken out of the file here, under caps: from its own gzip member, from a gzip stream of many, or from a plain
file. warcio parses it. Where something is wrong, reading goes on at the next place where a record begins.

Cost: 0.3 ms a record, and unpacking.
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from newsextract.archives.entries import Failure
from newsextract.archives.storage import Stored
from newsextract.errors import MissingExtra

if TYPE_CHECKING:
    from warcio.recordloader import ArcWarcRecordLoader

MAX_BLOCK = 70_000_000
"""Bytes of a record's content; a browser's walk at its own cap has 64 million."""
MAX_HEAD = 65_536
"""Bytes of a record's headers."""
MAX_BLANK = 64
"""Bytes of line breaks between two records; the standard has four."""
_CHUNK = 65_536
_SCAN = 1 << 20
_OVERLAP = 80
_GZIP = b"\x1f\x8b\x08"
_BEGIN = re.compile(rb"WARC/[01]\.\d+\r?\n")
_STARTS = re.compile(rb"\x1f\x8b\x08[\x00-\x1f]|WARC/[01]\.\d+\r?\n(?=[A-Za-z][A-Za-z-]{0,40}:)")
_LENGTH = re.compile(rb"(?im)^content-length[ \t]*:[ \t]*(\d{1,15})[ \t]*\r?$")
_END = re.compile(rb"\r?\n\r?\n")


class Damaged(ValueError):
    """A record cannot be read."""


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """One record; header names are lower case, the last of equal ones counts."""

    offset: int
    """Of its gzip member, or of the record in a plain file."""
    type: str
    headers: dict[str, str]
    status: int | None
    """Of the HTTP answer; None: it is none."""
    http_headers: tuple[tuple[str, str], ...]
    content: bytes
    """Behind the HTTP headers, without transfer coding."""


def loader() -> ArcWarcRecordLoader:
    """warcio's parser.

    :raises MissingExtra: it is not installed.
    """
    try:
        from warcio.recordloader import ArcWarcRecordLoader
    except ImportError as error:
        raise MissingExtra("warcio", "archive", "reading and writing WARC files") from error
    return ArcWarcRecordLoader(verify_http=False, arc2warc=False)


def records(stored: Stored, start: int = 0, end: int | None = None) -> Iterator[WarcRecord | Failure]:
    """The records that begin in a stretch of the file, so that several readers can share one.

    :param start: the first that begins there or behind counts.
    :param end: the first that begins there or behind does not count any more; None: to the end.
    :raises MissingExtra: warcio is not installed.
    """
    parser = loader()
    end = stored.size if end is None else min(end, stored.size)
    offset = _next_start(stored, start) if start else 0
    while offset < end:
        stream = _stream(stored, offset)
        try:
            for record in _of_stream(stream, parser, offset):
                if record.offset >= end:
                    return
                yield record
            offset = stream.end
        except Damaged as error:
            bad = stream.at if isinstance(stream, _Plain) else offset
            yield Failure(stored.place(bad), str(error), at=stored.written_at)
            offset = _next_start(stored, bad + 1)


def record_at(stored: Stored, offset: int) -> WarcRecord:
    """The record that begins at an offset.

    :raises Damaged: there is none, or it cannot be read.
    """
    if not 0 <= offset < stored.size:
        raise Damaged(f"{stored.place(offset)}: the file ends before")
    found = next(_of_stream(_stream(stored, offset), loader(), offset), None)
    if found is None:
        raise Damaged(f"{stored.place(offset)}: no record begins here")
    return found


class _Plain:
    """A file without compression, from an offset on."""

    def __init__(self, stored: Stored, offset: int) -> None:
        self._stored = stored
        self.end = offset
        self.at = offset
        """Where the record begins that is being read."""

    def read(self, size: int) -> bytes:
        data = self._stored.read(self.end, size)
        self.end += len(data)
        return data

    def back(self, data: bytes) -> None:
        self.end -= len(data)


class _Member:
    """One gzip member, unpacked as it is asked for."""

    def __init__(self, stored: Stored, offset: int) -> None:
        self._stored = stored
        self._next = offset
        self._zip = zlib.decompressobj(31)
        self._left = b""

    @property
    def end(self) -> int:
        """Where the next member begins, when this one has been read."""
        return self._next - len(self._zip.unused_data)

    def read(self, size: int) -> bytes:
        parts, self._left = [self._left], b""
        have = len(parts[0])
        while have < size and not self._zip.eof:
            packed = self._zip.unconsumed_tail
            if not packed:
                packed = self._stored.read(self._next, _CHUNK)
                self._next += len(packed)
                if not packed:
                    raise Damaged("cut off: the gzip member has no end")
            try:
                part = self._zip.decompress(packed, size - have)
            except zlib.error as error:
                raise Damaged(f"not readable as gzip: {error}") from error
            parts.append(part)
            have += len(part)
        data = b"".join(parts)
        self._left = data[size:]
        return data[:size]

    def back(self, data: bytes) -> None:
        self._left = data + self._left


def _stream(stored: Stored, offset: int) -> _Plain | _Member:
    return _Member(stored, offset) if stored.read(offset, 3) == _GZIP else _Plain(stored, offset)


def _of_stream(stream: _Plain | _Member, parser: Any, offset: int) -> Iterator[WarcRecord]:
    """The records of a stream, to its end.

    :raises Damaged: something is wrong.
    """
    while True:
        blank = stream.read(MAX_BLANK).lstrip(b"\r\n")
        stream.back(blank)
        if isinstance(stream, _Plain):
            offset = stream.at = stream.end
        if not blank:
            return
        head = stream.read(MAX_HEAD)
        ended = _END.search(head)
        if not _BEGIN.match(head):
            raise Damaged(f"no WARC record begins here, but {head[:20]!r}")
        if ended is None:
            raise Damaged(f"the record's headers have no end within {len(head):,} bytes")
        stream.back(head[ended.end() :])
        head = head[: ended.end()]
        told = _LENGTH.search(head)
        if told is None:
            raise Damaged("the record's headers tell no Content-Length")
        length = int(told[1])
        if length > MAX_BLOCK:
            raise Damaged(f"the record has {length:,} bytes, over the cap of {MAX_BLOCK:,}")
        block = stream.read(length)
        if len(block) < length:
            raise Damaged(f"cut off: {len(block):,} of {length:,} bytes")
        yield _parsed(parser, head, block, offset)


def _parsed(parser: Any, head: bytes, block: bytes, offset: int) -> WarcRecord:
    from warcio.bufferedreaders import ChunkedDataReader
    from warcio.exceptions import ArchiveLoadFailed
    from warcio.statusandheaders import StatusAndHeadersParserException

    try:
        found = parser.parse_record_stream(io.BytesIO(head + block), known_format="warc")
        headers = {name.lower(): value for name, value in found.rec_headers.headers}
        http = found.http_headers
        raw = found.raw_stream
        if http is not None and (http.get_header("transfer-encoding") or "").lower() == "chunked":
            raw = ChunkedDataReader(raw)
        content = raw.read()
    except (ArchiveLoadFailed, StatusAndHeadersParserException, EOFError, ValueError, TypeError, AttributeError) as error:
        raise Damaged(f"not readable: {' '.join(str(error).split())[:200] or type(error).__name__}") from error
    _verify(headers.get("warc-block-digest"), block)
    code = http.get_statuscode() if http is not None else ""
    return WarcRecord(
        offset,
        (found.rec_type or "").lower(),
        headers,
        int(code) if code.isdecimal() and code.isascii() else None,
        tuple((name.lower(), value) for name, value in http.headers) if http is not None else (),
        content,
    )


def _verify(digest: str | None, block: bytes) -> None:
    """Compare with the digest that was written, if it is of a common kind.

    :raises Damaged: it is another.
    """
    name, _, value = (digest or "").partition(":")
    if name.lower() not in ("sha1", "sha256", "md5"):
        return
    made = hashlib.new(name.lower(), block, usedforsecurity=False).digest()
    if value.strip().lower() not in (made.hex(), base64.b32encode(made).decode().lower()):
        raise Damaged("the content is not what was written: its digest differs")


def _next_start(stored: Stored, offset: int) -> int:
    """The next place where a record begins, or the end."""
    while offset < stored.size:
        data = stored.read(offset, _SCAN + _OVERLAP)  # a beginning may stand across two chunks
        for match in _STARTS.finditer(data):
            at = offset + match.start()
            if not match[0].startswith(_GZIP) or _is_member(stored, at):
                return at
        offset += _SCAN
    return stored.size


def _is_member(stored: Stored, offset: int) -> bool:
    try:
        return bool(_BEGIN.match(_Member(stored, offset).read(16)))
    except Damaged:
        return False


def whole_until(stored: Stored) -> int:
    """Where the last whole record of a gzipped file ends: what stands behind was torn when its writer died.

    Looks from the end backwards, so it costs the last record only.
    """
    end = stored.size
    behind = b""
    while end > 0:
        start = max(0, end - _SCAN)
        data = stored.read(start, end - start) + behind
        at = data.rfind(_GZIP)
        while at >= 0:
            if _is_member(stored, start + at):
                return _whole(stored, start + at)
            at = data.rfind(_GZIP, 0, at)
        behind = data[:2]
        end = start
    return 0


def _whole(stored: Stored, offset: int) -> int:
    """The end of a member, or its beginning if it has none."""
    member = _Member(stored, offset)
    try:
        while member.read(_SCAN):
            pass
    except Damaged:
        return offset
    return member.end
