"""Which blocks are chosen: those of at least a probability that depends on what the user favours, and on the page; with
the code between them and without promotions. Wherever a text is asked for (crawl, training, benchmarks), it is chosen here.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.combined.phrases import names, phrase_features
from newsextract.dom import Dom

Favour = Literal["balance", "precision", "recall"]

_HOPELESS = 0.2
"""Where the best block has less, the page has no article."""
_BALANCE, _PRECISION, _RECALL = 0.5, 0.75, 0.25
_PROMOTIONS = ("begins_more", "begins_advert")
_BEFORE = (
    "begins_byline", "begins_dated", "begins_share", "begins_comments", "begins_credit", "begins_advert",
    "begins_navigation",
)  # fmt: skip
_BEHIND = (*_BEFORE, "begins_more", "begins_subscribe", "begins_legal")
_PROMOTION, _EDGE, _MOST_EDGE = 150, 100, 3
"""Characters of "read more: …", at most; characters and number of the blocks at the two ends that may be furniture."""


def choose(dom: Dom, probabilities: NDArray[np.float64], favour: Favour = "balance", least: float = 0.0) -> NDArray[np.intp]:
    """The numbers of the chosen blocks, ascending; may be none.

    :param least: the least probability of a chosen block; 0: that of ``favour``.
    """
    least = least or limit(probabilities, dom.sizes, favour)
    return without_furniture(dom, with_code(dom, np.flatnonzero(probabilities >= least)), favour)


def limit(probabilities: NDArray[np.float64], sizes: NDArray[np.float64], favour: Favour = "balance") -> float:
    """The least probability of a chosen block. What a stricter setting chooses, a laxer one chooses, too.

    A page of a single block is that block. Where no block reaches the balanced limit it is that which maximises the
    expected F1: half of that F1.

    :param sizes: characters of each block.
    """
    best = float(probabilities.max())
    if len(probabilities) == 1:
        return best  # a single block: there is nothing to choose; the confidence tells what it is worth
    balance = _BALANCE
    if _HOPELESS <= best < _BALANCE:
        order = np.argsort(-probabilities, kind="stable")
        found, chosen = np.cumsum((probabilities * sizes)[order]), np.cumsum(sizes[order])
        balance = float((found / (chosen + found[-1] + 1)).max())
    if favour == "precision":
        return _PRECISION if best >= _PRECISION else balance
    return min(_RECALL, balance) if favour == "recall" else balance


def with_code(dom: Dom, chosen: NDArray[np.intp]) -> NDArray[np.intp]:
    """The chosen blocks, and the preformatted ones between them.

    Pages with code are rare among those with a truth, so the network knows too little of it: of 151 ``pre`` blocks between
    the chosen ones on folds 1-4 136 are article text, and it chooses 10.
    """
    if len(chosen) < 2 or "pre" not in dom.tags:
        return chosen
    between = range(int(chosen[0]), int(chosen[-1]))
    code = [block for block in between if dom.tags[dom.elements[block]] == "pre"]
    return np.union1d(chosen, np.array(code, dtype=chosen.dtype))


def without_furniture(dom: Dom, chosen: NDArray[np.intp], favour: Favour) -> NDArray[np.intp]:
    """The chosen blocks without short ones that read like what stands around an article; all of them for ``recall``.

    "Read more: …" goes wherever it stands, and for ``precision`` bylines, dates, buttons and the like at the two ends, too.
    Truths disagree about them: on folds 1-4 the first rule moves F1 from .937 to .936 on CleanEval and Dragnet and from
    .964 to .965 on the other sources, both rules from .937 to .933 and from .964 to .966.
    """
    if favour == "recall" or len(dom.texts) == 1 or not len(chosen):
        return chosen
    texts = [dom.texts[block] for block in chosen.tolist()]
    kinds = phrase_features(texts, np.asarray(dom.counts, dtype=np.float64)[chosen]) > 0
    lengths = np.array([len(text) for text in texts])
    left = ~((lengths <= _PROMOTION) & kinds[:, _columns(_PROMOTIONS)].any(axis=1))
    if favour == "precision":
        short = lengths <= _EDGE
        begins, ends = short & kinds[:, _columns(_BEFORE)].any(axis=1), short & kinds[:, _columns(_BEHIND)].any(axis=1)
        left[: _run(begins)] = False
        left[len(left) - _run(ends[::-1]) :] = False
    return chosen[left]


def _run(furniture: NDArray[np.bool_]) -> int:
    """How many blocks at the beginning are furniture; at most so many are left out, and never all."""
    other = np.flatnonzero(~furniture[:_MOST_EDGE])
    return int(other[0]) if len(other) else min(_MOST_EDGE, len(furniture) - 1)


def _columns(kinds: tuple[str, ...]) -> list[int]:
    listed = names()
    return [listed.index(kind) for kind in kinds]
