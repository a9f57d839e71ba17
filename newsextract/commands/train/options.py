"""Options that the training commands share."""

from __future__ import annotations

import argparse

from newsextract.evaluation.datasets import FOLDS


def add_exclude_fold(parser: argparse.ArgumentParser) -> None:
    """Declare ``--exclude-fold N``, which may be repeated."""
    parser.add_argument(
        "--exclude-fold",
        metavar="N",
        type=int,
        choices=range(FOLDS),
        action="append",
        default=[],
        help="of data sets, leave out the sites of fold N (0-4), to measure on them; may be repeated",
    )
