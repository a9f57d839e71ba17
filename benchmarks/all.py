"""All benchmarks, one after the other, and one table: target, measured, met or not.

    python -m benchmarks.all [FOLDER ...] [--json] [--fast] [--only NAME ...]

About fifteen minutes on two cores (``--fast``: four, with fewer pages and repetitions, for a look). Progress goes to
standard error. With ``--json`` everything that was measured goes to standard output instead of the table.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import crawl_speed, extraction, memory, real_crawl, stalls
from benchmarks.crawling import SETS


@dataclass(frozen=True, slots=True)
class Line:
    """One figure that has a target."""

    what: str
    measured: float
    target: float
    unit: str
    at_least: bool = False

    @property
    def met(self) -> bool:
        return self.measured >= self.target if self.at_least else self.measured <= self.target


def summary(found: Mapping[str, Mapping[str, Any]]) -> list[Line]:
    """The lines of the table, for the benchmarks that were run."""
    lines: list[Line] = []
    if "real_crawl" in found:
        lines.append(Line("real crawl: pages neither record nor rejection", len(found["real_crawl"]["lost"]), 0, "pages"))
    if "crawl_speed" in found:
        labels = {
            "sitemap": "crawl from sitemaps / bare Scrapy",
            "links_everywhere": "crawl along listings / bare Scrapy with //a/@href",
            "trafilatura": "crawl from sitemaps / Scrapy with trafilatura",
        }
        ratios = found["crawl_speed"]["ratios"]
        lines += [Line(labels[kind], ratios[kind], crawl_speed.TARGETS[kind], "x pages/s", at_least=True) for kind in labels]
    if "extraction" in found:
        times = found["extraction"]["times_lxml"]
        lines += [Line(f"extraction: {name}", times[name], target, "x lxml") for name, target in extraction.TARGETS.items()]
    if "stalls" in found:
        lines.append(
            Line("longest stall of the reactor", 1e3 * found["stalls"]["longest_seconds"], 1e3 * stalls.TARGET, "ms")
        )
    if "memory" in found:
        lines.append(Line("memory", found["memory"]["bytes_per_record"], memory.TARGET, "bytes/record"))
    return lines


def benchmarks(
    folders: Sequence[Path], work: Path, fast: bool
) -> dict[str, Callable[[Callable[[str], None]], dict[str, Any]]]:
    """Name → function of a progress callback."""

    def folder(name: str) -> Path:
        (work / name).mkdir()
        return work / name

    def crawled(progress: Callable[[str], None]) -> dict[str, Any]:
        progress("crawling all pages")
        return real_crawl.measure(folders, folder("real_crawl"), largest=60 if fast else None)

    def timed(progress: Callable[[str], None]) -> dict[str, Any]:
        hosts, repetitions = (24, 1) if fast else (60, 5)
        return crawl_speed.measure(folders, folder("crawl_speed"), hosts, repetitions, progress=progress)

    return {
        "extraction": lambda progress: extraction.measure(folders, 20 if fast else 4, progress),
        "crawl_speed": timed,
        "stalls": lambda progress: stalls.measure(folder("stalls"), progress),
        "memory": lambda progress: memory.measure(folder("memory"), 3_000 if fast else 10_000, progress=progress),
        "real_crawl": crawled,
    }


def _tell(name: str, line: str) -> None:
    sys.stderr.write(f"{name}: {line}\n")
    sys.stderr.flush()


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=list(SETS))
    parser.add_argument("--json", action="store_true", help="everything that was measured, as JSON")
    parser.add_argument("--fast", action="store_true", help="fewer pages and repetitions")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    arguments = parser.parse_args()
    for directory in arguments.folders:
        if not (directory / "truth.jsonl").is_file():
            parser.error(f"{directory} holds no truth.jsonl; name the folders of the page sets")
    found: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as work:
        for name, function in benchmarks(arguments.folders, Path(work), arguments.fast).items():
            if not arguments.only or name in arguments.only:
                _tell(name, "begins")
                found[name] = function(partial(_tell, name))
    table = summary(found)
    if arguments.json:
        machine = {"python": platform.python_version(), "system": platform.platform()}
        lines = [asdict(line) | {"met": line.met} for line in table]
        json.dump({"machine": machine, "summary": lines, "measured": found}, sys.stdout, indent=1, ensure_ascii=False)
        sys.stdout.write("\n")
        return
    print(f"{'':52s}{'target':>10s}{'measured':>10s}")
    for line in table:
        sign = ">=" if line.at_least else "<="
        print(
            f"{line.what:52s}{sign} {line.target:>7g}{line.measured:>10.2f} {line.unit:14s}{'met' if line.met else 'MISSED'}"
        )


if __name__ == "__main__":
    main()
