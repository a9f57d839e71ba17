"""A crawl of one site as a generator of articles: Scrapy in a child process, its feed read as it grows.

The crawl is the Scrapy project that this library belongs to: ``spiders``, ``pipelines`` and ``settings``. In the repository
it is next to the package; a wheel holds it as data, in the folder ``project`` of the package, so that nothing but
``newsextract`` can be imported where the wheel is installed. Only the child process, which starts there, imports it.

The child ends with the generator: it watches its standard input, which ends with whoever holds the other side.
"""

from __future__ import annotations

import ast
import json
import logging
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from newsextract.alarms import SHORTFALL_EXIT_CODE, Shortfall, shortfall
from newsextract.discovery.feeds import unpack
from newsextract.errors import MissingExtra, NewsextractError, UsageError
from newsextract.feed import read_whole
from newsextract.feed.record_lines import NewsRecord
from newsextract.fields.mail_messages import reads_as_mail
from newsextract.page.page import Page
from newsextract.sites import Site, SiteKind, site_name, toml_table
from newsextract.survey import Survey
from newsextract.urls import normalize

# --- crawling -------------------------------------------------------------------------------------

logger = logging.getLogger(__name__)

_PACKAGE = Path(__file__).resolve().parent
_POLL = 0.1
"""Seconds between two looks at the feed."""
_GRACE = 15.0
"""Seconds that a crawl may take to end when nobody wants more of it."""
_PATHS = ("serve", "wrapper")
"""Keys of a site that name files."""
_CHILD = """
import os, runpy, signal, threading
def watch():
    os.read(0, 1)
    os.kill(os.getpid(), signal.SIGTERM)
threading.Thread(target=watch, daemon=True).start()
runpy.run_module("scrapy", run_name="__main__")
"""


class CrawlFailed(NewsextractError):
    """A crawl could not start or came to a bad end; the message is what it logged."""


def crawl(url: str, limit: int | None = None, **keys: Any) -> Iterator[NewsRecord]:
    """Crawl a news site, politely, and yield its articles as they come.

    :param url: the page to begin with, as ``start`` of a site in ``sites.toml``; sitemaps of robots.txt are read, too.
    :param limit: article pages that are fetched, at most; None: no limit.
    :param keys: other keys of a site in ``sites.toml`` (docs/sites.md), such as ``delay=2.0`` or ``allow=[r"/news/"]``.
        Paths are relative to the present folder.
    :returns: a generator of feed lines. Closing it ends the crawl.
    :raises MissingExtra: Scrapy or the project is not installed.
    :raises SiteError: a key is unknown or has a wrong value.
    :raises CrawlFailed: while iterating: the crawl failed.
    """
    project = check_project("newsextract.crawl")
    if "kind" in keys:
        raise UsageError("newsextract.crawl yields articles of news sites; for other kinds use `scrapy crawl`")
    table = {"name": site_name(url), "start": [url], "sitemaps": ["robots.txt"], **keys}
    table |= {key: str(Path(keys[key]).absolute()) for key in _PATHS if key in keys}
    table |= {"limit": limit} if limit is not None else {}
    Site.read(table)
    return _articles(project, table)


def check_project(purpose: str) -> Path:
    """The folder of the Scrapy project, once all that a crawl needs is known to be installed.

    :param purpose: what the message says needs it.
    :raises MissingExtra: a package is not installed.
    :raises UsageError: the project is missing.
    """
    for package in ("scrapy", "rich", "sqlalchemy"):
        if find_spec(package) is None:
            raise MissingExtra(package, "crawl", purpose)
    return project_folder()


def project_folder() -> Path:
    """The folder of the Scrapy project.

    :raises UsageError: it is not there.
    """
    for folder in (_PACKAGE.parent, _PACKAGE / "project"):
        if (folder / "scrapy.cfg").is_file() and (folder / "spiders" / "news.py").is_file():
            return folder
    raise UsageError(
        f"newsextract.crawl needs the Scrapy project of newsextract, which is missing in {_PACKAGE / 'project'}; "
        "install the wheel again, or work in a checkout of the repository"
    )


def _articles(project: Path, table: dict[str, Any]) -> Iterator[NewsRecord]:
    with tempfile.TemporaryDirectory(prefix="newsextract-") as name:
        for line in crawl_lines(project, Path(name), table):
            yield NewsRecord(**line)


