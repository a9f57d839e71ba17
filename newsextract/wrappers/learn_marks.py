"""Where the texts stand that a user marked, and which of their places belong together.

A mark is a text as the reader sees it, or an attribute's value (``link@href``). It may stand on the page many times; the
places that are meant are those where the marks of one record stand close together, in elements like those of the other
records.
"""

from __future__ import annotations

import difflib
import html
import itertools
import re
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from newsextract.errors import UsageError
from newsextract.wrappers.interpreter import LINKS, text_of
from newsextract.wrappers.matching import Span
from newsextract.wrappers.pattern import ATTRIBUTES, Document, closings, plain_text

# --- source ---------------------------------------------------------------------------------------
# A page's source as learning needs it: its tags in order, its elements, and its text with the way back to the source.
#
# Elements end where :func:`newsextract.wrappers.pattern.closings` says, so what is an element here is what ``<x>#</x>``
# finds. Texts are compared without white space: what a reader copies has blanks and line breaks where the source has tags.
#
# Cost: linear in the source, one pass more for each of at most :data:`MAX_NAMES` names of tags.

MAX_CHARS = 2_000_000
"""Characters of a source in which marks are looked for; the largest page of the records bench, folds 1–4, has 1.0
million."""
MAX_NAMES = 80
"""Names of tags of which elements are known, the most frequent ones; HTML has about 110, a page 20 to 40."""

MAX_TRIALS = 3_000
"""Patterns that are tried on the marked records, all fields and readings together. On folds 1–4 of the records bench the
median page needs 9, the most that one needs is 772."""

_MAX_PATH, _MAX_CHILDREN = 200, 2_000
_TAG = re.compile(rf"<(/?)([a-zA-Z][^\s/<>]*+)({ATTRIBUTES})>")
_ATTRIBUTE = re.compile(r"([^\s\"'<>/=]+)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+)))?")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});?")
_VISIBLE = re.compile(r"[^\s\u00ad\u200b-\u200d\u2060\ufeff]+")
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())


@dataclass(frozen=True, slots=True)
class SourceElement:
    """An element of the source."""

    number: int
    parent: int
    """Number of the element around it, or -1."""
    tag: int
    """Number of its start tag."""
    name: str
    start: int
    inner: int
    """Where its content begins."""
    inner_end: int
    end: int


@dataclass(frozen=True, slots=True)
class TagToken:
    """A tag of the source."""

    start: int
    end: int
    name: str
    closing: bool


@dataclass(frozen=True, slots=True)
class TextRun:
    """A text between two tags that is more than white space."""

    start: int
    end: int
    parent: int
    """Number of the element around it, or -1."""


