"""Archives of any kind → entries, one after the other: WARC, WACZ, folders, JSON Lines. No network.

:func:`read_pages` gives plain pages; :func:`read_entries` what a crawl made of them, for the same records again.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import gzip
import json
import re
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Self, TypeVar

from newsextract.archives.entries import (
    CONTENT_TYPE,
    EPOCH,
    MARK,
    SNAPSHOT_TYPE,
    SOFTWARE,
    WALK_TYPE,
    ArchivedArticle,
    ArchivedRecordPage,
    Described,
    Entry,
    Failure,
    Part,
    SiteFacts,
    mark_of,
    optional,
    site_name,
    text,
    time_of,
)
from newsextract.archives.storage import OPEN, MissingCoding, Stored, TooLarge, decoded, open_file, status_of, wacz_members
from newsextract.archives.warc import Damaged, WarcRecord, loader, placed_records, record_at
from newsextract.errors import DataError, NewsextractError, naming
from newsextract.page.page import MAX_BYTES, Fetched, Hints, Page, RenderedPage, opened
from newsextract.page.snapshot import MAX_SCREENSHOT, MAX_UNPACKED, Snapshot, is_snapshot

# --- page files -----------------------------------------------------------------------------------
# Pages in folders and in JSON Lines → entries.
#
# The files of a folder are web pages (``.html``, ``.htm``, ``.xhtml``, also with ``.gz``; ``.mhtml``) and snapshots. A
# page's URL is in MHTML, or in the comment that browsers write into saved pages; otherwise its file's name and a mark of its
# bytes are used. A JSON line has ``url`` and ``html`` (text) or ``body`` (base64); optional: ``headers``, ``fetched_at``,
# ``hints``, ``site``.

PAGE_ENDINGS = (".html", ".htm", ".xhtml", ".html.gz", ".htm.gz", ".mhtml", ".mht", ".snapshot")
LINE_ENDINGS = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
MAX_LINE = 64_000_000
"""Bytes of a line: a page at its cap takes up to six bytes for each of its own in JSON."""
_CHUNK = 1 << 17
"""Bytes of a packed file that are read at a time, at most."""
_SAVED_FROM = re.compile(rb"<!-- saved from url=\(\d{4}\)(https?://[^\s>]{1,2000}) -->")
"""Internet Explorer began it; Chrome still writes it."""


def page_file(path: Path, name: str) -> ArchivedArticle | Failure:
    """One saved page.

    :param name: what the place calls it: the path below the folder that the user named.
    """
    at, mark = EPOCH, ""
    try:
        at = datetime.fromtimestamp(int(path.stat().st_mtime), UTC)
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
            if is_snapshot(data):
                data += file.read(MAX_UNPACKED + MAX_SCREENSHOT)
        mark = mark_of(data)
        if is_snapshot(data):
            page = Page.from_snapshot(Snapshot.from_bytes(data, name))
        else:
            body = decoded(data, "gzip", MAX_BYTES) if path.suffix.lower() == ".gz" else data
            if len(body) > MAX_BYTES:
                raise TooLarge(f"the page has more than {MAX_BYTES:,} bytes, the limit")
            saved = _SAVED_FROM.search(body[:4_096])
            page = Page.from_saved(body, saved[1].decode("latin-1") if saved else None, at)
    except (OSError, ValueError, DataError) as error:
        return Failure(name, getattr(error, "strerror", None) or str(error), status_of(error), at=at, mark=mark)
    placed = Page(page.body, page.url, page.headers, page.fetched_at, page.hints, page.snapshot, name)
    return ArchivedArticle(name, SiteFacts(site_name(page.url)), page.url or f"file:{name}#{mark_of(page.body)}", (placed,))


def page_lines(path: Path, size: int | None = None) -> Iterator[tuple[int, ArchivedArticle | Failure]]:
    """The pages of a file of JSON Lines, each with the offset that the file has been read to.

    :param size: lines that begin there or behind do not count: the file has grown since it was found.
    :raises DataError: the file cannot be read.
    """
    with naming(path), path.open("rb") as file:
        at = datetime.fromtimestamp(int(path.stat().st_mtime), UTC)
        mark = mark_of(file.read(256))
        file.seek(0)
        offset = 0
        packed = path.suffix.lower() == ".gz"
        for line in _lines(file, packed):
            if size is not None and (file.tell() - _CHUNK if packed else offset) >= size:
                return
            place = f"{path.name}#{offset}"
            if isinstance(line, Failure):
                yield file.tell(), Failure(place, line.reason, line.status, at=at, mark=mark)
                offset += int(line.place)
                continue
            if line.strip():
                yield file.tell(), _page_line(line, place, at)
            offset += len(line)


def _page_line(line: bytes, place: str, at: datetime) -> ArchivedArticle | Failure:
    try:
        value = json.loads(line)
        if not isinstance(value, dict):
            raise ValueError("no object")
        return page_object(value, place)
    except (TooLarge, MissingCoding) as error:
        return Failure(place, str(error), error.status, at=at, mark=mark_of(line))
    except (ValueError, RecursionError) as error:
        reason = f"no page: {error}; expected an object with url and html, or body in base64"
        return Failure(place, reason, at=at, mark=mark_of(line))


def page_object(value: dict[str, Any], place: str) -> ArchivedArticle:
    """:raises ValueError: the object is no page."""
    url = text(value, "url")
    if not url.strip():
        raise ValueError("url is empty")
    given = value.get("headers") or {}
    if not isinstance(given, dict) or not all(isinstance(v, str) for v in given.values()):
        raise ValueError("headers are not an object of strings")
    headers = {name.lower(): v for name, v in given.items()}
    if "html" in value:
        body = text(value, "html").encode("utf-8", "replace")
        headers["content-type"] = "text/html; charset=utf-8"  # what the page says of itself was true of the bytes
    elif "body" not in value:
        raise ValueError("has neither html nor body")
    else:
        try:
            body = base64.b64decode(text(value, "body"), validate=True)
        except binascii.Error as error:
            raise ValueError(f"body is not base64 ({error})") from error
        body = decoded(body, headers.pop("content-encoding", None), MAX_BYTES)
    if len(body) > MAX_BYTES:
        raise TooLarge(f"the page has {len(body):,} bytes; the limit is {MAX_BYTES:,}")
    written = optional(value, "fetched_at")
    hints = value.get("hints") or {}
    if not isinstance(hints, dict):
        raise ValueError("hints are not an object")
    told = Hints(*(optional(hints, name) for name in ("title", "date", "source", "language")))
    page = Page(body, url, headers, time_of(written) if written else None, told, place=place)
    site = value.get("site")
    facts = SiteFacts.from_json({"name": site} if isinstance(site, str) else site) if site else SiteFacts(site_name(url))
    asked = optional(value, "requested_url") or url
    return ArchivedArticle(place, facts, asked, (page,), headers.get("etag"), headers.get("last-modified"))


def _lines(file: BinaryIO, packed: bool) -> Iterator[bytes | Failure]:
    """Lines; one over the cap, and the place where a packed file is damaged, as a failure whose place is its length."""
    source = gzip.GzipFile(fileobj=file) if packed else file
    try:
        while line := source.readline(MAX_LINE + 1):
            if len(line) <= MAX_LINE:
                yield line
                continue
            size = len(line)
            while line and not line.endswith(b"\n"):
                line = source.readline(_CHUNK)
                size += len(line)
            yield Failure(str(size), f"the line has over {MAX_LINE:,} bytes, the limit", "too_large")
    except EOFError:
        yield Failure("0", "truncated: the gzip data have no end")
    except (gzip.BadGzipFile, zlib.error) as error:
        yield Failure("0", f"not readable as gzip: {error}")


# --- warc entries ---------------------------------------------------------------------------------
# WARC files → entries. Of our own crawls: the articles that metadata records describe, because a response may be anything.
# Of other crawls: every web page with status 200 may be an article; its content decides (``vouched``). Each record's headers
# tell which it is (:data:`newsextract.archives.entries.MARK`), so files may be concatenated.

T = TypeVar("T")
KEEP_BYTES = 30_000_000
"""Bytes of recent records that are kept, because metadata mostly follow the records that they name."""
_RECORD_BYTES = 4_000
"""Of a record beside its content and its headers, about."""
_HEADER_BYTES = 200
"""Of a header beside its name and its value, about."""
MAX_OTHERS = 4
"""Other files that are kept open, for metadata that name a record in the file before."""
MAX_ARTICLE = 3 * MAX_BYTES
"""Bytes of all pages of one article, unpacked."""
WEB_TYPES = ("text/html", "application/xhtml+xml")
_NOT_PAGES = ("content-encoding", "transfer-encoding", "content-length")


class WarcEntries:
    """The entries of one WARC file; a context manager that closes other files that were looked into."""

    def __init__(self, stored: Stored) -> None:
        self._stored = stored
        self._ours: set[str] = set()
        """Ids of the warcinfo records of crawls whose records had no mark yet."""
        self._recent: OrderedDict[str, WarcRecord] = OrderedDict()
        self._kept = 0
        self._others: OrderedDict[str, Stored | None] = OrderedDict()
        """The last other files that were looked into, and those that are not there."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        while self._others:
            self._forget()

    def entries(self) -> Iterator[tuple[int, Entry]]:
        """Entries, each with the offset that the file has been read to."""
        for offset, record in placed_records(self._stored):
            found = record if isinstance(record, Failure) else self._entry(record)
            if found is not None:
                yield offset, found

    def pages(self) -> Iterator[Fetched | Failure]:
        """Every web page that the file holds with status 200, whatever a crawl made of it; not what a browser drew."""
        for _, record in placed_records(self._stored):
            if isinstance(record, Failure):
                yield record
            elif is_web_page(record):
                yield self._guarded(record, self._page)

    def _entry(self, record: WarcRecord) -> Entry | None:
        if record.type == "warcinfo":
            if SOFTWARE.encode() in record.content[:4_096]:
                self._ours.add(record.headers.get("warc-record-id", ""))
        elif MARK.lower() in record.headers or record.headers.get("warc-warcinfo-id") in self._ours:
            self._keep(record)
            if record.type == "metadata" and record.headers.get("content-type") == CONTENT_TYPE:
                return self._guarded(record, self._described)
        elif is_web_page(record):
            return self._guarded(record, self._unknown)
        return None

    def _guarded(self, record: WarcRecord, make: Callable[[WarcRecord], T]) -> T | Failure:
        """What is made of a record, or why nothing is."""
        try:
            return make(record)
        except (ValueError, DataError) as error:  # DataError: a snapshot, or another file of the crawl
            status = "damaged" if isinstance(error, Damaged) else status_of(error)
            url = record.headers.get("warc-target-uri")
            return self._stored.failure(record.offset, record.inside, str(error), status, url)

    # -- our own files ---------------------------------------------------------------------------------------------

    def _keep(self, record: WarcRecord) -> None:
        if record.type != "response" and record.headers.get("content-type") not in (WALK_TYPE, SNAPSHOT_TYPE):
            return
        if (name := record.headers.get("warc-record-id", "")) in self._recent:
            return
        self._recent[name] = record
        self._kept += _weight(record)
        while self._kept > KEEP_BYTES and len(self._recent) > 1:
            self._kept -= _weight(self._recent.popitem(last=False)[1])

    def _described(self, record: WarcRecord) -> ArchivedArticle | ArchivedRecordPage:
        """What a metadata record describes. Raises ValueError: it, or what it names, cannot be read."""
        described = Described.from_bytes(record.content)
        place = self._stored.place(record.offset, record.inside)
        parts = tuple(self._parts(described))
        if described.line is not None:
            return ArchivedRecordPage(place, described.site, described.line, described.query, described.shape, parts[0])
        return ArchivedArticle(
            place, described.site, described.requested_url, parts, described.etag, described.last_modified, is_crawled=True
        )

    def _parts(self, described: Described) -> Iterator[Fetched]:
        """The pages, each made once; the first has its own cap. Raises TooLarge: together they are over the cap."""
        made: dict[Part, Fetched] = {}
        size = 0
        for part in described.parts:
            page = made[part] = made.get(part) or self._part(part, described.hints)
            size += len(page.body) if isinstance(page, RenderedPage) or page.snapshot is None else MAX_BYTES
            if size > MAX_ARTICLE and len(described.parts) > 1:
                raise TooLarge(f"the {len(described.parts)} pages of the article have more than {MAX_ARTICLE:,} bytes")
            yield page

    def _part(self, part: Part, hints: Hints) -> Fetched:
        record = self._named(part)
        place = f"{part.file}#{part.offset}"
        kind = record.headers.get("content-type")
        if kind == WALK_TYPE:
            return RenderedPage(record.content, part.url, {}, part.fetched_at, hints, part.note, place)
        if kind == SNAPSHOT_TYPE:
            page = Page.from_snapshot(Snapshot.from_bytes(record.content, place))
            return Page(page.body, part.url, page.headers, part.fetched_at, hints, page.snapshot, place)
        return dataclasses.replace(_made(record, part.url, part.fetched_at, hints, place), note=part.note)

    def _named(self, part: Part) -> WarcRecord:
        """The record that metadata name. Raises Damaged: it is not there."""
        if (recent := self._recent.get(part.record)) is not None:
            return recent  # whatever the file is called now
        stored: Stored | None = self._stored
        if part.file.rpartition("/")[2] != self._stored.name.rpartition("/")[2]:
            stored = self._other(part.file)
        if stored is None:
            raise Damaged(f"the page is in {part.file}, which is missing")
        record = record_at(stored, part.offset)
        if record.headers.get("warc-record-id") != part.record:
            raise Damaged(f"another record is at {part.file}#{part.offset}")
        return record

    def _other(self, name: str) -> Stored | None:
        if name not in self._others:
            self._others[name] = self._stored.sibling(name)
            if len(self._others) > MAX_OTHERS:
                self._forget()
        self._others.move_to_end(name)
        return self._others[name]

    def _forget(self) -> None:
        _, other = self._others.popitem(last=False)
        if other is not None:
            other.__exit__(None, None, None)

    # -- all others ------------------------------------------------------------------------------------------------

    def _unknown(self, record: WarcRecord) -> ArchivedArticle:
        page = self._page(record)
        assert page.url is not None  # is_web_page has looked
        site = SiteFacts(site_name(page.url))
        tags = dict(record.http_headers)
        return ArchivedArticle(
            page.place or "", site, page.url, (page,), tags.get("etag"), tags.get("last-modified"), vouched=False
        )

    def _page(self, record: WarcRecord) -> Page:
        """:raises ValueError: the time or the body cannot be read."""
        at = time_of(record.headers.get("warc-date", "")).replace(microsecond=0)
        return _made(
            record, record.headers["warc-target-uri"], at, Hints(), self._stored.place(record.offset, record.inside)
        )


