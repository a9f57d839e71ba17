"""A whole run: splits → Map → Sort, Partition, Reduce → output and summary.

What is done stands beside the output, in a folder ``_NAME.unfinished-RUN``: what Map has given (Parquet, committed by
Spark), then the results. At the end the folder is renamed: an output is there whole, or not at all. A run that was killed
begins anew.
"""

from __future__ import annotations

import functools
import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import newsextract
from newsextract.archives.entries import KINDS
from newsextract.control_characters import ProgressLine
from newsextract.errors import DataError, NewsextractError, UsageError
from newsextract.feed.record_lines import NewsRecord
from newsextract.spark import attempts, close_session, first_line, map_reduce, open_session, told
from newsextract.spark.inputs import Split, Storage, address, is_address, literal, local_files, make_splits
from newsextract.spark.map_reduce import originals

if TYPE_CHECKING:
    from pyspark import RDD
    from pyspark.sql import DataFrame, SparkSession

OF_THE_SITES = "that of each page's site as the crawl had it, else {}"
"""In the summary, where no algorithm was named."""
RESULTS = ("records", "rejected")
SHUFFLED = 64_000_000
"""Bytes of input for each partition of a shuffle: about as much is shuffled as packed input is read."""
_LOOK = 0.2
"""Seconds between two looks at how far Spark is."""


@dataclass(frozen=True, slots=True)
class Options:
    """What is asked for."""

    inputs: Sequence[str]
    output: str
    task: map_reduce.MapTask
    master: str | None = None
    """None: what ``spark-submit`` was told."""
    format: str = "jsonl"
    partitions: int | None = None
    """Files of output; None: as many as Spark has cores."""
    duplicates: bool = True
    settings: Mapping[str, str] = field(default_factory=dict)
    verbose: bool = False
    """Whether Spark's own messages are wanted."""


def run(options: Options, session: SparkSession | None = None) -> dict[str, Any]:
    """Do it; the summary, as it stands in ``summary.json``.

    :param session: one that is open already, and stays so; without one Spark is started for this run.
    :raises UsageError: input, output or Spark are not as they should be.
    """
    output = address(options.output)
    own = None if is_address(options.output) else Path(options.output).absolute()
    _check_apart(options, own)
    if own is not None:
        check_free([path.name for path in own.iterdir()] if own.is_dir() else [""] if own.exists() else [], options.output)
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
            return _SparkRun(used, storage, options, output, make_splits(found)).all()
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


def check_free(names: Sequence[str], shown: str) -> None:
    """Whether an output may be written.

    :param names: what is in its folder.
    :raises UsageError: it is complete, or it holds something else.
    """
    if "summary.json" in names:
        raise UsageError(f"{shown}: is complete already; name another output, or delete it")
    if names:
        raise UsageError(f"{shown}: is there and holds something else; name another output")


