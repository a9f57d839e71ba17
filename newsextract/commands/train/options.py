"""Options that the training commands share."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from newsextract.errors import UsageError
from newsextract.lab.datasets import FOLDS, TruthPage


def add_exclude_source(parser: argparse.ArgumentParser) -> None:
    """Declare ``--exclude-source NAME``, which may be repeated."""
    parser.add_argument(
        "--exclude-source",
        metavar="NAME",
        action="append",
        default=[],
        help="leave out a source (key source of truth.jsonl) and all pages of its sites; may be repeated",
    )


def without_sources(pages: Sequence[TruthPage], sources: Sequence[str]) -> list[TruthPage]:
    """The pages of sites from which none of these sources has a page.

    :raises UsageError: no page comes from one of them.
    """
    if unknown := sorted(set(sources) - {page.source for page in pages}):
        known = ", ".join(sorted({page.source for page in pages}))
        raise UsageError(f"no page comes from the source {unknown[0]!r}; known are: {known}")
    sites = {page.site for page in pages if page.source in sources}
    return [page for page in pages if page.site not in sites]


def add_exclude_fold(parser: argparse.ArgumentParser) -> None:
    """Declare ``--exclude-fold N``, which may be repeated."""
    parser.add_argument(
        "--exclude-fold",
        metavar="N",
        type=int,
        choices=range(FOLDS),
        action="append",
        default=[],
        help="leave out the sites of fold N (0-4), to measure on them; may be repeated",
    )
