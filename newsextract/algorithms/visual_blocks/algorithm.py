"""`visual_blocks`: records of a page, by the paper's four layers (``published``) or searched at all levels (``default``).

Wang, Liang & Min 2019, Multi-recording complex Web page information extraction algorithm based on visual block (VBIE).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.visual_blocks import candidate_features
from newsextract.algorithms.visual_blocks import candidates as containment
from newsextract.algorithms.visual_blocks.candidate_features import NodeCounts
from newsextract.algorithms.visual_blocks.candidates import Candidate, Columns, candidates, common_parent, in_phase
from newsextract.algorithms.visual_blocks.features import NO_SNAPSHOT, page_nodes
from newsextract.algorithms.visual_blocks.processing import DEFAULT, PUBLISHED, VisualBlocksParams, focus_records
from newsextract.errors import DataError
from newsextract.model_files import ModelKind, read, write
from newsextract.page.nodes import Nodes
from newsextract.page.page import Page
from newsextract.results import RecordSet, Region

__all__ = ["DEFAULT", "PUBLISHED", "VisualBlocks", "VisualBlocksParams"]


# --- trees ----------------------------------------------------------------------------------------
# Boosted regression trees as plain arrays, evaluated with numpy: Friedman 2001, Greedy function approximation. Scikit-learn
# trains them (:mod:`newsextract.lab.train_pages`); nothing of it is needed here.


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """An ensemble; nodes of all trees one behind another."""

    feature: NDArray[np.int16]
    """Shape (nodes,): the column that a node asks for; -1 of a leaf."""
    threshold: NDArray[np.float32]
    """Shape (nodes,): up to here to the left; of a leaf its value."""
    left: NDArray[np.int32]
    """Shape (nodes,): the left child; the right one stands behind it. Of a leaf the leaf itself."""
    roots: NDArray[np.int32]
    """Shape (trees,)."""
    constant: NDArray[np.float32]
    """Shape (1,): what the values of the trees are added to."""

    def predict(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """A value a row.

        :param rows: shape (rows, features).
        """
        values, count = rows.T.ravel(), len(rows)
        leaves: NDArray[np.int32] = np.repeat(self.roots, count)  # tree by tree: nodes of one are close together in memory
        node, place, row = leaves, np.arange(len(leaves)), np.tile(np.arange(count), len(self.roots))
        while True:
            feature = self.feature.take(node)
            inner = np.flatnonzero(feature >= 0)
            if not len(inner):
                break
            node, place, row = node.take(inner), place.take(inner), row.take(inner)
            right = values.take(feature.take(inner) * np.intp(count) + row) > self.threshold.take(node)
            node = self.left.take(node) + right
            leaves[place] = node
        found = np.ascontiguousarray(self.threshold.take(leaves).reshape(-1, count).T)  # the sum depends on the order
        total: NDArray[np.float64] = found.sum(axis=1, dtype=np.float64) + float(self.constant[0])
        return total

    def arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Named arrays for a model file."""
        return {f"{prefix}.{name}": getattr(self, name) for name in self.__slots__}


def from_arrays(arrays: Mapping[str, NDArray[Any]], prefix: str, features: int) -> Trees:
    """Trees from a model file's arrays.

    :param features: how many columns there are.
    :raises ValueError: an array is missing, of another type, or leads nowhere; so that no walk fails or never ends.
    """
    types = {"feature": np.int16, "threshold": np.float32, "left": np.int32, "roots": np.int32, "constant": np.float32}
    found: dict[str, NDArray[Any]] = {}
    for name, kind in types.items():
        array = arrays.get(f"{prefix}.{name}")
        if array is None or array.dtype != kind or array.ndim != 1 or not len(array):
            raise ValueError(f"the array {prefix}.{name} is missing or damaged")
        found[name] = array
    nodes = len(found["feature"])
    if not (len(found["threshold"]) == len(found["left"]) == nodes and np.isfinite(found["threshold"]).all()):
        raise ValueError(f"the arrays of {prefix} do not fit together")
    inner = found["feature"] >= 0
    children = found["left"][inner]
    if (found["feature"] >= features).any() or (children <= np.flatnonzero(inner)).any() or (children >= nodes - 1).any():
        raise ValueError(f"the trees of {prefix} lead nowhere")
    if (found["left"][~inner] != np.flatnonzero(~inner)).any():
        raise ValueError(f"the leaves of {prefix} lead on")
    if (found["roots"] < 0).any() or (found["roots"] >= nodes).any() or not np.isfinite(found["constant"]).all():
        raise ValueError(f"the roots of {prefix} are damaged")
    return Trees(**found)


# --- model ----------------------------------------------------------------------------------------
# Trees that score candidate sets, and trees that judge single records: two pairs, for pages that a browser drew (``visual``)
# and for pages that only the source is known of (``dom``).

