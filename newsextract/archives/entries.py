"""The entries of archives: what they hold, how a crawl stores them as WARC metadata, and the record of an article entry."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, fields
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import urlsplit

from newsextract import algorithms
from newsextract.discovery import DOUBTFUL, Rules
from newsextract.discovery.threads import first_page, thread_id
from newsextract.errors import MissingExtra, UsageError
from newsextract.feed.record_lines import (
    Hit,
    NewsRecord,
    Post,
    ReadPage,
    RecordSource,
    Rejection,
    Teaser,
    address,
    check_types,
    in_window,
    judge,
    news_record,
    turned_away,
)
from newsextract.page.page import Fetched, Hints, Page, opened
from newsextract.record_pages import (
    ListPage,
    ResultPage,
    TeaserList,
    Thread,
    ThreadPage,
    extract_hits,
    extract_posts,
    extract_teasers,
    hits_of,
    is_sure,
    posts_of,
    read_list_page,
    read_result_page,
    read_thread_page,
    teasers_of,
    why_none,
)
from newsextract.urls import record_id, registered_domain

# --- entries --------------------------------------------------------------------------------------
# What an archive holds for extraction: articles, pages of many records, and places where it is damaged.
#
# An entry is a plain value for worker processes. It has all that the crawl knew of the page (:class:`SiteFacts`, requested
# URL, hints, parts), so it gives the same record as in the crawl.

MIN_LENGTH = 80
"""Of pages without a site; as for sites that say nothing."""

EPOCH = datetime.fromtimestamp(0, UTC)
"""Where it is not known when something was written."""

NO_SITE = "unknown"
"""Name of the site of pages without an address, and of what is damaged."""
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,252}")
_COSTLY = re.compile(r"\)\s*[*+{]|\\[1-9]|\(\?(?:P=|\(|[a-zA-Z-]*x)|[*+{].*[*+{].*[*+{].*[*+{]", re.DOTALL)
"""A repeated group, a reference to what was found, a flag that lets comments hide one; four repetitions."""
_LONGEST_PATTERN = 1_000


def site_name(url: str | None) -> str:
    """What stands for the site of a page that belongs to none of sites.toml: its registered domain."""
    try:
        host = urlsplit(url or "").hostname or ""
    except ValueError:
        host = ""  # reason: no address at all
    name = (registered_domain(host) or host).lower()
    return name if _NAME.fullmatch(name) else NO_SITE


@dataclass(frozen=True, slots=True)
class SiteFacts:
    """What a site's definition says that a record depends on; the fields are those of :class:`newsextract.sites.Site`."""

    name: str
    kind: str = "news"
    algorithm: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    language: str | None = None
    min_length: int = MIN_LENGTH
    min_confidence: float = 0.0
    obey_reservations: bool = False
    since: date | None = None
    until: date | None = None
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()

    def costly_pattern(self) -> str | None:
        """A pattern that may take for ever, if there is one: archives of strangers may hold any."""
        return next((one for one in (*self.allow, *self.deny) if len(one) > _LONGEST_PATTERN or _COSTLY.search(one)), None)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        plain = asdict(self) | {"params": dict(self.params)}
        plain |= {name: day.isoformat() if (day := getattr(self, name)) else None for name in ("since", "until")}
        return plain

    @classmethod
    def from_json(cls, value: Any) -> SiteFacts:
        """The reverse; fields that are not known are left out. Raises ValueError: a field has another type."""
        if not isinstance(value, dict):
            raise ValueError("site is not an object")
        given = {f.name: value[f.name] for f in fields(cls) if f.name in value}
        for name in ("since", "until"):
            given[name] = date.fromisoformat(given[name]) if isinstance(given.get(name), str) else None
        for name in ("allow", "deny", "domains"):
            given[name] = tuple(strings(given.get(name, ()), f"site.{name}"))
        made = cls(**{"name": NO_SITE, **given})
        if not isinstance(made.name, str) or not _NAME.fullmatch(made.name):
            raise ValueError(f"site.name is {made.name!r:.80}; expected small letters, digits and . _ -")
        strings([made.name, made.kind, *(text for text in (made.algorithm, made.language) if text is not None)], "site")
        if not isinstance(made.params, dict) or type(made.min_length) is not int:
            raise ValueError("site.params is not an object, or site.min_length is not a number")
        if not isinstance(made.min_confidence, int | float):
            raise ValueError("site.min_confidence is not a number")
        return made


