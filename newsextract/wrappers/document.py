"""A page's source text as wrappers read it, and what a browser knows of the look of its elements.

Patterns are found in the text itself, as the paper has it, so an offset is a place that a person can look up in the source.
Comments, scripts and style sheets are blanked first: what they contain was never on the page.

Cost: one pass of one regular expression for the text; with a snapshot one more over its start tags.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from urllib.parse import urljoin

from newsextract.page.page import Page
from newsextract.page.snapshot import Snapshot

# --- document -------------------------------------------------------------------------------------

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
_TAG = re.compile(rf"</?[a-zA-Z]{ATTRIBUTES}>|<!{ATTRIBUTES}>")


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


def plain_text(source: str) -> str:
    """What a reader sees of a piece of source: tags dropped, entities decoded, white space folded."""
    if "<" in source:
        source = _TAG.sub("", _BREAKS.sub(" ", source))
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
    table = [(float(row[size].removesuffix("px") or 0), _is_bold(row[weight])) for row in geometry.style_table]
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


def _is_bold(weight: str) -> bool:
    return weight in ("bold", "bolder") or (weight.isdigit() and int(weight) >= _BOLD)


# --- elements -------------------------------------------------------------------------------------
# Where the elements of a source text end: pairs of start and end tags, without a tree.
#
# A pattern ``<x>#</x>`` means the element's content, so nested elements of the same name are counted. Where HTML lets an end
# tag be left out (list items, cells, paragraphs …), the tag that implies it counts.
#
# Cost: one regular expression over the text per name, kept with the document.

_LISTS = frozenset(("ul", "ol", "menu", "dir", "dl"))
_TABLES = frozenset(("table", "thead", "tbody", "tfoot"))
_BLOCKS = frozenset(
    "address article aside blockquote center details dir div dl fieldset footer form h1 h2 h3 h4 h5 h6 header hr li main"
    " menu nav ol pre section table td th tr ul".split()
)
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_IMPLIED: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "li": (frozenset(("li",)), _LISTS),
    "dt": (frozenset(("dt", "dd")), _LISTS),
    "dd": (frozenset(("dt", "dd")), _LISTS),
    "tr": (frozenset(("tr", *(_TABLES - {"table"}))), frozenset(("table",))),
    "td": (frozenset(("td", "th", "tr", *(_TABLES - {"table"}))), frozenset(("table",))),
    "th": (frozenset(("td", "th", "tr", *(_TABLES - {"table"}))), frozenset(("table",))),
    "p": (frozenset(("p", *_BLOCKS)), frozenset()),
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
    either = "|".join(sorted(names, key=len, reverse=True))
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
    return _BLOCKS if name == "p" else frozenset()
