"""A target site: one validated ``[[site]]`` table of a TOML file.

pydantic stands at this border only; behind it everything is plain data. Every mistake becomes one line with file,
site, key, what was expected and an example of right (:class:`~newsextract.errors.SiteError`).
"""

from __future__ import annotations

import re
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PrivateAttr, model_validator

from newsextract.discovery import registered_domain
from newsextract.oem.site_wrapper import SiteWrapper, load_wrapper


def _web_address(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("not an http or https address")
    return value


def _pattern(value: str) -> str:
    try:
        re.compile(value)
    except re.error as error:
        raise ValueError(f"not a regular expression ({error})") from error
    return value


def _template(value: str) -> str:
    """A search address: ``{query}`` behind the host, and at most one of ``{page}`` and ``{start}``."""
    names = set(re.findall(r"\{([^{}]*)\}", value))
    if "query" not in names:
        raise ValueError("{query} does not stand in it")
    if names - {"query", "page", "start"} or {"page", "start"} <= names:
        raise ValueError("it may hold {query} and one of {page} and {start}, and no other braces")
    if "{" in urlsplit(_web_address(value)).netloc:
        raise ValueError("its host must not depend on what is searched for")
    if "{" in urlsplit(value).fragment:
        raise ValueError("what stands behind # is never sent to the engine")
    return value


Address = Annotated[str, AfterValidator(_web_address)]
Template = Annotated[str, AfterValidator(_template)]
Pattern = Annotated[str, AfterValidator(_pattern)]

_ONLY = {
    "search": ["search"], "results": ["search"], "pages_per_thread": ["forum"], "sitemaps": ["news"], "feeds": ["news"],
    "min_confidence": ["forum", "search", "list"],
}  # fmt: skip
"""Keys that some kinds of site have and the others do not."""
_WITH_WRAPPER = ("records", "linked_pages")
"""Keys of sites with a wrapper only."""
_WITHOUT_WRAPPER = ("algorithm", "params", "min_confidence")
"""Keys of sites without one: a wrapper stands in the algorithm's place."""
ROBOTS = "robots.txt"
"""In ``sitemaps``: those that the site's robots.txt names."""


class Site(BaseModel):
    """One target site. Unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$", examples=["harbour-ledger"])]
    """Short name, for ``-a sites=`` and the record's ``site`` field."""
    kind: Annotated[Literal["news", "forum", "search", "list", "wrapped"], Field(examples=["news"])] = "news"
    """Which spider crawls it."""
    start: Annotated[list[Address], Field(examples=[["https://www.example.org/news/"]])] = []
    """Front and listing pages to begin with; of a forum, boards or threads; of lists their first pages, where ``{page}``
    (1, 2, …) or ``{start}`` (teasers before it: 0, 10, …) may count; for a wrapper alone the pages that it reads."""
    sitemaps: Annotated[list[Literal["robots.txt"] | Address], Field(examples=[["robots.txt"]])] = []
    """Sitemaps, or ``"robots.txt"`` for those that it names."""
    feeds: Annotated[list[Address], Field(examples=[["https://www.example.org/feed.xml"]])] = []
    """RSS, Atom or JSON feeds."""
    search: Annotated[Template | None, Field(examples=["https://www.example.org/search?q={query}"])] = None
    """Address of an engine's result pages: ``{query}``, percent-encoded, and where the address tells the page ``{page}``
    (1, 2, …) or ``{start}`` (hits before it: 0, 10, …)."""
    results: Annotated[int, Field(ge=1, le=100, examples=[3])] = 3
    """Result pages of one query that are fetched, at most."""
    domains: Annotated[list[str], Field(examples=[["example.org"]])] = []
    """Registered domains that belong to the site, beside those of the addresses above."""
    follow: Annotated[list[Pattern], Field(examples=[[r"/news/page/\d+"]])] = []
    """Addresses of listing pages to follow; none: the page's evidence decides, and no other list is read."""
    allow: Annotated[list[Pattern], Field(examples=[[r"/\d{4}/\d\d/"]])] = []
    """Addresses that may be articles; none: the page's evidence decides. Of lists: where teasers may lead."""
    deny: Annotated[list[Pattern], Field(examples=[["/video/"]])] = []
    """Addresses that are never fetched. Teasers that lead there are none."""
    pagination: Annotated[int, Field(ge=0, le=10_000, examples=[10])] = 10
    """How many "next page" links of one listing, board or list are followed; of ``wrapped`` pages none unless it is said."""
    pages_per_thread: Annotated[int, Field(ge=1, le=10_000, examples=[50])] = 50
    """Pages of one thread that are fetched, at most."""
    depth: Annotated[int, Field(ge=0, le=100, examples=[3])] = 3
    """How many links away from a start page a listing may be."""
    from_articles: Annotated[bool, Field(examples=[True])] = False
    """Whether links on article pages are followed, too, and not only those on listings."""
    since: Annotated[date | None, Field(examples=["2026-01-01"])] = None
    """Articles before this day are rejected (or not even fetched where feed or sitemap tell the day)."""
    until: Annotated[date | None, Field(examples=["2026-12-31"])] = None
    """Articles after this day are rejected."""
    min_confidence: Annotated[float, Field(ge=0, le=1, examples=[0.4])] = 0.0
    """Where the algorithm is less sure of a page's records than this, the page has none."""
    limit: Annotated[int | None, Field(ge=1, examples=[500])] = None
    """At most this many article pages are fetched in one run."""
    algorithm: Annotated[str | None, Field(examples=["block_statistics"])] = None
    """Extraction algorithm; none: the project's."""
    params: Annotated[dict[str, Any], Field(examples=[{"preset": "published"}])] = {}
    """Parameters of the algorithm. Those that name a file are relative to the folder of the site file."""
    wrapper: Annotated[str | None, Field(min_length=1, examples=["wrappers/proceedings.oem"])] = None
    """A format file, relative to the folder of the site file: it reads the pages in the algorithm's place."""
    records: Annotated[str | None, Field(min_length=1, examples=["paper"])] = None
    """Label of the wrapper's objects that become one record each; none: one record a page, with all its objects."""
    linked_pages: Annotated[int, Field(ge=0, le=10_000, examples=[50])] = 50
    """Pages that the wrapper's ``get(…)`` lead to from one page, at most; ``depth`` bounds how many links away."""
    language: Annotated[str | None, Field(pattern=r"^[a-z]{2}$", examples=["zh"])] = None
    """Language of pages that do not tell theirs."""
    canonical: Annotated[Literal["follow", "ignore"], Field(examples=["follow"])] = "follow"
    """What to do with a page that names another address as its canonical one: fetch that one instead, or not."""
    min_length: Annotated[int, Field(ge=0, examples=[80])] = 80
    """Shorter texts (characters, white space not counted; East Asian characters count double) are rejected."""
    delay: Annotated[float | None, Field(ge=0, le=3600, examples=[2.0])] = None
    """Seconds between two requests to one host, fixed; none: at least DOWNLOAD_DELAY, and more for a slow server."""
    concurrency: Annotated[int | None, Field(ge=1, le=64, examples=[2])] = None
    """Requests to one host at the same time."""
    obey_robots: Annotated[bool, Field(examples=[True])] = True
    user_agent: Annotated[str | None, Field(min_length=3, examples=["mybot (+https://example.org/bot)"])] = None
    render: Annotated[bool, Field(examples=[True])] = False
    """Whether a browser fetches the pages and runs their scripts; else the source alone is read."""
    proxy: Annotated[Address | None, Field(examples=["http://127.0.0.1:3128"])] = None
    """Fetch this site through a proxy."""
    serve: Annotated[str | None, Field(examples=["tests/sample_site/www"])] = None
    """A folder with the site's files: it is served on loopback while the crawl runs, under the site's own addresses."""
    _wrapping: SiteWrapper | None = PrivateAttr(None)

    @property
    def wrapping(self) -> SiteWrapper | None:
        """The wrapper, once it has been read."""
        return self._wrapping

    def read_wrapper(self, folder: Path) -> None:
        """Read the wrapper that the site names, if it names one.

        :param folder: where relative paths begin: that of the site file.
        :raises UsageError: it cannot be read, or is wrong.
        """
        if self.wrapper is not None:
            self._wrapping = load_wrapper(self.wrapper, folder, self.records)

    @model_validator(mode="before")
    @classmethod
    def _dates(cls, data: Any) -> Any:
        """TOML dates and ISO strings are both dates."""
        for key in ("since", "until"):
            if isinstance(data, dict) and isinstance(data.get(key), str):
                try:
                    data = {**data, key: date.fromisoformat(data[key])}
                except ValueError:
                    continue  # reason: the field's own check words the error
        return data

    @model_validator(mode="after")
    def _whole(self) -> Site:
        for key, kinds in _ONLY.items():
            if key in self.model_fields_set and self.kind not in kinds:
                wanted = " or ".join(f'"{kind}"' for kind in kinds)
                raise ValueError(f'{key}: belongs to sites with kind = {wanted}, and this one has kind = "{self.kind}"')
        if self.kind == "search" and self.search is None:
            raise ValueError("search: missing; a search engine is asked at the address of its result pages")
        if self.kind == "forum" and not self.start:
            raise ValueError("start: missing; a forum needs the address of a board or thread")
        if self.kind in ("list", "wrapped"):
            self._check_lists()
        self._check_wrapper()
        if not (self.start or self.sitemaps or self.feeds or self.search):
            raise ValueError("start: one of start, sitemaps and feeds is needed")
        if ROBOTS in self.sitemaps and not (self.start or self.feeds or len(self.sitemaps) > 1):
            raise ValueError('sitemaps: "robots.txt" needs a start page to know the host')
        if self.since and self.until and self.since > self.until:
            raise ValueError("since: lies behind until")
        return self

    def _check_lists(self) -> None:
        """What addresses of lists may hold."""
        if not self.start:
            what = "the first page of each list" if self.kind == "list" else "the pages that the wrapper reads"
            raise ValueError(f"start: missing; name {what}")
        for address in self.start:
            if {"{page}", "{start}"} <= set(re.findall(r"\{\w*\}", address)):
                raise ValueError(f"start: {address!r}: it may hold one of {{page}} and {{start}}, not both")
            if "{" in urlsplit(address).netloc:
                raise ValueError(f"start: {address!r}: its host must not depend on the page")

    def _check_wrapper(self) -> None:
        """Whether the keys go together with a wrapper, or without one."""
        if self.kind == "wrapped" and self.wrapper is None:
            raise ValueError("wrapper: missing; name the format file that reads the pages")
        refused = _WITH_WRAPPER if self.wrapper is None else _WITHOUT_WRAPPER
        for key in refused:
            if key in self.model_fields_set:
                with_one = "belongs to sites with a wrapper" if self.wrapper is None else "has no use beside a wrapper"
                raise ValueError(f"{key}: {with_one}")

    @property
    def addresses(self) -> list[str]:
        """All addresses that the definition names."""
        searched = [self.search] if self.search else []
        return [*self.start, *(s for s in self.sitemaps if s != ROBOTS), *self.feeds, *searched]

    @cached_property
    def hosts(self) -> list[str]:
        """Host names of these addresses, in order, without repetition."""
        return list(dict.fromkeys(urlsplit(a).hostname or "" for a in self.addresses))

    @cached_property
    def all_domains(self) -> tuple[str, ...]:
        """The registered domains that belong to the site."""
        return tuple(dict.fromkeys([*map(registered_domain, self.hosts), *self.domains]))

    def covers(self, url: str) -> bool:
        """Whether an address belongs to the site."""
        host = urlsplit(url).hostname or ""
        return any(host == domain or host.endswith("." + domain) for domain in self.all_domains)
