"""The processing layer of VBIE (Wang, Liang & Min 2019, §5): region focusing, local noise, and the clustering of blocks.

Equation numbers are the paper's. The OCR lost (4) and (7). **(read)**

- B_o = Offset / length of the page's diagonal; B_c = characters of the block / characters of the page.
- Of nested candidates the innermost stays, of several the largest. Without geometry only T_c is asked, and text is size.
- Aligned with the rest: left and right edge are the pair that most blocks of the region have, give or take 2 pixels.
  First and last blocks are taken off until one is aligned; none is where no two blocks have the same pair.
- A noise key word is the whole visible text of an element, arrows and punctuation around it aside. §5.2 is about the
  blocks at the region's ends: first and last blocks are taken off until one has no key word; none is where all have one.
- T_d: a first or last block whose distance to its neighbour is over T_d of the region's height.
- A block is its own neighbour (MinPts counts it). Two zeros are equal, which (12) as printed denies (*params*).

Cost: one clustering of 20 blocks 0.9 ms, 0.7 ms of it scikit-learn's, of 300 blocks 12 ms. Larger sets are collapsed and
sampled (:func:`cluster_blocks`): 20,000 blocks take 0.1 s.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms import check_ranges
from newsextract.algorithms.visual_blocks import features as rules
from newsextract.algorithms.visual_blocks.features import (
    Kind,
    Properties,
    VisualBlockTree,
    block_tree,
    described,
    indicators,
    properties,
    subtree_sums,
    text_lengths,
)
from newsextract.errors import MissingExtra, ParameterError
from newsextract.model_files import data_table
from newsextract.page.nodes import Geometry, Nodes
from newsextract.results import RecordSet, Region

# --- params ---------------------------------------------------------------------------------------
# §7 gives T_o, T_a, T_c and T_d; the radius r and MinPts are not printed. 0.2 and 2 are our reading, and so is that two
# zeros are equal: by (12) as printed Sim(A, A) is 0.72 for a plain text block, although §5.3 wants it to tend to 1, and of
# eight equal blocks the first, whose relative top is 0, is farther than r from the others.


@dataclass(frozen=True, slots=True)
class VisualBlocksParams:
    """What can be set; the defaults are the preset ``published``."""

    method: Literal["focus", "search"] = field(
        default="focus", metadata={"unit": "", "section": "§5.1", "range": "focus, search"}
    )
    """How records are found. ``focus``: by the thresholds of the paper. ``search``: at all levels, with a scorer (ours)."""
    features: Literal["auto", "visual", "dom"] = field(
        default="visual", metadata={"unit": "", "section": "§4.1, Table 1", "range": "auto, visual, dom"}
    )
    """``visual``: of a rendered page. ``dom``: what the source alone tells. ``auto``: visual where there is a snapshot."""
    centre_offset: float = field(default=0.2, metadata={"unit": "page diagonals", "section": "§5.1 T_o", "range": "0–1"})
    """A region's centre is nearer to the page's than this."""
    area_share: float = field(default=0.4, metadata={"unit": "share of the area", "section": "§5.1 T_a", "range": "0–1"})
    """A region takes more of the page's area than this."""
    text_share: float = field(default=0.4, metadata={"unit": "share of the text", "section": "§5.1 T_c", "range": "0–1"})
    """A region holds more of the page's text than this."""
    gap: float = field(default=0.2, metadata={"unit": "region heights", "section": "§7 T_d", "range": "0–1"})
    """A first or last block farther than this from its neighbour is noise."""
    radius: float = field(default=0.2, metadata={"unit": "1 - similarity", "section": "§5.3 r", "range": "0–1"})
    """Blocks at most this far apart are neighbours."""
    min_points: int = field(default=2, metadata={"unit": "blocks", "section": "§5.3 MinPts", "range": "1–1000"})
    """Neighbours, itself among them, that make a block the core of a cluster."""
    zero_pair: Literal[0, 1] = field(default=1, metadata={"unit": "similarity", "section": "§5.3 (12)", "range": "0, 1"})
    """Similarity of a countable indicator that is zero in both blocks. Printed is 0, by which no block is like itself."""
    align: bool = field(default=True, metadata={"unit": "", "section": "§5.2 step 1", "range": "true, false"})
    """Whether first and last blocks that are not aligned with the others are noise."""

    regions: int = field(default=1, metadata={"unit": "regions", "section": "§5.1, beyond it", "range": "1–100"})
    """Data regions of a page, at most; only with ``search``, the paper has one."""
    model: str = field(default="", metadata={"unit": "file", "section": "ours", "range": "a path"})
    """A model of ``newsextract train visual-blocks``, only with ``search``. Empty: the shipped one."""

    def __post_init__(self) -> None:
        if self.model and self.method != "search":
            raise ParameterError('visual_blocks: model is for method = "search" (preset default); leave one of them out')
        check_ranges("visual_blocks", self)


