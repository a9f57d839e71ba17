"""The lines of a feed, the same for crawl, archives, command line and Spark: articles, posts, hits, teasers, objects, pages.

The pages of one article are extracted one by one and joined; title, date and the rest come from the first. A record that is
not worth keeping becomes a :class:`Rejection`: failed, empty, too short, out of the date window.

Cost: that of :func:`newsextract.extract` for each page, and 0.2 ms for the fingerprint.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from types import UnionType
from typing import Any, Protocol, Union, get_args, get_origin, get_type_hints

from newsextract import algorithms
from newsextract.errors import NewsextractError
from newsextract.extraction import extract, failure
from newsextract.feed.duplicates import Sketch, complete, fingerprint, original, sketch
from newsextract.page.page import Fetched, Page, opened
from newsextract.results import Article, Status
from newsextract.urls import normalize, record_id
from newsextract.workers import MEMORY, defect

logger = logging.getLogger(__name__)

SCHEMA_VERSION = 1

DROPPED = "dropped"
"""Status of a record that a user's pipeline has dropped."""
TRANSIENT = frozenset({"failed", "download", "server_error", "blocked", "challenged"})
"""Rejections that are tried again by the next run."""

KEPT = frozenset({"ok", "doubtful"})
"""States of a record that is written."""
RESERVED = "reserved"
"""Status of the rejection of a page that reserves its use, where the site's definition obeys that."""
WITHDRAWN = "withdrawn"
"""Status of a revision that takes a record back: the rest of the crawl shows that its page is no article."""
LOST = frozenset({"gone", "moved", WITHDRAWN})
"""Status of a revision that says what became of the record, else of its page: the server answers 404 or 410, or redirects
for good."""

_NO_TEXT = frozenset({"failed", "missing", "blocked", "server_error"})
"""Status of an article's first page that makes the text useless: its beginning is missing, or it is a notice."""
_WIDE = re.compile(r"[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff01-\uff60]")


class Limits(Protocol):
    """What a site's definition says of the records that are kept."""

    @property
    def min_length(self) -> int:
        """Least number of characters; see :func:`length`."""

    @property
    def min_confidence(self) -> float:
        """Least confidence."""

    @property
    def obey_reservations(self) -> bool:
        """Whether pages that reserve their use are turned away."""

    @property
    def since(self) -> date | None:
        """First day of the window."""

    @property
    def until(self) -> date | None:
        """Last day of the window."""


class FeedLine:
    """Base of all that becomes a line of a feed: a dataclass whose fields are slots.

    It has no slots itself, so that a user's pipeline may set further fields; they are written with the others.
    """

    id: str
    url: str
    __slots__: tuple[str, ...]  # not assigned: the fields of each subclass, in order

    def values(self) -> dict[str, Any]:
        """All fields, in the order of the line."""
        values = {name: getattr(self, name) for name in type(self).__slots__ if hasattr(self, name)}
        return values | vars(self)

    def __repr__(self) -> str:
        """Short, for logs: never a text."""
        text = getattr(self, "text", None)
        size = f", {len(text)} characters" if isinstance(text, str) else ""
        return f"<{type(self).__name__} {self.id} {str(self.url)[:200]}{size}>"


_SAID: dict[type, str] = {
    str: "a text", int: "a whole number", float: "a number", list: "a list", dict: "an object", bool: "true or false",
    type(None): "null",
}  # fmt: skip


@cache
def field_types(kind: type[FeedLine]) -> dict[str, tuple[tuple[type, ...], type | None]]:
    """The types that each field of a line may have in JSON, exactly these (``True`` is no number), and that of list
    elements. A number may be whole."""
    found = {}
    hints = get_type_hints(kind)
    for name in kind.__slots__:
        hint = hints[name]
        parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
        elements = [get_args(part)[0] for part in parts if get_origin(part) is list]
        element = get_origin(elements[0]) or elements[0] if elements else None
        found[name] = (tuple(get_origin(part) or part for part in parts), element if isinstance(element, type) else None)
    return found


