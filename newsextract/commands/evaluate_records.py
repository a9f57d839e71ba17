"""``newsextract evaluate records``: measure record algorithms, or a file of predictions, against pages with true records."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import newsextract
from newsextract import algorithms
from newsextract.commands.common import add_param, check_output, count, given_params, positive, print_text, write_text
from newsextract.errors import DataError, MissingExtra, UsageError
from newsextract.lab import contenders, datasets, record_report, runner
from newsextract.lab.contenders import Contender, Skipped
from newsextract.lab.datasets import RecordTruth
from newsextract.lab.record_report import RecordResult, Row
from newsextract.progress import ProgressLine

_EXAMPLES = """\
examples:
  newsextract evaluate records RECORDS --algorithm mdr
  newsextract evaluate records RECORDS --all --snapshots RENDERED --json scores.json
  newsextract evaluate records RECORDS --snapshots RENDERED --fold train --worst 20
  newsextract evaluate records RECORDS --predictions theirs.jsonl

RECORDS is a directory with truth.jsonl and pages/<id>/index.html, RENDERED one with <id>.snapshot (made by newsextract
snapshot). Sites are split into five folds by a hash of their name; fold 0 is kept for the final measurement: of its pages
only totals are ever printed. All figures and the JSON keys are explained in docs/evaluation.md.
"""
_PLACE = "{algorithm}"
_BOOTSTRAP = 1000

Table = tuple[RecordResult, Mapping[str, Row], Mapping[str, int]]
"""A contender's result, its rows, and its faults on folds 1-4."""


