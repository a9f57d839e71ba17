"""Extraction for asyncio programs: in worker processes, so that the event loop never waits for a page.

>>> from newsextract import aio
>>> article = await aio.extract(page)                # doctest: +SKIP
>>> async with aio.Pool(workers=4) as pool:          # doctest: +SKIP
...     articles = await asyncio.gather(*map(pool.extract, pages))

Each worker process has a thread that gives it one page after the other (:class:`newsextract.workers.Workers`). A cancelled
call ends its worker, which is replaced; a page that takes too long or too much memory gives a result with the status
``failed``. The processes end with the pool, and the pool ends with the interpreter.
"""

from __future__ import annotations

import asyncio
import atexit
import dataclasses
import os
import pickle
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from functools import cache
from queue import SimpleQueue
from typing import Any, Self, TypeVar

from newsextract import algorithms, extraction
from newsextract.errors import NewsextractError
from newsextract.extraction import as_page, failure
from newsextract.page.page import Fetched, Page, opened
from newsextract.page.snapshot import Snapshot
from newsextract.results import Article, RecordPage
from newsextract.workers import Stopped, Workers

Given = Page | Snapshot | bytes | str
T = TypeVar("T")


class PoolClosed(NewsextractError):
    """Something was asked of a pool that has ended."""


def _closed() -> PoolClosed:
    return PoolClosed("the pool of newsextract.aio is closed; make another one")


class _Call:
    """One page to extract."""

    def __init__(self, task: bytes) -> None:
        self.task = task
        self.future: Future[Any] = Future()


