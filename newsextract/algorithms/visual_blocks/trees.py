"""Boosted regression trees as plain arrays, evaluated with numpy: Friedman 2001, Greedy function approximation.

scikit-learn trains them (:mod:`.training`); nothing of it is needed here.
Cost: one look-up a row, tree and level.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """An ensemble; nodes of all trees one behind another."""

    feature: NDArray[np.int16]
    """Shape (nodes,): the column that a node asks for; -1 of a leaf."""
    threshold: NDArray[np.float32]
    """Shape (nodes,): up to here to the left; of a leaf its value."""
    left: NDArray[np.int32]
    """Shape (nodes,): the left child; the right one stands behind it. Of a leaf the leaf itself."""
    roots: NDArray[np.int32]
    """Shape (trees,)."""
    constant: NDArray[np.float32]
    """Shape (1,): what the values of the trees are added to."""

    def predict(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """A value a row.

        :param rows: shape (rows, features).
        """
        width = rows.shape[1]
        values = rows.ravel()
        node = np.tile(self.roots, (len(rows), 1))
        before = (np.arange(len(rows)) * width)[:, None]
        while True:
            feature = self.feature.take(node)
            inner = feature >= 0
            if not inner.any():
                break
            right = values.take(before + np.maximum(feature, 0)) > self.threshold.take(node)
            node = self.left.take(node) + (right & inner)  # the left child of a leaf is the leaf itself
        total: NDArray[np.float64] = self.threshold.take(node).sum(axis=1, dtype=np.float64) + float(self.constant[0])
        return total

    def arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Named arrays for a model file."""
        return {f"{prefix}.{name}": getattr(self, name) for name in self.__slots__}


def from_arrays(arrays: Mapping[str, NDArray[Any]], prefix: str, features: int) -> Trees:
    """Trees from a model file's arrays.

    :param features: how many columns there are.
    :raises ValueError: an array is missing, of another type, or leads nowhere; so that no walk fails or never ends.
    """
    types = {"feature": np.int16, "threshold": np.float32, "left": np.int32, "roots": np.int32, "constant": np.float32}
    found: dict[str, NDArray[Any]] = {}
    for name, kind in types.items():
        array = arrays.get(f"{prefix}.{name}")
        if array is None or array.dtype != kind or array.ndim != 1 or not len(array):
            raise ValueError(f"the array {prefix}.{name} is missing or damaged")
        found[name] = array
    nodes = len(found["feature"])
    if not (len(found["threshold"]) == len(found["left"]) == nodes and np.isfinite(found["threshold"]).all()):
        raise ValueError(f"the arrays of {prefix} do not fit together")
    inner = found["feature"] >= 0
    children = found["left"][inner]
    if (found["feature"] >= features).any() or (children <= np.flatnonzero(inner)).any() or (children >= nodes - 1).any():
        raise ValueError(f"the trees of {prefix} lead nowhere")
    if (found["left"][~inner] != np.flatnonzero(~inner)).any():
        raise ValueError(f"the leaves of {prefix} lead on")
    if (found["roots"] < 0).any() or (found["roots"] >= nodes).any() or not np.isfinite(found["constant"]).all():
        raise ValueError(f"the roots of {prefix} are damaged")
    return Trees(**found)
