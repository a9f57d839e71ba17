"""What Spark gains and costs: pages a second of the plain loop, ``--workers 2``, and Spark on one core and two.

    python -m benchmarks.spark [--pages 20000] [--files 40] [--repetitions 1] [--sizes 100 500 2000 5000]

The articles of the bench are written to WARC files, each page once or often under different addresses, and extracted in
turn by

* ``newsextract extract --warc --workers 0``: the plain loop, pinned to one core;
* ``newsextract extract --warc --workers 2``;
* ``newsextract spark extract --master local[1]``, pinned to one core (the Java process, too), and ``local[2]``.

All outputs must have the same lines. Time is that of the whole command, so starting Java is in it. The smaller collections
tell what is fixed (start-up) and what a page more costs (see :func:`line_through`), so Spark's overhead is told both ways,
in time and in CPU time. A **model** of 1, 2, 4, 6, 8 executors: see :func:`modelled`. Wang and Cao (2016), section 4.3,
Table 3, say of their cluster and 10,000 pages: the speedup is nearly linear up to six nodes, and grows more slowly beyond,
since the overhead of parallelisation grows and there is too little data; Table 4: time per page falls up to 2,000 pages and
is steady from there on. Takes about twelve minutes on a quiet machine of two cores.
"""

from __future__ import annotations

import argparse
import ctypes
import io
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from gzip import compress, decompress
from pathlib import Path
from typing import Any, NamedTuple

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from benchmarks.crawling import SETS
from benchmarks.machine import QUIET, others
from benchmarks.server import ROOT

TARGETS = {"two cores": 1.8, "overhead": 0.25}
"""Least speedup of two cores over one; most that Spark may cost above the plain loop on one core, as a share."""
WAYS = {
    "plain loop, 1 core": (True, ["extract", "--warc", "{}", "-o", "{}.jsonl", "--workers", "0", "--every-page"]),
    "--workers 2": (False, ["extract", "--warc", "{}", "-o", "{}.jsonl", "--workers", "2", "--every-page"]),
    "Spark, 1 core": (True, ["spark", "extract", "{}", "{}", "--master", "local[1]", "--every-page"]),
    "Spark, 2 cores": (False, ["spark", "extract", "{}", "{}", "--master", "local[2]", "--every-page"]),
}
"""Whether it is pinned to one core, and the command."""
_PR_SET_CHILD_SUBREAPER = 36
EXECUTORS = (1, 2, 4, 6, 8)
PLAIN, SPARK, BOTH = "plain loop, 1 core", "Spark, 1 core", "Spark, 2 cores"


class Run(NamedTuple):
    """One command."""

    seconds: float
    cpu: float
    summary: dict[str, Any]
    """Spark's own; empty for the others."""
    lines: list[bytes]
    """Sorted."""


def write(folder: Path, pages: int, files: int, sources: Sequence[Path]) -> None:
    """Pages as WARC files of another tool; the n-th copy of a page stands under an address of its own."""
    bodies = [path for source in sources for path in sorted((source / "pages").glob("*.html.gz"))]
    for number in range(files):
        with (folder / f"bench-{number:04}.warc.gz").open("wb") as file:
            for k in range(number, pages, files):
                path = bodies[k % len(bodies)]
                url = f"https://site{k % 997}.example/{k}/{path.name.removesuffix('.gz')}"
                plain = io.BytesIO()
                writer = WARCWriter(plain, gzip=False)
                head = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
                content = io.BytesIO(decompress(path.read_bytes()))
                writer.write_record(writer.create_warc_record(url, "response", content, http_headers=head))
                file.write(compress(plain.getvalue(), 1))


