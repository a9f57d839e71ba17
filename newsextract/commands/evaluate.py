"""``newsextract evaluate``: measure algorithms, peers, or a file of predictions, against pages with truth."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

import newsextract
from newsextract import algorithms
from newsextract.commands.common import add_param, check_output, count, given_params, positive, print_text, write_text
from newsextract.errors import DataError, MissingExtra, UsageError
from newsextract.lab import contenders, datasets, record_report, report, runner
from newsextract.lab import html_report as comparison
from newsextract.lab.contenders import Contender, Skipped
from newsextract.lab.html_report import html_report
from newsextract.lab.record_report import RecordResult, Row
from newsextract.lab.report import format_worst, worst
from newsextract.progress import ProgressLine

_EXAMPLES = """\
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

DATA is a directory with truth.jsonl and pages/<id>.html.gz; for threads and records, pages/<id>/index.html. Sites are split
into five folds by a hash of their name. Fold 0 is reserved for the final measurement, so only its totals are printed.
docs/evaluation.md explains all figures, the JSON keys and the HTML report.
"""
_RECORD_EXAMPLES = """\
examples:
  newsextract evaluate records RECORDS --algorithm mdr
  newsextract evaluate records RECORDS --all --snapshots RENDERED --json scores.json
  newsextract evaluate records RECORDS --snapshots RENDERED --fold train --worst 20
  newsextract evaluate records RECORDS --predictions theirs.jsonl

RECORDS is a directory with truth.jsonl and pages/<id>/index.html, RENDERED one with <id>.snapshot (made by newsextract
snapshot). Sites are split into five folds by a hash of their name. Fold 0 is reserved for the final measurement, so only its
totals are printed. docs/evaluation.md explains all figures and the JSON keys.
"""
_PLACE = "{algorithm}"
_WORST_IN_HTML = 5
_BOOTSTRAP = 1000

Measured = TypeVar("Measured", report.ContenderResult, RecordResult)
RecordTable = tuple[RecordResult, Mapping[str, Row], Mapping[str, int]]
"""A contender's result, its rows, and its faults on folds 1-4."""


def add_parser(parser: argparse.ArgumentParser) -> None:
    """Declare one subcommand per kind of data set."""
    parser.epilog = _EXAMPLES
    kinds = parser.add_subparsers(dest="evaluate", required=True, metavar="KIND")
    articles = kinds.add_parser("articles", help="article pages: body text, title, date", epilog=_EXAMPLES)
    articles.description = "Score extracted articles against the truth of one or more data sets."
    threads = kinds.add_parser("threads", help="forum pages: the text of the whole thread", epilog=_EXAMPLES)
    threads.description = "Score the extracted text of forum pages against that of the whole thread."
    for kind, action in (("articles", articles), ("threads", threads)):
        action.set_defaults(kind=kind, run=run)
        _add_articles(action)
    records = kinds.add_parser("records", help="pages of many records: search results, forum threads, lists")
    records.description = "Score extracted records and their data items against the truth of a data set."
    records.epilog = _RECORD_EXAMPLES
    _add_records(records)


def _add_articles(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "directories", metavar="DIR", type=Path, nargs="+", help="a data set; several are scored together and separately"
    )
    measured = _add_measured(parser, "every algorithm in every preset, and every peer that is installed", algorithms.DEFAULT)
    add = measured.add_argument
    add("--peer", metavar="NAME", nargs="+", action="extend", default=[], help="other extractors to run")
    add("--peers", action=argparse.BooleanOptionalAction, help="every peer that is installed; --no-peers: none with --all")
    add("--predictions", metavar="FILE", type=Path, help="also score these JSON lines {id, text, title, date}")
    _add_pages(parser)
    how = _add_how(parser, "resampled sets for the deviation of F1")
    how.add_argument("--workers", metavar="N", type=count, default=0, help="number of worker processes (default: 0)")
    add = _add_written(parser, f"0; in the HTML report {_WORST_IN_HTML}").add_argument
    add("--html", metavar="FILE", type=Path, help="write a report with plots and differences to FILE")


def _add_records(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=run_records, peer=[], peers=None, html=None)
    parser.add_argument("directory", metavar="DIR", type=Path, help="a data set")
    measured = _add_measured(parser, "every algorithm in every preset", algorithms.DEFAULT_RECORDS)
    predictions = "also score these JSON lines {id, records: [{text, items}]}"
    measured.add_argument("--predictions", metavar="FILE", type=Path, help=predictions)
    _add_pages(parser).add_argument(
        "--snapshots", metavar="DIR", type=Path, help="a folder of <id>.snapshot: the rendered pages"
    )
    _add_how(parser, "resampled sets of sites for the deviations")
    _add_written(parser, "0")


