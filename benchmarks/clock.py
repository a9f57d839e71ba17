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
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from scrapy import signals

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response


class Clock:
    """See the module."""

    def __init__(self, crawler: Crawler) -> None:
        self.path = Path(crawler.settings["CLOCK_FILE"])
        self.crawler = crawler
        self.opened = perf_counter()
        self.pages = 0
        self.items = 0
        self.first = self.last = 0.0
        self.before = 0.0
        crawler.signals.connect(self.received, signal=signals.response_received)
        crawler.signals.connect(self.scraped, signal=signals.item_scraped)
        crawler.signals.connect(self.closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Clock:
        """Scrapy's way to make one."""
        return cls(crawler)

    def received(self, response: Response) -> None:
        """A page came."""
        if b"X-Page" in response.headers:
            self.last = perf_counter()
            if not self.pages:
                self.first = self.last
                self.before = _cpu()
            self.pages += 1

    def scraped(self, item: Any) -> None:
        """An item has left the pipelines."""
        self.items += 1
        self.last = perf_counter()

    def closed(self) -> None:
        """Write what was measured. Workers have been stopped by now; their CPU time includes their start."""
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
    """Of the children that run, such as the one that workers are forked from, and of theirs that have ended; 0 where the
    system has no ``/proc``."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # reason: it has ended meanwhile
            fields = stat.read_text("ascii", "replace").rpartition(")")[2].split()
            if int(fields[1]) == os.getpid():
                ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")
