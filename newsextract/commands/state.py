"""``newsextract state``: what a crawl knows of its feed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from newsextract.commands.common import add_group
from newsextract.errors import DataError
from newsextract.feed.lines import LedgerFile

if TYPE_CHECKING:
    from newsextract.state.store import CrawlState

_EXAMPLES = """examples:
  newsextract state show out/news.jsonl
  newsextract state check out/news.jsonl         exit code 1 if lines are new or are not records
  newsextract state rebuild out/news.jsonl
"""
_TOLD_EVERY = 50_000
"""Lines between two lines of progress."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    actions = add_group(
        subparsers, "state", help="show, check or rebuild the state of a crawl", epilog=_EXAMPLES,
        description="Show, check or rebuild the state next to a feed (out/news.state): the index from which a crawl knows\n"
        "what is done. Crawls keep it up to date and rebuild it if it does not match the feed.",
    )  # fmt: skip
    for name, function, text in (
        ("show", _show, "print the number of known records of each site, and of rejections by status"),
        ("check", _check, "check whether the state matches the feed"),
        ("rebuild", _rebuild, "rebuild the state from the whole feed"),
    ):
        action = actions.add_parser(
            name, help=text, description=text[0].upper() + text[1:] + ".", epilog=_EXAMPLES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )  # fmt: skip
        action.add_argument("feed", metavar="FEED", type=Path, help="a feed of records, .jsonl")
        action.set_defaults(run=function)


def _show(arguments: argparse.Namespace) -> int:
    with _opened(arguments.feed) as state:
        state.catch_up()
        counts, attempts = state.counts(), state.attempts()
        sys.stdout.write(f"{'site':<32}{'records':>10}\n")
        for site, count in sorted(counts.items()):
            sys.stdout.write(f"{site:<32}{count:>10,}\n")
        for status, ids in sorted(state.rejection_ids().items()):
            sys.stdout.write(f"rejected: {status:<22}{len(ids):>10,}\n")
        sys.stdout.write(f"failed temporarily{len(attempts):>15,}\n")
    return 0


def _check(arguments: argparse.Namespace) -> int:
    with _opened(arguments.feed) as state:
        read = state.catch_up()
        sys.stdout.write(f"{state.path}: {read:,} lines were not known; {state.foreign:,} lines are not records\n")
        return int(read > 0 or state.foreign > 0)


def _rebuild(arguments: argparse.Namespace) -> int:
    told = 0

    def tell(lines: int) -> None:
        nonlocal told
        if lines - told >= _TOLD_EVERY:
            told = lines
            sys.stderr.write(f"{lines:,} lines\n")

    with _opened(arguments.feed) as state:
        sys.stdout.write(f"{state.path}: {state.rebuild(tell):,} lines read; {state.foreign:,} lines are not records\n")
    return 0


@contextmanager
def _opened(feed: Path) -> Iterator[CrawlState]:
    """The state of a feed that no crawl is writing.

    :raises DataError: there is no such feed, or a crawl is writing it.
    """
    from newsextract.state.store import CrawlState

    if not feed.is_file():
        raise DataError(f"{feed}: no such file; expected a feed of records, for example out/news.jsonl")
    file = LedgerFile(feed)
    state = CrawlState(feed, None)
    try:
        yield state
    finally:
        state.close(is_complete=not state.was_interrupted)
        file.close()
