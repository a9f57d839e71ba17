"""The columns of a snapshot's JSON: written from nodes, and checked before they become nodes again.

``tagNames`` (distinct tags), ``tags`` (a number in it; -1: a text node), ``texts`` (of the text nodes), ``attributes`` (of
the elements: name, value, name, value …), ``parents``, ``styles`` (a number in ``styleTable``), ``boxes`` (four numbers a
node), ``visible`` (0 or 1), ``styleTable`` (rows of :data:`newsextract.nodes.STYLE_NAMES`), ``pageSize``,
``baseFontSize``. Nothing is taken on trust: a page's scripts could have written them, or anybody a file.

Cost: about 5 µs a node for reading, half of it JSON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsextract.errors import DataError
from newsextract.nodes import MAX_NODES, MAX_VALUE, STYLE_NAMES, Geometry, Nodes

_FARTHEST = 1e9
"""Pixels; browsers lay out no farther than 33 million."""
_MOST_NODES = MAX_NODES + 1_000


class SnapshotError(DataError):
    """A snapshot is over a cap, damaged or not one; one line saying what, where and how to mend it."""


def columns_of(nodes: Nodes) -> dict[str, Any]:
    """The columns of nodes that have a geometry.

    :raises SnapshotError: they have none.
    """
    geometry = nodes.geometry
    if geometry is None:
        raise SnapshotError("these nodes have no geometry; only what a browser saw makes a snapshot")
    names = {tag: i for i, tag in enumerate(dict.fromkeys(tag for tag in nodes.tags if tag))}
    return {
        "tagNames": list(names),
        "tags": [names.get(tag, -1) for tag in nodes.tags],
        "texts": [text for tag, text in zip(nodes.tags, nodes.texts, strict=True) if not tag],
        "attributes": [
            [part for pair in own.items() for part in pair]
            for tag, own in zip(nodes.tags, nodes.attributes, strict=True)
            if tag
        ],
        "parents": nodes.parents.tolist(),
        "styles": geometry.styles.tolist(),
        "boxes": np.round(geometry.boxes.astype(np.float64), 2).ravel().tolist(),
        "visible": nodes.visible.astype(int).tolist(),
        "styleTable": [list(row) for row in geometry.style_table],
        "pageSize": list(geometry.page_size),
        "baseFontSize": geometry.base_font_size,
    }


def nodes_of(columns: Mapping[str, Any], place: str) -> Nodes:
    """The nodes that columns describe.

    :param place: what the messages call it.
    :raises SnapshotError: a column is missing, has another length or a value that cannot be.
    """
    names = _strings(columns, "tagNames", place)
    numbers = _integers(columns, "tags", place, -1, len(names) - 1)
    n = len(numbers)
    if not 0 < n <= _MOST_NODES:
        raise _refused(place, "tags", f"has {n:,} nodes, expected 1 to {_MOST_NODES:,}")
    if not all(names):
        raise _refused(place, "tagNames", "holds an empty name")
    texts = _strings(columns, "texts", place)
    pairs = columns.get("attributes")
    count = numbers.count(-1)
    if len(texts) != count:
        raise _refused(place, "texts", f"has {len(texts):,} texts for {count:,} text nodes")
    if not all(text and " ".join(text.split()) == text for text in texts):
        raise _refused(place, "texts", "holds a text with white space unfolded")
    if not isinstance(pairs, list) or len(pairs) != n - count:
        raise _refused(place, "attributes", f"is no list of {n - count:,} lists")
    parents = _integers(columns, "parents", place, -1, n - 1, n)
    table = columns.get("styleTable")
    if not isinstance(table, list) or not all(
        isinstance(row, list) and len(row) == len(STYLE_NAMES) and _all(row, str) for row in table
    ):
        raise _refused(place, "styleTable", f"is no list of rows of {len(STYLE_NAMES)} styles")
    styles = _integers(columns, "styles", place, 0, len(table) - 1, n)
    boxes = np.array(_floats(columns, "boxes", place, 4 * n), dtype=np.float32).reshape(n, 4)
    visible = _integers(columns, "visible", place, 0, 1, n)
    width, height = number(columns, "pageSize", 2, place)
    base = _floats({"baseFontSize": [columns.get("baseFontSize")]}, "baseFontSize", place, 1)[0]
    if base <= 0:
        raise _refused(place, "baseFontSize", "is not above 0")
    ends, depths = _shape(parents, numbers, place)
    geometry = Geometry(boxes, np.array(styles, dtype=np.int32), tuple(tuple(row) for row in table), (width, height), base)
    empty: Mapping[str, str] = {}
    written, owned = iter(texts), iter(pairs)
    return Nodes(
        ["" if tag < 0 else names[tag] for tag in numbers],
        [next(written) if tag < 0 else "" for tag in numbers],
        [empty if tag < 0 else _attributes(next(owned), place) for tag in numbers],
        np.array(parents, dtype=np.int32),
        ends,
        depths,
        np.array(visible, dtype=np.bool_),
        geometry,
    )


def text_of(columns: Mapping[str, Any], key: str, place: str, *, optional: bool = False) -> str | None:
    """A string, or None where that is allowed.

    :raises SnapshotError: it is neither.
    """
    value = columns.get(key)
    if isinstance(value, str) or (optional and value is None):
        return value
    raise _refused(place, key, "is no text")


def number(columns: Mapping[str, Any], key: str, count: int, place: str) -> list[float]:
    """Some numbers that are not negative.

    :raises SnapshotError: they are not that.
    """
    values = _floats(columns, key, place, count)
    if min(values) < 0:
        raise _refused(place, key, "is negative")
    return values


def _attributes(pairs: object, place: str) -> dict[str, str]:
    if not isinstance(pairs, list) or len(pairs) % 2 or not _all(pairs, str):
        raise _refused(place, "attributes", "holds something else than names and values")
    if pairs and max(map(len, pairs)) > MAX_VALUE:
        raise _refused(place, "attributes", f"holds a value of more than {MAX_VALUE:,} characters")
    return dict(zip(pairs[::2], pairs[1::2], strict=True))


def _shape(parents: Sequence[int], tags: Sequence[int], place: str) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Ends and depths; a parent must be an element that is still open, as in document order it is."""
    ends = [0] * len(parents)
    depths = [0] * len(parents)
    opened: list[int] = []
    for node, parent in enumerate(parents):
        while opened and opened[-1] != parent:
            ends[opened.pop()] = node
        if not opened and node:
            raise _refused(place, "parents", f"are not in document order at node {node:,}")
        depths[node] = len(opened)
        ends[node] = node + 1
        if tags[node] >= 0:
            opened.append(node)
    for node in opened:
        ends[node] = len(parents)
    if parents[0] != -1 or tags[0] < 0:
        raise _refused(place, "parents", "do not begin with an element without a parent")
    return np.array(ends, dtype=np.int32), np.array(depths, dtype=np.int32)


