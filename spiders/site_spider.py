"""What every spider of the project has: a checked plan, a ledger, worker processes, and requests that belong to a site."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import scrapy
from scrapy import Request, signals
from scrapy.exceptions import DontCloseSpider
from twisted.python.failure import Failure

from newsextract import Hints
from newsextract.discovery import Rules, normalize, record_id
from newsextract.sites import Site
from pipelines.archiving import CrawlArchive
from pipelines.frontier import Frontier
from pipelines.items import Rejection
from pipelines.ledger import Ledger, identity
from pipelines.pages import page_id
from pipelines.shared_feeds import frontiers
from pipelines.workers import WorkerPool
from spiders.cluster.marks import COUNTED, HELD, LOCAL, SEEN
from spiders.crawl_plan import CrawlPlan
from spiders.objects import Objects
from spiders.outcomes import of_failure, rejection
from spiders.plan import make_plan
from spiders.serving import FolderServer
from spiders.wrapping import Wrapping

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from spiders.cluster.worker import ClusterWorker


class SiteSpider(scrapy.Spider):
    """Base of the spiders. A subclass sets ``name`` and defines ``start`` and ``parse_page``."""

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
        self._site_of_domain: dict[str, Site] = {}
        self._servers = ExitStack()
        others = frontiers(plan.cluster.base) if plan.cluster else []
        self.frontier = Frontier(plan.records.with_suffix(".frontier"), others)
        self._scheduled: set[int] = set()
        """Addresses that this run has asked for, as record ids."""
        self.later_hints: dict[int, Hints] = {}
        """What feeds and sitemaps say of addresses that are on their way already."""
        self.undecided: list[Request] = []
        """Pages that name another canonical address, which has no record yet; they have no line until that is decided."""
        self._fetched: dict[str, int] = dict.fromkeys(plan.sites, 0)
        """Article pages asked for, per site, for its limit."""
        self.rules = {name: _rules(site) for name, site in plan.sites.items()}
        self.shared: ClusterWorker | None = None
        """This process's place in a shared crawl, from its opening on."""
        self.wrapping = Wrapping(self)
        self.objects = Objects(self)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Check the arguments and set what depends on them (feeds, per-site politeness)."""
        plan = kwargs.pop("plan", None) or make_plan(crawler.settings, kwargs, kind=cls.name)
        spider = super().from_crawler(crawler, *args, plan=plan, **kwargs)
        settings = crawler.settings
        settings.set("FEEDS", plan.feeds, priority="cmdline")
        # Also the size of Scrapy's pool of open connections per host; spiders/routes.py bounds each host by itself.
        widest = max((site.concurrency or 1 for site in plan.sites.values()), default=1)
        most = max(settings.getint("CONCURRENT_REQUESTS_PER_SITE"), widest)
        settings.set("CONCURRENT_REQUESTS_PER_DOMAIN", most, priority="cmdline")
        if plan.renders:  # otherwise no browser is known of
            handlers = settings.getdict("DOWNLOAD_HANDLERS")
            handlers |= dict.fromkeys(("http", "https"), "spiders.requests.RenderingHandler")
            settings.set("DOWNLOAD_HANDLERS", handlers, priority="cmdline")
        if plan.cluster:
            settings.set("SCHEDULER", "spiders.cluster.scheduler.SharedScheduler", priority="cmdline")
            for name, component, place in (
                ("ITEM_PIPELINES", "spiders.cluster.claims.ClaimPipeline", 310),
                ("EXTENSIONS", "scrapy.extensions.feedexport.FeedExporter", None),
                ("EXTENSIONS", "spiders.cluster.claims.FencedFeeds", 0),
                ("SPIDER_MIDDLEWARES", "spiders.cluster.scheduler.StartMiddleware", 50),
            ):
                settings.set(name, settings.getdict(name) | {component: place}, priority="cmdline")
        crawler.signals.connect(spider.opened, signal=signals.spider_opened)
        crawler.signals.connect(spider.idle, signal=signals.spider_idle)
        crawler.signals.connect(spider.closed_down, signal=signals.spider_closed)
        return spider

    def opened(self) -> None:
        """Start the worker processes, and the servers of sites that are served from a folder; open the archive."""
        settings = self.crawler.settings
        if self.plan.warc is not None:
            self.archive = CrawlArchive(self.plan.warc, self.name)
        for site in self.plan.sites.values():
            if site.serve:
                server = self._servers.enter_context(FolderServer(dict.fromkeys(site.hosts, Path(site.serve))))
                site = site.model_copy(update={"proxy": server.address})
            if self.plan.cluster and site.limit is not None:
                site = site.model_copy(update={"limit": None})  # it is counted for all processes together, in Redis
            self.sites[site.name] = site
            for domain in site.all_domains:
                self._site_of_domain.setdefault(domain, site)
        self.pool = WorkerPool(
            settings.getint("EXTRACTION_WORKERS"),
            settings.getfloat("EXTRACTION_TIMEOUT"),
            settings.getint("EXTRACTION_MEMORY_MB"),
        )

    def closed_down(self) -> None:
        """Stop them."""
        self.pool.close()
        self._servers.close()
        self.frontier.close()
        if self.archive is not None:
            self.archive.close()

    def site_of(self, host: str) -> Site | None:
        """The site that a host belongs to."""
        while host:
            if host in self._site_of_domain:
                return self._site_of_domain[host]
            host = host.partition(".")[2]
        return None

    def algorithm_of(self, site: Site) -> tuple[str, dict[str, Any]]:
        """Algorithm and parameters for a site's pages."""
        return site.algorithm or "", site.params

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
    ) -> Iterator[Request]:
        """A request for what may be an article, unless it was asked for already, is done, or over the limit.

        :param keep: no later run would find the address again: it is written down, also if it is over the limit.
        """
        address = normalize(url)
        if address is None or not site.covers(address):
            return
        if self.is_done(site, address):
            return
        if not self._is_new(address):
            if hints.source:
                self.later_hints[identity(address)] = hints
            return
        if keep:
            self.frontier.add(site.name, address, depth, role, hints)
        if site.limit is not None and self._fetched[site.name] >= site.limit:
            self._count("skipped/limit")
            return
        self._fetched[site.name] += 1
        arguments = {"role": role, "depth": depth, "hints": hints}
        yield self._request(site, address, self.parse_page, priority - depth, arguments, is_counted=True)

    def _hints_of(self, url: str, first: Hints) -> Hints:
        """What is known of an address: what the place said that it was first found at, completed from the others."""
        later = self.later_hints.pop(identity(url), None)
        if later is None:
            return first
        dated = first if first.date else later
        return Hints(first.title or later.title, dated.date, dated.source, first.language or later.language)

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
        is_counted: bool = False,
        is_local: bool = False,
    ) -> Request:
        """A request of a site.

        :param is_page: a web page, which a browser may render; not a sitemap or a feed.
        :param is_counted: it counts for the site's limit.
        :param is_local: it belongs to a page that is being read, and is this process's affair.
        """
        headers = {"User-Agent": site.user_agent} if site.user_agent else None
        meta: dict[str, Any] = {"playwright": True} if site.render and is_page else {}
        if self.plan.cluster:
            # Those that count have been asked of _is_new, which knows an address by its normal form.
            seen = self.page_id(url) if is_counted else f"{callback.__name__} {url}"
            meta |= {LOCAL: True} if is_local else {SEEN: seen, COUNTED: is_counted}
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

    def _count(self, name: str) -> None:
        self.crawler.stats.inc_value(f"newsextract/{name}")

    def failed(self, failure: Failure) -> Iterator[Request | Rejection]:
        """A request that failed leaves a record of its failure."""
        request = failure.request  # type: ignore[attr-defined]  # set by Scrapy
        site = request.cb_kwargs["site"]
        url = (request.meta.get("redirect_urls") or [request.url])[0]
        yield self.rejected(site, url, *of_failure(failure))

    def put_off(self, request: Request) -> None:
        """Fetch a page that names another canonical address again when nothing else is left."""
        if self.shared is None:
            self.undecided.append(request)
        else:
            request.meta.update({"canonical_tried": True, HELD: True})
            self.crawler.engine.crawl(request)

    def idle(self) -> None:
        """Nothing is left to fetch: pages whose canonical address has led to no record are taken as they are."""
        undecided, self.undecided = self.undecided, []
        for request in undecided:
            request.meta["canonical_tried"] = True
            self.crawler.engine.crawl(request)
        if undecided:
            raise DontCloseSpider


def _rules(site: Site) -> Rules:
    return Rules(
        site.all_domains,
        tuple(site.allow),
        tuple(site.follow),
        tuple(site.deny),
        article_links=site.from_articles,
    )
