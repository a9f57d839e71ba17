"""Nested objects as plain records: labels become keys.

A *record* is an object with a given label, wherever it stands; the labels above it are its ``path``. A label that stands
several times within one object gives a list; so that a key has one type everywhere, it then does so in all records, and a
line of a format can ask for it with ``author*``.

Cost: linear in the number of objects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

from newsextract.oem.model import OEMObject


def flatten(root: OEMObject, label: str, many: Collection[str] = ()) -> list[dict[str, Any]]:
    """The records of a label, in order: ``oid``, ``path`` (labels from the root to the parent) and its objects by label.

    An atomic object gives ``text`` instead; labels that are ``oid`` or ``path`` themselves become ``oid_`` and ``path_``.

    :param many: labels that are lists even where one stands alone; :func:`many_labels` of the root always are.
    """
    lists = many_labels(root) | set(many)
    return [
        {"oid": found.oid, "path": [other.label for other in above], **_renamed(_fields(found, lists))}
        for found, above in root.walk()
        if found.label == label and found.type != "reference"
    ]


def plain(found: OEMObject, many: Collection[str] = ()) -> Any:
    """An object as plain JSON: text of an atomic one, labels to values of a complex one."""
    lists = many_labels(found) | set(many)
    return _plain(found, lists)


def many_labels(root: OEMObject) -> set[str]:
    """Labels that stand several times within one object."""
    found: set[str] = set()
    for owner, _ in root.walk():
        if isinstance(owner.value, tuple):
            found.update(label for label, times in Counter(child.label for child in owner.value).items() if times > 1)
    return found


def _renamed(fields: dict[str, Any]) -> dict[str, Any]:
    """Fields with the names that records have themselves get an underscore."""
    return {f"{name}_" if name in ("oid", "path") else name: value for name, value in fields.items()}


def _fields(found: OEMObject, lists: Collection[str]) -> dict[str, Any]:
    value = _plain(found, lists)
    return value if isinstance(value, dict) else {"text": value}


def _plain(found: OEMObject, lists: Collection[str]) -> Any:
    if not isinstance(found.value, tuple):
        return found.value
    fields: dict[str, Any] = {}
    for child in found.value:
        value = _plain(child, lists)
        if child.label in lists:
            fields.setdefault(child.label, []).append(value)
        else:
            fields[child.label] = value
    return fields
