"""A whole run: splits → Map → committed parts → Sort, Partition, Reduce → output and summary.

While it runs, ``OUTPUT/_work`` holds the list of splits and what Map has given so far, one file a split, which Hadoop's
committer moves to its place in one step when the task ends. A run that finds it there does the missing splits only. Reduce
is cheap (it goes over the records' lines three times) and done anew. At the end there are ``records/``, ``rejected/`` and
``summary.json``.
"""

from __future__ import annotations

import functools
import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, fields
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import newsextract
from newsextract.commands.progress import Progress
from newsextract.errors import DataError, NewsextractError, UsageError
from newsextract.news_record import NewsRecord
from newsextract.spark import mapping, reducing
from newsextract.spark.duplicates import Fingerprints
from newsextract.spark.index import Index
from newsextract.spark.session import first_line, open_session
from newsextract.spark.splits import RANGE, Split, is_address, local_files, make_splits
from newsextract.spark.storage import Storage, address

if TYPE_CHECKING:
    from pyspark import RDD
    from pyspark.sql import SparkSession

_PART = re.compile(r"part-(\d+)")
_LOOK = 0.2
"""Seconds between two looks at how far Spark is."""


@dataclass(frozen=True, slots=True)
class Options:
    """What is asked for."""

    inputs: Sequence[str]
    output: str
    task: mapping.MapTask
    master: str | None = None
    """None: what ``spark-submit`` was told."""
    format: str = "jsonl"
    partitions: int | None = None
    """Files of output; None: as many as Spark has cores."""
    index: Sequence[Path] = ()
    duplicates: bool = True
    settings: Mapping[str, str] = field(default_factory=dict)
    range: int = RANGE


def run(options: Options) -> dict[str, Any]:
    """Do it; the summary, as it stands in ``summary.json``.

    :raises UsageError: input, output or Spark are not as they should be.
    """
    index = Index(options.index, options.range)
    files = [None if is_address(path) else local_files(Path(path)) for path in options.inputs]
    output = address(options.output)
    session = open_session(options.master, options.settings)
    try:
        storage = Storage(session.sparkContext)
        found = [
            file
            for path, local in zip(options.inputs, files, strict=True)
            for file in (storage.files(path) if local is None else local)
        ]
        return _Run(session, storage, options, output, make_splits(found, index)).all()
    finally:
        session.stop()


