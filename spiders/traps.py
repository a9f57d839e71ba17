"""Crawler traps, archives and bot walls: links are dropped when their pages yield nothing new or challenge the crawler."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy import signals
from scrapy.exceptions import IgnoreRequest

from newsextract import Hints
from newsextract.page.notices import find_challenge
from newsextract.state.announced import BARREN_ARCHIVES
from pipelines.items import NewsRecord, Rejection
from pipelines.plain_spiders import Component
from spiders.pages import headers_of, markup_of

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

    from spiders.site_spider import SiteSpider

# --- traps ----------------------------------------------------------------------------------------
# Crawler traps (calendars, session keys, sitemaps that list themselves): skipped when they yield nothing new.
#
# URLs that differ only in numbers and in parameter values have the same *shape*. When the last pages of a shape gave
# neither a new record nor links to new pages of another shape, the rest of the shape is skipped, and the summary reports
# it; later runs try again. Pages that a feed, a sitemap or the user names are always fetched.
#
# Cost: one pattern per new link.

BARREN = 30
"""Number of consecutive pages of a shape without anything new, after which the others are skipped."""
BOUNDED = ("link", "archive", "listing")
"""Roles of requests that come from links only."""
_NOTHING = frozenset({"listing", "not_article", "not_canonical", "empty", "short"})
"""Statuses of pages that were read and gave no record."""
_CHANGING = re.compile(r"[^/?&=.]*\d[^/?&=.]*|(?<==)[^&]*")


def url_shape(url: str, *, has_slugs: bool = False) -> str:
    """The shape of a URL: parts with digits and parameter values are replaced.

    :param url: normalised.
    :param has_slugs: also replace a last path segment of several words; always done if parameters follow.
    """
    address, mark, query = url.partition("?")
    scheme, _, rest = address.partition("://")
    host, _, path = rest.partition("/")
    head, slash, last = path.rstrip("/").rpartition("/")
    name = "*" if mark or (has_slugs and last.count("-") > 1) else _CHANGING.sub("*", last)
    return f"{scheme}://{host}/{_CHANGING.sub('*', head)}{slash}{name}{mark}{_CHANGING.sub('*', query)}"


class LeftOut(IgnoreRequest):
    """A page is skipped because pages of the same shape gave nothing new."""


class StandsElsewhereError(IgnoreRequest):
    """A page is skipped because its record stands under its canonical URL."""


class Traps:
    """Results of this run by URL shape."""

    def __init__(self) -> None:
        self._barren: Counter[str] = Counter()
        self._left_out: Counter[str] = Counter()

    def gave(self, url: str) -> None:
        """Note that a page had something new."""
        if not self.is_left_out(url):
            self._barren.pop(url_shape(url), None)

    def gave_nothing(self, url: str) -> None:
        """Note that a page had nothing new."""
        self._barren[url_shape(url)] += 1

    def is_left_out(self, url: str, *, is_asked_for: bool = False) -> bool:
        """Whether pages of this shape are skipped.

        :param is_asked_for: count the page as skipped, because something links to it.
        """
        shape = url_shape(url)
        if self._barren[shape] < BARREN:
            return False
        self._left_out[shape] += is_asked_for
        return True

    def learn(self, item: Any) -> None:
        """Learn from an item that was written to a feed."""
        if isinstance(item, NewsRecord):
            if item.duplicate_of is None and item.revision == 0:
                self.gave(item.url)
            else:
                self.gave_nothing(item.url)
        elif isinstance(item, Rejection) and item.status in _NOTHING:
            self.gave_nothing(item.url)

    def lines(self) -> Iterator[str]:
        """Lines for the summary of the crawl."""
        for shape, count in self._left_out.items():
            yield f"{shape}: {count} left out, since {BARREN} such pages in a row gave nothing new; later runs try again"


class TrapMiddleware(Component):
    """Drops queued requests whose shape has meanwhile proved barren, or whose canonical URL gave a record."""

    def __init__(self, spider: SiteSpider) -> None:
        super().__init__(spider)
        spider.crawler.signals.connect(spider.traps.learn, signal=signals.item_scraped)

    def process_request(self, request: Request) -> None:
        """Drop the request if its shape is skipped."""
        is_bounded = request.cb_kwargs.get("role") in BOUNDED or "level" in request.cb_kwargs
        if is_bounded and self.spider.traps.is_left_out(request.url, is_asked_for=True):
            raise LeftOut(request.url)
        canonical = request.meta.get("canonical_tried")
        if canonical is not None and self.spider.has(canonical):  # type: ignore[attr-defined]  # the news spider's
            raise StandsElsewhereError(f"the record stands under {canonical}")


# --- archive leads --------------------------------------------------------------------------------
# Links to archive pages (tags, authors, months): fetched last, and only while they lead to something new.
#
# The archive pages of a blog list the same articles again and again; there can be twice as many of them as articles. They
# wait until nothing else is left to fetch. Then a few pages of each group are fetched, in the order of their URLs. If they
# list no new article, the rest of the group is skipped. A round is read completely before the next one is chosen, so that
# the result does not depend on the order of responses.

BARREN_ARCHIVE = 2
"""Number of consecutive pages of a group without anything new, after which the group is skipped."""


@dataclass(frozen=True, slots=True)
class Lead:
    """A link to an archive page."""

    group: str
    url: str
    depth: int
    role: str
    hints: Hints | None = None
    origin: str | None = None
    """The page with the link."""


@dataclass(slots=True)
class _Group:
    waiting: dict[str, Lead] = field(default_factory=dict)
    """URL → link."""
    asked: int = 0
    """Pages requested in this round; :attr:`read` of them were read and listed :attr:`gained` new pages."""
    read: int = 0
    gained: int = 0
    barren: int = 0


class ArchiveLeads:
    """The archive links of one site, by group."""

    def __init__(self) -> None:
        self._groups: dict[str, _Group] = {}
        self._held: set[str] = set()
        self._barren: list[Lead] = []

    def hold(self, lead: Lead) -> bool:
        """Queue a link.

        :returns: whether the link is new.
        """
        if lead.url in self._held:
            return False
        self._held.add(lead.url)
        self._groups.setdefault(lead.group, _Group()).waiting[lead.url] = lead
        return True

    def known(self, lead: Lead) -> None:
        """Note that the page of a due link was already requested; another link takes its place."""
        self._groups[lead.group].asked -= 1

    def read(self, group: str, gained: int) -> None:
        """Note that a page of a group was read.

        :param gained: number of links to pages that were new to this run.
        """
        found = self._groups.get(group)
        if found is not None and found.asked:  # pages read before the first round came in arbitrary order
            found.read += 1
            found.gained += gained

    def due(self) -> Iterator[Lead]:
        """The links of the next round, of each group that led to something new."""
        for group in self._groups.values():
            group.barren = 0 if group.gained else group.barren + group.read  # failed pages do not count
            group.asked = group.read = group.gained = 0
        for group in self._groups.values():
            if group.barren >= BARREN_ARCHIVE:
                self._barren += group.waiting.values()
                group.waiting.clear()
            for url in sorted(group.waiting):
                if group.asked + group.barren >= BARREN_ARCHIVE:
                    break
                group.asked += 1
                yield group.waiting.pop(url)

    def left(self) -> Iterator[tuple[Lead, str]]:
        """Links that were not followed, with reasons."""
        yield from ((lead, BARREN_ARCHIVES) for lead in self._barren)
        yield from ((lead, "not requested") for group in self._groups.values() for lead in group.waiting.values())


# --- challenges -----------------------------------------------------------------------------------
# Hosts behind a bot wall: a challenge is not a page, and the crawl sends its host no more requests in this run.
#
# The first challenge of a host (:mod:`newsextract.page.notices`) becomes a rejection that states how it was recognised.
# Requests to that host that are already queued are rejected without being sent, and its waiting URLs are dropped and
# counted. The next run tries again.


logger = logging.getLogger(__name__)

CHALLENGED = "newsextract/challenged_hosts"
"""Stat: number of hosts that answered with a challenge. If it is set, the crawl exits with code 1."""


class ChallengedError(IgnoreRequest):
    """A host asks its visitors to prove that they are human."""


class ChallengeMiddleware(Component):
    """Recognises challenges before Scrapy retries their error codes."""

    def process_request(self, request: Request) -> None:
        """Drop requests to challenged hosts.

        :raises ChallengedError: the host has challenged the crawler.
        """
        if (error := self._left_alone(request)) is not None:
            raise error

    def _left_alone(self, request: Request) -> ChallengedError | None:
        host = urlsplit(request.url).netloc
        by = self.spider.challenged.get(host)
        return ChallengedError(f"{host} is left alone for this run: its challenge: {by}") if by is not None else None

    def process_response(self, request: Request, response: Response) -> Response:
        """Check a response for a challenge.

        :raises ChallengedError: the response is one.
        """
        found = find_challenge(markup_of(response), headers_of(response), response.status)
        if found is None:
            return response
        host = urlsplit(response.url).netloc
        if host not in self.spider.challenged:
            self.spider.challenged[host] = found
            self.spider.crawler.stats.inc_value(CHALLENGED)
            logger.warning("%s answers with a challenge: %s. It is left alone for the rest of this run.", host, found)
            self._recall()
        raise ChallengedError(f"HTTP {response.status}, a challenge: {found}")

    def _recall(self) -> None:
        """Cancel requests to challenged hosts that wait in Scrapy's downloader."""
        for slot in self.spider.crawler.engine.downloader.slots.values():
            for waiting in [*slot.queue]:
                request, answer = waiting
                if (error := self._left_alone(request)) is not None:
                    slot.queue.remove(waiting)
                    answer.errback(error)
