"""A context, the texts and tags between two holes of a pattern, as one regular expression.

Every repetition in it is possessive or bounded and ends at the next ``<`` or ``>``, so a search costs linear time whatever
the page is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html.entities import codepoint2name

from newsextract.oem.document import ATTRIBUTES, Document
from newsextract.oem.pattern import Attribute, Tag, Text

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


def compile_texts(texts: Sequence[str]) -> Context:
    """A context that is any one of some texts."""
    return Context(re.compile("|".join(_text(text, at_start=True) for text in texts)), re.compile(""), (), None, None, ())


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
