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

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler

    from newsextract.database.writer import DatabaseWriter

INTERRUPTED = 3.0
"""Seconds that are left for writing after Ctrl-C; the crawl has to end within ten."""
_TOLD_EVERY = 10.0
"""Seconds between two lines about what still waits."""


class DatabaseStorage:
    """Starts the thread with the spider, and waits for it at the end."""

    def __init__(self, crawler: Crawler, address: Address) -> None:
        from newsextract.database.bringing_in import LINES, feeds_of  # not without a database: SQLAlchemy is optional
        from newsextract.database.writer import PATIENCE, SECONDS, DatabaseWriter

        self.crawler = crawler
        plan = crawler.spider.plan  # type: ignore[union-attr]  # Scrapy makes the spider before the extensions
        settings = crawler.settings
        self.records: Path = plan.records
        self.writer: DatabaseWriter = DatabaseWriter(
            address,
            feeds_of(plan.records),
            lines=settings.getint("DATABASE_BATCH", LINES),
            seconds=settings.getfloat("DATABASE_SECONDS", SECONDS),
            patience=settings.getfloat("DATABASE_PATIENCE", PATIENCE),
        )
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
        self.writer.finish()
        began = told = monotonic()
        while self.writer.is_running:
            await asyncio.sleep(0.02)
            if reason == "shutdown" and monotonic() - began > INTERRUPTED:
                self.writer.give_up()
                break
            if monotonic() - told > _TOLD_EVERY:
                told = monotonic()
                waiting = self.writer.importer.pending
                sys.stderr.write(f"database: {waiting} lines of the feeds wait; Ctrl-C leaves them for the next start\n")
        self._tell()
        stats = self.crawler.stats
        for name, count in self.writer.importer.written.rows.items():
            stats.set_value(f"newsextract/database/{name}", count)
        atexit.unregister(self._cut_short)
        if not self.writer.is_complete:
            stats.set_value("newsextract/database_error", self.writer.trouble or "lines are left in the feeds")

    def _tell(self) -> None:
        for line in self.writer.summary():
            sys.stderr.write(line + "\n")

    def _cut_short(self) -> None:
        """After Ctrl-C the reactor does not wait for servers that hang, and the spider is never closed."""
        self.writer.finish()
        if not self.writer.join(INTERRUPTED):
            self.writer.give_up()
        self._tell()
