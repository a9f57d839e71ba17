"""The repeated element that holds a record's fields, and the part of the page that holds the records.

The marks of a record stand in one element that holds no other record's marks. Every element from the smallest such one
outwards may be the record; the one taken gives the most whole records, on the page and not only those marked. Then the
contexts that single these elements out within each element around them all, and the first line's contexts for that one.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from newsextract.wrappers.learn_fields import (
    FieldLearner,
    FieldPattern,
    Priced,
    Stretch,
    common_tag,
    lefts,
    rights,
    versions,
)
from newsextract.wrappers.learn_marks import (
    Example,
    LearnError,
    LearningSource,
    MarkWindow,
    SourceElement,
    UserMark,
    by_name,
    find_places,
)
from newsextract.wrappers.matching import Match, Matcher, compile_context
from newsextract.wrappers.pattern import OMISSIBLE, Attribute, Hole, Part, Tag, Text

# --- records --------------------------------------------------------------------------------------

MAX_LEVELS = 6
"""Elements around a record's marks that are tried as the record."""
MAX_AROUND = 12
"""Elements around the records that are tried as the useful part."""
MAX_PATTERNS = 12
"""Contexts of records that are compared."""
MAX_CHECKED = 400
"""Records whose fields are looked for when patterns are compared."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Patterns for the lines of a format, and what they find."""

    root: tuple[Part, ...]
    record: tuple[Part, ...]
    fields: tuple[FieldPattern, ...]
    own: tuple[str, ...]
    """Fields that are holes of the record's pattern, not lines of their own."""
    score: float
    """Records with the fields they should have, less the others."""
    cost: float


def element_plans(
    source: LearningSource, examples: Sequence[Example], windows: Sequence[MarkWindow]
) -> tuple[list[Plan], list[str]]:
    """Plans with an element per record, and the names of fields that could not be singled out."""
    plans: list[Plan] = []
    failed: list[str] = []
    for level in _levels(source, windows):
        made = _plan(source, examples, level)
        if isinstance(made, str):
            failed.insert(0, made)  # the innermost element is the likeliest record: its message counts
        elif made is not None:
            plans.append(made)
    return plans, failed


