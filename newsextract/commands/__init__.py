"""The commands of ``newsextract``: one module for each, or for a few that belong together.

Here is what they share: number types, ``--param``, archive options, output files, record tables.
"""

from __future__ import annotations

import argparse
import csv
import io
import itertools
import json
import os
import re
import shutil
import sys
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any

from newsextract import algorithms
from newsextract.control_characters import cell, plural
from newsextract.errors import DataError, UsageError, naming
from newsextract.results import Record

# --- numbers --------------------------------------------------------------------------------------
# Numbers on the command line, as argparse wants their types.


def whole(least: int, most: float = inf) -> Callable[[str], int]:
    """A type of whole numbers."""

    def parse(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 20 and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(
                f"expected a number from {least}{'' if most == inf else f' to {most}'}, got {text!r}"
            )
        return int(text)

    return parse


count, positive = whole(0), whole(1)


def number(fits: Callable[[float], bool], expected: str) -> Callable[[str], float]:
    """A type of numbers, with words for those that fit."""

    def parse(text: str) -> float:
        with suppress(ValueError):
            if fits(found := float(text)):
                return found
        raise argparse.ArgumentTypeError(f"expected {expected}, got {text!r}")

    return parse


# --- output ---------------------------------------------------------------------------------------
# What a command writes: checked before it begins to work, written with a message where that fails.


def check_output(path: Path | None) -> None:
    """Refuse a file that cannot be written, before the work is done; None is standard output."""
    if path is None:
        return
    if path.is_dir():
        raise DataError(f"cannot write {path}: it is a folder; name a file in it")
    if not path.parent.is_dir():
        raise DataError(f"cannot write {path}: there is no directory {path.parent}; create it first")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise DataError(f"cannot write {path}: no permission; choose another place")


def write_text(path: Path, text: str, what: str) -> None:
    """Write a file in UTF-8; a message calls it ``what``."""
    with naming(f"cannot write {what}: {path}"):
        path.write_text(text, encoding="utf-8")


def write_output(path: Path | None, text: str, what: str) -> None:
    """Write a file as :func:`write_text` does, or to standard output where none was named."""
    if path is None:
        sys.stdout.write(text)
    else:
        write_text(path, text, what)


def written(rows: Iterable[Mapping[str, Any]], form: str, names: Sequence[str]) -> Iterator[str]:
    """Rows as ``csv``, ``json`` or ``jsonl``, piece by piece.

    :param names: columns of ``csv``; lists of texts get commas between them, as in the CSV feeds of a crawl.
    """
    if form == "csv":
        lines = io.StringIO(newline="")
        table = csv.writer(lines)
        for cells in itertools.chain([map(_flat, names)], ([_flat(row[name]) for name in names] for row in rows)):
            table.writerow(cells)
            yield lines.getvalue()
            lines.seek(0)
            lines.truncate()
    elif form == "jsonl":
        yield from (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    else:
        before = "[\n"
        for row in rows:
            yield before + json.dumps(row, ensure_ascii=False)
            before = ",\n"
        yield "[]\n" if before == "[\n" else "\n]\n"


def _flat(value: Any) -> Any:
    if isinstance(value, str):
        return cell(value)
    if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
        return cell(", ".join(value))
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | tuple | dict) else value


def read_bytes(place: str, expected: str) -> bytes:
    """The bytes of a file, or of standard input (``-``).

    :raises DataError: it cannot be read; the message says what was expected.
    """
    if place == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(place).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        why = getattr(error, "strerror", None) or error
        raise DataError(f"{place or repr(place)}: {why}; expected {expected}") from error


def print_text(text: str) -> None:
    """Print even where the terminal cannot show every character."""
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding))


# --- params ---------------------------------------------------------------------------------------
# ``--param KEY=VALUE``: single parameters of an algorithm on the command line, as a site's settings would have them.


