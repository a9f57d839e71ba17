"""Files with the thresholds Δ1–Δ4, which Wang & Cao 2016 does not print, made by ``newsextract train node-attributes``."""

from __future__ import annotations

from dataclasses import astuple, fields
from pathlib import Path

from newsextract.algorithms.node_attributes.leaf_filter import Limits
from newsextract.errors import DataError
from newsextract.threshold_file import ThresholdFile, Thresholds

KEYS = tuple(f.name for f in fields(Limits))
FILE = ThresholdFile(
    format="newsextract node_attributes thresholds",
    keys=KEYS,
    command="newsextract train node-attributes DIR… -o thresholds.toml",
)


def shipped(preset: str) -> Limits:
    """The limits of a preset, fitted on the bench; see the card in the file."""
    name = f"node_attributes_{preset}.toml"
    return _limits(FILE.shipped(name), name)


def read(path: Path) -> Limits:
    """Limits from a file.

    :raises DataError: it is missing, damaged, of another kind or of another version.
    """
    return _limits(FILE.read(path), str(path))


def write(path: Path, limits: Limits, card: dict[str, str | int | float]) -> None:
    """Write a file that :func:`read` reads.

    :raises DataError: it cannot be written.
    """
    FILE.write(path, Thresholds(dict(zip(KEYS, astuple(limits), strict=True)), card))


def _limits(thresholds: Thresholds, name: str) -> Limits:
    for key, value in thresholds.numbers.items():
        if value > 1:
            raise DataError(f"{name}: {key} is {value}; expected a share from 0 to 1; make one with: {FILE.command}")
    return Limits(**thresholds.numbers)
