"""Compares the records of a site: which are lists, which titles belong to the site, whether its articles have dates.

This module only collects facts; :mod:`pipelines.checks` acts on them. The results depend on the set of records, not on their
order, if related records are at most :data:`WATCHED` records apart.

Lists are found in two steps. :func:`sight` suspects a record that contains the beginnings of others; :func:`list_of` decides
when all records are known, because only then two things are visible: which of the others are suspected themselves, and which
paragraphs begin many articles (weather reports, match reports). Both identify no article.

Cost: about 300 bytes per record for its beginning; about 2 kB for each of the latest :data:`WATCHED` records of a site.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from newsextract.discovery.links import text_length
from newsextract.feed.record_lines import WITHDRAWN, NewsRecord
from newsextract.fields.title_parts import fold_key
from newsextract.results import Found

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
        """Add the title of a record.

        :returns: record → new title, for this record and earlier ones whose title changes.
        """
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
