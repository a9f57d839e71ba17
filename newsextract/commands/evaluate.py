"""``newsextract evaluate``: measure algorithms, peers, or a file of predictions, against pages with truth."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import newsextract
from newsextract import algorithms
from newsextract.cli import CommandParser
from newsextract.commands import add_param, check_output, count, given_params, positive, print_text, write_text
from newsextract.control_characters import ProgressLine
from newsextract.errors import DataError, MissingExtra, UsageError
from newsextract.lab import datasets, record_report, report, runner
from newsextract.lab import html_report as comparison
from newsextract.lab.datasets import Kind, TruthPage
from newsextract.lab.html_report import html_report
from newsextract.lab.runner import Contender, Skipped

_PLACE = "{algorithm}"
_WORST_IN_HTML = 5
_BOOTSTRAP = 1000


def add_parser(parser: CommandParser) -> None:
    """Measure algorithms on pages with truth.

    examples:
      newsextract evaluate articles DATA --algorithm block_statistics
      newsextract evaluate articles DATA --algorithm block_statistics block_statistics:published --workers 2
      newsextract evaluate articles DATA --algorithm block_statistics --fold train --worst 20
      newsextract evaluate articles DATA --predictions theirs.jsonl --bootstrap 1000 --json scores.json
      newsextract evaluate articles DATA MORE_DATA --all --workers 2 --html report.html --json report.json
      newsextract evaluate articles DATA --algorithm block_statistics --peer trafilatura --limit 200
      newsextract evaluate articles DATA --algorithm page_segmentation:published --param boilerplate=true
      newsextract evaluate threads FORUMS --all --no-peers
      newsextract evaluate records RECORDS --all --snapshots RENDERED

    DATA is a directory with truth.jsonl and pages/<id>.html.gz; for threads and records, pages/<id>/index.html. Sites are
    split into five folds by a hash of their name. Fold 0 is reserved for the final measurement, so only its totals are
    printed. docs/evaluation.md explains all figures, the JSON keys and the HTML report.
    """
    kinds = parser.add_subparsers(dest="evaluate", required=True, metavar="KIND")
    texts: tuple[tuple[Kind, str, str], ...] = (
        (
            "articles",
            "article pages: body text, title, date",
            "extracted articles against the truth of one or more data sets",
        ),
        (
            "threads",
            "forum pages: the text of the whole thread",
            "the extracted text of forum pages against that of the whole thread",
        ),
    )
    for name, what, about in texts:
        _add_options(kinds.add_parser(name, help=what, description=f"Score {about}.", epilog=parser.epilog), name)
    kinds.add_parser("records", help="pages of many records: search results, forum threads, lists").declare(_add_records)


def _add_records(parser: CommandParser) -> None:
    """Score extracted records and their data items against the truth of a data set.

    examples:
      newsextract evaluate records RECORDS --algorithm mdr
      newsextract evaluate records RECORDS --all --snapshots RENDERED --json scores.json
      newsextract evaluate records RECORDS --snapshots RENDERED --fold train --worst 20
      newsextract evaluate records RECORDS --predictions theirs.jsonl

    RECORDS is a directory with truth.jsonl and pages/<id>/index.html, RENDERED one with <id>.snapshot (made by newsextract
    snapshot). Sites are split into five folds by a hash of their name. Fold 0 is reserved for the final measurement, so only
    its totals are printed. docs/evaluation.md explains all figures and the JSON keys.
    """
    _add_options(parser, "records")


def _add_options(parser: CommandParser, kind: Kind) -> None:
    is_text = kind != "records"
    parser.set_defaults(kind=kind, run=run, snapshots=None, peer=[], peers=None, html=None, workers=0)
    sets = "a data set; several are scored together and separately" if is_text else "a data set"
    parser.add_argument("directories", metavar="DIR", type=Path, nargs="+" if is_text else 1, help=sets)

    group = parser.add_argument_group("what is measured")
    add = group.add_argument
    peers = ", and every peer that is installed" if is_text else ""
    default = algorithms.DEFAULT if is_text else algorithms.DEFAULT_RECORDS
    add("--all", action="store_true", help=f"every algorithm in every preset{peers}")
    several: dict[str, Any] = {"metavar": "NAME", "nargs": "+", "action": "extend", "default": []}
    add("--algorithm", **several, help=f"algorithms to run, as NAME or NAME:PRESET (default: {default})")
    add_param(group)
    if is_text:
        add("--peer", **several, help="other extractors to run")
        about = "every peer that is installed; --no-peers: none with --all"
        add("--peers", action=argparse.BooleanOptionalAction, help=about)
    fields = "id, text, title, date" if is_text else "id, records: [{text, items}]"
    add("--predictions", metavar="FILE", type=Path, help=f"also score these JSON lines {{{fields}}}")

    add = parser.add_argument_group("on which pages").add_argument
    add("--fold", choices=("train", "test", "all"), default="all", help="train is folds 1-4, test fold 0")
    add("--limit", metavar="N", type=positive, help="at most N pages, spread over the data")
    if not is_text:
        add("--snapshots", metavar="DIR", type=Path, help="a folder of <id>.snapshot: the rendered pages")

    add = parser.add_argument_group("how").add_argument
    resampled = "resampled sets for the deviation of F1" if is_text else "resampled sets of sites for the deviations"
    add("--bootstrap", metavar="N", type=count, default=_BOOTSTRAP, help=f"{resampled} (default: {_BOOTSTRAP})")
    if is_text:
        add("--workers", metavar="N", type=count, default=0, help="number of worker processes (default: 0)")

    add = parser.add_argument_group("what is written").add_argument
    listed = f"0; in the HTML report {_WORST_IN_HTML}" if is_text else "0"
    add("--worst", metavar="N", type=count, help=f"list the N worst pages of folds 1-4 (default: {listed})")
    add("--json", metavar="FILE", type=Path, help="write all figures to FILE")
    saved = f"write the extracted texts to FILE; with several contenders its name must contain {_PLACE}"
    add("--save-predictions", metavar="FILE", type=Path, help=saved)
    if is_text:
        add("--html", metavar="FILE", type=Path, help="write a report with plots and differences to FILE")


def run(arguments: argparse.Namespace) -> int:
    """Measure; the exit code is 1 if an algorithm did not load."""
    is_records = arguments.kind == "records"
    how: Any = record_report if is_records else report  # two modules with the same functions
    _check(arguments, algorithms.DEFAULT_RECORDS if is_records else algorithms.DEFAULT)
    if arguments.snapshots is not None and not arguments.snapshots.is_dir():
        raise DataError(
            f"no such directory: {arguments.snapshots}; make it with newsextract snapshot, a file <id>.snapshot a page"
        )
    chosen, skipped = _contenders(arguments, "records" if is_records else "article")
    _check_saving(arguments, chosen)
    where = arguments.directories
    pages = datasets.select(datasets.load(where, arguments.kind), arguments.fold, arguments.limit)
    if not pages:
        raise DataError(f"{' '.join(map(str, where))} has no pages in the fold {arguments.fold!r}; try --fold all")
    results = _measured(arguments, pages, chosen, skipped)
    tables = [(result, how.rows(result, arguments.fold, arguments.bootstrap)) for result in results]
    for result, table in tables:
        print_text(how.format_result(result, table) + "\n")
        if most := arguments.worst:
            print_text(f"worst pages of folds 1-4, {result.name}:\n{how.format_worst(how.worst(result, most))}\n")
    print_text(how.LEGEND)
    if len(tables) > 1:
        print_text("\n" + how.format_summary(tables))
    worst = arguments.worst
    if is_records:
        told: dict[str, Any] = {"snapshots": arguments.snapshots is not None, "pages": len(pages)}
    else:
        if by_kind := report.format_kinds(tables):
            print_text("\n" + by_kind)
        told = {"pages": len(pages), "data": comparison.data_sets(pages)}
        if worst is None:
            worst = _WORST_IN_HTML if arguments.html is not None and arguments.fold != "test" else 0
    if arguments.json is not None:
        _write_json(arguments, told, tables, skipped, how, worst)
    if arguments.html is not None:
        compared = comparison.Comparison(arguments.kind, arguments.fold, arguments.limit, pages, tables, skipped, worst)
        write_text(arguments.html, html_report(compared), "the report")
    return int(any(one.broken for one in skipped))


def _measured(
    arguments: argparse.Namespace, pages: list[TruthPage], chosen: Sequence[Contender], skipped: list[Skipped]
) -> list[Any]:
    """The results of given predictions and of all contenders; with ``--all`` one that does not start is added to skipped."""
    how: Any = record_report if arguments.kind == "records" else report
    for notice in runner.told(skipped):
        sys.stderr.write(notice + "\n")
    results: list[Any] = []
    if (file := arguments.predictions) is not None:
        results.append(how.score(file.name, pages, datasets.load_predictions(file, arguments.kind)))
    for number, contender in enumerate(chosen, 1):
        label = contender.name if len(chosen) == 1 else f"{contender.name} ({number} of {len(chosen)})"
        try:
            with closing(ProgressLine(label, sys.stderr)) as line:
                how_read = {"workers": arguments.workers, "snapshots": arguments.snapshots}
                found = runner.run(pages, contender, arguments.kind, **how_read, progress=line.update)
                results.append(report.Result.measured(contender, pages, found, how.score_page))
        except MissingExtra as error:  # some parts are loaded only when a page needs them
            if not arguments.all:
                raise
            skipped.append(Skipped(contender.name, str(error)))
            sys.stderr.write(runner.told(skipped[-1:])[0] + "\n")
            continue
        if arguments.save_predictions is not None:
            name = str(arguments.save_predictions).replace(_PLACE, contender.name.replace(":", "-"))
            datasets.save_predictions(Path(name), list(results[-1].predictions.values()))
    if not results:
        raise UsageError("nothing could be measured; see the lines above")
    return results


def _contenders(arguments: argparse.Namespace, kind: algorithms.Kind) -> tuple[list[Contender], list[Skipped]]:
    values = given_params(arguments)
    chosen = [runner.algorithm(name, values, kind) for name in arguments.algorithm]
    skipped: list[Skipped] = []
    if arguments.all:
        chosen, skipped = runner.all_algorithms(kind)
    if kind == "article" and (arguments.peers or (arguments.all and arguments.peers is None and not arguments.peer)):
        there, absent = runner.all_peers()
        return chosen + there, skipped + absent
    return chosen + [runner.peer(name) for name in arguments.peer], skipped


def _write_json(
    arguments: argparse.Namespace,
    pages: Mapping[str, Any],
    tables: Sequence[tuple[Any, Mapping[str, Any]]],
    skipped: Sequence[Skipped],
    how: Any,
    most: int | None,
) -> None:
    """Write all figures; the keys are described in docs/evaluation.md."""
    results = {}
    for result, table in tables:
        results[result.name] = how.as_json(result, table)
        if most:
            results[result.name]["worst"] = [asdict(page) for page in how.worst(result, most)]
    told = {
        "newsextract": newsextract.__version__,
        "kind": arguments.kind,
        "fold": arguments.fold,
        "limit": arguments.limit,
        "bootstrap": arguments.bootstrap,
        **pages,
        "results": results,
        "skipped": [asdict(one) for one in skipped],
    }
    write_text(arguments.json, json.dumps(told, indent=1, allow_nan=False) + "\n", "the figures")


def _check(arguments: argparse.Namespace, default: str) -> None:
    """Refuse what cannot be done before any work is done."""
    if arguments.param and not arguments.algorithm:
        raise UsageError("--param needs --algorithm: it changes the algorithms that are named")
    if arguments.all and arguments.algorithm:
        raise UsageError("--all runs every algorithm; leave --algorithm out")
    if arguments.peer and arguments.peers is not None:
        raise UsageError("--peer names single peers, --peers and --no-peers are about all of them; give one of the two")
    if not (arguments.all or arguments.algorithm or arguments.peer or arguments.peers or arguments.predictions is not None):
        arguments.algorithm = [default]
    if arguments.worst and arguments.fold == "test":
        raise UsageError(
            "--worst does not work with --fold test: fold 0 is kept for the final measurement, "
            "and whoever looks at its pages begins to fit them; use --fold train"
        )
    for option, names in (("--algorithm", arguments.algorithm), ("--peer", arguments.peer)):
        if len(set(names)) < len(names):
            raise UsageError(f"{option} names the same one twice; give each once")
    for path in (arguments.save_predictions, arguments.json, arguments.html):
        check_output(path)
    if arguments.html is not None:
        comparison.check()


def _check_saving(arguments: argparse.Namespace, chosen: Sequence[Contender]) -> None:
    saved = arguments.save_predictions
    if saved is not None and not chosen:
        raise UsageError("--save-predictions needs --algorithm: there is nothing extracted to save")
    if saved is not None and len(chosen) > 1 and _PLACE not in str(saved):
        raise UsageError(f"with several algorithms --save-predictions FILE must hold {_PLACE}, as in {_PLACE}.jsonl")
