"""Politeness: delays and throttling, robots.txt, proxy and connections of each site, and the scheduler that takes sites in
turn."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
from email.utils import parsedate_to_datetime
from time import monotonic, time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import scrapy.core.scheduler
from scrapy import Request, signals
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.dupefilters import BaseDupeFilter, RFPDupeFilter
from scrapy.exceptions import IgnoreRequest
from scrapy.extensions.throttle import AutoThrottle
from scrapy.robotstxt import ProtegoRobotParser, RobotParser

from newsextract.page.fetching import USER_AGENT as NAMELESS
from pipelines.plain_spiders import is_planned, planned
from spiders.pages import RENDERED, VISITED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy import Spider
    from scrapy.core.downloader import Slot
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from newsextract.sites import Site
    from spiders.site_spider import SiteSpider

# --- routes ---------------------------------------------------------------------------------------
# How the hosts of a site are reached: its proxy, its delay, its number of connections.
#
# Set for every request on its way, so also for those that Scrapy makes itself (robots.txt, redirects) and for hosts of the
# site that its definition does not name.

OF = " of "
"""In the name of a download slot, between a host and one of the sites that share it."""
LEAST_DELAY = 0.005
"""Seconds, for ``delay = 0``: without any delay Scrapy 2.19 starts all waiting requests of a host at once, whatever its
concurrency."""


class SiteRoutesMiddleware:
    """Sets proxy and download slot of the site that a request's host belongs to."""

    def __init__(self, crawler: Crawler, spider: SiteSpider) -> None:
        self.crawler, self.spider = crawler, spider
        self._default_concurrency = crawler.settings.getint("CONCURRENT_REQUESTS_PER_SITE")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> SiteRoutesMiddleware:
        """Scrapy's way to make one."""
        return cls(crawler, planned(crawler))

    def process_request(self, request: Request) -> None:
        """See the class."""
        spider = self.spider
        host = urlsplit(request.url).hostname or ""
        site = spider.site_of(request.url)
        # Several sites may share a host; each has its own delay and its own number of connections.
        is_shared = sum(host in other.hosts for other in spider.sites_of(host)) > 1
        slot = f"{host}{OF}{site.name}" if is_shared and site is not None else host
        if request.meta.get("routed", slot) != slot:  # redirected: what held for the old host does not for this one
            for key in ("download_slot", "proxy", "dont_obey_robotstxt"):
                request.meta.pop(key, None)
        if site is None:
            return
        request.meta["routed"] = request.meta["download_slot"] = slot
        if not site.obey_robots:
            request.meta["dont_obey_robotstxt"] = True
        if site.proxy:
            request.meta.setdefault("proxy", site.proxy)
        slots = self.crawler.engine.downloader.per_slot_settings
        if slot not in slots:
            slots[slot] = self._slot(site)

    def _slot(self, site: Site) -> dict[str, Any]:
        """An entry of Scrapy's DOWNLOAD_SLOTS."""
        slot: dict[str, Any] = {"concurrency": site.concurrency or self._default_concurrency}
        if site.delay is not None:
            slot |= {"delay": max(site.delay, LEAST_DELAY), "jitter": 0.25 if site.delay else 0.0}
        return slot


# --- politeness -----------------------------------------------------------------------------------
# Politeness: AutoThrottle, with what robots.txt, ``Retry-After`` and the site's definition ask for.
#
# Scrapy's core honours neither ``Crawl-delay`` nor ``Retry-After``.

logger = logging.getLogger(__name__)

MAX_WAIT = 300.0
"""Longest pause in seconds that a server may ask for; it is told in the log."""


