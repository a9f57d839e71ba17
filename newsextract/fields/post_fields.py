"""The author and the date of a post: each the best of the elements that markup, address or text tell to be one.

Evidence for a name, strongest first: itemprop and ``rel=author``, class names for authors, links to profiles, "by …" in a
text. For a date, which :mod:`newsextract.fields.dates` reads: itemprop, ``<time datetime>``, class names for dates (their
attributes before their texts), texts that say "posted", short texts with a date. Days of joining and changes are left out,
and so are quotations ("Jane wrote:"). Labels of the region's columns count as class names do.

Cost: one pass over the elements of a page; of a record, the few that may be names or dates, and its texts.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple
from unicodedata import normalize
from urllib.parse import unquote

from newsextract.fields.dates import (
    ParsedDate,
    is_date,
    likely_month_first,
    parse_dates,
    parse_stamp,
    reads_month_first,
    shows_month_first,
)
from newsextract.fields.post_elements import (
    WIDE,
    block_around,
    elements,
    own_items,
    post_elements,
    properties,
    reads_date,
    words,
)
from newsextract.model_files import alternatives
from newsextract.page.nodes import Nodes
from newsextract.page.page import Page
from newsextract.records.leaves import has_word, line_text, text_kind
from newsextract.results import Record, ReportDate
from newsextract.urls import registered_domain

# --- author ---------------------------------------------------------------------------------------

MAX_NAME = 50
_MAX_NAMING = 400
"""Characters of a text that is a name, with what may stand around it."""
_MAX_FIELD = 12
"""Elements and texts of a field of a form."""
_MAX_TEXTS = 16
"""Text nodes of an element that holds a name and little else."""
_CLOCK = re.compile(r"\d{1,2}[:.]\d\d\b")
_HANDLE = re.compile(r"(?<=\S)\s\(?@[\w.@-]{1,60}\)?$")
"""The short name of an account after the name that it shows."""
_NUMBERED = re.compile(r"(?:^|\s)#\d|[:：]\s?\d[\d.,]{0,9}$")
"""A number in a text that is no name: "Post #7", "Trophies: 12"."""
_NICK = re.compile(r"^<[@+%~&]?([^<>@\s]{1,40})>:?$")
"""A name as chats show it."""
_MAIL = re.compile(r"\s?(?:<[^<>]{0,100}>?|[(\[][^()\[\]]{0,60}@[^()\[\]]{0,60}[)\]])$")
"""A mail address after a name."""
_ACCOUNT = re.compile(r"/@[\w.@-]{1,80}/?$")
"""How the URL of a profile ends on sites of short messages."""
_URL = re.compile(r"/|www\.|\.(?:com|org|net|html?|php)$", re.IGNORECASE)
_MARKS = frozenset(("-", "–", "—", "|", "·", "•", ":", ",", ".", "»", "›", "/", "#", "…", "...", "(", ")", "@"))
_PROPERTY, _RELATION, _CLASS, _LABEL, _PROFILE, _WEAK, _BY = 10.0, 9.0, 7.0, 6.5, 5.0, 3.0, 2.5
SURE_AUTHOR = _CLASS
_COMPOUNDS = ("username", "postauthor", "commentauthor")
"""How class names of one word end that are an author's."""
_BESIDE_DATE = 2.8
"""A text in bold on a line that is hardly more than it and a date."""
_OWN_NAME = 2.7
"""A link on a line with a date whose URL ends with its words."""
_EMPHASIS = frozenset(("b", "strong", "cite"))
_ADDRESS_PARTS = re.compile(r"[/?&=~@:]")
_BLANKS = re.compile(r"[-_+\s]+")
_ACCENT = re.compile(r"[\u0300-\u036f]")
_TOPICS = frozenset(
    ("tag", "tags", "category", "categories", "topic", "topics", "label", "labels", "forum", "forums", "board", "search")
)
"""Parts of URLs that end with the name of a subject, not of a person."""
SET_OFF = frozenset(("h2", "h3", "h4", "h5", "h6", "b", "strong", "dt"))
"""Elements that set a name off from what is beside it."""
_CONTENTS = frozenset(("content", "contents", "body", "text"))
"""Words of classes that are no name's, whatever else they say: "userContent" is what a user wrote."""
_LINKED = 1.0
"""More for a name that is a link to a profile."""
_REFUSED = frozenset([*words()["author"]["refused"], *words()["author"]["by"], *words()["labels"]["date"]])
_COUNTED = "|".join(words()["author"]["counted"])
_COUNT = re.compile(
    rf"\d[\d.,]{{0,9}}k?\+?\s?(?:{_COUNTED})(?:\s\([^()]{{1,30}}\))?|(?:{_COUNTED})\s?[:：]\s?\d[\d.,]{{0,9}}k?"
)
_LATIN_BY = "|".join(re.escape(word) for word in words()["author"]["by"] if word[0] < WIDE)
_WIDE_BY = "|".join(re.escape(word) for word in words()["author"]["by"] if word[0] >= WIDE)
_SAID_BY = re.compile(
    rf"(?:[-–—]\s)?(?:(?:{_LATIN_BY})(?:\s*:\s*|\s+)|(?:{_WIDE_BY}|{'|'.join(map(re.escape, words()['author']['labels']))})"
    r"\s?[:：]\s?)(?=\S)",
    re.IGNORECASE,
)
""" "by" or "name:" at the start of a text; a Latin "by" needs a blank or colon behind it."""


