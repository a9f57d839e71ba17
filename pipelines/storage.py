"""Writes feeds to databases (by following them, and in batches of a shared crawl), and pages to archives."""

from __future__ import annotations

import asyncio
import atexit
import logging
import sys
from collections import OrderedDict
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from sqlalchemy.exc import SQLAlchemyError
from w3lib.url import safe_url_string

from newsextract import Hints
from newsextract.archives.entries import Described, Part, SiteFacts
from newsextract.archives.warc import Exchange, WarcWriter
from newsextract.control_characters import plural
from newsextract.database import Address, read_pace
from newsextract.database.connection import explain
from newsextract.feed.record_lines import FeedLine, ReadPage
from newsextract.sites import Site
from newsextract.state.shared import NewLine, SharedState
from pipelines.feeds import starting
from pipelines.items import FetchedPage, planned

# --- storage --------------------------------------------------------------------------------------
# Copies the feeds of a crawl to a database: first the feed, then the database (:mod:`newsextract.database`).
#
# It is an extension, not an item pipeline: its thread reads the feed instead of the items, so the database never contains
# more than the ledger. It is loaded only if the user names a database (``DATABASE_URL``, ``-a database=…``).

INTERRUPTED = 3.0
"""Seconds for writing after Ctrl-C; the crawl must end within ten."""
ERROR = "newsextract/database_error"
"""Stat: database error. If it is set, the crawl exits with code 1."""
_TOLD_EVERY = 10.0
"""Seconds between two log lines about waiting lines."""


class DatabaseStorage:
    """Starts the thread with the spider, and waits for it at the end of the crawl."""

    def __init__(self, crawler: Crawler, address: Address, records: Path) -> None:
        """
        :param records: the feed of records.
        """
        from newsextract.database.bringing_in import DatabaseWriter, feed_files  # only with a database

        self.crawler = crawler
        self.writer = DatabaseWriter(address, feed_files(records), read_pace(crawler.settings.get))

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> DatabaseStorage:
        """Called by Scrapy. Raises NotConfigured: no database is wanted."""
        plan = planned(crawler).plan
        if plan.database is None or plan.records is None:
            raise NotConfigured
        storage = cls(crawler, plan.database, plan.records)
        crawler.signals.connect(storage.opened, signal=signals.spider_opened)
        crawler.signals.connect(storage.closed, signal=signals.spider_closed)
        return storage

    def opened(self) -> None:
        """Start following the feeds."""
        with starting("to write into its database"):
            self.writer.start()
            atexit.register(self._cut_short)

    async def closed(self, reason: str) -> None:
        """Write the waiting lines, and report the result. The feeds are complete here, because lines are written
        unbuffered."""
        stats = self.crawler.stats
        stats.set_value(ERROR, "ended before all was written")  # it stays set if Ctrl-C stops the reactor while waiting
        trouble = await self._finish(reason)
        atexit.unregister(self._cut_short)
        if trouble:
            stats.set_value(ERROR, trouble)
        else:
            stats.get_stats().pop(ERROR)

    async def _finish(self, reason: str) -> str:
        """Write the waiting lines. Returns why lines are missing in the database; empty if none is."""
        writer = self.writer
        writer.finish()
        began = told = monotonic()
        while writer.is_running:
            await asyncio.sleep(0.02)
            if reason == "shutdown" and monotonic() - began > INTERRUPTED:
                writer.give_up()
                break
            if writer.is_overdue:
                writer.give_up(f"it has got nothing done for {writer.pace.patience:g} s")
                break
            if monotonic() - told > _TOLD_EVERY:
                told = monotonic()
                waiting = plural(writer.importer.pending, "line")
                sys.stderr.write(f"database: {waiting} of the feeds to write; Ctrl-C leaves the rest for the next start\n")
        self._tell()
        for name, count in writer.importer.written.rows.items():
            self.crawler.stats.inc_value(f"newsextract/database/{name}", count)
        return "" if writer.is_complete else writer.trouble or "lines are left in the feeds"

    def _tell(self) -> None:
        for line in self.writer.summary():
            sys.stderr.write(line + "\n")

    def _cut_short(self) -> None:
        """After Ctrl-C, the reactor does not wait for slow servers, and the spider is not closed."""
        self.writer.finish()
        if not self.writer.join(INTERRUPTED):
            self.writer.give_up()
        self._tell()


# --- shared output --------------------------------------------------------------------------------
# Writes the lines of a shared crawl to its database in batches; an item continues only when its line is written.
#
# So the number of waiting lines is bounded by the items in Scrapy's pipelines, and a page is done when the database has it.
# If the database is unavailable, the batch is tried again after .5, 1, 2 … 30 seconds.

BATCH = 200
"""Maximum number of lines per transaction."""
PAUSE = 0.05
"""Seconds that the first line of a batch waits for more lines."""
_FIRST, _LONGEST = 0.5, 30.0
logger = logging.getLogger(__name__)


