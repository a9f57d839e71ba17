"""The items of the pipelines: a fetched page, then records or a rejection, flat and in export order.

A news page gives one :class:`NewsRecord`, a page of a thread many :class:`Post`, a result page many :class:`Hit`, a list
page many :class:`Teaser`. If the site has a wrapper, pages of every kind give :class:`ObjectRecord`. A :class:`ReadPage`
lists the records of a page, except for news without a wrapper; which pages are done is told by these lines (*pages with
many records*). Components (pipelines, extensions, middlewares) of this project's spiders begin as :class:`Component`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Container
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any, Self, cast

import scrapy
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from newsextract.discovery import record_id
from newsextract.feed import OBJECT
from newsextract.feed.record_lines import Hit, NewsRecord, ObjectRecord, Post, ReadPage, Rejection, Teaser, check_types
from newsextract.page.page import Fetched
from newsextract.sites import Site
from pipelines.page_work import Extracted

if TYPE_CHECKING:
    from spiders.site_spider import SiteSpider


@dataclass(slots=True, repr=False)
class FetchedPage:
    """A fetched article page, with the following pages of the same article."""

    site: Site
    requested_url: str
    """The URL that discovery found, before redirects."""
    parts: list[Fetched] = field(default_factory=list)
    extracted: list[tuple[Fetched, Extracted]] = field(default_factory=list)
    """Parts that a worker has already extracted, with the results. Parts that a pipeline has replaced are not among them."""
    etag: str | None = None
    last_modified: str | None = None

    def add(self, part: Fetched, extracted: Extracted | None) -> None:
        """Add a page of the article, with its extraction result."""
        self.parts.append(part)
        if extracted is not None:
            self.extracted.append((part, extracted))

    def __repr__(self) -> str:
        """Short form for logs, without the page itself."""
        size = sum(len(part.body) for part in self.parts)
        return f"<FetchedPage {self.requested_url[:200]}, {len(self.parts)} part(s), {size} bytes>"


Record = NewsRecord | Post | Hit | Teaser | ObjectRecord
"""A line of the feed."""
Item = Record | ReadPage | Rejection
RECORD_CLASSES: dict[str, type[Record]] = {
    "news": NewsRecord,
    "forum": Post,
    "search": Hit,
    "list": Teaser,
    "wrapped": ObjectRecord,
}
"""Kind of site (also the name of the spider) → types of its lines; sites with a wrapper give objects, whatever their
kind."""
LINE_KINDS = {"forum": "post", "search": "hit", "list": "teaser", "wrapped": OBJECT}
"""Kind of site → ``kind`` of its lines, for all spiders except news."""


# --- pages with many records ----------------------------------------------------------------------
# Pages with many records: which of them are done, and which page of a thread or list comes next.
#
# The line of a page lists its records. The page is done when all of them are in the feed, so neither the order in which the
# two files are written nor a process that dies between two records matters. A page that is not done is fetched again; its
# records keep their ids, and those in the feed are not written again. The last line of a page counts.
#
# Posts and teasers outside the date window are dropped, and the line names the bound that excluded some. For a run with a
# wider window, the page is not done.
#
# The first line of a thread or list with several pages also stores the template of its records
# (:mod:`newsextract.algorithms.record_shape`). So later pages are read alike, no matter whether the run began with the first
# page or continues a killed run.
#
# Cost: about 300 bytes of memory per page, 40 per record, and 300 to 1,300 for a template.


def page_id(url: str, run: str | None = None) -> str:
    """Id of a page, 16 hexadecimal digits. For a result or list page it depends on the run, because each run gives new
    records, and on the URL as written: normalisation drops parameters such as ``from``, which may be page numbers."""
    return record_id(url) if run is None else record_id(f"{run} {url}")


@dataclass(frozen=True, slots=True)
class NextPage:
    """The page to fetch next."""

    url: str
    number: int
    """Number of the page, 1 for the first."""
    first: int
    """Position of its first record, 1 for the first."""
    known: ReadPage | None = None
    """Its line, if the page is done: it is then the last known page, and may have new records."""
    shape: str | None = None
    """Template of the records on earlier pages; None if unknown."""
    opening: str = ""
    """Id of the first post of a thread, which some forum software repeats on every page; empty if unknown."""


@dataclass(slots=True)
class PageLines:
    """The lines of all pages."""

    lines: dict[str, ReadPage] = field(default_factory=dict)
    written: Container[int] = frozenset()
    """Ids of the records that were in the feed at the start of the run."""
    given_up: set[int] = field(default_factory=set)
    """Ids of records that will never be in the feed: a user's pipeline drops them, or has failed on them too often."""

    def add(self, page: ReadPage) -> bool:
        """Add a line; False if it contains nothing new."""
        known = self.lines.get(page.id)
        self.lines[page.id] = page
        return known is None or _said(known) != _said(page)

    def is_done(self, page: ReadPage, since: date | None = None, until: date | None = None) -> bool:
        """Whether all records of a page are in the feed or were given up.

        :param since: first day of the date window of this run, None: unbounded; likewise its last day ``until``.
        """
        if page.since and (since is None or since.isoformat() < page.since):
            return False
        if page.until and (until is None or until.isoformat() > page.until):
            return False
        numbers = (int(record, 16) for record in page.records)
        return all(number in self.written or number in self.given_up for number in numbers)

    def resume(
        self, start: NextPage, run: str | None = None, since: date | None = None, until: date | None = None
    ) -> NextPage:
        """Follow pages that are done, to the first that is not, or else to the last known one.

        A page without records repeats the previous page, which is then the last.
        """
        here, seen = start, set[str]()
        before: NextPage | None = None
        while True:
            name = page_id(here.url, run)
            line = self.lines.get(name)
            if line is None or not self.is_done(line, since, until):
                return here
            if line.count == 0 and before is not None:
                return before
            shape = here.shape or line.shape
            opening = here.opening or (line.records[0] if line.number == 1 and 0 < line.count == len(line.records) else "")
            before = NextPage(here.url, line.number, line.first, line, shape, here.opening)
            if line.next is None or name in seen:
                return before
            seen.add(name)
            here = NextPage(line.next, line.number + 1, line.first + line.count, shape=shape, opening=opening)


