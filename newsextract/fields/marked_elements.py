"""Elements in the body of a page that are marked as date or author, and the text behind its headline; read on demand.

They are found by plain searches for an attribute, around which the tag is read; no tree. A page whose head says what is
asked for needs none of them.

Cost: each search over a whole page is about 0.1 of an lxml parse.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from newsextract.entities import unescape
from newsextract.fields.markup import attributes, fold, plain, tag_end

_SCRIPTS = re.compile(r"<(script|style)\b.*?(?:</\1|\Z)", re.DOTALL | re.IGNORECASE)
_MAX_PROPERTIES = 150
_MAX_VALUE = 2_000
_PROPERTY_TEXT = 400
_BEHIND_HEADING = 2_500
"""Characters of source text behind an h1 that are read as text for its byline."""
MAX_BYLINES = 3
_TITLE_PART = re.compile(r"\s[|–—:»-]+\s|[_|]|--")
_MIN_REPEATED = 6
"""Characters of a part of ``<title>`` that is looked for in the body; shorter ones stand in menus."""
_MAX_DATED = 12
_CLASS = re.compile(r"""class=(?:["']([^"'<>\n]{3,80})["']|([^\s"'<>=]{3,80}))""")
_DATE_WORD = re.compile(r"[dD]at(?:e|um)|[tT]ime|[pP]ubli|[pP]osted|fecha|tarih|[bB]yline|authored|subline")
_MAX_CLASSES = 1_000
_LABEL = 120
"""Characters of source text before an element in which its label stands."""
_TITLED = re.compile(r"""\stitle=["']([^"'<>]{0,40}\d{4}[^"'<>\d][^"'<>]{0,40})["']""")
"""A ``title`` attribute that may be a date: it has a year, and one of :data:`_CLOCK`."""
_CLOCK = re.compile(r"\d{1,2}:\d\d")
_UNDATED = re.compile(r"[^\W\d_]{3,}(?:\s[^\W\d_]{3,}){4,}")
"""Five words in a row: a sentence, no date."""
_MAX_BEFORE = 400
"""Characters of a start tag before the attribute that is looked for."""
_VISIBLE = re.compile(r"<([a-zA-Z][a-zA-Z0-9-]{0,20})\s[^<>]*\Z")
_NOT_VISIBLE = frozenset({"meta", "link", "time", "img", "script", "html", "body", "h1"})


@dataclass(frozen=True, slots=True)
class TimeTag:
    """A ``<time>`` element."""

    datetime: str
    """The attribute, raw; empty when there is none."""
    text: str
    marks: str
    """Class, itemprop and pubdate, in lower case, separated by blanks."""
    offset: int
    """Where it starts in the source text."""
    before: str = ""
    """The text just before it, which may say what the date is ("Last edited")."""


def visible(
    text: str, needle: str, first: int, last: int, wanted: re.Pattern[str] | None = None
) -> Iterator[tuple[dict[str, str], str]]:
    """Attributes and text of visible elements with an attribute that begins with ``needle``, in a part of the text.

    :param first: offset of the part; ``last``: behind it.
    :param wanted: what must follow the needle.
    """
    at, looked = text.find(needle, first, last), 0
    while at >= 0 and looked < _MAX_PROPERTIES:
        if wanted is not None and wanted.match(text, at + len(needle)) is None:
            at = text.find(needle, at + len(needle), last)
            continue
        looked += 1
        start = text.rfind("<", max(0, at - _MAX_BEFORE), at)
        opening = _VISIBLE.match(text, start, at) if start >= 0 else None
        end = at + len(needle)
        if opening is not None and opening.group(1).lower() not in _NOT_VISIBLE:
            end = tag_end(text, start)
            given = attributes(text[start:end])
            value = fold(given.get("content") or given.get("datetime") or "")
            if not value:
                close = text.find(f"</{opening.group(1)}", end, end + _PROPERTY_TEXT)
                value = plain(text[end:close]) if close >= 0 else ""
            if value:
                yield given, value[:_MAX_VALUE]
        at = text.find(needle, end, last)


def repeated(text: str, title: str) -> Iterator[int]:
    """Ends of the places in the body where the longest part of the title stands."""
    part = max(_TITLE_PART.split(title), key=len).strip()
    at = text.find(part, body_start(text)) if len(part) >= _MIN_REPEATED else -1
    for _ in range(MAX_BYLINES):
        if at < 0:
            return
        yield at + len(part)
        at = text.find(part, at + len(part))


def body_start(text: str) -> int:
    """Where the body begins, or at least the title ends."""
    for mark in ("<body", "<BODY", "</title", "</TITLE"):
        at = text.find(mark)
        if at >= 0:
            return at
    return 0


def text_before(text: str, start: int) -> str:
    """The text just before a tag."""
    window = text[max(0, start - _LABEL) : max(0, start)]
    opened, closed = window.find("<"), window.find(">")
    if closed >= 0 and not 0 <= opened < closed:
        window = window[closed + 1 :]  # it begins inside a tag
    return plain(window)[-40:]


def behind(text: str, start: int) -> str:
    """Text behind a heading, without scripts; cut before a tag that the window leaves open."""
    window = text[start : start + _BEHIND_HEADING]
    window = _SCRIPTS.sub(" ", window)
    return plain(window[: window.rfind("<")] if window.rfind("<") > window.rfind(">") else window)


def titled(text: str, first: int, last: int) -> Iterator[TimeTag]:
    """Elements whose ``title`` attribute is a date with a time of day (``abbr`` of hAtom), in a part of the text."""
    found = 0
    for match in _TITLED.finditer(text, first, last):
        if _CLOCK.search(match[1]) is None or _UNDATED.search(match[1]) is not None:
            continue
        start = text.rfind("<", max(0, match.start() - _MAX_BEFORE), match.start())
        if start >= 0 and (found := found + 1) <= _MAX_DATED:
            given = attributes(text[start : tag_end(text, start)])
            marks = f"{given.get('class', '')} {given.get('itemprop', '')}".lower()
            yield TimeTag(fold(unescape(match[1])), "", marks, start)


def dated(text: str) -> Iterator[TimeTag]:
    """Elements whose class has a word for a date in it, in document order.

    Distinct values are few, so that the word search costs little beside finding them.
    """
    values = {quoted or bare for quoted, bare in _CLASS.findall(text)}
    lines = "\n".join(sorted(values)[:_MAX_CLASSES])
    spoken: list[tuple[int, str]] = []
    end = 0
    while (word := _DATE_WORD.search(lines, end)) is not None:
        start = lines.rfind("\n", 0, word.start()) + 1
        end = lines.find("\n", word.end())
        end = len(lines) if end < 0 else end
        value = lines[start:end]
        if "timeline" not in value:
            spoken += ((at, value.lower()) for at in _places(text, value))
    for at, name in sorted(spoken)[:_MAX_DATED]:
        start = text.find(">", at, at + 1_000) + 1
        if start:
            inner = _SCRIPTS.sub(" ", text[start : start + 300])
            cut = inner.rfind("<")
            before = text_before(text, text.rfind("<", max(0, at - _MAX_BEFORE), at))
            yield TimeTag("", plain(inner[:cut] if cut >= 0 else inner)[:120], name, at, before)


def _places(text: str, value: str) -> Iterator[int]:
    """Ends of the first attributes with this value."""
    bare = () if " " in value else ((" ", ""), (">", ""))  # minified pages quote only what has blanks
    for end, begin in (('"', '"'), ("'", "'"), *bare):
        needle = f"={begin}{value}{end}"
        at = text.find(needle)
        if at < 0:
            continue
        for _ in range(_MAX_DATED):
            yield at + len(needle) - (end == ">")
            at = text.find(needle, at + len(needle))
            if at < 0:
                return
