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
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.crawling import SETS, Figures, a_page, crawl, in_turn, run
from benchmarks.machine import QUIET
from benchmarks.server import running
from benchmarks.virtual_sites import place, sites_toml

TARGETS = {"sitemap": 0.5, "links_everywhere": 0.7, "trafilatura": 4.0}
"""Least ratio of our pages/s to the contender's."""
Runner = Callable[[], Figures]


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
    ways = {kind: "start" if kind.startswith("links") else "sitemaps" for kind in contenders}
    with running("benchmarks.virtual_sites:answers", *folders, f"largest={hosts}") as proxy:
        texts = {way: sites_toml(pages, proxy, [way]) for way in ("sitemaps", "start")}
        runners = {f"ours, {way}": _ours(work / f"ours-{way}", texts[way]) for way in texts}
        for kind in contenders:
            runners[kind] = _contender(work / kind, kind, texts[ways[kind]])
        found, busy = in_turn(list(runners), repetitions, lambda name: runners[name](), len(pages), progress)
    rates = {name: [run["pages_per_second"] for run in runs] for name, runs in found.items()}
    return {
        "pages": len(pages),
        "hosts": hosts,
        "pages_per_second": {name: median(values) for name, values in rates.items()},
        "main_milliseconds_a_page": a_page(found, "main_cpu_seconds"),
        "worker_milliseconds_a_page": a_page(found, "worker_cpu_seconds"),
        "others_share": busy,
        "ratios": {
            kind: median(a / b for a, b in zip(rates[f"ours, {ways[kind]}"], rates[kind], strict=True))
            for kind in contenders
        },
        "all": rates,
    }


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
