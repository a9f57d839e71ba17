"""Finds the patterns of a format in a page's source: contexts as regular expressions, steps from hole to hole,
occurrences."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from html.entities import codepoint2name
from itertools import chain, islice
from typing import NamedTuple

from newsextract.wrappers.pattern import (
    ATTRIBUTES,
    OMISSIBLE,
    Attribute,
    Document,
    Hole,
    Optional,
    Part,
    Tag,
    Text,
    closings,
    plain_text,
)

# --- context --------------------------------------------------------------------------------------
# A context, the texts and tags between two holes of a pattern, as one regular expression.
#
# Every repetition in it is possessive or bounded and ends at the next ``<`` or ``>``, so a search costs linear time whatever
# the page is.

_ANY_VALUE = 20_000
"""Characters of an attribute's value that a hole takes."""
_AS_ENTITY = "&<>\"'"
"""ASCII characters that pages write as entities; of others all may be."""
_SPACE = r"(?>(?:\s|&nbsp;|&#160;)+)"
_SCALES = {"hx": "h[1-6]", "fontx": "(?:h[1-6]|b|strong|big|font)", "indentx": "(?:li|dt|dd|p)"}

_Field = tuple[str | None, str, tuple[str, ...]]
"""Name of a hole in an attribute (None: the value itself), the attribute (empty: a part of it), and the groups of which one
holds it."""


@dataclass(frozen=True, eq=False, slots=True)
class Context:
    """A compiled context."""

    regex: re.Pattern[str]
    paired: re.Pattern[str]
    """The same behind the content of an element whose end tag comes first: that may have been left out."""
    fields: tuple[_Field, ...]
    """Holes of attributes."""
    first: Tag | None
    """Its first part, where that is a tag."""
    last: Tag | None
    """Its last part, where that is a tag; group ``last`` begins there."""
    tags: tuple[Tag, ...]

    def search(self, document: Document, place: int, limit: int) -> re.Match[str] | None:
        """The first occurrence between two offsets; a text is not looked for within tags."""
        match = self.regex.search(document.text, place, limit)
        if self.first is None:
            while match is not None and (behind := document.tag_end(match.start())) >= 0:
                match = self.regex.search(document.text, behind, limit) if behind < limit else None
        return match

    def all(self, document: Document, place: int, limit: int) -> Iterator[re.Match[str]]:
        """The occurrences between two offsets, in order."""
        if self.first is not None:
            return self.regex.finditer(document.text, place, limit)
        return self._texts(document, place, limit)

    def _texts(self, document: Document, place: int, limit: int) -> Iterator[re.Match[str]]:
        match = self.search(document, place, limit)
        while match is not None:
            yield match
            match = self.search(document, max(match.end(), match.start() + 1), limit)

    def captures(self, match: re.Match[str]) -> list[tuple[int, int, str | None, str]]:
        """Start, end, name (None: the value itself) and attribute of the attribute values that a match holds."""
        found = []
        for name, attribute, groups in self.fields:
            group = next(group for group in groups if match.start(group) >= 0)
            found.append((*match.span(group), name, attribute))
        return found


def compile_context(parts: Sequence[Text | Tag]) -> Context:
    """The context of some parts, which follow each other with white space between them or none."""
    fields: list[_Field] = []
    pieces = []
    for number, part in enumerate(parts):
        piece = _text(part.text, at_start=number == 0) if isinstance(part, Text) else _tag(part, fields)
        pieces.append(f"(?P<last>{piece})" if number == len(parts) - 1 else piece)
    first, last = parts[0], parts[-1]
    regex = re.compile(r"\s*+".join(pieces))
    optional = [f"(?:{pieces[0]})?", *pieces[1:]] if len(pieces) > 1 else pieces
    return Context(
        regex,
        re.compile(r"\s*+".join(optional)),
        tuple(fields),
        first if isinstance(first, Tag) else None,
        last if isinstance(last, Tag) else None,
        tuple(part for part in parts if isinstance(part, Tag)),
    )


def _text(text: str, *, at_start: bool) -> str:
    """Characters as they may stand in a source; white space at the start of a search is tried once a run."""
    words = ["".join(map(_character, word)) for word in text.split()]
    found = _SPACE.join(words) + (_SPACE if words and text[-1:].isspace() else "")
    if text[:1].isspace() and at_start:
        found = r"(?<!\s)\s++" + found if words else r"(?<!\s)\s++"
    return found


@cache
def _character(char: str) -> str:
    """A character as itself or as an entity."""
    if char.isascii() and char not in _AS_ENTITY:
        return re.escape(char)
    code = ord(char)
    named = "apos" if char == "'" else codepoint2name.get(code)
    entity = rf"#(?:0*+{code}|[xX]0*+(?i:{code:x}));" + (f"|{named};" if named else "")
    return f"&(?:{entity})?" if char == "&" else f"(?:{re.escape(char)}|&(?:{entity}))"


