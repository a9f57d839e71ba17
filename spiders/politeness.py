"""Politeness: delays and throttling, robots.txt, proxy and connections of each site, and the scheduler that takes sites in
turn."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Iterable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import monotonic, time
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

import scrapy.core.scheduler
from scrapy import Request, Spider, signals
from scrapy.core.downloader import Downloader, Slot
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.dupefilters import BaseDupeFilter, RFPDupeFilter
from scrapy.exceptions import IgnoreRequest
from scrapy.extensions.throttle import AutoThrottle
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import ProtegoRobotParser, RobotParser
from twisted.internet.error import ConnectionLost
from twisted.python.failure import Failure

from newsextract.archives.storage import TooLarge, decoded
from newsextract.fields.page_facts import FROM_FILE, POLICY, TDM
from newsextract.page.fetching import USER_AGENT as NAMELESS
from newsextract.sites import Site
from newsextract.urls import is_own
from pipelines.items import Component, is_planned, planned
from spiders.pages import RENDERED, VISITED

if TYPE_CHECKING:
    from spiders.site_spider import SiteSpider

# --- routes ---------------------------------------------------------------------------------------
# How the hosts of a site are reached: proxy, delay, number of connections.
#
# Set for every request, also for those that Scrapy makes itself (robots.txt, redirects) and for hosts of the site that its
# definition does not name.

OF = " of "
"""Separator in the name of a download slot, between a host and one of the sites that share it."""
LEAST_DELAY = 0.005
"""Seconds, for ``delay = 0``: without any delay Scrapy 2.19 starts all waiting requests of a host at once, whatever its
concurrency."""


class SiteRoutesMiddleware(Component):
    """Sets proxy and download slot of a request, by the site of its host."""

    def process_request(self, request: Request) -> None:
        """Set proxy and slot."""
        spider = self.spider
        host = urlsplit(request.url).hostname or ""
        site = spider.site_of(request.url)
        # Several sites may share a host; each has its own delay and its own number of connections.
        is_shared = sum(host in other.hosts for other in spider.sites_of(host)) > 1
        slot = f"{host}{OF}{site.name}" if is_shared and site is not None else host
        if request.meta.get("routed", slot) != slot:  # redirected: the proxy of the old host does not apply
            for key in ("download_slot", "proxy", "dont_obey_robotstxt"):
                request.meta.pop(key, None)
        if site is None:
            return
        request.meta["routed"] = request.meta["download_slot"] = slot
        if not site.obey_robots:
            request.meta["dont_obey_robotstxt"] = True
        if site.proxy:
            request.meta.setdefault("proxy", site.proxy)
        slots = spider.crawler.engine.downloader.per_slot_settings
        if slot not in slots:
            slots[slot] = self._slot(site)

    def _slot(self, site: Site) -> dict[str, Any]:
        """The entry of a site in Scrapy's DOWNLOAD_SLOTS."""
        most = site.concurrency or self.spider.crawler.settings.getint("CONCURRENT_REQUESTS_PER_SITE")
        slot: dict[str, Any] = {"concurrency": most}
        if site.delay is not None:
            slot |= {"delay": max(site.delay, LEAST_DELAY), "jitter": 0.25 if site.delay else 0.0}
        return slot


# --- politeness -----------------------------------------------------------------------------------
# AutoThrottle, within the limits of robots.txt, ``Retry-After`` and the site's definition.
#
# Scrapy's core honours neither ``Crawl-delay`` nor ``Retry-After``.

logger = logging.getLogger(__name__)

MAX_WAIT = 300.0
"""Longest pause in seconds that a server may ask for; pauses are logged."""


class SiteThrottle(AutoThrottle):
    """Keeps the delay of each host at least as long as the host asks for."""

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
        fixed = "delay" in self.crawler.engine.downloader.per_slot_settings.get(key, {})  # set in the site's definition
        if not fixed:
            super()._response_downloaded(response, request, spider)
        self._hold(key, slot)
        if response.status in (429, 503):
            wait = retry_after(response.headers.get("Retry-After"))
            if wait:
                self._pause(key, slot, wait)

    def _hold(self, key: str, slot: Slot) -> None:
        """Never go below the Crawl-delay, not even by jitter."""
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
    """The warning that the user agent of a crawl of foreign sites identifies nobody, or None."""
    if agent != NAMELESS:
        return None
    names = [site.name for site in sites if not site.serve and not site.user_agent and not all(map(is_own, site.hosts))]
    if not names:
        return None
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return (
        f"{', '.join(names[:3])}{more}: the user agent {NAMELESS!r} names nobody who can be contacted; set USER_AGENT in "
        'the settings or with -s, for example USER_AGENT = "yourproject/1.0 (+https://your.site/contact)"'
    )


