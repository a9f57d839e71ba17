"""``scrapy crawl news``: from target sites to article pages.

URLs come from sitemaps and feeds (with metadata: title and date), start pages, listings, and "next page" links. A worker
process determines the kind of each page, reads its links and extracts its article (:mod:`pipelines.page_work`); this module
only decides what to fetch. If the site has a wrapper, the wrapper reads the article pages (:mod:`spiders.wrapping`). Every
run discovers URLs anew, but does not fetch pages that the ledger knows.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from typing import Any
from urllib.parse import urljoin, urlsplit

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from newsextract import Hints
from newsextract.alarms import NO_LINKS, NO_TEXT
from newsextract.discovery import (
    ARTICLE_SCORE,
    BESIDE_OTHERS,
    DOUBTFUL,
    LEADS_ON,
    Discovery,
    Sitemap,
    matches,
    may_be_article,
    may_be_beside_others,
    normalize,
    read_feed,
    read_sitemap,
    sitemaps_from_robots,
)
from newsextract.discovery.feeds import MAX_URLS, SitemapEntry
from newsextract.discovery.links import PAGES, archive_group, is_fixed_page, lists_among, says_previous, text_score
from newsextract.discovery.pagination import step
from newsextract.feed.record_lines import NewsRecord, ObjectRecord, ReadPage, Rejection, length
from newsextract.page.notices import consent_address
from newsextract.results import ASKS_CONSENT
from newsextract.sites import ROBOTS, Site
from newsextract.state.announced import Announced, Skip
from pipelines.checks import folder_of
from pipelines.extraction import WorkerError
from pipelines.items import FetchedPage
from pipelines.ledger import identity
from pipelines.page_work import NewsPage, WrappedPage, read_news_page
from spiders.outcomes import ORIGIN, canonical_of, day_of, lost_record, of_failure, outside, recency, redirected_for_good
from spiders.pages import header_of, other_type, page_of, plain_text, requested_url
from spiders.plan import CrawlPlan
from spiders.politeness import MORE, UnreachableRobotsError
from spiders.site_spider import SiteSpider
from spiders.traps import MAX_NEIGHBOURS, MOST_NEIGHBOURS, PLACE, ArchiveLeads, FeedTexts, Lead, LeftOut, url_shape
from spiders.wrapping import WrapperRun

LAST = -1_000
"""Priority of archive pages: after all known articles."""
HEADLINE = 0.4
"""Least score of an anchor text that is as long as a headline: the names of menus are shorter."""
LEAST_OTHERS = 10
"""If a sitemap has this many URLs that do not look like archives, those that do wait like links to archives."""
ABOUT_SITE = "a page about the site, by its URL"
"""Why pages such as ``/imprint/`` are not requested."""
ARCHIVES = "archives"
"""Group of archive pages that are recognised only by the type of the link."""
UNREAD_SITEMAPS = "newsextract/unread_sitemaps"
"""Stat: number of sitemaps that could not be read. If it is set, the crawl exits with code 1."""
PASSING = ("server_error", "download")
"""Statuses of failed sitemaps that are requested once more."""
AGAIN = "newsextract_tried_again"
"""Meta key of that second request."""
UNDATED = 890
"""Priority of nested sitemaps without a date: before all articles."""
NESTED = "newsextract_nested_sitemap"
"""Meta key of requests for sitemaps that a sitemap index lists."""
MAX_WAITING = 50_000
"""Maximum number of waiting nested sitemaps per site, 1.6 kB each; an index may list as many (sitemaps.org)."""
BATCH = 500
"""Number of sitemap entries processed at a time."""
MAX_PARTS = 20
"""Maximum number of pages that are joined into one article."""

Output = Request | FetchedPage | NewsRecord | Rejection


@dataclass(slots=True)
class Sitemaps:
    """The sitemaps of a site."""

    waiting: list[tuple[int, int, Request]] = field(default_factory=list)
    """Nested sitemaps, a heap of (negative priority, position, request)."""
    older: int = 0
    """Number of waiting sitemaps that come after the undated ones."""
    is_reading: bool = False
    """Whether a nested sitemap is being fetched."""
    unread: int = 0
    """Number of sitemaps that have neither been read nor failed."""


def _no_text(read: NewsPage, site: Site) -> str | None:
    """Why a page gives no text, although it may be an article; None if it gives some, or does not exist."""
    if read.notice is not None:
        return read.notice.reason if read.notice.status == "blocked" else None
    if NO_TEXT in read.found.kind.told:
        return read.found.kind.told
    if read.extracted is None or length(read.extracted.article.text[: 4 * site.min_length + 100]) >= site.min_length:
        return None
    return "hardly any text was found"


class NewsSpider(SiteSpider):
    """Fetches the article pages of the sites in sites.toml."""

    name = "news"
    kind = "news"

    def __init__(self, plan: CrawlPlan, **arguments: str) -> None:
        super().__init__(plan, **arguments)
        self.failed_sitemaps: list[Request] = []
        """Requested again when nothing else is left to fetch."""
        self.later: list[Site] = []
        """Sites with a limit whose start pages wait until sitemaps and feeds have been read: these name the newest articles,
        and the links of a start page may lead to other lists."""
        self.sitemaps: defaultdict[str, Sitemaps] = defaultdict(Sitemaps)
        self.expected: dict[str, int] = {}
        """Site → number of articles that its sitemaps and feeds announce; set at the end of the crawl."""
        self.leads: defaultdict[str, ArchiveLeads] = defaultdict(ArchiveLeads)
        self.feed_texts = FeedTexts()

    # -- what to fetch first ---------------------------------------------------------------------------------------

    def start_site(self, site: Site) -> Iterator[Request]:
        """Request sitemaps, feeds and start pages of a site, records to revisit, and links stored by earlier runs."""
        hints = Hints(language=site.language)
        for url in self.plan.urls:
            if self.covers(site, url):
                yield from self._article(site, url, hints, 0)
        # First of all: a link to such a page, found meanwhile, must not be requested in its place.
        for known in [known for known in self.ledger.revisit.values() if known.site == site.name]:
            # A browser handles ETags itself: rendered pages are always fetched.
            tags = {} if site.render else {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified}
            for request in self._article(site, known.url, hints, 0):
                request.headers.update({k: v for k, v in tags.items() if v})
                request.meta["handle_httpstatus_list"] = [304]
                yield request
        if not self.plan.urls:
            for url in site.sitemaps:
                named = [urljoin(address, "/robots.txt") for address in site.addresses] if url == ROBOTS else [url]
                for address in dict.fromkeys(named):
                    yield self._sitemap(site, address, 0, 900)
            for url in site.feeds:
                yield self._feed(site, url)
            if site.limit is None or not (site.sitemaps or site.feeds):
                yield from self._start_pages(site)
            else:
                self.later.append(site)
        for name, url in self.ledger.again.values():
            if name == site.name:
                yield from self._article(site, url, hints, 0)
        for link in () if self.plan.urls else self.ledger.kept_links(site.name):
            if link.role not in ("archive", "link") or not self._hold(site, link.url, link.depth, link.role, link.hints):
                yield from self._article(site, link.url, link.hints, link.depth, role=link.role, is_vouched=link.is_vouched)

    def _start_pages(self, site: Site) -> Iterator[Request]:
        for url in site.start:
            self._scheduled.add(identity(url))
            yield self._request(site, url, self.parse_page, 800, {"role": "start", "depth": 0, "pages": 0})

    def closed_down(self, reason: str = "finished") -> None:
        """Count the announced articles, and stop."""
        # What was found at a usual place may list anything: it is no promise.
        self.expected = {name: 0 if self.ways[name].asked else self.announced.count(name) for name in self.sites}
        for name, leads in self.leads.items():
            for lead, why in leads.left():
                how = lead.hints.source if lead.hints and lead.hints.source else "link"
                self.skips.add(name, Skip(identity(lead.url), lead.url, how, why, place=lead.origin))
        super().closed_down(reason)

    # -- sitemaps and feeds ----------------------------------------------------------------------------------------

    async def parse_sitemap(self, response: Response, site: Site, level: int) -> AsyncIterator[Output]:
        """Read a sitemap, a sitemap index, or a robots.txt that lists sitemaps."""
        try:
            async for output in self._read_sitemap(response, site, level):
                yield output
        finally:
            self._is_read(response.request)  # type: ignore[arg-type]  # Scrapy has set it

    def _sitemap(self, site: Site, url: str, level: int, priority: int) -> Request:
        self.sitemaps[site.name].unread += 1
        return self._request(site, url, self.parse_sitemap, priority, {"level": level}, is_page=False)

    def _is_read(self, request: Request) -> None:
        sitemaps = self.sitemaps[request.cb_kwargs["site"].name]
        sitemaps.unread -= 1
        sitemaps.is_reading = sitemaps.is_reading and NESTED not in request.meta

    @property
    def sites_waiting(self) -> set[str]:
        """Sites with waiting pages or nested sitemaps."""
        return self.announced.sites.union(name for name, sitemaps in self.sitemaps.items() if sitemaps.waiting)

    def requests_waiting(self, name: str, count: int) -> list[Request]:
        """The next nested sitemap, then pages. Each site reads one nested sitemap at a time to limit memory. If the site has
        a limit, the sitemaps that may list the newest pages are read first."""
        sitemaps = self.sitemaps[name]
        if sitemaps.waiting and not sitemaps.is_reading:
            sitemaps.is_reading = True
            request = heappop(sitemaps.waiting)[-1]
            sitemaps.older -= request.priority < UNDATED
            return [request]
        if not count or (self.sites[name].limit is not None and sitemaps.unread > sitemaps.older):
            return []
        return super().requests_waiting(name, count)

    # reason of C901: one loop over the kinds of a sitemap's entries, each a few lines
    async def _read_sitemap(self, response: Response, site: Site, level: int) -> AsyncIterator[Output]:  # noqa: C901
        if urlsplit(response.url).path == "/robots.txt":
            for url in sitemaps_from_robots(response.body.decode("utf-8", "replace"), response.url):
                if self._is_new(url):
                    yield self._sitemap(site, url, 1, 900)
            return
        try:
            sitemap: Sitemap = await self.pool.run(read_sitemap, response.body, response.url)
            nested_urls = [nested.url for nested in sitemap.sitemaps]
            passed: set[str] = await self.pool.run(lists_among, nested_urls) if nested_urls else set()
        except WorkerError as error:
            yield self.rejected(site, response.url, "failed", f"sitemap: {error}")
            return
        if sitemap.entries or sitemap.sitemaps:
            self._is_found(site, response, "sitemap")
            self.ways[site.name].has_sitemap = True
        elif PLACE not in response.meta:
            yield self.rejected(site, response.url, "empty", "sitemap: no URL found in it")
        if sitemap.left_out:
            self.notes.append(f"{response.url}: entries after the first {MAX_URLS} are left out: {sitemap.left_out}")
        (self.traps.gave if sitemap.entries else self.traps.gave_nothing)(response.url)
        sitemaps = self.sitemaps[site.name]
        for number, nested in enumerate(sitemap.sitemaps, 1):
            if number % BATCH == 0:
                await asyncio.sleep(0)  # let other tasks run
            if len(sitemaps.waiting) >= MAX_WAITING:
                self._count("skipped/sitemap_over_limit", len(sitemap.sitemaps) - number + 1)
                self.notes.append(f"{response.url}: of its sitemaps only {number - 1} are read; {MAX_WAITING} wait already")
                break
            if nested.url in passed:
                self._count("skipped/sitemap_of_lists")
                continue
            changed = day_of(nested.lastmod)
            if site.since and changed and changed < site.since:
                self._count("skipped/old_sitemap")
            elif level < 3 and not self.traps.is_left_out(nested.url, is_asked_for=True) and self._is_new(nested.url):
                # Newest sitemap first, and its articles before the next sitemap.
                request = self._sitemap(site, nested.url, level + 1, recency(changed) + 1 if changed else UNDATED)
                request.meta[NESTED] = True
                sitemaps.older += request.priority < UNDATED
                heappush(sitemaps.waiting, (-request.priority, len(self._scheduled), request))
        has_articles = sum(entry.group is None for entry in sitemap.entries) >= LEAST_OTHERS
        for start in range(0, len(sitemap.entries), BATCH):
            for request in self._announce(site, sitemap.entries[start : start + BATCH], has_articles, response.url):
                yield request
            if not start:
                for request in reversed(self.requests_waiting(site.name, MORE)):
                    yield request
            await asyncio.sleep(0)  # let other tasks run

    def _announce(self, site: Site, entries: Iterable[SitemapEntry], has_articles: bool, origin: str) -> Iterator[Request]:
        """Queue the pages of the sitemap ``origin``; request those that are already linked from elsewhere."""
        waiting = []
        for entry in entries:
            day = day_of(entry.publication_date)
            hints = Hints(entry.title, entry.publication_date, "sitemap", entry.language or site.language)
            known_day = day or day_of(entry.lastmod)
            reason = ABOUT_SITE if self._is_about_site(site, entry.url) else None
            if not may_be_article(self.rules[site.name], entry.url):
                reason = "denied" if matches(tuple(site.deny), entry.url) else "not allowed"
            # A page cannot have been published after it was last changed.
            elif outside(site, day) or (site.since and day_of(entry.lastmod, site.since) < site.since):
                reason = "out_of_window"
            elif has_articles and entry.group and self._hold(site, entry.url, 1, "article", hints):
                continue
            if reason is not None:
                self._skip(site, reason, entry.url, hints, known_day, origin)
                continue
            number, priority = int(entry.id, 16), recency(known_day)
            written_day = known_day and known_day.isoformat()
            is_done = self.ledger.is_done(number, site.obey_robots) or (site.wrapping and self.is_done(site, entry.url))
            if number in self._scheduled or is_done:
                self.announced.note(site.name, number, "sitemap", written_day)
                yield from self._article(site, entry.url, hints, 1, priority=priority)
            elif self.covers(site, entry.url):
                waiting.append(Announced(number, entry.url, priority, hints, origin, written_day))
        self.announced.add(site.name, waiting)

    async def parse_feed(self, response: Response, site: Site) -> AsyncIterator[Output]:
        """Read an RSS, Atom or JSON feed."""
        try:
            entries = await self.pool.run(read_feed, response.body, response.url)
        except WorkerError as error:
            yield self.rejected(site, response.url, "failed", f"feed: {error}")
            return
        if entries:
            self._is_found(site, response, "feed")
            self.ways[site.name].has_feed = True
        elif PLACE not in response.meta:
            yield self.rejected(site, response.url, "empty", "feed: no entry found in it")
        for entry in entries:
            day = day_of(entry.date)
            hints = Hints(entry.title, entry.date, "feed", entry.language or site.language)
            if outside(site, day):
                self._skip(site, "out_of_window", entry.url, hints, day, response.url)
                continue
            self.announced.note(site.name, identity(entry.url), "feed", day and day.isoformat())
            if not self.covers(site, entry.url):
                self._skip(site, "other site", entry.url, hints, day, response.url)
            if self.archive is None and site.wrapping is None and not self.is_done(site, entry.url):
                self.feed_texts.keep(identity(entry.url), entry)
            for request in self._article(site, entry.url, hints, 1, priority=recency(day)):
                yield request

    def _feed(self, site: Site, url: str) -> Request:
        return self._request(site, url, self.parse_feed, 900, {}, is_page=False)

    def _is_found(self, site: Site, response: Response, what: str) -> None:
        if PLACE in response.meta:
            self.notes.append(f"{site.name}: its pages lead to few articles; the {what} {response.url} is read")

    # -- pages -----------------------------------------------------------------------------------------------------

    async def parse_page(  # noqa: C901  # the decisions about a page in their order, each with its own end
        self, response: Response, site: Site, role: str, depth: int, pages: int = 0, hints: Hints | None = None
    ) -> AsyncIterator[Output]:
        """Process any page: determine its kind, follow its links, and pass it on if it is an article.

        :param role: ``start``, ``listing`` (a "next page"), ``article`` (from feed or sitemap) or ``link``.
        :param depth: number of links from the start page.
        :param pages: number of pages of this listing that were already followed.
        """
        requested = requested_url(response)
        if response.status == 304:
            self._count("unchanged")
            return
        if identity(requested) != identity(response.url):
            inside = self.covers(site, response.url)
            if inside:
                self._redirected(requested, response.url)
                self._scheduled.add(identity(response.url))
                vouched = self._is_vouched(response.url)
                self.ledger.keep_link(site.name, response.url, depth, role, hints or Hints(), is_vouched=vouched)
            lost = redirected_for_good(response)
            if lost is not None and identity(requested) in self.ledger.revisit:
                for record in lost_record(self.ledger, identity(requested), *lost):
                    yield record
            else:
                why = f"; that page {ASKS_CONSENT}" if consent_address(response.url) else ""
                yield self.rejected(site, requested, "redirected", f"redirects to {response.url}{why}")
            if not inside or self.is_done(site, response.url):
                return
        if (reason := other_type(response, may_be_data=role == "listing") or plain_text(response)) is not None:
            self.ways[site.name].is_cut_off |= pages == 1
            yield self.rejected(site, response.url, "not_html", reason)
            return
        page = page_of(response, self._hints_of(requested, hints or Hints(language=site.language)))
        if role == "link" and page.hints.source:
            role = "article"  # a sitemap or feed has announced it since
        try:
            choice = (None,) if site.wrapping is not None else self.algorithm_of(site)
            read = await self.pool.ask(page, read_news_page, self.rules[site.name], role, *choice)
        except WorkerError as error:
            yield self.rejected(site, response.url, "failed", str(error))
            with suppress(WorkerError):  # its links, without its text
                read = await self.pool.ask(page, read_news_page, self.rules[site.name], role)
                for output in self._follow(site, read.found, read.is_article, role, depth, pages):
                    yield output
            return
        found, takes = read.found, read.is_article
        if site.canonical != "ignore":
            self.traps.parameters.learn(site.name, found.url, found.canonical_url, is_article=takes)
        if found.refresh and identity(found.refresh) != identity(response.url):
            vouched = self._is_vouched(response.url)
            for request in self._article(site, found.refresh, page.hints, depth, role=role, keep=True, is_vouched=vouched):
                yield request
            yield self.rejected(site, response.url, "redirected", f"the page sends its reader to {found.refresh}")
            return
        if (item := self._from_feed(site, requested, page.hints, _no_text(read, site))) is not None:
            yield item
            return
        if takes and page.hints.source != "feed":
            self.ways[site.name].lead_to(identity(requested))
        if read.notice is None or role in LEADS_ON:
            for output in self._follow(site, found, takes, role, depth, pages):
                yield output
        if read.notice is not None and read.notice.status == "missing" and identity(response.url) in self.ledger.revisit:
            for record in lost_record(self.ledger, identity(response.url), "gone", read.notice.reason):
                yield record
            return
        if read.notice is not None:
            yield self.rejected(site, response.url, read.notice.status, read.notice.reason)
            return
        if not takes and site.wrapping is None and self._may_be_beside_others(site, requested, role, found, page.hints):
            self.unlikely[identity(requested)] = found.kind
            self.traps.gave_nothing(found.url)  # until it has proved to be an article
            if page.hints.source != "feed":
                page = replace(page, hints=replace(page.hints, source=BESIDE_OTHERS))
        elif not takes:
            is_fixed = is_fixed_page(found.url)
            is_list = role in LEADS_ON or found.kind.leads_on or (found.kind.article >= DOUBTFUL and not is_fixed)
            told = f"{ABOUT_SITE}; " * is_fixed + found.kind.told
            if role == "start" and not any(link.score >= ARTICLE_SCORE for link in found.links):
                told = f"{NO_LINKS}; {told}"
            yield self.rejected(site, response.url, "listing" if is_list else "not_article", told)
            return
        canonical = canonical_of(site, self.rules[site.name], response.url, found.canonical_url)
        if canonical is not None and self.has(canonical):
            yield self.rejected(site, response.url, "not_canonical", f"the record stands under {canonical}")
            return
        if canonical is not None and not response.meta.get("canonical_tried"):
            again = response.request.replace(url=response.url, dont_filter=True)  # type: ignore[union-attr]
            again.meta["canonical_tried"] = canonical
            self.undecided.append(again)
            for request in self._article(site, canonical, page.hints, depth, is_vouched=self._is_vouched(response.url)):
                yield request
            return
        if site.wrapping is not None:
            asked, depth_of = normalize(response.url) or response.url, response.meta.get("depth", 0)
            async for item in self.wrapping.read(page, site, asked, self._wrapped, depth=depth_of):
                yield item
            return
        etag, modified = header_of(response, "ETag"), header_of(response, "Last-Modified")
        item = FetchedPage(site, requested, etag=etag, last_modified=modified)
        item.add(page, read.extracted)
        others = (part for part in found.parts if self.covers(site, part) and identity(part) != identity(response.url))
        yield self._with_next(item, list(others)[:MAX_PARTS])

    def _may_be_beside_others(self, site: Site, requested: str, role: str, found: Discovery, hints: Hints) -> bool:
        """Whether a page that looks like no article waits for the articles of its site."""
        if hints.source == "feed":
            self.headed.add(identity(requested))
        # The headline that leads to a page of the sitemap may be read later.
        is_headed = identity(requested) in self.headed or hints.source == "sitemap"
        return may_be_beside_others(self.rules[site.name], found.url, role, found.kind, is_headed=is_headed)

    def _from_feed(self, site: Site, url: str, hints: Hints, why: str | None) -> FetchedPage | None:
        """The article that the text of a feed's entry makes, if the feed has it whole; not for revisited records, because
        their text is that of the page. ``why``: why the page itself gives no text; None if it does."""
        number = identity(url)
        if why is None or number in self.ledger.revisit:
            self.feed_texts.drop(number)
            return None
        page = self.feed_texts.page(number, url, hints, why)
        return FetchedPage(site, url, [page]) if page is not None else None

    def asked_bare(self, request: Request, bare: str) -> Request:
        """The request without parameters that say only where the reader came from.

        :param bare: its URL without them.
        :raises LeftOut: the page is known; if it gives no record, the request is sent after all others.
        """
        kept = {name: request.cb_kwargs[name] for name in ("site", "hints", "depth", "role")}
        is_vouched = self._is_vouched(request.url)
        for other in self._article(url=bare, **kept, priority=request.priority, is_vouched=is_vouched):
            return other
        request.meta["canonical_tried"] = bare
        self.undecided.append(request)
        raise LeftOut(bare)

    def has(self, url: str) -> bool:
        """Whether the record of a page (or, with a wrapper, the line of the page) is written or queued."""
        return self.ledger.has(identity(url)) or self.page_id(url) in self.ledger.pages.lines

    def _wrapped(self, run: WrapperRun, read: WrappedPage) -> Iterator[Output | ObjectRecord | ReadPage]:
        found = self.wrapping.records(run, read)
        if isinstance(found, Rejection):
            yield found
            return
        yield from found
        yield from self.wrapping.line(run, read, "article", found)

    def _follow(self, site: Site, found: Discovery, is_article: bool, role: str, depth: int, pages: int) -> Iterator[Output]:
        if self.plan.urls:
            return
        yield from self._other_ways(site, found, role, depth, pages)
        follows = site.from_articles if is_article else not found.kind.is_dead_end or role in LEADS_ON
        leads = self.leads[site.name]
        group = archive_group(found.url) or (ARCHIVES if role == "archive" else None)
        parts = {identity(part) for part in found.parts}
        gained, leads_on, shape = 0, False, url_shape(found.url)
        if not follows or depth >= site.depth:
            self._leave(site, found, "depth" if follows else "from_articles" if is_article else "its page is no list")
        for link in found.links if follows and depth < site.depth else ():
            url = self.traps.parameters.without(site.name, link.url)
            number = identity(url)
            if number in parts or (link.next_page and pages < site.pagination):
                continue
            if self._is_about_site(site, url):
                self.skips.add(site.name, Skip(number, url, "link", ABOUT_SITE, place=found.url))
                continue
            hints = Hints(language=site.language)
            role_of = "archive" if link.to_archive else "link"
            # Pages of one archive have one depth: a day leads to the day before.
            below = depth + (group is None or archive_group(url) != group)
            if self._hold(site, url, below, role_of, hints, keep=is_article, origin=found.url):
                continue
            if link.score >= ARTICLE_SCORE and (link.is_heading or text_score(link.text) >= HEADLINE):
                self.headed.add(number)
                self.ways[site.name].add_folder(folder_of(url))
            is_met = number in self._scheduled
            # All pages of one listing have the same depth, no matter which was found first.
            is_pager = bool(link.text) and not any(map(str.isalpha, link.text)) and step(found.url, url) is not None
            is_pager = is_pager or (says_previous(link.text) and url_shape(url) == shape)
            yield from self._article(
                site, url, hints, depth + (not is_pager), role="link", keep=is_article, is_vouched=link.is_heading
            )
            if not is_met and number in self._scheduled:
                gained += 1
                leads_on = leads_on or url_shape(url) != shape
        if leads_on:
            self.traps.gave(found.url)
        for url in found.feeds[:1] if not (site.feeds or site.sitemaps) else ():
            if self.covers(site, url) and self._is_new(url):
                self.notes.append(f"{site.name}: {found.url} has no link to an article; its feed {url} is read")
                yield self._feed(site, url)
        if group is not None:
            leads.read(group, gained + is_article)
        # Of the only list with pages the first one may show no more than the home page.
        is_barren = self.ways[site.name].has_pager and group is not None and not group.endswith(PAGES)
        is_barren = is_barren and role not in ("start", "listing") and not gained
        following = found.next_page if found.next_page and self.covers(site, found.next_page) else None
        goes_on = not is_article and pages < site.pagination and not is_barren
        if following and goes_on and not self.traps.is_left_out(following, is_asked_for=True) and self._is_new(following):
            arguments = {"role": "listing", "depth": depth, "pages": pages + 1}
            self.skips.drop(site.name, identity(following))
            self.ways[site.name].has_pager = True
            yield self._request(site, following, self.parse_page, 700 if group is None else LAST, arguments)
        elif following and not is_article and pages >= site.pagination and identity(following) not in self._scheduled:
            self.skips.add(site.name, Skip(identity(following), following, "link", "pagination", place=found.url))

    def _is_about_site(self, site: Site, url: str) -> bool:
        """Whether a page is about the site, by its URL: it is no article, and leads to none."""
        return is_fixed_page(url) and not matches((*site.allow, *site.follow), url)

    def _other_ways(self, site: Site, found: Discovery, role: str, depth: int, pages: int) -> Iterator[Request]:
        """Note what a page says of other ways to articles; request its neighbours if nothing else lists them."""
        ways = self.ways[site.name]
        ways.start = found.url if role == "start" and ways.start is None else ways.start
        is_empty = role == "listing" and pages == 1 and not any(link.score >= ARTICLE_SCORE for link in found.links)
        ways.is_cut_off = ways.is_cut_off or found.is_cut_off or is_empty
        if not ways.has_pager and len(ways.neighbours) < MAX_NEIGHBOURS:
            ways.neighbours.update(dict.fromkeys(found.neighbours, depth))
        if ways.goes_by_neighbours:
            yield from self._by_neighbours(site)

    def _leave(self, site: Site, found: Discovery, reason: str) -> None:
        for link in found.links:
            if self.skips.is_half_full(site.name):
                break
            number = identity(link.url)
            if number not in self._scheduled and not self.is_done(site, link.url):
                self.skips.add(site.name, Skip(number, link.url, "link", reason, place=found.url))

    def _hold(
        self, site: Site, url: str, depth: int, role: str, hints: Hints, *, keep: bool = False, origin: str | None = None
    ) -> bool:
        """Queue a link of the page ``origin`` if it leads to an archive page; whether it does.

        :param keep: store the link, because no later run would find it again.
        """
        group = archive_group(url) or (ARCHIVES if role == "archive" else None)
        if group is None or matches(tuple(site.allow + site.follow), url):
            return False
        is_new = self.leads[site.name].hold(Lead(group, url, depth, role, hints, origin))
        if keep and is_new:
            self.ledger.keep_link(site.name, url, depth, role, hints, is_vouched=False)
        return True

    def waiting(self) -> Iterator[Request]:
        """When nothing else is left: failed sitemaps once more, start pages that wait, then the next archive pages."""
        failed, self.failed_sitemaps = self.failed_sitemaps, []
        for request in failed:
            self.sitemaps[request.cb_kwargs["site"].name].unread += 1
            yield request
        if failed:
            return
        later, self.later = self.later, []
        starts = [request for site in later if self._has_room(site) for request in self._start_pages(site)]
        yield from starts
        for site in self.sites.values() if not starts else ():
            requests = [*self._due(site)] or [*self._usual_place(site)]
            yield from requests or self._by_neighbours(site)

    def _usual_place(self, site: Site) -> Iterator[Request]:
        """The next place where most sites have a sitemap or a feed, if links lead to hardly any article."""
        ways = self.ways[site.name]
        while not (site.sitemaps or site.feeds) and self._has_room(site) and (place := ways.next_place()) is not None:
            url, is_feed = place
            if self.covers(site, url) and self._is_new(url):
                request = self._feed(site, url) if is_feed else self._sitemap(site, url, 0, 900)
                request.meta[PLACE] = True
                yield request
                return

    def _by_neighbours(self, site: Site) -> Iterator[Request]:
        """The articles before and after others, if nothing else lists them."""
        ways = self.ways[site.name]
        if ways.has_pager or ways.has_sitemap or site.sitemaps or site.feeds:
            return
        ways.goes_by_neighbours = True
        while ways.neighbours and ways.followed < MOST_NEIGHBOURS * site.pagination:
            url, depth = ways.neighbours.popitem()
            if folder_of(normalize(url) or url) not in ways.folders:
                continue
            for request in self._article(site, url, Hints(language=site.language), depth, role="link"):
                ways.followed += 1
                yield request

    def _due(self, site: Site) -> Iterator[Request]:
        leads, ways = self.leads[site.name], self.ways[site.name]
        # Nothing else leads back in time: the start page may show the articles of the last days.
        only_days = not (ways.has_pager or ways.has_sitemap or site.sitemaps or site.feeds)
        for lead in leads.due(is_patient=only_days):
            hints = lead.hints or Hints(language=site.language)
            # Not linked from a headline: it may be the profile of an author that menus also link to.
            requests = [*self._article(site, lead.url, hints, lead.depth, role=lead.role, priority=LAST, is_vouched=False)]
            for request in requests:
                request.meta.setdefault(ORIGIN, lead.origin)
                yield request
            if not requests:
                leads.known(lead)

    def failed(self, failure: Failure) -> Iterator[Any]:
        """Write a rejection for a failed request. If the page of a known record is gone, write a revision instead."""
        request = failure.request  # type: ignore[attr-defined]  # set by Scrapy
        if "level" in request.cb_kwargs:
            self._is_read(request)
        if isinstance(failure.value, LeftOut) or PLACE in request.meta:
            return
        url = (request.meta.get("redirect_urls") or [request.url])[0]
        site, (status, reason) = request.cb_kwargs["site"], of_failure(failure)
        if "level" in request.cb_kwargs and status in PASSING and not isinstance(failure.value, UnreachableRobotsError):
            if AGAIN not in request.meta:
                kept = {"download_maxsize": request.meta["download_maxsize"]}
                self.failed_sitemaps.append(request.replace(meta=kept | {AGAIN: True}))
                return
            self.crawler.stats.inc_value(UNREAD_SITEMAPS)
            self.notes.append(f"WARNING: the sitemap {url} could not be read ({reason}): what it names may be missing")
        refused = f"{status}: {reason}" if status in ("blocked", "challenged") else None
        if request.cb_kwargs.get("pages") == 1:  # the second page of a list
            self.ways[site.name].is_cut_off = True
        if status == "missing" and identity(url) in self.ledger.revisit:
            yield from lost_record(self.ledger, identity(url), "gone", reason)
        elif request.callback in (self.parse_sitemap, self.parse_feed) and urlsplit(url).path != "/robots.txt":
            what = "sitemap" if "level" in request.cb_kwargs else "feed"
            yield self.rejected(site, url, status, f"{what}: {reason}")
        elif (item := self._from_feed(site, url, request.cb_kwargs.get("hints") or Hints(), refused)) is not None:
            yield item
        else:
            yield from super().failed(failure)

    def _with_next(self, item: FetchedPage, rest: list[str]) -> Request | FetchedPage:
        """An article whose pages have all been read, or the request for its next page."""
        if not rest:
            return item
        self._scheduled.update(identity(url) for url in rest)
        arguments = {"item": item, "rest": rest[1:]}
        return self._request(item.site, rest[0], self.parse_part, 950, arguments, self.part_failed)

    async def parse_part(self, response: Response, site: Site, item: FetchedPage, rest: list[str]) -> AsyncIterator[Output]:
        """Read a later page of an article; the article waits for all its pages. If this page is a listing, the article is
        too, and gives no record."""
        page = page_of(response, item.parts[0].hints)
        try:
            read = await self.pool.ask(page, read_news_page, self.rules[site.name], "part", *self.algorithm_of(site))
        except WorkerError as error:
            yield self.rejected(site, response.url, "failed", str(error))
            yield self._with_next(item, rest)
            return
        kind = read.found.kind
        if kind.leads_on and kind.article <= 1 - DOUBTFUL:
            self._scheduled.difference_update(identity(url) for url in rest)
            yield self.rejected(site, response.url, "listing", kind.told)
            reason = f"its page {len(item.parts) + 1} is a list: {response.url}"
            yield self.rejected(site, item.parts[0].url or item.requested_url, "listing", reason)
            return
        item.add(page, read.extracted)
        yield self.rejected(site, response.url, "part", f"page {len(item.parts)} of {item.parts[0].url}")
        yield self._with_next(item, rest)

    def part_failed(self, failure: Failure) -> Iterator[Output]:
        """If a later page cannot be fetched, build the article from the other pages."""
        request = failure.request  # type: ignore[attr-defined]  # set by Scrapy
        item, rest = request.cb_kwargs["item"], request.cb_kwargs["rest"]
        yield self.rejected(item.site, request.url, *of_failure(failure))
        yield self._with_next(item, rest)
