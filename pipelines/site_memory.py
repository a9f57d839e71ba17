"""What the records of a site say about each other: which are lists, which titles are the site's, whether articles are dated.

Pure bookkeeping; :mod:`pipelines.checks` acts on it. The answers depend on the set of records, not on their order, as
long as what belongs together comes within :data:`WATCHED` records.

Cost: about 200 bytes a record for its beginning; about 2 kB for each of the latest :data:`WATCHED` records of a site.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from newsextract.discovery.links import text_length
from newsextract.feed.news_record import WITHDRAWN, NewsRecord
from newsextract.fields.title_parts import fold_key
from newsextract.results import Found

WATCHED = 500
"""Records of a site that may still turn out to be lists, or to have the site's title."""
LEAST_DATED = 5
"""Records with a date from which on a site's articles are known to have one."""
DATED = 0.9
"""Their share of the site's records that headlines have led to. On the lab's seven sites it is 1."""
AMONG = 0.5
"""Share of the dated records in one folder from which on it is where the articles are."""
MAX_FOLDERS = 500
_NUMBER = re.compile(r"\d+")
PARAGRAPH = 40
"""Characters from which on a line is a paragraph that tells articles apart; Chinese ones count three."""
KEY = 40
"""Characters of a paragraph that are compared: an excerpt may end in its middle."""
BEGINNING = 2
"""Paragraphs that an article begins with: the first may be the same in all of them."""
MAX_PARAGRAPHS = 60
_HALF = (1 << 64) - 1
MAX_HOLDERS = 5
"""Watched records of which it is known that they hold the same paragraph."""
SAME_TITLE = 3
"""Different articles with one title, each with another one of its own to choose, from which on the title is the site's."""


@dataclass(slots=True)
class Sighted:
    """A record that may turn out to be a list."""

    url: str
    site: str
    title: str | None
    fetched_at: str
    first: frozenset[int] = frozenset()
    """Its beginning."""
    keys: tuple[int, ...] = ()
    """All its paragraphs."""
    is_begun: bool = False
    """Whether another record begins with what it begins with."""
    held: dict[int, set[int]] = field(default_factory=dict)
    """Paragraphs of it that other records begin with, and the beginnings of these. One that has its own beginning does not
    count: a copy of it, or a list of the same articles."""

    @property
    def beginning(self) -> int:
        """A number that stands for its beginning."""
        return hash(self.first) & _HALF

    @property
    def owners(self) -> int:
        """How many different beginnings of other records it holds."""
        return len(set().union(*self.held.values()))

    @property
    def is_list(self) -> bool:
        """Whether it begins with what another record begins with, and holds the beginnings of further ones."""
        return self.is_begun and len(self.held) > 1 and self.owners > 1

    def holds(self, key: int, beginning: int) -> None:
        """Take note that another record begins with one of its paragraphs."""
        self.is_begun = self.is_begun or key in self.first
        if beginning != self.beginning:
            self.held.setdefault(key, set()).add(beginning)


@dataclass(slots=True)
class Titled:
    """A record whose title another record may have, too."""

    number: int
    first: frozenset[int]
    others: Sequence[Found]
    """What else its page could be called, best first."""


@dataclass(slots=True)
class SiteTitles:
    """Which titles are the site's: several different articles have them, and each could be called otherwise."""

    of_site: dict[str, frozenset[str]] = field(default_factory=dict)
    """These, each with what else several of its pages could be called."""
    _waiting: dict[str, dict[int, Titled]] = field(default_factory=dict)
    _order: deque[tuple[str, int]] = field(default_factory=deque)

    def corrected(self, title: str, record: Titled) -> dict[int, Found]:
        """Take note of a record's title.

        :returns: the titles, by record, of this one and of earlier ones, where they change.
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
    """What is known of the records of one site."""

    dated: int = 0
    undated: int = 0
    folders: Counter[str] = field(default_factory=Counter)
    """Of the records with a date, see :func:`folder_of`."""
    beginnings: dict[int, int] = field(default_factory=dict)
    """Of all records: a paragraph that one begins with, that one's number and its beginning, in one integer."""
    more_beginnings: dict[int, int] = field(default_factory=dict)
    """The same of a second record that begins otherwise, but has the paragraph."""
    holders: dict[int, list[int]] = field(default_factory=dict)
    """Of the records that are watched: the paragraph, and who has it."""
    sighted: dict[int, Sighted] = field(default_factory=dict)
    """The records that are watched, the oldest first."""
    titles: SiteTitles = field(default_factory=SiteTitles)
    held: deque[NewsRecord] = field(default_factory=deque)
    """Those that wait for the others."""
    unsaid: dict[int, Sighted] = field(default_factory=dict)
    """Lists that an earlier run has written, and has not come to withdraw."""

    def has_dates(self) -> bool:
        """Whether the site's articles have dates."""
        return self.dated >= LEAST_DATED and self.dated >= DATED * (self.dated + self.undated)

    def count(self, url: str, date: str | None) -> None:
        """Take note of a record's date, and of the folder that it is in if it has one."""
        if not date:
            self.undated += 1
            return
        self.dated += 1
        folder = folder_of(url)
        if folder in self.folders or len(self.folders) < MAX_FOLDERS:
            self.folders[folder] += 1

    def is_among_articles(self, url: str) -> bool:
        """Whether most of the site's dated articles are in the folder of a page, and that is not the root."""
        folder = folder_of(url)
        return folder.count("/") > 1 and self.folders[folder] >= max(LEAST_DATED, AMONG * self.dated)

    def restore(self, line: Mapping[str, Any]) -> None:
        """Take in the last line of a record of an earlier run."""
        if line["status"] == WITHDRAWN:
            return
        self.count(line["url"], line["date"])
        found = Sighted(line["url"], line["site"], line["title"], line["fetched_at"])
        self.unsaid.update(sight(self, int(line["id"], 16), line["text"], found))


def folder_of(url: str) -> str:
    """Host and folder of a page, every number in it as 0: ``example.org/2025/06/`` and ``example.org/2024/11/`` are one."""
    return _NUMBER.sub("0", url.partition("?")[0].rstrip("/").partition("://")[2].rpartition("/")[0] + "/")


def sight(known: SiteRecords, number: int, text: str, found: Sighted) -> list[tuple[int, Sighted]]:
    """Take note of a record's paragraphs.

    :param found: the record, without its paragraphs.
    :returns: earlier records that it shows to be lists.
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
    """Watch a record no longer."""
    found = known.sighted.pop(number, None)
    for key in found.keys if found else ():
        holders = known.holders[key]
        if number in holders:
            holders.remove(number)
        if not holders:
            del known.holders[key]


def list_of(known: SiteRecords, number: int) -> str | None:
    """Why a record is a list, by the other records that are known; None if it is none."""
    found = known.sighted.get(number)
    if found is None or not found.is_list:
        return None
    return f"its text consists of the beginnings of {found.owners} other records"


def paragraph_keys(text: str) -> list[int]:
    """Numbers that stand for the first characters of each paragraph in this process, in order."""
    keys = []
    for line in text.split("\n", MAX_PARAGRAPHS)[:MAX_PARAGRAPHS]:
        bare = "".join(line[: 4 * KEY].split())[:KEY]
        if bare.isascii():
            if len(bare) >= PARAGRAPH:
                keys.append(hash(bare))
        elif text_length(bare) >= PARAGRAPH:
            keys.append(hash(bare[: KEY // 2]))
    return keys
