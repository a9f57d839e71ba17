"""The pattern of a field: the cheapest contexts that find in each marked record what was marked there, and nothing else.

All ways to read the marks give candidates: the element whose text it is, or the text between neighbours, each with one to
three tags of context; then places counted from the record's start (``...<td>...<td>#</td>``) or from a distinct element
before it (``<div class="meta">...<a>#</a>``). They are tried in the order of their costs. Records that were not marked
have a say, too: a pattern that finds two values in some of them, or none, pays for it.

Cost: a candidate costs one search over the marked records, the first :data:`MAX_GOOD` that hold over :data:`MAX_KIN` others.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from newsextract.oem.context import compile_context
from newsextract.oem.learning.contexts import Priced, common_tag, lefts, rights, versions
from newsextract.oem.learning.marks import Mark, Place, find_places
from newsextract.oem.learning.source import Element, Source, squeezed
from newsextract.oem.matching import Matcher
from newsextract.oem.pattern import Attribute, Hole, Part, Tag

MAX_KIN = 25
"""Records that were not marked on which a pattern is tried."""
MAX_GOOD = 12
"""Patterns that hold on the marked records and are compared on the others."""
MAX_TRIED = 400
"""Candidates per field. On folds 1–4 of the records bench half of the fields need one, 99 % fewer than 200."""
MAX_READINGS = 24
"""Ways to read the marks of a field, where a text stands several times in a record."""
MAX_COUNT = 9
"""Elements that a pattern counts from the start of a record."""

Stretch = tuple[int, int]
"""Offsets between which the patterns of a record's fields search."""
_SKIP = Hole(skipped=True)


@dataclass(frozen=True, slots=True)
class FieldPattern:
    """How a field is found within a record."""

    name: str
    parts: tuple[Part, ...]
    cost: float
    required: bool
    """Whether all marked records have it."""
    many: bool = False
    """Whether a record may have several."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """One way to read the marks of a field: places and the records' stretches in which they stand."""

    places: tuple[Place, ...]
    stretches: tuple[Stretch, ...]


