"""The model file of `combined`: the arrays of its network, names and shapes checked (:mod:`newsextract.model_archive`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.combined import confidence, second_opinion
from newsextract.algorithms.combined.features import names
from newsextract.algorithms.combined.kind_choice import CANDIDATES, KindChoice
from newsextract.algorithms.combined.kind_choice import NAMES as CHOICE_FIGURES
from newsextract.algorithms.combined.network import DILATIONS, Layer, Network, network
from newsextract.errors import DataError
from newsextract.kinds.judge import KINDS
from newsextract.model_archive import MAX_BYTES, ModelKind, read, write

FORMAT = "newsextract combined model"
VERSION = 5
_MEND = "train one with: newsextract train combined DIR… -o model.npz"
_REQUIRED = {
    "features": list(names()),
    "dilations": list(DILATIONS),
    "candidates": list(CANDIDATES),
    "choice_figures": list(CHOICE_FIGURES),
    "kinds": list(KINDS),
}
_KIND = ModelKind(FORMAT, VERSION, "model of combined", _MEND, _REQUIRED)
CHOICE = "choice."
"""What the names of the arrays of the choice by kind begin with."""

__all__ = ["CHOICE", "FORMAT", "MAX_BYTES", "VERSION", "Model", "load", "save"]


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A network and where it comes from."""

    network: Network
    confidence: NDArray[np.float32]
    """Weights of :func:`.confidence.confidence` for the choice of the network alone."""
    second_opinion: NDArray[np.float32]
    """The same for the text of :func:`.second_opinion.fused`."""
    kind_choice: KindChoice | None
    """None: trained on pages of which no kind, or not every kind, is known."""
    card: Mapping[str, Any]
    """Data, folds, pages, sites, members, seed."""


@lru_cache(maxsize=4)
def load(path: Path | None = None) -> Model:
    """A model from a file, or the shipped one.

    :raises DataError: the file is missing, damaged, of another kind, version or set of features.
    """
    arrays, card = read(_KIND, path, "models/combined.npz")
    _check(arrays, str(path or "models/combined.npz"))
    own = {name: arrays[CHOICE + name] for name in KindChoice.shapes() if CHOICE + name in arrays}
    return Model(network(arrays), arrays["confidence"], arrays["second_opinion"], KindChoice(**own) if own else None, card)


def save(path: Path, arrays: Mapping[str, NDArray[np.float32]], card: Mapping[str, Any]) -> None:
    """Write a model file. The same arrays and card make the same bytes.

    :raises DataError: it cannot be written.
    """
    write(_KIND, path, arrays, card)


def _check(arrays: Mapping[str, NDArray[Any]], name: str) -> None:
    """Names, types and shapes of all arrays.

    :raises DataError: one is wrong.
    """
    last = arrays.get("last")
    if last is None or last.ndim != 3 or last.shape[2] != 1 or 0 in last.shape:
        raise DataError(f"{name}: the array last is missing or has another shape; {_MEND}")
    members, width, _ = last.shape
    shapes: dict[str, tuple[int, ...]] = {
        "first": (len(names()), members * width),
        "first_bias": (members * width,),
        "last": (members, width, 1),
        "last_bias": (members, 1, 1),
        "confidence": (len(confidence.NAMES) + 1,),
        "second_opinion": (len(second_opinion.NAMES) + 1,),
    }
    for number in range(len(DILATIONS)):
        shapes |= {f"{number}.{part}": (members, width, width) for part in Layer.__slots__}
        shapes[f"{number}.bias"] = (members, 1, width)
    if any(key.startswith(CHOICE) for key in arrays):
        shapes |= {CHOICE + key: shape for key, shape in KindChoice.shapes().items()}
    if other := sorted(arrays.keys() - shapes.keys()):
        raise DataError(f"{name}: the array {other[0]} belongs to no model of combined; {_MEND}")
    for key, shape in shapes.items():
        array = arrays.get(key)
        if array is None or array.shape != shape or array.dtype != np.float32 or not np.isfinite(array).all():
            raise DataError(f"{name}: the array {key} is missing or damaged; expected {shape} finite numbers; {_MEND}")
    if CHOICE + "deviation" in shapes and (arrays[CHOICE + "deviation"] <= 0).any():
        raise DataError(f"{name}: a deviation of the choice by kind is no positive number; {_MEND}")
