"""``newsextract try URL``: what a site is and what a crawl of it gives, with the table for ``sites.toml``."""

from __future__ import annotations

import argparse
import shlex
import sys
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

from newsextract.commands.common import check_output, program, write_text
from newsextract.commands.sites_file import add_sites_option, add_table, free_name, sites_path
from newsextract.control_characters import escaped
from newsextract.errors import UsageError
from newsextract.shortfall import EXIT_CODE
from newsextract.urls import is_web_address

if TYPE_CHECKING:
    from newsextract.inspection.proof import Compared
    from newsextract.sites import SiteKind
    from newsextract.survey import Survey
    from newsextract.trial import Trial

_EXAMPLES = """examples:
  newsextract try https://www.example.org/
  newsextract try https://www.example.org/ --write
  newsextract try https://forum.example.org/ --write --sites my/sites.toml -o proof.html --open
  newsextract try "https://www.example.org/search?q=tide"

The command sends about 20 requests, one per second, and obeys robots.txt. Exit code 3: the site gave no record.
"""
_KINDS = ("news", "forum", "search", "list")
_REJECTED = 3
"""Rejected pages that are printed if there is no record."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser(
        "try",
        help="take a first look at a site: its kind, five records next to their pages, its table for sites.toml",
        description="Fetch a few pages of a site. Print its kind, five records next to what their pages display,\n"
        "and its table for sites.toml. With --write, add the table to that file.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_try_options(parser)
    parser.add_argument("--write", action="store_true", help="add the table to the file of sites if the site gave records")
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=Path, help="write records next to their pages, as one HTML file"
    )
    parser.add_argument("--open", action="store_true", help="with -o: open this proof page in the browser")
    parser.set_defaults(run=run)


def add_try_options(parser: argparse.ArgumentParser) -> None:
    """The options that ``sites add`` has, too."""
    parser.add_argument("url", metavar="URL", help="the front page of a site, or any page of it")
    parser.add_argument("--name", help="the site's name (default: derived from its host)")
    parser.add_argument("--kind", choices=_KINDS, help="the kind of site (default: detected from its pages)")
    parser.add_argument("--query", metavar="TEXT", help="for a search engine: the words to search for")
    add_sites_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Look, crawl, show, write."""
    if arguments.open and not arguments.output:
        raise UsageError("--open shows the proof page; name its file with -o proof.html")
    if arguments.output:
        check_output(arguments.output)
    tried = tried_site(arguments)
    from newsextract.inspection.proof import compared, proof_page  # late, so that --help starts at once

    shown = [compared(record, tried.page_of(record)) for record in tried.records]
    toml = table_of(tried)
    facts = list(_facts(tried))
    _print_table(facts, shown)
    why = why_none(tried)
    if why:
        _say(f"\n{why}")
        for line in tried.rejected[:_REJECTED]:
            _say(f"  {line['url']}\n    {line['status']}: {line['reason']}")
    _say(f"\n{toml}")
    if arguments.output:
        page = proof_page(str(tried.table["name"]), facts, shown, tried.rejected, toml, why)
        write_text(arguments.output, page, "the proof page")
        _say(f"proof: {arguments.output}")
        if arguments.open:
            webbrowser.open(arguments.output.absolute().as_uri())
    if arguments.write:
        write_table(arguments, tried)
    elif tried.records:
        _say(f"To add this table to the file of sites:  {program('newsextract')} try {shlex.quote(arguments.url)} --write")
    return 0 if tried.records else EXIT_CODE


def tried_site(arguments: argparse.Namespace) -> Trial:
    """Look at the site and crawl a little of it; says what it does."""
    from newsextract.crawling import check_project
    from newsextract.survey import survey  # late, as above
    from newsextract.trial import try_site

    url = arguments.url if "://" in arguments.url else f"https://{arguments.url}"
    if not is_web_address(url):
        raise UsageError(f"{arguments.url}: expected an http or https address, for example https://www.example.org/")
    check_project("newsextract try")
    sys.stderr.write(f"looking at {escaped(url)} …\n")
    found = survey(url, cast("SiteKind | None", arguments.kind))
    sys.stderr.write(f"crawling a little of it as {found.kind} …\n")
    return try_site(found, arguments.name, arguments.query)