class SiteThrottle(AutoThrottle):
    """Keeps the delay of each host between what it asks for and what AutoThrottle finds."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._least: dict[str, float] = {}
        crawler.signals.connect(self._robots_parsed, signal=signals.robots_parsed)

    def _robots_parsed(self, robotparser: RobotParser, request: Request) -> None:
        agent = self.crawler.settings["USER_AGENT"]
        asked = getattr(robotparser, "crawl_delay", lambda _: None)(agent)
        host = urlsplit(request.url).hostname or ""
        if asked and host:
            self._least[host] = min(float(asked), MAX_WAIT)
            for key, slot in self.crawler.engine.downloader.slots.items():
                self._hold(key, slot)

    def _response_downloaded(self, response: Response, request: Request, spider: Spider) -> None:
        key, slot = self._get_slot(request, spider)
        if key is None or slot is None:
            return
        fixed = "delay" in self.crawler.engine.downloader.per_slot_settings.get(key, {})  # by the site's definition
        if not fixed:
            super()._response_downloaded(response, request, spider)
        self._hold(key, slot)
        if response.status in (429, 503):
            wait = retry_after(response.headers.get("Retry-After"))
            if wait:
                self._pause(key, slot, wait)

    def _hold(self, key: str, slot: Slot) -> None:
        """Never go below the Crawl-delay, not by jitter either."""
        least = self._least.get(key.partition(OF)[0])
        if least is not None:
            slot.delay = max(slot.delay, least)
            slot.jitter = 0.0

    def _pause(self, key: str, slot: Slot, wait: float) -> None:
        if wait > MAX_WAIT:
            logger.warning("%s asks for a pause of %.0f s; waiting %.0f s", key, wait, MAX_WAIT)
        slot.delay = max(slot.delay, 0.1)  # a slot without delay is never made to wait
        least = slot.delay * (1 - slot.jitter)
        slot.lastseen = max(slot.lastseen, monotonic() + min(wait, MAX_WAIT) - least)
        self.crawler.stats.inc_value("newsextract/retry_after")


def nameless(sites: Iterable[Site], agent: str) -> str | None:
    """The warning that a crawl asks other people's sites and does not say who it is, or None.

    :param agent: the project's ``USER_AGENT``.
    """
    if agent != NAMELESS:
        return None
    names = [site.name for site in sites if not site.serve and not site.user_agent and not all(map(is_loopback, site.hosts))]
    if not names:
        return None
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return (
        f"{', '.join(names[:3])}{more}: sites are asked without a name and a contact, as {NAMELESS!r}; set USER_AGENT in "
        'settings/base.py or with -s, for example USER_AGENT = "yourproject/1.0 (+https://your.site/contact)"'
    )


def is_loopback(host: str) -> bool:
    """Whether a host, by its name, is this machine."""
    name = host.rpartition(":")[0] if host.count(":") == 1 else host
    try:
        return ipaddress.ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")


def retry_after(value: bytes | None) -> float | None:
    """Seconds of a ``Retry-After`` header (RFC 9110 §10.2.3: a number or a date); None if there is none."""
    text = (value or b"").decode("latin-1").strip()
    if text.isdecimal():
        return float(text[:9])
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time()) if text else None
    except (ValueError, OverflowError):
        return None  # reason: not a date; the server said nothing that can be kept


# --- robots ---------------------------------------------------------------------------------------
# robots.txt as RFC 9309 says it: one fetch for a host, and nothing else from a host that does not tell its rules.
#
# Scrapy's middleware allows everything when a robots.txt cannot be had, and (2.19) also to all but the first of the requests
# that wait for the same robots.txt: the others get no parser.


class UnreachableRobotsError(IgnoreRequest):
    """A host's robots.txt cannot be had for now; a later run asks again."""


