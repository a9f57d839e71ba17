"""The algorithm as a whole: page → blocks → probabilities → text; its parameters and presets."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from selectolax.lexbor import LexborNode

from newsextract.algorithms.combined import choice, model
from newsextract.algorithms.combined.choice import Favour, choose, confidence, signs
from newsextract.algorithms.combined.features import BlockFeatures, block_features
from newsextract.discovery import kinds
from newsextract.discovery.kinds import PageKind, judge_kind
from newsextract.errors import ParameterError
from newsextract.page.dom import Dom
from newsextract.page.page import Page
from newsextract.results import Body

# --- stated title ---------------------------------------------------------------------------------
# The title that a page's head gives, as the features read it: from the tree alone, whatever the title rules say.
#
# Cost: 0.02 of a plain lxml parse.

_SOCIAL = ("og:title", "twitter:title")
_MOST = 1_000
"""Elements and texts of the head that are looked at."""


def stated_title(dom: Dom) -> str:
    """The social title, else that of ``title``; empty where the head has neither.

    :param dom: a page with its tree.
    """
    title = ""
    node = _head(dom)
    for _ in range(_MOST):
        if node is None:
            break
        tag = node.tag
        if tag == "title":
            title = title or (node.text() or "")
        elif tag == "meta":
            attributes = node.attributes
            if (attributes.get("property") or attributes.get("name")) in _SOCIAL and attributes.get("content"):
                title = attributes["content"] or ""
                break
        node = node.next
    return " ".join(title.split())


def _head(dom: Dom) -> LexborNode | None:
    """The first node in the head."""
    node = dom.nodes[0].child if dom.nodes else None
    while node is not None and node.tag != "head":
        node = node.next
    return node.child if node is not None else None


# --- algorithm ------------------------------------------------------------------------------------

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
    second_opinion: float = field(default=0.8, metadata={"unit": "confidence", "section": "ours", "range": "0–1"})
    """Below this confidence `text_density` is asked, too (:mod:`.choice`); of `balance` alone.
    Gain: docs/measurements/combined.md, "Second opinion"."""
    by_kind: float = field(default=0.5, metadata={"unit": "probability", "section": "ours", "range": "0–1"})
    """Below this probability of an article the text is chosen by the page's kind (:mod:`.choice`); 0: never.
    Of `balance` alone. From 0.3 to 0.8 F1 on pages of unseen sites (folds 3 and 4) moves by less than .001."""
    doubtful: float = field(default=0.4, metadata={"unit": "confidence", "section": "ours", "range": "0–1"})
    """Below this confidence the text is given with the status ``doubtful``; 0: never."""
    model: str = field(default="", metadata={"unit": "file", "section": "ours", "range": "a path"})
    """A model of `newsextract train combined`. Empty: the shipped one."""
    kinds: str = field(default="", metadata={"unit": "file", "section": "ours", "range": "a path"})
    """A model of `newsextract train kinds`. Empty: the shipped one."""

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise ParameterError(f"combined: threshold is {self.threshold}; expected 0–1, for example threshold = 0.5")
        for name in ("second_opinion", "by_kind", "doubtful"):
            if not 0 <= (value := getattr(self, name)) <= 1:
                what = "probability" if name == "by_kind" else "confidence"
                raise ParameterError(f"combined: {name} is {value}; expected a {what} of 0–1, for example {name} = 0.5")


DEFAULT = CombinedParams()
PRECISION = CombinedParams(favour="precision")
RECALL = CombinedParams(favour="recall")


class Combined:
    """The algorithm, ready to be called on pages.

    :raises DataError: a model file is missing, damaged or of another kind.
    """

    def __init__(self, params: CombinedParams) -> None:
        self.model = model.load(Path(params.model) if params.model else None)
        self.kinds = kinds.load(Path(params.kinds)) if params.kinds else None
        self.params = params

    def __call__(self, page: Page, *, evidence: bool = False) -> Body:
        """Choose the main text of a page."""
        dom = page.dom
        if not dom.texts:
            return Body("", reason="the page has no text", evidence={"blocks": []} if evidence else None)
        features = block_features(dom, stated_title(dom))
        probabilities = self.model.network.probabilities(features)
        kind = judge_kind(page, self.kinds) if self.kinds else page.kind
        found, sure = self._choice(dom, features, probabilities, kind)
        chosen: list[int] = found.tolist()
        shown = _evidence(dom, probabilities, set(chosen)) if evidence else None
        if not chosen:
            best = float(probabilities.max())
            return Body("", reason=f"no block looks like article text (the best has {best:.2f})", evidence=shown, kind=kind)
        doubtful = sure < self.params.doubtful
        return Body(
            dom.text(chosen),
            dom.surroundings(chosen[0], chosen[-1]),
            confidence=sure,
            doubtful=doubtful,
            reason=f"the confidence is {sure:.2f}, below doubtful = {self.params.doubtful:g}" if doubtful else None,
            evidence=shown,
            blocks=tuple(chosen),
            kind=kind,
        )

    def _choice(
        self, dom: Dom, features: BlockFeatures, probabilities: NDArray[np.float64], kind: PageKind
    ) -> tuple[NDArray[np.intp], float]:
        """The blocks of the text, and how sure that is."""
        params, trained = self.params, self.model
        chosen = choose(dom, probabilities, params.favour, params.threshold)
        is_plain = params.favour != "balance" or params.threshold > 0 or len(dom.texts) == 1
        others = trained.other_pages
        if others and not is_plain and kind.probabilities[0] < params.by_kind:
            texts, known = choice.candidates(dom, others.network.probabilities(features, kind.probabilities), chosen)
            if texts:
                best = int(others.choice.goodness(known, np.array(kind.probabilities)).argmax())
                return texts[best], confidence(known[best], others.confidence)
            return chosen, 0.0
        sure = confidence(signs(probabilities, dom.sizes, chosen), trained.confidence) if len(chosen) else 0.0
        if is_plain or sure >= params.second_opinion:
            return chosen, sure
        found, figures = choice.fused(dom, probabilities, chosen)
        return (found, confidence(figures, trained.second_opinion)) if len(found) else (chosen, sure)


def _evidence(dom: Dom, probabilities: NDArray[np.float64], chosen: set[int]) -> dict[str, Any]:
    return {
        "blocks": [
            {"index": i, "probability": round(float(probabilities[i]), 4), "main": i in chosen, "text": dom.texts[i][:80]}
            for i in range(min(len(dom.texts), _SHOWN))
        ]
    }