def retry_after(value: bytes | None) -> float | None:
    """Seconds of a ``Retry-After`` header (RFC 9110 §10.2.3: a number or a date); None if it is missing or invalid."""
    text = (value or b"").decode("latin-1").strip()
    if text.isdecimal():
        return float(text[:9])
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time()) if text else None
    except (ValueError, OverflowError):
        return None  # reason: neither a number nor a date


# --- connections ----------------------------------------------------------------------------------

MAX_HEAD = 256 * 1024
"""Bytes of a response's status and headers, interim responses included; as in Chromium. Twisted limits their lines only."""


class BoundedHandler(HTTP11DownloadHandler):
    """Scrapy's, with a limit for headers."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        bound_heads(self._pool)


def bound_heads(pool: Any) -> None:
    """Make a pool hang up when the headers of a response exceed their limit."""

    class Factory(pool._factory):  # type: ignore[misc]  # Scrapy's own, whatever its name
        def buildProtocol(self, addr: object) -> Any:  # noqa: N802  # Twisted's name
            protocol = super().buildProtocol(addr)
            receive, size = protocol.dataReceived, 0

            def bounded(data: bytes) -> None:
                nonlocal size
                receive(data)
                parser = protocol._parser
                size = size + len(data) if parser is not None and parser.state in ("STATUS", "HEADER") else 0
                if size > MAX_HEAD:
                    reason = ConnectionLost(f"more than {MAX_HEAD:,} bytes of headers")
                    protocol._giveUp(Failure(reason))  # type: ignore[no-untyped-call]

            protocol.dataReceived = bounded
            return protocol

    pool._factory = Factory


class Compression(HttpCompressionMiddleware):
    """Scrapy's, with the limits of archives: it unpacks in the crawl's own thread, and one response could take minutes."""

    def _handle_encoding(self, body: bytes, content_encoding: list[bytes], max_size: int) -> tuple[bytes, list[bytes]]:
        codings, others = self._split_encodings(content_encoding)
        try:
            return decoded(body, b",".join(reversed(codings)).decode(), max_size), others
        except TooLarge as error:
            raise IgnoreRequest(f"{error}: larger than DOWNLOAD_MAXSIZE") from error


# --- robots ---------------------------------------------------------------------------------------
# robots.txt as in RFC 9309: fetched once per host; if it is unreachable, nothing is fetched from the host.
#
# Scrapy's middleware allows everything if robots.txt cannot be fetched. In 2.19, of several requests that wait for the same
# robots.txt, all but the first get no parser and are allowed.


AHEAD = RobotsTxtMiddleware.DOWNLOAD_PRIORITY
"""Priority of requests for files of a host that its pages wait for."""


class SiteDownloader(Downloader):
    """Counts a request and the file that it waits for (robots.txt, tdmrep.json) as one concurrent request.

    Scrapy counts both. A crawl that starts one site after another, like a shared one, then used only 3.6 of its 4 concurrent
    requests (``benchmarks.shared --only waiting``).
    """

    def needs_backout(self) -> bool:
        """Whether no other request may start."""
        if not 0 < self.total_concurrency <= len(self.active):
            return False
        # Retries and redirects change the priority a little.
        ahead = sum(request.callback is NO_CALLBACK and request.priority > AHEAD / 2 for request in self.active)
        return len(self.active) - ahead >= self.total_concurrency


class UnreachableRobotsError(IgnoreRequest):
    """A host's robots.txt is unreachable; a later run tries again."""

    status = "download"


