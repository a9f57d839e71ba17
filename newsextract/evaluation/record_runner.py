"""Run a record algorithm over the pages of a data set, and measure what it costs.

With a folder of snapshots (``<id>.snapshot``) a page is what the browser saw of it, otherwise its source alone; which of the
two it was is part of the prediction. Loading the snapshot is not timed: making one is the browser's cost, and a crawl has it
in memory. Cost is CPU time (``process_time``), beside that of a plain ``lxml.html.fromstring`` of the page's bytes.

A page on which the algorithm raises is a prediction with status ``failed`` and the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from time import process_time

from newsextract.errors import DataError, NewsextractError
from newsextract.evaluation.contenders import Contender
from newsextract.evaluation.datasets import read
from newsextract.evaluation.record_datasets import PredictedRecord, RecordPrediction, RecordTruth
from newsextract.evaluation.runner import FETCHED_AT, Progress, parse_seconds
from newsextract.page import Page
from newsextract.records import find_records
from newsextract.snapshot import Snapshot

_REASON_LENGTH = 200
_WARM_UP = b"<ul>" + b"<li><h3><a href=/1>One of them</a></h3><p>A sentence, and another.</p></li>" * 5 + b"</ul>"


def run(
    pages: Sequence[RecordTruth],
    contender: Contender,
    snapshots: Path | None = None,
    progress: Progress | None = None,
) -> Iterator[RecordPrediction]:
    """Extract the pages; predictions come in the order of the pages.

    :param snapshots: the folder of ``<id>.snapshot``; a page without one is read from its source.
    :raises DataError: a page file is missing, a snapshot cannot be read, or the folder holds none of these pages.
    :raises MissingExtra: the algorithm needs a package that is not installed.
    """
    if snapshots is not None and not any(_snapshot_file(snapshots, page).is_file() for page in pages):
        raise DataError(f"{snapshots} holds no snapshot of any of the pages; expected <id>.snapshot")
    _extract("", Page(_WARM_UP, fetched_at=FETCHED_AT), contender)  # what is loaded lazily is charged to no page
    parse_seconds(_WARM_UP)
    for done, page in enumerate(pages, 1):
        body = read(page)
        file = _snapshot_file(snapshots, page) if snapshots is not None else None
        if file is not None and file.is_file():
            given = Page.from_snapshot(Snapshot.load(file))
        else:
            given = Page(body, page.url, fetched_at=FETCHED_AT)
        yield _extract(page.id, given, contender, body)
        if progress is not None:
            progress(done, len(pages))


def _snapshot_file(snapshots: Path, page: RecordTruth) -> Path:
    return snapshots / f"{page.id}.snapshot"


def _extract(page_id: str, page: Page, contender: Contender, body: bytes = b"") -> RecordPrediction:
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
