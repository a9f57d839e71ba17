"""A page as extraction sees it: bytes, URL, headers, time of fetch, hints. Extraction reads nothing else.

Text, tree and metadata are each computed once, on demand, and cached; a page never changes. Because of size limits, a
hostile page costs no more than a large ordinary one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from selectolax.lexbor import LexborNode

from newsextract.page.decoding import Decoded, decode, html_of_mhtml
from newsextract.page.dom import Dom, read_dom
from newsextract.page.metadata import Metadata, read_metadata
from newsextract.page.nodes import Nodes, read_nodes
from newsextract.page.parsing import parse
from newsextract.page.snapshot import Snapshot
from newsextract.page.source import Source, scan
from newsextract.results import RecordPage, RecordSet

if TYPE_CHECKING:
    from newsextract.discovery.kinds import PageKind

# --- page -----------------------------------------------------------------------------------------

MAX_BYTES = 10_000_000
"""Larger bodies are rejected with status ``too_large``; the largest page of the benchmark set has 3 MB."""


@dataclass(frozen=True, slots=True)
class Hints:
    """Metadata about a page from the feed, sitemap or listing where its URL was found."""

    title: str | None = None
    date: str | None = None
    """ISO 8601, or as the feed or sitemap wrote it."""
    source: str | None = None
    """``feed``, ``sitemap`` or ``listing``."""
    language: str | None = None
    """The language in the site's definition, ISO 639-1."""


@dataclass(frozen=True, eq=False, repr=False)
class Page:
    """One fetched page.

    :param body: the bytes as received, after content decoding (gzip and the like).
    :param url: the URL of the response, or None.
    :param headers: HTTP headers; names in any case.
    :param fetched_at: time of fetch; relative dates ("3 hours ago") are resolved against it. None: unknown; then relative
        dates give no date.
    :param hints: metadata from feed, sitemap or site.
    """

    body: bytes
    url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    fetched_at: datetime | None = None
    hints: Hints = field(default_factory=Hints)
    snapshot: Snapshot | None = None
    """The rendered page, for algorithms that need one; ``body`` is then the rendered DOM."""
    place: str | None = None
    """Its position in an archive: the file's name, ``#``, the record's offset; None: not from an archive. Extraction ignores
    it."""
    note: str | None = None
    """A remark about how the page was fetched, for readers of its record."""
    month_first: bool | None = None
    """Order of 03/04/2010 in dates of posts, if other pages of the site have shown it and this one does not."""

    def __post_init__(self) -> None:
        """Refuse values that would fail later with an error that names neither of them."""
        if not isinstance(self.body, bytes):
            what = type(self.body).__name__
            raise TypeError(f"the body of a page is bytes, not {what}; make a page of text with Page.from_text(text, url)")
        if self.url is not None and not isinstance(self.url, str):
            raise TypeError(f"the URL of a page is a str or None, not {type(self.url).__name__}")
        if self.fetched_at is not None and not isinstance(self.fetched_at, datetime):
            raise TypeError(f"the time of fetch is a datetime or None, not {type(self.fetched_at).__name__}")

    def __getstate__(self) -> dict[str, Any]:
        """Copy and pickle the fields only: what is cached is computed again, and its trees cannot be pickled."""
        return {entry.name: getattr(self, entry.name) for entry in dataclasses.fields(self)}

    @classmethod
    def from_snapshot(cls, snapshot: Snapshot) -> Page:
        """Make the page of a snapshot."""
        headers = {"content-type": "text/html; charset=utf-8"}
        body = snapshot.html.encode("utf-8", "replace")
        return cls(body, snapshot.url, headers, snapshot.fetched_at, snapshot=snapshot)

    @classmethod
    def from_text(cls, text: str, url: str | None = None) -> Page:
        """Make a page from decoded text; its declarations of an encoding are ignored."""
        if not isinstance(text, str):
            raise TypeError(f"text is a str, not {type(text).__name__}; make a page of bytes with Page(body, url)")
        return cls(text.encode("utf-8", "replace"), url, {"content-type": "text/html; charset=utf-8"})

    @classmethod
    def from_saved(cls, data: bytes, url: str | None = None, fetched_at: datetime | None = None) -> Page:
        """Make a page from what a browser has saved: its source, or MHTML, which also names the URL.

        :param url: None: that of the MHTML file.
        """
        body, kind, saved_at = html_of_mhtml(data) or (data, None, None)
        return cls(body, url or saved_at, {"content-type": kind} if kind else {}, fetched_at)

    def __repr__(self) -> str:
        """URL and size, for logs."""
        return f"<Page {str(self.url)[:200]}, {len(self.body)} bytes>"

    def header(self, name: str) -> str | None:
        """Value of a header, or None; the case of the name does not matter."""
        wanted = name.lower()
        return next((v for k, v in self.headers.items() if k.lower() == wanted), None)

    @cached_property
    def decoded(self) -> Decoded:
        """Text and encoding."""
        return decode(self.body, self.header("content-type"))

    @property
    def text(self) -> str:
        """The decoded source text."""
        return self.decoded.text

    @cached_property
    def _tree(self) -> LexborNode | None:
        """The document element; ``nodes`` and ``dom`` share it, so nobody may alter it."""
        return parse(self.text, self.body if self.decoded.is_body else None)

    @cached_property
    def nodes(self) -> Nodes:
        """The nodes of the source text in columns, without geometry; ``snapshot.nodes`` has those of the rendered page."""
        return read_nodes(self.text, self._tree)

    def nodes_of(self, found: RecordSet | RecordPage) -> Nodes:
        """The nodes to which the indices in the result of a record algorithm refer."""
        if not found.rendered or self.snapshot is None:
            return self.nodes
        return self.snapshot.nodes.written if found.written else self.snapshot.nodes

    @cached_property
    def source(self) -> Source:
        """Blocks and headings of the source text, without a tree."""
        return scan(self.text)

    @cached_property
    def dom(self) -> Dom:
        """Block elements, blocks and text leaves of the parsed tree."""
        return read_dom(self.text, self._tree)

    @cached_property
    def metadata(self) -> Metadata:
        """The contents of head, JSON-LD and ``<time>`` elements."""
        return read_metadata(self.text)

    @cached_property
    def kind(self) -> PageKind:
        """The kind of page; crawl and extraction share this judgement."""
        from newsextract.discovery.kinds import judge_kind  # late: it reads pages

        return judge_kind(self)

    @cached_property
    def time(self) -> datetime:
        """The time of fetch, always with a zone; the current time if it is unknown."""
        at = self.fetched_at or datetime.now(UTC)
        return at if at.tzinfo else at.replace(tzinfo=UTC)


