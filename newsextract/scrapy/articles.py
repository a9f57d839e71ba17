"""Fetched pages → records, in worker processes that belong to the crawler."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals
from scrapy.exceptions import DropItem, NotConfigured
from scrapy.http import Response
from scrapy.utils.asyncio import is_asyncio_available

from newsextract import aio
from newsextract.errors import UsageError
from newsextract.extraction import extract
from newsextract.feed.duplicates import fingerprint
from newsextract.feed.news_record import RecordSource, assemble, judge
from newsextract.page.page import Page
from newsextract.scrapy.options import Options

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from newsextract.results import Article


def page_of(response: Response) -> Page:
    """The page that a response holds."""
    headers = {str(name): str(value) for name, value in response.headers.to_unicode_dict().items()}
    return Page(response.body, response.url, headers, datetime.now(UTC).replace(microsecond=0))


class WorkerPool:
    """Extension: the worker processes of a crawler. They start with the first page and end with the spider."""

    def __init__(self, options: Options) -> None:
        self.options = options
        size, timeout, memory = options.workers, options.timeout, options.memory_mb
        self._pool = aio.Pool(size, timeout=timeout, memory=memory) if size else None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Called by Scrapy.

        :raises UsageError: a setting is wrong, or the crawl does not run on asyncio.
        """
        if not is_asyncio_available():
            reactor = crawler.settings["TWISTED_REACTOR"]
            raise UsageError(f"newsextract.scrapy needs Scrapy's default reactor, asyncio; TWISTED_REACTOR is {reactor!r}")
        pool = cls(Options.from_settings(crawler.settings))
        crawler.signals.connect(pool.close, signals.spider_closed)
        return pool

    @classmethod
    def of(cls, crawler: Crawler) -> Self:
        """The pool of a crawler.

        :raises NotConfigured: it has none.
        """
        pool = crawler.get_extension(cls)
        if pool is None:
            raise NotConfigured("newsextract.scrapy has no worker processes: ADDONS = {'newsextract.scrapy.Addon': 300}")
        return pool

    async def extract(self, page: Page) -> Article:
        """Extract the article of a page by the project's settings."""
        algorithm, params = self.options.algorithm, self.options.params
        if self._pool is None:
            return extract(page, None, algorithm, params)
        return await self._pool.extract(page, None, algorithm, params)

    async def close(self) -> None:
        """End the processes."""
        if self._pool is not None:
            await asyncio.to_thread(self._pool.close)


class ArticlePipeline:
    """Turns a response, a :class:`newsextract.Page` or a dict with ``url`` and ``body`` into a record; other items pass.

    The record is a dict with the fields of newsextract's own feeds (docs/record.schema.json), and what else the dict had.
    """

    def __init__(self, crawler: Crawler, pool: WorkerPool) -> None:
        self._crawler = crawler
        self._pool = pool

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ArticlePipeline:
        """Called by Scrapy."""
        return cls(crawler, WorkerPool.of(crawler))

    async def process_item(self, item: Any) -> Any:
        """See the class.

        :raises DropItem: the page has no article, or not one that the settings keep.
        """
        page = _page(item)
        if page is None:
            return item
        article = await self._pool.extract(page)
        mark = await asyncio.to_thread(fingerprint, article.text)
        more = item if isinstance(item, dict) else {}
        more.pop("body", None)  # in place: Scrapy logs dropped items whole
        spider = self._crawler.spider
        source = RecordSource(str(more.get("site") or (spider.name if spider else "")), page.url or "")
        record = assemble(source, page, 1, [article], article.text, mark)
        verdict = judge(record, self._pool.options)
        if self._crawler.stats is not None:
            self._crawler.stats.inc_value(f"newsextract/dropped/{verdict[0]}" if verdict else f"newsextract/{record.status}")
        if verdict is not None:
            raise DropItem(f"{record.url}: {verdict[0]}: {verdict[1]}")
        return {**more, **record.values()}


def _page(item: Any) -> Page | None:
    """The page of an item; None for items that hold none."""
    if isinstance(item, Page):
        return item
    if isinstance(item, Response):
        return page_of(item)
    if not (isinstance(item, dict) and isinstance(item.get("url"), str)):
        return None
    body, now = item.get("body"), datetime.now(UTC).replace(microsecond=0)
    if isinstance(body, str):
        return Page(body.encode("utf-8", "replace"), item["url"], {"content-type": "text/html; charset=utf-8"}, now)
    return Page(body, item["url"], fetched_at=now) if isinstance(body, bytes) else None
