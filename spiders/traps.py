"""What a crawl learns of a site: traps, archives and bot walls, whose links are dropped; and ways to articles that no list
names."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from scrapy import Request, signals
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from newsextract import Hints, Page
from newsextract.discovery import FeedEntry
from newsextract.discovery.links import lists_a_day
from newsextract.feed.record_lines import NewsRecord, Rejection
from newsextract.page.notices import find_challenge
from newsextract.page.references import host_of
from newsextract.state.announced import BARREN_ARCHIVES
from pipelines.items import Component
from pipelines.ledger import identity
from spiders.pages import headers_of, markup_of

if TYPE_CHECKING:
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

    status = "not_canonical"


class Traps:
    """Results of this run by URL shape."""

    def __init__(self) -> None:
        self._barren: Counter[str] = Counter()
        self._left_out: Counter[str] = Counter()
        self.parameters = SourceParameters()

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
        if isinstance(item, NewsRecord) and item.duplicate_of is None and item.revision == 0:
            self.gave(item.url)
        elif isinstance(item, NewsRecord) or (isinstance(item, Rejection) and item.status in _NOTHING):
            self.gave_nothing(item.url)

    def lines(self) -> Iterator[str]:
        """Lines for the summary of the crawl."""
        for shape, count in self._left_out.items():
            yield f"{shape}: {count} left out, since {BARREN} such pages in a row gave nothing new; later runs try again"


_PLACES = (-1, -2, -3)
"""The first and the last segment of a path, and the host, beside the depths of paths with parameters."""


class SourceParameters:
    """Parts of URLs that make no other page: query parameters that say only where the reader came from (``?source=home``),
    and what leads to other versions of articles (``/amp/…``, ``…/print``, ``m.example.org``). The canonical URLs of two
    articles are their URLs without that part, and no page's canonical URL has it."""

    def __init__(self) -> None:
        self._bare: dict[tuple[str, int, str], set[int]] = {}
        """(site, depth, parameter) → ids of up to two such articles; for other parts the depth is one of :data:`_PLACES`."""
        self._needed: set[tuple[str, int, str]] = set()
        self._hosts: dict[tuple[str, str], str] = {}
        """(site, host of other versions) → the host of the articles."""

    def learn(self, site: str, url: str, canonical: str | None, *, is_article: bool) -> None:
        """Learn from a page that names a canonical URL."""
        address, _, query = url.partition("?")
        named, _, kept = (canonical or "").partition("?")
        if query and identity(named) == identity(address):
            needed = {_name(pair) for pair in kept.split("&")}
            for name in map(_name, query.split("&")):
                key = site, address.rstrip("/").count("/"), name
                if name in needed:
                    self._needed.add(key)
                elif is_article and len(found := self._bare.setdefault(key, set())) < 2:
                    found.add(identity(address))
        is_own = canonical is None or identity(canonical) == identity(url)
        for place, name, bare in _versions(url, self._host_of_articles(site, url) if is_own else canonical):
            key = site, place, name
            if is_own:
                self._needed.update({key} & self._bare.keys())
            elif is_article and canonical is not None and bare.partition("://")[2] == canonical.partition("://")[2]:
                self._bare.setdefault(key, set()).add(identity(url))
                self._hosts[site, name] = host_of(canonical)

    def _host_of_articles(self, site: str, url: str) -> str:
        """The host to which the canonical URLs of this URL's host lead, as a URL; of other hosts none."""
        return f"//{self._hosts.get((site, host_of(url)), '')}/"

    def without(self, site: str, url: str) -> str:
        """The URL without these parameters. A number stays, because it may count the pages of a list."""
        address, mark, query = url.partition("?")
        kept = []
        for pair in query.split("&") if mark else ():
            key = site, address.rstrip("/").count("/"), _name(pair)
            is_number = pair.rpartition("=")[2].isdecimal()
            if is_number or key in self._needed or len(self._bare.get(key, ())) < 2:
                kept.append(pair)
        bare = f"{address}{mark * bool(kept)}{'&'.join(kept)}"
        for place, name, shorter in _versions(bare, self._host_of_articles(site, bare)):
            key = site, place, name
            if key not in self._needed and len(self._bare.get(key, ())) > 1:
                return shorter
        return bare


def _name(pair: str) -> str:
    return pair.partition("=")[0]


