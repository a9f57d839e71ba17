"""What a page says about itself: meta and link elements, title, JSON-LD, ``<time>``, microdata, h1.

One scan over the tags of interest in the source text; comments and scripts are jumped over, so that markup inside
them is not taken for the page's own. Vocabularies: HTML Living Standard (meta, link, time), JSON-LD 1.1 and
schema.org, Open Graph, Dublin Core; microdata by its ``itemprop`` only.

Cost: 0.3 (warm loop) to 0.4 (between other work) of an lxml parse; caps on every count and length
bound it for hostile pages.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from newsextract.control_characters import without_hints
from newsextract.page.decoding import unescape

# --- json ld --------------------------------------------------------------------------------------
# JSON-LD scripts: read, mended where that is simple, flattened to a list of objects.
#
# Pages write what ``JSON.parse`` refuses: raw line breaks in strings, trailing commas, CDATA or HTML comments around
# the object, several objects in a row, a semicolon at the end. What still cannot be read is fished for the few
# keys that the field modules ask for (JSON-LD 1.1; schema.org Article).
#
# Cost: json.loads of at most :data:`MAX_CHARACTERS` a script.

MAX_OBJECTS = 300
MAX_CHARACTERS = 1_000_000
"""Longer scripts are cut here, which breaks them, so they are only fished. A guess at a generous bound."""

_BEFORE = re.compile(r"(?>(?:\s|<!--|<!\[CDATA\[|//|/\*|\*/|\]\]>)*)")
_BEHIND = re.compile(r"(?>(?:\s|>--|>\]\]|//|/\*|\*/|;)*)")
"""What follows the object, read backwards: a search for an end costs the square of what only looks like one."""
_TRAILING_COMMA = re.compile(r",(\s*+[}\]])")
_CONTROL = re.compile(r"\\(?![\"\\/bfnrtu])")
_FISHED = re.compile(
    r'"(@type|headline|datePublished|dateCreated|dateModified|uploadDate|inLanguage|articleSection|name)"'
    r'\s{0,20}+:\s{0,20}+"((?>(?:[^"\\]|\\.){1,500}))"'
)
_NESTED = ("mainEntity", "mainEntityOfPage", "@graph")
_DECODER = json.JSONDecoder(strict=False)


def read(script: str) -> list[Mapping[str, Any]]:
    """Objects of one script; an empty list when nothing can be read. Never raises."""
    source = script[:MAX_CHARACTERS]
    source = source[_BEFORE.match(source).end() :]  # type: ignore[union-attr]  # it matches nothing, too
    source = source[: len(source) - _BEHIND.match(source[::-1]).end()]  # type: ignore[union-attr]
    if not source:
        return []
    values = _load(source)
    if values is None:
        values = _load(_TRAILING_COMMA.sub(r"\1", _CONTROL.sub(r"\\\\", source)))
    return list(_flatten(values)) if values is not None else _fish(source)


def _load(source: str) -> list[Any] | None:
    """All JSON values that stand one after the other, or None when the first is broken."""
    values: list[Any] = []
    at = 0
    while at < len(source) and len(values) < 20:
        try:
            value, at = _DECODER.raw_decode(source, at)
        except (ValueError, RecursionError):
            break
        values.append(value)
        while at < len(source) and source[at] in " \t\r\n,;":
            at += 1
    return values or None


def _flatten(values: list[Any]) -> Iterable[Mapping[str, Any]]:
    """Objects in document order; nested ones only below the keys that carry the page's main things."""
    stack: list[Any] = list(reversed(values))
    given = 0
    while stack and given < MAX_OBJECTS:
        value = stack.pop()
        if isinstance(value, list):
            stack.extend(reversed(value[:MAX_OBJECTS]))
        elif isinstance(value, dict):
            given += 1
            yield value
            stack.extend(value[key] for key in _NESTED if isinstance(value.get(key), (dict, list)))


def _fish(source: str) -> list[Mapping[str, Any]]:
    """The first value of each known key, as one object; of a name only what follows an author."""
    found: dict[str, Any] = {}
    for number, match in enumerate(_FISHED.finditer(source)):
        if number > MAX_OBJECTS:
            break
        key, value = match.groups()
        if key == "name":
            if '"author"' in source[max(0, match.start() - 150) : match.start()]:
                found.setdefault("author", {"name": _unescape(value)})
        else:
            found.setdefault(key, _unescape(value))
    return [found] if found else []


def _unescape(value: str) -> str:
    try:
        return str(json.loads(f'"{value}"', strict=False))
    except ValueError:
        return value


# --- metadata -------------------------------------------------------------------------------------

