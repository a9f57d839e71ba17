"""The default preset: records searched at all levels of the page, and chosen by what is learned from pages of other sites.

Candidate sets (:mod:`.candidates`) are described (:mod:`.candidate_features`, with a browser also :mod:`.appearance`) and
scored; the best one that does not overlap a better one is a data region. Its records are judged one by one, because
advertisements, notices and rows of controls stand among them (noise inside the region, an open end of the paper).

Cost: see benchmarks/records.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.visual_blocks import appearance, candidate_features, containment, record_features
from newsextract.algorithms.visual_blocks.candidates import Candidate, Columns, candidates
from newsextract.algorithms.visual_blocks.model import Judges
from newsextract.algorithms.visual_blocks.node_counts import Counts
from newsextract.nodes import Nodes
from newsextract.record import RecordSet, Region

LEAST_SCORE = 0.15
"""A page whose best set has a lower score has no records. Measured on folds 1-4: of pages whose records were taken out, 0.29
pass as rendered and 0.31 as source (with 0.1 in a trial: 0.43 and 0.58); it costs 0.003 macro F1."""
SURE = 0.9
"""From this score on, the best set of what was drawn stands, and what the page hides is not looked at. On sites not seen
(folds 1-4, trials with fewer trees) macro F1 is equal for 0.7 to 0.9, and 0.0004 lower without this bound."""
OTHER_REGION = 0.5
"""Least score of a page's further regions."""
LEAST_RECORD = -0.6
"""Log odds below which a record is left out; between -0.9 and 0 the figures on folds 1-4 are equal."""
_SHOWN = 20
"""Candidates in the evidence."""


@dataclass(frozen=True, eq=False)
class Described:
    """A page's candidates and their features."""

    columns: Columns
    counts: Counts
    found: list[Candidate]
    within: NDArray[np.bool_]
    """Of :func:`.containment.containment`."""
    features: NDArray[np.float32]


def describe(nodes: Nodes) -> Described | None:
    """The candidates of a page; None where there are none."""
    columns = Columns(nodes)
    found = candidates(columns)
    if not found:
        return None
    counts = Counts(columns)
    within = containment.containment(found, len(nodes.shown))
    features = candidate_features.features(columns, counts, found, within)
    if nodes.geometry is not None:
        features = np.concatenate((features, appearance.appearance(nodes, nodes.geometry, found)), axis=1)
    return Described(columns, counts, found, within, features)


def search_records(nodes: Nodes, judges: Judges, regions: int = 1, *, evidence: bool = False) -> RecordSet:
    """The data regions of a page.

    :param regions: how many there may be.
    """
    drawn = nodes
    page, scores = _scored(nodes, judges)
    if (page is None or scores.max() < SURE) and drawn.written is not drawn:
        with_hidden, its_scores = _scored(drawn.written, judges)
        if with_hidden is not None and (page is None or its_scores.max() > scores.max()):
            nodes, page, scores = drawn.written, with_hidden, its_scores
    if page is None:
        return RecordSet(status="empty", reason="no two parts of the page are built alike")
    order = np.argsort(-scores, kind="stable")
    best = float(scores[order[0]])
    shown = _evidence(nodes, page.found, scores, order) if evidence else None
    if best < LEAST_SCORE:
        reason = f"no set of parts looks like records (the best has {best:.2f}, {LEAST_SCORE} is asked for)"
        return RecordSet(status="empty", reason=reason, evidence=shown)
    taken: list[Region] = []
    covered = np.zeros(len(nodes.shown) + 1, dtype=np.bool_)
    for number in order.tolist():
        if len(taken) == regions or (taken and scores[number] < OTHER_REGION):
            break
        candidate = page.found[number]
        if any(covered[first:end].any() for first, end in candidate.spans.tolist()):
            continue
        for first, end in candidate.spans.tolist():
            covered[first:end] = True
        taken.append(_region(nodes, page, candidate, judges, float(np.clip(scores[number], 0, 1))))
    confidence = float(np.clip(round(best, 4), 0, 1))
    return RecordSet(tuple(taken), written=nodes is not drawn, confidence=confidence, evidence=shown)


def _scored(nodes: Nodes, judges: Judges) -> tuple[Described | None, NDArray[np.float64]]:
    """A page's candidates and their scores; None and no scores where it has none."""
    page = describe(nodes)
    return (None, np.zeros(0)) if page is None else (page, judges.sets.predict(page.features))


def _region(nodes: Nodes, page: Described, candidate: Candidate, judges: Judges, score: float) -> Region:
    """A candidate without the parts that are no records."""
    odds = judges.records.predict(record_features.features(page.columns, page.counts, candidate))
    kept = odds >= LEAST_RECORD
    if not kept.any():
        kept[:] = True
    roots = [
        _siblings(nodes, int(first), int(last))
        for first, last, keep in zip(candidate.firsts, candidate.lasts, kept, strict=True)
        if keep
    ]
    return Region(_common(nodes, roots[0][0], roots[-1][-1]), tuple(roots), score)


def _siblings(nodes: Nodes, first: int, last: int) -> tuple[int, ...]:
    """The roots from the first to the last."""
    roots = [first]
    while roots[-1] < last:
        roots.append(int(nodes.ends[roots[-1]]))
    return tuple(roots)


def _common(nodes: Nodes, first: int, last: int) -> int:
    """The smallest subtree that holds both nodes and is more than one of them."""
    node = int(nodes.parents[first])
    while node > 0 and nodes.ends[node] <= last:
        node = int(nodes.parents[node])
    return max(node, 0)


def _evidence(nodes: Nodes, found: list[Candidate], scores: NDArray[np.float64], order: NDArray[np.intp]) -> dict[str, Any]:
    """The best candidates, as plain values."""
    return {
        "candidates": [
            {
                "score": round(float(scores[number]), 4),
                "kind": found[number].kind,
                "records": len(found[number]),
                "root": nodes.tags[int(found[number].firsts[0])],
                "class": nodes.attributes[int(found[number].firsts[0])].get("class", ""),
                "nodes": found[number].firsts[:200].tolist(),
            }
            for number in order[:_SHOWN].tolist()
        ]
    }
