"""Options that the training commands share."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from newsextract.errors import DataError
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


def check_output(path: Path) -> None:
    """Refuse a file that cannot be written, before the work is done.

    :raises DataError: it is a folder, or its folder is missing or read-only.
    """
    if path.is_dir():
        raise DataError(f"cannot write {path}: it is a folder; name a file in it")
    if not path.parent.is_dir():
        raise DataError(f"cannot write {path}: there is no directory {path.parent}; create it first")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise DataError(f"cannot write {path}: no permission; choose another place")
