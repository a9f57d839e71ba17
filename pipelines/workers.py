"""Worker processes: expensive work does not run in the reactor's thread.

One call returns everything that a crawl needs from a page. A semaphore provides back-pressure. ``workers = 0`` runs in the
crawl's process, for debugging. What the processes survive and obey: :mod:`newsextract.workers`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, TypeVar

from newsextract.aio import Pool, PoolClosed
from newsextract.errors import MissingExtra
from newsextract.page.page import Fetched, opened
from newsextract.page.snapshot import SnapshotError
from newsextract.workers import MEMORY, Stopped, defect, prepare

logger = logging.getLogger(__name__)
T = TypeVar("T")

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
        return await self.run(_on_page, page, function, *arguments)

    async def run(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call a picklable function in a worker.

        :raises WorkerError: the call was stopped.
        """
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


def _on_page(page: Fetched, function: Callable[..., T], *arguments: Any) -> T:
    return function(opened(page), *arguments)
