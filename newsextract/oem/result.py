"""What a run gives, and how its pages are asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from newsextract.oem.model import OEMObject
from newsextract.page import Page


@dataclass(frozen=True, slots=True)
class Unavailable:
    """A page that cannot be had, and why."""

    reason: str


Fetch = Callable[[str], Page | Unavailable | None]
"""The page at an address; None: not at hand now, but it can be asked for."""


@dataclass(slots=True)
class LineFit:
    """How a line did."""

    number: int
    """In the file."""
    variable: str
    optional: bool
    sources: int = 0
    """How many sources it had."""
    matched: int = 0
    """In how many of them it found something."""
    objects: int = 0

    @property
    def fits(self) -> bool:
        """Whether it found something, or had nowhere to look, or need not find anything."""
        return self.matched > 0 or self.optional or self.sources == 0


@dataclass(frozen=True, slots=True)
class Result:
    """What a run gave."""

    root: OEMObject | None
    """None: the first line does not fit the page."""
    fit: tuple[LineFit, ...]
    """One a line of the format."""
    missing: tuple[str, ...] = ()
    """Addresses of pages that were asked for and are not at hand; with them the run can be repeated."""
    failures: tuple[tuple[str, str], ...] = ()
    """Addresses of pages that could not be had, and why."""
    notes: tuple[str, ...] = ()
    """What was cut and why."""

    @property
    def misfits(self) -> tuple[str, ...]:
        """One line of text for each line of the format that does not fit; empty: the wrapper fits."""
        return tuple(
            f"line {line.number} ({line.variable}): nothing found in {line.sources} source{'s'[: line.sources != 1]}"
            for line in self.fit
            if not line.fits
        )
