"""WARC records (ISO 28500, 1.0 and 1.1) of a file, each as bytes in memory; a damaged one does not stop the rest.

A record is taken out of the file here, under caps: from its own gzip member, from a gzip stream of many, or from a plain
file. warcio parses it. Where something is wrong, reading goes on behind the record if it is known where that is, and else at
the next place where one begins.

Cost: 0.3 ms a record, and unpacking. Hostile bytes cost no more than a small multiple of the file's size (:data:`REREAD`).
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from newsextract.archives.entries import Failure
from newsextract.archives.storage import Stored
from newsextract.archives.warc_streams import BEGIN, GZIP, MAX_BLOCK, Damaged, Member, Plain, next_start, stream_at
from newsextract.errors import MissingExtra

if TYPE_CHECKING:
    from warcio.recordloader import ArcWarcRecordLoader

MAX_HEAD = 65_536
"""Bytes of a record's headers."""
_HEAD = 4_096
"""Bytes of most records' headers, at most."""
MAX_BLANK = 64
"""Bytes of line breaks between two records; the standard has four."""
MAX_HTTP_HEAD = 262_144
"""Bytes of the HTTP headers in a record; Chromium allows as many."""
REREAD = 4
"""How many times the file's size may be read and unpacked in vain, where records are then searched inside of what could not
be read; beyond, all that was read is passed over."""
_LENGTH = re.compile(rb"(?im)^content-length[ \t]*:[ \t]*(\d{1,15})[ \t]*\r?$")
_END = re.compile(rb"\r?\n\r?\n|\n(?=WARC/[01]\.\d+\r?\n)")
"""Of headers: an empty line; or another record, and then they have been cut off."""
_STATUS = re.compile("[0-9]{3}")


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """One record; header names are lower case, the last of equal ones counts."""

    offset: int
    """Of its gzip member, or of the record in a plain file."""
    inside: int
    """Bytes into what the gzip member unpacks to; 0, unless the member has several records."""
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


def records(stored: Stored) -> Iterator[WarcRecord | Failure]:
    """The records of a file.

    :raises MissingExtra: warcio is not installed.
    """
    return (record for _, record in placed_records(stored))


def placed_records(stored: Stored) -> Iterator[tuple[int, WarcRecord | Failure]]:
    """The same, each with the offset where it begins."""
    parser = loader()
    end = stored.size
    offset = 0
    spare = REREAD * stored.size + MAX_BLOCK
    while offset < end:
        stream = stream_at(stored, offset)
        try:
            for record in _of_stream(stream, parser):
                if stream.at >= end:
                    return
                if isinstance(record, Damaged):
                    yield stream.at, stored.failure(stream.at, stream.inside, str(record), record.status)
                else:
                    yield stream.at, record
            if stream.end <= offset:
                return  # the file has become shorter
            offset = stream.end
        except Damaged as error:
            error.with_traceback(None)  # it leads in a circle to the frame that holds the bytes
            bad = stream.at
            if bad >= end:
                return
            spare -= stream.work
            offset = next_start(stored, bad + 1 if spare > 0 else max(bad + 1, stream.reach))
            if stored.grows and offset >= stored.size:  # it will be whole when the crawl is done
                reason = f"{error}; a crawl is writing the file, or was killed: the next run reads it again"
                yield bad, stored.failure(bad, stream.inside, reason, "failed")
            else:
                yield bad, stored.failure(bad, stream.inside, str(error), error.status)


def record_at(stored: Stored, offset: int) -> WarcRecord:
    """The record that begins at an offset.

    :raises Damaged: there is none, or it cannot be read.
    """
    if not 0 <= offset < stored.size:
        raise Damaged(f"{stored.place(offset)}: the file ends before")
    found = next(_of_stream(stream_at(stored, offset), loader()), None)
    if found is None:
        raise Damaged(f"{stored.place(offset)}: no record begins here")
    if isinstance(found, Damaged):
        raise found
    return found


def _of_stream(stream: Plain | Member, parser: Any) -> Iterator[WarcRecord | Damaged]:
    """The records of a stream, to its end; one that cannot be read, but skipped, is an error among them.

    :raises Damaged: something is wrong, and it is not known where the next record begins.
    """
    first = True
    while True:
        blank = stream.read(MAX_BLANK).lstrip(b"\r\n")
        stream.back(blank)
        if not first or isinstance(stream, Plain):
            stream.begin()
        if not blank or (isinstance(stream, Plain) and blank.startswith(GZIP)):
            return
        first = False
        yield _record(stream, parser)


