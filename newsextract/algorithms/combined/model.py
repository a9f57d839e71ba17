"""The model file of `combined`: arrays in numpy's format, without objects, and a card that says what they come from.

Nothing in a file is executed: ``allow_pickle`` is off, shapes and names are checked, the file is versioned.
"""

from __future__ import annotations

import json
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.combined import confidence
from newsextract.algorithms.combined.features import names
from newsextract.algorithms.combined.network import DILATIONS, Layer, Network, network
from newsextract.errors import DataError

FORMAT = "newsextract combined model"
VERSION = 2
MAX_BYTES = 3_000_000
_MAX_ARRAYS = 20_000_000
"""Bytes of all arrays together, unpacked."""
_CARD = "card"
_MEND = "train one with: newsextract train combined DIR… -o model.npz"


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A network and where it comes from."""

    network: Network
    confidence: NDArray[np.float32]
    """Weights of :func:`.confidence.confidence`."""
    card: Mapping[str, Any]
    """Data, folds, pages, sites, members, seed."""


@lru_cache(maxsize=4)
def load(path: Path | None = None) -> Model:
    """A model from a file, or the shipped one.

    :raises DataError: the file is missing, damaged, of another kind, version or set of features.
    """
    if path is None:
        with resources.files("newsextract").joinpath("models/combined.npz").open("rb") as shipped:
            return _read(shipped, "models/combined.npz")
    try:
        if path.stat().st_size > MAX_BYTES:
            raise DataError(f"{path}: too large for a model of combined (over {MAX_BYTES:,} bytes); {_MEND}")
        with path.open("rb") as file:
            return _read(file, str(path))
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        reason = getattr(error, "strerror", None) or error
        raise DataError(f"{path}: {reason}; expected a model of combined; {_MEND}") from error


def save(path: Path, arrays: Mapping[str, NDArray[np.float32]], card: Mapping[str, Any]) -> None:
    """Write a model file. The same arrays and card make the same bytes.

    :raises DataError: it cannot be written.
    """
    written = {"format": FORMAT, "version": VERSION, "features": list(names()), "dilations": list(DILATIONS), **card}
    text = np.frombuffer(json.dumps(written, sort_keys=True).encode("ascii"), dtype=np.uint8)
    try:
        with path.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **{_CARD: text}, **dict(arrays))
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror or error}") from error


def _read(file: IO[bytes], name: str) -> Model:
    try:
        with zipfile.ZipFile(file) as archive:
            if sum(member.file_size for member in archive.infolist()) > _MAX_ARRAYS:
                raise ValueError("its arrays are too large")
        file.seek(0)
        with np.load(file, allow_pickle=False) as data:
            arrays = {key: data[key] for key in data.files}
        card = json.loads(arrays.pop(_CARD).tobytes())
    except (  # what a damaged archive makes of zipfile, zlib, numpy and json; RecursionError is a RuntimeError
        *(ValueError, KeyError, EOFError, OSError, AttributeError, TypeError),
        *(zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, SyntaxError, tokenize.TokenError),
    ) as error:
        raise DataError(f"{name}: not a model of combined ({error}); {_MEND}") from error
    if not isinstance(card, dict) or card.get("format") != FORMAT:
        raise DataError(f"{name}: not a model of combined: its card lacks the format {FORMAT!r}; {_MEND}")
    if card.get("version") != VERSION:
        raise DataError(f"{name}: version {card.get('version')!r} is not known, this program reads {VERSION}; {_MEND}")
    if card.get("features") != list(names()):
        raise DataError(f"{name}: made for other features than this program has; {_MEND}")
    if card.get("dilations") != list(DILATIONS):
        raise DataError(f"{name}: made for neighbours at other distances than {DILATIONS}; {_MEND}")
    _check(arrays, name)
    return Model(network(arrays), arrays["confidence"], card)


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
    }
    for number in range(len(DILATIONS)):
        shapes |= {f"{number}.{part}": (members, width, width) for part in Layer.__slots__}
        shapes[f"{number}.bias"] = (members, 1, width)
    if other := sorted(arrays.keys() - shapes.keys()):
        raise DataError(f"{name}: the array {other[0]} belongs to no model of combined; {_MEND}")
    for key, shape in shapes.items():
        array = arrays.get(key)
        if array is None or array.shape != shape or array.dtype != np.float32 or not np.isfinite(array).all():
            raise DataError(f"{name}: the array {key} is missing or damaged; expected {shape} finite numbers; {_MEND}")
