"""Scrapy's feeds in local ``.jsonl`` files: :class:`~newsextract.line_file.LedgerFile` as their storage, and an exporter.

If the disk is full, the crawl is stopped with a clear message, and the page is fetched again by the next run. Other feeds
(``.csv``, ``s3:`` …) are Scrapy's own and get the same items.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.exporters import BaseItemExporter
from scrapy.extensions.feedexport import FileFeedStorage
from scrapy.utils.defer import deferred_from_coro

from newsextract.line_file import LedgerFile, line
from newsextract.news_record import NewsRecord
from pipelines.items import Item

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


class LedgerStorage(FileFeedStorage):
    """Scrapy's storage for local feeds; ``.jsonl`` ones are opened as a :class:`LedgerFile`."""

    def open(self, spider: Spider) -> Any:
        """The file that the exporter writes to."""
        if not is_ledger(self.path):
            return super().open(spider)
        return LedgerFile(Path(self.path), overwrite=self.write_mode == "wb")


def is_ledger(uri: str) -> bool:
    """Whether a feed can be a ledger: a local ``.jsonl`` or ``.jl`` file whose name is the same in every run."""
    return uri.endswith((".jsonl", ".jl")) and ("://" not in uri or uri.startswith("file://")) and "%(" not in uri


class LineExporter(BaseItemExporter):
    """JSON Lines in the order of the item's fields, UTF-8, one write per line."""

    def __init__(self, file: Any, *, crawler: Crawler | None = None, **options: Any) -> None:
        super().__init__(dont_fail=True, **options)
        self.file = file
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: Any, **options: Any) -> LineExporter:
        """Scrapy's way to make one."""
        return cls(file, crawler=crawler, **options)

    def export_item(self, item: Item) -> None:
        """Write one line; a failure stops the crawl."""
        spider = self._crawler.spider if self._crawler else None
        ledger = getattr(spider, "ledger", None)
        try:
            if ledger is not None and isinstance(item, NewsRecord) and self._is_ledger(ledger.path):
                near = ledger.near.place(item, self.file)
                self.file.write(line(item))
                ledger.near.add(near, self.file.last_position)
                if near is not None:
                    ledger.admitted.discard(int(item.id, 16))
            else:
                self.file.write(line(item))
        except OSError as error:
            stop(self._crawler, error)

    def _is_ledger(self, path: Path) -> bool:
        return isinstance(self.file, LedgerFile) and self.file.path == path


def stop(crawler: Crawler | None, error: OSError) -> None:
    """End the crawl because a file cannot be written; told once, however many pages are still in flight."""
    if crawler is None or crawler.spider is None or crawler.stats.get_value("newsextract/feed_error"):
        return
    logger.error(
        "cannot write %s: %s. The crawl stops; what was written is safe, and the same command goes on from there.",
        error.filename or "the feed",
        error.strerror or error,
    )
    crawler.stats.set_value("newsextract/feed_error", str(error))
    deferred_from_coro(crawler.engine.close_spider_async(reason="feed_not_writable"))
