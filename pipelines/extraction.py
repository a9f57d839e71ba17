"""Fetched page → record: the chosen algorithm, in a worker process.

The worker that determined the kind of a page has usually extracted it in the same call (:mod:`pipelines.page_work`). Other
pages, for example those changed by a user's pipeline, are extracted here. The pages of one article are extracted one by one
and joined; title, date and other fields come from the first. Posts, hits and teasers pass: the next page of a thread depends
on them, so the spider has their pages read (:mod:`newsextract.record_pages`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from scrapy.exceptions import DropItem

from newsextract import Article, Page
from newsextract.aio import Pool, PoolClosed, on_page
from newsextract.errors import MissingExtra
from newsextract.extraction import failure
from newsextract.feed.duplicates import fingerprint
from newsextract.feed.record_lines import NewsRecord, ReadPage, RecordSource, assemble, join
from newsextract.page.page import Fetched
from newsextract.page.snapshot import SnapshotError
from newsextract.scrapy import stop
from newsextract.workers import MEMORY, Stopped, defect, prepare
from pipelines.items import Component, FetchedPage, Item
from pipelines.page_work import Extracted, extracted

logger = logging.getLogger(__name__)
T = TypeVar("T")

# --- workers --------------------------------------------------------------------------------------
# Worker processes: expensive work does not run in the reactor's thread.
#
# One call returns everything that a crawl needs from a page. A semaphore provides back-pressure. ``workers = 0`` runs in the
# crawl's process, for debugging. What the processes survive and obey: :mod:`newsextract.workers`.

_QUEUE = 3
"""Number of calls per worker: one is running, the others keep the worker busy; further calls wait outside."""


class WorkerError(Exception):
    """The work on a page was stopped: it took too long or too much memory, or the process died."""


class WorkerPool:
    """A fixed number of worker processes.

    :param workers: number of processes; 0 runs everything in the calling thread.
    :param timeout: CPU time limit of a call in seconds; then the worker is killed.
    :param memory: memory limit of a worker in megabytes.
    :param on_broken: called if a worker can be neither started nor replaced.
    :raises OSError: the system cannot start a worker.
    """

    def __init__(
        self,
        workers: int,
        timeout: float = 30.0,
        memory: int = 1_500,
        *,
        on_broken: Callable[[BaseException], object] = lambda error: None,
    ) -> None:
        self._on_broken = on_broken
        self._limit = asyncio.Semaphore(_QUEUE * max(1, workers))
        self._pool = Pool(workers, timeout=timeout, memory=memory) if workers else None
        if self._pool is not None:
            prepare()
            self._pool.start()  # now, while the first pages are fetched

    @property
    def replaced(self) -> int:
        """Number of workers that were killed and replaced."""
        return self._pool.replaced if self._pool is not None else 0

    async def ask(self, page: Fetched, function: Callable[..., T], *arguments: Any) -> T:
        """Call ``function(page, *arguments)`` in a worker, which opens the page.

        :raises WorkerError: the call was stopped.
        """
        return await self.run(on_page, page, function, *arguments)

    async def run(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call a picklable function in a worker. Raises WorkerError: the call was stopped."""
        try:
            async with self._limit:
                found = function(*arguments) if self._pool is None else await self._pool.call(function, *arguments)
        except PoolClosed as error:
            raise asyncio.CancelledError from error
        except MemoryError as error:
            raise WorkerError(MEMORY) from error
        except SnapshotError as error:
            raise WorkerError(str(error)) from error
        except MissingExtra as error:
            logger.error("%s", error)
            raise WorkerError(str(error)) from error
        except Exception as error:  # reason: a defect in the work on a page must not lose the page; it is recorded
            if self._pool is not None and isinstance(error, OSError | EOFError):
                self._on_broken(error)
                raise WorkerError(f"the worker process cannot be replaced: {error}") from error
            logger.error("defect in %s", function.__name__, exc_info=error)
            raise WorkerError(defect(error)) from error
        if isinstance(found, Stopped):
            if hasattr(found, "__notes__"):
                logger.error("defect in %s", function.__name__, exc_info=found)
            raise WorkerError(str(found))
        return found

    def close(self) -> None:
        """Stop all workers at once; running calls are dropped."""
        if self._pool is not None:
            self._pool.close()


# --- extraction -----------------------------------------------------------------------------------


class ExtractionPipeline(Component):
    """Sends each fetched page to the worker pool, and makes a record of the result."""

    async def process_item(self, item: FetchedPage | Item) -> Item:
        """See the module."""
        spider, archive = self.spider, self.spider.archive
        if isinstance(item, ReadPage) and archive is not None:
            site = spider.sites[item.site]
            with self._writing():
                archive.record_page(item, site, *spider.algorithm_of(site))
        if not isinstance(item, FetchedPage):
            return item
        pool = spider.pool
        algorithm, params = spider.algorithm_of(item.site)
        if archive is not None:
            with self._writing():
                archive.article(item, algorithm, params)
        articles: list[Article] = []
        mark: str | None = None
        for page in item.parts:
            one = next((found for part, found in item.extracted if part is page), None)
            try:
                if one is None:
                    one = await pool.ask(page, extracted, algorithm, params)
            except WorkerError as error:
                one = Extracted(failure(Page(b"", page.url), algorithm, "failed", str(error)), None)
            articles.append(one.article)
            mark = one.mark
            if item.site.fields and one.unmatched is not None:
                spider.unmatched.setdefault(item.site.name, set(item.site.fields)).intersection_update(one.unmatched)
        text = join(articles)
        if len(articles) > 1:
            try:
                mark = await pool.run(fingerprint, text)
            except WorkerError as error:
                articles.append(failure(Page(b"", item.parts[0].url), algorithm, "failed", str(error)))
        found = record(item, articles, text, mark)
        if articles[0].other_titles:
            spider.other_titles[int(found.id, 16)] = articles[0].other_titles
        return found

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Context of writing to the archive. A record without its page there is not written; a later run fetches the page
        again.

        :raises DropItem: the archive cannot be written; the crawl ends.
        """
        try:
            yield
        except OSError as error:
            stop(self.spider.crawler, error)
            raise DropItem("the archive cannot be written", log_level="DEBUG") from error


def record(item: FetchedPage, articles: list[Article], text: str, mark: str | None) -> NewsRecord:
    """The record of an article."""
    source = RecordSource(item.site.name, item.requested_url, item.site.kind, item.etag, item.last_modified)
    return assemble(source, item.parts[0], len(item.parts), articles, text, mark)