def strings(value: Any, name: str) -> list[str]:
    """A list of strings that came from outside. Raises ValueError: it is something else."""
    if not isinstance(value, list | tuple) or not all(isinstance(text, str) for text in value):
        raise ValueError(f"{name} is not a list of strings")
    return list(value)


@dataclass(frozen=True, slots=True)
class ArchivedArticle:
    """An article, or what may be one."""

    place: str
    """Archive file, ``#``, offset of the record (of the line, for JSON Lines)."""
    site: SiteFacts
    requested_url: str
    parts: tuple[Fetched, ...]
    """Its pages, at least one."""
    etag: str | None = None
    last_modified: str | None = None
    vouched: bool = True
    """Whether a crawl or the user says that it is an article; else its own evidence must."""
    is_crawled: bool = False
    """Whether metadata of a crawl of ours describe it."""

    @property
    def source(self) -> RecordSource:
        """For :func:`newsextract.feed.record_lines.news_record`."""
        return RecordSource(self.site.name, self.requested_url, "news", self.etag, self.last_modified)

    @property
    def url(self) -> str:
        """The address that the record stands under."""
        return address(self.parts[0].url, self.requested_url)

    @property
    def id(self) -> str:
        """The record's id, known before anything is extracted."""
        return record_id(self.url)


@dataclass(frozen=True, slots=True)
class ArchivedRecordPage:
    """A page of posts, hits or teasers: one that a crawl has described, or one that the user wants to be read so."""

    place: str
    site: SiteFacts
    line: Mapping[str, Any]
    """The page's own line of the crawl's feed of pages, ``docs/page.schema.json``; without a crawl its ``kind`` alone."""
    query: str | None
    """What was searched for; of a result page only."""
    shape: str | None
    """What the records of the pages before look like; see :mod:`newsextract.algorithms.record_shape`."""
    page: Fetched
    unknown_url: str | None = None
    """URL of a page that no crawl has described."""

    @property
    def is_known(self) -> bool:
        """Whether a crawl has described it."""
        return self.unknown_url is None

    @property
    def parts(self) -> tuple[Fetched, ...]:
        """As of an article."""
        return (self.page,)

    @property
    def url(self) -> str:
        """URL that was requested."""
        return self.unknown_url or str(self.line["url"])

    @property
    def id(self) -> str:
        """Id of the page's line."""
        return str(self.line["id"]) if self.is_known else record_id(self.url)


@dataclass(frozen=True, slots=True)
class Failure:
    """Something that cannot be read; the rest of the archive can."""

    place: str
    reason: str
    status: str = "damaged"
    url: str | None = None
    at: datetime = EPOCH
    """When the archive was written."""
    mark: str = ""
    """Tells it from what stands at the same place of another file of the same name; see :func:`mark_of`."""

    def rejection(self) -> Rejection:
        """The line of the rejected feed. It stands under the place, never under the page's address: a whole copy of the page
        may come later."""
        url = f"archive:{self.place}"
        reason = f"{self.reason} ({self.url})" if self.url else self.reason
        at = self.at.isoformat(timespec="seconds")
        identity = record_id(f"{url} {self.mark}" if self.mark else url)
        return Rejection(id=identity, url=url, site=NO_SITE, status=self.status, reason=reason, fetched_at=at)


