"""Worker processes: nothing that costs time runs on the reactor's thread.

Each worker is a `pebble` pool of one ``spawn`` process, so that a stuck one can be killed and replaced by itself. A page
is sent to a worker once; the worker keeps it (decoded and parsed) for the next question about it, and
:class:`Kept` says which worker that is. A semaphore is the back-pressure. ``workers = 0`` runs in line, for debugging.

Workers ignore SIGINT (or Ctrl-C would hang the crawl), die with their parent (``PR_SET_PDEATHSIG``), and have a bound
on memory (``RLIMIT_DATA``): a page that exceeds it costs its own extraction only.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as WorkerTimeout
from dataclasses import dataclass
from typing import Any, TypeVar

from pebble import ProcessExpired, ProcessPool

from newsextract import Page, extract
from newsextract.discovery import discover
from newsextract.errors import MissingExtra
from newsextract.page.page import Fetched, opened
from newsextract.page.snapshot import SnapshotError
from newsextract.workers import MEMORY, WALL, WorkerContext, confine, defect, died, limited, stopped

logger = logging.getLogger(__name__)
T = TypeVar("T")

_QUEUE = 3
"""New calls that a worker is given at a time: one at work, the others keep it busy; further ones wait outside."""
_KEEP = 64
"""Pages that a worker keeps; the crawl has at most CONCURRENT_REQUESTS in flight per worker."""
_KEEP_BYTES = 30_000_000
"""Bytes of pages that a worker keeps; decoded and parsed they take about ten times as much."""
_NODE_BYTES = 30
"""A node of a snapshot takes about 300 bytes in memory, and the bytes above count tenfold."""


class WorkerError(Exception):
    """A page's work was stopped: it took too long or too much memory, or the process died."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A page that a worker has seen: which worker, under which number."""

    worker: int
    number: int


class NotKeptError(Exception):
    """The worker does not have the page any more."""


