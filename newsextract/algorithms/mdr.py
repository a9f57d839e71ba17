"""Records by repeated tags: Liu, Grossman & Zhai, "Mining data records in Web pages" (MDR), KDD 2003. A baseline, in the
DOM alone.

The idea: records of a list stand beside each other under one parent, and their tags repeat. So in the tree of elements, runs
of 1 to K adjacent children (*generalised nodes*) are compared with the run that follows, by normalised edit distance of
their strings of tags; a stretch of similar ones is a *data region* (§3.2, §3.3). What in a generalised node is a record is
then told from its children (§3.4): a row of a grid holds one in each cell, two rows of a table may hold the parts of many
side by side. Text plays no part. The paper names all regions of a page; here the one with the most text is the main one.

Read where the paper is silent, or where its rule has no bounds:

* distance is divided by the mean length of the two strings; hidden elements do not count;
* a generalised node of several children that are similar to each other holds several records, as in the authors' later
  DEPTA (F1 on folds 1-4 .490 pooled, .338 macro without, .673 and .567 with);
* a row whose cells hold fewer than three elements on average is a row of data, hence one record;
* generalised nodes of more than :data:`LONGEST` elements are no records and not compared, and after :data:`MOST_STEPS`
  characters compared nothing more is.

Cost: K comparisons a child, most of them settled by equal strings or lengths: 3 ms on the median page of the bench, 0.15 s
on the largest, some 2 s on a page made to be expensive.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from newsextract.algorithms import check_ranges
from newsextract.page.nodes import Nodes
from newsextract.page.page import Page
from newsextract.results import RecordSet, Region

# --- edit distance --------------------------------------------------------------------------------
# Bit-parallel, after Myers, "A fast bit-vector algorithm for approximate string matching based on dynamic programming",
# Journal of the ACM 46 (1999), in the form of Hyyrö 2003: a column of the table of distances is two integers with a bit a
# row.
#
# Cost: 0.7 µs a character against strings of up to 60 characters, 1.6 µs against 1,000.


def distance(a: str, b: str, limit: int) -> int:
    """Fewest insertions, deletions and replacements of single characters that make one string of the other.

    :param limit: larger distances need not be told apart: what is returned for them is some number over the limit.
    """
    first, last = 0, 0
    shorter = min(len(a), len(b))
    while first < shorter and a[first] == b[first]:
        first += 1
    while last < shorter - first and a[-1 - last] == b[-1 - last]:
        last += 1
    a, b = a[first : len(a) - last], b[first : len(b) - last]
    if not a or not b:
        return len(a) + len(b)
    if len(a) > len(b):
        a, b = b, a
    where: dict[str, int] = {}
    for row, character in enumerate(a):
        where[character] = where.get(character, 0) | 1 << row
    every = (1 << len(a)) - 1
    bottom = 1 << (len(a) - 1)
    up, down = every, 0  # rows where the distance is one more, one less than in the row above
    score = len(a)
    left = len(b)
    for character in b:
        equal = where.get(character, 0)
        diagonal = (((equal & up) + up) ^ up) | equal | down
        more = down | ~(diagonal | up)
        less = up & diagonal
        if more & bottom:
            score += 1
        elif less & bottom:
            score -= 1
        left -= 1
        if score - left > limit:  # it falls by at most one a character
            return score
        more = more << 1 | 1
        up = (less << 1 | ~(diagonal | more)) & every
        down = more & diagonal & every
    return score


# --- mdr ------------------------------------------------------------------------------------------

LONGEST = 1_000
"""Elements of a generalised node."""
MOST_STEPS = 1_500_000
"""Characters of tag strings that are compared in one page: about two seconds."""
_CELL = 3
"""Mean number of elements from which on the cells of a table's row are records."""
_EVIDENCE = 50
"""Regions in the evidence."""


@dataclass(frozen=True, slots=True)
class MDRParams:
    """Parameters; the defaults are the published values."""

    max_nodes: int = field(default=10, metadata={"unit": "nodes", "section": "§3.2: K", "range": "1–1000"})
    """The most adjacent children that make a generalised node."""
    distance: float = field(default=0.3, metadata={"unit": "", "section": "§3.3: T", "range": "0–1"})
    """The largest normalised edit distance of similar generalised nodes."""
    all_regions: bool = field(default=False, metadata={"unit": "", "section": "§3.3", "range": "true, false"})
    """Whether all data regions are answered, menus among them, as in the paper; false: the one with the most text."""

    def __post_init__(self) -> None:
        check_ranges("mdr", self)


