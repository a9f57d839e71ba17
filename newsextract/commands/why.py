"""``newsextract why``: the whole way of one URL or record through a crawl."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from newsextract.commands.common import print_text
from newsextract.control_characters import escaped
from newsextract.errors import DataError, SiteError

_EXAMPLES = """examples:
  newsextract why https://www.example.org/news/1.html
  newsextract why 19a86f60c93511a6 out/news.jsonl

It prints where the URL was found, each fetch with its result, the present status, and the rules of sites.toml that apply.
Exit code 1: the URL was never requested.
"""
_SITES = Path("settings/sites.toml")
_BESIDE = (".rejected.jsonl", ".pages.jsonl")


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser(
        "why", help="print the history of a URL: where it was found, what happened to it, and why", epilog=_EXAMPLES,
        description="Print where a URL was found, which rules apply to it, and what happened to it.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("url", metavar="URL|ID", help="a URL, or the id of a record")
    parser.add_argument("feeds", metavar="FEED", type=Path, nargs="*", help="feeds of records; default: those in out/")
    parser.add_argument("--sites", metavar="FILE", type=Path, help=f"the list of sites; default: {_SITES}")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the way; exit code 1 if nothing is known of the URL.

    :raises DataError: a feed does not exist, or the URL is none.
    :raises SiteError: the list of sites is missing or wrong, and it was named.
    """
    from newsextract.feed_report.way import way
    from newsextract.sites import load_sites

    feeds = arguments.feeds or [path for path in sorted(Path("out").glob("*.jsonl")) if not path.name.endswith(_BESIDE)]
    for feed in feeds:
        if not feed.is_file():
            raise DataError(f"{feed}: no such file; expected a feed of records, for example out/news.jsonl")
    path = arguments.sites or _SITES
    try:
        sites = load_sites(path)
    except SiteError as error:
        if arguments.sites is not None:
            raise
        sys.stderr.write(f"note: no rules are shown: {escaped(str(error))}\n")
        sites = {}
    lines, known = way(arguments.url, feeds, sites)
    for line in lines if sites else [line for line in lines if not line.startswith("rules:")]:
        print_text(escaped(line))
    return int(not known)
