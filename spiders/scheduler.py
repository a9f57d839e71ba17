"""Scrapy's scheduler, which asks the spider for more when it has little left of a site.

Sitemaps may name a million pages. They wait on disk (:mod:`pipelines.announced`), nested sitemaps in the spider; of each
site only a few requests are in the queue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import scrapy.core.scheduler
from scrapy import Request, signals

if TYPE_CHECKING:
    from spiders.site_spider import SiteSpider

FEW = 10
"""Requests of a site below which more are asked for."""
MORE = 50
"""How many, at a time. Scrapy's queues give the last one first, so the first of them comes last into the queue."""
_ROUNDS = 20
"""How often they are asked for where all turn out to be known already, before others have their turn."""


class Scheduler(scrapy.core.scheduler.Scheduler):
    """Requests in memory, few of each site."""

    spider: SiteSpider

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


def _site(request: Request) -> str:
    site = request.cb_kwargs.get("site")
    return site.name if site is not None else ""
