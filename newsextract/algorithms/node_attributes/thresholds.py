"""Files with the thresholds Δ1–Δ4, which Wang & Cao 2016 does not print, made by ``newsextract train node-attributes``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from newsextract.algorithms.node_attributes.leaf_filter import Limits
from newsextract.errors import DataError
from newsextract.threshold_file import ThresholdFile, Thresholds

_POSITION = ("delta1", "delta2", "delta3", "delta4", "container")
_BOXES = {"box_bottom": "delta3", "box_top": "delta4", "box_width": "width", "box_height": "height"}
"""The limit that each is, of a rendered page."""
KEYS = (*_POSITION, *_BOXES)
FILE = ThresholdFile(
    format="newsextract node_attributes thresholds",
    keys=KEYS,
    command="newsextract train node-attributes DIR… -o thresholds.toml",
)


@dataclass(frozen=True, slots=True)
class Fitted:
    """The limits of pages without a rendering and of rendered ones; densities are judged alike."""

    position: Limits
    boxes: Limits

    @classmethod
    def of(cls, numbers: Mapping[str, float]) -> Self:
        """From the numbers of a file or of parameters, by :data:`KEYS`."""
        position = Limits(**{key: numbers[key] for key in _POSITION})
        return cls(position, replace(position, **{limit: numbers[key] for key, limit in _BOXES.items()}))

    @property
    def numbers(self) -> dict[str, float]:
        """By :data:`KEYS`."""
        position: dict[str, float] = {key: getattr(self.position, key) for key in _POSITION}
        return position | {key: getattr(self.boxes, limit) for key, limit in _BOXES.items()}


def shipped(preset: str) -> Fitted:
    """The limits of a preset, fitted on the bench; see the card in the file."""
    name = f"node_attributes_{preset}.toml"
    return _fitted(FILE.shipped(name), name)


def read(path: Path) -> Fitted:
    """Limits from a file.

    :raises DataError: it is missing, damaged, of another kind or of another version.
    """
    return _fitted(FILE.read(path), str(path))


def write(path: Path, fitted: Fitted, card: dict[str, str | int | float]) -> None:
    """Write a file that :func:`read` reads.

    :raises DataError: it cannot be written.
    """
    FILE.write(path, Thresholds(fitted.numbers, card))


def _fitted(thresholds: Thresholds, name: str) -> Fitted:
    for key, value in thresholds.numbers.items():
        if value > 1:
            raise DataError(f"{name}: {key} is {value}; expected a share from 0 to 1; make one with: {FILE.command}")
    return Fitted.of(thresholds.numbers)
