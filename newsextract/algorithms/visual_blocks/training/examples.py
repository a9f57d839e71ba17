"""What a page with true records teaches: how good each of its candidate sets is, and which of their records are real.

Cost: 0.15 s a page, most of it for matching candidates with the truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.visual_blocks import record_features
from newsextract.algorithms.visual_blocks.search import describe
from newsextract.evaluation.record_metrics import TrueRecords, match
from newsextract.nodes import Nodes

_FAR = 6
"""A candidate with this many times more or fewer records than there are counts as wrong without being compared."""
_GOOD = 0.5
"""Least F1 of a candidate whose records are taken as examples of records."""
_GOOD_SETS = 3
"""Such candidates of a page, the best ones."""


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A page."""

    site: str
    features: NDArray[np.float32]
    """Of its candidates."""
    shares: NDArray[np.float64]
    """Their F1."""
    records: list[tuple[NDArray[np.float32], NDArray[np.bool_]]]
    """For some good candidates the features of their records, and which are right."""


def example(site: str, nodes: Nodes, true: Sequence[str]) -> Example | None:
    """What a page teaches; None where it has no candidates."""
    page = describe(nodes)
    if page is None:
        return None
    texts = [nodes.texts[node] for node in nodes.shown.tolist()]
    compared = TrueRecords(true)
    shares = np.zeros(len(page.found))
    right: dict[int, NDArray[np.bool_]] = {}
    for number, candidate in enumerate(page.found):
        if not len(true) / _FAR <= len(candidate) <= _FAR * len(true) + _FAR:
            continue
        predicted = [" ".join(texts[first:end]) for first, end in candidate.spans.tolist()]
        pairs = match(compared, predicted)
        shares[number] = 2 * len(pairs) / (len(predicted) + len(true))
        right[number] = np.isin(np.arange(len(predicted)), list(pairs))
    best = [int(number) for number in np.argsort(-shares, kind="stable")[:_GOOD_SETS] if shares[number] >= _GOOD]
    records = [(record_features.features(page.columns, page.counts, page.found[number]), right[number]) for number in best]
    return Example(site, page.features, shares, records)
