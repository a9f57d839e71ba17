"""Files with the three thresholds of Hou & Yang 2011, §3.3, as ``newsextract train thresholds`` makes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from newsextract import threshold_file

NUMBERS = ("length_threshold", "bn_threshold", "frequency_threshold")
FILE = threshold_file.ThresholdFile(
    format="newsextract page_segmentation thresholds",
    keys=NUMBERS,
    command="newsextract train thresholds PAGES… -o site.toml",
)


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The thresholds of §3.3."""

    length_threshold: float
    """``Length`` units, 0 or more."""
    bn_threshold: float
    """Percent, 0 or more; it may be above 100."""
    frequency_threshold: float
    """Chunks, 0 or more."""
    card: Mapping[str, str | int | float] = field(default_factory=dict)
    """How they were made: pages, clusters, seed, a note."""


def shipped() -> Thresholds:
    """The thresholds that come with the package."""
    return _thresholds(FILE.shipped("page_segmentation.toml"))


def read(path: Path) -> Thresholds:
    """Thresholds from a file.

    :raises DataError: it is missing, damaged, of another kind or of another version.
    """
    return _thresholds(FILE.read(path))


def write(path: Path, thresholds: Thresholds) -> None:
    """Write a file that :func:`read` reads.

    :raises DataError: it cannot be written.
    """
    numbers = {name: getattr(thresholds, name) for name in NUMBERS}
    FILE.write(path, threshold_file.Thresholds(numbers, thresholds.card))


def _thresholds(read: threshold_file.Thresholds) -> Thresholds:
    return Thresholds(**read.numbers, card=read.card)
