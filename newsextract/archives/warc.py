"""WARC records (ISO 28500, 1.0 and 1.1), read and written; a damaged record does not stop the rest.

A record is taken out of a gzip member or a plain file here, under caps, and warcio parses it. After a damaged one, reading
continues at the next place where a record begins. Cost: 0.3 ms a record, and unpacking; hostile bytes cost no more than a
small multiple of the file's size (:data:`REREAD`).
"""

from __future__ import annotations

import base64
import fcntl
import hashlib
import io
import os
import re
import uuid
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from http.client import responses
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import newsextract
from newsextract.archives.entries import CONTENT_TYPE, MARK, VERSION, WALK_TYPE, Described, Failure, record_name
from newsextract.archives.storage import OPEN, Stored, open_file
from newsextract.control_characters import plural
from newsextract.errors import MissingExtra, naming
from newsextract.feed import write_whole

packers: Any = zlib
with suppress(ImportError):  # it costs a fifth of zlib's time
    from isal import isal_zlib as packers

if TYPE_CHECKING:
    from warcio.recordloader import ArcWarcRecordLoader

# --- warc streams ---------------------------------------------------------------------------------
# The bytes of WARC records: plain, or in gzip members; and where the next record begins where bytes are damaged.

MAX_BLOCK = 70_000_000
"""Bytes of a record's content; a browser's walk at its own cap has 64 million."""
MAX_SKIP = 4_000_000_000
"""Bytes of a record over the cap that are unpacked to find its end."""
CHUNK = 65_536
"""Bytes that are read of a gzip member at a time, but for the first ones."""
_PROBE = 4_096
"""Bytes in which a gzip member must show that a record begins in it."""
_RATIO = 1_032
"""Of what deflate unpacks to and the packed bytes, at most."""
_LOOK = 4_096
_SCAN = 1 << 20
_OVERLAP = 80
GZIP = b"\x1f\x8b\x08"
BEGIN = re.compile(rb"WARC/[01]\.\d+\r?\n")
_STARTS = re.compile(rb"\x1f\x8b\x08(?=[\x00-\x1f])|WARC/[01]\.\d+\r?\n(?=[A-Za-z][A-Za-z-]{0,40}:)")


class Damaged(ValueError):
    """A record cannot be read."""

    def __init__(self, reason: str, status: str = "damaged") -> None:
        super().__init__(reason)
        self.status = status


class Plain:
    """The bytes of a file without compression, from an offset on."""

    def __init__(self, stored: Stored, offset: int) -> None:
        self._stored = stored
        self._next = self.at = offset
        """Where the record begins that is being read."""
        self.inside = 0
        """The same in what its gzip member unpacks to."""
        self.reach = offset
        """Behind the furthest byte of the file that has been read."""
        self.work = 0
        """Bytes that were read or unpacked for what is searched again if the record is bad: of a gzip member all."""

    @property
    def end(self) -> int:
        """Offset behind what has been read; of a gzip member, where the next one begins."""
        return self._next

    def begin(self) -> None:
        """A record begins here: what is before it is not searched again."""
        self.at = self._next
        self.work = 0

    def read(self, size: int) -> bytes:
        """At most so many bytes; fewer at the end. Raises Damaged: the gzip member is cut off, or no gzip."""
        data = self._stored.read(self._next, size)
        self._next += len(data)
        self.reach = max(self.reach, self._next)
        self.work += len(data)
        return data

    def back(self, data: bytes) -> None:
        """What was read last is to be read again; it has cost its work all the same."""
        self._next -= len(data)

    def skip(self, length: int) -> None:
        """Pass over so many bytes. Raises Damaged: a gzip member has fewer, or they are too many."""
        self._next += length

    def check(self, length: int) -> None:
        """:raises Damaged: the file has not so many bytes more; of a gzip member it is not known before it is unpacked."""
        left = self._stored.size - self._next
        if length > left:
            raise Damaged(f"cut off: {left:,} of {length:,} bytes")


