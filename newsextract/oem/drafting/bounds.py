"""The first line of a draft: the useful part of a page, from before its first title or item to behind the last.

Huang, Qi & Zhang 2000, §1.3: the characters at which the useful part begins and ends. Tried are the elements that stand
around all items, then the tags and texts before and behind them; the first that takes in all items, and no title or item
of other parts of the page, is proposed.

Cost: some searches through the source.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from newsextract.oem.context import compile_context
from newsextract.oem.drafting.items import Items
from newsextract.oem.drafting.titles import Titles
from newsextract.oem.drafting.tree import Element, Tree
from newsextract.oem.drafting.written import forms, quoted, writable
from newsextract.oem.matching import Matcher
from newsextract.oem.pattern import Tag, Text, parse_pattern

_ANCHORS = 10
"""Tags and texts that are tried on either side."""
_TRIED = 16
"""Contexts that are tried on either side."""
_AROUND = 12
"""Elements around all items that are tried."""
_WORDS = 3
EVERYTHING = "#"


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What the useful part must have and must not have."""

    first: int
    """It begins here or before."""
    last: int
    """It ends here or behind."""
    strays: Sequence[int]
    """Offsets of what would be found as title or item, in order."""
    consumed: bool
    """Whether its left context may reach over ``first``."""

    def holds(self, outer: int, start: int, end: int) -> bool:
        begins = outer if self.consumed else start
        if begins > self.first or end < self.last:
            return False
        return bisect_left(self.strays, begins) == bisect_left(self.strays, self.first) and bisect_left(
            self.strays, self.last
        ) == bisect_left(self.strays, end)


def find_bounds(tree: Tree, items: Items, titles: Titles | None, strays: Sequence[int]) -> str:
    """The section text of the first line.

    :param strays: offsets of all titles and items that the other lines would find on the whole page, in order.
    """
    first_item, last_item = items.items[0], items.items[-1]
    first = min(first_item.element.start, titles.first) if titles else first_item.element.start
    wanted = _Wanted(
        first, last_item.element.inner if items.shape == "line" else last_item.end, strays, bool(titles and titles.consumed)
    )
    around = [one for one in tree.above(first_item.element.parent) if one.start < first and one.inner_end >= wanted.last][
        :_AROUND
    ]
    for element in around:
        for form in forms(element)[:0:-1] if element.name not in ("main", "article") else forms(element):
            pattern = f"{form}#</{element.name}>"
            if _fits(tree, pattern, wanted):
                return pattern
    rights = list(dict.fromkeys(islice(filter(writable, _rights(tree, wanted.last)), _TRIED)))
    lefts = (pair for pair in _lefts(tree, first, wanted) if writable(pair[0]))
    for left, (outer, start) in islice(lefts, _TRIED):
        for right in rights:
            ended = _begins(right, tree, start)
            if ended and wanted.holds(outer, start, ended[0]) and _fits(tree, f"{left}#{right}", wanted):
                return f"{left}#{right}"
    for element in reversed(around):
        if element.name != "html" and _fits(tree, f"<{element.name}>#</{element.name}>", wanted):
            return f"<{element.name}>#</{element.name}>"
    return "<body>#</body>" if any(element.name == "body" for element in around) else EVERYTHING


def _fits(tree: Tree, pattern: str, wanted: _Wanted) -> bool:
    found = Matcher(parse_pattern(pattern)).find(tree.document, 0, len(tree.document.text))[:1]
    return bool(found) and wanted.holds(found[0].outer_start, found[0].value.start, found[0].value.end)


def _begins(pattern: str, tree: Tree, start: int) -> tuple[int, int] | None:
    """Where a context first stands from an offset on."""
    parts = [part for part in parse_pattern(pattern) if isinstance(part, Tag | Text)]
    match = compile_context(parts).regex.search(tree.document.text, start)
    return match.span() if match else None


def _lefts(tree: Tree, first: int, wanted: _Wanted) -> Iterator[tuple[str, tuple[int, int]]]:
    """Contexts, and where they stand, before an offset, and nowhere earlier; the nearest first."""
    place = bisect_left([element.start for element in tree.elements], first)
    if wanted.consumed and place < len(tree.elements):
        for form in forms(tree.elements[place]):
            if _begins(form, tree, 0) == (first, tree.elements[place].inner):
                yield form, (first, tree.elements[place].inner)
    for element in reversed(tree.elements[max(0, place - _ANCHORS) : place]):
        if element.end <= first and element.inner < element.inner_end:
            closing = f"</{element.name}>"
            found = _begins(closing, tree, 0)
            if found and found[1] == element.end:
                yield closing, found
        for form in forms(element):
            found = _begins(form, tree, 0)
            if found and found == (element.start, element.inner):
                yield form, found
    for run in reversed(tree.runs[max(0, _runs_before(tree, first) - 3) : _runs_before(tree, first)]):
        text = " ".join(tree.text(run.start, run.end).split()[-_WORDS:])
        found = _begins(quoted(text), tree, 0)
        if found and run.start <= found[0] < run.end:
            yield quoted(text), found


def _rights(tree: Tree, last: int) -> Iterator[str]:
    """Contexts that stand behind an offset; the nearest tags first, and what makes them tell enough."""
    place = bisect_left([element.start for element in tree.elements], last)
    following: Sequence[Element] = tree.elements[place : place + _ANCHORS]
    for element in following:
        yield from forms(element)
    runs = _runs_before(tree, last)
    for run in tree.runs[runs : runs + 3]:
        yield quoted(" ".join(tree.text(run.start, run.end).split()[:_WORDS]))
    for name in dict.fromkeys(element.name for element in tree.elements[max(0, place - _ANCHORS) : place]):
        yield f"</{name}>"


def _runs_before(tree: Tree, offset: int) -> int:
    return bisect_left([run.start for run in tree.runs], offset)