def crawl_lines(
    project: Path, folder: Path, table: dict[str, Any], more: Sequence[str] = (), seconds: float | None = None
) -> Iterator[dict[str, Any]]:
    """Crawl one site in a child process and yield the lines of its feed as they come. Closing the generator ends the crawl.

    :param project: the folder of :func:`project_folder`.
    :param folder: where the crawl writes ``KIND.jsonl`` and the files that belong to it.
    :param table: of the site, as in ``sites.toml``; its kind chooses the spider.
    :param more: further words of ``scrapy crawl``, such as ``-s NAME=VALUE``.
    :param seconds: after which the crawl is ended; None: when it has finished.
    :raises CrawlFailed: while iterating.
    """
    kind = table.get("kind", "news")
    (folder / "sites.toml").write_text(toml_table(table), "utf-8")
    feed = folder / f"{kind}.jsonl"
    until = None if seconds is None else time.monotonic() + seconds
    words = ["crawl", kind, "-o", str(feed), "-s", f"SITES_FILE={folder / 'sites.toml'}", *more]
    with (folder / "log.txt").open("w+b") as log, _running(project, words, log) as process:
        offset = 0
        while True:
            ended = process.poll() is not None  # before the last look, so that no line is missed
            seen = offset
            for line, place in read_whole(feed, offset):
                yield json.loads(line)
                offset = place + len(line)
            if until is not None and time.monotonic() > until:
                return
            if ended:
                break
            if offset == seen:
                time.sleep(_POLL)
        log.seek(0)
        told = log.read().decode("utf-8", "replace").strip()
        if process.returncode == SHORTFALL_EXIT_CODE:
            logger.warning("%s", told)
        elif process.returncode:
            raise CrawlFailed(told or f"the crawl ended with exit code {process.returncode}")


