"""Files with trained numbers: arrays with a card (models), and thresholds as TOML.

Nothing in a file is executed: every value is checked, sizes are capped, and both formats carry a version.
"""

from __future__ import annotations

import json
import lzma
import re
import tokenize
import tomllib
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from newsextract.errors import DataError, naming


def data_table(path: str) -> dict[str, Any]:
    """Read a TOML file of the package.

    :param path: below ``newsextract/``.
    """
    return tomllib.loads(resources.files("newsextract").joinpath(path).read_text("utf-8"))


# --- model archive --------------------------------------------------------------------------------
# Arrays in numpy's format, without objects (``allow_pickle`` is off), and a card that says what they come from. What the
# arrays mean, and whether they fit together, is for the model's own module to check.

MAX_BYTES = 3_000_000
_MAX_ARRAYS = 20_000_000
"""Bytes of all arrays together, unpacked."""
_CARD = "card"
_DAMAGED = (
    ValueError, KeyError, EOFError, OSError, AttributeError, TypeError, MemoryError, OverflowError, RuntimeError,
    SyntaxError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, tokenize.TokenError,
)  # fmt: skip
"""What zipfile, zlib, numpy and json make of a damaged archive; RecursionError and NotImplementedError are RuntimeErrors."""


def alternatives(words: Iterable[str], *, wide: bool | None = None) -> str:
    """Words of such a table as the alternatives of a regular expression, the longest first.

    :param wide: whether only those that begin with a Chinese or Japanese character, or only others.
    """
    chosen = {word for word in words if wide is None or (word[0] >= "\u2e80") is wide}
    return "|".join(map(re.escape, sorted(sorted(chosen), key=len, reverse=True)))


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
    with naming(f"cannot write {path}"), path.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **{_CARD: text}, **dict(arrays))


def _read(kind: ModelKind, file: IO[bytes], name: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    try:
        with zipfile.ZipFile(file) as archive:
            if sum(member.file_size for member in archive.infolist()) > _MAX_ARRAYS:
                raise ValueError("its arrays are too large")
        file.seek(0)
        with np.load(file, allow_pickle=False) as data:
            arrays = {key: data[key] for key in data.files}
        if not all(isinstance(array, np.ndarray) for array in arrays.values()):
            raise ValueError("a member is no array")
        card = json.loads(arrays.pop(_CARD).tobytes())
    except _DAMAGED as error:
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


# --- threshold file -------------------------------------------------------------------------------
# Trained thresholds as a small TOML file: a format name, a version, numbers, and a card that says how they were made. The
# same thresholds make the same bytes.

VERSION = 1
_MAX_BYTES = 100_000


@dataclass(frozen=True, slots=True)
class ThresholdFile:
    """What an algorithm's threshold files hold."""

    format: str
    """The line ``format = "newsextract …"`` that tells them from other files."""
    keys: Sequence[str]
    """The numbers in them, 0 or more each."""
    command: str
    """The command line that makes one; it ends the error messages."""
    largest: float = 1e9
    """Of these numbers."""

    def shipped(self, name: str) -> Thresholds:
        """The thresholds of a file in the package's ``models`` folder."""
        return self.parse(resources.files("newsextract").joinpath("models", name).read_text("utf-8"), name)

    def read(self, path: Path) -> Thresholds:
        """Thresholds from a file.

        :raises DataError: it is missing, damaged, of another kind or of another version.
        """
        try:
            if path.stat().st_size > _MAX_BYTES:
                raise self._wrong(path, "too large for a thresholds file")
            text = path.read_text("utf-8")
        except OSError as error:
            raise self._wrong(path, f"{error.strerror or error}; expected a thresholds file") from error
        except ValueError as error:  # not UTF-8, or a null byte in the name
            raise self._wrong(path, f"not a thresholds file ({error})") from error
        return self.parse(text, str(path))

    def parse(self, text: str, name: str) -> Thresholds:
        """Thresholds from the text of a file.

        :param name: how messages call the file.
        :raises DataError: it is damaged, of another kind or of another version.
        """
        try:
            data = tomllib.loads(text)
        except (ValueError, RecursionError) as error:
            raise self._wrong(name, f"not readable as TOML ({error})") from error
        if data.get("format") != self.format:
            raise self._wrong(name, f'no thresholds file: it lacks the line format = "{self.format}"')
        if data.get("version") != VERSION:
            raise self._wrong(name, f"version {data.get('version')!r} is not known, this program reads {VERSION}")
        card = data.get("card", {})
        return Thresholds({key: self._number(data, key, name) for key in self.keys}, card if isinstance(card, dict) else {})

    def write(self, path: Path, thresholds: Thresholds) -> None:
        """Write a file that :meth:`read` reads.

        :raises DataError: it cannot be written.
        """
        lines = [
            '# In the site\'s settings: params = { thresholds = "<this file>" }, relative to the folder of sites.toml.',
            f'format = "{self.format}"',
            f"version = {VERSION}",
            *(f"{key} = {float(thresholds.numbers[key])}" for key in self.keys),
            "",
            "[card]",
            *(f"{key} = {_toml(value)}" for key, value in thresholds.card.items()),
        ]
        with naming(f"cannot write {path}"):
            path.write_text("\n".join(lines) + "\n", "utf-8")

    def _number(self, data: Mapping[str, Any], key: str, name: str) -> float:
        value = data.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= self.largest:  # nor nan
            given = "missing" if value is None else repr(value)[:60]
            raise self._wrong(name, f"{key} is {given}; expected a number 0–{self.largest:g}")
        return float(value)

    def _wrong(self, name: str | Path, what: str) -> DataError:
        return DataError(f"{name}: {what}; make one with: {self.command}")


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The content of one file."""

    numbers: Mapping[str, float]
    card: Mapping[str, str | int | float] = field(default_factory=dict)
    """How they were made."""


def _toml(value: str | int | float) -> str:
    if isinstance(value, int | float):
        return str(value)
    return json.dumps(value.encode("utf-8", "replace").decode())  # its escapes are those of TOML