def check_types(line: Mapping[str, Any], kind: type[FeedLine]) -> None:
    """Check the fields of a line; one that may be null may be missing. Raises ValueError: a field has another type."""
    for name, (types, _) in field_types(kind).items():  # type: ignore[arg-type]  # classes are hashable
        value = line.get(name)
        if type(value) not in types and not (type(value) is int and float in types):
            expected = " or ".join(said for one, said in _SAID.items() if one in types)
            raise ValueError(f"its {name} is {_SAID[type(value)]}; expected {expected}")


@dataclass(slots=True, kw_only=True, repr=False)
class NewsRecord(FeedLine):
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
    page_kind: str | None = None
    page_kind_confidence: float | None = None
    access: str | None = None
    access_source: str | None = None
    reserved: str | None = None
    status: str
    reason: str | None
    revision: int
    duplicate_of: str | None
    fingerprint: str | None
    etag: str | None
    last_modified: str | None
    schema_version: int = SCHEMA_VERSION


def record_sketch(record: NewsRecord) -> Sketch | None:
    """By what a record is compared with others; None: it has too little text."""
    return None if record.fingerprint is None else sketch(int(record.id, 16), record.fingerprint, record.fetched_at)


def mark_duplicate(record: NewsRecord, earlier: Iterable[Sketch]) -> None:
    """Set ``duplicate_of``: the near-same record among earlier ones that was fetched first."""
    own = record_sketch(record)
    known = original(own, earlier) if own is not None else None
    record.duplicate_of = f"{known:016x}" if known is not None else None


@dataclass(slots=True, kw_only=True, repr=False)
class Rejection(FeedLine):
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


@dataclass(frozen=True, slots=True)
class RecordSource:
    """What a record says beside what its pages say."""

    site: str
    requested_url: str
    """The address that was asked for; the page may stand elsewhere after redirects."""
    kind: str = "news"
    etag: str | None = None
    last_modified: str | None = None


def news_record(
    pages: Sequence[Fetched], source: RecordSource, algorithm: str, params: Mapping[str, Any] | None = None
) -> NewsRecord:
    """The record of an article over one or more pages. Never raises for what a page holds: its ``status`` tells.

    :param pages: at least one, in order.
    :raises UsageError: algorithm or parameters are wrong.
    """
    algorithms.make_params(algorithm, params)
    articles = [_part(page, algorithm, params) for page in pages]
    text = join(articles)
    return assemble(source, pages[0], len(pages), articles, text, fingerprint(text))


def _part(page: Fetched, algorithm: str, params: Mapping[str, Any] | None) -> Article:
    """The article of one page; what stops its extraction is told in the words of a crawl's workers."""
    try:
        return extract(opened(page), None, algorithm, params)
    except MemoryError:
        return failure(Page(b"", page.url), algorithm, "failed", MEMORY)
    except NewsextractError as error:
        return failure(Page(b"", page.url), algorithm, "failed", str(error))
    except Exception as error:  # a defect in one page's work must not lose the page; it is recorded
        logger.error("defect in the extraction of %s", page.url, exc_info=error)
        return failure(Page(b"", page.url), algorithm, "failed", defect(error))


def join(articles: Sequence[Article]) -> str:
    """The text of an article over several pages; a paragraph that begins every page (a repeated lead) stands once."""
    paragraphs: list[str] = []
    for number, article in enumerate(articles):
        lines = article.text.split("\n") if article.text else []
        if number and paragraphs and lines and lines[0] == paragraphs[0]:
            lines = lines[1:]
        paragraphs += lines
    return "\n".join(paragraphs)


