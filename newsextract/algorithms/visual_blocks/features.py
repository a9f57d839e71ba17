"""The feature layer of VBIE (Wang, Liang & Min 2019, §4): the 34 indicators of each visual block, as columns.

They are computed for all blocks of a page at once. Without geometry there are only the ten of content and DOM: the visual
class is left out, and so it is of the similarity.

**(read)** ContentText is the sequence of visible texts. A valid anchor is an ``a`` whose address is neither empty, ``#``
nor a script. Children and siblings are elements; of a merged unit (R2) the tag, path, box and style are those of the
outermost node, the children those of the innermost. Offsets are those of the margin edge, from the page and from the
parent element's box (Table 1).

Cost: 0.6 µs a node and 0.3 ms a page for the calls.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from newsextract.page.elements import INLINE
from newsextract.page.nodes import STYLE_NAMES, Geometry, Nodes
from newsextract.page.page import Page

# --- blocks ---------------------------------------------------------------------------------------
# §4.2 and §4.3: a node is a visual block unless one of the rules R1–R5 (Table 2) forbids it; an only child makes one unit
# with its parent (R2), and inline nodes go with the nearest block around them. The tree keeps the nodes' ancestry. The paper
# walks the DOM breadth-first; here all rules are masks over the nodes, and blocks stand in document order, which gives the
# same tree.
#
# **(read)** R2: children are those that a reader could see (elements and texts); the unit is a block where one of its nodes
# passes the other rules, the outermost that does stands for it. R3: text is visible text. R4: ``Nodes.visible``, or wholly
# off the page. R5: positions ``absolute`` and ``fixed``; only the node itself is no block, what it holds goes to the block
# around it. Fine-grained nodes are those of ``display: inline`` (without a browser: inline tags) that hold no block-level
# element. Without geometry R1 and R5 cannot be judged, and R4 is what the source tells.

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
class VisualBlockTree:
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


def block_tree(nodes: Nodes, *, positioned: NDArray[np.bool_] | None = None) -> VisualBlockTree:
    """The visual blocks of a page and their tree: §4.2, §4.3.

    :param positioned: nodes that are blocks although they are out of the flow; None: none.
    """
    lengths = text_lengths(nodes)
    rules = extraction_rules(nodes, lengths, positioned)
    if not len(nodes):
        none = np.zeros(0, dtype=np.int64)
        return VisualBlockTree(none, none, none, none, np.zeros((0, 4)) if nodes.geometry else None, none, rules)
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
    return VisualBlockTree(
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
        page_width, page_height = geometry.page_size
        outside = (left + width <= 0) | (top + height <= 0) | (left >= page_width) | (top >= page_height)
        inline = _where_style(geometry, "display", frozenset(("inline",)))
        afloat = _where_style(geometry, "position", _OUT_OF_FLOW)
        if positioned is not None:
            afloat &= ~positioned
    whole = element & ~inline & nodes.visible & (lengths > 0)
    fine = inline & (subtree_sums(nodes, whole) == 0)
    rules: NDArray[np.int8] = np.select(
        [~element, lengths == 0, ~nodes.visible | outside, fine, small, afloat], [NO_ELEMENT, R3, R4, FINE, R1, R5], KEPT
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


# --- indicators -----------------------------------------------------------------------------------
# Table 1: the 34 indicators of a visual block, in 11 groups and 3 classes.
#
# **(read)** §5.3 calls values *countable* that are natural or decimal numbers, and compares all others for equality.
# Lengths, counts, the depth, the font size and the numbers of box and layout are countable; font weight (a choice of
# nine), padding, border and margin (four values each) are not. Font and the like are those of the block element itself.

Kind = Literal["content", "dom", "visual"]


@dataclass(frozen=True, slots=True)
class Indicator:
    """A row of the table."""

    name: str
    """As printed, the group's name first where the paper writes Font(Color)."""
    group: str
    kind: Kind
    countable: bool = False
    style: str | None = None
    """The computed style that it is, a name in :data:`newsextract.page.nodes.STYLE_NAMES`."""


