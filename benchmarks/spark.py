"""What Spark gains and costs: pages a second of the plain loop, ``--workers 2``, and Spark on one core and two.

    python -m benchmarks.spark [--pages 20000] [--files 40] [--repetitions 3] [--sizes 100 500 2000 5000 20000]

The articles of the bench are written to WARC files, each page once or often under different addresses, and extracted in
turn by

* ``newsextract extract --warc --workers 0``: the plain loop, pinned to one core;
* ``newsextract extract --warc --workers 2``;
* ``newsextract spark extract --master local[1]``, pinned to one core (the Java process, too), and ``local[2]``.

All outputs must have the same lines. Time is that of the whole command, so starting Java is in it. Then time per page
against the size of the collection, and a **model** of 1, 2, 4, 6, 8 executors: see :func:`modelled`. Wang and Cao (2016),
section 4.3, Table 3, say of their cluster and 10,000 pages: the speedup is nearly linear up to six nodes, and grows more
slowly beyond, since the overhead of parallelisation grows and there is too little data; Table 4: time per page falls up to
2,000 pages and is steady from there on.
"""

from __future__ import annotations

import argparse
import ctypes
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
from datetime import UTC, datetime
from gzip import decompress
from pathlib import Path
from statistics import median
from typing import Any
from zlib import decompressobj

from benchmarks.crawl_speed import QUIET, others
from benchmarks.crawling import SETS
from benchmarks.server import ROOT
from newsextract.archives.writing import Exchange, WarcWriter

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


def write(folder: Path, pages: int, files: int, sources: Sequence[Path]) -> None:
    """Pages as WARC files; the n-th copy of a page stands under an address of its own."""
    bodies = [path for source in sources for path in sorted((source / "pages").glob("*.html.gz"))]
    at = datetime(2026, 1, 1, tzinfo=UTC)
    for number in range(files):
        with tempfile.TemporaryDirectory() as name:
            writer = WarcWriter(Path(name), f"bench-{number:04}")
            for k in range(number, pages, files):
                path = bodies[k % len(bodies)]
                url = f"https://site{k % 997}.example/{k}/{path.name.removesuffix('.gz')}"
                writer.exchange(
                    Exchange(url, url, "GET", (), 200, (("Content-Type", "text/html"),), decompress(path.read_bytes()), at)
                )
            writer.close()
            (written,) = Path(name).iterdir()
            _as_foreign(written, folder / f"bench-{number:04}.warc.gz")


def _as_foreign(written: Path, target: Path) -> None:
    """Without the first record, which says that a crawl of ours has described its articles: these are pages alone."""
    data = written.read_bytes()
    first = decompressobj(31)
    first.decompress(data)
    target.write_bytes(first.unused_data)


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


def once(way: str, given: Path, work: Path) -> tuple[float, float, dict[str, Any], list[bytes]]:
    """(seconds, CPU seconds, summary of Spark, sorted lines) of one command."""
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
        return seconds, used() - before, {}, sorted(output.with_suffix(".jsonl").read_bytes().splitlines())
    lines = [line for part in (output / "records").glob("part-*") for line in part.read_bytes().splitlines()]
    return seconds, used() - before, json.loads((output / "summary.json").read_bytes()), sorted(lines)


