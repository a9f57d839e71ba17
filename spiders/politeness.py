"""Politeness: AutoThrottle, with what robots.txt, ``Retry-After`` and the site's definition ask for.

Scrapy's core honours neither ``Crawl-delay`` nor ``Retry-After``.
"""

from __future__ import annotations

import ipaddress
import logging
from email.utils import parsedate_to_datetime
from time import monotonic, time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy import signals
from scrapy.extensions.throttle import AutoThrottle

from newsextract.fetching import USER_AGENT as NAMELESS
from spiders.routes import OF

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy import Request, Spider
    from scrapy.core.downloader import Slot
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.robotstxt import RobotParser

    from newsextract.sites import Site

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
