"""``newsextract extract``: one page from a file, an address or standard input; with ``--warc`` all those of archives."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from pathlib import Path

import newsextract
from newsextract import algorithms
from newsextract.commands.common import add_archive_options, add_param, given_params
from newsextract.control_characters import escaped
from newsextract.errors import UsageError
from newsextract.results import Article

_EXAMPLES = """examples:
  newsextract extract page.html
  newsextract extract https://example.org/news/1.html --format json
  newsextract extract https://example.org/news/1.html --format markdown
  newsextract extract page.html --algorithm page_segmentation --param thresholds=site.toml
  curl -s https://example.org/news/1.html | newsextract extract - --url https://example.org/news/1.html
  newsextract extract --warc crawl/*.warc.gz -o records.jsonl --workers 4
  newsextract extract --warc saved-pages/ pages.jsonl -o records.jsonl --algorithm page_segmentation
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser(
        "extract",
        help="extract the article of one page, or those of archives",
        description="Extract title, date and text of one page, or of all pages of archives (--warc).",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "page", metavar="PAGE", nargs="?", help="a file, an http(s) address, a snapshot, or - for standard input"
    )
    parser.add_argument("--url", help="the address that a file or standard input came from")
    parser.add_argument("--algorithm", metavar="NAME", help=f"one of: {', '.join(algorithms.names('article'))}")
    parser.add_argument("--preset", metavar="NAME", help="a preset of the algorithm's parameters")
    add_param(parser)
    parser.add_argument(
        "--format",
        choices=("text", "json", "html", "markdown"),
        default="text",
        help="default: text; html and markdown are the body alone",
    )
    parser.add_argument("--evidence", action="store_true", help="with json: also which blocks were scored how")
    _add_archives(parser)
    parser.set_defaults(run=run)


def _add_archives(parser: argparse.ArgumentParser) -> None:
    """Declare ``--warc`` and what belongs to it."""
    group = parser.add_argument_group("archives", "many pages at once, to a file of JSON Lines")
    group.add_argument(
        "--warc",
        metavar="PATH",
        nargs="+",
        type=Path,
        help="WARC or WACZ files, JSON Lines of pages, folders of these or of saved pages and snapshots",
    )
    group.add_argument("-o", "--output", metavar="FILE", type=Path, help="where records go (.jsonl); what is there stays")
    group.add_argument("--workers", metavar="N", type=int, default=1, help="worker processes; default: 1; 0: none, in line")
    add_archive_options(group)


def run(arguments: argparse.Namespace) -> int:
    """Print the article; exit code 1 if the page gave none."""
    params = {"preset": arguments.preset} if arguments.preset else {}
    params |= given_params(arguments)
    if arguments.warc:
        if arguments.page or arguments.url or arguments.evidence or arguments.format != "text":
            raise UsageError("--warc goes without PAGE, --url, --format and --evidence: it writes records as JSON Lines")
        from newsextract.commands import extract_archives  # late, like all that works on pages: --help starts at once

        return extract_archives.run(arguments, params)
    if arguments.page is None or arguments.output or arguments.workers != 1:
        raise UsageError("name a page, or archives with --warc; -o and --workers belong to the latter")
    from newsextract.commands.pages import read_page

    page = read_page(arguments.page, arguments.url)
    article = newsextract.extract(page, algorithm=arguments.algorithm, params=params, evidence=arguments.evidence)
    doubt = page.kind.doubt if article.is_article is None else None  # not every algorithm asks for the kind
    if doubt and article.text:
        article = dataclasses.replace(article, reason=f"{article.reason}; {doubt}" if article.reason else doubt)
        sys.stderr.write(f"note: {escaped(doubt)}\n")
    if arguments.format == "json":
        record = dataclasses.asdict(article)
        del record["blocks"], record["other_titles"]  # they mean nothing without the page's tree, or the site's other pages
        sys.stdout.write(json.dumps(record, ensure_ascii=False, indent=2) + "\n")
    elif arguments.format in ("html", "markdown"):
        rendition = newsextract.to_html if arguments.format == "html" else newsextract.to_markdown
        sys.stdout.write(rendition(page, article))
        if article.text and article.blocks is None:
            sys.stderr.write(
                f"note: {article.algorithm} reads the source text, not the tree: "
                "paragraphs only, without links, lists and pictures\n"
            )
    else:
        sys.stdout.write(escaped(as_text(article)) if sys.stdout.isatty() else as_text(article))
    if article.status in ("doubtful", "not_article") and article.text:
        sys.stderr.write(f"note: {article.status}: {escaped(str(article.reason))}\n")
    elif article.status != "ok":
        sys.stderr.write(f"no article: {article.status}: {escaped(str(article.reason))}\n")
        return 1
    return 0


def as_text(article: Article) -> str:
    """Title, byline and text, for a person."""
    byline = " · ".join(part for part in (article.date, ", ".join(article.authors)) if part)
    head = [line for line in (article.title, byline) if line]
    return "\n".join([*head, *([""] if head else []), article.text]) + "\n"
