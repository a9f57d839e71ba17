"""Whether the fields of a line have the types of their columns.

A database tells a value of a wrong type in ways of its own, or takes it: SQLite keeps a number in a column of texts. So
lines are checked here, before any of them is sent. Cost: 2 µs a line.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, Column, Float, Integer, Table

_MAPPINGS = frozenset({"fields", "object"})
"""Nested fields that are objects; the others are lists."""
_SAID: dict[type, str] = {
    str: "a text", int: "a whole number", float: "a number", list: "a list", dict: "an object", bool: "true or false",
    type(None): "null",
}  # fmt: skip
Types = Mapping[str, frozenset[type]]


def types_of(table: Table, fields: frozenset[str]) -> Types:
    """The types that the fields of a line may have; exactly these: ``True`` is no number."""
    return {column.name: frozenset(_types(column)) for column in table.columns if column.name in fields}


def _types(column: Column[Any]) -> list[type]:
    kind, empty = column.type, [type(None)] if column.nullable else []
    if isinstance(kind, JSON):
        return [dict if column.name in _MAPPINGS else list, *empty]
    if isinstance(kind, Float):
        return [float, int, *empty]
    if isinstance(kind, Integer):
        return [int, *empty]
    return [str, *empty]  # times, too


def check_types(line: Mapping[str, Any], types: Types) -> None:
    """Check a line whose fields are those of the table.

    :raises ValueError: a field has another type.
    """
    for name, allowed in types.items():
        if type(line[name]) not in allowed:
            expected = " or ".join(_SAID[one] for one in _SAID if one in allowed)
            raise ValueError(f"its {name} is {_SAID[type(line[name])]}; expected {expected}")


def in_utc(moment: str) -> str:
    """A time of a feed as ISO 8601 in UTC, so that times can be compared as texts.

    :raises ValueError: it is no time, or has no time zone.
    """
    try:
        found = datetime.fromisoformat(moment)
        if found.tzinfo is not None:
            return found.astimezone(UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError) as error:  # the latter: within a day of year 1 or 9999
        raise ValueError(f"its time {moment[:40]!r} cannot be read") from error
    raise ValueError(f"its time {moment[:40]!r} names no time zone")
