"""Trained thresholds as a small TOML file: a format name, a version, numbers, and a card that says how they were made.

Nothing in a file is executed, every value is checked, and the same thresholds make the same bytes.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from newsextract.errors import DataError

VERSION = 1
_MAX_BYTES = 100_000
_LARGEST = 1e9


@dataclass(frozen=True, slots=True)
class ThresholdFile:
    """What an algorithm's threshold files hold."""

    format: str
    """The line ``format = "newsextract …"`` that tells them from other files."""
    keys: Sequence[str]
    """The numbers in them, 0 or more each."""
    command: str
    """The command line that makes one; it ends the error messages."""

    def shipped(self, name: str) -> Thresholds:
        """The thresholds of a file in the package's ``models`` folder."""
        return self.parse(resources.files("newsextract").joinpath("models", name).read_text("utf-8"), name)

    def read(self, path: Path) -> Thresholds:
        """Thresholds from a file.

        :raises DataError: it is missing, damaged, of another kind or of another version.
        """
        try:
            if path.stat().st_size > _MAX_BYTES:
                raise DataError(f"{path}: too large for a thresholds file; make one with: {self.command}")
            text = path.read_text("utf-8")
        except OSError as error:
            raise DataError(
                f"{path}: {error.strerror or error}; expected a thresholds file; make one with: {self.command}"
            ) from error
        except ValueError as error:  # not UTF-8, or a null byte in the name
            raise DataError(f"{path}: not a thresholds file ({error}); make one with: {self.command}") from error
        return self.parse(text, str(path))

    def parse(self, text: str, name: str) -> Thresholds:
        """Thresholds from the text of a file.

        :param name: how messages call the file.
        :raises DataError: it is damaged, of another kind or of another version.
        """
        try:
            data = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise DataError(f"{name}: not readable as TOML ({error}); make one with: {self.command}") from error
        if data.get("format") != self.format:
            raise DataError(
                f'{name}: no thresholds file: it lacks the line format = "{self.format}"; make one with: {self.command}'
            )
        if data.get("version") != VERSION:
            raise DataError(
                f"{name}: version {data.get('version')!r} is not known, this program reads {VERSION}; "
                f"make one with: {self.command}"
            )
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
        try:
            path.write_text("\n".join(lines) + "\n", "utf-8")
        except OSError as error:
            raise DataError(f"cannot write {path}: {error.strerror or error}") from error

    def _number(self, data: Mapping[str, Any], key: str, name: str) -> float:
        value = data.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _LARGEST:  # nor nan
            given = "missing" if value is None else repr(value)[:60]
            raise DataError(f"{name}: {key} is {given}; expected a number 0–{_LARGEST:g}; make one with: {self.command}")
        return float(value)


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
