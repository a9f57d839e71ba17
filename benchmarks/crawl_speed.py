"""Pages a second of our crawl against bare Scrapy, and against Scrapy with trafilatura; real pages over loopback.

    python -m benchmarks.crawl_speed [--hosts 60] [--repetitions 5]

The pages are those of the hosts with the most pages in the sets. The server is a process of its own and costs about 2 %
of one core. All crawls run alone, one after the other, in alternating order, and are timed alike
(:mod:`benchmarks.clock`): from the first page's response to the last response or item, so that starting is left out.
Concurrency is the same; ours also asks for robots.txt of each host, as it always does.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.crawling import SETS, crawl, run
from benchmarks.server import running
from benchmarks.virtual_sites import place, sites_toml

TARGETS = {
    "sitemap": 0.5,
    "links_everywhere": 0.7,
    "trafilatura": 4.0,
}
"""Least ratio of our pages/s to the contender's."""
QUIET = 0.05
"""Share of the machine that others may take without spoiling the figures."""
Runner = Callable[[], dict[str, Any]]


def measure(
    folders: Sequence[Path],
    work: Path,
    hosts: int = 60,
    repetitions: int = 5,
    contenders: Sequence[str] = ("sitemap", "links", "links_everywhere", "trafilatura"),
    progress: Callable[[str], None] = lambda line: None,
) -> dict[str, Any]:
    """Run all crawls ``repetitions`` times in turn."""
    pages = place(folders, hosts)
    rates: dict[str, list[float]] = defaultdict(list)
    cpu: dict[str, list[tuple[float, float]]] = defaultdict(list)
    busy = 0.0
    with running("benchmarks.virtual_sites:answers", *folders, f"largest={hosts}") as proxy:
        texts = {way: sites_toml(pages, proxy, [way]) for way in ("sitemaps", "start")}
        runners = {f"ours, {way}": _ours(work / f"ours-{way}", texts[way]) for way in texts}
        for kind in contenders:
            runners[kind] = _contender(work / kind, kind, texts["start" if kind.startswith("links") else "sitemaps"])
        for repetition in range(repetitions):
            order = list(runners) if repetition % 2 == 0 else list(runners)[::-1]
            for name in order:
                busy = max(busy, others())
                figures = runners[name]()
                if figures["pages"] != len(pages):
                    raise RuntimeError(f"{name} fetched {figures['pages']} of {len(pages)} pages")
                rates[name].append(figures["pages_per_second"])
                cpu[name].append((figures["main_cpu_seconds"], figures["worker_cpu_seconds"]))
                progress(f"{repetition + 1}/{repetitions} {name}: {figures['pages_per_second']:.1f} pages/s")
    return {
        "pages": len(pages),
        "hosts": hosts,
        "pages_per_second": {name: median(values) for name, values in rates.items()},
        "main_milliseconds_a_page": {name: 1e3 * median(c[0] for c in used) / len(pages) for name, used in cpu.items()},
        "worker_milliseconds_a_page": {name: 1e3 * median(c[1] for c in used) / len(pages) for name, used in cpu.items()},
        "others_share": busy,
        "ratios": {kind: median(a / b for a, b in zip(rates[_way(kind)], rates[kind], strict=True)) for kind in contenders},
        "all": dict(rates),
    }


def others() -> float:
    """Share of the machine's CPU time that other processes take now, while no crawl runs; 0 where it cannot be told."""
    if not Path("/proc/stat").exists():
        return 0.0
    before = _times()
    time.sleep(0.5)
    spent = [b - a for a, b in zip(before, _times(), strict=True)]
    return 1 - (spent[3] + spent[4]) / max(1, sum(spent))


def _times() -> list[int]:
    return [int(field) for field in Path("/proc/stat").read_text("ascii").split("\n", 1)[0].split()[1:9]]


def _way(kind: str) -> str:
    return "ours, start" if kind.startswith("links") else "ours, sitemaps"


def _ours(work: Path, sites: str) -> Runner:
    work.mkdir(parents=True, exist_ok=True)
    return lambda: crawl(work, sites)


def _contender(work: Path, kind: str, sites: str) -> Runner:
    work.mkdir(parents=True, exist_ok=True)
    (work / "sites.toml").write_text(sites, "utf-8")
    command = [sys.executable, "-m", "benchmarks.contenders", kind, str(work / "sites.toml"), str(work / "clock.json")]
    if kind == "trafilatura":
        command.append(str(work / "items.jsonl"))
    return lambda: run(command, work / "clock.json", work / "crawl.log")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=list(SETS))
    parser.add_argument("--hosts", type=int, default=60)
    parser.add_argument("--repetitions", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        found = measure(arguments.folders, Path(work), arguments.hosts, arguments.repetitions, progress=print)
    print(f"\n{found['pages']} pages on {found['hosts']} hosts, medians of {arguments.repetitions}:")
    for name, rate in found["pages_per_second"].items():
        main_cpu, worker_cpu = found["main_milliseconds_a_page"][name], found["worker_milliseconds_a_page"][name]
        print(f"  {name:20s}{rate:8.1f} pages/s; CPU a page: main process {main_cpu:.2f} ms, workers {worker_cpu:.2f} ms")
    if found["others_share"] > QUIET:
        print(f"  other processes took up to {found['others_share']:.0%} of the machine: these figures are worth little")
    for kind, ratio in found["ratios"].items():
        target = (
            f"target {TARGETS[kind]}: {'met' if ratio >= TARGETS[kind] else 'MISSED'}" if kind in TARGETS else "no target"
        )
        print(f"  ours / {kind:20s}{ratio:6.2f}   {target}")


if __name__ == "__main__":
    main()
