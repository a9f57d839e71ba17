"""The Object Exchange Model: a page, or a set of linked pages, as objects within objects.

Huang, Qi & Zhang 2000, §1: an object has a label, a type and a value; the value is atomic or a list of objects, and the
objects form a graph with one root. An object that a link leads back to is a *reference* to it, so a cycle of pages is
a cycle in the model and is cut where it is written out.

Cost: linear in the number of objects.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from newsextract.errors import DataError

Type = Literal["string", "link", "complex", "reference"]
MAX_DEPTH = 100
"""Levels of objects that a file may have; a format of that many lines was not written by a person."""


class OEMObject(NamedTuple):
    """One object."""

    oid: str
    """Identity, 16 hex digits: the same in every run as long as the object's label, text and place among its ancestors are.
    What stands before or after it on the page does not matter."""
    label: str
    """What the value is; empty where the format's pattern for it found nothing."""
    type: Type
    value: str | tuple[OEMObject, ...]
    """Text, an address (absolute where the page's is known), the objects within, or the ``oid`` that is referred to."""
    url: str | None = None
    """The page, where it is another than that of the parent."""

    def walk(self) -> Iterator[tuple[OEMObject, tuple[OEMObject, ...]]]:
        """This object and all within, in order, each with its ancestors from the root on."""
        stack: list[tuple[OEMObject, tuple[OEMObject, ...]]] = [(self, ())]
        while stack:
            found, above = stack.pop()
            yield found, above
            if isinstance(found.value, tuple):
                inner = (*above, found)
                stack.extend((child, inner) for child in reversed(found.value))

    @property
    def depth(self) -> int:
        """Levels: 1 for an atomic object (Table 2, "deepest level of OEM")."""
        return max(len(above) for _, above in self.walk()) + 1


def to_json(found: OEMObject) -> dict[str, Any]:
    """An object as it is written: ``oid``, ``label``, ``type``, ``value``, and ``url`` where it has one."""
    value: Any = found.value
    if isinstance(value, tuple):
        value = [to_json(child) for child in value]
    written = {"oid": found.oid, "label": found.label, "type": found.type, "value": value}
    return written if found.url is None else {**written, "url": found.url}


def from_json(data: Any, place: str, depth: int = 0) -> OEMObject:
    """An object from what :func:`to_json` made.

    :param place: the file's name, for messages.
    :raises DataError: it is no such thing.
    """
    if not isinstance(data, dict):
        raise DataError(f"{place}: expected an object with label, type and value, found {type(data).__name__}")
    if depth > MAX_DEPTH:
        raise DataError(f"{place}: more than {MAX_DEPTH} objects within each other")
    kind, value, oid, label = (data.get(key) for key in ("type", "value", "oid", "label"))
    if not isinstance(oid, str) or not isinstance(label, str):
        raise DataError(f"{place}: an object lacks oid or label; expected what `newsextract oem run` writes")
    if kind == "complex" and isinstance(value, list):
        within = tuple(from_json(child, place, depth + 1) for child in value)
        return OEMObject(oid, label, "complex", within, data.get("url"))
    if kind in ("string", "link", "reference") and isinstance(value, str):
        return OEMObject(oid, label, kind, value, data.get("url"))
    raise DataError(f"{place}: object {oid}: type {kind!r} does not go with its value; expected what `oem run` writes")
