"""``newsextract extract``: pages from files, folders, addresses or standard input; with ``--warc`` all those of archives."""

from __future__ import annotations

import argparse
from pathlib import Path

from newsextract.commands import ALGORITHMS, add_archive_options, add_param, given_params
from newsextract.errors import UsageError
from newsextract.results import Article


def add_parser(parser: argparse.ArgumentParser) -> None:
    """Extract title, date and text of pages, or of all pages of archives (--warc).

    examples:
      newsextract extract page.html
      newsextract extract https://example.org/news/1.html --format json
      newsextract extract https://example.org/news/1.html --format markdown
      newsextract extract page.html --algorithm page_segmentation --param thresholds=site.toml
      newsextract extract saved-pages/ https://example.org/news/1.html -o articles.csv
      newsextract extract saved-pages/ -o articles.jsonl --fields page,title,date,text
      newsextract extract -i urls.txt --format jsonl --workers 4 | head
      curl -s https://example.org/news/1.html | newsextract extract - --url https://example.org/news/1.html
      newsextract extract --warc crawl/*.warc.gz -o records.jsonl --workers 4
      newsextract extract --warc saved-pages/ pages.jsonl -o records.jsonl --algorithm page_segmentation
      newsextract extract --warc crawl/ -o posts.jsonl --as posts

    If one of several pages fails, it becomes a record with the status "failed", and the command continues with the others.
    Each page is written as soon as it is ready. json is an object for one page, an array for several; jsonl and csv have one
    line per page. Exit code: 0 if every page gave text, 1 if a page gave none, 2 if a page could not be read or the command
    is wrong.
    """
    add = parser.add_argument
    add(
        "pages",
        metavar="PAGE",
        nargs="*",
        help="a file, a folder of pages, an http(s) URL, a snapshot, or - for standard input",
    )
    add("-i", "--input", metavar="FILE", help="a file with one page per line, or - for standard input")
    add("--url", help="URL of the file, or of standard input")
    add("--algorithm", metavar="NAME", help=ALGORITHMS)
    add("--preset", metavar="NAME", help="a preset of the algorithm's parameters")
    add_param(parser)
    add(
        "--format",
        choices=("text", "json", "jsonl", "csv", "html", "markdown"),
        help="default: by the suffix of -o, else text; html and markdown print only the body",
    )
    add("--fields", metavar="NAMES", help="with json, jsonl and csv: only these, separated by commas")
    add(
        "-o",
        "--output",
        metavar="FILE",
        type=Path,
        help="write to FILE and replace it; with --warc a .jsonl file, to which new lines are appended",
    )
    add("--workers", metavar="N", type=int, default=1, help="worker processes; default: 1; 0: extract in the main process")
    add(
        "--evidence",
        action="store_true",
        help="with json and jsonl: also the scores of the blocks, and the candidates of title, date and authors",
    )
    group = parser.add_argument_group("archives", "many pages at once, to a file of JSON Lines")
    group.add_argument(
        "--warc",
        metavar="PATH",
        nargs="+",
        type=Path,
        help="WARC or WACZ files, JSON Lines of pages, folders of these or of saved pages and snapshots",
    )
    add_archive_options(group)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Extract; the exit code is described in ``--help``."""
    params = {"preset": arguments.preset} if arguments.preset else {}
    params |= given_params(arguments)
    if arguments.warc:
        others = arguments.pages, arguments.input, arguments.url, arguments.evidence, arguments.fields
        if any(others) or arguments.format not in (None, "jsonl"):
            raise UsageError(
                "--warc goes without PAGE, -i, --url, --format, --fields and --evidence: it writes records as JSON Lines"
            )
        from newsextract.commands import extract_archives  # late, like all that works on pages: --help starts at once

        return extract_archives.run(arguments, params)
    if arguments.kind:
        raise UsageError("--as needs archives (--warc); for single pages there is `newsextract records --as`")
    if arguments.every_page:
        raise UsageError("--every-page needs archives (--warc); single pages are always extracted")
    if not arguments.pages and not arguments.input:
        raise UsageError("name a page, a list of pages with -i, or archives with --warc")
    from newsextract.commands import extract_pages

    return extract_pages.run(arguments, params)


def as_text(article: Article) -> str:
    """Title, byline and text, for a person."""
    byline = " · ".join(part for part in (article.date, ", ".join(article.authors)) if part)
    head = [line for line in (article.title, byline) if line]
    return "\n".join([*head, *([""] if head else []), article.text]) + "\n"
