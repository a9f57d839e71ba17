"""Which leaves of a line of text make one data item.

A title with highlighted query words, "by Jane Doe" or a snippet are one item each, though several leaves; "12 points" and "7
comments" beside each other are two. What tells them apart is the element that holds the pieces: where it has words of its
own beside its child elements, its line is prose and one item; where all words are in child elements, these are columns. The
decision is made for a path of elements from all records together, so that a title without a highlighted word has the same
path as one with two.

Two forms of prose are columns all the same: a link at the start with words behind it (a title and its year), and a link at
the end that reads the same in all records ("more"). Equal child elements with nothing but separators between them are one
item (a list of authors), and so is a link whose pieces differ from record to record.

Measured on testbed, folds 1–4: see :mod:`newsextract.records.items`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from newsextract.records.leaves import ROOT, Leaf, Paths, has_word

# --- lines ----------------------------------------------------------------------------------------

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


@dataclass(frozen=True, slots=True)
class Piece:
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
        words = [path < 0 and has_word(leaf.text) for _, path, leaf in found]
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
        alone = len(leaves[0].holders) > 1 and leaves[0].holders[0] not in _around(groups, place)
        if alone or leaves[0].text in _DROPPED:
            continue
        before = _shared(groups[place - 1][0][-1], leaves[0]) if place else -1
        behind = _shared(leaves[-1], groups[place + 1][0][0]) if place + 1 < len(groups) else -1
        if pieces and (before > behind or (before == behind and leaves[0].text[0] in _CLOSING)):
            pieces[-1] = Piece((*pieces[-1].leaves, *waiting, *leaves), pieces[-1].path)
            waiting = []
        else:
            waiting += leaves
    if waiting and pieces:
        pieces[-1] = Piece((*pieces[-1].leaves, *waiting), pieces[-1].path)
    elif waiting:
        pieces.append(Piece(tuple(waiting), groups[0][2]))
    return pieces


def _around(groups: list[tuple[list[Leaf], int, int]], place: int) -> set[int]:
    """Elements around the neighbours of a group."""
    return {
        holder
        for leaves, _, _ in groups[max(0, place - 1) : place] + groups[place + 1 : place + 2]
        for holder in leaves[0].holders
    }


def _shared(one: Leaf, other: Leaf) -> int:
    """How many elements around one leaf are also around the other, within their line."""
    return len(set(one.holders) & set(other.holders))


_DROPPED = frozenset((",", ";", "，", "、", "·", "•"))
"""Separators that nobody misses."""
_CLOSING = frozenset(",;:.!?)]}»”’，。；：、）】")


# --- free text ------------------------------------------------------------------------------------
# Elements that hold text as its author set it: a post's body with paragraphs, quotations, lists and code in any order.
#
# What stands in such an element is one data item, not a column for each kind of element. It is told by its children: they
# are elements of running text, and their order is another in many of the records, where the order of fields is the same in
# all.
#
# Cost: linear in the number of pieces times their depth.

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
