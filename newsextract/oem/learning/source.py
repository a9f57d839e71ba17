"""A page's source as learning needs it: its tags in order, its elements, and its text with the way back to the source.

Elements end where :func:`newsextract.oem.elements.closings` says, so what is an element here is what ``<x>#</x>`` finds.
Texts are compared without white space: what a reader copies has blanks and line breaks where the source has tags.

Cost: linear in the source, one pass more for each of at most :data:`MAX_NAMES` names of tags.
"""

from __future__ import annotations

import html
import re
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from newsextract.oem.document import ATTRIBUTES, Document, plain_text
from newsextract.oem.elements import closings
from newsextract.oem.nodes import LINKS
from newsextract.oem.steps import Span

MAX_CHARS = 2_000_000
"""Characters of a source in which marks are looked for; the largest page of the records bench, folds 1–4, has 1.0
million."""
MAX_NAMES = 80
"""Names of tags of which elements are known, the most frequent ones; HTML has about 110, a page 20 to 40."""

MAX_TRIALS = 3_000
"""Patterns that are tried on the marked records, all fields and readings together. On
folds 1–4 of the records bench the median page needs 29, one in a hundred reaches this bound."""

_TAG = re.compile(rf"<(/?)([a-zA-Z][^\s/>]*)({ATTRIBUTES})>")
_ATTRIBUTE = re.compile(r"([^\s\"'<>/=]+)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+)))?")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});?")
_VISIBLE = re.compile(r"[^\s\u00ad\u200b-\u200d\u2060\ufeff]+")
_UNSEEN = ("title", "noscript", "template", "textarea")
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())


@dataclass(frozen=True, slots=True)
class Element:
    """An element of the source."""

    number: int
    parent: int
    """Number of the element around it, or -1."""
    tag: int
    """Number of its start tag."""
    name: str
    start: int
    inner: int
    """Where its content begins."""
    inner_end: int
    end: int


@dataclass(frozen=True, slots=True)
class TagToken:
    """A tag of the source."""

    start: int
    end: int
    name: str
    closing: bool