class FieldLearner:
    """Finds the patterns of fields in the same marked records."""

    def __init__(self, source: Source, stretches: Sequence[Stretch], kin: Sequence[Stretch]) -> None:
        self._source = source
        self._stretches = stretches
        marked = set(stretches)
        self._kin = [stretch for stretch in kin if stretch not in marked][:MAX_KIN]

    def learn(self, name: str, marks: Sequence[Sequence[Mark]]) -> FieldPattern | None:
        """The pattern of a field, or None where none singles it out.

        :param marks: of each record, none where it lacks the field.
        """
        wanted = [[accepted(self._source, mark) for mark in of_record] for of_record in marks]
        required = all(wanted)
        many = any(len(values) > 1 for values in wanted)
        candidates = heapq.merge(
            *(
                sorted(self._candidates(reading, many=many), key=lambda found: found.cost)
                for reading in self._readings(marks)
            ),
            key=lambda found: found.cost,
        )
        longest = max(len(mark.text) for of_record in marks for mark in of_record)
        best: tuple[float, tuple[Part, ...]] | None = None
        good = 0
        seen: set[tuple[Part, ...]] = set()
        for candidate in itertools.islice(candidates, 3 * MAX_TRIED):
            if candidate.parts in seen:
                continue
            if best is not None and candidate.cost >= best[0]:
                break
            seen.add(candidate.parts)
            if len(seen) > MAX_TRIED or good == MAX_GOOD or self._source.trials <= 0:
                break
            self._source.trials -= 1
            matcher = Matcher(candidate.parts)
            if not all(are_accepted(self._values(matcher, stretch), values)
                       for stretch, values in zip(self._stretches, wanted, strict=True)):  # fmt: skip
                continue
            good += 1
            cost = candidate.cost + self._penalty(matcher, required=required, many=many, longest=longest)
            if best is None or cost < best[0]:
                best = (cost, candidate.parts)
        return FieldPattern(name, best[1], best[0], required, many) if best else None

    def _values(self, matcher: Matcher, stretch: Stretch) -> list[str]:
        found = matcher.find(self._source.document, *stretch)
        return [squeezed(self._source.value(match.value)).lower() for match in found]

    def _penalty(self, matcher: Matcher, *, required: bool, many: bool, longest: int) -> float:
        """What a pattern pays for what it finds in records that were not marked."""
        if not self._kin:
            return 0.0
        several = none = long = 0
        for stretch in self._kin:
            found = self._values(matcher, stretch)
            several += len(found) > 1 and not many
            none += not any(found)
            long += any(len(value) > 20 * longest + 200 for value in found)
        useless = 1.0 if none == len(self._kin) else 0.0
        return useless + (3.0 * several + (1.0 if required else 0.3) * none + 2.0 * long) / len(self._kin)

    def _readings(self, marks: Sequence[Sequence[Mark]]) -> Iterator[_Reading]:
        """Which places of the marks may be meant, likely ones first."""
        choices: list[list[Place]] = []
        stretches: list[Stretch] = []
        for of_record, stretch in zip(marks, self._stretches, strict=True):
            behind = stretch[0]
            for mark in of_record:
                found = find_places(self._source, mark, *stretch)
                if len(of_record) > 1:
                    found = [place for place in found if place.start >= behind][:1]
                    behind = found[0].end if found else behind
                if not found:
                    return
                choices.append(found[:6])
                stretches.append(stretch)
        for places in itertools.islice(itertools.product(*choices), MAX_READINGS):
            if len({place.attribute for place in places}) == 1:
                yield _Reading(places, tuple(stretches))

    def _candidates(self, reading: _Reading, *, many: bool) -> Iterator[Priced]:
        """Patterns for a reading."""
        if reading.places[0].attribute is not None:
            yield from self._attributes(reading, reading.places[0].attribute, many=many)
            return
        floors, ceilings = zip(*reading.stretches, strict=True)
        chains = [self._chain(place, stretch) for place, stretch in zip(reading.places, reading.stretches, strict=True)]
        levels = min(map(len, chains))
        holes: list[tuple[list[int], list[int]]] = []
        for level in range(levels):
            at = [chain[level] for chain in chains]
            holes.append(([element.inner for element in at], [element.inner_end for element in at]))
        if levels:
            outer = [chain[levels - 1] for chain in chains]
            holes.append(([element.start for element in outer], [element.end for element in outer]))
        else:
            holes.append(([place.start for place in reading.places], [place.end for place in reading.places]))
        for level, (starts, ends) in enumerate(holes):
            before = lefts(self._source, starts, floors)
            behind = rights(self._source, ends, ceilings)
            pairs = (
                Priced(_paired(left, right), (*left.parts, Hole(), *right.parts))
                for left, right in itertools.product(before[:40], behind[:14])
            )
            yield from heapq.nsmallest(150, pairs, key=lambda found: found.cost)
            if many:
                continue
            if level < levels:
                yield from self._counted([chain[level].tag for chain in chains], reading.stretches, hole=None)
                yield from self._anchored([chain[level] for chain in chains], reading.stretches, hole=None)

    def _chain(self, place: Place, stretch: Stretch) -> list[Element]:
        """The elements within a record whose whole text a place is, from the inside."""
        wanted = self._source.letter_range(place.start, place.end)
        element = self._source.around(place.start, place.end)
        found: list[Element] = []
        while element is not None and stretch[0] <= element.start and element.end <= stretch[1] and len(found) < 6:
            if self._source.letter_range(element.inner, element.inner_end) != wanted:
                break
            found.append(element)
            element = self._source.parent(element)
        return found

    def _attributes(self, reading: _Reading, attribute: str, *, many: bool) -> Iterator[Priced]:
        """Patterns for an attribute's value."""
        tags = [self._source.tag_at(place.start) for place in reading.places]
        common = common_tag(self._source, tags)
        if common is None:
            return
        hole = Attribute(attribute, "", Hole())
        starts = [place.start for place in reading.places]
        found = lefts(self._source, starts, [start for start, _ in reading.stretches])
        before = [Priced(0.0, ()), *(one for one in found if one.parts)]
        for version in versions(common):
            holed = _with_hole(version, hole)
            if holed is not None:
                yield from (Priced(left.cost + holed.cost, (*left.parts, *holed.parts)) for left in before[:20])
        if not many:
            elements = [self._source.around(place.start, place.end) for place in reading.places]
            yield from self._counted(tags, reading.stretches, hole=hole)
            yield from self._anchored([element for element in elements if element], reading.stretches, hole=hole)

    def _counted(self, tags: Sequence[int], stretches: Sequence[Stretch], hole: Attribute | None) -> Iterator[Priced]:
        """Patterns that count tags from the record's start."""
        common = common_tag(self._source, tags)
        if common is None:
            return
        for version in versions(common)[:6]:
            counted = self._count(version, tags, [start for start, _ in stretches])
            end = _target(version, hole)
            if counted is not None and end is not None:
                yield Priced(1.5 + 0.6 * counted + end.cost, (*_skips(version, counted), *end.parts))

    def _anchored(
        self, elements: Sequence[Element], stretches: Sequence[Stretch], hole: Attribute | None
    ) -> Iterator[Priced]:
        """Patterns that count from the start of an element around the value."""
        tags = [element.tag for element in elements]
        common = common_tag(self._source, tags)
        if common is None or len(elements) != len(stretches):
            return
        paths = [self._source.path(element)[1:8] for element in elements]
        for arounds in zip(*paths, strict=False):
            if any(around.start < stretch[0] for around, stretch in zip(arounds, stretches, strict=True)):
                return
            anchor = common_tag(self._source, [around.tag for around in arounds])
            if anchor is None:
                return
            for anchor_version, version in itertools.product(versions(anchor)[:3], versions(common)[:3]):
                counted = self._count(version, tags, [around.inner for around in arounds])
                end = _target(version, hole)
                if counted is not None and end is not None:
                    parts = (*anchor_version.parts, *_skips(version, counted), *end.parts)
                    yield Priced(0.9 + 0.6 * counted + anchor_version.cost + end.cost, parts)

    def _count(self, version: Priced, tags: Sequence[int], floors: Sequence[int]) -> int | None:
        """How many tags like it stand between floor and tag, where that is the same everywhere and not too many."""
        context = compile_context([part for part in version.parts if isinstance(part, Tag)]).regex
        text = self._source.text
        counts = {
            sum(1 for _ in context.finditer(text, floor, self._source.tags[tag].start))
            for tag, floor in zip(tags, floors, strict=True)
        }
        counted = counts.pop()
        return counted if not counts and counted <= MAX_COUNT else None


