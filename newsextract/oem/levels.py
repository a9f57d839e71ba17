"""The two heuristics: what the titles and items of a page are, and which of them stands under which.

Huang, Qi & Zhang 2000, §1.1 Table 1 (titles), §1.2 and §1.4: a smaller font is a child of the larger one before it, a deeper
indent a child of the shallower one; items of a list are siblings; the order is the page's. Fonts come from the tags as
browsers draw them, from inline styles, and from a snapshot where there is one; so do indents.

The paper makes one pass over the source per font size. Here a stack does the same in one pass, and an object whose next
level is missing does not fall out of the list.

Cost: one regular expression over the source.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from newsextract.oem.document import ATTRIBUTES, Document, plain_text
from newsextract.oem.pattern import Tag

MAX_LEVELS = 30
"""Levels that one scale gives; deeper ones count as the last."""
_HEADINGS = {"h1": 32.0, "h2": 24.0, "h3": 18.7, "h4": 16.0, "h5": 13.3, "h6": 10.7}
"""Font sizes in CSS pixels as browsers draw them (HTML standard, 15.3.6)."""
_FONTS = {"1": 10.0, "2": 13.0, "3": 16.0, "4": 18.0, "5": 24.0, "6": 32.0, "7": 48.0}
"""Of ``<font size=…>`` (15.3.4)."""
_TEXT_SIZE = 16.0
_STEP = 0.5
"""Sizes and indents nearer than this many pixels are one level; browsers round to fractions."""

_TITLES = re.compile(rf"<(/?)(h[1-6]|b|strong|big|font)(?=[\s/>])({ATTRIBUTES})>", re.IGNORECASE)
_ITEMS = re.compile(rf"<(/?)(ul|ol|dl|menu|dir|blockquote|li|dt|dd|p)(?=[\s/>])({ATTRIBUTES})>", re.IGNORECASE)
_FONT_SIZE = re.compile(r"\ssize\s*=\s*[\"']?\s*([1-7])", re.IGNORECASE)
_STYLED = re.compile(r"font-size\s*:\s*(\d+(?:\.\d+)?)\s*(px|pt)", re.IGNORECASE)
_MARGIN = re.compile(r"(?:margin|padding)-left\s*:\s*(\d+(?:\.\d+)?)\s*(px|pt|em)", re.IGNORECASE)
_LINE_END = re.compile(
    r"(?>(?:\s|&nbsp;|</?(?:a|font|span|center|u|i|em)(?=[\s>])[^<>]*>)*)(?:<(?:/?(?:body|p|div|td|th|li|tr|dt|dd|center|table|ul|ol|dl"
    r"|blockquote|h[1-6]|section)|br|hr)(?=[\s/>])|\Z)",
    re.IGNORECASE,
)
_LINE_START = re.compile(
    r"(?:(?:<(?:/?(?:body|p|div|td|th|li|tr|dt|dd|center|table|ul|ol|dl|blockquote|h[1-6]|section)|br|hr)(?:\s[^<>]*)?/?>)|^)"
    r"(?>(?:\s|&nbsp;|</?(?:a|font|span|center|u|i|em)(?:\s[^<>]*)?>)*)\Z",
    re.IGNORECASE,
)
_OPENED = re.compile(r"(?>(?:<(?:p|div|center|li|td|tr|font|a|span)(?=[\s>])[^<>]*>\s*)+)\Z", re.IGNORECASE)
_BEFORE = 300
"""Characters before a bold text that are looked at to see whether it begins a line."""
_UNITS = {"px": 1.0, "pt": 4 / 3, "em": 16.0}


@dataclass(frozen=True, slots=True)
class Title:
    """A title or item, and how far it reaches."""

    start: int
    """Of its start tag."""
    text: int
    """Where its text begins, behind the start tag."""
    text_end: int
    """Where its text ends; of an item, where its own text does."""
    own: int
    """Where what stands under it begins."""
    rank: float
    """A smaller rank stands above a larger one."""


@dataclass(frozen=True, slots=True)
class Section:
    """A title in the hierarchy."""

    title: Title
    parent: int
    """Number of the section above, or -1."""
    own_end: int
    """Where the next title begins, whatever its level: up to there the text is the section's own."""
    end: int
    """Where the next title of the same or a higher level begins."""


def outline(document: Document, scale: Tag, start: int, end: int) -> list[Section]:
    """The titles of a stretch of source in the hierarchy that fonts or indents give them, in order."""
    titles = _items(document, start, end) if scale.name == "indentx" else _titles(document, scale, start, end)
    titles = _one_level_each(titles)
    parents, ends = [], [end] * len(titles)
    stack: list[int] = []
    for number, title in enumerate(titles):
        while stack and (titles[stack[-1]].rank >= title.rank or len(stack) == MAX_LEVELS):
            ends[stack.pop()] = title.start
        parents.append(stack[-1] if stack else -1)
        stack.append(number)
    following = [title.start for title in titles[1:]] + [end]
    return [Section(*found) for found in zip(titles, parents, following, ends, strict=False)]  # without titles all but one


