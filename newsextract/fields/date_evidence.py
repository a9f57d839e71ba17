"""Where a page's dates are found, each with a rank: JSON-LD, meta, ``<time>``, microdata, texts and addresses.

Ranks are comparable over all sources; lower is stronger. Below 2: stated as "published"; 2 to 4: the address, marked
elements; 4 to 6: texts near the main text; from 7 on: dates that may mean something else ("updated", the month
of an address). A date that readers see may be a comment's, a related story's or the masthead's; its places in the tree
tell. Names of meta elements and words before dates stand in ``data/date_sources.toml``.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import islice
from typing import Any
from urllib.parse import unquote, urlsplit

from newsextract.fields.article_marks import ArticleMarks, class_words
from newsextract.fields.dates import NUMBER, YEAR, ParsedDate, parse_dates, parse_stamp
from newsextract.model_files import alternatives, data_table
from newsextract.page.metadata import Metadata, TimeTag, fold

_ADDRESS = (
    re.compile(r"/((?:19|20)\d\d)[-/._]?(0[1-9]|1[0-2])[-/._]?([0-2]\d|3[01])(?=\D|$)"),
    re.compile(r"(?<=[/_=-])((?:19|20)\d\d)[-/_]?([01]?\d)[-/_]([0-3]?\d)(?=[/_.?&-]|$)"),
    re.compile(r"(?<!\d)((?:19|20)\d\d)-?([01]\d)-?([0-3]\d)(?!\d)"),
)
_ADDRESS_NAMED = re.compile(r"/((?:19|20)\d\d)/([a-z]{3,9})/(\d{1,2})(?=/|$)")
_ADDRESS_MONTH = re.compile(r"/((?:19|20)\d\d)[-/]?(0[1-9]|1[0-2])(?=/)")
_ARTICLE_TYPE = re.compile(
    r"article|posting|report|review|webpage|creativework|recipe|interview|story|analysis", re.IGNORECASE
)
_ELSEWHERE = re.compile(
    r"\bnav\b|navi|menu|teaser|related|comment|sidebar|widget|current|today|clock|footer|event|copyright"
)
"""Class words of dates that are not the article's."""
_BEFORE_HEADING, _BEHIND_HEADING = 3_000, 8_000
"""Characters of source around an h1 in which an unmarked ``<time>`` is taken for the article's."""
MAX_BLOCK = 600
"""Characters of one surrounding block that are searched."""
MAX_BLOCKS = 40
_WIDE = "\u2e80"
"""From here on a character says as much as three of other scripts."""
_GOES_ON = re.compile(r",?\s(?:[a-zß-ÿ]|I\s)")
"""A sentence behind a date in it."""
_MONTH_NAME = re.compile(r"[^\W\d_]{3}")
_SHORT = 40
"""Characters of a text that is hardly more than its date; two-digit years are believed there."""
LINE = 80
"""Characters of a line that has date, author and the like, and no prose."""
_CAPTION = 120
"""Characters of a text whose relative dates ("2 hours ago") are believed."""
_PUBLISHED_NAME = re.compile(
    r"publi(?:sh(?:ed|ing)?|cation)(?:[-_.:]?(?:on|at))?[-_.:]?(?:date|time)|(?:date|time)[-_.:]?(?:of[-_.:]?)?publi"
)
"""In the name of a meta element that the list does not have."""
_OTHER_NAME = 1.6
_ADDRESS_RANK = 2.1
COUNTED = 3.9
"""Of a line that counts from now: stronger than dates in the prose, weaker than all that the page states."""
TEXTS = frozenset(("near_text", "near_h1", "after_text"))
_NOT_SEEN = 6.0
"""From this rank on a date is not taken for the one that readers see above the article."""
_SOURCES = data_table("fields/data/date_sources.toml")
_META_RANKS = {
    name: base + 1.4 * step
    for base, kind in ((1.0, "published"), (7.2, "modified"))
    for step, names in enumerate(_SOURCES[kind])
    for name in names
}
_ROLES = {
    role: re.compile(rf"(?<![a-zà-ÿ])(?:{alternatives(_SOURCES[f'{role}_words'])})(?![a-zà-ÿ])")
    for role in ("published", "modified", "foreign")
}