class SharedOutput:
    """Writes lines to the shared state."""

    def __init__(self, state: SharedState) -> None:
        self._state = state
        self._waiting: list[tuple[NewLine, asyncio.Future[str | None]]] = []
        self._task: asyncio.Task[None] | None = None

    async def write(self, item: FeedLine, unit: str) -> str | None:
        """Write a line. Returns why the line was not written; None if it was."""
        done: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._waiting.append((NewLine(item, unit), done))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._write_all())
        return await done

    async def _write_all(self) -> None:
        while self._waiting:
            await asyncio.sleep(PAUSE)
            batch, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
            try:
                await self._write([new for new, _ in batch])
            except Exception as error:  # a defect loses these lines, which are counted; else they would wait for ever
                logger.error("defect while lines were written", exc_info=error)
                for new, _ in batch:
                    new.refused = f"a defect: {type(error).__name__}: {error}"
            for new, done in batch:
                if not done.done():
                    done.set_result(new.refused)

    async def _write(self, lines: list[NewLine]) -> None:
        pause, began = _FIRST, monotonic()
        while True:
            try:
                await asyncio.to_thread(self._state.write, lines)
            except SQLAlchemyError as error:
                if pause == _FIRST:
                    logger.warning("the shared state cannot be written: %s. The crawl waits for it.", explain(error))
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST)
                continue
            if pause > _FIRST:
                logger.warning("the shared state can be written again, after %.0f s", monotonic() - began)
            return


# --- archive --------------------------------------------------------------------------------------
# The WARC files of a crawl: every response, and metadata of the pages that give records.
#
# The page and its metadata are written before the record, so the archive contains every page of the feed, also after a
# ``kill -9``. The reactor writes, 0.6 ms per page, as for the feed. A separate thread was tried: passing pages to it cost
# more than it saved (``benchmarks/archives.py``: 1.30 ms of CPU time per page instead of 0.87).

KEEP = 4_000
"""Number of cached pages with many records, far more than can be between response and line."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a spider knows when it requests a page that may have many records."""

    query: str | None
    shape: str | None
    """Template of the records on earlier pages (:mod:`newsextract.algorithms.record_shape`)."""


class CrawlArchive:
    """The archive of one run.

    :raises DataError: the folder cannot be written.
    :raises MissingExtra: warcio is not installed.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._writer = WarcWriter(folder, name)
        self._by_address: OrderedDict[str, tuple[Part, Asked]] = OrderedDict()
        """What a page is read from: the response itself, or a snapshot."""

    def answer(self, exchange: Exchange, requested_url: str, known: Asked | None, note: str | None) -> str:
        """Write a response; return the position of what its page is read from.

        :param requested_url: the requested URL, before redirects.
        :param known: None: the page does not have many records.
        :raises OSError: the archive cannot be written.
        """
        page, walk = self._writer.exchange(exchange)
        place = walk or page
        if known is not None:
            self._by_address[requested_url] = Part.at(place, exchange.url, exchange.at, note), known
            self._by_address.move_to_end(requested_url)
            if len(self._by_address) > KEEP:
                self._by_address.popitem(last=False)
        return place

    def read_by(self, requested_url: str, shape: str) -> None:
        """Note that a page is read with the template of another query's hits."""
        address = safe_url_string(requested_url)
        if address in self._by_address:
            part, known = self._by_address[address]
            self._by_address[address] = part, replace(known, shape=shape)

    def article(self, item: FetchedPage, algorithm: str, params: dict[str, Any]) -> None:
        """Write the metadata of an article. Raises OSError: the archive cannot be written."""
        parts = []
        for page in item.parts:
            assert page.place is not None  # :class:`~spiders.archive.ArchiveMiddleware` has written it
            assert page.url is not None
            parts.append(Part.at(page.place, page.url, page.time, page.note))
        described = Described(
            facts_of(item.site, algorithm, params),
            item.requested_url,
            item.parts[0].hints,
            parts,
            item.etag,
            item.last_modified,
        )
        self._writer.describe(described, item.parts[0].time)

    def record_page(self, item: ReadPage, site: Site, algorithm: str, params: dict[str, Any]) -> None:
        """Write the metadata of a page of posts, hits or teasers. Raises OSError: the archive cannot be written."""
        if site.wrapping is not None:
            return  # results of wrappers are not extracted again from archives
        if (answer := self._by_address.get(safe_url_string(item.url))) is None:
            logger.warning("%s: the archive has its answer, but not what was known of it", item.url)
            return
        part, known = answer
        described = Described(
            facts_of(site, algorithm, params),
            item.url,
            Hints(language=site.language),
            [part],
            item.etag,
            item.last_modified,
            item.values(),
            known.query,
            known.shape,
        )
        self._writer.describe(described, part.fetched_at)

    @property
    def written(self) -> str:
        """What this run has written; a line for the summary."""
        return self._writer.summary()

    def close(self) -> None:
        """Close the files."""
        self._writer.close()


def facts_of(site: Site, algorithm: str, params: dict[str, Any]) -> SiteFacts:
    """The keys of a site that affect its records."""
    values = {name: getattr(site, name) for name in SiteFacts.__slots__} | {"algorithm": algorithm, "params": params}
    patterns = {"allow": tuple(site.allow), "deny": tuple(site.deny), "domains": tuple(site.all_domains)}
    return SiteFacts(**values | patterns)