def find_author(nodes: Nodes, record: Record, url: str | None = None) -> str | None:
    """The name as the page shows it; None when nothing tells it.

    :param url: the page's address; profiles on other hosts are not the author's.
    """
    best = best_author(nodes, record, url)
    return best[1] if best is not None else None


def best_author(nodes: Nodes, record: Record, url: str | None = None) -> tuple[float, str] | None:
    """How sure it is who wrote a record (from :data:`SURE_AUTHOR` on markup says so), and the name."""
    page = _page_names(nodes, url)
    if id(record) not in page.best:
        page.best[id(record)] = record, _best_author(page, record)
    return page.best[id(record)][1]


def _best_author(page: _PageNames, record: Record) -> tuple[float, str] | None:
    nodes = page.nodes
    best: tuple[float, str] | None = None
    for node, score in page.within(record.nodes):
        if (best is None or score > best[0]) and (name := page.name(node, sure=score > _WEAK)):
            best = (score, name)
    for item in own_items(nodes, record):
        match = _SAID_BY.match(item.text) if best is None and item.label != "body" else None
        if item.label == "author" and (best is None or best[0] < _LABEL) and (name := clean_name(item.text)):
            best = (_LABEL, name)
        elif match is not None and (name := clean_name(item.text[match.end() :])):
            best = (_BY, name)
    return best


class _PageNames:
    """The elements of a page that may hold names: records overlap, and each is asked several times."""

    def __init__(self, nodes: Nodes, url: str | None) -> None:
        self.nodes = nodes
        self.marked, self._others = _marked_names(nodes, url)
        self.best: dict[int, tuple[Record, tuple[float, str] | None]] = {}
        """By the records' identities, with the records."""
        self._names: dict[tuple[int, bool], str | None] = {}

    def within(self, roots: Sequence[int]) -> Iterator[tuple[int, float]]:
        """Elements that markup or address tell to be a user's name, and how surely."""
        nodes, marked, page = self.nodes, self.marked, post_elements(self.nodes)
        end = 0
        most = sum(nodes.count_texts(root) for root in roots) // 2
        for start, stop in page.spans(roots):
            for node, score in marked[bisect_left(marked, (start,)) : bisect_left(marked, (stop,))]:
                if node < end:
                    continue
                # A post may be called "edited" as a whole.
                if node in self._others and nodes.count_texts(node) <= most:
                    end = page.ends[node]
                elif score:
                    yield node, score

    def name(self, node: int, *, sure: bool) -> str | None:
        """The name that an element holds."""
        if (node, sure) not in self._names:
            self._names[node, sure] = _name(self.nodes, node, sure)
        return self._names[node, sure]


@lru_cache(maxsize=2)
def _page_names(nodes: Nodes, url: str | None) -> _PageNames:
    return _PageNames(nodes, url)


