"""The nodes of a page in columns: what record extraction works on, with or without a browser.

Every element and every text node that is not white space has a number, in document order. A browser's snapshot fills the
columns with what was rendered (:mod:`newsextract.page.snapshot`), :func:`read_nodes` with what the source alone tells; an
algorithm reads both alike, and asks for :attr:`Nodes.geometry` only where it needs boxes and styles.

Cost: 1 to 2 µs a node for :func:`read_nodes`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from selectolax.lexbor import LexborNode

from newsextract.page.parsing import parse

MAX_NODES = 200_000
"""Nodes behind this number are left out."""
MAX_VALUE = 2_000
"""Characters of an attribute's value that are kept."""

STYLE_NAMES = (
    "color", "font-style", "font-size", "font-weight", "font-family",
    "padding", "border-width", "margin", "box-sizing",
    "display", "position", "overflow", "vertical-align",
    "background-color", "background-image", "background-position", "background-repeat", "background-size",
)  # fmt: skip
"""Computed styles of a row of :attr:`Geometry.style_table`, as CSS writes them."""

_TEXT_NUMBER = 2
"""lexbor's number for text nodes."""
_UNSEEN = frozenset(("head", "script", "style", "noscript", "template", "option", "textarea", "title", "iframe", "object"))
"""Elements whose text no reader sees as text of the page."""
_SIGNED = re.compile(r"\n-- ?\r?\n")
_HIGHLIGHT = re.compile(r"highlight|hilit|searchmatch|(?:^|[\s_-])hit(?:$|[\s_-])", re.IGNORECASE)
_HIDING_NAMES = frozenset(("hidden", "type", "style"))
"""Attributes that may hide an element."""
_HIDING = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)


@dataclass(frozen=True, eq=False, slots=True)
class Geometry:
    """Where and how a browser drew the nodes."""

    boxes: NDArray[np.float32]
    """Shape (n, 4): left, top, width, height in CSS pixels, from the page's upper left corner; zeros for what has no box."""
    styles: NDArray[np.int32]
    """Shape (n,): the row of ``style_table``; a text node has that of its parent."""
    style_table: Sequence[tuple[str, ...]]
    """Distinct styles; each row in the order of :data:`STYLE_NAMES`."""
    page_size: tuple[float, float]
    """Width and height of the whole page in CSS pixels."""
    base_font_size: float
    """The font size in CSS pixels in which most of the page's text is set."""


EMPHASIS = frozenset(("b", "em", "mark", "strong", "font", "i"))
"""Elements that also stand around parts of words: what was searched for ("<mark>har</mark>bour")."""


