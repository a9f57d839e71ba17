"""The network of `combined`, evaluated with numpy, and the model file that holds its weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from newsextract.algorithms.combined import choice
from newsextract.algorithms.combined.choice import CANDIDATES, KindChoice
from newsextract.algorithms.combined.choice import KIND_CHOICE_NAMES as CHOICE_FIGURES
from newsextract.algorithms.combined.features import BlockFeatures, names
from newsextract.discovery.kinds import KINDS
from newsextract.errors import DataError
from newsextract.model_files import MAX_BYTES, ModelKind, read, write

__all__ = ["CHOICE", "FORMAT", "MAX_BYTES", "VERSION", "Model", "load", "save"]


# --- network --------------------------------------------------------------------------------------
# The network of `combined`, evaluated with numpy: a probability for each block of a page that it is article text.
#
# A block is judged by itself, by its neighbours, and by those that stand in the same place of the page's structure. The
# first layer reads the block's features; every further one adds what the blocks at distance d before and behind it say
# (a dilated convolution over the sequence), the mean of the blocks with the same parent element, the mean of those with
# the same tag path and classes, and the mean of the page. Several members, trained from different seeds, are evaluated
# together; the answer is their mean.
#
# A second network of the same shape is for pages that may be no article: it was trained on such pages alone, and reads the
# probabilities of the page's kinds beside the features of each block.
#
# Cost: 0.4 of a plain lxml parse for two members of width 24 and three layers.

DILATIONS = (1, 3, 9)
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
    """Shape (features, K·H), or (features + kinds, K·H); standardising the features is part of it."""
    first_bias: Array
    """Shape (K·H,)."""
    layers: tuple[Layer, ...]
    last: Array
    """Shape (K, H, 1)."""
    last_bias: Array
    """Shape (K, 1, 1)."""

    def probabilities(self, features: BlockFeatures, kinds: Sequence[float] = ()) -> NDArray[np.float64]:
        """A probability for each block.

        :param kinds: the probabilities of the page's kinds, for the network that reads them.

        With one thread: on matrices of a page's size the threads of a BLAS library mostly wait for one another, and where
        every core has a worker they take each other's time (0.6 ms a page became 5 on two busy cores).
        """
        with _libraries().limit(limits=1, user_api="blas"):
            return self._probabilities(features, kinds)

    def _probabilities(self, features: BlockFeatures, kinds: Sequence[float]) -> NDArray[np.float64]:
        members, width, _ = self.last.shape
        blocks = len(features.matrix)
        # A row a block, the members side by side, in all arrays; those that end in _by have the members one behind another.
        own = features.matrix.shape[1]
        hidden = features.matrix @ self.first[:own]
        hidden += self.first_bias + np.asarray(kinds, dtype=np.float32) @ self.first[own:]
        np.maximum(hidden, 0, out=hidden)
        groups = _Groups(hidden, features.parents, features.class_paths)
        parents, class_paths = groups.groupings
        said = np.empty_like(groups.means)
        change, other = np.empty_like(hidden), np.empty_like(hidden)
        hidden_by, change_by, other_by, said_by, means_by = (
            array.reshape(len(array), members, width).swapaxes(0, 1) for array in (hidden, change, other, said, groups.means)
        )
        share = np.full(blocks, 1 / blocks, dtype=np.float32)
        for distance, layer in zip(DILATIONS, self.layers, strict=True):
            groups.update()
            np.matmul(means_by[:, parents.span], layer.parent, out=said_by[:, parents.span])
            np.matmul(means_by[:, class_paths.span], layer.class_path, out=said_by[:, class_paths.span])
            # Its parent adds to each block what holds for all blocks of the page.
            page = (share @ hidden).reshape(members, 1, width) @ layer.page + layer.bias
            said[parents.span] += page.reshape(-1)
            np.matmul(hidden_by, layer.here, out=change_by)
            if distance < blocks:
                np.matmul(hidden_by[:, :-distance], layer.before, out=other_by[:, distance:])
                change[distance:] += other[distance:]
                np.matmul(hidden_by[:, distance:], layer.behind, out=other_by[:, :-distance])
                change[:-distance] += other[:-distance]
            for grouping in groups.groupings:
                change += said.take(grouping.of_block, axis=0, out=other, mode="clip")  # reason: others are buffered
            np.maximum(change, 0, out=change)
            hidden += change
        odds = (hidden_by @ self.last + self.last_bias)[:, :, 0].astype(np.float64)
        result: NDArray[np.float64] = (1 / (1 + np.exp(-np.clip(odds, -50, 50)))).mean(axis=0)
        return result


@lru_cache(maxsize=1)
def _libraries() -> ThreadpoolController:
    """The libraries with threads of this process; finding them takes a millisecond, once."""
    return ThreadpoolController()


@dataclass(frozen=True, slots=True, eq=False)
class _Grouping:
    """One of the groupings of a page's blocks."""

    span: slice
    """Its groups, among those of all groupings."""
    of_block: NDArray[np.intp]
    """The group of each block."""