def _weight(record: WarcRecord) -> int:
    headers = [*record.headers.items(), *record.http_headers]
    return len(record.content) + sum(len(a) + len(b) + _HEADER_BYTES for a, b in headers) + _RECORD_BYTES


def is_web_page(record: WarcRecord) -> bool:
    """Whether a record is the answer to a request for a web page, with status 200."""
    if record.type != "response" or record.status != 200:
        return False
    if not record.headers.get("warc-target-uri", "").lower().startswith(("http://", "https://")):
        return False
    kind = dict(record.http_headers).get("content-type", "text/html")
    return kind.partition(";")[0].strip().lower() in WEB_TYPES


def _made(record: WarcRecord, url: str, fetched_at: datetime, hints: Hints, place: str) -> Page:
    """The page of a response. Raises ValueError: its body cannot be unpacked, or is over the cap."""
    headers: dict[str, str] = {}
    for name, value in record.http_headers:
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    body = decoded(record.content, headers.get("content-encoding"), MAX_BYTES)
    if len(body) > MAX_BYTES:
        raise TooLarge(f"the page has {len(body):,} bytes; the limit is {MAX_BYTES:,}")
    kept = {name: value for name, value in headers.items() if name not in _NOT_PAGES}
    return Page(body, url, kept, fetched_at, hints, place=place)


