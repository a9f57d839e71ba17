"""Definition 3 of Wang & Cao 2016 (§3.3) on a rendered page: where a browser drew the leaves of the simple tree.

The rendered nodes are walked as :mod:`newsextract.dom` walks the parsed ones: what makes no text is left out, inline
elements are unwrapped, and each run of text between two borders of block elements is a block. Where both walks meet the
same block elements, and runs in the same of them, the k-th run is the k-th block.

A block's box is that of its element where the element holds no other block (a paragraph is as wide as its column, however
short its line), together with its texts, which may stand out of it (floats); of text beside other blocks it is the
smallest box around its texts. A table's cell that holds one block is measured by its row, with whose cells it belongs
together (§3.2 names ``tr`` and ``td`` as what splits one content). What no reader sees has no box.

Cost: under 1 µs a rendered node.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.node_attributes.simple_tree import SimpleTree
from newsextract.dom import INLINE, LEFT_OUT, Dom
from newsextract.nodes import Nodes

_CELLS = ("td", "th")
_UNSEEN = 0.5
"""Where more of the leaves' text has no box, the page waits for a script that has not run: of the 12 such pages in folds
1-4 of the bench (1,224) boxes lose the whole article on 5, and much noise on 2."""


def leaf_boxes(dom: Dom, tree: SimpleTree, nodes: Nodes) -> NDArray[np.float64] | str:
    """Where the leaves of a rendered page's simple tree were drawn; see :func:`block_boxes`.

    :returns: a row a leaf, or why the boxes cannot be used.
    """
    boxes = block_boxes(dom, nodes)
    if boxes is None:
        return "the elements that the browser saw are not those of the source"
    boxes = boxes[tree.blocks]
    if tree.texts[np.isnan(boxes[:, 0])].sum() > _UNSEEN * tree.texts.sum():
        return "the browser shows less than half of the text"
    return boxes


def block_boxes(dom: Dom, nodes: Nodes) -> NDArray[np.float64] | None:
    """Where the blocks of a parsed page were drawn.

    :param dom: of :attr:`newsextract.snapshot.Snapshot.html`.
    :param nodes: of the same snapshot.
    :returns: shape (blocks, 4): left, top, right, bottom as shares of the page's width and height, 0–1, from its upper left
        corner; nan for a block that no reader sees. None where the two walks differ: markup that no parser makes, such as
        a paragraph that a script put into a paragraph.
    """
    geometry = nodes.geometry
    walk = _walk(nodes)
    if geometry is None or walk.tags != dom.tags or walk.owners != dom.elements:
        return None
    corners = geometry.boxes.astype(np.float64)
    corners[:, 2:] += corners[:, :2]
    boxes = np.tile((np.inf, np.inf, -np.inf, -np.inf), (len(walk.owners), 1))
    texts, runs = np.array(walk.texts, dtype=np.intp), np.array(walk.runs, dtype=np.intp)
    seen = nodes.visible[texts]
    _extend(boxes, runs[seen], corners[texts[seen]])
    drawn = np.isfinite(boxes[:, 0])
    owners = np.array(walk.owners, dtype=np.intp)
    held = np.asarray(dom.end_blocks, dtype=np.intp) - np.asarray(dom.first_blocks, dtype=np.intp)
    alone = np.flatnonzero(drawn & (held[owners] == 1))
    measured = [dom.parents[e] if dom.tags[e] in _CELLS else e for e in owners[alone].tolist()]
    around = corners[np.array(walk.elements, dtype=np.intp)[measured]] if measured else corners[:0]
    area = (around[:, 2:] > around[:, :2]).all(axis=1)
    _extend(boxes, alone[area], around[area])
    boxes[~drawn] = np.nan
    width, height = (max(1.0, side) for side in geometry.page_size)
    shares: NDArray[np.float64] = np.clip(boxes / (width, height, width, height), 0.0, 1.0)
    return shares


@dataclass(slots=True)
class _Walk:
    """What a walk met, in document order; "element" here is a block element."""

    tags: list[str] = field(default_factory=list)
    """Of each element."""
    elements: list[int] = field(default_factory=list)
    """Its number among the nodes."""
    owners: list[int] = field(default_factory=list)
    """Of each run of text: the innermost element around it; -1: none."""
    texts: list[int] = field(default_factory=list)
    """Text nodes."""
    runs: list[int] = field(default_factory=list)
    """The run of each."""


def _walk(nodes: Nodes) -> _Walk:
    walk = _Walk()
    tags, ends = nodes.tags, nodes.ends.tolist()
    opened: list[int] = []  # elements
    borders: list[int] = []  # where they end
    begins = True  # whether the next text begins a run
    node, count = 0, len(tags)
    while node < count:
        while borders and node >= borders[-1]:
            borders.pop()
            opened.pop()
            begins = True
        tag = tags[node]
        if not tag:
            if begins:
                walk.owners.append(opened[-1] if opened else -1)
                begins = False
            walk.texts.append(node)
            walk.runs.append(len(walk.owners) - 1)
        elif tag in LEFT_OUT:
            node = ends[node]
            continue
        elif tag not in INLINE:
            opened.append(len(walk.tags))
            borders.append(ends[node])
            walk.tags.append(tag)
            walk.elements.append(node)
            begins = True
        node += 1
    return walk


def _extend(boxes: NDArray[np.float64], rows: NDArray[np.intp], others: NDArray[np.float64]) -> None:
    """Widen some boxes until they hold others; a row may come several times."""
    for side, widen in enumerate((np.minimum, np.minimum, np.maximum, np.maximum)):
        widen.at(boxes[:, side], rows, others[:, side])
