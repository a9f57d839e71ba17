"""Patterns of a format line, contexts with holes between them, as a tree of parts; and the *document* they are found in.

Huang, Qi & Zhang 2000, §1.3 and Table 1: ``#`` is any text between its left and right context, ``<hx>`` a heading of any
size. Ours, in the same spirit: ``$name`` is a hole that becomes an object of that name, ``...`` any text that is not kept,
``[…]`` a part that may be missing, ``"…"`` and ``\\`` take characters as they are, ``href="#"`` is an attribute's value.

Cost: linear in the pattern's length, which a format line bounds.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from urllib.parse import urljoin

from newsextract.page.page import Page
from newsextract.page.snapshot import Snapshot

LEVELS = ("hx", "fontx", "indentx")
"""Names of tags that stand for a whole scale of tags: headings by size, titles by font, items by indent."""

_NAME = re.compile(r"[^\W\d][\w-]*")
_TAG = re.compile(r"<(/?)(font(?=size=)|[A-Za-z][\w:-]*|\*)(?=[\s/>=#]|size=)|<(/?)([A-Za-z][\w:-]*)(?=<)")
_ATTRIBUTE = re.compile(r"\s*([A-Za-z_@:][\w:.@-]*)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+)))?")
_SIZE = re.compile(r"(\d)(?:-(\d))?")
QUOTED = re.compile(r'"((?>(?:[^"\\]|\\.)*))"', re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


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


def _quoted(text: str, start: int) -> tuple[str, int]:
    """Characters between quotes, and the offset behind them."""
    match = QUOTED.match(text, start)
    if match is None:
        raise PatternError('the quote is not closed; expected \'"\', as in "no. #"', start)
    return _ESCAPED.sub(r"\1", match[1]), match.end()


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
        place = len(text) - len(text[place:].lstrip())
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


# --- writing --------------------------------------------------------------------------------------
# Patterns as a person would write them in a format file.


def written(parts: Sequence[Part]) -> str:
    """A pattern's text, which :func:`parse_pattern` reads to the same parts."""
    return "".join(map(_written, parts))


def _written(part: Part) -> str:
    if isinstance(part, Text):
        return quoted(part.text)
    if isinstance(part, Hole):
        return "..." if part.skipped else f"${part.name}" if part.name else "#"
    if isinstance(part, Tag):
        return f"<{'/' if part.closing else ''}{part.name}{''.join(map(_written_attribute, part.attributes))}>"
    return f"[{written(part.parts)}]"


def _written_attribute(attribute: Attribute) -> str:
    if attribute.before is None:
        return f" {attribute.name}"
    hole = "" if attribute.hole is None else f"${attribute.hole.name}" if attribute.hole.name else "#"
    return f' {attribute.name}="{_escaped(attribute.before)}{hole}{_escaped(attribute.after)}"'


def quoted(text: str) -> str:
    """A text as a pattern."""
    return '"' + re.sub(r'([\\"])', r"\\\1", text) + '"'


def _escaped(text: str) -> str:
    return re.sub(r"([\\#$])", r"\\\1", text)


# --- document -------------------------------------------------------------------------------------
# A page's source text as wrappers read it, and what a browser knows of the look of its elements.
#
# Patterns are found in the text itself, as the paper has it, so an offset is a place that a person can look up in the
# source. Comments, scripts and style sheets are blanked first: what they contain was never on the page.
#
# Cost: one pass of one regular expression for the text; with a snapshot one more over its start tags.

ATTRIBUTES = r"""(?>(?:[^<>=]++|=\s*+(?:"[^"<>]*+"|'[^'<>]*+'|"[^"]{0,2000}+"|'[^']{0,2000}+')?)*)"""
"""The part of a tag between its name and ``>``; atomic and bounded, so that no page makes it slow."""

_BOLD = 600
"""Font weights from here on are drawn bold."""

