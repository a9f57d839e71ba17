"""Map: one split → rows, in a task of Spark. Each page goes to a process of its own, which may die or hang.

The process beside the Python worker of Spark is the same as with ``newsextract extract --warc --workers``; it has one
article at a time, a time limit and a bound on memory. It lives as long as the worker, since its start costs half a second.

A row has :data:`COLUMNS`; the last one of a split is its statistics, in ``text``.

Cost: that of extraction, of reading, and of sending the page over a pipe (``benchmarks/spark.py``).
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import Any

from newsextract.archives import ArchivedArticle, ArchivedRecordPage, Failure, extract_entry
from newsextract.archives.entries import Choice, rejected
from newsextract.archives.record_entries import KINDS, PageLines, record_entry
from newsextract.feed.lines import line
from newsextract.feed.news_record import FeedLine, NewsRecord, Rejection
from newsextract.spark.inputs import Split, SplitReader
from newsextract.workers import Stopped, Workers

COLUMNS = "id string, split int, ordinal int, status string, reason string, mark string, at long, text string"
"""Of Spark. ``text``: the line of the feed; ``mark``: its fingerprint, or null; ``at``: when a record was fetched, in
seconds since 1970; ``reason``: of a rejection."""
STATISTICS = "#"
"""The status of a split's statistics."""
_REASON = 200
"""Characters of a reason that are counted apart."""
Row = tuple[str, int, int, str, str | None, str | None, int | None, str]
Task = ArchivedArticle | ArchivedRecordPage
Result = NewsRecord | PageLines | Rejection
Answer = tuple[Result, float]


@dataclass(frozen=True, slots=True)
class MapTask:
    """What all tasks of a run have in common."""

    choice: Choice
    every_page: bool
    timeout: float
    """Seconds for one article."""
    memory: int
    """Megabytes of the process that extracts."""
    function: Callable[[Any, Choice], Result] = extract_entry
    attempts: int = 1
    """How often Spark tries a task."""
    kind: str | None = None
    """One of :data:`newsextract.archives.record_entries.KINDS`; None: articles."""


def map_local(task: MapTask, splits: Iterable[Mapping[str, Any]]) -> Iterator[Row]:
    """Splits that can be read from a disk of the machine that the task runs on."""
    for value in splits:
        split = Split.from_json(value)
        yield from _read(task, split, [Path(file.path) for file in split.files])


def map_brought(task: MapTask, value: Mapping[str, Any], contents: Iterable[tuple[str, bytes]]) -> Iterator[Row]:
    """A split that Spark has brought as bytes: it is laid on the disk as long as it is read.

    :param contents: (address, bytes) of its files, in any order; one that is not among them is missing.
    """
    split = Split.from_json(value)
    with tempfile.TemporaryDirectory(prefix="newsextract-") as folder:
        paths = {}
        for number, file in enumerate(split.files):
            paths[file.path] = path = Path(folder) / str(number) / file.path.rpartition("/")[2]
            path.parent.mkdir()
        for address, content in contents:
            paths[address].write_bytes(content)
        for file in split.files:
            with suppress(FileNotFoundError):  # reason: who reads it tells it
                os.utime(paths[file.path], (file.modified, file.modified))
        yield from _read(task, split, list(paths.values()))


def _read(task: MapTask, split: Split, paths: Sequence[Path]) -> Iterator[Row]:
    reader = SplitReader(split, paths, every_page=task.every_page, last=_last_try(task))
    yield from _rows(task, split.number, reader)


def _last_try(task: MapTask) -> bool:
    try:
        from pyspark import TaskContext
    except ImportError:
        return True  # reason: called without Spark
    context = TaskContext.get()
    return context is None or context.attemptNumber() + 1 >= task.attempts


def _rows(task: MapTask, number: int, reader: SplitReader) -> Iterator[Row]:
    """The rows of a split. The order of articles and failures is that of the entries."""
    began = monotonic()
    failures: list[tuple[int, Failure]] = []
    ordinals: list[int] = []
    counts = {"rows": 0, "pages": 0, "left_out": 0}

    def tasks() -> Iterator[Task]:
        for ordinal, entry in enumerate(reader.entries()):
            if isinstance(entry, Failure):
                failures.append((ordinal, entry))
                continue
            wanted = entry if task.kind is None else record_entry(entry, KINDS[task.kind])
            if wanted is None or (task.kind is None and isinstance(wanted, ArchivedRecordPage)):
                counts["left_out"] += 1
            else:
                ordinals.append(ordinal)
                yield wanted

    extracting = 0.0
    workers = _Kept.workers(task)
    try:
        for page, answer in workers.run(tasks()):
            if isinstance(answer, Stopped):
                result: Result = rejected(page, "failed", str(answer))
            else:
                result, seconds = answer
                extracting += seconds
            counts["pages"] += 1
            ordinal = ordinals.pop(0)
            for one in result.records if isinstance(result, PageLines) else [result]:
                counts["rows"] += 1
                yield _row(one, number, ordinal)
    except BaseException:  # also a task that is given up: what is in flight must not be taken for the next one's
        _Kept.end()
        raise
    for ordinal, failure in failures:
        yield _row(failure.rejection(), number, ordinal)
    counts["rows"] += len(failures)
    figures = counts | {"seconds": monotonic() - began, "extract_seconds": extracting, "missing": reader.missing}
    yield "", number, 0, STATISTICS, None, None, None, json.dumps(figures)


def _row(result: FeedLine, split: int, ordinal: int) -> Row:
    text = line(result).decode("utf-8").removesuffix("\n")
    if isinstance(result, NewsRecord):
        at = int(datetime.fromisoformat(result.fetched_at).timestamp())
        return result.id, split, ordinal, "ok", None, result.fingerprint, at, text
    if isinstance(result, Rejection):
        return result.id, split, ordinal, result.status, str(result.reason)[:_REASON], None, None, text
    return result.id, split, ordinal, "ok", None, None, None, text


def timed(page: Task, function: Callable[[Any, Choice], Result], choice: Choice) -> Answer:
    """In the process that extracts: the answer, and the seconds that it took."""
    began = monotonic()
    return function(page, choice), monotonic() - began


class _Kept:
    """The process that extracts, kept from one task of Spark to the next: a Python worker has one task at a time."""

    task: MapTask | None = None
    made: Workers[Task, Answer] | None = None

    @classmethod
    def workers(cls, task: MapTask) -> Workers[Task, Answer]:
        if cls.made is None or cls.task != task:
            cls.end()
            cls.made = Workers(1, timed, task.function, task.choice, timeout=task.timeout, memory=task.memory)
            cls.task = task
        return cls.made

    @classmethod
    def end(cls) -> None:
        if cls.made is not None:
            cls.made.__exit__(None, None, None)
        cls.made = cls.task = None
