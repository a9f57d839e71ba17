"""``newsextract oem query``: a path expression over what ``oem run`` wrote."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from newsextract.commands.common import printable
from newsextract.errors import DataError
from newsextract.wrappers.objects import dumped, read_objects

_EXAMPLES = """examples:
  newsextract oem query objects.json "find('paper')[?has(author, 'Kentaro Toyama')].title" --format lines
  newsextract oem query objects.json '"Invited Talks".paper[].title'
  newsextract oem query objects.json "tally(find('author')[].text)[:10]"
  newsextract oem query papers.jsonl "[?starts_with(title, 'On ')].[title, pages]"
  newsextract oem run proceedings.oem page.html | newsextract oem query - "length(find('paper'))"

Expressions are JMESPath (https://jmespath.org) over the view of `oem run --format plain`, with three additional functions:
find(label): the objects with a label at any depth, as records; has(value, text): whether the text occurs in the value;
tally(values): how often each value occurs. Exit code: 1 if nothing is found. Examples: docs/oem.md.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser(
        "query",
        help="query objects with a path expression",
        description="Print what a JMESPath expression finds in the objects or records that `oem run` wrote.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="what `oem run` wrote as json, plain or jsonl; - for standard input")
    parser.add_argument("expression", metavar="EXPRESSION", help="in quotes, to protect it from the shell")
    parser.add_argument(
        "--format", choices=("json", "lines"), default="json", help="default: json; lines: a value per line, texts unquoted"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the answer; exit code 1 if there is none."""
    from newsextract.wrappers.query import answer  # jmespath takes 20 ms, which no other command should pay

    found = answer(arguments.expression, read_objects(_data(arguments.file), arguments.file))
    if arguments.format == "json":
        sys.stdout.write(dumped(found.value, indent=2) + "\n")
    elif found.value is not None:
        for value in found.value if isinstance(found.value, list) else [found.value]:
            sys.stdout.write((printable(value) if isinstance(value, str) else dumped(value)) + "\n")
    for label in found.unknown:
        sys.stderr.write(f"note: no object has the label {label!r}\n")
    return int(_is_nothing(found.value))


def _is_nothing(value: Any) -> bool:
    return value is None or value is False or value == [] or value == {}


def _data(place: str) -> bytes:
    if place == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(place).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        raise DataError(
            f"{place}: {getattr(error, 'strerror', None) or error}; expected what `newsextract oem run` writes, or -"
        ) from error
