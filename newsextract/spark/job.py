"""A whole run: splits → Map → committed parts → Sort, Partition, Reduce → output and summary.

While it runs, ``OUTPUT/_work`` holds the list of splits and what Map has given so far, one file a split (:mod:`.work`). A
run that finds it there does the missing splits only. Reduce is cheap (it goes over the records' lines three times) and done
anew. At the end ``records/``, ``rejected/`` and ``summary.json`` are put in their places. One driver at a time:
:mod:`.claim`.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import newsextract
from newsextract.algorithms import DEFAULT
from newsextract.errors import DataError, NewsextractError
from newsextract.news_record import NewsRecord
from newsextract.progress import Progress
from newsextract.spark import mapping, reducing
from newsextract.spark.claim import Claim
from newsextract.spark.duplicates import Fingerprints
from newsextract.spark.index import Index
from newsextract.spark.java_errors import first_line, told
from newsextract.spark.session import attempts, close_session, open_session
from newsextract.spark.splits import RANGE, Split, is_address, local_files, make_splits
from newsextract.spark.storage import Storage, address, literal
from newsextract.spark.work import RESULTS, Work, check_complete

if TYPE_CHECKING:
    from pyspark import RDD
    from pyspark.sql import SparkSession

_MAP_SETTINGS = {
    "mapreduce.output.fileoutputformat.compress": "false",  # parts are looked for by their names
    # a task's part stands where it belongs when the task has ended, so what is done is there after the driver was killed
    "mapreduce.fileoutputcommitter.algorithm.version": "2",
}
"""Of Hadoop, while Map runs, whatever the user has set for the output."""
OF_THE_SITES = f"that of each page's site as the crawl had it, else {DEFAULT}"
"""In the summary, where no algorithm was named."""
_READERS = 4
"""Tasks for each core that read Map's parts: a task costs a tenth of a second, a part of a small file far less."""
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
    verbose: bool = False
    """Whether Spark's own messages are wanted."""


def run(options: Options, session: SparkSession | None = None) -> dict[str, Any]:
    """Do it; the summary, as it stands in ``summary.json``.

    :param session: one that is open already, and stays so; without one Spark is started for this run.
    :raises UsageError: input, output or Spark are not as they should be.
    """
    index = Index(options.index, options.range)
    output = address(options.output)
    own = None if is_address(options.output) else Path(options.output).absolute()
    _check_apart(options, own)
    if own is not None:
        check_complete(own, options.output)
    files = [None if is_address(path) else local_files(Path(path), own) for path in options.inputs]
    used = session or open_session(options.master, options.settings, verbose=options.verbose)
    try:
        with told("Spark gave up"):
            storage = Storage(used.sparkContext)
            found = [
                file
                for path, local in zip(options.inputs, files, strict=True)
                for file in (storage.files(path) if local is None else local)
            ]
            return _Run(used, storage, options, output, make_splits(found, index)).all()
    finally:
        if session is None:
            close_session(used)


def _check_apart(options: Options, own: Path | None) -> None:
    """That no input is the output, or lies in it."""
    for path in options.inputs:
        if path == options.output or (own is not None and not is_address(path) and Path(path).resolve() == own.resolve()):
            raise DataError(f"{path}: is the input; name another output")
        if own is not None and not is_address(path) and Path(path).resolve().is_relative_to(own.resolve()):
            raise DataError(f"{path}: lies in the output folder {options.output}; name another output")


