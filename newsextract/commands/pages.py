"""The pages of commands, from a file, a URL, standard input or a snapshot; and the commands that render them: ``records``
extracts the data records, ``snapshot`` saves a page, ``inspect`` shows how it was read, ``browser`` checks the browser."""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import sys
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from newsextract import algorithms
from newsextract.archives.entries import KINDS
from newsextract.archives.storage import TooLarge, decoded
from newsextract.browser.loading import BrowserMissing, install_browser
from newsextract.browser.render import MAX_SCROLLS, SETTLE, TIMEOUT, Browser, check_rendering, render
from newsextract.commands import (
    add_param,
    check_output,
    given_params,
    printable,
    read_bytes,
    record_tables,
    write_output,
    write_text,
)
from newsextract.control_characters import plural
from newsextract.errors import DataError, MissingExtra, NewsextractError, UsageError
from newsextract.extraction import find_records
from newsextract.inspection import report
from newsextract.page.fetching import fetch
from newsextract.page.page import MAX_BYTES, Page
from newsextract.page.snapshot import Snapshot, is_snapshot
from newsextract.results import Record, RecordPage
from newsextract.urls import AddressPolicy, is_web_address, with_scheme
from newsextract.wrappers.objects import dumped

# --- pages ----------------------------------------------------------------------------------------
# Where a command gets its page from: a file, an address or standard input; a snapshot counts as the page it was made of.


def read_page(place: str, url: str | None = None, policy: AddressPolicy | None = None) -> Page:
    """A page from a file, an address or standard input (``-``); a snapshot is told by its first bytes, not by its name.

    :param url: URL of the file, or of standard input; that of a snapshot otherwise is its own.
    :param policy: which private addresses may be reached; None: that of the address.
    """
    check_url(url)
    if is_web_address(place):
        return fetch(place, policy or AddressPolicy.typed([place]))
    data = read_bytes(place, f"a file, an http(s) URL, or - for standard input{with_scheme(place)}")
    if place == "-":
        return _page(data, "standard input", url, datetime.now(UTC))
    modified = datetime.fromtimestamp(Path(place).stat().st_mtime, UTC)
    try:
        data = decoded(data, "gzip", MAX_BYTES) if place.lower().endswith(".gz") else data
    except (TooLarge, ValueError) as error:
        raise DataError(f"{place}: {error}") from error
    return _page(data, place, url, modified)


def check_url(url: str | None) -> None:
    """:raises UsageError: the value of ``--url`` is no URL."""
    if url is not None and not is_web_address(url):
        raise UsageError(f"--url {url}: expected an http(s) URL, such as https://www.example.org/news/1.html")


def body_of(data: bytes, place: str) -> bytes:
    """The page's bytes: the rendered source of a snapshot, else the data themselves."""
    return Page.from_snapshot(Snapshot.from_bytes(data, place)).body if is_snapshot(data) else data


def _page(data: bytes, place: str, url: str | None, fetched_at: datetime) -> Page:
    if not is_snapshot(data):
        return Page.from_saved(data, url, fetched_at)
    snapshot = Snapshot.from_bytes(data, place)
    return Page.from_snapshot(dataclasses.replace(snapshot, url=url) if url else snapshot)


# --- rendered -------------------------------------------------------------------------------------
# Where ``records`` and ``inspect`` get their pages from: a snapshot as it is, everything else as a browser draws it.

WITHOUT = "or read only the source, without a browser: --no-render"


def add_scripts(parser: argparse.ArgumentParser) -> None:
    """Declare ``--scripts`` and ``--url``."""
    parser.add_argument(
        "--scripts",
        action=argparse.BooleanOptionalAction,
        help="run the page's scripts; default: for URLs yes, for files no",
    )
    parser.add_argument("--url", help="URL of the file")


class PageReader:
    """Reads pages, and renders them with one browser that starts with the first page that needs it; a context manager.

    :param way_out: what the message adds where there is no browser.
    """

    def __init__(
        self, *, render: bool = True, scripts: bool | None = None, screenshot: bool = False, way_out: str = ""
    ) -> None:
        self._render = render
        self._scripts = scripts
        self._screenshot = screenshot
        self._way_out = way_out

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if "_browser" in vars(self):
            self._browser.close()

    @cached_property
    def _browser(self) -> Browser:
        try:
            return Browser()
        except (BrowserMissing, MissingExtra) as error:
            raise BrowserMissing(f"{error}; {self._way_out}" if self._way_out else str(error)) from error

    def read(self, place: str, url: str | None = None) -> Page:
        """The page of a file, an address, a snapshot, or standard input (``-``).

        :param url: URL of the file, or of standard input.
        """
        check_url(url)
        remote = is_web_address(place)
        if not remote or not self._render:
            page = read_page(place, url)
            if page.snapshot is not None or not self._render:
                return page
        if place == "-":
            raise UsageError(f"standard input cannot be rendered: save it to a file, {self._way_out or 'and name that'}")
        address = None if remote else url
        made = self._browser.render(place, scripts=self._scripts, screenshot=self._screenshot, url=address)
        return Page.from_snapshot(made)


