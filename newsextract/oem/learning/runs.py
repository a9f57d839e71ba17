"""Records that are no elements: runs of siblings, such as ``<dt>`` with ``<dd>``, or a heading with what follows it.

What begins a record is the element before or around its first mark. The record's pattern ends before the next such
element: ``<h3>$title</h3>#<h3>`` where its text is a field, ``<h3>...</h3>#<h3>`` where it is none,
``<tr><td><b>#<tr><td><b>`` where one tag alone does not tell the first row of a record from the others.

Cost: as for elements (:mod:`newsextract.oem.learning.records`), one container only.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from newsextract.oem.context import compile_context
from newsextract.oem.learning.contexts import common_tag, rights, versions
from newsextract.oem.learning.fields import FieldLearner, FieldPattern, Stretch
from newsextract.oem.learning.marks import Example, Mark, Window, by_name
from newsextract.oem.learning.records import MAX_CHECKED, MAX_KIN, Plan, held_in, root_pattern
from newsextract.oem.learning.source import Element, Source, squeezed
from newsextract.oem.matching import Matcher
from newsextract.oem.pattern import Attribute, Hole, Part, Tag, Text

MAX_BACK = 3
"""Siblings before a record's first mark that are tried as its beginning."""
MAX_BEGINNINGS = 12
MAX_PLANS = 4
"""Beginnings that part the records well; the best of them is taken."""
MAX_AROUND = 5
"""Elements around the records that are tried as the useful part."""

_SKIP = Hole(skipped=True)


@dataclass(frozen=True, slots=True)
class _Beginning:
    """What begins a record: tags and texts, and the parts of the record's pattern before its hole."""

    cost: float
    context: tuple[Tag | Text, ...]
    head: tuple[Part, ...]
    name: str | None = None
    """The field that is the first element's text."""


def run_plans(source: Source, examples: Sequence[Example], windows: Sequence[Window]) -> tuple[list[Plan], list[str]]:
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
        for beginning in itertools.islice(_beginnings(source, examples, heads), MAX_BEGINNINGS):
            made = _plan(source, examples, windows, around, heads, beginning)
            if isinstance(made, str):
                failed.append(made)
            elif made is not None:
                plans.append(made)
            if len(plans) == MAX_PLANS:
                return plans, failed
    return plans, failed


def _child_before(children: Sequence[Element], place: int, back: int) -> Element | None:
    """The child that holds an offset or stands before it, or one further back."""
    before = [number for number, child in enumerate(children) if child.start <= place]
    return children[before[-1] - back] if before and before[-1] >= back else None


def _beginnings(source: Source, examples: Sequence[Example], heads: Sequence[Element]) -> Iterator[_Beginning]:
    """Ways to tell the beginning of a record, cheap ones first."""
    common = common_tag(source, [head.tag for head in heads])
    if common is None:
        return
    void = all(head.inner_end == head.end for head in heads)
    name = _text_of_heads(source, examples, heads)
    closing = Tag(heads[0].name, closing=True)
    for version in versions(common):
        tag = version.parts[0]
        assert isinstance(tag, Tag)
        if void:
            yield _Beginning(version.cost, (tag,), (tag,))
        elif name is not None:
            yield _Beginning(version.cost, (tag,), (tag, Hole(name), closing), name)
        else:
            yield _Beginning(version.cost + 0.5, (tag,), (tag, _SKIP, closing))
    sequences = rights(source, [head.start for head in heads], [head.end for head in heads])
    for sequence in heapq.nsmallest(MAX_BEGINNINGS, sequences, key=lambda one: one.cost):
        parts = tuple(
            part for part in sequence.parts if isinstance(part, Text) or (isinstance(part, Tag) and not part.closing)
        )
        last = parts[-1] if parts else None
        if len(parts) == len(sequence.parts) > 1 and not (isinstance(last, Tag) and last.name == heads[0].name):
            yield _Beginning(sequence.cost, parts, parts)


def _text_of_heads(source: Source, examples: Sequence[Example], heads: Sequence[Element]) -> str | None:
    """The field whose mark is the whole text of the first element in every record."""
    letters = [source.letters[slice(*source.letter_range(head.inner, head.inner_end))] for head in heads]
    for name in dict.fromkeys(mark.name for mark in examples[0] if mark.attribute is None):
        marks = [by_name(example).get(name, []) for example in examples]
        if all(
            len(of_record) == 1 and squeezed(of_record[0].text) == text
            for of_record, text in zip(marks, letters, strict=True)
        ):
            return name
    return None


