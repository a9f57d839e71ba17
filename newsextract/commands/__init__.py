"""The commands of ``newsextract``: one module for each, or for a few that belong together."""

from __future__ import annotations

import argparse
import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any


class CommandParser(argparse.ArgumentParser):
    """A parser that prints descriptions and examples as they stand. The parsers of its subcommands do the same."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"formatter_class": argparse.RawDescriptionHelpFormatter} | options)

    def declare(self, add_options: Callable[[CommandParser], None]) -> None:
        """Describe a command by the function that adds its options: the docstring is the help, with the examples last."""
        text = re.split(r"\n\n(?=examples?:\n)", inspect.cleandoc(add_options.__doc__ or ""), maxsplit=1)
        self.description, self.epilog = text[0], text[1] if len(text) > 1 else None
        add_options(self)

    def add_actions(
        self,
        actions: Mapping[str, tuple[Callable[[CommandParser], None], str]],
        title: str = "action",
        metavar: str = "ACTION",
    ) -> None:
        """Add subcommands.

        :param actions: name → the function that adds its options, and its line in the help.
        """
        below = self.add_subparsers(title=title, metavar=metavar, required=True)
        for name, (add_options, summary) in actions.items():
            below.add_parser(name, help=summary).declare(add_options)