# --- browser --------------------------------------------------------------------------------------


def add_browser(parser: argparse.ArgumentParser) -> None:
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
    parser.set_defaults(run=run_browser)


def run_browser(arguments: argparse.Namespace) -> int:
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
    add = parser.add_argument
    add("page", metavar="PAGE", help="a file or an http(s) URL")
    add("-o", "--output", metavar="FILE", type=Path, required=True, help="where to write the snapshot")
    add_scripts(parser)
    add("--screenshot", action="store_true", help="also save a screenshot")
    add("--timeout", type=float, default=TIMEOUT, metavar="SECONDS", help=f"time limit for loading; default: {TIMEOUT:g}")
    add(
        "--settle", type=float, default=SETTLE, metavar="SECONDS", help=f"longest wait for late content; default: {SETTLE:g}"
    )
    add("--scrolls", type=int, default=0, metavar="N", help=f"screens to scroll down first, 0 to {MAX_SCROLLS}; default: 0")
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
        f"{arguments.output}: {plural(len(nodes), 'node')}, {plural(len(nodes.shown), 'visible text')}, "
        f"{width:g} x {height:g} pixels, {arguments.output.stat().st_size:,} bytes\n"
    )
    if arguments.screenshot and snapshot.screenshot is None:
        sys.stderr.write("note: the screenshot was too large and is left out\n")
    if snapshot.note:
        sys.stderr.write(f"note: {snapshot.note}\n")
    return 0


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
    add = parser.add_argument
    add("page", metavar="PAGE", help="a file, an http(s) URL, a snapshot, or - for standard input (articles)")
    add("-o", "--output", metavar="FILE", type=Path, required=True, help="where to write the report")
    add(
        "--algorithm",
        metavar="NAME",
        default=algorithms.DEFAULT_RECORDS,
        help=f"one of: {', '.join(algorithms.names())}; default: {algorithms.DEFAULT_RECORDS}; for an article: combined",
    )
    add("--no-render", action="store_true", help="for an article: show the texts of the source instead of the rendered page")
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
    of_it = f"{found.records:,} in the text" if is_article else plural(found.records, "record")
    sys.stdout.write(f"{arguments.output}: {plural(found.blocks, 'block')}, {of_it}, {len(found.html):,} characters\n")
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


# --- records --------------------------------------------------------------------------------------
# ``newsextract records``: the data records of pages with many: search hits, posts, entries of a list.


def add_records(parser: argparse.ArgumentParser) -> None:
    """Extract the data records of pages, and the data items of each. Pages are rendered in a browser.

    examples:
      newsextract records results.html
      newsextract records results.html --no-render
      newsextract records https://example.org/search?q=harbour --format json
      newsextract records results.snapshot --param preset=published
      newsextract records thread-1.html thread-2.html --as posts --format jsonl -o posts.jsonl
      newsextract records https://example.org/ --as teasers --no-render

    json is one object per page (an array for several pages), jsonl one line per record. Posts, hits and teasers have named
    fields (author, date, text …), other records have the data items that their page displays. Exit code: 0 if every page
    gave records, 1 if a page gave none (standard error gives the reason), 2 if a page could not be read.
    """
    add = parser.add_argument
    add("pages", metavar="PAGE", nargs="+", help="a file, an http(s) URL, a snapshot, or - for standard input")
    add("--format", choices=("table", "json", "jsonl"), default="table", help="default: table; json and jsonl are complete")
    add("--as", dest="kind", choices=tuple(KINDS), help="kind of the records; default: unknown")
    add(
        "--algorithm",
        metavar="NAME",
        default=algorithms.DEFAULT_RECORDS,
        help=f"one of: {', '.join(algorithms.names('records'))}; default: {algorithms.DEFAULT_RECORDS}",
    )
    add_param(parser)
    add(
        "--render",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="render pages in a browser (the default), or read only their source",
    )
    add_scripts(parser)
    add("-o", "--output", metavar="FILE", type=Path, help="write to FILE, not to standard output")
    parser.set_defaults(run=run_records)


