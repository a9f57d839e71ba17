"""How much of each text block stands in the truth: the labels that training needs.

A block's 4-grams of tokens (as in :mod:`newsextract.evaluation.metrics`) are looked up among the truth's. Sums over
chosen blocks then give precision and recall of the choice, all but for the 4-grams across block borders, so that a
thousand choices can be scored without building a text.

Cost: about 1 ms a page.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from newsextract.evaluation.datasets import TruthPage
from newsextract.evaluation.metrics import four_grams, tokenizer


def block_truth(truth: TruthPage, texts: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """4-grams of each block, how many of them the truth holds, and the truth's own number.

    Blocks of fewer than four tokens have no 4-gram to be sure of: they count half a gram a token, and are found when
    they stand in the truth as they are.

    :param truth: a page with a truth text.
    :param texts: the blocks' texts.
    :returns: two arrays with an entry a block, and a number.
    """
    tokens = tokenizer(truth.source)
    wanted = truth.text or ""
    true = four_grams(tokens(wanted))
    grams = np.zeros(len(texts))
    found = np.zeros(len(texts))
    for i, text in enumerate(texts):
        words = tokens(text)
        if len(words) < 4:
            grams[i] = len(words) / 2
            found[i] = grams[i] if text in wanted else 0.0
        else:
            own = four_grams(words)
            grams[i] = own.total()
            found[i] = (own & true).total()
    return grams, found, true.total()