# --- rendered page --------------------------------------------------------------------------------
# A page that a browser has rendered, before the walk (the browser's dump of the DOM) is parsed.
#
# The walk is one long JSON string. Crawls and archives pass it on unchanged. A worker parses it, under the worker's limits.


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A rendered page whose walk is not parsed yet. All fields except ``body`` are as in :class:`~newsextract.Page`."""

    body: bytes
    """The walk that ``newsextract.page.snapshot.WALKER`` returned, in UTF-8."""
    url: str
    """After redirects and scripts."""
    headers: Mapping[str, str]
    fetched_at: datetime
    hints: Hints
    note: str | None = None
    place: str | None = None

    @property
    def time(self) -> datetime:
        """The time of fetch."""
        return self.fetched_at

    def read(self) -> Page:
        """Parse the walk into a page with its snapshot.

        :raises SnapshotError: it exceeds a limit, or the scripts of the page returned something other than a walk.
        """
        walk = self.body.decode("utf-8", "surrogatepass")
        snapshot = Snapshot.from_walk(walk, self.url, fetched_at=self.fetched_at, scripts=True, note=self.note)
        page = Page.from_snapshot(snapshot)
        return dataclasses.replace(page, headers={**self.headers, **page.headers}, hints=self.hints, place=self.place)


Fetched = Page | RenderedPage


def opened(page: Fetched) -> Page:
    """Return the page that extraction reads.

    :raises SnapshotError: see :meth:`RenderedPage.read`.
    """
    return page.read() if isinstance(page, RenderedPage) else page
