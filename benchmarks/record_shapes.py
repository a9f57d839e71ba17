"""What the shape of one page's records (:mod:`newsextract.algorithms.record_shape`) finds on other pages of its site.

    python -m benchmarks.record_shapes ../shared/bench/records SNAPSHOTS
    python -m benchmarks.record_shapes SAMPLE SAMPLE/snapshots

SNAPSHOTS is a folder with <id>.snapshot (python -m benchmarks.snapshot_pages), SAMPLE one of python -m
benchmarks.sample_records. Sites with several pages, of folds 1-4 only; at most six pages a site, each with the next one.
That page is read as it is, with all records but one cut out, and with all cut out. The trees that find the records know
the pages, so what counts is the difference. Pages that are cut keep what stands around their records, and records that the
algorithm missed. About two minutes.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from newsextract.algorithms.record_shape import Shape, agree, find_shape, learn_shape
from newsextract.algorithms.visual_blocks.algorithm import KINDS, Judges, load, search_records
from newsextract.algorithms.visual_blocks.candidates import Candidate
from newsextract.lab import datasets
from newsextract.lab.datasets import TruthPage, read
from newsextract.lab.metrics import Counts, TrueRecords, match
from newsextract.lab.train_pages import emptied
from newsextract.page.nodes import Nodes
from newsextract.page.page import Page
from newsextract.page.snapshot import Snapshot
from newsextract.results import RecordSet, Region

PAGES = 6
"""Of a site."""
GOOD = 0.9
"""Least F1 of the records of a page that is cut."""

Read = tuple[TruthPage, Nodes, RecordSet]


def measure(directory: Path, snapshots: Path, kind: str) -> dict[str, float]:
    """Figures by name; those that end in F1 are means over the pages on which a shape finds something."""
    judges = load().judges[kind]
    counts: Counter[str] = Counter()
    scores: dict[str, list[float]] = defaultdict(list)
    for pages in _sites(directory, snapshots, kind, judges):
        for (_, nodes, found), (truth, other, known) in zip(pages, [*pages[1:], pages[0]], strict=True):
            shape = learn_shape(nodes, found.regions[0], found.confidence) if found.regions else None
            counts["pages"] += 1
            if shape is None:
                continue
            counts["shapes"] += 1
            shaped = find_shape(other, shape)
            if shaped is None:
                continue
            counts["shapes that fit the next page"] += 1
            alone, together = known.regions, _together(other, known, shape)
            for name, regions in (("algorithm", alone), ("shape", (shaped,)), ("together", together)):
                scores[f"{name} F1"].append(_f1(truth, other, regions))
            counts["pages on which the shape's records are taken"] += together != alone
            if alone and _f1(truth, other, alone) >= GOOD:
                counts.update(_cut(other, alone[0], shape, judges, truth.id))
    return dict(counts) | {name: sum(values) / len(values) for name, values in scores.items()}


def _cut(nodes: Nodes, region: Region, shape: Shape, judges: Judges, name: str) -> Iterator[str]:
    """What is found where one record is left, and where none is."""
    records = list(region.records)
    kept = random.Random(name).randrange(len(records))
    wanted = TrueRecords([nodes.text(*records[kept])])
    for left, gone in (("one record left", records[:kept] + records[kept + 1 :]), ("none left", records)):
        page = nodes
        if gone:
            roots = np.array([(record[0], record[-1]) for record in gone])
            page = emptied(nodes, Candidate("found", roots[:, 0], roots[:, 1], roots))
        yield left
        found = search_records(page, judges)
        for how, regions in (("algorithm", found.regions), ("together", _together(page, found, shape))):
            texts = [page.text(*record) for one in regions for record in one.records]
            right = gone is not records and len(texts) == 1 and bool(match(wanted, texts))
            yield f"{left}, {how}: " + ("right" if right else "wrong" if texts else "nothing")
        if gone is records and find_shape(page, shape) is not None:
            yield f"{left}, shape: wrong"


def _together(nodes: Nodes, found: RecordSet, shape: Shape) -> tuple[Region, ...]:
    """As :func:`newsextract.extraction.find_records` takes them."""
    shaped = find_shape(nodes, shape)
    if shaped is None or (found.regions and agree(nodes, found.regions[0], shaped)):
        return found.regions
    return (shaped,)


def _sites(directory: Path, snapshots: Path, kind: str, judges: Judges) -> Iterator[list[Read]]:
    """The pages of each site that has several."""
    sites: dict[tuple[str, str], list[TruthPage]] = defaultdict(list)
    for page in datasets.load([directory], "records"):
        if page.fold:
            sites[page.site, page.kind].append(page)
    for pages in sites.values():
        if len(pages) > 1:
            yield [(page, nodes := _nodes(page, snapshots, kind), search_records(nodes, judges)) for page in pages[:PAGES]]


def _nodes(page: TruthPage, snapshots: Path, kind: str) -> Nodes:
    if kind == "visual":
        return Snapshot.load(snapshots / f"{page.id}.snapshot").nodes
    return Page(read(page)).nodes


def _f1(page: TruthPage, nodes: Nodes, regions: Sequence[Region]) -> float:
    texts = [nodes.text(*roots) for region in regions for roots in region.records]
    return Counts(len(match(TrueRecords([record.text for record in page.records]), texts)), len(texts), len(page.records)).f1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("snapshots", type=Path)
    arguments = parser.parse_args()
    for kind in KINDS:
        for name, value in measure(arguments.directory, arguments.snapshots, kind).items():
            print(f"{kind:7} {name:50} {value:.3f}" if name.endswith("F1") else f"{kind:7} {name:50} {value:.0f}")


if __name__ == "__main__":
    main()
