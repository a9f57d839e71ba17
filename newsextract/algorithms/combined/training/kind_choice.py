"""The regressions of :mod:`..kind_choice`, from what the teachers say of pages that they have not seen.

Each candidate's F1 is regressed on the page's kind as the truth states it, so that with probabilities in its place it is the
expected F1. Pages of sets that hold articles alone count half.

Cost: that of the candidates of each page, about a plain lxml parse.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.combined.choice import choose
from newsextract.algorithms.combined.kind_choice import CANDIDATES, NAMES, KindChoice, candidates, standardised
from newsextract.algorithms.combined.training.batches import Example
from newsextract.errors import MissingExtra
from newsextract.kinds.judge import KINDS

try:
    from sklearn.linear_model import Ridge
except ImportError as error:
    raise MissingExtra("scikit-learn", "train", "training the choice by kind") from error

_STRENGTH = 10.0
"""Of the ridge."""
_KIND_SCALE, _ARTICLE_SCALE = 3.0, 0.7
"""How freely the kinds, and what differs for articles, are fitted beside the figures."""
_OTHER_WEIGHT = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class ChoiceExample:
    """One page: what could be chosen, and how good each is."""

    figures: NDArray[np.float64]
    """Shape (candidates, figures)."""
    goodness: NDArray[np.float64]
    """F1 of each candidate."""
    kind: int
    weight: float


def examples(unseen: Iterable[tuple[Example, NDArray[np.float64]]]) -> Iterator[ChoiceExample]:
    """The pages with a text.

    :param unseen: pages, and the probabilities of their blocks by a network that has not seen their sites. Sources with a
        lower weight, whose truths often hold comments and menus, are left out.
    """
    for example, probabilities in unseen:
        kind = example.kind or KINDS[0]
        if example.weight < 1 or kind not in KINDS:
            continue
        dom = example.page.dom
        found, figures = candidates(dom, probabilities, choose(dom, probabilities))
        good = np.array([example.page.labels.f1(each) for each in found])
        yield ChoiceExample(figures, good, KINDS.index(kind), 1.0 if example.kind else _OTHER_WEIGHT)


def train(given: Sequence[ChoiceExample]) -> KindChoice | None:
    """Fit a regression for each candidate; None where a kind has no page."""
    if {example.kind for example in given} != set(range(len(KINDS))):
        return None
    figures = np.array([example.figures for example in given])
    mean, deviation = figures.mean(axis=0), figures.std(axis=0) + 1e-6
    standard = standardised(figures, mean, deviation)
    kinds = np.eye(len(KINDS))[[example.kind for example in given]]
    weights = [example.weight for example in given]
    width = len(KINDS)
    rows: list[NDArray[np.float64]] = []
    for number in range(len(CANDIDATES)):
        own = standard[:, number]
        columns = np.concatenate((kinds * _KIND_SCALE, own, kinds[:, :1] * own * _ARTICLE_SCALE), axis=1)
        ridge = Ridge(_STRENGTH).fit(columns, [example.goodness[number] for example in given], sample_weight=weights)
        rows.append(np.append(ridge.coef_, ridge.intercept_))
    fitted = np.array(rows)
    return KindChoice(
        *(
            part.astype(np.float32)
            for part in (
                mean,
                deviation,
                fitted[:, :width] * _KIND_SCALE,
                fitted[:, width : width + len(NAMES)],
                fitted[:, width + len(NAMES) : -1] * _ARTICLE_SCALE,
                fitted[:, -1],
            )
        )
    )
