"""Main text by the attributes of the nodes and by what they say: Wang & Cao, "Information extraction from massive Web
pages based on node property and text content", Journal on Communications 37(10), 2016.

The way of a page: pruned and fused to the simple tree (§3.2, *simple tree*), its leaves filtered by density and
position (§3.3, *leaf filter*; of a rendered page by its boxes, *rendering*), what is left judged by its words
(§3.4, :mod:`newsextract.algorithms.value_filter`).

Cost: the tree and a few numpy operations, 2 plain lxml parses; boxes 0.4 more; the value filter about one more
(``benchmarks/extraction.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms import check_ranges
from newsextract.algorithms.value_filter import ValueFilter
from newsextract.errors import ParameterError
from newsextract.model_files import ThresholdFile, Thresholds
from newsextract.page.dom import Dom
from newsextract.page.elements import INLINE, LEFT_OUT
from newsextract.page.nodes import Nodes
from newsextract.page.page import Page
from newsextract.page.pruning import pruned
from newsextract.results import Body

# --- simple tree ----------------------------------------------------------------------------------
# §3.2: a page's tree pruned and fused until each leaf is one piece of meaning.
#
# Pruned (rules 1–7): head, scripts, comments and what else makes no text (left out by :mod:`newsextract.page.dom`), hidden
# elements, forms (:mod:`newsextract.page.dom`), and elements without text. Fused (fusion rules 1–3): inline elements join
# their children and their block parent's other inline children, ``br`` with them; block elements never merge. So the
# leaves of ST are the tree's text blocks that are not pruned.
#
# The fusion rate (§4.2) is the share of a tree's nodes that pruning and fusing remove; the paper has 62.8 % (Table 1). All
# nodes count: elements, texts (white space, too), comments, and what stands in head and scripts.
#
# The fusion rate takes a walk of its own and is for evidence and training.


@dataclass(frozen=True, slots=True, eq=False)
class SimpleTree:
    """The leaves of ST in columns, in document order."""

    blocks: NDArray[np.int64]
    """The block of the tree that each leaf is."""
    texts: NDArray[np.float64]
    """node.text: characters outside links, white space not counted."""
    links: NDArray[np.float64]
    """node.link: links with an address, and images."""
    containers: NDArray[np.int64]
    """The parent of each leaf's element."""
    node_count: int
    """Nodes of ST."""

    def fusion_rate(self, dom_nodes: int) -> float:
        """Share of the nodes that were removed, 0–1.

        :param dom_nodes: nodes of the tree before, of :func:`count_nodes`.
        """
        return 1 - self.node_count / max(1, dom_nodes)


def count_nodes(dom: Dom) -> int:
    """All nodes of a page's tree, from the document element down."""
    return sum(1 for root in dom.nodes[:1] for _ in root.traverse(include_text=True))


def simplify(dom: Dom, *, boilerplate: bool) -> SimpleTree:
    """Prune and fuse (Algorithm 2).

    :param boilerplate: also prune elements that name themselves boilerplate; not in the paper.
    """
    kept = np.flatnonzero(~pruned(dom, boilerplate=boilerplate))
    elements = np.asarray(dom.elements, dtype=np.int64)[kept]
    parents = np.asarray(dom.parents, dtype=np.int64)
    return SimpleTree(
        blocks=kept,
        texts=np.asarray(dom.counts, dtype=np.float64)[kept],
        links=np.asarray(dom.links, dtype=np.float64)[kept],
        containers=parents[elements] if len(elements) else elements,
        node_count=_node_count(dom, kept, elements),
    )


def _node_count(dom: Dom, kept: NDArray[np.int64], elements: NDArray[np.int64]) -> int:
    """Elements that hold kept text, and a leaf apart for text beside block children."""
    if not len(kept):
        return 0
    sums = np.zeros(len(dom.texts) + 1, dtype=np.int64)
    sums[kept + 1] = 1
    sums = np.cumsum(sums)
    held = sums[np.asarray(dom.end_blocks)] - sums[np.asarray(dom.first_blocks)]
    return int((held > 0).sum() + (held[elements] > 1).sum())


