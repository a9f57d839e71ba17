"""What becomes of a URL: rejections of failed requests, what the news spider does with a page, where a page was found."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, date, datetime
from typing import Any, Self
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, DownloadCancelledError, IgnoreRequest, UnsupportedURLSchemeError
from scrapy.http import Response
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.internet import _sslverify
from twisted.logger import Logger, LogPublisher
from twisted.python.failure import Failure

from newsextract.discovery import Rules, may_be_article, record_id
from newsextract.errors import NewsextractError
from newsextract.feed.record_lines import NewsRecord, Rejection, in_window, revision_of
from newsextract.scrapy import stop
from newsextract.sites import Site
from newsextract.state.store import CrawlState
from newsextract.workers import defect
from pipelines.feeds import START_ERROR
from pipelines.items import Component, planned
from pipelines.ledger import Ledger, identity, now
from spiders.pages import requested_url

logger = logging.getLogger(__name__)

_sslverify._log = Logger(observer=LogPublisher())  # type: ignore[arg-type]  # mypy knows no zope interfaces
"""Without this, Twisted logs two tracebacks per attempt for certificates without names. The rejection names the reason."""


def rejection(
    site: Site, url: str, status: str, reason: str, ledger: Ledger, *, identity: str | None = None, **more: Any
) -> Rejection:
    """Make a rejection; its attempt number continues the ledger's count.

    :param identity: the page's id, if it does not follow from the URL alone.
    """
    identity = identity or record_id(url)
    return Rejection(
        id=identity,
        url=url,
        site=site.name,
        status=status,
        reason=reason,
        attempt=ledger.attempts.get(int(identity, 16), 0) + 1,
        fetched_at=now().isoformat(timespec="seconds"),
        **more,
    )


def of_failure(failure: Failure) -> tuple[str, str]:
    """(status, reason) of a failed request."""
    error = failure.value
    text = " ".join(str(error).split())[:300]
    if isinstance(error, HttpError):
        target = (error.response.headers.get("Location") or b"").decode("latin-1")
        if 300 <= error.response.status < 400 and urlsplit(target).scheme not in ("", "http", "https"):
            return "private", f"redirects to {target[:200]}: only http and https are fetched"
        return of_code(error.response.status)
    if isinstance(status := getattr(error, "status", None), str):  # of this project's own errors
        return status, text
    if isinstance(error, DownloadCancelledError):
        return "too_large", text or "larger than DOWNLOAD_MAXSIZE"
    if isinstance(error, UnsupportedURLSchemeError):
        return "private", f"only http and https are fetched: {text}"
    if isinstance(error, IgnoreRequest):
        if "robots.txt" in text:
            return "robots", "forbidden by robots.txt"
        if "redirection" in text:
            return "redirect_loop", "the page redirects for ever"
        if "MAXSIZE" in text:
            return "too_large", text
    return "download", _plain(error) if error is not None else "the request failed"


def _plain(error: BaseException) -> str:
    """Name and text of an error. For a list of Twisted failures, those of the first, because the list's own text is
    unreadable."""
    inner: BaseException | None = error
    while inner is not None and "failure.Failure" in str(inner):
        error, reasons = inner, getattr(inner, "reasons", None)
        inner = reasons[0].value if reasons else inner.__cause__
    error = inner or error
    if type(error).__module__ == "OpenSSL.SSL":  # a dependency of Scrapy, not of this project
        parts = [part[-1] for part in (error.args[0] if error.args else ()) if isinstance(part, tuple) and part]
        return f"TLS: {'; '.join(map(str, parts)) or 'no connection'}"
    text = " ".join(str(error).split())[:300]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def of_code(code: int) -> tuple[str, str]:
    """(status, reason) of an HTTP error code."""
    reason = f"HTTP {code}"
    if code in (404, 410):
        return "missing", reason
    if code in (401, 403, 429, 451):
        return "blocked", reason
    return ("server_error" if code >= 500 else "http_error"), reason


class DefectMiddleware(Component):
    """Turns exceptions in a spider's callbacks into rejections."""

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """If a file that the start needs cannot be read, log one line and end the crawl (:data:`START_ERROR`)."""
        try:
            async for request in start:
                yield request
        except NewsextractError as error:
            logger.error("%s", error)
            raise CloseSpider(START_ERROR) from error

    def process_spider_exception(self, response: Response, exception: Exception) -> list[Rejection] | None:
        """Log the exception with its traceback, and write a rejection."""
        if isinstance(exception, (HttpError, IgnoreRequest, CloseSpider)):
            return None
        if isinstance(exception, OSError):  # the state could not be written
            stop(self.spider.crawler, exception)
            return []
        logger.error("defect in the callback for %s", response.url, exc_info=exception)
        site = response.request.cb_kwargs["site"]  # type: ignore[union-attr]  # set in every request of this project
        return [self.spider.rejected(site, requested_url(response), "failed", defect(exception))]