@dataclass(frozen=True, eq=False)
class Nodes:
    """The columns; n rows."""

    tags: Sequence[str]
    """Lower-case name of an element; empty for a text node."""
    texts: Sequence[str]
    """Text of a text node, white space folded and stripped; empty for an element."""
    attributes: Sequence[Mapping[str, str]]
    """Attributes of an element by lower-case name; empty for a text node."""
    parents: NDArray[np.int32]
    """The parent's number; -1 for the first node."""
    ends: NDArray[np.int32]
    """The number behind the last descendant: a subtree is ``range(i, ends[i])``."""
    depths: NDArray[np.int32]
    """0 for the first node."""
    visible: NDArray[np.bool_]
    """Whether a reader can see it. Of an element without a browser: nothing in the source hides it."""
    geometry: Geometry | None = None
    """None without a browser."""
    preformatted: Mapping[int, str] = field(default_factory=dict)
    """Text nodes as they are written, by number, where their lines count: those within ``<pre>``, and those with a line of
    two hyphens, which mail sets above a signature. Empty for nodes that a browser drew."""
    word_rests: frozenset[int] = frozenset()
    """Text nodes that continue the word at the end of the text before them. Empty for nodes that a browser drew."""

    def __len__(self) -> int:
        return len(self.tags)

    @cached_property
    def children(self) -> list[list[int]]:
        """Numbers of the children of each node, in order."""
        nothing: list[int] = []  # most nodes have no children
        children = [nothing] * len(self.tags)
        for node, parent in enumerate(self.above):
            if parent >= 0:
                if siblings := children[parent]:
                    siblings.append(node)
                else:
                    children[parent] = [node]
        return children

    @cached_property
    def by_tag(self) -> Mapping[str, Sequence[int]]:
        """Numbers of the nodes of each tag, ascending; none of a tag that the page has not."""
        found: dict[str, list[int]] = defaultdict(list)
        for node, tag in enumerate(self.tags):
            found[tag].append(node)
        return found

    @cached_property
    def shown(self) -> NDArray[np.int32]:
        """Numbers of the text nodes that a reader sees, ascending."""
        has_text = np.fromiter(map(bool, self.texts), dtype=np.bool_, count=len(self.texts))
        return np.flatnonzero(has_text & self.visible).astype(np.int32)

    @cached_property
    def written(self) -> Nodes:
        """These nodes with everything visible that tags and attributes do not hide, also where a style sheet hides it.
        Without a browser, or where it drew all of that, these nodes themselves."""
        if self.geometry is None:
            return self
        seen: list[bool] = []
        for tag, own, parent in zip(self.tags, self.attributes, self.parents.tolist(), strict=True):
            seen.append((parent < 0 or seen[parent]) and not (tag and _unseen(tag, own)))
        visible = self.visible | np.array(seen, dtype=np.bool_)
        drawn = all(self.visible[node] for node in np.flatnonzero(visible).tolist() if self.texts[node])
        return self if drawn else replace(self, visible=visible)

    def text(self, *roots: int) -> str:
        """What a reader sees of some subtrees: their visible text nodes joined by blanks."""
        return " ".join([self.texts[i] for root in roots for i in self.text_nodes(root)])

    def text_nodes(self, root: int) -> list[int]:
        """Numbers of the visible text nodes of a subtree."""
        shown = self._shown
        first = bisect_left(shown, root)
        return shown[first : bisect_left(shown, self._ends[root], first)]

    def count_texts(self, root: int) -> int:
        """How many visible text nodes a subtree has."""
        return bisect_left(self._shown, self._ends[root]) - bisect_left(self._shown, root)

    def text_before(self, node: int) -> int:
        """The number of the last visible text node before a node; -1 for none."""
        place = bisect_left(self._shown, node)
        return self._shown[place - 1] if place else -1

    @cached_property
    def above(self) -> list[int]:
        """:attr:`parents` as a list: faster where single numbers are asked for."""
        found: list[int] = self.parents.tolist()
        return found

    @cached_property
    def _ends(self) -> list[int]:
        found: list[int] = self.ends.tolist()
        return found

    @cached_property
    def _shown(self) -> list[int]:
        """:attr:`shown` as a list: faster to search for single numbers."""
        found: list[int] = self.shown.tolist()
        return found


