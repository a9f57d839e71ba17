"""Record F1 of visual_blocks on sites that its model has not seen: five folds by site, rendered and from the source alone.

    python -m benchmarks.records_cross_validation ../shared/bench/records SNAPSHOTS [--also DIR] [--seed N]

SNAPSHOTS is a folder with <id>.snapshot (python -m benchmarks.snapshot_pages). --also names a data set that all folds learn
from and that is not measured, with its snapshots in DIR/snapshots (python -m benchmarks.sample_records DIR). Also counted:
pages whose records were taken out, and on which records are found all the same. About ten minutes on two cores.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from newsextract.algorithms.visual_blocks.algorithm import KINDS, LEAST_SCORE, Judges, search_records
from newsextract.control_characters import ProgressLine
from newsextract.lab import datasets
from newsextract.lab.datasets import FOLDS, TruthPage, read
from newsextract.lab.metrics import Counts, TrueRecords, match, summarize_records
from newsextract.lab.train_pages import RecordExample, lessons
from newsextract.lab.train_pages import judges as judges_of
from newsextract.page.nodes import Nodes
from newsextract.page.page import Page
from newsextract.page.snapshot import Snapshot

TARGETS = {"pooled": 0.955, "macro": 0.93}
"""Least F1 over all pages, rendered."""
DOM_LOSS = 0.02
"""Most that is lost without a browser."""


def measure(
    directory: Path,
    snapshots: Path,
    also: Path | None = None,
    seed: int = 0,
    progress: Callable[[str], None] = lambda line: None,
) -> dict[str, dict[str, dict[str, float | None]]]:
    """Kind of page → part of the data → number of pages, pooled and macro F1 with their standard deviations; number of
    emptied pages, and of those on which records are found."""
    pages = [page for page in datasets.load([directory], "records") if page.records]
    known = {kind: _learned(pages, kind, snapshots) for kind in KINDS}
    others = {kind: _learned(datasets.load([also], "records"), kind, also / "snapshots") if also else [] for kind in KINDS}
    judges = [_judges(pages, known, others, fold, seed) for fold in range(FOLDS)]
    found: dict[str, dict[str, dict[str, float | None]]] = {}
    for kind in KINDS:
        own = {page.id: (read_page, judges[page.fold][kind]) for page, read_page in zip(pages, known[kind], strict=True)}
        counts = {page.id: _score(page, own[page.id][0].nodes, own[page.id][1]) for page in pages}
        false = {
            name: _has_records(read_page.lessons[1], by) for name, (read_page, by) in own.items() if read_page.lessons[1:]
        }
        found[kind] = {}
        for name, chosen in _parts(pages):
            scores = summarize_records([(page.site, counts[page.id]) for page in chosen], bootstrap=1000)
            without = [false[page.id] for page in chosen if page.id in false]
            pooled, macro = f"{scores.f1:.3f} ± {scores.f1_sd:.3f}", f"{scores.macro_f1:.3f} ± {scores.macro_f1_sd:.3f}"
            progress(
                f"{kind:7} {name:10} {len(chosen):4} pages  pooled {pooled}  macro {macro}  "
                f"records found on {sum(without)} of {len(without)} emptied pages"
            )
            found[kind][name] = {
                "pages": len(chosen),
                "pooled": scores.f1,
                "pooled_sd": scores.f1_sd,
                "macro": scores.macro_f1,
                "macro_sd": scores.macro_f1_sd,
                "emptied": len(without),
                "found_on_emptied": sum(without),
            }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("snapshots", type=Path)
    parser.add_argument("--also", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    measure(arguments.directory, arguments.snapshots, arguments.also, arguments.seed, partial(print, flush=True))


@dataclass(frozen=True, slots=True)
class _Read:
    """A page of one kind."""

    nodes: Nodes
    lessons: list[RecordExample]
    """As it is, and without its records."""


def _judges(
    pages: Sequence[TruthPage],
    read_pages: Mapping[str, Sequence[_Read]],
    others: Mapping[str, Sequence[_Read]],
    fold: int,
    seed: int,
) -> dict[str, Judges]:
    """What is learned from all folds but one."""
    known = {
        kind: [own for own, page in zip(read_pages[kind], pages, strict=True) if page.fold != fold] + list(others[kind])
        for kind in KINDS
    }
    return judges_of({kind: [lesson for own in known[kind] for lesson in own.lessons] for kind in KINDS}, seed)


def _learned(pages: Sequence[TruthPage], kind: str, snapshots: Path) -> list[_Read]:
    progress = ProgressLine(f"{kind}: reading pages", sys.stderr)
    found = []
    for done, page in enumerate(pages, 1):
        nodes = _nodes(page, kind, snapshots)
        found.append(_Read(nodes, lessons(page.site, nodes, [record.text for record in page.records])))
        progress.update(done, len(pages))
    progress.close()
    return found


def _nodes(page: TruthPage, kind: str, snapshots: Path) -> Nodes:
    if kind == "visual":
        return Snapshot.load(snapshots / f"{page.id}.snapshot").nodes
    return Page(read(page)).nodes


def _score(page: TruthPage, nodes: Nodes, judges: Judges) -> Counts:
    found = search_records(nodes, judges)
    seen = nodes.written if found.written else nodes
    texts = [seen.text(*roots) for region in found.regions for roots in region.records]
    pairs = match(TrueRecords([record.text for record in page.records]), texts)
    return Counts(len(pairs), len(texts), len(page.records))


def _has_records(page: RecordExample, judges: Judges) -> bool:
    """Whether records are found on a page."""
    return float(judges.sets.predict(page.features).max()) >= LEAST_SCORE


def _parts(pages: Sequence[TruthPage]) -> list[tuple[str, list[TruthPage]]]:
    """The test part, the others, all pages, and those of each source."""
    parts = [("fold 0", [page for page in pages if page.fold == 0]), ("folds 1-4", [page for page in pages if page.fold]),
             ("all", list(pages))]  # fmt: skip
    sources = sorted({page.source for page in pages})
    return parts + [(source, [page for page in pages if page.source == source]) for source in sources]


if __name__ == "__main__":
    main()
