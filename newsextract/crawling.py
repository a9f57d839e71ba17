"""A crawl of one site as a generator of articles: Scrapy in a child process, its feed read as it grows.

The crawl is the Scrapy project that this library belongs to: ``spiders``, ``pipelines`` and ``settings``. In the repository
it is next to the package; a wheel holds it as data, in the folder ``project`` of the package, so that nothing but
``newsextract`` can be imported where the wheel is installed. Only the child process, which starts there, imports it.

The child ends with the generator: it watches its standard input, which ends with whoever holds the other side.
"""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from newsextract.errors import MissingExtra, NewsextractError, UsageError
from newsextract.feed.news_record import NewsRecord
from newsextract.shortfall import EXIT_CODE
from newsextract.sites import Site, site_name, toml_table

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
    for package in ("scrapy", "pebble", "rich", "sqlalchemy"):
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
            lines, offset = _whole_lines(feed, offset)
            yield from map(json.loads, lines)
            if until is not None and time.monotonic() > until:
                return
            if ended:
                break
            if not lines:
                time.sleep(_POLL)
        log.seek(0)
        _judge(process.returncode, log.read().decode("utf-8", "replace").strip())


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


def _whole_lines(feed: Path, offset: int) -> tuple[list[bytes], int]:
    """The lines that have been added, and where the next one begins."""
    if not feed.exists():
        return [], offset
    with feed.open("rb") as file:
        file.seek(offset)
        added = file.read()
    whole = added[: added.rfind(b"\n") + 1]
    return whole.splitlines(), offset + len(whole)


def _judge(code: int, log: str) -> None:
    """Raise for a crawl that failed; log what one that found too little advises."""
    if code == EXIT_CODE:
        logger.warning("%s", log)
    elif code:
        raise CrawlFailed(log or f"the crawl ended with exit code {code}")