def _add_measured(parser: argparse.ArgumentParser, everything: str, default: str) -> argparse._ArgumentGroup:
    group = parser.add_argument_group("what is measured")
    group.add_argument("--all", action="store_true", help=everything)
    group.add_argument(
        "--algorithm",
        metavar="NAME",
        nargs="+",
        action="extend",
        default=[],
        help=f"algorithms to run, as NAME or NAME:PRESET (default: {default})",
    )
    add_param(group)
    return group


def _add_pages(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    group = parser.add_argument_group("on which pages")
    group.add_argument("--fold", choices=("train", "test", "all"), default="all", help="train is folds 1-4, test fold 0")
    group.add_argument("--limit", metavar="N", type=positive, help="at most N pages, spread over the data")
    return group


def _add_how(parser: argparse.ArgumentParser, resampled: str) -> argparse._ArgumentGroup:
    group = parser.add_argument_group("how")
    group.add_argument(
        "--bootstrap", metavar="N", type=count, default=_BOOTSTRAP, help=f"{resampled} (default: {_BOOTSTRAP})"
    )
    return group


def _add_written(parser: argparse.ArgumentParser, default: str) -> argparse._ArgumentGroup:
    group = parser.add_argument_group("what is written")
    add = group.add_argument
    add("--worst", metavar="N", type=count, help=f"list the N worst pages of folds 1-4 (default: {default})")
    add("--json", metavar="FILE", type=Path, help="write all figures to FILE")
    add(
        "--save-predictions",
        metavar="FILE",
        type=Path,
        help=f"write the extracted texts to FILE; with several contenders its name must contain {_PLACE}",
    )
    return group


def run(arguments: argparse.Namespace) -> int:
    """Do what was parsed by :func:`add_parser`.

    :returns: the exit status: 0, or 1 if an algorithm did not load.
    :raises UsageError: contradictory options, unknown names, missing or malformed files.
    """
    _check(arguments, algorithms.DEFAULT)
    chosen, skipped = _contenders(arguments)
    _check_saving(arguments, chosen)
    pages = datasets.select(datasets.load(arguments.directories, arguments.kind), arguments.fold, arguments.limit)
    if not pages:
        where = " ".join(map(str, arguments.directories))
        raise DataError(f"{where} has no pages in the fold {arguments.fold!r}; try --fold all")

    def given() -> report.ContenderResult:
        return report.score(arguments.predictions.name, pages, datasets.load_predictions(arguments.predictions))

    def measure(contender: Contender, progress: Callable[[int, int], None]) -> report.ContenderResult:
        result = comparison.measure(contender, pages, arguments.kind, workers=arguments.workers, progress=progress)
        if path := _saving(arguments, contender):
            datasets.save_predictions(path, list(result.predictions.values()))
        return result

    results = _measured(arguments, chosen, skipped, given, measure)
    worst_pages = arguments.worst
    if worst_pages is None:
        worst_pages = _WORST_IN_HTML if arguments.html is not None and arguments.fold != "test" else 0
    compared = comparison.Comparison(
        kind=arguments.kind,
        fold=arguments.fold,
        limit=arguments.limit,
        bootstrap=arguments.bootstrap,
        pages=pages,
        tables=[(result, report.rows(result, arguments.fold, arguments.bootstrap)) for result in results],
        skipped=skipped,
        worst=worst_pages,
    )
    _show(compared, arguments.worst or 0)
    if arguments.json is not None:
        text = json.dumps(comparison.as_json(compared), indent=1, allow_nan=False)
        write_text(arguments.json, text + "\n", "the figures")
    if arguments.html is not None:
        write_text(arguments.html, html_report(compared), "the report")
    return 1 if any(one.broken for one in skipped) else 0


def run_records(arguments: argparse.Namespace) -> int:
    """Do what was parsed by :func:`add_parser` for ``records``; see :func:`run`."""
    _check(arguments, algorithms.DEFAULT_RECORDS)
    if arguments.snapshots is not None and not arguments.snapshots.is_dir():
        raise DataError(
            f"no such directory: {arguments.snapshots}; make it with newsextract snapshot, a file <id>.snapshot a page"
        )
    values = given_params(arguments)
    chosen = [contenders.algorithm(name, values, "records") for name in arguments.algorithm]
    skipped: list[Skipped] = []
    if arguments.all:
        chosen, skipped = contenders.all_algorithms("records")
    _check_saving(arguments, chosen)
    pages = datasets.select(datasets.load_records(arguments.directory), arguments.fold, arguments.limit)
    if not pages:
        raise DataError(f"{arguments.directory} has no pages in the fold {arguments.fold!r}; try --fold all")

    def given() -> RecordResult:
        predictions = datasets.load_record_predictions(arguments.predictions)
        return record_report.score(arguments.predictions.name, pages, predictions)

    def measure(contender: Contender, progress: Callable[[int, int], None]) -> RecordResult:
        found = runner.run_records(pages, contender, arguments.snapshots, progress)
        result = record_report.measure(contender, found, pages)
        if path := _saving(arguments, contender):
            datasets.save_record_predictions(path, list(result.predictions.values()))
        return result

    results = _measured(arguments, chosen, skipped, given, measure)
    tables = [
        (result, record_report.rows(result, arguments.fold, arguments.bootstrap), record_report.all_faults(result))
        for result in results
    ]
    _show_records(tables, arguments.worst or 0)
    if arguments.json is not None:
        text = json.dumps(_records_as_json(arguments, tables, skipped), indent=1)
        write_text(arguments.json, text + "\n", "the figures")
    return 1 if any(one.broken for one in skipped) else 0


def _measured(
    arguments: argparse.Namespace,
    chosen: Sequence[Contender],
    skipped: list[Skipped],
    given: Callable[[], Measured],
    measure: Callable[[Contender, Callable[[int, int], None]], Measured],
) -> list[Measured]:
    """The results of given predictions and of all contenders; with ``--all`` one that does not start is added to skipped."""
    for line in contenders.told(skipped):
        sys.stderr.write(line + "\n")
    results = [] if arguments.predictions is None else [given()]
    for number, contender in enumerate(chosen, 1):
        label = contender.name if len(chosen) == 1 else f"{contender.name} ({number} of {len(chosen)})"
        progress = ProgressLine(label, sys.stderr)
        try:
            with closing(progress):
                results.append(measure(contender, progress.update))
        except MissingExtra as error:  # some parts are loaded only when a page needs them
            if not arguments.all:
                raise
            skipped.append(Skipped(contender.name, str(error)))
            sys.stderr.write(contenders.told(skipped[-1:])[0] + "\n")
    if not results:
        raise UsageError("nothing could be measured; see the lines above")
    return results


def _saving(arguments: argparse.Namespace, contender: Contender) -> Path | None:
    """Where what a contender extracted is kept."""
    if arguments.save_predictions is None:
        return None
    return Path(str(arguments.save_predictions).replace(_PLACE, contender.name.replace(":", "-")))


def _contenders(arguments: argparse.Namespace) -> tuple[list[Contender], list[Skipped]]:
    """Who runs, ours first, and who cannot."""
    values = given_params(arguments)
    chosen = [contenders.algorithm(name, values) for name in arguments.algorithm]
    skipped: list[Skipped] = []
    if arguments.all:
        chosen, skipped = contenders.all_algorithms()
    if arguments.peers or (arguments.all and arguments.peers is None and not arguments.peer):
        there, absent = contenders.all_peers()
        chosen += there
        skipped += absent
    else:
        chosen += [contenders.peer(name) for name in arguments.peer]
    return chosen, skipped


def _show(compared: comparison.Comparison, worst_pages: int) -> None:
    """Print a table per contender, then a line per contender for each total."""
    for result, table in compared.tables:
        print_text(report.format_result(result, table) + "\n")
        if worst_pages:
            print_text(f"worst pages of folds 1-4, {result.name}:\n{format_worst(worst(result, worst_pages))}\n")
    print_text(report.LEGEND)
    if len(compared.tables) > 1:
        print_text("\n" + report.format_summary(compared.tables))
    if by_kind := report.format_kinds(compared.tables):
        print_text("\n" + by_kind)


def _show_records(tables: Sequence[RecordTable], worst_pages: int) -> None:
    """Print a table per contender, then a line per contender for each row."""
    for result, table, faults in tables:
        print_text(record_report.format_result(result, table, faults) + "\n")
        if worst_pages:
            found = record_report.format_worst(record_report.worst(result, worst_pages))
            print_text(f"worst pages of folds 1-4, {result.name}:\n{found}\n")
    print_text(record_report.LEGEND)
    if len(tables) > 1:
        print_text("\n" + record_report.format_summary([(result, table) for result, table, _ in tables]))


def _records_as_json(
    arguments: argparse.Namespace, tables: Sequence[RecordTable], skipped: Sequence[Skipped]
) -> dict[str, Any]:
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


def _check(arguments: argparse.Namespace, default: str) -> None:
    """Refuse what cannot be done before any work is done.

    :raises UsageError: always with what to do instead.
    :raises MissingExtra: the report cannot be drawn.
    """
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
