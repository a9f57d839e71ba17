"""``scrapy crawl news``: from target sites to article pages.

Where addresses come from: sitemaps and feeds (with title and date as hints), start and listing pages, "next page".
Each page's kind, links and parts are found in a worker process (:func:`newsextract.discovery.discover`); this module only
decides what to fetch. Discovery is recomputed by every run; what the ledger has is not fetched again.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import ExitStack
from datetime import UTC, date, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

import scrapy
from scrapy import Request, signals
from scrapy.http import Response
from twisted.python.failure import Failure

from newsextract import Hints, Page
from newsextract.discovery import (
    Discovery,
    Rules,
    Sitemap,
    discover,
    newest_first,
    normalize,
    read_feed,
    read_sitemap,
    registered_domain,
    sitemaps_from_robots,
)
from newsextract.sites import ROBOTS, Site
from pipelines.frontier import Frontier
from pipelines.items import FetchedPage, Rejection
from pipelines.ledger import Ledger, identity
from pipelines.workers import WorkerError, WorkerPool
from spiders.outcomes import of_code, of_failure, rejection
from spiders.plan import CrawlPlan, make_plan
from spiders.serving import FolderServer

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

DOUBTFUL = 0.7
"""Least confidence that a page is an article where only a link vouches for it. On the bench's folds 1–4 this costs 2 % more
articles than 0.5 and turns away 3 % more of the other pages; on the sample site all articles have 0.9 or more."""
SURE = 0.9
"""Confidence that a page is a listing which overrules a feed or sitemap."""
MAX_PARTS = 20
"""Pages of one article that are joined."""
_NEVER = date(1970, 1, 1)
_TEXT_TYPES = ("text/", "application/xhtml", "application/xml", "application/octet-stream")

Output = Request | FetchedPage | Rejection


class NewsSpider(scrapy.Spider):
    """Fetches the article pages of the sites in sites.toml."""

    name = "news"

    def __init__(self, plan: CrawlPlan, **arguments: str) -> None:
        super().__init__(self.name)
        self.plan = plan
        self.ledger: Ledger = plan.ledger
        self.pool: WorkerPool
        self.sites: dict[str, Site] = {}
        self._servers = ExitStack()
        self.frontier = Frontier(plan.records.with_suffix(".frontier"))
        self._scheduled: set[int] = set()
        """Addresses that this run has asked for, as record ids."""
        self._fetched: dict[str, int] = dict.fromkeys(plan.sites, 0)
        """Article pages asked for, per site, for its limit."""
        self._rules = {name: _rules(site) for name, site in plan.sites.items()}

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> NewsSpider:
        """Check the arguments and set what depends on them (feeds, per-site politeness)."""
        plan = kwargs.pop("plan", None) or make_plan(crawler.settings, kwargs, kind=cls.name)
        spider = super().from_crawler(crawler, *args, plan=plan, **kwargs)
        settings = crawler.settings
        settings.set("FEEDS", plan.feeds, priority="cmdline")
        settings.set("DOWNLOAD_SLOTS", _slots(plan.sites.values()), priority="spider")
        crawler.signals.connect(spider.opened, signal=signals.spider_opened)
        crawler.signals.connect(spider.closed_down, signal=signals.spider_closed)
        return spider

    def opened(self) -> None:
        """Start the worker processes, and the servers of sites that are served from a folder."""
        settings = self.crawler.settings
        for site in self.plan.sites.values():
            if site.serve:
                server = self._servers.enter_context(FolderServer(dict.fromkeys(site.hosts, Path(site.serve))))
                site = site.model_copy(update={"proxy": server.address})
            self.sites[site.name] = site
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

    def site_of(self, host: str) -> Site | None:
        """The site that a host belongs to."""
        return next((site for site in self.sites.values() if _belongs(f"//{host}", site)), None)

    def algorithm_of(self, site: Site) -> tuple[str, dict[str, Any]]:
        """Algorithm and parameters for a site's pages."""
        return site.algorithm or "", site.params

    # -- what to fetch first ---------------------------------------------------------------------------------------

    async def start(self) -> AsyncIterator[Any]:
        """Sitemaps, feeds and start pages of all sites; records to be visited again; the frontier."""
        for site in self.sites.values():
            for url in self.plan.urls:
                if _belongs(url, site):
                    for request in self._article(site, url, Hints(language=site.language), 0):
                        yield request
            if self.plan.urls:
                continue
            for url in site.sitemaps:
                for address in self._robots_files(site) if url == ROBOTS else [url]:
                    yield self._request(site, address, self.parse_sitemap, 900, {"level": 0})
            for url in site.feeds:
                yield self._request(site, url, self.parse_feed, 900, {})
            for url in site.start:
                self._scheduled.add(identity(url))
                yield self._request(site, url, self.parse_page, 800, {"role": "start", "depth": 0, "pages": 0})
        for known in list(self.ledger.revisit.values()):
            if known.site in self.sites:
                site = self.sites[known.site]
                headers = {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified}
                for request in self._article(site, known.url, Hints(language=site.language), 0):
                    request.headers.update({k: v for k, v in headers.items() if v})
                    request.meta["handle_httpstatus_list"] = [304]
                    yield request
        for name, url, depth in self.frontier.read():
            if name in self.sites:
                site = self.sites[name]
                for request in self._article(site, url, Hints(language=site.language), depth, role="link"):
                    yield request

    def _robots_files(self, site: Site) -> Iterator[str]:
        return iter(dict.fromkeys(urljoin(address, "/robots.txt") for address in site.addresses))

    # -- sitemaps and feeds ----------------------------------------------------------------------------------------

    async def parse_sitemap(self, response: Response, site: Site, level: int) -> AsyncIterator[Output]:
        """A sitemap, a sitemap index, or a robots.txt that names sitemaps."""
        if urlsplit(response.url).path == "/robots.txt":
            for url in sitemaps_from_robots(response.body.decode("utf-8", "replace")):
                if self._is_new(url):
                    yield self._request(site, url, self.parse_sitemap, 900, {"level": 1})
            return
        try:
            sitemap: Sitemap = await self.pool.run(read_sitemap, response.body, response.url)
        except WorkerError as error:
            yield self._rejected(site, response.url, "failed", f"sitemap: {error}")
            return
        if not sitemap.entries and not sitemap.sitemaps:
            yield self._rejected(site, response.url, "empty", "no address found in this sitemap")
        for nested in sitemap.sitemaps:
            if level < 3 and self._is_new(nested.url):
                yield self._request(site, nested.url, self.parse_sitemap, 890, {"level": level + 1})
        for entry in newest_first(sitemap.entries):
            day = _day(entry.publication_date)
            hints = Hints(entry.title, entry.publication_date, "sitemap", entry.language or site.language)
            # A page cannot have been published after it was last changed.
            if self._outside(site, day) or (site.since and _day(entry.lastmod, site.since) < site.since):
                self._count("skipped/out_of_window")
                continue
            newest = day or _day(entry.lastmod)
            for request in self._article(site, entry.url, hints, 1, priority=_recency(newest)):
                yield request

    async def parse_feed(self, response: Response, site: Site) -> AsyncIterator[Output]:
        """An RSS, Atom or JSON feed."""
        try:
            entries = await self.pool.run(read_feed, response.body, response.url)
        except WorkerError as error:
            yield self._rejected(site, response.url, "failed", f"feed: {error}")
            return
        if not entries:
            yield self._rejected(site, response.url, "empty", "no entry found in this feed")
        for entry in entries:
            day = _day(entry.date)
            if self._outside(site, day):
                self._count("skipped/out_of_window")
                continue
            hints = Hints(entry.title, entry.date, "feed", entry.language or site.language)
            for request in self._article(site, entry.url, hints, 1, priority=_recency(day)):
                yield request

    # -- pages -----------------------------------------------------------------------------------------------------

    async def parse_page(
        self,
        response: Response,
        site: Site,
        role: str,
        depth: int,
        pages: int = 0,
        hints: Hints | None = None,
    ) -> AsyncIterator[Output]:
        """Any page: tell its kind, follow what it leads to, hand it on if it is an article.

        :param role: ``start``, ``listing`` (a "next page"), ``article`` (from feed or sitemap) or ``link``.
        :param depth: links away from the start.
        :param pages: pages of this listing already followed.
        """
        requested = (response.meta.get("redirect_urls") or [response.url])[0]
        if response.status == 304:
            self._count("unchanged")
            return
        redirected = self._redirected(site, requested, response.url)
        if redirected is not None:
            yield redirected
            if self.ledger.is_done(identity(response.url)):
                return
        kind = (response.headers.get("Content-Type") or b"").decode("latin-1").lower()
        if kind and not kind.startswith(_TEXT_TYPES):
            yield self._rejected(site, response.url, "not_html", f"the server says it is {kind[:60]}")
            return
        page = _page(response, hints or Hints(language=site.language))
        try:
            found, kept = await self.pool.ask(page, None, discover, self._rules[site.name])
        except WorkerError as error:
            yield self._rejected(site, response.url, "failed", str(error))
            return
        if found.refresh and identity(found.refresh) != identity(response.url):
            yield self._rejected(site, response.url, "redirected", f"the page sends its reader to {found.refresh}")
            for request in self._article(site, found.refresh, page.hints, depth, role=role):
                yield request
            return
        is_article = self._is_article(site, response.url, role, found)
        for output in self._follow(site, response.url, found, is_article, role, depth, pages):
            yield output
        if not is_article:
            status = "listing" if found.kind.kind != "other" or role in ("start", "listing") else "not_article"
            reasons = ", ".join(found.kind.reasons[:4])
            yield self._rejected(site, response.url, status, f"{found.kind.kind} ({found.kind.confidence:.2f}): {reasons}")
            return
        canonical = self._canonical(site, response, found)
        if canonical is not None:
            yield self._rejected(site, response.url, "not_canonical", f"the page names {canonical} as its canonical address")
            for request in self._article(site, canonical, page.hints, depth, role="article"):
                request.meta["instead_of"] = response.url
                yield request
            return
        item = FetchedPage(site, requested, [page], [kept], _header(response, "ETag"), _header(response, "Last-Modified"))
        parts = [part for part in found.parts if identity(part) != identity(response.url)][:MAX_PARTS]
        if parts:
            yield self._part(item, parts)
        else:
            yield item

    def _is_article(self, site: Site, url: str, role: str, found: Discovery) -> bool:
        """Whether a page is taken for an article, by its evidence and by what vouches for it."""
        kind = found.kind
        if role == "article":  # even a sitemap names section pages
            return not (kind.kind == "listing" and kind.confidence >= SURE)
        if role != "link" or kind.kind != "article":
            return False
        return kind.confidence >= DOUBTFUL or any(re.search(pattern, url) for pattern in site.allow)

    def _follow(
        self, site: Site, url: str, found: Discovery, is_article: bool, role: str, depth: int, pages: int
    ) -> Iterator[Output]:
        """Requests for what a page leads to."""
        if found.next_page and not is_article and pages < site.pagination and self._is_new(found.next_page):
            arguments = {"role": "listing", "depth": depth, "pages": pages + 1}
            yield self._request(site, found.next_page, self.parse_page, 700, arguments)
        follows = site.from_articles if is_article else found.kind.kind != "other" or role in ("start", "listing")
        if not follows or depth >= site.depth:
            return
        parts = {identity(part) for part in found.parts}
        for link in found.links:
            if identity(link.url) in parts:
                continue
            new = list(
                self._article(site, link.url, Hints(link.text or None, language=site.language), depth + 1, role="link")
            )
            if new and is_article:
                self.frontier.add(site.name, link.url, depth + 1)
            yield from new

    def _part(self, item: FetchedPage, rest: list[str]) -> Request:
        """Fetch the next page of an article."""
        self._scheduled.update(identity(url) for url in rest)
        arguments = {"item": item, "rest": rest[1:]}
        return self._request(
            item.site, rest[0], self.parse_part, 950, arguments, errback=self.part_failed, handle_httpstatus_all=True
        )

    async def parse_part(self, response: Response, site: Site, item: FetchedPage, rest: list[str]) -> AsyncIterator[Output]:
        """A later page of an article; the article waits for all of them."""
        if response.status == 200:
            item.parts.append(_page(response, item.parts[0].hints))
            item.kept.append(None)
            yield self._rejected(site, response.url, "part", f"page {len(item.parts)} of {item.parts[0].url}")
        else:
            yield self._rejected(site, response.url, *of_code(response.status))
        yield self._part(item, rest) if rest else item

    def part_failed(self, failure: Failure) -> Iterator[Output]:
        """A later page cannot be had: the article is made of the others."""
        request = failure.request  # type: ignore[attr-defined]  # set by Scrapy
        item, rest = request.cb_kwargs["item"], request.cb_kwargs["rest"]
        yield self._rejected(item.site, request.url, *of_failure(failure))
        yield self._part(item, rest) if rest else item

    def failed(self, failure: Failure) -> Iterator[Output]:
        """A request that failed leaves a record of its failure."""
        request = failure.request  # type: ignore[attr-defined]  # set by Scrapy
        site = request.cb_kwargs["site"]
        url = (request.meta.get("redirect_urls") or [request.url])[0]
        yield self._rejected(site, url, *of_failure(failure))
        instead_of = request.meta.get("instead_of")
        if instead_of:  # the canonical address does not work: take the page that we had
            arguments = dict(request.cb_kwargs)
            again = self._request(site, instead_of, self.parse_page, request.priority, arguments)
            again.meta["ignore_canonical"] = True
            yield again

    # -- helpers ---------------------------------------------------------------------------------------------------

    def _article(
        self, site: Site, url: str, hints: Hints, depth: int, *, role: str = "article", priority: int = 0
    ) -> Iterator[Request]:
        """A request for what may be an article, unless it was asked for already, is done, or over the limit."""
        address = normalize(url)
        if address is None or not _belongs(address, site):
            return
        if not self._is_new(address) or self.ledger.is_done(identity(address)):
            return
        if site.limit is not None and self._fetched[site.name] >= site.limit:
            self._count("skipped/limit")
            return
        self._fetched[site.name] += 1
        arguments = {"role": role, "depth": depth, "hints": hints}
        yield self._request(site, address, self.parse_page, priority - depth, arguments)

    def _is_new(self, url: str) -> bool:
        """Whether an address has not been asked for by this run; asks for it."""
        number = identity(url)
        if number in self._scheduled:
            return False
        self._scheduled.add(number)
        return True

    def _request(
        self, site: Site, url: str, callback: Any, priority: int, arguments: dict[str, Any], **more: Any
    ) -> Request:
        meta: dict[str, Any] = {}
        if not site.obey_robots:
            meta["dont_obey_robotstxt"] = True
        if more.pop("handle_httpstatus_all", False):
            meta["handle_httpstatus_all"] = True
        headers = {"User-Agent": site.user_agent} if site.user_agent else None
        return Request(
            url,
            callback,
            headers=headers,
            priority=priority,
            errback=more.get("errback", self.failed),
            meta=meta,
            cb_kwargs={"site": site, **arguments},
        )

    def _rejected(self, site: Site, url: str, status: str, reason: str) -> Rejection:
        return rejection(site, normalize(url) or url, status, reason, self.ledger)

    def _redirected(self, site: Site, requested: str, url: str) -> Rejection | None:
        if identity(requested) == identity(url):
            return None
        return self._rejected(site, requested, "redirected", f"redirects to {url}")

    def _canonical(self, site: Site, response: Response, found: Discovery) -> str | None:
        """The canonical address, if it is another page that should be fetched instead of this one."""
        url = found.canonical_url
        if url is None or site.canonical == "ignore" or response.meta.get("ignore_canonical"):
            return None
        if urlsplit(url).path in ("", "/") or not _belongs(url, site) or url in site.start:
            return None  # a mistake of the site: all its pages would be one
        return None if identity(url) == identity(response.url) else url

    def _outside(self, site: Site, day: date | None) -> bool:
        if day is None:
            return False
        return bool((site.since and day < site.since) or (site.until and day > site.until))

    def _count(self, name: str) -> None:
        self.crawler.stats.inc_value(f"newsextract/{name}")