def _levels(source: LearningSource, windows: Sequence[MarkWindow]) -> list[list[SourceElement]]:
    """The elements that may be the records, outer ones first: one for each window, all of one name."""
    chains: list[list[SourceElement]] = []
    for window in windows:
        others = [other for other in windows if other is not window]
        chain: list[SourceElement] = []
        for element in source.path(window.around):
            if any(element.start < other.end and other.start < element.end for other in others):
                break
            chain.append(element)
        chains.append([element for element in chain if element.name not in ("html", "body")])
    found: list[list[SourceElement]] = []
    for height, element in enumerate(chains[0]):
        level, classes = [element], source.attributes(element.tag).get("class")
        for chain in chains[1:]:
            alike = [other for other in chain if other.name == element.name]
            if not alike:
                break
            ranks = [(source.attributes(o.tag).get("class") != classes, abs(chain.index(o) - height)) for o in alike]
            level.append(alike[ranks.index(min(ranks))])
        if len(level) == len(chains):
            found.append(level)
    if len(found) > MAX_LEVELS:
        found = found[: MAX_LEVELS // 2] + found[-MAX_LEVELS // 2 :]
    return found[::-1]


def _plan(source: LearningSource, examples: Sequence[Example], level: Sequence[SourceElement]) -> Plan | str | None:
    """The plan with some elements as records; the name of the field that cannot be found so; None: no context fits."""
    stretches = [(one.inner, one.inner_end) for one in level]
    own = {name: Attribute(held, "", Hole(name)) for name, marks in _by_field(examples).items()
           if (held := _own_attribute(source, level, marks)) is not None}  # fmt: skip
    fields = _learned(FieldLearner(source, stretches), examples, own)
    if isinstance(fields, str):
        return fields
    start, end = min(one.start for one in level), max(one.end for one in level)
    around = source.around(start, end)
    if around is not None and any(around is one for one in level):
        around = source.parent(around)
    patterns = _record_patterns(source, level, around, own)
    return _placed(source, stretches, around, patterns, fields, own)


def _by_field(examples: Sequence[Example]) -> dict[str, list[Sequence[UserMark]]]:
    """Field → its marks in each record."""
    marks = [by_name(example) for example in examples]
    names = dict.fromkeys(mark.name for example in examples for mark in example)
    return {name: [of_record.get(name, ()) for of_record in marks] for name in names}


def _learned(learner: FieldLearner, examples: Sequence[Example], own: Collection[str]) -> list[FieldPattern] | str:
    """The patterns of the other fields; the name of the first that has none."""
    fields: list[FieldPattern] = []
    for name, marks in _by_field(examples).items():
        found = learner.learn(name, marks) if name not in own else None
        if found is not None:
            fields.append(found)
        elif name not in own:
            return name
    return fields


def _own_attribute(
    source: LearningSource, level: Sequence[SourceElement], marks: Sequence[Sequence[UserMark]]
) -> str | None:
    """The attribute of the records' own start tags that a field is, or None."""
    held = _held_in(source, [element.tag for element in level], marks)
    for element, (mark,) in zip(level, marks, strict=True) if held is not None else ():
        places = find_places(source, mark, element.inner, element.inner_end) if mark.attribute is None else ()
        if any(place.attribute is None for place in places):
            return None
    return held


def _held_in(source: LearningSource, tags: Sequence[int], marks: Sequence[Sequence[UserMark]]) -> str | None:
    """An attribute that in each of some tags has the only mark of a record as its value."""
    names: set[str] | None = None
    for tag, of_record in zip(tags, marks, strict=True):
        if len(of_record) != 1:
            return None
        text, attribute = of_record[0].text.strip(), of_record[0].attribute
        held = {
            name
            for name, value in source.attributes(tag).items()
            if text in (value, source.address(value, name)) and attribute in (None, name)
        }
        names = held if names is None else names & held
    return min(names) if names else None


def _placed(
    source: LearningSource,
    stretches: Sequence[Stretch],
    around: SourceElement | None,
    patterns: Sequence[Priced],
    fields: Sequence[FieldPattern],
    own: Collection[str],
) -> Plan | None:
    """The contexts of the records and of the useful part that give the most whole records."""
    best: Plan | None = None
    judge = _Judge(source, fields, stretches)
    for distance, root, wide in _roots(source, source.path(around)[:MAX_AROUND]):
        for pattern in patterns:
            score = judge.score(Matcher(pattern.parts).find(source.document, *wide))
            if score is None:
                continue
            cost = pattern.cost + root.cost + 0.3 * distance + sum(field.cost for field in fields)
            if best is None or (score, -cost) > (best.score, -best.cost):
                best = Plan(root.parts, pattern.parts, tuple(fields), tuple(own), score, cost)
    return best


class _Judge:
    """Says how good the records are that a pattern finds."""

    def __init__(self, source: LearningSource, fields: Sequence[FieldPattern], stretches: Sequence[Stretch]) -> None:
        self._source = source
        self._fields = [(field, Matcher(field.parts)) for field in fields]
        self._wanted = {start for start, _ in stretches}
        self._paths = [self._signature(stretch) for stretch in stretches]
        self._several = sum(field.required for field in fields) > 1
        self._known: dict[Stretch, float] = {}

    def score(self, matches: Sequence[Match]) -> float | None:
        """The sum over records; None where a marked one is not among them."""
        found = {match.value.start for match in matches}
        if not self._wanted <= found:
            return None
        return sum(self._worth((match.value.start, match.value.end)) for match in matches[:MAX_CHECKED])

    def _worth(self, stretch: Stretch) -> float:
        """Of a record: 1 with all fields, -1 with none, or where it stands elsewhere than the marked ones."""
        known = self._known.get(stretch)
        if known is None:
            share = self.share(stretch)
            known = share - 1.0 if share < 0.5 else share
            if stretch[0] not in self._wanted and not self._is_kin(stretch):
                known = share - 0.75 if self._several else -0.5
            self._known[stretch] = known
        return known

    def _is_kin(self, stretch: Stretch) -> bool:
        """Whether a record stands where marked ones do: in elements of the same names, with the classes they share."""
        signature = self._signature(stretch)
        alike = [marked for marked in self._paths if len(marked) == len(signature)]
        return any(
            all(
                name == other and (not classes or classes & others)
                for (name, classes), (other, others) in zip(marked, signature, strict=True)
            )
            for marked in alike
        )

    def _signature(self, stretch: Stretch) -> list[tuple[str, frozenset[str]]]:
        """Name and classes of the elements around a record, from the inside."""
        element = self._source.around(stretch[0], max(stretch[0], stretch[1] - 1))
        path = self._source.path(element)
        return [(one.name, frozenset(self._source.attributes(one.tag).get("class", "").split())) for one in path]

    def share(self, stretch: Stretch) -> float:
        """Which share of the fields a record has, those that may be missing half counted."""
        if not self._fields:
            return 1.0
        total = got = 0.0
        for field, matcher in self._fields:
            weight = 1.0 if field.required else 0.25
            values = [match for match in matcher.find(self._source.document, *stretch) if self._source.value(match.value)]
            total += weight
            if values:
                got += weight if field.many or len(values) == 1 else weight / 4
        return got / total


def _record_patterns(
    source: LearningSource, level: Sequence[SourceElement], around: SourceElement | None, own: Mapping[str, Attribute]
) -> list[Priced]:
    """Contexts that all records have."""
    floor = around.inner if around is not None else 0
    floors = [max(floor, 0)] * len(level)
    closing = Tag(level[0].name, closing=True)
    found = []
    for left in heapq.nsmallest(4 * MAX_PATTERNS, lefts(source, [one.inner for one in level], floors)):
        last = left.parts[-1] if left.parts else None
        if not isinstance(last, Tag):
            continue
        held = tuple(attribute for attribute in own.values() if all(attribute.name != one.name for one in last.attributes))
        if len(held) < len(own):
            continue
        tag = Tag(last.name, attributes=(*last.attributes, *held))
        found.append(Priced(left.cost, (*left.parts[:-1], tag, Hole(), closing)))
    return found[:MAX_PATTERNS]


def _roots(source: LearningSource, around: Sequence[SourceElement]) -> Iterator[tuple[int, Priced, tuple[int, int]]]:
    """Useful parts, from the inside to the whole page: how far out, contexts, and where they are."""
    for distance, outer in enumerate((*around, None)):
        root = root_pattern(source, outer)
        if root is not None:
            yield distance, root, (outer.inner, outer.inner_end) if outer is not None else (0, len(source.text))


def root_pattern(source: LearningSource, outer: SourceElement | None) -> Priced | None:
    """Contexts whose first place on the page is an element; None: no simple ones; the whole page without an element."""
    if outer is None:
        return Priced(3.0, (Hole(),))
    if outer.name == "html":
        return None
    closing = Tag(outer.name, closing=True)
    if outer.name == "body":
        return Priced(2.0, (Tag("body"), Hole(), closing))
    attributes = source.attributes(outer.tag)
    common = common_tag(source, [outer.tag])
    choices: list[Priced] = []
    identity = attributes.get("id", "")
    if identity and len(identity) <= 40 and not any(char.isdigit() or char in "\"'<>“”，{}" for char in identity):
        choices.append(Priced(0.8, (Tag(outer.name, attributes=(Attribute("id", identity),)),)))
    if common is not None:
        choices += [one for one in versions(common) if one.parts != (Tag(outer.name),)]
    choices += [one for one in lefts(source, [outer.inner], [0]) if len(one.parts) > 1][:20]
    if sum(tag.name == outer.name and not tag.closing for tag in source.tags) == 1:
        choices.append(
            Priced(0.7 if outer.name == "main" else 1.3, (Tag(outer.name),))
        )  # a sister page may have another table
    for choice in sorted(choices)[:30]:
        parts = (*choice.parts, Hole(), closing)
        first = Matcher(parts).find(source.document, 0, len(source.text))[:1]
        if first and (first[0].value.start, first[0].value.end) == (outer.inner, outer.inner_end):
            return Priced(choice.cost, parts)
    return None


def no_record(names: Sequence[str]) -> LearnError:
    """The error where no element, and no run of elements, holds the records."""
    which = f"{names[0]!r}" if names else "the marks"
    return LearnError(
        f"no contexts single out {which}: other texts of a record are in the same tags, or in other tags in each "
        "record; mark the whole text of an element, mark it in every record that has it, or leave this field out and add a "
        "line for it by hand",
        names[0] if names else None,
    )


# --- runs -----------------------------------------------------------------------------------------
# Records that are no elements: runs of siblings, such as ``<dt>`` with ``<dd>``, or a heading with what follows it.
#
# What begins a record is the element before or around its first mark. The record's pattern ends before the next such
# element: ``<h3>#<h3>``, ``<dt>#</dt>#<dt>``, or ``<tr><td><b>#<tr><td><b>`` where one tag alone does not tell the first
# row of a record from the others.

MAX_BACK = 3
"""Siblings before a record's first mark that are tried as its beginning."""
MAX_BEGINNINGS = 12
MAX_PLANS = 4
"""Beginnings that part the records well; the best of them is taken."""


def run_plans(
    source: LearningSource, examples: Sequence[Example], windows: Sequence[MarkWindow]
) -> tuple[list[Plan], list[str]]:
    """Plans with a run of siblings per record, and names of fields that could not be singled out."""
    around = source.around(min(window.start for window in windows), max(window.end for window in windows))
    if around is None or len(windows) < 2:
        return [], []
    children = source.children(around)
    plans: list[Plan] = []
    failed: list[str] = []
    for back in range(MAX_BACK + 1):
        firsts = [_child_before(children, window.start, back) for window in windows]
        heads = [first for first in firsts if first is not None]
        if (
            len(heads) < len(windows)
            or len({head.name for head in heads}) > 1
            or len({head.start for head in heads}) < len(heads)
        ):
            continue
        for beginning in itertools.islice(_beginnings(source, heads), MAX_BEGINNINGS):
            made = _run_plan(source, examples, windows, around, heads, beginning)
            if isinstance(made, str):
                failed.append(made)
            elif made is not None:
                plans.append(made)
            if len(plans) == MAX_PLANS:
                return plans, failed
    return plans, failed


def _child_before(children: Sequence[SourceElement], place: int, back: int) -> SourceElement | None:
    """The child that holds an offset or stands before it, or one further back."""
    before = [number for number, child in enumerate(children) if child.start <= place]
    return children[before[-1] - back] if before and before[-1] >= back else None


def _beginnings(source: LearningSource, heads: Sequence[SourceElement]) -> Iterator[Priced]:
    """Tags and texts that tell the beginning of a record, cheap ones first."""
    common = common_tag(source, [head.tag for head in heads])
    if common is None:
        return
    yield from versions(common)
    for sequence in heapq.nsmallest(
        MAX_BEGINNINGS, rights(source, [head.start for head in heads], [head.end for head in heads])
    ):
        last = sequence.parts[-1] if sequence.parts else None
        closing = any(isinstance(part, Tag) and part.closing for part in sequence.parts)
        if len(sequence.parts) > 1 and not closing and not (isinstance(last, Tag) and last.name == heads[0].name):
            yield sequence


def _run_plan(
    source: LearningSource,
    examples: Sequence[Example],
    windows: Sequence[MarkWindow],
    around: SourceElement,
    heads: Sequence[SourceElement],
    beginning: Priced,
) -> Plan | str | None:
    """The plan with a beginning; the name of a field that it does not single out; None: it does not part the records."""
    stretch = (around.inner, around.inner_end)
    context = [part for part in beginning.parts if isinstance(part, Tag | Text)]
    bounds = [match.start() for match in compile_context(context).regex.finditer(source.text, *stretch)]
    head, own = _with_attributes(source, _by_field(examples), heads, context)
    last = context[-1]
    paired = len(context) == 1 and isinstance(last, Tag) and last.name in OMISSIBLE  # <dt>#<dt> ends where the <dt> does
    ended = (Hole(), Tag(last.name, closing=True)) if paired and isinstance(last, Tag) else ()
    parts = (*head, *ended, Hole(), *context)
    matches = Matcher(parts).find(source.document, *stretch)
    found = {match.outer_start: (match.value.start, match.value.end) for match in matches}
    stretches: list[Stretch] = []
    for one, window in zip(heads, windows, strict=True):
        behind = [place for place in bounds if place > one.start][:1] or [stretch[1]]
        if one.start not in found or window.end > behind[0] or window.start < one.start:
            return None
        stretches.append(found[one.start])
    fields = _learned(FieldLearner(source, stretches), examples, own)
    if isinstance(fields, str):
        return fields
    return _placed(source, stretches, around, [Priced(beginning.cost, parts)], fields, own)


def _with_attributes(
    source: LearningSource,
    marks: Mapping[str, Sequence[Sequence[UserMark]]],
    heads: Sequence[SourceElement],
    context: Sequence[Tag | Text],
) -> tuple[list[Tag | Text], list[str]]:
    """What begins a record with holes for the fields that are attributes of its tags, and the names of these fields."""
    taken: list[Tag | Text] = []
    names: list[str] = []
    for part in context:
        before = sum(isinstance(one, Tag) for one in taken)
        for name, of_records in marks.items() if isinstance(part, Tag) else ():
            held = _held_in(source, [head.tag + before for head in heads], of_records) if name not in names else None
            if held is not None and isinstance(part, Tag) and all(one.name != held for one in part.attributes):
                part = replace(part, attributes=(*part.attributes, Attribute(held, "", Hole(name))))
                names.append(name)
        taken.append(part)
    return taken, names