def _strings(columns: Mapping[str, Any], key: str, place: str) -> list[str]:
    values = columns.get(key)
    if not isinstance(values, list) or not _all(values, str):
        raise _refused(place, key, "is no list of texts")
    return values


def _integers(columns: Mapping[str, Any], key: str, place: str, low: int, high: int, count: int | None = None) -> list[int]:
    values = columns.get(key)
    if not isinstance(values, list) or not _all(values, int) or (count is not None and len(values) != count):
        raise _refused(place, key, "is no list of whole numbers, one a node")
    if values and not low <= min(values) <= max(values) <= high:
        raise _refused(place, key, f"holds a number outside {low:,} to {high:,}")
    return values


def _floats(columns: Mapping[str, Any], key: str, place: str, count: int) -> list[float]:
    values = columns.get(key)
    if not isinstance(values, list) or len(values) != count or not _all(values, int, float):
        raise _refused(place, key, f"is not {count:,} numbers")
    if not all(-_FARTHEST <= value <= _FARTHEST for value in values):  # false for NaN and infinity, too
        raise _refused(place, key, "holds a number that no page has")
    return [float(value) for value in values]


def _all(values: list[Any], *kinds: type) -> bool:
    """Whether all have just these types (a bool is no int here)."""
    return set(map(type, values)) <= set(kinds)


def _refused(place: str, key: str, what: str) -> SnapshotError:
    return SnapshotError(f"{place}: the snapshot's {key} {what}; make it again with `newsextract snapshot`")
