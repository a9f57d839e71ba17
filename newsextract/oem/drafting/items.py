"""Which elements of a page are its items: the kind of element, repeated in the same place, that holds most of its text.

Huang, Qi & Zhang 2000, §1.1 and §1.2: the elements of lists and tables are siblings. So are, today, elements of one class,
and in 2000 lines that begin with a link and end with ``<br>``.

Cost: linear in the number of elements.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from newsextract.oem.drafting.lines import Item, find_lines
from newsextract.oem.drafting.tree import Element, Tree
from newsextract.oem.drafting.written import shared_tag

MIN_ITEMS = 3
_ENOUGH = 0.6
"""Part of the most text that another kind of items may have less and still be meant; measured on the set of tests/oem."""
_NEARLY_ALL = 0.8
_TYPICAL = 0.75
_NAMES = frozenset("li tr dt p div article section table ul ol dl blockquote figure fieldset details aside span".split())
_CELLS = frozenset(("td", "th"))

_HEADINGS = frozenset(("h2", "h3", "h4", "h5", "h6"))

Shape = Literal["element", "pair", "nested", "row", "line", "headed"]


@dataclass(frozen=True, slots=True)
class Items:
    """The items of a page."""

    shape: Shape
    """An element; ``dt`` with its ``dd``; items within items; a table's row; a line that begins with a link or a marked one;
    a heading with what stands behind it."""
    items: list[Item]
    pattern: str
    """Section text that finds them; empty for rows and lines, whose fields are part of it."""
    head: Element | None = None
    """The table's row with the names of the columns."""


def find_items(tree: Tree) -> Items | None:
    """The items of a page, or None where nothing is repeated."""
    groups = [group for group in _groups(tree) if len(group) >= MIN_ITEMS]
    lines = find_lines(tree)
    covered = {id(group): _covered(tree, group) for group in groups}
    most = max(covered.values(), default=0)
    of_lines = sum(tree.length_between(item.element, item.end) for item in lines)
    groups = [group for group in groups if covered[id(group)] >= _ENOUGH * max(most, of_lines)]
    if lines and of_lines >= _ENOUGH * most and not any(len(group) >= len(lines) / 2 for group in groups):
        return Items("line", lines, "")
    if not groups:
        return None
    chosen = min(groups, key=lambda group: (group[0].start, -covered[id(group)]))
    for group in sorted(groups, key=len):
        if len(group) >= 2 * len(chosen) and _stand_within(group, chosen):
            chosen = group
    return _described(tree, chosen)


def _groups(tree: Tree) -> list[list[Element]]:
    """Elements with text, by place, name, first class and, of a row, number of cells."""
    found: dict[tuple[int, str, str, int], list[Element]] = {}
    for element in tree.elements:
        if element.name in _NAMES and element.texts and (element.kind or element.name not in ("div", "span", "section")):
            group = found.setdefault((element.path, element.name, element.kind, _cells(tree, element)), [])
            if not group or element.start >= group[-1].end:  # spans may stand in spans
                group.append(element)
    return list(found.values())


def _covered(tree: Tree, group: list[Element]) -> int:
    """Characters of text in the items of a group."""
    if group[0].name == "dt":
        return sum(tree.length_between(item.element, item.end) for item in _pairs(tree, group).items)
    return sum(map(tree.length, group))


def _cells(tree: Tree, element: Element) -> int:
    if element.name != "tr":
        return 0
    count, place = 0, element.number + 1
    while place < element.last:
        count += tree.elements[place].name in _CELLS
        place = max(tree.elements[place].last, place + 1)
    return count


def cells_of(tree: Tree, row: Element) -> list[Element]:
    """The cells of a row."""
    found, place = [], row.number + 1
    while place < row.last:
        if tree.elements[place].name in _CELLS:
            found.append(tree.elements[place])
        place = max(tree.elements[place].last, place + 1)
    return found


def _stand_within(inner: Sequence[Element], outer: Sequence[Element]) -> bool:
    """Whether nearly all elements of a group stand in elements of another."""
    place = count = 0
    for element in inner:
        while place < len(outer) and outer[place].end <= element.start:
            place += 1
        count += place < len(outer) and outer[place].start < element.start
    return count >= 0.9 * len(inner)


