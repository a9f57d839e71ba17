"""The commands of ``newsextract``: one module for each, or for a few that belong together.

Here are those that tell what there is to choose from, for a reader (``algorithms``) and for a shell (``completion``).
"""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from newsextract.errors import MissingExtra


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


_FIELD = re.compile(r"    (\w+): ")
"""Where a field of a class begins."""


def add_algorithms(parser: argparse.ArgumentParser) -> None:
    """Print name, paper, kinds, and parameters with units, ranges and defaults of every algorithm.

    example:
      newsextract algorithms
    """
    parser.set_defaults(run=_run_algorithms)


def _run_algorithms(arguments: argparse.Namespace) -> int:
    from newsextract import algorithms  # late: most commands do not need all of them

    sys.stdout.write("\n".join(describe(name) for name in algorithms.names()))
    return 0


def describe(name: str) -> str:
    """An algorithm's entry as text."""
    from newsextract import algorithms  # late, as above

    spec = algorithms.spec(name)
    default = " (default)" if name in (algorithms.DEFAULT, algorithms.DEFAULT_RECORDS) else ""
    lines = [
        f"{name}{default}",
        f"  paper    {spec.reference}",
        f"  kinds    {', '.join(spec.kinds)}{'; needs a rendered page' if spec.needs_snapshot else ''}",
        f"  presets  {', '.join(spec.presets)}",
    ]
    params = algorithms.make_params(name)
    comments = _comments(type(params))
    for field in dataclasses.fields(params):
        facts = [str(field.metadata.get(key)) for key in ("unit", "range", "section") if field.metadata.get(key)]
        lines.append(f"  {field.name} = {getattr(params, field.name)}   [{'; '.join(facts)}]")
        lines.append(f"      {comments.get(field.name, '')}")
    return "\n".join(lines) + "\n"


def _comments(params: type) -> dict[str, str]:
    """The text under each field of a parameters class."""
    comments: dict[str, str] = {}
    field = ""
    for line in inspect.getsource(params).splitlines():
        text = line.strip()
        if text.startswith('"""') and field:
            comments[field] = text.strip('"')
            field = ""
        elif match := _FIELD.match(line):
            field = match[1]
    return comments


SHELLS = ("bash", "zsh", "fish")
_FILES = ("FILE", "PAGE", "PATH", "PAGES", "DIR")
"""Metavars of what is a file or a folder."""


def add_completion(parser: argparse.ArgumentParser) -> None:
    """Print a script that lets bash, zsh or fish complete commands, options and file names.

    examples:
      newsextract completion bash > ~/.local/share/bash-completion/completions/newsextract
      newsextract completion zsh > ~/.zfunc/_newsextract       # with `fpath+=~/.zfunc` before compinit in ~/.zshrc
      newsextract completion fish > ~/.config/fish/completions/newsextract.fish
    """
    parser.add_argument("shell", choices=SHELLS)
    parser.set_defaults(run=_run_completion)


def _run_completion(arguments: argparse.Namespace) -> int:
    """Print the script, made from the parsers of all commands."""
    if find_spec("shtab") is None:
        raise MissingExtra("shtab", "completion", "completion")
    import shtab  # late: one command needs it

    from newsextract.cli import COMMANDS, build_parser  # late: it imports this module

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
