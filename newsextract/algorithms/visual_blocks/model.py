"""The model file of the default preset: trees that score candidate sets, and trees that judge single records.

There are two pairs, for pages that a browser drew (``visual``) and for pages that only the source is known of (``dom``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from newsextract.algorithms.visual_blocks import appearance, candidate_features, record_features
from newsextract.algorithms.visual_blocks.trees import Trees, from_arrays
from newsextract.errors import DataError
from newsextract.model_archive import ModelKind, read, write

KINDS = ("visual", "dom")
SHIPPED = "models/visual_blocks.npz"
_MEND = "train one with: newsextract train visual-blocks DIR… -o model.npz"
_FEATURES = {
    "set_features": [*candidate_features.NAMES, *appearance.NAMES],
    "record_features": list(record_features.NAMES),
}
_KIND = ModelKind("newsextract visual_blocks model", 1, "model of visual_blocks", _MEND, _FEATURES)


@dataclass(frozen=True, slots=True)
class Judges:
    """What judges pages of one kind."""

    sets: Trees
    """The F1 to be expected of a candidate set; in ``dom`` without the columns of :mod:`.appearance`."""
    records: Trees
    """The log odds that a record of a chosen set is one."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model and where it comes from."""

    judges: Mapping[str, Judges]
    """By the names of :data:`KINDS`."""
    card: Mapping[str, Any]
    """Data, folds, pages, sites, seed."""


@lru_cache(maxsize=4)
def load(path: Path | None = None) -> Model:
    """A model from a file, or the shipped one.

    :raises DataError: the file is missing, damaged, of another kind, version or set of features.
    """
    arrays, card = read(_KIND, path, SHIPPED)
    try:
        judges = {
            kind: Judges(*(from_arrays(arrays, f"{kind}.{part}", width(kind, part)) for part in PARTS)) for kind in KINDS
        }
    except ValueError as error:
        raise DataError(f"{path or SHIPPED}: {error}; {_MEND}") from error
    return Model(judges, card)


PARTS = ("sets", "records")


def width(kind: str, part: str) -> int:
    """How many features a judge reads."""
    if part == "records":
        return len(record_features.NAMES)
    return len(candidate_features.NAMES) + (len(appearance.NAMES) if kind == "visual" else 0)


def save(path: Path, judges: Mapping[str, Judges], card: Mapping[str, Any]) -> None:
    """Write a model file. The same trees and card make the same bytes.

    :raises DataError: it cannot be written.
    """
    arrays: dict[str, NDArray[Any]] = {}
    for kind, own in judges.items():
        for part in PARTS:
            arrays |= getattr(own, part).arrays(f"{kind}.{part}")
    write(_KIND, path, arrays, card)