class LearningSource:
    """A document with its tags, elements and texts, and how many patterns may still be tried on it."""

    unseen: Collection[str] = ("title", "noscript", "template", "textarea")
    """Elements whose texts do not count."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.trials = MAX_TRIALS
        self.text = document.text
        self.tags: list[TagToken] = []
        self.attribute_text: list[str] = []
        for match in _TAG.finditer(self.text, 0, MAX_CHARS):
            self.tags.append(TagToken(match.start(), match.end(), match[2].lower(), bool(match[1])))
            self.attribute_text.append(match[3])
        self._tag_starts = array("q", (tag.start for tag in self.tags))
        self._tag_ends = array("q", (tag.end for tag in self.tags))
        self.elements, self.runs = self._found()
        self._element_starts = array("q", (element.start for element in self.elements))
        self.letters, self.offsets, self._wide = self._found_letters()

    def _found(self) -> tuple[list[SourceElement], list[TextRun]]:
        """The elements and the texts of the source, in order."""
        counts = Counter(tag.name for tag in self.tags if not tag.closing)
        ends = {name: closings(self.document, name) for name, _ in counts.most_common(MAX_NAMES) if name not in _VOID}
        found: list[SourceElement] = []
        runs: list[TextRun] = []
        opened: list[tuple[int, int]] = []  # an element's number, and where it or one around it ends
        behind = hidden = 0
        last = min(len(self.text), MAX_CHARS)
        for number, tag in enumerate((*self.tags, TagToken(last, last, "", True))):
            while opened and opened[-1][1] <= behind:
                opened.pop()
            if hidden <= behind < tag.start and plain_text(self.text[behind : tag.start]):
                runs.append(TextRun(behind, tag.start, opened[-1][0] if opened else -1))
            behind = tag.end
            if tag.closing:
                continue
            while opened and opened[-1][1] <= tag.start:
                opened.pop()
            inner_end, end = ends[tag.name].get(tag.start, (0, 0)) if tag.name in ends else (0, 0)
            inner_end, end = max(inner_end, tag.end), max(end, tag.end)
            around, limit = opened[-1] if opened else (-1, end)
            if end > tag.end:
                opened.append((len(found), min(end, limit)))
            found.append(SourceElement(len(found), around, number, tag.name, tag.start, tag.end, inner_end, end))
            hidden = max(hidden, inner_end) if tag.name in self.unseen else hidden
        return found, runs

    def _found_letters(self) -> tuple[str, array[int], dict[int, int]]:
        """The page's visible characters, the offset of each, and where those end that are written as entities."""
        pieces: list[str] = []
        offsets = array("q")
        wide: dict[int, int] = {}

        def plain(start: int, end: int) -> None:
            for word in _VISIBLE.finditer(self.text, start, end):
                pieces.append(word[0])
                offsets.extend(range(word.start(), word.end()))

        for run in self.runs:
            place = run.start
            for entity in _ENTITY.finditer(self.text, run.start, run.end):
                decoded = html.unescape(entity[0])
                if decoded == entity[0]:
                    continue
                plain(place, entity.start())
                for char in "".join(_VISIBLE.findall(decoded)):
                    wide[len(offsets)] = entity.end()
                    pieces.append(char)
                    offsets.append(entity.start())
                place = entity.end()
            plain(place, run.end)
        return "".join(pieces), offsets, wide

    def letter_range(self, start: int, end: int) -> tuple[int, int]:
        """The visible characters between two offsets."""
        return bisect_left(self.offsets, start), bisect_left(self.offsets, end)

    def source_range(self, first: int, last: int) -> tuple[int, int]:
        """The offsets of visible characters ``first`` to ``last`` (exclusive)."""
        return self.offsets[first], self._wide.get(last - 1, self.offsets[last - 1] + 1)

    def around(self, start: int, end: int) -> SourceElement | None:
        """The smallest element that holds a stretch of source."""
        number = bisect_right(self._element_starts, start) - 1
        element = self.elements[number] if number >= 0 else None
        while element is not None and element.end < end:
            element = self.parent(element)
        if element is not None and element.start < start < element.inner:
            return self.parent(element)
        return element

    def parent(self, element: SourceElement) -> SourceElement | None:
        """The element around another."""
        return self.elements[element.parent] if element.parent >= 0 else None

    def path(self, element: SourceElement | None) -> list[SourceElement]:
        """An element and those around it, from the inside."""
        found: list[SourceElement] = []
        while element is not None and len(found) < _MAX_PATH:
            found.append(element)
            element = self.parent(element)
        return found

    def attributes(self, tag: int) -> dict[str, str]:
        """Attributes of a tag, decoded, by their names in lower case."""
        found: dict[str, str] = {}
        for match in _ATTRIBUTE.finditer(self.attribute_text[tag][:5_000]):
            value = next((group for group in match.groups()[1:] if group is not None), "")
            found.setdefault(match[1].lower(), html.unescape(value).strip())
        return found

    def tag_before(self, place: int) -> int:
        """Number of the last tag that ends at or before an offset, or -1."""
        return bisect_right(self._tag_ends, place) - 1

    def tag_after(self, place: int) -> int:
        """Number of the first tag that starts at or behind an offset."""
        return bisect_left(self._tag_starts, place)

    def children(self, element: SourceElement) -> list[SourceElement]:
        """The elements right within another."""
        found: list[SourceElement] = []
        number = element.number + 1
        while number < len(self.elements) and self.elements[number].start < element.inner_end and len(found) < _MAX_CHILDREN:
            child = self.elements[number]
            found.append(child)
            number = max(number + 1, bisect_left(self._element_starts, child.end))
        return found

    def value(self, span: Span) -> str:
        """What a reader sees of a span."""
        return text_of(self.document, span)

    def address(self, value: str, attribute: str) -> str:
        """An attribute's value, absolute where it is an address and the page's own is known."""
        return self.document.absolute(value) if attribute in LINKS else value

    @cached_property
    def lowered(self) -> str | None:
        """The letters in lower case; None where that changes their number."""
        lower = self.letters.lower()
        return lower if len(lower) == len(self.letters) else None

    @cached_property
    def attribute_values(self) -> dict[str, list[tuple[int, str]]]:
        """Tags and attributes by value, as it is written and as an absolute address."""
        found: dict[str, list[tuple[int, str]]] = {}
        for number, tag in enumerate(self.tags):
            if tag.closing or "=" not in self.attribute_text[number]:
                continue
            for name, value in self.attributes(number).items():
                for known in {value, self.address(value, name)} if name not in ("class", "style") else ():
                    if 0 < len(known) <= 2_000:
                        found.setdefault(known, []).append((number, name))
        return found