TABLE_1 = (
    Indicator("HTMLTag", "tag", "content"),
    Indicator("ContentText", "text", "content"),
    Indicator("ContentLength", "text", "content", True),
    Indicator("LinkNum", "links", "content", True),
    Indicator("ImageNum", "media", "content", True),
    Indicator("MultimediaNum", "media", "content", True),
    Indicator("DOMDepth", "depth", "dom", True),
    Indicator("DOMPath", "path", "dom"),
    Indicator("DOMChildrenNum", "context", "dom", True),
    Indicator("DOMSiblingsNum", "context", "dom", True),
    Indicator("FontColor", "font", "visual", style="color"),
    Indicator("FontStyle", "font", "visual", style="font-style"),
    Indicator("FontSize", "font", "visual", True, "font-size"),
    Indicator("FontWeight", "font", "visual", style="font-weight"),
    Indicator("FontFamily", "font", "visual", style="font-family"),
    Indicator("BoxWidth", "box", "visual", True),
    Indicator("BoxHeight", "box", "visual", True),
    Indicator("BoxPadding", "box", "visual", style="padding"),
    Indicator("BoxBorder", "box", "visual", style="border-width"),
    Indicator("BoxMargin", "box", "visual", style="margin"),
    Indicator("BoxSizing", "box", "visual", style="box-sizing"),
    Indicator("LayoutDisplay", "layout", "visual", style="display"),
    Indicator("LayoutPosition", "layout", "visual", style="position"),
    Indicator("LayoutRelativeLeft", "layout", "visual", True),
    Indicator("LayoutRelativeTop", "layout", "visual", True),
    Indicator("LayoutAbsoluteLeft", "layout", "visual", True),
    Indicator("LayoutAbsoluteTop", "layout", "visual", True),
    Indicator("LayoutOverflow", "layout", "visual", style="overflow"),
    Indicator("LayoutVerticalalign", "layout", "visual", style="vertical-align"),
    Indicator("BackgroundColor", "background", "visual", style="background-color"),
    Indicator("BackgroundImage", "background", "visual", style="background-image"),
    Indicator("BackgroundPosition", "background", "visual", style="background-position"),
    Indicator("BackgroundRepeat", "background", "visual", style="background-repeat"),
    Indicator("BackgroundSize", "background", "visual", style="background-size"),
)


def indicators(*, visual: bool, countable: bool) -> tuple[Indicator, ...]:
    """Rows of the table in its order: countable ones or the others; with or without the visual class."""
    return tuple(row for row in TABLE_1 if row.countable == countable and (visual or row.kind != "visual"))


# --- features -------------------------------------------------------------------------------------

_LENGTH = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
_BASE = 0x9E3779B97F4A7C15  # odd, so that it has an inverse modulo 2^64
_FAR = 1e9
"""CSS pixels; what a hostile page puts farther away is put here."""


@dataclass(frozen=True, eq=False)
class Properties:
    """The indicators of some blocks, a column each, in the order of Table 1."""

    countable: NDArray[np.float64]
    """Shape (14, m), or (7, m) without the visual class."""
    codes: NDArray[np.int64]
    """Shape (20, m), or (3, m): the others; equal numbers stand for equal values."""
    visual: bool
    """Whether the visual class is there."""

    def __len__(self) -> int:
        return int(self.codes.shape[1])

    def take(self, rows: NDArray[np.int64]) -> Properties:
        """Those of some blocks."""
        return Properties(self.countable[:, rows], self.codes[:, rows], self.visual)


def properties(nodes: Nodes, blocks: VisualBlockTree) -> Properties:
    """The 34 indicators of each block; without geometry the ten of content and DOM."""
    geometry = nodes.geometry
    tags = _numbered([nodes.tags[i] for i in blocks.nodes.tolist()])
    codes = [tags, _text_codes(nodes, blocks.nodes), _path_codes(nodes)[blocks.nodes]]
    countable = [
        blocks.text_lengths,
        _counted(nodes, blocks, "a"),
        _counted(nodes, blocks, "img"),
        _counted(nodes, blocks, "audio", "video"),
        nodes.depths[blocks.nodes],
        *_context(nodes, blocks),
    ]
    if geometry is not None:
        numbers, names = _visual(nodes, geometry, blocks.nodes)
        countable += numbers
        codes += names
    numbers_of = np.nan_to_num(np.array(countable, dtype=np.float64), nan=0.0, posinf=_FAR, neginf=-_FAR)
    return Properties(np.clip(numbers_of, -_FAR, _FAR), np.array(codes, dtype=np.int64), geometry is not None)


def _numbered(values: list[str]) -> NDArray[np.int64]:
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(value, len(numbers)) for value in values], dtype=np.int64)


def _text_codes(nodes: Nodes, roots: NDArray[np.int64]) -> NDArray[np.int64]:
    """ContentText: equal for subtrees of the same visible text nodes. A polynomial hash of their numbers, modulo 2^64."""
    numbers = _numbered([nodes.texts[i] for i in nodes.shown.tolist()])
    values = np.random.default_rng(0).integers(2**63, size=len(numbers) + 1, dtype=np.uint64)[numbers]
    before = np.zeros(len(values) + 1, dtype=np.uint64)
    np.cumsum(values * _powers(_BASE, len(values)), out=before[1:])
    first, end = np.searchsorted(nodes.shown, roots), np.searchsorted(nodes.shown, nodes.ends[roots])
    shifts = _powers(pow(_BASE, -1, 2**64), len(before))[first]
    codes: NDArray[np.int64] = ((before[end] - before[first]) * shifts).view(np.int64)
    return codes


def _powers(base: int, count: int) -> NDArray[np.uint64]:
    factors = np.full(count, base, dtype=np.uint64)
    factors[:1] = 1
    return np.cumprod(factors, dtype=np.uint64)