@dataclass(frozen=True, slots=True)
class DateCandidate:
    """A date and how far it is to be believed."""

    parsed: ParsedDate
    source: str
    rank: float
    """Lower is better."""
    visible: bool = False
    """Whether readers see it: then it is in the page's own zone."""
    is_change: bool = False
    """Whether the page calls it a day of change beside it."""
    is_line: bool = False
    """Whether its text is a line about the article, not prose."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How dates are read on this page."""

    language: str | None
    month_first: bool | None
    fetched_at: datetime
    relative: bool = True
    """Whether the time of fetch is known, so that relative dates can be read."""

    def stamp(self, value: str, archived: bool = False) -> ParsedDate | None:
        """A metadata value.

        :param archived: whether it may be the day of a story in the archive of a newspaper.
        """
        return parse_stamp(value, **self._given, relative=self.relative, archived=archived)

    def text(self, value: str, relative: bool = False) -> list[ParsedDate]:
        """Running text."""
        return parse_dates(value, **self._given, relative=relative and self.relative)

    @property
    def _given(self) -> dict[str, Any]:
        return {"language": self.language, "fetched_at": self.fetched_at, "month_first": self.month_first}


def address_date(url: str | None, fetched_at: datetime) -> ParsedDate | None:
    """The date in an address: ``/2010/12/15/``, ``/20101215/``, ``2010-12/15``, ``/2010/dec/15``, ``/2010/12/``."""
    if not url:
        return None
    try:
        parts = urlsplit(url[:2_000])
    except ValueError:
        return None
    path = unquote(parts.path + ("?" + parts.query if parts.query else ""))
    numbers = (map(int, match.groups()) for pattern in _ADDRESS for match in pattern.finditer(path))
    written = ["{:04d}-{:02d}-{:02d}".format(*day) for day in numbers]
    written += [" ".join(reversed(match.groups())) for match in [_ADDRESS_NAMED.search(path.lower())] if match]
    written += ["-".join(match.groups()) for match in [_ADDRESS_MONTH.search(path)] if match]
    dates = (parse_stamp(value, language="en", fetched_at=fetched_at) for value in written)
    return next(filter(None, dates), None)


def from_addresses(metadata: Metadata, url: str | None, fetched_at: datetime) -> Iterator[DateCandidate]:
    """The date in the page's own addresses."""
    best = None
    for address in dict.fromkeys((url, metadata.canonical, metadata.first("og:url"))):
        found = address_date(address, fetched_at)
        best = found if found and (best is None or found.day) else best
        if best is not None and best.day:
            break
    if best is not None:
        yield DateCandidate(best, "url", _ADDRESS_RANK if best.day else 9.0)


def from_picture(metadata: Metadata, fetched_at: datetime) -> Iterator[DateCandidate]:
    """As a last resort, the date in the address of the lead picture."""
    picture = address_date(metadata.first("og:image"), fetched_at)
    if picture is not None and picture.day is not None:
        yield DateCandidate(picture, "image_url", 9.5)


def from_properties(metadata: Metadata, reading: Reading) -> Iterator[DateCandidate]:
    """Microdata on visible elements."""
    for name in ("datepublished", "datecreated", "dateposted", "published", "date"):
        for value in metadata.properties.get(name, ())[:3]:
            stamp = reading.stamp(value)
            if stamp is not None:
                yield DateCandidate(stamp, f"itemprop:{name}", 2.5, True)


def from_json_ld(metadata: Metadata, reading: Reading) -> Iterator[DateCandidate]:
    """Dates of JSON-LD objects, those of articles first."""
    for position, item in enumerate(metadata.json_ld[:50]):
        kinds = item.get("@type", "")
        name = " ".join(map(str, kinds)) if isinstance(kinds, list) else str(kinds)
        article = bool(_ARTICLE_TYPE.search(name)) or not name
        web_page = "webpage" in name.lower()
        for key, rank in (
            ("datePublished", 0.0),
            ("dateCreated", 1.5),
            ("pubDate", 1.0),
            ("uploadDate", 3.0),
            ("dateModified", 7.0),
        ):
            value = item.get(key)
            if isinstance(value, list) and value:
                value = value[0]
            if isinstance(value, (str, int, float)) and (article or key != "dateModified"):
                stamp = reading.stamp(str(value), archived=article and key == "datePublished")
                if stamp is not None:
                    penalty = 0.0 if article and not web_page else 0.3 if web_page else 2.2
                    yield DateCandidate(stamp, "json-ld", rank + penalty + position / 1000)