class Source:
    """A document with its tags, elements and text, and how many patterns may still be tried on it."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.trials = MAX_TRIALS
        self.text = document.text
        self.tags: list[TagToken] = []
        self.attribute_text: list[str] = []
        for match in _TAG.finditer(self.text, 0, MAX_CHARS):
            self.tags.append(TagToken(match.start(), match.end(), match[2].lower(), bool(match[1])))
            self.attribute_text.append(match[3])
        self._tag_starts = array("q", (tag.start for tag in self.tags))
        self._tag_ends = array("q", (tag.end for tag in self.tags))
        self.elements = self._found_elements()
        self._element_starts = array("q", (element.start for element in self.elements))
        self.letters, self.offsets, self._wide = self._found_letters()

    def _found_elements(self) -> list[Element]:
        counts = Counter(tag.name for tag in self.tags if not tag.closing)
        ends = {name: closings(self.document, name) for name, _ in counts.most_common(MAX_NAMES) if name not in _VOID}
        found: list[Element] = []
        opened: list[Element] = []
        for number, tag in enumerate(self.tags):
            if tag.closing:
                continue
            inner_end, end = tag.end, tag.end
            if tag.name not in _VOID and tag.start in ends.get(tag.name, ()):
                inner_end, end = ends[tag.name][tag.start]
            while opened and opened[-1].end <= tag.start:
                opened.pop()
            element = Element(
                len(found),
                opened[-1].number if opened else -1,
                number,
                tag.name,
                tag.start,
                tag.end,
                max(inner_end, tag.end),
                max(end, tag.end),
            )
            found.append(element)
            if element.end > tag.end:
                opened.append(element)
        return found

    def _found_letters(self) -> tuple[str, array[int], dict[int, int]]:
        """The page's visible characters, the offset of each, and where those end that are written as entities."""
        pieces: list[str] = []
        offsets = array("q")
        wide: dict[int, int] = {}
        count = 0

        def plain(start: int, end: int) -> None:
            nonlocal count
            for word in _VISIBLE.finditer(self.text, start, end):
                pieces.append(word[0])
                offsets.extend(range(word.start(), word.end()))
                count += word.end() - word.start()

        unseen = [(element.inner, element.inner_end) for element in self.elements if element.name in _UNSEEN]
        hidden_to, next_hidden = 0, 0
        begun = 0
        for start, end in (*((tag.start, tag.end) for tag in self.tags), (min(len(self.text), MAX_CHARS),) * 2):
            while next_hidden < len(unseen) and unseen[next_hidden][0] <= begun:
                hidden_to = max(hidden_to, unseen[next_hidden][1])
                next_hidden += 1
            if begun < start and begun >= hidden_to:
                place = begun
                for entity in _ENTITY.finditer(self.text, begun, start):
                    decoded = html.unescape(entity[0])
                    if decoded == entity[0]:
                        continue
                    plain(place, entity.start())
                    for char in "".join(_VISIBLE.findall(decoded)):
                        pieces.append(char)
                        offsets.append(entity.start())
                        wide[count] = entity.end()
                        count += 1
                    place = entity.end()
                plain(place, start)
            begun = end
        return "".join(pieces), offsets, wide

    def letter_range(self, start: int, end: int) -> tuple[int, int]:
        """The visible characters between two offsets."""
        return bisect_left(self.offsets, start), bisect_left(self.offsets, end)

    def source_range(self, first: int, last: int) -> tuple[int, int]:
        """The offsets of visible characters ``first`` to ``last`` (exclusive)."""
        return self.offsets[first], self._wide.get(last - 1, self.offsets[last - 1] + 1)

    def around(self, start: int, end: int) -> Element | None:
        """The smallest element that holds a stretch of source."""
        number = bisect_right(self._element_starts, start) - 1
        element = self.elements[number] if number >= 0 else None
        while element is not None and element.end < end:
            element = self.parent(element)
        if element is not None and element.start < start < element.inner:
            return self.parent(element)
        return element

    def parent(self, element: Element) -> Element | None:
        """The element around another."""
        return self.elements[element.parent] if element.parent >= 0 else None

    def path(self, element: Element | None, cap: int = 200) -> list[Element]:
        """An element and those around it, from the inside."""
        found: list[Element] = []
        while element is not None and len(found) < cap:
            found.append(element)
            element = self.parent(element)
        return found

    def attributes(self, tag: int) -> dict[str, str]:
        """Attributes of a tag, decoded, by their names in lower case."""
        found: dict[str, str] = {}
        for match in _ATTRIBUTE.finditer(self.attribute_text[tag][:5_000]):
            value = next((group for group in match.groups()[1:] if group is not None), "")
            found.setdefault(match[1].lower(), html.unescape(value).strip())
        return found

    def tag_before(self, place: int) -> int:
        """Number of the last tag that ends at or before an offset, or -1."""
        return bisect_right(self._tag_ends, place) - 1

    def tag_after(self, place: int) -> int:
        """Number of the first tag that starts at or behind an offset."""
        return bisect_left(self._tag_starts, place)

    def tag_at(self, start: int) -> int:
        """Number of the tag that starts at an offset."""
        return bisect_left(self._tag_starts, start)

    def children(self, element: Element, cap: int = 2_000) -> list[Element]:
        """The elements right within another."""
        found: list[Element] = []
        number = element.number + 1
        while number < len(self.elements) and self.elements[number].start < element.inner_end and len(found) < cap:
            child = self.elements[number]
            found.append(child)
            number = max(number + 1, bisect_left(self._element_starts, child.end))
        return found

    def value(self, span: Span) -> str:
        """What a reader sees of a span; an address absolute, as the interpreter has it."""
        text = self.text[span.start : span.end]
        return plain_text(text) if span.attribute is None else self.address(html.unescape(text).strip(), span.attribute)

    def address(self, value: str, attribute: str) -> str:
        """An attribute's value, absolute where it is an address and the page's own is known."""
        return self.document.absolute(value) if attribute in LINKS else value

    @cached_property
    def lowered(self) -> str | None:
        """The letters in lower case; None where that changes their number."""
        lower = self.letters.lower()
        return lower if len(lower) == len(self.letters) else None

    @cached_property
    def attribute_values(self) -> dict[str, list[tuple[int, str]]]:
        """Tags and attributes by value, as it is written and as an absolute address."""
        found: dict[str, list[tuple[int, str]]] = {}
        for number, tag in enumerate(self.tags):
            if tag.closing or "=" not in self.attribute_text[number]:
                continue
            for name, value in self.attributes(number).items():
                for known in {value, self.address(value, name)} if name not in ("class", "style") else ():
                    if 0 < len(known) <= 2_000:
                        found.setdefault(known, []).append((number, name))
        return found


def squeezed(text: str) -> str:
    """A text without white space and characters that nobody sees."""
    return "".join(_VISIBLE.findall(text))