KINDS = ("visual", "dom")
SHIPPED = "models/visual_blocks.npz"
_MEND = "train one with: newsextract train visual-blocks DIR… -o model.npz"
_FEATURES = {
    "set_features": [*candidate_features.NAMES, *candidate_features.APPEARANCE_NAMES],
    "record_features": list(candidate_features.RECORD_NAMES),
}
_KIND = ModelKind("newsextract visual_blocks model", 1, "model of visual_blocks", _MEND, _FEATURES)


@dataclass(frozen=True, slots=True)
class Judges:
    """What judges pages of one kind."""

    sets: Trees
    """The F1 to be expected of a candidate set; in ``dom`` without the columns of :mod:`.candidate_features`."""
    records: Trees
    """The log odds that a record of a chosen set is one."""


@dataclass(frozen=True, slots=True)
class VisualBlocksModel:
    """A model and where it comes from."""

    judges: Mapping[str, Judges]
    """By the names of :data:`KINDS`."""
    card: Mapping[str, Any]
    """Data, folds, pages, sites, seed."""


@lru_cache(maxsize=4)
def load(path: Path | None = None) -> VisualBlocksModel:
    """A model from a file, or the shipped one.

    :raises DataError: the file is missing, damaged, of another kind, version or set of features.
    """
    arrays, card = read(_KIND, path, SHIPPED)
    try:
        judges = {
            kind: Judges(*(from_arrays(arrays, f"{kind}.{part}", width(kind, part)) for part in PARTS)) for kind in KINDS
        }
    except ValueError as error:
        raise DataError(f"{path or SHIPPED}: {error}; {_MEND}") from error
    return VisualBlocksModel(judges, card)


PARTS = ("sets", "records")


def width(kind: str, part: str) -> int:
    """How many features a judge reads."""
    if part == "records":
        return len(candidate_features.RECORD_NAMES)
    return len(candidate_features.NAMES) + (len(candidate_features.APPEARANCE_NAMES) if kind == "visual" else 0)


def save(path: Path, judges: Mapping[str, Judges], card: Mapping[str, Any]) -> None:
    """Write a model file. The same trees and card make the same bytes.

    :raises DataError: it cannot be written.
    """
    arrays: dict[str, NDArray[Any]] = {}
    for kind, own in judges.items():
        for part in PARTS:
            arrays |= getattr(own, part).arrays(f"{kind}.{part}")
    write(_KIND, path, arrays, card)


# --- search ---------------------------------------------------------------------------------------
# The default preset: candidate sets at all levels of the page (:mod:`.candidates`) are described
# (:mod:`.candidate_features`) and scored; the best one that does not overlap a better one is a data region. Its records are
# judged one by one, because advertisements, notices and rows of controls stand among them (noise inside the region, an open
# end of the paper).

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
_NEARLY = 0.3
"""How much lower the score of records may be that hold those of the best set, each with little besides."""
_LIKELY = 0.6
"""How likely the records of all groups are, at least, as a share of those of one group."""
_ADDED = 0.5
"""Characters of what they have besides, as a share of the others'."""
_MOST = 0.8
"""Share of the records that have something besides, at least."""
_LEAST_WHOLE = 3
"""Records of two tell too little of what is a part of each."""
_LEAST_TITLE = 10
"""Characters of a link that is a title; buttons have fewer."""
_SHOWN = 20
"""Candidates in the evidence."""


@dataclass(frozen=True, eq=False)
class DescribedCandidates:
    """A page's candidates and their features."""

    columns: Columns
    counts: NodeCounts
    found: list[Candidate]
    within: NDArray[np.bool_]
    """Of :func:`newsextract.algorithms.visual_blocks.candidates.containment`."""
    features: NDArray[np.float32]


def describe(nodes: Nodes) -> DescribedCandidates | None:
    """The candidates of a page; None where there are none."""
    columns = Columns(nodes)
    found = candidates(columns)
    if not found:
        return None
    counts = NodeCounts(columns)
    within = containment.containment(found)
    features = candidate_features.features(columns, counts, found, within)
    if nodes.geometry is not None:
        features = np.concatenate((features, candidate_features.appearance(nodes, nodes.geometry, found)), axis=1)
    return DescribedCandidates(columns, counts, found, within, features)


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
        return RecordSet(status="empty", reason="no two parts of the page have a similar structure")
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
        candidate = in_phase(page.columns, page.found[_whole(page, scores, _all_groups(page, scores, number))])
        if any(covered[first:end].any() for first, end in candidate.spans.tolist()):
            continue
        for first, end in candidate.spans.tolist():
            covered[first:end] = True
        taken.append(_region(nodes, page, candidate, judges, float(np.clip(scores[number], 0, 1))))
    confidence = float(np.clip(round(best, 4), 0, 1))
    return RecordSet(tuple(taken), written=nodes is not drawn, confidence=confidence, evidence=shown)


