"""The benchmarks that `make bench` runs, one after the other, and one table: target, measured, met or not.

    python -m benchmarks.all [FOLDER ...] [--records FOLDER] [--snapshots FOLDER] [--json] [--fast] [--only NAME ...]

About forty minutes on two cores (``--fast``: eight, with fewer pages and repetitions, for a look). What needs a page set or
a browser that is not there is left out, and a line says so; another line names those that are run by themselves
(:data:`ALONE`). Progress goes to standard error. With ``--json`` everything
that was measured goes to standard output instead of the table.
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

from benchmarks import (
    archives,
    browser_memory,
    crawl_speed,
    extraction,
    large_sitemaps,
    memory,
    oem,
    real_crawl,
    records,
    records_cross_validation,
    rendered_crawl,
    sample_records,
    snapshot,
    stalls,
    storage,
)
from benchmarks.crawling import SETS
from benchmarks.snapshot_pages import snapshot_pages
from newsextract.browser.loading import BrowserMissing, find_browser

ALONE = {
    "spark": "Java, and far more time than the others",
    "spark_duplicates": "Java, and far more time than the others",
    "cross_validation": "trains; no target",
    "ablation": "trains; no target",
    "geometry": "a folder for its snapshots; no target",
    "oem_learning": "no target",
    "shared": "PostgreSQL; two processes >= 1.8 times the plain crawl",
    "crawl_state": "start with 1,000,000 records <= 1 s, rebuild <= 60 s; look-up <= .3 ms",
    "alarms": "redesigns found >= 95 %; false alarms <= 1 %",
    "feed_report": "no target",
    "hostile": "a quarter of an hour; all inputs bounded, 95 % of the text kept",
    "kills": "a quarter of an hour; 200 of 200",
    "near_duplicates": "no target",
    "insertions": "no target",
    "record_mutations": "no target",
    "only_hits": "no target",
    "record_shapes": "a folder of snapshots; no target",
    "live": "a lab of running sites",
    "stock_software": "npm and 900 MB of themes; no target",
    "soak": "as long as you say; meant for eight hours",
    "title_weights": "fits a model",
}
"""Benchmarks that are not run here, and why: what they need, or that they print figures without a target."""

Report = Callable[[str], None]
Measured = dict[str, Any]


class Skipped(Exception):
    """A benchmark cannot be run here; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the benchmarks read and where they work."""

    articles: Sequence[Path]
    """Page sets of articles."""
    records: Path
    """The page set of records."""
    made: Path | None
    """Its snapshots, where they have been made already."""
    work: Path
    fast: bool
    """Fewer pages and repetitions."""

    def folder(self, name: str) -> Path:
        """A new folder to work in."""
        (self.work / name).mkdir()
        return self.work / name

    def sets(self) -> Sequence[Path]:
        """The articles.

        :raises Skipped: they are not there.
        """
        for directory in self.articles:
            _check_data(directory)
        return self.articles

    def browser(self) -> None:
        """See that there is one.

        :raises Skipped: there is none.
        """
        try:
            find_browser()
        except BrowserMissing as error:
            raise Skipped(str(error)) from error

    def snapshots(self, progress: Report) -> Path:
        """Snapshots of the records' pages, made at the first call.

        :raises Skipped: pages or browser are not there, or a page cannot be rendered.
        """
        _check_data(self.records)
        return self.made or self._rendered(self.records, self.work / "snapshots", progress)

    def sample(self, progress: Report) -> Path:
        """The sample site's pages with records, and their snapshots."""
        output = self.work / "sample"
        sample_records.write(output)
        self._rendered(output, output / "snapshots", progress)
        return output

    def _rendered(self, pages: Path, output: Path, progress: Report) -> Path:
        self.browser()
        progress(f"rendering the pages of {pages}")
        failed = snapshot_pages(pages, output)
        if failed:
            raise Skipped("; ".join(f"{name}: {reason}" for name, reason in failed.items()))
        return output


