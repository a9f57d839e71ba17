"""A view of the report: what one algorithm found on the page, as plain values.

``regions``, ``noise``, ``clusters``: boxes with their nodes in the snapshot and what to say of them; ``records``: with box
and items; ``candidates``: what was scored; ``block_records``: for each block of the tree the record that it is in, or -1.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from newsextract import algorithms
from newsextract.inspection.blocks import element_name
from newsextract.inspection.boxes import Places
from newsextract.page import Page
from newsextract.record import Record, RecordSet, Region
from newsextract.record_items import align
from newsextract.records import find_records

View = dict[str, Any]

MAX_RECORDS = 1_000
"""Records of a view that are shown."""
_MAX_TEXT = 2_000
"""Characters of a record's or an item's text."""


def chosen_view(page: Page, algorithm: str, params: Mapping[str, Any] | None, blocks: dict[str, Any]) -> View:
    """What the algorithm that was asked for found."""
    found = find_records(page, None, algorithm, params, evidence=True)
    places = Places(page, found.rendered)
    told = (found.evidence or {}).get("candidates", [])
    candidates = _candidates(places, told, found.regions)
    view = _view(places, view_name(algorithm, params), found.records, blocks)
    return view | {
        "status": found.status,
        "reason": found.reason,
        "confidence": found.confidence,
        "regions": [_region(places, region.node, region.score) for region in found.regions],
        "noise": _left_out(places, told, candidates, found.regions),
        "candidates": candidates,
        "parameters": _plain(algorithms.make_params(algorithm, params)),
    }


def view_name(algorithm: str, params: Mapping[str, Any] | None) -> str:
    """What a choice of algorithm and parameters is called."""
    given = dict(params or {})
    name = f"{algorithm}, {given.pop('preset', 'default')}"
    return f"{name} with {', '.join(f'{key} = {value}' for key, value in given.items())}" if given else name


def paper_view(page: Page, found: RecordSet, blocks: dict[str, Any], name: str) -> View:
    """What the paper's layers found.

    :param found: with evidence; numbers of the snapshot.
    :param blocks: made of that evidence.
    """
    places = Places(page, True)
    records = [
        Record(places.nodes.text(*roots), items, number, roots)
        for number, region in enumerate(found.regions)
        for roots, items in zip(region.records, align(places.nodes, region, page.url), strict=True)
    ]
    rows = blocks["rows"]
    told = found.evidence or {}
    return _view(places, name, records, blocks) | {
        "status": found.status,
        "reason": found.reason,
        "confidence": found.confidence,
        "regions": [
            {"box": row["box"], "what": f"data region: {row['name']}", "node": row["node"]}
            for row in rows
            if row["role"] == "region"
        ],
        "noise": [{"box": row["box"], "what": row["why"], "node": row["node"]} for row in rows if row["role"] == "noise"],
        "clusters": [
            {"box": row["box"], "cluster": row["cluster"], "node": row["node"]} for row in rows if row["cluster"] is not None
        ],
        "notes": told.get("notes", []),
        "parameters": told.get("thresholds", {}),
    }


def _view(places: Places, name: str, records: Sequence[Record], blocks: dict[str, Any]) -> View:
    """What all views have."""
    warnings = []
    if len(records) > MAX_RECORDS:
        warnings.append(f"{name}: only the first {MAX_RECORDS:,} of {len(records):,} records are shown")
    if not places.matched:
        warnings.append(f"{name}: the elements of the source cannot be told in what the browser saw; no boxes are shown")
    return {
        "name": name,
        "total": len(records),
        "records": [_record(places, record) for record in records[:MAX_RECORDS]],
        "block_records": _block_records(places, records[:MAX_RECORDS], blocks["rows"]),
        "regions": [],
        "noise": [],
        "clusters": [],
        "candidates": [],
        "notes": [],
        "warnings": warnings,
    }


def _record(places: Places, record: Record) -> dict[str, Any]:
    return {
        "box": places.box(record.nodes),
        "region": record.region,
        "text": record.text[:_MAX_TEXT],
        "items": [
            {
                "label": item.label,
                "text": item.text[:_MAX_TEXT],
                "kind": item.kind,
                "link": item.link and item.link[:_MAX_TEXT],
                "static": item.static,
                "box": places.box(item.nodes),
            }
            for item in record.items
        ],
    }


def _block_records(places: Places, records: Sequence[Record], rows: Sequence[dict[str, Any]]) -> list[int]:
    """For each block the record whose subtrees it is in."""
    owner = np.full(len(places.drawn), -1, dtype=np.int64)
    for number, record in enumerate(records):
        for root in map(places.drawn_node, record.nodes):
            if root >= 0:
                owner[root : places.drawn.ends[root]] = number
    return owner[[row["node"] for row in rows]].tolist() if rows else []


def _region(places: Places, node: int, score: float) -> dict[str, Any]:
    what = f"data region: {element_name(places.nodes, node)}, score {score:.2f}"
    return {"box": places.box((node,)), "what": what, "node": places.drawn_node(node)}


def _candidates(places: Places, told: Sequence[dict[str, Any]], regions: Sequence[Region]) -> list[dict[str, Any]]:
    """The sets that were scored, the best first; of each record the first element has a box."""
    taken = _taken(told, regions)
    return [
        {
            "score": one["score"],
            "kind": one["kind"],
            "records": one["records"],
            "name": element_name(places.nodes, one["nodes"][0]),
            "region": taken.get(number),
            "boxes": [box for node in one["nodes"] if (box := places.box((node,)))],
        }
        for number, one in enumerate(told)
    ]


def _taken(told: Sequence[dict[str, Any]], regions: Sequence[Region]) -> dict[int, int]:
    """Number of a candidate → that of the region that was made of it."""
    taken: dict[int, int] = {}
    for number, region in enumerate(regions):
        firsts = [roots[0] for roots in region.records]
        for place, one in enumerate(told):
            if place not in taken and {first for first in firsts if first <= one["nodes"][-1]} <= set(one["nodes"]):
                taken[place] = number
                break
    return taken


def _left_out(
    places: Places, told: Sequence[dict[str, Any]], candidates: Sequence[dict[str, Any]], regions: Sequence[Region]
) -> list[dict[str, Any]]:
    """Parts of a set that was taken that were judged to be no records: noise inside the region."""
    return [
        {"box": box, "what": "In the set, but judged to be no record", "node": places.drawn_node(node)}
        for one, candidate in zip(told, candidates, strict=True)
        if candidate["region"] is not None
        for node in itertools.filterfalse(
            {roots[0] for roots in regions[candidate["region"]].records}.__contains__, one["nodes"]
        )
        if (box := places.box((node,)))
    ]


def _plain(params: Any) -> dict[str, Any]:
    return {name: getattr(params, name) for name in type(params).__dataclass_fields__}
