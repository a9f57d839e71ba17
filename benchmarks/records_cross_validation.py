"""Record F1 of visual_blocks on sites that its model has not seen: five folds by site, rendered and from the source alone.

    python -m benchmarks.records_cross_validation ../shared/bench/records SNAPSHOTS [--also DIR] [--seed N]

SNAPSHOTS is a folder with <id>.snapshot (python -m benchmarks.snapshot_pages). --also names a data set that all folds learn
from and that is not measured, with its snapshots in DIR/snapshots (python -m benchmarks.sample_records DIR). About six
minutes on two cores.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from newsextract.algorithms.visual_blocks.model import KINDS, Judges
from newsextract.algorithms.visual_blocks.search import search_records
from newsextract.algorithms.visual_blocks.training.examples import Example, example
from newsextract.algorithms.visual_blocks.training.fit import fit
from newsextract.commands.progress import Progress
from newsextract.evaluation import record_datasets
from newsextract.evaluation.datasets import FOLDS, read
from newsextract.evaluation.record_datasets import RecordTruth
from newsextract.evaluation.record_metrics import Counts, TrueRecords, match, summarize
from newsextract.nodes import Nodes
from newsextract.page import Page
from newsextract.snapshot import Snapshot


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("snapshots", type=Path)
    parser.add_argument("--also", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    pages = [page for page in record_datasets.load(arguments.directory) if page.records]
    also: Path | None = arguments.also
    for kind in KINDS:
        others = _learned(record_datasets.load(also), kind, also / "snapshots")[0] if also else []
        counts = _counts(pages, kind, arguments.snapshots, arguments.seed, others)
        for name, chosen in _parts(pages):
            found = summarize([(page.site, counts[page.id]) for page in chosen], bootstrap=1000)
            pooled, macro = f"{found.f1:.3f} ± {found.f1_sd:.3f}", f"{found.macro_f1:.3f} ± {found.macro_f1_sd:.3f}"
            print(f"{kind:7} {name:10} {len(chosen):4} pages  pooled {pooled}  macro {macro}", flush=True)


def _counts(
    pages: Sequence[RecordTruth], kind: str, snapshots: Path, seed: int, others: Sequence[Example | None]
) -> dict[str, Counts]:
    learned, nodes = _learned(pages, kind, snapshots)
    counts = {}
    for fold in range(FOLDS):
        known = [example for example, page in zip(learned, pages, strict=True) if page.fold != fold]
        judges = fit([example for example in (*known, *others) if example is not None], seed)
        counts |= {page.id: _score(page, own, judges) for page, own in zip(pages, nodes, strict=True) if page.fold == fold}
    return counts


def _learned(pages: Sequence[RecordTruth], kind: str, snapshots: Path) -> tuple[list[Example | None], list[Nodes]]:
    progress = Progress(f"{kind}: reading pages", sys.stderr)
    learned, nodes = [], []
    for done, page in enumerate(pages, 1):
        nodes.append(_nodes(page, kind, snapshots))
        learned.append(example(page.site, nodes[-1], [record.text for record in page.records]))
        progress.update(done, len(pages))
    progress.close()
    return learned, nodes


def _nodes(page: RecordTruth, kind: str, snapshots: Path) -> Nodes:
    if kind == "visual":
        return Snapshot.load(snapshots / f"{page.id}.snapshot").nodes
    return Page(read(page)).nodes


def _score(page: RecordTruth, nodes: Nodes, judges: Judges) -> Counts:
    found = search_records(nodes, judges)
    texts = [nodes.text(*roots) for region in found.regions for roots in region.records]
    pairs = match(TrueRecords([record.text for record in page.records]), texts)
    return Counts(len(pairs), len(texts), len(page.records))


def _parts(pages: Sequence[RecordTruth]) -> list[tuple[str, list[RecordTruth]]]:
    """The test part, the others, all pages, and those of each source."""
    parts = [("fold 0", [page for page in pages if page.fold == 0]), ("folds 1-4", [page for page in pages if page.fold]),
             ("all", list(pages))]  # fmt: skip
    sources = sorted({page.source for page in pages})
    return parts + [(source, [page for page in pages if page.source == source]) for source in sources]


if __name__ == "__main__":
    main()
