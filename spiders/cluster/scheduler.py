"""scrapy-redis's scheduler (0.9.1) with requests as JSON, with leases, and with an end.

Its own scheduler pickles requests, loses those that a dying process has taken, and calls a crawl finished when its own queue
is empty. ``enqueue_request`` and ``next_request`` are its own; the queue is :class:`~spiders.cluster.queue.LeasedQueue`,
and which addresses were asked for already is decided in Redis in the same step in which a request is put there.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.dupefilters import BaseDupeFilter
from scrapy_redis.scheduler import Scheduler

from newsextract.cluster.connection import told
from newsextract.errors import NewsextractError
from pipelines.items import RECORD_CLASSES
from pipelines.shared_feeds import claim_of
from spiders.cluster.claims import is_claimed
from spiders.cluster.codec import RequestCodec
from spiders.cluster.hints import SharedHints
from spiders.cluster.queue import LeasedQueue
from spiders.cluster.units import Units
from spiders.cluster.worker import ClusterWorker

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.crawler import Crawler

    from spiders.site_spider import SiteSpider

_RECORDS = tuple(RECORD_CLASSES.values())


class SharedScheduler(Scheduler):  # type: ignore[misc]  # scrapy-redis has no types
    """The engine's scheduler in a shared crawl."""

    def __init__(self, crawler: Crawler) -> None:
        spider: SiteSpider = crawler.spider  # type: ignore[assignment]  # all spiders of the project are
        assert spider.plan.cluster is not None  # or the project's own scheduler would have been taken
        self.crawler = crawler
        self.plan = spider.plan.cluster
        self._summary: list[str] = []
        super().__init__(self.plan.frontier.client, persist=True, dupefilter=BaseDupeFilter())

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> SharedScheduler:
        """Scrapy's way to make one; the base class would read the server's address from its own settings."""
        return cls(crawler)

    def open(self, spider: SiteSpider) -> None:
        """Join the crawl."""
        self.spider = spider
        spider.shared = self.worker = worker = ClusterWorker(spider, self.plan)
        units = Units(spider.plan.sites.values(), spider.site_of)
        codec = RequestCodec(lambda: spider.sites, spider.site_of)
        self.queue: LeasedQueue = LeasedQueue(
            self.server, spider, "", codec, frontier=self.plan.frontier, units=units, ask=worker.ask, more=worker.more
        )
        worker.attach(self.queue)
        spider.later_hints = SharedHints(self.queue.outbox)
        for handler, signal in (
            (self._scraped, signals.item_scraped),
            (worker.downloaded, signals.response_downloaded),
            (worker.start, signals.spider_opened),
            (self._closed, signals.spider_closed),
            (worker.gone, signals.engine_stopped),
        ):
            self.crawler.signals.connect(handler, signal=signal)

    def close(self, reason: str) -> None:
        """Leave it; what is not done waits again."""
        self._summary = self.worker.stop()

    def _closed(self) -> None:
        """Show how the whole crawl stands, below this process's own summary."""
        for line in self._summary:
            sys.stderr.write(line + "\n")

    def has_pending_requests(self) -> bool:
        """True until nothing is left for any process."""
        return not self.worker.is_finished

    def _scraped(self, item: Any) -> None:
        """A line stands in the feed, unless it was refused at the last moment."""
        if item is self.worker.refused:
            return
        if isinstance(item, _RECORDS):
            self.queue.outbox.count("records")
        if is_claimed(item):
            self.worker.wrote(claim_of(item))


class StartMiddleware:
    """A spider middleware that tells when all start pages have been asked for: before that, no crawl is over."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> StartMiddleware:
        """Scrapy's way to make one."""
        return cls(crawler)

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """See the class."""
        spider: SiteSpider = self.crawler.spider  # type: ignore[assignment]  # all spiders of the project are
        assert spider.shared is not None  # or this middleware would not be there
        try:
            async for request in start:
                yield request
        except Exception as error:
            spider.shared.fail("failed", told(error))  # else the crawl would wait for its start for ever
            if isinstance(error, NewsextractError):
                return  # that was told in one line
            raise
        spider.shared.started()