def mark_of(data: bytes) -> str:
    """What tells files of the same name apart: twelve hexadecimal digits made of their bytes."""
    return hashlib.sha1(data, usedforsecurity=False).hexdigest()[:12]


Entry = ArchivedArticle | ArchivedRecordPage | Failure

# --- metadata -------------------------------------------------------------------------------------
# What a crawl stores beside the bytes: one JSON object per article and per page of records, as a WARC metadata record.
#
# It names the pages by file, offset and record id, so they are found without an index. ``version`` changes when a reader of
# an older version would be misled.

VERSION = 1
SOFTWARE = "software: newsextract/"
"""In the warcinfo record of the files that our crawls write: only what their metadata name is an article."""
MARK = "Newsextract-Archive"
"""Header of each of our records, whose value is :data:`VERSION`. The first archives had it not; their records name the
warcinfo record."""
CONTENT_TYPE = "application/vnd.newsextract.page+json"
WALK_TYPE = "application/vnd.newsextract.walk+json"
"""A browser's walk through a rendered page, see :mod:`newsextract.page.snapshot`."""
SNAPSHOT_TYPE = "application/vnd.newsextract.snapshot"
"""The content of a snapshot's file; read, but not written by crawls: the walk gives the very same records."""
_RECORDS = uuid.UUID("3b1c9a52-6a0e-5d7e-9a53-0a3f6c1d2e4b")
"""What the ids of records are made with: no other file of the world has the same name and the same record there."""
_ID = re.compile("[0-9a-f]{16}")
MAX_NUMBER = 1_000_000_000
MAX_PARTS = 100
"""Pages of one article, far more than a crawl joins."""


@dataclass(frozen=True, slots=True)
class Part:
    """A page, and where its bytes stand."""

    file: str
    offset: int
    record: str
    """The WARC record's id."""
    url: str
    fetched_at: datetime
    note: str | None = None
    """Of a rendered page."""

    @classmethod
    def at(cls, place: str, url: str, fetched_at: datetime, note: str | None = None) -> Part:
        """The page at a place of our own archive."""
        file, _, offset = place.rpartition("#")
        return cls(file, int(offset), record_name(place), url, fetched_at, note)


def record_name(place: str) -> str:
    """The id of a WARC record that we write. It is made of the place, so whoever has a page need not keep it."""
    return f"<urn:uuid:{uuid.uuid5(_RECORDS, place)}>"


@dataclass(frozen=True, slots=True)
class Described:
    """The content of one metadata record."""

    site: SiteFacts
    requested_url: str
    hints: Hints
    parts: Sequence[Part]
    etag: str | None = None
    last_modified: str | None = None
    line: Mapping[str, Any] | None = None
    """Of a page of records; None for an article."""
    query: str | None = None
    """What was searched for; of a result page."""
    shape: str | None = None
    """What the records of the pages before look like, see :mod:`newsextract.algorithms.record_shape`."""

    def to_bytes(self) -> bytes:
        """JSON, UTF-8."""
        value = {"version": VERSION, **{f.name: getattr(self, f.name) for f in fields(self)}}
        value |= {"site": self.site.to_json(), "hints": list(astuple(self.hints))}
        value["parts"] = [asdict(part) | {"fetched_at": part.fetched_at.isoformat()} for part in self.parts]
        return json.dumps(value, ensure_ascii=False, default=str).encode("utf-8", "surrogatepass")

    @classmethod
    def from_bytes(cls, data: bytes) -> Described:
        """The reverse, checked. Raises ValueError: it is something else."""
        try:
            value = json.loads(data.decode("utf-8", "surrogatepass"))
        except RecursionError as error:
            raise ValueError("nested too deeply") from error
        if not isinstance(value, dict) or value.get("version") != VERSION:
            raise ValueError(f"not of version {VERSION}")
        parts, line = value.get("parts"), value.get("line")
        if not isinstance(parts, list) or not 1 <= len(parts) <= MAX_PARTS:
            raise ValueError("parts is not a list of pages")
        if line is not None:
            _check_line(line)
        return cls(
            SiteFacts.from_json(value.get("site")),
            text(value, "requested_url"),
            hints_of(value.get("hints")),
            [_part(part) for part in parts],
            optional(value, "etag"),
            optional(value, "last_modified"),
            line,
            optional(value, "query"),
            optional(value, "shape"),
        )


