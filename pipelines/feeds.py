"""Scrapy's feeds in local ``.jsonl`` files: :class:`~newsextract.feed.LedgerFile` as their storage, and an exporter.

If the disk is full, or a feed is deleted or replaced during the crawl, the crawl stops with a message, and the next run
fetches the page again. Other feeds (``.csv``, ``s3:`` …) are Scrapy's own and receive the same items.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, NotConfigured
from scrapy.exporters import BaseItemExporter, CsvItemExporter, JsonLinesItemExporter
from scrapy.extensions.feedexport import FeedExporter, FileFeedStorage

from newsextract.control_characters import cell
from newsextract.errors import NewsextractError
from newsextract.feed import LedgerFile, line
from newsextract.feed.record_lines import NewsRecord
from newsextract.scrapy import stop
from pipelines.items import Item, PlannedSpider, is_planned, planned

# --- starting -------------------------------------------------------------------------------------
# Ends the crawl if something that it needs cannot be started.
#
# Scrapy itself only logs an exception in a handler of ``spider_opened``, and continues.

logger = logging.getLogger(__name__)

START_ERROR = "start_error"
"""Finish reason of such a crawl; its exit code is 1."""


@contextmanager
def starting(what: str) -> Iterator[None]:
    """Context of the body of a ``spider_opened`` handler.

    :param what: what the handler starts, for the message: ``the feeds``.
    :raises CloseSpider: the start failed; one line is logged.
    """
    try:
        yield
    except CloseSpider:
        raise
    except Exception as error:
        # Anything else is a defect, and needs its traceback.
        is_plain = isinstance(error, (NewsextractError, OSError, RuntimeError))
        text = " ".join(str(error).split()) or type(error).__name__
        logger.error("The crawl cannot start %s: %s", what, text, exc_info=None if is_plain else error)
        raise CloseSpider(START_ERROR) from error


# --- feeds ----------------------------------------------------------------------------------------

NO_FEED = "newsextract/in_no_feed"
"""Stat: number of items that no feed accepted. If it is set, the crawl exits with code 1."""


class Feeds(FeedExporter):
    """Scrapy's feeds. Ledgers are open from the start, and items that no feed accepts are counted."""

    is_closed = False
    """Whether the files are closed. After Ctrl-C, items may still come; the next run fetches their pages."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Called by Scrapy. If a feed has no storage, Scrapy turns all feeds off; a planned crawl then does not start."""
        try:
            return super().from_crawler(crawler)
        except NotConfigured:
            if is_planned(crawler) and crawler.settings["FEEDS"]:  # a shared crawl may have none
                crawler.signals.connect(_refuse, signals.spider_opened)
            raise

    def open_spider(self, spider: Spider) -> None:
        """Open the feeds."""
        if not is_planned(self.crawler):
            super().open_spider(spider)
            return
        with starting("its feeds"):
            super().open_spider(spider)
            slots, self.slots = self.slots, []  # only those that can be opened now; when it closes them, Scrapy opens all
            for slot in slots:
                if isinstance(slot.storage, LedgerStorage) and is_ledger(slot.storage.path):
                    slot.start_exporting()  # Scrapy would wait for the first item; from now on changes are detected
                self.slots.append(slot)

    def item_scraped(self, item: Any, spider: Spider) -> None:
        """Write an item."""
        if self.is_closed:
            return
        if not is_planned(self.crawler) or any(slot.filter.accepts(item) for slot in self.slots):
            super().item_scraped(item, spider)
            return
        if getattr(spider, "sharing", None) is not None:
            return  # it is in the database
        planned(self.crawler).unwritten = item
        if not self.crawler.stats.get_value(NO_FEED):
            logger.error("no feed takes %r (the first; the summary counts them)", item)
        self.crawler.stats.inc_value(NO_FEED)

    async def close_spider(self, spider: Spider) -> None:
        """Close the feeds, and check that the written lines are still there."""
        self.is_closed = True
        for slot in self.slots:
            if isinstance(slot.file, LedgerFile):
                try:
                    slot.file.check()
                except OSError as error:
                    stop(self.crawler, error, is_over=True)
        await super().close_spider(spider)


def _refuse() -> None:
    with starting("its feeds"):
        raise RuntimeError("one of those in -o, -O or FEEDS has no storage or format (see the line above)")


class LedgerStorage(FileFeedStorage):
    """Scrapy's storage for local feeds; ``.jsonl`` ones are opened as a :class:`LedgerFile`."""

    def open(self, spider: Spider) -> Any:
        """The file that the exporter writes to."""
        if not is_ledger(self.path) or not isinstance(spider, PlannedSpider):
            return super().open(spider)
        plan = getattr(spider, "plan", None)
        if plan is not None and plan.feed is not None and plan.feed.path == Path(self.path):
            return plan.feed  # opened when the plan was made
        return LedgerFile(Path(self.path), overwrite=self.write_mode == "wb")


def is_ledger(uri: str) -> bool:
    """Whether a feed can be a ledger: a local ``.jsonl`` or ``.jl`` file with the same name in every run."""
    return uri.endswith((".jsonl", ".jl")) and ("://" not in uri or uri.startswith("file://")) and "%(" not in uri


class LineExporter(BaseItemExporter):
    """JSON Lines in the order of the item's fields, UTF-8, one write per line."""

    def __init__(self, file: Any, *, crawler: Crawler | None = None, **options: Any) -> None:
        super().__init__(dont_fail=True, **options)
        self.file = file
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: Any, **options: Any) -> BaseItemExporter:
        """Called by Scrapy; a plain spider gets Scrapy's exporter, which accepts all items."""
        if not is_planned(crawler):
            return JsonLinesItemExporter(file, **options)
        return cls(file, crawler=crawler, **options)

    def export_item(self, item: Item) -> None:
        """Write one line; stop the crawl if that fails."""
        spider = planned(self._crawler) if self._crawler else None
        ledger = spider.ledger if spider and isinstance(self.file, LedgerFile) else None
        try:
            if ledger is not None and isinstance(item, NewsRecord) and self.file.path == ledger.path:
                ledger.mark(item)
                self.file.write(self._line(item))
                ledger.written(item, self.file.last_place)
            else:
                self.file.write(self._line(item))
        except OSError as error:
            if spider is not None:
                spider.unwritten = item
            stop(self._crawler, error)

    def _line(self, item: Item) -> bytes:
        """The whole line, or only the feed's ``fields``, which the plan allows for exports."""
        if not self.fields_to_export:
            return line(item)
        names, values = self.fields_to_export, item.values()
        pairs = names.items() if isinstance(names, Mapping) else ((name, name) for name in names)
        chosen = {written: values[name] for name, written in pairs if name in values}
        return f"{json.dumps(chosen, ensure_ascii=False)}\n".encode("utf-8", "replace")


class CsvExporter(CsvItemExporter):
    """Scrapy's CSV without formulas: spreadsheets execute texts that begin with ``=``, ``+``, ``-`` or ``@``.

    :param guard: put an apostrophe before such texts; spreadsheets do not display it (setting ``CSV_GUARD``).
    """

    def __init__(self, file: Any, *, guard: bool = True, **options: Any) -> None:
        super().__init__(file, **options)
        self._guard = guard

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: Any, **options: Any) -> CsvExporter:
        """Called by Scrapy."""
        return cls(file, guard=crawler.settings.getbool("CSV_GUARD"), **options)

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        """A cell; numbers stay numbers."""
        written = super().serialize_field(field, name, value)
        return cell(written) if self._guard and isinstance(written, str) else written
