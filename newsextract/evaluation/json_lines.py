"""JSON lines read with care: a malformed line is one message with file, line, key and what was expected."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from newsextract.errors import DataError

Row = dict[str, Any]


def rows(path: Path) -> Iterator[tuple[str, Row]]:
    """The objects of a file, each with "file, line n" for messages.

    :raises DataError: the file cannot be read, or a line is not a JSON object.
    """
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                where = f"{path}, line {number}"
                try:
                    row = json.loads(line)
                except (ValueError, RecursionError) as error:
                    raise DataError(f"{where}: not JSON ({error}); expected one object a line") from None
                if not isinstance(row, dict):
                    raise DataError(f"{where}: expected a JSON object, got {type(row).__name__}")
                yield where, row
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}; give an existing JSON lines file") from error


def required(row: Row, key: str, where: str) -> str:
    """A string that must be there and not be empty."""
    value = row.get(key)
    if not isinstance(value, str) or not value:
        raise DataError(f"{where}: {key!r} must be a non-empty string, got {_shown(value)}")
    return value


def optional(row: Row, key: str, where: str) -> str | None:
    """A string, or None."""
    value = row.get(key)
    if value is None or isinstance(value, str):
        return value
    raise DataError(f"{where}: {key!r} must be a string or null, got {_shown(value)}")


def strings(row: Row, key: str, where: str) -> tuple[str, ...] | None:
    """A list of strings, or None."""
    value = row.get(key)
    if value is None:
        return None
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise DataError(f"{where}: {key!r} must be a list of strings or null, got {_shown(value)}")


def objects(row: Row, key: str, where: str) -> list[Row]:
    """A list of objects that must be there."""
    value = row.get(key)
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return value
    raise DataError(f"{where}: {key!r} must be a list of objects, got {_shown(value)}")


def number(row: Row, key: str, where: str) -> float | None:
    """A number, or None."""
    value = row.get(key)
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)):
        return value
    raise DataError(f"{where}: {key!r} must be a number or null, got {_shown(value)}")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
