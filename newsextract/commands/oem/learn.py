"""``newsextract oem learn``: learn a wrapper from two or three marked examples."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from newsextract.commands.common import check_output, print_text, write_text
from newsextract.commands.oem.given import PAGE_HELP, unfit
from newsextract.commands.pages import read_page
from newsextract.errors import DataError, UsageError
from newsextract.wrappers.learn import learn, of_file, of_marks, of_records

_EXAMPLES = """examples:
  newsextract oem learn papers.html --mark 'title=If at first you see' --mark 'title=Agents that talk'
  newsextract oem learn papers.html -o papers.oem \\
      --record 'title=If at first you see; author=Kentaro Toyama; author=Gregory Hager; pdf@href=toyama.pdf' \\
      --record 'title=Agents that talk; author=Ann Lee'
  newsextract oem learn papers.html --examples marks.toml --label paper -o papers.oem
  newsextract oem run papers.oem sister.html --records paper --format table

A mark is a whole text as the page displays it; white space does not matter. NAME@ATTRIBUTE marks an attribute's value, such
as the URL of a link. Two or three records are enough. Choose records that differ. If a field may be missing, include a
record without it: the line of the field gets a '?'. Mark a field in every record that has it. If a record has a name twice,
the field is a list. marks.toml:
  [[record]]
  title = "If at first you see"
  author = ["Kentaro Toyama", "Gregory Hager"]
The wrapper is run on the page before it is written, and finds all marked texts. Its first lines list what else it finds.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser(
        "learn",
        help="learn a wrapper from two or three marked examples",
        description="Learn a wrapper from the tags around marked texts; it finds these and similar records.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("page", metavar="PAGE", help=PAGE_HELP)
    parser.add_argument(
        "--mark",
        metavar="NAME=TEXT",
        action="append",
        default=[],
        help="a marked text; may be repeated: the first mark of each name belongs to one record, the second to another",
    )
    parser.add_argument(
        "--record",
        metavar="'NAME=TEXT; …'",
        action="append",
        default=[],
        help="the marked texts of one record; may be repeated",
    )
    parser.add_argument("--examples", metavar="FILE", type=Path, help="a TOML or JSON file of marked records")
    parser.add_argument("--label", default="entry", metavar="NAME", help="label of the records; default: entry")
    parser.add_argument("--url", help="URL of the file")
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=Path, help="where to write the wrapper; default: standard output"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Learn, write, and say what it finds."""
    given = sum(map(bool, (arguments.mark, arguments.record, arguments.examples)))
    if given != 1:
        raise UsageError("give the marks in one way: --mark NAME=TEXT, --record 'NAME=TEXT; …', or --examples FILE")
    if arguments.output is not None:
        check_output(arguments.output)
    if arguments.examples:
        examples = of_file(arguments.examples)
    else:
        examples = of_records(arguments.record) if arguments.record else of_marks(arguments.mark)
    page = read_page(arguments.page, arguments.url)
    reason = unfit(page)
    if reason is not None:
        raise DataError(f"{arguments.page}: {reason}; expected a page to learn from")
    learned = learn(page, examples, record=arguments.label)
    if arguments.output is None:
        print_text(learned.text.rstrip("\n"))
        return 0
    write_text(arguments.output, learned.text, "the format")
    fields = ", ".join(f"{name} {count:,}" for name, count in learned.found.items())
    sys.stdout.write(f"{arguments.output}: {learned.records:,} records found on the page; {fields}\n")
    return 0