def _check_data(directory: Path) -> None:
    if not (directory / "truth.jsonl").is_file():
        raise Skipped(f"{directory} holds no truth.jsonl")


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
    if "archives" in found:
        lines.append(Line("crawl with WARC files", found["archives"]["ratio"], archives.TARGET, "x without", at_least=True))
    if "storage" in found:
        ratios = found["storage"]["ratios"]
        lines += [Line(f"crawl with {n}", r, storage.TARGETS[n], "x feed alone", at_least=True) for n, r in ratios.items()]
    if "stalls" in found:
        lines.append(
            Line("longest stall of the reactor", 1e3 * found["stalls"]["longest_seconds"], 1e3 * stalls.TARGET, "ms")
        )
    if "oem" in found:
        ten = found["oem"]["ten_lines"]
        lines.append(Line("oem: ten lines, 60 kB", ten["ms"], 2 * ten["lxml_ms"] + 1, "ms"))
    if "large_sitemaps" in found:
        figures = found["large_sitemaps"]
        lines.append(Line("large sitemaps: first record", figures["first"], large_sitemaps.FIRST_TARGET, "s"))
        lines.append(Line("large sitemaps: peak memory", figures["megabytes"], large_sitemaps.MEMORY_TARGET, "MB"))
    if "memory" in found:
        lines.append(Line("memory", found["memory"]["bytes_per_record"], memory.TARGET, "bytes/record"))
    return lines + _of_rendering(found)


def _of_rendering(found: Mapping[str, Mapping[str, Any]]) -> list[Line]:
    """The lines of what a browser plays a part in."""
    lines: list[Line] = []
    if "rendered_crawl" in found:
        ratio = found["rendered_crawl"]["ratio"]
        lines.append(Line("rendered crawl / bare playwright loop", ratio, rendered_crawl.TARGET, "x pages/s", at_least=True))
    for way, figures in found.get("browser_memory", {}).items():
        for group in browser_memory.JUDGED:
            label = f"rendering, {way}: {group}'s memory, pages 401-500"
            lines.append(Line(label, figures["growth"][group], browser_memory.TARGET, "x 101-200"))
        most = figures["driver_megabytes"]
        lines.append(Line(f"rendering, {way}: driver's memory", most, browser_memory.DRIVER_TARGET, "MB"))
    if "snapshot" in found:
        walk = found["snapshot"]["milliseconds"]["walk"]
        lines.append(Line("snapshot: walk, median page", walk, snapshot.WALK_TARGET, "ms"))
    if "records" in found:
        times = found["records"]["milliseconds"]
        labels = {"visual": "records from a snapshot", "dom": "records from the source"}
        lines += [Line(f"{labels[way]}, median page", times[way], target, "ms") for way, target in records.TARGETS.items()]
    if "records_cross_validation" in found:
        visual, dom = (found["records_cross_validation"][kind]["all"] for kind in ("visual", "dom"))
        for mean, target in records_cross_validation.TARGETS.items():
            lines.append(Line(f"records, unseen sites: {mean} F1", visual[mean], target, "F1", at_least=True))
        loss = visual["pooled"] - dom["pooled"]
        lines.append(Line("records, unseen sites: lost without a browser", loss, records_cross_validation.DOM_LOSS, "F1"))
    return lines


