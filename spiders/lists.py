"""The spiders ``list`` (list pages → one record per teaser), ``wrapped`` (a site's start pages → one record per object), and
``search`` (result pages → one record per hit)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from scrapy import Request
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response
from twisted.python.failure import Failure

from newsextract.discovery import Rules
from newsextract.feed.record_lines import Hit, ObjectRecord, ReadPage, Rejection, Teaser
from newsextract.page.page import Fetched
from newsextract.record_pages import TeaserList, hits_of, is_sure, read_list_page, read_result_page, teasers_of
from newsextract.sites import Site
from pipelines.extraction import WorkerError
from pipelines.items import NextPage, page_id
from pipelines.page_work import WrappedPage, list_leads
from spiders.pages import address_of, counts
from spiders.site_spider import Listing, RecordSpider
from spiders.wrapping import WrapperRun

# --- lists ----------------------------------------------------------------------------------------
# ``scrapy crawl list``: list pages (front pages, sections, archives) → one record per teaser.
#
# Every run reads the lists anew from the first page, and writes only teasers that are not in the feed yet. A teaser is
# identified by its list and the URL that it links to, so a killed run loses nothing, and teasers that have moved down the
# list are not written again. For long archives, ``-a run=NAME`` continues a killed run of the same name: pages that are done
# (:mod:`pipelines.items`) are not fetched again.

Output = Request | Teaser | Hit | ObjectRecord | ReadPage | Rejection
NO_RUN = "list"
"""Run name of pages that belong to no named run."""


@dataclass(frozen=True, slots=True)
class ListPosition:
    """Position of a page in a list."""

    next: NextPage
    start: str
    """The list's URL as in sites.toml; it may be a template with a page number."""
    depth: int
    """Number of lists above this one."""
    teased: TeaserList | None = None
    """None until the first page has been read."""
    before: frozenset[str] = frozenset()
    """Ids of the teasers of the previous page, or hashes of its objects."""


class ListSpider(RecordSpider):
    """Reads the lists in sites.toml."""

    name = "list"
    kind = "list"

    def start_site(self, site: Site) -> Iterator[Request]:
        """Request the first page of each list of a site, or of the lists that the user names."""
        for url in self.plan.urls or site.start:
            yield from self._list(site, url, depth=0)

    def page_id(self, url: str) -> str:
        """See :func:`pipelines.items.page_id`."""
        return page_id(url, self.plan.run or NO_RUN)

    def _list(self, site: Site, url: str, depth: int) -> Iterator[Request]:
        first = NextPage(address_of(url, 1, 1), 1, 1)
        known = self.ledger.pages.lines.get(self.page_id(first.url))
        teased = TeaserList(known.list_url, known.list_title) if known is not None and known.list_url else None
        yield from self._page(site, ListPosition(first, url, depth, teased if self.plan.run else None))

    def _page(self, site: Site, at: ListPosition) -> Iterator[Request]:
        """Request a page of a list; in a named run, the next page that is not done."""
        following = at.next
        # Links to other lists are not stored, so the pages are read again to find them.
        if self.plan.run and not self._leads_on(site, at):
            following = self.ledger.pages.resume(at.next, self.plan.run, site.since, site.until)
            if following.known is not None:
                return
        if self.plan.run and self.is_turned_away(site, following.url):
            return  # rejected
        if following.number > self.pages_of(site) or not self.covers(site, following.url) or not self._is_new(following.url):
            return
        if self.has_room(site):
            at = ListPosition(following, at.start, at.depth, at.teased, at.before if following is at.next else frozenset())
            yield self._request(site, following.url, self.parse_page, -following.number - at.depth, {"at": at})

    def pages_of(self, site: Site) -> int:
        """Maximum number of pages per list."""
        return site.pagination + 1

    def _leads_on(self, site: Site, at: ListPosition) -> bool:
        return bool(site.follow) and at.depth < site.depth

    async def parse_page(self, response: Response, site: Site, at: ListPosition) -> AsyncIterator[Output]:
        """Process a list page: write its teasers, follow the next page and other lists."""
        rules = self.rules[site.name]
        if site.wrapping is not None:
            finish = partial(self._wrapped, at=at)
            async for item in self.wrapped(response, site, at.next.url, finish, list_leads, rules):
                yield item
            return
        algorithm, params = self.algorithm_of(site)
        read = await self.read(response, site, at.next.url, read_list_page, rules, algorithm, params, at.next.shape)
        if isinstance(read, Rejection):
            yield read
            return
        teased = at.teased or TeaserList(at.next.url, read.title)
        place = site.name, response.url, at.next.number, at.next.first, algorithm
        teasers = teasers_of(read, teased, *place) if is_sure(site, read.found) else []
        listing = self._listing(site, at, teased)
        for output in self.listed(listing, read, teasers, frozenset(teaser.id for teaser in teasers)):
            yield output
        for request in self._follow(site, at, read.lists):
            yield request

    def _follow(self, site: Site, at: ListPosition, lists: Iterable[str]) -> Iterator[Request]:
        if self._leads_on(site, at):
            for url in lists:
                yield from self._list(site, url, at.depth + 1)

    def _listing(self, site: Site, at: ListPosition, teased: TeaserList) -> Listing:
        def follow(after: NextPage, keys: frozenset[str]) -> Iterator[Request]:
            return self._page(site, ListPosition(after, at.start, at.depth, teased, keys))

        more = {"list_title": teased.title, "list_url": teased.url, "run": self.plan.run or None}
        return Listing(site, self.kind, at.next, at.before, at.start, "no teaser was found", follow, more)

    def _wrapped(self, run: WrapperRun, read: WrappedPage, at: ListPosition) -> Iterator[Output]:
        """The objects of a page that the site's wrapper has read, the page's own line, the next page, and other lists."""
        teased = at.teased or TeaserList(at.next.url, read.leads.title)
        if (yield from self.objects(self._listing(run.site, at, teased), run, read)):
            yield from self._follow(run.site, at, read.leads.lists)