# --- reading --------------------------------------------------------------------------------------

WARC_ENDINGS = (".warc", ".warc.gz", f".warc{OPEN}", f".warc.gz{OPEN}")
ZIP_ENDINGS = (".wacz",)
_KNOWN = (*WARC_ENDINGS, *ZIP_ENDINGS, *LINE_ENDINGS, *PAGE_ENDINGS)


@dataclass(frozen=True, slots=True)
class Archive:
    """One file that is to be read."""

    path: Path
    name: str
    """Path below the folder that the user named, or the file's own name."""
    size: int
    """When it was found; what is added later does not count."""


@dataclass(frozen=True, slots=True)
class Step:
    """An entry, and how far the archives have been read."""

    entry: Entry
    done: int
    """Bytes."""


def find_archives(paths: Iterable[Path], output: Iterable[Path] = ()) -> list[Archive]:
    """The files that are meant: those named, and those below the folders named, in the order of their names.

    :param output: files and folders that the run writes: they are no input, though they may stand in a folder that is.
    :raises DataError: a path is missing, of an unknown kind, the run's own output, or a folder without archives and pages.
    :raises MissingExtra: there are WARC files, and warcio is not installed.
    """
    own = [path for path in output if path.exists()]
    found: list[Archive] = []
    for path in paths:
        if path.is_dir():
            below = [file for file in sorted(path.rglob("*")) if file.name.lower().endswith(_KNOWN) and file.is_file()]
            below = [file for file in below if not _is_of(own, file)]
            if not below:
                raise DataError(f"{path}: no archive or page in this folder; expected {', '.join(_KNOWN)}")
            found += [Archive(file, file.relative_to(path).as_posix(), file.stat().st_size) for file in below]
        elif path.is_file():
            if not path.name.lower().endswith(_KNOWN):
                raise DataError(f"{path}: unknown kind of file; expected a folder or {', '.join(_KNOWN)}")
            if _is_of(own, path):
                raise DataError(f"{path}: is the output of this run; name another file for the output")
            found.append(Archive(path, path.name, path.stat().st_size))
        else:
            raise DataError(f"{path}: no such file or folder")
    if any(archive.name.lower().endswith((*WARC_ENDINGS, *ZIP_ENDINGS)) for archive in found):
        loader()
    return found