class _Run:
    def __init__(
        self, session: SparkSession, storage: Storage, options: Options, output: str, splits: Sequence[Split]
    ) -> None:
        self._session = session
        self._spark = session.sparkContext
        self._storage = storage
        self._options = options
        self._output = output
        self._work = f"{output}/_work"
        self._splits = splits
        self._partitions = options.partitions or self._spark.defaultParallelism

    def all(self) -> dict[str, Any]:
        began = monotonic()
        self._prepare()
        parts = self._committed()
        before = len(parts)
        if missing := [split for split in self._splits if split.number not in parts]:
            if before:
                sys.stderr.write(f"spark: going on: {before} of {len(self._splits)} splits are done already\n")
            self._map(missing)
            parts = self._committed()
        mapped = monotonic()
        tally = self._reduce(list(parts.values()))
        summary = self._summary(tally, before, mapped - began, monotonic() - mapped)
        self._storage.write(f"{self._output}/summary.json", summary)
        self._storage.delete(self._work)
        return summary

    # -- what is done already ------------------------------------------------------------------------------------------

    def _prepare(self) -> None:
        """Begin, or find what a run before has begun.

        :raises UsageError: the output holds something else.
        """
        place = self._options.output
        job = self._job()
        if self._storage.exists(f"{self._work}/job.json"):
            begun = self._storage.read(f"{self._work}/job.json")
            other = [name for name, value in job.items() if begun.get(name) != value]
            if other:
                raise UsageError(
                    f"{place}: a run with another {', '.join(other)} was begun here; "
                    "give it the same, or name another output"
                )
            return
        if self._storage.exists(f"{self._output}/summary.json"):
            raise UsageError(f"{place}: is complete already; name another output, or delete it")
        if self._storage.names(self._output):
            raise UsageError(f"{place}: is there and holds something else; name another output")
        self._storage.write(f"{self._work}/job.json", job)

    def _job(self) -> dict[str, Any]:
        """What must be the same when a run is gone on with."""
        task = self._options.task
        job = {
            "version": newsextract.__version__,
            "algorithm": task.choice.algorithm,
            "params": {name: str(value) for name, value in task.choice.params.items()},
            "every_page": task.every_page,
            "input": [split.to_json() for split in self._splits],
        }
        return dict(json.loads(json.dumps(job)))  # as it is when it has been read again

    def _committed(self) -> dict[int, str]:
        """The part of each split that is done."""
        found: dict[int, str] = {}
        for name in self._storage.names(self._work):
            if not name.startswith("map-") or name.endswith(".json"):
                continue
            numbers = self._storage.read(f"{self._work}/{name}.json")
            for part in self._storage.names(f"{self._work}/{name}"):
                if match := _PART.fullmatch(part):
                    found[numbers[int(match[1])]] = f"{self._work}/{name}/{part}"
        return dict(sorted(found.items()))

    # -- Map -----------------------------------------------------------------------------------------------------------

    def _map(self, splits: Sequence[Split]) -> None:
        """The splits' parts. Partition i of the job is the i-th number in the list that is written first."""
        local = sorted((split for split in splits if not split.brought), key=lambda split: -split.size)
        brought = [split for split in splits if split.brought]
        task = self._options.task
        lines: list[RDD[str]] = []
        if local:
            values = self._spark.parallelize([split.to_json() for split in local], len(local))
            lines.append(values.mapPartitions(functools.partial(mapping.map_local, task)))
        lines += [self._brought(split) for split in brought]
        attempt = f"{self._work}/map-{sum(name.endswith('.json') for name in self._storage.names(self._work)):04}"
        self._storage.write(f"{attempt}.json", [split.number for split in [*local, *brought]])
        every = lines[0] if len(lines) == 1 else self._spark.union(lines)
        self._watched("splits", len(splits), lambda: every.saveAsTextFile(attempt))

    def _brought(self, split: Split) -> RDD[str]:
        (file,) = split.files
        place = address(file.path) if not file.remote else file.path
        if split.parquet:
            rows = self._session.read.parquet(place).coalesce(1).rdd
            return rows.mapPartitions(functools.partial(mapping.map_rows, self._options.task, split.to_json()))
        content = self._spark.binaryFiles(place, 1)
        return content.mapPartitions(functools.partial(mapping.map_brought, self._options.task, split.to_json()))

    # -- Sort, Partition, Reduce ---------------------------------------------------------------------------------------

    def _reduce(self, parts: Sequence[str]) -> reducing.Tally:
        for name in ("records", "rejected"):
            self._storage.delete(f"{self._output}/{name}")  # of a run that was killed here
        keyed = self._spark.textFile(",".join(parts), 1).map(reducing.keyed)
        rows = keyed.repartitionAndSortWithinPartitions(self._partitions, reducing.ByRange(self._partitions))
        tally = reducing.Tally()
        marks = []
        for part in self._watched("sorting", 0, lambda: rows.mapPartitions(reducing.tallied).collect()):
            tally.add(part)
            marks.append(part.marks)
        known = self._spark.broadcast(Fingerprints(b"".join(marks)) if self._options.duplicates else None)

        def written(part: Any) -> Any:
            return reducing.records(part, known.value)

        texts = rows.mapPartitions(written)
        self._watched("writing", 0, lambda: self._write(texts))
        self._watched(
            "writing", 0, lambda: rows.mapPartitions(reducing.rejections).saveAsTextFile(f"{self._output}/rejected")
        )
        return tally

    def _write(self, texts: RDD[str]) -> None:
        place = f"{self._output}/records"
        if self._options.format == "jsonl":
            texts.saveAsTextFile(place)
        else:
            self._session.createDataFrame(texts.map(reducing.row), _schema(), verifySchema=False).write.parquet(place)

    # -- what the user is told -----------------------------------------------------------------------------------------

    def _watched(self, what: str, total: int, action: Callable[[], Any]) -> Any:
        """Run something of Spark's and tell how far it is.

        :raises DataError: it failed.
        """
        tracker = self._spark.statusTracker()
        progress = Progress("spark", sys.stderr)
        with ThreadPoolExecutor(1) as pool:
            future = pool.submit(action)
            try:
                while not wait([future], _LOOK).done:
                    stages = [info for stage in tracker.getActiveStageIds() if (info := tracker.getStageInfo(stage))]
                    done = sum(info.numCompletedTasks for info in stages)
                    every = total or max(1, sum(info.numTasks for info in stages))
                    active = sum(info.numActiveTasks for info in stages)
                    progress.tell(f"{what}: {done} of {every} done ({done / every:.0%}), {active} at work")
            except KeyboardInterrupt:
                self._spark.cancelAllJobs()
                raise
            finally:
                progress.close()
        try:
            return future.result()
        except NewsextractError:
            raise
        except Exception as error:  # whatever Java or a task has thrown: one line, and the way on
            raise DataError(
                f"Spark gave up ({what}): {first_line(error)}; "
                "what was done is kept, and the same command goes on from there"
            ) from error

    def _summary(
        self, tally: reducing.Tally, before: int, mapping_seconds: float, reducing_seconds: float
    ) -> dict[str, Any]:
        figures = tally.figures
        reasons = tally.reasons.most_common(reducing.MOST_REASONS)
        return {
            "records": tally.statuses["ok"],
            "rejected": {status: n for status, n in tally.statuses.most_common() if status != "ok"},
            "reasons": [{"status": status, "reason": reason, "count": n} for (status, reason), n in reasons],
            "passed_over": tally.passed,
            "record_pages": int(figures["record_pages"]),
            "pages": int(figures["pages"]),
            "splits": len(self._splits),
            "splits_done_before": before,
            "seconds": round(mapping_seconds + reducing_seconds, 3),
            "map_seconds": round(mapping_seconds, 3),
            "reduce_seconds": round(reducing_seconds, 3),
            "task_seconds": round(figures["seconds"], 3),
            "extract_seconds": round(figures["extract_seconds"], 3),
            "partitions": self._partitions,
            "format": self._options.format,
            "input": list(self._options.inputs),
            **{name: value for name, value in self._job().items() if name != "input"},
        }


def _schema() -> Any:
    """The columns of Parquet: the fields of a record."""
    from pyspark.sql.types import ArrayType, DoubleType, IntegerType, StringType, StructField, StructType

    kinds = {"int": IntegerType(), "float": DoubleType(), "list[str]": ArrayType(StringType())}
    return StructType([StructField(f.name, kinds.get(str(f.type), StringType())) for f in fields(NewsRecord)])
