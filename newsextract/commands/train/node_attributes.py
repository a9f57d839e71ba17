"""``newsextract train node-attributes``: fit Δ1–Δ4 on data sets with truth."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from newsextract.algorithms.node_attributes import fitting, thresholds
from newsextract.commands.output import check_output
from newsextract.commands.progress import Progress
from newsextract.commands.train.options import add_exclude_fold
from newsextract.evaluation.datasets import TruthPage, load, read
from newsextract.page import Page

_EXAMPLES = """\
examples:
  newsextract train node-attributes DATA -o thresholds.toml
  newsextract train node-attributes DATA OTHER --preset published --exclude-fold 0 -o thresholds.toml

DATA is a directory with truth.jsonl and pages/<id>.html.gz. Use the file in a site's settings:
  algorithm = "node_attributes"
  params = { thresholds = "thresholds.toml" }
"""


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "node-attributes",
        help="fit the thresholds of node_attributes",
        description="Fit the thresholds Δ1–Δ4 of node_attributes on pages with truth.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    parser.add_argument("directories", metavar="DIR", nargs="+", type=Path, help="data sets with truth")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, required=True, help="the thresholds file to write")
    parser.add_argument(
        "--preset",
        choices=("default", "published"),
        default="default",
        help="published: the paper's steps alone; default: with pruning of boilerplate and the container's share",
    )
    add_exclude_fold(parser)


def run(arguments: argparse.Namespace) -> int:
    """Fit, cross-validate, print and write.

    :raises DataError: a data set is wrong, or nothing is left to fit on.
    """
    check_output(arguments.output)
    tuned = arguments.preset == "default"
    samples: dict[int, list[fitting.Sample]] = {}
    for page, truth in _pages(arguments.directories, set(arguments.exclude_fold)):
        sample = fitting.sample(page, truth, boilerplate=tuned)
        if sample.true and len(sample.grams):
            samples.setdefault(truth.fold, []).append(sample)
    everything = [sample for fold in sorted(samples) for sample in samples[fold]]
    limits, f1 = fitting.fit(everything, container=tuned)
    validated = _cross_validated(samples, container=tuned)
    fusion = sum(sample.fusion_rate for sample in everything) / len(everything)
    card: dict[str, str | int | float] = {
        "preset": arguments.preset,
        "data": " ".join(path.resolve().name for path in arguments.directories),
        "folds": " ".join(map(str, sorted(samples))),
        "pages": len(everything),
        "fitted_f1": round(f1, 4),
        **({} if validated is None else {"cross_validated_f1": round(validated, 4)}),
        "fusion_rate": round(fusion, 4),
    }
    thresholds.write(arguments.output, limits, card)
    lines = [f"{key:20} {value}" for key, value in [*card.items(), *zip(thresholds.KEYS, _values(limits), strict=True)]]
    sys.stdout.write("\n".join(lines) + f"\nwritten to {arguments.output}\n")
    return 0


def _values(limits: object) -> list[float]:
    return [getattr(limits, key) for key in thresholds.KEYS]


def _pages(directories: list[Path], excluded: set[int]) -> Iterator[tuple[Page, TruthPage]]:
    """The pages with a truth text, without those of excluded folds."""
    for directory in directories:
        chosen = [truth for truth in load([directory]) if truth.text and truth.fold not in excluded]
        progress = Progress(directory.name, sys.stderr)
        for done, truth in enumerate(chosen, 1):
            yield Page(read(truth), url=truth.url), truth
            progress.update(done, len(chosen))
        progress.close()


def _cross_validated(samples: dict[int, list[fitting.Sample]], *, container: bool) -> float | None:
    """Mean over folds, by pages, of the F1 on a fold of limits fitted on the others; None with a single fold."""
    if len(samples) < 2:
        return None
    total = 0.0
    for fold, own in samples.items():
        others = [sample for other, some in samples.items() if other != fold for sample in some]
        limits, _ = fitting.fit(others, container=container)
        total += len(own) * fitting.score(own, limits)
    return total / sum(map(len, samples.values()))