def squeezed(text: str) -> str:
    """A text without white space and characters that nobody sees."""
    return "".join(_VISIBLE.findall(text))


# --- marks ----------------------------------------------------------------------------------------

MAX_PLACES = 200
"""Places of a mark that are looked at."""
MAX_ANCHORS = 40
"""Places of a record's rarest mark around which the others are looked for."""
MAX_WINDOWS = 12
"""Ways to read a record that are compared with those of the others."""
MAX_CHOICES = 3
"""Ways to read all records that are tried."""
MAX_NEAR = 20_000
"""Texts of the page with which a mark that is not found is compared."""


class LearnError(UsageError):
    """No format can be learned from the marks: which one, why, and what to do."""

    def __init__(self, message: str, field: str | None = None, record: int | None = None) -> None:
        super().__init__(message)
        self.field = field
        """The field without which it may be possible; None: it is not one field."""
        self.record = record
        """Number of the record, from 1, without which it is possible."""

    def __reduce__(self) -> tuple[type[LearnError], tuple[str, str | None, int | None]]:
        return type(self), (str(self), self.field, self.record)  # worker processes send exceptions


@dataclass(frozen=True, slots=True)
class UserMark:
    """What a user marked."""

    name: str
    text: str
    attribute: str | None = None
    """The attribute whose value it is; None: text, or any attribute where no text is so."""

    def __str__(self) -> str:
        at = f"@{self.attribute}" if self.attribute else ""
        return f"{self.name}{at}={self.text[:60]!r}"


Example = Sequence[UserMark]
"""The marks of one record."""


@dataclass(frozen=True, slots=True)
class MarkPlace:
    """Where a mark stands in the source."""

    start: int
    end: int
    attribute: str | None = None
    """For an attribute's value: its name; the place is then the start tag."""


def find_places(source: LearningSource, mark: UserMark, start: int = 0, end: int | None = None) -> list[MarkPlace]:
    """The places of a mark between two offsets, in order."""
    end = len(source.text) if end is None else end
    found = _texts(source, mark.text, start, end) if mark.attribute is None else []
    if found:
        return found
    for number, name in source.attribute_values.get(mark.text.strip(), ()):
        tag = source.tags[number]
        if start <= tag.start and tag.end <= end and mark.attribute in (None, name):
            found.append(MarkPlace(tag.start, tag.end, name))
            if len(found) == MAX_PLACES:
                break
    return found


def _texts(source: LearningSource, text: str, start: int, end: int) -> list[MarkPlace]:
    wanted = squeezed(text)
    if not wanted:
        return []
    first, last = source.letter_range(start, end)
    found = _search(source, source.letters, wanted, first, last)
    if not found and source.lowered is not None:
        found = _search(source, source.lowered, wanted.lower(), first, last)
    return found


def _search(source: LearningSource, letters: str, wanted: str, first: int, last: int) -> list[MarkPlace]:
    """Places of a text where no word or number goes on before or behind it."""
    found: list[MarkPlace] = []
    at = letters.find(wanted, first, last)
    while at >= 0 and len(found) < MAX_PLACES:
        behind = at + len(wanted)
        begin, end = source.source_range(at, behind)
        if not (_goes_on(source.text, begin) or _goes_on(source.text, end)):
            found.append(MarkPlace(begin, end))
        at = letters.find(wanted, behind, last)
    return found


def _goes_on(text: str, place: int) -> bool:
    """Whether an offset is within a word or a number; Chinese and Japanese have no bounds of words."""
    before, behind = text[place - 1 : place], text[place : place + 1]
    letters = before.isalpha() and behind.isalpha() and max(before, behind) < "\u2e80"
    return letters or (before.isdigit() and behind.isdigit())


def near_texts(source: LearningSource, text: str) -> list[str]:
    """Texts of the page like one that does not stand there."""
    shown = (plain_text(source.text[run.start : run.end][:500])[:200] for run in source.runs)
    seen = dict.fromkeys(itertools.islice(filter(None, shown), MAX_NEAR))
    folded = {shown.lower(): shown for shown in seen}
    wanted = " ".join(text.split()).lower()[:200]
    holding = [shown for low, shown in folded.items() if len(low) > 3 and (low in wanted or wanted in low)]
    like = [folded[low] for low in difflib.get_close_matches(wanted, list(folded)[:2_000], 3, 0.6)]
    return list(dict.fromkeys([*like, *sorted(holding, key=len, reverse=True)]))[:3]