class _SparkRun:
    def __init__(
        self, session: SparkSession, storage: Storage, options: Options, output: str, splits: Sequence[Split]
    ) -> None:
        self._session = session
        self._spark = session.sparkContext
        self._storage = storage
        self._options = options
        self._output = output
        self._parent, _, name = output.rpartition("/")
        if self._parent.endswith("/"):
            raise UsageError(f"{options.output}: is the root of a storage; name a folder in it")
        self._unfinished = f"_{name}.unfinished-"
        self._work = f"{self._parent}/{self._unfinished}{secrets.token_hex(4)}"
        self._splits = splits
        self._partitions = options.partitions or self._spark.defaultParallelism
        self._task = replace(options.task, attempts=attempts(self._spark))
        if "spark.sql.shuffle.partitions" not in options.settings:  # 200, else, and each costs some milliseconds
            shuffled = max(self._spark.defaultParallelism, sum(split.size for split in splits) // SHUFFLED)
            session.conf.set("spark.sql.shuffle.partitions", str(shuffled))

    def all(self) -> dict[str, Any]:
        check_free(self._storage.names(self._output), self._options.output)
        try:
            summary = self._done()
            if self._storage.names(self._output):
                raise DataError(f"{self._options.output}: another run has completed it meanwhile; it stays as it is")
            self._storage.rename(self._work, self._output)
        except BaseException:  # reason: Ctrl-C, too, leaves no half-made folder; raised again below
            with suppress(NewsextractError):  # reason: the first error is the one to report
                self._storage.delete(self._work)
            raise
        with suppress(NewsextractError):  # reason: the output is complete; what is left of others does no harm
            for name in self._storage.names(f"{self._parent}/"):
                if name.startswith(self._unfinished):  # of runs that were killed, or come too late
                    self._storage.delete(f"{self._parent}/{name}")
        return summary

    def _done(self) -> dict[str, Any]:
        began = monotonic()
        self._storage.make(self._work)
        self._map(f"{self._work}/mapped")
        mapped_at = monotonic()
        mapped = self._session.read.schema(map_reduce.COLUMNS).parquet(f"{self._work}/mapped")
        counts = self._reduce(mapped, f"{self._work}/lines")
        for name in ("mapped", "lines"):
            self._storage.delete(f"{self._work}/{name}")
        ended = monotonic()
        seconds = {"seconds": ended - began, "map_seconds": mapped_at - began, "reduce_seconds": ended - mapped_at}
        task = self._task
        summary = {
            **counts,
            "splits": len(self._splits),
            **{name: round(value, 3) for name, value in seconds.items()},
            "partitions": self._partitions,
            "format": self._options.format,
            "input": list(self._options.inputs),
            "version": newsextract.__version__,
            "algorithm": task.choice.algorithm or OF_THE_SITES.format(task.choice.fallback),
            "kind": task.kind or "articles",
            "params": {name: str(value) for name, value in task.choice.params.items()},
            "every_page": task.every_page,
        }
        self._storage.write(f"{self._work}/summary.json", summary)
        return summary

    # -- Map -----------------------------------------------------------------------------------------------------------

    def _map(self, place: str) -> None:
        """A split is a task; the largest ones come first."""
        local = sorted((split for split in self._splits if not split.brought), key=lambda split: -split.size)
        rows: list[RDD[map_reduce.Row]] = []
        if local:
            values = self._spark.parallelize([split.to_json() for split in local], len(local))
            rows.append(values.mapPartitions(functools.partial(map_reduce.map_local, self._task)))
        rows += [self._brought(split) for split in self._splits if split.brought]
        every = rows[0] if len(rows) == 1 else self._spark.union(rows)
        frame = self._session.createDataFrame(every, map_reduce.COLUMNS, verifySchema=False)
        self._watched("splits", len(self._splits), lambda: frame.write.parquet(place))

    def _brought(self, split: Split) -> RDD[map_reduce.Row]:
        """One partition: the split's files, as far as they are there."""
        there = [literal(file.path) for file in split.files if self._storage.exists(file.path)]
        contents = self._spark.binaryFiles(",".join(there)) if there else self._spark.parallelize([], 1)
        return contents.coalesce(1).mapPartitions(functools.partial(map_reduce.map_brought, self._task, split.to_json()))

    # -- Sort, Partition, Reduce ---------------------------------------------------------------------------------------

    def _reduce(self, mapped: DataFrame, place: str) -> dict[str, Any]:
        """Write the results; the counts.

        :param place: a temporary folder for records and rejections; each kind is moved to its own folder afterwards.
        """
        first = map_reduce.winners(mapped)
        marks = first.where("mark IS NOT NULL").select("id", "mark", "at")
        wanted = self._options.duplicates and self._task.kind is None
        known = self._watched("duplicates", 0, lambda: originals(marks)) if wanted else None
        lines = map_reduce.reduced(mapped, known, self._partitions)
        self._watched("writing", 0, lambda: lines.write.partitionBy("kind").text(place))
        for name in RESULTS:
            if self._storage.exists(f"{place}/kind={name}"):
                self._storage.rename(f"{place}/kind={name}", f"{self._work}/{name}")
            else:
                self._storage.make(f"{self._work}/{name}")
        if self._options.format == "parquet":
            self._watched("writing", 0, self._to_parquet)
        counts: dict[str, Any] = self._watched("counting", 0, lambda: map_reduce.tally(mapped, first))
        self._session.catalog.clearCache()
        return counts

    def _to_parquet(self) -> None:
        lines, records = f"{self._work}/lines/records", f"{self._work}/records"
        self._storage.rename(records, lines)
        frame = self._session.read.schema(_schema(self._task.kind)).json(lines)
        frame.repartitionByRange(self._partitions, "id").sortWithinPartitions("id").write.parquet(records)

    # -- what the user is told -----------------------------------------------------------------------------------------

    def _watched(self, what: str, total: int, action: Callable[[], Any]) -> Any:
        """Run something of Spark's and tell how far it is. Raises DataError: it failed."""
        tracker = self._spark.statusTracker()
        progress = ProgressLine("spark", sys.stderr)
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
            again = "run the same command again to start from the beginning"
            raise DataError(f"Spark gave up ({what}): {first_line(error)}; {again}") from error


def _schema(kind: str | None) -> Any:
    """The columns of Parquet: the fields of a record."""
    from pyspark.sql.types import ArrayType, DoubleType, IntegerType, StringType, StructField, StructType

    line = KINDS[kind].line if kind else NewsRecord
    quote = StructType([StructField(name, StringType()) for name in ("author", "text")])
    kinds = {"int": IntegerType(), "float": DoubleType(), "float | None": DoubleType(), "list[str]": ArrayType(StringType())}
    kinds["list[dict[str, str | None]]"] = ArrayType(quote)
    return StructType([StructField(f.name, kinds.get(str(f.type), StringType())) for f in fields(line)])
