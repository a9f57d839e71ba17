"""How a crawl writes to its database: the settings ``DATABASE_BATCH``, ``_SECONDS`` and ``_PATIENCE``, checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Any

from newsextract.errors import UsageError

_LARGEST = 100_000
_SHORTEST = 0.01


@dataclass(frozen=True)
class Pace:
    """Lines and seconds."""

    lines: int = 500
    """Lines a transaction. 500 articles are about 2 MB, and take 0.1 s with SQLite, 0.2 s with PostgreSQL."""
    seconds: float = 1.0
    """Between two looks at the feeds."""
    patience: float = 30.0
    """Seconds that the end of a crawl waits for a database that gets nothing done."""


def read_pace(setting: Callable[[str], Any]) -> Pace:
    """The settings, checked.

    :param setting: gives the value of a setting, None if it has none.
    :raises UsageError: one is no number, or out of its range.
    """
    lines = _number(setting, "DATABASE_BATCH", Pace.lines, "a number of lines, from 1 to 100000", 1)
    if lines != int(lines) or lines > _LARGEST:
        raise UsageError(f"DATABASE_BATCH = {lines}: expected a number of lines, from 1 to 100000")
    seconds = _number(setting, "DATABASE_SECONDS", Pace.seconds, "seconds, at least 0.01", _SHORTEST)
    patience = _number(setting, "DATABASE_PATIENCE", Pace.patience, "seconds, at least 0", 0)
    return Pace(int(lines), seconds, patience)


def _number(setting: Callable[[str], Any], name: str, default: float, expected: str, least: float) -> float:
    said = setting(name)
    try:
        value = float(default if said is None else said)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{name} = {said}: expected {expected}") from error
    if not isfinite(value) or value < least:
        raise UsageError(f"{name} = {said}: expected {expected}")
    return value