def from_meta(metadata: Metadata, reading: Reading) -> Iterator[DateCandidate]:
    """Meta elements by the list of names."""
    for position, (name, values) in enumerate(metadata.meta.items()):
        rank = _META_RANKS.get(name)
        if rank is None and _PUBLISHED_NAME.search(name):
            rank = _OTHER_NAME
        if rank is not None:
            for value in values[:2]:
                stamp = reading.stamp(value, archived=name == "article:published_time")
                if stamp is not None:
                    yield DateCandidate(stamp, f"meta:{name}", rank + position / 10_000)


def from_times(
    times: Iterable[TimeTag], reading: Reading, base: float = 3.5, source: str = "time", headings: tuple[int, ...] = ()
) -> Iterator[DateCandidate]:
    """``<time>`` elements, or others that are marked as dates.

    :param headings: offsets of the h1 elements; an unmarked element far from all of them counts less.
    """
    for position, tag in enumerate(times):
        stamp, label = reading.stamp(tag.datetime) if tag.datetime else None, tag.before[-20:]
        if stamp is None or stamp.day is None:
            stamp = next(iter(reading.text(tag.text)), stamp)
            label = f"{label} {tag.text[: min(stamp.start, _SHORT)]}" if stamp else label
        if stamp is None:
            continue
        marks = tag.marks.replace("updated", "modified").replace("update", "modified")
        rank, is_change = base, "modif" in marks or date_role(label) == "modified"
        if "pubdate" in marks or "publish" in marks or "datecreated" in marks:
            rank = base - 1.3
        elif "date" in marks:
            rank = base - (0.5 if is_change else 0.7)
        elif is_change:
            rank = base + 3
        elif headings and not any(-_BEFORE_HEADING < tag.offset - end < _BEHIND_HEADING for end in headings):
            rank = base + 1.2
        if _ELSEWHERE.search(marks):
            rank = max(rank + 2.5, _NOT_SEEN)
        yield DateCandidate(stamp, source, rank + position / 100, True, is_change)


def from_texts(
    texts: Iterable[str], rank: float, source: str, reading: Reading, relative: bool = False
) -> Iterator[DateCandidate]:
    """Dates in running text; words before a date say what it is, and a date amid a long text is probably told about."""
    for position, text in enumerate(texts):
        if position >= MAX_BLOCKS:
            return
        if not (relative or NUMBER.search(text, 0, MAX_BLOCK)):
            continue
        most = MAX_BLOCK // 3 if source == "near_h1" and text[:1] >= _WIDE else MAX_BLOCK
        for number, parsed in enumerate(reading.text(text[:most], relative)[:5]):
            if parsed.relative and len(text) > _CAPTION:
                continue  # "today" amid prose is told about
            role = date_role(text[max(0, parsed.start - 40) : parsed.start])
            is_bare = parsed.relative and not any(map(str.isdigit, parsed.evidence))
            beside = (text[: parsed.start].rstrip()[-1:], text[parsed.end :].lstrip()[:1])
            if is_bare and role == "plain" and (len(text) - len(parsed.evidence) > _SHORT or any(map(str.isalnum, beside))):
                continue  # "He came yesterday", "USA Today": not a date line
            if role == "foreign" or (parsed.short_year and role == "plain" and not parsed.clock and len(text) > _SHORT):
                continue
            cost = rank + position / 50 + number / 500 + {"published": -0.8, "modified": 2.6}.get(role, 0.0)
            is_before_prose = len(text) - parsed.end > _SHORT
            inside = is_before_prose and parsed.start > _SHORT
            in_sentence = inside or (is_before_prose and parsed.start and _GOES_ON.match(text, parsed.end))
            is_block = source in ("near_text", "after_text")  # others join lines
            if is_block and in_sentence and role == "plain" and not parsed.clock and _MONTH_NAME.search(parsed.evidence):
                continue  # "Until July 1990 it was": told about; a program writes numbers
            if inside and role == "plain" and parsed.day is None:
                continue  # "They hope for a decision by January 2026"
            cost += 2.0 if inside and role == "plain" else 1.0 if len(text) > 250 else 0.0
            cost += 3.0 if parsed.day is None else 0.0
            yield DateCandidate(parsed, source, cost, True, role == "modified", len(text) <= LINE)


