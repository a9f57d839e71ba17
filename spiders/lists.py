"""The spiders ``list`` (list pages → one record per teaser) and ``wrapped`` (a site's start pages → one record per
object)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from scrapy import Request
from scrapy.http import Response

from newsextract.feed.record_lines import ObjectRecord, ReadPage, Rejection, Teaser
from newsextract.record_pages import TeaserList, is_sure, read_list_page, teasers_of
from newsextract.sites import Site
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

Output = Request | Teaser | ObjectRecord | ReadPage | Rejection
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
