"""``newsextract evaluate``: measure algorithms, or a file of predictions, against pages with truth."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from newsextract import algorithms
from newsextract.errors import DataError, UsageError
from newsextract.evaluation import datasets, report, runner
from newsextract.evaluation.worst import format_worst, worst

_EXAMPLES = """\
examples:
  newsextract evaluate articles DATA --algorithm block_statistics
  newsextract evaluate articles DATA --algorithm block_statistics block_statistics:published --workers 2
  newsextract evaluate articles DATA --algorithm block_statistics --fold train --worst 20
  newsextract evaluate articles DATA --predictions theirs.jsonl --bootstrap 1000 --json scores.json

DATA is a directory with truth.jsonl and pages/<id>.html.gz. Sites are split into five folds by a hash of
their name; fold 0 is kept for the final measurement: of its pages only totals are ever printed.
"""
_PLACE = "{algorithm}"
_PLAIN_INTERVAL = 10.0
_LIVE_INTERVAL = 0.1


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``evaluate`` with one subcommand per kind of data set."""
    evaluate = subparsers.add_parser(
        "evaluate",
        help="measure algorithms against pages with truth",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    kinds = evaluate.add_subparsers(dest="evaluate", required=True, metavar="KIND")
    articles = kinds.add_parser(
        "articles",
        help="article pages: body text, title, date",
        description="Score extracted articles against the truth of a data set.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    articles.set_defaults(evaluate_kind=_articles, run=run)
    add = articles.add_argument
    add("directory", metavar="DIR", type=Path, help="the data set")
    add(
        "--algorithm",
        metavar="NAME",
        nargs="+",
        action="extend",
        default=[],
        help="algorithms to run, as NAME or NAME:PRESET",
    )
    add(
        "--predictions",
        metavar="FILE",
        type=Path,
        help="also score these JSON lines {id, text, title, date}",
    )
    add(
        "--fold",
        choices=("train", "test", "all"),
        default="all",
        help="train is folds 1-4, test fold 0",
    )
    add("--limit", metavar="N", type=_positive, help="at most N pages, spread over the data set")
    add("--workers", metavar="N", type=_count, default=0, help="processes besides this one (default: 0)")
    add("--worst", metavar="N", type=_count, default=0, help="list the N worst pages of folds 1-4")
    add(
        "--bootstrap",
        metavar="N",
        type=_count,
        default=0,
        help="resampled sets for the deviation of F1",
    )
    add("--json", metavar="FILE", type=Path, help="write all figures to FILE")
    add(
        "--save-predictions",
        metavar="FILE",
        type=Path,
        help=f"write what was extracted to FILE; with several algorithms it must hold {_PLACE}",
    )


def run(arguments: argparse.Namespace) -> int:
    """Do what was parsed by :func:`add_parser`.

    :returns: the exit status, 0.
    :raises UsageError: contradictory options, unknown names, missing or malformed files.
    """
    status: int = arguments.evaluate_kind(arguments)
    return status


def _articles(arguments: argparse.Namespace) -> int:
    _check(arguments)
    chosen = [_algorithm(name) for name in arguments.algorithm]
    pages = datasets.select(datasets.load_articles(arguments.directory), arguments.fold, arguments.limit)
    if not pages:
        raise DataError(f"{arguments.directory} has no pages in the fold {arguments.fold!r}; try --fold all")
    results: list[report.Result] = []
    if arguments.predictions is not None:
        predictions = datasets.load_predictions(arguments.predictions)
        results.append(report.score(arguments.predictions.name, pages, predictions))
    for name, algorithm, params in chosen:
        progress = Progress(name, sys.stderr)
        found = list(
            runner.run(
                arguments.directory,
                pages,
                algorithm,
                params,
                workers=arguments.workers,
                progress=progress.update,
            )
        )
        progress.close()
        if arguments.save_predictions is not None:
            path = Path(str(arguments.save_predictions).replace(_PLACE, name.replace(":", "-")))
            datasets.save_predictions(path, found)
        results.append(report.score(name, pages, {prediction.id: prediction for prediction in found}))
    _show(results, arguments)
    return 0


def _show(results: list[report.Result], arguments: argparse.Namespace) -> None:
    """Print the tables and write the JSON file."""
    tables = [(result, report.rows(result, arguments.fold, arguments.bootstrap)) for result in results]
    written: dict[str, Any] = {}
    for result, table in tables:
        _print(report.format_result(result, table) + "\n")
        written[result.name] = report.as_json(result, table)
        if arguments.worst:
            listed = worst(result, arguments.worst)
            _print(f"worst pages of folds 1-4, {result.name}:\n{format_worst(listed)}\n")
            written[result.name]["worst"] = [asdict(page) for page in listed]
    _print(report.LEGEND)
    if len(tables) > 1:
        _print("\n" + report.format_summary(tables))
    if arguments.json is not None:
        about = {"data": str(arguments.directory), "fold": arguments.fold, "pages": len(results[0].pages)}
        try:
            text = json.dumps({**about, "results": written}, indent=1, allow_nan=False)
            arguments.json.write_text(text + "\n", encoding="ascii")
        except OSError as error:
            raise DataError(f"cannot write the figures: {error}") from error


def _check(arguments: argparse.Namespace) -> None:
    """Refuse what cannot be done before any work is done.

    :raises UsageError: always with what to do instead.
    """
    if not arguments.algorithm and arguments.predictions is None:
        arguments.algorithm = [algorithms.DEFAULT]
    if arguments.worst and arguments.fold == "test":
        raise UsageError(
            "--worst cannot be had with --fold test: fold 0 is kept for the final measurement, "
            "and whoever looks at its pages begins to fit them; use --fold train"
        )
    if len(set(arguments.algorithm)) < len(arguments.algorithm):
        raise UsageError("--algorithm names the same algorithm twice; give each once")
    saved = arguments.save_predictions
    if saved is not None and not arguments.algorithm:
        raise UsageError("--save-predictions needs --algorithm: there is nothing extracted to save")
    if saved is not None and len(arguments.algorithm) > 1 and _PLACE not in str(saved):
        raise UsageError(f"with several algorithms --save-predictions FILE must hold {_PLACE}, as in {_PLACE}.jsonl")
    for path in (saved, arguments.json):
        if path is not None and not path.parent.is_dir():
            raise DataError(f"cannot write {path}: there is no directory {path.parent}; create it first")


def _algorithm(name: str) -> tuple[str, str, Mapping[str, Any] | None]:
    """``NAME`` or ``NAME:PRESET`` as (label, algorithm, params).

    :raises UsageError: no such algorithm or preset.
    """
    algorithm, colon, preset = name.partition(":")
    params = {"preset": preset} if colon else None
    runner.check(algorithm, params)
    return name, algorithm, params


class Progress:
    """Tells how far a run is: one live line on a terminal, else a plain line every ten seconds."""

    def __init__(self, label: str, stream: TextIO) -> None:
        self._label = label
        self._stream = stream
        self._live = stream.isatty()
        self._interval = _LIVE_INTERVAL if self._live else _PLAIN_INTERVAL
        self._start = self._told = time.monotonic()

    def update(self, done: int, total: int) -> None:
        """Tell, unless it was told just before."""
        now = time.monotonic()
        if now - self._told < self._interval:
            return
        self._told = now
        left = (now - self._start) * (total - done) / done
        line = f"{self._label}: {done} of {total} pages, {left:.0f} s left"
        self._stream.write(f"\r\x1b[K{line}" if self._live else f"{line}\n")
        self._stream.flush()

    def close(self) -> None:
        """Clear the live line."""
        if self._live:
            self._stream.write("\r\x1b[K")
            self._stream.flush()


def _print(text: str) -> None:
    """Print even where the terminal cannot show every character."""
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding))


def _count(text: str) -> int:
    """A number from 0."""
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"expected a number from 0, got {text!r}")
    return int(text)


def _positive(text: str) -> int:
    """A number from 1."""
    number = _count(text)
    if number < 1:
        raise argparse.ArgumentTypeError("expected a number from 1, got 0")
    return number