def date_role(before: str) -> str:
    """What the words just before a date say about it: published, modified, foreign or plain."""
    best, role = (-1, 0), "plain"
    lower = before.lower()
    for name, pattern in _ROLES.items():
        for match in pattern.finditer(lower):
            if (match.end(), -match.start()) > best:  # of "更新时间" and "时间" the longer one
                best, role = (match.end(), -match.start()), name
    return role


# --- date places ----------------------------------------------------------------------------------
# A date that readers see is a comment's, a related story's or the masthead's if that is so for all its places in the tree:
#
# * before the headline or behind the text, in elements whose tag or class names comments, related stories or a footer;
# * behind the text, below a heading or a line about comments, unless words call it the day of publication;
# * in one of several items of a list that have a link and a date each;
# * above the article and outside of its element, if it is the day of fetch, as mastheads show it. An element that is marked
#   as a date just above the headline counts, because articles are fetched on the day of their publication, too.

_LABEL = 40
"""Characters before a date that say what it is."""
_SHORT_LINE = 60
"""Characters of a line that may be the heading of comments."""
_ITEM = 8
"""Blocks of an item of a list; more are a part of the page."""
_COMMENT = 40
"""The same of a comment."""
_SIBLINGS = 3
"""Items before and behind one that are looked at."""
_MAX_DATES = 2
"""Elements of one kind behind the text that each have a date and a text; more are comments."""
_LINK = 10
"""Letters of a link that may be a headline; names of sections are shorter."""
_MENU = 3
"""Links and pictures in the header of a site."""
_ATTRIBUTES = {
    "time": ("time", ("datetime",)),
    "title": ("[title]", ("title",)),
    "itemprop": ("[itemprop]", ("content", "datetime")),
}
"""Sources of dates that are found by their element: what finds it, and the attributes that may have the date."""
_MARKED = frozenset(("time", "title", "itemprop", "class"))
_NEXT = 2
"""Blocks above a headline that are next to it."""
_MAX_PLACES, _MAX_ELEMENTS, _MAX_DEPTH, _MAX_LINKS = 20, 300, 40, 20
"""Places of a date, elements with dates in attributes, ancestors of a place, and links of an item that are looked at."""
_CLASSES = {group: frozenset(words) for group, words in _SOURCES["elsewhere"].items()}
_COMMENTS = re.compile(alternatives(_SOURCES["comment_words"]))
_ITEMS = frozenset(("li", "article", "tr", "dd"))
_BEFORE, _BEHIND = ("related", "side"), ("related", "side", "comments", "teasers")