def _versions(url: str, canonical: str | None) -> Iterator[tuple[int, str, str]]:
    """Where a URL may say that it leads to another version of an article (one of :data:`_PLACES`), what stands there, and
    the URL without it, or at the host of a canonical URL."""
    scheme, _, rest = url.partition("://")
    host, _, path = rest.partition("/")
    address, mark, query = path.partition("?")
    names, end = address.strip("/").split("/"), "/" * address.endswith("/") + mark + query
    for place, name, kept in zip(_PLACES, (names[0], names[-1]), (names[1:], names[:-1]), strict=False):
        if kept and not any(map(str.isdigit, name)):
            yield place, name, f"{scheme}://{host}/{'/'.join(kept)}{end}"
    other = host_of(canonical or "")
    if other and other != host:
        yield _PLACES[2], host, f"{scheme}://{other}/{path}"


class TrapMiddleware(Component):
    """Drops queued requests whose shape has meanwhile proved barren, or whose canonical URL gave a record; replaces those
    with a parameter that says only where the reader came from."""

    def __init__(self, spider: SiteSpider) -> None:
        super().__init__(spider)
        spider.crawler.signals.connect(spider.traps.learn, signal=signals.item_scraped)

    def process_request(self, request: Request) -> Request | None:
        """Drop or replace the request."""
        is_bounded = request.cb_kwargs.get("role") in BOUNDED or "level" in request.cb_kwargs
        if is_bounded and self.spider.traps.is_left_out(request.url, is_asked_for=True):
            raise LeftOut(request.url)
        canonical = request.meta.get("canonical_tried")
        if canonical is not None and self.spider.has(canonical):  # type: ignore[attr-defined]  # the news spider's
            raise StandsElsewhereError(f"the record stands under {canonical}")
        if canonical is None and request.cb_kwargs.get("role") == "link":
            bare = self.spider.traps.parameters.without(request.cb_kwargs["site"].name, request.url)
            if bare != request.url:
                return self.spider.asked_bare(request, bare)  # type: ignore[attr-defined,no-any-return]  # likewise
        return None


# --- archive leads --------------------------------------------------------------------------------
# Links to archive pages (tags, authors, months): fetched last, and only while they lead to something new.
#
# The archive pages of a blog list the same articles again and again; there can be twice as many of them as articles. They
# wait until nothing else is left to fetch. Then a few pages of each group are fetched, in the order of their URLs. If they
# list no new article, the rest of the group is skipped. A round is read completely before the next one is chosen, so that
# the result does not depend on the order of responses.

BARREN_ARCHIVE = 2
"""Number of consecutive pages of a group without anything new, after which the group is skipped."""
BARREN_DAYS = 10
"""The same of lists of single days, if nothing else leads back in time."""


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
        """Queue a link; whether it is new."""
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

    def due(self, *, is_patient: bool = False) -> Iterator[Lead]:
        """The links of the next round, of each group that led to something new.

        :param is_patient: whether lists of days are read on although some led to nothing new.
        """
        for group in self._groups.values():
            group.barren = 0 if group.gained else group.barren + group.read  # failed pages do not count
            group.asked = group.read = group.gained = 0
        for group in self._groups.values():
            most = BARREN_DAYS if is_patient and group.waiting and all(map(lists_a_day, group.waiting)) else BARREN_ARCHIVE
            if group.barren >= most:
                self._barren += group.waiting.values()
                group.waiting.clear()
            for url in sorted(group.waiting, reverse=most == BARREN_DAYS):
                if group.asked >= BARREN_ARCHIVE or group.asked + group.barren >= most:
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

    status = "challenged"


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


# --- other ways -----------------------------------------------------------------------------------
# Ways to articles for a site whose start page leads to hardly any, because scripts make its lists: sitemaps and feeds at
# their usual places, and the links between one article and the next.
#
# The places are asked when nothing else is left to fetch, one after the other, until one answers. Sitemaps come first: a
# feed names only the newest articles.

FEW = 5
"""If links lead to fewer articles, sitemaps and feeds are looked for."""
SITEMAPS = ("sitemap.xml", "sitemap_index.xml", "wp-sitemap.xml", "sitemap.txt")
FEEDS = ("feed", "rss.xml", "atom.xml", "feed.xml", "index.xml", "rss", "feed.json")
PLACE = "newsextract_usual_place"
"""Meta key of requests for them: nothing may be there."""
MOST_NEIGHBOURS = 10
"""Articles that are found through their neighbours, at most, for each page of a listing that the site may have."""
MAX_NEIGHBOURS = 5_000
"""Maximum number of neighbours of a site, and of folders, that are kept."""


