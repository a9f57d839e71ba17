"""A whole run: splits → Map → Sort, Partition, Reduce → output and summary.

What is done stands beside the output, in a folder ``_NAME.unfinished-RUN``: what Map has given (Parquet, committed by
Spark), then the results. At the end the folder is renamed: an output is there whole, or not at all. A run that was killed
begins anew.

Map makes rows of a split, in a task of Spark. Sort, Partition and Reduce make one line for each id, in their order.
"""

from __future__ import annotations

import functools
import json
import os
import secrets
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

import newsextract
from newsextract.archives import ArchivedArticle, ArchivedRecordPage, Failure, extract_entry
from newsextract.archives.entries import KINDS, Choice, PageLines, record_entry, rejected
from newsextract.control_characters import ProgressLine
from newsextract.errors import DataError, NewsextractError, UsageError
from newsextract.feed import line
from newsextract.feed.duplicates import BAND_DIGITS, BANDS, DAYS, KEY_DIGITS, overlaps
from newsextract.feed.record_lines import FeedLine, NewsRecord, Rejection
from newsextract.spark import attempts, close_session, first_line, open_session, told
from newsextract.spark.inputs import Split, SplitReader, Storage, address, is_address, literal, local_files, make_splits
from newsextract.workers import Stopped, Workers

if TYPE_CHECKING:
    from pyspark import RDD
    from pyspark.sql import DataFrame, SparkSession

# --- mapping --------------------------------------------------------------------------------------

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
    """One of :data:`newsextract.archives.entries.KINDS`; None: articles."""


def map_local(task: MapTask, splits: Iterable[Mapping[str, Any]]) -> Iterator[Row]:
    """Splits that can be read from a disk of the machine that the task runs on."""
    for value in splits:
        split = Split.from_json(value)
        yield from _rows(task, split, [Path(file.path) for file in split.files])


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
        yield from _rows(task, split, list(paths.values()))


def _last_try(task: MapTask) -> bool:
    try:
        from pyspark import TaskContext
    except ImportError:
        return True  # reason: called without Spark
    context = TaskContext.get()
    return context is None or context.attemptNumber() + 1 >= task.attempts


def _rows(task: MapTask, split: Split, paths: Sequence[Path]) -> Iterator[Row]:
    """The rows of a split. The order of articles and failures is that of the entries."""
    number, reader = split.number, SplitReader(split, paths, every_page=task.every_page, last=_last_try(task))
    began = monotonic()
    failures: list[tuple[int, Failure]] = []
    ordinals: list[int] = []
    counts = {"rows": 0, "pages": 0, "left_out": 0}
    kind = KINDS[task.kind] if task.kind is not None else None

    def tasks() -> Iterator[Task]:
        for ordinal, entry in enumerate(reader.entries()):
            if isinstance(entry, Failure):
                failures.append((ordinal, entry))
                continue
            wanted = record_entry(entry, kind)
            if wanted is None:
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


# --- reducing -------------------------------------------------------------------------------------
# Sort, Partition and Reduce: the lines of Map → one line for each id, in the order of the ids, and what is counted.
#
# All of it is done by Spark's own engine. Of several lines with one id the first in the order of the input counts, as with
# ``newsextract extract --warc``.

MOST_REASONS = 20
"""Kinds of rejections that the summary tells, with their reasons."""
MOST_MISSING = 1_000
"""Files that the summary names."""
_FIGURES = "rows long, pages long, left_out long, seconds double, extract_seconds double, missing array<string>"
_STATUSES = 20
"""More than there are."""
_DUPLICATE_OF = '"duplicate_of": '


def rows_of(mapped: DataFrame) -> DataFrame:
    """What Map gave, without its statistics."""
    return mapped.where(f"status <> '{STATISTICS}'")


def winners(mapped: DataFrame) -> DataFrame:
    """(id, status, reason, mark, at) of the first line of each id; texts are not read."""
    from pyspark.sql import functions as F  # noqa: N812  # as Spark's own documentation has it

    first = F.min(F.struct("split", "ordinal", "status", "reason", "mark", "at")).alias("first")
    return rows_of(mapped).groupBy("id").agg(first).select("id", "first.*").drop("split", "ordinal")


