"""Visual blocks and their tree: Wang, Liang & Min 2019, §4.2 and §4.3.

A node is a visual block unless one of the rules R1–R5 (Table 2) forbids it; an only child makes one unit with its parent
(R2), and inline nodes go with the nearest block around them. The tree keeps the nodes' ancestry. The paper walks the DOM
breadth-first; here all rules are masks over the nodes, and blocks stand in document order, which gives the same tree.

**(read)** R2: children are those that a reader could see (elements and texts); the unit is a block where one of its nodes
passes the other rules, the outermost that does stands for it. R3: text is visible text. R4: ``Nodes.visible``, or wholly
off the page. R5: positions ``absolute`` and ``fixed``; only the node itself is no block, what it holds goes to the block
around it. Fine-grained nodes are those of ``display: inline`` (without a browser: inline tags) that hold no block-level
element. Without geometry R1 and R5 cannot be judged, and R4 is what the source tells.

Cost: 0.4 µs a node, and 0.3 ms a page for the calls.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsextract.dom import INLINE
from newsextract.nodes import STYLE_NAMES, Geometry, Nodes

NO_ELEMENT, KEPT, R1, R2, R3, R4, R5, FINE = range(-1, 7)
"""Why a node is no visual block; ``KEPT``: it is one. ``FINE``: inline, it goes with the block around it."""
WHY = {
    KEPT: "",
    R1: "R1: not wider and higher than the base font size",
    R2: "R2: one unit with its parent",
    R3: "R3: no text",
    R4: "R4: not visible",
    R5: "R5: out of the flow",
    FINE: "inline",
}
_FINE_TAGS = INLINE | frozenset(
    "button input select textarea meter progress svg math canvas audio video object embed".split()
)
_OUT_OF_FLOW = frozenset(("absolute", "fixed"))


@dataclass(frozen=True, eq=False)
class VisualBlocks:
    """The visual block tree in columns; m rows in document order, of which the first is the root of the page."""

    nodes: NDArray[np.int64]
    """Numbers of the nodes; of a unit (R2) the outermost."""
    inner: NDArray[np.int64]
    """Numbers of the units' innermost elements: the node itself unless R2 merged."""
    parents: NDArray[np.int64]
    """The parent block's row; -1 for the first."""
    ends: NDArray[np.int64]
    """The row behind the last descendant: a subtree is ``range(i, ends[i])``."""
    boxes: NDArray[np.float64] | None
    """Shape (m, 4): left, top, width, height in CSS pixels; None without geometry."""
    text_lengths: NDArray[np.int64]
    """Characters of visible text."""
    rules: NDArray[np.int8]
    """Shape (n,), of all *nodes*: why one is no block, see :data:`WHY`."""

    def __len__(self) -> int:
        return len(self.nodes)

    @cached_property
    def children(self) -> list[list[int]]:
        """Rows of the children of each block, in order."""
        children: list[list[int]] = [[] for _ in range(len(self.nodes))]
        for row, parent in enumerate(self.parents.tolist()):
            if parent >= 0:
                children[parent].append(row)
        return children


def block_tree(nodes: Nodes, *, positioned: NDArray[np.bool_] | None = None) -> VisualBlocks:
    """The visual blocks of a page and their tree: §4.2, §4.3.

    :param positioned: nodes that are blocks although they are out of the flow; None: none.
    """
    lengths = text_lengths(nodes)
    rules = extraction_rules(nodes, lengths, positioned)
    if not len(nodes):
        none = np.zeros(0, dtype=np.int64)
        return VisualBlocks(none, none, none, none, np.zeros((0, 4)) if nodes.geometry else None, none, rules)
    units = merged_units(nodes)
    passing = np.flatnonzero(rules == KEPT)
    _, outermost = np.unique(units[passing], return_index=True)
    rules[passing] = R2
    rules[passing[outermost]] = KEPT
    rules[0] = KEPT  # §4.3 step 1
    chosen = np.flatnonzero(rules == KEPT)
    innermost = np.zeros(len(nodes), dtype=np.int64)
    elements = np.flatnonzero(rules != NO_ELEMENT)
    innermost[units[elements]] = elements  # in document order, so that the last of a unit remains
    return VisualBlocks(
        chosen,
        innermost[units[chosen]],
        _parent_rows(nodes, chosen),
        np.searchsorted(chosen, nodes.ends[chosen]),
        nodes.geometry.boxes[chosen].astype(np.float64) if nodes.geometry else None,
        lengths[chosen],
        rules,
    )


