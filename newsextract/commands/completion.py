"""``newsextract completion``: a script with which a shell completes commands, options and file names."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from newsextract.errors import MissingExtra

SHELLS = ("bash", "zsh", "fish")
_EXAMPLES = """examples:
  newsextract completion bash > ~/.local/share/bash-completion/completions/newsextract
  newsextract completion zsh > ~/.zfunc/_newsextract       # with `fpath+=~/.zfunc` before compinit in ~/.zshrc
  newsextract completion fish > ~/.config/fish/completions/newsextract.fish
"""
_FILES = ("FILE", "PAGE", "PATH", "PAGES", "DIR")
"""Metavars of what is a file or a folder."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser(
        "completion",
        help="print a completion script for a shell",
        description="Print a script that lets bash, zsh or fish complete commands, options and file names.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("shell", choices=SHELLS)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the script, made from the parsers of all commands."""
    if find_spec("shtab") is None:
        raise MissingExtra("shtab", "completion", "completion")
    import shtab  # late: one command needs it

    from newsextract.cli import COMMANDS, build_parser  # late: it imports the commands

    parser = build_parser(COMMANDS)
    for action in _actions(parser):
        if action.type is Path or action.metavar in _FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]  # reason: shtab's own way to say so
    sys.stdout.write(shtab.complete(parser, shell=arguments.shell))
    return 0


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """The arguments of a command and of the commands below it."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in dict.fromkeys(action.choices.values()):
                yield from _actions(below)
        else:
            yield action
