"""The columns that a page's tree is read into (:mod:`newsextract.dom`), and what follows from them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from selectolax.lexbor import LexborNode

from newsextract.blocks import Blocks
from newsextract.tables import Row, passages, table_rows

_HIDDEN = re.compile(r"(?:display\s*+:\s*+none|visibility\s*+:\s*+hidden)", re.IGNORECASE)


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

    # Text leaves: the text of a block, divided where a link begins or ends.
    leaf_texts: list[str] = field(default_factory=list)
    """As it stands in the source; not white space alone."""
    leaf_blocks: list[int] = field(default_factory=list)
    leaf_linked: list[bool] = field(default_factory=list)

    node_count: int = 0
    """Nodes of the tree that the walk meets, before anything is unwrapped; not what stands in elements left out."""

    def text(self, chosen: Iterable[int]) -> str:
        """The text of some blocks, ascending: a line each, but the cells of a data table's row are one, parted by tabs."""
        return "\n".join(text for text, _ in passages(self, chosen))

    @cached_property
    def data_tables(self) -> dict[int, list[Row]]:
        """The rows of each table that holds data and does not only lay out the page."""
        tables = (element for element, tag in enumerate(self.tags) if tag == "table")
        rows = {table: table_rows(self, table, self._blocks_in) for table in tables}
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

    def attributes(self, element: int) -> dict[str, str | None]:
        """An element's attributes, names in lower case."""
        attributes: dict[str, str | None] = self.nodes[element].attributes
        return attributes

    @cached_property
    def hints(self) -> list[str]:
        """Class and id of each element, in lower case, the id after a ``#``; empty for many."""
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
            hint, name = attributes.get("class") or "", attributes.get("id")
            if name:
                hint = f"{hint} #{name}"
            hints.append(hint.strip().lower())
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
    def sizes(self) -> NDArray[np.float64]:
        """Characters of each block, those in links included."""
        sizes: NDArray[np.float64] = np.asarray(self.counts, dtype=np.float64) + np.asarray(self.link_counts)
        return sizes

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
