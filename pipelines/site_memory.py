"""Compares the records of a site: which are lists, which titles belong to the site, whether its articles have dates.

This module only collects facts; :mod:`pipelines.checks` acts on them. The results depend on the set of records, not on their
order, if related records are at most :data:`WATCHED` records apart.

Cost: about 200 bytes per record for its beginning; about 2 kB for each of the latest :data:`WATCHED` records of a site.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

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
MAX_HOLDERS = 5
"""Maximum number of watched records that are stored per paragraph."""
SAME_TITLE = 3
"""Minimum number of different articles with one title, each with an alternative, to conclude that it is the site's title."""


@dataclass(slots=True)
class Sighted:
    """A record that may be a list."""

    url: str
    site: str
    title: str | None
    fetched_at: str
    first: frozenset[int] = frozenset()
    """Its beginning."""
    keys: tuple[int, ...] = ()
    """All its paragraphs."""
    is_begun: bool = False
    """Whether another record has the same beginning."""
    held: dict[int, set[int]] = field(default_factory=dict)
    """Its paragraphs that are the beginning of other records → these beginnings. Records with the same beginning do not
    count: copies, or lists of the same articles."""

    @property
    def beginning(self) -> int:
        """Hash of its beginning."""
        return hash(self.first) & _HALF

    @property
    def owners(self) -> int:
        """Number of different beginnings of other records that it contains."""
        return len(set().union(*self.held.values()))

    @property
    def is_list(self) -> bool:
        """Whether it starts with the beginning of another record, and contains the beginnings of further records: below its
        own beginning, or as most of its text. Articles may begin with the same phrases (a standfirst, a first line)."""
        if not self.is_begun or len(self.held) < 2 or self.owners < 2:
            return False
        return 2 * len(self.held) >= len(self.keys) or not self.held.keys() <= self.first

    def holds(self, key: int, beginning: int) -> None:
        """Note that another record begins with one of its paragraphs."""
        self.is_begun = self.is_begun or key in self.first
        if beginning != self.beginning:
            self.held.setdefault(key, set()).add(beginning)


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
    beginnings: dict[int, int] = field(default_factory=dict)
    """First paragraph of a record → its number and its beginning, packed into one integer; for all records."""
    more_beginnings: dict[int, int] = field(default_factory=dict)
    """The same for a second record with this paragraph and another beginning."""
    holders: dict[int, list[int]] = field(default_factory=dict)
    """Paragraph → watched records that contain it."""
    sighted: dict[int, Sighted] = field(default_factory=dict)
    """The watched records, oldest first."""
    titles: SiteTitles = field(default_factory=SiteTitles)
    held: deque[NewsRecord] = field(default_factory=deque)
    """Waiting records."""
    unsaid: dict[int, Sighted] = field(default_factory=dict)
    """Lists that an earlier run has written and not withdrawn."""

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

    def is_among_articles(self, url: str) -> bool:
        """Whether a page is in the folder of most dated articles, and this is not the root."""
        folder = folder_of(url)
        return folder.count("/") > 1 and self.folders[folder] >= max(LEAST_DATED, AMONG * self.dated)

    def restore(self, line: Mapping[str, Any]) -> None:
        """Add the last line of a record of an earlier run."""
        if line["status"] == WITHDRAWN:
            return
        self.count(line["url"], line["date"])
        found = Sighted(line["url"], line["site"], line["title"], line["fetched_at"])
        self.unsaid.update(sight(self, int(line["id"], 16), line["text"], found))


def folder_of(url: str) -> str:
    """Host and folder of a page, every number in it as 0: ``example.org/2025/06/`` and ``example.org/2024/11/`` are one."""
    return _NUMBER.sub("0", url.partition("?")[0].rstrip("/").partition("://")[2].rpartition("/")[0] + "/")


def sight(known: SiteRecords, number: int, text: str, found: Sighted) -> list[tuple[int, Sighted]]:
    """Add the paragraphs of a record.

    :param found: the record, without its paragraphs.
    :returns: earlier records that now prove to be lists.
    """
    keys = tuple(dict.fromkeys(paragraph_keys(text)))
    found.keys, found.first = keys, frozenset(keys[:BEGINNING])
    shown = []
    for owner in dict.fromkeys(owner for key in found.first for owner in known.holders.get(key, ()) if owner != number):
        other = known.sighted[owner]
        was_list = other.is_list
        for key in found.first.intersection(other.keys):
            other.holds(key, found.beginning)
        if other.is_list and not was_list:
            shown.append((owner, other))
    for key in keys:
        for beginnings in (known.beginnings, known.more_beginnings):
            packed = beginnings.get(key)
            if packed is not None and packed >> 64 != number:
                found.holds(key, packed & _HALF)
    forget(known, number)
    known.sighted[number] = found
    for key in keys:
        holders = known.holders.setdefault(key, [])
        if len(holders) < MAX_HOLDERS:
            holders.append(number)
    if len(known.sighted) > WATCHED:
        forget(known, next(iter(known.sighted)))
    if not found.is_list:
        own = number << 64 | found.beginning
        for key in found.first:
            if known.beginnings.setdefault(key, own) & _HALF != found.beginning:
                known.more_beginnings.setdefault(key, own)
    return shown


def forget(known: SiteRecords, number: int) -> None:
    """Stop watching a record."""
    found = known.sighted.pop(number, None)
    for key in found.keys if found else ():
        holders = known.holders[key]
        if number in holders:
            holders.remove(number)
        if not holders:
            del known.holders[key]


def list_of(known: SiteRecords, number: int) -> str | None:
    """Why a record is a list, judged by the known records; None if it is not."""
    found = known.sighted.get(number)
    if found is None or not found.is_list:
        return None
    return f"its text consists of the beginnings of {found.owners} other records"


def paragraph_keys(text: str) -> list[int]:
    """Hashes of the first characters of each paragraph, in order; valid only in this process."""
    keys = []
    for line in text.split("\n", MAX_PARAGRAPHS)[:MAX_PARAGRAPHS]:
        bare = "".join(line[: 4 * KEY].split())[:KEY]
        length = text_length(bare)
        if length >= PARAGRAPH:
            keys.append(hash(bare if length < 2 * len(bare) else bare[: KEY // 2]))  # half as many Chinese characters
    return keys
