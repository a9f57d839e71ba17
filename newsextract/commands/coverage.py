"""``newsextract coverage``: what sitemaps, feeds and lists have named, what of it was got, and why the rest is missing."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from newsextract.commands.common import positive, print_text
from newsextract.control_characters import escaped
from newsextract.state.announced import Coverage, DayCoverage, counted, coverage, summed

_EXAMPLES = """examples:
  newsextract coverage out/news.jsonl
  newsextract coverage out/news.jsonl --site harbour-ledger --days 7
  newsextract coverage out/ --json | jq '.days[] | select(.missing > 0)'

The figures cover all runs of `scrapy crawl news` into this feed. announced: pages that are in a sitemap or feed, or that a
page links to (page, pagination, archive: the kind of that page). got: a record is in the feed. other: pages that are not
articles, and pages that keys of the site exclude. missing: the rest, by reason: statuses of the rejected feed, or why a page
was not requested. `newsextract why URL` explains a single page.
"""
_DAYS = 14


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser(
        "coverage", help="compare announced pages with the records, and show why others are missing",
        description="For each site and day, compare the announced pages with the records, and print why others are missing.",
        epilog=_EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("out", metavar="OUT", type=Path, help="a feed that a crawl has written, or its folder (news.jsonl)")
    parser.add_argument("--site", metavar="NAME", help="only this site")
    parser.add_argument(
        "--days", metavar="N", type=positive, default=_DAYS, help=f"number of days per site, newest first; default: {_DAYS}"
    )
    parser.add_argument("--json", action="store_true", help="print all days, as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the table; exit code 1 if the state knows nothing of announced pages.

    :raises DataError: feed or state are missing or cannot be read.
    """
    feed: Path = arguments.out / "news.jsonl" if arguments.out.is_dir() else arguments.out
    found = coverage(feed)
    if arguments.site is not None:
        found.days = [day for day in found.days if day.site == arguments.site]
        found.links = {site: counts for site, counts in found.links.items() if site == arguments.site}
    if arguments.json:
        plain = {"days": [day.plain() for day in found.days], "links_not_followed": found.links}
        print_text(json.dumps(plain, ensure_ascii=False, indent=1))
    else:
        for line in lines(found, arguments.days):
            print_text(escaped(line))
    if not found.days:
        sys.stderr.write(
            f"{feed}: no announced pages: the state is from an older version, or none of its sites has sitemaps or feeds\n"
        )
    return int(not found.days)


def lines(found: Coverage, most: int) -> Iterator[str]:
    """The table: for each site a line of sums, its newest days, one line for the rest, and links that were not followed."""
    columns = "{:<24}{:<12}{:>10}{:>8}{:>8}{:>9}   {}"
    yield columns.format("site, day", "found in", "announced", "got", "other", "missing", "why missing; why other").rstrip()
    for site in dict.fromkeys(day.site for day in found.days):
        own = [day for day in found.days if day.site == site]
        yield columns.format(site, "", *_figures(own)).rstrip()
        for where in dict.fromkeys(day.found for day in own):
            yield columns.format("  all days", where, *_figures(day for day in own if day.found == where)).rstrip()
        shown = list(dict.fromkeys(day.day for day in own if day.day))[:most]
        for day in own:
            if day.day in shown:
                yield columns.format(f"  {day.day}", day.found, *_figures([day])).rstrip()
        for label, rest in (
            ("  earlier", [day for day in own if day.day and day.day not in shown]),
            ("  no day known", [day for day in own if not day.day]),
        ):
            if rest:
                yield columns.format(label, "", *_figures(rest)).rstrip()
        if site in found.links:
            yield f"  links not followed by the last run (a sample): {counted(found.links[site])}"


def _figures(days: Iterable[DayCoverage]) -> tuple[int, int, int, int, str]:
    total = summed(days)
    why = "; ".join(filter(None, (counted(total.gaps), counted(total.other))))
    return total.announced, total.got, total.other.total(), total.gaps.total(), why
