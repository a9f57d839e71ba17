"""The leaves of a record's subtrees, with the path of elements that leads to each.

A leaf is a visible text node or an image with alternative text. Its path is made of tag names, steady class names, itemprop,
the column of table cells and the place among siblings that look alike in all records; the record's own root is left out, so
that a first post in an element of its own still has the paths of the replies. A run is what stands on one line: leaves
between which no block element begins or ends.

Cost: about 0.6 µs an element and 1 µs a leaf.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from typing import Literal, NamedTuple

from newsextract.page.nodes import STYLE_NAMES, Nodes

# --- leaves ---------------------------------------------------------------------------------------

ROOT = 0
"""Path of the record's root."""

INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span strike strong"
    " sub sup time tt u var wbr img picture svg input select button kw hl hit highlight keyword".split()
)
"""Elements that do not break a line of text, where no browser says how they are drawn. The last five are no HTML: engines
mark the words of the query with them."""
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
_LEAST_ALIKE, _ALIKE = 3, 0.8
"""Least number and share of the records that have a class name, or the same children of an element."""
_UNNUMBERED = _CELLS | {"p", "li", "br", "img", "a", "span"}
"""Lines of a text, entries of a list, and what stands within a line."""


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
    names: frozenset[str] = frozenset()
    """Class names with digits that nearly all records have: these are not a record's number."""
    places: dict[int, int] = field(default_factory=dict)
    """Numbers of sibling elements that only their place tells apart, where nearly all records have the same ones: the box of
    a name and the box of a text."""

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


class Leaf(NamedTuple):
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
    is_word_rest: bool = False
    """Whether it continues the word before it."""


def paths_of(nodes: Nodes, records: Sequence[Sequence[int]]) -> Paths:
    """Empty paths for the records of a region, with the class names and places that distinguish the steps of a path."""
    least = max(_LEAST_ALIKE, _ALIKE * len(records))
    times: Counter[str] = Counter()
    for roots in records:
        given = {nodes.attributes[node].get("class", "") for root in roots for node in range(root, int(nodes.ends[root]))}
        times.update({name for classes in given for name in classes.split() if any(map(str.isdigit, name))})
    paths = Paths(names=frozenset(name for name, count in times.items() if count >= least))
    groups = [[roots[0] for roots in records if len(roots) == 1]]
    while groups:
        rows = [[child for child in nodes.children[node] if nodes.tags[child]] for node in groups.pop()]
        looks: list[tuple[str, str]] = []
        inner: list[tuple[str, ...]] = []
        while True:
            place = len(looks)
            held = [(_look(nodes, row[place], paths), row) for row in rows if len(row) > place]
            look, count = Counter(look for look, _ in held).most_common(1)[0] if held else (("", ""), 0)
            if count < least:
                break
            rows = [row for own, row in held if own == look]
            looks.append(look)
            tags = (tuple(nodes.tags[child] for child in nodes.children[row[place]]) for row in rows)
            inner.append(Counter(tags).most_common(1)[0][0])
        # The first of a text's paragraphs are alike.
        is_whole = sum(len(row) == len(looks) for row in rows) >= least
        alike = Counter(looks)
        different = alike if is_whole else Counter(look for look, _ in set(zip(looks, inner, strict=True)))
        for place, look in enumerate(looks):
            if different[look] > 1 and look[0] not in _UNNUMBERED:
                paths.places.update((row[place], place) for row in rows)
        groups += [[row[place] for row in rows] for place in range(len(looks))]
    return paths


def _look(nodes: Nodes, node: int, paths: Paths) -> tuple[str, str]:
    """Tag and marks of an element."""
    return nodes.tags[node], _marks(nodes.attributes[node], paths)