def _check_line(line: Any) -> None:
    """Every field, since the line goes into a feed again. Raises ValueError: it is no line of a page."""
    if not isinstance(line, dict) or not _ID.fullmatch(text(line, "id")):
        raise ValueError("line is not the line of a page")
    check_types(line, ReadPage)
    if any(not 0 <= value <= MAX_NUMBER for value in line.values() if isinstance(value, int)):
        raise ValueError("a number of line is out of range")
    strings(line["records"], "line.records")


def _part(value: Any) -> Part:
    if not isinstance(value, dict) or type(value.get("offset")) is not int:
        raise ValueError("a part has no offset")
    return Part(
        text(value, "file"),
        value["offset"],
        text(value, "record"),
        text(value, "url"),
        time_of(text(value, "fetched_at")),
        optional(value, "note"),
    )


def hints_of(value: Any) -> Hints:
    """Hints from a list of title, date, source, language. Raises ValueError: it is something else."""
    if not isinstance(value, list) or len(value) != 4 or not all(v is None or isinstance(v, str) for v in value):
        raise ValueError("hints are not a list of four strings")
    return Hints(*value)


def text(value: Mapping[str, Any], name: str) -> str:
    """A text that must be there. Raises ValueError: it is not."""
    found = value.get(name)
    if not isinstance(found, str):
        raise ValueError(f"{name} is not a string")
    return found


def optional(value: Mapping[str, Any], name: str) -> str | None:
    """A text or None. Raises ValueError: it is something else."""
    return None if value.get(name) is None else text(value, name)


def time_of(written: str) -> datetime:
    """A time with a zone; without one it is UTC. Raises ValueError: it is no time."""
    at = datetime.fromisoformat(written)
    try:
        return at if at.tzinfo and at.astimezone(UTC) else at.replace(tzinfo=UTC)
    except OverflowError as error:  # within a day of year 1 or 9999
        raise ValueError(f"{written} is no time of a page") from error


# --- extraction -----------------------------------------------------------------------------------
# One archived article → its record, or why it has none: called by command line, archive spider and Spark alike.


@dataclass(frozen=True, slots=True)
class Choice:
    """Which algorithm is to be used; without one that of the page's site, and else the default.

    Archives may come from strangers, so the files that parameters name in them (thresholds, models) are never opened.
    """

    algorithm: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    fallback: str = algorithms.DEFAULT
    own: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Parameters of the sites of the reader's own sites.toml; their files take the place of the archive's."""
    patterns: frozenset[str] = frozenset()
    """Patterns of the reader's own sites.toml, which are compiled even if they may be slow."""

    def of(self, site: SiteFacts) -> tuple[str, Mapping[str, Any]]:
        """Algorithm and parameters for a page of a site; a site's parameters belong to its own algorithm.

        :raises UsageError: the archive names a file, and the reader names none in its place; or an unknown algorithm.
        """
        own = site.algorithm or self.fallback
        name = self.algorithm or own
        if name != own:
            return name, self.params
        params = {**site.params, **self.params}
        for file in algorithms.file_params(name):
            if params.get(file) and file not in self.params:
                mine = self.own.get(site.name, {}).get(file)
                if not mine:
                    raise UsageError(
                        f"the archive names a file, {file} = {str(params[file])!r:.200}, which is not opened; name "
                        f"your own file with --param {file}=FILE, or in the site {site.name!r} of sites.toml"
                    )
                params[file] = mine
        return name, params