PUBLISHED = VisualBlocksParams()
DEFAULT = VisualBlocksParams(method="search", features="auto")


# --- processing -----------------------------------------------------------------------------------

MAX_ROWS = 300
"""Different blocks that are clustered with all their distances; of more a sample is."""
_REPRESENTATIVES = 32
"""Blocks of a sampled cluster that others are compared with."""
_CHUNK = 1 << 11
"""Pairs whose similarity is computed at once: so many stay in the cache (300 blocks: 7 ms; all at once: 45 ms)."""
_LEAST_RADIUS = 1e-12
"""scikit-learn takes no radius of 0."""
_SAME_EDGE = 2.0
"""CSS pixels."""
_TRIM = " \t«»‹›<>→←↑↓⟩⟨▶►◀◄❯❮＞＜≫≪|[](){}【】…·:：.,-–—_/\\\"'\xa0"
_LONGEST_KEY_WORD = 40


# --- §5.1 region focusing -------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, slots=True)
class Measures:
    """What the three thresholds are compared with; shape (m,) each. None without geometry."""

    offsets: NDArray[np.float64] | None
    """B_o, (1)–(4)."""
    areas: NDArray[np.float64] | None
    """B_a, (5)–(6)."""
    texts: NDArray[np.float64]
    """B_c, (7)."""

    def passing(self, params: VisualBlocksParams) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
        """Which pass T_o, T_a and T_c."""
        texts = self.texts > params.text_share
        if self.offsets is None or self.areas is None:
            return np.ones_like(texts), np.ones_like(texts), texts
        return self.offsets < params.centre_offset, self.areas > params.area_share, texts


def measure(geometry: Geometry | None, boxes: NDArray[np.floating] | None, lengths: NDArray[np.int64]) -> Measures:
    """B_o, B_a and B_c of boxes.

    :param boxes: shape (m, 4): left, top, width, height.
    :param lengths: characters of each; those of ``lengths[0]``, the root, are the page's.
    """
    texts = lengths / max(1, int(lengths[0])) if len(lengths) else np.zeros(0)
    if geometry is None or boxes is None:
        return Measures(None, None, texts)
    page_width, page_height = (max(1.0, float(side)) for side in geometry.page_size)
    left, top, width, height = np.asarray(boxes, dtype=np.float64).T
    block_x, block_y = left + width / 2, top + height / 2
    offset = np.hypot(page_width / 2 - block_x, page_height / 2 - block_y)
    return Measures(offset / np.hypot(page_width, page_height), width * height / (page_width * page_height), texts)


def region_candidates(measures: Measures, params: VisualBlocksParams) -> NDArray[np.bool_]:
    """Which pass T_o, T_a and T_c."""
    offset, area, text = measures.passing(params)
    passing: NDArray[np.bool_] = offset & area & text
    return passing


def innermost(candidates: NDArray[np.bool_], ends: NDArray[np.int64]) -> NDArray[np.bool_]:
    """The candidates that hold no other (fig. 6)."""
    before = np.concatenate(([0], np.cumsum(candidates)))
    alone: NDArray[np.bool_] = candidates & (before[ends] - before[:-1] == 1)
    return alone


def focus(blocks: VisualBlockTree, candidates: NDArray[np.bool_]) -> int | None:
    """The row of the data region: of the innermost candidates the largest; None without candidates."""
    rows = np.flatnonzero(innermost(candidates, blocks.ends))
    if not len(rows):
        return None
    sizes = blocks.text_lengths[rows] if blocks.boxes is None else blocks.boxes[rows, 2] * blocks.boxes[rows, 3]
    return int(rows[np.argmax(sizes)])


# --- §5.2 local noise -----------------------------------------------------------------------------


