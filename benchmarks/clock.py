"""A Scrapy extension that times any spider in the same way: ours, bare ones, ones with another extractor.

Counted are the pages that the server marks with ``X-Page``; robots.txt, sitemaps and listings are not. Time runs from the
first of these pages to the last thing that happened with one (its response, or its item through all pipelines), so
starting and stopping are left out. All requests are counted, too, and the time from start to end. Written to the file of the
setting ``CLOCK_FILE`` as JSON when the crawl ends.
"""

from __future__ import annotations

import json
import os
import resource
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals

from benchmarks.machine import processes

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response


class Watch:
    """An extension that counts responses and items and notices the end of a crawl. Others derive from it."""

    def __init__(self, crawler: Crawler) -> None:
        crawler.signals.connect(self.received, signal=signals.response_received)
        crawler.signals.connect(self.scraped, signal=signals.item_scraped)
        crawler.signals.connect(self.closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Scrapy's way to make one."""
        return cls(crawler)

    def received(self, response: Response) -> None:
        """A page came."""

    def scraped(self, item: Any) -> None:
        """An item has left the pipelines."""

    def closed(self) -> None:
        """The crawl has ended. Workers have been stopped by now."""


class Clock(Watch):
    """See the module."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.path = Path(crawler.settings["CLOCK_FILE"])
        self.crawler = crawler
        self.opened = perf_counter()
        self.pages = 0
        self.items = 0
        self.first = self.last = 0.0
        self.before = 0.0

    def received(self, response: Response) -> None:
        if b"X-Page" in response.headers:
            self.last = perf_counter()
            if not self.pages:
                self.first = self.last
                self.before = _cpu()
            self.pages += 1

    def scraped(self, item: Any) -> None:
        self.items += 1
        self.last = perf_counter()

    def closed(self) -> None:
        """Write what was measured; the workers' CPU time includes their start."""
        seconds = self.last - self.first
        figures = {
            "pages": self.pages,
            "items": self.items,
            "requests": self.crawler.stats.get_value("downloader/request_count", 0),
            "elapsed": perf_counter() - self.opened,
            "seconds": seconds,
            "pages_per_second": (self.pages - 1) / seconds if self.pages > 1 else 0.0,
            "main_cpu_seconds": _cpu() - self.before,
            "worker_cpu_seconds": _children_cpu(),
            "resident_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000,
            "pid": os.getpid(),
        }
        self.path.write_text(json.dumps(figures), "utf-8")


def _cpu() -> float:
    times = os.times()
    return times.user + times.system


def _children_cpu() -> float:
    """Of the children that run, such as the one that workers are forked from, and of theirs that have ended."""
    return sum(one.seconds + one.ended_seconds for one in processes().values() if one.parent == os.getpid())
