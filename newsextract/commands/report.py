"""``newsextract report``, ``coverage``, ``why`` and ``state``: what a crawl brought, missed and knows."""

from __future__ import annotations

import argparse
import json
import sys
import webbrowser
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from newsextract.commands import add_action, check_output, count, positive, print_text, write_text
from newsextract.control_characters import ProgressLine, escaped, plural
from newsextract.errors import DataError, SiteError, UsageError
from newsextract.feed import LedgerFile, check_feed
from newsextract.feed_report import RECORDS, ReportServer, report
from newsextract.state.announced import Coverage, DayCoverage, counted, coverage, summed

if TYPE_CHECKING:
    from newsextract.state.store import CrawlState

PORT = 8_765


def add_parser(parser: argparse.ArgumentParser) -> None:
    """Show the records of a feed, the health of its sites, volume, revisions, duplicates and rejections.

    examples:
      newsextract report out/news.jsonl                 writes out/news.html
      newsextract report out/news.jsonl -o report.html --open
      newsextract report out/news.jsonl --serve         for large feeds: pages and full-text search on http://127.0.0.1:8765/

    The file is self-contained and fetches nothing. It shows the newest records and the number of all. The server keeps its
    index of the feed in out/news.index and updates it; you may delete this file.
    """
    add = parser.add_argument
    add("feed", metavar="FEED", type=Path, help="a feed that a crawl has written, .jsonl")
    add("-o", "--output", metavar="FILE", type=Path, help="default: the feed's name with .html")
    add("--records", metavar="N", type=positive, help=f"records in the file; default: {RECORDS:,}")
    add("--open", action="store_true", help="open the report in the browser")
    add("--serve", action="store_true", help="show all records on a local server, with full-text search")
    add("--port", metavar="N", type=count, help=f"port of the server; 0: any free port; default: {PORT}")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the file, or serve until Ctrl-C; exit code 0."""
    if arguments.serve:
        if arguments.output is not None or arguments.records is not None:
            raise UsageError("--serve writes no file; leave -o and --records out")
        return _serve(arguments)
    if arguments.port is not None:
        raise UsageError("--port belongs to --serve")
    check_feed(arguments.feed)  # before a message about the missing folder of the report
    output = arguments.output or arguments.feed.with_suffix(".html")
    check_output(output)
    if output.resolve() == arguments.feed.resolve():
        wanted = "name another file with -o" if arguments.output else "name a feed, for example out/news.jsonl"
        raise UsageError(f"{output}: would be overwritten by its report; {wanted}")
    write_text(output, report(arguments.feed, most=arguments.records or RECORDS), "the report")
    sys.stdout.write(f"{output}\n")
    if arguments.open:
        webbrowser.open(output.resolve().as_uri())
    return 0


@contextmanager
def _counting(label: str) -> Iterator[Callable[[int], None]]:
    """Shows the number of lines that have been read."""
    with closing(ProgressLine(label, sys.stderr)) as progress:
        yield lambda count: progress.tell(f"{count:,} lines")


def _serve(arguments: argparse.Namespace) -> int:
    from newsextract.feed_report.index import FeedIndex

    index = FeedIndex(arguments.feed, arguments.feed.with_suffix(".index"), searchable=True)
    try:
        with _counting("index") as told:
            index.catch_up(told)
        port = PORT if arguments.port is None else arguments.port
        try:
            server = ReportServer(index, port)
        except (OSError, OverflowError) as error:
            raise DataError(f"port {port}: {error}; name another one with --port, or --port 0 for any") from error
        with server:
            sys.stdout.write(f"{server.address}  (Ctrl-C ends it)\n")
            sys.stdout.flush()
            if arguments.open:
                webbrowser.open(server.address)
            server.serve_forever()
    finally:
        index.close()
    return 0


_DAYS = 14


def add_coverage(parser: argparse.ArgumentParser) -> None:
    """For each site and day, compare the announced pages with the records, and print why others are missing.

    examples:
      newsextract coverage out/news.jsonl
      newsextract coverage out/news.jsonl --site harbour-ledger --days 7
      newsextract coverage out/ --json | jq '.days[] | select(.missing > 0)'

    The figures cover all runs of `scrapy crawl news` into this feed. announced: pages that are in a sitemap or feed, or that
    a page links to (page, pagination, archive: the kind of that page). got: a record is in the feed. other: pages that are
    not articles, and pages that keys of the site exclude. missing: the rest, by reason: statuses of the rejected feed, or
    why a page was not requested. `newsextract why URL` explains a single page.
    """
    add = parser.add_argument
    add("out", metavar="OUT", type=Path, help="a feed that a crawl has written, or its folder (news.jsonl)")
    add("--site", metavar="NAME", help="only this site")
    add("--days", metavar="N", type=positive, default=_DAYS, help=f"number of days per site, newest first; default: {_DAYS}")
    add("--json", action="store_true", help="print all days, as JSON")
    parser.set_defaults(run=run_coverage)


def run_coverage(arguments: argparse.Namespace) -> int:
    """Print the table; exit code 1 if the state knows nothing of announced pages."""
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
            f"{feed}: no announced pages: its state was rebuilt or is from an older version, or nothing was announced\n"
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


_SITES = (Path("settings/sites.toml"), Path("sites.toml"))
"""Of this project, and of one that `newsextract init` made."""
_BESIDE = (".rejected.jsonl", ".pages.jsonl")


def add_why(parser: argparse.ArgumentParser) -> None:
    """Print where a URL was found, which rules apply to it, and what happened to it.

    examples:
      newsextract why https://www.example.org/news/1.html
      newsextract why 19a86f60c93511a6 out/news.jsonl

    It prints where the URL was found, each fetch with its result, the present status, and the rules of sites.toml that
    apply. Exit code 1: the URL was never requested.
    """
    add = parser.add_argument
    add("url", metavar="URL|ID", nargs="?", help="a URL, or the id of a record")
    add("feeds", metavar="FEED", type=Path, nargs="*", help="feeds of records; default: those in out/")
    add("--sites", metavar="FILE", type=Path, help=f"the file of sites; default: {' or '.join(map(str, _SITES))}")
    parser.set_defaults(run=run_why)


def run_why(arguments: argparse.Namespace) -> int:
    """Print the history of a URL; exit code 1 if the URL is unknown."""
    if arguments.url is None:
        raise UsageError(
            "name a URL or the id of a record, for example: newsextract why https://www.example.org/news/1.html"
        )
    from newsextract.feed_report.views import way
    from newsextract.sites import load_sites

    feeds = arguments.feeds or [path for path in sorted(Path("out").glob("*.jsonl")) if not path.name.endswith(_BESIDE)]
    for feed in feeds:
        check_feed(feed)
    path = arguments.sites or next((path for path in _SITES if path.is_file()), _SITES[0])
    try:
        sites = load_sites(path)
    except SiteError as error:
        if arguments.sites is not None:
            raise
        sys.stderr.write(f"note: rules are not displayed: {escaped(str(error))}\n")
        sites = {}
    lines, known = way(arguments.url, feeds, sites)
    for line in lines if sites else [line for line in lines if not line.startswith("rules:")]:
        print_text(escaped(line))
    return int(not known)


def add_state(parser: argparse.ArgumentParser) -> None:
    """Show, check or rebuild the state next to a feed (out/news.state): the index from which a crawl knows
    what is done. Crawls keep it up to date and rebuild it if it does not match the feed.

    examples:
      newsextract state show out/news.jsonl
      newsextract state check out/news.jsonl         exit code 1 if lines are new or are not records
      newsextract state rebuild out/news.jsonl
    """
    actions = parser.add_subparsers(title="action", metavar="ACTION", required=True)
    for name, function, text in (
        ("show", _show, "print the number of known records of each site, and of rejections by status"),
        ("check", _check, "check whether the state matches the feed"),
        ("rebuild", _rebuild, "rebuild the state from the whole feed"),
    ):
        action = add_action(actions, parser, name, function, text)
        action.add_argument("feed", metavar="FEED", type=Path, help="a feed of records, .jsonl")


def _show(arguments: argparse.Namespace) -> int:
    with _opened(arguments.feed) as state:
        state.catch_up()
        counts, attempts = state.counts(), state.attempts()
        sys.stdout.write(f"{'site':<32}{'records':>10}\n")
        for site, count in sorted(counts.items()):
            sys.stdout.write(f"{site:<32}{count:>10,}\n")
        for status, ids in sorted(state.rejection_ids().items()):
            sys.stdout.write(f"rejected: {status:<22}{len(ids):>10,}\n")
        sys.stdout.write(f"{'failed temporarily':<32}{len(attempts):>10,}\n")
    return 0


def _check(arguments: argparse.Namespace) -> int:
    with _opened(arguments.feed) as state:
        read = state.catch_up()
        sys.stdout.write(f"{state.path}: new: {plural(read, 'line')}; not records: {plural(state.foreign, 'line')}\n")
        return int(read > 0 or state.foreign > 0)


def _rebuild(arguments: argparse.Namespace) -> int:
    with _opened(arguments.feed) as state:
        with _counting("state") as told:
            read = state.rebuild(told)
        sys.stdout.write(f"{state.path}: read: {plural(read, 'line')}; not records: {plural(state.foreign, 'line')}\n")
    return 0


@contextmanager
def _opened(feed: Path) -> Iterator[CrawlState]:
    """The state of a feed that no crawl is writing."""
    from newsextract.state.store import CrawlState

    check_feed(feed)
    file = LedgerFile(feed)
    state = CrawlState(feed, None)
    try:
        yield state
    finally:
        state.close(is_complete=not state.was_interrupted)
        file.close()
