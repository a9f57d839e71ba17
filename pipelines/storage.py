"""The feeds of a crawl into a database: feed first, database second (:mod:`newsextract.database`).

An extension, not an item pipeline: the thread that writes reads the feed, not the items, so that what the database has can
never be more than the ledger knows. It is loaded only if the user names a database (``DATABASE_URL``, ``-a database=…``).
"""

from __future__ import annotations

import asyncio
import atexit
import sys
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import NotConfigured

from newsextract.database.address import Address
from newsextract.database.pace import read_pace

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Spider
    from scrapy.crawler import Crawler

    from newsextract.database.writer import DatabaseWriter

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
        self.records: Path = plan.records
        self.follow: Callable[[Path], DatabaseWriter] = lambda records: DatabaseWriter(
            address,
            feed_files(records),
            lines=pace.lines,
            seconds=pace.seconds,
            patience=pace.patience,
        )
        """Makes what brings a feed in, with those beside it."""
        self.writer = self.follow(plan.records)
        plan.ledger.near.on_mark = self.marked

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
        self.writer.start()
        atexit.register(self._cut_short)

    def marked(self, position: int) -> None:
        """A line of the feed of records has been marked as a duplicate."""
        self.writer.mark(self.records, position)

    async def closed(self, spider: Spider, reason: str) -> None:
        """Let what waits be written, and tell how it went. Lines are written at once, so the feeds are complete here."""
        stats = self.crawler.stats
        stats.set_value(ERROR, "ended before all was written")  # it stays if Ctrl-C stops the reactor while we wait
        trouble = await self.finish(self.writer, reason)
        worker = getattr(spider, "shared", None)
        if worker is not None and worker.is_finished and reason != "shutdown":
            from pipelines.orphans import bring_in_orphans  # only of shared crawls

            trouble = await bring_in_orphans(self, worker, trouble)
        atexit.unregister(self._cut_short)
        if trouble:
            stats.set_value(ERROR, trouble)
        else:
            stats.get_stats().pop(ERROR)

    async def finish(self, writer: DatabaseWriter, reason: str = "finished") -> str:
        """Let what waits be written.

        :returns: why not all of it is in the database; empty: it is.
        """
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
        if writer is self.writer or writer.importer.written.rows or not writer.is_complete:
            self._tell(writer)  # of another's feed, only if something was left to do
        for name, count in writer.importer.written.rows.items():
            self.crawler.stats.inc_value(f"newsextract/database/{name}", count)
        return "" if writer.is_complete else writer.trouble or "lines are left in the feeds"

    @staticmethod
    def _tell(writer: DatabaseWriter) -> None:
        for line in writer.summary():
            sys.stderr.write(line + "\n")

    def _cut_short(self) -> None:
        """After Ctrl-C the reactor does not wait for servers that hang, and the spider is never closed."""
        self.writer.finish()
        if not self.writer.join(INTERRUPTED):
            self.writer.give_up()
        self._tell(self.writer)
