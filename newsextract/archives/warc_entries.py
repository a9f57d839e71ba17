"""WARC files → entries: of our own crawls what they say of each page, of others every web page.

Of our own crawls an article is what a metadata record says: responses alone may be listings, sitemaps, robots.txt. Of
others each web page with status 200 may be an article; its own evidence decides (see ``vouched``). Which is which each
record's own headers tell (:data:`newsextract.archives.metadata.MARK`), so files may be put together, and a damaged record
changes nothing for the others.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from datetime import datetime
from types import TracebackType
from typing import Self, TypeVar

from newsextract.archives.encodings import MissingCoding, TooLarge, decoded
from newsextract.archives.entries import ArchivedArticle, ArchivedRecordPage, Entry, Failure, SiteFacts, site_name
from newsextract.archives.metadata import (
    CONTENT_TYPE,
    MARK,
    SNAPSHOT_TYPE,
    SOFTWARE,
    WALK_TYPE,
    Described,
    Part,
    time_of,
)
from newsextract.archives.storage import Stored
from newsextract.archives.warc_records import WarcRecord, placed_records, record_at, records
from newsextract.archives.warc_streams import Damaged
from newsextract.errors import DataError
from newsextract.page import MAX_BYTES, Hints, Page
from newsextract.rendered_page import Fetched, RenderedPage
from newsextract.snapshot import Snapshot

T = TypeVar("T")
KEEP_BYTES = 30_000_000
"""Bytes of the last records that are kept: what metadata name was mostly written just before them."""
_RECORD_BYTES = 4_000
"""Of a record beside its content and its headers, about."""
_HEADER_BYTES = 200
"""Of a header beside its name and its value, about."""
MAX_OTHERS = 4
"""Other files that are kept open: what metadata name stands in the file before, if not in their own."""
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
        """By their ids."""
        self._kept = 0
        self._others: OrderedDict[str, Stored | None] = OrderedDict()
        """The last other files that were looked into, and those that are not there."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
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
        for record in records(self._stored):
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
        status = "damaged"
        try:
            return make(record)
        except TooLarge as error:
            status, reason = "too_large", str(error)
        except MissingCoding as error:
            status, reason = "failed", str(error)
        except (ValueError, DataError) as error:  # DataError: a snapshot, or another file of the crawl
            reason = str(error)
        return self._stored.failure(record.offset, record.inside, reason, status, record.headers.get("warc-target-uri"))

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
        """What a metadata record describes.

        :raises ValueError: it, or what it names, cannot be read.
        """
        described = Described.from_bytes(record.content)
        place = self._stored.place(record.offset, record.inside)
        parts = tuple(self._parts(described))
        if described.line is not None:
            return ArchivedRecordPage(place, described.site, described.line, described.query, described.shape, parts[0])
        return ArchivedArticle(
            place, described.site, described.requested_url, parts, described.etag, described.last_modified
        )

    def _parts(self, described: Described) -> Iterator[Fetched]:
        """The pages, each made once; the first has its own cap.

        :raises TooLarge: together they are over the cap.
        """
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
        return _made(record, part.url, part.fetched_at, hints, place)

    def _named(self, part: Part) -> WarcRecord:
        """The record that metadata name.

        :raises Damaged: it is not there.
        """
        if (recent := self._recent.get(part.record)) is not None:
            return recent  # whatever the file is called now
        stored: Stored | None = self._stored
        if part.file.rpartition("/")[2] != self._stored.name.rpartition("/")[2]:
            stored = self._other(part.file)
        if stored is None:
            raise Damaged(f"the page stands in {part.file}, which is not there")
        record = record_at(stored, part.offset)
        if record.headers.get("warc-record-id") != part.record:
            raise Damaged(f"another record stands at {part.file}#{part.offset}")
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
    """Bytes of a record in memory, about."""
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
    """The page of a response.

    :raises ValueError: its body cannot be unpacked, or is over the cap.
    """
    headers: dict[str, str] = {}
    for name, value in record.http_headers:
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    body = decoded(record.content, headers.get("content-encoding"), MAX_BYTES)
    if len(body) > MAX_BYTES:
        raise TooLarge(f"the page has {len(body):,} bytes, over the cap of {MAX_BYTES:,}")
    kept = {name: value for name, value in headers.items() if name not in _NOT_PAGES}
    return Page(body, url, kept, fetched_at, hints, place=place)