class _Groups:
    """The groups of several groupings of a page's blocks, numbered one behind the other, and the means over each."""

    def __init__(self, hidden: Array, *groupings: NDArray[np.int64]) -> None:
        blocks = len(hidden)
        orders, starts, count = [], [], 0
        self.groupings: list[_Grouping] = []
        for number, grouping in enumerate(groupings):
            order = grouping.argsort(kind="stable")
            ordered = grouping[order]
            begins = np.ones(blocks, dtype=np.bool_)
            np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
            of_block = np.empty(blocks, dtype=np.intp)
            of_block[order] = np.cumsum(begins) + (count - 1)
            orders.append(order)
            starts.append(np.flatnonzero(begins) + number * blocks)
            self.groupings.append(_Grouping(slice(count, count + len(starts[-1])), of_block))
            count += len(starts[-1])
        self.hidden = hidden
        self.order, self.starts = np.concatenate(orders), np.concatenate(starts)
        self.shares = (1 / np.diff(self.starts, append=len(self.order))).astype(np.float32)[:, None]
        self.ordered = np.empty((len(self.order), hidden.shape[1]), dtype=np.float32)
        self.means = np.empty((count, hidden.shape[1]), dtype=np.float32)
        """A row a group."""
        # reduceat costs by columns: complex numbers are two at a time.
        number_type = np.float32 if hidden.shape[1] % 2 else np.complex64
        self.summands, self.sums = self.ordered.view(number_type), self.means.view(number_type)

    def update(self) -> None:
        """Make the means those of what is hidden now."""
        self.hidden.take(self.order, axis=0, out=self.ordered, mode="clip")
        np.add.reduceat(self.summands, self.starts, axis=0, out=self.sums)
        self.means *= self.shares


def network(arrays: Mapping[str, Array], before: str = "") -> Network:
    """A network from named arrays, as a model file holds them.

    :param before: what their names begin with.
    """
    names = Layer.__slots__
    layers = tuple(Layer(**{name: arrays[f"{before}{number}.{name}"] for name in names}) for number in range(len(DILATIONS)))
    own = {name: arrays[before + name] for name in ("first", "first_bias", "last", "last_bias")}
    return Network(layers=layers, **own)


def network_shapes(last: Array, features: int) -> dict[str, tuple[int, ...]]:
    """The shapes of the arrays of a network, by name.

    :param last: one of them, which tells members and width.
    :param features: that it reads.
    """
    members, width, _ = last.shape
    shapes: dict[str, tuple[int, ...]] = {
        "first": (features, members * width),
        "first_bias": (members * width,),
        "last": (members, width, 1),
        "last_bias": (members, 1, 1),
    }
    for number in range(len(DILATIONS)):
        shapes |= {f"{number}.{part}": (members, width, width) for part in Layer.__slots__}
        shapes[f"{number}.bias"] = (members, 1, width)
    return shapes


