"""Reports on a feed: a self-contained HTML file, a local server for feeds of any size, the history of a URL.

:mod:`.index` reads a feed and its rejections into SQLite; :mod:`.views` makes HTML of its answers, also of the history of a
URL; this module writes one file, or serves page by page.
"""

from __future__ import annotations

import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from newsextract.alarms import sentences
from newsextract.control_characters import plural
from newsextract.errors import DataError
from newsextract.feed_report import views
from newsextract.feed_report.index import Chosen, FeedIndex
from newsextract.html_pages import text
from newsextract.state.announced import coverage
from newsextract.state.store import read_runs

RECORDS = 2_000
"""Maximum number of displayed records, the newest."""
REVISED, GROUPS, LOST, REJECTIONS = 100, 100, 500, 1_000
MEMBERS = 20
"""Maximum number of displayed duplicates per group."""
SITES = 500
DAYS = 60
TEXT = 3_000
"""Maximum number of displayed characters of a text."""
_LOST = ("gone", "moved", "withdrawn")
_SEE_ALL = "<p>To see all of them: newsextract report FEED --serve</p>"
_ALL = Chosen()


def report(feed: Path, *, most: int = RECORDS) -> str:
    """Make the HTML file. Raises DataError: the feed is missing, or a file cannot be read."""
    index = FeedIndex(feed)
    try:
        index.catch_up()
        return _page(index, most)
    finally:
        index.close()


def _page(index: FeedIndex, most: int) -> str:
    sites = index.sites()
    counts = {"records": most, "revisions": REVISED, "duplicates": GROUPS, "rejections": REJECTIONS}
    found = {name: _entries(index, name, count) for name, count in counts.items()}
    lost = [_entries(index, "records", LOST, chosen=Chosen(status=status)) for status in _LOST]
    found["lost"] = sum(total for total, _ in lost), [entry for _, entries in lost for entry in entries]

    def section(name: str, heading: str, what: str, statuses: set[str] | None = None) -> tuple[str, str, str]:
        total, entries = found[name]
        html = "".join(entries)
        if statuses is not None:  # the script filters this list
            listed = f"{name.removesuffix('s')}-list"
            html = f'{views.controls(listed, sites, sorted(statuses))}<div id="{listed}">{html}</div>'
        hint = _SEE_ALL if name == "records" and len(entries) < total else ""
        return name, heading, views.of(len(entries), total, what) + hint + html

    statuses = {status for figures in sites.values() for status in figures.statuses}
    reasons = {status for figures in sites.values() for status in figures.rejected}
    foreign = f"<p>Not records of newsextract: {plural(index.foreign, 'line')}.</p>" if index.foreign else ""
    sections = [
        ("health", "Sites", health(index) + foreign),
        *_coverage(index.feed),
        ("volume", "Volume by day", views.volume(index.days(DAYS))),
        section("records", "Records", "records", statuses),
        section("revisions", "Revisions", "records have changed"),
        section("duplicates", "Duplicates", "groups of near-same texts"),
        section("lost", "Gone, moved, withdrawn", "records"),
        section("rejections", "Rejections", "pages gave no record", reasons),
    ]
    return views.document(f"Report of {index.feed.name}", sections, script=True)


def _entries(
    index: FeedIndex, name: str, count: int, start: int = 0, chosen: Chosen = _ALL, *, is_linked: bool = False
) -> tuple[int, list[str]]:
    """The number of all entries of a section, and the HTML of some."""
    if name == "revisions":
        total, ids = index.revised(count, start)
        return total, [views.revisions(index.lines_of(one)) for one in ids]
    if name == "duplicates":
        total, groups = index.groups(count, MEMBERS, start)
        return total, [views.group(size, members) for size, members in groups]
    if name == "rejections":
        total, lines = index.rejections(count, start, site=chosen.site, status=chosen.status)
        newest = index.records(_ALL, 1)[1]
        is_news = not newest or newest[0].get("kind") == "news"
        return total, [views.rejection(line, index.feed, is_news=is_news) for line in lines]
    total, lines = index.records(chosen, count, start)
    link = '<p><a href="/record?id={}">Whole record and its revisions</a></p>' if is_linked else ""
    links = (link.format(quote(line["id"], errors="replace")) for line in lines)
    return total, [views.record(line, longest=TEXT, more=more) for line, more in zip(lines, links, strict=True)]


def _coverage(feed: Path) -> list[tuple[str, str, str]]:
    """Announced pages and their records; nothing if the state does not know them."""
    try:
        found = coverage(feed)
    except DataError:
        return []  # reason: feeds without a state, or with a damaged one, also get a report
    return [("coverage", "Announced and got", views.coverage(found, SITES, feed))] if found.days else []


def health(index: FeedIndex) -> str:
    """Alarms, figures of the sites, and the last runs compared with earlier ones."""
    runs = read_runs(index.feed)
    alarms = sentences({site: known[-1][1] for site, known in runs.items()})
    items = "".join(f"<li>{text(alarm)}</li>" for alarm in alarms)
    head = f'<ul class="alarms" aria-label="Alarms of the last run">{items}</ul>' if alarms else ""
    return head + views.health(index.sites(), SITES) + views.runs(runs, SITES)