class Pool:
    """Worker processes for :func:`extract` and :func:`extract_records`; an async context manager.

    Any event loop and any thread may use it. Calls wait in memory until a worker is free.

    :param workers: processes, at least 1; None: one for each processor. They start when the first page comes.
    :param timeout: seconds of CPU time for one page.
    :param memory: megabytes that a worker may use.
    """

    def __init__(self, workers: int | None = None, *, timeout: float = 30.0, memory: int = 1_500) -> None:
        if workers is not None and workers < 1:
            raise ValueError(f"workers={workers}: expected at least 1, or None for one for each processor")
        self._size = workers or os.cpu_count() or 1
        self._limits = {"timeout": timeout, "memory": memory}
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._threads: list[_WorkerThread] = []
        self._closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await asyncio.to_thread(self.close)

    async def extract(
        self,
        page: Given,
        url: str | None = None,
        algorithm: str | None = None,
        params: Mapping[str, Any] | None = None,
        *,
        evidence: bool = False,
    ) -> Article:
        """Extract the article of a page, as :func:`newsextract.extract` does.

        :raises NewsextractError: what :func:`newsextract.extract` raises.
        """
        given = as_page(page, url)
        found = await self.call(extraction.extract, _bare(given), None, algorithm, dict(params or {}), evidence=evidence)
        if isinstance(found, Stopped):
            return failure(given, algorithm or algorithms.DEFAULT, "failed", str(found))
        return found

    async def extract_records(
        self,
        page: Given,
        url: str | None = None,
        algorithm: str | None = None,
        params: Mapping[str, Any] | None = None,
        *,
        evidence: bool = False,
    ) -> RecordPage:
        """Extract the records of a page, as :func:`newsextract.extract_records` does.

        :raises NewsextractError: what :func:`newsextract.extract_records` raises.
        """
        given = as_page(page, url)
        given_params = dict(params or {})
        found = await self.call(extraction.extract_records, _bare(given), None, algorithm, given_params, evidence=evidence)
        if isinstance(found, Stopped):
            return RecordPage(given.url, algorithm or algorithms.DEFAULT_RECORDS, "failed", reason=str(found))
        return found

    def start(self) -> None:
        """Start the processes before the first call.

        :raises PoolClosed: the pool has ended.
        """
        with self._lock:
            if self._closed:
                raise _closed()
            if not self._threads:
                self._threads = [_WorkerThread(self._calls, self._limits) for _ in range(self._size)]
                atexit.register(self.close)

    @property
    def replaced(self) -> int:
        """How many processes had to be replaced."""
        return sum(thread.replaced for thread in self._threads)

    async def call(self, function: Callable[..., T], *arguments: Any, **keywords: Any) -> T | Stopped:
        """Call a function of a module in a worker process.

        :raises NewsextractError: what the function raises; whatever else it raises stops it.
        """
        call = _Call(pickle.dumps((function, arguments, keywords)))
        self.start()
        self._calls.put(call)
        try:
            return await asyncio.wrap_future(call.future)
        except asyncio.CancelledError:
            for thread in self._threads:
                thread.abandon(call)
            raise

    def close(self) -> None:
        """End the workers; what they are at, and what waits, ends with :class:`PoolClosed`."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            threads = self._threads
        atexit.unregister(self.close)
        for thread in threads:
            thread.stop()
        for _ in threads:
            self._calls.put(None)
        for thread in threads:
            thread.join()


class _WorkerThread(threading.Thread):
    """Gives one worker process one page after the other. It lives as long as its process: Linux ends a process whose
    :func:`~newsextract.workers.confine` was told of its parent when the thread that started it ends."""

    def __init__(self, calls: SimpleQueue[_Call | None], limits: dict[str, Any]) -> None:
        super().__init__(name="newsextract.aio", daemon=True)  # joined at the interpreter's end, after its work was stopped
        self._calls = calls
        self._limits = limits
        self._lock = threading.Lock()
        self._workers: Workers[bytes, Any] | None = None
        self._call: _Call | None = None
        self._abandoned = False
        self._stopped = False
        self.start()

    @property
    def replaced(self) -> int:
        """How often its process had to be replaced."""
        return self._workers.replaced if self._workers is not None else 0

    def run(self) -> None:
        """Serve until the pool closes."""
        try:
            with suppress(Exception):  # reason: the first call tries again, and its caller gets the error
                self._workers = Workers(1, answer, **self._limits)
            while (call := self._calls.get()) is not None:
                if call.future.set_running_or_notify_cancel():
                    self._serve(call)
        finally:
            self._end()

    def _serve(self, call: _Call) -> None:
        with self._lock:
            stopped, self._abandoned = self._stopped, False
            self._call = None if stopped else call
        found: Any
        try:
            if not stopped:
                self._workers = self._workers or Workers(1, answer, **self._limits)
                ((_, found),) = self._workers.run([call.task])
        except Exception as error:  # noqa: BLE001  # no process can be started: the caller gets the error, the next call tries again
            found, self._abandoned = error, True
        with self._lock:
            self._call, stopped = None, self._stopped
        if self._abandoned:  # its process is killed, or a new one in its place
            self._end()
        if stopped:
            call.future.set_exception(_closed())
        elif isinstance(found, Exception) and not isinstance(found, Stopped):
            call.future.set_exception(found)
        else:
            call.future.set_result(found)

    def abandon(self, call: _Call) -> None:
        """Kill the process if it is at this call."""
        with self._lock:
            if self._call is call and self._workers is not None:
                self._abandoned = True
                self._workers.kill()

    def stop(self) -> None:
        """Kill the process, whatever it is at, and take up nothing more."""
        with self._lock:
            self._stopped = True
            if self._call is not None and self._workers is not None:
                self._workers.kill()

    def _end(self) -> None:
        if self._workers is not None:
            self._workers.end()
            self._workers = None


def answer(task: bytes) -> Any:
    """In the worker: the result of one call, or the caller's mistake."""
    function, arguments, keywords = pickle.loads(task)
    try:
        return function(*arguments, **keywords)
    except NewsextractError as error:
        return error


def on_page(page: Fetched, function: Callable[..., T], *arguments: Any) -> T:
    """In the worker: the result of a function of a page, which is opened here."""
    return function(opened(page), *arguments)


def _bare(page: Page) -> Page:
    """A page without what was computed of it."""
    return dataclasses.replace(page, headers=dict(page.headers))


@cache
def _shared() -> Pool:
    """The pool of the module's functions: a process for each processor."""
    return Pool()


async def extract(
    page: Given,
    url: str | None = None,
    algorithm: str | None = None,
    params: Mapping[str, Any] | None = None,
    *,
    evidence: bool = False,
) -> Article:
    """Extract the article of a page in a worker process; the signature of :func:`newsextract.extract`."""
    return await _shared().extract(page, url, algorithm, params, evidence=evidence)


async def extract_records(
    page: Given,
    url: str | None = None,
    algorithm: str | None = None,
    params: Mapping[str, Any] | None = None,
    *,
    evidence: bool = False,
) -> RecordPage:
    """Extract the records of a page in a worker process; the signature of :func:`newsextract.extract_records`."""
    return await _shared().extract_records(page, url, algorithm, params, evidence=evidence)
