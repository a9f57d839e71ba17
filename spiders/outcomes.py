"""What became of an address that gave no article page: a failure told as a :class:`~pipelines.items.Rejection`."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.exceptions import CloseSpider, DownloadCancelledError, IgnoreRequest, UnsupportedURLSchemeError
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.internet import _sslverify
from twisted.logger import Logger, LogPublisher
from twisted.python.failure import Failure

from newsextract.discovery import record_id
from newsextract.errors import NewsextractError
from newsextract.scrapy.lines import stop
from newsextract.sites import Site
from newsextract.workers import defect
from pipelines.feeds import START_ERROR
from pipelines.items import Rejection
from pipelines.ledger import Ledger, now
from pipelines.plain_spiders import planned
from spiders.addresses import PrivateAddressError
from spiders.challenges import ChallengedError
from spiders.pages import BrowserDownloadError, requested_url
from spiders.politeness import UnreachableRobotsError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from spiders.site_spider import SiteSpider

logger = logging.getLogger(__name__)

_sslverify._log = Logger(observer=LogPublisher())  # type: ignore[arg-type]  # mypy knows no zope interfaces
"""Twisted prints a traceback, twice a try, for each certificate without names; the rejection says that it does not hold."""


def rejection(
    site: Site, url: str, status: str, reason: str, ledger: Ledger, *, identity: str | None = None, **more: Any
) -> Rejection:
    """A rejection; its attempt is one more than those that the ledger knows.

    :param identity: the page's id, where it is not made of the address alone.
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
    """(status, reason) of a request that failed."""
    error = failure.value
    text = " ".join(str(error).split())[:300]
    if isinstance(error, HttpError):
        target = (error.response.headers.get("Location") or b"").decode("latin-1")
        if 300 <= error.response.status < 400 and urlsplit(target).scheme not in ("", "http", "https"):
            return "private", f"redirects to {target[:200]}: only http and https are fetched"
        return of_code(error.response.status)
    if isinstance(error, BrowserDownloadError):
        return error.status, text
    if isinstance(error, PrivateAddressError):
        return "private", text
    if isinstance(error, DownloadCancelledError):
        return "too_large", text or "larger than DOWNLOAD_MAXSIZE"
    if isinstance(error, UnsupportedURLSchemeError):
        return "private", f"only http and https are fetched: {text}"
    if isinstance(error, ChallengedError):
        return "challenged", text
    if isinstance(error, UnreachableRobotsError):
        return "download", text
    if isinstance(error, IgnoreRequest):
        if "robots.txt" in text:
            return "robots", "forbidden by robots.txt"
        if "redirection" in text:
            return "redirect_loop", "the page redirects for ever"
        if "MAXSIZE" in text:
            return "too_large", text
    return "download", _plain(error) if error is not None else "the request failed"


def _plain(error: BaseException) -> str:
    """An error's name and text; of a list of Twisted's failures those of the first, whose own text is a dump of objects."""
    inner: BaseException | None = error
    while inner is not None and "failure.Failure" in str(inner):
        error, reasons = inner, getattr(inner, "reasons", None)
        inner = reasons[0].value if reasons else inner.__cause__
    error = inner or error
    if type(error).__module__ == "OpenSSL.SSL":  # a package of Scrapy's, not ours
        parts = [part[-1] for part in (error.args[0] if error.args else ()) if isinstance(part, tuple) and part]
        return f"TLS: {'; '.join(map(str, parts)) or 'no connection'}"
    text = " ".join(str(error).split())[:300]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def of_code(code: int) -> tuple[str, str]:
    """(status, reason) of an HTTP status code that is not a success."""
    reason = f"HTTP {code}"
    if code in (404, 410):
        return "missing", reason
    if code in (401, 403, 429, 451):
        return "blocked", reason
    return ("server_error" if code >= 500 else "http_error"), reason


class DefectMiddleware:
    """A defect in a spider's callback leaves a record of the page's failure, like any other failure."""

    def __init__(self, spider: SiteSpider) -> None:
        self.spider = spider

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> DefectMiddleware:
        """Scrapy's way to make one."""
        return cls(planned(crawler))

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """A file that the start needs and that cannot be read is one line; the crawl ends (:data:`START_ERROR`)."""
        try:
            async for request in start:
                yield request
        except NewsextractError as error:
            logger.error("%s", error)
            raise CloseSpider(START_ERROR) from error

    def process_spider_exception(self, response: Response, exception: Exception) -> list[Rejection] | None:
        """Turn the exception into a rejection; it is logged with its traceback."""
        if isinstance(exception, (HttpError, IgnoreRequest, CloseSpider)):
            return None
        if isinstance(exception, OSError):  # the state could not be written
            stop(self.spider.crawler, exception)
            return []
        logger.error("defect in the callback for %s", response.url, exc_info=exception)
        site = response.request.cb_kwargs["site"]  # type: ignore[union-attr]  # every request of the project has one
        return [self.spider.rejected(site, requested_url(response), "failed", defect(exception))]
