"""The algorithm as a whole: page → blocks → probabilities → text; its parameters and presets."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.combined import model
from newsextract.algorithms.combined.features import block_features
from newsextract.article import Body
from newsextract.dom import Dom
from newsextract.errors import ParameterError
from newsextract.page import Page

_SHOWN = 400
"""Blocks in the evidence."""
_HOPELESS = 0.2
"""Where the best block has less, the page has no article."""
_BALANCE, _PRECISION, _RECALL = 0.5, 0.75, 0.25

Favour = Literal["balance", "precision", "recall"]


@dataclass(frozen=True, slots=True)
class CombinedParams:
    """Parameters."""

    favour: Favour = field(
        default="balance", metadata={"unit": "", "section": "ours", "range": "balance, precision, recall"}
    )
    """What to favour where a block is doubtful."""
    threshold: float = field(default=0.0, metadata={"unit": "probability", "section": "ours", "range": "0–1"})
    """Least probability of a block; 0: that of `favour` (balance 0.5, precision 0.75, recall 0.25; doubtful pages: less)."""
    model: str = field(default="", metadata={"unit": "file", "section": "ours", "range": "a path"})
    """A model of `newsextract train combined`. Empty: the shipped one."""

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise ParameterError(f"combined: threshold is {self.threshold}; expected 0–1, for example threshold = 0.5")


DEFAULT = CombinedParams()
PRECISION = CombinedParams(favour="precision")
RECALL = CombinedParams(favour="recall")


class Combined:
    """The algorithm, ready to be called on pages.

    :raises DataError: the model file is missing, damaged or of another kind.
    """

    def __init__(self, params: CombinedParams) -> None:
        self.model = model.load(Path(params.model) if params.model else None)
        self.params = params

    def _limit(self, dom: Dom, probabilities: NDArray[np.float64]) -> float:
        """The threshold for a page. What a stricter setting chooses, a laxer one chooses, too.

        Where no block reaches the balanced threshold it is the one that maximises the expected F1: half of that F1.
        """
        if self.params.threshold:
            return self.params.threshold
        best = float(probabilities.max())
        if len(probabilities) == 1:
            return best  # a single block: there is nothing to choose
        balance = _BALANCE
        if _HOPELESS <= best < _BALANCE:
            order = np.argsort(-probabilities, kind="stable")
            sizes = _sizes(dom)
            found, chosen = np.cumsum((probabilities * sizes)[order]), np.cumsum(sizes[order])
            balance = float((found / (chosen + found[-1] + 1)).max())
        if self.params.favour == "precision":
            return _PRECISION if best >= _PRECISION else balance
        return min(_RECALL, balance) if self.params.favour == "recall" else balance

    def __call__(self, page: Page, *, evidence: bool = False) -> Body:
        """Choose the main text of a page."""
        dom = page.dom
        if not dom.texts:
            return Body("", reason="the page has no text", evidence={"blocks": []} if evidence else None)
        probabilities = self.model.network.probabilities(block_features(dom, stated_title(page)))
        chosen: list[int] = np.flatnonzero(probabilities >= self._limit(dom, probabilities)).tolist()
        shown = _evidence(dom, probabilities, set(chosen)) if evidence else None
        if not chosen:
            best = float(probabilities.max())
            return Body("", reason=f"no block looks like article text (the best has {best:.2f})", evidence=shown)
        return Body(
            dom.text(chosen),
            dom.surroundings(chosen[0], chosen[-1]),
            confidence=_confidence(dom, probabilities, chosen),
            evidence=shown,
            blocks=tuple(chosen),
        )


def stated_title(page: Page) -> str:
    """The title that the page's head gives, as the features read it."""
    return page.metadata.first("og:title", "twitter:title") or page.metadata.title or ""


def _confidence(dom: Dom, probabilities: NDArray[np.float64], chosen: list[int]) -> float:
    """The F1 that the probabilities themselves expect: found, over chosen and true, in characters."""
    sizes = _sizes(dom)
    found = float((probabilities[chosen] * sizes[chosen]).sum())
    expected = 2 * found / (float(sizes[chosen].sum()) + float((probabilities * sizes).sum()) + 1)
    return round(expected, 4)


def _sizes(dom: Dom) -> NDArray[np.float64]:
    """Characters of each block."""
    sizes: NDArray[np.float64] = np.asarray(dom.counts, dtype=np.float64) + np.asarray(dom.link_counts)
    return sizes


def _evidence(dom: Dom, probabilities: NDArray[np.float64], chosen: set[int]) -> dict[str, Any]:
    return {
        "blocks": [
            {"index": i, "probability": round(float(probabilities[i]), 4), "main": i in chosen, "text": dom.texts[i][:80]}
            for i in range(min(len(dom.texts), _SHOWN))
        ]
    }