class WorkerPool:
    """A fixed number of worker processes.

    :param workers: how many; 0 runs everything in the calling thread.
    :param timeout: seconds of CPU time that one call may take before its worker is killed.
    :param memory: megabytes that a worker may use.
    :param on_broken: called, from any thread, when a worker can neither be started nor replaced.
    :raises OSError: the machine does not let any be started.
    """

    def __init__(
        self,
        workers: int,
        timeout: float = 30.0,
        memory: int = 1_500,
        *,
        on_broken: Callable[[BaseException], object] | None = None,
    ) -> None:
        self.timeout = timeout
        self._on_broken = on_broken or _ignored
        self._is_closed = False
        context = WorkerContext()
        self._pools = [
            ProcessPool(max_workers=1, context=context, initializer=confine, initargs=[memory]) for _ in range(workers)
        ]
        # They start now, while the first pages are on their way. SIGINT is blocked meanwhile, and so, by inheritance, in the
        # pools' threads, the workers and those that replace them: Ctrl-C must not hit a worker that is only starting.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            for number, pool in enumerate(self._pools):
                try:
                    pool.schedule(_warm_up).add_done_callback(self._warmed_up)
                except Exception:  # whatever it was is raised again: no pool may be left behind
                    del self._pools[number:]
                    self.close()
                    raise
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        self._busy = [0] * workers
        self._limits = [asyncio.Semaphore(_QUEUE) for _ in range(max(1, workers))]
        self._number = 0
        self.replaced = 0
        """How many workers had to be killed and replaced."""

    async def run(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call a picklable function in the least busy worker.

        :raises WorkerError: it was stopped.
        """
        return await self._call(self._idlest(), function, arguments)

    async def ask(self, page: Fetched, kept: Kept | None, function: Callable[..., T], *arguments: Any) -> tuple[T, Kept]:
        """Call ``function(page, *arguments)`` in the worker that keeps the page, or send the page to one.

        :raises WorkerError: it was stopped.
        """
        if not self._pools:
            return await self._call(0, _on_page, (page, function, arguments)), Kept(0, 0)
        if kept is not None:
            try:
                # Passes the queue: a page that was begun is finished before new ones, or it would be pushed out.
                return await self._schedule(kept.worker, _on_kept, (kept.number, None, function, arguments)), kept
            except NotKeptError:
                pass  # reason: replaced or pushed out meanwhile; send the page again
        self._number += 1
        kept = Kept(self._idlest(), self._number)
        return await self._call(kept.worker, _on_kept, (kept.number, page, function, arguments)), kept

    async def _call(self, worker: int, function: Callable[..., T], arguments: tuple[Any, ...]) -> T:
        if self._pools:
            self._busy[worker] += 1  # also while it waits, or all that wait would choose the same worker
        try:
            async with self._limits[worker]:
                return await self._schedule(worker, function, arguments)
        finally:
            if self._pools:
                self._busy[worker] -= 1

    async def _schedule(self, worker: int, function: Callable[..., T], arguments: tuple[Any, ...]) -> T:
        try:
            if not self._pools:
                return function(*arguments)
            future: Future[T] = self._pools[worker].schedule(
                _limited, args=(self.timeout, function, arguments), timeout=WALL * self.timeout
            )
            return await asyncio.wrap_future(future)
        except WorkerTimeout as error:
            self.replaced += 1
            raise WorkerError(stopped(WALL * self.timeout)) from error
        except ProcessExpired as error:
            self.replaced += 1
            raise WorkerError(died(error.exitcode, self.timeout)) from error
        except MemoryError as error:
            raise WorkerError(MEMORY) from error
        except (NotKeptError, asyncio.CancelledError):
            raise
        except SnapshotError as error:
            raise WorkerError(str(error)) from error
        except MissingExtra as error:
            logger.error("%s", error)
            raise WorkerError(str(error)) from error
        except Exception as error:  # reason: a defect in one page's work must not lose the page; it is recorded
            if self._pools and not self._pools[worker].active and not self._is_closed:
                self._on_broken(error)
                raise WorkerError(f"the worker process cannot be replaced: {error}") from error
            logger.error("defect in %s", function.__name__, exc_info=error)
            raise WorkerError(defect(error)) from error

    def _warmed_up(self, future: Future[None]) -> None:
        """A worker that cannot do this can do nothing."""
        if not future.cancelled() and not self._is_closed and (error := future.exception()) is not None:
            self._on_broken(error)

    def _idlest(self) -> int:
        return self._busy.index(min(self._busy)) if self._busy else 0

    def close(self) -> None:
        """Stop all workers at once; what they were doing is dropped."""
        self._is_closed = True
        for pool in self._pools:
            pool.stop()  # type: ignore[no-untyped-call]  # pebble leaves it untyped
        for pool in self._pools:
            pool.join(5)


def _ignored(error: BaseException) -> None:
    """Nobody wants to know."""


_pages: OrderedDict[int, Page] = OrderedDict()
"""In a worker: the pages it keeps."""


def _limited(seconds: float, function: Callable[..., T], arguments: tuple[Any, ...]) -> T:
    with limited(seconds):
        return function(*arguments)


def _on_page(page: Fetched, function: Callable[..., T], arguments: tuple[Any, ...]) -> T:
    return function(opened(page), *arguments)


def _on_kept(number: int, fetched: Fetched | None, function: Callable[..., T], arguments: tuple[Any, ...]) -> T:
    if fetched is None:
        page = _pages.get(number)
        if page is None:
            raise NotKeptError(number)
    else:
        page = _pages[number] = opened(fetched)
        while len(_pages) > _KEEP or (len(_pages) > 1 and sum(map(_weight, _pages.values())) > _KEEP_BYTES):
            _pages.popitem(last=False)
    try:
        return function(page, *arguments)
    except MemoryError:
        _pages.clear()  # what is kept must not make the next pages fail, too
        raise


def _weight(page: Page) -> int:
    """What a page counts for among those kept: its bytes, and the nodes of what a browser saw."""
    return len(page.body) + (_NODE_BYTES * len(page.snapshot.nodes) if page.snapshot is not None else 0)


def _warm_up() -> None:
    """Load what the first page would have to wait for: patterns, word lists, the list of domains."""
    page = Page(b"<title>News</title><h1>News</h1><p>By A. Name, 1 May 2025. One sentence.</p>", "http://www.example.org/1")
    discover(page)
    extract(page)
