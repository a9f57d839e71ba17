"""One attempt at a pattern with several holes: its steps taken from a place on, each context once.

Cost: linear in the source over all attempts, because the last search of each context is remembered.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from newsextract.oem.context import Context, compile_context
from newsextract.oem.document import Document
from newsextract.oem.elements import OMISSIBLE, closings
from newsextract.oem.pattern import Hole, Optional, Part, Tag, Text

_NAME = re.compile(r"<([^\s/>]+)")
_BLANK = re.compile(r"\s*+")


class Span(NamedTuple):
    """A stretch of the source that a hole took."""

    start: int
    end: int
    name: str | None = None
    attribute: str | None = None
    """The attribute whose value it is, empty for a part of one; None: it is text of the source."""


class Match(NamedTuple):
    """An occurrence of a pattern."""

    outer_start: int
    """Where its left context begins."""
    outer_end: int
    """Where its last hole, or the end tag behind it, ends."""
    value: Span
    """What ``#`` took; with named holes only, what they took, and then it has a name."""
    fields: tuple[Span, ...] = ()
    """The named holes."""


@dataclass(frozen=True, slots=True)
class Group:
    """Steps that may be missing; the first is a context."""

    steps: tuple[Step, ...]


Step = Context | Hole | Group


@dataclass(slots=True)
class State:
    """What one attempt has found so far."""

    document: Document
    end: int
    firsts: Sequence[int] | None
    """Offsets of the first context, which no search runs over; None: it may."""
    spans: list[Span] = field(default_factory=list)
    opened: int = -1
    """Offset of the start tag right before the place; -1: none."""
    seen: dict[Context, tuple[int, int, re.Match[str] | None]] = field(default_factory=dict)
    """What the last search for a context gave: from where, how far, what. The next attempt need not search that again."""

    def search(self, context: Context, place: int, limit: int) -> re.Match[str] | None:
        """The first occurrence of a context between two offsets."""
        before = self.seen.get(context)
        if before is not None and before[0] <= place:
            match = before[2]
            if (match is None and limit <= before[1]) or (
                match is not None and place <= match.start() and match.end() <= limit
            ):
                return match
        match = context.search(self.document, place, limit)
        self.seen[context] = (place, limit, match)
        return match

    def limit(self, place: int) -> int:
        """How far a search from a place may go."""
        if self.firsts is None:
            return self.end
        after = bisect_left(self.firsts, place)
        return min(self.end, self.firsts[after]) if after < len(self.firsts) else self.end


def to_steps(parts: Sequence[Part]) -> tuple[Step, ...]:
    """Parts with neighbouring texts and tags put together to contexts."""
    steps: list[Step] = []
    run: list[Text | Tag] = []
    for part in parts:
        if isinstance(part, Text | Tag):
            run.append(part)
            continue
        if run:
            steps.append(compile_context(run))
            run = []
        steps.append(Group(to_steps(part.parts)) if isinstance(part, Optional) else part)
    if run:
        steps.append(compile_context(run))
    return tuple(steps)


def opened_at(context: Context, match: re.Match[str]) -> int:
    """Offset of the start tag with which a context ends, or -1. ``<*>`` may be an end tag."""
    if context.last is None or context.last.closing:
        return -1
    place = match.start("last")
    return -1 if match.string.startswith("</", place) else place


def capture(state: State, context: Context, match: re.Match[str]) -> None:
    """Keep what the attribute holes of a context took."""
    state.spans.extend(Span(*found) for found in context.captures(match))


def content_end(document: Document, opened: int, limit: int, name: str | None = None) -> tuple[int, int]:
    """Where the content of the element that begins at an offset ends, and where the element does.

    :param name: the element's name, where it is known.
    """
    if name is None:
        found = _NAME.match(document.text, opened)
        assert found is not None
        name = found[1].lower()
    content, end = closings(document, name).get(opened, (limit, limit))
    return (content, end) if end <= limit else (min(content, limit), limit)


