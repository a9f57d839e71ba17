"""A second opinion where `combined` is not sure of its choice: what `text_density` takes, which was never trained and so
errs elsewhere.

On pages of sources that training knows nothing of, the network rarely takes what is no text, but leaves out whole
sections: the probabilities of their blocks are far below .5, yet above those of furniture. So a block that `text_density`
takes needs a smaller one. The confidence of the fused text is a logistic regression over the signs of a good choice
(:mod:`.confidence`) and over how much the choices agree, fitted on pages whose sites the judging network had not seen
(:mod:`.training.recipe`). Gain: docs/combined.md.

Cost: that of `text_density` (0.75 of a plain lxml parse), on the pages that are not sure alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms import text_density
from newsextract.algorithms.combined import confidence
from newsextract.algorithms.combined.choice import choose
from newsextract.dom import Dom

NAMES = (*confidence.NAMES, "agreement", "disagreement", "change")
"""What is known of a fused text."""
_SUPPORTED = 0.1
"""Least probability of a block that `text_density` takes, too. F1 of labelled tokens (articles of a source that is left out,
modern articles of folds 3 and 4, older ones): .935, .933, .929; with .05 .937, .932, .927; with .2 .932, .935, .931."""
_LEAST = 0.01

_density = text_density.TextDensity(text_density.DEFAULT)


def fused(
    dom: Dom, probabilities: NDArray[np.float64], chosen: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The blocks of the text by both opinions, ascending; and the figures of :data:`NAMES`. Both may be empty.

    :param chosen: the choice of :func:`.choice.choose`; may be empty.
    """
    dense = dense_blocks(dom)
    raised = probabilities.copy()
    raised[chosen] = raised[dense[probabilities[dense] >= _SUPPORTED]] = 1.0
    found = choose(dom, raised)
    return found, figures(dom, probabilities, found, chosen, dense) if len(found) else np.empty(0)


def dense_blocks(dom: Dom) -> NDArray[np.intp]:
    """The blocks that `text_density` takes."""
    return np.array(_density.blocks(dom), dtype=np.intp)


def figures(
    dom: Dom, probabilities: NDArray[np.float64], own: NDArray[np.intp], chosen: NDArray[np.intp], dense: NDArray[np.intp]
) -> NDArray[np.float64]:
    """The figures of :data:`NAMES` of a text, made of its own blocks."""
    agreed = agreement(dom.sizes, own, dense)
    more = (agreed, np.log(1 - agreed + _LEAST), agreement(dom.sizes, own, chosen))
    return np.concatenate((confidence.signs(probabilities, dom.sizes, own), more))


def agreement(sizes: NDArray[np.float64], one: NDArray[np.intp], other: NDArray[np.intp]) -> float:
    """F1 of two choices, by characters."""
    common = sizes[np.intersect1d(one, other, assume_unique=True)].sum()
    return float(2 * common / (sizes[one].sum() + sizes[other].sum() + 1))