_TAGS = re.compile(
    # Upper, lower and title case, because a pattern that ignores case is searched half as fast.
    r"<(?=[!mlthsMLTHS])(!--|(?:meta|link|ti(?:tle|me)|h(?:1|tml)|script"
    r"|META|LINK|TI(?:TLE|ME)|H(?:1|TML)|SCRIPT|Meta|Link|Ti(?:tle|me)|Html|Script)(?=[\s/>]))"
)
_PLAIN_META = re.compile(r"""<meta\s++(name|property|itemprop)="([^"<>&]*+)"\s++content="([^"<>]*+)"\s*+/?+>""")
"""The commonest form; what it matches needs no search for the tag's end and no list of attributes."""
_CLOSE = {
    "title": re.compile(r"</[tT][iI][tT][lL][eE]"),
    "time": re.compile(r"</[tT][iI][mM][eE]"),
    "h1": re.compile(r"</[hH]1"),
}
_MAX = {"meta": 600, "link": 400, "title": 5, "time": 80, "h1": 20, "html": 3, "script": 2_000, "!--": 5_000}
_MAX_TEXT = {"title": 2_000, "time": 400, "h1": 2_000}
_MAX_VALUE = 2_000
"""Characters kept of a meta value; the longest honest ones are descriptions."""
_UNUSED_LINK = re.compile(
    r"""\srel=["']?[a-z -]{0,20}(?:stylesheet|preload|prefetch|preconnect|icon|manifest|pingback|EditURI)"""
)
_ASKED_FOR = re.compile(r"""["']?\s?(?:date|author|published|articlesection)""", re.IGNORECASE)
"""Beginnings of the microdata names that the field modules read."""
_AHEAD, _BEYOND = 5_000, 30_000
"""Characters before the first and behind the last h1 that are searched for microdata, author links and class names: 30 % of
all on the bench, and on folds 1–4 six of 1,462 pages get other authors than from the whole source."""


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
    """JSON-LD objects; @graph and lists flattened, at most :data:`MAX_OBJECTS`."""
    times: tuple[TimeTag, ...] = ()
    html_lang: str | None = None
    canonical: str | None = None
    """``<link rel=canonical>``, raw."""
    headings: tuple[str, ...] = ()
    """Texts of the ``<h1>`` elements, without breadcrumbs before them."""
    heading_pieces: tuple[tuple[str, ...], ...] = ()
    """Of each heading the texts between its tags: a kicker or subtitle inside it is a piece of its own."""
    heading_links: tuple[str, ...] = ()
    """Of each heading the address that it links to as a whole, raw; empty if it does not."""
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
        """Lower-case ``itemprop`` → texts of visible elements; dates, authors and sections only."""
        found: dict[str, list[str]] = {}
        for given, value in visible(self.source, "itemprop=", *self._article, wanted=_ASKED_FOR):
            name = given.get("itemprop", "").strip().lower()
            if name:
                found.setdefault(name[:100], []).append(value)
        return {name: tuple(values) for name, values in found.items()}

    @cached_property
    def author_links(self) -> tuple[str, ...]:
        """Texts of visible elements with ``rel=author``."""
        return tuple(value for _, value in visible(self.source, 'rel="author', *self._article))

    @cached_property
    def bylines(self) -> tuple[str, ...]:
        """Texts just behind the first h1 elements; without any, behind the places that repeat ``<title>``'s longest part."""
        ends = self.heading_ends or tuple(repeated(self.source, self.title or ""))
        return tuple(behind(self.source, end) for end in ends[:MAX_BYLINES])

    @cached_property
    def dated(self) -> tuple[TimeTag, ...]:
        """Elements whose class speaks of a date (``post-date``, ``byline`` …)."""
        start, end = self._article
        return tuple(dated(self.source[start:end]))

    @cached_property
    def titled(self) -> tuple[TimeTag, ...]:
        """Elements whose ``title`` attribute is a date with a time of day."""
        return tuple(titled(self.source, *self._article))

    @cached_property
    def _article(self) -> tuple[int, int]:
        """Where in the source an article's own marks stand: around the h1 elements, else in the whole body.

        Offsets, because a copy costs as much as the search.
        """
        if self.heading_ends:
            return max(0, self.heading_ends[0] - _AHEAD), self.heading_ends[-1] + _BEYOND
        return body_start(self.source), len(self.source)


