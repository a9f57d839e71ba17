"""What a snapshot costs: loading, the walk in the page, and decoding, as multiples of a plain lxml parse of the same page.

    python -m benchmarks.snapshot [FOLDER] [--pages 60]

Pages are taken evenly from folds 1-4. ``load`` is a bare playwright loop that only loads the saved page, its scripts off;
``render`` is newsextract's whole way from the file to the snapshot, in time on the clock like ``load``. ``walk`` is the CPU
time of the page's main thread, as the browser counts it (``TaskDuration``, thread ticks), best of three after the first;
``first walk`` includes the layout that nothing had asked for before. ``decode`` is the CPU time from the walk's string to a
snapshot, ``write`` and ``read`` are those of its file; best of three.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections import defaultdict
from pathlib import Path
from time import perf_counter
from typing import Any

import lxml.html
from playwright.sync_api import sync_playwright

from benchmarks.machine import least
from newsextract.browser.loading import find_browser
from newsextract.browser.render import VIEWPORT, Browser
from newsextract.lab.datasets import fold
from newsextract.page.snapshot import WALKER, Snapshot

FOLDER = Path("../shared/bench/records")
WALK_TARGET = 50.0
"""Milliseconds of CPU at most, on the median page (840 elements)."""
REPETITIONS = 3
STEPS = ("load", "render", "first walk", "walk", "decode", "write", "read")


def measure(folder: Path = FOLDER, pages: int = 60) -> dict[str, Any]:
    """Milliseconds of each step, medians over the pages, and their multiples of a parse."""
    paths = _pages(folder, pages)
    times: dict[str, list[float]] = defaultdict(list)
    sizes: list[int] = []
    files: list[int] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser().path, chromium_sandbox=False)
        context = browser.new_context(
            java_script_enabled=False, viewport={"width": VIEWPORT[0], "height": VIEWPORT[1]}, offline=True
        )
        page = context.new_page()
        counter = context.new_cdp_session(page)
        counter.send("Performance.enable", {"timeDomain": "threadTicks"})

        def walked() -> tuple[float, str]:
            before = _task_seconds(counter.send("Performance.getMetrics"))
            walk = page.evaluate(WALKER)
            return _task_seconds(counter.send("Performance.getMetrics")) - before, walk

        for path in paths:
            source = path.read_bytes()
            times["lxml"].append(least(lambda source=source: lxml.html.fromstring(source), REPETITIONS))  # type: ignore[misc]
            start = perf_counter()
            page.goto(path.resolve().as_uri())
            times["load"].append(perf_counter() - start)
            first, walk = walked()
            times["first walk"].append(first)
            times["walk"].append(min(walked()[0] for _ in range(REPETITIONS)))
            snapshot = Snapshot.from_walk(walk)
            data = snapshot.to_bytes()
            times["decode"].append(least(lambda walk=walk: Snapshot.from_walk(walk), REPETITIONS))  # type: ignore[misc]
            times["write"].append(least(snapshot.to_bytes, REPETITIONS))
            times["read"].append(least(lambda data=data: Snapshot.from_bytes(data), REPETITIONS))  # type: ignore[misc]
            sizes.append(sum(1 for tag in snapshot.nodes.tags if tag))
            files.append(len(data))
        browser.close()
    with Browser() as ours:
        ours.render(paths[0])
        for path in paths:
            start = perf_counter()
            ours.render(path)
            times["render"].append(perf_counter() - start)
    return {
        "pages": len(paths),
        "median_elements": statistics.median(sizes),
        "median_file_bytes": statistics.median(files),
        "lxml_milliseconds": 1e3 * statistics.median(times["lxml"]),
        "milliseconds": {step: 1e3 * statistics.median(times[step]) for step in STEPS},
        "times_lxml": {
            step: statistics.median(a / b for a, b in zip(times[step], times["lxml"], strict=True)) for step in STEPS
        },
        "load_by_render": sum(times["load"]) / sum(times["render"]),
    }


def _pages(folder: Path, count: int) -> list[Path]:
    rows = [json.loads(line) for line in (folder / "truth.jsonl").read_bytes().splitlines()]
    found = [folder / "pages" / row["id"] / "index.html" for row in rows if fold(row["site"])]
    return found[:: max(1, len(found) // count)][:count]


def _task_seconds(metrics: dict[str, Any]) -> float:
    return next(float(metric["value"]) for metric in metrics["metrics"] if metric["name"] == "TaskDuration")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--pages", type=int, default=60)
    arguments = parser.parse_args()
    found = measure(arguments.folder, arguments.pages)
    print(
        f"{found['pages']} pages, median {found['median_elements']:.0f} elements, "
        f"file {found['median_file_bytes'] / 1e3:.0f} kB; lxml parse {found['lxml_milliseconds']:.2f} ms"
    )
    for step in STEPS:
        print(f"{step:12s}{found['milliseconds'][step]:8.1f} ms{found['times_lxml'][step]:8.1f} x lxml")
    met = "met" if found["milliseconds"]["walk"] <= WALK_TARGET else "MISSED"
    print(f"walk: target {WALK_TARGET:g} ms: {met}; pages/s of a loop that only loads: {found['load_by_render']:.2f}")


if __name__ == "__main__":
    main()
