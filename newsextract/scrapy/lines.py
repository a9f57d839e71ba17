"""A feed that survives ``kill -9``, for any project: whole JSON Lines, appended as items come.

The file is the memory of the crawl: an item whose id is in it is not written again, and links to pages whose items are in
it need not be followed again. How the file is written: :class:`newsextract.feed.lines.LedgerFile`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy import Request
from scrapy.exceptions import DropItem, NotConfigured
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.serialize import ScrapyJSONEncoder

from newsextract.feed.lines import FeedChangedError, LedgerFile, lines
from newsextract.feed.record_lines import FeedLine
from newsextract.scrapy.articles import Options
from newsextract.urls import record_id

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

ERROR = "newsextract/feed_error"
"""Why a feed could not be written; it makes the exit code of newsextract's own crawls 5."""


class LinesPipeline:
    """Appends each item to a file, once; put it behind the pipelines that change items.

    :param path: the file.
    """

    def __init__(self, crawler: Crawler, path: Path) -> None:
        self._crawler = crawler
        self._path = path
        self._file: LedgerFile | None = None
        self.written: set[str] = set()
        """Ids of the items in the file."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> LinesPipeline:
        """Called by Scrapy."""
        options = Options.from_settings(crawler.settings)
        if options.feed is None:
            raise NotConfigured("NEWSEXTRACT_FEED names no file")
        return cls(crawler, Path(options.feed))

    def open_spider(self) -> None:
        """Lock the file, cut off a torn last line and read what is done.

        :raises DataError: another crawl writes the file, or a line of it is not an item.
        """
        self._file = LedgerFile(self._path)
        mend = "move the file away, or name another one in NEWSEXTRACT_FEED"
        try:
            self.written = {_id(value) for value, _ in lines(self._path, _check, mend)}
        except BaseException:  # whatever it was: the file is given back
            self.close_spider()
            raise

    def close_spider(self) -> None:
        """Give the file back."""
        if self._file is not None:
            self._file.close()

    def process_item(self, item: Any) -> Any:
        """Write an item.

        :raises DropItem: it is in the file, or the file cannot be written, which ends the crawl.
        """
        values = item.values() if isinstance(item, FeedLine) else ItemAdapter(item).asdict()
        key = _id(values)
        if key in self.written:
            raise DropItem(f"{key} is in {self._path} already", log_level="DEBUG")
        assert self._file is not None  # it is opened before items come
        line = json.dumps(values, ensure_ascii=False, cls=ScrapyJSONEncoder)
        try:
            self._file.write(f"{line}\n".encode("utf-8", "replace"))
        except OSError as error:
            stop(self._crawler, error)
            raise DropItem(f"{self._path} cannot be written", log_level="DEBUG") from error
        self.written.add(key)
        return item


def _id(values: dict[str, Any]) -> str:
    """What an item is recognised by: its ``id``, or that of its URL.

    :raises ValueError: it has neither.
    """
    if values.get("id"):
        return str(values["id"])
    if isinstance(values.get("url"), str):
        return record_id(values["url"])
    raise ValueError("it has no id and no url, so a later run could not recognise it; give such items an id")


def _check(values: dict[str, Any], line: bytes) -> None:
    """See :func:`_id`."""
    _id(values)


class SkipWrittenMiddleware:
    """Drops a spider's requests for pages whose items are in the file. Start URLs are always fetched.

    For spiders whose article pages lead nowhere: what only a skipped page links to is not found.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> SkipWrittenMiddleware:
        """Called by Scrapy."""
        return cls(crawler)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Pass on what is not done."""
        feed = self._crawler.get_item_pipeline(LinesPipeline)
        async for one in result:
            if feed is not None and isinstance(one, Request) and record_id(one.url) in feed.written:
                if self._crawler.stats is not None:
                    self._crawler.stats.inc_value("newsextract/skipped")
                continue
            yield one


def stop(crawler: Crawler | None, error: OSError, *, is_over: bool = False) -> None:
    """End the crawl because a file cannot be written; told once, however many pages are still in flight.

    :param is_over: it has ended already.
    """
    if crawler is None or crawler.spider is None or crawler.stats is None or crawler.stats.get_value(ERROR):
        return
    if isinstance(error, FeedChangedError):
        logger.error("%s. The crawl stops; run the same command again to fetch what is missing in the file.", error)
    else:
        logger.error(
            "cannot write %s: %s. The crawl stops; all written lines are safe. Run the same command again to continue.",
            error.filename or "the feed",
            error.strerror or error,
        )
    crawler.stats.set_value(ERROR, str(error))
    if is_over or crawler.engine is None or crawler.engine.spider is None:
        return  # it is being closed
    deferred_from_coro(crawler.engine.close_spider_async(reason="feed_not_writable"))
