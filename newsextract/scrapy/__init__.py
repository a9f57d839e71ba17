"""newsextract in anybody's Scrapy project: an add-on, its item pipelines and its worker processes (docs/scrapy.md).

>>> ADDONS = {"newsextract.scrapy.Addon": 300}       # in settings.py

This folder is the only place in the library that imports Scrapy. :mod:`newsextract.scrapy.poet` and
:mod:`newsextract.scrapy.zyte` need extras of their own and are imported by name.
"""

from __future__ import annotations

import asyncio
import difflib
import json
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, date, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

from itemadapter import ItemAdapter
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem, NotConfigured
from scrapy.http import Response
from scrapy.settings import BaseSettings
from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.serialize import ScrapyJSONEncoder

from newsextract import aio, algorithms
from newsextract.errors import UsageError
from newsextract.extraction import extract
from newsextract.feed import FeedChangedError, LedgerFile, lines
from newsextract.feed.duplicates import fingerprint
from newsextract.feed.record_lines import FeedLine, RecordSource, assemble, judge
from newsextract.page.page import Page
from newsextract.results import Article
from newsextract.urls import record_id

__all__ = ["Addon", "ArticlePipeline", "LinesPipeline", "SkipWrittenMiddleware", "WorkerPool"]
logger = logging.getLogger(__name__)

# --- articles -------------------------------------------------------------------------------------
# Fetched pages → records, in worker processes that belong to the crawler.


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
        """Called by Scrapy. Raises UsageError: a setting is wrong, or the crawl does not run on asyncio."""
        if not is_asyncio_available():
            reactor = crawler.settings["TWISTED_REACTOR"]
            raise UsageError(f"newsextract.scrapy needs Scrapy's default reactor, asyncio; TWISTED_REACTOR is {reactor!r}")
        pool = cls(Options.from_settings(crawler.settings))
        crawler.signals.connect(pool.close, signals.spider_closed)
        return pool

    @classmethod
    def of(cls, crawler: Crawler) -> Self:
        """The pool of a crawler. Raises NotConfigured: it has none."""
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
        """See the class. Raises DropItem: the page has no article, or not one that the settings keep."""
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


# --- settings -------------------------------------------------------------------------------------
# The settings ``NEWSEXTRACT_…`` of a Scrapy project, checked when the crawl starts.

PREFIX = "NEWSEXTRACT_"


def _least(least: float, most: float = float("inf")) -> Callable[[Any], bool]:
    return lambda value: least <= value <= most


def _option(default: Any, read: str, expected: str, accepts: Callable[[Any], bool] = lambda value: True) -> Any:
    """A field with the getter of Scrapy's settings that reads it, and what is said of a wrong value."""
    made = {"default_factory": default} if callable(default) else {"default": default}
    return field(**made, metadata={"read": read, "expected": expected, "accepts": accepts})


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the settings say; a field ``min_length`` is the setting ``NEWSEXTRACT_MIN_LENGTH``.

    It is a :class:`~newsextract.feed.record_lines.Limits`: records are judged as in newsextract's own crawls.
    """

    algorithm: str = _option(algorithms.DEFAULT, "get", "the name of an algorithm, for example 'combined'")
    """Algorithm of articles; ``newsextract algorithms`` lists them."""
    params: Mapping[str, Any] = _option(dict, "getdict", "a dict, for example {'preset': 'default'}")
    """Its parameters."""
    workers: int = _option(2, "getint", "a whole number from 0 on, for example 2", _least(0))
    """Worker processes; 0 extracts in the crawl's own process, for debugging."""
    timeout: float = _option(30.0, "getfloat", "seconds, for example 30", _least(0.1))
    """Seconds of CPU time for one page."""
    memory_mb: int = _option(1_500, "getint", "megabytes from 200 on, for example 1500", _least(200))
    """Megabytes that a worker may use."""
    min_confidence: float = _option(0.0, "getfloat", "a number from 0 to 1, for example 0.4", _least(0, 1))
    """Records below are dropped."""
    min_length: int = _option(80, "getint", "a number of characters, for example 80", _least(0))
    """Records with a shorter text are dropped; East Asian characters count double."""
    obey_reservations: bool = _option(False, "getbool", "True or False")
    """Whether pages that reserve their use are dropped."""
    feed: str | None = _option(None, "get", "the path of a .jsonl file, for example 'out/articles.jsonl'", bool)
    """A file of JSON Lines that survives ``kill -9``, and the memory of what is done."""
    skip_written: bool = _option(False, "getbool", "True or False")
    """Whether links to pages whose items are in that file are not followed."""

    since: date | None = field(default=None, init=False)
    until: date | None = field(default=None, init=False)

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> Options:
        """Read and check the settings. Raises UsageError: a setting is unknown or has a wrong value."""
        known = {PREFIX + one.name.upper(): one for one in fields(cls) if one.init}
        found: dict[str, Any] = {}
        for name in settings:
            if not isinstance(name, str) or not name.startswith(PREFIX):
                continue
            if name not in known:
                close = difflib.get_close_matches(name, known, 1)
                advice = f"did you mean {close[0]}?" if close else f"choose from: {', '.join(sorted(known))}"
                raise UsageError(f"unknown setting {name}; {advice}")
            option, value = known[name], settings[name]
            if value is None:
                continue  # as if it were not set
            try:
                found[option.name] = getattr(settings, option.metadata["read"])(name)
                accepted = option.metadata["accepts"](found[option.name])
            except (ValueError, TypeError):
                accepted = False
            if not accepted:
                raise UsageError(f"{name} = {value!r}: expected {option.metadata['expected']}")
        options = cls(**found)
        if options.skip_written and options.feed is None:
            raise UsageError("NEWSEXTRACT_SKIP_WRITTEN needs NEWSEXTRACT_FEED, the file that says what is written")
        algorithms.make_params(options.algorithm, options.params)
        return options


