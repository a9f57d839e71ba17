"""Fitting Δ1–Δ4: the paper (Wang & Cao 2016, §3.3) uses thresholds and prints none.

Every page of a data set becomes its leaves' attributes and what the truth says of them
(:mod:`newsextract.evaluation.block_truth`); then one threshold after the other takes the value of its grid that gives the
best F1, until a round changes nothing. Deterministic; the leaves of all pages stay in memory, about 10 kB a page.

Cost: under 10 ms a page, nearly all of it reading pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.node_attributes.leaf_filter import KEPT, Attributes, Limits, attributes, verdicts
from newsextract.algorithms.node_attributes.simple_tree import simplify
from newsextract.errors import DataError
from newsextract.evaluation.block_truth import block_truth
from newsextract.evaluation.datasets import TruthPage
from newsextract.page import Page

_SHARES = (0.0, 0.0002, 0.0005, 0.001, 0.0015, 0.002, 0.003, 0.005, 0.01)
_EDGES = (0.0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1)
GRID: dict[str, tuple[float, ...]] = {
    "delta1": _SHARES,
    "delta2": (0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15, 0.2),
    "delta3": _EDGES,
    "delta4": _EDGES,
    "container": (0.0, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05),
}
"""The values that are tried."""
START = Limits(delta1=0.0, delta2=0.05, delta3=0.0, delta4=0.0, container=0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """One page with truth."""

    leaves: Attributes
    grams: NDArray[np.float64]
    """4-grams of each leaf."""
    found: NDArray[np.float64]
    """Those that the truth holds."""
    true: int
    """4-grams of the truth."""
    fusion_rate: float


def sample(page: Page, truth: TruthPage, *, boilerplate: bool) -> Sample:
    """What fitting needs of a page."""
    dom = page.dom
    tree = simplify(dom, boilerplate=boilerplate)
    grams, found, true = block_truth(truth, [dom.texts[i] for i in tree.blocks])
    return Sample(attributes(tree), grams, found, true, tree.fusion_rate)


def fit(samples: Sequence[Sample], *, container: bool) -> tuple[Limits, float]:
    """The best limits, and their F1 on these samples.

    :param container: also fit the container's share, which is not in the paper.
    :raises DataError: there is nothing to fit on.
    """
    samples = [s for s in samples if s.true and len(s.grams)]
    if not samples:
        raise DataError("no page has both text and a truth; thresholds need pages whose truth.jsonl line has a text")
    pages = _Pages(samples)
    names = [name for name in GRID if container or name != "container"]
    best, limits = pages.f1(START), START
    while True:
        before = limits
        for name in names:
            for value in GRID[name]:
                tried = replace(limits, **{name: value})
                score = pages.f1(tried)
                if score > best + 1e-9:
                    best, limits = score, tried
        if limits == before:
            return limits, best


def score(samples: Sequence[Sample], limits: Limits) -> float:
    """F1 of limits on samples, 0–1."""
    return _Pages([s for s in samples if s.true and len(s.grams)]).f1(limits)


class _Pages:
    """All leaves of all samples, side by side."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        self.leaves = Attributes(
            *(
                np.concatenate([getattr(s.leaves, name) for s in samples])
                for name in ("top", "bottom", "rho1", "rho2", "container")
            )
        )
        self.grams = np.concatenate([s.grams for s in samples])
        self.found = np.concatenate([s.found for s in samples])
        self.true = np.array([s.true for s in samples], dtype=np.float64)
        self.page = np.repeat(np.arange(len(samples)), [len(s.grams) for s in samples])

    def f1(self, limits: Limits) -> float:
        """F1 of mean precision and mean recall, as in :mod:`newsextract.evaluation.metrics`."""
        kept = verdicts(self.leaves, limits) == KEPT
        grams = np.bincount(self.page[kept], self.grams[kept], len(self.true))
        found = np.minimum(np.bincount(self.page[kept], self.found[kept], len(self.true)), self.true)
        some = grams > 0
        if not some.any():
            return 0.0
        precision = float((np.minimum(found, grams)[some] / grams[some]).mean())
        recall = float((found / self.true).mean())
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
