"""What a host says of text and data mining in ``/.well-known/tdmrep.json`` (TDM Reservation Protocol, W3C community group).

The file is asked for once a host, before its first page, as robots.txt is. A page that it reserves gets the header that the
protocol has for the same purpose, so that :mod:`newsextract.fields.site_facts` reads header, element and file alike. It is a
JSON list of rules::

    [{"location": "/news/*", "tdm-reservation": 1, "tdm-policy": "https://www.example.org/policy.json"}]

Locations are patterns like those of robots.txt (RFC 9309: ``*`` and a ``$`` at the end); the longest that fits holds. A file
that is missing or cannot be read reserves nothing.
"""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urljoin, urlsplit

from scrapy import Request
from scrapy.http.request import NO_CALLBACK

from newsextract.fields.site_facts import FROM_FILE, POLICY, TDM
from pipelines.plain_spiders import planned

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

FILE = "/.well-known/tdmrep.json"
MAX_BYTES = 200_000
MAX_RULES = 1_000
MAX_LOCATION = 500
"""Characters of a pattern."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of the file."""

    location: str
    is_reserved: bool
    policy: str | None = None

    def fits(self, path: str) -> bool:
        """Whether the rule is for a path (with its query); linear in the path's length."""
        pattern, ends = self.location.removesuffix("$"), self.location.endswith("$")
        first, *rest = pattern.split("*")
        if not path.startswith(first):
            return False
        at = len(first)
        for number, part in enumerate(rest, 1):
            if ends and number == len(rest):
                return len(path) - len(part) >= at and path.endswith(part)
            found = path.find(part, at)
            if found < 0:
                return False
            at = found + len(part)
        return not ends or at == len(path)


def read_rules(body: bytes) -> list[Rule]:
    """The rules of a file, as far as they can be read. Never raises."""
    try:
        values = json.loads(body[:MAX_BYTES])
    except (ValueError, RecursionError):
        return []
    rules = []
    for value in values[:MAX_RULES] if isinstance(values, list) else ():
        location = value.get("location") if isinstance(value, dict) else None
        if isinstance(location, str) and 0 < len(location) <= MAX_LOCATION:
            policy = value.get(POLICY)
            is_reserved = str(value.get(TDM)) in ("1", "True")
            rules.append(Rule(location, is_reserved, policy if isinstance(policy, str) else None))
    return rules


def rule_for(rules: list[Rule], url: str) -> Rule | None:
    """The rule that holds for an address: the longest that fits; of two equally long ones the one that reserves."""
    parts = urlsplit(url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    fitting = [rule for rule in rules if rule.fits(path)]
    return max(fitting, key=lambda rule: (len(rule.location), rule.is_reserved), default=None)


class ReservationsMiddleware:
    """Asks each host for the file, and writes what it says of a page into the page's headers."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._rules: dict[str, list[Rule]] = {}
        self._turns: dict[str, asyncio.Lock] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Scrapy's way to make one."""
        planned(crawler)
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """The first request for a page of a host waits for the file, and the others with it."""
        host = urlsplit(request.url).netloc
        if "site" not in request.cb_kwargs or host in self._rules:
            return
        async with self._turns.setdefault(host, asyncio.Lock()):
            if host not in self._rules:
                self._rules[host] = await self._fetch(urljoin(request.url, FILE), request.headers.get("User-Agent"))

    async def _fetch(self, url: str, user_agent: bytes | None) -> list[Rule]:
        """Ask a host for its file under the name that its pages are asked under."""
        meta = {"download_maxsize": MAX_BYTES, "dont_retry": True, "dont_redirect": True}
        headers = {"User-Agent": user_agent} if user_agent else None
        try:
            response = await self._crawler.engine.download_async(
                Request(url, NO_CALLBACK, headers=headers, priority=1_000, meta=meta)
            )
        except Exception as error:  # noqa: BLE001  # whatever keeps it away, the pages meet it too, and tell
            logger.info("%s: %s", url, error)
            return []
        return read_rules(response.body) if response.status == 200 else []

    def process_response(self, request: Request, response: Response) -> Response:
        """Write the header of a page that the file reserves."""
        rules: Any = self._rules.get(urlsplit(response.url).netloc)
        rule = rule_for(rules, response.url) if rules else None
        if rule is not None and rule.is_reserved and TDM not in response.headers:
            response.headers[TDM] = FROM_FILE
            if rule.policy:
                response.headers[POLICY] = rule.policy[:300].encode("ascii", "ignore")
        return response