def _marked_names(nodes: Nodes, url: str | None) -> tuple[list[tuple[int, float]], frozenset[int]]:
    """Elements of a page that are told to be a user's name, how surely; and those of which the same names say that they
    are of something else, such as the last change."""
    lists = words()["author"]
    found: list[tuple[int, float]] = []
    others: set[int] = set()
    named: dict[frozenset[str], tuple[bool, float]] = {}
    is_nothing = (False, 0.0)
    for node in (page := post_elements(nodes)).numbers:
        tag, attributes, classes = nodes.tags[node], nodes.attributes[node], page.words[node]
        if classes and classes not in named:
            is_name = not classes.isdisjoint(lists["classes"]) or any(name.endswith(_COMPOUNDS) for name in classes)
            is_weak = not classes.isdisjoint(lists["weak_classes"]) and classes.isdisjoint(_CONTENTS)
            by_class = _CLASS if is_name else _WEAK if is_weak else 0.0
            named[classes] = not classes.isdisjoint(lists["others"]), by_class
        is_other, score = named[classes] if classes else is_nothing
        if "itemprop" in attributes and not properties(attributes).isdisjoint(lists["properties"]):
            score = _PROPERTY
        elif tag == "a" and "author" in attributes.get("rel", "").lower().split():
            score = _RELATION
        if is_other:
            others.add(node)
        inside = range(node, min(page.ends[node], node + _MAX_FIELD))
        if score and any(nodes.tags[inner] == "label" for inner in inside):
            score = 0.0  # a form asks for a name
        elif tag == "a" and _is_profile(attributes.get("href", "").lower(), url, lists["profiles"]):
            score = max(score + _LINKED, _PROFILE)
        elif not score and tag in _EMPHASIS and reads_date(nodes, int(nodes.parents[node])):
            score = _BESIDE_DATE
        elif not score and tag == "a" and _leads_to_name(nodes, node) and _is_on_dated_line(nodes, node):
            score = _OWN_NAME
        if score or is_other:
            found.append((node, score))
    return found, frozenset(others)


def _leads_to_name(nodes: Nodes, link: int) -> bool:
    """Whether a link's URL is a mail address, or ends with the link's own words: "/mitglieder/jane", "by?id=jane"."""
    href = nodes.attributes[link].get("href", "").lower()
    if href.startswith("mailto:"):
        return True
    parts = _ADDRESS_PARTS.split(unquote(href.partition("#")[0]).rstrip("/"))
    name = nodes.text(link).strip(" @").lower()
    named = {_BLANKS.sub(" ", name), _BLANKS.sub(" ", _ACCENT.sub("", normalize("NFD", name)))}
    return len(name) > 1 and _BLANKS.sub(" ", parts[-1]) in named and _TOPICS.isdisjoint(parts)


def _is_on_dated_line(nodes: Nodes, node: int) -> bool:
    """Whether one of the few texts of an element's line is a date, in whatever language."""
    block = block_around(nodes, node)
    if nodes.count_texts(block) - nodes.count_texts(node) >= _MAX_TEXTS:
        return False
    return any(is_date(nodes.texts[i]) for i in nodes.text_nodes(block) if not node < i < nodes.ends[node])


def links_to_profile(nodes: Nodes, root: int, url: str | None) -> bool:
    """Whether an element holds a link to a user of this site."""
    forms = words()["author"]["profiles"]
    return any(
        _is_profile(attributes["href"].lower(), url, forms)
        for _, _, attributes, _ in elements(nodes, [root], post_elements(nodes).links)
    )


def _is_profile(href: str, url: str | None, forms: Sequence[str]) -> bool:
    """Whether a link leads to a user of this site."""
    if not any(form in href for form in forms) and _ACCOUNT.search(href) is None:
        return False
    if not url or not href.startswith(("http://", "https://", "//")):
        return True
    hosts = {registered_domain(address.lower().partition("//")[2].partition("/")[0]) for address in (href, url)}
    return len(hosts) == 1


