"""Tags, attributes and marked elements in source text, read with bounded regular expressions instead of a tree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from newsextract.page.decoding import unescape

# --- markup ---------------------------------------------------------------------------------------
# Attributes and plain text of tags in source text, by bounded regular expressions (no tree).
#
# Every function costs time linear in the window it is given, whatever stands there: windows are cut before
# matching and quantifiers are possessive.

MAX_TAG = 20_000
"""Characters of one start tag that are looked at (og:description and data: attributes can be long)."""

MAX_LINK = 1_000
"""Characters before a heading in which the link around it begins."""

_LINK = re.compile(r"<[aA]\s[^<>]*+>")
_LINK_END = re.compile(r"</[aA]\s*+>")
_LEVEL_MARKS = "/»›>→｜|·:：–—-"
"""What parts the levels of breadcrumbs."""
_TAG_END = re.compile(r"""(?>(?:[^>"']++|"[^"]*+"|'[^']*+')*)>""")
_ATTRIBUTE = re.compile(
    r"""([^\s"'<>/=]++)(?>(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'<>]++)))?)""",
)
_NAME = re.compile(r"<[^\s/>]*+")
_TAG = re.compile(r"<!--.{0,2000}?-->|</?[a-zA-Z][^<>]*+>", re.DOTALL)
_ENTITY_LEFT = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,8});")


def tag_end(text: str, start: int) -> int:
    """Offset just behind the ``>`` that ends the tag at ``start``; quoted ``>`` do not count unless quotes are broken.

    Without any ``>`` in reach the end of the window is returned.
    """
    stop = min(len(text), start + MAX_TAG)
    plain = text.find(">", start, stop)
    if plain < 0:
        return stop
    if text.count('"', start, plain) % 2 == 0 and text.count("'", start, plain) % 2 == 0:
        return plain + 1
    match = _TAG_END.match(text, start, stop)
    # A quoted ">" that is followed by a new tag inside the quotation is a missing quote, not a value.
    if match is None or "<meta" in text[plain : match.end()]:
        return plain + 1
    return match.end()


def attributes(tag: str) -> dict[str, str]:
    """Attributes of one start tag (``<name …>``): lower-case names to values with entities resolved; first wins."""
    found: dict[str, str] = {}
    name_end = _NAME.match(tag)
    for name, double, single, bare in _ATTRIBUTE.findall(tag[:MAX_TAG], name_end.end() if name_end else 0):
        key = name.lower()
        if key not in found:
            found[key] = unescape(double or single or bare)
    return found


def fold(text: str) -> str:
    """White space (no-break space too) folded to single blanks, zero-width characters dropped."""
    if text.isascii():
        return " ".join(text.split())
    return " ".join(text.replace("\u200b", "").replace("\ufeff", "").replace("\xad", "").split())


def plain(markup: str) -> str:
    """Text of a piece of markup: tags dropped, entities resolved (twice escaped ones too), white space folded."""
    text = _TAG.sub(" ", markup) if "<" in markup else markup
    if "&" in text:
        text = unescape(text)
        if _ENTITY_LEFT.search(text):
            text = unescape(text)
    return fold(text)


def pieces(markup: str) -> tuple[str, ...]:
    """The texts between the tags of a piece of markup, each as :func:`plain` gives it; empty ones left out."""
    return tuple(filter(None, map(plain, _TAG.split(markup))))


def behind_links(markup: str) -> str:
    """The text of a heading, without the links to higher levels of the site that some themes put before it
    (``<a>Home</a> / <a>News</a> / Headline``)."""
    text = plain(markup)
    ends = [match.end() for match in _LINK_END.finditer(markup)]
    if not ends or plain(markup[: markup.find("<a")]):
        return text
    rest = plain(markup[ends[-1] :])
    headline = rest.lstrip(_LEVEL_MARKS + " ")
    return headline if headline and headline != rest else text


def whole_link(markup: str, before: str) -> str:
    """Where a heading links to as a whole; empty if it does not.

    :param markup: what is in the heading.
    :param before: what is before its start tag.
    """
    link = _LINK.search(markup)
    if link is not None:
        end = _LINK_END.search(markup, link.end())
        rest = "" if end is None else markup[end.end() :]
        return "" if plain(markup[: link.start()] + rest) else attributes(link.group()).get("href", "")
    around = before.rpartition("<")[2]
    return attributes(f"<{around}").get("href", "") if around[:2].lower() == "a " and around.rstrip().endswith(">") else ""


# --- marked elements ------------------------------------------------------------------------------
# Elements in the body of a page that are marked as date or author, and the text behind its headline; read on demand.
#
# They are found by plain searches for an attribute, around which the tag is read; no tree. A page whose head says what is
# asked for needs none of them.
#
# Cost: each search over a whole page is about 0.1 of an lxml parse.

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
    at = text.find("title=", first + 1, last)
    while at >= 0:
        match = _TITLED.match(text, at - 1, last)
        at = text.find("title=", at + 6 if match is None else match.end(), last)
        if match is None or _CLOCK.search(match[1]) is None or _UNDATED.search(match[1]) is not None:
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