def read_nodes(text: str, tree: LexborNode | None = None) -> Nodes:  # noqa: C901  # one loop: here the time goes
    """The nodes of a source text; never raises for any text.

    :param tree: the text parsed, where it is at hand.
    """
    tags: list[str] = []
    texts: list[str] = []
    attributes: list[Mapping[str, str]] = []
    parents: list[int] = []
    ends: list[int] = []
    depths: list[int] = []
    visible: list[bool] = []
    preformatted: dict[int, str] = {}
    word_rests: list[int] = []
    within_pre: set[int] = set()
    blank = ""  # white space since the last text
    in_word = False  # whether the last text ends within a word, and nothing but emphasis or a span began or ended since
    past_span = False  # whether a span did
    before = -1  # the parent of the last text
    empty: Mapping[str, str] = {}
    hiding = _HIDING_NAMES
    node: LexborNode | None = parse(text) if tree is None else tree
    parent = -1
    seen = True  # whether the parent is
    opened: list[LexborNode] = []
    while node is not None and len(tags) < MAX_NODES:
        child = None
        number = node.tag_id
        if number == _TEXT_NUMBER:
            written = node.text_content or ""
            content = " ".join(written.split())
            if not content:
                in_word = False
                if parent in within_pre:
                    blank += written  # between two elements: it may end a line
            else:
                number = len(tags)
                if parent in within_pre:
                    preformatted[number] = blank + written
                elif "\n--" in written and _SIGNED.search(written):
                    preformatted[number] = written
                blank = ""
                tags.append("")
                texts.append(content)
                if in_word and written[0].isalpha() and not written[0].isupper():
                    is_inner = not past_span or any(
                        _marks(tags[around], attributes[around]) for around in (before, parent) if around >= 0
                    )
                    if is_inner:
                        word_rests.append(number)
                before = parent
                in_word, past_span = written[-1].isalpha(), False
                attributes.append(empty)
                parents.append(parent)
                ends.append(number + 1)
                depths.append(len(opened))
                visible.append(seen)
        elif tag := _TAGS.get(number) or _tag(node):
            own = _attributes(given) if (given := node.attributes) else empty
            if in_word:
                past_span = past_span or tag == "span"
                in_word = tag == "span" or tag in EMPHASIS
            if tag == "pre" or parent in within_pre:
                within_pre.add(len(tags))
            parents.append(parent)
            depths.append(len(opened))
            tags.append(tag)
            texts.append("")
            ends.append(len(tags))
            attributes.append(own)
            visible.append(seen and tag not in _UNSEEN and (hiding.isdisjoint(own) or not _unseen(tag, own)))
            child = node.child
            if child is not None:
                opened.append(node)
                parent, seen, node = len(tags) - 1, visible[-1], child
                continue
        following = node.next
        while following is None and opened:
            following = opened.pop().next
            ends[parent] = len(tags)
            if in_word:
                past_span = past_span or tags[parent] == "span"
                in_word = tags[parent] == "span" or tags[parent] in EMPHASIS
            parent = parents[parent]
            seen = visible[parent] if parent >= 0 else True
        node = following
    while parent >= 0:  # there are more nodes
        ends[parent] = len(tags)
        parent = parents[parent]
    return Nodes(
        tags,
        texts,
        attributes,
        np.array(parents, dtype=np.int32),
        np.array(ends, dtype=np.int32),
        np.array(depths, dtype=np.int32),
        np.array(visible, dtype=np.bool_),
        preformatted=preformatted,
        word_rests=frozenset(word_rests),
    )


_TAGS: dict[int, str] = {}
"""Tags by lexbor's numbers of them, learnt as they are met: to read the tag of each node costs more."""
_NUMBERED = 1 << 10
"""Numbers of the tags that lexbor knows (about 200) are smaller; those of others are addresses in memory."""


def _tag(node: LexborNode) -> str:
    """The tag of an element; empty for comments and the doctype."""
    tag = node.tag or ""
    if tag.startswith(("-", "!")):
        return ""
    if tag and node.tag_id < _NUMBERED:
        _TAGS[node.tag_id] = tag
    return tag


def _attributes(given: Mapping[str, str | None]) -> Mapping[str, str]:
    """Attributes with values that are texts of a limited length."""
    with suppress(TypeError):  # reason: an attribute without a value
        if len("".join(given.values())) <= MAX_VALUE:  # type: ignore[arg-type]  # as of nearly all
            return given  # type: ignore[return-value]
    return {name: (value or "")[:MAX_VALUE] for name, value in given.items()}


def _marks(tag: str, attributes: Mapping[str, str]) -> bool:
    """Whether an element stands around what was searched for, which may be the beginning of a word."""
    return tag == "mark" or (tag == "span" and _HIGHLIGHT.search(attributes.get("class", "")) is not None)


def _unseen(tag: str, attributes: Mapping[str, str]) -> bool:
    """Whether an element's tag or own attributes hide it."""
    if tag in _UNSEEN or not attributes:
        return tag in _UNSEEN
    style = attributes.get("style")
    return "hidden" in attributes or attributes.get("type") == "hidden" or bool(style and _HIDING.search(style))
