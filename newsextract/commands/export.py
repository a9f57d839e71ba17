"""``newsextract export``: a feed as a table, JSON, XML, Parquet or a database, at any time, also while a crawl writes.

A feed has a line for every state that a record has been in. What is exported is the last one of each record, in the feed's
order; records that were withdrawn are left out. Three passes over the feed; in memory are the ids alone, 0.2 kB a record
(Parquet: all records).
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Any

from newsextract.commands.common import check_output
from newsextract.control_characters import cell
from newsextract.errors import DataError, MissingExtra, UsageError
from newsextract.feed.lines import lines
from newsextract.feed.news_record import WITHDRAWN

_EXAMPLES = """examples:
  newsextract export out/news.jsonl -o news.csv
  newsextract export out/news.jsonl -o news.parquet --fields url,title,date,text
  newsextract export out/forum.jsonl -o forum.xml
  newsextract export out/news.jsonl -o news.sqlite
  newsextract export out/news.jsonl --format json | jq length
"""
ENDINGS = {
    ".csv": "csv", ".json": "json", ".jsonl": "jsonl", ".xml": "xml", ".parquet": "parquet",
    ".sqlite": "sqlite", ".db": "sqlite",
}  # fmt: skip
_FILES_ONLY = ("parquet", "sqlite")
_GROUP = 1_000
"""Records in a row group of Parquet."""

Values = dict[str, Any]


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser(
        "export", help="write a feed as CSV, JSON, XML, Parquet or SQLite", epilog=_EXAMPLES,
        description="Write the records of a feed in another format: the latest revision of each, without withdrawn ones.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("feed", metavar="FEED", type=Path, help="a feed that a crawl has written, .jsonl")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="default: standard output")
    parser.add_argument(
        "--format", choices=tuple(dict.fromkeys(ENDINGS.values())), help="default: by the suffix of FILE, or csv"
    )
    parser.add_argument("--fields", metavar="NAMES", help="separated by commas; default: all, in the order of the feed")
    parser.add_argument("--revisions", action="store_true", help="all revisions, not only the latest of each record")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the file; exit code 0.

    :raises UsageError: no format, or fields where they do not belong.
    :raises DataError: the feed is missing or no feed, or the file cannot be written.
    """
    feed, output = arguments.feed, arguments.output
    form = arguments.format or (ENDINGS.get(output.suffix.lower()) if output is not None else "csv")
    if form is None:
        raise UsageError(f"{output}: unknown suffix; use one of {', '.join(ENDINGS)}, or say --format")
    if not feed.is_file():
        raise DataError(f"{feed}: no such feed")
    if output is None and form in _FILES_ONLY:
        raise UsageError(f"{form} needs a file: -o FILE.{form}")
    if output is not None:
        check_output(output)
        if output.resolve() == feed.resolve():
            raise UsageError(f"{output}: is the feed itself; name another file")
    chosen = [name.strip() for name in arguments.fields.split(",") if name.strip()] if arguments.fields else None
    if form == "sqlite":
        if chosen or arguments.revisions:
            raise UsageError("a database contains all fields and revisions; leave --fields and --revisions out")
        return _to_database(feed, output)
    names = _names(feed, chosen)
    rows = ({name: value.get(name) for name in names} for value in records(feed, every=arguments.revisions))
    if form == "parquet":
        count = _to_parquet(rows, names, output)
    elif output is None:
        count = WRITERS[form](rows, names, sys.stdout)
    else:
        with output.open("w", encoding="utf-8", newline="") as file:
            count = WRITERS[form](rows, names, file)
    if output is not None:
        sys.stderr.write(f"{count} records written to {output}\n")
    return 0


def records(feed: Path, *, every: bool = False) -> Iterator[Values]:
    """The last line of each record, in the order of the feed.

    :param every: all lines.
    :raises DataError: a line is no record.
    """
    last = {} if every else {value["id"]: place for value, place in _lines(feed)}
    for value, place in _lines(feed):
        if every or (last.get(value["id"]) == place and value.get("status") != WITHDRAWN):
            yield value


def _lines(feed: Path) -> Iterator[tuple[Values, int]]:
    return lines(feed, _check, "name a feed that newsextract has written")


