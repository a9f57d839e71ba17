"""The visual block tree for the report: from the evidence of the paper's layers, small enough for 3,000 blocks.

Texts that many blocks share (styles, paths) stand once in a list; a block has their numbers.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from newsextract.algorithms.visual_blocks.indicators import TABLE_1
from newsextract.algorithms.visual_blocks.params import VisualBlocksParams
from newsextract.algorithms.visual_blocks.processing import measure
from newsextract.nodes import Nodes

_NAME = 60
"""Characters of an element's name."""
_TEXT = 80
"""Characters of a block's text in the tree."""


def block_list(nodes: Nodes, evidence: dict[str, Any], params: VisualBlocksParams) -> dict[str, Any]:
    """The blocks as plain values.

    ``names`` and ``groups``: the indicators; ``values``: their values; ``rows``: the blocks, in document order, each with
    ``parent`` (a row, -1), ``box``, ``kept``, ``why``, ``role``, ``cluster``, ``name``, ``text``, ``values`` (numbers in
    the list, in the order of the names) and ``measures`` (B_o, B_a, B_c; None where it was dropped); ``limits``: T_o, T_a
    and T_c.

    :param evidence: of :func:`newsextract.algorithms.visual_blocks.focus.focus_records`, on the same nodes.
    """
    entries: list[dict[str, Any]] = evidence.get("blocks", [])
    numbers: dict[str | float, int] = {}
    measures = _measures(nodes, entries)
    rows = []
    for entry, measured in zip(entries, measures, strict=True):
        properties = entry["properties"]
        rows.append(
            {
                "node": entry["node"],
                "parent": entry["parent"],
                "box": entry["box"],
                "kept": entry["kept"],
                "why": entry["why"],
                "role": entry["role"],
                "cluster": entry["cluster"],
                "name": element_name(nodes, entry["node"]),
                "text": nodes.text(entry["node"])[:_TEXT],
                "values": [
                    numbers.setdefault(properties[row.name], len(numbers)) for row in TABLE_1 if row.name in properties
                ],
                "measures": measured,
            }
        )
    return {
        "names": [row.name for row in TABLE_1],
        "groups": [row.group for row in TABLE_1],
        "values": list(numbers),
        "rows": rows,
        "limits": [params.centre_offset, params.area_share, params.text_share],
    }


def element_name(nodes: Nodes, node: int) -> str:
    """What an element is called: ``div#results.list``."""
    if not nodes.tags[node]:
        return "text"
    attributes = nodes.attributes[node]
    own = f"#{attributes['id'].strip()}" if attributes.get("id", "").strip() else ""
    classes = "".join(f".{word}" for word in attributes.get("class", "").split())
    name = nodes.tags[node] + own + classes
    return name if len(name) <= _NAME else name[: _NAME - 1] + "…"


def _measures(nodes: Nodes, entries: list[dict[str, Any]]) -> list[list[float | None] | None]:
    """B_o, B_a and B_c of the kept blocks (§5.1)."""
    kept = [entry for entry in entries if entry["kept"] and entry["box"] is not None]
    if not kept or nodes.geometry is None:
        return [None] * len(entries)
    boxes = np.array([entry["box"] for entry in kept], dtype=np.float64)
    lengths = np.array([entry["properties"]["ContentLength"] for entry in kept], dtype=np.int64)
    found = measure(nodes.geometry, boxes, lengths)
    assert found.offsets is not None
    assert found.areas is not None
    columns = zip(found.offsets.tolist(), found.areas.tolist(), found.texts.tolist(), strict=True)
    told = iter([[round(value, 3) if math.isfinite(value) else None for value in column] for column in columns])
    return [next(told) if entry["kept"] and entry["box"] is not None else None for entry in entries]
