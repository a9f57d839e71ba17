"""``newsextract oem run``: take a format over a page, print the objects or their records."""

from __future__ import annotations

import argparse
import difflib
import shutil
import sys
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import Any

from newsextract.commands.common import check_output, printable, record_table, write_text
from newsextract.commands.oem.given import (
    NOT_FOLLOWED,
    PAGE_HELP,
    Follower,
    add_following,
    addresses,
    labels,
    named_holes,
    nothing,
    page_of,
    unfit,
)
from newsextract.errors import UsageError
from newsextract.results import Item, Record
from newsextract.wrappers import Format, OEMObject, Result, load_format
from newsextract.wrappers import run as interpret
from newsextract.wrappers.objects import dumped, flatten, plain, root_json

_EXAMPLES = """examples:
  newsextract oem run proceedings.oem
  newsextract oem run proceedings.oem page.html -o objects.json
  newsextract oem run proceedings.oem page.html --records paper --format table
  newsextract oem run proceedings.oem page.html --records paper --format jsonl -o papers.jsonl
  newsextract oem run proceedings.oem https://www.example.org/1997.html --no-follow

json prints objects with identity, label, type and value; plain prints nested JSON with the labels as keys. Exit code: 0 if
every line of the wrapper fits and no page is missing, 1 if not (standard error gives the details), 2 for a mistake in the
wrapper or the command. The language of wrappers: docs/oem.md.
"""
_WIDTH = (100, 24)
"""Columns and lines where the terminal does not tell."""
_FAILURES = 20
"""Pages that could not be had, of which each is named."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser(
        "run",
        help="apply a wrapper to a page and print the objects",
        description="Apply a wrapper to a page and print the objects, or the records of one label.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("wrapper", metavar="WRAPPER", type=Path, help="the wrapper file")
    parser.add_argument("page", metavar="PAGE", nargs="?", help=f"{PAGE_HELP}; default: the URL in the first line")
    parser.add_argument("--records", metavar="LABEL", help="only the objects with this label, as flat records")
    parser.add_argument(
        "--format",
        choices=("json", "jsonl", "table", "plain"),
        default="json",
        help="default: json; all except json and plain need --records",
    )
    parser.add_argument("--url", help="URL of the file; default: that of the first line")
    parser.add_argument("--no-follow", action="store_true", help="do not fetch linked pages")
    add_following(parser)
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="write to FILE, not to standard output")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print what the format gives."""
    wrapper = load_format(arguments.wrapper)
    if arguments.records is None and arguments.format in ("jsonl", "table"):
        raise UsageError(
            f"--format {arguments.format} writes records; say of which label: --records {_likely(wrapper)} "
            f"(labels of {wrapper.name}: {', '.join(labels(wrapper))})"
        )
    if arguments.output is not None:
        check_output(arguments.output)
    page = page_of(wrapper, arguments.page, arguments.url)
    place = printable(arguments.page or page.url or "the page")
    reason = unfit(page)
    if reason is not None:
        sys.stderr.write(f"no objects: {place}: {reason}\n")
        return 1
    follow = nothing if arguments.no_follow else Follower([page.url, *addresses(wrapper)], arguments.delay)
    result = interpret(wrapper, page, follow, max_pages=arguments.max_pages)
    wrong = tell(place, result)
    if result.root is None:
        return 1
    found = _written(result.root, wrapper, arguments.records, arguments.format)
    if arguments.output is None:
        sys.stdout.write(found)
    else:
        write_text(arguments.output, found, "the objects")
    if arguments.records is not None and not _count(result.root, arguments.records):
        sys.stderr.write(f"no records: {place}: no object has the label {arguments.records!r}\n")
        return 1
    return int(wrong)


def tell(place: str, result: Result) -> bool:
    """Say on standard error what did not go well; whether anything was wrong."""
    for misfit in result.misfits:
        sys.stderr.write(f"does not fit: {place}: {printable(misfit)}\n")
    failures = [(url, reason) for url, reason in result.failures if reason != NOT_FOLLOWED]
    for url, reason in failures[:_FAILURES]:
        sys.stderr.write(f"no page: {printable(url)}: {printable(reason)}\n")
    if len(failures) > _FAILURES:
        sys.stderr.write(f"no page: {len(failures) - _FAILURES:,} more URLs\n")
    skipped = len(result.failures) - len(failures)
    if skipped:
        sys.stderr.write(f"note: {skipped:,} link{'s'[: skipped != 1]} not followed\n")
    for note in result.notes:
        sys.stderr.write(f"note: {note}\n")
    return bool(result.misfits or failures or result.notes)


def _written(root: OEMObject, wrapper: Format, label: str | None, form: str) -> str:
    """The output.

    :raises UsageError: nothing can have that label.
    """
    if label is None:
        if form == "plain":
            return dumped(plain(root, wrapper.many), indent=2) + "\n"
        return dumped(root_json(root, wrapper.many), indent=1) + "\n"
    _check_label(root, wrapper, label)
    records = flatten(root, label, wrapper.many)
    if form == "jsonl":
        return "".join(dumped(record) + "\n" for record in records)
    if form == "table":
        return _table(records)
    if form == "plain":
        records = [{key: value for key, value in record.items() if key not in ("oid", "path")} for record in records]
    return dumped(records, indent=2) + "\n"


def _likely(wrapper: Format) -> str:
    """The label of which records are most likely wanted: the last that has objects within."""
    lines = wrapper.lines[1:]
    known = labels(wrapper)
    for within in ([line.source for line in lines], [line.variable for line in lines if named_holes(line)]):
        likely = [label for label in known[1:] if label in within]
        if likely:
            return likely[-1]
    return known[-1]


def _count(root: OEMObject, label: str) -> int:
    return sum(found.label == label for found, _ in root.walk())


def _check_label(root: OEMObject, wrapper: Format, label: str) -> None:
    counts = Counter(found.label for found, _ in root.walk())
    known = {*counts, *labels(wrapper)}
    if label in known:
        return
    near = difflib.get_close_matches(label, sorted(known), 1)
    most = ", ".join(f"{printable(name)} ({times:,})" for name, times in counts.most_common(10))
    meant = f"did you mean {near[0]!r}? The " if near else "the "
    raise UsageError(f"--records {label}: no object has that label; {meant}most frequent are: {most}")


def _table(records: Collection[dict[str, Any]]) -> str:
    """A row a record."""
    rows = []
    for record in records:
        items = [Item(shown(value), "text", None, key) for key, value in record.items() if key not in ("oid", "path")]
        rows.append(Record("", tuple(items)))
    width = shutil.get_terminal_size(_WIDTH).columns
    table = record_table(rows, width)
    if table.left_out:
        sys.stderr.write(f"note: {len(table.left_out)} columns had no room in {width} cells; --format json has them\n")
    return "".join(line + "\n" for line in table.lines)


def shown(value: Any) -> str:
    """A plain value as one text: of an object its ``text`` where it has one, else all in it."""
    if isinstance(value, list):
        return "; ".join(map(shown, value))
    if isinstance(value, dict):
        return shown(value["text"]) if "text" in value else " | ".join(map(shown, value.values()))
    return str(value)