_UNSEEN = re.compile(
    rf"<!--(?:-?>|.*?(?:--!?>|\Z))|(<(script|style)(?=[\s/>]){ATTRIBUTES}>)(.*?)(?=</\2[\s/>]|\Z)", re.DOTALL | re.IGNORECASE
)
"""Comments (HTML standard, 13.2.5), scripts and style sheets: whichever begins first holds what looks like the other."""
_BASE = re.compile(
    r"""<base\s[^<>]{0,500}?href\s*+=\s*+(?:"([^"<>]{1,2000})"|'([^'<>]{1,2000})'|([^\s"'<>]{1,2000}))""", re.IGNORECASE
)
_LONG_TAG = 10_000
"""Characters of a tag that are looked at to see whether a text stands in it."""
_TAG_BEGINS = re.compile("</?[a-zA-Z]")
_SCHEME = re.compile("https?://")
_PLAIN = re.compile(r"[\w:%~+./-]+", re.ASCII)
_FOLDER = re.compile(r"https?://[^/?#;]+/(?:[^/?#;]*/)*(?=[^/?#;]*\Z)")
"""Addresses that need no parser, which takes longer than all else that is done with a link."""
_START = re.compile(
    rf"<(noscript|template|textarea|title|iframe)(?=[\s/>]){ATTRIBUTES}>.*?(?=</\1[\s/>]|\Z)|<([a-z][^\s/<>]*+){ATTRIBUTES}>",
    re.DOTALL | re.IGNORECASE,
)
_BREAKS = re.compile(
    r"</?(?:br|p|div|li|ul|ol|dl|dt|dd|tr|td|th|table|caption|h[1-6]|hr|blockquote|pre|section|article|center|header|footer|main"
    rf"|nav|aside|address|figure|figcaption|form|fieldset|legend|details|summary|menu|dir|option)(?=[\s/>]){ATTRIBUTES}>",
    re.IGNORECASE,
)
_SOURCE_TAG = re.compile(rf"</?[a-zA-Z]{ATTRIBUTES}>|<!{ATTRIBUTES}>")


@dataclass(frozen=True, slots=True)
class Look:
    """How a browser drew an element."""

    font_size: float
    """CSS pixels."""
    bold: bool
    left: float
    """Left edge of its first text in CSS pixels from that of the page; of itself where it has none."""


@dataclass(frozen=True, eq=False)
class Document:
    """A source text."""

    text: str
    """Offsets are those of the source; comments, scripts and style sheets are blanks."""
    url: str | None = None
    looks: Mapping[int, Look] | None = None
    """By the offset of an element's start tag; None without a snapshot."""
    closings: dict[str, dict[int, tuple[int, int]]] = field(default_factory=dict)
    """What :func:`closings` has found, by name of the tag."""

    @classmethod
    def of_page(cls, page: Page) -> Document:
        """The document of a page, with the looks of its snapshot where it has one."""
        text = masked(page.text)
        return cls(text, page.url, _looks(text, page.snapshot) if page.snapshot is not None else None)

    def absolute(self, address: str) -> str:
        """An address as the page has it, made absolute where the page's own is known."""
        if not self.base or _SCHEME.match(address):
            return address
        if self.folder and _PLAIN.fullmatch(address):
            folder, below = self.folder, address
            while below.startswith("../"):
                below = below[3:]
                folder = folder[: folder.rindex("/", 0, -1) + 1] if folder.count("/") > 3 else folder
            if "/." not in below and "//" not in below and below[:1].isalnum() and ":" not in below.partition("/")[0]:
                return folder + below
        try:
            return urljoin(self.base, address)
        except ValueError:
            return address  # one with a broken host stays as it stands

    def tag_end(self, place: int) -> int:
        """The offset behind the tag in which an offset lies, or -1 where it lies in none."""
        opened = self.text.rfind("<", max(0, place - _LONG_TAG), place)
        if opened < 0 or not _TAG_BEGINS.match(self.text, opened) or self.text.find(">", opened, place) >= 0:
            return -1
        return self.text.find(">", place, place + _LONG_TAG) + 1 or -1

    @cached_property
    def folder(self) -> str:
        """What plain relative addresses are put behind; empty for an address of an unusual form."""
        match = _FOLDER.match(self.base or "")
        return match[0] if match else ""

    @cached_property
    def base(self) -> str | None:
        """What relative addresses are relative to: the first ``<base href>`` of the page, else the page's own address."""
        found = _BASE.search(self.text)
        if found is None:
            return self.url
        try:
            base = urljoin(self.url or "", html.unescape(found[1] or found[2] or found[3]).strip())
        except ValueError:
            return self.url
        return base if _SCHEME.match(base) else self.url


def masked(text: str) -> str:
    """The text with comments and the contents of scripts and style sheets as blanks."""
    return _UNSEEN.sub(lambda match: (match[1] or "").ljust(len(match[0])), text)


def common_start(texts: Sequence[str]) -> str:
    """What all texts begin with."""
    low, high = min(texts), max(texts)
    return low[: next((number for number, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))]


def plain_text(source: str) -> str:
    """What a reader sees of a piece of source: tags dropped, entities decoded, white space folded."""
    if "<" in source:
        source = _SOURCE_TAG.sub("", _BREAKS.sub(" ", source))
    if "&" in source:
        source = html.unescape(source)
    return " ".join(source.split())