# --- lines ----------------------------------------------------------------------------------------
# A feed that survives ``kill -9``, for any project: whole JSON Lines, appended as items come.
#
# The file is the memory of the crawl: an item whose id is in it is not written again, and links to pages whose items are in
# it need not be followed again. How the file is written: :class:`newsextract.feed.LedgerFile`.

ERROR = "newsextract/feed_error"
"""Why a feed could not be written; it makes the exit code of newsextract's own crawls 5."""


class LinesPipeline:
    """Appends each item to a file, once; put it behind the pipelines that change items."""

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
            self.written = {_id(value) for value, _ in lines(self._path, lambda value, line: _id(value), mend)}
        except BaseException:  # whatever it was: the file is given back
            self.close_spider()
            raise

    def close_spider(self) -> None:
        """Give the file back."""
        if self._file is not None:
            self._file.close()

    def process_item(self, item: Any) -> Any:
        """Write an item. Raises DropItem: it is in the file, or the file cannot be written, which ends the crawl."""
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
    """What an item is recognised by: its ``id``, or that of its URL. Raises ValueError: it has neither."""
    if values.get("id"):
        return str(values["id"])
    if isinstance(values.get("url"), str):
        return record_id(values["url"])
    raise ValueError("it has no id and no url, so a later run could not recognise it; give such items an id")


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


# --- add-on ---------------------------------------------------------------------------------------
# The add-on: ``ADDONS = {"newsextract.scrapy.Addon": 300}`` enables the components that the settings ask for.

ARTICLES = 100
"""Place among ``ITEM_PIPELINES``: before a user's, which get records."""
LINES = 950
"""Place among ``ITEM_PIPELINES``: behind a user's, so that the file has what they made of the records."""


class Addon:
    """Adds components to those of the project. What the project's settings say of a component stands."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Scrapy's hook. Raises UsageError: a setting ``NEWSEXTRACT_…`` is unknown or has a wrong value."""
        options = Options.from_settings(settings)
        settings.setdefault_in_component_priority_dict("EXTENSIONS", WorkerPool, 0)
        settings.setdefault_in_component_priority_dict("ITEM_PIPELINES", ArticlePipeline, ARTICLES)
        if options.feed is not None:
            settings.setdefault_in_component_priority_dict("ITEM_PIPELINES", LinesPipeline, LINES)
        if options.skip_written:
            settings.setdefault_in_component_priority_dict("SPIDER_MIDDLEWARES", SkipWrittenMiddleware, 50)
        if find_spec("scrapy_poet") is not None:
            from newsextract.scrapy.poet import ArticleProvider  # here: an extra

            settings.setdefault_in_component_priority_dict("SCRAPY_POET_PROVIDERS", ArticleProvider, 500)
