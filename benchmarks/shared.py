"""Pages a second of a shared crawl with 1, 2 and 3 processes against the plain crawl; the same real pages over loopback.

    python -m benchmarks.shared [--hosts 60] [--repetitions 3] [--workers 0] [--processes 1,2,3] [--only waiting|polite|cpu]

Three measures:

- ``waiting``: the server answers after .4 s and each process has four requests in flight, as in a crawl of slow or polite
  sites. Processors have time to spare, so this shows what leases, transactions and the end of a run cost. Target: two
  processes 1.8 times the plain crawl.
- ``polite``: the server answers at once, and between two requests to a host is a second. A plain crawl crawls as many hosts
  at a time as it may have requests in flight; so must a shared one. Then the largest site is the bound.
- ``cpu``: the server answers at once. With ``--workers 0`` (the default here) each process extracts in line, so a process is
  a core's work; with ``--workers 2``, as crawls have it, one process already keeps two cores busy. The server of the pages
  and PostgreSQL need the same cores: from the CPU time of all of them the bound is printed that no crawl can exceed.

PostgreSQL runs here, in a temporary folder; each crawl has a schema of its own. Crawls run one after the other, in
alternating order. Each repetition has another order of the sites, since the last ones decide how long one process works
alone. Time runs from the start of the first crawl to the last thing that happened in any process: a plain crawl fetches all
sitemaps before the first page, a shared one those of a few sites.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from sqlalchemy import text

from benchmarks.clock import Clock
from benchmarks.crawling import ENVIRONMENT, SETS, command
from benchmarks.machine import QUIET, others, postgres
from benchmarks.server import ROOT, running
from benchmarks.storage import cpu_of
from benchmarks.virtual_sites import place, sites_toml
from newsextract.alarms import SHORTFALL_EXIT_CODE
from newsextract.database import read_address
from newsextract.database.connection import open_engine

TARGET = 1.8
"""Of two processes, where the processors are not the bound."""
LATENCY = 0.4
"""Seconds until each answer of the slow server."""
DELAY = 1.0
"""Seconds between two requests to a host of the polite crawl."""
IN_FLIGHT = 4
"""Requests of a process at a time to the slow server."""
PLAIN = 0
"""Number of processes that stands for the crawl that is not shared."""


class SpanClock(Clock):
    """The clock, which also says when it began and ended, so that several can be put together."""

    def closed(self) -> None:
        """Write what was measured."""
        super().closed()
        figures = json.loads(self.path.read_text("utf-8"))
        self.path.write_text(json.dumps(figures | {"opened": self.opened, "last": self.last}), "utf-8")


def crawl(work: Path, processes: int, url: str, workers: int, latency: float) -> dict[str, Any]:
    """One crawl of everything; gives pages/s and CPU time of all its processes together.

    :param processes: 0 for the plain crawl.
    :param latency: of the server; 0: it answers at once.
    :raises RuntimeError: a process failed.
    """
    folder = Path(tempfile.mkdtemp(dir=work))
    commands = []
    for number in range(max(1, processes)):
        settings = {
            "SITES_FILE": work / "sites.toml",
            "CLOCK_FILE": folder / f"clock{number}.json",
            "EXTENSIONS": json.dumps({"benchmarks.shared.SpanClock": 0}),
            "EXTRACTION_WORKERS": workers,
        }
        settings |= {"CONCURRENT_REQUESTS": IN_FLIGHT} if latency else {}
        output = ["-a", f"state={url}"] if processes else ["-o", folder / "news.jsonl"]
        commands.append(command("news", *output, **settings))
    logs = [(folder / f"log{number}").open("wb") for number in range(len(commands))]
    running_ = [
        subprocess.Popen(words, cwd=ROOT, env=ENVIRONMENT, stdout=log, stderr=log)
        for words, log in zip(commands, logs, strict=True)
    ]
    codes = [process.wait(1_800) for process in running_]
    for log in logs:
        log.close()
    if not set(codes) <= {0, SHORTFALL_EXIT_CODE}:  # of some hosts the page sets have no article
        raise RuntimeError(f"{processes} processes failed: {codes}: {(folder / 'log0').read_text('utf-8')[-2000:]}")
    clocks = [json.loads((folder / f"clock{number}.json").read_text("utf-8")) for number in range(len(commands))]
    busy = [clock for clock in clocks if clock["pages"]]
    pages = sum(clock["pages"] for clock in busy)
    seconds = max(clock["last"] for clock in busy) - min(clock["opened"] for clock in busy)
    records = _records(url) if processes else (folder / "news.jsonl").read_bytes().count(b"\n")
    return {
        "pages": pages,
        "records": records,
        "pages_per_second": pages / seconds,
        "milliseconds_a_page": 1e3 * sum(c["main_cpu_seconds"] + c["worker_cpu_seconds"] for c in busy) / pages,
        "shares": sorted((clock["pages"] for clock in clocks), reverse=True),
    }


def _records(url: str) -> int:
    engine = open_engine(read_address(url))
    with engine.connect() as connection:
        found: int = connection.execute(text("SELECT count(*) FROM article_revisions")).scalar_one()
    engine.dispose()
    return found


def measure(
    folders: Sequence[Path],
    work: Path,
    hosts: int = 60,
    repetitions: int = 3,
    workers: int = 0,
    processes: Sequence[int] = (1, 2, 3),
    latency: float = 0.0,
    delay: float = 0.0,
    progress: Callable[[str], None] = lambda line: None,
) -> dict[str, Any]:
    """Run all crawls ``repetitions`` times in turn.

    :param delay: seconds between two requests to a host.
    :raises RuntimeError: a crawl has not all pages, or other records than the plain one.
    """
    pages = place(folders, hosts)
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    busy = 0.0
    with (
        postgres() as server,
        running("benchmarks.virtual_sites:answers", *folders, f"largest={hosts}", latency=latency) as proxy,
    ):
        for repetition in range(repetitions):
            (work / "sites.toml").write_text(sites_toml(pages, proxy, ["sitemaps"], delay, order=repetition), "utf-8")
            order = [PLAIN, *processes] if repetition % 2 == 0 else [*processes[::-1], PLAIN]
            for number in order:
                busy = max(busy, others())
                url, before = server.schema(), cpu_of(server)
                figures = crawl(work, number, url, workers, latency)
                figures["server_milliseconds_a_page"] = 1e3 * (cpu_of(server) - before) / figures["pages"]
                found[number].append(figures)
                progress(
                    f"{repetition + 1}/{repetitions} {_name(number)}: {figures['pages_per_second']:.1f} pages/s {figures}"
                )
    counts = {(figures["pages"], figures["records"]) for runs in found.values() for figures in runs}
    if len(counts) != 1:
        raise RuntimeError(f"the crawls differ in (pages, records): {sorted(counts)}")
    rates = {number: [figures["pages_per_second"] for figures in runs] for number, runs in found.items()}
    return {
        "pages": len(pages),
        "hosts": hosts,
        "pages_per_second": {_name(number): median(values) for number, values in rates.items()},
        "milliseconds_a_page": {
            _name(number): median(one["milliseconds_a_page"] + one["server_milliseconds_a_page"] for one in runs)
            for number, runs in found.items()
        },
        "ratios": {
            _name(number): median(a / b for a, b in zip(rates[number], rates[PLAIN], strict=True)) for number in processes
        },
        "others_share": busy,
    }


def _name(processes: int) -> str:
    return f"{processes} process{'es'[: 2 * (processes > 1)]}" if processes else "plain"


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=list(SETS))
    parser.add_argument("--hosts", type=int, default=60)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--workers", type=int, default=0, help="EXTRACTION_WORKERS of each process")
    parser.add_argument("--processes", default="1,2,3")
    parser.add_argument("--only", choices=["waiting", "polite", "cpu"])
    given = parser.parse_args()
    processes = [int(number) for number in given.processes.split(",")]
    missed = False
    for name, latency, delay in (("waiting", LATENCY, 0.0), ("polite", 0.0, DELAY), ("cpu", 0.0, 0.0)):
        if given.only in (name, None):
            with tempfile.TemporaryDirectory() as work:
                options = (given.hosts, given.repetitions, given.workers, processes, latency, delay, print)
                found = measure(given.folders, Path(work), *options)
            _print(name, found)
            missed |= name == "waiting" and found["ratios"].get(_name(2), TARGET) < TARGET
    raise SystemExit(missed)


def _print(name: str, found: dict[str, Any]) -> None:
    print(f"\n{name}: {found['pages']} pages on {found['hosts']} hosts")
    for crawl_name, rate in found["pages_per_second"].items():
        ratio = f", {found['ratios'][crawl_name]:.2f} times the plain crawl" if crawl_name in found["ratios"] else ""
        cpu = found["milliseconds_a_page"][crawl_name]
        bound = f", at most {1e3 * (os.cpu_count() or 1) / cpu:.1f} pages/s" if name == "cpu" else ""
        print(f"  {crawl_name:14s}{rate:8.1f} pages/s{ratio}; CPU of crawl and PostgreSQL {cpu:.1f} ms a page{bound}")
    if name == "waiting" and _name(2) in found["ratios"]:
        print(f"  target of two processes {TARGET}: {'met' if found['ratios'][_name(2)] >= TARGET else 'MISSED'}")
    if found["others_share"] > QUIET:
        print(f"  other processes took up to {found['others_share']:.0%} of the machine")


if __name__ == "__main__":
    main()