# --- leaf filter ----------------------------------------------------------------------------------
# Algorithm 3 of §3.3: which leaves of the simple tree are main text, by position and density.
#
# The visual vector (definition 3) is ⟨top or bottom, width, height⟩ scaled to [0, 1], the smaller of top and bottom. Of a
# rendered page these are the leaf's box in shares of the page (*rendering*). Without one the leaf's place in document
# order stands in: every leaf is as high as every other and as wide as the page, so only top and bottom can be outside Δ3
# and Δ4. A share of the leaves is no share of the page, so both have limits of their own.
#
# Densities (definitions 1 and 2): ρ1 = node.text / text of the tree, ρ2 = node.link / node.text, links counted, not
# their characters. Leaves without text outside links are out.

KEPT, EDGE, NO_TEXT, THIN, LINKED, SMALL_CONTAINER = range(6)
VERDICTS = ("kept", "outside Δ3 or Δ4", "no text", "ρ1 < Δ1", "ρ2 > Δ2", "container too small")


@dataclass(frozen=True, slots=True)
class LeafLimits:
    """The thresholds; the paper prints no values."""

    delta1: float
    """Least ρ1, a share."""
    delta2: float
    """Largest ρ2, links a character."""
    delta3: float
    """Least distance from the end of the page: a share of its leaves, or of the height of a rendered page."""
    delta4: float
    """Least distance from the top, likewise."""
    container: float = 0.0
    """Least share of the page's text in the leaf's container; not in the paper, 0 is off."""
    width: float = 0.0
    """Least width, a share of the page's; in Δ3 and in Δ4."""
    height: float = 0.0
    """Least height, likewise."""


@dataclass(frozen=True, slots=True, eq=False)
class Attributes:
    """Visual vector and densities of the leaves."""

    top: NDArray[np.float64]
    bottom: NDArray[np.float64]
    width: NDArray[np.float64]
    height: NDArray[np.float64]
    rho1: NDArray[np.float64]
    rho2: NDArray[np.float64]
    """Infinite for leaves without text."""
    container: NDArray[np.float64]


def attributes(tree: SimpleTree, boxes: NDArray[np.float64] | None = None) -> Attributes:
    """Attributes of a tree's leaves.

    :param boxes: shape (leaves, 4): left, top, right, bottom as shares of the page, nan for a leaf that no reader sees,
        whose vector is ⟨0, 0, 0, 0⟩. None: document order.
    """
    count = len(tree.blocks)
    if boxes is None:
        number = np.arange(count)
        top, bottom = number / max(1, count), 1 - (number + 1) / max(1, count)
        width, height = np.ones(count), np.full(count, 1 / max(1, count))
    else:
        left, top, right, end = boxes.T
        top, bottom, width, height = np.nan_to_num([top, 1 - end, right - left, end - top])
    total = max(1.0, float(tree.texts.sum()))
    sums = np.bincount(tree.containers + 1, tree.texts)  # + 1: the document element has no parent, -1
    rho2 = np.divide(tree.links, tree.texts, out=np.full(count, np.inf), where=tree.texts > 0)
    return Attributes(top, bottom, width, height, tree.texts / total, rho2, sums[tree.containers + 1] / total)


def verdicts(leaves: Attributes, limits: LeafLimits) -> NDArray[np.int8]:
    """What the filter says of each leaf: an index of :data:`VERDICTS`; 0 is kept."""
    edge = np.where(leaves.top > leaves.bottom, leaves.bottom < limits.delta3, leaves.top < limits.delta4)
    small = (leaves.width < limits.width) | (leaves.height < limits.height)
    conditions = [
        edge | small,
        np.isinf(leaves.rho2),
        leaves.rho1 < limits.delta1,
        leaves.rho2 > limits.delta2,
        leaves.container < limits.container,
    ]
    result: NDArray[np.int8] = np.select(conditions, [EDGE, NO_TEXT, THIN, LINKED, SMALL_CONTAINER], KEPT).astype(np.int8)
    return result