# --- judging --------------------------------------------------------------------------------------
# Decides what the news spider does with a page or URL, and revises records whose page is gone or has moved.
# Pure functions: under which URL a record is stored, whether a date is outside the window, and priorities.

_NEVER = date(1970, 1, 1)


def canonical_of(site: Site, rules: Rules, url: str, named: str | None) -> str | None:
    """The canonical URL, if another page should be fetched instead of this one."""
    if named is None or site.canonical == "ignore":
        return None
    if urlsplit(named).path in ("", "/") or not site.covers(named) or named in site.start:
        return None  # a mistake of the site: all its pages would count as one
    if not may_be_article(rules, named):
        return None
    return None if identity(named) == identity(url) else named


def outside(site: Site, day: date | None) -> bool:
    """Whether a day is outside the site's date window; False if the day is unknown."""
    return day is not None and not in_window(day.isoformat(), site.since, site.until)


def day_of(text: str | None, default: Any = None) -> Any:
    """The day of a date, or the default."""
    try:
        return date.fromisoformat((text or "")[:10])
    except ValueError:
        return default


def recency(day: date | None) -> int:
    """Priority 0–500: newest first."""
    return min(500, max(0, 500 - (datetime.now(UTC).date() - (day or _NEVER)).days))  # feeds also contain future dates


# --- lost -----------------------------------------------------------------------------------------
# Records whose page is gone or has moved: the second visit writes a revision of the record.
#
# The revision copies the last line of the record, except ``status`` (``gone`` or ``moved``), ``reason`` and, for ``moved``,
# the new URL in ``canonical_url``. If the page comes back, the next visit writes a revision with status ``ok``.

PERMANENT = frozenset((301, 308))


def redirected_for_good(response: Response) -> tuple[str, str, str | None] | None:
    """(status, reason, new URL) of a page that redirects permanently; None if the redirect is temporary.

    A redirect to the front page means that the page is gone.
    """
    codes = response.meta.get("redirect_reasons") or []
    if not codes or not PERMANENT.issuperset(codes):
        return None
    reason = f"HTTP {codes[0]} to {response.url}"
    if urlsplit(response.url).path in ("", "/"):
        return "gone", reason, None
    return "moved", reason, response.url


def lost_record(ledger: Ledger, number: int, status: str, reason: str, moved_to: str | None = None) -> Iterator[NewsRecord]:
    """The revision of a revisited record; None if its last line already has this status.

    :raises DataError: the feed was changed since the crawl began.
    """
    last = ledger.line(number)
    if last is None or ledger.revisit[number].status == status:
        return
    yield revision_of(
        last,
        status=status,
        reason=reason,
        canonical_url=moved_to or last["canonical_url"],
        etag=None,
        last_modified=None,
        fetched_at=now().isoformat(timespec="seconds"),
    )


# --- origins --------------------------------------------------------------------------------------
# Where each page was found: stored in the crawl's state when the page is requested, for ``newsextract why``.


ORIGIN = "newsextract_origin"
"""Meta key: URL of the page, sitemap or feed that leads to the request."""
MOST = 1_000
"""Maximum number of characters of that URL."""


class OriginMiddleware(BaseSpiderMiddleware):
    """Stores where requests come from. Shared crawls store nothing."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Called by Scrapy."""
        planned(crawler)
        made = super().from_crawler(crawler)
        crawler.signals.connect(made.scheduled, signal=signals.request_scheduled)
        return made

    def get_processed_request(self, request: Request, response: Response | None) -> Request | None:
        """Add the page that contains the link."""
        if response is not None:
            request.meta.setdefault(ORIGIN, response.url)
        return request

    def scheduled(self, request: Request) -> None:
        """Store the origin of a scheduled request."""
        spider = planned(self.crawler)
        state = spider.ledger.state
        if "site" in request.cb_kwargs and isinstance(state, CrawlState):
            place: str | None = request.meta.get(ORIGIN)
            number = int(spider.page_id(request.url), 16)
            state.note_origin(number, _how(request, place), place and place[:MOST])


def _how(request: Request, place: str | None) -> str:
    """How a request was found, in one or two words."""
    if redirected := request.meta.get("redirect_urls"):
        return f"redirect from {redirected[-1][:MOST]}"
    role, hints = request.cb_kwargs.get("role"), request.cb_kwargs.get("hints")
    if place is None:
        return {"start": "start page", None: "sites.toml"}.get(role, "known before the run")
    if "level" in request.cb_kwargs:
        return "sitemap"
    if hints is not None and hints.source:
        return str(hints.source)
    return "next page" if role == "listing" else "link"