class Member(Plain):
    """One gzip member, unpacked as it is asked for."""

    def __init__(self, stored: Stored, offset: int) -> None:
        super().__init__(stored, offset)
        self._next = 0  # in what is unpacked
        self._size = _PROBE
        self._zip = zlib.decompressobj(31)
        self._left = b""

    @property
    def end(self) -> int:  # noqa: D102
        return self.reach - len(self._zip.unused_data)

    def begin(self) -> None:  # noqa: D102
        self.inside = self._next

    def read(self, size: int) -> bytes:  # noqa: D102
        parts, self._left = [self._left], b""
        have = len(parts[0])
        while have < size and not self._zip.eof:
            packed = self._zip.unconsumed_tail
            if not packed:
                packed = self._stored.read(self.reach, self._size)
                self._size = CHUNK  # most members are small
                self.reach += len(packed)
                self.work += len(packed)
                if not packed:
                    raise Damaged("cut off: the gzip member has no end")
            try:
                part = self._zip.decompress(packed, size - have)
            except zlib.error as error:
                self.work += min(size - have, _RATIO * len(packed))  # it does not tell how much it has unpacked
                raise Damaged(f"not readable as gzip: {error}") from error
            parts.append(part)
            have += len(part)
            self.work += len(part)
        data = b"".join(parts)
        self._left = data[size:]
        self._next += len(data[:size])
        return data[:size]

    def back(self, data: bytes) -> None:  # noqa: D102
        super().back(data)
        self._left = data + self._left

    def check(self, length: int) -> None:  # noqa: D102
        pass

    def skip(self, length: int) -> None:  # noqa: D102
        if length > MAX_SKIP:
            raise Damaged(f"the record has {length:,} bytes; the limit is {MAX_BLOCK:,}", "too_large")
        while length:
            data = self.read(min(length, CHUNK))
            if not data:
                raise Damaged(f"cut off: {length:,} bytes are missing")
            length -= len(data)


def stream_at(stored: Stored, offset: int) -> Plain:
    """The bytes from an offset on: of the gzip member that begins there, or else of the file."""
    return Member(stored, offset) if stored.read(offset, 3) == GZIP else Plain(stored, offset)


def next_start(stored: Stored, offset: int) -> int:
    """The next place where a record begins, or the end."""
    size = _LOOK  # mostly it is near; then larger pieces
    while data := stored.read(offset, size + _OVERLAP):  # a beginning may stand across two pieces
        for match in _STARTS.finditer(data):
            at = offset + match.start()
            if not match[0].startswith(GZIP) or _is_member(stored, at):
                return at
        offset += size
        size = min(4 * size, _SCAN)
    return stored.size


def _is_member(stored: Stored, offset: int) -> bool:
    """Whether a gzip member begins here that begins with a record."""
    try:
        return bool(BEGIN.match(zlib.decompressobj(31).decompress(stored.read(offset, _PROBE), 16)))
    except zlib.error:
        return False


def whole_until(stored: Stored) -> int:
    """Where the last whole record of a gzipped file ends: the rest was torn when its writer died. Reads the end only."""
    end = stored.size
    behind = b""
    while end > 0:
        start = max(0, end - _SCAN)
        data = stored.read(start, end - start) + behind
        at = data.rfind(GZIP)
        while at >= 0:
            if _is_member(stored, start + at):
                member = Member(stored, start + at)
                with suppress(Damaged):
                    while member.read(_SCAN):
                        pass
                    return member.end
                return start + at
            at = data.rfind(GZIP, 0, at)
        behind = data[:2]
        end = start
    return 0


# --- warc records ---------------------------------------------------------------------------------

MAX_HEAD = 65_536
"""Bytes of a record's headers."""
_HEAD = 4_096
"""Bytes of most records' headers, at most."""
MAX_BLANK = 64
"""Bytes of line breaks between two records; the standard has four."""
MAX_HTTP_HEAD = 262_144
"""Bytes of the HTTP headers in a record; Chromium allows as many."""
MAX_CHUNKS = 200_000
"""Chunks of one body; each costs 10 µs, and a record has room for eleven million."""
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
    """warcio's parser. Raises MissingExtra: it is not installed."""
    try:
        from warcio.recordloader import ArcWarcRecordLoader
    except ImportError as error:
        raise MissingExtra("warcio", "archive", "reading and writing WARC files") from error
    return ArcWarcRecordLoader(verify_http=False, arc2warc=False)


