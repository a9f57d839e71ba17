"""Which elements of a page are its items: the kind of element, repeated in the same place, that holds most of its text.

Huang, Qi & Zhang 2000, §1.1 and §1.2: the elements of lists and tables are siblings. So are, today, elements of one class,
and in 2000 lines that begin with a link and end with ``<br>``.

The fields of items are links, marked texts, and texts between tags. Texts of the same kind, by the element or the tags
around them, that occur in many items are a field. Their patterns are found as those of marked texts are
(:class:`~newsextract.wrappers.learn_fields.FieldLearner`).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal, NamedTuple

from newsextract.wrappers.interpreter import begins_line
from newsextract.wrappers.learn_fields import FieldLearner, common_tag, versions
from newsextract.wrappers.learn_marks import MAX_TRIALS, LearningSource, MarkPlace, SourceElement, TextRun
from newsextract.wrappers.matching import compile_context
from newsextract.wrappers.pattern import Document, Text, plain_text, written

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


def _lines_with(source: DraftSource, lead: str) -> list[DraftItem]:
    """Lines that begin with an element of that name and end with a line break, in the elements of one kind and look that
    hold most of them."""
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
    lines = next(filter(None, (_lines_with(source, name) for name in _LEADS)), [])
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


# --- fields ---------------------------------------------------------------------------------------

MAX_FIELDS = 12
_SAMPLE = 60
"""Items in which contexts are tried."""
_SAMPLE_TEXT = 200_000
"""Characters of source of these items."""
_OFTEN = 0.25
"""Part of the items in which a field stands at least."""
_MISSED = 0.4
"""Part of the items in which a pattern may find something else."""
_COMMON = 0.8
"""Part of a field's texts around which the same brackets or words stand."""
_WORD = re.compile(r"\w")
_LEAD = re.compile(r"[^\w\s<&]+")
_TAIL = re.compile(r"[^\w\s>;]+\Z")
WHOLE = "#"
"""Finds an item's whole text, which the item itself has."""


class Place(NamedTuple):
    """One text of an item that may be a field's."""

    item: int
    start: int
    end: int
    link: SourceElement | None = None


@dataclass(slots=True)
class Field:
    """A field that stands in many items."""

    kind: Literal["link", "marked", "loose"]
    name: str = ""
    """The first class of its elements; empty without."""
    places: list[Place] = field(default_factory=list)
    pattern: str = ""
    """Section text that finds it in an item."""
    link: str = ""
    """The same for its addresses; empty where it has none, or several."""
    texts: list[str] = field(default_factory=list)

    @property
    def items(self) -> int:
        """In how many items it stands."""
        return len({place.item for place in self.places})

    @property
    def many(self) -> bool:
        """Whether it stands several times in some items."""
        return len(self.places) > 1.05 * self.items


def find_fields(source: DraftSource, items: Sequence[DraftItem]) -> list[Field]:
    """The fields of items that patterns find, in the order of the page."""
    fields: dict[tuple[str, ...], Field] = {}
    for number, item in enumerate(items):
        for key, kind, name, place in _places(source, number, item):
            fields.setdefault(key, Field(kind, name)).places.append(place)
    found = [one for one in _split_by_address(source, fields.values()) if one.items >= max(2, _OFTEN * len(items))]
    found = sorted(found, key=lambda one: -one.items)[:MAX_FIELDS]
    sizes = [max(1, item.end - item.start) for item in items]
    found.sort(  # by where its texts stand in their items, 0 to 1
        key=lambda one: sum((at.start - items[at.item].start) / sizes[at.item] for at in one.places) / len(one.places)
    )
    found = [part for one in found for part in _parts(source, one)]
    learner = FieldLearner(source, [(item.start, item.end) for item in items], missed=_MISSED)

    def learned(one: Field, places: Iterable[MarkPlace]) -> str:
        of_items: list[list[MarkPlace]] = [[] for _ in items]
        for place, at in zip(one.places, places, strict=True):
            of_items[place.item].append(at)
        source.trials = MAX_TRIALS
        pattern = learner.of_places("", of_items, many=one.many)
        return written(pattern.parts) if pattern else ""

    for one in found:
        one.texts = [source.read(place.start, place.end) for place in one.places]
        one.pattern = learned(one, [MarkPlace(place.start, place.end) for place in one.places])
        links = [MarkPlace(place.link.start, place.link.inner, "href") for place in one.places if place.link]
        one.link = learned(one, links) if links and not one.many else ""
    return [one for one in found if one.pattern not in ("", WHOLE)]


