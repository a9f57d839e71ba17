"""The text of a page that may be no article: several choices, and which of them is the text of its kind.

On a listing, a thread or a page of cards the blocks are less alike to article text, so the network gives them less, though
its order of blocks is as good: fewer of them reach one half. So beside the choice stand the blocks of lesser probability,
what `text_density` takes, and both together. A ridge regression for each says how good it is: from the probabilities of the
page's kinds (:mod:`newsextract.kinds`), the signs of a good choice, how much it agrees with the others, and how much of this
differs between articles and others. The best one is the text. It is fitted on pages that the judging network had not seen
(:mod:`.training.kind_choice`), and part of the model.

Cost: that of `text_density` and of a second choice (0.75 and 0.15 of a plain lxml parse), on pages that may be no article
alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.combined import second_opinion
from newsextract.algorithms.combined.choice import choose
from newsextract.dom import Dom
from newsextract.kinds.judge import KINDS

CANDIDATES = ("choice", "lax", "dense", "dense_or_likely")
NAMES = (*second_opinion.NAMES, "agreement_lax", "page", "page_blocks")
"""What is known of a candidate."""
_LAX, _LIKELY = 0.1, 0.25
"""Least probabilities of the blocks of two candidates."""
_WIDEST = 4.0
"""Deviations from the mean, at most, that a figure may have."""


@dataclass(frozen=True, slots=True, eq=False)
class KindChoice:
    """The regressions, a row a candidate."""

    mean: NDArray[np.float32]
    deviation: NDArray[np.float32]
    kinds: NDArray[np.float32]
    """What each kind adds."""
    figures: NDArray[np.float32]
    article: NDArray[np.float32]
    """What each figure adds on an article."""
    bias: NDArray[np.float32]

    @staticmethod
    def shapes() -> dict[str, tuple[int, ...]]:
        """The shape of each array."""
        rows, wide = len(CANDIDATES), (len(CANDIDATES), len(NAMES))
        return {
            "mean": wide,
            "deviation": wide,
            "kinds": (rows, len(KINDS)),
            "figures": wide,
            "article": wide,
            "bias": (rows,),
        }

    def goodness(self, figures: NDArray[np.float64], kinds: NDArray[np.float64]) -> NDArray[np.float64]:
        """The expected F1 of each candidate.

        :param figures: of each candidate, of :func:`candidates`.
        :param kinds: the probabilities of the page's kinds.
        """
        standard = standardised(figures, self.mean, self.deviation)
        found: NDArray[np.float64] = (
            self.kinds @ kinds + (standard * (self.figures + kinds[0] * self.article)).sum(axis=1) + self.bias
        )
        return found


def standardised(figures: NDArray[Any], mean: NDArray[Any], deviation: NDArray[Any]) -> NDArray[np.float64]:
    """Figures in deviations from their mean, far ones drawn in."""
    found: NDArray[np.float64] = np.clip((figures - mean) / deviation, -_WIDEST, _WIDEST)
    return found


def candidates(
    dom: Dom, probabilities: NDArray[np.float64], chosen: NDArray[np.intp]
) -> tuple[list[NDArray[np.intp]], NDArray[np.float64]]:
    """The blocks of each of :data:`CANDIDATES`, and the figures of each.

    :param chosen: the choice of :func:`.choice.choose`; may be empty.
    """
    best = float(probabilities.max())
    lax = choose(dom, probabilities, least=min(_LAX, best))
    likely = np.flatnonzero(probabilities >= min(_LIKELY, best))
    dense = second_opinion.dense_blocks(dom)
    found = [each if len(each) else likely for each in (chosen, lax, dense, np.union1d(dense, likely))]
    size = np.log1p((dom.sizes.sum(), len(dom.texts)))
    rows = [
        np.concatenate(
            (
                second_opinion.figures(dom, probabilities, each, found[0], found[2]),
                (second_opinion.agreement(dom.sizes, each, found[1]),),
                size,
            )
        )
        for each in found
    ]
    return found, np.array(rows)