DEFAULT = MDRParams()


class MDR:
    """The algorithm, ready to be called on pages."""

    def __init__(self, params: MDRParams) -> None:
        self.params = params

    def __call__(self, page: Page, *, evidence: bool = False) -> RecordSet:
        """Find the data regions of a page and the records in them."""
        nodes = page.nodes
        tree = TagTree(nodes)
        similar = _Similar(self.params.distance)
        seen = [len(text) if visible else 0 for text, visible in zip(nodes.texts, nodes.visible.tolist(), strict=True)]
        before = np.concatenate(([0], np.cumsum(seen)))

        def chars(roots: Sequence[int]) -> int:
            return int(sum(before[nodes.ends[root]] - before[root] for root in roots))

        found: list[Region] = []
        total = max(1, int(before[-1]))
        for span in data_regions(tree, self.params.max_nodes, similar):
            numbered = (tuple(tree.numbers[i] for i in record) for record in records_of(tree, span, similar))
            records = tuple(record for record in numbered if chars(record))
            if len(records) > 1:
                share = sum(map(chars, records)) / total
                found.append(Region(tree.numbers[span.parent], records, min(1.0, share)))
        found.sort(key=lambda region: -region.score)  # equal ones stay in document order
        shown = {"regions": [_shown(nodes, region) for region in found[:_EVIDENCE]]} if evidence else None
        if not found:
            reason = "no adjacent elements with similar tags hold text"
            return RecordSet(status="empty", reason=reason, evidence=shown)
        regions = tuple(found) if self.params.all_regions else (found[0],)
        return RecordSet(regions, confidence=found[0].score, evidence=shown)


class TagTree:
    """The visible elements of a page, numbered anew in document order; the first is the root."""

    def __init__(self, nodes: Nodes) -> None:
        codes: dict[str, str] = {}
        tags: list[str] = []
        self.numbers: list[int] = []
        """Number of each element in the page's nodes."""
        self.children: list[list[int]] = []
        self.ends: list[int] = []
        """The number behind the last descendant."""
        place: dict[int, int] = {}
        for number, (tag, parent, seen) in enumerate(
            zip(nodes.tags, nodes.parents.tolist(), nodes.visible.tolist(), strict=True)
        ):
            if tag and seen and (parent in place or not place):
                element = place[number] = len(self.numbers)
                self.numbers.append(number)
                tags.append(codes.setdefault(tag, chr(len(codes))))
                self.children.append([])
                self.ends.append(element + 1)
                if parent in place:
                    self.children[place[parent]].append(element)
        self.tags = "".join(tags)
        """A character an element, one for each tag name: the tag string of a subtree is a part of it."""
        self.heights = [0] * len(tags)
        """0 for an element without elements."""
        for element in range(len(tags) - 1, -1, -1):
            for child in self.children[element]:
                self.heights[element] = max(self.heights[element], self.heights[child] + 1)
            if self.children[element]:
                self.ends[element] = self.ends[self.children[element][-1]]

    def string(self, first: int, last: int) -> str:
        """Tag string of adjacent elements with all they hold."""
        return self.tags[first : self.ends[last]]


@dataclass(frozen=True, slots=True)
class ChildSpan:
    """A data region: adjacent children of one parent, taken ``size`` at a time."""

    parent: int
    start: int
    """Which child is the first, from 0."""
    size: int
    """Children in a generalised node."""
    count: int
    """Generalised nodes, at least 2."""

    @property
    def end(self) -> int:
        """The child behind the last."""
        return self.start + self.size * self.count


class _Similar:
    """Whether two tag strings are; what was compared is remembered."""

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold
        self._known: dict[tuple[str, str], bool] = {}
        self._steps = 0

    def __call__(self, a: str, b: str) -> bool:
        if a == b:
            return len(a) <= LONGEST
        limit = int(self._threshold * (len(a) + len(b)) / 2)
        if abs(len(a) - len(b)) > limit or max(len(a), len(b)) > LONGEST:
            return False
        known = self._known.get((a, b))
        if known is None:
            self._steps += max(len(a), len(b))
            known = self._steps <= MOST_STEPS and distance(a, b, limit) <= limit
            self._known[a, b] = known
        return known

    def all(self, tree: TagTree, elements: Sequence[int]) -> bool:
        """Whether each of some elements is similar to the next."""
        strings = [tree.string(element, element) for element in elements]
        return all(map(self, strings, strings[1:]))


