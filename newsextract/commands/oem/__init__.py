"""``newsextract oem ACTION``: declarative wrappers. One module per ACTION."""

from __future__ import annotations

import argparse
from typing import Any

from newsextract.commands.common import add_group
from newsextract.commands.oem import check, draft, learn, query, run

_MODULES = (run, draft, learn, check, query)

_EXAMPLES = """\
examples:
  newsextract oem run proceedings.oem page.html -o objects.json
  newsextract oem draft page.html -o proceedings.oem
  newsextract oem check proceedings.oem page.html other.html
  newsextract oem query objects.json "find('paper')[?has(author, 'Toyama')].title"
"""


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Declare the command ``oem`` and what can be done with a format."""
    actions = add_group(
        subparsers, "oem", help="nested objects from pages of known structure, by a few lines of format", epilog=_EXAMPLES,
        description="Write a few lines of format for pages of known structure, and get nested objects (docs/oem.md).",
    )  # fmt: skip
    for module in _MODULES:
        module.add_parser(actions)