def extract_entry(article: ArchivedArticle, choice: Choice | None = None) -> NewsRecord | Rejection:
    """The record, or the rejection that a crawl would have written; ``duplicate_of`` is left to who writes the feed.

    Never raises for what a page holds.
    """
    try:
        if not article.vouched and (doubt := _doubt(article)) is not None:
            return rejected(article, *doubt)
        record = news_record(article.parts, article.source, *(choice or Choice()).of(article.site))
    except (UsageError, MissingExtra) as error:
        return rejected(article, "failed", str(error))
    verdict = judge(record, article.site)
    return record if verdict is None else turned_away(record, verdict)


def _doubt(article: ArchivedArticle) -> tuple[str, str] | None:
    """(status, reason) of a page that is no article by its own evidence, or None."""
    kind = opened(article.parts[0]).kind
    if kind.is_article and kind.article >= DOUBTFUL:
        return None
    return "listing" if kind.leads_on else "not_article", kind.told


def rejected(entry: ArchivedArticle | ArchivedRecordPage, status: str, reason: str) -> Rejection:
    """The line of a page that gave no record."""
    at = entry.parts[0].time.isoformat(timespec="seconds")
    return Rejection(id=entry.id, url=entry.url, site=entry.site.name, status=status, reason=reason, fetched_at=at)


# --- record entries -------------------------------------------------------------------------------
# Pages of many records in archives → posts, hits or teasers: the same lines as those of the crawl.
#
# Of our own crawls the metadata name the pages of threads, results and lists, and what was known of them. Any other web
# page can be read as one of these kinds; then it is the first page of its own thread, query or list.


@dataclass(frozen=True, slots=True)
class RecordKind:
    """What ``--as`` can name."""

    line: type[Post | Hit | Teaser]
    """Type of the lines; its field ``kind`` is the feed's."""
    page: str
    """Kind of the pages, see :attr:`newsextract.feed.record_lines.ReadPage.kind`."""
    read: Callable[..., ThreadPage | ResultPage | ListPage] = field(repr=False)
    """The library's function for a page of which nothing else is known."""

    @property
    def name(self) -> str:
        """The lines' ``kind``."""
        return self.line.__name__.lower()


KINDS = {
    "posts": RecordKind(Post, "thread", extract_posts),
    "hits": RecordKind(Hit, "results", extract_hits),
    "teasers": RecordKind(Teaser, "list", extract_teasers),
}


@dataclass(frozen=True, slots=True)
class PageLines:
    """The records of a page, at least one, and the page's own line."""

    page: ReadPage
    records: tuple[Post | Hit | Teaser, ...]


def extractor_of(
    kind: str | None, algorithm: str | None, params: dict[str, Any]
) -> tuple[Callable[[Any, Choice], Any], Choice]:
    """What extracts entries, and with which algorithm.

    :param kind: one of :data:`KINDS`; None: articles.
    :raises UnknownAlgorithm: the name is not registered.
    :raises ParameterError: a parameter is unknown or has a bad value.
    """
    if kind is None:
        algorithms.make(algorithm or algorithms.DEFAULT, params)
        return extract_entry, Choice(algorithm, params)
    algorithms.make_records(algorithm or algorithms.DEFAULT_RECORDS, params)
    return extract_record_page, Choice(algorithm, params, algorithms.DEFAULT_RECORDS)


def record_entry(entry: Entry, kind: RecordKind | None) -> ArchivedArticle | ArchivedRecordPage | None:
    """An entry as an article (without a kind) or as a page of a kind; None if its crawl knows that it is something else."""
    if kind is None:
        return entry if isinstance(entry, ArchivedArticle) else None
    if isinstance(entry, ArchivedRecordPage):
        return entry if entry.line.get("kind") == kind.page else None
    if not isinstance(entry, ArchivedArticle) or entry.is_crawled:
        return None
    return ArchivedRecordPage(entry.place, entry.site, {"kind": kind.page}, None, None, entry.parts[0], entry.url)