# --- rendering ------------------------------------------------------------------------------------
# Definition 3 (§3.3) on a rendered page: where a browser drew the leaves of the simple tree.
#
# The rendered nodes are walked as :mod:`newsextract.page.dom` walks the parsed ones: what makes no text is left out, inline
# elements are unwrapped, and each run of text between two borders of block elements is a block. Where both walks meet the
# same block elements, and runs in the same of them, the k-th run is the k-th block.
#
# A block's box is that of its element where the element holds no other block (a paragraph is as wide as its column, however
# short its line), together with its texts, which may stand out of it (floats); of text beside other blocks it is the
# smallest box around its texts. A table's cell that holds one block is measured by its row, with whose cells it belongs
# together (§3.2 names ``tr`` and ``td`` as what splits one content). What no reader sees has no box.

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

    :param dom: of :attr:`newsextract.page.snapshot.Snapshot.html`.
    :param nodes: of the same snapshot.
    :returns: shape (blocks, 4): left, top, right, bottom as shares of the page's width and height, 0–1, from its upper left
        corner; nan for a block that no reader sees. None where the two walks differ: markup that no parser makes, such as
        a paragraph that a script put into a paragraph.
    """
    geometry = nodes.geometry
    walk = text_runs(nodes)
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
class TextRuns:
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


def text_runs(nodes: Nodes) -> TextRuns:
    """The runs of text of a rendered page, and the block elements around them."""
    walk = TextRuns()
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


# --- thresholds -----------------------------------------------------------------------------------
# Δ1–Δ4, which the paper does not print; files with them are made by ``newsextract train node-attributes``.

_POSITION = ("delta1", "delta2", "delta3", "delta4", "container")
_BOXES = {"box_bottom": "delta3", "box_top": "delta4", "box_width": "width", "box_height": "height"}
"""The limit that each is, of a rendered page."""
KEYS = (*_POSITION, *_BOXES)
FILE = ThresholdFile(
    format="newsextract node_attributes thresholds",
    keys=KEYS,
    command="newsextract train node-attributes DIR… -o thresholds.toml",
    largest=1.0,
)


@dataclass(frozen=True, slots=True)
class Fitted:
    """The limits of pages without a rendering and of rendered ones; densities are judged alike."""

    position: LeafLimits
    boxes: LeafLimits

    @classmethod
    def of(cls, numbers: Mapping[str, float]) -> Self:
        """From the numbers of a file or of parameters, by :data:`KEYS`."""
        position = LeafLimits(**{key: numbers[key] for key in _POSITION})
        return cls(position, replace(position, **{limit: numbers[key] for key, limit in _BOXES.items()}))

    @property
    def numbers(self) -> dict[str, Any]:
        """Floats by :data:`KEYS`."""
        position = {key: getattr(self.position, key) for key in _POSITION}
        return position | {key: getattr(self.boxes, limit) for key, limit in _BOXES.items()}


def shipped(preset: str) -> Fitted:
    """The limits of a preset, fitted on the bench; see the card in the file."""
    return Fitted.of(FILE.shipped(f"node_attributes_{preset}.toml").numbers)


def read(path: Path) -> Fitted:
    """Limits from a file.

    :raises DataError: it is missing, damaged, of another kind or of another version.
    """
    return Fitted.of(FILE.read(path).numbers)


def write(path: Path, fitted: Fitted, card: dict[str, str | int | float]) -> None:
    """Write a file that :func:`read` reads.

    :raises DataError: it cannot be written.
    """
    FILE.write(path, Thresholds(fitted.numbers, card))


# --- algorithm ------------------------------------------------------------------------------------
_SHOWN = 200
"""Leaves in the evidence."""
_SHARES = ("top", "bottom", "width", "height", "container")
_OF_WIDTH, _OF_HEIGHT = "share of the page's width", "share of the page's height"
NO_SNAPSHOT = 'geometry = "boxes" needs a rendered page: give a snapshot, or set geometry = "auto"'
"""The reason of a result without a snapshot."""


@dataclass(frozen=True, slots=True)
class NodeAttributesParams:
    """Parameters. The paper prints no values for Δ1–Δ4: all are fitted by ``newsextract train node-attributes``."""

    delta1: float = field(default=0.0, metadata={"unit": "share of the text", "section": "§3.3 Δ1", "range": "0–1"})
    """Least plain text density ρ1 of a leaf."""
    delta2: float = field(default=0.05, metadata={"unit": "links a character", "section": "§3.3 Δ2", "range": "0–1"})
    """Largest link density ρ2 of a leaf."""
    delta3: float = field(default=0.0, metadata={"unit": "share of the leaves", "section": "§3.3 Δ3", "range": "0–0.5"})
    """Least distance of a leaf from the end of the page."""
    delta4: float = field(default=0.0, metadata={"unit": "share of the leaves", "section": "§3.3 Δ4", "range": "0–0.5"})
    """Least distance of a leaf from the top of the page."""
    geometry: str = field(default="auto", metadata={"unit": "", "section": "§3.3", "range": "auto, position, boxes"})
    """What Δ3 and Δ4 judge: place in document order, a browser's boxes (none, no text), or boxes where there are any."""
    box_bottom: float = field(default=0.0, metadata={"unit": _OF_HEIGHT, "section": "§3.3 Δ3", "range": "0–0.5"})
    """Least distance of a leaf's box from the end of a rendered page."""
    box_top: float = field(default=0.0, metadata={"unit": _OF_HEIGHT, "section": "§3.3 Δ4", "range": "0–0.5"})
    """Least distance of a leaf's box from the top of a rendered page."""
    box_width: float = field(default=0.0, metadata={"unit": _OF_WIDTH, "section": "§3.3 Δ3, Δ4", "range": "0–1"})
    """Least width of a leaf's box. What no reader sees has none."""
    box_height: float = field(default=0.0, metadata={"unit": _OF_HEIGHT, "section": "§3.3 Δ3, Δ4", "range": "0–1"})
    """Least height of a leaf's box."""
    thresholds: str = field(default="", metadata={"unit": "file", "section": "§3.3", "range": "a path"})
    """A file of ``newsextract train node-attributes``; its numbers replace those above. Empty: none."""
    boilerplate: bool = field(default=False, metadata={"unit": "", "section": "ours", "range": "true, false"})
    """Prune elements whose tag, class or id names boilerplate."""
    container: float = field(default=0.0, metadata={"unit": "share of the text", "section": "ours", "range": "0–1"})
    """Least share of the page's text in a leaf's container; 0 is off."""
    value_filter: bool = field(default=False, metadata={"unit": "", "section": "§3.4", "range": "true, false"})
    """Remove leaves that naive Bayes calls worthless (kind 2)."""
    drop_pages: bool = field(default=False, metadata={"unit": "", "section": "§3.4", "range": "true, false"})
    """Drop the page when its first leaf is worthless (kind 1)."""
    margin: float = field(default=0.0, metadata={"unit": "log odds", "section": "§3.4", "range": "0–1000"})
    """Worthless is what exceeds it; the paper's rule P(c0|d) > P(c1|d) is 0."""
    model: str = field(default="", metadata={"unit": "file", "section": "§3.4", "range": "a path"})
    """A model of ``newsextract train value-filter``. Empty: the shipped one."""

    def __post_init__(self) -> None:
        check_ranges("node_attributes", self)
        if self.geometry not in ("auto", "position", "boxes"):
            raise ParameterError(f"node_attributes: geometry is {self.geometry!r}; expected auto, position or boxes")
        for name, given in (("drop_pages", self.drop_pages), ("model", bool(self.model))):
            if given and not self.value_filter:
                raise ParameterError(f"node_attributes: {name} means nothing without value_filter = true")