def _record(stream: Plain | Member, parser: Any) -> WarcRecord | Damaged:
    """The record that begins here, or why it cannot be read.

    :raises Damaged: as above.
    """
    head = stream.read(_HEAD)
    if not BEGIN.match(head):
        stream.back(head)
        raise Damaged(f"no WARC record begins here, but {head[:20]!r}")
    ended = _END.search(head)
    if ended is None and len(head) == _HEAD:
        head += stream.read(MAX_HEAD - _HEAD)
        ended = _END.search(head)
    if ended is None or len(ended[0]) == 1:
        stream.back(head)
        size = len(head) if ended is None else ended.end()
        raise Damaged(f"the record's headers have no end within {size:,} bytes")
    stream.back(head[ended.end() :])
    head = head[: ended.end()]
    told = _LENGTH.search(head)
    if told is None:
        raise Damaged("the record's headers tell no Content-Length")
    length = int(told[1])
    stream.check(length)
    if length > MAX_BLOCK:
        stream.skip(length)
        bad = Damaged(f"the record has {length:,} bytes, over the cap of {MAX_BLOCK:,}", "too_large")
    else:
        block = stream.read(length)
        if len(block) < length:
            raise Damaged(f"cut off: {len(block):,} of {length:,} bytes")
        try:
            return _parsed(parser, head, block, stream.at, stream.inside)
        except Damaged as error:
            bad = Damaged(str(error), error.status)  # the other one holds the block in its traceback
    if not _is_end(stream):
        raise bad
    return bad


def _is_end(stream: Plain | Member) -> bool:
    """Whether a record has ended here: another one begins, or nothing is left. So its length was right."""
    try:
        behind = stream.read(MAX_BLANK).lstrip(b"\r\n")
    except Damaged:
        return False
    stream.back(behind)
    return not behind or bool(BEGIN.match(behind))


class _Bounded(io.BytesIO):
    """A record for warcio, which reads headers line by line, in time and memory a multiple of theirs.

    :param most: up to where lines may be read; None: the headers have been read.
    """

    def __init__(self, data: bytes, most: int) -> None:
        super().__init__(data)
        self.most: int | None = most

    def readline(self, size: int | None = -1, /) -> bytes:
        """:raises Damaged: the HTTP headers are over the cap."""
        found = super().readline(size)
        if self.most is not None and self.tell() > self.most:
            raise Damaged(f"the HTTP headers have no end within {MAX_HTTP_HEAD:,} bytes", "too_large")
        return found


def _parsed(parser: Any, head: bytes, block: bytes, offset: int, inside: int) -> WarcRecord:
    from warcio.bufferedreaders import ChunkedDataReader
    from warcio.exceptions import ArchiveLoadFailed
    from warcio.statusandheaders import StatusAndHeadersParserException

    try:
        stream = _Bounded(head + block, len(head) + MAX_HTTP_HEAD)
        found = parser.parse_record_stream(stream, known_format="warc")
        stream.most = None
        headers = {name.lower(): value for name, value in found.rec_headers.headers}
        http = found.http_headers
        raw = found.raw_stream
        if http is not None and (http.get_header("transfer-encoding") or "").lower() == "chunked":
            raw = ChunkedDataReader(raw)
        content = raw.read()
    except Damaged:
        raise
    except (ArchiveLoadFailed, StatusAndHeadersParserException, EOFError, ValueError, TypeError, AttributeError) as error:
        raise Damaged(f"not readable: {' '.join(str(error).split())[:200] or type(error).__name__}") from error
    _verify(headers.get("warc-block-digest"), block)
    code = http.get_statuscode() if http is not None else ""
    return WarcRecord(
        offset,
        inside,
        (found.rec_type or "").lower(),
        headers,
        int(code) if _STATUS.fullmatch(code) else None,
        tuple((name.lower(), value) for name, value in http.headers) if http is not None else (),
        content,
    )


def _verify(digest: str | None, block: bytes) -> None:
    """Compare with the digest that was written, if it is of a common kind, in hexadecimal digits or base32.

    :raises Damaged: it is another.
    """
    name, _, value = (digest or "").partition(":")
    if name.lower() not in ("sha1", "sha256", "md5"):
        return
    made = hashlib.new(name.lower(), block, usedforsecurity=False).digest()
    forms = made.hex(), base64.b32encode(made).decode().lower().rstrip("=")
    told = value.strip().lower().rstrip("=")
    if len(told) in map(len, forms) and told not in forms:
        raise Damaged("the content is not what was written: its digest differs")
