"""The feeds of a crawl into a database: feed first, database second (:mod:`newsextract.database`).

An extension, not an item pipeline: the thread that writes reads the feed, not the items, so that what the database has can
never be more than the ledger knows. It is loaded only if the user names a database (``DATABASE_URL``, ``-a database=…``).
"""

from __future__ import annotations

import asyncio
import atexit
import sys
from time import monotonic
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import NotConfigured

from newsextract.database.address import Address
from newsextract.database.pace import read_pace
from pipelines.starting import starting

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler

INTERRUPTED = 3.0
"""Seconds that are left for writing after Ctrl-C; the crawl has to end within ten."""
ERROR = "newsextract/database_error"
"""What makes the crawl's exit code 1."""
_TOLD_EVERY = 10.0
"""Seconds between two lines about what still waits."""


class DatabaseStorage:
    """Starts the thread with the spider, and waits for it at the end."""

    def __init__(self, crawler: Crawler, address: Address) -> None:
        from newsextract.database.bringing_in import feed_files  # not without a database: SQLAlchemy is optional
        from newsextract.database.writer import DatabaseWriter

        self.crawler = crawler
        plan = crawler.spider.plan  # type: ignore[union-attr]  # Scrapy makes the spider before the extensions
        pace = read_pace(crawler.settings.get)
        self.writer = DatabaseWriter(
            address,
            feed_files(plan.records),
            lines=pace.lines,
            seconds=pace.seconds,
            patience=pace.patience,
        )

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> DatabaseStorage:
        """Scrapy's way to make one.

        :raises NotConfigured: no database is wanted.
        """
        plan = getattr(crawler.spider, "plan", None)
        if plan is None or plan.database is None:
            raise NotConfigured
        storage = cls(crawler, plan.database)
        crawler.signals.connect(storage.opened, signal=signals.spider_opened)
        crawler.signals.connect(storage.closed, signal=signals.spider_closed)
        return storage

    def opened(self) -> None:
        """Begin to follow the feeds."""
        with starting("to write into its database"):
            self.writer.start()
            atexit.register(self._cut_short)

    async def closed(self, spider: Spider, reason: str) -> None:
        """Let what waits be written, and tell how it went. Lines are written at once, so the feeds are complete here."""
        stats = self.crawler.stats
        stats.set_value(ERROR, "ended before all was written")  # it stays if Ctrl-C stops the reactor while we wait
        trouble = await self._finish(reason)
        atexit.unregister(self._cut_short)
        if trouble:
            stats.set_value(ERROR, trouble)
        else:
            stats.get_stats().pop(ERROR)

    async def _finish(self, reason: str) -> str:
        """Let what waits be written.

        :returns: why not all of it is in the database; empty: it is.
        """
        writer = self.writer
        writer.finish()
        began = told = monotonic()
        while writer.is_running:
            await asyncio.sleep(0.02)
            if reason == "shutdown" and monotonic() - began > INTERRUPTED:
                writer.give_up()
                break
            if writer.is_overdue:
                writer.give_up(f"it has got nothing done for {writer.patience:g} s")
                break
            if monotonic() - told > _TOLD_EVERY:
                told = monotonic()
                waiting = writer.importer.pending
                sys.stderr.write(f"database: {waiting} lines of the feeds wait; Ctrl-C leaves them for the next start\n")
        self._tell()
        for name, count in writer.importer.written.rows.items():
            self.crawler.stats.inc_value(f"newsextract/database/{name}", count)
        return "" if writer.is_complete else writer.trouble or "lines are left in the feeds"

    def _tell(self) -> None:
        for line in self.writer.summary():
            sys.stderr.write(line + "\n")

    def _cut_short(self) -> None:
        """After Ctrl-C the reactor does not wait for servers that hang, and the spider is never closed."""
        self.writer.finish()
        if not self.writer.join(INTERRUPTED):
            self.writer.give_up()
        self._tell()
