"""A page's elements and texts with their offsets in the source, which is what drafts are written from.

A parsed tree has no offsets, and patterns are found in the source, so this is a plain scan of the tags with the end tags
that HTML lets authors leave out.

Cost: one regular expression over the source; what an end tag closes is looked up by name, so depth does not matter.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from newsextract.oem.document import ATTRIBUTES, Document, plain_text

MAX_ELEMENTS = 200_000
"""Elements that a draft looks at; pages of 10 MB have fewer unless they are made to hurt."""

MAX_DEPTH = 100
"""Elements around another that are looked at."""

_TAG = re.compile(rf"<(/?)([a-zA-Z][\w:-]*)(?=[\s/>])({ATTRIBUTES})>")
_ATTRIBUTE = re.compile(r"""([a-zA-Z][\w:-]*)(?:\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)'|([^\s"'<>]+)))?""")
_CLASS = re.compile(r"""(?<![\w:-])class\s*=\s*["']?\s*([^\s"'<>]+)""", re.IGNORECASE)
_VOID = frozenset("area base basefont br col embed frame hr img input link meta param source track wbr".split())
_UNREAD = frozenset("title textarea select option noscript template iframe script style button svg".split())
"""Elements whose texts are no part of what a page lists."""
_INLINE = frozenset("a abbr b big center cite code em font i label nobr s small span strong sub sup tt u".split())
"""Elements that do not count as places: an author who forgets an end tag would move all that follows."""
_LISTS = ("ul", "ol", "menu", "dir", "dl", "table")
_ENDS: dict[str, tuple[str, ...]] = {
    "li": ("li",),
    "dt": ("dt", "dd"),
    "dd": ("dt", "dd"),
    "tr": ("tr", "td", "th"),
    "td": ("td", "th"),
    "th": ("td", "th"),
    "option": ("option",),
    "a": ("a",),
}
"""By name of a start tag: open elements that it ends, up to the next list or table."""
_ENDS_PARAGRAPH = frozenset(
    "address article aside blockquote center details dir div dl dt dd fieldset footer form h1 h2 h3 h4 h5 h6 header hr li"
    " main menu nav ol p pre section table td th tr ul".split()
)


@dataclass(slots=True)
class Element:
    """An element; texts and elements within it are those from ``first_text`` and ``number + 1`` on."""

    number: int
    name: str
    written: str
    """Its attributes as they stand in the source."""
    start: int
    inner: int
    """Behind its start tag."""
    parent: int
    """Number, or -1."""
    path: int
    """The same number for all elements whose parents are the same kinds of elements."""
    first_text: int
    kind: str
    """Its first class; empty without."""
    inner_end: int = -1
    end: int = -1
    last_text: int = -1
    last: int = -1
    """Behind the number of the last element within."""

    @property
    def attributes(self) -> dict[str, str]:
        """By lower-case name; of two with the same name the first counts."""
        found: dict[str, str] = {}
        for match in _ATTRIBUTE.finditer(self.written):
            found.setdefault(match[1].lower(), match[2] or match[3] or match[4] or "")
        return found

    @property
    def classes(self) -> list[str]:
        """Its classes, in order."""
        return self.attributes.get("class", "").split() if "class" in self.written.lower() else []

    @property
    def texts(self) -> int:
        """How many texts are within."""
        return self.last_text - self.first_text


@dataclass(slots=True)
class TextRun:
    """A text between two tags that is more than white space."""

    start: int
    end: int
    parent: int


@dataclass(slots=True)
class Tree:
    """A page's elements and texts, in the order of the source."""

    document: Document
    elements: list[Element] = field(default_factory=list)
    runs: list[TextRun] = field(default_factory=list)
    sums: list[int] = field(default_factory=lambda: [0])
    """Characters of all texts before each."""

    def within(self, element: Element) -> Sequence[Element]:
        """The elements within an element."""
        return self.elements[element.number + 1 : element.last]

    def above(self, number: int) -> Iterator[Element]:
        """An element and those that it stands in, from the innermost on, as far as :data:`MAX_DEPTH` goes."""
        for _ in range(MAX_DEPTH):
            if number < 0:
                return
            element = self.elements[number]
            yield element
            number = element.parent

    def length(self, element: Element) -> int:
        """Characters of the texts within."""
        return self.sums[element.last_text] - self.sums[element.first_text]

    def length_between(self, element: Element, end: int) -> int:
        """Characters of the texts from an element's start to an offset."""
        return self.sums[bisect_left(self.runs, end, key=lambda run: run.start)] - self.sums[element.first_text]

    def text(self, start: int, end: int) -> str:
        """What a reader sees of a stretch of the source."""
        return plain_text(self.document.text[start:end])


def read_tree(document: Document) -> Tree:
    """The elements and texts of a document."""
    text, tree = document.text, Tree(document)
    opened: list[int] = []
    places: dict[str, list[int]] = {}  # by name: places in `opened`
    paths: dict[tuple[int, str, str], int] = {}
    unread = 0

    def close(place: int, inner_end: int, end: int) -> None:
        """Close the element at a place of the stack and all within it."""
        nonlocal unread
        while len(opened) > place:
            element = tree.elements[opened.pop()]
            places[element.name].pop()
            last = len(opened) == place
            element.inner_end, element.end = inner_end, (end if last else inner_end)
            element.last_text, element.last = len(tree.runs), len(tree.elements)
            unread -= element.name in _UNREAD

    def place_of(names: Sequence[str]) -> int:
        """Place of the innermost open element of these names, or -1."""
        return max((places[name][-1] for name in names if places.get(name)), default=-1)

    behind = 0
    for match in _TAG.finditer(text):
        _keep_text(tree, behind, match.start(), opened, unread)
        behind = match.end()
        name = match[2].lower()
        if match[1]:
            at = place_of((name,))
            if at >= 0 and (name in _LISTS or name not in _ENDS or at > place_of(_LISTS)):
                close(at, match.start(), match.end())
            continue
        barrier = place_of(_LISTS)
        paragraph = place_of(("p",)) if name in _ENDS_PARAGRAPH else -1
        if paragraph > barrier:
            close(paragraph, match.start(), match.start())
        ended = [place for one in _ENDS.get(name, ()) if (place := place_of((one,))) > barrier]
        if ended:
            close(min(ended), match.start(), match.start())
        if len(tree.elements) >= MAX_ELEMENTS:
            break
        parent = opened[-1] if opened else -1
        path = _path(tree, parent, paths)
        kind = _first_class(match[3])
        element = Element(len(tree.elements), name, match[3], match.start(), match.end(), parent, path, len(tree.runs), kind)
        tree.elements.append(element)
        if name in _VOID or (match[3].endswith("/") and name in _UNREAD):
            element.inner_end = element.end = match.end()
            element.last_text, element.last = len(tree.runs), len(tree.elements)
            continue
        places.setdefault(name, []).append(len(opened))
        opened.append(element.number)
        unread += name in _UNREAD
    else:
        _keep_text(tree, behind, len(text), opened, unread)
    close(0, len(text), len(text))
    return tree


def _keep_text(tree: Tree, start: int, end: int, opened: Sequence[int], unread: int) -> None:
    if start < end and not unread and tree.text(start, end):
        tree.runs.append(TextRun(start, end, opened[-1] if opened else -1))
        tree.sums.append(tree.sums[-1] + end - start)


def _path(tree: Tree, parent: int, paths: dict[tuple[int, str, str], int]) -> int:
    """The number of the path that leads to the children of an element."""
    if parent < 0:
        return 0
    element = tree.elements[parent]
    if element.name in _INLINE:
        return element.path
    return paths.setdefault((element.path, element.name, element.kind), len(paths) + 1)


def _first_class(written: str) -> str:
    match = _CLASS.search(written)
    return match[1] if match else ""