def local_noise(
    nodes: Nodes, blocks: VisualBlockTree, rows: NDArray[np.int64], region: int, params: VisualBlocksParams
) -> dict[int, str]:
    """The noise among the children of a region: row → why."""
    noise: dict[int, str] = {}
    if blocks.boxes is not None and params.align:
        noise.update(dict.fromkeys(misaligned(blocks.boxes, rows), "noise: not aligned with the rest"))
    aligned = np.array([row for row in rows.tolist() if row not in noise], dtype=np.int64)
    words = subtree_sums(nodes, key_words(nodes))[blocks.nodes[aligned]]
    noise.update(dict.fromkeys(_ends(aligned, words == 0), "noise: a key word"))
    if blocks.boxes is not None:
        kept = np.array([row for row in rows.tolist() if row not in noise], dtype=np.int64)
        noise.update(dict.fromkeys(distant(blocks.boxes, kept, region, params.gap), "noise: farther off than T_d"))
    return noise


def misaligned(boxes: NDArray[np.float64], rows: NDArray[np.int64]) -> list[int]:
    """First and last rows whose left and right edges are not those of the rest (step 1)."""
    if len(rows) < 2:
        return []
    edges = np.stack((boxes[rows, 0], boxes[rows, 0] + boxes[rows, 2]), axis=1)
    near: NDArray[np.bool_] = np.all(np.abs(edges[:, None] - _columns(edges)) <= _SAME_EDGE, axis=2)
    shared = near.sum(axis=0)
    if shared.max() < 2:
        return []
    return _ends(rows, near[:, int(np.argmax(shared))])


def _ends(rows: NDArray[np.int64], good: NDArray[np.bool_]) -> list[int]:
    """The rows before the first good one and after the last; none where none is good."""
    places = np.flatnonzero(good)
    return [*rows[: places[0]].tolist(), *rows[places[-1] + 1 :].tolist()] if len(places) else []


