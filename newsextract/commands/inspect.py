"""``newsextract inspect``: what record extraction sees of a page, as one HTML file to look at."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from newsextract import algorithms
from newsextract.commands.common import add_param, check_output, given_params, write_text
from newsextract.commands.pages import PageReader, add_scripts
from newsextract.inspection import report

_EXAMPLES = """examples:
  newsextract inspect results.html -o report.html
  newsextract inspect https://example.org/search?q=harbour -o report.html
  newsextract inspect results.snapshot -o report.html --param regions=3
  newsextract inspect results.html -o report.html --algorithm mdr

The file needs nothing but itself and fetches nothing. A snapshot shows its picture if it was made with --screenshot, else
the page's texts at their places.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser(
        "inspect",
        help="show how the records of a page were found, in one HTML file",
        description="Write one HTML file that shows a page with its visual blocks, data region, noise, clusters and "
        "records, why each block was kept or dropped, and the records as a table.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("page", metavar="PAGE", help="a file, an http(s) URL, or a snapshot")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, required=True, help="where to write the report")
    parser.add_argument(
        "--algorithm",
        metavar="NAME",
        default=algorithms.DEFAULT_RECORDS,
        help=f"one of: {', '.join(algorithms.names('records'))}; default: {algorithms.DEFAULT_RECORDS}",
    )
    add_param(parser)
    add_scripts(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Render, extract, write, and say what it is."""
    params = given_params(arguments)
    algorithms.make_records(arguments.algorithm, params)  # a wrong name or value is told before the page is read
    check_output(arguments.output)
    way_out = "or give a snapshot, which needs no browser"
    with PageReader(scripts=arguments.scripts, screenshot=True, way_out=way_out) as reader:
        page = reader.read(arguments.page, arguments.url)
    found = report(page, arguments.algorithm, params, name=arguments.page)
    write_text(arguments.output, found.html, "the report")
    sys.stdout.write(
        f"{arguments.output}: {found.blocks:,} blocks, {found.records:,} records, {len(found.html):,} characters\n"
    )
    for note in found.notes:
        sys.stderr.write(f"note: {note}\n")
    return 0
