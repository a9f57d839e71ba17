"""The algorithm as a whole: page → blocks → probabilities → text; its parameters and presets."""

from __future__ import annotations

from collections.abc import Sequence
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
from newsextract.discovery.kinds import KINDS, PageKind, judge_kind
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

_SHOWN = 3_000
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
        made = self._choice(dom, features, probabilities, kind)
        sure = made.confidence
        chosen: list[int] = made.blocks.tolist()
        shown = _evidence(dom, probabilities, made, kind, self.params) if evidence else None
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

    def _choice(self, dom: Dom, features: BlockFeatures, probabilities: NDArray[np.float64], kind: PageKind) -> _Choice:
        """The blocks of the text, and how sure that is."""
        params, trained = self.params, self.model
        chosen = choose(dom, probabilities, params.favour, params.threshold)
        is_plain = params.favour != "balance" or params.threshold > 0 or len(dom.texts) == 1
        others = trained.other_pages
        if others and not is_plain and kind.probabilities[0] < params.by_kind:
            judged = others.network.probabilities(features, kind.probabilities)
            texts, known = choice.candidates(dom, judged, chosen)
            if not texts:
                return _Choice(chosen, 0.0, "kind")
            goodness = others.choice.goodness(known, np.array(kind.probabilities))
            best = int(goodness.argmax())
            rivals = list(zip(choice.CANDIDATES, texts, goodness.tolist(), strict=True))
            return _Choice(texts[best], confidence(known[best], others.confidence), "kind", rivals, best, judged)
        sure = confidence(signs(probabilities, dom.sizes, chosen), trained.confidence) if len(chosen) else 0.0
        own: list[_Rival] = [("article", chosen, sure)]
        if is_plain or sure >= params.second_opinion:
            return _Choice(chosen, sure, "plain", own)
        found, figures = choice.fused(dom, probabilities, chosen)
        if not len(found):
            return _Choice(chosen, sure, "second opinion", own)
        both = confidence(figures, trained.second_opinion)
        return _Choice(found, both, "second opinion", [*own, ("fused", found, both)], 1)


# --- evidence -------------------------------------------------------------------------------------

_RULES = {
    "plain": "the network for articles alone: it is sure enough, or no other opinion was asked for",
    "second opinion": "the network for articles, whose confidence was below second_opinion, and text_density",
    "kind": "the best text for the kind of the page: it is hardly an article (by_kind)",
}
_RIVALS = {
    "article": "network for articles", "fused": "network for articles and text_density", "dense": "text_density",
    "own": "network for other pages", "lax": "other pages from 0.2", "laxest": "other pages from 0.1",
    "dense_or_likely": "text_density and all from 0.25",
}  # fmt: skip

_Rival = tuple[str, NDArray[np.intp], float]
"""A name of :data:`_RIVALS`, its blocks, and its confidence or (of other kinds of pages) expected F1."""


@dataclass(frozen=True, slots=True, eq=False)
class _Choice:
    """The text that was chosen, and what it was chosen from."""

    blocks: NDArray[np.intp]
    confidence: float
    rule: str
    """A key of :data:`_RULES`."""
    rivals: Sequence[_Rival] = ()
    taken: int = 0
    """The rival that is the text."""
    judged: NDArray[np.float64] | None = None
    """The probabilities of the network for pages of other kinds."""


def _evidence(
    dom: Dom, probabilities: NDArray[np.float64], made: _Choice, kind: PageKind, params: CombinedParams
) -> dict[str, Any]:
    """Each block with its probability and the reason for its fate; the rivals; the kind of the page."""
    dense = choice.dense_blocks(dom)
    chosen = set(made.blocks.tolist())
    names = [name for name, _, _ in made.rivals]
    rivals = [*made.rivals, *([] if "dense" in names else [("dense", dense, None)])]
    why = _reasons(dom, probabilities, made, set(dense.tolist()), params)
    blocks = []
    for i in range(min(len(dom.texts), _SHOWN)):
        block: dict[str, Any] = {"index": i, "probability": round(float(probabilities[i]), 4)}
        if made.judged is not None:
            block["probability_other_kinds"] = round(float(made.judged[i]), 4)
        blocks.append(block | {"main": i in chosen, "why": why[i], "text": dom.texts[i][:80]})
    return {
        "rule": _RULES[made.rule],
        "kind": {
            "kind": kind.kind,
            "probabilities": {name: round(share, 4) for name, share in zip(KINDS, kind.probabilities, strict=True)},
            "reasons": list(kind.reasons),
        },
        "rivals": [
            {
                "name": _RIVALS[name],
                "score": None if score is None else round(score, 4),
                "score_is": "expected F1" if made.rule == "kind" else "confidence",
                "agreement": round(choice.agreement(dom.sizes, found, made.blocks), 4),
                "taken": number == made.taken and name in names,
                "blocks": found.tolist(),
            }
            for number, (name, found, score) in enumerate(rivals)
        ],
        "blocks": blocks,
    }


def _reasons(
    dom: Dom, probabilities: NDArray[np.float64], made: _Choice, dense: set[int], params: CombinedParams
) -> list[str]:
    """Why each block is in the text or not."""
    if made.judged is not None:
        taken = set(made.blocks.tolist())
        return [
            f"{'in' if i in taken else 'not in'} the best text for this kind of page"
            + ("; text_density takes it" if i in dense else "")
            for i in range(len(dom.texts))
        ]
    seen = probabilities
    if made.taken:  # the second opinion: what text_density supports counts as sure
        seen = probabilities.copy()
        seen[made.rivals[0][1]] = seen[choice.supported(probabilities, np.array(sorted(dense), dtype=np.intp))] = 1.0
    why = [f"probability {share:.2f}" for share in probabilities.tolist()]
    before: set[int] | None = None
    for reason, found in choice.steps(dom, seen, params.favour, 0.0 if made.taken else params.threshold):
        now = set(found.tolist())
        if before is None:
            for i in range(len(why)):
                supported = i in now and made.taken and i not in made.rivals[0][1]
                why[i] += ", and text_density takes it, too" if supported else f"; {reason}"
        for i in now ^ before if before is not None else ():
            why[i] = f"{reason} (probability {probabilities[i]:.2f})"
        before = now
    return why
