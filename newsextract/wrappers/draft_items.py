"""Which elements of a page are its items: the kind of element, repeated in the same place, that holds most of its text.

Huang, Qi & Zhang 2000, §1.1 and §1.2: the elements of lists and tables are siblings. So are, today, elements of one class,
and in 2000 lines that begin with a link and end with ``<br>``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from newsextract.wrappers.interpreter import begins_line
from newsextract.wrappers.learn_fields import common_tag, versions
from newsextract.wrappers.learn_marks import LearningSource, SourceElement
from newsextract.wrappers.pattern import Document, plain_text, written

# --- source ---------------------------------------------------------------------------------------

MAX_DEPTH = 100
"""Elements around another that are looked at."""
_INLINE = frozenset("a abbr b big center cite code em font i label nobr s small span strong sub sup tt u".split())
"""Elements within lines, which do not count as places."""


class DraftSource(LearningSource):
    """A page's source with the kinds and places of its elements."""

    unseen = frozenset("title textarea select option noscript template iframe script style button svg".split())

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        starts = [run.start for run in self.runs]
        self._texts = [bisect_left(starts, one.end) - bisect_left(starts, one.start) for one in self.elements]
        self._kinds: list[str] = []
        self._paths: list[int] = []
        paths: dict[tuple[int, str, str], int] = {}
        for element in self.elements:
            around, path = self.parent(element), 0
            if around is not None:
                path = self._paths[around.number]
                if around.name not in _INLINE:
                    path = paths.setdefault((path, around.name, self._kinds[around.number]), len(paths) + 1)
            self._paths.append(path)
            classes = self.attributes(element.tag).get("class", "") if self.attribute_text[element.tag] else ""
            self._kinds.append((classes.split() or [""])[0])

    def kind(self, element: SourceElement) -> str:
        """An element's first class; empty without."""
        return self._kinds[element.number]

    def place(self, element: SourceElement) -> int:
        """The same number for all elements whose parents are the same kinds of elements."""
        return self._paths[element.number]

    def texts(self, element: SourceElement) -> int:
        """How many texts are within an element."""
        return self._texts[element.number]

    def within(self, element: SourceElement) -> Sequence[SourceElement]:
        """The elements within an element."""
        return self.elements[element.number + 1 : self.after(element.end)]

    def after(self, place: int) -> int:
        """Number of the first element that starts at or behind an offset."""
        return bisect_left(self.elements, place, key=lambda element: element.start)

    def above(self, number: int) -> Iterator[SourceElement]:
        """The element of a number and those around it, from the innermost on, as far as :data:`MAX_DEPTH` goes."""
        for _ in range(MAX_DEPTH):
            if number < 0:
                return
            yield self.elements[number]
            number = self.elements[number].parent

    def length(self, start: int, end: int) -> int:
        """Characters of the texts between two offsets."""
        first, last = self.letter_range(start, end)
        return last - first

    def read(self, start: int, end: int) -> str:
        """What a reader sees of a stretch of the source."""
        return plain_text(self.text[start:end])


# --- lines ----------------------------------------------------------------------------------------
# Lines as items: what begins with a link or a marked text, and ends with a line break.
#
# Front pages of 2000 are full of them: nothing stands around such an item, and no tag is its own.

_MIN_LINES = 5
"""Lines in one element that make a list."""
_MAX_TEXTS = 5
"""Texts in what a line begins with."""
_LEADS = ("a", "b", "strong")


@dataclass(frozen=True, slots=True)
class DraftItem:
    """An item: the stretch of source that is its value."""

    element: SourceElement
    start: int
    end: int


def find_lines(source: DraftSource) -> list[DraftItem]:
    """Lines that begin with a link, else with a marked text, and end with a line break, of elements that hold many."""
    return next(filter(None, (_lines_with(source, name) for name in _LEADS)), [])


