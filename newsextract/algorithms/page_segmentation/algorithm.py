"""From a page to its main text: preprocessing, clusters, listing, template; and the evidence of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.page_segmentation import thresholds
from newsextract.algorithms.page_segmentation.clusters import tag_path_clusters
from newsextract.algorithms.page_segmentation.leaves import Leaves, clean, read_leaves
from newsextract.algorithms.page_segmentation.params import PageSegmentationParams
from newsextract.algorithms.page_segmentation.segments import CONDITIONS, Examination, examine, widen
from newsextract.algorithms.page_segmentation.template import frequencies
from newsextract.article import Body
from newsextract.dom import Dom
from newsextract.page import Page
from newsextract.pruning import pruned

_SHOWN = 200
"""Clusters that the evidence lists, in the order of examination."""
_DOUBT = 0.25
"""Factor of the confidence where no cluster satisfied all conditions."""


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """What was chosen on a page that has leaves."""

    leaves: Leaves
    examination: Examination
    blocks: NDArray[np.int64]
    """Blocks of the page's tree in the segment, ascending; at least one."""


class PageSegmentation:
    """The algorithm, ready to be called on pages.

    :raises DataError: the thresholds file is missing, damaged, of another kind or of another version.
    """

    def __init__(self, params: PageSegmentationParams) -> None:
        if params.thresholds:
            trained = thresholds.read(Path(params.thresholds))
            params = replace(params, **{name: getattr(trained, name) for name in thresholds.NUMBERS})
        self.params = params

    def __call__(self, page: Page, *, evidence: bool = False) -> Body:
        """Choose the main text of a page."""
        dom = page.dom
        segment = self.segment(dom)
        if segment is None:
            return Body("", reason="the page has no text leaves", evidence={"clusters": []} if evidence else None)
        frequency = frequencies(dom, segment.blocks)
        printed = frequency >= self.params.frequency_threshold
        chosen: list[int] = segment.blocks[printed if printed.any() else slice(None)].tolist()
        text = clean(dom.text(chosen))
        satisfied = segment.examination.satisfied
        return Body(
            text,
            dom.surroundings(chosen[0], chosen[-1]),
            confidence=dom.confidence(chosen) * (1.0 if satisfied else _DOUBT),
            reason=None if satisfied else "no cluster satisfied all conditions; the longest was taken",
            evidence=_evidence(self.params, segment, frequency) if evidence else None,
            blocks=tuple(chosen),
        )

    def segment(self, dom: Dom) -> Segment | None:
        """The segment of §3.1 before the text template; None where the page has no leaves."""
        params = self.params
        leaves = read_leaves(dom, pruned(dom, boilerplate=params.boilerplate))
        if not len(leaves):
            return None
        found = examine(leaves, tag_path_clusters(leaves), params)
        first, last = found.clusters.first[found.chosen], found.clusters.last[found.chosen]
        blocks = np.unique(leaves.blocks[first : last + 1])
        if params.widen:
            blocks = widen(leaves, dom, blocks, params.widen)
        return Segment(leaves, found, blocks)


def _evidence(params: PageSegmentationParams, segment: Segment, frequency: NDArray[np.int64]) -> dict[str, Any]:
    leaves, found = segment.leaves, segment.examination
    clusters = found.clusters
    return {
        "thresholds": {name: getattr(params, name) for name in thresholds.NUMBERS},
        "leaves": len(leaves),
        "clusters_in_all": len(clusters),
        "satisfied": found.satisfied,
        "blocks": [int(segment.blocks[0]), int(segment.blocks[-1])],
        "frequencies": sorted(set(frequency.tolist())),
        "clusters": [
            {
                "path": leaves.path(int(clusters.paths[i])),
                "first_leaf": int(clusters.first[i]),
                "last_leaf": int(clusters.last[i]),
                "size": int(clusters.sizes[i]),
                "Length": int(clusters.lengths[i]),
                "B_n": round(float(clusters.noise[i]), 2),
                "ΔT": round(float(clusters.periods[i]), 3),
                "σ²": round(float(clusters.variances[i]), 3),
                "chosen": i == found.chosen,
                "failed": [name for name, holds in zip(CONDITIONS, found.holds[i], strict=True) if not holds],
            }
            for i in found.order[:_SHOWN].tolist()
        ],
    }
