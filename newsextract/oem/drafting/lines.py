"""Lines as items: what begins with a link or a marked text, and ends with a line break.

Front pages of 2000 are full of them: nothing stands around such an item, and no tag is its own.

Cost: linear in the number of elements.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from newsextract.oem.drafting.tree import Element, Tree

_MIN_LINES = 5
"""Lines in one element that make a list."""
_MAX_TEXTS = 5
"""Texts in what a line begins with."""
_LEADS = ("a", "b", "strong", "i", "em")
_BEFORE = 300
_LINE_START = re.compile(
    r"<(?:br|/?(?:p|div|td|center|h[1-6]|hr|table|tr|blockquote))(?:\s[^<>]*)?>(?>(?:[^\w<]|<(?:font|span|a)(?:\s[^<>]*)?>)*)\Z",
    re.IGNORECASE,
)
_WITHIN_LINES = frozenset("a b big center em font i small span strong u nobr".split())


@dataclass(frozen=True, slots=True)
class Item:
    """An item: the stretch of source that is its value."""

    element: Element
    start: int
    end: int


def find_lines(tree: Tree) -> list[Item]:
    """Lines that begin with a link, else with a marked text, and end with a line break, of elements that hold many."""
    for name in _LEADS:
        found = _lines_with(tree, name)
        if found:
            return found
    return []


def _lines_with(tree: Tree, lead: str) -> list[Item]:
    """Lines that begin with an element of that name."""
    links: dict[int, list[Element]] = {}
    breaks: Counter[int] = Counter()
    for element in tree.elements:
        if element.name not in (lead, "br"):
            continue
        around = next((other.number for other in tree.above(element.parent) if other.name not in _WITHIN_LINES), -1)
        if element.name == "br":
            breaks[around] += 1
        elif 0 < element.texts <= _MAX_TEXTS and (lead == "a" or _begins_line(tree, element)):
            begun = links.setdefault(around, [])
            if not begun or element.start >= begun[-1].end:  # one that is never closed would hold all that follow
                begun.append(element)
    many = {place: found for place, found in links.items() if len(found) >= _MIN_LINES and breaks[place] >= 0.6 * len(found)}
    if not many:
        return []
    longest = max(many, key=lambda place: sum(tree.length(element) for element in many[place]))
    items: list[Item] = []
    for place, found in many.items():
        if not _alike(tree, place, longest):
            continue
        end = tree.elements[place].inner_end if place >= 0 else len(tree.document.text)
        stops = [after.start for after in found[1:]] + [end]
        items += [Item(element, element.start, stop) for element, stop in zip(found, stops, strict=True)]
    return items


def _begins_line(tree: Tree, element: Element) -> bool:
    """Whether an element stands behind a line break or the start of a block, with no word between."""
    return _LINE_START.search(tree.document.text[max(0, element.start - _BEFORE) : element.start]) is not None


def _alike(tree: Tree, place: int, other: int) -> bool:
    """Whether two elements stand in the same kind of place and look the same."""
    if place == other:
        return True
    if min(place, other) < 0:
        return False
    one, two = tree.elements[place], tree.elements[other]
    return (one.name, one.path, one.written.split()) == (two.name, two.path, two.written.split())