def _titles(document: Document, scale: Tag, start: int, end: int) -> list[Title]:
    """Titles by Table 1: headings, and for ``fontx`` also bold or enlarged text that fills a line."""
    text, found = document.text, []
    opened: tuple[str, int, int, str] | None = None  # name, start, behind the tag, attributes
    for match in _TITLES.finditer(text, start, end):
        name, closing = match[2].lower(), bool(match[1])
        heading = name in _HEADINGS
        if closing:
            if opened is not None and (name == opened[0] or (heading and opened[0] in _HEADINGS)):
                rank = _rank(document, scale, *opened, match.start(), end)
                if rank is not None:
                    found.append(Title(_begin(text, opened[1], start), opened[2], match.start(), match.end(), rank))
                opened = None
        elif (heading or opened is None) and _on_scale(scale, name, match[3]):
            opened = (name, match.start(), match.end(), match[3])
    return found


def _begin(text: str, start: int, limit: int) -> int:
    """Where a title begins: with the tags that open right before it, so that the text above does not end in them."""
    before = _OPENED.search(text, max(limit, start - _BEFORE), start)
    return before.start() if before else start


def _on_scale(scale: Tag, name: str, attributes: str) -> bool:
    if scale.name == "hx":
        return name in _HEADINGS
    if scale.name == "font":
        size = _FONT_SIZE.search(attributes) if name == "font" else None
        low, high = scale.sizes or (1, 7)
        return size is not None and low <= int(size[1]) <= high
    return True


def _rank(
    document: Document, scale: Tag, name: str, start: int, text: int, attributes: str, text_end: int, end: int
) -> float | None:
    """Rank of a title: the larger the font, the smaller; bold after plain size. None: it is none."""
    source = document.text
    if scale.name == "fontx" and name not in _HEADINGS:
        before = source[max(0, start - _BEFORE) : start]
        behind = source.find(">", text_end) + 1
        if not (_LINE_START.search(before) and _LINE_END.match(source, behind, end)):
            return None
    if not plain_text(source[text:text_end]):
        return None
    look = document.looks.get(start) if document.looks is not None else None
    if look is not None:
        if scale.name == "fontx" and name == "font" and look.font_size <= _TEXT_SIZE and not look.bold:
            return None
        return -look.font_size - (_STEP if look.bold else 0.0)
    size = _HEADINGS.get(name)
    if size is not None:
        return -size - _STEP  # headings are bold
    fonted = _FONT_SIZE.search(attributes) or _FONT_SIZE.search(source[text : min(text_end, text + 100)])
    styled = _STYLED.search(attributes)
    if styled:
        size = float(styled[1]) * _UNITS[styled[2].lower()]
    elif fonted:
        size = _FONTS[fonted[1]]
    else:
        size = _TEXT_SIZE + (2.0 if name == "big" else 0.0)
    if scale.name == "fontx" and name == "font" and size <= _TEXT_SIZE:
        return None
    return -size - (_STEP if name in ("b", "strong") else 0.0)


def _items(document: Document, start: int, end: int) -> list[Title]:
    """List items, terms, definitions, and paragraphs outside lists, by how far they are indented."""
    text, found = document.text, []
    depth = 0
    for match in _ITEMS.finditer(text, start, end):
        name, closing = match[2].lower(), bool(match[1])
        if name in ("li", "dt", "dd", "p"):
            if not closing:
                look = document.looks.get(match.start()) if document.looks is not None else None
                margin = _MARGIN.search(match[3])
                indent = 40.0 * depth + (40.0 if name == "dd" else 0.0)
                indent += float(margin[1]) * _UNITS[margin[2].lower()] if margin else 0.0
                if name != "p" or depth == 0:
                    found.append((match.start(), match.end(), look.left if look is not None else indent))
        else:
            depth = max(0, depth + (-1 if closing else 1))
    titles = []
    for number, (first, behind, rank) in enumerate(found):
        own_end = found[number + 1][0] if number + 1 < len(found) else end
        if plain_text(text[behind:own_end]):
            titles.append(Title(first, behind, own_end, own_end, rank))
    return titles


def _one_level_each(titles: Sequence[Title]) -> list[Title]:
    """Titles whose ranks differ by less than a step get one rank."""
    levels: list[float] = []
    for rank in sorted({title.rank for title in titles}):
        if not levels or rank - levels[-1] >= _STEP:
            levels.append(rank)
    found = []
    for title in titles:
        rank = levels[bisect_right(levels, title.rank) - 1]
        found.append(Title(title.start, title.text, title.text_end, title.own, rank))
    return found