def placed_records(stored: Stored) -> Iterator[tuple[int, WarcRecord | Failure]]:
    """The records of a file, each with the offset where it begins. Raises MissingExtra: warcio is not installed."""
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
            reason, status = str(error), error.status
            if stored.grows and offset >= stored.size:  # it will be whole when the crawl is done
                reason += "; a crawl is writing the file or was killed; the next run reads the file again"
                status = "failed"
            yield bad, stored.failure(bad, stream.inside, reason, status)


def record_at(stored: Stored, offset: int) -> WarcRecord:
    """The record that begins at an offset. Raises Damaged: none begins there, or it cannot be read."""
    if not 0 <= offset < stored.size:
        raise Damaged(f"{stored.place(offset)}: the file ends before")
    found = next(_of_stream(stream_at(stored, offset), loader()), None)
    if found is None:
        raise Damaged(f"{stored.place(offset)}: no record begins here")
    if isinstance(found, Damaged):
        raise found
    return found


def _of_stream(stream: Plain, parser: Any) -> Iterator[WarcRecord | Damaged]:
    """The records of a stream, to its end; one that cannot be read, but skipped, is an error among them.

    :raises Damaged: something is wrong, and it is not known where the next record begins.
    """
    first = True
    while True:
        blank = stream.read(MAX_BLANK).lstrip(b"\r\n")
        stream.back(blank)
        if not (first and isinstance(stream, Member)):
            stream.begin()
        if not blank or (not isinstance(stream, Member) and blank.startswith(GZIP)):
            return
        first = False
        yield _record(stream, parser)


def _record(stream: Plain, parser: Any) -> WarcRecord | Damaged:
    """The record that begins here, or why it cannot be read. Raises Damaged: the archive cannot be read on."""
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
        raise Damaged("the record's headers have no Content-Length")
    length = int(told[1])
    stream.check(length)
    if length > MAX_BLOCK:
        stream.skip(length)
        bad = Damaged(f"the record has {length:,} bytes; the limit is {MAX_BLOCK:,}", "too_large")
    else:
        block = stream.read(length)
        if len(block) < length:
            raise Damaged(f"cut off: {len(block):,} of {length:,} bytes")
        try:
            return _parsed(parser, head, block, stream.at, stream.inside)
        except Damaged as error:
            bad = Damaged(str(error), error.status)  # the other one holds the block in its traceback
    with suppress(Damaged):
        behind = stream.read(MAX_BLANK).lstrip(b"\r\n")
        stream.back(behind)
        if not behind or BEGIN.match(behind):
            return bad  # another record begins, or nothing is left: the length was right
    raise bad


class _Bounded(io.BytesIO):
    """A record for warcio, which reads headers line by line, in time and memory a multiple of theirs.

    :param most: up to where lines may be read; None: the headers have been read.
    """

    def __init__(self, data: bytes, most: int) -> None:
        super().__init__(data)
        self.most: int | None = most
        self._chunks = MAX_CHUNKS

    def readline(self, size: int | None = -1, /) -> bytes:
        """:raises Damaged: the HTTP headers are over the cap, or the body has too many chunks."""
        found = super().readline(size)
        if self.most is not None and self.tell() > self.most:
            raise Damaged(f"the HTTP headers have no end within {MAX_HTTP_HEAD:,} bytes", "too_large")
        self._chunks -= self.most is None
        if self._chunks < 0:
            raise Damaged(f"the body has more than {MAX_CHUNKS:,} chunks", "too_large")
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
    if name.lower() in ("sha1", "sha256", "md5"):
        made = hashlib.new(name.lower(), block, usedforsecurity=False).digest()
        forms = made.hex(), base64.b32encode(made).decode().lower().rstrip("=")
        told = value.strip().lower().rstrip("=")
        if len(told) in map(len, forms) and told not in forms:
            raise Damaged("the content has changed: its digest differs")


