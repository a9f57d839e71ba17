"""Duplicates of a large collection with Spark: time and memory for sketches made by chance.

    python -m benchmarks.spark_duplicates [--records 1000000] [--master 'local[2]'] [--memory 512m]

Fingerprints of random digits, ids of random order; every tenth record is a copy of another one with 12 of 16 bands and half
of the sketch changed, every hundredth an equal one. All of these must be found, and hardly more. Printed: the time, the most
memory of the Java process (driver and executors in one) and of this one. The targets are those of ten million records.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.machine import processes
from benchmarks.spark import verdict
from newsextract.feed.duplicates import BAND_DIGITS, DIGITS
from newsextract.spark import check_environment, close_session, open_session
from newsextract.spark.job import originals

MOST_MEMORY = 1_000
"""Megabytes."""
_PARTITION = 50_000
"""Records of a task that makes them."""
_SHUFFLED = 100_000
"""Records for each partition of a shuffle."""


def made(numbers: Iterable[int]) -> Iterator[tuple[str, str, int]]:
    """(id, mark, at) of records: that of a number is the same in each task; one is fetched a second."""
    for number in numbers:
        mark = _random(number)
        if number % 100 == 1:
            mark = _random(number - 1)
        elif number % 10 == 2:
            other = _random(number - 1 if number % 100 != 2 else number - 2)
            mark = other[:32] + mark[32:BAND_DIGITS] + other[BAND_DIGITS : BAND_DIGITS + 128] + mark[BAND_DIGITS + 128 :]
        yield f"{number * 0x9E3779B97F4A7C15 % 2**64:016x}", mark, number


def _random(number: int) -> str:
    return hashlib.shake_128(b"%d" % number).hexdigest(DIGITS // 2)


def peak(process: int | str) -> float:
    """Megabytes that a process has had at most."""
    status = Path(f"/proc/{process}/status").read_text("ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1_000


def wanted(records: int) -> int:
    """Copies among so many records: each has another near it that was fetched a second or two before."""
    return sum(number % 100 == 1 or number % 10 == 2 for number in range(records))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--memory", default="512m", help="of Java's heap; the process takes some more; default: 512m")
    given = parser.parse_args()
    check_environment()
    settings = {
        "spark.driver.memory": given.memory,
        "spark.sql.shuffle.partitions": str(max(2, given.records // _SHUFFLED)),
        "spark.executorEnv.PYTHONPATH": os.pathsep.join([str(Path.cwd()), *sys.path]),
    }
    session = open_session(given.master, settings)
    try:
        records = given.records
        numbers = session.sparkContext.range(0, records, 1, max(2, records // _PARTITION))
        rows = numbers.mapPartitions(made)
        marks = session.createDataFrame(rows, "id string, mark string, at long", verifySchema=False)
        began = time.monotonic()
        rows.count()
        making = time.monotonic() - began
        java = int(session.sparkContext._jvm.java.lang.ProcessHandle.current().pid())
        began, before = time.monotonic(), processes()[java].seconds
        found = originals(marks).count()
        seconds, used = time.monotonic() - began - making, processes()[java].seconds - before
        print(
            f"{records:,} records: {found:,} of {wanted(records):,} duplicates in {seconds:.0f} s ({making:.0f} s for "
            f"making them are left out); {used:.0f} s of Java's CPU time, {1e6 * used / records:.0f} µs each"
        )
        memory = peak(java) + peak("self")
        verdict("megabytes of Java and Python at most", memory, memory <= MOST_MEMORY, f"<= {MOST_MEMORY}")
    finally:
        close_session(session)


if __name__ == "__main__":
    main()
