"""What every spider of the project has: a checked plan, a ledger, worker processes, and requests that belong to a site."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response
from scrapy.utils.defer import deferred_from_coro
from twisted.python.failure import Failure

from newsextract import Hints
from newsextract.discovery import Rules, matches, normalize, record_id
from newsextract.discovery.feeds import MAX_UNPACKED
from newsextract.errors import DataError
from newsextract.feed.news_record import RESERVED, in_window
from newsextract.page.page import Fetched
from newsextract.record_pages import FoundRecords, is_sure
from newsextract.results import Found
from newsextract.sites import Site
from newsextract.state.announced import Skip, Skips, write_announced
from newsextract.state.shared import SharedState
from newsextract.state.store import CrawlState, StateFollower
from pipelines.announced import AnnouncedPages
from pipelines.archiving import CrawlArchive
from pipelines.feeds import starting
from pipelines.items import Hit, Post, ReadPage, Rejection, Teaser
from pipelines.ledger import Ledger, identity
from pipelines.pages import NextPage, page_id
from pipelines.plain_spiders import PlannedSpider
from pipelines.workers import WorkerError, WorkerPool
from pipelines.wrapped_pages import Lead
from spiders.addresses import FolderServer
from spiders.outcomes import ORIGIN, of_failure, rejection
from spiders.pages import address_of, as_asked, counts, other_type, page_of
from spiders.plan import CrawlPlan, make_plan
from spiders.politeness import nameless
from spiders.sharing import Sharing
from spiders.traps import BOUNDED, Traps
from spiders.wrapping import CrawlObjects, Finish, Wrapping

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from pipelines.checks import ConsistencyPipeline

WORKER_ERROR = "newsextract/worker_error"
"""Why there are no worker processes; it makes the crawl's exit code 1."""