def add_parser(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``records`` to the subcommands of ``evaluate``."""
    parser = kinds.add_parser(
        "records",
        help="pages of many records: search results, forum threads, lists",
        description="Score extracted records and their data items against those that a person would name.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    parser.add_argument("directory", metavar="DIR", type=Path, help="a data set")
    measured = parser.add_argument_group("what is measured")
    add = measured.add_argument
    add("--all", action="store_true", help="every algorithm in every preset")
    add(
        "--algorithm",
        metavar="NAME",
        nargs="+",
        action="extend",
        default=[],
        help=f"algorithms to run, as NAME or NAME:PRESET (default: {algorithms.DEFAULT_RECORDS})",
    )
    add_param(measured)
    add("--predictions", metavar="FILE", type=Path, help="also score these JSON lines {id, records: [{text, items}]}")
    add = parser.add_argument_group("on which pages").add_argument
    add("--fold", choices=("train", "test", "all"), default="all", help="train is folds 1-4, test fold 0")
    add("--limit", metavar="N", type=positive, help="at most N pages, spread over the data")
    add("--snapshots", metavar="DIR", type=Path, help="a folder of <id>.snapshot: pages as a browser saw them")
    parser.add_argument(
        "--bootstrap",
        metavar="N",
        type=count,
        default=_BOOTSTRAP,
        help="resampled sets of sites for the deviations (default: 1000)",
    )
    add = parser.add_argument_group("what is written").add_argument
    add("--worst", metavar="N", type=count, default=0, help="list the N worst pages of folds 1-4 (default: 0)")
    add("--json", metavar="FILE", type=Path, help="write all figures to FILE")
    add(
        "--save-predictions",
        metavar="FILE",
        type=Path,
        help=f"write what was extracted to FILE; with several algorithms it must hold {_PLACE}",
    )


def run(arguments: argparse.Namespace) -> int:
    """Do what was parsed by :func:`add_parser`.

    :returns: the exit status: 0, or 1 if an algorithm did not load.
    :raises UsageError: contradictory options, unknown names, missing or malformed files.
    """
    _check(arguments)
    chosen, skipped = _contenders(arguments)
    _check_saving(arguments, chosen)
    pages = datasets.select(datasets.load_records(arguments.directory), arguments.fold, arguments.limit)
    if not pages:
        raise DataError(f"{arguments.directory} has no pages in the fold {arguments.fold!r}; try --fold all")
    for line in contenders.told(skipped):
        sys.stderr.write(line + "\n")
    results: list[RecordResult] = []
    if arguments.predictions is not None:
        predictions = datasets.load_record_predictions(arguments.predictions)
        results.append(record_report.score(arguments.predictions.name, pages, predictions))
    for number, contender in enumerate(chosen, 1):
        try:
            results.append(_measure(contender, pages, arguments, f" ({number} of {len(chosen)})" if len(chosen) > 1 else ""))
        except MissingExtra as error:  # some parts are loaded only when a page needs them
            if not arguments.all:
                raise
            skipped.append(Skipped(contender.name, str(error)))
            sys.stderr.write(contenders.told(skipped[-1:])[0] + "\n")
    if not results:
        raise UsageError("nothing could be measured; see the lines above")
    tables: list[Table] = [
        (result, record_report.rows(result, arguments.fold, arguments.bootstrap), record_report.all_faults(result))
        for result in results
    ]
    _show(tables, arguments.worst)
    if arguments.json is not None:
        write_text(arguments.json, json.dumps(_as_json(arguments, tables, skipped), indent=1) + "\n", "the figures")
    return 1 if any(one.broken for one in skipped) else 0


def _contenders(arguments: argparse.Namespace) -> tuple[list[Contender], list[Skipped]]:
    if arguments.all:
        return contenders.all_algorithms("records")
    values = given_params(arguments)
    return [contenders.algorithm(name, values, "records") for name in arguments.algorithm], []


def _measure(contender: Contender, pages: Sequence[RecordTruth], arguments: argparse.Namespace, which: str) -> RecordResult:
    """Run one contender, tell how far it is, and keep what it extracted if asked to."""
    progress = ProgressLine(contender.name + which, sys.stderr)
    try:
        result = record_report.measure(
            contender, runner.run_records(pages, contender, arguments.snapshots, progress.update), pages
        )
    finally:
        progress.close()
    if arguments.save_predictions is not None:
        path = Path(str(arguments.save_predictions).replace(_PLACE, contender.name.replace(":", "-")))
        datasets.save_record_predictions(path, list(result.predictions.values()))
    return result


def _show(tables: Sequence[Table], worst_pages: int) -> None:
    """Print a table per contender, then a line per contender for each row."""
    for result, table, faults in tables:
        print_text(record_report.format_result(result, table, faults) + "\n")
        if worst_pages:
            found = record_report.format_worst(record_report.worst(result, worst_pages))
            print_text(f"worst pages of folds 1-4, {result.name}:\n{found}\n")
    print_text(record_report.LEGEND)
    if len(tables) > 1:
        print_text("\n" + record_report.format_summary([(result, table) for result, table, _ in tables]))


def _as_json(arguments: argparse.Namespace, tables: Sequence[Table], skipped: Sequence[Skipped]) -> dict[str, Any]:
    results: dict[str, Any] = {}
    for result, table, faults in tables:
        results[result.name] = record_report.as_json(result, table, faults)
        if arguments.worst:
            results[result.name]["worst"] = record_report.worst_as_json(record_report.worst(result, arguments.worst))
    return {
        "newsextract": newsextract.__version__,
        "kind": "records",
        "fold": arguments.fold,
        "limit": arguments.limit,
        "bootstrap": arguments.bootstrap,
        "snapshots": arguments.snapshots is not None,
        "pages": len(tables[0][0].scored),
        "results": results,
        "skipped": [{"name": one.name, "reason": one.reason, "broken": one.broken} for one in skipped],
    }


def _check(arguments: argparse.Namespace) -> None:
    """Refuse what cannot be done before any work is done.

    :raises UsageError: always with what to do instead.
    """
    if arguments.param and not arguments.algorithm:
        raise UsageError("--param needs --algorithm: it changes the algorithms that are named")
    if arguments.all and arguments.algorithm:
        raise UsageError("--all runs every algorithm; leave --algorithm out")
    if not (arguments.all or arguments.algorithm or arguments.predictions is not None):
        arguments.algorithm = [algorithms.DEFAULT_RECORDS]
    if arguments.worst and arguments.fold == "test":
        raise UsageError("--worst cannot be had with --fold test: fold 0 is for the final measurement; use --fold train")
    if len(set(arguments.algorithm)) < len(arguments.algorithm):
        raise UsageError("--algorithm names the same one twice; give each once")
    if arguments.snapshots is not None and not arguments.snapshots.is_dir():
        raise DataError(
            f"no such directory: {arguments.snapshots}; make it with newsextract snapshot, a file <id>.snapshot a page"
        )
    for path in (arguments.save_predictions, arguments.json):
        if path is not None:
            check_output(path)


def _check_saving(arguments: argparse.Namespace, chosen: Sequence[Contender]) -> None:
    saved = arguments.save_predictions
    if saved is not None and not chosen:
        raise UsageError("--save-predictions needs --algorithm: there is nothing extracted to save")
    if saved is not None and len(chosen) > 1 and _PLACE not in str(saved):
        raise UsageError(f"with several algorithms --save-predictions FILE must hold {_PLACE}, as in {_PLACE}.jsonl")
