"""The one tree walk: a parsed page as block elements, text blocks and text leaves, in columns.

An element of the columns is a *block element* (W3C: it makes a box of its own). Inline elements (``b``, ``span``, …)
are unwrapped: their text joins the block around them; links leave their mark on the text and in counts. So each
block element covers a contiguous range of blocks, its descendants follow it directly, and sums over any subtree are
differences of prefix sums. What makes no text (scripts, widgets, hidden fields) is left out; hidden elements and
forms are for the algorithm to judge (:meth:`Dom.attributes`), because they differ in that.

Cost: one plain lxml parse together with the parsing itself (``benchmarks/extraction.py``). No recursion.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

import numpy as np
from numpy.typing import NDArray
from selectolax.lexbor import LexborNode

from newsextract.article import Heading
from newsextract.blocks import Blocks
from newsextract.parsing import parse

MAX_ELEMENTS = 200_000
"""Later block elements are unwrapped like inline ones, with a blank; the largest page of the bench has 21,000."""
_HEADING_BLOCKS = 20
"""Blocks of a heading element that are read; one that holds more is no headline."""

INLINE = frozenset(
    """
    a abbr acronym b bdi bdo big blink cite code data del dfn em font i ins kbd mark nobr output q rb rp rt rtc ruby s samp
    small span strike strong sub sup time tt u var wbr label img picture source track br
    """.split()
)
LEFT_OUT = frozenset(
    """
    script style noscript template iframe frame frameset noframes object embed applet param svg math canvas audio video map
    area head title meta link base textarea select option optgroup datalist button input keygen progress meter dialog
    """.split()
)
_HIDDEN = re.compile(r"(?:display\s*+:\s*+none|visibility\s*+:\s*+hidden)", re.IGNORECASE)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}

LINE = "\u2028"  # white space for str.split, and in a source it means the same: a new line
_TEXT, _OMIT, _UNWRAP, _BREAK, _IMAGE, _LINK, _BLOCK = range(7)
_ACTIONS = dict.fromkeys(INLINE, _UNWRAP) | dict.fromkeys(LEFT_OUT, _OMIT) | {"a": _LINK, "br": _BREAK, "img": _IMAGE}


@dataclass(eq=False)
class Dom(Blocks):
    """A page's block elements, blocks and leaves. All indices count from 0 in document order."""

    # Block elements; the first is the document element.
    tags: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    """Index of the parent element; -1 for the first."""
    ends: list[int] = field(default_factory=list)
    """Behind the last descendant: element i's subtree is the elements i … ends[i]-1."""
    first_blocks: list[int] = field(default_factory=list)
    end_blocks: list[int] = field(default_factory=list)
    """The subtree's text is the blocks first_blocks[i] … end_blocks[i]-1."""
    nodes: list[LexborNode] = field(default_factory=list)

    # Blocks, beside those of Blocks. The text keeps line breaks (``br``). Blocks hold text; none is empty.
    elements: list[int] = field(default_factory=list)
    """The innermost element of each block."""
    links: list[int] = field(default_factory=list)
    """Links with an address that begin in each block, and images."""

    # Text leaves: the text of a block, divided where a link begins or ends.
    leaf_texts: list[str] = field(default_factory=list)
    """As it stands in the source; not white space alone."""
    leaf_blocks: list[int] = field(default_factory=list)
    leaf_linked: list[bool] = field(default_factory=list)

    node_count: int = 0
    """Elements and texts of the tree, before anything is unwrapped or left out."""

    def attributes(self, element: int) -> dict[str, str | None]:
        """An element's attributes, names in lower case."""
        attributes: dict[str, str | None] = self.nodes[element].attributes
        return attributes

    @cached_property
    def hints(self) -> list[str]:
        """Class and id of each element, in lower case; empty for many."""
        return self._marks[0]

    @cached_property
    def hidden(self) -> list[int]:
        """Elements that their own attributes hide (``hidden``, ``display: none``, ``visibility: hidden``)."""
        return self._marks[1]

    @cached_property
    def _marks(self) -> tuple[list[str], list[int]]:
        hints: list[str] = []
        hidden: list[int] = []
        for element, node in enumerate(self.nodes):
            attributes = node.attributes
            if not attributes:
                hints.append("")
                continue
            hints.append(f"{attributes.get('class') or ''} {attributes.get('id') or ''}".strip().lower())
            style = attributes.get("style")
            if "hidden" in attributes or (style and _HIDDEN.search(style)):
                hidden.append(element)
        return hints, hidden

    @cached_property
    def tag_paths(self) -> tuple[list[int], list[tuple[int, str]]]:
        """The number of each element's tag path (equal numbers, equal paths), and of each path the number of the path
        without its last step (-1: none) and that step."""
        numbers: dict[tuple[int, str], int] = {}
        paths: list[int] = []
        for tag, parent in zip(self.tags, self.parents, strict=True):
            paths.append(numbers.setdefault((paths[parent] if parent >= 0 else -1, tag), len(numbers)))
        return paths, list(numbers)

    @cached_property
    def count_sums(self) -> NDArray[np.int64]:
        """Prefix sums of ``counts``: the characters outside links of blocks a … b-1 are sums[b] - sums[a]."""
        return np.concatenate(([0], np.cumsum(np.asarray(self.counts, dtype=np.int64))))

    @cached_property
    def link_count_sums(self) -> NDArray[np.int64]:
        """Prefix sums of ``link_counts``."""
        return np.concatenate(([0], np.cumsum(np.asarray(self.link_counts, dtype=np.int64))))

    def covered(self, elements: list[int]) -> NDArray[np.bool_]:
        """Which blocks lie in the subtrees of some elements."""
        edges = np.zeros(len(self.texts) + 1, dtype=np.int64)
        for element in elements:
            edges[self.first_blocks[element]] += 1
            edges[self.end_blocks[element]] -= 1
        covered: NDArray[np.bool_] = np.cumsum(edges[:-1]) > 0
        return covered


