"""How far an algorithm's confidence can be relied on: what share of pages it can call right, and how often it then is.

A page is right when its body's F1 is over :data:`GOOD`. Pages are called from the surest downwards, as long as
:data:`CERTAINTY` of those called are right: a user who must not be wrong takes these and looks at the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from newsextract.evaluation.datasets import Prediction, TruthPage
from newsextract.evaluation.metrics import PageScore

GOOD = 0.9
CERTAINTY = 0.97
_BORDERS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 1.1)
_LEAST_PAGES = 30
"""With fewer pages the share means nothing."""


@dataclass(frozen=True, slots=True)
class Bin:
    """The pages whose confidence lies between two borders."""

    least: float
    pages: int
    said: float
    """Mean confidence."""
    right: float
    """Share of the pages that are right."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Of one contender on pages with a body in the truth."""

    pages: int
    called: float
    """Share of the pages that can be called at :data:`CERTAINTY`, 0–1."""
    least: float
    """The confidence from which on they are called; 1 where none is."""
    bins: tuple[Bin, ...]


def calibration(
    pages: Sequence[TruthPage], scores: Sequence[PageScore], predictions: Mapping[str, Prediction]
) -> Calibration | None:
    """None where fewer than 30 pages have a body in the truth and a confidence.

    :param scores: one a page.
    """
    known = [
        (prediction.confidence, score.body.f1 > GOOD)
        for page, score in zip(pages, scores, strict=True)
        if score.body is not None and (prediction := predictions.get(page.id)) and prediction.confidence is not None
    ]
    if len(known) < _LEAST_PAGES:
        return None
    confidences, right = (np.array(column) for column in zip(*known, strict=True))
    order = np.argsort(-confidences, kind="stable")
    shares = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    between = np.append(np.diff(confidences[order]) != 0, True)  # of equal confidences all are called, or none
    enough = np.flatnonzero((shares >= CERTAINTY) & between)
    called = int(enough[-1]) + 1 if len(enough) else 0
    bins = []
    for least, most in pairwise(_BORDERS):
        inside = (confidences >= least) & (confidences < most)
        if inside.any():
            bins.append(Bin(least, int(inside.sum()), float(confidences[inside].mean()), float(right[inside].mean())))
    return Calibration(
        len(known), called / len(known), float(confidences[order[called - 1]]) if called else 1.0, tuple(bins)
    )
