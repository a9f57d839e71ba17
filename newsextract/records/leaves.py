"""The leaves of a record's subtrees, with the path of elements that leads to each.

A leaf is a visible text node or an image with alternative text. Its path is made of tag names, steady class names, itemprop
and the column of table cells; the record's own root is left out, so that a first post in an element of its own still has
the paths of the replies. A run is what stands on one line of text: leaves between which no block element begins or ends.

Cost: about 0.6 µs an element and 1 µs a leaf.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from newsextract.page.nodes import STYLE_NAMES, Nodes

# --- leaves ---------------------------------------------------------------------------------------

ROOT = 0
"""Path of the record's root."""

INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span strike strong"
    " sub sup time tt u var wbr img picture svg input select button".split()
)
"""Elements that do not break a line of text, where no browser says how they are drawn."""
_NO_BREAK = frozenset(("img", "wbr", "svg", "path", "picture", "source", "script", "style", "template", "noscript"))
_CELLS = frozenset(("td", "th"))
_DISPLAY = STYLE_NAMES.index("display")
_UNSTEADY = re.compile(
    r".*\d.*|(?:is|has|no)[-_].*|odd|even|first|last|alt|active|selected|current|visited|hover|ng-.*|js-.*|clearfix",
    re.IGNORECASE,
)
"""Class names that tell a record's number or state, not what an element is."""


MAX_STEPS = 128
"""Steps of a path; what is nested deeper has the path of an element at this depth."""
MAX_HOLDERS = 50
"""Elements around a leaf that are kept. On 334 pages of the bench, folds 1–4, it has 7 at most, and paths have 32 steps."""


