"""A page as extraction sees it: bytes, address, headers, time of fetch, hints. Nothing else is ever read.

Text, tokens and metadata are each made once, on demand, and kept; a page is never changed. Caps on size keep a
hostile page from costing more than a large honest one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from newsextract.page.decoding import Decoded, decode
from newsextract.page.dom import Dom, read_dom
from newsextract.page.metadata import Metadata, read_metadata
from newsextract.page.nodes import Nodes, read_nodes
from newsextract.page.snapshot import Snapshot
from newsextract.page.source import Source, scan
from newsextract.results import RecordPage, RecordSet

if TYPE_CHECKING:
    from newsextract.discovery.kinds import PageKind

# --- page -----------------------------------------------------------------------------------------

MAX_BYTES = 10_000_000
"""Larger bodies are refused with status ``too_large``; the largest page of the bench has 3 MB."""


@dataclass(frozen=True, slots=True)
class Hints:
    """What the place where the address was found said about it (feed entry, sitemap entry, listing)."""

    title: str | None = None
    date: str | None = None
    """ISO 8601, or as the feed or sitemap wrote it."""
    source: str | None = None
    """``feed``, ``sitemap`` or ``listing``."""
    language: str | None = None
    """The site's language as its definition states it, ISO 639-1."""


@dataclass(frozen=True, eq=False, repr=False)
class Page:
    """One fetched page.

    :param body: the bytes as they came, after content decoding (gzip and the like).
    :param url: the address they came from, or None.
    :param headers: HTTP headers; names in any case.
    :param fetched_at: when; relative dates ("3 hours ago") are resolved against it. None: unknown; then they are none.
    :param hints: what the discovery knew.
    """

    body: bytes
    url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    fetched_at: datetime | None = None
    hints: Hints = field(default_factory=Hints)
    snapshot: Snapshot | None = None
    """What a browser saw, for algorithms that need a rendered page; ``body`` is then the rendered DOM."""
    place: str | None = None
    """Where it stands in an archive: the file's name, ``#``, the record's offset; None: in none. Extraction ignores it."""
    note: str | None = None
    """What a reader of its record should know of how it was fetched."""

    @classmethod
    def from_snapshot(cls, snapshot: Snapshot) -> Page:
        """The page that a browser saw."""
        headers = {"content-type": "text/html; charset=utf-8"}
        body = snapshot.html.encode("utf-8", "replace")
        return cls(body, snapshot.url, headers, snapshot.fetched_at, snapshot=snapshot)

    @classmethod
    def from_text(cls, text: str, url: str | None = None) -> Page:
        """A page from text that is decoded already (declarations in it are ignored)."""
        return cls(text.encode("utf-8", "replace"), url, {"content-type": "text/html; charset=utf-8"})

    def __repr__(self) -> str:
        """Short, for logs: never the page itself."""
        return f"<Page {str(self.url)[:200]}, {len(self.body)} bytes>"

    def header(self, name: str) -> str | None:
        """Value of a header whatever its case, or None."""
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
    def nodes(self) -> Nodes:
        """The nodes of the source text in columns, without geometry; those of a browser are in ``snapshot.nodes``."""
        return read_nodes(self.text)

    def nodes_of(self, found: RecordSet | RecordPage) -> Nodes:
        """Those that the numbers of what a record algorithm found belong to."""
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
        return read_dom(self.text, self.body if self.decoded.is_body else None)

    @cached_property
    def metadata(self) -> Metadata:
        """What head, JSON-LD and ``<time>`` elements say."""
        return read_metadata(self.text)

    @cached_property
    def kind(self) -> PageKind:
        """What kind of page it is: the one judgement that crawl and extraction share."""
        from newsextract.discovery.kinds import judge_kind  # late: it reads pages

        return judge_kind(self)

    @cached_property
    def time(self) -> datetime:
        """The time of fetch, always with a zone; the present where it is unknown."""
        at = self.fetched_at or datetime.now(UTC)
        return at if at.tzinfo else at.replace(tzinfo=UTC)


# --- rendered page --------------------------------------------------------------------------------
# A page that a browser has rendered, before the browser's walk is read.
#
# The walk is one long JSON string. It is carried as it came, by a crawl and by an archive, and taken apart where the page is
# read: in a worker, under the worker's limits.


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """What is known of it before the walk is read; the fields that a :class:`~newsextract.Page` has, too, mean the same."""

    body: bytes
    """The walk: what ``newsextract.page.snapshot.WALKER`` returned, UTF-8."""
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
        """The page itself, with its snapshot.

        :raises SnapshotError: it is over a cap, or its scripts gave something else than a walk.
        """
        walk = self.body.decode("utf-8", "surrogatepass")
        snapshot = Snapshot.from_walk(walk, self.url, fetched_at=self.fetched_at, scripts=True, note=self.note)
        page = Page.from_snapshot(snapshot)
        return dataclasses.replace(page, headers={**self.headers, **page.headers}, hints=self.hints, place=self.place)


Fetched = Page | RenderedPage


def opened(page: Fetched) -> Page:
    """The page that extraction reads.

    :raises SnapshotError: see :meth:`RenderedPage.read`.
    """
    return page.read() if isinstance(page, RenderedPage) else page