def _name(nodes: Nodes, node: int, sure: bool) -> str | None:
    """The name that an element holds: that of a name element or a link in it, else its whole text. If it
    is sure that it is a name, it may be made of emoji."""
    texts = nodes.text_nodes(node)
    if (
        len(texts) > 1
        and len(initial := nodes.texts[texts[0]]) == 1
        and nodes.texts[texts[1]].upper().startswith(initial.upper())
    ):
        texts = texts[1:]  # drawn where an account has no picture
    if len(texts) > (_MAX_TEXTS if sure else _MAX_TEXTS // 4):
        return None  # a panel, or the whole post
    if sure and len(texts) == 1 and not has_word(nodes.texts[texts[0]]) and nodes.texts[texts[0]] not in _MARKS:
        return nodes.texts[texts[0]][:MAX_NAME]
    for inner in range(node + 1, int(nodes.ends[node])):
        if "name" in properties(nodes.attributes[inner]):
            return clean_name(nodes.text(inner)) or clean_name(nodes.attributes[inner].get("content", ""))
    whole = clean_name(line_text(nodes, texts)) if texts else None
    if whole is not None and len(texts) == 1:
        return whole
    for inner, tag, *_ in elements(nodes, [node]):
        if inner > node and tag == "a" and (name := clean_name(nodes.text(inner))):
            return name
    first = next((inner for inner in range(node + 1, int(nodes.ends[node])) if nodes.tags[inner] in SET_OFF), -1)
    if first >= 0 and nodes.text_nodes(first)[:1] == texts[:1] and (name := clean_name(nodes.text(first))):
        return name  # what is below it is a rank or a count
    if whole is not None:
        return whole
    return next((name for i in texts if (name := clean_name(nodes.texts[i]))), None)


def clean_name(text: str) -> str | None:
    """A name without what stands before it ("Posted by"); None if the text is no name."""
    return _clean_name(text) if len(text) <= _MAX_NAMING else None


@lru_cache(maxsize=4_096)
def _clean_name(text: str) -> str | None:
    text = _NICK.sub(r"\1", text.strip())
    text = _MAIL.sub("", text.strip()).strip(" \"'") or text.strip()
    text = _HANDLE.sub("", text)
    text = _SAID_BY.sub("", text, count=1) if _SAID_BY.match(text) else text
    text = text.strip(" :：,，|·•–—-»›\u200e")
    if not 0 < len(text) <= MAX_NAME or not has_word(text) or is_refused(text):
        return None
    if (
        is_count(text)
        or text_kind(text) in ("date", "number")
        or _CLOCK.match(text)
        or _NUMBERED.search(text)
        or text.count(" ") > 5
    ):
        return None
    if text_kind(text) == "address" and (_URL.search(text) or text.count(".") > 1):
        return None  # a name may have a dot in it
    return text


def is_refused(text: str) -> bool:
    """Whether a text is a word that is no name."""
    return text.lower().strip("[]()") in _REFUSED


def is_count(text: str) -> bool:
    """Whether a text is a count of what a member did: "7,691 posts", "Posts: 454"."""
    return len(text) <= MAX_NAME and _COUNT.fullmatch(text.lower()) is not None


# --- date -----------------------------------------------------------------------------------------

_MAX_TEXT = 90
"""Characters of a text that is hardly more than its date."""
_MAX_ALONE = 30
"""Characters of a text that is a date, with its time of day."""
_MAX_POSTED = 25
"""Characters of the label before a post's date."""
_MAX_WIDE = 12
"""Chinese or Japanese characters beside the date of a line that is no sentence."""
_MAX_WEEKDAY = 14
"""Characters between such a label and the date."""
_FIGURE = re.compile(r"(?<!\w)\d")
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_DAYS = frozenset(("day", "minute", "second"))
_DOTTED = re.compile(r"(?<![\d.])\d{1,2}\.\s?\d{1,2}\.\s?(?:[12]\d{3}|\d\d)(?![\d.])")
_BESIDE_STAMP = 30
"""Characters of a title attribute beside the date that it holds."""
_MAX_YEARLESS = 48
"""Characters of a text that ends with a day without a year and a time of day."""
_YEARLESS = re.compile(
    r"(?:^|(?<=[\s(,]))(?:(?P<a>\d{1,2})(?P<mark>[./-]|[月월]\s?)(?P<b>\d{1,2})[.日일]?"
    r"|(?P<named>\d{1,2}\.?\s(?:de\s)?[^\W\d_]{3,12}|[^\W\d_]{3,12}\s\d{1,2})\.?)"
    r",?\s{1,2}(?:(?:at|@|um|à|в|kl\.?|alle|om|às|a las|[–—-])\s)?"
    r"(?P<clock>\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]m)?)(?:\suhr)?[)\s]{0,2}$",
    re.IGNORECASE,
)
"""A day without its year, and a time of day: "11.03 12:05", "Sep 3 @ 9:12am", "3 марта в 12:10"."""
_OTHER_DAYS = {
    name: re.compile(rf"(?<![a-zà-ÿ])(?:{alternatives(words()['date'][f'{name}s'])})") for name in ("other", "member")
}
"""Words of days of something else, from their beginnings on: somebody "unregistered" has not joined."""
_YEARS = 2
"""Years in which such a day is looked for."""
_MONTH_FIRST = frozenset(("zh", "ja", "ko"))
"""Languages that have the month before the day."""


@dataclass(frozen=True, slots=True)
class _DateText:
    parsed: ParsedDate
    source: str
    rank: float
    """Lower is better."""
    of: str
    """What the page says that it is the day of: "member" (joining, a visit), "other" (a change), "told" (what a sentence
    tells); empty for the post."""


class _Mark(NamedTuple):
    """An element that is marked as a date."""

    node: int
    place: int
    """Its place among all elements."""
    rank: float
    source: str
    dates: list[tuple[ParsedDate, float]]
    """What it holds, and how much its rank suffers."""


@lru_cache(maxsize=2)  # the kinds of records of one page are read one after the other
def shown_order(page: Page, *, alone: bool = False) -> bool | None:
    """Whether the page's own dates have the month first; None where they do not show it.

    :param alone: whether only dates that are a text of their own count: in a sentence or a title, a user may have written
        another order than the site.
    """
    nodes = page.nodes
    most = _MAX_ALONE if alone else _MAX_TEXT
    texts = (nodes.texts[node] for node in nodes.shown.tolist())
    numeric = [text for text in texts if len(text) <= most and any(map(str.isdigit, text))]
    if alone:
        return shows_month_first(text for text in numeric if text[:1].isdigit() and is_date(text))
    shown = shows_month_first(numeric)
    return likely_month_first(numeric) if shown is None and page.month_first is None else shown


def has_day(date: ReportDate) -> bool:
    """Whether a date names a day or counts back ("5 years ago"), as that of a post; archives have "October 2025"."""
    return date.precision in _DAYS or _YEAR.search(date.evidence) is None


def has_no_year(date: ReportDate) -> bool:
    """Whether a date was written without its year."""
    return _YEARLESS.fullmatch(date.evidence) is not None


def is_imprint(text: str) -> bool:
    """Whether a line says what made the page, or whose it is."""
    return "©" in text or text.lower().startswith(("powered by", "copyright ", "this archive was generated", "generated by"))


def is_posted(before: str) -> bool:
    """Whether what stands between the beginning of a line and a date calls it the post's: "Posted: Mon "."""
    label, colon, weekday = before.replace("：", ":").partition(":")
    is_short = len(label) <= _MAX_POSTED and len(weekday) <= _MAX_WEEKDAY
    return bool(colon) and is_short and label.lower().strip(" »·•-–—|").startswith(tuple(words()["date"]["posted"]))


@lru_cache(maxsize=2)
def post_dates(page: Page) -> PostDates:
    """How the dates of a page's posts are read."""
    return PostDates(page)


class PostDates:
    """How the dates of a page's records are read.

    :param page: its language and domain decide the order of numbers, its time of fetch what "yesterday" is; where that is
        unknown, relative dates are none.
    """

    def __init__(self, page: Page) -> None:
        tag = (page.metadata.html_lang or page.hints.language or "").lower().replace("_", "-")
        host = (page.url or "").partition("://")[2].partition("/")[0]
        self.language = tag or None
        self.fetched_at = page.time
        self.relative = page.fetched_at is not None
        own = shown_order(page)
        shown = page.month_first if own is None else own
        usual = reads_month_first(tag if "-" in tag else f"{tag or 'en'}-{host.rpartition('.')[2]}")
        self.month_first = usual if shown is None else shown
        self._dots_tell = shown is None
        # Records overlap, and each is asked several times.
        self._parsed: dict[str, list[ParsedDate]] = {}
        self._marks: dict[Nodes, list[_Mark]] = {}
        self._found: dict[int, tuple[Record, list[_DateText]]] = {}

    def find(
        self, nodes: Nodes, record: Record, *, others: bool = True, members: bool = True, told: bool = True
    ) -> ReportDate | None:
        """The date of one record; None when nothing tells it.

        :param others: whether the day of something else (joining, a change) will do where there is no other.
        :param members: whether that of joining will.
        :param told: whether a day that a sentence tells will.
        """
        kept = {"": True, "other": others, "member": others and members, "told": told}
        if id(record) not in self._found:
            candidates = sorted(self._candidates(nodes, record), key=lambda one: one.rank)
            self._found[id(record)] = record, candidates
        found = [one for one in self._found[id(record)][1] if kept[one.of]]
        if not found:
            return None
        best = found[0]
        if best.parsed.clock is None:  # the same day with a time of day tells more
            day = best.parsed.calendar_day
            best = next((one for one in found if one.parsed.clock and one.parsed.calendar_day == day), best)
        return best.parsed.report(best.source)

    def stamp(self, value: str) -> ParsedDate | None:
        """The date of an attribute's value."""
        return parse_stamp(value, **self._given(value))

    def text(self, text: str) -> list[ParsedDate]:
        """The dates of a text; of a short one the day without a year, too, the last before the time of fetch."""
        if text not in self._parsed:
            found = parse_dates(text, **self._given(text))
            if not found and len(text) <= _MAX_YEARLESS and ":" in text and (match := _YEARLESS.search(text)) is not None:
                found = [one for year in range(_YEARS) for one in self._in_year(match, self.fetched_at.year - year)][:1]
            self._parsed[text] = found
        return self._parsed[text]

    def _in_year(self, match: re.Match[str], year: int) -> list[ParsedDate]:
        """A day without a year as one of a year, if that is possible and not in the future."""
        given = match.groupdict()
        if given["named"]:
            text = f"{given['named']} {year} {given['clock']}"
        else:
            is_wide = self.language is not None and self.language[:2] in _MONTH_FIRST
            numbers = (given["a"], given["b"])
            month, day = numbers if is_wide or given["mark"][0] in "月월" or self.month_first else numbers[::-1]
            text = f"{year}-{month:0>2}-{day:0>2} {given['clock']}"
        found = parse_dates(text, language=self.language, fetched_at=self.fetched_at, relative=False)[:1]
        return [
            replace(
                one, start=match.start(), end=match.end("clock"), evidence=match.string[match.start() : match.end("clock")]
            )
            for one in found
            if one.day is not None and one.clock is not None and one.year == year
        ]

    def _given(self, text: str) -> dict[str, Any]:
        """How a text is read. Of numbers with dots between them ("4.5.2012") the day is the first, unless the page shows
        another order."""
        first = self.month_first and not (self._dots_tell and _DOTTED.search(text) is not None)
        return {"language": self.language, "fetched_at": self.fetched_at, "month_first": first, "relative": self.relative}

    def _candidates(self, nodes: Nodes, record: Record) -> Iterator[_DateText]:
        if nodes not in self._marks:
            self._marks[nodes] = list(self._marks_of(nodes))
        marks, numbers = self._marks[nodes], post_elements(nodes).numbers
        before = 0  # elements of the record
        for start, end in post_elements(nodes).spans(record.nodes):
            first = bisect_left(numbers, start)
            for mark in marks[bisect_left(marks, (start,)) : bisect_left(marks, (end,))]:
                of = _whose_day(nodes, mark.node, record)
                late = (before + mark.place - first) / 10_000
                for parsed, later in mark.dates:
                    yield _DateText(parsed, mark.source, mark.rank + late + later + (4.0 if of else 0.0), of)
            before += bisect_left(numbers, end) - first
        yield from self._texts(nodes, record)

    def _marks_of(self, nodes: Nodes) -> Iterator[_Mark]:
        """The elements of a page that are marked as dates."""
        given, called = (frozenset(words()["date"][name]) for name in ("properties", "classes"))
        page = post_elements(nodes)
        for place, node in enumerate(page.numbers):
            tag, attributes, classes = nodes.tags[node], nodes.attributes[node], page.words[node]
            if not attributes and tag != "time":
                continue
            if "itemprop" in attributes and not properties(attributes).isdisjoint(given):
                rank, source = 1.0, "itemprop"
            elif tag == "time":
                rank, source = 2.0, "time"
            elif not classes.isdisjoint(called):
                rank, source = 3.0, "class"
            elif "title" in attributes and (reads_date(nodes, node) or self._is_stamp(attributes["title"])):
                rank, source = 3.5, "title"
            elif self._beside(nodes, node) is not None:
                rank, source = 3.5, "data"
            else:
                continue
            if dates := list(self._marked(nodes, node)):
                yield _Mark(node, place, rank, source, dates)

    def _beside(self, nodes: Nodes, node: int) -> ParsedDate | None:
        """The day and time of day that a data attribute holds for a script, where a date is shown ("3 years ago")."""
        given = [value for name, value in nodes.attributes[node].items() if name.startswith("data-") and value]
        if not given or not reads_date(nodes, node):
            return None
        return next((self.stamp(value) for value in given if self._is_stamp(value)), None)

    def _is_stamp(self, title: str) -> bool:
        """Whether an attribute is a day and a time of day, whatever is shown ("3 years")."""
        if len(title) > _MAX_TEXT or not any(map(str.isdigit, title)):
            return False
        parsed = self.stamp(title)
        is_moment = parsed is not None and not parsed.relative and parsed.clock is not None
        return parsed is not None and is_moment and len(title) - len(parsed.evidence) <= _BESIDE_STAMP

    def _marked(self, nodes: Nodes, node: int) -> Iterator[tuple[ParsedDate, float]]:
        """The date of an element that is marked as one, and how much its rank suffers: of its attributes or those below it,
        else of its text."""
        for inner in range(node, min(int(nodes.ends[node]), node + 6)):
            for name in words()["date"]["attributes"]:
                value = nodes.attributes[inner].get(name)
                if value and (parsed := self.stamp(value)) is not None and parsed.day is not None:
                    yield parsed, 0.0
                    return
        if (told := self._beside(nodes, node)) is not None:
            yield told, 0.0
            return
        text = nodes.text(node)
        yield from ((parsed, 0.3) for parsed in (self.text(text)[:1] if len(text) <= _MAX_TEXT else self._labelled(text)))

    def _labelled(self, text: str) -> list[ParsedDate]:
        """The date that begins a longer line and is called the post's."""
        label, colon, _ = text[: _MAX_POSTED + 1].replace("：", ":").partition(":")
        dates = self.text(text[:_MAX_TEXT])[:1] if is_posted(label + colon) else []
        return [parsed for parsed in dates if is_posted(text[: parsed.start])]

    def _texts(self, nodes: Nodes, record: Record) -> Iterator[_DateText]:
        """Dates of short texts, and of any element's title attribute above a date that only counts back."""
        said = words()["date"]["posted"]
        for place, item in enumerate(own_items(nodes, record)):
            if item.kind == "image":
                continue
            is_long = len(item.text) > _MAX_TEXT
            for parsed in self._labelled(item.text) if is_long else self.text(item.text)[:1]:
                rank = 4.0 if item.label == "date" or any(word in item.text.lower() for word in said) else 5.0
                # A sentence with a day in it is no date line.
                beside = item.text.replace(parsed.evidence, "")
                is_sentence = not is_long and (len(beside) > 40 or sum(character > WIDE for character in beside) > _MAX_WIDE)
                if is_sentence and rank == 5.0 and not any(map(str.isdigit, parsed.evidence)):
                    continue  # "The cellar was missing yesterday": what a post tells, not when it was written
                rank += 2.0 if is_sentence else 0.0
                of = _whose_day(nodes, item.nodes[0], record) if item.nodes else ""
                rank += (4.0 if of else 0.0) + (0.5 if parsed.day is None else 0.0)
                yield _DateText(parsed, "text", rank + place / 1_000, of or ("told" if is_sentence else ""))


def _whose_day(nodes: Nodes, node: int, record: Record) -> str:
    """What else than the post the words in or before a date name ("Joined"); see :attr:`_DateText.of`."""
    root = max((r for r in record.nodes if r <= node), default=node)
    before = [nodes.texts[last]] if (last := nodes.text_before(node)) >= root else []
    within = [nodes.texts[i][:60] for i in nodes.text_nodes(node)[:3]]
    # A text with a date of its own does not describe the next one; "Jane77" has no date.
    labels = [text[-40:] for text in before if not _FIGURE.search(text)]
    return other_day(" ".join(labels + within))


def other_day(text: str) -> str:
    """What else than a post a text says that a day is of: "other" (a change), "member" (joining); empty for nothing."""
    return next((name for name, said in _OTHER_DAYS.items() if said.search(text.lower())), "")
