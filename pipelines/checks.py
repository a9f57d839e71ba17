"""Item pipelines that check articles: consistency with other records of the site, quality, duplicates."""

from __future__ import annotations

import asyncio
import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy.exceptions import DropItem

from newsextract.discovery import PROBABLE_BESIDE_OTHERS
from newsextract.discovery.links import text_length
from newsextract.feed.record_lines import KEPT, WITHDRAWN, NewsRecord, judge, turned_away
from newsextract.fields.title_parts import fold_key
from newsextract.results import Found
from pipelines.items import Component, Item

if TYPE_CHECKING:
    from spiders.site_spider import SiteSpider

# --- what is known of a site's records ------------------------------------------------------------
# Which records are lists, which titles belong to the site, whether its articles have dates. This depends on the set of
# records, not on their order, if related records are at most :data:`WATCHED` records apart.
#
# Lists are found in two steps. :func:`sight` suspects a record that contains the beginnings of others; :func:`list_of`
# decides when all records are known, because only then two things are visible: which of the others are suspected
# themselves, and which paragraphs begin many articles (weather reports, match reports). Both identify no article.
#
# Cost: about 300 bytes per record for its beginning; about 2 kB for each of the latest :data:`WATCHED` records of a site.

WATCHED = 500
"""Number of latest records per site that are checked for being lists or having the site's title."""
LEAST_DATED = 5
"""Minimum number of dated records to conclude that a site's articles have dates."""
DATED = 0.9
"""Minimum share of dated records among those that headlines lead to. On the lab's seven sites it is 1."""
AMONG = 0.5
"""Minimum share of the dated records in one folder to conclude that it contains the articles."""
AMONG_DATED = 0.1
"""The same for a page that has a date itself: the articles of a newspaper are in a folder for each section."""
MAX_FOLDERS = 500
_NUMBER = re.compile(r"\d+")
PARAGRAPH = 40
"""Minimum length in characters of a paragraph that identifies an article; a Chinese character counts three."""
KEY = 40
"""Number of compared characters of a paragraph, because an excerpt may end within it."""
BEGINNING = 2
"""Number of paragraphs in the beginning of an article, because the first may be the same in all articles."""
MAX_PARAGRAPHS = 60
_HALF = (1 << 64) - 1
MAX_BEGINNINGS = 3
"""Maximum number of different beginnings that are stored per paragraph: a record's own, and two others if it is common."""
SAME_TITLE = 3
"""Minimum number of different articles with one title, each with an alternative, to conclude that it is the site's title."""


class Start(NamedTuple):
    """Where a record begins with a paragraph."""

    beginning: int
    after: int
    """The paragraph before it; 0 if it is the first."""


@dataclass(slots=True)
class Sighted:
    """A record that may be a list."""

    url: str
    site: str
    title: str | None
    fetched_at: str
    first: tuple[int, ...] = ()
    """Its beginning."""
    keys: tuple[int, ...] = ()
    """All its paragraphs."""
    is_begun: bool = False
    """Whether another record has the same beginning, or a paragraph of it."""
    held: dict[int, set[Start]] = field(default_factory=dict)
    """Its paragraphs that are in the beginnings of other records → these beginnings. Records with the same beginning do not
    count: copies, or lists of the same articles."""

    @property
    def beginning(self) -> int:
        """Hash of its beginning."""
        return hash(frozenset(self.first)) & _HALF

    @property
    def is_suspect(self) -> bool:
        """Whether it may be a list. More records make more suspects, never fewer."""
        return self.is_begun and self.count_begun(self.held) > 0

    def count_begun(self, lines: Mapping[int, AbstractSet[Start]]) -> int:
        """Number of other records that these paragraphs begin; 0 if they make no list.

        They must be most of the text, or below its own beginning: articles may begin with the same phrases (a standfirst, a
        first line). All must be first paragraphs, or follow the same first paragraph: standard sentences do not.
        """
        groups = defaultdict[int, dict[int, set[int]]](lambda: defaultdict(set))
        for key, starts in lines.items():
            for start in starts:
                groups[start.after][key].add(start.beginning)
        counts = [
            len(set().union(*group.values()))
            for group in groups.values()
            if len(group) > 1 and (2 * len(group) >= len(self.keys) or not group.keys() <= set(self.first))
        ]
        return max((count for count in counts if count > 1), default=0)

    def holds(self, key: int, start: Start) -> None:
        """Note that one of its paragraphs is in the beginning of another record."""
        self.is_begun = self.is_begun or key in self.first
        if start.beginning != self.beginning:
            self.held.setdefault(key, set()).add(start)

    def starts(self) -> Iterator[tuple[int, Start]]:
        """The paragraphs of its beginning."""
        for place, key in enumerate(self.first):
            yield key, Start(self.beginning, self.first[0] & _HALF if place else 0)

    def compare(self, other: Sighted) -> None:
        """Note what it has of the beginning of another record."""
        for key, start in other.starts():
            if key in self.keys:
                self.holds(key, start)


