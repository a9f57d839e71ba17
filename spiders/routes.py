"""How the hosts of a site are reached: its proxy, its delay, its number of connections.

Set for every request on its way, so also for those that Scrapy makes itself (robots.txt, redirects) and for hosts of the
site that its definition does not name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from newsextract.sites import Site
    from spiders.site_spider import SiteSpider

OF = " of "
"""In the name of a download slot, between a host and one of the sites that share it."""
LEAST_DELAY = 0.005
"""Seconds, for ``delay = 0``: without any delay Scrapy 2.19 starts all waiting requests of a host at once, whatever its
concurrency."""


class SiteRoutesMiddleware:
    """Sets proxy and download slot of the site that a request's host belongs to."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._default_concurrency = crawler.settings.getint("CONCURRENT_REQUESTS_PER_SITE")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> SiteRoutesMiddleware:
        """Scrapy's way to make one."""
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """See the class."""
        spider: SiteSpider = self.crawler.spider  # type: ignore[assignment]  # all spiders of the project are
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