def read_metadata(text: str) -> Metadata:
    """Scan the source text once; never raises."""
    reader = _MetadataReader(text)
    reader.read()
    return Metadata(
        title=reader.title,
        meta={name: tuple(values) for name, values in reader.meta.items()},
        links={rel: tuple(values) for rel, values in reader.links.items()},
        json_ld=tuple(reader.objects[:MAX_OBJECTS]),
        times=tuple(reader.times),
        html_lang=reader.html_lang.strip()[:35] if reader.html_lang else None,
        canonical=next((href for href in reader.links.get("canonical", ()) if href), None),
        headings=tuple(reader.headings),
        heading_pieces=tuple(reader.heading_pieces),
        heading_links=tuple(reader.heading_links),
        heading_ends=tuple(reader.heading_ends),
        source=text,
    )


class _MetadataReader:
    """The scan: where it stands and what it has found."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.title: str | None = None
        self.meta: dict[str, list[str]] = {}
        self.links: dict[str, list[str]] = {}
        self.objects: list[Mapping[str, Any]] = []
        self.times: list[TimeTag] = []
        self.headings: list[str] = []
        self.heading_pieces: list[tuple[str, ...]] = []
        self.heading_links: list[str] = []
        self.heading_ends: list[int] = []
        self.html_lang: str | None = None

    def read(self) -> None:
        """Go through the tags of interest, each kind up to its cap."""
        text, search, find, at = self.text, _TAGS.search, self.text.find, 0
        left = dict(_MAX)
        while (match := search(text, at)) is not None:
            kind = match[1].lower()
            start, at = match.span()
            left[kind] -= 1
            if left[kind] < 0:
                continue
            if kind == "!--":
                end = find("-->", at)
                if end < 0:
                    left[kind] = 0  # no comment ends any more: do not search for it again
                else:
                    at = end + 3
            elif kind == "script":
                at = find(">", at) + 1 or len(text)
                end = find("</script", at)
                if end < 0:
                    end = find("</SCRIPT", at)
                if end < 0:
                    left[kind] = 0
                    continue
                if "ld+json" in text[start:at] and len(self.objects) < MAX_OBJECTS:
                    self.objects += read(text[at:end])
                at = end
            elif kind == "meta" and (plain_meta := _PLAIN_META.match(text, start, start + MAX_TAG)) is not None:
                at = plain_meta.end()
                name, content = plain_meta[2], plain_meta[3]
                if name and content:
                    self._keep(name, unescape(content) if "&" in content else content)
            elif kind == "link" and _UNUSED_LINK.search(text, at, end := find(">", at) + 1 or len(text)) is not None:
                at = end
            else:
                at = tag_end(text, start)
                self._element(kind, text[start:at], start, at)

    def _element(self, kind: str, tag: str, start: int, end: int) -> None:
        if kind == "meta":
            self._meta(attributes(tag))
        elif kind == "link":
            self._link(attributes(tag))
        elif kind == "html":
            given = attributes(tag)
            self.html_lang = self.html_lang or given.get("lang") or given.get("xml:lang") or None
        elif kind == "title":
            self.title = self.title or _inner(self.text, kind, end) or None
        elif kind == "h1":
            close = _CLOSE[kind].search(self.text, end, end + _MAX_TEXT[kind])
            markup = self.text[end : close.start()] if close else ""
            inner = behind_links(markup)
            if inner and close:
                self.headings.append(inner)
                self.heading_links.append(whole_link(markup, self.text[max(0, start - MAX_LINK) : start]))
                self.heading_pieces.append(pieces(markup))
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
            for key in ("name", "property", "itemprop", "http-equiv"):
                if given.get(key):
                    self._keep(given[key], content)

    def _keep(self, name: str, content: str) -> None:
        self.meta.setdefault(name.strip().lower()[:100], []).append(fold(content[:_MAX_VALUE]))

    def _link(self, given: dict[str, str]) -> None:
        for rel in given.get("rel", "").lower().split()[:5]:
            self.links.setdefault(rel, []).append(given.get("href", "").strip()[:_MAX_VALUE])


def _inner(text: str, kind: str, start: int) -> str:
    """Text of the element whose start tag ends at ``start``."""
    stop = min(len(text), start + _MAX_TEXT[kind])
    close = _CLOSE[kind].search(text, start, stop)
    if close is None and kind == "title":  # left open, it ends where the next tag begins
        following = text.find("<", start, stop)
        return plain(text[start : stop if following < 0 else following])
    return plain(text[start : close.start()]) if close else ""


# --- markup ---------------------------------------------------------------------------------------
# Tags, attributes and marked elements in source text, read with bounded regular expressions instead of a tree.

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
_ATTRIBUTE = re.compile(r"""([^\s"'<>/=]++)(?>(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'<>]++)))?)""")
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
    return " ".join(without_hints(text).split())


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
