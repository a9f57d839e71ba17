"""Runs a contender over the pages of a data set, in this process or in several, and measures what it costs."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from time import process_time
from typing import Any

import lxml.html

from newsextract import algorithms
from newsextract.errors import DataError, NewsextractError
from newsextract.extraction import extract, find_records
from newsextract.lab import contenders
from newsextract.lab.contenders import Contender
from newsextract.lab.datasets import Kind, PredictedRecord, Prediction, RecordPrediction, RecordTruth, TruthPage, read
from newsextract.page.page import Page
from newsextract.page.snapshot import Snapshot
from newsextract.workers import Stopped, Workers

# --- runner ---------------------------------------------------------------------------------------
# Run a contender over the pages of a data set, in this process or in several, and measure what it costs.
#
# Cost is CPU time (``process_time``), and beside each extraction a plain ``lxml.html.fromstring`` of the same
# bytes is timed in the same process: the ratio of the two holds on other machines, seconds do not.
#
# Workers get pages without their truth and give predictions, which are put into the order of the pages, so the result
# does not depend on their number. A page whose extraction raises, or that kills its worker, is a prediction with status
# ``failed`` and the reason.

FETCHED_AT = datetime(2026, 11, 1, tzinfo=UTC)
"""The time of fetch of every page, later than all; fixed, so that "3 hours ago" stays the same day."""
TIMEOUT, MEMORY = 600.0, 8_000
"""Of a worker: seconds of CPU time for a page, and megabytes."""
BODY_TIMED_EVERY = 5
"""The body alone is timed, in a run of its own, on every fifth page: enough for a mean."""
_REASON_LENGTH = 200
_WARM_UP = b"<html><head><title>One</title></head><body><p>A sentence, and another one.</p></body></html>"

Progress = Callable[[int, int], None]
"""Told the pages done and the pages in all."""


@dataclass(frozen=True, slots=True)
class _Job:
    contender: Contender
    kind: Kind


@dataclass(frozen=True, slots=True)
class _Task:
    page: TruthPage
    """Without its truth: a worker gets nothing that it could not know."""
    time_body: bool


def run(
    pages: Sequence[TruthPage],
    contender: Contender,
    kind: Kind = "articles",
    *,
    workers: int = 0,
    progress: Progress | None = None,
) -> Iterator[Prediction]:
    """Extract the pages; predictions come in the order of the pages.

    :param pages: of one or more data sets.
    :param kind: of the pages; peers are told.
    :param workers: number of processes; 0: none but this one.
    :raises DataError: a page file is missing.
    :raises MissingExtra: an algorithm needs a package that is not installed.
    """
    job = _Job(contender, kind)
    tasks = [_Task(_without_truth(page), number % BODY_TIMED_EVERY == 0) for number, page in enumerate(pages)]
    predictions = _in_workers(job, tasks, workers) if workers > 0 else _in_line(job, tasks)
    for done, prediction in enumerate(predictions, 1):
        yield prediction
        if progress is not None:
            progress(done, len(tasks))


def _without_truth(page: TruthPage) -> TruthPage:
    return replace(page, title=None, date=None, text=None, with_=None, without=None, kind="")


def _in_line(job: _Job, tasks: Sequence[_Task]) -> Iterator[Prediction]:
    _warm_up(job)
    for task in tasks:
        yield _predict(job, task)


def _in_workers(job: _Job, tasks: Sequence[_Task], workers: int) -> Iterator[Prediction]:
    due = deque(task.page.id for task in tasks)
    ready: dict[str, Prediction] = {}
    with Workers[_Task, Prediction | NewsextractError](workers, _answer, job, timeout=TIMEOUT, memory=MEMORY) as pool:
        for task, found in pool.run(tasks):
            if isinstance(found, NewsextractError):
                raise found
            if isinstance(found, Stopped):
                found = Prediction(id=task.page.id, status="failed", reason=str(found))
            ready[task.page.id] = found
            while due and due[0] in ready:
                yield ready.pop(due.popleft())


_warm: list[_Job] = []
"""Of a worker: what it has loaded."""


def _answer(task: _Task, job: _Job) -> Prediction | NewsextractError:
    """In a worker: the prediction, or what is wrong with all pages."""
    try:
        if not _warm:
            _warm_up(job)
            _warm.append(job)
        return _predict(job, task)
    except NewsextractError as error:
        return error


def _warm_up(job: _Job) -> None:
    """Load what is loaded lazily, so that no page is charged for it."""
    _extract(job, "", _WARM_UP, None)
    parse_seconds(_WARM_UP)


def _predict(job: _Job, task: _Task) -> Prediction:
    body = read(task.page)
    prediction = _extract(job, task.page.id, body, task.page.url)
    time_body = task.time_body and job.contender.origin == "algorithm"
    body_seconds = _body_seconds(job, _page(body, task.page.url)) if time_body else None
    return replace(prediction, body_seconds=body_seconds, lxml_seconds=parse_seconds(body))


def _extract(job: _Job, page_id: str, body: bytes, url: str | None) -> Prediction:
    extract_page = _by_algorithm if job.contender.origin == "algorithm" else _by_peer
    start = process_time()
    try:
        return extract_page(job, page_id, body, url)
    except NewsextractError:
        raise  # reason: the caller's mistake or a missing part, the same on every page
    except Exception as error:  # noqa: BLE001  # reason: a defect on one page is counted and must not end the measurement
        return Prediction(
            id=page_id,
            status="failed",
            reason=f"{type(error).__name__}: {error}"[:_REASON_LENGTH],
            extract_seconds=process_time() - start,
        )


def _by_algorithm(job: _Job, page_id: str, body: bytes, url: str | None) -> Prediction:
    start = process_time()
    found = predicted(page_id, _page(body, url), job.contender.key, job.contender.params)
    return replace(found, extract_seconds=process_time() - start)


def predicted(page_id: str, page: Page, algorithm: str, params: Mapping[str, Any] | None = None) -> Prediction:
    """What an algorithm finds on a page, without its cost."""
    article = extract(page, algorithm=algorithm, params=params)
    return Prediction(
        id=page_id,
        text=article.text,
        title=article.title,
        date=article.date,
        authors=article.authors,
        language=article.language,
        status=article.status,
        confidence=article.confidence,
        reason=article.reason,
        kind=article.kind,
        is_article=article.is_article,
    )


def _by_peer(job: _Job, page_id: str, body: bytes, url: str | None) -> Prediction:
    with contenders.undisturbed():
        extract_page = contenders.load(job.contender.key, job.kind)
        start = process_time()
        found = extract_page(body, url)
        seconds = process_time() - start
    return Prediction(
        id=page_id,
        extract_seconds=seconds,
        text=found.text,
        title=found.title,
        date=found.date,
        status="ok" if found.text.strip() else "empty",
    )


def _page(body: bytes, url: str | None) -> Page:
    return Page(body, url=url, fetched_at=FETCHED_AT)


def _body_seconds(job: _Job, page: Page) -> float:
    """CPU seconds of the algorithm alone, on a page of which nothing is known yet."""
    choose = algorithms.make(job.contender.key, job.contender.params)
    start = process_time()
    with suppress(Exception):  # reason: the defect is recorded by _extract; here only the time counts
        choose(page)
    return process_time() - start


def parse_seconds(body: bytes) -> float:
    """CPU seconds of a plain lxml parse of the same bytes."""
    start = process_time()
    try:
        tree = lxml.html.fromstring(body)
    except Exception:  # noqa: BLE001  # reason: an empty or hostile page; the time until lxml gave up is its cost
        return process_time() - start
    seconds = process_time() - start
    del tree  # freeing the tree is not parsing it
    return seconds


# --- record runner --------------------------------------------------------------------------------
# Run a record algorithm over the pages of a data set, and measure what it costs.
#
# With a folder of snapshots (``<id>.snapshot``) a page is what the browser saw of it, otherwise its source alone; which of
# the two it was is part of the prediction. Loading the snapshot is not timed: making one is the browser's cost, and a crawl
# has it in memory. Cost is CPU time (``process_time``), beside that of a plain ``lxml.html.fromstring`` of the page's bytes.
#
# A page on which the algorithm raises is a prediction with status ``failed`` and the reason.

_RECORD_WARM_UP = b"<ul>" + b"<li><h3><a href=/1>One of them</a></h3><p>A sentence, and another.</p></li>" * 5 + b"</ul>"


def run_records(
    pages: Sequence[RecordTruth], contender: Contender, snapshots: Path | None = None, progress: Progress | None = None
) -> Iterator[RecordPrediction]:
    """Extract the pages; predictions come in the order of the pages.

    :param snapshots: the folder of ``<id>.snapshot``; a page without one is read from its source.
    :raises DataError: a page file is missing, a snapshot cannot be read, or the folder holds none of these pages.
    :raises MissingExtra: the algorithm needs a package that is not installed.
    """
    if snapshots is not None and not any(_snapshot_file(snapshots, page).is_file() for page in pages):
        raise DataError(f"{snapshots} holds no snapshot of any of the pages; expected <id>.snapshot")
    _extract_page_records(
        "", Page(_RECORD_WARM_UP, fetched_at=FETCHED_AT), contender
    )  # what is loaded lazily is charged to no page
    parse_seconds(_RECORD_WARM_UP)
    for done, page in enumerate(pages, 1):
        body = read(page)
        file = _snapshot_file(snapshots, page) if snapshots is not None else None
        if file is not None and file.is_file():
            given = Page.from_snapshot(Snapshot.load(file))
        else:
            given = Page(body, page.url, fetched_at=FETCHED_AT)
        yield _extract_page_records(page.id, given, contender, body)
        if progress is not None:
            progress(done, len(pages))


def _snapshot_file(snapshots: Path, page: RecordTruth) -> Path:
    return snapshots / f"{page.id}.snapshot"


def _extract_page_records(page_id: str, page: Page, contender: Contender, body: bytes = b"") -> RecordPrediction:
    start = process_time()
    rendered = page.snapshot is not None
    try:
        found = find_records(page, None, contender.key, contender.params)
    except NewsextractError:
        raise  # reason: the caller's mistake or a missing part, the same on every page
    except Exception as error:  # noqa: BLE001  # reason: a defect on one page is counted and must not end the measurement
        return RecordPrediction(
            id=page_id,
            status="failed",
            reason=f"{type(error).__name__}: {error}"[:_REASON_LENGTH],
            seconds=process_time() - start,
            lxml_seconds=parse_seconds(body),
            rendered=rendered,
        )
    seconds = process_time() - start
    records = [PredictedRecord(r.text, tuple((item.label, item.text) for item in r.items)) for r in found.records]
    return RecordPrediction(
        id=page_id,
        records=tuple(records),
        status=found.status,
        confidence=found.confidence,
        reason=found.reason,
        seconds=seconds,
        lxml_seconds=parse_seconds(body),
        rendered=rendered,
    )
