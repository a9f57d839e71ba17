"""Patterns of a format line: contexts with holes between them, as a tree of parts.

Huang, Qi & Zhang 2000, §1.3 and Table 1: ``#`` is any text between its left and right context, ``<hx>`` a heading of any
size. Ours, in the same spirit: ``$name`` is a hole that becomes an object of that name, ``...`` any text that is not kept,
``[…]`` a part that may be missing, ``"…"`` and ``\\`` take characters as they are, ``href="#"`` is an attribute's value.

Cost: linear in the pattern's length, which a format line bounds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

LEVELS = ("hx", "fontx", "indentx")
"""Names of tags that stand for a whole scale of tags: headings by size, titles by font, items by indent."""

_NAME = re.compile(r"[^\W\d][\w-]*")
_TAG = re.compile(r"<(/?)(font(?=size=)|[A-Za-z][\w:-]*|\*)(?=[\s/>=#]|size=)|<(/?)([A-Za-z][\w:-]*)(?=<)")
_ATTRIBUTE = re.compile(r"\s*([A-Za-z_@:][\w:.@-]*)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+)))?")
_SIZE = re.compile(r"(\d)(?:-(\d))?")


class PatternError(Exception):
    """A pattern cannot be read; ``offset`` is the place in its text."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Text:
    """Characters that stand on the page; runs of white space equal each other."""

    text: str


@dataclass(frozen=True, slots=True)
class Hole:
    """Any text: the value, or an object of its own where it has a name, or nothing where it is skipped."""

    name: str | None = None
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class Attribute:
    """What a start tag must have: an attribute, with the text around a hole or the whole value; a hole may stand in it."""

    name: str
    before: str | None = None
    """Text at the start of the value, the whole value without a hole; None: any."""
    hole: Hole | None = None
    after: str = ""


@dataclass(frozen=True, slots=True)
class Tag:
    """A start or end tag; other attributes than those named may stand in it."""

    name: str
    """Lower case; one of :data:`LEVELS` for a scale, ``*`` for any start or end tag."""
    closing: bool = False
    attributes: tuple[Attribute, ...] = ()
    sizes: tuple[int, int] | None = None
    """Of ``<font size=1-7>``: smallest and largest."""

    @property
    def is_scale(self) -> bool:
        """Whether it stands for tags of several levels."""
        return self.name in LEVELS or (self.sizes is not None and self.sizes[0] < self.sizes[1])


@dataclass(frozen=True, slots=True)
class Optional:
    """Parts that may be missing."""

    parts: tuple[Part, ...]


Part = Text | Hole | Tag | Optional


def parse_pattern(text: str) -> tuple[Part, ...]:
    """The parts of a pattern, in order.

    :raises PatternError: a bracket, a quote or a tag is not closed, two holes touch, or a name is missing.
    """
    parts, end = _parts(text, 0, nested=False)
    assert end == len(text)
    return parts


def holes(parts: tuple[Part, ...]) -> list[Hole]:
    """All holes of a pattern, those of attributes and of optional parts too, in order."""
    found: list[Hole] = []
    for part in parts:
        if isinstance(part, Hole):
            found.append(part)
        elif isinstance(part, Tag):
            found.extend(attribute.hole for attribute in part.attributes if attribute.hole)
        elif isinstance(part, Optional):
            found.extend(holes(part.parts))
    return found