# --- writing --------------------------------------------------------------------------------------
# Writing WARC 1.1 files: request, response and metadata records, each in a gzip member of its own.
#
# Records are written whole, without a buffer. An unfinished file is locked, and its name ends in ``.open``, as with
# Heritrix; a torn end is cut off by the next writer. Several crawls may start in one folder, so a file may vanish before it
# is locked. warcio makes the records, but would compress them at level 9, so that is done here. Cost:
# ``benchmarks/archives.py``.


def mend(folder: Path) -> None:
    """End the files whose writer has died: what was torn is cut off, and they get their final names.

    :raises OSError: one cannot be written.
    """
    for path in sorted(folder.glob(f"*.warc.gz{OPEN}")):
        if (descriptor := _locked(path)) is None:
            continue
        try:
            with open_file(path) as stored:
                end = whole_until(stored)
            os.ftruncate(descriptor, end)
            if end:
                path.rename(path.with_name(path.name.removesuffix(OPEN)))
            else:
                path.unlink()
        finally:
            os.close(descriptor)


def _locked(path: Path, flags: int = 0) -> int | None:
    """Open a file and lock it; None: another process writes it, or has just renamed or removed it."""
    try:
        descriptor = os.open(path, os.O_RDWR | flags, 0o644)
    except FileNotFoundError:
        if flags & os.O_CREAT:
            raise  # the folder is gone
        return None
    with suppress(BlockingIOError, FileNotFoundError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(path.stat(), os.fstat(descriptor)):
            return descriptor
    os.close(descriptor)
    return None


LEVEL = 1
"""On 300 pages of the bench, 134 KB each: ISA-L 0.20 ms and 29 % of the size, zlib 0.95 ms and 23 %, its level 6 1.8 ms and
20 %."""
MAX_FILE = 1_000_000_000
"""Bytes after which the next file is begun."""
_SECRET = frozenset({"authorization", "proxy-authorization", "cookie"})
"""Request headers that are not written down."""
Headers = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request for the URL ``asked`` and its answer, which came from ``url``."""

    url: str
    asked: str
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
    name: str
    descriptor: int
    end: int = 0
    info: str = ""
    """The id of its warcinfo record."""


@dataclass(frozen=True, slots=True)
class NewRecord:
    """A record to be written."""

    kind: str
    url: str | None
    at: datetime
    content: bytes
    headers: dict[str, str]
    head: Any = None
    """Of HTTP."""


class WarcWriter:
    """Writes the files of one run; not to be used by two threads at a time.

    The last file but one stays open: what is known of a page goes where its answer stands, so each file can be read alone.

    :raises DataError: the folder cannot be written.
    :raises MissingExtra: warcio is not installed.
    """

    def __init__(self, folder: Path, name: str, *, limit: int = MAX_FILE) -> None:
        loader()
        self.folder = folder
        self._name = name
        self._limit = limit
        self._file: _Open | None = None
        self._before: _Open | None = None
        self._files: list[str] = []
        self._size = self._answers = self._described = 0
        self._began = datetime.now(UTC)
        with naming(f"{folder}: cannot be written", "name another folder for the archive"):
            folder.mkdir(parents=True, exist_ok=True)
            mend(folder)
            if not os.access(folder, os.W_OK):
                raise PermissionError(13, "Permission denied")

    def exchange(self, exchange: Exchange) -> tuple[str, str | None]:
        """Write an answer, its request, and the walk if there is one; gives the places (``file#offset``) of answer and walk.

        :raises OSError: the disk is full, or the file cannot be written; then it is as before.
        """
        file = self._begin()
        answer = _head(f"{exchange.status} {responses.get(exchange.status, '')}", exchange.headers, "HTTP/1.1")
        parts = urlsplit(exchange.asked)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        sent = [("Host", parts.netloc.rpartition("@")[2]), *exchange.request_headers]
        request = _head(f"{target} HTTP/1.1", [h for h in sent if h[0].lower() not in _SECRET], exchange.method)
        more = {"WARC-Truncated": "unspecified"} if exchange.cut else {}
        first = record_name(f"{file.name}#{file.end}")
        records = [
            NewRecord("response", exchange.url, exchange.at, exchange.body, more, answer),
            NewRecord("request", exchange.asked, exchange.at, b"", {"WARC-Concurrent-To": first}, request),
        ]
        if exchange.walk is not None:
            more = {"WARC-Refers-To": first, "Content-Type": WALK_TYPE}
            records.append(NewRecord("metadata", exchange.url, exchange.at, exchange.walk, more))
        page, _, *walk = self._write(file, *records)
        self._answers += 1
        return page, walk[0] if walk else None

    def describe(self, described: Described, at: datetime) -> None:
        """Write what a crawl knows of a page. Raises OSError: the file cannot be written."""
        first = described.parts[0]
        file = self._before if self._before is not None and self._before.name == first.file else self._begin(first.file)
        more = {"WARC-Refers-To": first.record, "Content-Type": CONTENT_TYPE}
        self._write(file, NewRecord("metadata", first.url, at, described.to_bytes(), more))
        self._described += 1

    def summary(self) -> str:
        """What has been written, in one line; files are told by their final names."""
        if not self._files:
            return f"nothing new in {self.folder}"
        where = self.folder / self._files[0] if len(self._files) == 1 else f"{len(self._files)} files in {self.folder}"
        what = plural(self._answers, "response") + ("" if self._described else ", no new page")
        return f"{where} ({what}, {self._size / 1e6:.1f} MB)"

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
        descriptor = None
        while descriptor is None:
            name = f"{self._name}-{self._began:%Y%m%d%H%M%S}-{len(self._files):05}-{uuid.uuid4().hex[:8]}.warc.gz"
            descriptor = _locked(self.folder / (name + OPEN), os.O_CREAT | os.O_EXCL)
        file = _Open(name, descriptor)
        fields = {
            "software": f"newsextract/{newsextract.__version__}",
            "format": "WARC File Format 1.1",
            "conformsTo": "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
        }
        text = "".join(f"{key}: {value}\r\n" for key, value in fields.items()).encode()
        more = {"WARC-Filename": name, "Content-Type": "application/warc-fields"}
        try:
            (info,) = self._write(file, NewRecord("warcinfo", None, self._began, text, more))
        except OSError:
            os.unlink(self.folder / (name + OPEN))
            os.close(descriptor)
            raise
        file.info = record_name(info)
        self._files.append(name)
        self._file = file
        return file

    def _write(self, file: _Open, *records: NewRecord) -> list[str]:
        """Write records in one go, each as a gzip member, and return their places; on failure the file is as before."""
        from warcio.warcwriter import WARCWriter

        places, packed = [], b""
        for one in records:
            places.append(f"{file.name}#{file.end + len(packed)}")
            headers = {
                "WARC-Record-ID": record_name(places[-1]),
                "WARC-Date": one.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
                **({"WARC-Warcinfo-ID": file.info} if file.info else {}),
                MARK: str(VERSION),
                **one.headers,
            }
            written = io.BytesIO()
            writer = WARCWriter(written, gzip=False, warc_version="WARC/1.1")
            content = {"payload": io.BytesIO(one.content), "length": len(one.content), "http_headers": one.head}
            writer.write_record(writer.create_warc_record(one.url, one.kind, warc_headers_dict=headers, **content))
            packer = packers.compressobj(LEVEL, zlib.DEFLATED, 31)
            packed += packer.compress(written.getbuffer()) + packer.flush()
        write_whole(file.descriptor, packed, file.end, self.folder / file.name)
        file.end += len(packed)
        self._size += len(packed)
        return places


def _head(first: str, headers: Headers, last: str) -> Any:
    """HTTP headers whose bytes stay as they came; warcio would percent-encode those that are not ASCII."""
    from warcio.statusandheaders import StatusAndHeaders

    head = StatusAndHeaders(first, list(headers), last)
    head.to_ascii_bytes = partial(head.to_bytes, encoding="latin-1")
    return head
