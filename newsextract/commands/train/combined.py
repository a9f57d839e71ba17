"""``newsextract train combined``: the network of `combined` from data sets with truth."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from newsextract.algorithms.combined import model
from newsextract.commands.common import check_output
from newsextract.commands.train.options import add_exclude_fold, add_exclude_source, without_sources
from newsextract.discovery.kinds import KINDS
from newsextract.lab import datasets

_EXAMPLES = """\
examples:
  newsextract train combined DATA DATA-ZH MODERN --records RECORDS -o model.npz
  newsextract train combined DATA DATA-ZH --exclude-fold 0 -o without-the-test-part.npz

DATA is a directory with truth.jsonl and pages/<id>.html.gz. If the truth names pages of all kinds, as that of MODERN does,
the model also chooses the text by the kind of page. Use the model in a site's settings:
  algorithm = "combined"
  params = { model = "model.npz" }
"""


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "combined",
        help="train the network of combined",
        description="Train the network of combined on pages with truth. About fifteen minutes of CPU time for 3,500 pages.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    parser.add_argument("directories", metavar="DIR", nargs="+", type=Path, help="data sets with truth")
    parser.add_argument(
        "--records", metavar="DIR", type=Path, help="a data set of pages of many records, for the page kinds"
    )
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, required=True, help="the model file to write")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="random seed of the first network (default: 0)")
    add_exclude_fold(parser)
    add_exclude_source(parser)


def run(arguments: argparse.Namespace) -> int:
    """Train and write.

    :raises DataError: a data set is wrong, or nothing is left to train on.
    :raises UsageError: no page comes from a source that is to be left out.
    :raises MissingExtra: jax, optax or scikit-learn is not installed.
    """
    from newsextract.lab import train_combined, train_kinds  # reason: they need jax and scikit-learn, others do not

    check_output(arguments.output)
    pages = [page for page in datasets.load(arguments.directories) if page.fold not in arguments.exclude_fold]
    pages = without_sources(pages, arguments.exclude_source)
    told = _Told()
    kinds = None
    if {page.kind for page in pages} >= set(KINDS):
        found = datasets.load_records(arguments.records) if arguments.records else []
        lists = [page for page in found if page.fold not in arguments.exclude_fold]
        kinds = train_kinds.unseen_kinds(pages, lists, told)
    examples = list(train_combined.examples(pages, told))
    trained = train_combined.train(examples, told, kinds=kinds, seed=arguments.seed)
    card = {
        "data": [path.resolve().name for path in arguments.directories],
        "folds": sorted({page.fold for page in pages}),
        "sources": sorted({page.source for page in pages}),
        "pages": trained.pages,
        "judged_pages": trained.judged_pages,
        "sites": trained.sites,
        "members": train_combined.MEMBERS,
        "seed": arguments.seed,
    }
    model.save(arguments.output, trained.arrays, card)
    lines = [f"{key:14} {value}" for key, value in card.items()]
    sys.stdout.write("\n".join(lines) + f"\nwritten to {arguments.output} ({arguments.output.stat().st_size:,} bytes)\n")
    return 0


class _Told:
    """Progress of the parts of training, a line when something new begins or ten seconds have passed."""

    def __init__(self) -> None:
        self._what = ""
        self._at = 0.0

    def __call__(self, what: str, done: int, total: int) -> None:
        now = time.monotonic()
        if what != self._what or now - self._at >= 10:
            self._what, self._at = what, now
            sys.stderr.write(f"{what}: {done} of {total}\n")
            sys.stderr.flush()
