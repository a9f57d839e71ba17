"""``newsextract records``: the data records of pages with many: search hits, posts, entries of a list."""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from newsextract import algorithms
from newsextract.commands.common import add_param, check_output, given_params, printable, record_table, write_output
from newsextract.commands.pages import WITHOUT, PageReader, add_scripts
from newsextract.errors import NewsextractError, UsageError
from newsextract.extraction import find_records
from newsextract.page.page import Page
from newsextract.record_pages import ListPage, ResultPage, ThreadPage, extract_hits, extract_posts, extract_teasers
from newsextract.results import Record, RecordPage
from newsextract.wrappers.objects import dumped

_READERS: Mapping[str, Callable[..., ThreadPage | ResultPage | ListPage]] = {
    "posts": extract_posts,
    "hits": extract_hits,
    "teasers": extract_teasers,
}
_NO_WIDTH = (100, 24)
"""Columns and lines where the terminal does not tell."""


def add_parser(parser: argparse.ArgumentParser) -> None:
    """Extract the data records of pages, and the data items of each. Pages are rendered in a browser.

    examples:
      newsextract records results.html
      newsextract records results.html --no-render
      newsextract records https://example.org/search?q=harbour --format json
      newsextract records results.snapshot --param preset=published
      newsextract records thread-1.html thread-2.html --as posts --format jsonl -o posts.jsonl
      newsextract records https://example.org/ --as teasers --no-render

    json is one object per page (an array for several pages), jsonl one line per record. Posts, hits and teasers have named
    fields (author, date, text …), other records have the data items that their page displays. Exit code: 0 if every page
    gave records, 1 if a page gave none (standard error gives the reason), 2 if a page could not be read.
    """
    parser.add_argument(
        "pages", metavar="PAGE", nargs="+", help="a file, an http(s) URL, a snapshot, or - for standard input"
    )
    parser.add_argument(
        "--format", choices=("table", "json", "jsonl"), default="table", help="default: table; json and jsonl are complete"
    )
    parser.add_argument("--as", dest="kind", choices=tuple(_READERS), help="kind of the records; default: unknown")
    parser.add_argument(
        "--algorithm",
        metavar="NAME",
        default=algorithms.DEFAULT_RECORDS,
        help=f"one of: {', '.join(algorithms.names('records'))}; default: {algorithms.DEFAULT_RECORDS}",
    )
    add_param(parser)
    parser.add_argument(
        "--render",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="render pages in a browser (the default), or read only their source",
    )
    add_scripts(parser)
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="write to FILE, not to standard output")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the records of all pages."""
    params = given_params(arguments)
    algorithms.make_records(arguments.algorithm, params)  # a wrong name or value is told before any page is read
    if arguments.url and len(arguments.pages) > 1:
        raise UsageError("--url is the URL of one page; use it with one page")
    if not arguments.render and arguments.scripts:
        raise UsageError("--scripts needs a browser; leave --no-render out")
    check_output(arguments.output)
    found: list[tuple[str, _Found]] = []
    unread = False
    with PageReader(render=arguments.render, scripts=arguments.scripts, way_out=WITHOUT) as reader:
        for place in arguments.pages:
            try:
                page = reader.read(place, arguments.url)
            except NewsextractError as error:
                if len(arguments.pages) == 1:
                    raise
                sys.stderr.write(f"newsextract: {error}\n")
                unread = True
                continue
            found.append((place, _read(page, arguments.kind, arguments.algorithm, params)))
            if found[-1][1].note:
                sys.stderr.write(f"note: {place}: {found[-1][1].note}\n")
    table = _tables if arguments.kind is None else _named_tables
    text = {"table": table, "json": _json, "jsonl": _lines}[arguments.format](found)
    write_output(arguments.output, text, "the records")
    for place, page_found in found:
        if not page_found.records:
            sys.stderr.write(f"no records: {place}: {page_found.status}: {page_found.reason}\n")
    return 2 if unread else int(not all(page_found.records for _, page_found in found))


@dataclass(frozen=True, slots=True)
class _Found:
    """What a page gave."""

    url: str | None
    algorithm: str
    status: str
    reason: str | None
    note: str | None
    confidence: float
    records: list[dict[str, Any]]
    """As they are written."""
    of_page: RecordPage | None
    """None for posts, hits and teasers."""


def _read(page: Page, kind: str | None, algorithm: str, params: dict[str, Any]) -> _Found:
    if kind is None:
        found = find_records(page, None, algorithm, params)
        records = [_plain(record) for record in found.records]
        own = found.status, found.reason, found.note, found.confidence, records, found
        return _Found(page.url, algorithm, *own)
    read = _READERS[kind](page, None, algorithm, params)
    records = [{name: value for name, value in asdict(one).items() if name != "is_linked"} for one in read]
    note = read.found.note if read.found else None
    return _Found(page.url, algorithm, read.status, read.reason, note, read.confidence, records, None)


def _json(found: list[tuple[str, _Found]]) -> str:
    names = ("url", "algorithm", "status", "reason", "note", "confidence", "records")
    pages = [{"page": place} | {name: getattr(page, name) for name in names} for place, page in found]
    return dumped(pages[0] if len(pages) == 1 else pages, indent=2) + "\n"


def _lines(found: list[tuple[str, _Found]]) -> str:
    return "".join(
        dumped({"page": place, "url": page.url, "position": position, **record}) + "\n"
        for place, page in found
        for position, record in enumerate(page.records, 1)
    )


def _plain(record: Record) -> dict[str, Any]:
    """A record without numbers of nodes, which mean nothing outside."""
    items = []
    for item in record.items:
        value = dataclasses.asdict(item)
        del value["nodes"]
        items.append(value)
    return {"region": record.region, "text": record.text, "items": items}


def _named_tables(found: list[tuple[str, _Found]]) -> str:
    """A block a record: a line for each field that it has."""
    blocks: list[str] = []
    for place, page in found:
        blocks += [f"{printable(place)}: {len(page.records)} records\n"] if len(found) > 1 else []
        for record in page.records:
            shown = {name: value["value"] if name == "date" and value else value for name, value in record.items()}
            told = {name: value if isinstance(value, str) else dumped(value) for name, value in shown.items() if value}
            blocks.append("".join(f"{name:10} {printable(' '.join(value.split()))}\n" for name, value in told.items()))
    return "\n".join(blocks)


def _tables(found: list[tuple[str, _Found]]) -> str:
    width = shutil.get_terminal_size(_NO_WIDTH).columns
    blocks: list[str] = []
    left_out = 0
    for place, page in found:
        assert page.of_page is not None
        regions = [list(records) for _, records in itertools.groupby(page.of_page.records, key=lambda record: record.region)]
        for number, records in enumerate(regions, 1):
            table = record_table(records, width)
            left_out += len(table.left_out)
            named = [printable(place)] if len(found) > 1 else []
            named += [f"region {number}"] if len(regions) > 1 else []
            head = f"{', '.join(named)}: {len(records)} records\n" if named else ""
            blocks.append(head + "\n".join(table.lines) + "\n")
    if left_out:
        sys.stderr.write(f"note: {left_out} columns had no room in {width} cells; --format json has them\n")
    return "\n".join(blocks)
