"""Model files: arrays in numpy's format, without objects, and a card that says what they come from.

Nothing in a file is executed: ``allow_pickle`` is off, sizes are capped, the file is versioned. What the arrays mean, and
whether they fit together, is for the model's own module to check.
"""

from __future__ import annotations

import json
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from newsextract.errors import DataError

MAX_BYTES = 3_000_000
_MAX_ARRAYS = 20_000_000
"""Bytes of all arrays together, unpacked."""
_CARD = "card"


@dataclass(frozen=True, slots=True)
class ModelKind:
    """One kind of model file."""

    format: str
    """For example ``newsextract combined model``; the model's card repeats it."""
    version: int
    what: str
    """For messages: ``model of combined``."""
    mend: str
    """For messages: how to get a good file."""
    requires: Mapping[str, Any]
    """What the card must say for the program to understand the arrays (features, layers …)."""


def read(kind: ModelKind, path: Path | None, shipped: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Arrays and card of a file.

    :param path: None for the shipped model.
    :param shipped: the shipped model's place in the package.
    :raises DataError: the file is missing, damaged, of another kind or version, or does not say what is required.
    """
    if path is None:
        with resources.files("newsextract").joinpath(shipped).open("rb") as file:
            return _read(kind, file, shipped)
    try:
        if path.stat().st_size > MAX_BYTES:
            raise DataError(f"{path}: too large for a {kind.what} (over {MAX_BYTES:,} bytes); {kind.mend}")
        with path.open("rb") as file:
            return _read(kind, file, str(path))
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        reason = getattr(error, "strerror", None) or error
        raise DataError(f"{path}: {reason}; expected a {kind.what}; {kind.mend}") from error


def write(kind: ModelKind, path: Path, arrays: Mapping[str, NDArray[Any]], card: Mapping[str, Any]) -> None:
    """Write a model file. The same arrays and card make the same bytes.

    :raises DataError: it cannot be written.
    """
    written = {"format": kind.format, "version": kind.version, **kind.requires, **card}
    text = np.frombuffer(json.dumps(written, sort_keys=True).encode("ascii"), dtype=np.uint8)
    try:
        with path.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **{_CARD: text}, **dict(arrays))
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror or error}") from error


def _read(kind: ModelKind, file: IO[bytes], name: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
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
        raise DataError(f"{name}: not a {kind.what} ({error}); {kind.mend}") from error
    if not isinstance(card, dict) or card.get("format") != kind.format:
        raise DataError(f"{name}: not a {kind.what}: its card lacks the format {kind.format!r}; {kind.mend}")
    if card.get("version") != kind.version:
        raise DataError(
            f"{name}: version {card.get('version')!r} is not known, this program reads {kind.version}; {kind.mend}"
        )
    for key, value in kind.requires.items():
        if card.get(key) != value:
            raise DataError(f"{name}: made for other {key} than this program has; {kind.mend}")
    return arrays, card