# --- server ---------------------------------------------------------------------------------------
# A local server that shows a feed of any size, page by page, and searches it: GET only, on 127.0.0.1, no script.
#
# It answers only requests whose Host header names this machine, so other sites cannot read it through a name of their own
# that resolves to 127.0.0.1.


PAGE = 50
"""Number of records per page."""
WHOLE = 1_000_000
"""Maximum number of characters of a text on the page of its record."""
_SECTIONS = (
    ("overview", "Sites"),
    ("records", "Records"),
    ("revisions", "Revisions"),
    ("duplicates", "Duplicates"),
    ("rejections", "Rejections"),
)


class ReportServer(ThreadingHTTPServer):
    """The server.

    :param index: searchable and up to date.
    :param port: 0: any free port.
    """

    daemon_threads = True

    def __init__(self, index: FeedIndex, port: int) -> None:
        self.index = index
        self.lock = threading.Lock()
        super().__init__(("127.0.0.1", port), _Handler)

    @property
    def address(self) -> str:
        """URL of the server."""
        return f"http://127.0.0.1:{self.server_port}/"


class _Handler(BaseHTTPRequestHandler):
    server: ReportServer
    timeout = 30

    def do_GET(self) -> None:  # http.server's name
        """Answer with a page."""
        port = self.server.server_port
        if self.headers.get("Host") not in (f"127.0.0.1:{port}", f"localhost:{port}"):
            self._send(HTTPStatus.FORBIDDEN, "This server answers requests to 127.0.0.1 only.", "text/plain")
            return
        parts = urlsplit(self.path)
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        try:
            with self.server.lock:
                body = _answer(self.server, parts.path.strip("/"), asked)
        except DataError as error:
            self._send(HTTPStatus.INTERNAL_SERVER_ERROR, str(error), "text/plain")
            return
        if body is None:
            self._send(HTTPStatus.NOT_FOUND, "There is no such page.", "text/plain")
        else:
            self._send(HTTPStatus.OK, body, "text/html")

    def _send(self, status: HTTPStatus, body: str, kind: str) -> None:
        content = body.encode("utf-8", "replace")
        self.send_response(status)
        for name, value in (
            ("Content-Type", f"{kind}; charset=utf-8"),
            ("Content-Length", str(len(content))),
            ("Content-Security-Policy", f"{views.served_policy()}; frame-ancestors 'none'"),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Cache-Control", "no-store"),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def _answer(server: ReportServer, path: str, asked: dict[str, str]) -> str | None:
    index = server.index
    index.catch_up()
    start = PAGE * (max(1, int(asked["page"])) - 1) if asked.get("page", "").isdecimal() and len(asked["page"]) < 9 else 0
    chosen = Chosen(asked.get("q", "")[:500], asked.get("site", ""), asked.get("status", ""))
    name = path or "overview"
    if name == "overview":
        html = f"{health(index)}<h3>Volume by day</h3>{views.volume(index.days(DAYS))}"
    elif name in dict(_SECTIONS):
        total, entries = _entries(index, name, PAGE, start, chosen, is_linked=True)
        form = _form(chosen, words=name == "records") if name in ("records", "rejections") else ""
        html = form + _pages(name, asked, start, total) + "".join(entries)
    elif name == "record" and (lines := index.lines_of(asked.get("id", ""))):
        html = views.record(lines[-1], longest=WHOLE) + (views.revisions(lines) if len(lines) > 1 else "")
    else:
        return None
    heading = dict(_SECTIONS).get(name, "Record")
    return views.document(f"{heading}: {index.feed.name}", [(name, heading, html)], pages=_SECTIONS)


def _form(chosen: Chosen, *, words: bool) -> str:
    asked = f'<label>Search <input type="search" name="q" value="{text(chosen.words)}"></label>' if words else ""
    return (
        f'<form class="controls" role="search">{asked}'
        f'<label>Site <input name="site" value="{text(chosen.site)}"></label>'
        f'<label>Status <input name="status" value="{text(chosen.status)}"></label><button>Find</button></form>'
    )


def _pages(name: str, asked: dict[str, str], start: int, total: int) -> str:
    number = start // PAGE + 1

    def to(page: int, shown: str) -> str:
        return f'<a href="/{name}?{text(urlencode({**asked, "page": page}))}">{shown}</a>'

    links = [to(number - 1, "Newer")] if number > 1 else []
    links += [to(number + 1, "Older")] if start + PAGE < total else []
    end = min(start + PAGE, total)
    part = f"{start + 1:,} to {end:,} of {total:,}" if total else "None"
    return f'<p class="of" role="status">{part}</p>' + (
        f'<nav class="pages" aria-label="Pages">{"".join(links)}</nav>' if links else ""
    )
