"""``newsextract train node-attributes``: fit Δ1–Δ4 on data sets with truth."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from newsextract.algorithms import node_attributes
from newsextract.algorithms.node_attributes import LeafLimits
from newsextract.commands.common import check_output
from newsextract.commands.train.options import add_exclude_fold
from newsextract.lab import train_thresholds
from newsextract.lab.datasets import TruthPage, load, read
from newsextract.page.page import Page
from newsextract.page.snapshot import Snapshot
from newsextract.progress import ProgressLine

_EXAMPLES = """\
examples:
  newsextract train node-attributes DATA -o thresholds.toml
  newsextract train node-attributes DATA OTHER --preset published --exclude-fold 0 -o thresholds.toml
  newsextract train node-attributes DATA --snapshots SNAPSHOTS -o thresholds.toml

DATA is a directory with truth.jsonl and pages/<id>.html.gz, SNAPSHOTS one with <id>.snapshot of some or all of these pages.
Use the file in a site's settings:
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
        help="published: only the paper's steps; default: also prune boilerplate and use the container's share of the text",
    )
    parser.add_argument(
        "--snapshots",
        metavar="SNAPSHOTS",
        type=Path,
        help="also fit the limits of boxes, on the pages with a snapshot in this folder; default: write the shipped limits",
    )
    add_exclude_fold(parser)


def run(arguments: argparse.Namespace) -> int:
    """Fit, cross-validate, print and write.

    :raises DataError: a data set or a snapshot is wrong, or nothing is left to fit on.
    """
    check_output(arguments.output)
    tuned = arguments.preset == "default"
    samples: dict[int, list[train_thresholds.Sample]] = {}
    for page, truth in _pages(arguments.directories, set(arguments.exclude_fold), arguments.snapshots):
        sample = train_thresholds.sample(page, truth, boilerplate=tuned)
        if sample.true and len(sample.grams):
            samples.setdefault(truth.fold, []).append(sample)
    everything = [sample for fold in sorted(samples) for sample in samples[fold]]

    def by_position(some: list[train_thresholds.Sample]) -> LeafLimits:
        return train_thresholds.fit(some, container=tuned)[0]

    position, f1 = train_thresholds.fit(everything, container=tuned)
    validated = _cross_validated(samples, by_position, list)
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
    if arguments.snapshots is None:
        boxes = replace(node_attributes.shipped(arguments.preset).boxes, **_densities(position))
    else:
        boxes, f1 = train_thresholds.fit_boxes(everything, position)
        rendered = {fold: found for fold, some in samples.items() if (found := [s for s in some if s.drawn is not None])}
        validated = _cross_validated(
            rendered, lambda some: train_thresholds.fit_boxes(some, by_position(some))[0], train_thresholds.rendered
        )
        card |= {
            "rendered_pages": sum(map(len, rendered.values())),
            "boxes_fitted_f1": round(f1, 4),
            **({} if validated is None else {"boxes_cross_validated_f1": round(validated, 4)}),
        }
    fitted = node_attributes.Fitted(position, boxes)
    node_attributes.write(arguments.output, fitted, card)
    lines = [f"{key:24} {value}" for key, value in [*card.items(), *fitted.numbers.items()]]
    sys.stdout.write("\n".join(lines) + f"\nwritten to {arguments.output}\n")
    return 0


def _densities(limits: LeafLimits) -> dict[str, float]:
    return {"delta1": limits.delta1, "delta2": limits.delta2, "container": limits.container}


def _pages(directories: list[Path], excluded: set[int], snapshots: Path | None) -> Iterator[tuple[Page, TruthPage]]:
    """The pages with a truth text, without those of excluded folds; rendered where there is a snapshot."""
    for directory in directories:
        chosen = [truth for truth in load([directory]) if truth.text and truth.fold not in excluded]
        progress = ProgressLine(directory.name, sys.stderr)
        for done, truth in enumerate(chosen, 1):
            file = snapshots / f"{truth.id}.snapshot" if snapshots is not None else None
            if file is not None and file.is_file():
                yield Page.from_snapshot(Snapshot.load(file)), truth
            else:
                yield Page(read(truth), url=truth.url), truth
            progress.update(done, len(chosen))
        progress.close()


def _cross_validated(
    samples: dict[int, list[train_thresholds.Sample]],
    fit: Callable[[list[train_thresholds.Sample]], LeafLimits],
    judged: Callable[[list[train_thresholds.Sample]], list[train_thresholds.Sample]],
) -> float | None:
    """Mean over folds, by pages, of the F1 on a fold of limits fitted on the others; None with a single fold.

    :param judged: the samples as the limits see them.
    """
    if len(samples) < 2:
        return None
    total = 0.0
    for fold, own in samples.items():
        others = [sample for other, some in samples.items() if other != fold for sample in some]
        total += len(own) * train_thresholds.score(judged(own), fit(others))
    return total / sum(map(len, samples.values()))