def read_leaves(nodes: Nodes, roots: Sequence[int], paths: Paths) -> list[Leaf]:
    """The leaves of a record in document order."""
    tags, texts, attributes, visible = nodes.tags, nodes.texts, nodes.attributes, nodes.visible
    inline = _inline_rows(nodes)
    styles = nodes.geometry.styles if nodes.geometry is not None else None
    leaves: list[Leaf] = []
    run = 0
    for place, root in enumerate(roots):
        end = int(nodes.ends[root])
        seen = visible[root:end].tolist()
        parents = nodes.parents[root:end].tolist()
        ends = nodes.ends[root:end].tolist()
        rows = styles[root:end].tolist() if styles is not None else None
        # A further root has a path of its own, told by its tag: rows of a table, dt and dd.
        base = ROOT if place == 0 else paths.number(ROOT, tags[root], _marks(attributes[root], paths) + f" +{place}")
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
                    leaves.append(Leaf(node, texts[node], holders, chain, run, link, is_word_rest=node in nodes.word_rests))
                continue
            own = attributes[node]
            marks = _marks(own, paths) if own else ""
            if tag in _CELLS:
                cells[parent] = cells.get(parent, -1) + 1
            number = cells[parent] if tag in _CELLS else paths.places.get(node, -1)
            marks = f"{marks} [{number}]" if number >= 0 else marks
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
def _steady(classes: str, names: frozenset[str]) -> str:
    return " ".join([name for name in classes.split()[:8] if name in names or not _UNSTEADY.fullmatch(name)])


def _marks(attributes: Mapping[str, str], paths: Paths) -> str:
    """Steady classes and itemprop of an element."""
    marks = _steady(attributes["class"], paths.names) if "class" in attributes else ""
    return f"{marks} @{attributes['itemprop']}" if "itemprop" in attributes else marks


def _inline_rows(nodes: Nodes) -> frozenset[int]:
    """Rows of the style table that are drawn within a line."""
    if nodes.geometry is None:
        return frozenset()
    table = nodes.geometry.style_table
    return frozenset(row for row, styles in enumerate(table) if styles[_DISPLAY].startswith(("inline", "contents", "ruby")))


# --- spacing --------------------------------------------------------------------------------------
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


def line_text(nodes: Nodes, line: Sequence[int]) -> str:
    """The text of neighbouring text nodes, at least one, as a reader sees it."""
    return joined([nodes.texts[node] for node in line], [node in nodes.word_rests for node in line])


def leaves_text(leaves: Sequence[Leaf]) -> str:
    """The text of neighbouring leaves, at least one, as a reader sees it."""
    return joined([leaf.text for leaf in leaves], [leaf.is_word_rest for leaf in leaves])


def joined(texts: Sequence[str], word_rests: Sequence[bool] = ()) -> str:
    """Texts of neighbouring text nodes as one text.

    :param texts: none of them empty.
    :param word_rests: whether each continues the word before it; none does where nothing is said.
    """
    if len(texts) == 1:
        return texts[0]
    if len(texts) < _MANY and _ADDRESS.fullmatch(address := "".join(texts)):
        return address
    parts = [texts[0]]
    end = texts[0]
    for number, text in enumerate(texts[1:], 1):
        if not (word_rests and word_rests[number]) and _is_apart(end, text):
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
# A date, a number, a price, an address, or words. Only the form is looked at; dates are read by
# :mod:`newsextract.fields.dates` where their value counts.

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
  | \d{{1,2}}(?:st|nd|rd|th|\.)?[\s/-]{_MONTH}\.?,?[\s/-]\d{{2,4}}
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
    if len(text) <= MAX_DATE and (date := find_day(text, counted=counted)) is not None:
        beside = text[: date.start()] + text[date.end() :]
        if text_width(beside) <= MAX_BESIDE:
            return "date"
    if len(text) <= MAX_PRICE and _PRICE.match(text):
        return "price"
    if counted and _NUMBER.fullmatch(text):
        return "number"
    if len(text) <= MAX_ADDRESS and ("." in text or "/" in text) and _WEB_ADDRESS.fullmatch(text):
        return "address"
    return "text"


def find_day(text: str, *, counted: bool = True) -> re.Match[str] | None:
    """The first date in a text.

    :param counted: whether the text has digits.
    """
    found = _NUMERIC_DATE.search(text) if counted else None
    if found is None and _DATE_HINT.search(lower := text.lower()):
        found = _WORD_DATE.search(lower)
    return found or _CJK_DAY.search(text)


