"""How sure `combined` is of a page: the probability that its text agrees with the true one (F1 over 0.9).

What the blocks' probabilities say of the choice as a whole (how much text is doubtful, what stands right beside the
article, what is left out within it) goes into a logistic regression, fitted on pages whose sites the judging network had
not seen (:mod:`.training.recipe`); so the probability means what it says on new sites, too.
It is fitted for the default choice; of the other presets and thresholds it tells the order of pages.

Which signs, and how strongly they are held back in the fit, was tried out on folds 1-4. The share of pages that can be
called at 97 % certainty is .37 with these and moved between .1 and .45 with others, because one page in thirty has a truth
of another habit (comments) at whatever confidence.

Cost: a few sums over the blocks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

NAMES = (
    "error", "doubt", "text", "share", "before", "behind", "weakest", "gaps", "left_out", "blocks", "long_blocks", "longest",
)  # fmt: skip
_LEAST = 0.003
"""Shares are counted by their order of magnitude, from here on."""
_LONG = 80
"""Characters of a block that is more than a heading or an entry of a list."""
_BESIDE = 3
"""Blocks before and behind the chosen ones."""


def signs(probabilities: NDArray[np.float64], sizes: NDArray[np.float64], chosen: NDArray[np.int64]) -> NDArray[np.float64]:
    """What the probabilities say of a choice: the figures of :data:`NAMES`.

    :param sizes: characters of each block.
    :param chosen: numbers of the blocks, ascending; at least one.
    """
    first, last = int(chosen[0]), int(chosen[-1])
    text, every = float(sizes[chosen].sum()) + 1, float(sizes.sum()) + 1
    expected = float(2 * (probabilities[chosen] @ sizes[chosen]) / (text + probabilities @ sizes + 1))
    doubt = float(sizes @ np.minimum(probabilities, 1 - probabilities)) / text
    within = float(sizes[first : last + 1].sum() - sizes[chosen].sum())
    return np.array(
        (
            np.log(max(0.0, 1 - expected) + _LEAST),
            np.log(doubt + _LEAST),
            np.log(text),
            text / every,
            probabilities[max(0, first - _BESIDE) : first].max(initial=0.0),
            probabilities[last + 1 : last + 1 + _BESIDE].max(initial=0.0),
            probabilities[chosen].min(),
            min(1.0, within / text),
            np.log1p((every - text) / text),
            np.log(len(chosen)),
            (sizes[chosen] > _LONG).mean(),
            np.log(sizes[chosen].max() + 1),
        )
    )


def confidence(found: NDArray[np.float64], weights: NDArray[np.float32]) -> float:
    """The probability that the F1 is over 0.9.

    :param found: of :func:`signs`.
    :param weights: one for each of them, and a constant.
    """
    odds = float(found @ weights[:-1] + weights[-1])
    return round(1 / (1 + float(np.exp(-np.clip(odds, -50, 50)))), 4)