def _is_of(own: Iterable[Path], file: Path) -> bool:
    """Whether a file is one of some files, or is in one of some folders."""
    return any(file.resolve().is_relative_to(one.resolve()) if one.is_dir() else file.samefile(one) for one in own)


def read_entries(archives: Iterable[Archive], *, every_page: bool = False, strict: bool = False) -> Iterator[Step]:
    """All entries in the order of the archives.

    :param every_page: every web page counts as an article, whatever its own evidence says.
    :param strict: who calls will try again what the disk does not give.
    :raises OSError: a file cannot be read any further; only if ``strict``, else it is a failure.
    """
    before = 0
    for archive in archives:
        try:
            for at, entry in _entries(archive):
                if every_page and isinstance(entry, ArchivedArticle):
                    entry = dataclasses.replace(entry, vouched=True)
                yield Step(entry, before + min(at, archive.size))
        except (DataError, OSError) as error:
            if strict and isinstance(error, OSError):
                raise
            yield Step(Failure(archive.name, str(error)), before + archive.size)
        before += archive.size


def _entries(archive: Archive) -> Iterator[tuple[int, Entry]]:
    name = archive.name.lower()
    if name.endswith((*WARC_ENDINGS, *ZIP_ENDINGS)):
        for reader in _warc_files(archive):
            yield from [(0, reader)] if isinstance(reader, Failure) else reader.entries()
    elif name.endswith(LINE_ENDINGS):
        yield from page_lines(archive.path, archive.size)
    else:
        yield archive.size, page_file(archive.path, archive.name)