def names_day(text: str) -> bool:
    """Whether a text with digits has a date."""
    return find_day(text) is not None


def text_width(text: str) -> int:
    """Characters of a text, Chinese and Japanese ones counted twice."""
    return len(text) if text.isascii() else len(text) + sum(character > _CJK_BEGIN for character in text)


def has_word(text: str) -> bool:
    """Whether there is a letter or digit in it."""
    return any(map(str.isalnum, text))


# --- lines ----------------------------------------------------------------------------------------
# Which leaves of a line of text make one data item: a title with highlighted query words, "by Jane Doe" or a snippet are one
# item each, though several leaves; "12 points" and "7 comments" beside each other are two. What tells them apart is the
# element that holds the pieces: where it has words of its own beside its child elements, its line is prose and one item;
# where all words are in child elements, these are columns. The decision is made for a path of elements from all records
# together, so that a title without a highlighted word has the same path as one with two.
#
# Two forms of prose are columns all the same: a link at the start with words behind it (a title and its year), and a link
# at the end that reads the same in all records ("more"). Equal child elements with nothing but separators between them are
# one item (a list of authors), and so is a link whose pieces differ from record to record.
#
# Measured on testbed, folds 1–4: see :mod:`newsextract.records.items`.

_SHARE = 0.3
"""Share of the lines of a path that must have words of their own between elements."""
_STATIC_SHARE = 0.8
_LINK_FIRST_SHARE = 0.7
"""Share of the lines of a path that must be a link and words behind it, for these to be two items."""
_FEW = 3


@dataclass(slots=True)
class _Holder:
    """What the lines of one path look like in all records."""

    lines: int = 0
    """Lines with more than one piece."""
    mixed: int = 0
    """Those with words of their own."""
    link_first: int = 0
    """Those that are a link and words behind it."""
    orders: set[tuple[int, ...]] = field(default_factory=set)
    """Sequences of the elements in lines without words of their own."""
    listed: int = 0
    """Those that are equal elements with separators between them."""
    first: Counter[int] = field(default_factory=Counter)
    """Paths of the elements at the start."""
    elements: set[int] = field(default_factory=set)
    """Paths of the elements in lines with words of their own, or in lists."""
    inner: set[int] = field(default_factory=set)
    """Paths of the elements that are not at the end."""
    tails: Counter[tuple[int, str]] = field(default_factory=Counter)
    """Path and text of links at the end."""
    words: Counter[str] = field(default_factory=Counter)
    """The first words of its own."""


class Piece(NamedTuple):
    """One data item before it has a column: leaves of one record."""

    leaves: tuple[Leaf, ...]
    path: int
    """Path of the element that holds them all."""


def read_pieces(records: Sequence[Sequence[Leaf]], paths: Paths) -> list[list[Piece]]:
    """The pieces of each record in document order, images too.

    :param records: the leaves of each.
    """
    lines = [[list(line) for _, line in groupby(record, key=lambda leaf: leaf.run)] for record in records]
    prose = _prose(lines, paths)
    return [[piece for line in record for piece in _cut(line, prose)] for record in lines]


def _prose(records: list[list[list[Leaf]]], paths: Paths) -> dict[int, set[int]]:
    """Paths whose lines are one item each, and the paths of the elements that belong to each (-1: its own words)."""
    holders: dict[int, _Holder] = {}
    for record in records:
        for line in record:
            if len(line) > 1:
                _count(line, holders, paths)
    prose: dict[int, set[int]] = {}
    for path, seen in holders.items():
        varied = paths.tags[path] == "a" and len(seen.orders) >= max(_FEW, _SHARE * seen.lines)
        if not varied and seen.mixed < _SHARE * seen.lines and seen.listed < 0.5 * seen.lines:
            continue
        if varied:
            seen.elements.update(*seen.orders)
        within = {-1, *seen.elements}
        if seen.link_first >= _LINK_FIRST_SHARE * seen.lines:
            within.discard(seen.first.most_common(1)[0][0])
        for (tail, _), count in seen.tails.items():
            labelled = max(seen.words.values(), default=0) >= _STATIC_SHARE * seen.mixed  # "sold by" before the same seller
            if count >= max(_FEW, _STATIC_SHARE * seen.lines) and tail not in seen.inner and not labelled:
                within.discard(tail)
        prose[path] = within
    return prose


