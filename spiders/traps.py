"""Pages without end and archives without news: links to them are dropped when they yield nothing new."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from scrapy import signals
from scrapy.exceptions import IgnoreRequest

from newsextract import Hints
from newsextract.page.challenges import find_challenge
from newsextract.state.announced import BARREN_ARCHIVES
from pipelines.items import NewsRecord, Rejection
from pipelines.plain_spiders import planned
from spiders.pages import headers_of, markup_of

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

# --- traps ----------------------------------------------------------------------------------------
# Pages without end (calendars, session keys, sitemaps that name themselves): left out when they give nothing new.
#
# URLs that differ in numbers and in the values of parameters only have one *shape*. When the last pages of a shape gave
# neither a new record nor links to new pages of another shape, the rest of the shape is left out, and the summary says so;
# later runs try it again. What a feed, a sitemap or the user names is fetched whatever its shape.
#
# Cost: one pattern per new link.

BARREN = 30
"""Pages of a shape in a row without anything new after which the others are left out."""
BOUNDED = ("link", "archive", "listing")
"""Roles of requests that a link alone has led to."""
_NOTHING = frozenset({"listing", "not_article", "not_canonical", "empty", "short"})
"""Rejections of pages that were read and gave nothing."""
_CHANGING = re.compile(r"[^/?&=.]*\d[^/?&=.]*|(?<==)[^&]*")


def url_shape(url: str, *, has_slugs: bool = False) -> str:
    """A URL without what differs between pages of one kind: parts with digits, values of parameters.

    :param url: normalised.
    :param has_slugs: a last part of several words is left out, too; it always is where parameters follow.
    """
    address, mark, query = url.partition("?")
    scheme, _, rest = address.partition("://")
    host, _, path = rest.partition("/")
    head, slash, last = path.rstrip("/").rpartition("/")
    name = "*" if mark or (has_slugs and last.count("-") > 1) else _CHANGING.sub("*", last)
    return f"{scheme}://{host}/{_CHANGING.sub('*', head)}{slash}{name}{mark}{_CHANGING.sub('*', query)}"


class LeftOut(IgnoreRequest):
    """A page is not fetched because others like it gave nothing new."""


class Traps:
    """How the pages of each shape have fared in this run."""

    def __init__(self) -> None:
        self._barren: Counter[str] = Counter()
        self._left_out: Counter[str] = Counter()

    def gave(self, url: str) -> None:
        """A page had something new."""
        if not self.is_left_out(url):
            self._barren.pop(url_shape(url), None)

    def gave_nothing(self, url: str) -> None:
        """A page had nothing new."""
        self._barren[url_shape(url)] += 1

    def is_left_out(self, url: str, *, is_asked_for: bool = False) -> bool:
        """Whether pages like this one are left out.

        :param is_asked_for: something has led to it, so that it counts as left out.
        """
        shape = url_shape(url)
        if self._barren[shape] < BARREN:
            return False
        self._left_out[shape] += is_asked_for
        return True

    def learn(self, item: Any) -> None:
        """What became of a page, when it stands in a feed."""
        if isinstance(item, NewsRecord):
            if item.duplicate_of is None and item.revision == 0:
                self.gave(item.url)
            else:
                self.gave_nothing(item.url)
        elif isinstance(item, Rejection) and item.status in _NOTHING:
            self.gave_nothing(item.url)

    def lines(self) -> Iterator[str]:
        """For the summary of the crawl."""
        for shape, count in self._left_out.items():
            yield f"{shape}: {count} left out, since {BARREN} such pages in a row gave nothing new; later runs try again"


class TrapMiddleware:
    """Leaves out what was on its way already when its shape turned out to be barren."""

    def __init__(self, traps: Traps) -> None:
        self._traps = traps

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Scrapy's way to make one."""
        made = cls(planned(crawler).traps)
        crawler.signals.connect(made._learn, signal=signals.item_scraped)
        return made

    def _learn(self, item: Any) -> None:
        self._traps.learn(item)

    def process_request(self, request: Request) -> None:
        """See the class."""
        is_bounded = request.cb_kwargs.get("role") in BOUNDED or "level" in request.cb_kwargs
        if is_bounded and self._traps.is_left_out(request.url, is_asked_for=True):
            raise LeftOut(request.url)


# --- archive leads --------------------------------------------------------------------------------
# Links to archives (tags, authors, months): asked for last, and no more once they lead to nothing new.
#
# A blog's archives list the same articles over and over: on stock blogs the tags, authors and months can be twice as many
# pages as the articles. So they wait until nothing else is left to fetch. Then a few of each group are asked for, in the
# order of their URLs; when these name no article that the run has not met, the rest of the group is left out. All of a round
# are read before the next one is chosen, so that what is fetched does not depend on which answer came first.

BARREN_ARCHIVE = 2
"""Pages of a group in a row without anything new after which it is left out."""


@dataclass(frozen=True, slots=True)
class Lead:
    """A link to a page of an archive."""

    group: str
    url: str
    depth: int
    role: str
    hints: Hints | None = None
    origin: str | None = None
    """The page that it was found on."""


@dataclass(slots=True)
class _Group:
    waiting: dict[str, Lead] = field(default_factory=dict)
    """By URL."""
    asked: int = 0
    """Pages of this round; of these :attr:`read` have come, and named :attr:`gained` new ones."""
    read: int = 0
    gained: int = 0
    barren: int = 0


class ArchiveLeads:
    """The links of all groups of one site."""

    def __init__(self) -> None:
        self._groups: dict[str, _Group] = {}
        self._held: set[str] = set()
        self._barren: list[Lead] = []

    def hold(self, lead: Lead) -> bool:
        """Keep a link until its turn comes.

        :returns: whether it is new.
        """
        if lead.url in self._held:
            return False
        self._held.add(lead.url)
        self._groups.setdefault(lead.group, _Group()).waiting[lead.url] = lead
        return True

    def known(self, lead: Lead) -> None:
        """A link whose turn has come need not be followed: its page has been asked for. Another one takes its place."""
        self._groups[lead.group].asked -= 1

    def read(self, group: str, gained: int) -> None:
        """A page of a group has been read.

        :param gained: links to pages that the run had not met.
        """
        found = self._groups.get(group)
        if found is not None and found.asked:  # what came before the first round may have come in any order
            found.read += 1
            found.gained += gained

    def due(self) -> Iterator[Lead]:
        """Links whose turn has come: a new round, of each group that has led to something new."""
        for group in self._groups.values():
            group.barren = 0 if group.gained else group.barren + group.read  # pages that failed say nothing
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
        """Links that were not followed, each with the reason."""
        yield from ((lead, BARREN_ARCHIVES) for lead in self._barren)
        yield from ((lead, "not requested") for group in self._groups.values() for lead in group.waiting.values())


# --- challenges -----------------------------------------------------------------------------------
# Hosts behind a bot wall: what a wall answers with is no page, and its host is left alone for the rest of the run.
#
# Who asks a wall again and again only makes it higher. So the first challenge of a host
# (:mod:`newsextract.page.challenges`) is a rejection with what it was known by; what else is on its way to that host is
# rejected without being asked for, addresses that wait for their turn are dropped and counted, and the next run tries
# again.


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