# --- wrapped --------------------------------------------------------------------------------------
# ``scrapy crawl wrapped``: the start pages of a site, read by its wrapper → one record per object.
#
# For pages of known structure: proceedings, directories, programmes, front pages. The wrapper's ``get(…)`` leads to further
# pages. "Next page" links are followed only if the site sets ``pagination``, or ``{page}`` in the URL of a start page.
# Otherwise as for lists: every run reads the pages anew, unchanged objects are not written again, and ``-a run=NAME``
# continues a killed run of this name.


class WrappedSpider(ListSpider):
    """Reads the start pages of sites with ``kind = "wrapped"``."""

    name = "wrapped"
    kind = "wrapped"

    def pages_of(self, site: Site) -> int:
        """One, unless the site sets ``pagination``."""
        asked = "pagination" in site.given or any(map(counts, site.start))
        return site.pagination + 1 if asked else 1


# --- search ---------------------------------------------------------------------------------------
# ``scrapy crawl search``: queries → result pages → one record per hit, ranks counted over the pages.
#
# Each run (``-a run=NAME``, default: the day) gives its own records: the same query tomorrow gives new ones. Within a run,
# pages that are done are not fetched again, so the same command continues a killed run. The robots.txt of most engines
# forbids their result pages; these are rejected as ``robots`` unless the site sets ``obey_robots = false``.
#
# All result pages of an engine use one template. It is learned from a page with many hits
# (:mod:`newsextract.algorithms.record_shape`), and finds the hits on pages with one to five of them. Pages with few hits
# wait in memory until such a page was read, or no more requests to the engine are left.

MANY = 6
"""Minimum number of hits on a page to learn the template from. Pages of the lab with fewer have confidences of 0.2 to
0.9."""
MAX_WAITING = 200
"""Maximum number of waiting pages per engine; further pages are read without a template."""


@dataclass(frozen=True, slots=True)
class ResultsAsked:
    """A fetched result page."""

    page: Fetched
    url: str
    query: str
    at: NextPage
    before: frozenset[str]
    """URLs of the hits of the previous page."""