def _warc_files(archive: Archive) -> Iterator[WarcEntries | Failure]:
    """A WARC file, or those of a WACZ file, each open until the next one is asked for."""
    if archive.name.lower().endswith(WARC_ENDINGS):
        with open_file(archive.path, archive.size) as stored, WarcEntries(stored) as reader:
            yield reader
        return
    for member in wacz_members(archive.path):
        if isinstance(member, Failure):
            yield member
            continue
        with WarcEntries(member) as reader:
            yield reader


def read_pages(*paths: str | Path) -> Iterator[Page | Failure]:
    """All web pages of archives, each with its ``place``; what cannot be read as a :class:`Failure`.

    :raises DataError: a path is missing or of an unknown kind.
    :raises MissingExtra: there are WARC files, and warcio is not installed.
    """
    for archive in find_archives(map(Path, paths)):
        try:
            yield from _pages(archive)
        except (DataError, OSError) as error:
            yield Failure(archive.name, str(error))


def _pages(archive: Archive) -> Iterator[Page | Failure]:
    if archive.name.lower().endswith((*WARC_ENDINGS, *ZIP_ENDINGS)):
        for reader in _warc_files(archive):
            yield from [reader] if isinstance(reader, Failure) else map(_opened, reader.pages())
    else:
        for _, entry in _entries(archive):
            if isinstance(entry, ArchivedArticle):
                yield from map(_opened, entry.parts)
            elif isinstance(entry, Failure):
                yield entry


def _opened(page: Fetched | Failure) -> Page | Failure:
    if isinstance(page, Failure):
        return page
    try:
        return opened(page)
    except NewsextractError as error:
        return Failure(page.place or "", str(error), url=page.url)
