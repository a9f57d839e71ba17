"""``newsextract report``: what a feed holds, as one HTML file, or for large feeds on a local server."""

from __future__ import annotations

import argparse
import sys
import webbrowser
from pathlib import Path

from newsextract.commands.common import check_output, count, positive, write_text
from newsextract.errors import DataError, UsageError
from newsextract.feed_report import page

_EXAMPLES = """examples:
  newsextract report out/news.jsonl                 writes out/news.html
  newsextract report out/news.jsonl -o report.html --open
  newsextract report out/news.jsonl --serve         for large feeds: pages and full-text search on http://127.0.0.1:8765/

The file is self-contained and fetches nothing. It shows the newest records and the number of all. The server keeps its index
of the feed in out/news.index and updates it; you may delete this file.
"""
PORT = 8_765
_TOLD_EVERY = 50_000


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser(
        "report", help="show the results of a crawl in one HTML file or on a local server", epilog=_EXAMPLES,
        description="Show the records of a feed, the health of its sites, volume, revisions, duplicates and rejections.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("feed", metavar="FEED", type=Path, help="a feed that a crawl has written, .jsonl")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="default: the feed's name with .html")
    parser.add_argument("--records", metavar="N", type=positive, help=f"records in the file; default: {page.RECORDS:,}")
    parser.add_argument("--open", action="store_true", help="open the report in the browser")
    parser.add_argument("--serve", action="store_true", help="show all records on a local server, with full-text search")
    parser.add_argument("--port", metavar="N", type=count, help=f"port of the server; 0: any free port; default: {PORT}")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the file, or serve until Ctrl-C; exit code 0.

    :raises UsageError: options that do not go together.
    :raises DataError: the feed is missing, or the output cannot be written.
    """
    if arguments.serve:
        if arguments.output is not None or arguments.records is not None:
            raise UsageError("--serve writes no file; leave -o and --records out")
        return _serve(arguments)
    if arguments.port is not None:
        raise UsageError("--port belongs to --serve")
    output = arguments.output or arguments.feed.with_suffix(".html")
    check_output(output)
    if output.resolve() == arguments.feed.resolve():
        raise UsageError(f"{output}: is the feed itself; name another file")
    write_text(output, page.report(arguments.feed, most=arguments.records or page.RECORDS), "the report")
    sys.stdout.write(f"{output}\n")
    if arguments.open:
        webbrowser.open(output.resolve().as_uri())
    return 0


def _serve(arguments: argparse.Namespace) -> int:
    from newsextract.feed_report.index import FeedIndex
    from newsextract.feed_report.server import ReportServer

    told = 0

    def tell(lines: int) -> None:
        nonlocal told
        if lines - told >= _TOLD_EVERY:
            told = lines
            sys.stderr.write(f"{lines:,} lines indexed\n")

    index = FeedIndex(arguments.feed, arguments.feed.with_suffix(".index"), searchable=True)
    try:
        index.catch_up(tell)
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