def data_regions(tree: TagTree, max_nodes: int, similar: _Similar) -> list[ChildSpan]:
    """The data regions of the page, in document order of their parents: those that no region higher up covers (§3.3)."""
    below: list[list[ChildSpan]] = [[] for _ in tree.numbers]
    for element in range(len(tree.numbers) - 1, -1, -1):
        own = _regions_of(tree, element, max_nodes, similar) if tree.heights[element] > 1 else []
        covered = {child for span in own for child in tree.children[element][span.start : span.end]}
        below[element] = own
        for child in tree.children[element]:
            if child not in covered:
                below[element] += below[child]
            below[child] = []
    return below[0] if below else []


def _regions_of(tree: TagTree, parent: int, max_nodes: int, similar: _Similar) -> list[ChildSpan]:
    """Data regions among the children of one element, from left to right (procedure ``IdenDRs``).

    From each of the next children the first stretch of similar ones is sought, for every size; the one that covers most
    is taken, but none that begins behind a smaller one.
    """
    children = tree.children[parent]
    sizes = range(1, min(max_nodes, len(children) // 2) + 1)
    stretches = {size: _stretches(tree, children, size, similar) for size in sizes}
    found: list[ChildSpan] = []
    start = 0
    while True:
        best: ChildSpan | None = None
        for size, (first, count) in stretches.items():
            for begin in range(start, min(start + size, len(children))):
                at = first[begin]
                if at < 0:
                    continue
                span = ChildSpan(parent, at, size, count[at] + 1)
                if best is None or (span.end - at > best.end - best.start and at <= best.start):
                    best = span
        if best is None:
            return found
        found.append(best)
        start = best.end


def _stretches(tree: TagTree, children: Sequence[int], size: int, similar: _Similar) -> tuple[list[int], list[int]]:
    """For each child: where, in steps of ``size`` from it, the first similar pair begins (-1: nowhere); and how many pairs
    in a row are similar from it on."""
    first, count = [-1] * len(children), [0] * len(children)
    for at in range(len(children) - 2 * size, -1, -1):
        left = tree.string(children[at], children[at + size - 1])
        right = tree.string(children[at + size], children[at + 2 * size - 1])
        if similar(left, right):
            first[at], count[at] = at, count[at + size] + 1
        else:
            first[at] = first[at + size]
    return first, count


def records_of(tree: TagTree, span: ChildSpan, similar: _Similar) -> Iterator[tuple[int, ...]]:
    """The records of a data region, each as the elements that make it (§3.4)."""
    children = tree.children[span.parent]
    if span.size > 1:
        for start in range(span.start, span.end, span.size):
            yield from _from_several(tree, children[start : start + span.size], similar)
        return
    split: int | None = None  # a record that is a part of a generalised node
    for element in children[span.start : span.end]:
        if _is_row_of_records(tree, element, similar):
            split = tree.children[element][0]
            yield from ((part,) for part in tree.children[element])
        else:
            yield (element,)
    if split is not None and span.end < len(children):
        # The last row of a grid may be too short to be similar to the others (§3.5).
        pattern = tree.string(split, split)
        yield from ((part,) for part in tree.children[children[span.end]] if similar(pattern, tree.string(part, part)))


def _is_row_of_records(tree: TagTree, element: int, similar: _Similar) -> bool:
    """Whether the children of a generalised node of one element are the records (``FindRecords-1``)."""
    parts = tree.children[element]
    if len(parts) < 2 or not all(tree.heights[part] for part in parts) or not similar.all(tree, parts):
        return False
    return tree.ends[element] - element - 1 >= _CELL * len(parts)


def _from_several(tree: TagTree, elements: list[int], similar: _Similar) -> Iterator[tuple[int, ...]]:
    """The records of a generalised node of several elements (``FindRecords-n``): each of these where they are similar, their
    parts side by side, or the node."""
    if similar.all(tree, elements):
        yield from ((element,) for element in elements)
        return
    parts = [tree.children[element] for element in elements]
    if len(parts[0]) > 1 and len(set(map(len, parts))) == 1 and all(similar.all(tree, row) for row in parts):
        yield from zip(*parts, strict=True)
    else:
        yield tuple(elements)


def _shown(nodes: Nodes, region: Region) -> dict[str, Any]:
    facts = {"node": region.node, "tag": nodes.tags[region.node], "records": len(region.records)}
    return {**facts, "score": round(region.score, 3), "text": nodes.text(*region.records[0])[:80]}
