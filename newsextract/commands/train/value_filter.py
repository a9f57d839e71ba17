"""``newsextract train value-filter``: a naive Bayes filter from labelled texts or from data sets with truth."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from newsextract.algorithms.value_filter import ValueFilter
from newsextract.commands.common import check_output
from newsextract.commands.train.options import add_exclude_fold
from newsextract.errors import DataError, UsageError
from newsextract.lab import train_value_filter
from newsextract.lab.datasets import FOLDS as DATA_FOLDS
from newsextract.lab.train_value_filter import CLASSES, LabelledText, TrainingOptions, read_labelled
from newsextract.progress import ProgressLine

_EXAMPLES = """\
examples:
  newsextract train value-filter labelled.jsonl -o model.json
  newsextract train value-filter --from-articles DATA OTHER --exclude-fold 0 -o model.json

Each line of labelled.jsonl is {"text": "...", "label": "worthless" | "valuable"} (or 0 | 1), with the optional keys "group"
(a site or thread: never on both sides of the cross-validation) and "lang". DATA is a directory with truth.jsonl and
pages/<id>.html.gz. Use the model in a site's settings:
  algorithm = "naive_bayes"
  params = { model = "model.json" }
"""


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "value-filter",
        help="train the value filter of node_attributes and naive_bayes",
        description="Train the value filter (Bernoulli naive Bayes) and print its cross-validated precision and recall.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    add = parser.add_argument
    add("labelled", metavar="LABELLED", nargs="*", type=Path, help="JSON lines of labelled texts")
    add("--from-articles", metavar="DIR", nargs="+", type=Path, default=[], help="derive labels from data sets with truth")
    add_exclude_fold(parser)
    add("-o", "--output", metavar="FILE", type=Path, required=True, help="the model file to write")
    add(
        "--features",
        metavar="N",
        type=_number(1, 100_000),
        default=train_value_filter.FEATURES,
        help="number of words in each part of the model, Chinese and other (%(default)s)",
    )
    add(
        "--folds",
        metavar="K",
        type=_number(2, 100),
        default=train_value_filter.FOLDS,
        help="number of folds of the cross-validation (%(default)s)",
    )
    add("--prior", choices=("balanced", "counted"), default="balanced", help="class probabilities (%(default)s)")
    add("--words-only", action="store_true", help="use the paper's features only, without those for length")


def run(arguments: argparse.Namespace) -> int:
    """Train, cross-validate, write and print.

    :raises UsageError: contradictory options; labels or data sets that are missing, malformed or too few.
    """
    if bool(arguments.labelled) == bool(arguments.from_articles):
        raise UsageError("give either files of labelled texts or --from-articles DIR; see --help")
    if arguments.exclude_fold and not arguments.from_articles:
        raise UsageError("--exclude-fold goes with --from-articles: labelled texts have no folds")
    check_output(arguments.output)
    train_value_filter.require_scikit_learn()
    options = TrainingOptions(arguments.features, arguments.folds, arguments.prior, not arguments.words_only)
    if arguments.from_articles:
        model = _from_articles(arguments, options)
    else:
        items = [item for path in arguments.labelled for item in read_labelled(path)]
        model = train_value_filter.train(items, options, data=" ".join(path.name for path in arguments.labelled))
    model.save(arguments.output)
    sys.stdout.write(f"{summary(model)}written to {arguments.output} ({arguments.output.stat().st_size:,} bytes)\n")
    return 0


def summary(model: ValueFilter) -> str:
    """What a model's card says, as a table."""
    card = model.card
    validated = card["cross_validation"]
    tables = {f"cross-validated in {validated['folds']} folds": validated, "on the folds left out": card.get("left_out", {})}
    lines = []
    for title, table in tables.items():
        for part in (name for name in model.parts if name in table):
            counts = f"{card['texts'][part]['groups']} groups, {len(model.parts[part].words)} words"
            lines.append(f"{part} texts, {title} ({counts})")
            lines.append(f"  {'class':10} {'texts':>8} {'precision':>10} {'recall':>8} {'F1':>8}")
            for name in CLASSES:
                row = table[part][name]
                texts = card["left_out"]["texts"] if table is not validated else card["texts"]
                lines.append(
                    f"  {name:10} {texts[part][name]:8,} {row['precision']:10.3f} {row['recall']:8.3f} {row['f1']:8.3f}"
                )
    for part, counts in card["too_few"].items():
        told = ", ".join(f"{n} {name}" for name, n in counts.items())
        lines.append(f"{part} texts are too few to be trained ({told}); the filter will leave such texts alone")
    return "\n".join(lines) + "\n"


def _from_articles(arguments: argparse.Namespace, options: TrainingOptions) -> ValueFilter:
    excluded = frozenset(arguments.exclude_fold)
    folds = frozenset(range(DATA_FOLDS)) - excluded
    items = _texts(arguments.from_articles, folds)
    if not items:
        raise DataError("no labelled block is left; give data sets with true texts, or exclude fewer folds")
    sys.stderr.write(f"training on {len(items):,} texts\n")
    model = train_value_filter.train(items, options, data=" ".join(path.resolve().name for path in arguments.from_articles))
    card: dict[str, Any] = {**model.card, "data_folds": sorted(folds)}
    if excluded:
        others = _texts(arguments.from_articles, excluded)
        card["left_out"] = {"data_folds": sorted(excluded), **train_value_filter.evaluate(model, others)}
    return replace(model, card=card)


def _texts(directories: list[Path], folds: frozenset[int]) -> list[LabelledText]:
    opened: list[ProgressLine] = []

    def progress(name: str) -> train_value_filter.Progress:
        opened.append(ProgressLine(name, sys.stderr))
        return opened[-1].update

    items = train_value_filter.labelled_texts(directories, folds, progress)
    for shown in opened:
        shown.close()
    return items


def _number(least: int, most: int) -> Any:
    """A parser of whole numbers within bounds."""

    def parse(text: str) -> int:
        if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(f"expected a number from {least} to {most}, got {text!r}")
        return int(text)

    return parse
