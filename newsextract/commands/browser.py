"""``newsextract browser``, ``snapshot`` and ``inspect``: check or install the browser, render a page with it, and show how
an algorithm read it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from newsextract import algorithms
from newsextract.browser.loading import BrowserMissing, install_browser
from newsextract.browser.render import MAX_SCROLLS, SETTLE, TIMEOUT, check_rendering, render
from newsextract.commands.common import add_param, check_output, given_params, write_text
from newsextract.commands.pages import PageReader, add_scripts, check_url, read_page
from newsextract.errors import UsageError
from newsextract.inspection import report
from newsextract.page.page import Page


def add_parser(parser: argparse.ArgumentParser) -> None:
    """Find the browser for rendering: the one that NEWSEXTRACT_BROWSER names, an installed Chrome or
    Chromium, or playwright's download. `check` starts the driver and the browser and renders a page. `install`
    installs a browser if there is none: playwright's download or, as root on Debian, the system's packages.

    examples:
      newsextract browser check
      newsextract browser install
      NEWSEXTRACT_BROWSER=/opt/chrome/chrome newsextract browser check
    """
    parser.add_argument(
        "action", choices=("check", "install"), help="render a small page; or first install a browser if there is none"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Report the browser that renders pages, after it has rendered one."""
    done = f"; {install_browser()[1]}" if arguments.action == "install" else ""
    sys.stdout.write(f"{check_rendering()}: renders pages{done}\n")
    return 0


def add_snapshot(parser: argparse.ArgumentParser) -> None:
    """Render a page in a browser and write a snapshot, which every command takes in place of a page.

    examples:
      newsextract snapshot page.html -o page.snapshot
      newsextract snapshot page.html -o page.snapshot --url https://example.org/search?q=harbour
      newsextract snapshot https://example.org/search?q=harbour -o page.snapshot --screenshot
      newsextract snapshot https://example.org/stream -o page.snapshot --scrolls 5 --timeout 60
      newsextract extract page.snapshot
    """
    parser.add_argument("page", metavar="PAGE", help="a file or an http(s) URL")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, required=True, help="where to write the snapshot")
    add_scripts(parser)
    parser.add_argument("--screenshot", action="store_true", help="also save a screenshot")
    parser.add_argument(
        "--timeout", type=float, default=TIMEOUT, metavar="SECONDS", help=f"time limit for loading; default: {TIMEOUT:g}"
    )
    parser.add_argument(
        "--settle", type=float, default=SETTLE, metavar="SECONDS", help=f"longest wait for late content; default: {SETTLE:g}"
    )
    parser.add_argument(
        "--scrolls", type=int, default=0, metavar="N", help=f"screens to scroll down first, 0 to {MAX_SCROLLS}; default: 0"
    )
    parser.set_defaults(run=run_snapshot)


def run_snapshot(arguments: argparse.Namespace) -> int:
    """Render, write, and say what it is."""
    check_output(arguments.output)
    check_url(arguments.url)
    snapshot = render(
        arguments.page,
        scripts=arguments.scripts,
        timeout=arguments.timeout,
        screenshot=arguments.screenshot,
        url=arguments.url,
        settle=arguments.settle,
        scrolls=arguments.scrolls,
    )
    snapshot.save(arguments.output)
    nodes = snapshot.nodes
    width, height = nodes.geometry.page_size if nodes.geometry else (0, 0)
    sys.stdout.write(
        f"{arguments.output}: {len(nodes):,} nodes, {len(nodes.shown):,} texts to be seen, {width:g} x {height:g} pixels, "
        f"{arguments.output.stat().st_size:,} bytes\n"
    )
    if arguments.screenshot and snapshot.screenshot is None:
        sys.stderr.write("note: the screenshot was too large and is left out\n")
    if snapshot.note:
        sys.stderr.write(f"note: {snapshot.note}\n")
    return 0


# --- inspect --------------------------------------------------------------------------------------
# ``newsextract inspect``: what extraction sees of a page with records or of an article, as one HTML file to look at.


def add_inspect(parser: argparse.ArgumentParser) -> None:
    """Write one HTML file that shows the blocks of a page, and why each was kept or dropped. For record
    algorithms, it shows data region, noise, clusters, and the records as a table; for article algorithms,
    probabilities, the other possible texts, and the candidates of title, date and authors.

    examples:
      newsextract inspect results.html -o report.html
      newsextract inspect https://example.org/search?q=harbour -o report.html
      newsextract inspect results.snapshot -o report.html --param regions=3
      newsextract inspect results.html -o report.html --algorithm mdr
      newsextract inspect article.html -o report.html --algorithm combined
      newsextract inspect https://example.org/news/1 -o report.html --algorithm combined --no-render

    The file is self-contained and fetches nothing. For a snapshot, it shows the picture if there is one (--screenshot), or
    else the page's texts at their positions. For article algorithms (combined, text_density, ...), it shows which blocks are
    in the text, which are not and why, the other texts that could have been chosen, and the sources of title, date and
    authors.
    """
    parser.add_argument(
        "page", metavar="PAGE", help="a file, an http(s) URL, a snapshot, or - for standard input (articles)"
    )
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, required=True, help="where to write the report")
    parser.add_argument(
        "--algorithm",
        metavar="NAME",
        default=algorithms.DEFAULT_RECORDS,
        help=f"one of: {', '.join(algorithms.names())}; default: {algorithms.DEFAULT_RECORDS}; for an article: combined",
    )
    parser.add_argument(
        "--no-render", action="store_true", help="for an article: show the texts of the source instead of the rendered page"
    )
    add_param(parser)
    add_scripts(parser)
    parser.set_defaults(run=run_inspect)


def run_inspect(arguments: argparse.Namespace) -> int:
    """Render, extract, write, and report what was written."""
    params = given_params(arguments)
    is_article = "article" in algorithms.spec(arguments.algorithm).kinds
    make = algorithms.make if is_article else algorithms.make_records
    make(arguments.algorithm, params)  # a wrong value is reported before the page is read
    if arguments.no_render and not is_article:
        raise UsageError(f"{arguments.algorithm} is shown over a rendered page; leave --no-render out")
    check_output(arguments.output)
    page = _article_page(arguments) if is_article else _record_page(arguments)
    found = report(page, arguments.algorithm, params, name=arguments.page)
    write_text(arguments.output, found.html, "the report")
    of_it = f"{found.records:,} in the text" if is_article else f"{found.records:,} records"
    sys.stdout.write(f"{arguments.output}: {found.blocks:,} blocks, {of_it}, {len(found.html):,} characters\n")
    for note in found.notes:
        sys.stderr.write(f"note: {note}\n")
    return 0


def _record_page(arguments: argparse.Namespace) -> Page:
    way_out = "or give a snapshot, which needs no browser"
    with PageReader(scripts=arguments.scripts, screenshot=True, way_out=way_out) as reader:
        return reader.read(arguments.page, arguments.url)


def _article_page(arguments: argparse.Namespace) -> Page:
    """The page as a browser draws it, by default without its scripts, as a crawl reads it; or its source."""
    if arguments.no_render or arguments.page == "-":
        return read_page(arguments.page, arguments.url)
    try:
        with PageReader(scripts=bool(arguments.scripts), screenshot=True) as reader:
            return reader.read(arguments.page, arguments.url)
    except BrowserMissing as error:
        sys.stderr.write(f"note: {error}\n")
        return read_page(arguments.page, arguments.url)
