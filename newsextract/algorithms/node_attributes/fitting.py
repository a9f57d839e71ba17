"""Fitting Δ1–Δ4: the paper (Wang & Cao 2016, §3.3) uses thresholds and prints none.

Every page of a data set becomes its leaves' attributes and what the truth says of them
(:mod:`newsextract.evaluation.block_truth`); then one threshold after the other takes the value of its grid that gives the
best F1, until a round changes nothing. Deterministic; the leaves of all pages stay in memory, about 10 kB a page.

Pages that a browser has rendered also give limits for boxes. These are fitted after the others and with the densities'
limits as they are (fitting all at once found the same limits).

Cost: under 10 ms a page, nearly all of it reading pages; from snapshots three times that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.node_attributes.leaf_filter import KEPT, Attributes, Limits, attributes, verdicts
from newsextract.algorithms.node_attributes.rendering import leaf_boxes
from newsextract.algorithms.node_attributes.simple_tree import count_nodes, simplify
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
_WIDTHS = (0.0, 0.0001, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5)
_HEIGHTS = (0.0, 0.001, 0.002, 0.003, 0.005, 0.01)
BOX_GRID: dict[str, tuple[float, ...]] = {"delta3": _EDGES, "delta4": _EDGES, "width": _WIDTHS, "height": _HEIGHTS}
"""The same for boxes; the first width above 0 takes away what no reader sees, and nothing else."""
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
    drawn: Attributes | None = None
    """Of a rendered page: the leaves by their boxes."""


def sample(page: Page, truth: TruthPage, *, boilerplate: bool) -> Sample:
    """What fitting needs of a page."""
    dom = page.dom
    tree = simplify(dom, boilerplate=boilerplate)
    grams, found, true = block_truth(truth, [dom.texts[i] for i in tree.blocks])
    boxes = leaf_boxes(dom, tree, page.snapshot.nodes) if page.snapshot is not None else None
    drawn = attributes(tree, boxes) if isinstance(boxes, np.ndarray) else None
    return Sample(attributes(tree), grams, found, true, tree.fusion_rate(count_nodes(dom)), drawn)


def fit(samples: Sequence[Sample], *, container: bool) -> tuple[Limits, float]:
    """The best limits, and their F1 on these samples.

    :param container: also fit the container's share, which is not in the paper.
    :raises DataError: there is nothing to fit on.
    """
    samples = _useful(samples)
    if not samples:
        raise DataError("no page has both text and a truth; thresholds need pages whose truth.jsonl line has a text")
    return _best(samples, {name: GRID[name] for name in GRID if container or name != "container"}, START)


def fit_boxes(samples: Sequence[Sample], position: Limits) -> tuple[Limits, float]:
    """The best limits of rendered pages, and their F1 on those of the samples that are.

    :param position: what :func:`fit` found; its densities are kept.
    :raises DataError: no sample is a rendered page with boxes.
    """
    samples = rendered(samples)
    if not samples:
        raise DataError("no page has both a truth and a snapshot whose boxes can be used; thresholds of boxes need some")
    return _best(samples, BOX_GRID, replace(position, delta3=0.0, delta4=0.0))


def rendered(samples: Sequence[Sample]) -> list[Sample]:
    """The samples of rendered pages, their leaves by boxes."""
    return [replace(s, leaves=s.drawn) for s in _useful(samples) if s.drawn is not None]


def score(samples: Sequence[Sample], limits: Limits) -> float:
    """F1 of limits on samples, 0–1."""
    return _Pages(_useful(samples)).f1(limits)


def _useful(samples: Sequence[Sample]) -> list[Sample]:
    return [s for s in samples if s.true and len(s.grams)]


def _best(samples: Sequence[Sample], grid: Mapping[str, Sequence[float]], start: Limits) -> tuple[Limits, float]:
    pages = _Pages(samples)
    best, limits = pages.f1(start), start
    while True:
        before = limits
        for name, values in grid.items():
            for value in values:
                tried = replace(limits, **{name: value})
                score = pages.f1(tried)
                if score > best + 1e-9:
                    best, limits = score, tried
        if limits == before:
            return limits, best


class _Pages:
    """All leaves of all samples, side by side."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        self.leaves = Attributes(
            **{f.name: np.concatenate([getattr(s.leaves, f.name) for s in samples]) for f in fields(Attributes)}
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