class _Run:
    def __init__(
        self, session: SparkSession, storage: Storage, options: Options, output: str, splits: Sequence[Split]
    ) -> None:
        self._session = session
        self._spark = session.sparkContext
        self._storage = storage
        self._options = options
        self._work = Work(storage, output, options.output)
        self._splits = splits
        self._partitions = options.partitions or self._spark.defaultParallelism
        self._task = replace(options.task, attempts=attempts(self._spark))

    def all(self) -> dict[str, Any]:
        job = self._job()
        if (finished := self._work.finished(_named(job))) is not None:
            return finished
        with Claim(self._storage, self._work.place, self._options.output) as claim:
            if (finished := self._work.finished(_named(job))) is not None:  # meanwhile, by another driver
                return finished
            self._work.begin(job)
            summary = self._done(claim)
        self._work.delete(claim.run)
        return summary

    def _done(self, claim: Claim) -> dict[str, Any]:
        began = monotonic()
        parts = self._work.committed()
        before = frozenset(parts)
        if before:
            sys.stderr.write(f"spark: going on: {len(before)} of {len(self._splits)} splits are done already\n")
        if missing := [split for split in self._splits if split.number not in parts]:
            self._map(missing)
            parts = self._work.committed()
        if lost := [str(split.number) for split in self._splits if split.number not in parts]:
            raise DataError(
                f"{self._work.place}: there is no part of the splits {', '.join(lost[:10])}{' …' if lost[10:] else ''}, "
                "though Spark says that they are done; is the disk shared by all executors?"
            )
        mapped = monotonic()
        tally = self._reduce(list(parts.values()), claim.run)
        summary = self._summary(tally, before, mapped - began, monotonic() - mapped)
        claim.check()
        self._work.publish(claim.run, summary)
        return summary

    def _job(self) -> dict[str, Any]:
        """What must be the same when a run is gone on with."""
        task = self._task
        job = {
            "version": newsextract.__version__,
            "algorithm": task.choice.algorithm,
            "params": {name: str(value) for name, value in task.choice.params.items()},
            "every_page": task.every_page,
            "input": [split.to_json() for split in self._splits],
        }
        return dict(json.loads(json.dumps(job)))  # as it is when it has been read again

    # -- Map -----------------------------------------------------------------------------------------------------------

    def _map(self, splits: Sequence[Split]) -> None:
        """The splits' parts. Partition i of the job is the i-th number in the list that is written first."""
        local = sorted((split for split in splits if not split.brought), key=lambda split: -split.size)
        brought = [split for split in splits if split.brought]
        lines: list[RDD[str]] = []
        if local:
            values = self._spark.parallelize([split.to_json() for split in local], len(local))
            lines.append(values.mapPartitions(functools.partial(mapping.map_local, self._task)))
        lines += [self._brought(split) for split in brought]
        attempt = self._work.attempt([split.number for split in [*local, *brought]])
        every = lines[0] if len(lines) == 1 else self._spark.union(lines)
        with self._set(_MAP_SETTINGS):
            self._watched("splits", len(splits), lambda: every.saveAsTextFile(attempt))

    def _brought(self, split: Split) -> RDD[str]:
        """One partition: the split's files, as far as they are there."""
        there = [literal(file.path) for file in split.files if self._storage.exists(file.path)]
        contents = self._spark.binaryFiles(",".join(there)) if there else self._spark.parallelize([], 1)
        return contents.coalesce(1).mapPartitions(functools.partial(mapping.map_brought, self._task, split.to_json()))

    @contextmanager
    def _set(self, settings: Mapping[str, str]) -> Iterator[None]:
        configuration: Any = self._spark._jsc.hadoopConfiguration()  # no public way
        before = {name: configuration.get(name) for name in settings}
        for name, value in settings.items():
            configuration.set(name, value)
        try:
            yield
        finally:
            for name, old in before.items():
                if old is None:
                    configuration.unset(name)
                else:
                    configuration.set(name, old)

    # -- Sort, Partition, Reduce ---------------------------------------------------------------------------------------

    def _reduce(self, parts: Sequence[str], run: str) -> reducing.Tally:
        duplicates = self._options.duplicates
        lines = self._spark.textFile(",".join(map(literal, parts)), 1).coalesce(_READERS * self._spark.defaultParallelism)
        rows = lines.map(reducing.keyed).repartitionAndSortWithinPartitions(
            self._partitions, reducing.ByRange(self._partitions)
        )
        tallied = rows.mapPartitions(functools.partial(reducing.tallied, fingerprints=duplicates))
        tally = reducing.Tally()
        marks = []
        for part in self._watched("sorting", 0, tallied.collect):
            tally.add(part)
            marks.append(part.marks)
        known = self._spark.broadcast(Fingerprints(b"".join(marks)) if duplicates else None)

        def written(part: Any) -> Any:
            return reducing.records(part, known.value)

        records, rejected = (f"{self._work.place}/{name}-{run}" for name in RESULTS)
        self._watched("writing", 0, lambda: self._write(rows.mapPartitions(written), records))
        self._watched("writing", 0, lambda: rows.mapPartitions(reducing.rejections).saveAsTextFile(rejected))
        return tally

    def _write(self, texts: RDD[str], place: str) -> None:
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
        self, tally: reducing.Tally, before: frozenset[int], mapping_seconds: float, reducing_seconds: float
    ) -> dict[str, Any]:
        figures = tally.figures
        reasons = tally.reasons.most_common(reducing.MOST_REASONS)
        return {
            "records": tally.statuses["ok"],
            "rejected": {status: n for status, n in tally.statuses.most_common() if status != "ok"},
            "reasons": [{"status": status, "reason": reason, "count": n} for (status, reason), n in reasons],
            "passed_over": tally.passed,
            "record_pages": int(figures["record_pages"]),
            "missing_files": sorted(set(tally.missing)),
            "pages": int(figures["pages"]),
            "pages_done_before": sum(count for split, count in tally.pages.items() if split in before),
            "splits": len(self._splits),
            "splits_done_before": len(before),
            "seconds": round(mapping_seconds + reducing_seconds, 3),
            "map_seconds": round(mapping_seconds, 3),
            "reduce_seconds": round(reducing_seconds, 3),
            "task_seconds": round(figures["seconds"], 3),
            "extract_seconds": round(figures["extract_seconds"], 3),
            "partitions": self._partitions,
            "format": self._options.format,
            "input": list(self._options.inputs),
            **{name: value for name, value in _named(self._job()).items() if name != "input"},
        }


def _named(job: Mapping[str, Any]) -> dict[str, Any]:
    """As the summary has it: in words where each page has the algorithm of its site."""
    return {**job, "algorithm": job["algorithm"] or OF_THE_SITES}


def _schema() -> Any:
    """The columns of Parquet: the fields of a record."""
    from pyspark.sql.types import ArrayType, DoubleType, IntegerType, StringType, StructField, StructType

    kinds = {"int": IntegerType(), "float": DoubleType(), "list[str]": ArrayType(StringType())}
    return StructType([StructField(f.name, kinds.get(str(f.type), StringType())) for f in fields(NewsRecord)])