def _lines_with(source: DraftSource, lead: str) -> list[DraftItem]:
    """Lines that begin with an element of that name, in the elements of one kind and look that hold most of them."""
    groups: dict[tuple[int, str], list[DraftItem]] = {}
    breaks: Counter[tuple[int, str]] = Counter()
    for element in source.elements:
        if element.name not in (lead, "br"):
            continue
        around = next((other for other in source.above(element.parent) if other.name not in _INLINE), None)
        key = source.place(element), " ".join(source.attribute_text[around.tag].split()) if around else ""
        if element.name == "br":
            breaks[key] += 1
        elif 0 < source.texts(element) <= _MAX_TEXTS and (lead == "a" or begins_line(source.text, element.start)):
            begun = groups.setdefault(key, [])
            if not begun or element.start >= begun[-1].element.end:  # one that is never closed would hold all that follow
                begun.append(DraftItem(element, element.inner, around.inner_end if around else len(source.text)))
    many = [found for key, found in groups.items() if len(found) >= _MIN_LINES and breaks[key] >= 0.6 * len(found)]
    lengths = [sum(source.length(one.element.start, one.element.end) for one in found) for found in many]
    return _up_to_next(many[lengths.index(max(lengths))]) if many else []


def _up_to_next(items: Sequence[DraftItem]) -> list[DraftItem]:
    """Items that end where the next one begins, if not before."""
    return [replace(one, end=min(one.end, after.element.start)) for one, after in pairwise(items)] + [*items[-1:]]


# --- written --------------------------------------------------------------------------------------


def shared_tag(source: DraftSource, elements: Sequence[SourceElement]) -> str:
    """A start tag with a class that all of some elements have; of tables with another attribute."""
    common = common_tag(source, [element.tag for element in elements])
    if common is None:
        return f"<{elements[0].name}>"
    tags = [written(one.parts) for one in versions(common)]
    telling = (tag for tag in tags if " class=" in tag or (common.name == "table" and " href" not in tag and "=" in tag))
    return next(telling, f"<{common.name}>")


def sample(text: str, most: int = 40) -> str:
    """A text for a comment: one line, cut."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return f'"{line if len(line) <= most else line[: most - 1] + "…"}"'


# --- items ----------------------------------------------------------------------------------------

MIN_ITEMS = 3
_ENOUGH = 0.8
"""Part of the most text that an earlier kind of items needs to be meant; measured on the set and the records bench."""
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
    items: list[DraftItem]
    pattern: str
    """Section text that finds them; empty for rows, whose fields are part of it."""
    head: SourceElement | None = None
    """The table's row with the names of the columns."""


def find_items(source: DraftSource) -> Items | None:
    """The items of a page, or None where nothing is repeated."""
    named = [one for one in source.elements if source.kind(one) or one.name not in ("div", "span", "section")]
    kinds = _kinds(source, [one for one in named if one.name in _NAMES and source.texts(one)])
    groups = [group for group in kinds if len(group) >= MIN_ITEMS]
    lines = find_lines(source)
    covered = {id(group): _covered(source, group) for group in groups}
    most = max(covered.values(), default=0)
    of_lines = sum(source.length(item.element.start, item.end) for item in lines)
    groups = [group for group in groups if covered[id(group)] >= _ENOUGH * max(most, of_lines)]
    if lines and of_lines >= _ENOUGH * most and not any(len(group) >= len(lines) / 2 for group in groups):
        name = lines[0].element.name
        return Items("line", lines, '<a href="$link">#<a>' if name == "a" else f"<{name}>#<{name}>")
    if not groups:
        return None
    chosen = min(groups, key=lambda group: (group[0].start, -covered[id(group)]))
    for group in sorted(groups, key=len):
        if len(group) >= 2 * len(chosen) and _stand_within(group, chosen):
            chosen = group
    return _described(source, chosen)


def _kinds(source: DraftSource, elements: Sequence[SourceElement]) -> list[list[SourceElement]]:
    """Elements by place, name, first class and, of a row, number of cells."""
    found: dict[tuple[int, str, str, int], list[SourceElement]] = {}
    for one in elements:
        key = source.place(one), one.name, source.kind(one), len(cells_of(source, one))
        group = found.setdefault(key, [])
        if not group or one.start >= group[-1].end:  # spans may be nested
            group.append(one)
    return list(found.values())


def _covered(source: DraftSource, group: list[SourceElement]) -> int:
    """Characters of text in the items of a group."""
    if group[0].name == "dt":
        return sum(source.length(item.element.start, item.end) for item in _pairs(source, group).items)
    return sum(source.length(element.start, element.end) for element in group)