class RobotsMiddleware(RobotsTxtMiddleware):
    """Lets requests pass that the host's robots.txt allows."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        logging.getLogger("scrapy.downloadermiddlewares.robotstxt").addFilter(without_traceback)
        self._turns: dict[str, asyncio.Lock] = {}
        self._unreachable: dict[str, str] = {}
        """Host and port → reason."""

    async def process_response(self, request: Request, response: Response) -> Response:
        """Check the redirects that a browser followed by itself: robots.txt must allow each URL.

        The host has answered by then; a forbidden response is discarded.

        :raises IgnoreRequest: one of the URLs is forbidden.
        """
        for url in request.meta.get(VISITED, ()) if RENDERED in response.flags else ():
            site = planned(self.crawler).site_of(url)
            if site is None or site.obey_robots:
                await self.process_request(request.replace(url=url, meta={}))
        return response

    async def robot_parser(self, request: Request) -> RobotParser | None:
        """The rules of the request's host; the first request fetches them while the others wait.

        :raises UnreachableRobotsError: robots.txt is unreachable (RFC 9309 §2.3.1.4: everything is forbidden).
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
            response = response.replace(body=b"")  # no rules (§2.3.1.3); the body is an error page
        await super()._parse_robots(response, netloc, request)

    def _robots_error(self, exc: Exception, netloc: str) -> None:
        if not isinstance(exc, IgnoreRequest):  # our own refusal; that of the page has a better message
            self._unreachable[netloc] = f"{type(exc).__name__}: {exc}"
        super()._robots_error(exc, netloc)


_AGENT_LINE = re.compile(r"\s*+user[-\s]*+agent", re.I)
_RULE_LINE = re.compile(r"\s*+(?:allow|disallow)\s*+:", re.I)
MOST_RULES = 1_000_000
"""Rules of all user agents; each rule of a group counts once for each of the group's user agents."""


class CappedRobotParser(ProtegoRobotParser):
    """Reads the first 500 KiB of a robots.txt (RFC 9309 §2.5): it is parsed on the reactor.

    Protego gives each user agent of a group a list of rules of its own. In a file whose lists would be endless (16,000 user
    agents with 30,000 rules in common), all rules are for everybody.
    """

    def __init__(self, robotstxt_body: bytes, spider: Spider | None) -> None:
        body = robotstxt_body[: 500 * 1024]
        lines = body.decode("utf-8", "ignore").splitlines()
        agents = rules = 0
        in_rules = False
        for line in lines:
            if _AGENT_LINE.match(line):
                agents, in_rules = 1 if in_rules else agents + 1, False
            in_rules = in_rules or _RULE_LINE.match(line) is not None
            rules += agents
        if rules > MOST_RULES:
            body = "\n".join("user-agent: *" if _AGENT_LINE.match(line) else line for line in lines).encode()
        super().__init__(body, spider)


def without_traceback(record: logging.LogRecord) -> bool:
    """Log filter: an unreachable robots.txt is one line without traceback; the failure of the page is recorded anyway."""
    record.exc_info = record.exc_text = None
    return True


# --- scheduler ------------------------------------------------------------------------------------
# Scrapy's scheduler; it asks the spider for more requests when few of a site are left.
#
# Sitemaps may list a million pages. They wait on disk (:mod:`newsextract.state.announced`), and nested sitemaps in the
# spider; the queue contains only a few requests per site.

FEW = 10
"""If fewer requests of a site are queued, the scheduler asks for more."""
MORE = 50
"""Number of requests to ask for at a time. Scrapy's queues are last in, first out, so the first is queued last."""
_ROUNDS = 20
"""How often the scheduler asks again if all requests prove to be known, before it turns to other sites."""