def _said(page: ReadPage) -> ReadPage:
    """A line without the fields that differ between fetches."""
    return dataclasses.replace(page, fetched_at="", etag=None, last_modified=None, shape=None)


def check_page(value: dict[str, Any], line: bytes) -> None:
    """Raise ValueError, KeyError or TypeError if a line is not the line of a page."""
    if wrong := set(ReadPage.__slots__) ^ set(value):
        raise ValueError(f"it lacks or adds {', '.join(sorted(wrong))}")
    check_types(value, ReadPage)
    for record in value["records"]:
        int(record, 16)
    if value["shape"] is not None:
        from newsextract.algorithms.record_shape import read_shape  # imported here, because crawls of news do not need it

        read_shape(value["shape"])


# --- plain spiders --------------------------------------------------------------------------------
# A user's own spider and those of ``scrapy shell``, ``fetch``, ``parse`` and ``bench``: they have no plan, no sites and no
# ledger. Components that need these are off for them; the others work like Scrapy's.


class PlannedSpider(scrapy.Spider):
    """Base of this project's spiders; every other spider is a plain spider."""

    kind: str
    """Name of the project's spider; a user's subclass may have another ``name``."""


def is_planned(crawler: Crawler) -> bool:
    """Whether the crawler runs one of this project's spiders."""
    return isinstance(crawler.spider, PlannedSpider)


def planned(crawler: Crawler) -> SiteSpider:
    """The crawler's spider, which Scrapy creates before the components.

    :raises NotConfigured: the spider is a plain spider, so the component is off.
    """
    if not is_planned(crawler):
        raise NotConfigured
    return cast("SiteSpider", crawler.spider)  # the base of all of this project's spiders


class Component:
    """Base of pipelines and middlewares that need this project's spider."""

    def __init__(self, spider: SiteSpider) -> None:
        self.spider = spider

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Called by Scrapy."""
        return cls(planned(crawler))
