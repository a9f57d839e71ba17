"""What a page says about itself: meta and link elements, title, JSON-LD, ``<time>``, microdata, h1.

One scan over the tags of interest in the source text; comments and scripts are jumped over, so that markup inside
them is not taken for the page's own. Vocabularies: HTML Living Standard (meta, link, time), JSON-LD 1.1 and
schema.org, Open Graph, Dublin Core; microdata by its ``itemprop`` only.

Cost: 0.4 (warm loop) to 0.55 (between other work) of an lxml parse; caps on every count and length
bound it for hostile pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from newsextract.fields import json_ld
from newsextract.fields.markup import attributes, fold, plain, tag_end

_TAGS = re.compile(
    r"<([mM][eE][tT][aA]|[lL][iI][nN][kK]|[tT][iI][tT][lL][eE]|[tT][iI][mM][eE]|[hH]1|[hH][tT][mM][lL]"
    r"|[sS][cC][rR][iI][pP][tT]|!--)(?:(?<=!--)|(?=[\s/>]))"
)
_SCRIPTS = re.compile(r"<(script|style)\b.*?(?:</\1|\Z)", re.DOTALL | re.IGNORECASE)
_CLOSE = {
    "title": re.compile(r"</[tT][iI][tT][lL][eE]"),
    "time": re.compile(r"</[tT][iI][mM][eE]"),
    "h1": re.compile(r"</[hH]1"),
}
_MAX = {"meta": 600, "link": 400, "title": 5, "time": 80, "h1": 20, "html": 3, "script": 2_000, "!--": 5_000}
_MAX_TEXT = {"title": 2_000, "time": 400, "h1": 2_000}
_MAX_VALUE = 2_000
"""Characters kept of a meta value; the longest honest ones are descriptions."""
_UNUSED_LINK = re.compile(r"stylesheet|preload|prefetch|preconnect|apple-touch|mask-icon")
_MAX_PROPERTIES = 150
_PROPERTY_TEXT = 400
_BEHIND_HEADING = 2_500
"""Characters of source text behind an h1 that are read as text for its byline."""
_MAX_BYLINES = 3
_TITLE_PART = re.compile(r"\s[|–—:»-]+\s|[_|]|--")
_MIN_REPEATED = 6
"""Characters of a part of ``<title>`` that is looked for in the body; shorter ones stand in menus."""
_MAX_DATED = 12
_CLASSES = tuple(re.compile(rf"""{name}=["']([^"'<>\n]{{3,80}})["']""") for name in ("class", "id"))
"""One pattern each: a literal at the start is searched five times as fast as an alternation."""
_DATE_WORD = re.compile(r"[dD]at(?:e|um)|[tT]ime|[pP]ubli|[pP]osted|fecha|tarih|[bB]yline|authored|subline")
_MAX_CLASSES = 1_000
_VISIBLE = re.compile(r"""<([a-zA-Z][a-zA-Z0-9-]{0,20})\s[^<>]*\Z""")
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


@dataclass(frozen=True)
class Metadata:
    """What head, JSON-LD, ``<time>``, microdata and h1 say. Empty when the page says nothing.

    Not slotted: what only pages without plainer statements need is read from the source on demand and kept.
    """

    title: str | None = None
    """``<title>``, entities resolved, white space folded."""
    meta: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Lower-case name, property, itemprop or http-equiv → contents, in document order."""
    links: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Lower-case ``rel`` token of ``<link>`` → hrefs (raw); style sheets and preloads are left out."""
    json_ld: tuple[Mapping[str, Any], ...] = ()
    """JSON-LD objects; @graph and lists flattened, at most :data:`newsextract.fields.json_ld.MAX_OBJECTS`."""
    times: tuple[TimeTag, ...] = ()
    html_lang: str | None = None
    canonical: str | None = None
    """``<link rel=canonical>``, raw."""
    headings: tuple[str, ...] = ()
    """Texts of the ``<h1>`` elements."""
    heading_ends: tuple[int, ...] = field(default=(), repr=False)
    """Where :attr:`headings` end in the source text."""
    source: str = field(default="", repr=False, compare=False)
    """The source text, for what is read on demand."""

    def first(self, *names: str) -> str | None:
        """The first non-empty meta content under the first of ``names`` that has one."""
        for name in names:
            for value in self.meta.get(name, ()):
                if value:
                    return value
        return None

    @cached_property
    def properties(self) -> Mapping[str, tuple[str, ...]]:
        """Lower-case ``itemprop`` (or ``rel=author`` as ``rel:author``) → texts of visible elements."""
        return _visible_properties(self.source)

    @cached_property
    def bylines(self) -> tuple[str, ...]:
        """Texts just behind the first h1 elements; without any, behind the places that repeat ``<title>``'s longest part."""
        ends = self.heading_ends or tuple(_repeated(self.source, self.title or ""))
        return tuple(_behind(self.source, end) for end in ends[:_MAX_BYLINES])

    @cached_property
    def dated(self) -> tuple[TimeTag, ...]:
        """Elements whose class or id speaks of a date (``post-date``, ``byline`` …)."""
        return tuple(_dated(self.source))


