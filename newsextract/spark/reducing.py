"""Sort, Partition and Reduce: the lines of Map → one line for each id, in the order of the ids, and what is counted.

All of it is done by Spark's own engine. Of several lines with one id the first in the order of the input counts, as with
``newsextract extract --warc``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from newsextract.spark.mapping import STATISTICS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST_REASONS = 20
"""Kinds of rejections that the summary tells, with their reasons."""
MOST_MISSING = 1_000
"""Files that the summary names."""
_FIGURES = "rows long, pages long, record_pages long, seconds double, extract_seconds double, missing array<string>"
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
    names = ("rows", "pages", "record_pages", "seconds", "extract_seconds")
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
        "record_pages": sums["record_pages"],
        "task_seconds": round(sums["seconds"], 3),
        "extract_seconds": round(sums["extract_seconds"], 3),
    }
