"""``newsextract train visual-blocks``: the trees of the default preset from pages with true records."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from newsextract.algorithms.visual_blocks import algorithm
from newsextract.commands.common import check_output
from newsextract.commands.train.options import add_exclude_fold
from newsextract.errors import UsageError
from newsextract.lab import datasets, train_visual_blocks
from newsextract.progress import ProgressLine

_EXAMPLES = """\
examples:
  newsextract train visual-blocks DATA --snapshots SNAPSHOTS -o model.npz
  newsextract train visual-blocks DATA --snapshots SNAPSHOTS --exclude-fold 0 -o without-the-test-part.npz
  newsextract train visual-blocks DATA MORE --snapshots SNAPSHOTS MORE/snapshots -o model.npz

DATA is a directory with truth.jsonl and pages/<id>/index.html. SNAPSHOTS is a directory with <id>.snapshot; give one for
each DATA, in the same order. To make it:
  python -m benchmarks.snapshot_pages DATA/pages SNAPSHOTS
"""


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "visual-blocks",
        help="train the trees of visual_blocks",
        description="Train the trees of visual_blocks on pages with true records. About three minutes for 630 pages.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    add = parser.add_argument
    add("directories", metavar="DIR", nargs="+", type=Path, help="data sets with true records")
    add("--snapshots", metavar="DIR", nargs="+", type=Path, required=True, help="a folder of <id>.snapshot for each")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, required=True, help="the model file to write")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="default: 0")
    add_exclude_fold(parser)


def run(arguments: argparse.Namespace) -> int:
    """Train and write.

    :raises DataError: the data set or a snapshot is missing or wrong, or nothing is left to train on.
    :raises MissingExtra: scikit-learn is not installed.
    """
    check_output(arguments.output)
    if len(arguments.snapshots) != len(arguments.directories):
        raise UsageError(
            f"{len(arguments.directories)} data sets and {len(arguments.snapshots)} folders of snapshots; "
            "give one for each, in the same order, for example DATA MORE --snapshots DATA-SNAPSHOTS MORE-SNAPSHOTS"
        )
    pages = [
        (page, folder / f"{page.id}.snapshot")
        for directory, folder in zip(arguments.directories, arguments.snapshots, strict=True)
        for page in datasets.load_records(directory)
        if page.fold not in arguments.exclude_fold
    ]
    progress = ProgressLine("reading pages", sys.stderr)
    judges = train_visual_blocks.train(pages, progress.update, arguments.seed)
    progress.close()
    card = {
        "data": [directory.resolve().name for directory in arguments.directories],
        "folds": sorted({page.fold for page, _ in pages}),
        "pages": len(pages),
        "sites": len({page.site for page, _ in pages}),
        "members": train_visual_blocks.MEMBERS,
        "seed": arguments.seed,
    }
    algorithm.save(arguments.output, judges, card)
    lines = [f"{key:14} {value}" for key, value in card.items()]
    sys.stdout.write("\n".join(lines) + f"\nwritten to {arguments.output} ({arguments.output.stat().st_size:,} bytes)\n")
    return 0