def _plan(
    source: Source,
    examples: Sequence[Example],
    windows: Sequence[Window],
    around: Element,
    heads: Sequence[Element],
    beginning: _Beginning,
) -> Plan | str | None:
    """The plan with a beginning; the name of a field that it does not single out; None: it does not part the records."""
    stretch = (around.inner, around.inner_end)
    bounds = [match.start() for match in compile_context(beginning.context).regex.finditer(source.text, *stretch)]
    marks = [by_name(example) for example in examples]
    parts: tuple[Part, ...] = (*beginning.head, Hole(), *beginning.context)
    own: list[str] = [beginning.name] if beginning.name else []
    if beginning.head == beginning.context:
        parts, held = _with_attributes(source, marks, heads, parts, beginning)
        own += held
    matches = Matcher(parts).find(source.document, *stretch)
    found = {match.outer_start: (match.value.start, match.value.end) for match in matches}
    stretches: list[Stretch] = []
    for head, window in zip(heads, windows, strict=True):
        behind = [place for place in bounds if place > head.start][:1] or [stretch[1]]
        if head.start not in found or window.end > behind[0] or window.start < head.start:
            return None
        stretches.append(found[head.start])
    learner = FieldLearner(source, stretches, list(found.values())[:MAX_KIN])
    fields: list[FieldPattern] = []
    for name in dict.fromkeys(mark.name for example in examples for mark in example):
        if name in own:
            continue
        of_records: list[Sequence[Mark]] = [of_record.get(name, ()) for of_record in marks]
        learned = learner.learn(name, of_records)
        if learned is None:
            return name
        fields.append(learned)
    best: Plan | None = None
    for distance, outer in enumerate((*source.path(around)[:MAX_AROUND], None)):
        root = root_pattern(source, outer)
        if root is None:
            continue
        wide = (outer.inner, outer.inner_end) if outer is not None else (0, len(source.text))
        score = _score(
            source,
            fields,
            [(one.value.start, one.value.end) for one in Matcher(parts).find(source.document, *wide)],
            stretch,
        )
        cost = beginning.cost + root.cost + 0.3 * distance + sum(field.cost for field in fields)
        if best is None or (score, -cost) > (best.score, -best.cost):
            best = Plan(root.parts, parts, tuple(fields), tuple(own), score, cost)
    return best


def _with_attributes(
    source: Source,
    marks: Sequence[Mapping[str, list[Mark]]],
    heads: Sequence[Element],
    parts: tuple[Part, ...],
    beginning: _Beginning,
) -> tuple[tuple[Part, ...], list[str]]:
    """The pattern with holes for the fields that are attributes of the tags that begin a record."""
    taken: list[Part] = list(parts)
    names: list[str] = []
    for number, at in enumerate(beginning.context):
        if isinstance(at, Text):
            continue
        before = sum(isinstance(one, Tag) for one in beginning.context[:number])
        for name in marks[0]:
            of_records = [of_record.get(name, []) for of_record in marks]
            if name in names or not all(len(of_record) == 1 for of_record in of_records):
                continue
            held: set[str] | None = None
            for head, of_record in zip(heads, of_records, strict=True):
                values = held_in(source, head.tag + before, of_record[0])
                held = values if held is None else held & values
            part = taken[number]
            if held and isinstance(part, Tag) and all(one.name != min(held) for one in part.attributes):
                taken[number] = replace(part, attributes=(*part.attributes, Attribute(min(held), "", Hole(name))))
                names.append(name)
    return tuple(taken), names


def _score(source: Source, fields: Sequence[FieldPattern], stretches: Sequence[Stretch], around: Stretch) -> float:
    """The sum over records of the share of their fields; elsewhere than the marked ones, whole records count little."""
    if not fields:
        return float(sum(around[0] <= start < around[1] for start, _ in stretches))
    matchers = [Matcher(field.parts) for field in fields]
    total = 0.0
    for stretch in stretches[:MAX_CHECKED]:
        share = sum(bool(matcher.find(source.document, *stretch)) for matcher in matchers) / len(matchers)
        if around[0] <= stretch[0] < around[1]:
            total += share if share >= 0.5 else share - 1
        else:
            total += share - 0.75
    return total