def _looks(text: str, snapshot: Snapshot) -> Mapping[int, Look] | None:
    """The looks of the elements, whose start tags come in the order of the snapshot's nodes; None where they do not."""
    nodes, geometry = snapshot.nodes, snapshot.nodes.geometry
    elements = [number for number, tag in enumerate(nodes.tags) if tag]
    starts = [(match.start(), (match[1] or match[2]).lower()) for match in _START.finditer(text)]
    if geometry is None or [name for _, name in starts] != [nodes.tags[number] for number in elements]:
        return None
    size, weight = 2, 3  # rows of STYLE_NAMES
    table: list[tuple[float, bool]] = []
    for row in geometry.style_table:
        bold = row[weight] in ("bold", "bolder") or (row[weight].isdigit() and int(row[weight]) >= _BOLD)
        table.append((float(row[size].removesuffix("px") or 0), bold))
    lefts = geometry.boxes[:, 0].tolist()
    drawn = [bool(text) and seen for text, seen in zip(nodes.texts, nodes.visible.tolist(), strict=True)]
    for number, parent in reversed(list(enumerate(nodes.parents.tolist()))):
        if drawn[number] and parent >= 0:  # the first text is the last to be seen here
            drawn[parent], lefts[parent] = True, lefts[number]
    styles = geometry.styles.tolist()
    looks = {}
    for (offset, _), number in zip(starts, elements, strict=True):
        font_size, bold = table[styles[number]]
        looks[offset] = Look(font_size, bold, lefts[number])
    return looks


# --- elements -------------------------------------------------------------------------------------
# Where the elements of a source text end: pairs of start and end tags, without a tree.
#
# A pattern ``<x>#</x>`` means the element's content, so nested elements of the same name are counted. Where HTML lets an end
# tag be left out (list items, cells, paragraphs …), the tag that implies it counts.
#
# Cost: one regular expression over the text per name, kept with the document.

_LISTS = frozenset(("ul", "ol", "menu", "dir", "dl"))
_TABLES = frozenset(("table", "thead", "tbody", "tfoot"))
BLOCKS = frozenset(
    "address article aside blockquote center details dir div dl fieldset footer form h1 h2 h3 h4 h5 h6 header hr li main"
    " menu nav ol pre section table td th tr ul".split()
)
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_IMPLIED: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "li": (frozenset(("li",)), _LISTS),
    **dict.fromkeys(("dt", "dd"), (frozenset(("dt", "dd")), _LISTS)),
    "tr": (frozenset(("tr", *(_TABLES - {"table"}))), frozenset(("table",))),
    **dict.fromkeys(("td", "th"), (frozenset(("td", "th", "tr", *(_TABLES - {"table"}))), frozenset(("table",)))),
    "p": (frozenset(("p", *BLOCKS)), frozenset()),
    "option": (frozenset(("option", "optgroup")), frozenset(("select",))),
    "a": (frozenset(("a",)), frozenset()),
    **dict.fromkeys(_HEADINGS, (_HEADINGS, frozenset())),
}
"""By name: tags of which each ends the one before, and containers whose inside does not matter."""
OMISSIBLE = frozenset(_IMPLIED) - {"a", *_HEADINGS}
"""Elements whose end tag authors may leave out."""


def closings(document: Document, name: str) -> dict[int, tuple[int, int]]:
    """By the offset of a start tag: where the element's content ends, and where the element does.

    An element that nothing ends goes to the end of the text.
    """
    known = document.closings.get(name)
    if known is None:
        known = document.closings[name] = _closings(document.text, name)
    return known


@cache
def _tags(names: frozenset[str]) -> re.Pattern[str]:
    either = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))  # a page may have a tag like <a(>
    return re.compile(rf"<(/?)({either})(?=[\s/>]){ATTRIBUTES}>", re.IGNORECASE)


def _closings(text: str, name: str) -> dict[int, tuple[int, int]]:
    enders, containers = _IMPLIED.get(name, (frozenset((name,)), frozenset()))
    implied = name in _IMPLIED
    found: dict[int, tuple[int, int]] = {}
    opened: list[int] = []  # offsets of start tags; -1 for a container
    for match in _tags(enders | containers | {name}).finditer(text):
        closing, tag = bool(match[1]), match[2].lower()
        if tag in containers:
            if not closing:
                opened.append(-1)
                continue
            while opened:
                start = opened.pop()
                if start < 0:
                    break
                found[start] = (match.start(), match.start())
            continue
        if implied and opened and opened[-1] >= 0 and tag in enders and not (closing and tag not in (name, *_over(name))):
            own = closing and tag == name
            found[opened.pop()] = (match.start(), match.end() if own else match.start())
            if own:
                continue
        if closing:
            if tag == name and opened and opened[-1] >= 0:
                found[opened.pop()] = (match.start(), match.end())
        elif tag == name:
            opened.append(match.start())
    for start in opened:
        if start >= 0:
            found[start] = (len(text), len(text))
    return found


def _over(name: str) -> frozenset[str]:
    """Tags whose end tag ends an element of that name, too."""
    if name in ("td", "th"):
        return frozenset(("tr", *_TABLES))
    if name == "tr":
        return _TABLES
    if name in _HEADINGS:
        return _HEADINGS
    return BLOCKS if name == "p" else frozenset()
