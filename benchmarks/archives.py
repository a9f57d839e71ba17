"""What writing WARC files costs a crawl: pages a second with ``-a warc=DIR`` against the same crawl without.

    python -m benchmarks.archives [--hosts 60] [--repetitions 5]

Both crawls fetch the same real pages over loopback and extract them, in alternating order, timed alike
(:mod:`benchmarks.clock`). The pages come uncompressed, which is the most that there can be to compress. Beside the ratio of
pages/s, which a busy machine spoils, CPU time a page is given, which it does not; and the time of reading the archive again.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.crawling import SETS, Figures, a_page, crawl, in_turn
from benchmarks.machine import QUIET
from benchmarks.server import ROOT, running
from benchmarks.virtual_sites import place, sites_toml
from newsextract.archives import ArchivedArticle, find_archives, read_entries

TARGET = 0.9
"""Least ratio of pages/s with the archive to those without."""


def measure(
    folders: Sequence[Path], work: Path, hosts: int, repetitions: int, progress: Callable[[str], None] = lambda line: None
) -> dict[str, Any]:
    """Run both crawls ``repetitions`` times in turn."""
    pages = place(folders, hosts)
    sizes = []
    with running("benchmarks.virtual_sites:answers", *folders, f"largest={hosts}") as proxy:
        sites = sites_toml(pages, proxy, ["sitemaps"])

        def run(name: str) -> Figures:
            folder, archive = work / name, work / "warc"
            folder.mkdir(parents=True, exist_ok=True)
            shutil.rmtree(archive, ignore_errors=True)
            figures = crawl(folder, sites, arguments=[f"warc={archive}"] if name == "with" else [])
            if name == "with":
                sizes.append(sum(file.stat().st_size for file in archive.iterdir()))
                last = work / "last"
                shutil.rmtree(last, ignore_errors=True)
                archive.rename(last)
                shutil.copy(folder / "news.jsonl", work / "crawl.jsonl")
            return figures

        found, busy = in_turn(["without", "with"], repetitions, run, len(pages), progress)
    pairs = list(zip(found["without"], found["with"], strict=True))
    return {
        "pages": len(pages),
        "pages_per_second": {name: median(f["pages_per_second"] for f in runs) for name, runs in found.items()},
        "main_milliseconds_a_page": a_page(found, "main_cpu_seconds"),
        "worker_milliseconds_a_page": a_page(found, "worker_cpu_seconds"),
        "ratio": median(b["pages_per_second"] / a["pages_per_second"] for a, b in pairs),
        "cpu_ratio": median(
            (b["main_cpu_seconds"] + b["worker_cpu_seconds"]) / (a["main_cpu_seconds"] + a["worker_cpu_seconds"])
            for a, b in pairs
        ),
        "archive_bytes_a_page": median(sizes) / len(pages),
        "others_share": busy,
    }


def again(work: Path, workers: int) -> tuple[float, bool]:
    """(seconds, whether the lines are those of the crawl) of ``newsextract extract --warc``."""
    output = work / f"again-{workers}.jsonl"
    began = time.monotonic()
    command = [sys.executable, "-m", "newsextract.cli", "extract", "--warc", str(work / "last"), "-o", str(output)]
    subprocess.run([*command, "--workers", str(workers)], cwd=ROOT, check=True, capture_output=True)
    seconds = time.monotonic() - began
    same = sorted(output.read_bytes().splitlines()) == sorted((work / "crawl.jsonl").read_bytes().splitlines())
    return seconds, same


def reading(work: Path) -> float:
    """Milliseconds of CPU time a page that reading takes, without extraction."""
    archives = find_archives([work / "last"])
    began = time.process_time()
    pages = sum(isinstance(step.entry, ArchivedArticle) for step in read_entries(archives))
    return 1e3 * (time.process_time() - began) / pages


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=list(SETS))
    parser.add_argument("--hosts", type=int, default=60)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2], help="for reading the archive again")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        found = measure(arguments.folders, work, arguments.hosts, arguments.repetitions, print)
        print(f"\n{found['pages']} pages, medians of {arguments.repetitions}:")
        for way, rate in found["pages_per_second"].items():
            used = found["main_milliseconds_a_page"][way], found["worker_milliseconds_a_page"][way]
            print(f"  {way:8s}{rate:8.1f} pages/s; CPU a page: main process {used[0]:.2f} ms, workers {used[1]:.2f} ms")
        if found["others_share"] > QUIET:
            print(f"  other processes took up to {found['others_share']:.0%} of the machine: pages/s are worth little")
        ratio = found["ratio"]
        print(f"  pages/s with / without {ratio:.3f}   target {TARGET}: {'met' if ratio >= TARGET else 'MISSED'}")
        print(f"  CPU with / without     {found['cpu_ratio']:.3f}; {found['archive_bytes_a_page'] / 1000:.1f} kB a page")
        print(f"  reading alone: {reading(work):.2f} ms of CPU time a page")
        for workers in arguments.workers:
            seconds, same = again(work, workers)
            rate = found["pages"] / seconds
            told = "the same lines as the crawl" if same else "OTHER LINES THAN THE CRAWL"
            print(f"  read again by {workers} worker{'s'[: workers != 1]}: {rate:.1f} pages/s, {told}")


if __name__ == "__main__":
    main()