def cells_of(source: DraftSource, row: SourceElement) -> list[SourceElement]:
    """The cells of a row; none of another element."""
    return [child for child in source.children(row) if child.name in _CELLS] if row.name == "tr" else []


def _stand_within(inner: Sequence[SourceElement], outer: Sequence[SourceElement]) -> bool:
    """Whether nearly all elements of a group stand in elements of another."""
    place = count = 0
    for element in inner:
        while place < len(outer) and outer[place].end <= element.start:
            place += 1
        count += place < len(outer) and outer[place].start < element.start
    return count >= 0.9 * len(inner)


def _described(source: DraftSource, group: list[SourceElement]) -> Items:
    first = group[0]
    if first.name == "dt":
        return _pairs(source, group)
    if len(cells_of(source, first)) > 1:
        heads = [row for row in group if any(cell.name == "th" for cell in cells_of(source, row)[1:])]
        rows = [row for row in group if row not in heads] if len(heads) < len(group) / 2 else group
        return Items("row", [DraftItem(row, row.inner, row.inner_end) for row in rows], "", heads[0] if heads else None)
    if first.name == "li" and sum(_in_item(source, element) for element in group) >= len(group) / 2:
        low, high = _lists_around(source, group)
        listed = [one for one in source.elements if one.name == "li" and source.texts(one) and low <= one.start < high]
        items = _up_to_next([DraftItem(one, one.inner, one.inner_end) for one in listed])
        return Items("nested", items, "<indentx>#<indentx>")
    tag = shared_tag(source, group)
    headed = _headed(source, group)
    if headed is not None:
        return headed
    items = [DraftItem(element, element.inner, element.inner_end) for element in _without_odd_ends(source, group)]
    return Items("element", items, f"{tag}#</{first.name}>")


def _pairs(source: DraftSource, terms: list[SourceElement]) -> Items:
    """Terms with the definitions behind them."""
    arounds = [(term, source.parent(term) or term) for term in terms]
    return Items("pair", _up_to_next([DraftItem(one, one.inner, around.inner_end) for one, around in arounds]), "<dt>#<dd>#")


def _headed(source: DraftSource, group: Sequence[SourceElement]) -> Items | None:
    """Headings with one element of a group behind each: what looks like titles and items are heads and bodies of items."""
    starts = [element.start for element in group]
    for heads in _kinds(source, [one for one in source.elements if one.name in _HEADINGS and source.texts(one)]):
        if not MIN_ITEMS <= len(heads) <= 1.1 * len(group) or len(heads) < 0.7 * len(group):
            continue
        places = [bisect_left(starts, head.start) for head in heads]
        follows = [
            place < len(group) and group[place].parent == head.parent for place, head in zip(places, heads, strict=True)
        ]
        if not all(follows) or len(set(places)) < _NEARLY_ALL * len(heads):
            continue
        ends = [after.start for after in heads[1:]] + [group[places[-1]].end]
        items = [DraftItem(head, head.start, end) for head, end in zip(heads, ends, strict=True)]
        return Items("headed", items, f"{shared_tag(source, heads)}#</{heads[0].name}>#")
    return None


def _in_item(source: DraftSource, element: SourceElement) -> bool:
    return any(other.name == "li" for other in source.above(element.parent))


def _lists_around(source: DraftSource, group: Sequence[SourceElement]) -> tuple[int, int]:
    """From where to where the outermost lists go that hold some items."""
    low, high = group[0].start, group[-1].end
    lists = [one for end in (group[0], group[-1]) for one in source.above(end.number) if one.name in ("ul", "ol")]
    return min([low, *(one.start for one in lists)]), max([high, *(one.end for one in lists)])


def _without_odd_ends(source: DraftSource, group: list[SourceElement]) -> list[SourceElement]:
    """A group without its first and last elements that have hardly any of the tags that nearly all others have."""
    names = [{inner.name for inner in source.within(element)} for element in group]
    counts = Counter(name for found in names for name in found)
    common = {name for name, count in counts.items() if count >= _NEARLY_ALL * len(group)}
    typical = [len(found & common) >= _TYPICAL * len(common) for found in names]
    if sum(typical) < MIN_ITEMS:
        return group
    first, last = typical.index(True), len(group) - typical[::-1].index(True)
    return group[first:last]
