"""Where the texts stand that a user marked, and which of their places belong together.

A mark is a text as the reader sees it, or an attribute's value (``link@href``). It may stand on the page many times; the
places that are meant are those where the marks of one record stand close together, in elements like those of the other
records.

Cost: one search over the page's letters per mark; places and combinations are capped.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from newsextract.errors import UsageError
from newsextract.oem.document import plain_text
from newsextract.oem.learning.source import Element, Source, squeezed

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
class Mark:
    """What a user marked."""

    name: str
    text: str
    attribute: str | None = None
    """The attribute whose value it is; None: text, or any attribute where no text is so."""

    def __str__(self) -> str:
        at = f"@{self.attribute}" if self.attribute else ""
        return f"{self.name}{at}={self.text[:60]!r}"


Example = Sequence[Mark]
"""The marks of one record."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a mark stands in the source."""

    start: int
    end: int
    attribute: str | None = None
    """For an attribute's value: its name; the place is then the start tag."""


def find_places(source: Source, mark: Mark, start: int = 0, end: int | None = None) -> list[Place]:
    """The places of a mark between two offsets, in order."""
    end = len(source.text) if end is None else end
    if mark.attribute is None:
        found = _texts(source, mark.text, start, end)
        if found:
            return found
    return _attributes(source, mark, start, end)


def _attributes(source: Source, mark: Mark, start: int, end: int) -> list[Place]:
    found = []
    for number, name in source.attribute_values.get(mark.text.strip(), ()):
        tag = source.tags[number]
        if start <= tag.start and tag.end <= end and mark.attribute in (None, name):
            found.append(Place(tag.start, tag.end, name))
            if len(found) == MAX_PLACES:
                break
    return found


def _texts(source: Source, text: str, start: int, end: int) -> list[Place]:
    wanted = squeezed(text)
    if not wanted:
        return []
    first, last = source.letter_range(start, end)
    found = _search(source, source.letters, wanted, first, last)
    if not found and source.lowered is not None:
        found = _search(source, source.lowered, wanted.lower(), first, last)
    return found


def _search(source: Source, letters: str, wanted: str, first: int, last: int) -> list[Place]:
    """Places of a text where no word or number goes on before or behind it."""
    found: list[Place] = []
    at = letters.find(wanted, first, last)
    while at >= 0 and len(found) < MAX_PLACES:
        behind = at + len(wanted)
        begin, end = source.source_range(at, behind)
        if not (_goes_on(source.text, begin) or _goes_on(source.text, end)):
            found.append(Place(begin, end))
        at = letters.find(wanted, behind, last)
    return found


def _goes_on(text: str, place: int) -> bool:
    """Whether an offset is within a word or a number; Chinese and Japanese have no bounds of words."""
    before, behind = text[place - 1 : place], text[place : place + 1]
    letters = before.isalpha() and behind.isalpha() and max(before, behind) < "\u2e80"
    return letters or (before.isdigit() and behind.isdigit())


def near_texts(source: Source, text: str) -> list[str]:
    """Texts of the page like one that does not stand there."""
    seen: dict[str, None] = {}
    place = 0
    for tag in source.tags:
        if tag.start > place:
            shown = plain_text(source.text[place : tag.start][:500])
            if shown:
                seen[shown[:200]] = None
                if len(seen) >= MAX_NEAR:
                    break
        place = tag.end
    folded = {shown.lower(): shown for shown in seen}
    wanted = " ".join(text.split()).lower()[:200]
    holding = [shown for low, shown in folded.items() if len(low) > 3 and (low in wanted or wanted in low)]
    like = [folded[low] for low in difflib.get_close_matches(wanted, list(folded)[:2_000], 3, 0.6)]
    return list(dict.fromkeys([*like, *sorted(holding, key=len, reverse=True)]))[:3]


@dataclass(frozen=True, slots=True)
class Window:
    """A reading of a record: the stretch of source that holds one place of each of its marks."""

    start: int
    end: int
    around: Element | None
    """The smallest element that holds it."""
    order: tuple[str, ...]
    """Names of the marks as they come in the source."""
    price: float
    """Small where the marks stand close together and in the order in which they were given."""


def choose_windows(source: Source, examples: Sequence[Example]) -> list[list[Window]]:
    """For each record the stretch of source that is meant; the likeliest choice first.

    :raises LearnError: a mark is not on the page.
    """
    choices = [_windows(source, example, number) for number, example in enumerate(examples, 1)]
    found: list[tuple[float, list[Window]]] = []
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
            "the marks of two records stand at the same places of the page; mark what differs, or give each record once"
        )
    return [taken for _, taken in sorted(found, key=lambda one: -one[0])[:MAX_CHOICES]]


def _apart(one: Window, other: Window) -> bool:
    return one.end <= other.start or other.end <= one.start


def _likeness(source: Source, one: Window, other: Window) -> float:
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


def _windows(source: Source, example: Example, number: int) -> list[Window]:
    """The readings of a record, narrow ones first."""
    places: list[list[Place]] = []
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
        close = _within_one(source, anchor, places)
        for behind, before in ((True, True), (True, False), (False, True)):
            start, end = anchor.start, anchor.end
            order = []
            for mark, others in zip(example, close, strict=True):
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
        Window(start, end, source.around(start, end), order, _price(source, start, end) + 0.5 * (order != given))
        for (start, end), order in windows.items()
    ]
    return sorted(readings, key=lambda window: (window.price, window.start))[:MAX_WINDOWS]


def _within_one(source: Source, anchor: Place, places: Sequence[Sequence[Place]]) -> list[list[Place]]:
    """The places of all marks in the smallest element that holds the anchor and one place of each."""
    for element in source.path(source.around(anchor.start, anchor.end)):
        held = [
            [place for place in of_mark if element.start <= place.start and place.end <= element.end] for of_mark in places
        ]
        if all(held):
            return held
    return [list(of_mark) for of_mark in places]


def _price(source: Source, start: int, end: int) -> float:
    """What a reading costs for being wide: 1 for ten thousand characters, 2 for an element that holds the whole page."""
    around = source.around(start, end)
    size = around.end - around.start if around is not None else len(source.text)
    return (end - start) / 10_000 + 2.0 * size / max(1, len(source.text))


def by_name(example: Example) -> Mapping[str, list[Mark]]:
    """The marks of a record by name, in the order they were given."""
    found: dict[str, list[Mark]] = {}
    for mark in example:
        found.setdefault(mark.name, []).append(mark)
    return found
