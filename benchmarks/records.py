"""What records cost: on the bench's pages, from a snapshot in memory and from the source; and against the number of blocks.

    python -m benchmarks.records ../shared/bench/records SNAPSHOTS

CPU milliseconds, medians over every sixth page, each beside a plain lxml parse of the same bytes in the same run.
"""

from __future__ import annotations

import argparse
import statistics
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import lxml.html
import numpy as np

from benchmarks.machine import least
from newsextract import Page, Snapshot, find_records
from newsextract.lab import datasets
from newsextract.lab.datasets import read
from newsextract.page.nodes import STYLE_NAMES, Geometry, Nodes, read_nodes

_EVERY = 6
_PUBLISHED = {"preset": "published"}
_REPEATED = 3
_SIZES = (300, 1_000, 3_000, 10_000, 20_000)


TARGETS = {"visual": 60.0, "dom": 30.0}
"""Milliseconds of CPU at most, on the median page."""


def measure(
    directory: Path,
    snapshots: Path,
    every: int = _EVERY,
    sizes: Sequence[int] = _SIZES,
    progress: Callable[[str], None] = lambda line: None,
) -> dict[str, Any]:
    """Median milliseconds by way, and the curve: seconds and nodes by number of records.

    :param every: every how many pages one is taken.
    """
    times: dict[str, list[float]] = defaultdict(list)
    pages = datasets.load([directory], "records")[::every]
    progress(f"{len(pages)} pages")
    for page in pages:
        body = read(page)
        snapshot = Snapshot.load(snapshots / f"{page.id}.snapshot")
        for name, work in _ways(body, snapshot).items():
            times[name].append(least(work, _REPEATED))
    curve = []
    for records in sizes:
        progress(f"a page of {records} records")
        nodes = many(records)
        seconds = least(lambda nodes=nodes: find_records(made(nodes)), _REPEATED)  # type: ignore[misc]
        curve.append({"records": records, "nodes": len(nodes), "seconds": seconds})
    return {
        "pages": len(pages),
        "milliseconds": {name: 1e3 * statistics.median(values) for name, values in times.items()},
        "curve": curve,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("snapshots", type=Path)
    arguments = parser.parse_args()
    found = measure(arguments.directory, arguments.snapshots)
    yardstick = found["milliseconds"]["lxml"]
    for name, milliseconds in found["milliseconds"].items():
        print(f"{name:10} {found['pages']} pages  median {milliseconds:6.1f} ms = {milliseconds / yardstick:5.1f} x lxml")
    for point in found["curve"]:
        records, nodes, seconds = point["records"], point["nodes"], point["seconds"]
        print(f"{records:6} records, {nodes:7} nodes  {seconds * 1e3:8.0f} ms  {seconds / nodes * 1e6:5.1f} us a node")


def _ways(body: bytes, snapshot: Snapshot) -> dict[str, Callable[[], object]]:
    return {
        "lxml": lambda: lxml.html.fromstring(body),
        "dom": lambda: find_records(Page(body)),
        "visual": lambda: find_records(fresh(snapshot)),
        "published": lambda: find_records(fresh(snapshot), params=_PUBLISHED),
        "mdr": lambda: find_records(Page(body), algorithm="mdr"),
    }


def fresh(snapshot: Snapshot) -> Snapshot:
    """The same snapshot with nothing computed from it yet."""
    return replace(snapshot, nodes=replace(snapshot.nodes))


def many(records: int) -> Nodes:
    """A drawn page of that many records, six nodes each."""
    items = "".join(f"<div class=hit><h3><a href=/{k}>Hit {k}</a></h3><p>words of {k}</p></div>" for k in range(records))
    nodes = read_nodes(f"<body>{items}</body>")
    tops = np.arange(len(nodes), dtype=np.float32) * 10
    ones = np.ones(len(nodes), dtype=np.float32)
    boxes = np.stack((ones * 200, tops, ones * 600, ones * 20), axis=1)
    style = tuple("16px" if name == "font-size" else "400" if name == "font-weight" else "" for name in STYLE_NAMES)
    geometry = Geometry(boxes, np.zeros(len(nodes), dtype=np.int32), [style], (1000.0, float(tops[-1]) + 20), 16.0)
    return replace(nodes, geometry=geometry)


def made(nodes: Nodes) -> Snapshot:
    return Snapshot(None, "<html></html>", replace(nodes), (1423, 900), datetime.now(UTC))


if __name__ == "__main__":
    main()
