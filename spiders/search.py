"""``scrapy crawl search``: queries → result pages → one record per hit, ranks counted over the pages.

Each run (``-a run=NAME``, default: the day) gives its own records: the same query tomorrow gives new ones. Within a run,
pages that are done (:mod:`pipelines.items`) are not fetched again, so the same command continues a killed run. The
robots.txt of most engines forbids their result pages; these are rejected as ``robots`` unless the site sets ``obey_robots =
false``.

All result pages of an engine use one template. It is learned from a page with many hits
(:mod:`newsextract.algorithms.record_shape`), and finds the hits on pages with one to five of them. Pages with few hits wait
in memory until such a page was read, or no more requests to the engine are left.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from scrapy import Request
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response
from twisted.python.failure import Failure

from newsextract.discovery import Rules
from newsextract.feed.record_lines import Hit, ObjectRecord, ReadPage, Rejection
from newsextract.page.page import Fetched
from newsextract.record_pages import hits_of, is_sure, read_result_page
from newsextract.sites import Site
from pipelines.extraction import WorkerError
from pipelines.items import NextPage, page_id
from pipelines.page_work import list_leads
from spiders.pages import address_of
from spiders.site_spider import Listing, RecordSpider

Output = Request | Hit | ObjectRecord | ReadPage | Rejection
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