class Scheduler(scrapy.core.scheduler.Scheduler):
    """Keeps requests in memory, only a few per site.

    ``JOBDIR`` is not used: finished pages are in the feed, and JOBDIR loses requests that are in flight when the process
    dies.
    """

    spider: SiteSpider

    def __init__(self, *arguments: Any, jobdir: str | None = None, **more: Any) -> None:
        super().__init__(*arguments, **more)
        if jobdir:
            logger.warning("JOBDIR is not used here: the feed records what is done; run the same command again to continue.")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Any:
        """Called by Scrapy; a plain spider gets Scrapy's own."""
        if is_planned(crawler):
            return super().from_crawler(crawler)
        return scrapy.core.scheduler.Scheduler.from_crawler(crawler)

    def enqueue_request(self, request: Request) -> bool:
        """Queue a request."""
        self.spider.queued[_site(request)] += 1
        return super().enqueue_request(request)

    def has_pending_requests(self) -> bool:
        """Whether requests are left."""
        return super().has_pending_requests() or bool(self.spider.sites_waiting)

    def next_request(self) -> Request | None:
        """The next request, of any site."""
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
    """Scrapy's filter, only for plain spiders; the spiders of this project request each URL once by themselves."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Any:
        """Called by Scrapy."""
        return BaseDupeFilter() if is_planned(crawler) else super().from_crawler(crawler)


def _site(request: Request) -> str:
    site = request.cb_kwargs.get("site")
    return site.name if site is not None else ""


# --- reservations ---------------------------------------------------------------------------------
# Text and data mining reservations in ``/.well-known/tdmrep.json`` (TDM Reservation Protocol, W3C community group).
#
# The file is fetched once per host, before the first page, like robots.txt. A reserved page gets the protocol's HTTP header,
# so that :mod:`newsextract.fields.page_facts` handles header, meta element and file alike. The file is a JSON list of
# rules::
#
#     [{"location": "/news/*", "tdm-reservation": 1, "tdm-policy": "https://www.example.org/policy.json"}]
#
# Locations are patterns as in robots.txt (RFC 9309: ``*``, and ``$`` at the end); the longest match applies. A missing or
# unreadable file reserves nothing.


FILE = "/.well-known/tdmrep.json"
MAX_BYTES = 200_000
MAX_RULES = 1_000
MAX_LOCATION = 500
"""Maximum number of characters of a pattern."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of the file."""

    location: str
    is_reserved: bool
    policy: str | None = None

    def fits(self, path: str) -> bool:
        """Whether the rule matches a path (with its query); linear in the path's length."""
        pattern, ends = self.location.removesuffix("$"), self.location.endswith("$")
        first, *rest = pattern.split("*")
        if not path.startswith(first):
            return False
        at = len(first)
        for number, part in enumerate(rest, 1):
            if ends and number == len(rest):
                return len(path) - len(part) >= at and path.endswith(part)
            found = path.find(part, at)
            if found < 0:
                return False
            at = found + len(part)
        return not ends or at == len(path)


def read_rules(body: bytes) -> list[Rule]:
    """The valid rules of a file. Never raises."""
    try:
        values = json.loads(body[:MAX_BYTES])
    except (ValueError, RecursionError):
        return []
    rules = []
    for value in values[:MAX_RULES] if isinstance(values, list) else ():
        location = value.get("location") if isinstance(value, dict) else None
        if isinstance(location, str) and 0 < len(location) <= MAX_LOCATION:
            policy = value.get(POLICY)
            is_reserved = str(value.get(TDM)) in ("1", "True")
            rules.append(Rule(location, is_reserved, policy if isinstance(policy, str) else None))
    return rules


def rule_for(rules: list[Rule], url: str) -> Rule | None:
    """The rule for a URL: the longest match; of two equally long matches, the one that reserves."""
    parts = urlsplit(url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    fitting = [rule for rule in rules if rule.fits(path)]
    return max(fitting, key=lambda rule: (len(rule.location), rule.is_reserved), default=None)


class ReservationsMiddleware(Component):
    """Fetches the file of each host, and adds its rules to the headers of pages."""

    def __init__(self, spider: SiteSpider) -> None:
        super().__init__(spider)
        self._rules: dict[str, list[Rule]] = {}
        self._turns: dict[str, asyncio.Lock] = {}

    async def process_request(self, request: Request) -> None:
        """Let all requests for pages of a host wait for the file."""
        host = urlsplit(request.url).netloc
        if "site" not in request.cb_kwargs or host in self._rules:
            return
        async with self._turns.setdefault(host, asyncio.Lock()):
            if host not in self._rules:
                self._rules[host] = await self._fetch(urljoin(request.url, FILE), request.headers.get("User-Agent"))

    async def _fetch(self, url: str, user_agent: bytes | None) -> list[Rule]:
        """Fetch the file of a host with the user agent of the page's request."""
        meta = {"download_maxsize": MAX_BYTES, "dont_retry": True, "dont_redirect": True}
        headers = {"User-Agent": user_agent} if user_agent else None
        try:
            response = await self.spider.crawler.engine.download_async(
                Request(url, NO_CALLBACK, headers=headers, priority=AHEAD, meta=meta)
            )
        except Exception as error:  # noqa: BLE001  # whatever fails here also fails for the pages, which report it
            logger.info("%s: %s", url, error)
            return []
        return read_rules(response.body) if response.status == 200 else []

    def process_response(self, request: Request, response: Response) -> Response:
        """Add the header to a reserved page."""
        rules: Any = self._rules.get(urlsplit(response.url).netloc)
        rule = rule_for(rules, response.url) if rules else None
        if rule is not None and rule.is_reserved and TDM not in response.headers:
            response.headers[TDM] = FROM_FILE
            if rule.policy:
                response.headers[POLICY] = rule.policy[:300].encode("ascii", "ignore")
        return response