@dataclass(slots=True)
class Titled:
    """A record whose title may be the site's title."""

    number: int
    first: frozenset[int]
    others: Sequence[Found]
    """Alternative titles of its page, best first."""


@dataclass(slots=True)
class SiteTitles:
    """Finds titles that belong to the site: several different articles have them, and each has an alternative."""

    of_site: dict[str, frozenset[str]] = field(default_factory=dict)
    """Title of the site → alternative titles that several of its pages share."""
    _waiting: dict[str, dict[int, Titled]] = field(default_factory=dict)
    _order: deque[tuple[str, int]] = field(default_factory=deque)

    def corrected(self, title: str, record: Titled) -> dict[int, Found]:
        """Add the title of a record. Returns record → new title, for this record and earlier ones whose title changes."""
        key = fold_key(title)
        if not key or not record.others:
            return {}
        if (repeated := self.of_site.get(key)) is not None:
            other = self._other(record, repeated)
            return {record.number: other} if other else {}
        same = self._waiting.setdefault(key, {})
        if record.number not in same:
            self._order.append((key, record.number))
        same[record.number] = record
        counts = Counter(fold_key(other.value) for one in same.values() for other in one.others)
        repeated = frozenset(other for other, count in counts.items() if count > max(2, len(same) // 4))
        chosen = {number: other for number, one in same.items() if (other := self._other(one, repeated)) is not None}
        articles = {one.first for one in same.values() if one.number in chosen}
        if min(len(articles), len({fold_key(other.value) for other in chosen.values()})) >= SAME_TITLE:
            self.of_site[key] = repeated
            del self._waiting[key]
            return chosen
        while len(self._order) > WATCHED:
            oldest, number = self._order.popleft()
            if oldest in self._waiting:
                self._waiting[oldest].pop(number, None)
                if not self._waiting[oldest]:
                    del self._waiting[oldest]
        return {}

    def _other(self, record: Titled, repeated: frozenset[str]) -> Found | None:
        for other in record.others:
            if (key := fold_key(other.value)) not in repeated and key not in self.of_site:
                return other
        return None


@dataclass(slots=True)
class SiteRecords:
    """Facts about the records of one site."""

    dated: int = 0
    undated: int = 0
    folders: Counter[str] = field(default_factory=Counter)
    """Folder of dated records → count; see :func:`folder_of`."""
    beginnings: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Paragraph → records that begin with it: number and :class:`Start`, packed into one integer; for all records."""
    articles: Counter[int] = field(default_factory=Counter)
    """Beginning → number of records with it that are not suspected to be lists."""
    holders: dict[int, list[int]] = field(default_factory=dict)
    """Paragraph → watched records that contain it."""
    sighted: dict[int, Sighted] = field(default_factory=dict)
    """The watched records, oldest first."""
    titles: SiteTitles = field(default_factory=SiteTitles)
    held: deque[NewsRecord] = field(default_factory=deque)
    """Waiting records."""
    unsaid: dict[int, Sighted] = field(default_factory=dict)
    """Suspected lists that are not yet decided: waiting, or written by this or an earlier run."""

    def has_dates(self) -> bool:
        """Whether the site's articles have dates."""
        return self.dated >= LEAST_DATED and self.dated >= DATED * (self.dated + self.undated)

    def count(self, url: str, date: str | None) -> None:
        """Count a record, and its folder if it has a date."""
        if not date:
            self.undated += 1
            return
        self.dated += 1
        folder = folder_of(url)
        if folder in self.folders or len(self.folders) < MAX_FOLDERS:
            self.folders[folder] += 1

    def is_among_articles(self, url: str, *, at_root: bool = False, share: float = AMONG) -> bool:
        """Whether a page is in a folder of dated articles.

        :param at_root: whether the root counts as a folder.
        :param share: of the dated articles that the folder must have.
        """
        folder = folder_of(url)
        return (at_root or folder.count("/") > 1) and self.folders[folder] >= max(LEAST_DATED, share * self.dated)

    def restore(self, line: Mapping[str, Any]) -> None:
        """Add the last line of a record of an earlier run."""
        if line["status"] == WITHDRAWN:
            return
        self.count(line["url"], line["date"])
        found = Sighted(line["url"], line["site"], line["title"], line["fetched_at"])
        watch(self, int(line["id"], 16), line["text"], found)


def folder_of(url: str) -> str:
    """Host and folder of a page, every number in it as 0: ``example.org/2025/06/`` and ``example.org/2024/11/`` are one."""
    return _NUMBER.sub("0", url.partition("?")[0].rstrip("/").partition("://")[2].rpartition("/")[0] + "/")


def sight(known: SiteRecords, number: int, text: str, found: Sighted) -> list[tuple[int, Sighted]]:
    """Add the paragraphs of a record.

    :param found: the record, without its paragraphs.
    :returns: earlier records that are now suspected to be lists.
    """
    earlier = known.sighted.get(number)
    if earlier is not None and not earlier.is_suspect:
        known.articles[earlier.beginning] -= 1
    forget(known, number)
    found.keys = tuple(dict.fromkeys(paragraph_keys(text)))
    found.first = found.keys[:BEGINNING]
    shown = []
    for owner in dict.fromkeys(owner for key in found.keys for owner in known.holders.get(key, ())):
        other = known.sighted[owner]
        was_suspect = other.is_suspect
        other.compare(found)
        found.compare(other)
        if other.is_suspect and not was_suspect:
            known.articles[other.beginning] -= 1
            shown.append((owner, other))
    for key in found.keys:
        for packed in known.beginnings.get(key, ()):
            if packed >> 128 != number:
                found.holds(key, Start(packed & _HALF, packed >> 64 & _HALF))
    known.sighted[number] = found
    for key in found.keys:
        known.holders.setdefault(key, []).append(number)
    if len(known.sighted) > WATCHED:
        forget(known, next(iter(known.sighted)))
    if not found.is_suspect:
        _begin(known, number, found)
    return shown


def _begin(known: SiteRecords, number: int, found: Sighted) -> None:
    """Add the beginning of an article. It replaces those of suspected lists."""
    known.articles[found.beginning] += 1
    for key, start in found.starts():
        stored = known.beginnings.get(key, ())
        if all(packed & _HALF != start.beginning for packed in stored):
            kept = tuple(packed for packed in stored if known.articles[packed & _HALF] > 0)[: MAX_BEGINNINGS - 1]
            known.beginnings[key] = (*kept, (number << 64 | start.after) << 64 | start.beginning)


def forget(known: SiteRecords, number: int) -> None:
    """Stop watching a record."""
    found = known.sighted.pop(number, None)
    for key in found.keys if found else ():
        holders = known.holders[key]
        if number in holders:
            holders.remove(number)
        if not holders:
            del known.holders[key]


def watch(known: SiteRecords, number: int, text: str, found: Sighted) -> None:
    """Add the paragraphs of a record, and keep suspected lists until they are decided."""
    known.unsaid.update(sight(known, number, text, found))
    if found.is_suspect:
        known.unsaid[number] = found


def list_of(known: SiteRecords, number: int) -> str | None:
    """Why a record is a list, judged by the known records; None if it is not."""
    found = known.unsaid.get(number) or known.sighted.get(number)
    if found is None or not _count_articles(known, found):
        return None
    # Suspected records that are no lists are articles, too.
    near = {start.beginning for starts in found.held.values() for start in starts}
    others = (other for other in known.unsaid.values() if other.beginning in near)
    count = _count_articles(known, found, {other.beginning for other in others if not _count_articles(known, other)})
    return f"its text consists of the beginnings of {count} other records" if count else None


def _count_articles(known: SiteRecords, found: Sighted, spared: AbstractSet[int] = frozenset()) -> int:
    """Number of articles whose beginnings make a record a list; 0 if they do not. Each line identifies one article.

    :param spared: beginnings of suspected records that are articles.
    """
    if not found.is_suspect:
        return 0
    lines = {
        key: {start for start in starts if known.articles[start.beginning] > 0 or start.beginning in spared}
        for key, starts in found.held.items()
    }
    return found.count_begun({key: starts for key, starts in lines.items() if len(starts) == 1})


def paragraph_keys(text: str) -> list[int]:
    """Hashes of the first characters of each paragraph, in order; valid only in this process."""
    keys = []
    for line in text.split("\n", MAX_PARAGRAPHS)[:MAX_PARAGRAPHS]:
        bare = "".join(line[: 4 * KEY].split())[:KEY]
        length = text_length(bare)
        if length >= PARAGRAPH:
            keys.append(hash(bare if length < 2 * len(bare) else bare[: KEY // 2]))  # half as many Chinese characters
    return keys


# --- consistency ----------------------------------------------------------------------------------
# Compares a record with the other records of its site: static pages, lists that look like articles, titles of the site.
#
# Four errors become visible only when many pages of a site are known:
#
# * *A static page* ("about us", an imprint) has no date, although the site's articles do. A record without a date to which
#   neither a headline nor a feed leads waits until nothing else is left to fetch. If nearly all records of its site have a
#   date, it is rejected, unless most of them are in the same folder as the page.
# * *A short article* looks like many a page. It waits, too, and is taken if it has a date, like the other articles of its
#   site, and stands where most of them are.
# * *A list* starts with the beginning of another record, and contains the beginnings of further records. A record that may
#   be one waits, because articles made of standard sentences look alike until most of them are known. If its record is
#   already in the feed, it is withdrawn: a rejection and a revision of the record, both with the status ``withdrawn``.
# * *A title* of several different articles is the title of the site. Each page gets its next best title; records that are
#   already in the feed get a revision.
#
# So the same pages give the same records in any order, unless related pages are too far apart. At most :data:`MAX_HELD`
# records of a site wait.

MAX_HELD = 200
"""Maximum number of waiting records per site; if there are more, the oldest is decided with what is known then."""


class ConsistencyPipeline(Component):
    """Holds, rejects, corrects and withdraws records, by comparison with others of their site."""

    def __init__(self, spider: SiteSpider) -> None:
        super().__init__(spider)
        spider.consistency = self  # the spider calls it when it is idle
        self._decided: set[int] = set()
        """Records that pass the pipelines again and are decided now."""
        self._corrected: set[int] = set()
        """Revisions that are not yet in the feed."""
        self._late: dict[int, dict[str, Any]] = {}
        """Changes of records that were not yet in the feed when the change was found."""
        self._is_releasing = False
        self._is_restored = False

    async def process_item(self, item: Item) -> Item:
        """See the module."""
        if not isinstance(item, NewsRecord) or item.status not in KEPT or not item.text:
            return item
        number, known = int(item.id, 16), self.spider.ledger.site(item.site)
        if number in self._corrected:
            self._corrected.discard(number)
            return item
        if number in self._decided:
            self._decided.discard(number)
            return await self._judged(known, item)
        found = Sighted(item.url, item.site, item.title, item.fetched_at)
        watch(known, number, item.text, found)
        if len(known.unsaid) > WATCHED:
            await self._withdraw(known, next(iter(known.unsaid)))
        is_article = list_of(known, number) is None
        if is_article:
            await self._entitle(known, item)
        if number in self.spider.ledger.revisit and is_article:
            return item  # already counted
        is_likely = number not in self.spider.unlikely and (item.date or number not in self.spider.unvouched)
        if is_article and is_likely:
            known.count(item.url, item.date)
            return item
        known.held.append(item)
        if len(known.held) > MAX_HELD:
            return await self._judged(known, known.held.popleft())
        raise DropItem("waits for the other records of its site", log_level="DEBUG")

    @property
    def is_waiting(self) -> bool:
        """Whether records are waiting."""
        ledger = self.spider.ledger
        if not self._is_restored and ledger.state is not None and ledger.state.was_interrupted:
            self._is_restored = True
            for name in self.spider.plan.sites:  # the last run may have found lists without withdrawing them
                ledger.site(name)
        sites = ledger.sites.values()
        return self._is_releasing or bool(self._late) or any(known.held or known.unsaid for known in sites)

    async def release(self) -> None:
        """When nothing is left to fetch, send waiting records through the pipelines again, and write the postponed
        changes."""
        if self._is_releasing:
            return
        self._is_releasing = True
        try:
            sites = self.spider.ledger.sites.values()
            held = [record for known in sites for record in known.held]
            late, self._late = self._late, {}
            self._decided.update(int(record.id, 16) for record in held)
            for known in sites:
                known.held.clear()
            for record in held:
                await self._send(record)
            for known in sites:
                for number in list(known.unsaid):
                    await self._withdraw(known, number)
            for number, changes in late.items():
                await self._revise(number, changes, is_last=True)
        finally:
            self._is_releasing = False

    async def _judged(self, known: SiteRecords, item: NewsRecord) -> Item:
        number = int(item.id, 16)
        if (others := list_of(known, number)) is not None:
            known.unsaid.pop(number, None)
            return turned_away(item, ("listing", others))
        await self._entitle(known, item)  # without effect if it was not suspected
        if number in self.spider.ledger.revisit:
            return item
        unlikely = self.spider.unlikely.pop(number, None)
        is_vouched = number not in self.spider.unvouched
        needs_headline = unlikely is not None and (unlikely.article < PROBABLE_BESIDE_OTHERS or unlikely.leads_on)
        is_headed = number in self.spider.headed
        is_left_out = needs_headline and not is_headed
        at_root = is_vouched or is_headed
        is_among = item.date and known.has_dates() and known.is_among_articles(item.url, at_root=at_root, share=AMONG_DATED)
        if unlikely and (is_left_out or not is_among):
            return turned_away(item, ("listing" if unlikely.leads_on else "not_article", unlikely.told))
        is_undated = not (item.date or is_vouched)
        if is_undated and known.has_dates() and not known.is_among_articles(item.url):
            dated = f"{known.dated} of {known.dated + known.undated} articles of the site have one"
            reason = f"it has no date, {dated}, and only a menu or sitemap names it"
            return turned_away(item, ("not_article", reason))
        known.count(item.url, item.date)
        return item

    async def _withdraw(self, known: SiteRecords, number: int) -> None:
        """Decide a suspected record that is written: withdraw it if it is a list."""
        reason = list_of(known, number)
        del known.unsaid[number]
        if reason is None or any(held.id == f"{number:016x}" for held in known.held):
            return
        await self._revise(number, {"status": WITHDRAWN, "reason": f"its record is taken back: {reason}"})

    async def _entitle(self, known: SiteRecords, item: NewsRecord) -> None:
        """Correct the titles of this and earlier records that are the site's title."""
        number = int(item.id, 16)
        others = self.spider.other_titles.pop(number, ())
        if item.title:
            titled = Titled(number, frozenset(paragraph_keys(item.text)) or frozenset((hash(item.text),)), others)
            for earlier, title in known.titles.corrected(item.title, titled).items():
                await self._retitle(known, earlier, title, item)

    async def _retitle(self, known: SiteRecords, number: int, title: Found, item: NewsRecord) -> None:
        """Give the next best title to the current record, to a waiting one, or to one in the feed."""
        here = next((one for one in (item, *known.held) if one.id == f"{number:016x}"), None)
        if here is not None:
            here.title, here.title_source = title.value, title.source
        else:
            await self._revise(number, {"title": title.value, "title_source": title.source})

    async def _revise(self, number: int, changes: dict[str, Any], *, is_last: bool = False) -> None:
        """Write a revision of a record. If the record is not in the feed yet, try again when nothing is left to fetch; a
        rejected record never gets there."""
        revision = self.spider.ledger.revision(number, **changes)
        if revision is not None:
            self._corrected.add(number)
            await self._send(revision)
            self._corrected.discard(number)  # withdrawn records are not checked again
            if revision.status == WITHDRAWN:
                await self._send(turned_away(revision, (WITHDRAWN, changes["reason"])))
        elif not is_last:
            self._late[number] = self._late.get(number, {}) | changes

    async def _send(self, item: Item) -> None:
        await self.spider.crawler.engine.scraper.start_itemproc_async(item, response=None)


# --- quality --------------------------------------------------------------------------------------
# Rejects articles that failed, are empty, too short, or outside the date window.
#
# Posts, hits and teasers pass: they may be short, and those outside the window are dropped when their page is read.


class QualityPipeline(Component):
    """Checks each record against its site's definition."""

    def process_item(self, item: Item) -> Item:
        """See the module."""
        if not isinstance(item, NewsRecord):
            return item
        verdict = judge(item, self.spider.plan.sites[item.site])
        if verdict is None:
            return item
        return turned_away(item, verdict, self.spider.ledger.attempts.get(int(item.id, 16), 0) + 1)


# --- duplicates -----------------------------------------------------------------------------------
# Drops a page that is already recorded; keeps and marks near-duplicate texts.
#
# The URL is the identity (:func:`newsextract.discovery.record_id`). Near-duplicates among earlier records are looked up
# here, in a thread. ``duplicate_of`` is set when the line is written (:mod:`pipelines.feeds`), because other lines may be
# written meanwhile.


class DuplicatesPipeline(Component):
    """Drops a record whose id the ledger knows; passes a changed text as a revision."""

    async def process_item(self, item: Item) -> Item:
        """See the module."""
        ledger = self.spider.ledger
        answer = ledger.admit(item)
        if answer is None:
            raise DropItem("the same line stands in the ledger", log_level="DEBUG")
        if isinstance(answer, NewsRecord) and ledger.path is not None:
            ledger.older[answer.id] = await asyncio.to_thread(ledger.older_near, answer)
        return answer
