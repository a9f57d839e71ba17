"""The algorithm as a whole: page → blocks → probabilities → text; its parameters and presets."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.combined import model
from newsextract.algorithms.combined.choice import Favour, choose
from newsextract.algorithms.combined.confidence import confidence, signs
from newsextract.algorithms.combined.features import block_features
from newsextract.algorithms.combined.stated_title import stated_title
from newsextract.article import Body
from newsextract.dom import Dom
from newsextract.errors import ParameterError
from newsextract.page import Page

_SHOWN = 400
"""Blocks in the evidence."""


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

    def __call__(self, page: Page, *, evidence: bool = False) -> Body:
        """Choose the main text of a page."""
        dom = page.dom
        if not dom.texts:
            return Body("", reason="the page has no text", evidence={"blocks": []} if evidence else None)
        probabilities = self.model.network.probabilities(block_features(dom, stated_title(dom)))
        found = choose(dom, probabilities, self.params.favour, self.params.threshold)
        chosen: list[int] = found.tolist()
        shown = _evidence(dom, probabilities, set(chosen)) if evidence else None
        if not chosen:
            best = float(probabilities.max())
            return Body("", reason=f"no block looks like article text (the best has {best:.2f})", evidence=shown)
        return Body(
            dom.text(chosen),
            dom.surroundings(chosen[0], chosen[-1]),
            confidence=confidence(signs(probabilities, dom.sizes, found), self.model.confidence),
            evidence=shown,
            blocks=tuple(chosen),
        )


def _evidence(dom: Dom, probabilities: NDArray[np.float64], chosen: set[int]) -> dict[str, Any]:
    return {
        "blocks": [
            {"index": i, "probability": round(float(probabilities[i]), 4), "main": i in chosen, "text": dom.texts[i][:80]}
            for i in range(min(len(dom.texts), _SHOWN))
        ]
    }