@dataclass(frozen=True, slots=True)
class MarkWindow:
    """A reading of a record: the stretch of source that holds one place of each of its marks."""

    start: int
    end: int
    around: SourceElement | None
    """The smallest element that holds it."""
    order: tuple[str, ...]
    """Names of the marks as they come in the source."""
    price: float
    """Small where the marks stand close together and in the order in which they were given."""


def choose_windows(source: LearningSource, examples: Sequence[Example]) -> list[list[MarkWindow]]:
    """For each record the stretch of source that is meant; the likeliest choice first.

    :raises LearnError: a mark is not on the page.
    """
    choices = [_windows(source, example, number) for number, example in enumerate(examples, 1)]
    found: list[tuple[float, list[MarkWindow]]] = []
    for lead in choices[0]:
        taken = [lead]
        score = -lead.price
        for others in choices[1:]:
            ranked = [(_likeness(source, lead, other) - other.price, -number, other)
                      for number, other in enumerate(others) if all(_apart(other, one) for one in taken)]  # fmt: skip
            if not ranked:
                break
            gain, _, other = max(ranked, key=lambda one: one[:2])
            score += gain
            taken.append(other)
        if len(taken) == len(choices):
            found.append((score, taken))
    if not found:
        raise LearnError(
            "the marks of two records are at the same places of the page; mark what differs, or give each record once"
        )
    return [taken for _, taken in sorted(found, key=lambda one: -one[0])[:MAX_CHOICES]]


def _apart(one: MarkWindow, other: MarkWindow) -> bool:
    return one.end <= other.start or other.end <= one.start


def _likeness(source: LearningSource, one: MarkWindow, other: MarkWindow) -> float:
    """How alike two records are, 0 to 5: names and classes on the way from the root, the order of the marks."""
    first, second = (source.path(window.around)[::-1] for window in (one, other))
    if not first or not second:
        return 0.0
    same_names = sum(a.name == b.name for a, b in zip(first, second, strict=False)) / max(len(first), len(second))
    same_end = first[-1].name == second[-1].name
    same_class = same_end and source.attributes(first[-1].tag).get("class") == source.attributes(second[-1].tag).get("class")
    shared = sum(a is b for a, b in zip(first, second, strict=False)) / max(len(first), len(second))
    common = set(one.order) & set(other.order)
    orders = [[name for name in window.order if name in common] for window in (one, other)]
    return same_names + same_end + same_class + shared + (orders[0] == orders[1])


def _windows(source: LearningSource, example: Example, number: int) -> list[MarkWindow]:
    """The readings of a record, narrow ones first."""
    places: list[list[MarkPlace]] = []
    for mark in example:
        found = find_places(source, mark)
        if not found:
            near = near_texts(source, mark.text)
            hint = f"; near it are: {', '.join(repr(text[:80]) for text in near)}" if near else ""
            raise LearnError(
                f"record {number}: {mark} is not on the page{hint}; give a text as the page shows it, or an attribute's "
                "value as the source has it",
                mark.name,
            )
        places.append(found)
    rarest = min(places, key=len)
    windows: dict[tuple[int, int], tuple[str, ...]] = {}
    for anchor in rarest[:MAX_ANCHORS]:
        for behind, before in ((True, True), (True, False), (False, True)):
            start, end = anchor.start, anchor.end
            order = []
            for mark, others in zip(example, places, strict=True):
                allowed = [
                    place
                    for place in others
                    if (behind or place.end <= anchor.end) and (before or place.start >= anchor.start)
                ]
                nearest = min(allowed or others, key=lambda place: max(place.end, end) - min(place.start, start))
                start, end = min(start, nearest.start), max(end, nearest.end)
                order.append((nearest.start, mark.name))
            windows.setdefault((start, end), tuple(name for _, name in sorted(order)))
    given = tuple(mark.name for mark in example)
    readings = [
        MarkWindow(start, end, source.around(start, end), order, (end - start) / 10_000 + 0.5 * (order != given))
        for (start, end), order in windows.items()
    ]
    return sorted(readings, key=lambda window: (window.price, window.start))[:MAX_WINDOWS]


def by_name(example: Example) -> Mapping[str, list[UserMark]]:
    """The marks of a record by name, in the order they were given."""
    found: dict[str, list[UserMark]] = {}
    for mark in example:
        found.setdefault(mark.name, []).append(mark)
    return found
