"""The network of `combined`, evaluated with numpy: a probability for each block of a page that it is article text.

A block is judged by itself, by its neighbours, and by those that stand in the same place of the page's structure. The
first layer reads the block's features; every further one adds what the blocks at distance d before and behind it say
(a dilated convolution over the sequence), the mean of the blocks with the same parent element, the mean of those with
the same tag path and classes, and the mean of the page. Several members, trained from different seeds, are evaluated
together; the answer is their mean.

Cost: 0.4 of a plain lxml parse for three members of width 32 (``benchmarks/extraction.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from newsextract.algorithms.combined.features import BlockFeatures

DILATIONS = (1, 2, 4, 8)
"""Distance d of the neighbours that each layer reads."""

Array = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """One layer of K members of width H."""

    before: Array
    """Shape (K, H, H), as all but the bias."""
    here: Array
    behind: Array
    parent: Array
    class_path: Array
    page: Array
    bias: Array
    """Shape (K, 1, H)."""


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """The weights."""

    first: Array
    """Shape (features, K·H); standardising the features is part of it."""
    first_bias: Array
    """Shape (K·H,)."""
    layers: tuple[Layer, ...]
    last: Array
    """Shape (K, H, 1)."""
    last_bias: Array
    """Shape (K, 1, 1)."""

    def probabilities(self, features: BlockFeatures) -> NDArray[np.float64]:
        """A probability for each block.

        With one thread: on matrices of a page's size the threads of a BLAS library mostly wait for one another, and where
        every core has a worker they take each other's time (0.6 ms a page became 5 on two busy cores).
        """
        with _libraries().limit(limits=1, user_api="blas"):
            return self._probabilities(features)

    def _probabilities(self, features: BlockFeatures) -> NDArray[np.float64]:
        members, width, _ = self.last.shape
        blocks = len(features.matrix)
        hidden = np.maximum(features.matrix @ self.first + self.first_bias, 0)
        hidden = np.ascontiguousarray(hidden.reshape(blocks, members, width).transpose(1, 0, 2))
        parents, class_paths = _Means(features.parents), _Means(features.class_paths)
        for distance, layer in zip(DILATIONS, self.layers, strict=True):
            change = hidden @ layer.here + layer.bias
            if distance < blocks:
                change[:, distance:] += hidden[:, :-distance] @ layer.before
                change[:, :-distance] += hidden[:, distance:] @ layer.behind
            change += parents(hidden, layer.parent)
            change += class_paths(hidden, layer.class_path)
            change += hidden.mean(axis=1, keepdims=True) @ layer.page
            np.maximum(change, 0, out=change)
            hidden += change
        odds = np.clip((hidden @ self.last + self.last_bias)[:, :, 0].astype(np.float64), -50, 50)
        result: NDArray[np.float64] = (1 / (1 + np.exp(-odds))).mean(axis=0)
        return result


@lru_cache(maxsize=1)
def _libraries() -> ThreadpoolController:
    """The libraries with threads of this process; finding them takes a millisecond, once."""
    return ThreadpoolController()


class _Means:
    """Means over the groups of a page's blocks, and a matrix applied to them, given back to each block."""

    def __init__(self, groups: NDArray[np.int64]) -> None:
        _, self.of_block, counts = np.unique(groups, return_inverse=True, return_counts=True)
        self.order = np.argsort(self.of_block, kind="stable")
        self.starts = np.concatenate(([0], np.cumsum(counts)[:-1]))
        self.shares = (1 / counts).astype(np.float32)[:, None]

    def __call__(self, hidden: Array, weights: Array) -> Array:
        means = np.add.reduceat(hidden[:, self.order], self.starts, axis=1) * self.shares
        result: Array = (means @ weights)[:, self.of_block]
        return result


def network(arrays: Mapping[str, Array]) -> Network:
    """A network from named arrays, as a model file holds them."""
    names = Layer.__slots__
    layers = tuple(Layer(**{name: arrays[f"{number}.{name}"] for name in names}) for number in range(len(DILATIONS)))
    return Network(arrays["first"], arrays["first_bias"], layers, arrays["last"], arrays["last_bias"])