def sampled(items: Sequence[DraftItem]) -> list[DraftItem]:
    """Items from all parts of the page, as many as the bound allows."""
    step = max(1, len(items) // _SAMPLE)
    found: list[DraftItem] = []
    length = 0
    for item in items[::step][:_SAMPLE]:
        length += item.end - item.start
        if found and length > _SAMPLE_TEXT:
            break
        found.append(item)
    return found


def _places(
    source: DraftSource, number: int, item: DraftItem
) -> Iterator[tuple[tuple[str, ...], Literal["link", "marked", "loose"], str, Place]]:
    """The texts of an item, each with a key that is the same for all of a field, the kind of text, and a class."""
    first = bisect_left(source.runs, item.start, key=lambda run: run.start)
    last = bisect_left(source.runs, item.end, key=lambda run: run.start)
    breaks = 0
    behind, taken = item.start, -1
    for run in source.runs[first:last]:
        breaks += len(_BREAK.findall(source.text, behind, run.start))
        behind = run.end
        if run.start < taken or not _WORD.search(source.read(run.start, run.end)):
            continue
        around = [one for one in source.above(run.parent) if one.start >= item.start and one.number != item.element.number]
        link = next((one for one in around if one.name == "a" and "href" in source.attributes(one.tag)), None)
        alone = [one for one in around if source.texts(one) == 1]
        if link is not None:
            taken, kind = link.end, source.kind(link)
            yield ("a href", kind), "link", kind, Place(number, link.inner, link.inner_end, link)
        elif alone:
            marks = [one for one in alone if one.name != "p"] or alone
            chosen = next((one for one in reversed(marks) if source.kind(one)), marks[0])
            kind = source.kind(chosen)
            yield (chosen.name, kind), "marked", kind, Place(number, chosen.inner, chosen.inner_end)
        else:
            before, after = _tags_around(source, run, item)
            key = (before, after, str(min(breaks, 9)) if before == "<br>" else "")
            yield key, "loose", "", Place(number, run.start, run.end)


_BREAK = re.compile(r"<br(?=[\s/>])", re.IGNORECASE)


def _tags_around(source: DraftSource, run: TextRun, item: DraftItem) -> tuple[str, str]:
    """The tags right before and behind a text of an item, by name; empty where it has none there."""
    numbers = source.tag_before(run.start), source.tag_after(run.end)
    tags = [source.tags[number] if 0 <= number < len(source.tags) else None for number in numbers]
    found = [f"<{'/' * tag.closing}{tag.name}>" if tag and item.start <= tag.start < item.end else "" for tag in tags]
    return found[0], found[1]


def _split_by_address(source: DraftSource, fields: Iterable[Field]) -> list[Field]:
    """Fields, those of links told apart by where they lead: authors' pages from papers, say."""
    found: list[Field] = []
    for one in fields:
        roles: dict[tuple[str, str], Field] = {}
        for place in one.places:
            if place.link:
                role = _role(source.attributes(place.link.tag)["href"])
                roles.setdefault(role, Field("link", one.name)).places.append(place)
        parts = list(roles.values())
        several = len(parts) > 1 and all(part.items >= _OFTEN * one.items for part in parts)
        found.extend(parts if several else [one])
    return found


def _role(href: str) -> tuple[str, str]:
    """Where a link leads: scheme or first folder, and the file's ending."""
    address = href.partition("?")[0].partition("#")[0]
    scheme = re.match(r"[a-z]+:", address)
    name = address.rpartition("/")[2]
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    return (scheme[0] if scheme else address.partition("/")[0] if "/" in address else "", ending)


def _parts(source: DraftSource, one: Field) -> list[Field]:
    """A field without the signs around nearly all of its texts; several where separators cut them."""
    texts = [source.read(place.start, place.end) for place in one.places]
    lead, tail = (_affixes if one.kind == "loose" else brackets)(texts)
    places = []
    for place in one.places:
        text = source.text[place.start : place.end].strip()
        start = source.text.index(text, place.start)
        text = text.removesuffix(tail) if tail else text
        rest = text.removeprefix(lead).lstrip()
        places.append(place._replace(start=start + len(text) - len(rest), end=start + len(text)))
    texts = [source.read(place.start, place.end) for place in places]
    signs = separators(texts) if one.kind == "loose" and not one.many else []
    pieces = [[place._replace(start=start, end=end) for start, end in cut(source.text, place.start, place.end, signs)]
              for place in places]  # fmt: skip
    return [replace(one, places=list(column)) for column in zip(*pieces, strict=True)]


def _common(values: Sequence[str]) -> str:
    """The value that nearly all are, or an empty text."""
    value, count = Counter(values).most_common(1)[0]
    return value if value and count >= _COMMON * len(values) else ""


def _affixes(texts: Sequence[str]) -> tuple[str, str]:
    """Signs before and behind loose texts that nearly all have, such as ``:`` or ``pp.``."""
    lead = _common([match[0] if (match := _LEAD.match(text)) else "" for text in texts])
    if not lead:
        lead = _common([text.split()[0] if text.split()[0][-1] in ".:" and len(text.split()) > 1 else "" for text in texts])
    tail = _common([match[0] if (match := _TAIL.search(text)) else "" for text in texts])
    return lead, tail if tail not in (".", "?", "!", ")", "]") or (tail in ")]" and lead in "([") else ""


def brackets(texts: Sequence[str]) -> tuple[str, str]:
    """Brackets around all of some texts."""
    for lead, tail in ("()", "[]", "（）", "【】"):
        if all(text.startswith(lead) and text.endswith(tail) for text in texts):
            return lead, tail
    return "", ""


# --- separators -----------------------------------------------------------------------------------
# Texts that separators cut into fields: ``Authors: Title. 3-9`` in one run of plain text.
#
# A sign is a separator where it stands once in nearly all texts of a field.

_SIGNS = (": ", ". ", " - ", " – ", " — ", "; ", " | ", " / ", "：", "；", ", ", " (")
_MOST = 4
_MOST_TEXTS = 0.9
_LONG = 20
"""Characters in the mean from which on a text may be several fields."""


def separators(texts: Sequence[str]) -> list[str]:
    """The signs that cut the texts, in order; none where the texts are short or have no common build."""
    if not texts or sum(map(len, texts)) < _LONG * len(texts):
        return []
    found = [sign for sign in _SIGNS if sum(text.count(sign) == 1 for text in texts) >= _MOST_TEXTS * len(texts)][:_MOST]
    found.sort(key=lambda sign: sum(text.find(sign) for text in texts))
    return found


def cut(text: str, start: int, end: int, signs: Sequence[str]) -> list[tuple[int, int]]:
    """Where the pieces of a text between two offsets stand; empty ones where a sign is missing."""
    found = []
    for sign in signs:
        match = compile_context([Text(sign)]).regex.search(text, start, end)
        found.append((start, match.start() if match else end))
        start = match.end() if match else end
    return [*found, (start, end)]


# --- names ----------------------------------------------------------------------------------------
# Names for the objects of a draft: from classes and heads of columns, else from what the texts look like.

_SLUG = re.compile(r"[^a-z0-9]+")
_MAX = 30
_MOST_NAMED = 0.8
_LOOKS = (
    ("date", re.compile(
        r"(?:19|20)[0-9]{2}[-./年][0-9]{1,2}[-./月][0-9]{1,2}.{0,12}|[01][0-9][-./][0-3][0-9]|[0-9]{1,2}:[0-9]{2}"
        r"|[0-9]{1,2}月[0-9]{1,2}日|[0-9]{1,2}\.? \w{3,9}\.? [0-9]{4}|\w{3,9}\.? [0-9]{1,2}, [0-9]{4}"
    )),
    ("pages", re.compile(r"(?:pp?\.?\s*)?[0-9]{1,5}\s*[-–—]\s*[0-9]{1,5}")),
    ("number", re.compile(r"[\W0-9]*[0-9][\W0-9]*")),
)  # fmt: skip
_NAMED = ("author", re.compile(r"(?:[A-ZÀ-Þ][\w'’-]*\.?,? ?){2,5}(?:, .+)?"))
_TITLE = 12
"""Characters in the mean from which on the longest text of an item is its title; two words of English."""


def slug(text: str) -> str:
    """A name made of a class or a column's head; empty where no letters are left."""
    found = _SLUG.sub("_", text.lower()).strip("_")[:_MAX].strip("_")
    return found if found[:1].isalpha() else ""


def looks_like(texts: Sequence[str]) -> str:
    """``pages``, ``date``, ``number`` or ``author`` where nearly all texts look so, else an empty name."""
    for name, pattern in (*_LOOKS, _NAMED):
        if sum(pattern.fullmatch(text) is not None for text in texts) >= _MOST_NAMED * len(texts):
            return name
    return ""


def is_long(texts: Sequence[str]) -> bool:
    """Whether texts are long enough for titles."""
    return sum(map(len, texts)) >= _TITLE * len(texts)


class Names:
    """Names that are given once."""

    def __init__(self, taken: Sequence[str] = ()) -> None:
        self._taken = set(taken)

    def take(self, *wanted: str) -> str:
        """The first of some names that is free, or the last of them with a number."""
        choice = [name for name in wanted if name]
        for name in choice:
            if name not in self._taken:
                self._taken.add(name)
                return name
        number = 2
        while f"{choice[-1]}{number}" in self._taken:
            number += 1
        self._taken.add(f"{choice[-1]}{number}")
        return f"{choice[-1]}{number}"
