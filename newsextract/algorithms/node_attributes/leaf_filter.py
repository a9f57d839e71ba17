"""Algorithm 3 of Wang & Cao 2016, §3.3: which leaves of the simple tree are main text, by position and density.

The visual vector (definition 3) is ⟨top or bottom, width, height⟩ scaled to [0, 1], the smaller of top and bottom. Of a
rendered page these are the leaf's box in shares of the page (:mod:`.rendering`). Without one the leaf's place in document
order stands in: every leaf is as high as every other and as wide as the page, so only top and bottom can be outside Δ3
and Δ4. A share of the leaves is no share of the page, so both have limits of their own.

Densities (definitions 1 and 2): ρ1 = node.text / text of the tree, ρ2 = node.link / node.text, links counted, not
their characters. Leaves without text outside links are out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.node_attributes.simple_tree import SimpleTree

KEPT, EDGE, NO_TEXT, THIN, LINKED, SMALL_CONTAINER = range(6)
VERDICTS = ("kept", "outside Δ3 or Δ4", "no text", "ρ1 < Δ1", "ρ2 > Δ2", "container too small")


@dataclass(frozen=True, slots=True)
class Limits:
    """The thresholds; the paper prints no values."""

    delta1: float
    """Least ρ1, a share."""
    delta2: float
    """Largest ρ2, links a character."""
    delta3: float
    """Least distance from the end of the page: a share of its leaves, or of the height of a rendered page."""
    delta4: float
    """Least distance from the top, likewise."""
    container: float = 0.0
    """Least share of the page's text in the leaf's container; not in the paper, 0 is off."""
    width: float = 0.0
    """Least width, a share of the page's; in Δ3 and in Δ4."""
    height: float = 0.0
    """Least height, likewise."""


@dataclass(frozen=True, slots=True, eq=False)
class Attributes:
    """Visual vector and densities of the leaves."""

    top: NDArray[np.float64]
    bottom: NDArray[np.float64]
    width: NDArray[np.float64]
    height: NDArray[np.float64]
    rho1: NDArray[np.float64]
    rho2: NDArray[np.float64]
    """Infinite for leaves without text."""
    container: NDArray[np.float64]


def attributes(tree: SimpleTree, boxes: NDArray[np.float64] | None = None) -> Attributes:
    """Attributes of a tree's leaves.

    :param boxes: shape (leaves, 4): left, top, right, bottom as shares of the page, nan for a leaf that no reader sees,
        whose vector is ⟨0, 0, 0, 0⟩. None: document order.
    """
    count = len(tree.blocks)
    number = np.arange(count)
    if boxes is None:
        top, bottom = number / max(1, count), 1 - (number + 1) / max(1, count)
        width, height = np.ones(count), np.full(count, 1 / max(1, count))
    else:
        left, top, right, end = boxes.T
        top, bottom, width, height = np.nan_to_num([top, 1 - end, right - left, end - top])
    total = max(1.0, float(tree.texts.sum()))
    sums = np.bincount(tree.containers + 1, tree.texts)  # + 1: the document element has no parent, -1
    return Attributes(
        top=top,
        bottom=bottom,
        width=width,
        height=height,
        rho1=tree.texts / total,
        rho2=np.divide(tree.links, tree.texts, out=np.full(count, np.inf), where=tree.texts > 0),
        container=sums[tree.containers + 1] / total,
    )


def verdicts(leaves: Attributes, limits: Limits) -> NDArray[np.int8]:
    """What the filter says of each leaf: an index of :data:`VERDICTS`; 0 is kept."""
    edge = np.where(leaves.top > leaves.bottom, leaves.bottom < limits.delta3, leaves.top < limits.delta4)
    small = (leaves.width < limits.width) | (leaves.height < limits.height)
    conditions = [
        edge | small,
        np.isinf(leaves.rho2),
        leaves.rho1 < limits.delta1,
        leaves.rho2 > limits.delta2,
        leaves.container < limits.container,
    ]
    result: NDArray[np.int8] = np.select(conditions, [EDGE, NO_TEXT, THIN, LINKED, SMALL_CONTAINER], KEPT).astype(np.int8)
    return result
