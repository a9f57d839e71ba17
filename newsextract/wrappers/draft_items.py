"""Which elements of a page are its items: the kind of element, repeated in the same place, that holds most of its text.

Huang, Qi & Zhang 2000, §1.1 and §1.2: the elements of lists and tables are siblings. So are, today, elements of one class,
and in 2000 lines that begin with a link and end with ``<br>``.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from newsextract.wrappers.pattern import ATTRIBUTES, BLOCKS, Document, PatternError, parse_pattern, plain_text

# --- tree -----------------------------------------------------------------------------------------
# A page's elements and texts with their offsets in the source, which is what drafts are written from.
#
# A parsed tree has no offsets, and patterns are found in the source, so this is a plain scan of the tags with the end tags
# that HTML lets authors leave out.
#
# Cost: one regular expression over the source; what an end tag closes is looked up by name, so depth does not matter.

MAX_ELEMENTS = 200_000
"""Elements that a draft looks at; pages of 10 MB have fewer unless they are made to hurt."""

MAX_DEPTH = 100
"""Elements around another that are looked at."""

_TAG = re.compile(rf"<(/?)([a-zA-Z][\w:-]*)(?=[\s/>])({ATTRIBUTES})>")
_ATTRIBUTE = re.compile(r"""([a-zA-Z][\w:-]*)(?:\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)'|([^\s"'<>]+)))?""")
_CLASS = re.compile(r"""(?<![\w:-])class\s*+=\s*+["']?\s*+([^\s"'<>]+)""", re.IGNORECASE)
_VOID = frozenset("area base basefont br col embed frame hr img input link meta param source track wbr".split())
_UNREAD = frozenset("title textarea select option noscript template iframe script style button svg".split())
"""Elements whose texts are no part of what a page lists."""
_INLINE = frozenset("a abbr b big center cite code em font i label nobr s small span strong sub sup tt u".split())
"""Elements that do not count as places: an author who forgets an end tag would move all that follows."""
_LISTS = ("ul", "ol", "menu", "dir", "dl", "table")
_ENDS: Mapping[str, tuple[str, ...]] = {
    **{name: (name,) for name in ("li", "option", "a")},
    **dict.fromkeys(("dt", "dd"), ("dt", "dd")),
    **dict.fromkeys(("td", "th"), ("td", "th")),
    "tr": ("tr", "td", "th"),
}
"""By name of a start tag: open elements that it ends, up to the next list or table."""
_ENDS_PARAGRAPH = BLOCKS | {"p", "dt", "dd"}


@dataclass(slots=True)
class Element:
    """An element; texts and elements within it are those from ``first_text`` and ``number + 1`` on."""

    number: int
    name: str
    written: str
    """Its attributes as they stand in the source."""
    start: int
    inner: int
    """Behind its start tag."""
    parent: int
    """Number, or -1."""
    path: int
    """The same number for all elements whose parents are the same kinds of elements."""
    first_text: int
    kind: str
    """Its first class; empty without."""
    inner_end: int = -1
    end: int = -1
    last_text: int = -1
    last: int = -1
    """Behind the number of the last element within."""

    @property
    def attributes(self) -> dict[str, str]:
        """By lower-case name; of two with the same name the first counts."""
        found: dict[str, str] = {}
        for match in _ATTRIBUTE.finditer(self.written):
            found.setdefault(match[1].lower(), match[2] or match[3] or match[4] or "")
        return found

    @property
    def classes(self) -> list[str]:
        """Its classes, in order."""
        return self.attributes.get("class", "").split() if "class" in self.written.lower() else []

    @property
    def texts(self) -> int:
        """How many texts are within."""
        return self.last_text - self.first_text


@dataclass(slots=True)
class TextRun:
    """A text between two tags that is more than white space."""

    start: int
    end: int
    parent: int


@dataclass(slots=True)
class Tree:
    """A page's elements and texts, in the order of the source."""

    document: Document
    elements: list[Element] = field(default_factory=list)
    runs: list[TextRun] = field(default_factory=list)
    sums: list[int] = field(default_factory=lambda: [0])
    """Characters of all texts before each."""

    def within(self, element: Element) -> Sequence[Element]:
        """The elements within an element."""
        return self.elements[element.number + 1 : element.last]

    def above(self, number: int) -> Iterator[Element]:
        """An element and those that it stands in, from the innermost on, as far as :data:`MAX_DEPTH` goes."""
        for _ in range(MAX_DEPTH):
            if number < 0:
                return
            element = self.elements[number]
            yield element
            number = element.parent

    def length(self, element: Element) -> int:
        """Characters of the texts within."""
        return self.sums[element.last_text] - self.sums[element.first_text]

    def length_between(self, element: Element, end: int) -> int:
        """Characters of the texts from an element's start to an offset."""
        return self.sums[bisect_left(self.runs, end, key=lambda run: run.start)] - self.sums[element.first_text]

    def text(self, start: int, end: int) -> str:
        """What a reader sees of a stretch of the source."""
        return plain_text(self.document.text[start:end])


def read_tree(document: Document) -> Tree:
    """The elements and texts of a document."""
    text, tree = document.text, Tree(document)
    opened: list[int] = []
    places: dict[str, list[int]] = {}  # by name: places in `opened`
    paths: dict[tuple[int, str, str], int] = {}
    unread = 0

    def close(place: int, inner_end: int, end: int) -> None:
        """Close the element at a place of the stack and all within it."""
        nonlocal unread
        while len(opened) > place:
            element = tree.elements[opened.pop()]
            places[element.name].pop()
            last = len(opened) == place
            element.inner_end, element.end = inner_end, (end if last else inner_end)
            element.last_text, element.last = len(tree.runs), len(tree.elements)
            unread -= element.name in _UNREAD

    def place_of(names: Sequence[str]) -> int:
        """Place of the innermost open element of these names, or -1."""
        return max((places[name][-1] for name in names if places.get(name)), default=-1)

    behind = 0
    for match in _TAG.finditer(text):
        _keep_text(tree, behind, match.start(), opened, unread)
        behind = match.end()
        name = match[2].lower()
        if match[1]:
            at = place_of((name,))
            if at >= 0 and (name in _LISTS or name not in _ENDS or at > place_of(_LISTS)):
                close(at, match.start(), match.end())
            continue
        barrier = place_of(_LISTS)
        paragraph = place_of(("p",)) if name in _ENDS_PARAGRAPH else -1
        if paragraph > barrier:
            close(paragraph, match.start(), match.start())
        ended = [place for one in _ENDS.get(name, ()) if (place := place_of((one,))) > barrier]
        if ended:
            close(min(ended), match.start(), match.start())
        if len(tree.elements) >= MAX_ELEMENTS:
            break
        parent = opened[-1] if opened else -1
        path = _path(tree, parent, paths)
        named = _CLASS.search(match[3])
        kind = named[1] if named else ""
        element = Element(len(tree.elements), name, match[3], match.start(), match.end(), parent, path, len(tree.runs), kind)
        tree.elements.append(element)
        if name in _VOID or (match[3].endswith("/") and name in _UNREAD):
            element.inner_end = element.end = match.end()
            element.last_text, element.last = len(tree.runs), len(tree.elements)
            continue
        places.setdefault(name, []).append(len(opened))
        opened.append(element.number)
        unread += name in _UNREAD
    else:
        _keep_text(tree, behind, len(text), opened, unread)
    close(0, len(text), len(text))
    return tree


def _keep_text(tree: Tree, start: int, end: int, opened: Sequence[int], unread: int) -> None:
    if start < end and not unread and tree.text(start, end):
        tree.runs.append(TextRun(start, end, opened[-1] if opened else -1))
        tree.sums.append(tree.sums[-1] + end - start)


def _path(tree: Tree, parent: int, paths: dict[tuple[int, str, str], int]) -> int:
    """The number of the path that leads to the children of an element."""
    if parent < 0:
        return 0
    element = tree.elements[parent]
    if element.name in _INLINE:
        return element.path
    return paths.setdefault((element.path, element.name, element.kind), len(paths) + 1)


# --- lines ----------------------------------------------------------------------------------------
# Lines as items: what begins with a link or a marked text, and ends with a line break.
#
# Front pages of 2000 are full of them: nothing stands around such an item, and no tag is its own.

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
class DraftItem:
    """An item: the stretch of source that is its value."""

    element: Element
    start: int
    end: int


def find_lines(tree: Tree) -> list[DraftItem]:
    """Lines that begin with a link, else with a marked text, and end with a line break, of elements that hold many."""
    return next(filter(None, (_lines_with(tree, name) for name in _LEADS)), [])


def _lines_with(tree: Tree, lead: str) -> list[DraftItem]:
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
    items: list[DraftItem] = []
    for place, found in many.items():
        if not _alike(tree, place, longest):
            continue
        end = tree.elements[place].inner_end if place >= 0 else len(tree.document.text)
        stops = [after.start for after in found[1:]] + [end]
        items += [DraftItem(element, element.start, stop) for element, stop in zip(found, stops, strict=True)]
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


# --- written --------------------------------------------------------------------------------------
# Patterns as text: tags with the attributes that tell them from others, and texts that need quotes.

_TELLING = ("id", "class", "width", "border", "color", "size", "align", "valign", "colspan", "noshade")
"""Attributes that tell an element from others, the best first."""
_SIMPLE = re.compile(r"[\w%./:-]+(?: [\w%./:-]+)*")
"""Values that a pattern can name as they are."""
_MAX_VALUE = 60
_READ_OTHERWISE = frozenset("｛｝〈〉“”，")
"""The paper's typographic signs, which a format takes for the plain ones."""


def tag(element: Element, attributes: Iterable[str] = ()) -> str:
    """A start tag as a pattern, with some of the element's attributes."""
    known = element.attributes
    pieces = [element.name]
    for name in attributes:
        value = known.get(name)
        if value is None:
            continue
        value = " ".join(value.split())
        simple = value and len(value) <= _MAX_VALUE and _SIMPLE.fullmatch(value)
        pieces.append(f'{name}="{value}"' if simple else name)
    return f"<{' '.join(pieces)}>"


def forms(element: Element) -> list[str]:
    """A start tag as patterns, the plainest first."""
    known = element.attributes
    telling = [name for name in _TELLING if name in known]
    found = [tag(element), *(tag(element, (name,)) for name in telling[:4])]
    if len(telling) > 1:
        found.append(tag(element, telling[:4]))
    return [form for form in dict.fromkeys(found) if writable(form)]


def shared_tag(elements: Sequence[Element]) -> str:
    """A start tag with the classes that all of some elements have."""
    common = set(elements[0].classes)
    for element in elements[1:]:
        common &= set(element.classes)
    names = [name for name in elements[0].classes if name in common and _SIMPLE.fullmatch(name)][:2]
    if names:
        return f'<{elements[0].name} class="{" ".join(names)}">'
    alike = [name for name in ("width", "align") if len({element.attributes.get(name) for element in elements}) == 1]
    return tag(elements[0], alike if elements[0].name == "table" else ())


def writable(pattern: str) -> bool:
    """Whether a file can hold a pattern: nothing in it that is read as something else, or that a terminal would obey."""
    if not pattern.isprintable() or _READ_OTHERWISE & set(pattern):
        return False
    try:
        parse_pattern(pattern)
    except PatternError:
        return False  # a text of the page that no pattern can name
    return True


def sample(text: str, most: int = 40) -> str:
    """A text for a comment: one line, cut."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return f'"{line if len(line) <= most else line[: most - 1] + "…"}"'


# --- items ----------------------------------------------------------------------------------------

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
    items: list[DraftItem]
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
            group = found.setdefault((element.path, element.name, element.kind, len(cells_of(tree, element))), [])
            if not group or element.start >= group[-1].end:  # spans may stand in spans
                group.append(element)
    return list(found.values())


def _covered(tree: Tree, group: list[Element]) -> int:
    """Characters of text in the items of a group."""
    if group[0].name == "dt":
        return sum(tree.length_between(item.element, item.end) for item in _pairs(tree, group).items)
    return sum(map(tree.length, group))


def cells_of(tree: Tree, row: Element) -> list[Element]:
    """The cells of a row; none of another element."""
    found, place = [], row.number + 1
    while row.name == "tr" and place < row.last:
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
    if len(cells_of(tree, first)) > 1:
        heads = [row for row in group if any(cell.name == "th" for cell in cells_of(tree, row)[1:])]
        rows = [row for row in group if row not in heads] if len(heads) < len(group) / 2 else group
        return Items("row", [DraftItem(row, row.inner, row.inner_end) for row in rows], "", heads[0] if heads else None)
    if first.name == "li" and sum(_in_item(tree, element) for element in group) >= len(group) / 2:
        low, high = _lists_around(tree, group)
        listed = [one for one in tree.elements if one.name == "li" and one.texts and low <= one.start < high]
        return Items("nested", _own_stretches(listed), "<indentx>#<indentx>")
    tag = shared_tag(group)
    headed = _headed(tree, group)
    if headed is not None:
        return headed
    real, odd = _told_apart(tree, _without_odd_ends(tree, group))
    items = [DraftItem(element, element.inner, element.inner_end) for element in real]
    mark = _mark(tree, real, odd) if odd else None
    end = f"</{first.name}>"
    return Items("element", items, f"{tag}#{mark}#{end}" if mark else f"{tag}#{end}")


def _pairs(tree: Tree, terms: list[Element]) -> Items:
    """Terms with the definitions behind them."""
    ends = [after.start for after in terms[1:]] + [0]
    items = []
    for term, following in zip(terms, ends, strict=True):
        around = tree.elements[term.parent].inner_end if term.parent >= 0 else term.end
        items.append(DraftItem(term, term.inner, min(following, around) if following else around))
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
        items = [DraftItem(head, head.start, end) for head, end in zip(heads, ends, strict=True)]
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


def _own_stretches(items: Sequence[Element]) -> list[DraftItem]:
    """Items up to where the next one begins."""
    found = [DraftItem(one, one.inner, min(one.inner_end, after.start)) for one, after in pairwise(items)]
    return [*found, DraftItem(items[-1], items[-1].inner, items[-1].inner_end)]


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
