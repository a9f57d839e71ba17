"""The commands of ``newsextract``: one module for each, or for a few that belong together."""

from __future__ import annotations

import argparse
from typing import Any


class CommandParser(argparse.ArgumentParser):
    """A parser that prints descriptions and examples as they stand. The parsers of its subcommands do the same."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"formatter_class": argparse.RawDescriptionHelpFormatter} | options)
