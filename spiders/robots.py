"""robots.txt as RFC 9309 says it: one fetch for a host, and nothing else from a host that does not tell its rules.

Scrapy's middleware allows everything when a robots.txt cannot be had, and (2.19) also to all but the first of the requests
that wait for the same robots.txt: the others get no parser.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.robotstxt import ProtegoRobotParser, RobotParser

from spiders.pages import RENDERED, VISITED

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from spiders.site_spider import SiteSpider


class UnreachableRobotsError(IgnoreRequest):
    """A host's robots.txt cannot be had for now; a later run asks again."""


class RobotsMiddleware(RobotsTxtMiddleware):
    """Lets pass what a host's robots.txt allows."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        logging.getLogger("scrapy.downloadermiddlewares.robotstxt").addFilter(without_traceback)
        self._turns: dict[str, asyncio.Lock] = {}
        self._unreachable: dict[str, str] = {}
        """Host and port → why."""

    async def process_response(self, request: Request, response: Response) -> Response:
        """A browser follows redirects by itself: each address that it was led to must be allowed, as for Scrapy's own.

        The host has been asked by then; what it gave is thrown away.

        :raises IgnoreRequest: one is forbidden.
        """
        spider: SiteSpider = self.crawler.spider  # type: ignore[assignment]  # all spiders of the project are
        for url in request.meta.get(VISITED, ()) if RENDERED in response.flags else ():
            site = spider.site_of(url)
            if site is None or site.obey_robots:
                await self.process_request(request.replace(url=url, meta={}))
        return response

    async def robot_parser(self, request: Request) -> RobotParser | None:
        """The rules of the request's host; the first request fetches them while the others wait.

        :raises UnreachableRobotsError: they cannot be had (RFC 9309 §2.3.1.4: then all is forbidden).
        """
        host = urlsplit(request.url).netloc
        async with self._turns.setdefault(host, asyncio.Lock()):
            parser = await super().robot_parser(request)
        if host in self._unreachable:
            raise UnreachableRobotsError(f"{request.url}: no rules, no fetch: robots.txt: {self._unreachable[host]}")
        return parser

    async def _parse_robots(self, response: Response, netloc: str, request: Request) -> None:
        if response.status >= 500 or response.status == 429:
            self._unreachable[netloc] = f"HTTP {response.status}"
        elif response.status >= 400:
            response = response.replace(body=b"")  # there are no rules (§2.3.1.3); an error page holds none
        await super()._parse_robots(response, netloc, request)

    def _robots_error(self, exc: Exception, netloc: str) -> None:
        if not isinstance(exc, IgnoreRequest):  # that is a refusal of our own, and the page's is worded better
            self._unreachable[netloc] = f"{type(exc).__name__}: {exc}"
        super()._robots_error(exc, netloc)


class CappedRobotParser(ProtegoRobotParser):
    """Reads the first 500 KiB of a robots.txt (RFC 9309 §2.5): it is parsed on the reactor."""

    def __init__(self, robotstxt_body: bytes, spider: Spider | None) -> None:
        super().__init__(robotstxt_body[: 500 * 1024], spider)


def without_traceback(record: logging.LogRecord) -> bool:
    """A log filter: a robots.txt that cannot be had is one line; the page's own failure is recorded anyway."""
    record.exc_info = record.exc_text = None
    return True