def adopt() -> None:
    """Be the parent of what is left behind, so that its CPU time is counted, too: Java outlives the command a little."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def used() -> float:
    """CPU seconds of all processes that were started and have ended; waits for those that have not."""
    with suppress(ChildProcessError):  # reason: this is how it is told that there is none
        while True:
            os.waitpid(-1, 0)
    times = resource.getrusage(resource.RUSAGE_CHILDREN)
    return times.ru_utime + times.ru_stime


def once(way: str, given: Path, work: Path) -> Run:
    """One command, in a folder of its own."""
    before = used()
    pinned, words = WAYS[way]
    output = work / "out"
    for left in work.glob("out*"):
        shutil.rmtree(left) if left.is_dir() else left.unlink()
    places = iter((given, output))
    command = [sys.executable, "-m", "newsextract.cli", *(w.format(next(places)) if "{}" in w else w for w in words)]
    if pinned:
        command = ["taskset", "--cpu-list", str(min(os.sched_getaffinity(0))), *command]
    began = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - began
    if done.returncode:
        raise RuntimeError(f"{way}: {done.stderr[-500:]}")
    if not output.is_dir():
        return Run(seconds, used() - before, {}, sorted(output.with_suffix(".jsonl").read_bytes().splitlines()))
    lines = [line for part in (output / "records").glob("part-*") for line in part.read_bytes().splitlines()]
    return Run(seconds, used() - before, json.loads((output / "summary.json").read_bytes()), sorted(lines))


def line_through(sizes: Sequence[int], values: Sequence[float]) -> tuple[float, float]:
    """(fixed, a page): of the straight line through the smallest and the largest collection."""
    per_page = (values[-1] - values[0]) / (sizes[-1] - sizes[0])
    return values[0] - sizes[0] * per_page, per_page


def modelled(pages: int, splits: int, executors: int, stages: dict[str, float]) -> float:
    """Seconds of a run, **modelled** and not measured: it is no cluster of several machines that stands here.

    start + (what the driver does for each split) + Map + Reduce, with ``stages`` as measured on one core: Map takes as long
    as the executor with the most splits, each of the same cost; Reduce is shared, but for what the driver does alone. Left
    out are network, other people's load and stragglers: what is modelled is the best case.

    :param stages: ``start``, ``split`` and ``alone`` in seconds; ``map``, ``reduce`` in seconds a page.
    """
    most = -(-splits // executors)
    mapping = most * (pages / splits) * stages["map"]
    return stages["start"] + splits * stages["split"] + mapping + pages * stages["reduce"] / executors + stages["alone"]


def stages_of(small: Run, large: Run) -> dict[str, float]:
    """The costs for :func:`modelled` from two runs on one core, a small and a large one: what does not grow is fixed."""
    few, many = small.summary, large.summary
    more = many["pages"] - few["pages"]
    reduce = max(0.0, (many["reduce_seconds"] - few["reduce_seconds"]) / more)
    gaps = [summary["map_seconds"] - summary["task_seconds"] for summary in (few, many)]  # in which no task is at work
    per_split = max(0.0, (gaps[1] - gaps[0]) / max(1, many["splits"] - few["splits"]))
    return {
        "start": max(0.0, large.seconds - many["seconds"]) + max(0.0, gaps[0] - few["splits"] * per_split),
        "split": per_split,
        "map": many["task_seconds"] / many["pages"],
        "reduce": reduce,
        "alone": max(0.0, few["reduce_seconds"] - few["pages"] * reduce),
    }


def verdict(name: str, value: float, met: bool, target: str) -> None:
    """A figure beside its target."""
    print(f"  {name:58s}{value:8.3f}   target {target}: {'met' if met else 'MISSED'}")


def tell(sizes: Sequence[int], runs: dict[str, dict[int, Run]]) -> None:
    """All figures of the runs; the last size is that of the targets."""
    pages = sizes[-1]
    print(f"\n{pages} pages; the same {len(runs[PLAIN][pages].lines)} lines each time:")
    for way, by_size in runs.items():
        run = by_size[pages]
        print(
            f"  {way:20s}{run.seconds:8.1f} s {pages / run.seconds:8.1f} pages/s "
            f"{1e3 * run.seconds / pages:8.2f} ms a page, CPU {run.cpu:7.1f} s, {1e3 * run.cpu / pages:6.2f} ms a page"
        )
    most = TARGETS["overhead"]
    print("\nSpark beside the targets:")
    speedup = runs[SPARK][pages].seconds / runs[BOTH][pages].seconds
    verdict("two cores / one core", speedup, speedup >= TARGETS["two cores"], f">= {TARGETS['two cores']}")
    if len(sizes) > 1:
        fixed = {}
        for measure in ("seconds", "cpu"):
            name = "time" if measure == "seconds" else "CPU time"
            plain, spark = ([getattr(runs[way][size], measure) for size in sizes] for way in (PLAIN, SPARK))
            whole = spark[-1] / plain[-1] - 1
            verdict(f"above the plain loop, start-up included, {name}", whole, whole <= most, f"<= {most}")
            (plain_start, plain_page), (spark_start, spark_page) = line_through(sizes, plain), line_through(sizes, spark)
            apart = spark_page / plain_page - 1
            verdict(f"above the plain loop, start-up apart, {name}", apart, apart <= most, f"<= {most}")
            fixed[name] = plain_start, spark_start, plain_page, spark_page
        for name, (plain_start, spark_start, plain_page, spark_page) in fixed.items():
            print(
                f"  {name}: plain loop {plain_start:.1f} s + {1e3 * plain_page:.2f} ms a page, "
                f"Spark {spark_start:.1f} s + {1e3 * spark_page:.2f} ms a page"
            )
    print("\nmilliseconds a page against the size of the collection (whole command | without starting Python and Java):")
    for size in sizes:
        loop, one, two = (runs[way][size] for way in (PLAIN, SPARK, BOTH))
        print(
            f"  {size:7d} pages: plain loop {1e3 * loop.seconds / size:8.2f}"
            f"   Spark, 1 core {1e3 * one.seconds / size:8.2f} | {1e3 * one.summary['seconds'] / size:8.2f}"
            f"   2 cores {1e3 * two.seconds / size:8.2f} | {1e3 * two.summary['seconds'] / size:8.2f}"
        )
    print("  the paper's words: falls up to 2,000 pages, steady from there on (its Table 4)")
    if len(sizes) > 1:
        large = runs[SPARK][pages]
        stages = stages_of(runs[SPARK][sizes[0]], large)
        splits = large.summary["splits"]
        print(f"\nMODEL, not measured: executors of one core each, {splits} splits, from the stages measured on one core:")
        print("  " + ", ".join(f"{name} {1e3 * value:.2f} ms" for name, value in stages.items()))
        alone = modelled(pages, splits, 1, stages)
        for executors in EXECUTORS:
            value = modelled(pages, splits, executors, stages)
            measured = {1: large.seconds, 2: runs[BOTH][pages].seconds}.get(executors)
            beside = f"   (measured, local[{executors}]: {measured:.1f} s)" if measured else ""
            print(f"  {executors} executors: {value:8.1f} s, speedup {alone / value:.2f}{beside}")
        print("  the paper's words: nearly linear up to 6 nodes, slower beyond (its Table 3, 10,000 pages)")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=[SETS[0]])
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--files", type=int, default=40)
    parser.add_argument("--repetitions", type=int, default=1, help="of the largest collection; the median counts")
    parser.add_argument("--sizes", type=int, nargs="*", default=[100, 500, 2_000, 5_000])
    arguments = parser.parse_args()
    adopt()
    busy = 0.0
    sizes = sorted({*(size for size in arguments.sizes if size < arguments.pages), arguments.pages})
    runs: dict[str, dict[int, Run]] = {way: {} for way in WAYS}
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        for size in sizes:
            folder = work / f"in-{size}"
            folder.mkdir()
            write(folder, size, max(2, min(arguments.files, size // 50)), arguments.folders)
            wanted: list[bytes] = []
            largest = size == arguments.pages
            found: dict[str, list[Run]] = {way: [] for way in WAYS if largest or way in (PLAIN, SPARK, BOTH)}
            for repetition in range(arguments.repetitions if largest else 1):
                for way in found if repetition % 2 == 0 else reversed(found):
                    busy = max(busy, others())
                    run = once(way, folder, work)
                    wanted = wanted or run.lines
                    if run.lines != wanted:
                        raise RuntimeError(f"{way}: other lines than the first way")
                    found[way].append(run)
                    print(f"{size} pages, {way}: {run.seconds:.1f} s, CPU {run.cpu:.1f} s", flush=True)
            for way, tried in found.items():
                runs[way][size] = sorted(tried, key=lambda run: run.seconds)[len(tried) // 2]
            shutil.rmtree(folder)
    tell(sizes, runs)
    if busy > QUIET:
        print(f"\nother processes took up to {busy:.0%} of the machine: these figures are worth little")


if __name__ == "__main__":
    main()