def _columns(edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """The pairs of left and right edge that occur most, 16 at most, those of the first blocks first."""
    pairs, first, counts = np.unique(np.round(edges), axis=0, return_index=True, return_counts=True)
    columns: NDArray[np.float64] = pairs[np.lexsort((first, -counts))[:16]]
    return columns


def distant(boxes: NDArray[np.float64], rows: NDArray[np.int64], region: int, gap: float) -> list[int]:
    """The first and the last row where more than ``gap`` of the region's height is between it and its neighbour (T_d)."""
    if len(rows) < 3:
        return []
    limit = gap * boxes[region, 3]
    tops = boxes[rows, 1]
    bottoms = tops + boxes[rows, 3]
    found = [(rows[0], tops[1] - bottoms[0]), (rows[-1], tops[-1] - bottoms[-2])]
    return [int(row) for row, distance in found if distance > limit]


@cache
def noise_words() -> frozenset[str]:
    """The noise key words of all languages, case folded."""
    data = data_table("data/noise_words.toml")
    return frozenset(word.casefold() for words in data["words"].values() for word in words)


def key_words(nodes: Nodes) -> NDArray[np.int64]:
    """1 for each text node that is a noise key word and the only visible text of its element (step 2)."""
    marks = np.zeros(len(nodes), dtype=np.int64)
    words = noise_words()
    short = [i for i in nodes.shown.tolist() if len(nodes.texts[i]) <= _LONGEST_KEY_WORD]
    found = [i for i in short if nodes.texts[i].strip(_TRIM).casefold() in words]
    if found:
        shown = np.zeros(len(nodes), dtype=np.int64)
        shown[nodes.shown] = 1
        parents = nodes.parents[found]
        marks[found] = (parents >= 0) & (subtree_sums(nodes, shown)[parents] == 1)
    return marks


# --- §5.3 clustering ------------------------------------------------------------------------------


def similarity(blocks: Properties, others: Properties | None = None, *, zero_pair: int = 0) -> NDArray[np.float64]:
    """Sim of each block with each, (8)–(12); 0–1, shape (m, k).

    :param others: the k blocks to compare with; None: the same.
    :param zero_pair: what (12) gives a countable indicator that is zero in both: 0 as printed, 1 as equal.
    """
    others = blocks if others is None else others
    weights, code_weights = _weights(blocks.visual, True), _weights(blocks.visual, False)
    result = np.empty((len(blocks), len(others)))
    step = max(1, _CHUNK // max(1, len(others)))
    for start in range(0, len(blocks), step):
        a, b = blocks.countable[:, start : start + step, None], others.countable[:, None, :]
        squares = a * a + b * b
        alike = np.full(squares.shape, float(zero_pair))
        np.divide(2 * a * b, squares, out=alike, where=squares > 0)  # = 1 - (a - b)² / (a² + b²)
        np.clip(alike, 0.0, 1.0, out=alike)  # offsets may be negative
        equal = blocks.codes[:, start : start + step, None] == others.codes[:, None, :]
        part = np.tensordot(weights, alike, axes=1) + np.tensordot(code_weights, equal.astype(np.float64), axes=1)
        result[start : start + step] = part
    return np.minimum(result, 1.0)


@cache
def _weights(visual: bool, countable: bool) -> NDArray[np.float64]:
    """Of each indicator in Sim: the mean over the classes (8) of the means over their indicators (9)–(11)."""
    rows = [*indicators(visual=visual, countable=True), *indicators(visual=visual, countable=False)]
    kinds: tuple[Kind, ...] = ("content", "dom", "visual") if visual else ("content", "dom")
    size = {kind: sum(row.kind == kind for row in rows) for kind in kinds}
    return np.array([1 / len(kinds) / size[row.kind] for row in rows if row.countable == countable])


def cluster(
    distances: NDArray[np.float64], radius: float, min_points: int, weights: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """Algorithm 1 (DBSCAN): a cluster's number for each block, from 0; -1 for noise.

    :param distances: shape (m, m), ≥ 0: 1 - Sim, (13). The diagonal is not read.
    :param weights: how many equal blocks a row stands for.
    :raises MissingExtra: scikit-learn is not installed.
    """
    try:
        from sklearn.cluster import DBSCAN
    except ImportError as error:
        raise MissingExtra("scikit-learn", "records", "clustering visual blocks") from error
    if not len(distances):
        return np.zeros(0, dtype=np.int64)
    matrix = distances.copy()
    np.fill_diagonal(matrix, 0.0)
    model = DBSCAN(eps=max(radius, _LEAST_RADIUS), min_samples=min_points, metric="precomputed")
    labels: NDArray[np.int64] = model.fit(matrix, sample_weight=weights).labels_.astype(np.int64)
    return labels


def cluster_blocks(blocks: Properties, params: VisualBlocksParams) -> tuple[NDArray[np.int64], str | None]:
    """Clusters of blocks, and a note where not all distances were computed.

    Over :data:`MAX_ROWS` blocks, equal ones count as one with its weight; where more than that differ, as many are taken
    at even distances, and each of the others joins the cluster of the nearest of up to 32 of its blocks, within r.
    """
    if len(blocks) <= MAX_ROWS:
        return cluster(_distances(blocks, None, params), params.radius, params.min_points), None
    _, first, inverse, counts = np.unique(_signatures(blocks), return_index=True, return_inverse=True, return_counts=True)
    distinct = blocks.take(first)
    if len(first) <= MAX_ROWS:
        labels = cluster(_distances(distinct, None, params), params.radius, params.min_points, counts)
        return labels[inverse], f"{len(blocks)} blocks, of which {len(first)} differ, were clustered"
    order = np.argsort(first)  # document order
    sample = order[np.linspace(0, len(order) - 1, MAX_ROWS).astype(np.int64)]
    labels = np.full(len(first), -1, dtype=np.int64)
    found = cluster(_distances(distinct.take(sample), None, params), params.radius, params.min_points, counts[sample])
    labels[sample] = found
    rest = np.setdiff1d(order, sample)
    shown = _representatives(found)
    if len(shown):
        distances = _distances(distinct.take(rest), distinct.take(sample[shown]), params)
        nearest = np.argmin(distances, axis=1)
        within = distances[np.arange(len(rest)), nearest] <= params.radius
        labels[rest] = np.where(within, found[shown][nearest], -1)
    note = f"{MAX_ROWS} of {len(first)} different blocks were clustered, the others joined the nearest cluster"
    return labels[inverse], note


def _distances(blocks: Properties, others: Properties | None, params: VisualBlocksParams) -> NDArray[np.float64]:
    """Dis, (13)."""
    distances: NDArray[np.float64] = 1.0 - similarity(blocks, others, zero_pair=params.zero_pair)
    return distances


def _representatives(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Up to 32 members of each cluster, evenly taken."""
    chosen: list[NDArray[np.int64]] = []
    for label in range(int(labels.max(initial=-1)) + 1):
        members = np.flatnonzero(labels == label)
        places = np.linspace(0, len(members) - 1, min(len(members), _REPRESENTATIVES)).astype(np.int64)
        chosen.append(members[places])
    return np.concatenate(chosen) if chosen else np.zeros(0, dtype=np.int64)


def _signatures(blocks: Properties) -> NDArray[np.uint64]:
    """Equal for blocks that are equal in all indicators."""
    columns = np.concatenate((blocks.countable.view(np.uint64), blocks.codes.view(np.uint64)))
    factors = np.random.default_rng(0).integers(2**63, size=len(columns), dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    signatures: NDArray[np.uint64] = (columns * factors[:, None]).sum(axis=0, dtype=np.uint64)
    return signatures


# --- extraction -----------------------------------------------------------------------------------
# The data records (§6). **(read)** The largest cluster (§5.3) is the one with the most blocks, of equal ones that with the
# most area. Their data items: :mod:`newsextract.records.items`.


def largest_cluster(labels: NDArray[np.int64], areas: NDArray[np.float64]) -> int | None:
    """The number of the records' cluster: by blocks, then by area, then the first; None where all is noise."""
    members = labels >= 0
    if not members.any():
        return None
    counts = np.bincount(labels[members])
    sizes = np.bincount(labels[members], weights=areas[members])
    return int(np.lexsort((-np.arange(len(counts)), sizes, counts))[-1])


def data_region(nodes: Nodes, roots: Sequence[int], score: float) -> Region:
    """A region of records of one subtree each, at least one, in document order, none within another."""
    return Region(common_ancestor(nodes, roots), tuple((root,) for root in roots), score)


def common_ancestor(nodes: Nodes, roots: Sequence[int]) -> int:
    """The smallest subtree that holds all roots; of one root itself."""
    node, last = roots[0], roots[-1]
    while nodes.ends[node] <= last and nodes.parents[node] >= 0:
        node = int(nodes.parents[node])
    return node


# --- focus ----------------------------------------------------------------------------------------
# The four layers in a row, as published.
#
# Parsing and features (:mod:`.features`) → processing (:mod:`.processing`) → extraction (above). One data region a page; R5
# spares positioned blocks that are region candidates themselves. ``confidence`` and the region's score are ours: the share
# of the region's text that its records hold.
#
# The evidence (plain JSON values): ``blocks``, for each block, and each element with a box that a rule dropped, ``node``,
# ``parent`` (an index into this list, -1 for the root), ``box`` (left, top, width, height, or None), ``kept``, ``why`` (it
# was dropped or is noise), ``properties`` (the indicators of kept ones by name), ``role`` (``region``, ``noise``,
# ``record``, ``cluster`` or empty) and ``cluster`` (number or None); ``thresholds``; ``notes``.

MAX_EVIDENCE = 3_000
"""Blocks in the evidence; of more the first."""
_NO_GEOMETRY = (
    "without a browser: R1 and R5, T_o, T_a, T_d and the alignment cannot be judged, "
    "and the visual class is left out of similarity"
)


@dataclass
class _Trail:
    """What happened on the way, for the evidence."""

    nodes: Nodes
    blocks: VisualBlockTree
    columns: Properties
    roles: dict[int, str] = field(default_factory=dict)
    why: dict[int, str] = field(default_factory=dict)
    clusters: dict[int, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def focus_records(nodes: Nodes, params: VisualBlocksParams, *, evidence: bool = False) -> RecordSet:
    """The records of a page's data region.

    :param nodes: of :func:`~newsextract.algorithms.visual_blocks.features.page_nodes`.
    :raises MissingExtra: scikit-learn is not installed.
    """
    blocks = visual_block_tree(nodes, params)
    if not len(blocks) or not blocks.text_lengths[0]:
        reason = "the page has no visible text"
        return RecordSet(status="empty", reason=reason, evidence={"blocks": [], "notes": [reason]} if evidence else None)
    trail = _Trail(nodes, blocks, properties(nodes, blocks))
    if nodes.geometry is None:
        trail.notes.append(_NO_GEOMETRY)
    region = _region(trail, params)
    told = _evidence(trail, params) if evidence else None
    if region is None:
        return RecordSet(status="empty", reason=trail.notes[-1], evidence=told)
    return RecordSet((region,), confidence=region.score, evidence=told)


def visual_block_tree(nodes: Nodes, params: VisualBlocksParams) -> VisualBlockTree:
    """The tree of §4.3, in which a positioned node that is a region candidate stays."""
    boxes = nodes.geometry.boxes if nodes.geometry else None
    return block_tree(nodes, positioned=region_candidates(measure(nodes.geometry, boxes, text_lengths(nodes)), params))


def _region(trail: _Trail, params: VisualBlocksParams) -> Region | None:
    """The records; None where there are none, the last note says why."""
    blocks = trail.blocks
    measures = measure(trail.nodes.geometry, blocks.boxes, blocks.text_lengths)
    region = focus(blocks, region_candidates(measures, params))
    if region is None:
        counts = [int(mask.sum()) for mask in measures.passing(params)]
        trail.notes.append(
            f"no block passes T_o, T_a and T_c: of {len(blocks)} blocks {counts[0]} are near the centre, "
            f"{counts[1]} are large, {counts[2]} hold enough text"
        )
        return None
    trail.roles[region] = "region"
    rows = np.array(blocks.children[region], dtype=np.int64)
    trail.why.update(local_noise(trail.nodes, blocks, rows, region, params))
    trail.roles.update(dict.fromkeys(trail.why, "noise"))
    kept = np.array([row for row in rows.tolist() if row not in trail.why], dtype=np.int64)
    if not len(kept):  # noise stands at the ends of a region; its whole content never is
        trail.notes.append("the data region holds no further block")
        return None
    return _records(trail, region, kept, params)


def _records(trail: _Trail, region: int, rows: NDArray[np.int64], params: VisualBlocksParams) -> Region | None:
    """The largest cluster of some blocks."""
    blocks = trail.blocks
    labels, note = cluster_blocks(trail.columns.take(rows), params)
    if note:
        trail.notes.append(note)
    trail.clusters.update({row: label for row, label in zip(rows.tolist(), labels.tolist(), strict=True) if label >= 0})
    trail.roles.update(dict.fromkeys(trail.clusters, "cluster"))
    areas = np.zeros(len(rows)) if blocks.boxes is None else blocks.boxes[rows, 2] * blocks.boxes[rows, 3]
    chosen = largest_cluster(labels, areas)
    if chosen is None:
        trail.notes.append(
            f"no {params.min_points} of the {len(rows)} blocks that are left of the region's "
            f"{len(blocks.children[region])} are within r = {params.radius:g} of each other"
        )
        return None
    records = rows[labels == chosen]
    trail.roles.update(dict.fromkeys(records.tolist(), "record"))
    score = round(float(blocks.text_lengths[records].sum() / max(1, blocks.text_lengths[region])), 4)
    return data_region(trail.nodes, blocks.nodes[records].tolist(), min(1.0, score))


def _evidence(trail: _Trail, params: VisualBlocksParams) -> dict[str, Any]:
    blocks, nodes = trail.blocks, trail.nodes
    boxes = nodes.geometry.boxes if nodes.geometry else None
    drawn = boxes[:, 2:].min(axis=1) > 0 if boxes is not None else np.zeros(len(nodes), dtype=np.bool_)
    dropped = (blocks.rules > rules.KEPT) & (blocks.rules != rules.FINE) & (drawn | (blocks.rules == rules.R2))
    listed = np.flatnonzero(dropped | (blocks.rules == rules.KEPT))
    notes = trail.notes
    if len(listed) > MAX_EVIDENCE:
        notes = [*notes, f"only the first {MAX_EVIDENCE} of {len(listed)} blocks are listed"]
        listed = listed[:MAX_EVIDENCE]
    row_of = dict(zip(blocks.nodes.tolist(), range(len(blocks)), strict=True))
    place = {node: index for index, node in enumerate(listed.tolist())}
    entries = []
    for node in listed.tolist():
        row = row_of.get(node)
        above = int(nodes.parents[node])
        while above >= 0 and above not in row_of:
            above = int(nodes.parents[above])
        entries.append(
            {
                "node": node,
                "parent": place.get(above, -1),
                "box": [round(side, 1) for side in boxes[node].tolist()] if boxes is not None else None,
                "kept": row is not None,
                "why": rules.WHY[int(blocks.rules[node])] if row is None else trail.why.get(row, ""),
                "properties": {} if row is None else described(nodes, blocks, trail.columns, row),
                "role": "" if row is None else trail.roles.get(row, ""),
                "cluster": None if row is None else trail.clusters.get(row),
            }
        )
    return {"blocks": entries, "thresholds": dataclasses.asdict(params), "notes": notes}