def _count(line: list[Leaf], holders: dict[int, _Holder], paths: Paths) -> None:
    """Count one line for each element that holds more than one piece of it."""
    pieces: dict[int, list[tuple[int, int, Leaf]]] = {}
    at: dict[int, int] = {}
    for leaf in line:
        if leaf.image:
            continue
        below, path_below = leaf.node, -1
        for holder, path in zip(leaf.holders, leaf.paths, strict=True):
            found = pieces.setdefault(holder, [])
            at[holder] = path
            if not found or found[-1][0] != below:
                found.append((below, path_below, leaf))
            below, path_below = holder, path
    for holder, found in pieces.items():
        if len(found) < 2:
            continue
        seen = holders.setdefault(at[holder], _Holder())
        seen.lines += 1
        elements = [path for _, path, _ in found if path >= 0]
        # Around what is marked in it, the rest of a text may be in elements, too.
        words = [has_word(leaf.text) if path < 0 else paths.tags[path] == "mark" for _, path, leaf in found]
        if any(words):
            seen.mixed += 1
            seen.elements.update(elements)
            seen.words[found[words.index(True)][2].text] += 1
            first, last = found[0], found[-1]
            if len(elements) == 1 and first[1] >= 0 and (paths.tags[first[1]] == "a" or last[2].text[0] in "(（"):
                seen.link_first += 1
            seen.first[first[1]] += 1
            seen.inner.update(path for _, path, _ in found[:-1])
            if last[1] >= 0 and paths.tags[last[1]] == "a":
                seen.tails[last[1], last[2].text] += 1
            continue
        seen.orders.add(tuple(elements))
        if len(elements) > 1 and len(set(elements)) == 1 and len(elements) < len(found):
            seen.listed += 1
            seen.elements.update(elements)


def _cut(line: list[Leaf], prose: dict[int, set[int]]) -> list[Piece]:
    """The pieces of a line; separators that stand alone go with a neighbour."""
    groups: list[tuple[list[Leaf], int, int]] = []
    images: list[Piece] = []
    for leaf in line:
        if leaf.image:
            images.append(Piece((leaf,), leaf.paths[0]))
            continue
        holder, path = leaf.holders[0], leaf.paths[0]
        below = -1
        for outer, outer_path in zip(leaf.holders, leaf.paths, strict=True):
            if below in prose.get(outer_path, ()):
                holder, path = outer, outer_path
            below = outer_path
        if groups and groups[-1][1] == holder:
            groups[-1][0].append(leaf)
        else:
            groups.append(([leaf], holder, path))
    return _with_separators(groups) + images


def _with_separators(groups: list[tuple[list[Leaf], int, int]]) -> list[Piece]:
    """Pieces of a line; separators go with the neighbour that shares more elements with them, commas with the one before."""
    if len(groups) == 1:
        leaves, _, path = groups[0]
        return [Piece(tuple(leaves), path)]
    pieces: list[Piece] = []
    waiting: list[Leaf] = []
    for place, (leaves, _, path) in enumerate(groups):
        if any(has_word(leaf.text) for leaf in leaves):
            pieces.append(Piece((*waiting, *leaves), path))
            waiting = []
            continue
        beside = groups[max(0, place - 1) : place] + groups[place + 1 : place + 2]
        alone = len(leaves[0].holders) > 1 and all(leaves[0].holders[0] not in other[0].holders for other, _, _ in beside)
        if alone or leaves[0].text in _DROPPED:
            continue
        before = _shared(groups[place - 1][0][-1], leaves[0]) if place else -1
        behind = _shared(leaves[-1], groups[place + 1][0][0]) if place + 1 < len(groups) else -1
        if pieces and (before > behind or (before == behind and leaves[0].text[0] in _CLOSING_MARKS)):
            pieces[-1] = Piece((*pieces[-1].leaves, *waiting, *leaves), pieces[-1].path)
            waiting = []
        else:
            waiting += leaves
    if waiting and pieces:
        pieces[-1] = Piece((*pieces[-1].leaves, *waiting), pieces[-1].path)
    elif waiting:
        pieces.append(Piece(tuple(waiting), groups[0][2]))
    return pieces


