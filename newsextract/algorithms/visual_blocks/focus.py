"""The four layers of VBIE in a row: Wang, Liang & Min 2019, as published.

Parsing and features (:mod:`.features`) → processing (:mod:`.processing`) → extraction (below).
One data region a page; R5 spares positioned blocks that are region candidates themselves. ``confidence`` and the region's
score are ours: the share of the region's text that its records hold.

The evidence (plain JSON values): ``blocks``, for each block, and each element with a box that a rule dropped, ``node``,
``parent`` (an index into this list, -1 for the root), ``box`` (left, top, width, height, or None), ``kept``, ``why`` (it was
dropped or is noise), ``properties`` (the indicators of kept ones by name), ``role`` (``region``, ``noise``, ``record``,
``cluster`` or empty) and ``cluster`` (number or None); ``thresholds``; ``notes``.

Cost: 2.7 ms on the median page of the bench, 1.7 µs a node on one of 20,000 records; with evidence 6 ms.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.visual_blocks import features as rules
from newsextract.algorithms.visual_blocks.features import (
    NO_SNAPSHOT,
    Properties,
    VisualBlockTree,
    block_tree,
    described,
    properties,
    seen_nodes,
    text_lengths,
)
from newsextract.algorithms.visual_blocks.processing import (
    VisualBlocksParams,
    cluster_blocks,
    focus,
    local_noise,
    measure,
    region_candidates,
)
from newsextract.page.nodes import Nodes
from newsextract.results import RecordSet, Region

# --- extraction -----------------------------------------------------------------------------------
# The extraction layer of VBIE (Wang, Liang & Min 2019, §6): the data records. Their items are those of newsextract/records/.
#
# **(read)** The largest cluster (§5.3) is the one with the most blocks, of equal ones that with the most area.


def largest_cluster(labels: NDArray[np.int64], areas: NDArray[np.float64]) -> int | None:
    """The number of the records' cluster: by blocks, then by area, then the first; None where all is noise."""
    members = labels >= 0
    if not members.any():
        return None
    counts = np.bincount(labels[members])
    sizes = np.bincount(labels[members], weights=areas[members])
    return int(np.lexsort((-np.arange(len(counts)), sizes, counts))[-1])


def data_region(nodes: Nodes, roots: Sequence[int], score: float) -> Region:
    """A region of records of one subtree each.

    :param roots: at least one, in document order, none within another.
    """
    return Region(common_ancestor(nodes, roots), tuple((root,) for root in roots), score)


def common_ancestor(nodes: Nodes, roots: Sequence[int]) -> int:
    """The smallest subtree that holds all roots; of one root itself."""
    node, last = roots[0], roots[-1]
    while nodes.ends[node] <= last and nodes.parents[node] >= 0:
        node = int(nodes.parents[node])
    return node


# --- focus ----------------------------------------------------------------------------------------

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

    :param nodes: with geometry for ``features = "visual"``; without it the answer is ``no_snapshot``.
    :raises MissingExtra: scikit-learn is not installed.
    """
    seen = seen_nodes(nodes, params.features)
    if seen is None:
        return RecordSet(status="no_snapshot", reason=NO_SNAPSHOT)
    blocks = visual_block_tree(seen, params)
    if not len(blocks) or not blocks.text_lengths[0]:
        reason = "the page has no visible text"
        return RecordSet(status="empty", reason=reason, evidence={"blocks": [], "notes": [reason]} if evidence else None)
    trail = _Trail(seen, blocks, properties(seen, blocks))
    if seen.geometry is None:
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
