"""The segmentation listing of Hou & Yang 2011, §3.1: which cluster is the main block.

Clusters are examined by ``Length``, longest first. One whose variance is over its bound is split, and its parts are
examined in their turn; since a part is never longer than its whole and has no split place of its own, this is the same
as to split first and sort once. The first that satisfies all conditions ends the search; if none does, the best by
(``Length``, B_n) is the answer, marked as doubtful.

Two extensions, both off in the preset ``published``: clusters in list items rank lower (``list_weight``), and
:func:`widen`.

Cost: one sort of the clusters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.page_segmentation.clusters import Clusters, split
from newsextract.algorithms.page_segmentation.leaves import Leaves
from newsextract.algorithms.page_segmentation.params import PageSegmentationParams
from newsextract.dom import Dom

WIDEN_LINKS = 0.3
"""Share of link text that a block which :func:`widen` adds stays below; 0.2–0.7 are equal within 0.001 F1 on folds 1–4."""
CONDITIONS = ("variance", "size", "Length", "B_n", "period")
"""In the order of the columns of :attr:`Examination.holds`."""


@dataclass(frozen=True, slots=True, eq=False)
class Examination:
    """What the listing looked at and what it found. There is at least one cluster."""

    clusters: Clusters
    """Unsplit clusters and parts."""
    order: NDArray[np.int64]
    """The clusters in the order of examination."""
    holds: NDArray[np.bool_]
    """Clusters × :data:`CONDITIONS`."""
    chosen: int
    """The main block."""
    satisfied: bool
    """Whether it satisfies all conditions; else it is the fallback."""


def parts(leaves: Leaves, clusters: Clusters, params: PageSegmentationParams) -> Clusters:
    """The clusters, those over the variance bound split where they have split places."""
    over = clusters.variances > params.variance_bound
    return split(leaves, clusters, over, params.split_low, params.split_high) if over.any() else clusters


def examine(leaves: Leaves, clusters: Clusters, params: PageSegmentationParams) -> Examination:
    """Search the main block among the clusters of a page that has at least one."""
    examined = parts(leaves, clusters, params)
    ranks = examined.lengths * np.where(leaves.in_lists(examined.paths), params.list_weight, 1.0)
    order = np.lexsort((examined.first, -examined.noise, -ranks))
    holds = np.stack(
        (
            examined.variances <= params.variance_bound,
            examined.sizes > params.max_size,
            examined.lengths > params.length_threshold,
            examined.noise > params.bn_threshold,
            examined.periods > params.pre_d,
        ),
        axis=1,
    )
    good = np.all(holds, axis=1)[order]
    at = int(good.argmax())  # the first; 0, which is the best by (Length, B_n), where none is good
    return Examination(examined, order, holds, int(order[at]), bool(good[at]))


def widen(leaves: Leaves, dom: Dom, blocks: NDArray[np.int64], least: float) -> NDArray[np.int64]:
    """Our extension: a segment together with the longer blocks beside it.

    An article's first and last paragraphs, subheads and quotations may have another tag path than most of it. So the
    blocks of the innermost element around the segment (around a single block, of its element's parent) are added where
    they hold enough text and few links.

    :param blocks: the segment's blocks, ascending; at least one.
    :param least: ``Length`` of the blocks to add.
    """
    element = _around(dom, dom.elements[blocks[0]], dom.elements[blocks[-1]])
    first, end = dom.first_blocks[element], dom.end_blocks[element]
    lengths = np.bincount(leaves.blocks, leaves.lengths, minlength=end)[first:end]
    counts = dom.count_sums[first : end + 1], dom.link_count_sums[first : end + 1]
    unlinked, linked = np.diff(counts[0]), np.diff(counts[1])
    added = first + np.flatnonzero((lengths >= least) & (linked < WIDEN_LINKS * (unlinked + linked)))
    return np.union1d(blocks, added)


def _around(dom: Dom, first: int, last: int) -> int:
    """The innermost element around two elements; the parent where they are the same."""
    if first == last:
        return max(0, dom.parents[first])
    while first != last:  # an element's number is above its parent's
        if first > last:
            first = dom.parents[first]
        else:
            last = dom.parents[last]
    return first