def _check(value: Values, line: bytes) -> None:
    if not isinstance(value, dict) or not isinstance(value.get("id"), str):
        raise ValueError("it has no id")


def _names(feed: Path, chosen: list[str] | None) -> list[str]:
    """The columns: those that are wanted, or all that any line has.

    :raises UsageError: one that is wanted is in no line.
    """
    known: dict[str, None] = {}
    for value, _ in _lines(feed):
        known |= dict.fromkeys(value)
    unknown = [name for name in chosen or () if name not in known]
    if unknown and known:
        raise UsageError(f"--fields: no line of {feed} has {', '.join(unknown)}; known are: {', '.join(known)}")
    return chosen or list(known)


# --- formats --------------------------------------------------------------------------------------


def _to_csv(rows: Iterable[Values], names: list[str], file: IO[str]) -> int:
    """A table; lists of texts with a comma between them, as in the CSV feeds of a crawl."""
    table, count = csv.writer(file), 0
    table.writerow(names)
    for count, row in enumerate(rows, 1):  # noqa: B007  # reason: the count of all rows
        table.writerow([_flat(value) for value in row.values()])
    return count


def _flat(value: Any) -> Any:
    if isinstance(value, str):
        return cell(value)
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return cell(", ".join(value))
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


def _to_json(rows: Iterable[Values], names: list[str], file: IO[str]) -> int:
    count = 0
    for count, row in enumerate(rows, 1):
        file.write(("[\n" if count == 1 else ",\n") + json.dumps(row, ensure_ascii=False))
    file.write("\n]\n" if count else "[]\n")
    return count


def _to_lines(rows: Iterable[Values], names: list[str], file: IO[str]) -> int:
    count = 0
    for count, row in enumerate(rows, 1):  # noqa: B007  # reason: the count of all rows
        file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return count


def _to_xml(rows: Iterable[Values], names: list[str], file: IO[str]) -> int:
    """``<items><item><title>…``, as Scrapy writes it: members of a list are ``<value>`` elements; no value, no element."""
    from lxml import etree

    file.write('<?xml version="1.0" encoding="utf-8"?>\n<items>\n')
    count = 0
    for count, row in enumerate(rows, 1):  # noqa: B007  # reason: the count of all rows
        item = etree.Element("item")
        for name, value in row.items():
            _add(item, name, value)
        file.write(etree.tostring(item, encoding="unicode") + "\n")
    file.write("</items>\n")
    return count


def _add(parent: Any, name: str, value: Any) -> None:
    from lxml import etree

    if value is None:
        return
    element = etree.SubElement(parent, name)
    if isinstance(value, dict):
        for key, one in value.items():
            _add(element, key, one)
    elif isinstance(value, list):
        for one in value:
            _add(element, "value", one)
    else:
        element.text = json.dumps(value) if isinstance(value, bool | int | float) else value


WRITERS: dict[str, Callable[[Iterable[Values], list[str], IO[str]], int]] = {
    "csv": _to_csv,
    "json": _to_json,
    "jsonl": _to_lines,
    "xml": _to_xml,
}


def _to_parquet(rows: Iterator[Values], names: list[str], output: Path) -> int:
    """Columns of texts, numbers and lists of texts; what else there is, as JSON."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtra("pyarrow", "spark", "writing Parquet") from error

    groups = []
    while group := list(islice(rows, _GROUP)):
        groups.append(pyarrow.table({name: [_plain(row[name]) for row in group] for name in names}))
    table = (
        pyarrow.concat_tables(groups, promote_options="permissive")
        if groups
        else pyarrow.table({name: [] for name in names})
    )
    try:
        parquet.write_table(table, output)
    except OSError as error:
        raise DataError(f"cannot write {output}: {error}") from error
    return int(table.num_rows)


def _plain(value: Any) -> Any:
    """A value of a column."""
    if isinstance(value, dict) or (isinstance(value, list) and not all(isinstance(one, str) for one in value)):
        return json.dumps(value, ensure_ascii=False)
    return value


def _to_database(feed: Path, output: Path) -> int:
    """The way of ``newsextract database import``."""
    from newsextract.commands.database import bring_in

    return bring_in([feed], f"sqlite:///{output}")
