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
        subparsers, "oem", help="extract nested objects from pages of known structure with a wrapper", epilog=_EXAMPLES,
        description="Extract nested objects from pages of known structure with a wrapper of a few lines (docs/oem.md).",
    )  # fmt: skip
    for module in _MODULES:
        module.add_parser(actions)