def reduced(mapped: DataFrame, originals: DataFrame | None, partitions: int) -> DataFrame:
    """(kind, text): the lines of ``records`` and ``rejected``, in ranges of ids; within a partition in their order.

    :param originals: (id, original) of duplicates; they travel as rows beside the texts, so the texts are shuffled once.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812

    rows = rows_of(mapped).select("id", "split", "ordinal", "status", "text", F.lit(None).cast("string").alias("original"))
    if originals is not None:
        rows = rows.unionByName(originals, allowMissingColumns=True)
    same = Window.partitionBy("id")
    number = F.row_number().over(same.orderBy(F.col("text").isNull(), "split", "ordinal"))
    kind = F.when(F.col("status") == "ok", "records").otherwise("rejected")
    tail = f"substring_index(text, '{_DUPLICATE_OF}', -1)"  # of the last: a user's field may have one within
    before = F.expr(f"left(text, length(text) - length({tail}))")
    after = F.expr(f"substring({tail}, {len('null') + 1})")
    filled = F.concat(before, F.lit('"'), "original", F.lit('"'), after)
    return (
        rows.repartitionByRange(partitions, "id")
        .withColumn("original", F.max("original").over(same))
        .withColumn("number", number)
        .where("number = 1")
        .select("id", kind.alias("kind"), F.when(F.col("original").isNull(), F.col("text")).otherwise(filled).alias("text"))
        .sortWithinPartitions("kind", "id")
        .select("kind", "text")
    )


def tally(mapped: DataFrame, first: DataFrame) -> dict[str, Any]:
    """The counts of the summary, made by Spark; the driver gets a few rows.

    :param first: of :func:`winners`.
    """
    from pyspark.sql import functions as F  # noqa: N812

    figures = mapped.where(f"status = '{STATISTICS}'").select(F.from_json("text", _FIGURES).alias("of")).select("of.*")
    names = ("rows", "pages", "left_out", "seconds", "extract_seconds")
    missing = F.array_sort(F.array_distinct(F.flatten(F.collect_list("missing"))))
    (sums,) = figures.agg(
        *(F.sum(name).alias(name) for name in names), F.slice(missing, 1, MOST_MISSING).alias("missing")
    ).collect()
    counts = first.rollup("status", "reason").agg(F.count("*").alias("count"), F.grouping_id().alias("level"))
    order = F.desc("level"), F.desc("count"), "status", "reason"  # all; each status; each reason
    told = counts.where("level > 0 OR status <> 'ok'").orderBy(*order).limit(_STATUSES + MOST_REASONS).collect()
    statuses = {row["status"]: row["count"] for row in told if row["level"] == 1}
    return {
        "records": statuses.pop("ok", 0),
        "rejected": statuses,
        "reasons": [{name: row[name] for name in ("status", "reason", "count")} for row in told if row["level"] == 0][
            :MOST_REASONS
        ],
        "passed_over": sums["rows"] - sum(row["count"] for row in told if row["level"] == 3),
        "missing_files": sums["missing"],
        "pages": sums["pages"],
        "left_out": sums["left_out"],
        "task_seconds": round(sums["seconds"], 3),
        "extract_seconds": round(sums["extract_seconds"], 3),
    }


# --- duplicates -----------------------------------------------------------------------------------
# ``duplicate_of`` for a whole collection: the near-same record that was fetched first, of those within a fortnight.
#
# The rule is that of :func:`newsextract.feed.duplicates.original`, for a crawl that has fetched all records in the order of
# their times (of the same second, of their ids); but see :data:`CROWD`. It is a join: each record gives a row for each of
# its bands; rows with the same key are candidates, and only their sketches are fetched and compared. Ids, keys and sketches
# are shuffled, never texts, and the driver collects nothing.
#
# Cost: linear; each record is compared with at most :data:`CROWD` others a band.

CROWD = 100
"""Texts of one band that another one is compared with: those of its fortnight that were fetched first. Copies of a text
share most of their bands, so a crowd hides none that shares a band outside of it; without a bound 100,000 weather reports
would be billions of pairs."""
_WINDOW = 86_400 * DAYS
"""Seconds."""
_COMPARED = 4_096
"""Pairs of sketches that are compared at once."""


def originals(marks: DataFrame) -> DataFrame:
    """(id, original) of the records that have one.

    :param marks: (id, mark, at) of all records, each id once; ``mark`` is a fingerprint, ``at`` the time of fetching in
        seconds; neither is null.
    """
    from pyspark import StorageLevel
    from pyspark.sql import functions as F  # noqa: N812  # as Spark's own documentation has it

    known = marks.persist(StorageLevel.DISK_ONLY)
    pairs = _candidates(known).select("id", "earlier").distinct()
    sketch = F.unhex(F.expr(f"substring(mark, {BAND_DIGITS + 1})"))
    compared = pairs.join(known.select("id", sketch.alias("sketch")), "id").join(
        known.select(F.col("id").alias("earlier"), sketch.alias("other"), "at"), "earlier"
    )
    near = (
        compared.select("id", "earlier", "sketch", "other", "at")
        .rdd.mapPartitions(near_pairs)
        .toDF("id string, at long, earlier string")
    )
    first = F.min(F.struct("at", "earlier")).alias("first")
    return near.groupBy("id").agg(first).select("id", F.col("first.earlier").alias("original"))


def _candidates(known: DataFrame) -> DataFrame:
    """(id, earlier): for each record those that share a band and are earlier, within the window; a pair once a band.

    Within a band the records have places in the order of (at, id). The window of a record begins behind those that are
    earlier than a *probe*, a row at the time where it begins.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812

    numbers = F.sequence(F.lit(0), F.lit(BANDS - 1))
    band = F.explode(  # of the band's number and key; another one with the same hash is a candidate more, no duplicate
        F.transform(numbers, lambda k: F.xxhash64(k, F.substring("mark", k * KEY_DIGITS + F.lit(1), F.lit(KEY_DIGITS))))
    )
    shared = (
        known.select("id", "at", band.alias("band"))
        .withColumn("count", F.count("*").over(Window.partitionBy("band")))
        .where("count > 1")
    )
    moment = F.array(
        F.struct(F.col("at").alias("time"), F.lit(1).alias("one")),
        F.struct((F.col("at") - _WINDOW).alias("time"), F.lit(0).alias("one")),  # before a record of the same second
    )
    order = Window.partitionBy("band").orderBy("time", "one", "id")
    counted = (
        shared.select("band", "id", F.explode(moment).alias("moment"))
        .select("band", "id", "moment.*")
        .withColumn("place", F.sum("one").over(order.rowsBetween(Window.unboundedPreceding, Window.currentRow)))
    )
    place = F.max(F.when(F.col("one") == 1, F.col("place"))).alias("place")
    passed = F.max(F.when(F.col("one") == 0, F.col("place"))).alias("passed")
    placed = counted.groupBy("band", "id").agg(place, passed)
    until = F.least(F.col("place") - 1, F.col("passed") + CROWD)
    asking = placed.where("passed + 1 < place").select(
        "band", "id", F.explode(F.sequence(F.col("passed") + 1, until)).alias("place")
    )
    return asking.join(placed.select("band", "place", F.col("id").alias("earlier")), ["band", "place"])