class SearchSpider(RecordSpider):
    """Queries the search engines in sites.toml."""

    name = "search"
    kind = "search"

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.shapes: dict[str, str] = {}
        """Engine → template of its hits."""
        self._waiting: defaultdict[str, list[ResultsAsked]] = defaultdict(list)
        self._unread: Counter[str] = Counter()
        """Engine → number of queries and result pages that are not read yet."""

    def start_site(self, site: Site) -> Iterator[Request]:
        """Request the first page of each query that is not done."""
        for line in self.ledger.pages.lines.values():
            if line.site == site.name and line.kind == "results" and line.shape and line.count >= MANY:
                self.shapes[line.site] = line.shape
        self._unread[site.name] += len(self.plan.queries)
        for query in self.plan.queries:
            yield from self._results(site, query, NextPage(address_of(site.search or "", 1, 1, query), 1, 1))
            self._unread[site.name] -= 1

    def page_id(self, url: str) -> str:
        """Key of a page in this run; see :func:`pipelines.items.page_id`."""
        return page_id(url, self.plan.run)

    def _results(self, site: Site, query: str, start: NextPage, before: frozenset[str] = frozenset()) -> Iterator[Request]:
        """Request a result page, or the next one that is not done."""
        following = self.ledger.pages.resume(start, self.plan.run)
        if following.known is not None or following.number > site.results or not self.covers(site, following.url):
            return
        if self.is_turned_away(site, following.url) or not self._is_new(following.url):
            return
        if self.has_room(site):
            arguments = {"query": query, "at": following, "before": before}
            self._unread[site.name] += 1
            yield self._request(site, following.url, self.parse_page, -following.number, arguments)

    def object_key(self, url: str) -> str:
        """Key of a page's objects; like hits, they belong to this run."""
        return self.page_id(url)

    async def parse_page(
        self, response: Response, site: Site, query: str, at: NextPage, before: frozenset[str]
    ) -> AsyncIterator[Output]:
        """Process a result page: write its hits, follow the next page."""
        if site.wrapping is not None:
            finish = partial(self.objects, self._listing(site, query, at, before))
            async for item in self.wrapped(response, site, at.url, finish, list_leads, Rules()):
                yield item
            return
        page = self.fetched(response, site, at.url)
        if isinstance(page, Rejection):
            yield page
        else:
            async for output in self._read(site, ResultsAsked(page, response.url, query, at, before)):
                yield output
        self._unread[site.name] -= 1
        if not self._unread[site.name]:
            async for output in self._read_waiting(site):
                yield output

    async def _read(self, site: Site, asked: ResultsAsked, *, may_wait: bool = True) -> AsyncIterator[Output]:
        """Read the hits of a page; a page with few hits waits if the engine's template is not known yet."""
        algorithm, params = self.algorithm_of(site)
        at = asked.at
        shape = at.shape or self.shapes.get(site.name)
        try:
            given = algorithm, params, asked.query, at.number, shape
            read = await self.pool.ask(asked.page, read_result_page, *given)
        except WorkerError as error:
            yield self.rejected(site, at.url, "failed", str(error))
            return
        waiting = self._waiting[site.name]
        is_learned = shape is not None or len(read.hits) >= MANY or at.number > 1
        if not is_learned and may_wait and self._unread[site.name] > 1 and len(waiting) < MAX_WAITING:
            waiting.append(asked)
            return
        if shape is not None and at.shape is None and self.archive is not None:
            self.archive.read_by(at.url, shape)
        place = asked.query, self.plan.run, asked.url, at.number, at.first, algorithm
        hits = hits_of(read, site.name, *place) if is_sure(site, read.found) else []
        listing = self._listing(site, asked.query, at, asked.before)
        for output in self.listed(listing, read, hits, frozenset(hit.address for hit in hits)):
            yield output
        if shape is None and read.shape is not None and len(read.hits) >= MANY:
            self.shapes.setdefault(site.name, read.shape)
            async for output in self._read_waiting(site):
                yield output

    async def _read_waiting(self, site: Site) -> AsyncIterator[Output]:
        for asked in self._waiting.pop(site.name, []):
            async for output in self._read(site, asked, may_wait=False):
                yield output

    def _listing(self, site: Site, query: str, at: NextPage, before: frozenset[str]) -> Listing:
        def follow(after: NextPage, keys: frozenset[str]) -> Iterator[Request]:
            return self._results(site, query, after, keys)

        missing, more = f"no hit was found for {query!r}", {"run": self.plan.run}
        return Listing(site, "results", at, before, site.search or "", missing, follow, more, query)

    async def failed(self, failure: Failure) -> AsyncIterator[Output]:  # type: ignore[override]  # Scrapy accepts both kinds of errback
        """Write a rejection for a failed request; if robots.txt forbids it, name the key that overrides this."""
        site: Site = failure.request.cb_kwargs["site"]  # type: ignore[attr-defined]  # set by Scrapy
        self._unread[site.name] -= 1
        for output in super().failed(failure):
            if isinstance(output, Rejection) and output.status == "robots":
                output.reason += f"; obey_robots = false in the site {output.site!r} of sites.toml would override it"
            yield output
        if not self._unread[site.name]:
            async for waiting in self._read_waiting(site):
                yield waiting

    def idle(self) -> None:
        """When nothing is left to fetch, pages may still wait because a request was dropped; fetch one of them again for
        all."""
        super().idle()
        for name, waiting in self._waiting.items():
            if waiting:
                self._unread[name] = 1
                asked = waiting.pop(0)
                arguments = {"query": asked.query, "at": asked.at, "before": asked.before}
                request = self._request(self.sites[name], asked.at.url, self.parse_page, 0, arguments)
                self.crawler.engine.crawl(request)
                raise DontCloseSpider
