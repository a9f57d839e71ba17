"""The one tree walk: a parsed page as block elements, text blocks and text leaves, in columns.

An element of the columns is a *block element* (W3C: it makes a box of its own). Inline elements (``b``, ``span``, …)
are unwrapped: their text joins the block around them; links leave their mark on the text and in counts. So each
block element covers a contiguous range of blocks, its descendants follow it directly, and sums over any subtree are
differences of prefix sums. What makes no text (scripts, widgets, hidden fields) is left out; hidden elements and
forms are for the algorithm to judge (:meth:`Dom.attributes`), because they differ in that.

Cost: 0.9 of a plain lxml parse beside the parsing itself, 0.2 of it in the parser's bindings. No recursion.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from selectolax.lexbor import LexborNode

from newsextract.control_characters import without_hints
from newsextract.page.elements import (
    ACTIONS,
    ATTACHED,
    BLOCK,
    BREAK,
    HEADING,
    HEADINGS,
    IMAGE,
    LINK,
    OMIT,
    PHRASING,
    TEXT_NUMBER,
    UNWRAP,
    Spoken,
    are_words,
    is_own_link,
)
from newsextract.page.parsing import parse
from newsextract.page.shells import is_menu, text_in_scripts
from newsextract.page.source import Blocks
from newsextract.results import Heading

# --- dom columns ----------------------------------------------------------------------------------
# The columns that a page's tree is read into (*dom*), and what follows from them.

_PAGER = re.compile(r"\d{1,4}|[«»‹›<>]{1,2}")
"""Texts of the links of a pager."""
_PAGED = frozenset(("next", "prev", "previous"))
_DIALOGS = ("dialog", "alertdialog")
_ASIDES = ("alert", "contentinfo", "menu", "menubar", "navigation", "status")
_HIDDEN = re.compile(r"(?:display\s*+:\s*+none|visibility\s*+:\s*+hidden)", re.IGNORECASE)


class Link(NamedTuple):
    """An ``a`` element with an address."""

    href: str
    """As written, entities resolved, not joined with the base."""
    text: str
    """White space folded; the texts of two blocks, and of two lines, are parted by a blank."""
    rel: str
    """In lower case."""


@dataclass(frozen=True, slots=True, eq=False)
class Characters:
    """The characters of some texts, one text behind the other, for what is counted and looked up with numpy."""

    codes: NDArray[np.int32]
    starts: NDArray[np.intp]
    """Where each text begins."""
    lengths: NDArray[np.intp]
    """Of each text, at least 1."""


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

    # Blocks, beside those of Blocks. The text keeps the lines of ``br`` and ``pre``. Blocks hold text; none is empty.
    elements: list[int] = field(default_factory=list)
    """The innermost element of each block."""
    links: list[int] = field(default_factory=list)
    """Links with an address that begin in each block, and images."""
    link_nodes: list[LexborNode] = field(default_factory=list)
    """Links with an address, without those in other links."""
    link_blocks: list[int] = field(default_factory=list)
    """The block in which each of them begins."""
    link_elements: list[int] = field(default_factory=list)
    """The innermost element of each of them."""
    link_texts: list[str] = field(default_factory=list)
    """The text of each of them, as it stands in the source."""

    # Text leaves: the text of a block, divided where a link begins or ends.
    leaf_texts: list[str] = field(default_factory=list)
    """As it stands in the source, perhaps without white space before it; not white space alone."""
    leaf_blocks: list[int] = field(default_factory=list)
    leaf_linked: list[bool] = field(default_factory=list)

    node_count: int = 0
    """Nodes of the tree that the walk meets, before anything is unwrapped; not what stands in elements left out."""

    def text(self, chosen: Iterable[int]) -> str:
        """The text of some blocks, ascending: a line each, but the cells of a data table's row are one, parted by tabs."""
        if not self.row_places:
            return super().text(chosen)
        return "\n".join(text for text, _ in passages(self, chosen))

    @cached_property
    def by_tag(self) -> dict[str, list[int]]:
        """The elements of each tag that the page has, ascending."""
        found: dict[str, list[int]] = {}
        for element, tag in enumerate(self.tags):
            if tag in found:
                found[tag].append(element)
            else:
                found[tag] = [element]
        return found

    def of(self, tags: Iterable[str]) -> list[int]:
        """The elements of some tags, ascending."""
        return sorted(chain.from_iterable(self.by_tag.get(tag, ()) for tag in tags))

    @cached_property
    def data_tables(self) -> dict[int, list[Row]]:
        """The rows of each table that holds data and does not only lay out the page."""
        rows = {table: table_rows(self, table, self._blocks_in) for table in self.by_tag.get("table", ())}
        return {table: found for table, found in rows.items() if found}

    @cached_property
    def row_places(self) -> dict[int, tuple[int, int]]:
        """For each block in a cell of a data table its row (the element ``tr``) and the cell's number in it."""
        return {
            block: (row, column)
            for rows in self.data_tables.values()
            for row, cells in rows
            for column, cell in enumerate(cells)
            for block in range(self.first_blocks[cell], self.end_blocks[cell])
        }

    def _blocks_in(self, element: int) -> int:
        return self.end_blocks[element] - self.first_blocks[element]

    @cached_property
    def all_links(self) -> list[Link]:
        """The links that have an address, in document order.

        Links in forms with at most half of the page's text are left out, except those of a pager: some forums put it into a
        form, next to a field for the page number.
        """
        sums = self.count_sums + self.link_count_sums
        in_form = bytearray(len(self.tags))
        for form in self.by_tag.get("form", ()):
            if 2 * (sums[self.end_blocks[form]] - sums[self.first_blocks[form]]) <= sums[-1]:
                in_form[form : self.ends[form]] = b"\1" * (self.ends[form] - form)
        found: list[Link] = []
        for node, element, text in zip(self.link_nodes, self.link_elements, self.link_texts, strict=True):
            attributes = node.attrs
            if href := (attributes["href"] or "").strip():
                link = Link(href, " ".join(text.split()), (attributes.get("rel") or "").lower())
                if not in_form[element] or _PAGER.fullmatch(link.text) or not _PAGED.isdisjoint(link.rel.split()):
                    found.append(link)
        return found

    def attributes(self, element: int) -> dict[str, str | None]:
        """An element's attributes, names in lower case."""
        attributes: dict[str, str | None] = self.nodes[element].attributes
        return attributes

    @cached_property
    def hints(self) -> list[str]:
        """Class and id of each element, in lower case, the id after a ``#``; empty for many."""
        return self._marks[0]

    @cached_property
    def distinct_hints(self) -> list[str]:
        """Each of ``hints`` once, in order: a page has thousands of elements, but few classes."""
        return list(dict.fromkeys(self.hints))

    @cached_property
    def hidden(self) -> list[int]:
        """Elements that their own attributes hide (``hidden``, ``display: none``, ``visibility: hidden``)."""
        return self._marks[1]

    @cached_property
    def dialogs(self) -> list[int]:
        """Elements that are declared as dialogs (``role``, ``aria-modal``)."""
        return self._marks[2]

    @cached_property
    def asides(self) -> list[int]:
        """Elements whose ``role`` says that they are beside the text: navigations, menus, messages."""
        return self._marks[4]

    @cached_property
    def labels(self) -> dict[int, str]:
        """What ``aria-label`` and the last step of ``itemtype`` say of elements."""
        return self._marks[3]

    @cached_property
    def _marks(self) -> tuple[list[str], list[int], list[int], dict[int, str], list[int]]:
        hints: list[str] = []
        hidden: list[int] = []
        dialogs: list[int] = []
        asides: list[int] = []
        labels: dict[int, str] = {}
        for element, node in enumerate(self.nodes):
            attributes = node.attributes
            if not attributes:
                hints.append("")
                continue
            hint, name = attributes.get("class") or "", attributes.get("id")
            if name:
                hint = f"{hint} #{name}"
            hints.append(hint.strip().lower())
            if len(attributes) == 1 and (name or hint):
                continue  # nothing else, as in most elements
            style = attributes.get("style")
            if "hidden" in attributes or (style and _HIDDEN.search(style)):
                hidden.append(element)
            if (role := attributes.get("role")) in _DIALOGS or attributes.get("aria-modal") == "true":
                dialogs.append(element)
            elif role in _ASIDES:
                asides.append(element)
            if (label := attributes.get("aria-label")) or attributes.get("itemtype"):
                labels[element] = f"{label or ''} {(attributes.get('itemtype') or '').rpartition('/')[2]}"
        return hints, hidden, dialogs, labels, asides

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
    def counted(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """``counts`` and ``link_counts`` as arrays; to make one of a list costs more than most of what is done with it."""
        return np.array(self.counts, dtype=np.int64), np.array(self.link_counts, dtype=np.int64)

    @cached_property
    def bounds(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        """``first_blocks``, ``end_blocks`` and ``parents`` as arrays."""
        columns = self.first_blocks, self.end_blocks, self.parents
        first, end, parents = (np.array(column, dtype=np.intp) for column in columns)
        return first, end, parents

    @cached_property
    def characters(self) -> Characters:
        """The characters of the blocks."""
        lengths = np.fromiter(map(len, self.texts), dtype=np.intp, count=len(self.texts))
        codes = np.frombuffer("".join(self.texts).encode("utf-32-le", "surrogatepass"), dtype=np.int32)
        return Characters(codes, np.cumsum(lengths) - lengths, lengths)

    @cached_property
    def count_sums(self) -> NDArray[np.int64]:
        """Prefix sums of ``counts``: the characters outside links of blocks a … b-1 are sums[b] - sums[a]."""
        return np.concatenate(([0], np.cumsum(self.counted[0])))

    @cached_property
    def sizes(self) -> NDArray[np.float64]:
        """Characters of each block, those in links included."""
        return np.add(*self.counted, dtype=np.float64)

    @cached_property
    def link_count_sums(self) -> NDArray[np.int64]:
        """Prefix sums of ``link_counts``."""
        return np.concatenate(([0], np.cumsum(self.counted[1])))

    def covered(self, elements: list[int]) -> NDArray[np.bool_]:
        """Which blocks lie in the subtrees of some elements."""
        edges = np.zeros(len(self.texts) + 1, dtype=np.int64)
        for element in elements:
            edges[self.first_blocks[element]] += 1
            edges[self.end_blocks[element]] -= 1
        covered: NDArray[np.bool_] = np.cumsum(edges[:-1]) > 0
        return covered


# --- tables ---------------------------------------------------------------------------------------
# Data tables of a page: which tables hold data, and the lines that their rows make in a text.
#
# A table holds data if it has at least two rows and two columns of short cells, and no table in it; other tables lay out the
# page. A row is a line of the text, its cells separated by tabs.

MAX_BLOCKS = 3
MAX_CHARS = 500
"""Cells with more blocks or characters lay out the page."""

Row = tuple[int, list[int]]
"""The element ``tr`` and its cells."""


def table_rows(dom: Dom, table: int, held: Callable[[int], int]) -> list[Row]:
    """The rows of a data table; empty if it only lays out the page.

    :param held: how many blocks that count an element holds.
    """
    rows = _rows(dom, table, held)
    chosen = [[cell for cell in cells if held(cell)] for _, cells in rows]
    full = [len(cells) for cells in chosen if cells]
    holds_data = (
        len(full) > 1
        and max(full) > 1
        and all(held(cell) <= MAX_BLOCKS and _length(dom, cell) <= MAX_CHARS for cells in chosen for cell in cells)
    )
    return rows if holds_data else []


def _rows(dom: Dom, table: int, held: Callable[[int], int]) -> list[Row]:
    """The rows of a table; none where another table with text stands in it."""
    rows: list[Row] = []
    i = table + 1
    while i < dom.ends[table]:
        tag = dom.tags[i]
        if tag == "table":
            if held(i):
                return []
            i = dom.ends[i]
            continue
        if tag == "tr":
            rows.append((i, []))
        elif tag in ("td", "th") and rows:
            rows[-1][1].append(i)
        i += 1
    return rows


def _length(dom: Dom, element: int) -> int:
    first, end = dom.first_blocks[element], dom.end_blocks[element]
    return sum(dom.counts[first:end]) + sum(dom.link_counts[first:end])


def passages(dom: Dom, chosen: Iterable[int]) -> Iterator[tuple[str, list[int]]]:
    """The texts that begin on lines of their own, each with its blocks: a block, or the chosen cells of a row.

    :param chosen: blocks, ascending.
    """
    places = dom.row_places
    row = -1
    cells: dict[int, str] = {}
    blocks: list[int] = []
    for block in chosen:
        place = places.get(block)
        if blocks and (place is None or place[0] != row):
            yield _line(cells), blocks
            cells, blocks = {}, []
        if place is None:
            if dom.texts[block]:
                yield dom.texts[block], [block]
            continue
        row, column = place
        text = dom.texts[block].replace("\n", " ")
        cells[column] = f"{cells[column]} {text}" if column in cells else text
        blocks.append(block)
    if blocks:
        yield _line(cells), blocks


def _line(cells: dict[int, str]) -> str:
    return "\t".join(cells.get(column, "") for column in range(max(cells) + 1))


# --- dom ------------------------------------------------------------------------------------------

MAX_ELEMENTS = 200_000
"""Later block elements are unwrapped like inline ones, with a blank; the largest page of the bench has 21,000."""
_HEADING_BLOCKS = 20
"""Blocks of a heading element that are read; one that holds more is no headline."""
_HEADING_LENGTH = 1_000
"""Characters of a heading that are kept, for the same reason."""

LINE = "\u2028"  # white space for str.split, and in a source it means the same: a new line
_MARK = "\0"  # an image; the parser leaves none in a text
_LINE_MARK = _MARK + LINE  # a ``br``
_KINDS: dict[int, tuple[int, str]] = {}
"""What is to be done with a node, and its tag, by lexbor's number of the tag; learnt as they are met, because to read the
tag of each costs twice as much."""
_NUMBERED = 1 << 10
"""Numbers of the tags that lexbor knows (about 200) are smaller; those of others are addresses in memory."""


def read_dom(text: str, tree: LexborNode | None = None) -> Dom:
    """The columns of a page.

    :param text: decoded source, any content; never raises.
    :param tree: the source parsed, where it is at hand.
    """
    dom = _walked(parse(text) if tree is None else tree)
    if is_menu([len(shown) for shown in dom.texts]) and (written := text_in_scripts(text)) is not None:
        return _walked(parse(text + written))
    return dom


def _walked(root: LexborNode | None) -> Dom:
    walk = _Walk()
    if root is not None:
        walk.go(root)
    return walk.dom


class _Walk:
    """One walk through the tree, in document order."""

    def __init__(self) -> None:
        self.dom = Dom()
        self.parts: list[str] = []
        """Text of the current block so far, with a mark for each ``br`` and image."""
        self.borders: list[int] = []
        """Numbers of the parts before which a link begins or ends; only where text stands before it."""

    def go(self, root: LexborNode) -> None:  # noqa: C901  # a call for each node would cost more than its work
        """Fill the columns. One loop over local variables: this is where the time goes."""
        dom, parts, borders, flush, kinds, text_number = self.dom, self.parts, self.borders, self.flush, _KINDS, TEXT_NUMBER
        tags, parents, ends, nodes = dom.tags, dom.parents, dom.ends, dom.nodes
        texts, first_blocks, end_blocks = dom.texts, dom.first_blocks, dom.end_blocks
        link_nodes, link_blocks = dom.link_nodes, dom.link_blocks
        link_elements, link_texts = dom.link_elements, dom.link_texts
        inside: list[str] = []  # text of the open link
        most = MAX_ELEMENTS
        opened: list[LexborNode] = []
        actions: list[int] = []  # what leaving each open node does
        node: LexborNode = root
        element = -1
        linked = False  # whether this is in a link,
        begun = False  # whether the current block began in one,
        links = 0  # and the links and images of the block so far
        is_spoken = Spoken().is_spoken
        blank = False  # whether white space begins the block; it is in no part
        left = apart = False  # whether an inline element ended since the last text, and another one began behind it
        count = 0
        while True:
            count += 1
            number = node.tag_id
            if number == text_number:
                if text := node.text_content:
                    if not (parts or linked) and text.isspace():  # as two of three
                        blank = True
                    else:
                        if apart and parts and tags[element] != "pre" and are_words(parts[-1], text):
                            text = " " + text
                        parts.append(text)
                        if linked:
                            inside.append(text)
                    left = apart = False
                if (following := node.next) is not None:
                    node = following
                    continue
                node, action = opened.pop(), actions.pop()  # a text is always in an element
            else:
                child = None
                try:
                    action, tag = kinds[number]
                except KeyError:
                    action, tag = _kind(node)
                    if number >= _NUMBERED and element >= 0 and tags[element] in PHRASING:
                        action = UNWRAP
                if action >= BLOCK:
                    child = node.child
                    if len(tags) >= most:
                        action = UNWRAP
                        parts.append(" ")
                    else:
                        if flush(element, begun, links) if parts else blank:
                            begun, links, blank = linked, 0, False
                        if linked:
                            inside.append(" ")
                        parents.append(element)
                        element = len(tags)
                        tags.append(tag)
                        nodes.append(node)
                        ends.append(0)
                        first_blocks.append(len(texts))
                        end_blocks.append(0)
                elif action == UNWRAP:
                    child = None if tag == "span" and is_spoken(node) else node.child
                    apart = left and tag not in ATTACHED
                elif action == LINK:
                    child = node.child
                    apart = left
                    if linked or "href" not in node.attrs:
                        action = UNWRAP
                    else:
                        linked = True
                        links += 1
                        link_nodes.append(node)
                        link_blocks.append(len(texts))
                        link_elements.append(element)
                        inside.clear()
                        if parts:
                            borders.append(len(parts))
                        else:
                            begun = True
                elif action == BREAK:
                    parts.append(_LINE_MARK)
                    if linked:
                        inside.append(" ")
                elif action == IMAGE:
                    links += 1
                    parts.append(f" {_MARK}" if blank and not parts else _MARK)
                elif tag == "button" and element >= 0 and tags[element] in HEADINGS:
                    action, child = UNWRAP, node.child  # as of is_opener
                elif tag == "rt" and (before := node.prev) is not None and before.tag == "rp":
                    action, child = UNWRAP, node.child  # a reading in brackets; others would run into the word
                if child is not None:
                    opened.append(node)
                    actions.append(action)
                    node = child
                    continue
            while True:  # leave the node, and all whose last child it is
                if action >= LINK:
                    if action == LINK:
                        linked, left = False, True
                        shown = "".join(inside)
                        link_texts.append(shown)
                        if len(shown) < 9 and parts and parts[-1] == shown and is_own_link(shown, link_nodes[-1]):
                            parts.pop()
                            if borders and borders[-1] == len(parts):
                                borders.pop()
                            elif not parts:
                                begun = False
                        elif parts:
                            borders.append(len(parts))
                        else:
                            begun = False
                    else:
                        if flush(element, begun, links) if parts else blank:
                            begun, links, blank = linked, 0, False
                        if linked:
                            inside.append(" ")
                        ends[element] = len(tags)
                        end_blocks[element] = len(texts)
                        if action == HEADING:
                            self.add_heading(element)
                        element = parents[element]
                elif action == UNWRAP:
                    left = True
                following = node.next
                if following is not None:
                    break
                if not opened:
                    if parts:
                        flush(element, begun, links)
                    dom.node_count = count
                    return
                node = opened.pop()
                action = actions.pop()
            node = following

    def flush(self, element: int, linked: bool, links: int) -> bool:
        """End the current block, unless nothing but images stood in it; one without text is none.

        :param linked: whether it began in a link.
        """
        parts, borders, dom = self.parts, self.borders, self.dom
        shown = raw = parts[0] if len(parts) == 1 else "".join(parts)
        text = raw.strip()
        plain = text.isprintable()  # no mark is
        if not plain and _MARK in text:
            shown = raw.replace(_MARK, "")
            if not shown:
                return False
            raw, text = _leaf(raw), shown.strip()
            plain = text.isprintable()
        if not plain and not text.isascii():
            raw, shown = without_hints(raw), without_hints(shown)
            text = shown.strip()
        if text:
            if plain and "  " not in text:  # folded already
                size = len(text) - text.count(" ")
            else:
                words = text.split()
                text = " ".join(words)
                size = len(text) - len(words) + 1
                if "\n" in shown and element >= 0 and dom.tags[element] == "pre":
                    shown = shown.replace("\n", LINE)
                if LINE in shown:
                    text = _with_lines(shown)
            if borders and borders[-1] == len(parts):
                borders.pop()  # a link that ends with the block
            if borders:
                link_count = self.add_leaves(linked, size)
            else:
                link_count = size if linked else 0
                dom.leaf_texts.append(raw)
                dom.leaf_blocks.append(len(dom.texts))
                dom.leaf_linked.append(linked)
            dom.counts.append(size - link_count)
            dom.texts.append(text)
            dom.link_counts.append(link_count)
            dom.links.append(links)
            dom.elements.append(element)
        parts.clear()
        borders.clear()
        return True

    def add_leaves(self, linked: bool, size: int) -> int:
        """The leaves of a block in which links begin or end. Returns its characters in links.

        :param size: its characters.
        """
        dom, parts = self.dom, self.parts
        texts, in_link = dom.leaf_texts, dom.leaf_linked
        first, block = len(texts), len(dom.texts)
        start = count = 0
        self.borders.append(len(parts))
        for end in self.borders:
            text = parts[start] if end == start + 1 else "".join(parts[start:end])
            if not (is_plain := text.isprintable()):
                text = _leaf(text if text.isascii() else without_hints(text))
            if text and not text.isspace():
                texts.append(text)
                in_link.append(linked)
                dom.leaf_blocks.append(block)
                if linked:
                    count += len(text) - text.count(" ") if is_plain else len("".join(text.split()))
            start, linked = end, not linked
        return count if len(texts) != first + 1 else size if in_link[first] else 0

    def add_heading(self, element: int) -> None:
        """A heading element ends."""
        dom = self.dom
        first = dom.first_blocks[element]
        text = " ".join(text[:_HEADING_LENGTH] for text in dom.texts[first : first + _HEADING_BLOCKS])
        dom.headings.append(Heading(HEADINGS[dom.tags[element]], text[:_HEADING_LENGTH].replace("\n", " "), first))


def _kind(node: LexborNode) -> tuple[int, str]:
    """What is to be done with a node that is no text, and its tag; kept for those that are numbered alike in every page."""
    tag = node.tag or ""
    action = ACTIONS.get(tag, BLOCK)
    if not node.is_element_node:
        action = OMIT  # a comment or the doctype
    if node.tag_id < _NUMBERED:
        _KINDS[node.tag_id] = action, tag
    return action, tag


def _leaf(raw: str) -> str:
    """The text of a leaf: a break or an image parts words."""
    return raw.replace(_LINE_MARK, " ").replace(_MARK, " ")


def _with_lines(raw: str) -> str:
    """White space folded, lines kept, empty ones not."""
    return "\n".join(filter(None, (" ".join(line.split()) for line in raw.split(LINE))))
