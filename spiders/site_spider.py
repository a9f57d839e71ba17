"""Base of all spiders: a checked plan, a ledger, worker processes, and requests that belong to a site."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response
from scrapy.utils.defer import deferred_from_coro
from twisted.python.failure import Failure

from newsextract import Hints
from newsextract.discovery import Rules, matches, normalize, record_id
from newsextract.discovery.feeds import MAX_UNPACKED
from newsextract.discovery.kinds import PageKind
from newsextract.errors import DataError
from newsextract.feed.record_lines import Hit, Post, ReadPage, Rejection, Teaser, in_window
from newsextract.page.page import Fetched
from newsextract.record_pages import FoundRecords, ListPage, ResultPage, why_none
from newsextract.results import Found
from newsextract.sites import Site
from newsextract.state.announced import AnnouncedPages, Skip, Skips, write_announced
from newsextract.state.shared import SharedState
from newsextract.state.store import CrawlState, StateFollower
from newsextract.workers import collect_rarely
from pipelines.checks import ConsistencyPipeline
from pipelines.extraction import WorkerError, WorkerPool
from pipelines.feeds import starting
from pipelines.items import NextPage, PlannedSpider, page_id
from pipelines.ledger import Ledger, identity
from pipelines.page_work import Lead, WrappedPage
from pipelines.storage import CrawlArchive
from spiders.addresses import FolderServer
from spiders.outcomes import ORIGIN, of_failure, rejection
from spiders.pages import address_of, as_asked, counts, other_type, page_of
from spiders.plan import CrawlPlan, make_plan
from spiders.politeness import nameless
from spiders.sharing import Sharing
from spiders.traps import BOUNDED, OtherWays, Traps
from spiders.wrapping import Finish, WrapperRun, Wrapping, said

WORKER_ERROR = "newsextract/worker_error"
"""Stat: why no worker process could be started. If it is set, the crawl exits with code 1."""


class SiteSpider(PlannedSpider):
    """Base of the spiders. Subclasses set ``name`` and define ``start`` and ``parse_page``."""

    fetches = True
    """Whether the spider uses the network."""
    parse_page: Any
    """Callback for pages: ``(response, site, role, depth, …)``."""

    def __init__(self, plan: CrawlPlan, **arguments: str) -> None:
        super().__init__(self.name)
        self.plan = plan
        self.ledger: Ledger = plan.ledger
        self.pool: WorkerPool
        self.archive: CrawlArchive | None = None
        """Archive of all responses (``-a warc=DIR``)."""
        self.sites: dict[str, Site] = {}
        self._sites_of_domain: dict[str, list[Site]] = {}
        self.unwritten: object = None
        """The last item that passed the pipelines and is in no feed yet."""
        self.warning: str | None = None
        """Warning for the user, logged before anything is fetched."""
        self.notes: list[str] = []
        """Additional lines for the summary."""
        self._opened = ExitStack()
        """Closed at the end of the crawl."""
        self.announced = AnnouncedPages()
        """Pages that sitemaps and feeds announce."""
        self.skips = Skips()
        """URLs that this run does not request, with reasons."""
        self.queued: Counter[str] = Counter()
        """Site → number of requests in the scheduler's queue."""
        self._scheduled: set[int] = set()
        """Record ids of URLs that this run has requested or need not request."""
        self.later_hints: dict[int, Hints] = {}
        """Metadata from feeds and sitemaps for URLs that were already requested."""
        self.traps = Traps()
        self.ways: defaultdict[str, OtherWays] = defaultdict(OtherWays)
        """Site → ways to its articles beside the lists of its pages."""
        self.undecided: list[Request] = []
        """Pages whose canonical URL differs and has no record yet. They get no line until it is known whether it gets
        one."""
        self._fetched: dict[str, int] = dict.fromkeys(plan.sites, 0)
        """Site → number of requested article pages, for the site's limit."""
        self.consistency: ConsistencyPipeline | None = None
        self.unvouched: set[int] = set()
        """Pages that neither a headline, a feed nor the user leads to; see :mod:`pipelines.checks`."""
        self.headed: set[int] = set()
        """Pages to which a headline leads that looks like that of an article."""
        self.unlikely: dict[int, PageKind] = {}
        """Pages that are articles only if they stand among those of their site; see :mod:`pipelines.checks`."""
        self.challenged: dict[str, str] = {}
        """Host → how its challenge was recognised; these hosts get no more requests. See :mod:`spiders.traps`."""
        self._answered_by: dict[int, int] = {}
        """Unvouched pages that redirect → the page that they redirect to."""
        self.other_titles: dict[int, tuple[Found, ...]] = {}
        """Record → alternative titles of its page, until :mod:`pipelines.checks` has seen the record."""
        self.unmatched: dict[str, set[str]] = {}
        """Site → fields of its key ``fields`` whose selectors have matched nothing on any page yet."""
        self.rules = {name: _rules(site) for name, site in plan.sites.items()}
        self.sharing = Sharing(self, plan.ledger.state) if isinstance(plan.ledger.state, SharedState) else None
        """The sites that this process has leased in a shared crawl."""
        self.wrapping = Wrapping(self)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Check the arguments, and set the settings that depend on them (feeds, per-site politeness)."""
        plan = kwargs.pop("plan", None) or make_plan(crawler.settings, kwargs, kind=cls.kind)
        spider = super().from_crawler(crawler, *args, plan=plan, **kwargs)
        settings = crawler.settings
        settings.set("FEEDS", plan.feeds, priority="cmdline")
        spider.warning = nameless(plan.sites.values(), settings["USER_AGENT"]) if cls.fetches else None
        # Also the size of Scrapy's pool of open connections per host; spiders/politeness.py bounds each host by itself.
        widest = max((site.concurrency or 1 for site in plan.sites.values()), default=1)
        most = max(settings.getint("CONCURRENT_REQUESTS_PER_SITE"), widest)
        settings.set("CONCURRENT_REQUESTS_PER_DOMAIN", most, priority="cmdline")
        if plan.renders:  # without rendering, nothing about browsers is imported
            handlers = settings.getdict("DOWNLOAD_HANDLERS")
            handlers |= dict.fromkeys(("http", "https"), "spiders.requests.RenderingHandler")
            settings.set("DOWNLOAD_HANDLERS", handlers, priority="cmdline")
        crawler.signals.connect(spider.opened, signal=signals.spider_opened)
        crawler.signals.connect(spider.idle, signal=signals.spider_idle)
        crawler.signals.connect(spider.closed_down, signal=signals.spider_closed)
        return spider

    def opened(self) -> None:
        """Start the worker processes and the servers for sites in local folders; open the archive."""
        if isinstance(self.ledger.state, CrawlState):
            follower = StateFollower(self.ledger.state)
            with starting("to write its state"):
                follower.start()
            self._opened.callback(follower.close)
        if self.sharing is not None:
            with starting("its part in the shared crawl"):
                self.sharing.open()
        if self.plan.warc is not None:
            with starting("to write its archive"):
                self.archive = CrawlArchive(self.plan.warc, self.name)
            self._opened.callback(self.archive.close)
        with starting("to serve its sites"):
            for site in self.plan.sites.values():
                if site.serve:
                    server = self._opened.enter_context(FolderServer(dict.fromkeys(site.hosts, Path(site.serve))))
                    site = replace(site, proxy=server.address)
                self.sites[site.name] = site
                for domain in site.all_domains:
                    self._sites_of_domain.setdefault(domain, []).append(site)
        loop = asyncio.get_running_loop()
        with starting("its worker processes (-s EXTRACTION_WORKERS=0 does without)"):
            self.pool = WorkerPool(
                self.crawler.settings.getint("EXTRACTION_WORKERS"),
                self.crawler.settings.getfloat("EXTRACTION_TIMEOUT"),
                self.crawler.settings.getint("EXTRACTION_MEMORY_MB"),
                on_broken=lambda error: loop.call_soon_threadsafe(self._stop_without_workers, error),
            )
        self._opened.callback(self.pool.close)
        collect_rarely()

    async def start(self) -> AsyncIterator[Any]:
        """First requests of all sites. In a shared crawl, a site starts when the process has leased it."""
        for site in () if self.sharing is not None else self.sites.values():
            for request in self.start_site(site):
                yield request

    def start_site(self, site: Site) -> Iterator[Request]:
        """First requests of a site."""
        raise NotImplementedError

    def closed_down(self, reason: str = "finished") -> None:
        """Stop worker processes and servers; close the archive."""
        self._note_announced()
        self.announced.close()
        self._opened.close()
        if self.sharing is not None:
            self.sharing.close()
        if self.ledger.state is not None:
            self.ledger.state.close(is_complete=reason == "finished")

    def _note_announced(self) -> None:
        """Store announced and skipped pages in the state; not for shared crawls and runs over single URLs."""
        if not isinstance(self.ledger.state, CrawlState) or self.plan.urls:
            return
        try:
            write_announced(self.ledger.state.records, self.announced.rows(), self.skips.rows(), self.sites)
        except DataError as error:
            self.logger.warning("%s", error)

    def _stop_without_workers(self, error: BaseException) -> None:
        """End the crawl because a worker can be neither started nor replaced; Ctrl-C, which may hit one, ends it anyway."""
        stats = self.crawler.stats
        if self.crawler.crawling and not stats.get_value(WORKER_ERROR):
            stats.set_value(WORKER_ERROR, str(error) or type(error).__name__)
            self.logger.error("the worker processes cannot be started: %s. The crawl stops.", stats.get_value(WORKER_ERROR))
            deferred_from_coro(self.crawler.engine.close_spider_async(reason="no_workers"))

    def site_of(self, url: str) -> Site | None:
        """The site that a URL belongs to. If several sites share the host, the one with the closest start URLs."""
        sites = self.sites_of(urlsplit(url).hostname or "")
        return max(sites, key=lambda site: site.closeness(url)) if len(sites) > 1 else next(iter(sites), None)

    def sites_of(self, host: str) -> Sequence[Site]:
        """The sites of a host or of its parent domain."""
        while host:
            if host in self._sites_of_domain:
                return self._sites_of_domain[host]
            host = host.partition(".")[2]
        return ()

    def covers(self, site: Site, url: str) -> bool:
        """Whether a URL belongs to this site and to no site that is closer."""
        if not site.covers(url):
            return False
        owner = self.site_of(url)
        return owner is None or owner.name == site.name

    def algorithm_of(self, site: Site) -> tuple[str, dict[str, Any]]:
        """Algorithm and parameters for the pages of a site."""
        return site.algorithm or "", site.all_params

    def _article(
        self,
        site: Site,
        url: str,
        hints: Hints,
        depth: int,
        *,
        role: str = "article",
        priority: int = 0,
        keep: bool = False,
        is_vouched: bool = True,
    ) -> Iterator[Request]:
        """Request a possible article, unless it was already requested, is done, or exceeds the limit.

        :param is_vouched: a headline links to it, or a feed or the user names it; not only a menu or a sitemap.
        :param keep: store the URL even if it exceeds the limit, because no later run would find it again.
        """
        address = normalize(url)
        if address is None or not self.covers(site, address):
            return
        if matches(tuple(site.deny), address):
            self._skip(site, "denied", address, hints)
            return
        if self.is_done(site, address):
            self._scheduled.add(identity(address))  # by an earlier run
            if hints.source != "feed" and self.ledger.has(identity(address)):
                self.ways[site.name].lead_to(identity(address))
            return
        if (named := self.announced.pop(site.name, identity(address))) is not None:
            role, hints, priority = "article", joined(named.hints, hints), max(priority, named.priority)
        if role in BOUNDED and self.traps.is_left_out(address, is_asked_for=True):
            self._skip(site, "pages of its pattern gave nothing new", address, hints)
            return
        number, is_new = identity(address), self._is_new(address)
        is_vouched = is_vouched and hints.source != "sitemap"
        was_unvouched = number in self.unvouched
        if is_vouched:
            self.unvouched.difference_update((number, self._answered_by.get(number, number)))
        elif is_new and not site.allow:
            self.unvouched.add(number)
        if keep and (is_new or (is_vouched and was_unvouched)):
            self.ledger.keep_link(site.name, address, depth, role, hints, is_vouched=is_vouched)
        if not is_new:
            if hints.source:
                self.later_hints[number] = hints
            return
        if not self._has_room(site):
            self._skip(site, "limit", address, hints)
            return
        self.skips.drop(site.name, number)
        self._fetched[site.name] += 1
        arguments = {"role": role, "depth": depth, "hints": hints}
        request = self._request(site, address, self.parse_page, priority - depth, arguments)
        if named is not None and named.origin:
            request.meta[ORIGIN] = named.origin
        yield request

    def _redirected(self, requested: str, url: str) -> None:
        """Note that a URL redirects: if the requested URL is unvouched, so is the final URL."""
        if not self._is_vouched(requested):
            self._answered_by[identity(requested)] = identity(url)
            if identity(url) not in self._scheduled:
                self.unvouched.add(identity(url))

    def _is_vouched(self, url: str) -> bool:
        """Whether a page is known from more than a menu or a sitemap."""
        return identity(url) not in self.unvouched

    def _hints_of(self, url: str, first: Hints) -> Hints:
        """Metadata of a URL: from where it was found first, completed from later finds."""
        later = self.later_hints.pop(identity(url), None)
        return joined(first, later) if later is not None else first

    @property
    def sites_waiting(self) -> set[str]:
        """Sites with waiting requests; see :mod:`spiders.politeness`."""
        return self.announced.sites

    def requests_waiting(self, name: str, count: int) -> list[Request]:
        """Requests for the next pages from the sitemaps of a site.

        :param count: maximum number of pages; fewer requests result if some are already known.
        """
        site = self.sites[name]
        is_walled = self.challenged and self.challenged.keys() >= {urlsplit(url).netloc for url in site.addresses}
        if is_walled and (dropped := self.announced.drop(name, "challenged")):
            self._count("skipped/challenged", dropped)
            self.notes.append(f"{name}: {dropped} addresses that wait are left to the next run: their host asks for a proof")
        if not self._has_room(site):
            self._count("skipped/limit", self.announced.drop(name, "limit"))
        return [
            request
            for page in self.announced.take(name, count)
            for request in self._article(site, page.url, page.hints, 1, priority=page.priority)
        ]

    def _has_room(self, site: Site) -> bool:
        return site.limit is None or self._fetched[site.name] < site.limit

    def _is_new(self, url: str) -> bool:
        """Whether this run has not requested a URL yet; marks it as requested."""
        number = int(self.page_id(url), 16)
        if number in self._scheduled:
            return False
        self._scheduled.add(number)
        return True

    def _request(
        self,
        site: Site,
        url: str,
        callback: Any,
        priority: int,
        arguments: dict[str, Any],
        errback: Any = None,
        *,
        is_page: bool = True,
    ) -> Request:
        """Make a request for a site.

        :param is_page: whether it is a web page that a browser may render, not a sitemap or feed.
        """
        headers = {"User-Agent": site.user_agent} if site.user_agent else None
        meta = ({"playwright": True} if site.render else {}) if is_page else {"download_maxsize": MAX_UNPACKED}
        given = {"site": site, **arguments}
        return Request(
            url, callback, headers=headers, priority=priority, errback=errback or self.failed, cb_kwargs=given, meta=meta
        )

    def is_turned_away(self, site: Site, url: str) -> bool:
        """Whether a page was rejected or has its record."""
        return self.ledger.is_done(int(self.page_id(url), 16), site.obey_robots) or self.wrapping.is_misfit(site, url)

    def is_done(self, site: Site, url: str) -> bool:
        """Whether a page need not be fetched, because it has a record or a wrapper has read it."""
        return self.is_turned_away(site, url) or (site.wrapping is not None and self.wrapping.is_read(url))

    def object_key(self, url: str) -> str:
        """Key of a page, part of the ids of the objects that a wrapper extracts from it."""
        return record_id(url)

    def page_id(self, url: str) -> str:
        """Key of a page, under which the ledger stores its rejection."""
        return page_id(url)

    def rejected(self, site: Site, url: str, status: str, reason: str) -> Rejection:
        """The rejection of a page."""
        return rejection(site, normalize(url) or url, status, reason, self.ledger, identity=self.page_id(url))

    def _count(self, name: str, count: int = 1) -> None:
        self.crawler.stats.inc_value(f"newsextract/{name}", count)

    def _skip(
        self,
        site: Site,
        reason: str,
        url: str,
        hints: Hints | None = None,
        day: date | None = None,
        place: str | None = None,
    ) -> None:
        """Count a URL that is not requested, and store it with the reason.

        :param hints: metadata from the sitemap or feed that announces it, if any.
        """
        self._count(f"skipped/{reason.replace(' ', '_')}")
        how = hints.source if hints is not None and hints.source else "link"
        self.skips.add(site.name, Skip(identity(url), url, how, reason, day.isoformat() if day else None, place))

    def failed(self, failure: Failure) -> Iterator[Request | Rejection]:
        """Write a rejection for a failed request."""
        request = failure.request  # type: ignore[attr-defined]  # set by Scrapy
        site = request.cb_kwargs["site"]
        url = (request.meta.get("redirect_urls") or [request.url])[0]
        yield self.rejected(site, url, *of_failure(failure))

    def idle(self) -> None:
        """When nothing is left to fetch, take pages under their own URL if their canonical URL gave no record."""
        undecided, self.undecided = self.undecided, []
        requests = undecided or list(self.waiting())
        for request in requests:
            self.crawler.engine.crawl(request)
        if requests:
            raise DontCloseSpider
        if self.consistency is not None and self.consistency.is_waiting:
            deferred_from_coro(self.consistency.release())
            raise DontCloseSpider
        if self.sharing is not None and self.sharing.goes_on:
            raise DontCloseSpider

    def waiting(self) -> Iterator[Request]:
        """Requests that were postponed until nothing else is left."""
        return iter(())


def joined(first: Hints, later: Hints) -> Hints:
    """Metadata from the first place that announced a page, completed by a later one."""
    dated = first if first.date or not later.source else later
    return Hints(first.title or later.title, dated.date, dated.source, first.language or later.language)


def _rules(site: Site) -> Rules:
    allow, follow, deny = tuple(site.allow), tuple(site.follow), tuple(site.deny)
    has_lists = bool(site.sitemaps or site.feeds)
    return Rules(site.all_domains, allow, follow, deny, article_links=site.from_articles, neighbours=not has_lists)


# --- record spider --------------------------------------------------------------------------------
# Base of the spiders for pages with many records: reading in a worker, the date window, and the next page of a listing.


T = TypeVar("T")
Dated = TypeVar("Dated", bound=Post | Hit | Teaser)


@dataclass(frozen=True, slots=True)
class Window:
    """The bounds of the date window that excluded records of a page; None: the bound excluded none."""

    since: str | None
    until: str | None


ALL_DAYS = Window(None, None)


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of hits, teasers or objects: where it is in its list, and how the list goes on."""

    site: Site
    kind: str
    """Of the page's line."""
    at: NextPage
    before: frozenset[str]
    """What identifies the records of the previous page."""
    template: str
    """The URL of the list; it may count the pages."""
    missing: str
    """What is said of a first page without records."""
    follow: Callable[[NextPage, frozenset[str]], Iterator[Request]]
    """Requests the next page, given what identifies the records of this one."""
    more: Mapping[str, Any]
    """Further fields of the page's line."""
    query: str = ""