@dataclass(slots=True)
class OtherWays:
    """What a site has beside the lists of its pages."""

    start: str | None = None
    """A start page that was read."""
    articles: set[int] = field(default_factory=set)
    """Articles that links and sitemaps lead to, at most :data:`FEW`."""
    has_sitemap: bool = False
    has_feed: bool = False
    is_cut_off: bool = False
    """Whether a list ends in a button that a script answers, or its next page gives nothing."""
    folders: set[str] = field(default_factory=set)
    """Folders of pages to which headlines lead: other neighbours are chapters of a manual, or offers."""
    has_pager: bool = False
    """Whether a list leads to its next page."""
    neighbours: dict[str, int] = field(default_factory=dict)
    """Articles before and after others, with their depth."""
    followed: int = 0
    """Number of them that were requested."""
    goes_by_neighbours: bool = False
    """Whether they are followed at once."""
    asked: int = 0
    """Number of places that were asked."""

    def add_folder(self, folder: str) -> None:
        """Note the folder of a page to which a headline leads."""
        if len(self.folders) < MAX_NEIGHBOURS:
            self.folders.add(folder)

    def lead_to(self, number: int) -> None:
        """Note an article."""
        if len(self.articles) < FEW:
            self.articles.add(number)

    def next_place(self) -> tuple[str, bool] | None:
        """The next URL to ask, and whether it is that of a feed; None if the site needs none, or all were asked."""
        if self.start is None or (len(self.articles) >= FEW and not self.is_cut_off):
            return None
        for url, is_feed in [*self._places()][self.asked :]:
            self.asked += 1
            if not (self.has_sitemap or (is_feed and self.has_feed)):
                return url, is_feed
        return None

    def _places(self) -> Iterator[tuple[str, bool]]:
        start = self.start or ""
        yield urljoin(start, "/robots.txt"), False
        for names, is_feed in ((SITEMAPS, False), (FEEDS, True)):
            urls = [urljoin(start, name) for name in names] + [urljoin(start, f"/{name}") for name in names]
            yield from ((url, is_feed) for url in dict.fromkeys(urls))


# --- feed texts -----------------------------------------------------------------------------------
# Texts that feeds carry whole, kept until their pages are fetched: for pages that show no text, or refuse to be read.
#
# The text becomes a page of its own (:meth:`FeedTexts.page`), which is extracted like any other; its note, a part of the
# record's ``reason``, says so. Crawls that write an archive keep none, because the archive could not give the record again.

MOST = 20_000_000
"""Characters of all texts that are kept."""
LEAST = 400
"""Characters without tags from which on a text is more than a teaser."""
_TAG = re.compile(r"<[^<>]{0,2000}>")


class FeedTexts:
    """The texts of feed entries whose pages have not been read yet, by the identity of their URLs."""

    def __init__(self) -> None:
        self._entries: dict[int, FeedEntry] = {}
        self._size = 0

    def keep(self, number: int, entry: FeedEntry) -> None:
        """Keep the text of an entry, if it has one and there is room."""
        content = entry.content or ""
        is_whole = len(" ".join(_TAG.sub(" ", content).split())) >= LEAST
        if is_whole and number not in self._entries and self._size + len(content) <= MOST:
            self._entries[number] = entry
            self._size += len(content)

    def drop(self, number: int) -> FeedEntry | None:
        """Forget the text of an entry; return the entry if it was kept."""
        entry = self._entries.pop(number, None)
        if entry is not None:
            self._size -= len(entry.content or "")
        return entry

    def page(self, number: int, url: str, hints: Hints, why: str) -> Page | None:
        """The page that the text of an entry makes, or None.

        :param why: why that page itself is not read.
        """
        entry = self.drop(number)
        if entry is None:
            return None
        title, language = escape(entry.title or ""), escape(hints.language or entry.language or "")
        author = f'<meta name="author" content="{escape(entry.author)}">' if entry.author else ""
        head = f'<head><title>{title}</title><meta property="og:type" content="article">{author}</head>'
        source = f'<html lang="{language}">{head}<body><article><h1>{title}</h1>{entry.content}</article></body></html>'
        at = datetime.now(UTC).replace(microsecond=0)
        headers = {"content-type": "text/html; charset=utf-8"}
        note = f"the text is that of the feed's entry, because its page gives none ({why})"
        return Page(source.encode("utf-8", "replace"), url, headers, at, hints, note=note)