def take(steps: Sequence[Step], place: int, state: State, *, enclosed: bool, nested: bool = False) -> int | None:
    """Take the steps from a place on; the place behind the last hole, or None when a context is missing.

    :param nested: the steps are those of an optional part, which uses up its last context.
    """
    text = state.document.text
    hole: Hole | None = None
    begun = place
    for number, step in enumerate(steps):
        if isinstance(step, Hole):
            if hole is None:  # else an optional part between the two is missing, and the first takes it all
                hole, begun = step, place
            continue
        if isinstance(step, Group):
            reached = _optional(step, steps[number + 1 :], hole, begun if hole else place, state)
            if reached is not None:
                place, hole = reached, None
            continue
        last = number == len(steps) - 1
        if hole is None:
            if last and enclosed and step.first is not None and step.first.closing:
                return state.end
            match = step.regex.match(text, place, state.end) or step.regex.match(text, _blanks(text, place), state.end)
            if match is None:
                return None
            capture(state, step, match)
            state.opened, place = opened_at(step, match), match.end()
            continue
        content, match = _hole_end(step, begun, state, last=last, enclosed=enclosed)
        if content is None:
            return None
        _keep(hole, begun, content, state)
        hole = None
        if match is not None:
            capture(state, step, match)
            state.opened, place = opened_at(step, match), match.end()
        else:
            state.opened, place = -1, content
        if last:
            used = match is not None and (nested or (step.first is not None and step.first.closing))
            return match.end() if match is not None and used else content
    if hole is not None:
        place = state.limit(begun)
        _keep(hole, begun, place, state)
    return place


def _keep(hole: Hole, start: int, end: int, state: State) -> None:
    if not hole.skipped:
        state.spans.append(Span(start, end, hole.name))


def _blanks(text: str, place: int) -> int:
    match = _BLANK.match(text, place)
    assert match is not None
    return match.end()


def _hole_end(
    context: Context, begun: int, state: State, *, last: bool, enclosed: bool
) -> tuple[int | None, re.Match[str] | None]:
    """Where a hole ends, and the context behind it; ``(None, None)`` where it is not there."""
    text, tag = state.document.text, context.first
    if last and enclosed and tag is not None and tag.closing:
        return state.end, context.regex.match(text, state.end)
    paired = state.opened >= 0 and tag is not None and same_name(text, state.opened, tag)
    if paired and tag is not None and tag.closing:
        content = content_end(state.document, state.opened, state.end)[0]
        match = context.paired.match(text, content, state.end)
        if match is not None or context.first is context.last:
            return content, match
        return None, None
    limit = state.limit(begun)
    match = state.search(context, begun, limit)
    if match is None and limit < state.end:
        match = context.regex.match(text, limit, state.end)
    end = match.start() if match is not None else limit
    if match is None and (tag is None or tag.closing or not last):
        return None, None
    if paired and tag is not None and tag.name in OMISSIBLE:
        implied = content_end(state.document, state.opened, state.end)[0]
        if implied < end:
            return implied, None if last else match
    return end, match


def same_name(text: str, opened: int, tag: Tag) -> bool:
    """Whether the element that begins at an offset has the name of a tag, or is on its scale."""
    name = _NAME.match(text, opened)
    assert name is not None
    if tag.name == "hx":
        return bool(re.fullmatch("h[1-6]", name[1], re.IGNORECASE))
    return name[1].lower() == tag.name


def _optional(group: Group, rest: Sequence[Step], hole: Hole | None, place: int, state: State) -> int | None:
    """Take the steps of a part that may be missing; the place behind it, or None when it is."""
    first = group.steps[0]
    before, opened = len(state.spans), state.opened
    if hole is not None:
        limit = state.limit(place)
        following = next((step for step in rest if isinstance(step, Context)), None)
        if following is not None:
            bound = state.search(following, place, limit)
            limit = bound.start() if bound else limit
        match = state.search(first, place, limit) if isinstance(first, Context) else None
        if match is None:
            return None
        _keep(hole, place, match.start(), state)
        place = match.start()
    reached = take(group.steps, place, state, enclosed=False, nested=True)
    if reached is None:
        del state.spans[before:]
        state.opened = opened
    return reached