def read_dom(text: str) -> Dom:
    """The columns of a page.

    :param text: decoded source, any content; never raises.
    """
    walk = _Walk()
    node = parse(text)
    if node is not None:
        walk.go(node)
    return walk.dom


class _Walk:
    """The state of one walk through the tree, in document order."""

    def __init__(self) -> None:
        self.dom = Dom()
        self.element = -1
        self.parts: list[str] = []
        """Text of the current block so far, with a line separator for each ``br``."""
        self.leaf: list[str] = []
        """The part of it since a link began or ended."""
        self.linked = False
        self.link_count = 0
        self.links = 0

    def go(self, root: LexborNode) -> None:
        """Fill the columns. One loop over local variables: this is where the time goes."""
        parts, leaf, action_of, leave = self.parts, self.leaf, _ACTIONS.get, self.leave
        dom = self.dom
        ancestors: list[int] = []  # what leaving each open node does
        node: LexborNode = root
        count = 0
        while True:
            count += 1
            tag = node.tag or ""
            child = None
            if tag == "-text":
                if text := node.text_content:
                    parts.append(text)
                    leaf.append(text)
                action = _TEXT
            else:
                action = action_of(tag, _BLOCK)
                if action == _UNWRAP:
                    child = node.child
                elif action == _BLOCK:
                    child = node.child
                    if not node.is_element_node:
                        action = _TEXT  # a comment or the doctype
                    elif len(dom.tags) >= MAX_ELEMENTS:
                        action = _UNWRAP
                        parts.append(" ")
                        leaf.append(" ")
                    else:
                        self.enter_block(node, tag)
                elif action == _LINK:
                    child = node.child
                    if self.linked or "href" not in node.attributes:
                        action = _UNWRAP
                    else:
                        self.end_leaf()
                        self.linked = True
                        self.links += 1
                elif action == _BREAK:
                    parts.append(LINE)
                    leaf.append(" ")
                elif action == _IMAGE:
                    self.links += 1
                    leaf.append(" ")
            if child is not None:
                ancestors.append(action)
                node = child
                continue
            if action >= _LINK:
                leave(action)
            while (following := node.next) is None:
                if not ancestors:
                    self.flush()
                    dom.node_count = count
                    return
                node = cast("LexborNode", node.parent)  # reason: each open node is the child of another
                if (action := ancestors.pop()) >= _LINK:
                    leave(action)
            node = following

    def enter_block(self, node: LexborNode, tag: str) -> None:
        """A block element begins."""
        self.flush()
        dom = self.dom
        dom.parents.append(self.element)
        self.element = len(dom.tags)
        dom.tags.append(tag)
        dom.nodes.append(node)
        dom.ends.append(0)
        dom.first_blocks.append(len(dom.texts))
        dom.end_blocks.append(0)

    def leave(self, action: int) -> None:
        """A link or a block element ends."""
        if action == _LINK:
            self.end_leaf()
            self.linked = False
            return
        self.flush()
        dom, element = self.dom, self.element
        dom.ends[element] = len(dom.tags)
        dom.end_blocks[element] = len(dom.texts)
        level = _HEADINGS.get(dom.tags[element])
        if level is not None:
            first = dom.first_blocks[element]
            dom.headings.append(
                Heading(level, " ".join(dom.texts[first : first + _HEADING_BLOCKS]).replace("\n", " "), first)
            )
        self.element = dom.parents[element]

    def end_leaf(self) -> None:
        """A link begins or ends, or the block ends."""
        text = "".join(self.leaf)
        self.leaf.clear()
        if text and not text.isspace():
            dom = self.dom
            dom.leaf_texts.append(text)
            dom.leaf_blocks.append(len(dom.texts))
            dom.leaf_linked.append(self.linked)
            if self.linked:
                self.link_count += len("".join(text.split()))

    def flush(self) -> None:
        """End the current block; one without text is none."""
        if not self.parts:
            return
        self.end_leaf()
        raw = "".join(self.parts)
        self.parts.clear()
        words = raw.split()
        if words:
            dom = self.dom
            text = " ".join(words)
            dom.counts.append(len(text) - len(words) + 1 - self.link_count)
            dom.texts.append(_with_lines(raw) if LINE in raw else text)
            dom.link_counts.append(self.link_count)
            dom.links.append(self.links)
            dom.elements.append(self.element)
        self.link_count = self.links = 0


def _with_lines(raw: str) -> str:
    """White space folded, lines kept, empty ones not."""
    return "\n".join(filter(None, (" ".join(line.split()) for line in raw.split(LINE))))