def benchmarks(inputs: Inputs) -> dict[str, Callable[[Report], Measured]]:
    """Name → function of a progress callback."""
    fast = inputs.fast

    def crawled(progress: Report) -> Measured:
        progress("crawling all pages")
        return real_crawl.measure(inputs.sets(), inputs.folder("real_crawl"), largest=60 if fast else None)

    def timed(progress: Report) -> Measured:
        hosts, repetitions = (24, 1) if fast else (60, 5)
        return crawl_speed.measure(inputs.sets(), inputs.folder("crawl_speed"), hosts, repetitions, progress=progress)

    def archived(progress: Report) -> Measured:
        hosts, repetitions = (20, 1) if fast else (60, 5)
        return archives.measure(inputs.sets(), inputs.folder("archives"), hosts, repetitions, progress)

    def stored(progress: Report) -> Measured:
        hosts, repetitions = (20, 1) if fast else (60, 5)
        return storage.measure(inputs.sets(), inputs.folder("storage"), hosts, repetitions, progress)

    def crawled_by_browser(progress: Report) -> Measured:
        inputs.browser()
        return rendered_crawl.measure(repetitions=1 if fast else 3, progress=progress)

    def remembered(progress: Report) -> Measured:
        inputs.browser()
        if fast:
            raise Skipped("500 pages are needed; left out by --fast")
        return browser_memory.measure(inputs.folder("browser_memory"), progress=progress)

    def walked(progress: Report) -> Measured:
        _check_data(inputs.records)
        inputs.browser()
        progress("loading pages")
        return snapshot.measure(inputs.records, 20 if fast else 60)

    def timed_records(progress: Report) -> Measured:
        every, sizes = (30, (300, 3_000)) if fast else (6, (300, 1_000, 3_000, 10_000, 20_000))
        return records.measure(inputs.records, inputs.snapshots(progress), every, sizes, progress)

    def validated(progress: Report) -> Measured:
        if fast:
            raise Skipped("ten trainings; left out by --fast")
        made = inputs.snapshots(progress)
        return records_cross_validation.measure(inputs.records, made, inputs.sample(progress), progress=progress)

    return {
        "extraction": lambda progress: extraction.measure(inputs.sets(), 20 if fast else 4, progress),
        "oem": lambda progress: oem.measure(),
        "crawl_speed": timed,
        "rendered_crawl": crawled_by_browser,
        "archives": archived,
        "storage": stored,
        "stalls": lambda progress: stalls.measure(inputs.folder("stalls"), progress),
        "memory": lambda progress: memory.measure(inputs.folder("memory"), 3_000 if fast else 10_000, progress=progress),
        "large_sitemaps": lambda progress: large_sitemaps.measure(inputs.folder("large_sitemaps"), 6 if fast else 20),
        "browser_memory": remembered,
        "snapshot": walked,
        "records": timed_records,
        "records_cross_validation": validated,
        "real_crawl": crawled,
    }


def _tell(name: str, line: str) -> None:
    sys.stderr.write(f"{name}: {line}\n")
    sys.stderr.flush()


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, help="page sets of articles")
    parser.add_argument("--records", type=Path, default=snapshot.FOLDER, help="the page set of records")
    parser.add_argument("--snapshots", type=Path, help="of the records' pages; default: they are made")
    parser.add_argument("--json", action="store_true", help="everything that was measured, as JSON")
    parser.add_argument("--fast", action="store_true", help="fewer pages and repetitions")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    arguments = parser.parse_args()
    for directory in arguments.folders:
        if not (directory / "truth.jsonl").is_file():
            parser.error(f"{directory} holds no truth.jsonl; name the folders of the page sets")
    found: dict[str, Measured] = {}
    skipped: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as work:
        inputs = Inputs(arguments.folders or SETS, arguments.records, arguments.snapshots, Path(work), arguments.fast)
        chosen = benchmarks(inputs)
        unknown = set(arguments.only) - set(chosen)
        if unknown:
            parser.error(f"--only {' '.join(sorted(unknown))}: unknown; choose from: {', '.join(chosen)}")
        for name, function in chosen.items():
            if not arguments.only or name in arguments.only:
                _tell(name, "begins")
                try:
                    found[name] = function(partial(_tell, name))
                except Skipped as error:
                    skipped[name] = str(error)
                    _tell(name, f"SKIPPED: {error}")
    table = summary(found)
    if arguments.json:
        machine = {"python": platform.python_version(), "system": platform.platform()}
        lines = [asdict(line) | {"met": line.met} for line in table]
        written = {"machine": machine, "summary": lines, "skipped": skipped, "alone": ALONE, "measured": found}
        json.dump(written, sys.stdout, indent=1, ensure_ascii=False)
        sys.stdout.write("\n")
        return
    print(f"{'':52s}{'target':>10s}{'measured':>10s}")
    for line in table:
        sign = ">=" if line.at_least else "<="
        digits = 3 if line.unit == "F1" else 2
        measured = f"{line.measured:>10.{digits}f}"
        print(f"{line.what:52s}{sign} {line.target:>7g}{measured} {line.unit:14s}{'met' if line.met else 'MISSED'}")
    for name, reason in skipped.items():
        print(f"{name}: SKIPPED: {reason}")
    print("By themselves (python -m benchmarks.NAME): " + "; ".join(f"{name} ({why})" for name, why in ALONE.items()))


if __name__ == "__main__":
    main()
