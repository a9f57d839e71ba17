"""Files of objects: what ``oem run`` writes, and what ``oem query`` reads.

A root is written as one JSON object; records as an array, or one a line. All of them are read again, and several roots, one
a line, too.

Cost: linear in the file's length.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from newsextract.errors import DataError
from newsextract.oem.model import OEMObject, from_json, to_json
from newsextract.oem.records import plain

LISTS = "lists"
"""Key of a written root: labels that the format wants as lists (``author*``), so that readers do the same."""
_MAKE = "expected what `newsextract oem run` writes"


@dataclass(frozen=True, slots=True)
class Objects:
    """What a file holds."""

    data: Any
    """What path expressions see: the root's nested view, or a list of records."""
    roots: tuple[OEMObject, ...] = ()
    """Empty for records, which have no objects within."""
    lists: frozenset[str] = frozenset()


def root_json(root: OEMObject, lists: Collection[str] = ()) -> dict[str, Any]:
    """A root as it is written.

    :param lists: labels that the format wants as lists.
    """
    return to_json(root) | ({LISTS: sorted(lists)} if lists else {})


def dumped(value: Any, indent: int | None = None) -> str:
    """JSON that any file and terminal can take: what is half a character is replaced."""
    return json.dumps(value, ensure_ascii=False, indent=indent).encode("utf-8", "replace").decode()


def read_objects(data: bytes, place: str) -> Objects:
    """The objects or records of a file: what ``oem run`` writes as json, plain or jsonl.

    :param place: what messages call it.
    :raises DataError: it is neither JSON nor JSON Lines, or holds broken objects.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{place}: not UTF-8; {_MAKE}") from error
    if not text.strip():
        raise DataError(f"{place}: the file is empty; {_MAKE}")
    try:
        values, several = _values(text, place)
    except RecursionError as error:
        raise DataError(f"{place}: too many levels within each other; {_MAKE}") from error
    if values and all(map(_is_object, values)):
        roots = tuple(from_json(value, place) for value in values)
        lists = frozenset(label for value in values for label in _lists(value, place))
        views = [plain(root, lists) for root in roots]
        return Objects(views if several else views[0], roots, lists)
    alone = not several and not _is_record(values[0])
    return Objects(values[0] if alone else values)


def _values(text: str, place: str) -> tuple[list[Any], bool]:
    """The values of a file, and whether they are several: lines, or the elements of an array."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        if len(lines) == 1 or not _starts_lines(lines[0][1]):
            raise DataError(f"{place}:{error.lineno}:{error.colno}: no JSON ({error.msg}); {_MAKE}") from error
        return [_line(line, f"{place}:{number}") for number, line in lines], True
    return (value, True) if isinstance(value, list) else ([value], False)


def _line(line: str, place: str) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise DataError(f"{place}:{error.colno}: the line is no JSON ({error.msg}); {_MAKE}") from error


def _starts_lines(line: str) -> bool:
    """Whether a file whose first line this is holds a value a line."""
    try:
        json.loads(line)
    except json.JSONDecodeError:
        return False
    return True


def _is_object(value: Any) -> bool:
    return isinstance(value, dict) and {"oid", "label", "type", "value"} <= value.keys()


def _is_record(value: Any) -> bool:
    """Whether it is what ``oem run --records`` writes: the only line of its file."""
    return isinstance(value, dict) and {"oid", "path"} <= value.keys()


def _lists(value: dict[str, Any], place: str) -> list[str]:
    found = value.get(LISTS, [])
    if not isinstance(found, list) or not all(isinstance(label, str) for label in found):
        raise DataError(f"{place}: {LISTS!r} is no list of labels; {_MAKE}")
    return found