def _parts(text: str, start: int, *, nested: bool) -> tuple[tuple[Part, ...], int]:
    """Parts from an offset to the end, or behind the closing bracket. White space between parts counts only in quotes."""
    parts: list[Part] = []
    literal = ""
    blank = False  # white space behind the literal, which counts if more of it follows
    place = start

    def add(part: Part, end: int) -> None:
        """Append a part, the characters before it first, and go behind it."""
        nonlocal literal, blank, place
        if literal:
            parts.append(Text(literal))
        elif isinstance(part, Hole) and parts and isinstance(parts[-1], Hole):
            raise PatternError("two holes touch; expected a text or a tag between them, as in <b>#</b>$title<br>", place)
        parts.append(part)
        literal, blank, place = "", False, end

    while place < len(text):
        char = text[place]
        named = _NAME.match(text, place + 1) if char == "$" else None
        if text.startswith("...", place):
            add(Hole(skipped=True), place + 3)
        elif char == "#" or named:
            add(Hole(named[0] if named else None), named.end() if named else place + 1)
        elif char == "<" and _TAG.match(text, place):
            add(*_tag(text, place))
        elif char == "[":
            within, end = _parts(text, place + 1, nested=True)
            if not within:
                raise PatternError("nothing between [ and ]; expected an optional part, as in [<i>$note</i>]", place)
            add(Optional(within), end)
        elif char == "]" and nested:
            return (*parts, Text(literal)) if literal else tuple(parts), place + 1
        elif char.isspace():
            blank = bool(literal)
            place += 1
        else:
            taken, end = char, place + 1
            if char == "\\" and end < len(text):
                taken, end = text[end], end + 1
            elif char == '"':
                taken, end = _quoted(text, place)
            literal += (" " if blank else "") + taken
            blank, place = False, end
    if nested:
        raise PatternError("'[' is not closed; expected ']' after the optional part, as in [<i>$note</i>]", start - 1)
    return (*parts, Text(literal)) if literal else tuple(parts), place


def _blanks(text: str, place: int) -> int:
    """Behind the white space."""
    while place < len(text) and text[place].isspace():
        place += 1
    return place


def _quoted(text: str, start: int) -> tuple[str, int]:
    """Characters between quotes, and the offset behind them."""
    found = ""
    place = start + 1
    while place < len(text):
        if text[place] == "\\" and place + 1 < len(text):
            place += 1
        elif text[place] == '"':
            return found, place + 1
        found += text[place]
        place += 1
    raise PatternError('the quote is not closed; expected \'"\', as in "no. #"', start)


def _tag(text: str, start: int) -> tuple[Tag, int]:
    """A tag, and the offset behind it."""
    match = _TAG.match(text, start)
    assert match is not None
    closing, name = bool(match[1] or match[3]), (match[2] or match[4]).lower()
    name = "hx" if name == "h1-6" else name  # as Table 1 writes it
    attributes: list[Attribute] = []
    sizes: tuple[int, int] | None = None
    place = match.end()
    while True:
        place = _blanks(text, place)
        rest = text[place : place + 1]
        if rest == ">":
            return Tag(name, closing, tuple(attributes), sizes), place + 1
        if rest in ("#", "/"):  # Table 1 writes <table#> for a tag with any attributes
            place += 1
            continue
        found = _ATTRIBUTE.match(text, place)
        if not found:
            raise PatternError(f"the tag <{name} is not closed; expected '>', as in <a href=\"#\">", start)
        if closing:
            raise PatternError(f"an end tag has no attributes; expected </{name}>", place)
        value = next((group for group in found.groups()[1:] if group is not None), None)
        sized = _SIZE.fullmatch(value or "") if (name, found[1].lower()) == ("font", "size") else None
        if sized:
            bounds = int(sized[1]), int(sized[2] or sized[1])
            sizes = min(bounds), max(bounds)
        else:
            attributes.append(_attribute(found[1].lower(), value, place))
        place = found.end()


def _attribute(name: str, value: str | None, place: int) -> Attribute:
    """An attribute's condition and hole."""
    if value is None:
        return Attribute(name)
    before, after, hole = "", "", None
    rest = value
    while rest:
        named = _NAME.match(rest, 1) if rest[0] == "$" else None
        if rest[0] == "#" or named:
            if hole is not None:
                raise PatternError(f'two holes in the attribute {name}; expected one, as in href="/paper/#.html"', place)
            hole = Hole(named[0] if named else None)
            rest = rest[named.end() if named else 1 :]
            continue
        char, rest = (rest[1], rest[2:]) if rest[0] == "\\" and len(rest) > 1 else (rest[0], rest[1:])
        if hole is None:
            before += char
        else:
            after += char
    return Attribute(name, before, hole, after)