# --- model ----------------------------------------------------------------------------------------
# The model file of `combined`: the arrays of its network, names and shapes checked (:mod:`newsextract.model_files`).

FORMAT = "newsextract combined model"
VERSION = 6
_MEND = "train one with: newsextract train combined DIR… -o model.npz"
_REQUIRED = {
    "features": list(names()),
    "dilations": list(DILATIONS),
    "candidates": list(CANDIDATES),
    "choice_figures": list(CHOICE_FIGURES),
    "kinds": list(KINDS),
}
_KIND = ModelKind(FORMAT, VERSION, "model of combined", _MEND, _REQUIRED)
CHOICE, BY_KIND = "choice.", "by_kind."
"""What the names of the arrays begin with: of the choice by kind; of the network for pages that may be no article."""


@dataclass(frozen=True, slots=True, eq=False)
class OtherPages:
    """What pages that may be no article are judged by."""

    network: Network
    choice: KindChoice
    confidence: NDArray[np.float32]
    """Weights of :func:`newsextract.algorithms.combined.choice.confidence` for the chosen candidate."""


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A network and where it comes from."""

    network: Network
    confidence: NDArray[np.float32]
    """Weights of :func:`newsextract.algorithms.combined.choice.confidence` for the choice of the network alone."""
    second_opinion: NDArray[np.float32]
    """The same for the text of :func:`newsextract.algorithms.combined.choice.fused`."""
    other_pages: OtherPages | None
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
    others = None
    if BY_KIND + "last" in arrays:
        own = KindChoice(**{name: arrays[CHOICE + name] for name in KindChoice.shapes()})
        others = OtherPages(network(arrays, BY_KIND), own, arrays[BY_KIND + "confidence"])
    return Model(network(arrays), arrays["confidence"], arrays["second_opinion"], others, card)


def save(path: Path, arrays: Mapping[str, NDArray[np.float32]], card: Mapping[str, Any]) -> None:
    """Write a model file. The same arrays and card make the same bytes.

    :raises DataError: it cannot be written.
    """
    write(_KIND, path, arrays, card)


def _check(arrays: Mapping[str, NDArray[Any]], name: str) -> None:
    """Names, types and shapes of all arrays.

    :raises DataError: one is wrong.
    """
    shapes: dict[str, tuple[int, ...]] = {
        "confidence": (len(choice.CONFIDENCE_NAMES) + 1,),
        "second_opinion": (len(choice.SECOND_OPINION_NAMES) + 1,),
    }
    parts = {"": len(names())}
    if any(key.startswith((CHOICE, BY_KIND)) for key in arrays):
        parts[BY_KIND] = len(names()) + len(KINDS)
        shapes |= {CHOICE + key: shape for key, shape in KindChoice.shapes().items()}
        shapes[BY_KIND + "confidence"] = (len(choice.KIND_CHOICE_NAMES) + 1,)
    for before, features in parts.items():
        last = arrays.get(before + "last")
        if last is None or last.ndim != 3 or last.shape[2] != 1 or 0 in last.shape:
            raise DataError(f"{name}: the array {before}last is missing or has another shape; {_MEND}")
        shapes |= {before + key: shape for key, shape in network_shapes(last, features).items()}
    if other := sorted(arrays.keys() - shapes.keys()):
        raise DataError(f"{name}: the array {other[0]} belongs to no model of combined; {_MEND}")
    for key, shape in shapes.items():
        array = arrays.get(key)
        if array is None or array.shape != shape or array.dtype != np.float32 or not np.isfinite(array).all():
            raise DataError(f"{name}: the array {key} is missing or damaged; expected {shape} finite numbers; {_MEND}")
    if CHOICE + "deviation" in shapes and (arrays[CHOICE + "deviation"] <= 0).any():
        raise DataError(f"{name}: a deviation of the choice by kind is no positive number; {_MEND}")
