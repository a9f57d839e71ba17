"""The pattern of a field: the cheapest contexts that find in each marked record what was marked there, and nothing else.

All ways to read the marks give candidates: the element whose text it is, or the text between neighbours, each with one to
three tags of context; then places counted from the record's start (``...<td>...<td>#</td>``). They are tried in the order
of their costs.
"""

from __future__ import annotations

import heapq
import html
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from newsextract.wrappers.learn_marks import LearningSource, MarkPlace, SourceElement, UserMark, find_places, squeezed
from newsextract.wrappers.matching import Matcher, Span, compile_context
from newsextract.wrappers.pattern import Attribute, Hole, Part, Tag, Text, common_start

# --- contexts -------------------------------------------------------------------------------------
# Left and right contexts that several places of a page have in common, the short ones first.
#
# Kushmerick, Weld & Doorenbos 1997 take the longest common suffix of what stands before the examples and the longest common
# prefix behind them, in characters, and look for the shortest part of it that tells them from all else. Here they are
# sequences of tags and texts: a tag is its name, and where that is not enough a class or another attribute that all
# examples have. Tags are preferred to text, as texts are what differs from page to page.

DEPTH = 3
"""Tags and texts of a context."""
MAX_TEXT = 40
"""Characters of a text in a context."""
EDGE = 0.8
"""Cost of no context, where the value begins or ends with its record."""
_PLAIN_TAGS = frozenset("div span a td th tr li p font table tbody ul section article center nobr".split())
"""Names that say little: a class is preferred where they have one."""
_UNUSED = frozenset(("class", "style", "id", "href", "src", "title", "alt", "value", "name", "onclick", "content"))
"""Attributes whose values differ from record to record, or say what a class says better."""
_LAYOUT = frozenset(("width", "border", "size", "colspan", "cellpadding"))
"""Attributes whose numbers are measures."""
_UNSAFE = re.compile(r"[\"<>“”，｛｝〈〉\u0000-\u001f\u007f-\u009f\u2028\u2029]")
"""Characters that a format file cannot hold in a pattern, that stand for others there, or that a terminal obeys."""
_KNOWN_ENTITIES = re.compile(r"&(?:amp|lt|gt|quot|nbsp|apos|#39|#34|#160);")


