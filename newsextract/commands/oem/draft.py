"""``newsextract oem draft``: a format that the heuristics propose for a page, to be edited."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from newsextract.commands.common import check_output, printable, write_text
from newsextract.commands.oem.given import PAGE_HELP, unfit
from newsextract.commands.pages import read_page
from newsextract.wrappers import parse_format
from newsextract.wrappers.draft import draft

_EXAMPLES = """examples:
  newsextract oem draft proceedings.html -o proceedings.oem
  newsextract oem draft https://www.example.org/1997.html
  newsextract oem draft page.snapshot -o page.oem

The draft has lines for the useful part of the page, for titles, items and their fields, as far as the heuristics find them.
A comment above each line shows what the line finds. Edit the draft, then: newsextract oem run FILE.oem PAGE. For a snapshot,
the real font sizes are used. Exit code: 0 if something was found, 1 if nothing on the page is repeated, 2 if the page cannot
be read.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser(
        "draft",
        help="draft a wrapper for a page, for you to edit",
        description="Draft a wrapper for a page from its fonts, lists, tables and classes, for you to edit.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("page", metavar="PAGE", help=PAGE_HELP)
    parser.add_argument("--url", help="URL of the file")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="write to FILE, not to standard output")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the draft."""
    if arguments.output is not None:
        check_output(arguments.output)
    page = read_page(arguments.page, arguments.url)
    place = printable(arguments.page)
    reason = unfit(page)
    if reason is not None:
        sys.stderr.write(f"no draft: {place}: {reason}\n")
        return 1
    proposed = draft(page)
    if arguments.output is None:
        sys.stdout.write(proposed)
    else:
        write_text(arguments.output, proposed, "the draft")
    if len(parse_format(proposed).lines) > 1:
        return 0
    sys.stderr.write(f"note: {place}: nothing is repeated and there is no title; the draft has only the line for the page\n")
    return 1