def run_records(arguments: argparse.Namespace) -> int:
    """Print the records of all pages."""
    params = given_params(arguments)
    algorithms.make_records(arguments.algorithm, params)  # a wrong name or value is told before any page is read
    if arguments.url and len(arguments.pages) > 1:
        raise UsageError("--url is the URL of one page; use it with one page")
    if not arguments.render and arguments.scripts:
        raise UsageError("--scripts needs a browser; leave --no-render out")
    check_output(arguments.output)
    found: list[tuple[str, _Found]] = []
    unread = False
    with PageReader(render=arguments.render, scripts=arguments.scripts, way_out=WITHOUT) as reader:
        for place in arguments.pages:
            try:
                page = reader.read(place, arguments.url)
            except NewsextractError as error:
                if len(arguments.pages) == 1:
                    raise
                sys.stderr.write(f"newsextract: {error}\n")
                unread = True
                continue
            found.append((place, _read(page, arguments.kind, arguments.algorithm, params)))
            if found[-1][1].note:
                sys.stderr.write(f"note: {place}: {found[-1][1].note}\n")
    table = _tables if arguments.kind is None else _named_tables
    text = {"table": table, "json": _json, "jsonl": _lines}[arguments.format](found)
    write_output(arguments.output, text, "the records")
    for place, page_found in found:
        if not page_found.records:
            sys.stderr.write(f"no records: {place}: {page_found.status}: {page_found.reason}\n")
    return 2 if unread else int(not all(page_found.records for _, page_found in found))


@dataclass(frozen=True, slots=True)
class _Found:
    url: str | None
    algorithm: str
    status: str
    reason: str | None
    note: str | None
    confidence: float
    records: list[dict[str, Any]]
    """As they are written."""
    of_page: RecordPage | None
    """None for posts, hits and teasers."""


def _read(page: Page, kind: str | None, algorithm: str, params: dict[str, Any]) -> _Found:
    if kind is None:
        found = find_records(page, None, algorithm, params)
        records = [_plain(record) for record in found.records]
        own = found.status, found.reason, found.note, found.confidence, records, found
        return _Found(page.url, algorithm, *own)
    read = KINDS[kind].read(page, None, algorithm, params)
    records = [{name: value for name, value in asdict(one).items() if name != "is_linked"} for one in read]
    note = read.found.note if read.found else None
    return _Found(page.url, algorithm, read.status, read.reason, note, read.confidence, records, None)


def _json(found: list[tuple[str, _Found]]) -> str:
    names = ("url", "algorithm", "status", "reason", "note", "confidence", "records")
    pages = [{"page": place} | {name: getattr(page, name) for name in names} for place, page in found]
    return dumped(pages[0] if len(pages) == 1 else pages, indent=2) + "\n"


def _lines(found: list[tuple[str, _Found]]) -> str:
    return "".join(
        dumped({"page": place, "url": page.url, "position": position, **record}) + "\n"
        for place, page in found
        for position, record in enumerate(page.records, 1)
    )


def _plain(record: Record) -> dict[str, Any]:
    """A record without numbers of nodes, which mean nothing outside."""
    items = [{name: value for name, value in asdict(item).items() if name != "nodes"} for item in record.items]
    return {"region": record.region, "text": record.text, "items": items}


def _named_tables(found: list[tuple[str, _Found]]) -> str:
    """A block a record: a line for each field that it has."""
    blocks: list[str] = []
    for place, page in found:
        blocks += [f"{printable(place)}: {plural(len(page.records), 'record')}\n"] if len(found) > 1 else []
        for record in page.records:
            shown = {name: value["value"] if name == "date" and value else value for name, value in record.items()}
            told = {name: value if isinstance(value, str) else dumped(value) for name, value in shown.items() if value}
            blocks.append("".join(f"{name:10} {printable(' '.join(value.split()))}\n" for name, value in told.items()))
    return "\n".join(blocks)


def _tables(found: list[tuple[str, _Found]]) -> str:
    blocks: list[tuple[list[str], list[Record]]] = []
    """What stands above a table, and its records."""
    for place, page in found:
        assert page.of_page is not None
        regions = [list(records) for _, records in itertools.groupby(page.of_page.records, key=lambda record: record.region)]
        for number, records in enumerate(regions, 1):
            named = [printable(place)] if len(found) > 1 else []
            blocks.append((named + ([f"region {number}"] if len(regions) > 1 else []), records))
    tables = record_tables([records for _, records in blocks])
    return "\n".join(
        (f"{', '.join(named)}: {plural(len(records), 'record')}\n" if named else "") + "\n".join(lines) + "\n"
        for (named, records), lines in zip(blocks, tables, strict=True)
    )
