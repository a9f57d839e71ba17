"""The algorithm as a whole: page → simple tree → leaf filter → value filter → text; its parameters and presets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.node_attributes.leaf_filter import KEPT, VERDICTS, Attributes, attributes, verdicts
from newsextract.algorithms.node_attributes.rendering import leaf_boxes
from newsextract.algorithms.node_attributes.simple_tree import SimpleTree, count_nodes, simplify
from newsextract.algorithms.node_attributes.thresholds import KEYS, Fitted, read, shipped
from newsextract.article import Body
from newsextract.dom import Dom
from newsextract.errors import ParameterError
from newsextract.page import Page
from newsextract.value_filter import ValueFilter

_SHOWN = 200
"""Leaves in the evidence."""
NO_SNAPSHOT = 'geometry = "boxes" needs a rendered page: give a snapshot, or set geometry = "auto"'
"""The reason where there is none."""


@dataclass(frozen=True, slots=True)
class NodeAttributesParams:
    """Parameters. The paper prints no values for Δ1–Δ4: all are fitted by ``newsextract train node-attributes``."""

    delta1: float = field(default=0.0, metadata={"unit": "share of the text", "section": "§3.3 Δ1", "range": "0–1"})
    """Least plain text density ρ1 of a leaf."""
    delta2: float = field(default=0.05, metadata={"unit": "links a character", "section": "§3.3 Δ2", "range": "0–1"})
    """Largest link density ρ2 of a leaf."""
    delta3: float = field(default=0.0, metadata={"unit": "share of the leaves", "section": "§3.3 Δ3", "range": "0–0.5"})
    """Least distance of a leaf from the end of the page."""
    delta4: float = field(default=0.0, metadata={"unit": "share of the leaves", "section": "§3.3 Δ4", "range": "0–0.5"})
    """Least distance of a leaf from the top of the page."""
    geometry: str = field(default="auto", metadata={"unit": "", "section": "§3.3", "range": "auto, position, boxes"})
    """What Δ3 and Δ4 judge: place in document order, a browser's boxes (none, no text), or boxes where there are any."""
    box_bottom: float = field(
        default=0.0, metadata={"unit": "share of the page's height", "section": "§3.3 Δ3", "range": "0–0.5"}
    )
    """Least distance of a leaf's box from the end of a rendered page."""
    box_top: float = field(
        default=0.0, metadata={"unit": "share of the page's height", "section": "§3.3 Δ4", "range": "0–0.5"}
    )
    """Least distance of a leaf's box from the top of a rendered page."""
    box_width: float = field(
        default=0.0, metadata={"unit": "share of the page's width", "section": "§3.3 Δ3, Δ4", "range": "0–1"}
    )
    """Least width of a leaf's box. What no reader sees has none."""
    box_height: float = field(
        default=0.0, metadata={"unit": "share of the page's height", "section": "§3.3 Δ3, Δ4", "range": "0–1"}
    )
    """Least height of a leaf's box."""
    thresholds: str = field(default="", metadata={"unit": "file", "section": "§3.3", "range": "a path"})
    """A file of ``newsextract train node-attributes``; its numbers replace those above. Empty: none."""
    boilerplate: bool = field(default=False, metadata={"unit": "", "section": "ours", "range": "true, false"})
    """Prune elements whose tag, class or id names boilerplate."""
    container: float = field(default=0.0, metadata={"unit": "share of the text", "section": "ours", "range": "0–1"})
    """Least share of the page's text in a leaf's container; 0 is off."""
    value_filter: bool = field(default=False, metadata={"unit": "", "section": "§3.4", "range": "true, false"})
    """Remove leaves that naive Bayes calls worthless (kind 2)."""
    drop_pages: bool = field(default=False, metadata={"unit": "", "section": "§3.4", "range": "true, false"})
    """Drop the page when its first leaf is worthless (kind 1)."""
    margin: float = field(default=0.0, metadata={"unit": "log odds", "section": "§3.4", "range": "0–1000"})
    """Worthless is what exceeds it; the paper's rule P(c0|d) > P(c1|d) is 0."""
    model: str = field(default="", metadata={"unit": "file", "section": "§3.4", "range": "a path"})
    """A model of ``newsextract train value-filter``. Empty: the shipped one."""

    def __post_init__(self) -> None:
        for name, most in (
            ("delta1", 1),
            ("delta2", 1),
            ("delta3", 0.5),
            ("delta4", 0.5),
            ("container", 1),
            ("box_bottom", 0.5),
            ("box_top", 0.5),
            ("box_width", 1),
            ("box_height", 1),
            ("margin", 1000),
        ):
            value = getattr(self, name)
            if not 0 <= value <= most:
                raise ParameterError(f"node_attributes: {name} is {value}; expected 0–{most}, for example {name} = 0.01")
        if self.geometry not in ("auto", "position", "boxes"):
            raise ParameterError(f"node_attributes: geometry is {self.geometry!r}; expected auto, position or boxes")
        for name, given in (("drop_pages", self.drop_pages), ("model", bool(self.model))):
            if given and not self.value_filter:
                raise ParameterError(f"node_attributes: {name} means nothing without value_filter = true")