def assemble(
    source: RecordSource, page: Fetched, pages: int, articles: Sequence[Article], text: str, mark: str | None
) -> NewsRecord:
    """The record of an article; its address is normalised, so that it does not depend on how the page was found."""
    first = articles[0]
    failed = next((a for a in articles if a.status != "ok"), first)
    status: Status = failed.status
    if text and first.status not in _NO_TEXT:
        status = "doubtful" if any(a.status in ("doubtful", "not_article") for a in articles) else "ok"
    url = address(page.url, source.requested_url)
    return NewsRecord(
        **{name: getattr(first, name) for name in _OF_ARTICLES},
        id=record_id(url),
        url=url,
        site=source.site,
        kind=source.kind,
        title_source=first.title_source.source if first.title_source else None,
        date_precision=first.date_source.precision if first.date_source else None,
        date_source=first.date_source.source if first.date_source else None,
        text=text,
        authors=list(first.authors),
        pages=pages,
        fetched_at=page.time.isoformat(timespec="seconds"),
        page_kind=first.kind,
        page_kind_confidence=first.kind_confidence if first.is_article is not None else None,
        access_source=first.access_source.source if first.access_source else None,
        status=status,
        reason=failed.reason,
        revision=0,
        duplicate_of=None,
        fingerprint=mark,
        etag=source.etag,
        last_modified=source.last_modified,
    )


_OF_ARTICLES = "canonical_url title date language section image algorithm confidence access reserved".split()
"""Fields that a record has of its article."""


def revision_of(line: Mapping[str, Any], **changes: Any) -> NewsRecord:
    """The next revision of a record, made of its line in a feed, which an earlier version may have written; fields that a
    user's pipeline has added stay."""
    later = {
        "revision": line["revision"] + 1,
        "duplicate_of": None,
        "fingerprint": complete(line["fingerprint"], line["text"]),
    }
    values = {**line, **later, **changes}
    record = NewsRecord(**{name: values.pop(name) for name in NewsRecord.__slots__ if name in values})
    for name, value in values.items():
        setattr(record, name, value)
    return record


def address(url: str | None, requested: str) -> str:
    """The address that a record stands under, of which its id is made."""
    return normalize(url or requested) or requested


def judge(record: NewsRecord, site: Limits) -> tuple[str, str] | None:
    """(status, reason) of a record that is turned away, or None."""
    if record.status in LOST:
        return None
    if site.obey_reservations and record.reserved:
        return RESERVED, f"the page reserves its use: {record.reserved}"
    if record.status not in KEPT:
        return record.status, record.reason or "no text was found"
    if record.confidence < site.min_confidence:
        return "doubtful", f"the confidence is {record.confidence:.2f}, below min_confidence = {site.min_confidence:g}"
    size = length(record.text[: 4 * site.min_length + 100])  # enough to tell; the reactor waits for this
    if size < site.min_length:
        return "short", f"the text has {size} characters, fewer than min_length = {site.min_length}"
    day = (record.date or "")[:10]
    if not in_window(day, site.since, None):
        return "out_of_window", f"its date {day} is before since = {site.since}"
    if not in_window(day, None, site.until):
        return "out_of_window", f"its date {day} is after until = {site.until}"
    return None


def in_window(found: str | None, since: date | None, until: date | None) -> bool:
    """Whether a date lies inside the window; one that is not known to the day does."""
    day = (found or "")[:10]
    if len(day) < 10:
        return True
    return not ((since and day < since.isoformat()) or (until and day > until.isoformat()))


def length(text: str) -> int:
    """Characters without white space; East Asian ones count double, as they say about twice as much."""
    bare = "".join(text.split())
    return len(bare) + len(_WIDE.findall(bare))


def turned_away(record: NewsRecord, verdict: tuple[str, str], attempt: int = 1) -> Rejection:
    """A record that is not kept, as a line of the rejected feed.

    :param verdict: of :func:`judge`.
    :param attempt: how often it has been tried, with this time.
    """
    status, reason = verdict
    return Rejection(
        id=record.id,
        url=record.url,
        site=record.site,
        status=status,
        reason=reason,
        title=record.title,
        date=record.date,
        attempt=attempt,
        fetched_at=record.fetched_at,
    )


# --- records of posts, hits, teasers and objects --------------------------------------------------
# The lines of pages of many records: posts of a thread, hits of a search, teasers of a list, objects of a wrapper; and the
# line of the page itself. The fields stand in the order of export.

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
    :mod:`pipelines.items`."""

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
