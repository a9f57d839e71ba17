"""Map: one split → lines, in a task of Spark. Each article goes to a process of its own, which may die or hang.

The process beside the Python worker of Spark is the same as with ``newsextract extract --warc --workers``; it has one
article at a time, a time limit and a bound on memory. It lives as long as the worker, since its start costs half a second.

A line is ``id, split, ordinal, status, fingerprint, JSON``, separated by tabs; the first three have a fixed width and are
what Sort goes by. The last line of a split is its statistics.

Cost: that of extraction, of reading, and of sending the page over a pipe (``benchmarks/spark.py``).
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from newsextract.archives import ArchivedArticle, ArchivedRecordPage, Failure, extract_entry
from newsextract.archives.extraction import Choice, rejected
from newsextract.archives.workers import Stopped, Workers
from newsextract.line_file import line
from newsextract.news_record import NewsRecord, Rejection
from newsextract.spark.reading import SplitReader
from newsextract.spark.splits import Split

KEY = 36
"""Characters of id, split and ordinal with the tabs between them."""
STATISTICS = "#"
"""What a line of statistics begins with."""
Answer = tuple[NewsRecord | Rejection, float]


@dataclass(frozen=True, slots=True)
class MapTask:
    """What all tasks of a run have in common."""

    choice: Choice
    every_page: bool
    timeout: float
    """Seconds for one article."""
    memory: int
    """Megabytes of the process that extracts."""
    function: Callable[[ArchivedArticle, Choice], NewsRecord | Rejection] = extract_entry
    attempts: int = 1
    """How often Spark tries a task."""


def map_local(task: MapTask, splits: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Splits that can be read from a disk of the machine that the task runs on."""
    for value in splits:
        split = Split.from_json(value)
        yield from _read(task, split, [Path(file.path) for file in split.files])


def map_brought(task: MapTask, value: Mapping[str, Any], contents: Iterable[tuple[str, bytes]]) -> Iterator[str]:
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


def _read(task: MapTask, split: Split, paths: Sequence[Path]) -> Iterator[str]:
    reader = SplitReader(split, paths, every_page=task.every_page, last=_last_try(task))
    yield from _lines(task, split.number, reader)


def _last_try(task: MapTask) -> bool:
    try:
        from pyspark import TaskContext
    except ImportError:
        return True  # reason: called without Spark
    context = TaskContext.get()
    return context is None or context.attemptNumber() + 1 >= task.attempts


def _lines(task: MapTask, number: int, reader: SplitReader) -> Iterator[str]:
    """The lines of a split. The order of articles and failures is that of the entries."""
    began = monotonic()
    failures: list[tuple[int, Failure]] = []
    ordinals: list[int] = []
    counts = {"pages": 0, "record_pages": 0}

    def articles() -> Iterator[ArchivedArticle]:
        for ordinal, entry in enumerate(reader.entries()):
            if isinstance(entry, ArchivedRecordPage):
                counts["record_pages"] += 1
            elif isinstance(entry, Failure):
                failures.append((ordinal, entry))
            else:
                ordinals.append(ordinal)
                yield entry

    extracting = 0.0
    workers = _Kept.workers(task)
    try:
        for article, answer in workers.run(articles()):
            if isinstance(answer, Stopped):
                result: NewsRecord | Rejection = rejected(article, "failed", str(answer))
            else:
                result, seconds = answer
                extracting += seconds
            counts["pages"] += 1
            yield _line(result, number, ordinals.pop(0))
    except BaseException:  # also a task that is given up: what is in flight must not be taken for the next one's
        _Kept.end()
        raise
    for ordinal, failure in failures:
        yield _line(failure.rejection(), number, ordinal)
    figures = counts | {"seconds": monotonic() - began, "extract_seconds": extracting, "missing": reader.missing}
    yield f"{STATISTICS * 16}\t{number:08}\t{0:010}\t{STATISTICS}\t-\t{json.dumps(figures)}"


def _line(result: NewsRecord | Rejection, split: int, ordinal: int) -> str:
    status, mark = ("ok", result.fingerprint or "-") if isinstance(result, NewsRecord) else (result.status, "-")
    text = line(result).decode("utf-8").removesuffix("\n")
    return f"{result.id}\t{split:08}\t{ordinal:010}\t{status}\t{mark}\t{text}"


def timed(
    article: ArchivedArticle, function: Callable[[ArchivedArticle, Choice], NewsRecord | Rejection], choice: Choice
) -> Answer:
    """In the process that extracts: the answer, and the seconds that it took."""
    began = monotonic()
    return function(article, choice), monotonic() - began


class _Kept:
    """The process that extracts, kept from one task of Spark to the next: a Python worker has one task at a time."""

    task: MapTask | None = None
    made: Workers[ArchivedArticle, Answer] | None = None

    @classmethod
    def workers(cls, task: MapTask) -> Workers[ArchivedArticle, Answer]:
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