def add_param(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Declare the option."""
    parser.add_argument(
        "--param",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="a parameter of the algorithm, written as in sites.toml or as a plain word; may be repeated",
    )


def given_params(arguments: argparse.Namespace) -> dict[str, Any]:
    """The parameters that were given."""
    return dict(map(_param, arguments.param))


def _param(given: str) -> tuple[str, Any]:
    key, sign, value = given.partition("=")
    if not sign or not key:
        raise UsageError(f"--param {given}: expected KEY=VALUE, for example favour=precision")
    try:
        return key, tomllib.loads(f"value = {value}")["value"]
    except (ValueError, RecursionError):  # ValueError: not TOML, or an integer of thousands of digits
        return key, value


# --- archive options ------------------------------------------------------------------------------
# What ``newsextract extract --warc`` and ``newsextract spark extract`` have in common: options, and their defaults.

TIMEOUT = 30.0
"""Seconds for one article; as for crawls (EXTRACTION_TIMEOUT)."""
MEMORY = 1_500
"""Megabytes of a worker; as for crawls (EXTRACTION_MEMORY_MB)."""

ALGORITHMS = f"one of: {', '.join(algorithms.names('article'))}; with --as: {', '.join(algorithms.names('records'))}"
"""Help of ``--algorithm``."""


def add_archive_options(parser: argparse._ActionsContainer) -> None:
    """Declare ``--as``, ``--every-page`` and ``--timeout``."""
    add = parser.add_argument
    add(
        "--as",
        dest="kind",
        choices=("posts", "hits", "teasers"),
        help="extract these instead of articles; in archives of newsextract from the pages of threads, results or lists",
    )
    add(
        "--every-page",
        action="store_true",
        help="treat every web page of other tools' archives as an article; default: pages that look like one",
    )
    add("--timeout", metavar="SECONDS", type=float, default=TIMEOUT, help=f"CPU time for one page; default: {TIMEOUT:g}")


def add_action(
    actions: argparse._SubParsersAction[Any], of: argparse.ArgumentParser, name: str, run: Callable[..., int], text: str
) -> argparse.ArgumentParser:
    """Declare a subcommand of a command: its line in the help, and the command's examples."""
    about = text[0].upper() + text[1:] + "."
    action: argparse.ArgumentParser = actions.add_parser(name, help=text, description=about, epilog=of.epilog)
    action.set_defaults(run=run)
    return action


def by_count(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Names and their counts, the largest first, equal ones by name: in whatever order workers have finished."""
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def check_workers(number: int) -> None:
    """:raises UsageError: it is no number of worker processes for this machine."""
    most = 64 * (os.cpu_count() or 1)
    if not 0 <= number <= most:
        raise UsageError(f"--workers {number}: expected 0 to {most}, for example --workers {os.cpu_count()}")


def check_timeout(seconds: float) -> None:
    """:raises UsageError: it is no time."""
    if not seconds > 0:
        raise UsageError(f"--timeout {seconds:g}: expected seconds, for example --timeout {TIMEOUT:g}")


# --- record table ---------------------------------------------------------------------------------
# Records as a table for a terminal: a row a record, a column a label, shortened to its width.
#
# What is the same in all records (buttons, captions) is left out. Where not all fits, columns that are called after their
# markup go first: those that fewer than half of the records have, then those that fewest have.

NAMED = ("title", "author", "date", "body", "snippet", "url", "price", "votes")
"""Labels that say what a column is; others are names from the markup."""
_LEAST = 8
"""Cells of the terminal that a column needs."""
_GAP = "  "
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, a terminal's commands among them, and those that turn the direction of text."""

_NO_WIDTH = (100, 24)
"""Columns and lines where the terminal does not tell."""


def record_tables(regions: Iterable[Sequence[Record]]) -> list[list[str]]:
    """The tables of the records of some regions, for this terminal, and a line that names what does not fit."""
    width = shutil.get_terminal_size(_NO_WIDTH).columns
    found = [record_table(records, width) for records in regions]
    if left_out := sum(len(labels) for _, labels in found):
        sys.stderr.write(f"note: no room for {plural(left_out, 'column')} in {width} cells; --format json has all\n")
    return [lines for lines, _ in found]


def record_table(records: Sequence[Record], width: int) -> tuple[list[str], list[str]]:
    """The lines of the table of the records of one region, and the labels of columns for which there was no room.

    :param width: cells of a line; at least 20 are used.
    """
    width = max(20, width)
    numbers = [str(number) for number in range(1, len(records) + 1)]
    number_width = len(numbers[-1]) if numbers else 1
    cells, labels = _columns(records)
    wanted = {label: max(_width(label), *(_width(row.get(label, "")) for row in cells)) for label in labels}
    chosen = labels
    if number_width + sum(wanted.values()) + len(_GAP) * len(labels) > width:
        chosen = _important(labels, cells, (width - number_width) // (len(_GAP) + _LEAST))
    widths = _shared([wanted[label] for label in chosen], width - number_width - len(_GAP) * len(chosen))
    rows = [("#", chosen)] if records else []
    rows += [(number, [row.get(label, "") for label in chosen]) for number, row in zip(numbers, cells, strict=True)]
    lines = [_GAP.join([number.rjust(number_width), *map(_fitted, row, widths)]).rstrip() for number, row in rows]
    return lines, [label for label in labels if label not in chosen]


def _columns(records: Sequence[Record]) -> tuple[list[dict[str, str]], list[str]]:
    """For each record label → text, and all labels in order; the record's text where no items are."""
    changing = {item.label for record in records for item in record.items if not item.static}
    cells: list[dict[str, str]] = []
    for record in records:
        row: dict[str, str] = {}
        for item in record.items:
            if item.label in changing:
                shown = item.text or (item.link or "" if item.kind != "text" else "")
                row[item.label] = f"{row[item.label]} {shown}" if item.label in row else shown
        cells.append(
            {label: printable(text) for label, text in row.items()} if changing else {"text": printable(record.text)}
        )
    return cells, list(dict.fromkeys(label for row in cells for label in row))


def _important(labels: Sequence[str], cells: Sequence[dict[str, str]], room: int) -> list[str]:
    """At most so many labels, in their order; at least one."""
    counts = Counter(label for row in cells for label, text in row.items() if text)
    often = [label for label in labels if label in NAMED or 2 * counts[label] >= len(cells)] or labels
    ranked = sorted(often, key=lambda label: (label not in NAMED, NAMED.index(label) if label in NAMED else -counts[label]))
    chosen = set(ranked[: max(1, room)])
    return [label for label in labels if label in chosen]


def _shared(wanted: Sequence[int], room: int) -> list[int]:
    """Widths of columns: what narrow ones leave is shared by the wide ones."""
    widths = [0] * len(wanted)
    left = sorted(range(len(wanted)), key=lambda i: wanted[i])
    for done, column in enumerate(left):
        widths[column] = max(1, min(wanted[column], room // (len(left) - done)))
        room -= widths[column]
    return widths


def printable(text: str) -> str:
    """A text in one line that changes nothing about the terminal."""
    return " ".join(_UNSEEN.sub("\ufffd", " ".join(text.split())).split())


def _fitted(text: str, width: int) -> str:
    if _width(text) <= width:
        return text + " " * (width - _width(text))
    kept, used = [], 1  # for the ellipsis
    for character in text:
        used += _cells(character)
        if used > width:
            break
        kept.append(character)
    cut = "".join(kept) + "…"
    return cut + " " * (width - _width(cut))


def _width(text: str) -> int:
    return len(text) if text.isascii() else sum(map(_cells, text))


def _cells(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