def _whole(page: DescribedCandidates, scores: NDArray[np.float64], number: int) -> int:
    """A candidate, or one of siblings that are nearly as likely, hold one of its records each, and somewhat more: a title,
    a row of buttons."""
    inner = page.found[number]
    if len(inner) < _LEAST_WHOLE:
        return number
    wholes = [
        other
        for other in np.flatnonzero(page.within[:, number]).tolist()
        if page.found[other].kind == "siblings" and len(page.found[other]) == len(inner)
        and scores[other] >= max(LEAST_SCORE, scores[number] - _NEARLY)
        and _adds_little(page.columns, inner, page.found[other])
    ]  # fmt: skip
    return max(wholes, key=lambda other: float(scores[other]), default=number)


def _all_groups(page: DescribedCandidates, scores: NDArray[np.float64], number: int) -> int:
    """A candidate of the children of one element, or one of all children alike of it and its siblings, if that is not much
    less likely: the groups of a list."""
    inner, nodes = page.found[number], page.columns.nodes
    if inner.kind != "siblings":
        return number
    wholes = []
    by_class = page.columns.signatures[1]
    for other, outer in enumerate(page.found):
        if outer.kind != "cousins" or len(outer) <= len(inner) or scores[other] < _LIKELY * scores[number]:
            continue
        parents = set(nodes.parents[outer.firsts].tolist())
        alike = {(int(nodes.parents[parent]), by_class[parent]) for parent in parents}
        if len(alike) == 1 and np.isin(inner.firsts, outer.firsts).all():
            wholes.append(other)
    return max(wholes, key=lambda other: float(scores[other]), default=number)


def _adds_little(columns: Columns, inner: Candidate, outer: Candidate) -> bool:
    """Whether most records of a set have more text than those of another within them, but not much, and no other titles."""
    own, whole = (
        columns.chars_before[columns.nodes.ends[found.lasts]] - columns.chars_before[found.firsts]
        for found in (inner, outer)
    )
    added = whole - own
    if not 0 < added.sum() <= _ADDED * own.sum() or (added > 0).mean() < _MOST:
        return False
    nodes = columns.nodes
    titled = sum(
        any(
            nodes.tags[node] == "a" and len(nodes.text(node)) >= _LEAST_TITLE
            for node in (*range(before, first), *range(int(nodes.ends[last]), int(nodes.ends[behind])))
        )
        for before, first, last, behind in zip(
            outer.firsts.tolist(), inner.firsts.tolist(), inner.lasts.tolist(), outer.lasts.tolist(), strict=True
        )
    )
    return 2 * titled <= len(outer)


def _scored(nodes: Nodes, judges: Judges) -> tuple[DescribedCandidates | None, NDArray[np.float64]]:
    """A page's candidates and their scores; None and no scores where it has none."""
    page = describe(nodes)
    return (None, np.zeros(0)) if page is None else (page, judges.sets.predict(page.features))


def _region(nodes: Nodes, page: DescribedCandidates, candidate: Candidate, judges: Judges, score: float) -> Region:
    """A candidate without the parts that are no records."""
    odds = judges.records.predict(candidate_features.record_features(page.columns, page.counts, candidate))
    kept = odds >= LEAST_RECORD
    if not kept.any():
        kept[:] = True
    roots = [
        _siblings(nodes, int(first), int(last))
        for first, last, keep in zip(candidate.firsts, candidate.lasts, kept, strict=True)
        if keep
    ]
    return Region(common_parent(nodes, roots[0][0], roots[-1][-1]), tuple(roots), score)


def _siblings(nodes: Nodes, first: int, last: int) -> tuple[int, ...]:
    """The roots from the first to the last."""
    roots = [first]
    while roots[-1] < last:
        roots.append(int(nodes.ends[roots[-1]]))
    return tuple(roots)


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


# --- algorithm ------------------------------------------------------------------------------------


class VisualBlocks:
    """The algorithm, ready to be called on pages.

    :raises DataError: the model file is missing, damaged or of another kind.
    """

    def __init__(self, params: VisualBlocksParams) -> None:
        self.params = params
        self._model = load(Path(params.model) if params.model else None) if params.method == "search" else None

    def __call__(self, page: Page, *, evidence: bool = False) -> RecordSet:
        """Choose the nodes of the records."""
        nodes = page_nodes(page, self.params.features)
        if nodes is None:
            return RecordSet(status="no_snapshot", reason=NO_SNAPSHOT)
        if self._model is None:
            found = focus_records(nodes, self.params, evidence=evidence)
        else:
            judges = self._model.judges["dom" if nodes.geometry is None else "visual"]
            found = search_records(nodes, judges, self.params.regions, evidence=evidence)
        return replace(found, rendered=nodes.geometry is not None)