def modelled(pages: int, files: int, executors: int, stages: dict[str, float]) -> float:
    """Seconds of a run, **modelled** and not measured: it is no cluster of several machines that stands here.

    start + (what the driver does for each split) + Map + Reduce, with ``stages`` as measured on one core: Map takes as long
    as the executor with the most splits, each of the same cost; Reduce is shared, but for what the driver does alone. Left
    out are network, other people's load and stragglers: what is modelled is the best case.

    :param stages: ``start``, ``split`` and ``alone`` in seconds; ``map``, ``reduce`` in seconds a page.
    """
    most = -(-files // executors)
    mapping = most * (pages / files) * stages["map"]
    return stages["start"] + files * stages["split"] + mapping + pages * stages["reduce"] / executors + stages["alone"]


def stages_of(small: tuple[float, dict[str, Any]], large: tuple[float, dict[str, Any]]) -> dict[str, float]:
    """The costs for :func:`modelled` from two runs on one core, a small and a large one: what does not grow is fixed."""
    (_, few), (second, many) = small, large
    more = many["pages"] - few["pages"]
    reduce = max(0.0, (many["reduce_seconds"] - few["reduce_seconds"]) / more)
    per_page = many["task_seconds"] / many["pages"]
    gaps = [summary["map_seconds"] - summary["task_seconds"] for summary in (few, many)]  # in which no task is at work
    per_split = max(0.0, (gaps[1] - gaps[0]) / max(1, many["splits"] - few["splits"]))
    return {
        "start": max(0.0, second - many["seconds"]) + max(0.0, gaps[0] - few["splits"] * per_split),
        "split": per_split,
        "map": per_page,
        "reduce": reduce,
        "alone": max(0.0, few["reduce_seconds"] - few["pages"] * reduce),
    }


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=[SETS[0]])
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--files", type=int, default=40)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--sizes", type=int, nargs="*", default=[100, 500, 2_000, 5_000])
    arguments = parser.parse_args()
    adopt()
    busy = 0.0
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        sizes = sorted({*arguments.sizes, arguments.pages})
        for size in sizes:
            folder = work / f"in-{size}"
            folder.mkdir()
            write(folder, size, max(2, min(arguments.files, size // 50)), arguments.folders)
        seconds: dict[str, list[float]] = {way: [] for way in WAYS}
        cpu: dict[str, list[float]] = {way: [] for way in WAYS}
        wanted: list[bytes] = []
        for repetition in range(arguments.repetitions):
            for way in WAYS if repetition % 2 == 0 else reversed(WAYS):
                busy = max(busy, others())
                took, burnt, _, lines = once(way, work / f"in-{arguments.pages}", work)
                wanted = wanted or lines
                if lines != wanted:
                    raise RuntimeError(f"{way}: other lines than the first way")
                seconds[way].append(took)
                cpu[way].append(burnt)
                print(
                    f"{repetition + 1}/{arguments.repetitions} {way}: {took:.1f} s, CPU {burnt:.1f} s, {len(lines)} records",
                    flush=True,
                )
        taken = {way: median(found) for way, found in seconds.items()}
        print(f"\n{arguments.pages} pages, medians of {arguments.repetitions}; the same {len(wanted)} lines each time:")
        for way, value in taken.items():
            print(
                f"  {way:20s}{value:8.1f} s {arguments.pages / value:8.1f} pages/s "
                f"{1e3 * value / arguments.pages:8.2f} ms a page, CPU {1e3 * median(cpu[way]) / arguments.pages:6.2f} ms"
            )
        speedup = taken["Spark, 1 core"] / taken["Spark, 2 cores"]
        overhead = taken["Spark, 1 core"] / taken["plain loop, 1 core"] - 1
        met = speedup >= TARGETS["two cores"], overhead <= TARGETS["overhead"]
        print(f"  two cores / one core {speedup:.2f}   target {TARGETS['two cores']}: {'met' if met[0] else 'MISSED'}")
        print(
            f"  Spark above the plain loop {overhead:.1%}   target {TARGETS['overhead']:.0%}: "
            f"{'met' if met[1] else 'MISSED'}"
        )
        share = median(cpu["Spark, 1 core"]) / median(cpu["plain loop, 1 core"]) - 1
        print(f"  the same in CPU time, which other people's load spoils less: {share:.1%}")
        print("\nmilliseconds a page against the size of the collection (start of Java included | without):")
        runs: list[tuple[float, dict[str, Any]]] = []
        for size in sizes:
            busy = max(busy, others())
            whole, _, summary, _ = once("Spark, 1 core", work / f"in-{size}", work)
            runs.append((whole, summary))
            two, _, more, _ = once("Spark, 2 cores", work / f"in-{size}", work)
            figures = [1e3 * value / size for value in (whole, summary["seconds"], two, more["seconds"])]
            print(
                f"  {size:7d} pages: 1 core {figures[0]:8.2f} | {figures[1]:8.2f}"
                f"   2 cores {figures[2]:8.2f} | {figures[3]:8.2f}"
            )
        stages = stages_of(runs[0], runs[-1])
        print("\nMODEL, not measured: executors of one core each, from the stages above " + json.dumps(stages))
        alone = modelled(arguments.pages, arguments.files, 1, stages)
        for executors in EXECUTORS:
            value = modelled(arguments.pages, arguments.files, executors, stages)
            print(f"  {executors} executors: {value:8.1f} s, speedup {alone / value:.2f}")
        print("  the paper's words: nearly linear up to 6 nodes, slower beyond (its Table 3, 10,000 pages)")
        if busy > QUIET:
            print(f"\nother processes took up to {busy:.0%} of the machine: these figures are worth little")


if __name__ == "__main__":
    main()