@contextmanager
def _running(project: Path, words: Sequence[str], log: IO[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """The child process; at the end it is gone, and its workers with it."""
    command = [sys.executable, "-c", _CHILD, *words, "-s", "LOG_LEVEL=ERROR", "-s", "STATS_DUMP=False"]
    with subprocess.Popen(
        command, cwd=project, stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True
    ) as process:
        assert process.stdin is not None
        try:
            yield process
        finally:
            process.stdin.close()
            try:
                process.wait(_GRACE)
            except subprocess.TimeoutExpired:
                process.kill()


# --- trial ----------------------------------------------------------------------------------------
# A few records of a site, by a real crawl in a child process, with the pages that they come from. It stops after a few
# records, at a number of requests, or at a deadline. Scrapy's own cache keeps its pages, so that a second attempt with
# another kind of site asks for nothing again, and the pages can be shown.

RECORDS = 5
"""Records after which it is enough."""
REQUESTS = 15
"""Requests of all attempts together, about: those on their way are finished."""
SECONDS = 90.0
"""After which a crawl is ended, whatever it has found."""
_LIMITS: dict[str, int] = {"news": 8, "forum": 12, "search": 1, "list": 1}
"""Pages that may give records; forums of unknown software count boards, too."""
_LEAST_REQUESTS = {"news": 13, "forum": 18, "search": 4, "list": 4}
"""Of the crawl itself, robots.txt included."""
_ACCEPT = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "Accept-Language": "en"}
_WORD = re.compile(r"[^\W\d_]{5,20}|[\u4e00-\u9fff]{2,4}")


@dataclass(frozen=True, slots=True)
class Trial:
    """What a crawl gave."""

    survey: Survey
    """Its kind is the one that was crawled."""
    table: Mapping[str, Any]
    records: tuple[Mapping[str, Any], ...]
    """Lines of the feed."""
    rejected: tuple[Mapping[str, Any], ...]
    """Lines of the rejected feed."""
    pages: Mapping[str, Page]
    """Everything that was fetched, by normalised URL."""
    missing: Shortfall | None = None
    """What to change, if there are no records."""
    query: str | None = None

    @property
    def requests(self) -> int:
        """Of survey and crawl."""
        return self.survey.requests + len(self.pages)

    @property
    def refusals(self) -> Counter[str]:
        """How many pages were rejected, by status."""
        return Counter(str(line["status"]) for line in self.rejected)

    def page_of(self, record: Mapping[str, Any]) -> Page | None:
        """The page of a record."""
        return self.pages.get(normalize(str(record["url"])) or "")


def try_site(found: Survey, name: str | None = None, query: str | None = None) -> Trial:
    """Crawl a little of a site; where its kind is not sure and gives nothing, or mail messages, of another kind.

    :param name: of the site; None: made of its host.
    :param query: what to search for, of a search engine; None: what the page was asked for, else a word of it.
    :raises CrawlFailed: the crawl could not start, or broke off.
    :raises MissingExtra: what a crawl needs is not installed.
    """
    project = check_project("newsextract try")
    with tempfile.TemporaryDirectory(prefix="newsextract-try-") as folder:
        tried = _crawled(project, Path(folder), found, name, query)
        other = None if found.why == "you said so" else other_kind(tried)
        if other is not None:
            again = _crawled(project, Path(folder), other, name, query)
            tried = again if again.records else tried
    return tried


def other_kind(tried: Trial) -> Survey | None:
    """What else the site may be: if it has given no records, or if its articles are mail messages."""
    found = tried.survey
    if tried.records:
        pages = [page for record in tried.records if (page := tried.page_of(record)) is not None]
        messages = sum(map(reads_as_mail, pages)) if found.kind == "news" else 0
        why = f"{messages} of {len(pages)} articles read as mail messages"
        return _as_kind(found, "forum", why) if 2 * messages > len(pages) else None
    if found.kind == "search":
        form = found.search
        return None if form is None or form.query else _as_kind(found, "news", "its search gives no hits")
    if found.kind == "news":
        threads = sum(page.kind.kind == "forum" or reads_as_mail(page) for page in tried.pages.values())
        why = f"{threads} of its pages look like a forum's, and none like an article"
        return _as_kind(found, "forum", why) if threads else None
    return _as_kind(found, "news", "no posts were found") if found.kind == "forum" else None


def _as_kind(found: Survey, kind: SiteKind, why: str) -> Survey:
    return replace(found, kind=kind, why=why, comments={**found.comments, "kind": why})


def _crawled(project: Path, folder: Path, found: Survey, name: str | None, query: str | None) -> Trial:
    table = found.table(name)
    kind = found.kind
    cache = folder / "cache"
    known = len(_cached(cache))
    settings = {
        "HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": cache, "HTTPCACHE_IGNORE_HTTP_CODES": "429,500,502,503,504",
        "DEFAULT_REQUEST_HEADERS": json.dumps({**_ACCEPT, "Accept-Encoding": "gzip"}),
        "CLOSESPIDER_PAGECOUNT": max(_LEAST_REQUESTS[kind], REQUESTS - found.requests) + known,
        "RETRY_TIMES": 0, "EXTRACTION_WORKERS": 1,
        "CONCURRENT_REQUESTS": 1,  # the queue decides what is next: threads before further boards
    }  # fmt: skip
    if found.is_local:  # a server of the user's own is not spared
        settings |= {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False}
    more = [word for key, value in settings.items() for word in ("-s", f"{key}={value}")]
    more += ["-a", f"limit={_LIMITS[kind]}"]
    if kind == "search":
        query = query or (found.search.query if found.search else None) or _word_of(found.page)
        more += ["-a", f"query={query}"]
    records: list[dict[str, Any]] = []
    few = {"pagination": 1} if kind == "news" else {}  # articles before older lists of them
    for line in crawl_lines(project, folder, table | few, more, SECONDS):
        records.append(line)
        if len(records) == RECORDS:
            break
    rejected_feed = folder / f"{kind}.rejected.jsonl"
    rejected = [json.loads(line) for line in rejected_feed.read_bytes().splitlines()] if rejected_feed.exists() else []
    missing = None
    if not records and kind == "search":
        missing = Shortfall(f"no hits for {query!r}; name a word that the site has: --query WORD", "", "")
    elif not records:
        missing = shortfall(table["name"], 0, 0, [(line["status"], line["reason"]) for line in rejected])
    pages = _cached(cache)
    return Trial(found, table, tuple(records), tuple(rejected), pages, missing, query if kind == "search" else None)


def _word_of(page: Page) -> str:
    """A word to search for: one that a page has several times, but that does not stand in all its lines."""
    words = Counter(word for text in page.dom.texts for word in _WORD.findall(text))
    return max(words, key=lambda word: (min(words[word], 3), len(word)), default="news")


def _cached(folder: Path) -> dict[str, Page]:
    """The pages of Scrapy's cache in files: a folder for each request."""
    found: dict[str, Page] = {}
    for meta in sorted(folder.glob("*/*/*/meta"), key=lambda path: path.stat().st_mtime_ns):
        about = ast.literal_eval(meta.read_text("utf-8"))
        body = (meta.parent / "response_body").read_bytes()
        lines = (meta.parent / "response_headers").read_bytes().decode("latin-1").splitlines()
        headers = {key.strip().lower(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
        headers.pop("content-encoding", None)
        url = str(about["response_url"])
        found[normalize(url) or url] = Page(unpack(body), url, headers, datetime.fromtimestamp(about["timestamp"], UTC))
    return found