def _preset(name: str, params: NodeAttributesParams) -> NodeAttributesParams:
    numbers: dict[str, Any] = {**shipped(name).numbers}
    return replace(params, **numbers)


PUBLISHED = _preset("published", NodeAttributesParams(value_filter=True))
"""Without ``drop_pages``: with the shipped model, which knows content from boilerplate, the paper's rule of the first leaf
drops most pages (docs/node_attributes.md); it is for models trained on a user's own topics."""
DEFAULT = _preset("default", NodeAttributesParams(boilerplate=True))


class NodeAttributes:
    """The algorithm, ready to be called on pages."""

    def __init__(self, params: NodeAttributesParams) -> None:
        self.params = params
        if params.thresholds:
            self.limits = read(Path(params.thresholds))
        else:
            self.limits = Fitted.of({key: getattr(params, key) for key in KEYS})
        self.filter = ValueFilter.load(Path(params.model) if params.model else None) if params.value_filter else None

    def __call__(self, page: Page, *, evidence: bool = False) -> Body:
        """Choose the main text of a page."""
        if self.params.geometry == "boxes" and page.snapshot is None:
            return Body("", reason=NO_SNAPSHOT)
        dom = page.dom
        tree = simplify(dom, boilerplate=self.params.boilerplate)
        boxes, notes = self._boxes(page, tree)
        leaves = attributes(tree, boxes)
        said = verdicts(leaves, self.limits.position if boxes is None else self.limits.boxes)
        remaining = np.flatnonzero(said == KEPT)
        odds = self._worthlessness([dom.texts[i] for i in tree.blocks[remaining]])
        worthless = odds > self.params.margin
        shown = _evidence(dom, tree, leaves, said, remaining, odds) if evidence else None
        if shown is not None:
            shown["geometry"] = "position" if boxes is None else "boxes"

        def nothing(reason: str) -> Body:
            return Body("", reason="; ".join([*notes, reason]), evidence=shown)

        if not len(remaining):
            return nothing("no leaf passes the density and position filter")
        if self.params.drop_pages and worthless[0]:
            return nothing(f"value filter: the first leaf is worthless (log odds {odds[0]:.1f}), so the page is dropped")
        chosen = tree.blocks[remaining[~worthless]].tolist()
        if not chosen:
            return nothing(f"value filter: all {len(remaining)} leaves are worthless")
        removed = int(worthless.sum())
        if removed:
            notes.append(f"value filter: {removed} of {len(remaining)} leaves removed as worthless")
        return Body(
            dom.text(chosen),
            dom.surroundings(chosen[0], chosen[-1]),
            confidence=dom.confidence(chosen),
            reason="; ".join(notes) or None,
            evidence=shown,
            blocks=tuple(chosen),
        )

    def _boxes(self, page: Page, tree: SimpleTree) -> tuple[NDArray[np.float64] | None, list[str]]:
        """Boxes of the leaves, None for document order, and what is to be known of it."""
        if self.params.geometry == "position" or page.snapshot is None:
            return None, []
        boxes = leaf_boxes(page.dom, tree, page.snapshot.nodes)
        return (None, [f"document order in place of boxes: {boxes}"]) if isinstance(boxes, str) else (boxes, [])

    def _worthlessness(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Log odds of each text to be worthless; -inf without the filter."""
        if self.filter is None:
            return np.full(len(texts), -np.inf)
        return self.filter.worthless(texts)


def _evidence(
    dom: Dom,
    tree: SimpleTree,
    leaves: Attributes,
    said: NDArray[np.int8],
    remaining: NDArray[np.int64],
    odds: NDArray[np.float64],
) -> dict[str, Any]:
    nodes = count_nodes(dom)
    worthlessness = dict(zip(remaining.tolist(), odds.tolist(), strict=True))
    return {
        "fusion_rate": round(tree.fusion_rate(nodes), 4),
        "nodes": {"dom": nodes, "simple_tree": tree.node_count},
        "leaves": [
            {
                "block": int(tree.blocks[i]),
                "rho1": round(float(leaves.rho1[i]), 5),
                "rho2": None if np.isinf(leaves.rho2[i]) else round(float(leaves.rho2[i]), 5),
                "top": round(float(leaves.top[i]), 4),
                "bottom": round(float(leaves.bottom[i]), 4),
                "width": round(float(leaves.width[i]), 4),
                "height": round(float(leaves.height[i]), 4),
                "container": round(float(leaves.container[i]), 4),
                "verdict": VERDICTS[said[i]],
                "worthless": round(worthlessness[i], 2) if np.isfinite(worthlessness.get(i, np.inf)) else None,
                "text": dom.texts[tree.blocks[i]][:80],
            }
            for i in range(min(len(tree.blocks), _SHOWN))
        ],
    }
