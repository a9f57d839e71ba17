"""What a page with true records teaches: how good each of its candidate sets is, and which of their records are real.

A page teaches twice: as it is, and without its records (:mod:`.emptied`).

Cost: 0.25 s a page, most of it for matching candidates with the truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.visual_blocks import record_features
from newsextract.algorithms.visual_blocks.search import Described, describe
from newsextract.algorithms.visual_blocks.training.emptied import emptied
from newsextract.evaluation.record_metrics import TrueRecords, match
from newsextract.nodes import Nodes

_FAR = 6
"""A candidate with this many times more or fewer records than there are counts as wrong without being compared."""
_GOOD = 0.5
"""Least F1 of a candidate whose records are taken as examples of records."""
_GOOD_SETS = 3
"""Such candidates of a page, the best ones."""
_FOUND = 0.9
"""Least F1 of the candidate whose records are taken out of a page, so that a page without records is left."""


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


def lessons(site: str, nodes: Nodes, true: Sequence[str]) -> list[Example]:
    """What a page teaches, as it is and without its records; nothing where it has no candidates.

    :param true: texts of the true records, at least one.
    """
    page = describe(nodes)
    if page is None:
        return []
    compared = TrueRecords(true)
    whole = _example(site, nodes, page, compared)
    best = int(whole.shares.argmax())
    if whole.shares[best] < _FOUND:
        return [whole]
    rest = emptied(nodes, page.found[best])
    left = describe(rest)
    if left is None:
        return [whole]
    without = _example(site, rest, left, compared)
    return [whole] if without.shares.any() else [whole, without]


def example(site: str, nodes: Nodes, true: Sequence[str]) -> Example | None:
    """What a page teaches as it is; None where it has no candidates."""
    page = describe(nodes)
    return None if page is None else _example(site, nodes, page, TrueRecords(true))


def _example(site: str, nodes: Nodes, page: Described, true: TrueRecords) -> Example:
    texts = [nodes.texts[node] for node in nodes.shown.tolist()]
    count = len(true.bags)
    shares = np.zeros(len(page.found))
    right: dict[int, NDArray[np.bool_]] = {}
    for number, candidate in enumerate(page.found):
        if not count / _FAR <= len(candidate) <= _FAR * count + _FAR:
            continue
        predicted = [" ".join(texts[first:end]) for first, end in candidate.spans.tolist()]
        pairs = match(true, predicted)
        shares[number] = 2 * len(pairs) / (len(predicted) + count)
        right[number] = np.isin(np.arange(len(predicted)), list(pairs))
    best = [int(number) for number in np.argsort(-shares, kind="stable")[:_GOOD_SETS] if shares[number] >= _GOOD]
    records = [(record_features.features(page.columns, page.counts, page.found[number]), right[number]) for number in best]
    return Example(site, page.features, shares, records)