PUBLISHED = NodeAttributesParams(**shipped("published").numbers, value_filter=True)
"""Without ``drop_pages``: with the shipped model, which knows content from boilerplate, the paper's rule of the first leaf
drops most pages (docs/measurements/node_attributes.md); it is for models trained on a user's own topics."""
DEFAULT = NodeAttributesParams(**shipped("default").numbers, boilerplate=True)


class NodeAttributes:
    """The algorithm, ready to be called on pages."""

    def __init__(self, params: NodeAttributesParams) -> None:
        self.params = params
        if params.thresholds:
            self.limits = read(Path(params.thresholds))
        else:
            self.limits = Fitted.of({key: getattr(params, key) for key in KEYS})
        self.filter = ValueFilter.load(Path(params.model) if params.model else None) if params.value_filter else None

    def __call__(self, page: Page, *, evidence: bool = False) -> Body:
        """Choose the main text of a page."""
        if self.params.geometry == "boxes" and page.snapshot is None:
            return Body("", reason=NO_SNAPSHOT)
        dom = page.dom
        tree = simplify(dom, boilerplate=self.params.boilerplate)
        boxes, notes = self._boxes(page, tree)
        leaves = attributes(tree, boxes)
        said = verdicts(leaves, self.limits.position if boxes is None else self.limits.boxes)
        remaining = np.flatnonzero(said == KEPT)
        texts = [dom.texts[i] for i in tree.blocks[remaining]]
        odds = np.full(len(texts), -np.inf) if self.filter is None else self.filter.worthless(texts)
        worthless = odds > self.params.margin
        shown = _evidence(dom, tree, leaves, said, remaining, odds) if evidence else None
        if shown is not None:
            shown["geometry"] = "position" if boxes is None else "boxes"

        def nothing(reason: str) -> Body:
            return Body("", reason="; ".join([*notes, reason]), evidence=shown)

        if not len(remaining):
            return nothing("no leaf passes the density and position filter")
        if self.params.drop_pages and worthless[0]:
            return nothing(f"value filter: the first leaf is worthless (log odds {odds[0]:.1f}), so the page is dropped")
        chosen = tree.blocks[remaining[~worthless]].tolist()
        if not chosen:
            return nothing(f"value filter: all {len(remaining)} leaves are worthless")
        removed = int(worthless.sum())
        if removed:
            notes.append(f"value filter: {removed} of {len(remaining)} leaves removed as worthless")
        return Body(
            dom.text(chosen),
            dom.surroundings(chosen[0], chosen[-1]),
            confidence=dom.confidence(chosen),
            reason="; ".join(notes) or None,
            evidence=shown,
            blocks=tuple(chosen),
        )

    def _boxes(self, page: Page, tree: SimpleTree) -> tuple[NDArray[np.float64] | None, list[str]]:
        """Boxes of the leaves, None for document order, and what is to be known of it."""
        if self.params.geometry == "position" or page.snapshot is None:
            return None, []
        boxes = leaf_boxes(page.dom, tree, page.snapshot.nodes)
        return (None, [f"document order in place of boxes: {boxes}"]) if isinstance(boxes, str) else (boxes, [])


def _evidence(
    dom: Dom,
    tree: SimpleTree,
    leaves: Attributes,
    said: NDArray[np.int8],
    remaining: NDArray[np.int64],
    odds: NDArray[np.float64],
) -> dict[str, Any]:
    nodes = count_nodes(dom)
    worthlessness = dict(zip(remaining.tolist(), odds.tolist(), strict=True))
    return {
        "fusion_rate": round(tree.fusion_rate(nodes), 4),
        "nodes": {"dom": nodes, "simple_tree": tree.node_count},
        "leaves": [
            {
                "block": int(tree.blocks[i]),
                "rho1": round(float(leaves.rho1[i]), 5),
                "rho2": None if np.isinf(leaves.rho2[i]) else round(float(leaves.rho2[i]), 5),
                **{name: round(float(getattr(leaves, name)[i]), 4) for name in _SHARES},
                "verdict": VERDICTS[said[i]],
                "worthless": round(worthlessness[i], 2) if np.isfinite(worthlessness.get(i, np.inf)) else None,
                "text": dom.texts[tree.blocks[i]][:80],
            }
            for i in range(min(len(tree.blocks), _SHOWN))
        ],
    }
