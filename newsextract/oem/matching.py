"""Finding a pattern in a piece of source: its occurrences in order, each with the spans of its holes.

A hole ends where the context behind it first stands (the paper's left and right context). Three rules make that what users
mean: between a start tag and its own end tag stands the element's content, elements of the same name within counted; where
a start tag is the right context, the end of the source ends the hole, too, and so does the end tag that HTML lets authors
leave out; in a pattern with several holes no search runs over the next place where its first context stands, so an entry
that lacks a part does not swallow the next one. The right context is not used up: ``<li>#<li>`` finds every item.

Cost: linear in the source, whatever page and pattern are; a context is searched once over each stretch of text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain, islice

from newsextract.oem.context import Context, compile_texts
from newsextract.oem.document import Document, plain_text
from newsextract.oem.elements import OMISSIBLE
from newsextract.oem.pattern import Hole, Part
from newsextract.oem.steps import Group, Match, Span, State, Step, capture, content_end, opened_at, take, to_steps

MAX_MATCHES = 1_000_000
"""Places of a pattern in a page that are looked at; a page of 10 MB has no more entries."""


class Splitter:
    """Separators at which a source is cut."""

    def __init__(self, separators: Sequence[str]) -> None:
        self._context = compile_texts(separators)

    def find(self, document: Document, start: int, end: int, most: int = MAX_MATCHES) -> list[Match]:
        """The first pieces between separators, in order; empty ones are none."""
        found: list[Match] = []
        begun = start
        for separator in chain(self._context.all(document, start, end), (None,)):
            stop = separator.start() if separator else end
            if plain_text(document.text[begun:stop]):
                found.append(Match(begun, stop, Span(begun, stop)))
                if len(found) == most:
                    break
            begun = separator.end() if separator else end
        return found


class Matcher:
    """A pattern, compiled."""

    def __init__(self, parts: tuple[Part, ...]) -> None:
        steps = to_steps(parts)
        self._first = steps[0] if steps and isinstance(steps[0], Context) else None
        self._steps = steps[1:] if self._first else steps
        self._enclosing = _enclosing(steps)
        self._single = _single(self._steps)
        """The hole of a pattern with one, and the context behind it."""
        opened = self._first.last if self._first is not None else None
        closed = self._single[1].first if self._single is not None and self._single[1] is not None else None
        same = opened is not None and closed is not None and not opened.closing and opened.name == closed.name
        self._pair = same and closed is not None and (closed.closing or closed.name in OMISSIBLE)
        """Whether the hole is the content of an element, or ends where that does."""
        self._name = opened.name if opened is not None and not opened.is_scale and opened.name != "*" else None
        """Name of that element, where the pattern says it."""

    def find(self, document: Document, start: int, end: int, most: int = MAX_MATCHES) -> list[Match]:
        """The first occurrences between two offsets, in order; they do not overlap.

        :param most: how many at most.
        """
        if self._single is not None:
            return self._find_single(document, start, end, most, *self._single)
        if self._first is not None and not self._steps:
            return [_of_attributes(self._first, match) for match in islice(self._first.all(document, start, end), most)]
        if self._first is None:
            match = self._attempt(State(document, end, None), None, start, end)
            return [match] if match else []
        found: list[Match] = []
        begun = list(islice(self._first.all(document, start, end), MAX_MATCHES))
        state = State(document, end, None if self._enclosing else [match.start() for match in begun])
        place = start
        for first in begun:
            if first.start() >= place:
                match = self._attempt(state, first, first.end(), end)
                if match is not None:
                    found.append(match)
                    if len(found) == most:
                        break
                    place = max(place, match.value.end, *(span.end for span in match.fields))
        return found

    def _find_single(
        self, document: Document, start: int, end: int, most: int, hole: Hole, last: Context | None
    ) -> list[Match]:
        """The same for a pattern with one hole in its text: most are, so no step is taken that they do not need."""
        text, first, found = document.text, self._first, []
        ends_open = last is None or (last.first is not None and not last.first.closing)  # the end of the source will do
        place = start
        for begun in first.all(document, start, end) if first is not None else (None,):
            outer, behind = begun.span() if begun is not None else (start, start)
            if outer < place:
                continue
            content: int | None = None
            outer_end = 0
            if self._pair and first is not None and begun is not None and last is not None and last.first is not None:
                opened = opened_at(first, begun)
                if opened < 0:
                    continue
                content, outer_end = content_end(document, opened, end, self._name)
                if last.first.closing and last.first is not last.last and not last.paired.match(text, content, end):
                    continue
                if not last.first.closing:
                    following = last.regex.search(text, behind, content)
                    content = outer_end = following.start() if following else content
            elif last is not None:
                following = last.search(document, behind, end)
                if following is not None:
                    content = following.start()
                    outer_end = following.end() if last.first and last.first.closing else content
            if content is None:
                if not ends_open:
                    break  # the right context does not stand behind this place, so behind no later one
                content = outer_end = end
            value = own = Span(behind, content, hole.name)
            fields: tuple[Span, ...] = (own,) if hole.name else ()
            if first is not None and first.fields and begun is not None:
                spans = [Span(*field) for field in first.captures(begun)]
                fields = (*[span for span in spans if span.name is not None], *fields)
                value = spans[0] if hole.skipped else own
            found.append(Match(outer, outer_end, value, fields))
            if len(found) == most:
                break
            place = max(content, behind)
        return found

    def _attempt(self, state: State, first: re.Match[str] | None, start: int, end: int) -> Match | None:
        """An occurrence that begins with a place of the first context."""
        state.end, state.opened, state.spans = end, -1, []
        outer, enclosed = start, False
        if first is not None and self._first is not None:
            outer = first.start()
            state.opened = opened_at(self._first, first)
            capture(state, self._first, first)
            enclosed = self._enclosing and state.opened >= 0
            if enclosed:
                state.end = max(start, content_end(state.document, state.opened, end)[0])
        reached = take(self._steps, start, state, enclosed=enclosed)
        if reached is None:
            return None
        fields = tuple(span for span in state.spans if span.name is not None)
        values = [span for span in state.spans if span.name is None] or list(fields)
        if not values:
            return Match(outer, reached, Span(outer, reached))
        texts = [span for span in values if span.attribute is None]
        value = Span(texts[0].start, texts[-1].end, texts[0].name) if texts else values[0]
        return Match(outer, reached, value, fields)


def _of_attributes(context: Context, match: re.Match[str]) -> Match:
    """The occurrence of a pattern whose holes all stand in attributes."""
    spans = tuple(Span(*field) for field in context.captures(match))
    unnamed = [span for span in spans if span.name is None]
    return Match(*match.span(), (unnamed or spans)[0], tuple(span for span in spans if span.name is not None))


def _single(steps: Sequence[Step]) -> tuple[Hole, Context | None] | None:
    """The hole and the context behind it, where a pattern has no more than these."""
    hole, last = (*steps[:2], None)[:2] if steps else (None, None)
    if not isinstance(hole, Hole) or len(steps) > 2 or isinstance(last, Hole | Group):
        return None
    return None if last is not None and last.fields else (hole, last)


def _enclosing(steps: Sequence[Step]) -> bool:
    """Whether the last context closes the element that the first one opens, and holes stand between."""
    first, last = steps[0], steps[-1]
    if not (isinstance(first, Context) and isinstance(last, Context)) or first is last:
        return False
    opened, closed = first.last, last.first
    if opened is None or closed is None or opened.closing or not closed.closing or last.last is not closed:
        return False
    between = [tag for step in steps[1:-1] if isinstance(step, Context) for tag in step.tags]
    return opened.name == closed.name and not any(tag.name == opened.name for tag in between)