def _tag(tag: Tag, fields: list[_Field]) -> str:
    name = _SCALES.get(tag.name) or re.escape(tag.name)
    conditions = "".join(_condition(attribute, fields) for attribute in tag.attributes)
    if tag.sizes is not None:
        conditions += rf"(?={_to_value('size')}[\"']?[{tag.sizes[0]}-{tag.sizes[1]}](?![0-9]))"
    if tag.name == "*" and tag.attributes:
        return rf"<[A-Za-z][^\s/>]*+{conditions}{ATTRIBUTES}>"
    if tag.name == "*":
        return rf"</?[A-Za-z][^\s/>]*{ATTRIBUTES}>"
    return rf"<{'/' if tag.closing else ''}(?i:{name})(?=[\s/>]){conditions}{ATTRIBUTES}>"


def _condition(attribute: Attribute, fields: list[_Field]) -> str:
    """A lookahead from behind the tag's name."""
    if attribute.before is None:
        return rf"(?={_to_attribute(attribute.name)})"
    value = _to_value(attribute.name)
    before, after = _text(attribute.before, at_start=False), _text(attribute.after, at_start=False)
    if attribute.hole is None:
        if attribute.name == "class":
            tokens = [re.escape(token) for token in attribute.before.split()]
            return "".join(
                rf"(?={value}(?:\"(?:[^\"]*\s)?{token}(?=[\s\"])|'(?:[^']*\s)?{token}(?=[\s'])|{token}(?=[\s/>])))"
                for token in tokens
            )
        return rf"(?={value}(?:\"{before}\"|'{before}'|{before}(?=[\s/>])))"
    groups = tuple(f"v{len(fields)}{kind}" for kind in "abc")
    part = bool(attribute.before or attribute.after)
    fields.append((attribute.hole.name, "" if part else attribute.name, groups))
    cap = f"{{0,{_ANY_VALUE}}}?"
    return (
        rf"(?={value}(?:\"{before}(?P<{groups[0]}>[^\"]{cap}){after}\""
        rf"|'{before}(?P<{groups[1]}>[^']{cap}){after}'"
        rf"|{before}(?P<{groups[2]}>[^\s\"'<>]{cap}){after}(?=[\s>])))"
    )


def _to_attribute(name: str) -> str:
    """From behind a tag's name over the attributes before the first one of a name, and over that name."""
    name = rf"(?i:{re.escape(name)})(?=[\s/>=])"
    value = r"""(?>(?:"[^"]*+"|'[^']*+'|[^\s"'<>]++)?)"""
    return rf"(?>(?:(?!{name})[^\s\"'/<>=]++|[\s\"'/]++|=\s*+{value})*){name}"


def _to_value(name: str) -> str:
    return rf"{_to_attribute(name)}\s*+=\s*+"


# --- steps ----------------------------------------------------------------------------------------
# One attempt at a pattern with several holes: its steps taken from a place on, each context once.
#
# Cost: linear in the source over all attempts, because the last search of each context is remembered.

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
class AttemptState:
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


def capture(state: AttemptState, context: Context, match: re.Match[str]) -> None:
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


def take(steps: Sequence[Step], place: int, state: AttemptState, *, enclosed: bool, nested: bool = False) -> int | None:
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


def _keep(hole: Hole, start: int, end: int, state: AttemptState) -> None:
    if not hole.skipped:
        state.spans.append(Span(start, end, hole.name))


def _blanks(text: str, place: int) -> int:
    match = _BLANK.match(text, place)
    assert match is not None
    return match.end()


def _hole_end(
    context: Context, begun: int, state: AttemptState, *, last: bool, enclosed: bool
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


def _optional(group: Group, rest: Sequence[Step], hole: Hole | None, place: int, state: AttemptState) -> int | None:
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


# --- matching -------------------------------------------------------------------------------------
# Finding a pattern in a piece of source: its occurrences in order, each with the spans of its holes.
#
# A hole ends where the context behind it first stands (the paper's left and right context). Three rules make that what users
# mean: between a start tag and its own end tag stands the element's content, elements of the same name within counted; where
# a start tag is the right context, the end of the source ends the hole, too, and so does the end tag that HTML lets authors
# leave out; in a pattern with several holes no search runs over the next place where its first context stands, so an entry
# that lacks a part does not swallow the next one. The right context is not used up: ``<li>#<li>`` finds every item.
#
# Cost: linear in the source, whatever page and pattern are; a context is searched once over each stretch of text.

MAX_MATCHES = 1_000_000
"""Places of a pattern in a page that are looked at; a page of 10 MB has no more entries."""


class Splitter:
    """Separators at which a source is cut."""

    def __init__(self, separators: Sequence[str]) -> None:
        either = "|".join(_text(text, at_start=True) for text in separators)
        self._context = Context(re.compile(either), re.compile(""), (), None, None, ())

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
            match = self._attempt(AttemptState(document, end, None), None, start, end)
            return [match] if match else []
        found: list[Match] = []
        begun = list(islice(self._first.all(document, start, end), MAX_MATCHES))
        state = AttemptState(document, end, None if self._enclosing else [match.start() for match in begun])
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

    def _attempt(self, state: AttemptState, first: re.Match[str] | None, start: int, end: int) -> Match | None:
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