def read_metadata(text: str) -> Metadata:
    """Scan the source text once; never raises."""
    reader = _Reader(text)
    reader.read()
    return Metadata(
        title=reader.title,
        meta={name: tuple(values) for name, values in reader.meta.items()},
        links={rel: tuple(values) for rel, values in reader.links.items()},
        json_ld=tuple(reader.objects[: json_ld.MAX_OBJECTS]),
        times=tuple(reader.times),
        html_lang=reader.html_lang.strip()[:35] if reader.html_lang else None,
        canonical=next((href for href in reader.links.get("canonical", ()) if href), None),
        headings=tuple(reader.headings),
        heading_ends=tuple(reader.heading_ends),
        source=text,
    )


class _Reader:
    """The scan: where it stands and what it has found."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.title: str | None = None
        self.meta: dict[str, list[str]] = {}
        self.links: dict[str, list[str]] = {}
        self.objects: list[Mapping[str, Any]] = []
        self.times: list[TimeTag] = []
        self.headings: list[str] = []
        self.heading_ends: list[int] = []
        self.html_lang: str | None = None

    def read(self) -> None:
        """Go through the tags of interest, each kind up to its cap."""
        text, at = self.text, 0
        left = dict(_MAX)
        while (match := _TAGS.search(text, at)) is not None:
            kind = match.group(1).lower()
            start, at = match.span()
            left[kind] -= 1
            if left[kind] < 0:
                continue
            if kind == "!--":
                end = text.find("-->", at)
                if end < 0:
                    left[kind] = 0  # no comment ends any more: do not search for it again
                at = end + 3 if end >= 0 else at
            elif kind == "script":
                at = text.find(">", at) + 1 or len(text)
                end = text.find("</script", at)
                if end < 0:
                    end = text.find("</SCRIPT", at)
                if end < 0:
                    left[kind] = 0
                    continue
                if "ld+json" in text[start:at] and len(self.objects) < json_ld.MAX_OBJECTS:
                    self.objects += json_ld.read(text[at:end])
                at = end
            else:
                at = tag_end(text, start)
                self._element(kind, text[start:at], start, at)

    def _element(self, kind: str, tag: str, start: int, end: int) -> None:
        if kind == "meta":
            self._meta(attributes(tag))
        elif kind == "link":
            if not _UNUSED_LINK.search(tag):
                self._link(attributes(tag))
        elif kind == "html":
            given = attributes(tag)
            self.html_lang = self.html_lang or given.get("lang") or given.get("xml:lang") or None
        elif kind == "title":
            self.title = self.title or _inner(self.text, kind, end) or None
        elif kind == "h1":
            close = _CLOSE[kind].search(self.text, end, end + _MAX_TEXT[kind])
            inner = plain(self.text[end : close.start()]) if close else ""
            if inner and close:
                self.headings.append(inner)
                self.heading_ends.append(close.end() + 1)
        elif kind == "time":
            given = attributes(tag)
            marks = f"{given.get('class', '')} {given.get('itemprop', '')}".lower()
            marks += " pubdate" if "pubdate" in given else ""
            stamp = given.get("datetime") or given.get("content") or ""
            self.times.append(TimeTag(fold(stamp[:100]), _inner(self.text, kind, end), marks, start))

    def _meta(self, given: dict[str, str]) -> None:
        content = given.get("content") or given.get("value") or given.get("datetime") or ""
        if content:
            content = fold(content[:_MAX_VALUE])
            for key in ("name", "property", "itemprop", "http-equiv"):
                if given.get(key):
                    self.meta.setdefault(given[key].strip().lower()[:100], []).append(content)

    def _link(self, given: dict[str, str]) -> None:
        for rel in given.get("rel", "").lower().split()[:5]:
            self.links.setdefault(rel, []).append(given.get("href", "").strip()[:_MAX_VALUE])


def _inner(text: str, kind: str, start: int) -> str:
    """Text of the element whose start tag ends at ``start``."""
    stop = min(len(text), start + _MAX_TEXT[kind])
    close = _CLOSE[kind].search(text, start, stop)
    return plain(text[start : close.start() if close else stop]) if close or kind == "title" else ""


def _visible_properties(text: str) -> dict[str, tuple[str, ...]]:
    """Texts of visible elements that carry ``itemprop`` or ``rel=author``."""
    found: dict[str, list[str]] = {}
    for needle in ("itemprop=", 'rel="author'):
        at = text.find(needle)
        for _ in range(_MAX_PROPERTIES):
            if at < 0:
                break
            opening = _VISIBLE.search(text, max(0, at - 400), at)
            end = at + len(needle)
            if opening is not None and opening.group(1).lower() not in _NOT_VISIBLE:
                end = tag_end(text, opening.start())
                given = attributes(text[opening.start() : end])
                name = given.get("itemprop", "").strip().lower() if needle[0] == "i" else "rel:author"
                value = fold(given.get("content") or given.get("datetime") or "")
                if not value:
                    close = text.find(f"</{opening.group(1)}", end, end + _PROPERTY_TEXT)
                    value = plain(text[end:close]) if close >= 0 else ""
                if name and value:
                    found.setdefault(name[:100], []).append(value[:_MAX_VALUE])
            at = text.find(needle, end)
    return {name: tuple(values) for name, values in found.items()}


def _repeated(text: str, title: str) -> Iterator[int]:
    """Ends of the places in the body where the longest part of the title stands."""
    part = max(_TITLE_PART.split(title), key=len).strip()
    body = max(text.find("<body"), text.find("<BODY"), text.find("</title"), text.find("</TITLE"))
    at = text.find(part, max(0, body)) if len(part) >= _MIN_REPEATED else -1
    for _ in range(_MAX_BYLINES):
        if at < 0:
            return
        yield at + len(part)
        at = text.find(part, at + len(part))


def _behind(text: str, start: int) -> str:
    """Text behind a heading, without scripts; cut before a tag that the window leaves open."""
    window = text[start : start + _BEHIND_HEADING]
    window = _SCRIPTS.sub(" ", window)
    return plain(window[: window.rfind("<")] if window.rfind("<") > window.rfind(">") else window)


def _dated(text: str) -> Iterator[TimeTag]:
    """Elements whose class or id has a word for a date in it, in document order.

    Distinct values are few, so that the word search costs little beside finding them.
    """
    values = {value for pattern in _CLASSES for value in pattern.findall(text)}
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
            yield TimeTag("", plain(inner[:cut] if cut >= 0 else inner)[:120], name, at)


def _places(text: str, value: str) -> Iterator[int]:
    """Ends of the first attributes with this value."""
    for quote in ('"', "'"):
        needle = f"={quote}{value}{quote}"
        at = text.find(needle)
        if at < 0:
            continue
        for _ in range(_MAX_DATED):
            yield at + len(needle)
            at = text.find(needle, at + len(needle))
            if at < 0:
                return
