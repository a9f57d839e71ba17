"""``scrapy crawl search``: queries → result pages → one record per hit, ranks counted over the pages.

Every run (``-a run=NAME``, default: the day) is an observation of its own: the same query tomorrow gives new records. Within
a run, pages that are done (:mod:`pipelines.pages`) are not fetched again, so a killed one goes on. Engines mostly forbid
their result pages in robots.txt; such a page is turned away as ``robots`` unless the site's own key ``obey_robots`` says
otherwise.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any
from urllib.parse import quote

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure
from w3lib.url import safe_url_string

from newsextract import Hints
from newsextract.discovery import matches
from newsextract.sites import Site
from pipelines.items import Hit, ReadPage, Rejection
from pipelines.pages import NextPage, page_id
from pipelines.record_pages import ResultPage, hits_of, read_result_page
from pipelines.workers import WorkerError
from spiders.pages import other_type, page_of
from spiders.site_spider import SiteSpider

Output = Request | Hit | ReadPage | Rejection


class SearchSpider(SiteSpider):
    """Asks the engines in sites.toml."""

    name = "search"

    async def start(self) -> AsyncIterator[Any]:
        """The first page of every query at every engine that is not done."""
        for query in self.plan.queries:
            for site in self.sites.values():
                for request in self._results(site, query, NextPage(address_of(site, query, 1, 1), 1, 1)):
                    yield request

    def page_id(self, url: str) -> str:
        """Another run asks for the same address again. It is taken as it is: what is dropped when addresses are normalised,
        such as ``from``, may be what an engine counts by."""
        return page_id(url, self.plan.run)

    def _results(self, site: Site, query: str, start: NextPage, before: frozenset[str] = frozenset()) -> Iterator[Request]:
        """A result page, or where the list goes on if that one is done.

        :param before: addresses of the hits of the page before.
        """
        following = self.ledger.pages.resume(start, self.plan.run)
        if following.known is not None or following.number > site.results or not site.covers(following.url):
            return
        done = self.ledger.is_done(int(self.page_id(following.url), 16), site.obey_robots)
        if done or not self._is_new(following.url):
            return
        if site.limit is not None and self._fetched[site.name] >= site.limit:
            self._count("skipped/limit")
            return
        self._fetched[site.name] += 1
        arguments = {"query": query, "at": following, "before": before}
        yield self._request(site, following.url, self.parse_page, -following.number, arguments)

    async def parse_page(
        self, response: Response, site: Site, query: str, at: NextPage, before: frozenset[str]
    ) -> AsyncIterator[Output]:
        """A result page: its hits are written, the next one is followed."""
        if not site.covers(response.url):
            yield self.rejected(site, at.url, "redirected", f"redirects to {response.url}")
            return
        if (reason := other_type(response)) is not None:
            yield self.rejected(site, at.url, "not_html", reason)
            return
        page = page_of(response, Hints(language=site.language))
        algorithm, params = self.algorithm_of(site)
        try:
            read, _ = await self.pool.ask(page, None, read_result_page, algorithm, params)
        except WorkerError as error:
            yield self.rejected(site, at.url, "failed", str(error))
            return
        for output in self._hits(site, query, at, before, response.url, read, algorithm):
            yield output

    def _hits(
        self, site: Site, query: str, at: NextPage, before: frozenset[str], url: str, read: ResultPage, algorithm: str
    ) -> Iterator[Output]:
        """The hits of a page, the page's own line, and the next page."""
        hits = hits_of(read, site, query, self.plan.run, url, at.number, at.first, algorithm)
        addresses = frozenset(hit.address for hit in hits)
        if at.number > 1 and addresses <= before:
            hits = []  # the same hits again: the engine has no further page
        if not hits and at.number == 1:
            status = read.found.status if read.found.status in ("not_html", "too_large", "failed") else "empty"
            yield self.rejected(site, at.url, status, read.found.reason or f"no hit was found for {query!r}")
            return
        following = self._next(site, query, at.number + 1, at.first + len(hits), read.next_page) if hits else None
        for hit in hits:
            if not self.ledger.has(int(hit.id, 16)):
                yield hit
        yield ReadPage(
            id=self.page_id(at.url),
            url=at.url,
            site=site.name,
            kind="results",
            number=at.number,
            first=at.first,
            count=len(hits),
            records=[hit.id for hit in hits],
            next=following,
            run=self.plan.run,
            fetched_at=read.found.fetched_at,
        )
        if following:
            yield from self._results(site, query, NextPage(following, at.number + 1, at.first + len(hits)), addresses)

    def _next(self, site: Site, query: str, number: int, first: int, told: str | None) -> str | None:
        """Address of the following page: as the site's ``search`` says, or else as the page itself does."""
        if "{page}" in (site.search or "") or "{start}" in (site.search or ""):
            return address_of(site, query, number, first)
        return told if told and site.covers(told) and not matches(tuple(site.deny), told) else None

    def failed(self, failure: Failure) -> Iterator[Request | Rejection]:
        """A request that failed leaves a record of its failure; one that robots.txt forbids says what would override it."""
        for output in super().failed(failure):
            if isinstance(output, Rejection) and output.status == "robots":
                output.reason += f"; obey_robots = false in the site {output.site!r} of sites.toml would override it"
            yield output


def address_of(site: Site, query: str, number: int, first: int) -> str:
    """Address of a result page.

    :param number: of the page, 1 for the first.
    :param first: rank of its first hit, 1 for the first.
    """
    values = {"{query}": quote(query, safe=""), "{page}": str(number), "{start}": str(first - 1)}
    address = site.search or ""
    for name in ("{page}", "{start}", "{query}"):  # last what the user says: it may hold braces
        address = address.replace(name, values[name])
    return safe_url_string(address)  # as Scrapy will write it: the ledger knows pages by their addresses
