"""Main text by naive Bayes alone: the comparator of Wang & Cao 2016, in the spirit of Wang et al. 2014.

Wang & Cao compare their method with one that classifies a page's texts by their words and looks at nothing else. Here
every text block is judged by the value filter of §3.4 (:mod:`newsextract.algorithms.value_filter`): no densities, no
positions, no neighbours. Hidden elements and forms are left out first, as every tree algorithm does (§3.2).

Cost: :attr:`Page.dom <newsextract.page.page.Page.dom>`, and the filter over all blocks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.value_filter import ValueFilter
from newsextract.errors import ParameterError
from newsextract.page.dom import Dom, pruned
from newsextract.page.page import Page
from newsextract.results import Body

_SHOWN = 200
"""Blocks in the evidence."""


@dataclass(frozen=True, slots=True)
class NaiveBayesParams:
    """Parameters; the defaults are the paper's rule with the shipped model."""

    model: str = field(default="", metadata={"unit": "file", "section": "§3.4", "range": "a model file"})
    """A value filter made by `newsextract train value-filter`; empty: the shipped one."""
    threshold: float = field(default=0.0, metadata={"unit": "nats", "section": "§3.4", "range": "-1000–1000"})
    """Log odds log P(worthless) - log P(valuable) above which a block is left out; 0 is the paper's rule."""

    def __post_init__(self) -> None:
        if not -1000 <= self.threshold <= 1000:
            raise ParameterError(
                f"naive_bayes: threshold is {self.threshold}; expected -1000–1000, for example threshold = 0.0"
            )


DEFAULT = NaiveBayesParams()


class NaiveBayes:
    """The algorithm, ready to be called on pages.

    :raises DataError: the model file is missing or is none.
    """

    def __init__(self, params: NaiveBayesParams) -> None:
        self.params = params
        self.filter = ValueFilter.load(Path(params.model) if params.model else None)

    def __call__(self, page: Page, *, evidence: bool = False) -> Body:
        """Choose the main text of a page.

        :raises MissingExtra: a page with Chinese text, and rjieba is not installed.
        """
        dom = page.dom
        kept = np.flatnonzero(~pruned(dom)).tolist()
        if not kept:
            return Body("", reason="the page has no text", evidence={"blocks": []} if evidence else None)
        log_odds = self.filter.worthless([dom.texts[i] for i in kept])
        valuable = log_odds <= self.params.threshold
        shown = _evidence(dom, kept, log_odds, valuable) if evidence else None
        chosen = [i for i, good in zip(kept, valuable.tolist(), strict=True) if good]
        if not chosen:
            return Body("", reason="the value filter finds every block worthless", evidence=shown)
        return Body(
            dom.text(chosen),
            dom.surroundings(chosen[0], chosen[-1]),
            confidence=dom.confidence(chosen),
            evidence=shown,
            blocks=tuple(chosen),
        )


def _evidence(dom: Dom, kept: list[int], log_odds: NDArray[np.float64], valuable: NDArray[np.bool_]) -> dict[str, Any]:
    return {
        "blocks": [
            {"index": i, "worthless": round(score, 3), "main": main, "text": dom.texts[i][:80]}
            for i, score, main in zip(kept[:_SHOWN], log_odds[:_SHOWN].tolist(), valuable[:_SHOWN].tolist(), strict=True)
        ]
    }