def extract_record_page(entry: ArchivedRecordPage, choice: Choice) -> PageLines | Rejection:
    """The posts, hits or teasers of a page, or why it has none. Never raises for what a page holds."""
    site = entry.site
    try:
        algorithm, params = choice.of(site)
        pattern = site.costly_pattern()
        if pattern and pattern not in choice.patterns:
            raise UsageError(
                f"the archive has a pattern that may never end, {pattern!r:.200}; only those of your own sites.toml are used"
            )
        rules = Rules(site.domains, site.allow, (), site.deny)
    except (UsageError, MissingExtra) as error:
        return rejected(entry, "failed", str(error))
    page = opened(entry.page)
    if entry.is_known:
        try:
            line = ReadPage(**entry.line)
        except TypeError as error:  # of another version of this project
            return Failure(entry.place, f"not the line of a page: {error}", url=entry.url).rejection()
        read = _read_again(entry, line, page, rules, algorithm, params)
    else:
        read = _READERS[entry.line["kind"]](page, None, algorithm, params)
        line = _first_line(entry, page, read)
    found = read.found
    if found is None:
        return rejected(entry, "empty", str(read.reason))
    records = _lines(entry, line, read, page.url or line.url, algorithm) if line.count and is_sure(site, found) else []
    if not records:
        return rejected(entry, *why_none(site, found, "no record was found"))
    kept = tuple(record for record in records if in_window(record.date, site.since, site.until))
    return PageLines(dataclasses.replace(line, count=len(records), records=[record.id for record in kept]), kept)


_READERS = {kind.page: kind.read for kind in KINDS.values()}


def _read_again(
    entry: ArchivedRecordPage, line: ReadPage, page: Page, rules: Rules, algorithm: str, params: Any
) -> ThreadPage | ResultPage | ListPage:
    if line.kind == "thread":
        read = read_thread_page(page, rules, algorithm, params, True, entry.shape, line.thread_title, line.number)
        if line.number > 1 and len(read.posts) == line.count + 1:
            return dataclasses.replace(read, posts=read.posts[1:])  # without the opening post, as the crawl
        return read
    if line.kind == "results":
        return read_result_page(page, algorithm, params, entry.query or "", line.number, entry.shape)
    return read_list_page(page, rules, algorithm, params, entry.shape)


def _first_line(entry: ArchivedRecordPage, page: Page, read: ThreadPage | ResultPage | ListPage) -> ReadPage:
    if isinstance(read, ThreadPage):
        first = read.forum.first_page or first_page(entry.url)
        more: dict[str, Any] = {"thread_id": thread_id(first), "thread_title": read.title, "thread_url": first}
    elif isinstance(read, ListPage):
        more = {"list_title": read.title, "list_url": entry.url}
    else:
        more = {"run": entry.id}  # hits of two pages must not have the same id
    return ReadPage(
        id=entry.id,
        url=entry.url,
        site=entry.site.name,
        kind=entry.line["kind"],
        number=1,
        first=1,
        count=sum(1 for _ in read),
        records=[],
        next=read.next_page,
        note=read.found.note if read.found else None,
        fetched_at=page.time.isoformat(timespec="seconds"),
        **more,
    )


def _lines(
    entry: ArchivedRecordPage, line: ReadPage, read: ThreadPage | ResultPage | ListPage, url: str, algorithm: str
) -> list[Post] | list[Hit] | list[Teaser]:
    site, where = entry.site.name, (url, line.number, line.first, algorithm)
    if isinstance(read, ThreadPage):
        return posts_of(read, Thread(line.thread_id or "", line.thread_url or "", line.thread_title), site, *where)
    if isinstance(read, ResultPage):
        return hits_of(read, site, entry.query or "", line.run or "", *where)
    return teasers_of(read, TeaserList(line.list_url or "", line.list_title), site, *where)
