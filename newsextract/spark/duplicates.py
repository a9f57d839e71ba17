"""``duplicate_of`` for a whole collection: the near-same record that was fetched first, of those within a fortnight.

The rule is that of :func:`newsextract.near_duplicates.original`, for a crawl that has fetched all records in the order of
their times (of the same second, of their ids); but see :data:`CROWD`. It is a join: each record gives a row for each of its
bands; rows with the same key are candidates, and only their sketches are fetched and compared. Ids, keys and sketches are
shuffled, never texts, and the driver collects nothing.

Cost: linear; each record is compared with at most :data:`CROWD` others a band.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from newsextract.fingerprint import BAND_DIGITS, BANDS, KEY_DIGITS, overlaps
from newsextract.near_duplicates import DAYS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

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