def table_of(tried: Trial) -> str:
    """The table of a site with comments, and with the key that may mend it."""
    heading = f"{tried.survey.software or 'software unknown'}; {tried.survey.why}"
    toml = tried.survey.toml(tried.table, heading)
    if tried.missing is not None and tried.missing.key:
        toml += f"# {tried.missing.key} = {tried.missing.value}  # to try: {tried.missing.line.partition(': ')[2]}\n"
    return toml


def write_table(arguments: argparse.Namespace, tried: Trial) -> None:
    """Add the table to the file of sites, and say how to go on."""
    path = sites_path(arguments.sites, must_exist=False)
    if not tried.records:
        _say(f"{path}: not written, because the site gives no record; change the table, and add it by hand")
        return
    name = free_name(path, tried.table, is_given=arguments.name is not None)
    if name is None:
        _say(f"{path}: has this site already; left as it is")
        return
    tried = _renamed(tried, name)
    add_table(path, table_of(tried))
    kind = tried.survey.kind
    query = f' -a query="{tried.query}"' if kind == "search" else ""
    settings = "" if arguments.sites is None else f" -s SITES_FILE={path}"
    _say(f"{path}: site {name!r} added. Crawl it:  {program('scrapy')} crawl {kind} -a sites={name}{query}{settings}")


def _renamed(tried: Trial, name: str) -> Trial:
    from dataclasses import replace

    return replace(tried, table={**tried.table, "name": name})


def _facts(tried: Trial) -> Iterator[tuple[str, str]]:
    found: Survey = tried.survey
    yield "site", found.url
    yield "software", found.software or "not known"
    yield "kind", f"{found.kind}: {found.why}"
    yield "robots.txt", found.robots
    if found.kind == "news":
        yield "sitemaps", f"{', '.join(found.sitemaps)}; {found.comments['sitemaps']}" if found.sitemaps else "none found"
        yield "feeds", f"{', '.join(found.feeds)}; {found.comments['feeds']}" if found.feeds else "none found"
    if found.search:
        yield "search", found.search.template
    if found.is_local or found.is_private:
        yield "private", "a private address: you typed it, or NEWSEXTRACT_PRIVATE names it; docs/sites.md, private addresses"
    refused = ", ".join(f"{count} {status}" for status, count in tried.refusals.most_common())
    records = f"{len(tried.records)} record{'s'[: len(tried.records) != 1]}"
    yield "pages", f"{tried.requests} requests; {records}{f'; rejected: {refused}' if refused else ''}"


def why_none(tried: Trial) -> str:
    """Why a site gave no record, with the key that may mend it; empty if it gave some."""
    if tried.missing is not None:
        return tried.missing.line
    return "" if tried.records else "no record, and no rejection that says why; see: newsextract extract URL"


def _print_table(facts: list[tuple[str, str]], shown: list[Compared]) -> None:
    """The facts, and each record beside its page."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=False)

    def cell(text: str, most: int = 160) -> Text:
        plain = " ".join(escaped(text).split())
        return Text(plain if len(plain) <= most else f"{plain[: most - 2]} …")

    about = Table.grid(padding=(0, 2))
    about.add_column(no_wrap=True)
    about.add_column(overflow="fold")
    for name, value in facts:
        about.add_row(Text(name, style="bold"), cell(value, 300))
    console.print(about)
    if not shown:
        return
    table = Table(box=box.SIMPLE_HEAD, expand=True, show_lines=False)
    table.add_column("", no_wrap=True)
    table.add_column("the record", ratio=1, overflow="fold")
    table.add_column("the page shows", ratio=1, overflow="fold")
    for one in shown:
        for name in ("title", "date", "text"):
            table.add_row(name, cell(getattr(one.record, name) or "–"), cell(getattr(one.page, name) or "–"))
        table.add_row("by", cell(one.by or "–"), cell(one.url), end_section=True)
    console.print(table)


def _say(text: str) -> None:
    sys.stdout.write(f"{escaped(text)}\n")
