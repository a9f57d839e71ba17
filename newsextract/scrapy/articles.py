"""Fetched pages → records, in worker processes that belong to the crawler."""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals
from scrapy.exceptions import DropItem, NotConfigured
from scrapy.http import Response
from scrapy.utils.asyncio import is_asyncio_available

from newsextract import aio, algorithms
from newsextract.errors import UsageError
from newsextract.extraction import extract
from newsextract.feed.duplicates import fingerprint
from newsextract.feed.record_lines import RecordSource, assemble, judge
from newsextract.page.page import Page

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

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
        """Read and check the settings.

        :raises UsageError: a setting is unknown or has a wrong value.
        """
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