def near_pairs(rows: Iterable[Any]) -> Iterator[tuple[str, int, str]]:
    """Those of candidate pairs that share enough shingles: id, time and id of the earlier one.

    :param rows: (id, earlier id, sketch, the other's sketch, the other's time).
    """
    waiting = iter(rows)
    while some := list(islice(waiting, _COMPARED)):
        mine, others = (np.frombuffer(b"".join(row[k] for row in some), np.uint8).reshape(len(some), -1) for k in (2, 3))
        for row, near in zip(some, overlaps(mine, others), strict=True):
            if near:
                yield row[0], row[4], row[1]


# --- run ------------------------------------------------------------------------------------------

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
    task: MapTask
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
        mapped = self._session.read.schema(COLUMNS).parquet(f"{self._work}/mapped")
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
        rows: list[RDD[Row]] = []
        if local:
            values = self._spark.parallelize([split.to_json() for split in local], len(local))
            rows.append(values.mapPartitions(functools.partial(map_local, self._task)))
        rows += [self._brought(split) for split in self._splits if split.brought]
        every = rows[0] if len(rows) == 1 else self._spark.union(rows)
        frame = self._session.createDataFrame(every, COLUMNS, verifySchema=False)
        self._watched("splits", len(self._splits), lambda: frame.write.parquet(place))

    def _brought(self, split: Split) -> RDD[Row]:
        """One partition: the split's files, as far as they are there."""
        there = [literal(file.path) for file in split.files if self._storage.exists(file.path)]
        contents = self._spark.binaryFiles(",".join(there)) if there else self._spark.parallelize([], 1)
        return contents.coalesce(1).mapPartitions(functools.partial(map_brought, self._task, split.to_json()))

    # -- Sort, Partition, Reduce ---------------------------------------------------------------------------------------

    def _reduce(self, mapped: DataFrame, place: str) -> dict[str, Any]:
        """Write the results; the counts.

        :param place: a temporary folder for records and rejections; each kind is moved to its own folder afterwards.
        """
        first = winners(mapped)
        marks = first.where("mark IS NOT NULL").select("id", "mark", "at")
        wanted = self._options.duplicates and self._task.kind is None
        known = self._watched("duplicates", 0, lambda: originals(marks)) if wanted else None
        lines = reduced(mapped, known, self._partitions)
        self._watched("writing", 0, lambda: lines.write.partitionBy("kind").text(place))
        for name in RESULTS:
            if self._storage.exists(f"{place}/kind={name}"):
                self._storage.rename(f"{place}/kind={name}", f"{self._work}/{name}")
            else:
                self._storage.make(f"{self._work}/{name}")
        if self._options.format == "parquet":
            self._watched("writing", 0, self._to_parquet)
        counts: dict[str, Any] = self._watched("counting", 0, lambda: tally(mapped, first))
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
