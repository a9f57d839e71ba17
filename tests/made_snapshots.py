"""Snapshots made of a source text without a browser: every node one line below the last, in one style."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np

from newsextract.page.nodes import STYLE_NAMES, Geometry, read_nodes
from newsextract.page.snapshot import Snapshot

FETCHED_AT = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)


def made_snapshot(html: str, url: str | None = None, screenshot: bytes | None = None, note: str | None = None) -> Snapshot:
    nodes = read_nodes(html)
    boxes = np.array([(8, 20.25 * i, 600.5, 18) for i in range(len(nodes))], dtype=np.float32).reshape(-1, 4)
    style = tuple({"font-size": "16px", "display": "block"}.get(name, "none") for name in STYLE_NAMES)
    geometry = Geometry(boxes, np.zeros(len(nodes), dtype=np.int32), (style,), (1423.0, 900.0), 16.0)
    return Snapshot(url, html, replace(nodes, geometry=geometry), (1423, 900), FETCHED_AT, False, screenshot, note)