@dataclass(slots=True)
class Paths:
    """Element paths by number."""

    parents: list[int] = field(default_factory=lambda: [-1])
    tags: list[str] = field(default_factory=lambda: [""])
    marks: list[str] = field(default_factory=lambda: [""])
    """Steady classes and itemprop, separated by blanks."""
    lengths: list[int] = field(default_factory=lambda: [0])
    """Steps of each."""
    numbers: dict[tuple[int, str, str], int] = field(default_factory=dict)

    def number(self, parent: int, tag: str, marks: str) -> int:
        """The number of a path that is one step longer than ``parent``, at most :data:`MAX_STEPS`."""
        if self.lengths[parent] == MAX_STEPS:
            parent = self.parents[parent]
        step = (parent, tag, marks)
        found = self.numbers.get(step)
        if found is None:
            found = self.numbers[step] = len(self.tags)
            self.parents.append(parent)
            self.tags.append(tag)
            self.marks.append(marks)
            self.lengths.append(self.lengths[parent] + 1)
        return found

    def steps(self, path: int) -> list[int]:
        """The paths from the one below the root to ``path``."""
        found = []
        while path > ROOT:
            found.append(path)
            path = self.parents[path]
        return found[::-1]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A visible text node, or an image with alternative text."""

    node: int
    text: str
    holders: tuple[int, ...]
    """Elements around it, from its parent to the next block element (the record's root at last): the nearest, and
    that block element, at most :data:`MAX_HOLDERS`."""
    paths: tuple[int, ...]
    """Paths of ``holders``."""
    run: int
    """Number of its line of text in the record."""
    link: int
    """The link around it, or -1."""
    image: bool = False


def read_leaves(nodes: Nodes, roots: Sequence[int], paths: Paths) -> list[Leaf]:
    """The leaves of a record in document order."""
    tags, texts, attributes, visible = nodes.tags, nodes.texts, nodes.attributes, nodes.visible
    inline = _inline_rows(nodes)
    styles = nodes.geometry.styles if nodes.geometry is not None else None
    leaves: list[Leaf] = []
    run = 0
    for number, root in enumerate(roots):
        end = int(nodes.ends[root])
        seen = visible[root:end].tolist()
        parents = nodes.parents[root:end].tolist()
        ends = nodes.ends[root:end].tolist()
        rows = styles[root:end].tolist() if styles is not None else None
        # A further root has a path of its own, told by its tag: rows of a table, dt and dd.
        base = ROOT if number == 0 else paths.number(ROOT, tags[root], _marks(attributes[root]) + f" +{number}")
        path_of: dict[int, int] = {root: base}
        holder_of: dict[int, tuple[tuple[int, ...], tuple[int, ...], int]] = {root: ((root,), (base,), -1)}
        breaks: set[int] = set()
        cells: dict[int, int] = {}
        run += 1
        if tags[root] == "":
            leaves.append(Leaf(root, texts[root], (root,), (base,), run, -1))
            continue
        if tags[root] == "a":
            holder_of[root] = ((root,), (base,), root)
        for node in range(root + 1, end):
            tag = tags[node]
            if node in breaks:
                run += 1
            parent = parents[node - root]
            if tag == "":
                if seen[node - root]:
                    holders, chain, link = holder_of[parent]
                    leaves.append(Leaf(node, texts[node], holders, chain, run, link))
                continue
            own = attributes[node]
            marks = _marks(own) if own else ""
            if tag in _CELLS:
                cells[parent] = column = cells.get(parent, -1) + 1
                marks += f" [{column}]"
            path = path_of[node] = paths.number(path_of[parent], tag, marks)
            holders, chain, link = holder_of[parent]
            if tag == "img":
                alt = " ".join(own.get("alt", "").split())
                if alt and seen[node - root]:
                    leaves.append(Leaf(node, alt, holders, (path,), run, link, image=True))
                continue
            if tag == "a" and "href" in own:
                link = node
            # A line break is drawn inline, too.
            flows = tag in INLINE if rows is None else (rows[node - root] in inline and tag != "br") or tag in _NO_BREAK
            if flows:
                if len(holders) == MAX_HOLDERS:
                    holders, chain = (*holders[:-2], holders[-1]), (*chain[:-2], chain[-1])
                holder_of[node] = ((node, *holders), (path, *chain), link)
            else:
                holder_of[node] = ((node,), (path,), link)
                if tag not in _NO_BREAK:
                    run += 1
                    breaks.add(ends[node - root])
    return leaves


@lru_cache(maxsize=4_096)
def _steady(classes: str) -> str:
    return " ".join([name for name in classes.split()[:8] if not _UNSTEADY.fullmatch(name)])


def _marks(attributes: Mapping[str, str]) -> str:
    """Steady classes and itemprop of an element."""
    marks = _steady(attributes["class"]) if "class" in attributes else ""
    return f"{marks} @{attributes['itemprop']}" if "itemprop" in attributes else marks


def _inline_rows(nodes: Nodes) -> frozenset[int]:
    """Rows of the style table that are drawn within a line."""
    if nodes.geometry is None:
        return frozenset()
    table = nodes.geometry.style_table
    return frozenset(row for row, styles in enumerate(table) if styles[_DISPLAY].startswith(("inline", "contents", "ruby")))


# --- spacing --------------------------------------------------------------------------------------
# The text of several text nodes of one line as a reader sees it.
#
# Text nodes carry no white space at their ends, so whether a blank stood between two of them is told from the characters:
# none before closing marks, none behind opening ones, none within an address, none between Chinese or Japanese characters.
#
# On testbed, folds 1–4, 0.93 of the true columns stand on the page as running text, 0.90 if a blank is put between all
# nodes.

_CLOSING = frozenset(",;:.!?)]}%»”’，。；：！？、）】》」』…")
_OPENING = frozenset("([{«“‘（【《「『#@$€£")
_CJK = re.compile("[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]")
_ELLIPSES = frozenset(("...", "…", ". . ."))
_ADDRESS = re.compile(r"(?:https?://|www\.|/[\w.-]*/|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,10}/)[^\s…]*", re.IGNORECASE)
"""A text that is nothing but an address."""
_HOST = re.compile(r"(?:https?://|www\.|[a-z0-9-]{2,}\.[a-z0-9-]{2,}\.$|[a-z0-9-]\.[a-z]{2,10}/)")
_LINKING = frozenset("/._=&?-")


def joined(texts: Sequence[str]) -> str:
    """Texts of neighbouring text nodes as one text.

    :param texts: none of them empty.
    """
    if len(texts) == 1:
        return texts[0]
    if len(texts) < _MANY and _ADDRESS.fullmatch(address := "".join(texts)):
        return address
    parts = [texts[0]]
    end = texts[0]
    for text in texts[1:]:
        if _is_apart(end, text):
            parts.append(" ")
            end = text
        else:
            end = end[-200:] + text
        parts.append(text)
    return "".join(parts)


_MANY = 20
"""Pieces that no address is made of."""
_MAX_WORD = 300
"""Characters of a word in which a host is looked for: the search costs their square."""


def _is_apart(before: str, text: str) -> bool:
    """Whether a blank stands between two texts."""
    last, first = before[-1], text[0]
    if first in _CLOSING:
        return text in _ELLIPSES
    if last in _OPENING or (last == "_" and len(before) > 1):
        return False
    if first == "-" or last == "-":
        inner = before[-2:-1] if last == "-" else text[1:2]
        return not inner.isalnum() or not (first if last == "-" else last).isalnum()
    if _CJK.match(last) and _CJK.match(first):
        return False
    word = before[-_MAX_WORD:].rsplit(" ", 1)[-1]
    return not ((last in _LINKING or first in _LINKING) and not before.endswith(("...", "…")) and _HOST.search(word))


# --- text kinds -----------------------------------------------------------------------------------
# What kind of text a data item is: a date, a number, a price, an address, or words.
#
# Only the form is looked at; dates are read by :mod:`newsextract.fields.dates` where their value counts.
#
# Cost: under 1 µs for short texts.

TextKind = Literal["date", "number", "price", "address", "text", "none"]

_CURRENCY = r"(?:[A-Z]{1,3})?[$€£¥￥₹₽₩]|(?:USD|EUR|GBP|CAD|AUD|CHF|CNY|JPY|INR|Rs\.?|kr|zł)\b"
_AMOUNT = r"\d[\d.,\s]{0,14}"
_PRICE = re.compile(
    rf"[^\w$€£¥￥₹]{{0,3}}(?:from\s)?(?:{_CURRENCY})\s?(?:{_AMOUNT})?|{_AMOUNT}(?:{_CURRENCY}|元)", re.IGNORECASE
)
_NUMBER = re.compile(r"\W{0,3}\d[\d.,:/\s]{0,12}(?:%|[kKM]\b)?\W{0,2}")
_WEB_ADDRESS = re.compile(
    r"(?:https?://|www\.)\S{3,}.{0,300}|(?:[\w-]{1,40}\.){1,4}[a-z]{2,10}(?:(?:\s?[/›»]\s?).{0,300})?|/[\w.-]+(?:/[\w.-]*)+",
    re.IGNORECASE,
)
_NUMERIC_DATE = re.compile(
    r"\d{4}\s?[-/.年]\s?\d{1,2}\s?[-/.月]\s?\d{1,2}|(?<!\d)\d{1,2}\s?[-/.]\s?\d{1,2}\s?[-/.]\s?\d{2,4}(?!\d)|\d{1,2}月\d{1,2}日"
    r"|\d{1,3}\s?(?:秒|分钟|小时|个小时|天|周|个月|年|分|時間|日|か月)前"
)
_MONTH = (
    r"(?:jan|feb|mar|apr|may|mai|jun|jul|aug|sep|sept|oct|okt|nov|dec|dez|janv|févr|mars|avr|juin|juil|août|déc|ene|abr|ago|dic)"
    r"[a-zé]{0,7}"
)
_WORD_DATE = re.compile(
    rf"""(?:
    (?<![^\W\d_]){_MONTH}\.?\s\d{{1,2}}(?:st|nd|rd|th)?(?:\s?,)?(?:\s\d{{4}}|\b)
  | \d{{1,2}}(?:st|nd|rd|th|\.)?[\s-]{_MONTH}\.?,?[\s-]\d{{2,4}}
  | \b{_MONTH}\s(?:19|20)\d\d\b
  | \b\d{{1,3}}\+?\s?(?:second|sec|minute|min|hour|hr|day|week|month|year)s?\sago
  | (?:an?|one)\s(?:minute|hour|day|week|month|year)\sago
  | \byesterday\b | \btoday\b
  | \bvor\s\d{{1,3}}\s\w{{3,9}} | \bil\sy\sa\s\d{{1,3}}\s | \bhace\s\d{{1,3}}\s
    )""",
    re.VERBOSE,
)
_DATE_HINT = re.compile(
    "jan|f[eé]b|mar|apr|avr|abr|may|mai|jui?n|jui?l|aug|ao[uû]t|sep|o[ck]t|nov|d[eé][cz]|ene|ago|dic|day|vor|hace|il y"
)
"""What a date in words has: this search costs a tenth of that for dates."""
_CJK_DAY = re.compile(r"(?:昨天|前天|今天|昨日|今日)\s?(?:\d{1,2}[:：]\d\d)?")
_CJK_BEGIN = "\u2e80"
_DIGIT = re.compile(r"\d")
MAX_BESIDE = 32
"""Characters beside a date in a text that is hardly more, Chinese and Japanese ones counted twice."""
MAX_DATE, MAX_PRICE, MAX_ADDRESS = 60, 40, 400
"""Characters of texts that are hardly more than a date, a price or an address."""


@lru_cache(maxsize=8_192)
def text_kind(text: str) -> TextKind:
    """What kind of text it is; ``none``: it has neither letter nor digit."""
    if not has_word(text):
        return "none"
    counted = _DIGIT.search(text) is not None
    if len(text) <= MAX_DATE and (date := _date(text, counted)) is not None:
        beside = text[: date.start()] + text[date.end() :]
        if len(beside) + sum(character > _CJK_BEGIN for character in beside) <= MAX_BESIDE:
            return "date"
    if len(text) <= MAX_PRICE and _PRICE.match(text):
        return "price"
    if counted and _NUMBER.fullmatch(text):
        return "number"
    if len(text) <= MAX_ADDRESS and ("." in text or "/" in text) and _WEB_ADDRESS.fullmatch(text):
        return "address"
    return "text"


def _date(text: str, counted: bool) -> re.Match[str] | None:
    """The first date in a text."""
    found = _NUMERIC_DATE.search(text) if counted else None
    if found is None and _DATE_HINT.search(lower := text.lower()):
        found = _WORD_DATE.search(lower)
    return found or _CJK_DAY.search(text)


def has_word(text: str) -> bool:
    """Whether there is a letter or digit in it."""
    return any(map(str.isalnum, text))
