"""What flows through the pipelines: a fetched page, then records or a rejection, flat and in export order.

A news page gives one :class:`NewsRecord`, a page of a thread many :class:`Post`, a result page many :class:`Hit`; a
:class:`ReadPage` says of the latter two which records they gave.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from newsextract.sites import Site
    from pipelines.rendered import Fetched
    from pipelines.workers import Kept

SCHEMA_VERSION = 1

TRANSIENT = frozenset({"failed", "download", "server_error", "blocked"})
"""Rejections that are tried again by the next run; see :mod:`pipelines.ledger`."""


@dataclass(slots=True)
class FetchedPage:
    """An article page as it was fetched, with the following pages of the same article."""

    site: Site
    requested_url: str
    """The address that discovery found; the page may stand elsewhere after redirects."""
    parts: list[Fetched]
    kept: list[Kept | None] = field(default_factory=list)
    """Where the worker pool keeps each part, so that it need not be sent and decoded again."""
    etag: str | None = None
    last_modified: str | None = None


@dataclass(slots=True, kw_only=True)
class NewsRecord:
    """One article: a line of the feed. ``docs/record.schema.json`` describes it."""

    id: str
    url: str
    canonical_url: str | None
    site: str
    kind: str
    title: str | None
    title_source: str | None
    date: str | None
    date_precision: str | None
    date_source: str | None
    text: str
    authors: list[str]
    language: str | None
    section: str | None
    image: str | None
    pages: int
    fetched_at: str
    algorithm: str
    confidence: float
    status: str
    reason: str | None
    revision: int
    duplicate_of: str | None
    fingerprint: str | None
    etag: str | None
    last_modified: str | None
    schema_version: int = SCHEMA_VERSION


@dataclass(slots=True, kw_only=True)
class Post:
    """One post of a forum's thread: a line of the feed. ``docs/post.schema.json`` describes it."""

    id: str
    """Made of the thread and the permalink, or of the thread, position and text where the post has no permalink."""
    url: str
    permalink: str | None
    thread_id: str
    thread_title: str | None
    thread_url: str
    site: str
    kind: str = "post"
    page: int
    position: int
    author: str | None
    date: str | None
    date_precision: str | None
    text: str
    fetched_at: str
    algorithm: str
    confidence: float
    schema_version: int = SCHEMA_VERSION


@dataclass(slots=True, kw_only=True)
class Hit:
    """One hit of a search: a line of the feed. ``docs/hit.schema.json`` describes it."""

    id: str
    """Made of engine, query, run and rank."""
    url: str
    """Of the result page."""
    engine: str
    """The site's name in sites.toml."""
    kind: str = "hit"
    query: str
    run: str
    page: int
    rank: int
    title: str
    address: str
    snippet: str | None
    date: str | None
    date_precision: str | None
    fetched_at: str
    algorithm: str
    confidence: float
    schema_version: int = SCHEMA_VERSION

    @property
    def site(self) -> str:
        """As in other records."""
        return self.engine


@dataclass(slots=True, kw_only=True)
class ReadPage:
    """A page that gave many records: a line of the feed of pages, see :mod:`pipelines.pages`. ``docs/page.schema.json``."""

    id: str
    """Of the address that was asked for; of a result page, of address and run."""
    url: str
    site: str
    kind: str
    """``thread`` or ``results``."""
    number: int
    first: int
    """Position or rank of the page's first record."""
    count: int
    """Records that stand on the page."""
    records: list[str]
    """Ids of those that are in the feed, or on their way; without those outside the date window."""
    next: str | None
    since: str | None = None
    """The window's first day, if posts before it stand on the page and were left out."""
    until: str | None = None
    """Its last day, if posts behind it were."""
    thread_id: str | None = None
    thread_title: str | None = None
    thread_url: str | None = None
    run: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    fetched_at: str
    schema_version: int = SCHEMA_VERSION


@dataclass(slots=True, kw_only=True)
class Rejection:
    """A page that did not become a record, and why: a line of the rejected feed."""

    id: str
    url: str
    site: str
    status: str
    """See ``docs/records.md``; among them ``short``, ``out_of_window``, ``listing``, ``not_article``, ``missing``."""
    reason: str
    title: str | None = None
    date: str | None = None
    duplicate_of: str | None = None
    attempt: int = 1
    fetched_at: str
    schema_version: int = SCHEMA_VERSION


Record = NewsRecord | Post | Hit
"""A line of the feed."""
Item = Record | ReadPage | Rejection
RECORD_CLASSES: dict[str, type[Record]] = {"news": NewsRecord, "forum": Post, "search": Hit}
"""By kind of site, which is also the spider's name."""
RECORD_FIELDS = tuple(f.name for f in fields(NewsRecord))