def _path_codes(nodes: Nodes) -> NDArray[np.int64]:
    """DOMPath: equal for nodes with the same tags from the root down."""
    numbers: dict[tuple[int, str], int] = {}
    codes = [0] * (len(nodes) + 1)  # the last is that of parent -1
    for node, (tag, parent) in enumerate(zip(nodes.tags, nodes.parents.tolist(), strict=True)):
        if tag:
            codes[node] = numbers.setdefault((codes[parent], tag), len(numbers) + 1)
    return np.array(codes[:-1], dtype=np.int64)


def _counted(nodes: Nodes, blocks: VisualBlockTree, *tags: str) -> NDArray[np.int64]:
    """Visible elements of some tags in each block; of links those that lead somewhere ("valid anchors")."""
    own = np.zeros(len(nodes), dtype=np.int64)
    named = [node for tag in tags for node in nodes.by_tag[tag]]
    own[[node for node in named if nodes.tags[node] != "a" or _leads(nodes.attributes[node].get("href", ""))]] = 1
    return subtree_sums(nodes, own * nodes.visible)[blocks.nodes]


def _leads(address: str) -> bool:
    return bool(address) and address != "#" and not address.lower().startswith("javascript:")


def _context(nodes: Nodes, blocks: VisualBlockTree) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """DOMChildrenNum (of a unit's innermost) and DOMSiblingsNum: elements."""
    element = np.array([bool(tag) for tag in nodes.tags], dtype=np.bool_) & (nodes.parents >= 0)
    children = np.bincount(nodes.parents[element], minlength=len(nodes))
    parents = nodes.parents[blocks.nodes]
    return children[blocks.inner], np.where(parents >= 0, children[parents] - 1, 0)


def _visual(
    nodes: Nodes, geometry: Geometry, rows: NDArray[np.int64]
) -> tuple[list[NDArray[np.float64]], list[NDArray[np.int64]]]:
    """The visual class: countable columns and codes. Offsets are those of the margin edge (Table 1)."""
    table = list(zip(*geometry.style_table, strict=True))
    styles = geometry.styles[rows]
    font_sizes = np.array([_lengths(value)[0] for value in table[STYLE_NAMES.index("font-size")]])[styles]
    margins = np.array([_sides(value) for value in table[STYLE_NAMES.index("margin")]])[styles]
    left, top, width, height = geometry.boxes[rows].astype(np.float64).T
    left, top = left - margins[:, 3], top - margins[:, 0]
    parents = nodes.parents[rows]
    around = np.where(parents[:, None] >= 0, geometry.boxes[parents], 0.0)
    countable = [font_sizes, width, height, left - around[:, 0], top - around[:, 1], left, top]
    named = [row.style for row in indicators(visual=True, countable=False) if row.style]
    return countable, [_numbered(list(table[STYLE_NAMES.index(name)]))[styles] for name in named]


def _lengths(value: str) -> list[float]:
    return [float(number) for number in _LENGTH.findall(value)] or [0.0]


def _sides(value: str) -> tuple[float, float, float, float]:
    """Top, right, bottom, left of a computed ``margin``."""
    top, *rest = _lengths(value)[:4]
    right = rest[0] if rest else top
    return top, right, rest[1] if len(rest) > 1 else top, rest[2] if len(rest) > 2 else right


def described(nodes: Nodes, blocks: VisualBlockTree, columns: Properties, row: int) -> dict[str, str | float]:
    """The indicators of one block by their names in the paper, as JSON values; texts cut at 200 characters."""
    node = int(blocks.nodes[row])
    counts = iter(columns.countable[:, row].tolist())
    style = nodes.geometry.style_table[nodes.geometry.styles[node]] if nodes.geometry else ()
    values: dict[str, str | float] = {}
    for indicator in TABLE_1:
        if indicator.kind == "visual" and not columns.visual:
            continue
        if indicator.countable:
            values[indicator.name] = round(next(counts), 2)
        elif indicator.style:
            values[indicator.name] = style[STYLE_NAMES.index(indicator.style)]
        elif indicator.name == "HTMLTag":
            values[indicator.name] = nodes.tags[node]
        elif indicator.name == "DOMPath":
            values[indicator.name] = _path(nodes, node)
        else:
            values[indicator.name] = nodes.text(node)[:200]
    return values


def _path(nodes: Nodes, node: int) -> str:
    tags: list[str] = []
    while node >= 0:
        tags.append(nodes.tags[node])
        node = int(nodes.parents[node])
    return "/".join(reversed(tags))


# --- parse ----------------------------------------------------------------------------------------
# The parsing layer (§3). The paper gives the page to a browser; here its snapshot has been taken before, with box and style
# of every node. With ``features = "dom"`` the nodes come from the source; nothing is quietly put in a snapshot's place.

NO_SNAPSHOT = 'features = "visual" needs a rendered page: give a snapshot, or set features = "dom"'
"""The reason of status ``no_snapshot``."""


Features = Literal["auto", "visual", "dom"]


def page_nodes(page: Page, features: Features) -> Nodes | None:
    """The nodes of a page; None where the visual ones are asked for and there is no snapshot."""
    if features == "dom" or (features == "auto" and page.snapshot is None):
        return page.nodes
    return page.snapshot.nodes if page.snapshot is not None else None