class DatePlaces:
    """The places of dates on one page."""

    def __init__(self, marks: ArticleMarks, fetched_at: datetime) -> None:
        self.marks, self.dom, self.today = marks, marks.dom, fetched_at.date()
        self._known: dict[tuple[str, str], bool] = {}
        self._found: dict[str, list[tuple[str, int]]] = {}
        self._children: dict[int, list[int]] = {}

    def is_elsewhere(self, candidate: DateCandidate) -> bool:
        """Whether all places of a date are outside the article; not if it is found nowhere."""
        parsed = candidate.parsed
        key = candidate.source.partition(":")[0], parsed.evidence
        if key[0] == "meta":
            return False  # the description, which is in the head
        if key not in self._known:
            day = parsed.calendar_day
            is_today = day is not None and not parsed.relative and abs((day - self.today).days) <= 1
            places = list(islice(self._places(*key), _MAX_PLACES))
            self._known[key] = bool(places) and all(
                (is_today and self._is_above(element, block, key[0])) or self._is_outside(element, block, role)
                for element, block, role in places
            )
        return self._known[key]

    def is_line_elsewhere(self, line: str) -> bool:
        """Whether all blocks that say no more than a line belong to comments or to the items of a list. In a sidebar or a
        footer the author of a weblog may be named."""
        blocks = [block for block, text in enumerate(self.dom.texts) if text == line][:_MAX_PLACES]
        return bool(blocks) and all(self._is_foreign(self.dom.elements[block], block) for block in blocks)

    def _is_foreign(self, element: int, block: int) -> bool:
        marks, is_behind = self.marks, block > self.marks.last
        if is_behind and (self._next_comments < block or self._is_in_comments(element)):
            return True
        return not marks.first <= block <= marks.last and self._is_listed(element, is_behind=is_behind)

    def _is_in_comments(self, element: int) -> bool:
        return any(not words.isdisjoint(_CLASSES["comments"]) for _, words in self._around(element))

    def _places(self, source: str, evidence: str) -> Iterator[tuple[int, int, str]]:
        """The elements in which a date is written, each with its block and what the words before the date say about it."""
        dom, texts = self.dom, self.dom.texts
        stated = "published" if source == "itemprop" else ""
        marked = [element for value, element in self._elements(source) if evidence in value]
        for element in marked:
            yield element, dom.first_blocks[element], stated or "plain"
        if marked:
            return
        for block, text in enumerate(texts):
            at = text.find(evidence)
            while at > 0 and text[at - 1 : at + 1].isdigit():  # "2 October" in "12 October"
                at = text.find(evidence, at + 1)
            if at >= 0:
                yield dom.elements[block], block, stated or date_role(text[max(0, at - _LABEL) : at])

    def _elements(self, source: str) -> list[tuple[str, int]]:
        """The attributes that may have dates, each with the block element around it."""
        if source not in self._found:
            selector, names = _ATTRIBUTES.get(source, ("", ()))
            found = self._found[source] = []
            for node in self.dom.nodes[0].css(selector)[:_MAX_ELEMENTS] if selector else ():
                attributes = node.attributes
                value = fold(next((stated for name in names if (stated := attributes.get(name))), ""))
                if YEAR.search(value) and (element := self.marks.element_of(node)) is not None:
                    found.append((value, element))
        return self._found[source]

    def _is_outside(self, element: int, block: int, role: str) -> bool:
        is_before, is_behind = block < self.marks.headline, block > self.marks.last
        if not (is_before or is_behind):
            is_above = block < self.marks.first and self._is_listed(element, is_behind=False)
            return is_above or any(not words.isdisjoint(_CLASSES["related"]) for _, words in self._around(element))
        dom, frame = self.dom, self.marks.frame
        is_named = dom.tags[frame] == "article" or not class_words(dom.hints[frame]).isdisjoint(_CLASSES["own"])
        is_own = is_named and frame <= element < dom.ends[frame]  # within what is named as an article, around all of it
        is_headed = role != "published" and self._next_heading < block + (role == "plain")
        if is_behind and not is_own and (is_headed or self._next_comments < block):
            return True
        return self._is_named(element, role, is_behind) or self._is_listed(element, is_behind=is_behind)

    def _around(self, element: int) -> Iterator[tuple[int, frozenset[str]]]:
        """An element and those around it that do not hold the whole text, each with the words of its class and id."""
        dom, marks = self.dom, self.marks
        for _ in range(_MAX_DEPTH):
            if element <= 0 or (dom.first_blocks[element] <= marks.first and marks.last < dom.end_blocks[element]):
                return
            yield element, class_words(dom.hints[element])
            element = dom.parents[element]

    def _is_named(self, element: int, role: str, is_behind: bool) -> bool:
        """Whether a tag or a class around an element says that it is not the article."""
        tags = self.dom.tags
        groups, others = (_BEHIND, ("nav", "menu", "aside")) if is_behind else (_BEFORE, ("nav", "menu"))
        for at, words in self._around(element):
            if tags[at] in others or any(not words.isdisjoint(_CLASSES[group]) for group in groups):
                return True
            is_foot = is_behind and role != "published" and (tags[at] == "footer" or not words.isdisjoint(_CLASSES["foot"]))
            if is_foot and words.isdisjoint(_CLASSES["own"]) and not self.marks.in_article(at):
                return True
            if not is_behind and tags[at] == "header":  # that of a site has a menu and no headline
                first, end = self.dom.first_blocks[at], self.dom.end_blocks[at]
                is_headed = any(first <= heading.block < end for heading in self.dom.headings)
                if sum(self.dom.links[first:end]) >= _MENU and not is_headed:
                    return True
        return False

    @cached_property
    def _area(self) -> int:
        """The outermost ``main`` or ``article`` around headline and text, else the innermost element around them."""
        found = at = self.marks.frame
        while at > 0:
            found = at if self.dom.tags[at] in ("main", "article") else found
            at = self.dom.parents[at]
        return found

    def _is_above(self, element: int, block: int, source: str) -> bool:
        """Whether a date is above the article and outside of its element, and not marked as a date next to the headline."""
        marks, dom = self.marks, self.dom
        if block >= marks.headline or self._area <= element < dom.ends[self._area]:
            return False
        is_marked = source in _MARKED or not class_words(dom.hints[element]).isdisjoint(_CLASSES["date"])
        return not (is_marked and block >= marks.headline - _NEXT)

    @cached_property
    def _next_heading(self) -> int:
        """The first heading behind the text."""
        return next((h.block for h in self.dom.headings if h.block > self.marks.last), len(self.dom.texts))

    @cached_property
    def _next_comments(self) -> int:
        """The first line behind the text that may be the heading of comments; a link leads to them."""
        dom = self.dom
        lines = (at for at in range(self.marks.last + 1, len(dom.texts)) if len(dom.texts[at]) <= _SHORT_LINE)
        found = (at for at in lines if not dom.link_counts[at] and _COMMENTS.search(dom.texts[at].lower()))
        return next(found, len(dom.texts))

    def _is_listed(self, element: int, *, is_behind: bool) -> bool:
        """Whether an element is in one of several items of one kind, of which two or more have a link and a date each, or,
        behind the text, three or more a date and a text."""
        dom, at = self.dom, element
        while at > 0 and dom.end_blocks[at] - dom.first_blocks[at] <= _ITEM:
            if dom.first_blocks[at] <= self.marks.headline < dom.end_blocks[at]:
                return False
            is_item = dom.hints[at] or dom.tags[at] in _ITEMS
            alike = (at, *self._alike(at)) if is_item else ()
            if sum(map(self._is_teaser, alike)) > 1 or (is_behind and sum(map(self._is_comment, alike)) > _MAX_DATES):
                return True
            at = dom.parents[at]
        return False

    def _alike(self, element: int) -> list[int]:
        """The next elements beside one with the same tag and class."""
        dom = self.dom
        parent, kind = dom.parents[element], (dom.tags[element], dom.hints[element])
        if parent not in self._children:
            siblings = self._children[parent] = []
            at = parent + 1
            while at < dom.ends[parent]:
                siblings.append(at)
                at = dom.ends[at]
        siblings = self._children[parent]
        place = bisect_left(siblings, element)
        near = siblings[max(0, place - _SIBLINGS) : place] + siblings[place + 1 : place + 1 + _SIBLINGS]
        return [one for one in near if (dom.tags[one], dom.hints[one]) == kind]

    def _is_comment(self, element: int) -> bool:
        """Whether an element has a date and a text."""
        first, end = self.dom.first_blocks[element], self.dom.end_blocks[element]
        texts = self.dom.texts[first:end] if end - first <= _COMMENT else []
        return sum(map(len, texts)) > _SHORT_LINE and any(YEAR.search(text) for text in texts)

    def _is_teaser(self, element: int) -> bool:
        """Whether an element has a date, and a link whose text is no date."""
        dom = self.dom
        first, end = dom.first_blocks[element], dom.end_blocks[element]
        if end - first > _ITEM or not any(YEAR.search(text) for text in dom.texts[first:end]):
            return False
        links = dom.link_texts[bisect_left(dom.link_blocks, first) : bisect_left(dom.link_blocks, end)][:_MAX_LINKS]
        return any(sum(map(str.isalpha, text)) >= _LINK and not YEAR.search(text) for text in links)
