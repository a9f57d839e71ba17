"""Pages side by side in arrays of one size, so that the training step is compiled once.

Between two pages lies a gap that is longer than the widest dilation, and what is in it is masked: no page sees another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.combined.features import BlockFeatures, block_features
from newsextract.algorithms.combined.network import DILATIONS
from newsextract.algorithms.combined.training.variants import Graft, Labelled, variant

SIZE = 8192
"""Blocks of a batch, gaps included; longer pages are cut."""
PAGES = 64
"""Pages of a batch, at most."""
_GAP = 2 * max(DILATIONS) + 1


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """One page to train on or to judge."""

    page_id: str
    site: str
    fold: int
    page: Labelled
    features: BlockFeatures
    weight: float = 1.0
    """Of the page in the loss."""
    kind: str | None = None
    """Of the page, where the truth states it."""

    def changed(self, others: Sequence[Graft], random: np.random.Generator) -> Example:
        """A variant of the page."""
        page = variant(self.page, others, random)
        return self if page is self.page else replace(self, page=page, features=block_features(page.dom, page.title))


Batch = dict[str, NDArray[np.float32] | NDArray[np.int32]]


def batches(
    examples: Sequence[Example], order: Sequence[int], mean: NDArray[np.float32], deviation: NDArray[np.float32]
) -> Iterator[tuple[Batch, list[tuple[int, int, int]]]]:
    """Batches of examples in a given order, and where each example stands: (example, first block, blocks)."""
    current: list[tuple[int, int, int]] = []
    used = 0
    for index in order:
        blocks = min(len(examples[index].features.matrix), SIZE - _GAP)
        if used + blocks + _GAP > SIZE or len(current) == PAGES:
            yield _batch(examples, current, mean, deviation), current
            current, used = [], 0
        current.append((index, used, blocks))
        used += blocks + _GAP
    if current:
        yield _batch(examples, current, mean, deviation), current


def _batch(
    examples: Sequence[Example],
    places: Sequence[tuple[int, int, int]],
    mean: NDArray[np.float32],
    deviation: NDArray[np.float32],
) -> Batch:
    features = np.zeros((SIZE, len(mean)), np.float32)
    valid = np.zeros(SIZE, np.float32)
    known = np.zeros(SIZE, np.float32)
    tokens, wanted = np.zeros(SIZE, np.float32), np.zeros(SIZE, np.float32)
    page = np.full(SIZE, PAGES, np.int32)
    groups = np.full((2, SIZE), SIZE - 1, np.int32)
    true, weight = np.ones(PAGES + 1, np.float32), np.zeros(PAGES + 1, np.float32)
    next_group = [0, 0]
    for number, (index, first, blocks) in enumerate(places):
        example, span = examples[index], slice(first, first + blocks)
        features[span] = (example.features.matrix[:blocks] - mean) / deviation
        valid[span] = 1
        found = example.page.labels.wanted[:blocks]
        known[span] = np.isfinite(found)
        wanted[span] = np.nan_to_num(found)
        tokens[span] = example.page.labels.tokens[:blocks]
        page[span] = number
        true[number] = example.page.labels.true
        weight[number] = example.weight
        for k, group in enumerate((example.features.parents, example.features.class_paths)):
            values, numbers = np.unique(group[:blocks], return_inverse=True)
            groups[k, span] = numbers + next_group[k]
            next_group[k] += len(values)
    return {
        "features": features, "valid": valid, "known": known, "tokens": tokens, "wanted": wanted,
        "page": page, "groups": groups, "true": true, "weight": weight,
    }  # fmt: skip