class SiteSpider(PlannedSpider):
    """Base of the spiders. A subclass sets ``name`` and defines ``start`` and ``parse_page``."""

    fetches = True
    """Whether it asks the network for anything."""
    parse_page: Any
    """Callback for pages: ``(response, site, role, depth, …)``."""

    def __init__(self, plan: CrawlPlan, **arguments: str) -> None:
        super().__init__(self.name)
        self.plan = plan
        self.ledger: Ledger = plan.ledger
        self.pool: WorkerPool
        self.archive: CrawlArchive | None = None
        """Where the answers go, too (``-a warc=DIR``)."""
        self.sites: dict[str, Site] = {}
        self._sites_of_domain: dict[str, list[Site]] = {}
        self.unwritten: object = None
        """The last item that came through the pipelines and stands in no feed."""
        self.warning: str | None = None
        """What its user should know before anything is fetched."""
        self.notes: list[str] = []
        """What the summary says beside the figures."""
        self._opened = ExitStack()
        """What must be closed in the end."""
        self.announced = AnnouncedPages()
        """What sitemaps and feeds name."""
        self.skips = Skips()
        """What this run does not request."""
        self.queued: Counter[str] = Counter()
        """By site: requests in the scheduler's queue."""
        self._scheduled: set[int] = set()
        """URLs that this run has asked for, or need not ask for, as record ids."""
        self.later_hints: dict[int, Hints] = {}
        """What feeds and sitemaps say of addresses that are on their way already."""
        self.traps = Traps()
        self.undecided: list[Request] = []
        """Pages that name another canonical address, which has no record yet; they have no line until that is decided."""
        self._fetched: dict[str, int] = dict.fromkeys(plan.sites, 0)
        """Article pages asked for, per site, for its limit."""
        self.consistency: ConsistencyPipeline | None = None
        self.unvouched: set[int] = set()
        """Pages that no headline, no feed and no user has led to; see :mod:`pipelines.checks`."""
        self.challenged: dict[str, str] = {}
        """Hosts that are left alone, and by what their challenge is known; see :mod:`spiders.traps`."""
        self._answered_by: dict[int, int] = {}
        """Of these the ones that redirect, and where to."""
        self.other_titles: dict[int, tuple[Found, ...]] = {}
        """By record, until :mod:`pipelines.checks` has seen it: what its page could be called instead."""
        self.rules = {name: _rules(site) for name, site in plan.sites.items()}
        self.sharing = Sharing(self, plan.ledger.state) if isinstance(plan.ledger.state, SharedState) else None
        """This process's part in a shared crawl."""
        self.wrapping = Wrapping(self)
        self.objects = CrawlObjects(self)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Check the arguments and set what depends on them (feeds, per-site politeness)."""
        plan = kwargs.pop("plan", None) or make_plan(crawler.settings, kwargs, kind=cls.kind)
        spider = super().from_crawler(crawler, *args, plan=plan, **kwargs)
        settings = crawler.settings
        settings.set("FEEDS", plan.feeds, priority="cmdline")
        spider.warning = nameless(plan.sites.values(), settings["USER_AGENT"]) if cls.fetches else None
        # Also the size of Scrapy's pool of open connections per host; spiders/politeness.py bounds each host by itself.
        widest = max((site.concurrency or 1 for site in plan.sites.values()), default=1)
        most = max(settings.getint("CONCURRENT_REQUESTS_PER_SITE"), widest)
        settings.set("CONCURRENT_REQUESTS_PER_DOMAIN", most, priority="cmdline")
        if plan.renders:  # otherwise no browser is known of
            handlers = settings.getdict("DOWNLOAD_HANDLERS")
            handlers |= dict.fromkeys(("http", "https"), "spiders.requests.RenderingHandler")
            settings.set("DOWNLOAD_HANDLERS", handlers, priority="cmdline")
        crawler.signals.connect(spider.opened, signal=signals.spider_opened)
        crawler.signals.connect(spider.idle, signal=signals.spider_idle)
        crawler.signals.connect(spider.closed_down, signal=signals.spider_closed)
        return spider

    def opened(self) -> None:
        """Start the worker processes, and the servers of sites that are served from a folder; open the archive."""
        if isinstance(self.ledger.state, CrawlState):
            follower = StateFollower(self.ledger.state)
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
            self._open_sites()
        loop = asyncio.get_running_loop()
        with starting("its worker processes (they need a writable /dev/shm; -s EXTRACTION_WORKERS=0 does without)"):
            self.pool = WorkerPool(
                self.crawler.settings.getint("EXTRACTION_WORKERS"),
                self.crawler.settings.getfloat("EXTRACTION_TIMEOUT"),
                self.crawler.settings.getint("EXTRACTION_MEMORY_MB"),
                on_broken=lambda error: loop.call_soon_threadsafe(self._stop_without_workers, error),
            )
        self._opened.callback(self.pool.close)

    def _open_sites(self) -> None:
        for site in self.plan.sites.values():
            if site.serve:
                server = self._opened.enter_context(FolderServer(dict.fromkeys(site.hosts, Path(site.serve))))
                site = replace(site, proxy=server.address)
            self.sites[site.name] = site
            for domain in site.all_domains:
                self._sites_of_domain.setdefault(domain, []).append(site)

    async def start(self) -> AsyncIterator[Any]:
        """What to fetch first, of all sites. Those of a shared crawl begin when they are leased."""
        for site in () if self.sharing is not None else self.sites.values():
            for request in self.start_site(site):
                yield request

    def start_site(self, site: Site) -> Iterator[Request]:
        """What to fetch first of a site."""
        raise NotImplementedError

    def closed_down(self, reason: str = "finished") -> None:
        """Stop them."""
        self._note_announced()
        self.announced.close()
        self._opened.close()
        if self.sharing is not None:
            self.sharing.close()
        if self.ledger.state is not None:
            self.ledger.state.close(is_complete=reason == "finished")

    def _note_announced(self) -> None:
        """Hand what was named and what was left out to the state. A shared crawl and single URLs leave nothing."""
        if not isinstance(self.ledger.state, CrawlState) or self.plan.urls:
            return
        try:
            write_announced(self.ledger.state.records, self.announced.rows(), self.skips.rows(), self.sites)
        except DataError as error:
            self.logger.warning("%s", error)

    def _stop_without_workers(self, error: BaseException) -> None:
        """End the crawl because a worker cannot be started, nor replaced."""
        stats = self.crawler.stats
        if not stats.get_value(WORKER_ERROR):
            stats.set_value(WORKER_ERROR, str(error) or type(error).__name__)
            self.logger.error("the worker processes cannot be started: %s. The crawl stops.", stats.get_value(WORKER_ERROR))
            deferred_from_coro(self.crawler.engine.close_spider_async(reason="no_workers"))

    def site_of(self, url: str) -> Site | None:
        """The site that an address belongs to: of several on one host the one whose own addresses are the closest."""
        sites = self.sites_of(urlsplit(url).hostname or "")
        return max(sites, key=lambda site: site.closeness(url)) if len(sites) > 1 else next(iter(sites), None)

    def sites_of(self, host: str) -> Sequence[Site]:
        """The sites that share a host, or the domain above it."""
        while host:
            if host in self._sites_of_domain:
                return self._sites_of_domain[host]
            host = host.partition(".")[2]
        return ()

    def covers(self, site: Site, url: str) -> bool:
        """Whether an address belongs to this site, and not to another one that is closer to it."""
        if not site.covers(url):
            return False
        owner = self.site_of(url)
        return owner is None or owner.name == site.name

    def algorithm_of(self, site: Site) -> tuple[str, dict[str, Any]]:
        """Algorithm and parameters for a site's pages."""
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
        """A request for what may be an article, unless it was asked for already, is done, or over the limit.

        :param is_vouched: a headline leads to it, or a feed or the user names it; not a menu, or a sitemap of everything.
        :param keep: no later run would find the address again: it is written down, also if it is over the limit.
        """
        address = normalize(url)
        if address is None or not self.covers(site, address):
            return
        if matches(tuple(site.deny), address):
            self._skip(site, "denied", address, hints)
            return
        if self.is_done(site, address):
            self._scheduled.add(identity(address))  # by an earlier run
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
        """Take note that a page is answered by another URL: what does not vouch for the one does not for the other."""
        if not self._is_vouched(requested):
            self._answered_by[identity(requested)] = identity(url)
            if identity(url) not in self._scheduled:
                self.unvouched.add(identity(url))

    def _is_vouched(self, url: str) -> bool:
        """Whether more than a menu or a sitemap has led to a page so far."""
        return identity(url) not in self.unvouched

    def _hints_of(self, url: str, first: Hints) -> Hints:
        """What is known of an address: what the place said that it was first found at, completed from the others."""
        later = self.later_hints.pop(identity(url), None)
        return joined(first, later) if later is not None else first

    @property
    def sites_waiting(self) -> set[str]:
        """Sites of which something may wait; see :mod:`spiders.politeness`."""
        return self.announced.sites

    def requests_waiting(self, name: str, count: int) -> list[Request]:
        """Requests for the next pages that the sitemaps of a site name.

        :param count: of pages, at most; some may turn out to be known.
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
        """Whether the site's limit lets another article page be asked for."""
        return site.limit is None or self._fetched[site.name] < site.limit

    def _is_new(self, url: str) -> bool:
        """Whether an address has not been asked for by this run; asks for it."""
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
        """A request of a site.

        :param is_page: a web page, which a browser may render; not a sitemap or a feed.
        """
        headers = {"User-Agent": site.user_agent} if site.user_agent else None
        meta: dict[str, Any] = {"playwright": True} if site.render and is_page else {}
        if not is_page:
            meta["download_maxsize"] = MAX_UNPACKED
        return Request(
            url,
            callback,
            headers=headers,
            priority=priority,
            errback=errback or self.failed,
            cb_kwargs={"site": site, **arguments},
            meta=meta,
        )

    def is_turned_away(self, site: Site, url: str) -> bool:
        """Whether a page has been turned away, or has its record."""
        return self.ledger.is_done(int(self.page_id(url), 16), site.obey_robots) or self.objects.is_misfit(site, url)

    def is_done(self, site: Site, url: str) -> bool:
        """Whether a page need not be fetched; also one that a wrapper has read."""
        return self.is_turned_away(site, url) or (site.wrapping is not None and self.objects.is_read(url))

    def object_key(self, url: str) -> str:
        """Short name of a page, of which the identities of its wrapper's objects are made."""
        return record_id(url)

    def page_id(self, url: str) -> str:
        """Short name of a page, by which the ledger knows that it was turned away."""
        return page_id(url)

    def rejected(self, site: Site, url: str, status: str, reason: str) -> Rejection:
        """A page that gave no record, as an item."""
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
        """Count a URL that is not requested, and keep it with its reason.

        :param hints: of the sitemap or feed that names it, if one does.
        """
        self._count(f"skipped/{reason.replace(' ', '_')}")
        how = hints.source if hints is not None and hints.source else "link"
        self.skips.add(site.name, Skip(identity(url), url, how, reason, day.isoformat() if day else None, place))

    def failed(self, failure: Failure) -> Iterator[Request | Rejection]:
        """A request that failed leaves a record of its failure."""
        request = failure.request  # type: ignore[attr-defined]  # set by Scrapy
        site = request.cb_kwargs["site"]
        url = (request.meta.get("redirect_urls") or [request.url])[0]
        yield self.rejected(site, url, *of_failure(failure))

    def put_off(self, request: Request) -> None:
        """Fetch a page that names another canonical address again when nothing else is left."""
        self.undecided.append(request)

    def idle(self) -> None:
        """Nothing is left to fetch: pages whose canonical address has led to no record are taken as they are."""
        undecided, self.undecided = self.undecided, []
        for request in undecided:
            request.meta["canonical_tried"] = True
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
        """Requests that were put off until nothing else is left."""
        return iter(())