def _described(tree: Tree, group: list[Element]) -> Items:
    first = group[0]
    if first.name == "dt":
        return _pairs(tree, group)
    if first.name == "tr" and _cells(tree, first) > 1:
        heads = [row for row in group if any(cell.name == "th" for cell in cells_of(tree, row)[1:])]
        rows = [row for row in group if row not in heads] if len(heads) < len(group) / 2 else group
        return Items("row", [Item(row, row.inner, row.inner_end) for row in rows], "", heads[0] if heads else None)
    if first.name == "li" and sum(_in_item(tree, element) for element in group) >= len(group) / 2:
        low, high = _lists_around(tree, group)
        listed = [one for one in tree.elements if one.name == "li" and one.texts and low <= one.start < high]
        return Items("nested", _own_stretches(listed), "<indentx>#<indentx>")
    tag = shared_tag(group)
    headed = _headed(tree, group)
    if headed is not None:
        return headed
    real, odd = _told_apart(tree, _without_odd_ends(tree, group))
    items = [Item(element, element.inner, element.inner_end) for element in real]
    mark = _mark(tree, real, odd) if odd else None
    end = f"</{first.name}>"
    return Items("element", items, f"{tag}#{mark}#{end}" if mark else f"{tag}#{end}")


def _pairs(tree: Tree, terms: list[Element]) -> Items:
    """Terms with the definitions behind them."""
    ends = [after.start for after in terms[1:]] + [0]
    items = []
    for term, following in zip(terms, ends, strict=True):
        around = tree.elements[term.parent].inner_end if term.parent >= 0 else term.end
        items.append(Item(term, term.inner, min(following, around) if following else around))
    return Items("pair", items, "<dt>#<dd>#")


def _headed(tree: Tree, group: Sequence[Element]) -> Items | None:
    """Headings with one element of a group behind each: what looks like titles and items are heads and bodies of items."""
    starts = [element.start for element in group]
    kinds: dict[tuple[int, str, str], list[Element]] = {}
    for element in tree.elements:
        if element.name in _HEADINGS and element.texts:
            kinds.setdefault((element.path, element.name, element.kind), []).append(element)
    for heads in kinds.values():
        if not MIN_ITEMS <= len(heads) <= 1.1 * len(group) or len(heads) < 0.7 * len(group):
            continue
        places = [bisect_left(starts, head.start) for head in heads]
        follows = [
            place < len(group) and group[place].parent == head.parent for place, head in zip(places, heads, strict=True)
        ]
        if not all(follows) or len(set(places)) < _NEARLY_ALL * len(heads):
            continue
        ends = [after.start for after in heads[1:]] + [group[places[-1]].end]
        items = [Item(head, head.start, end) for head, end in zip(heads, ends, strict=True)]
        return Items("headed", items, f"{shared_tag(heads)}#</{heads[0].name}>#")
    return None


def _in_item(tree: Tree, element: Element) -> bool:
    return any(other.name == "li" for other in tree.above(element.parent))


def _lists_around(tree: Tree, group: Sequence[Element]) -> tuple[int, int]:
    """From where to where the outermost lists go that hold some items."""
    low, high = group[0].start, group[-1].end
    for element in (group[0], group[-1]):
        for other in tree.above(element.number):
            if other.name in ("ul", "ol"):
                low, high = min(low, other.start), max(high, other.end)
    return low, high


def _own_stretches(items: Sequence[Element]) -> list[Item]:
    """Items up to where the next one begins."""
    found = [Item(one, one.inner, min(one.inner_end, after.start)) for one, after in pairwise(items)]
    return [*found, Item(items[-1], items[-1].inner, items[-1].inner_end)]


def _without_odd_ends(tree: Tree, group: list[Element]) -> list[Element]:
    """A group without its first and last elements that have hardly any of the tags that nearly all others have."""
    names = [{inner.name for inner in tree.within(element)} for element in group]
    counts = Counter(name for found in names for name in found)
    common = {name for name, count in counts.items() if count >= _NEARLY_ALL * len(group)}
    typical = [len(found & common) >= _TYPICAL * len(common) for found in names]
    if sum(typical) < MIN_ITEMS:
        return group
    first, last = typical.index(True), len(group) - typical[::-1].index(True)
    return group[first:last]


def _told_apart(tree: Tree, group: list[Element]) -> tuple[list[Element], list[Element]]:
    """Items and what only looks like them: most of the group have links, some have not."""
    linked = [element for element in group if any(inner.name == "a" for inner in tree.within(element))]
    if not 0.6 * len(group) <= len(linked) < len(group):
        return group, []
    plain = {element.number for element in group} - {element.number for element in linked}
    short = [element for element in group if element.number in plain and element.texts <= 1]
    if len(short) < len(plain):
        return group, []
    return linked, short


def _mark(tree: Tree, real: Sequence[Element], odd: Sequence[Element]) -> str | None:
    """A tag that all items have and nothing else has that looks like them."""
    counts: Counter[str] = Counter()
    for element in real:
        counts.update(list(dict.fromkeys(inner.name for inner in tree.within(element))))
    unwanted = {inner.name for element in odd for inner in tree.within(element)}
    wanted = [name for name, count in counts.most_common() if count == len(real) and name not in unwanted]
    return f"<{wanted[0]}>" if wanted else None
