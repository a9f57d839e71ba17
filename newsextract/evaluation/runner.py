"""Run an algorithm over the pages of a data set, in this process or in several, and measure what it costs.

Cost is CPU time (``process_time``), and beside each extraction a plain ``lxml.html.fromstring`` of the same
bytes is timed in the same process: the ratio of the two holds on other machines, seconds do not.

Workers are spawned processes that get page ids and give predictions; chunks keep the order of the pages, so
the result does not depend on their number. A page whose extraction raises, or that kills its worker, is a
prediction with status ``failed`` and the reason.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from time import process_time
from typing import Any

import lxml.html

from newsextract import algorithms
from newsextract.errors import NewsextractError, UnknownAlgorithm
from newsextract.evaluation.datasets import Prediction, TruthPage, read_page
from newsextract.extraction import extract
from newsextract.page import Page

FETCHED_AT = datetime(2026, 11, 1, tzinfo=UTC)
"""The time of fetch of every page, later than all; fixed, so that "3 hours ago" stays the same day."""
CHUNK = 16
"""Pages a task: about 50 ms of work, against under 1 ms to hand a task over."""
BODY_TIMED_EVERY = 5
"""The body alone is timed, in a run of its own, on every fifth page: enough for a mean."""
_REASON_LENGTH = 200
_WARM_UP = b"<html><head><title>One</title></head><body><p>A sentence, and another one.</p></body></html>"

Progress = Callable[[int, int], None]
"""Told the pages done and the pages in all."""


@dataclass(frozen=True, slots=True)
class _Job:
    directory: Path
    algorithm: str
    params: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class _Task:
    page_id: str
    url: str | None
    time_body: bool


def check(algorithm: str, params: Mapping[str, Any] | None = None) -> None:
    """Raise a caller's mistake once and early, not in every worker.

    :raises UnknownAlgorithm: no article algorithm of that name.
    :raises ParameterError: bad parameters.
    """
    known = algorithms.names(kind="article")
    if algorithm not in known:
        raise UnknownAlgorithm(algorithm, known)
    algorithms.make(algorithm, params)


def run(
    directory: Path,
    pages: Sequence[TruthPage],
    algorithm: str,
    params: Mapping[str, Any] | None = None,
    *,
    workers: int = 0,
    progress: Progress | None = None,
) -> Iterator[Prediction]:
    """Extract the pages; predictions come in the order of the pages.

    :param directory: the data set that the pages belong to.
    :param algorithm: a registered name of the kind ``article``.
    :param params: parameters of the algorithm, ``preset`` among them.
    :param workers: number of processes; 0: none but this one.
    :raises UsageError: no such algorithm, bad parameters, or a page file is missing.
    """
    check(algorithm, params)
    return _run(_Job(directory, algorithm, params), pages, workers, progress)


def _run(job: _Job, pages: Sequence[TruthPage], workers: int, progress: Progress | None) -> Iterator[Prediction]:
    tasks = [_Task(page.id, page.url, number % BODY_TIMED_EVERY == 0) for number, page in enumerate(pages)]
    predictions = _in_workers(job, tasks, workers) if workers > 0 else _in_line(job, tasks)
    for done, prediction in enumerate(predictions, 1):
        yield prediction
        if progress is not None:
            progress(done, len(tasks))


def _in_line(job: _Job, tasks: Sequence[_Task]) -> Iterator[Prediction]:
    _warm_up(job)
    for task in tasks:
        yield _predict(job, task)


def _in_workers(job: _Job, tasks: Sequence[_Task], workers: int) -> Iterator[Prediction]:
    chunks = deque(tasks[start : start + CHUNK] for start in range(0, len(tasks), CHUNK))
    while chunks:
        pool = _pool(job, workers)
        handed_out: deque[tuple[Sequence[_Task], Future[list[Prediction]]]] = deque()
        try:
            while chunks or handed_out:
                while chunks and len(handed_out) < 4 * workers:
                    handed_out.append((chunks[0], pool.submit(_predict_chunk, job, chunks[0])))
                    chunks.popleft()
                predictions = handed_out[0][1].result()
                handed_out.popleft()
                yield from predictions
        except BrokenProcessPool:
            # Some page killed its worker, and with it the pool. The chunk that is due goes page by page, the
            # others are handed out again; so each round finishes at least one chunk.
            chunks.extendleft(chunk for chunk, _ in reversed(handed_out))
            yield from (_predict_apart(job, task) for task in chunks.popleft())
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _pool(job: _Job, workers: int) -> ProcessPoolExecutor:
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, context, initializer=_start_worker, initargs=(job,))


def _start_worker(job: _Job) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then stops the pool
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _warm_up(job)


def _end_with_parent() -> None:
    """Without this a worker whose parent was killed waits for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _predict_chunk(job: _Job, tasks: Sequence[_Task]) -> list[Prediction]:
    return [_predict(job, task) for task in tasks]


def _predict_apart(job: _Job, task: _Task) -> Prediction:
    """One page in a process of its own, which it may kill."""
    with _pool(job, 1) as pool:
        try:
            return pool.submit(_predict, job, task).result()
        except BrokenProcessPool:
            return Prediction(id=task.page_id, status="failed", reason="the worker process died on this page")


def _warm_up(job: _Job) -> None:
    """Load what is loaded lazily, so that no page is charged for it."""
    _extract(job, "", _page(_WARM_UP, None))
    _parse_seconds(_WARM_UP)


def _predict(job: _Job, task: _Task) -> Prediction:
    body = read_page(job.directory, task.page_id)
    prediction = _extract(job, task.page_id, _page(body, task.url))
    body_seconds = _body_seconds(job, _page(body, task.url)) if task.time_body else None
    return replace(prediction, body_seconds=body_seconds, lxml_seconds=_parse_seconds(body))


def _page(body: bytes, url: str | None) -> Page:
    return Page(body, url=url, fetched_at=FETCHED_AT)


def _extract(job: _Job, page_id: str, page: Page) -> Prediction:
    start = process_time()
    try:
        article = extract(page, algorithm=job.algorithm, params=job.params)
    except NewsextractError:
        raise  # reason: the caller's mistake or a missing part, the same on every page
    except Exception as error:  # noqa: BLE001  # reason: a defect on one page is counted and must not end the measurement
        return Prediction(
            id=page_id,
            status="failed",
            reason=f"{type(error).__name__}: {error}"[:_REASON_LENGTH],
            extract_seconds=process_time() - start,
        )
    return Prediction(
        id=page_id,
        extract_seconds=process_time() - start,
        text=article.text,
        title=article.title,
        date=article.date,
        authors=article.authors,
        language=article.language,
        status=article.status,
        confidence=article.confidence,
        reason=article.reason,
    )


def _body_seconds(job: _Job, page: Page) -> float:
    """CPU seconds of the algorithm alone, on a page of which nothing is known yet."""
    choose = algorithms.make(job.algorithm, job.params)
    start = process_time()
    with suppress(Exception):  # reason: the defect is recorded by _extract; here only the time counts
        choose(page)
    return process_time() - start


def _parse_seconds(body: bytes) -> float:
    """CPU seconds of a plain lxml parse of the same bytes."""
    start = process_time()
    try:
        tree = lxml.html.fromstring(body)
    except Exception:  # noqa: BLE001  # reason: an empty or hostile page; the time until lxml gave up is its cost
        return process_time() - start
    seconds = process_time() - start
    del tree  # freeing the tree is not parsing it
    return seconds