def joined(first: Hints, later: Hints) -> Hints:
    """What the place where a page was found first says of it, completed by another one."""
    dated = first if first.date or not later.source else later
    return Hints(first.title or later.title, dated.date, dated.source, first.language or later.language)


def _rules(site: Site) -> Rules:
    return Rules(
        site.all_domains,
        tuple(site.allow),
        tuple(site.follow),
        tuple(site.deny),
        article_links=site.from_articles,
    )


# --- record spider --------------------------------------------------------------------------------
# What the spiders for pages of many records share: reading in a worker, the date window, and where a list goes on.


T = TypeVar("T")
Dated = TypeVar("Dated", Post, Teaser)


@dataclass(frozen=True, slots=True)
class Window:
    """Which bounds of the date window left records of a page out; None: that one did not."""

    since: str | None
    until: str | None


ALL_DAYS = Window(None, None)


class RecordSpider(SiteSpider):
    """Base of the forum, the search and the list spider."""

    async def read(
        self, response: Response, site: Site, asked: str, function: Callable[..., T], *arguments: Any
    ) -> T | Rejection:
        """What a worker reads of a page, or why it is not read.

        :param asked: the address that was asked for, before redirects.
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
        """What a site's wrapper finds on a page, or why it is not read; see :meth:`~spiders.wrapping.Wrapping.read`."""
        page = self.fetched(response, site, asked)
        if isinstance(page, Rejection):
            yield page
            return
        async for output in self.wrapping.read(
            page, site, asked, finish, lead, *arguments, depth=response.meta.get("depth", 0)
        ):
            yield output

    def fetched(self, response: Response, site: Site, asked: str) -> Fetched | Rejection:
        """The page that is to be read, or why it is not."""
        if not self.covers(site, response.url):
            return self.rejected(site, asked, "redirected", f"redirects to {response.url}")
        if (reason := other_type(response)) is not None:
            return self.rejected(site, asked, "not_html", reason)
        return page_of(response, Hints(language=site.language))

    def none_found(self, site: Site, asked: str, found: FoundRecords, what: str) -> Rejection:
        """A page without records.

        :param what: which are missed, in words.
        """
        status: str = found.status if found.status in ("not_html", "too_large", "challenged", "failed") else "empty"
        reason = found.reason or what
        if site.obey_reservations and found.reserved:
            status, reason = RESERVED, f"the page reserves its use: {found.reserved}"
        elif found.status == "ok" and not is_sure(site, found):
            reason = f"{what}: the confidence is {found.confidence:.2f}, below min_confidence = {site.min_confidence:g}"
        return self.rejected(site, asked, status, reason)

    def within(self, site: Site, records: Iterable[Dated]) -> tuple[list[Dated], Window]:
        """The records within the site's date window; the others are counted."""
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
        """The page's own line. (Pages that a wrapper has read: :meth:`~spiders.wrapping.CrawlObjects.line`.)

        :param asked: the address that was asked for, before redirects.
        :param kind: ``thread``, ``results`` or ``list``.
        :param records: all of the page.
        :param kept: those within the date window.
        :param following: address of the page after it.
        :param shape: of the records; it is written where a list begins that goes on.
        :param window: which bounds left records out.
        :param more: further fields of the line.
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
        """Whether the site's limit lets another page be fetched; then it is counted."""
        if site.limit is not None and self._fetched[site.name] >= site.limit:
            self._count("skipped/limit")
            return False
        self._fetched[site.name] += 1
        return True


def following_page(site: Site, template: str, number: int, first: int, told: str | None, query: str = "") -> str | None:
    """Address of the following page of a list: as the template counts, or else as the page itself says.

    :param number: of that page.
    :param first: rank of its first record.
    :param told: what the page says, as it is written.
    """
    if counts(template):
        return address_of(template, number, first, query)
    if told is None or not site.covers(told) or matches(tuple(site.deny), normalize(told) or told):
        return None
    return as_asked(told)