@dataclass(frozen=True, slots=True)
class CommonTag:
    """What tags at the same place of several contexts have in common."""

    name: str
    closing: bool
    classes: tuple[str, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()
    link: str = ""
    """What their ``href`` begin with."""
    linked: bool = False
    """Whether all have a ``href``."""


@dataclass(frozen=True, slots=True, order=True)
class Priced:
    """Parts of a pattern and what they cost, by which they are ordered: about 1 for a tag."""

    cost: float
    parts: tuple[Part, ...] = field(compare=False)


def common_tag(source: LearningSource, tags: Sequence[int]) -> CommonTag | None:
    """What tags, given by number, have in common; None where they differ by name."""
    first = source.tags[tags[0]]
    if any(source.tags[tag].name != first.name or source.tags[tag].closing != first.closing for tag in tags):
        return None
    if first.closing or not any(source.attribute_text[tag] for tag in tags):
        return CommonTag(first.name, first.closing)
    found = [source.attributes(tag) for tag in tags]
    classes = [token for token in found[0].get("class", "").split()
               if all(token in other.get("class", "").split() for other in found) and _is_safe(token)]  # fmt: skip
    attributes = [(name, value) for name, value in found[0].items()
                  if name not in _UNUSED and 0 < len(value) <= MAX_TEXT and _is_safe(value)
                  and re.fullmatch(r"[a-z][\w-]*", name) and all(other.get(name) == value for other in found)]  # fmt: skip
    if len(tags) == 1:  # what one example has may be its own: an address, a number, a user's key
        attributes = [(name, value) for name, value in attributes
                      if name in _LAYOUT or not any(char.isdigit() for char in value)]  # fmt: skip
    links = [other.get("href", "") for other in found]
    link = common_start(links)
    link = link[: max(link.rfind("/"), link.rfind("?"), link.rfind("="), link.rfind(":")) + 1]
    useful = (
        len(link.partition("//")[2] or link) >= 2 and len(link) <= 60 and _is_safe(link) and not re.search(r"\d{4}", link)
    )
    own = tuple(dict.fromkeys(classes)), tuple(attributes[:6]), link if useful else ""
    return CommonTag(first.name, False, *own, all("href" in other for other in found))


def _is_safe(text: str) -> bool:
    return not _UNSAFE.search(text) and "'" not in text and "`" not in text


def versions(tag: CommonTag) -> list[Priced]:
    """A tag with more and more of what it has in common, cheap ones first."""
    if tag.closing:
        return [Priced(0.4, (Tag(tag.name, closing=True),))]
    generic = tag.name in _PLAIN_TAGS
    found = [(1.3 if generic and tag.classes else 1.0, Tag(tag.name))]

    def add(cost: float, *attribute: Any) -> None:
        found.append((cost, Tag(tag.name, attributes=(Attribute(*attribute),))))

    for token in tag.classes[:5]:
        add(1.1 + 0.1 * any(char.isdigit() for char in token), "class", token)
    if len(tag.classes) > 1:
        add(1.4, "class", " ".join(tag.classes))
    for name, value in tag.attributes:
        add(1.25 if name in ("itemprop", "rel", "role") else 1.5, name, value)
    if tag.link:
        add(1.6, "href", tag.link, Hole())
    elif tag.linked:
        add(1.45, "href")
    return [Priced(cost, (one,)) for cost, one in sorted(found, key=lambda priced: priced[0])]


def lefts(source: LearningSource, places: Sequence[int], floors: Sequence[int]) -> list[Priced]:
    """Contexts that stand right before all of some offsets, none reaching over its floor; empty where all are at theirs."""
    return _sequences(source, map(_before, itertools.repeat(source), places, floors), leftwards=True)


def rights(source: LearningSource, places: Sequence[int], ceilings: Sequence[int]) -> list[Priced]:
    """Contexts that stand right behind all of some offsets, none reaching over its ceiling."""
    return _sequences(source, map(_behind, itertools.repeat(source), places, ceilings), leftwards=False)


def _sequences(source: LearningSource, outwards: Iterable[Iterator[int | str]], *, leftwards: bool) -> list[Priced]:
    """Sequences of 1 to :data:`DEPTH` parts, counted from the hole outwards; an empty one where no place has any."""
    pieces = [list(itertools.islice(parts, DEPTH)) for parts in outwards]
    found = [Priced(EDGE, ())] if not any(pieces) else []
    inner: list[Priced] = [Priced(0.0, ())]
    for distance in range(min(map(len, pieces))):
        at = [piece[distance] for piece in pieces]
        grown: list[Priced] = []
        if all(isinstance(piece, int) for piece in at):
            tag = common_tag(source, [piece for piece in at if isinstance(piece, int)])
            if tag is None:
                break
            choices = [Priced(one.cost + 0.8 * (leftwards and tag.closing), one.parts) for one in versions(tag)]
            if len(pieces) == 1:  # one example: what its tags have may be its own
                choices = [Priced(one.cost + 0.5 * (one.cost > 1.22), one.parts) for one in choices]
            grown = _joined(inner, choices if distance == 0 else choices[:4], leftwards=leftwards)
            found += grown
        elif all(isinstance(piece, str) for piece in at):
            texts = [piece for piece in at if isinstance(piece, str)]
            shared = _common_text(texts, leftwards=leftwards)
            if not shared:
                break
            cost = 1.5 + 0.02 * len(shared) + (0.0 if any(char.isalnum() for char in shared) else 0.3)
            cost += (3.0 if any(char.isdigit() for char in shared) else 1.5) * (len(texts) == 1)
            grown = _joined(inner, [Priced(cost, (Text(shared),))], leftwards=leftwards)
            found += grown
            if any(text != shared for text in texts):
                break
        else:
            break
        inner = sorted(grown)[:4]
    return found


def _joined(inner: Sequence[Priced], outer: Sequence[Priced], *, leftwards: bool) -> list[Priced]:
    return [
        Priced(one.cost + other.cost, other.parts + one.parts if leftwards else one.parts + other.parts)
        for one in inner
        for other in outer
    ]


def _before(source: LearningSource, place: int, floor: int) -> Iterator[int | str]:
    """Tags, by number, and texts before an offset, the nearest first."""
    number = source.tag_before(place)
    while place > floor:
        tag = source.tags[number] if number >= 0 else None
        begun = max(tag.end if tag else 0, floor)
        text = written_text(source.text[max(begun, place - 400) : place])
        if text:
            yield text
        if tag is None or tag.start < floor:
            return
        yield number
        place = tag.start
        number -= 1


def _behind(source: LearningSource, place: int, ceiling: int) -> Iterator[int | str]:
    number = source.tag_after(place)
    while place < ceiling:
        tag = source.tags[number] if number < len(source.tags) else None
        ended = min(tag.start if tag else len(source.text), ceiling)
        text = written_text(source.text[place : min(ended, place + 400)])
        if text:
            yield text
        if tag is None or tag.end > ceiling:
            return
        yield number
        place = tag.end
        number += 1


def written_text(source_text: str) -> str:
    """A text as a pattern writes it: the entities decoded that patterns know, white space folded."""
    return " ".join(_KNOWN_ENTITIES.sub(lambda match: html.unescape(match[0]), source_text).split())


def _common_text(texts: Sequence[str], *, leftwards: bool) -> str:
    """What all texts end with, or begin with; whole words, and nothing that a format file cannot hold."""
    if leftwards:
        return _common_text([text[::-1] for text in texts], leftwards=False)[::-1]
    shared = common_start(texts)[:MAX_TEXT]
    unsafe = _UNSAFE.search(shared)
    if unsafe:
        shared = shared[: unsafe.start()]
    elif shared[-1:].isalnum() and any(text[len(shared) : len(shared) + 1].isalnum() for text in texts):
        shared = re.sub(r"\w+$", "", shared)
    return shared.strip()


# --- fields ---------------------------------------------------------------------------------------

MAX_TRIED = 400
"""Candidates per field. On folds 1–4 of the records bench half of the fields need one, 99 % fewer than 200."""
MAX_READINGS = 24
"""Ways to read the marks of a field, where a text stands several times in a record."""
MISS = 6.0
"""Cost of finding something else in all marked records."""
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

    places: tuple[MarkPlace, ...]
    stretches: tuple[Stretch, ...]


class FieldLearner:
    """Finds the patterns of fields in the same marked records.

    :param missed: share of the marked records in which a pattern may find something else.
    """

    def __init__(self, source: LearningSource, stretches: Sequence[Stretch], *, missed: float = 0.0) -> None:
        self._source = source
        self._stretches = stretches
        self._missed = missed

    def learn(self, name: str, marks: Sequence[Sequence[UserMark]]) -> FieldPattern | None:
        """The pattern of a field, or None where none singles it out.

        :param marks: of each record, none where it lacks the field.
        """
        wanted = [[accepted(self._source, mark) for mark in of_record] for of_record in marks]
        return self._best(name, self._readings(marks), wanted, many=any(len(values) > 1 for values in wanted))

    def of_places(self, name: str, places: Sequence[Sequence[MarkPlace]], *, many: bool) -> FieldPattern | None:
        """The pattern of a field whose places are known, or None where none singles it out.

        :param places: of each record, none where it lacks the field.
        """
        wanted = [[frozenset((self._wanted(place),)) for place in of_record] for of_record in places]
        flat = [(place, stretch) for found, stretch in zip(places, self._stretches, strict=True) for place in found]
        return self._best(name, [_Reading(*zip(*flat, strict=True))], wanted, many=many)

    def _best(
        self, name: str, readings: Iterable[_Reading], wanted: Sequence[Sequence[frozenset[str]]], *, many: bool
    ) -> FieldPattern | None:
        """The cheapest of the patterns that the readings suggest."""
        candidates = heapq.merge(*(sorted(self._candidates(one, many=many)) for one in readings))
        best: FieldPattern | None = None
        seen: set[tuple[Part, ...]] = set()
        for candidate in itertools.islice(candidates, 3 * MAX_TRIED):
            if candidate.parts in seen:
                continue
            seen.add(candidate.parts)
            if (best and candidate.cost >= best.cost) or len(seen) > MAX_TRIED or self._source.trials <= 0:
                break
            self._source.trials -= 1
            misses = self._misses(Matcher(candidate.parts), wanted)
            cost = candidate.cost + MISS * misses
            if misses <= self._missed and (best is None or cost < best.cost):
                best = FieldPattern(name, candidate.parts, cost, all(wanted), many)
        return best

    def _misses(self, matcher: Matcher, wanted: Sequence[Sequence[frozenset[str]]]) -> float:
        """In which share of the marked records a pattern finds something else; more than may be is not counted."""
        misses = 0
        for stretch, values in zip(self._stretches, wanted, strict=True):
            misses += not are_accepted(self._values(matcher, stretch), values)
            if misses > self._missed * len(wanted):
                break
        return misses / len(wanted)

    def _values(self, matcher: Matcher, stretch: Stretch) -> list[str]:
        return [self._value(match.value) for match in matcher.find(self._source.document, *stretch)]

    def _value(self, span: Span) -> str:
        return squeezed(self._source.value(span)).lower()

    def _wanted(self, place: MarkPlace) -> str:
        """The value at a place."""
        if place.attribute is None:
            return self._value(Span(place.start, place.end))
        value = self._source.attributes(self._source.tag_after(place.start)).get(place.attribute, "")
        return squeezed(self._source.address(value, place.attribute)).lower()

    def _readings(self, marks: Sequence[Sequence[UserMark]]) -> Iterator[_Reading]:
        """Which places of the marks may be meant, likely ones first."""
        choices: list[list[MarkPlace]] = []
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
            yield from heapq.nsmallest(150, pairs)
            if level < levels and not many:
                yield from self._counted([chain[level].tag for chain in chains], reading.stretches, hole=None)

    def _chain(self, place: MarkPlace, stretch: Stretch) -> list[SourceElement]:
        """The elements within a record whose whole text a place is, from the inside."""
        wanted = self._source.letter_range(place.start, place.end)
        element = self._source.around(place.start, place.end)
        found: list[SourceElement] = []
        while element is not None and stretch[0] <= element.start and element.end <= stretch[1] and len(found) < 6:
            if self._source.letter_range(element.inner, element.inner_end) != wanted:
                break
            found.append(element)
            element = self._source.parent(element)
        return found

    def _attributes(self, reading: _Reading, attribute: str, *, many: bool) -> Iterator[Priced]:
        """Patterns for an attribute's value."""
        tags = [self._source.tag_after(place.start) for place in reading.places]
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
            yield from self._counted(tags, reading.stretches, hole=hole)

    def _counted(self, tags: Sequence[int], stretches: Sequence[Stretch], hole: Attribute | None) -> Iterator[Priced]:
        """Patterns that count tags like the value's from the record's start, where that is the same number everywhere."""
        common = common_tag(self._source, tags)
        for version in versions(common)[:6] if common is not None else ():
            target = _with_hole(version, hole) if hole else Priced(version.cost, (*version.parts, Hole(), _closing(version)))
            regex = compile_context([part for part in version.parts if isinstance(part, Tag)]).regex
            counts = {
                sum(1 for _ in regex.finditer(self._source.text, start, self._source.tags[tag].start))
                for tag, (start, _) in zip(tags, stretches, strict=True)
            }
            count = counts.pop()
            if not counts and count <= MAX_COUNT and target is not None:
                yield Priced(1.5 + 0.6 * count + target.cost, (_SKIP, *((*version.parts, _SKIP) * count), *target.parts))


def accepted(source: LearningSource, mark: UserMark) -> frozenset[str]:
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


def _closing(version: Priced) -> Tag:
    """The end tag of a start tag."""
    tag = version.parts[0]
    assert isinstance(tag, Tag)
    return Tag(tag.name, closing=True)