def accepted(source: Source, mark: Mark) -> frozenset[str]:
    """The values that a mark may be: its text, or the address that it is."""
    text = mark.text.strip()
    return frozenset(squeezed(value).lower() for value in (text, source.address(text, mark.attribute or "href")))


def are_accepted(values: Sequence[str], wanted: Sequence[frozenset[str]]) -> bool:
    """Whether values, squeezed and in lower case, are those of some marks, in order."""
    return len(values) == len(wanted) and all(value in one for value, one in zip(values, wanted, strict=True))


def _paired(left: Priced, right: Priced) -> float:
    """Cost of a pair; an element's own two tags are cheap."""
    opening, closing = (left.parts or (None,))[-1], (right.parts or (None,))[0]
    own = isinstance(opening, Tag) and isinstance(closing, Tag) and closing.closing and opening.name == closing.name
    return left.cost + right.cost - (0.4 if own and not opening.closing else 0.0)  # type: ignore[union-attr]  # own: both are tags


def _with_hole(version: Priced, hole: Attribute) -> Priced | None:
    """A tag with a hole for an attribute; None where it has a condition on that attribute."""
    tag = version.parts[0]
    assert isinstance(tag, Tag)
    if any(one.name == hole.name for one in tag.attributes):
        return None
    return Priced(version.cost, (replace(tag, attributes=(*tag.attributes, hole)),))


def _target(version: Priced, hole: Attribute | None) -> Priced | None:
    """The element whose content, or whose attribute, is the value."""
    if hole is not None:
        return _with_hole(version, hole)
    tag = version.parts[0]
    assert isinstance(tag, Tag)
    return Priced(version.cost, (tag, Hole(), Tag(tag.name, closing=True)))


def _skips(version: Priced, count: int) -> tuple[Part, ...]:
    found: list[Part] = [_SKIP]
    for _ in range(count):
        found += [*version.parts, _SKIP]
    return tuple(found)