class RecordSpider(SiteSpider):
    """Base of the forum, search and list spiders."""

    def listed(
        self, page: Listing, read: ResultPage | ListPage, records: Sequence[Hit | Teaser], keys: frozenset[str]
    ) -> Iterator[Any]:
        """The records of a page within the date window, the page's own line, and the request for the next page.

        :param keys: what identifies the records.
        """
        site, at = page.site, page.at
        if at.number > 1 and keys <= page.before:
            records = []  # the same records again: there is no further page
        if not records and at.number == 1:
            yield self.rejected(site, at.url, *why_none(site, read.found, page.missing))
            return
        kept, window = ([*records], ALL_DAYS) if page.query else self.within(site, records)  # of a search all hits count
        yield from (record for record in kept if not self.ledger.has(int(record.id, 16)))
        after = self._after(page, len(records), read.next_page, read.shape)
        url = after.url if after else None
        yield self.page_line(site, at.url, page.kind, at, read.found, records, kept, url, read.shape, window, **page.more)
        if after:
            yield from page.follow(after, keys)

    def objects(self, page: Listing, run: WrapperRun, read: WrappedPage) -> Generator[Any, None, bool]:
        """The same for a page that the site's wrapper has read; whether it could be read."""
        at = page.at
        found = self.wrapping.records(run, read, at.number, at.first, must_fit=at.number == 1 or not counts(page.template))
        if isinstance(found, Rejection):
            yield found
            return False
        keys = said(found)
        if at.number > 1 and keys <= page.before:
            found = []
        after = self._after(page, len(found), read.leads.next_page)
        yield from found
        url = after.url if after else None
        yield from self.wrapping.line(run, read, page.kind, found, at.number, at.first, url, **page.more)
        if after:
            yield from page.follow(after, keys)
        return True

    def _after(self, page: Listing, count: int, told: str | None, shape: str | None = None) -> NextPage | None:
        """The page after one with so many records: by the list's URL, else by the page's own link ``told``."""
        site, number, first = page.site, page.at.number + 1, page.at.first + count
        if not count:
            return None
        if counts(page.template):
            return NextPage(address_of(page.template, number, first, page.query), number, first, shape=shape)
        if told is None or not site.covers(told) or matches(tuple(site.deny), normalize(told) or told):
            return None
        return NextPage(as_asked(told), number, first, shape=shape)

    async def read(
        self, response: Response, site: Site, asked: str, function: Callable[..., T], *arguments: Any
    ) -> T | Rejection:
        """Read a page in a worker; return its content, or the rejection if it cannot be read.

        :param asked: the requested URL, before redirects.
        :param function: ``(page, *arguments)``, of :mod:`newsextract.record_pages`.
        """
        page = self.fetched(response, site, asked)
        if isinstance(page, Rejection):
            return page
        try:
            return await self.pool.ask(page, function, *arguments)
        except WorkerError as error:
            return self.rejected(site, asked, "failed", str(error))

    async def wrapped(
        self, response: Response, site: Site, asked: str, finish: Finish, lead: Lead, *arguments: Any
    ) -> AsyncIterator[Any]:
        """Extract a page with the site's wrapper, or reject it; see :meth:`~spiders.wrapping.Wrapping.read`."""
        page = self.fetched(response, site, asked)
        if isinstance(page, Rejection):
            yield page
            return
        async for output in self.wrapping.read(
            page, site, asked, finish, lead, *arguments, depth=response.meta.get("depth", 0)
        ):
            yield output

    def fetched(self, response: Response, site: Site, asked: str) -> Fetched | Rejection:
        """The page to read, or its rejection."""
        if not self.covers(site, response.url):
            return self.rejected(site, asked, "redirected", f"redirects to {response.url}")
        if (reason := other_type(response)) is not None:
            return self.rejected(site, asked, "not_html", reason)
        return page_of(response, Hints(language=site.language))

    def within(self, site: Site, records: Iterable[Dated]) -> tuple[list[Dated], Window]:
        """The records within the site's date window; records outside it are counted."""
        kept: list[Dated] = []
        early = late = False
        for record in records:
            if in_window(record.date, site.since, site.until):
                kept.append(record)
            else:
                self._count("skipped/out_of_window")
                early = early or not in_window(record.date, site.since, None)
                late = late or not in_window(record.date, None, site.until)
        since = site.since.isoformat() if site.since and early else None
        return kept, Window(since, site.until.isoformat() if site.until and late else None)

    def page_line(
        self,
        site: Site,
        asked: str,
        kind: str,
        at: NextPage,
        found: FoundRecords,
        records: Sequence[Post | Hit | Teaser],
        kept: Sequence[Post | Hit | Teaser],
        following: str | None,
        shape: str | None,
        window: Window = ALL_DAYS,
        **more: Any,
    ) -> ReadPage:
        """The page's own line. (For pages read by a wrapper: :meth:`~spiders.wrapping.Wrapping.line`.)

        :param asked: the requested URL, before redirects.
        :param kind: ``thread``, ``results`` or ``list``.
        :param kept: the records within the date window.
        :param shape: template of the records; written for the first page of a listing that continues.
        """
        return ReadPage(
            id=self.page_id(asked),
            url=asked,
            site=site.name,
            kind=kind,
            number=at.number,
            first=at.first,
            count=len(records),
            records=[record.id for record in kept],
            next=following,
            since=window.since,
            until=window.until,
            note=found.note,
            shape=shape if following and at.shape is None else None,
            fetched_at=found.fetched_at,
            **more,
        )

    def has_room(self, site: Site) -> bool:
        """Whether the site's limit allows another page; if so, count it."""
        if site.limit is not None and self._fetched[site.name] >= site.limit:
            self._count("skipped/limit")
            return False
        self._fetched[site.name] += 1
        return True