class RobotsMiddleware(RobotsTxtMiddleware):
    """Lets pass what a host's robots.txt allows."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        logging.getLogger("scrapy.downloadermiddlewares.robotstxt").addFilter(without_traceback)
        self._turns: dict[str, asyncio.Lock] = {}
        self._unreachable: dict[str, str] = {}
        """Host and port → why."""

    async def process_response(self, request: Request, response: Response) -> Response:
        """A browser follows redirects by itself: each address that it was led to must be allowed, as for Scrapy's own.

        The host has been asked by then; what it gave is thrown away.

        :raises IgnoreRequest: one is forbidden.
        """
        for url in request.meta.get(VISITED, ()) if RENDERED in response.flags else ():
            site = planned(self.crawler).site_of(url)
            if site is None or site.obey_robots:
                await self.process_request(request.replace(url=url, meta={}))
        return response

    async def robot_parser(self, request: Request) -> RobotParser | None:
        """The rules of the request's host; the first request fetches them while the others wait.

        :raises UnreachableRobotsError: they cannot be had (RFC 9309 §2.3.1.4: then all is forbidden).
        """
        host = urlsplit(request.url).netloc
        async with self._turns.setdefault(host, asyncio.Lock()):
            parser = await super().robot_parser(request)
        if host in self._unreachable:
            raise UnreachableRobotsError(f"{request.url}: no rules, no fetch: robots.txt: {self._unreachable[host]}")
        return parser

    async def _parse_robots(self, response: Response, netloc: str, request: Request) -> None:
        if response.status >= 500 or response.status == 429:
            self._unreachable[netloc] = f"HTTP {response.status}"
        elif response.status >= 400:
            response = response.replace(body=b"")  # there are no rules (§2.3.1.3); an error page holds none
        await super()._parse_robots(response, netloc, request)

    def _robots_error(self, exc: Exception, netloc: str) -> None:
        if not isinstance(exc, IgnoreRequest):  # that is a refusal of our own, and the page's is worded better
            self._unreachable[netloc] = f"{type(exc).__name__}: {exc}"
        super()._robots_error(exc, netloc)


class CappedRobotParser(ProtegoRobotParser):
    """Reads the first 500 KiB of a robots.txt (RFC 9309 §2.5): it is parsed on the reactor."""

    def __init__(self, robotstxt_body: bytes, spider: Spider | None) -> None:
        super().__init__(robotstxt_body[: 500 * 1024], spider)


def without_traceback(record: logging.LogRecord) -> bool:
    """A log filter: a robots.txt that cannot be had is one line; the page's own failure is recorded anyway."""
    record.exc_info = record.exc_text = None
    return True


# --- scheduler ------------------------------------------------------------------------------------
# Scrapy's scheduler, which asks the spider for more when it has little left of a site.
#
# Sitemaps may name a million pages. They wait on disk (:mod:`pipelines.announced`), nested sitemaps in the spider; of each
# site only a few requests are in the queue.

FEW = 10
"""Requests of a site below which more are asked for."""
MORE = 50
"""How many, at a time. Scrapy's queues give the last one first, so the first of them comes last into the queue."""
_ROUNDS = 20
"""How often they are asked for where all turn out to be known already, before others have their turn."""


class Scheduler(scrapy.core.scheduler.Scheduler):
    """Requests in memory, few of each site.

    ``JOBDIR`` is not used: what is done is in the feed, and requests that were in flight at a kill are not in that folder.
    """

    spider: SiteSpider

    def __init__(self, *arguments: Any, jobdir: str | None = None, **more: Any) -> None:
        super().__init__(*arguments, **more)
        if jobdir:
            logger.warning("JOBDIR is not used here: the feed records what is done; run the same command again to continue.")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Any:
        """Scrapy's way to make one; a plain spider gets Scrapy's own."""
        if is_planned(crawler):
            return super().from_crawler(crawler)
        return scrapy.core.scheduler.Scheduler.from_crawler(crawler)

    def enqueue_request(self, request: Request) -> bool:
        """Take a request."""
        self.spider.queued[_site(request)] += 1
        return super().enqueue_request(request)

    def has_pending_requests(self) -> bool:
        """Whether something is left to fetch."""
        return super().has_pending_requests() or bool(self.spider.sites_waiting)

    def next_request(self) -> Request | None:
        """The next request of all sites."""
        for name in sorted(self.spider.sites_waiting):
            for _ in range(_ROUNDS):
                wanted = MORE if self.spider.queued[name] < FEW else 0
                for request in reversed(self.spider.requests_waiting(name, wanted)):
                    self.spider.crawler.signals.send_catch_log(
                        signals.request_scheduled, request=request, spider=self.spider
                    )
                    self.enqueue_request(request)
                if not wanted or self.spider.queued[name] >= FEW:
                    break
        found = super().next_request()
        if found is not None:
            self.spider.queued[_site(found)] -= 1
        return found


class DupeFilter(RFPDupeFilter):
    """Scrapy's filter, for plain spiders; this project's own request each URL once by themselves (spiders/news.py)."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Any:
        """Scrapy's way to make one."""
        return BaseDupeFilter() if is_planned(crawler) else super().from_crawler(crawler)


def _site(request: Request) -> str:
    site = request.cb_kwargs.get("site")
    return site.name if site is not None else ""
