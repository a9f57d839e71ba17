"""``scrapy crawl search``: queries → result pages → one record per hit, ranks counted over the pages.

Every run (``-a run=NAME``, default: the day) is an observation of its own: the same query tomorrow gives new records. Within
a run, pages that are done (:mod:`pipelines.pages`) are not fetched again, so a killed one goes on. Engines mostly forbid
their result pages in robots.txt; such a page is turned away as ``robots`` unless the site's own key ``obey_robots`` says
otherwise.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import partial
from typing import Any

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from newsextract.discovery import Rules
from newsextract.sites import Site
from pipelines.items import Hit, ObjectRecord, ReadPage, Rejection
from pipelines.page_records import hits_of
from pipelines.pages import NextPage, page_id
from pipelines.record_pages import ResultPage, read_result_page
from pipelines.wrapped_pages import WrappedPage, list_leads
from spiders.counting import address_of, counts
from spiders.objects import Run, said
from spiders.record_spider import RecordSpider, following_page, is_sure

Output = Request | Hit | ObjectRecord | ReadPage | Rejection


class SearchSpider(RecordSpider):
    """Asks the engines in sites.toml."""

    name = "search"

    async def start(self) -> AsyncIterator[Any]:
        """The first page of every query at every engine that is not done."""
        for query in self.plan.queries:
            for site in self.sites.values():
                first = NextPage(address_of(site.search or "", 1, 1, query), 1, 1)
                for request in self._results(site, query, first):
                    yield request

    def page_id(self, url: str) -> str:
        """Another run asks for the same address again; see :func:`pipelines.pages.page_id`."""
        return page_id(url, self.plan.run)

    def _results(self, site: Site, query: str, start: NextPage, before: frozenset[str] = frozenset()) -> Iterator[Request]:
        """A result page, or where the list goes on if that one is done.

        :param before: addresses of the hits of the page before.
        """
        following = self.ledger.pages.resume(start, self.plan.run)
        if following.known is not None or following.number > site.results or not site.covers(following.url):
            return
        if self.is_turned_away(site, following.url) or not self._is_new(following.url):
            return
        if self.has_room(site):
            arguments = {"query": query, "at": following, "before": before}
            yield self._request(site, following.url, self.parse_page, -following.number, arguments, is_counted=True)

    def object_key(self, url: str) -> str:
        """What a wrapper finds is, like hits, of this run."""
        return self.page_id(url)

    async def parse_page(
        self, response: Response, site: Site, query: str, at: NextPage, before: frozenset[str]
    ) -> AsyncIterator[Output]:
        """A result page: its hits are written, the next one is followed."""
        if site.wrapping is not None:
            finish = partial(self._wrapped, query=query, at=at, before=before)
            async for item in self.wrapped(response, site, at.url, finish, list_leads, Rules()):
                yield item
            return
        algorithm, params = self.algorithm_of(site)
        read = await self.read(response, site, at.url, read_result_page, algorithm, params, at.shape)
        if isinstance(read, Rejection):
            yield read
            return
        for output in self._hits(site, query, at, before, response.url, read, algorithm):
            yield output

    def _hits(
        self, site: Site, query: str, at: NextPage, before: frozenset[str], url: str, read: ResultPage, algorithm: str
    ) -> Iterator[Output]:
        """The hits of a page, the page's own line, and the next page."""
        sure = is_sure(site, read.found)
        hits = hits_of(read, site, query, self.plan.run, url, at.number, at.first, algorithm) if sure else []
        addresses = frozenset(hit.address for hit in hits)
        if at.number > 1 and addresses <= before:
            hits = []  # the same hits again: the engine has no further page
        if not hits and at.number == 1:
            yield self.none_found(site, at.url, read.found, f"no hit was found for {query!r}")
            return
        following = None
        if hits:
            first = at.first + len(hits)
            following = following_page(site, site.search or "", at.number + 1, first, read.next_page, query)
        for hit in hits:
            if not self.ledger.has(int(hit.id, 16)):
                yield hit
        yield self.page_line(site, at.url, "results", at, read.found, hits, hits, following, read.shape, run=self.plan.run)
        if following:
            behind = NextPage(following, at.number + 1, at.first + len(hits), shape=read.shape)
            yield from self._results(site, query, behind, addresses)

    def _wrapped(self, run: Run, read: WrappedPage, query: str, at: NextPage, before: frozenset[str]) -> Iterator[Output]:
        """The same of a page that the site's wrapper has read."""
        template = run.site.search or ""
        found = self.objects.records(run, read, at.number, at.first, must_fit=at.number == 1 or not counts(template))
        if isinstance(found, Rejection):
            yield found
            return
        words = said(found)
        if at.number > 1 and words <= before:
            found = []
        behind = at.first + len(found)
        following = None
        if found:
            following = following_page(run.site, template, at.number + 1, behind, read.leads.next_page, query)
        yield from found
        yield from self.objects.line(run, read, "results", found, at.number, at.first, following, run=self.plan.run)
        if following:
            yield from self._results(run.site, query, NextPage(following, at.number + 1, behind), words)

    def failed(self, failure: Failure) -> Iterator[Request | Rejection]:
        """A request that failed leaves a record of its failure; one that robots.txt forbids says what would override it."""
        for output in super().failed(failure):
            if isinstance(output, Rejection) and output.status == "robots":
                output.reason += f"; obey_robots = false in the site {output.site!r} of sites.toml would override it"
            yield output
