"""The command line: ``newsextract COMMAND``. Only the chosen command's module (:mod:`newsextract.commands`) is imported."""

from __future__ import annotations

import argparse
import dataclasses
import errno
import inspect
import io
import os
import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from newsextract import __version__
from newsextract.control_characters import escaped
from newsextract.errors import MissingExtra, NewsextractError

COMMANDS = {
    "try": (
        "sites:add_try",
        "take a first look at a site: its kind, five records next to their pages, its table for sites.toml",
    ),
    "extract": ("extract", "extract the articles of pages or archives"),
    "records": ("pages:add_records", "extract the records of a page: hits, posts, entries"),
    "oem": ("oem", "extract nested objects with a wrapper: a few rules for pages of known structure"),
    "snapshot": ("pages:add_snapshot", "render a page in a browser and save it"),
    "inspect": ("pages:add_inspect", "show how an algorithm read a page, in one HTML file"),
    "algorithms": (":add_algorithms", "list algorithms and their parameters"),
    "evaluate": ("evaluate", "measure algorithms on pages with truth"),
    "train": ("train", "train thresholds or a model on pages or labels"),
    "init": ("sites:add_init", "create a small project with its own sites and settings"),
    "sites": ("sites", "list, check or add the target sites of sites.toml"),
    "site-check": ("sites:add_site_check", "test a configured site on a few pages"),
    "browser": ("pages:add_browser", "find or install the browser for rendering"),
    "database": ("database", "keep records in SQLite or PostgreSQL"),
    "export": ("database:add_export", "write a feed as CSV, JSON, XML, Parquet or SQLite"),
    "report": ("report", "show the results of a crawl in one HTML file or on a local server"),
    "coverage": ("report:add_coverage", "compare announced pages with the records, and show why others are missing"),
    "why": ("report:add_why", "print the history of a URL: where it was found, what happened to it, and why"),
    "state": ("report:add_state", "show, check or rebuild the state of a crawl"),
    "spark": ("spark", "extract large collections with Apache Spark"),
    "completion": (":add_completion", "print a completion script for a shell"),
}
"""Name → module in :mod:`newsextract.commands` (none: this module), with the function that declares the command if it is not
``add_parser``; and its line in ``newsextract --help``."""
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
"""A disk, a user's share of it, or a file is full."""


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


def build_parser(chosen: Collection[str]) -> argparse.ArgumentParser:
    """The parser that knows all commands by name, and the chosen ones with their options."""
    parser = CommandParser(
        prog="newsextract",
        formatter_class=argparse.HelpFormatter,
        description="Clean structured records from news, forums, search results, lists, and pages of known structure.",
    )
    parser.add_argument("--version", action="version", version=f"newsextract {__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, (where, summary) in COMMANDS.items():
        command = subparsers.add_parser(name, help=summary)
        if name in chosen:
            place, _, function = where.partition(":")
            module = import_module(f"newsextract.commands.{place}") if place else sys.modules[__name__]
            command.declare(getattr(module, function or "add_parser"))
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; a user's mistake is one line on standard error and exit code 2."""
    words = sys.argv[1:] if arguments is None else arguments
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a lone surrogate or an ASCII terminal is no reason to fail
    try:
        given = build_parser([word for word in words if not word.startswith("-")][:1]).parse_args(words)
        code: int = given.run(given)
        sys.stdout.flush()
    except NewsextractError as error:
        sys.stderr.write(f"newsextract: {escaped(str(error))}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return 130
    except BrokenPipeError:
        _silence_output()  # its reader has gone (`| head`): nothing more to say
        return 0
    except OSError as error:
        if error.errno not in _FULL:
            raise
        _silence_output()
        sys.stderr.write(f"newsextract: cannot write {error.filename or 'the output'}: {error.strerror}; make room first\n")
        return 2
    return code


def _silence_output() -> None:
    """Let what is still in the buffer go nowhere, or the interpreter reports it at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# --- what there is to choose from -----------------------------------------------------------------
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
    from newsextract import algorithms  # imported late: it is slow

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


if __name__ == "__main__":
    sys.exit(main())
