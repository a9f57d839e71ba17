"""The command line: ``newsextract COMMAND``. Only the chosen command's module is imported."""

from __future__ import annotations

import argparse
import errno
import io
import os
import sys
from collections.abc import Collection, Sequence
from importlib import import_module

from newsextract import __version__
from newsextract.commands import CommandParser
from newsextract.control_characters import escaped
from newsextract.errors import NewsextractError

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
"""Name → module in :mod:`newsextract.commands` (none: the package itself), with the function that declares the command if it
is not ``add_parser``; and its line in ``newsextract --help``."""
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
"""A disk, a user's share of it, or a file is full."""


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
            module = f"newsextract.commands.{place}".rstrip(".")
            command.declare(getattr(import_module(module), function or "add_parser"))
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; a user's mistake is one line on standard error and exit code 2."""
    words = sys.argv[1:] if arguments is None else arguments
    parser = build_parser([word for word in words if not word.startswith("-")][:1])
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a lone surrogate or an ASCII terminal is no reason to fail
    given = parser.parse_args(words)
    try:
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


if __name__ == "__main__":
    sys.exit(main())