def _shared(one: Leaf, other: Leaf) -> int:
    """How many elements around one leaf are also around the other, within their line."""
    return len(set(one.holders) & set(other.holders))


_DROPPED = frozenset((",", ";", "，", "、", "·", "•"))
"""Separators that nobody misses."""
_CLOSING_MARKS = frozenset(",;:.!?)]}»”’，。；：、）】")


# --- free text ------------------------------------------------------------------------------------
# An element that holds text as its author set it (a post's body with paragraphs, quotations, lists and code in any order) is
# one data item. It is told by its children: they are elements of running text, and their order is another in many of the
# records, where the order of fields is the same in all.

_PROSE = frozenset(
    "p blockquote q ul ol li pre code kbd h1 h2 h3 h4 h5 h6 hr br figure figcaption details summary table div span"
    " b i em strong u s del ins a img sub sup small font mark cite center section".split()
)
_PLAIN = frozenset(("div", "span", "a", "section", "table", "b", "i", "strong", "em", "small", "font"))
"""Those that hold fields as often: they count where they have no class."""
_TEXT = frozenset(("p", "blockquote", "pre", "ul", "ol"))
"""Those of which one must be there, unless the element has words of its own."""
LEAST_ORDERS = 3
ORDERS_SHARE = 0.3
"""Share of the records that have an order of children of their own."""
LEAST_LENGTH = 60
"""Mean characters of a record's text in the element."""


def free_texts(records: Sequence[Sequence[Piece]], paths: Paths) -> dict[int, int]:
    """Path of a piece → path of the outermost element of free text around it, where there is one."""
    below: dict[int, set[int]] = defaultdict(set)
    for path in {piece.path for record in records for piece in record}:
        child = -1
        while path > ROOT:
            below[path].add(child)
            child, path = path, paths.parents[path]
    able = {path for path, children in below.items() if _can_be_free(children, paths)}
    if not able:
        return {}
    orders: dict[int, dict[int, list[int]]] = defaultdict(dict)
    lengths: dict[int, int] = defaultdict(int)
    for number, record in enumerate(records):
        for piece in record:
            length = sum(len(leaf.text) for leaf in piece.leaves)
            child, path = -1, piece.path
            while path > ROOT:
                if path in able:
                    order = orders[path].setdefault(number, [])
                    if not order or order[-1] != child:
                        order.append(child)
                    lengths[path] += length
                child, path = path, paths.parents[path]
    free = {path for path in able if _is_free(list(orders[path].values()), lengths[path])}
    found: dict[int, int] = {}
    for path in below if free else ():
        step = path
        while step > ROOT:
            if step in free:
                found[path] = step
            step = paths.parents[step]
    return found


def _can_be_free(children: set[int], paths: Paths) -> bool:
    """Whether an element's children are elements of running text, or its own words."""
    if not all(child < 0 or _is_prose(child, paths) for child in children):
        return False
    return any(child < 0 or paths.tags[child] in _TEXT for child in children)


def _is_free(orders: list[list[int]], length: int) -> bool:
    """Whether the order of the children is another in many records."""
    distinct = {tuple(order) for order in orders}
    if len(distinct) < LEAST_ORDERS or length < LEAST_LENGTH * len(orders):
        return False
    turning = any(len(set(order)) < len(order) for order in orders)
    return turning or len(distinct) >= ORDERS_SHARE * len(orders)


def _is_prose(path: int, paths: Paths) -> bool:
    tag = paths.tags[path]
    return tag in _PROSE and not (tag in _PLAIN and paths.marks[path])
