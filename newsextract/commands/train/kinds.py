"""``newsextract train kinds``: the model that tells page kinds, from data sets with truth."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from newsextract.commands.common import check_output
from newsextract.commands.train.options import add_exclude_fold, add_exclude_source, without_sources
from newsextract.discovery import kinds
from newsextract.lab import datasets

if TYPE_CHECKING:
    from newsextract.lab.train_kinds import FittedKinds, KindExample

_EXAMPLES = """\
examples:
  newsextract train kinds DATA DATA-ZH MODERN --records RECORDS -o kinds.npz

MODERN is a data set whose truth.jsonl names the kind of each page. The command prints the accuracy for each kind,
cross-validated over the folds.
"""


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "kinds",
        help="train the model of page kinds",
        description="Train the model that predicts the page kind (article, documentation, service, forum, listing …).",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    parser.add_argument("directories", metavar="DIR", nargs="+", type=Path, help="data sets with truth")
    parser.add_argument("--records", metavar="DIR", type=Path, help="a data set of pages of many records")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, required=True, help="the model file to write")
    add_exclude_fold(parser)
    add_exclude_source(parser)


def run(arguments: argparse.Namespace) -> int:
    """Train, write, and print what was measured.

    :raises DataError: a data set is wrong, or lacks kinds.
    :raises UsageError: no page comes from a source that is to be left out.
    :raises MissingExtra: scikit-learn is not installed.
    """
    from newsextract.lab import train_kinds  # reason: needs scikit-learn, which other commands do not

    check_output(arguments.output)
    pages = [page for page in datasets.load(arguments.directories) if page.fold not in arguments.exclude_fold]
    pages = without_sources(pages, arguments.exclude_source)
    found = datasets.load_records(arguments.records) if arguments.records else []
    lists = [page for page in found if page.fold not in arguments.exclude_fold]
    given = list(train_kinds.examples(pages, lists, _report_reading))
    fitted = train_kinds.train(given)
    card = {
        "data": [path.resolve().name for path in (*arguments.directories, *filter(None, [arguments.records]))],
        "pages": len(given),
        "sites": len({example.site for example in given}),
    }
    kinds.save(arguments.output, fitted.model, card)
    sys.stdout.write("\n".join(_lines(given, fitted)) + f"\nwritten to {arguments.output}\n")
    return 0


def _report_reading(what: str, done: int, total: int) -> None:
    if done == total or done % 500 == 0:
        sys.stderr.write(f"{what}: {done} of {total}\n")
        sys.stderr.flush()


def _lines(given: Sequence[KindExample], fitted: FittedKinds) -> list[str]:
    """The table of what was found on unseen sites: by kind where the truth names it, else articles and pages of records."""
    least = fitted.model.least_article
    lines = [f"{len(fitted.model.words)} words, an article from {least:.3f} on", ""]
    lines.append(f"{'kind':15}{'pages':>7}{'not article':>13}{'kind right':>12}{'decided':>9}{'right where decided':>21}")
    for label, folds in (("all folds", range(datasets.FOLDS)), ("fold 0", (0,))):
        lines.append(label)
        rows = [i for i, example in enumerate(given) if example.fold in folds]
        stated = [i for i in rows if given[i].is_stated]
        groups: dict[str, list[int]] = {
            name: [i for i in stated if given[i].kind == number] for number, name in enumerate(kinds.KINDS)
        }
        groups["others"] = [i for i in stated if given[i].kind]
        groups["older articles"] = [i for i in rows if not given[i].is_stated and not given[i].kind]
        groups["record pages"] = [i for i in rows if not given[i].is_stated and given[i].kind]
        for name, own in groups.items():
            if not own:
                continue
            found = [kinds.judged(fitted.unseen[i], least, given[i].signs.named()) for i in own]
            true = [kinds.KINDS[given[i].kind] for i in own]
            told = np.mean([not kind.is_article for kind in found])
            decided = [kind.kind is not None for kind in found]
            right = [kind.kind == wanted for kind, wanted in zip(found, true, strict=True)]
            share = sum(right) / max(1, sum(decided))
            lines.append(f"{name:15}{len(own):7}{told:13.3f}{np.mean(right):12.3f}{np.mean(decided):9.3f}{share:21.3f}")
    return lines