def _page(response: Response, hints: Hints) -> Page:
    headers = {k.decode("latin-1").lower(): b", ".join(v).decode("latin-1") for k, v in response.headers.items()}
    fetched_at = datetime.now(UTC).replace(microsecond=0)
    return Page(response.body, response.url, headers, fetched_at, hints)


def _header(response: Response, name: str) -> str | None:
    value = response.headers.get(name)
    return value.decode("latin-1") if value else None


def _rules(site: Site) -> Rules:
    return Rules(_domains(site), tuple(site.allow), tuple(site.follow), tuple(site.deny))


@lru_cache(maxsize=10_000)
def _domains_of(hosts: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*map(registered_domain, hosts), *more]))


def _domains(site: Site) -> tuple[str, ...]:
    return _domains_of(tuple(site.hosts), tuple(site.domains))


def _belongs(url: str, site: Site) -> bool:
    host = urlsplit(url).hostname or ""
    return any(host == domain or host.endswith("." + domain) for domain in _domains(site))


def _slots(sites: Iterable[Site]) -> dict[str, dict[str, Any]]:
    """Scrapy's DOWNLOAD_SLOTS for sites that have politeness of their own."""
    slots: dict[str, dict[str, Any]] = {}
    for site in sites:
        own: dict[str, Any] = {}
        if site.delay is not None:
            own |= {"delay": site.delay, "jitter": 0.0 if site.delay == 0 else 0.25}
        if site.concurrency is not None:
            own["concurrency"] = site.concurrency
        if own:
            slots.update(dict.fromkeys(site.hosts, own))
    return slots


def _day(text: str | None, default: Any = None) -> Any:
    try:
        return date.fromisoformat((text or "")[:10])
    except ValueError:
        return default


def _recency(day: date | None) -> int:
    """Priority 0–500: newest first."""
    return max(0, 500 - (datetime.now(UTC).date() - (day or _NEVER)).days)