def text_lengths(nodes: Nodes) -> NDArray[np.int64]:
    """Characters of visible text in each subtree, shape (n,); white space folded."""
    own = np.zeros(len(nodes), dtype=np.int64)
    own[nodes.shown] = [len(nodes.texts[i]) for i in nodes.shown.tolist()]
    return subtree_sums(nodes, own)


def subtree_sums(nodes: Nodes, values: NDArray[Any]) -> NDArray[np.int64]:
    """Sum of a column over each subtree, the root included."""
    before = np.concatenate(([0], np.cumsum(values, dtype=np.int64)))
    sums: NDArray[np.int64] = before[nodes.ends] - before[:-1]
    return sums


def extraction_rules(
    nodes: Nodes, lengths: NDArray[np.int64], positioned: NDArray[np.bool_] | None = None
) -> NDArray[np.int8]:
    """R1, R3, R4, R5 of Table 2 for each node, and whether it is fine-grained; :data:`KEPT` where none forbids.

    :param lengths: characters of visible text in each subtree.
    :param positioned: nodes that R5 does not forbid.
    """
    element = np.array([bool(tag) for tag in nodes.tags], dtype=np.bool_)
    geometry = nodes.geometry
    none = np.zeros(len(nodes), dtype=np.bool_)
    if geometry is None:
        inline = np.array([tag in _FINE_TAGS for tag in nodes.tags], dtype=np.bool_)
        small, outside, afloat = none, none, none
    else:
        left, top, width, height = geometry.boxes.T
        small = np.minimum(width, height) <= geometry.base_font_size
        outside = (
            (left + width <= 0) | (top + height <= 0) | (left >= geometry.page_size[0]) | (top >= geometry.page_size[1])
        )
        inline = _where_style(geometry, "display", frozenset(("inline",)))
        afloat = _where_style(geometry, "position", _OUT_OF_FLOW)
        if positioned is not None:
            afloat &= ~positioned
    whole = element & ~inline & nodes.visible & (lengths > 0)
    fine = inline & (subtree_sums(nodes, whole) == 0)
    rules: NDArray[np.int8] = np.select(
        [~element, lengths == 0, ~nodes.visible | outside, fine, small, afloat],
        [NO_ELEMENT, R3, R4, FINE, R1, R5],
        KEPT,
    ).astype(np.int8)
    return rules


def merged_units(nodes: Nodes) -> NDArray[np.int64]:
    """R2: for each node the outermost node of its unit; itself where it is not an only child (or is a text)."""
    own = np.arange(len(nodes))
    parents = nodes.parents.astype(np.int64)
    below = nodes.visible & (parents >= 0)
    children = np.bincount(parents[below], minlength=len(nodes))
    element = np.array([bool(tag) for tag in nodes.tags], dtype=np.bool_)
    return _settled(np.where(below & element & (children[parents] == 1), parents, own))


def _settled(links: NDArray[np.int64]) -> NDArray[np.int64]:
    """Follow links until they lead to themselves; each round doubles the way."""
    while True:
        further = links[links]
        if np.array_equal(further, links):
            return links
        links = further


def _parent_rows(nodes: Nodes, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
    """The row of the nearest block above each block; ``chosen[0]`` is node 0."""
    links = np.maximum(nodes.parents, 0).astype(np.int64)
    links[chosen] = chosen
    above = _settled(links)[np.maximum(nodes.parents[chosen], 0)]
    rows = np.searchsorted(chosen, above)
    rows[0] = -1
    return rows


def _where_style(geometry: Geometry, name: str, values: frozenset[str]) -> NDArray[np.bool_]:
    column = STYLE_NAMES.index(name)
    table = np.array([row[column] in values for row in geometry.style_table], dtype=np.bool_)
    mask: NDArray[np.bool_] = table[geometry.styles]
    return mask
