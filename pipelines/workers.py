"""Worker processes: expensive work does not run in the reactor's thread.

Each worker is a `pebble` pool of one process, so that a stuck one can be killed and replaced alone. One call returns
everything that a crawl needs from a page. A semaphore provides back-pressure. ``workers = 0`` runs in the crawl's process,
for debugging.

Workers ignore SIGINT (otherwise Ctrl-C would hang the crawl), die with their parent (``PR_SET_PDEATHSIG``), and have a
memory limit (``RLIMIT_DATA``): a page that exceeds it loses only its own extraction.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as WorkerTimeout
from typing import Any, TypeVar

from pebble import ProcessExpired, ProcessPool

from newsextract.errors import MissingExtra
from newsextract.page.page import Fetched, opened
from newsextract.page.snapshot import SnapshotError
from newsextract.workers import MEMORY, WALL, WorkerContext, confine, defect, died, limited, stopped

logger = logging.getLogger(__name__)
T = TypeVar("T")

_QUEUE = 3
"""Number of calls that a worker holds: one is running, the others keep the worker busy; further calls wait outside."""


class WorkerError(Exception):
    """The work on a page was stopped: it took too long or too much memory, or the process died."""


class WorkerPool:
    """A fixed number of worker processes.

    :param workers: number of processes; 0 runs everything in the calling thread.
    :param timeout: CPU time limit of a call in seconds; then the worker is killed.
    :param memory: memory limit of a worker in megabytes.
    :param on_broken: called, from any thread, if a worker can be neither started nor replaced.
    :raises OSError: the system cannot start a worker.
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
        # Start the workers now, while the first pages are fetched. SIGINT is blocked meanwhile; the pools' threads, the
        # workers and their replacements inherit this, so that Ctrl-C cannot interrupt a worker while it starts.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            for number, pool in enumerate(self._pools):
                try:
                    pool.schedule(_ready).add_done_callback(self._warmed_up)
                except Exception:  # any exception is raised again, after closing the pools
                    del self._pools[number:]
                    self.close()
                    raise
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        self._busy = [0] * workers
        self._limits = [asyncio.Semaphore(_QUEUE) for _ in range(max(1, workers))]
        self.replaced = 0
        """Number of workers that were killed and replaced."""

    async def run(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call a picklable function in the least busy worker.

        :raises WorkerError: the call was stopped.
        """
        return await self._call(self._idlest(), function, arguments)

    async def ask(self, page: Fetched, function: Callable[..., T], *arguments: Any) -> T:
        """Call ``function(page, *arguments)`` in the least busy worker, which opens the page.

        :raises WorkerError: the call was stopped.
        """
        return await self.run(_on_page, page, function, *arguments)

    async def _call(self, worker: int, function: Callable[..., T], arguments: tuple[Any, ...]) -> T:
        if self._pools:
            self._busy[worker] += 1  # counted while the call waits, otherwise all waiting calls would choose the same worker
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
        except asyncio.CancelledError:
            raise
        except SnapshotError as error:
            raise WorkerError(str(error)) from error
        except MissingExtra as error:
            logger.error("%s", error)
            raise WorkerError(str(error)) from error
        except Exception as error:  # reason: a defect in the work on a page must not lose the page; it is recorded
            if self._pools and not self._pools[worker].active and not self._is_closed:
                self._on_broken(error)
                raise WorkerError(f"the worker process cannot be replaced: {error}") from error
            logger.error("defect in %s", function.__name__, exc_info=error)
            raise WorkerError(defect(error)) from error

    def _warmed_up(self, future: Future[None]) -> None:
        """Report a worker that cannot even answer this first call."""
        if not future.cancelled() and not self._is_closed and (error := future.exception()) is not None:
            self._on_broken(error)

    def _idlest(self) -> int:
        return self._busy.index(min(self._busy)) if self._busy else 0

    def close(self) -> None:
        """Stop all workers at once; running calls are dropped."""
        self._is_closed = True
        for pool in self._pools:
            pool.stop()  # type: ignore[no-untyped-call]  # pebble leaves it untyped
        for pool in self._pools:
            pool.join(5)


def _ignored(error: BaseException) -> None:
    """Ignore an error."""


def _limited(seconds: float, function: Callable[..., T], arguments: tuple[Any, ...]) -> T:
    with limited(seconds):
        return function(*arguments)


def _on_page(page: Fetched, function: Callable[..., T], *arguments: Any) -> T:
    return function(opened(page), *arguments)


def _ready() -> None:
    """Called in a worker; a worker that answers has started."""
