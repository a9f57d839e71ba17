"""The lines of pages of many records: posts of a thread, hits of a search, teasers of a list, objects of a wrapper; and the
line of the page itself. The fields stand in the order of export.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from newsextract.feed.news_record import SCHEMA_VERSION, FeedLine

COVERED: dict[str, tuple[str, ...]] = {
    "news": ("title", "date", "authors", "language", "section", "image"),
    "post": ("author", "date", "text", "permalink", "thread_title"),
    "hit": ("snippet", "date"),
    "teaser": ("snippet", "date", "author", "image"),
}
"""Fields that a record may lack, by the kind of its line: their coverage is reported. Those of objects are the wrapper's."""


@dataclass(slots=True, kw_only=True, repr=False)
class Post(FeedLine):
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
    """Without quotations and signature."""
    quotes: list[dict[str, str | None]] = field(default_factory=list)
    """What the post quotes: ``author``, where the post names one, and ``text``."""
    signature: str | None = None
    reply_to: str | None = None
    """Address of the post that it answers."""
    fetched_at: str
    algorithm: str
    confidence: float
    schema_version: int = SCHEMA_VERSION


@dataclass(slots=True, kw_only=True, repr=False)
class Hit(FeedLine):
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


@dataclass(slots=True, kw_only=True, repr=False)
class Teaser(FeedLine):
    """One teaser of a list page: a line of the feed. ``docs/teaser.schema.json`` describes it."""

    id: str
    """Made of the list and of the address that the teaser leads to."""
    url: str
    """Of the list page."""
    list_url: str
    """Of the list's first page."""
    list_title: str | None
    site: str
    kind: str = "teaser"
    page: int
    position: int
    title: str
    address: str
    snippet: str | None
    author: str | None
    image: str | None
    date: str | None
    date_precision: str | None
    fetched_at: str
    algorithm: str
    confidence: float
    schema_version: int = SCHEMA_VERSION


@dataclass(slots=True, kw_only=True, repr=False)
class ObjectRecord(FeedLine):
    """An object that a wrapper found: a line of the feed. ``docs/object.schema.json`` describes it."""

    id: str
    """Made of the page that the wrapper began at and of the object's own identity, ``oid``."""
    url: str
    """Of the page that the object stands on: the one that the wrapper began at, or one that links led to."""
    page_url: str
    """Of the page that the wrapper began at, as it was asked for."""
    site: str
    kind: str = "object"
    wrapper: str
    """The format file as sites.toml names it."""
    label: str
    path: list[str]
    """Labels above the object, from the root on."""
    page: int
    position: int
    fields: dict[str, Any]
    """The objects within by their labels; an atomic object has ``text``."""
    object: dict[str, Any] | None
    """All objects of the page, within each other, where no label was asked for."""
    missing: list[dict[str, str]]
    """Pages that links lead to and that could not be had: ``url`` and ``reason``."""
    misfits: list[str]
    """Lines of the format that do not fit the page, in words."""
    notes: list[str]
    fit: float
    """Share of the format's lines that fit."""
    fetched_at: str
    revision: int
    schema_version: int = SCHEMA_VERSION

    @property
    def algorithm(self) -> str:
        """What stands in the algorithm's place."""
        return self.wrapper


@dataclass(slots=True, kw_only=True, repr=False)
class ReadPage(FeedLine):
    """A page that gave many records: a line of the feed of pages. ``docs/page.schema.json``; what it is for:
    :mod:`pipelines.pages`."""

    id: str
    """Of the address that was asked for; of a result page, of address and run."""
    url: str
    site: str
    kind: str
    """``thread``, ``results`` or ``list``; read by a wrapper also ``article`` or ``wrapped``."""
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
    list_title: str | None = None
    list_url: str | None = None
    run: str | None = None
    note: str | None = None
    """What a reader should know of how the page was read."""
    shape: str | None = None
    """What its records look like, if it is the first page of a list that goes on: by it single ones are found on later pages
    (:mod:`newsextract.algorithms.record_shape`)."""
    etag: str | None = None
    last_modified: str | None = None
    fetched_at: str
    schema_version: int = SCHEMA_VERSION
