"""Hosts behind a bot wall: what a wall answers with is no page, and its host is left alone for the rest of the run.

Who asks a wall again and again only makes it higher. So the first challenge of a host
(:mod:`newsextract.page.challenges`) is a rejection with what it was known by; what else is on its way to that host is
rejected without being asked for, addresses that wait for their turn are dropped and counted, and the next run tries again.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from scrapy.exceptions import IgnoreRequest

from newsextract.page.challenges import find_challenge
from pipelines.plain_spiders import planned
from spiders.pages import headers_of, markup_of

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response


logger = logging.getLogger(__name__)

CHALLENGED = "newsextract/challenged_hosts"
"""How many hosts answered with a challenge; it makes the crawl's exit code 1."""


class ChallengedError(IgnoreRequest):
    """A host asks its visitors for a proof that they are human."""


class ChallengeMiddleware:
    """Tells challenges from pages, before an error code of theirs is tried again."""

    def __init__(self, crawler: Crawler, hosts: dict[str, str]) -> None:
        """
        :param hosts: those that are left alone, and what their challenge is known by; added to.
        """
        self._crawler, self._hosts = crawler, hosts

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Scrapy's way to make one."""
        return cls(crawler, planned(crawler).challenged)

    def process_request(self, request: Request) -> None:
        """Leave a host alone that has asked for a proof.

        :raises ChallengedError: it has.
        """
        if (error := self._left_alone(request)) is not None:
            raise error

    def _left_alone(self, request: Request) -> ChallengedError | None:
        host = urlsplit(request.url).netloc
        by = self._hosts.get(host)
        return ChallengedError(f"{host} is left alone for this run: its challenge: {by}") if by is not None else None

    def process_response(self, request: Request, response: Response) -> Response:
        """Take note of a challenge.

        :raises ChallengedError: the response is one.
        """
        found = find_challenge(markup_of(response), headers_of(response), response.status)
        if found is None:
            return response
        host = urlsplit(response.url).netloc
        if host not in self._hosts:
            self._hosts[host] = found
            self._crawler.stats.inc_value(CHALLENGED)
            logger.warning("%s answers with a challenge: %s. It is left alone for the rest of this run.", host, found)
            self._recall()
        raise ChallengedError(f"HTTP {response.status}, a challenge: {found}")

    def _recall(self) -> None:
        """Requests to the host that wait for their turn in Scrapy's downloader are not sent any more."""
        for slot in self._crawler.engine.downloader.slots.values():
            for waiting in [*slot.queue]:
                request, answer = waiting
                if (error := self._left_alone(request)) is not None:
                    slot.queue.remove(waiting)
                    answer.errback(error)
