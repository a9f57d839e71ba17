"""Rendered pages written by hand: boxes and styles stand in attributes of a small source."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest

from newsextract.page.elements import INLINE
from newsextract.page.nodes import STYLE_NAMES, Geometry, Nodes, read_nodes

INITIAL = (
    "rgb(0, 0, 0)", "normal", "16px", "400", "serif",
    "0px", "0px", "0px", "content-box",
    "block", "static", "visible", "baseline",
    "rgba(0, 0, 0, 0)", "none", "0% 0%", "repeat", "auto",
)  # fmt: skip


def _box(nodes: Nodes, node: int, boxes: list[list[float]]) -> list[float]:
    told = nodes.attributes[node].get("box")
    if told:
        return [float(side) for side in told.split()]
    return boxes[int(nodes.parents[node])] if node else [0.0, 0.0, 1000.0, 1000.0]


def _style(nodes: Nodes, node: int, rows: list[tuple[str, ...]]) -> tuple[str, ...]:
    if not nodes.tags[node]:
        return rows[int(nodes.parents[node])]
    style = dict(zip(STYLE_NAMES, INITIAL, strict=True))
    if nodes.tags[node] in INLINE:
        style["display"] = "inline"
    for part in filter(None, nodes.attributes[node].get("css", "").split(";")):
        name, _, value = part.partition(":")
        assert name in style
        style[name] = value
    return tuple(style.values())


def draw(markup: str) -> Nodes:
    """The nodes of a source with geometry.

    An attribute ``box="left top width height"`` gives an element's box, else it has its parent's; ``css="name:value;…"`` its
    computed styles. The page has the size of the root's box, 1000 × 1000 by default, and a base font of 16 pixels.
    """
    nodes = read_nodes(markup)
    boxes: list[list[float]] = []
    rows: list[tuple[str, ...]] = []
    for node in range(len(nodes)):
        boxes.append(_box(nodes, node, boxes))
        rows.append(_style(nodes, node, rows))
    table = list(dict.fromkeys(rows))
    geometry = Geometry(
        np.array(boxes, dtype=np.float32).reshape(-1, 4),
        np.array([table.index(row) for row in rows], dtype=np.int32),
        table,
        (boxes[0][2], boxes[0][3]),
        16.0,
    )
    return dataclasses.replace(nodes, geometry=geometry)


@pytest.fixture(scope="session")
def rendered() -> Callable[[str], Nodes]:
    return draw


@pytest.fixture
def results_page() -> str:
    """A page of ten hits in a list that takes half of it, a head, a side column and a pager."""
    hits = "".join(
        f'<li box="200 {100 + 80 * i} 600 70"><h3 box="200 {100 + 80 * i} 600 30"><a href="/hit/{i}">Harbour ferry number {i * i}</a></h3>'
        f'<p box="200 {135 + 80 * i} 600 30">The ferry leaves every {i + 20} minutes from pier {i}.</p></li>'
        for i in range(10)
    )
    return (
        '<html box="0 0 1000 1000"><body><div id="head" box="0 0 1000 60"><a href="/">Ferries of the harbour</a></div>'
        f'<div id="side" box="820 100 180 800"><p>About us</p><p>Contact</p></div><ul box="200 100 600 800">{hits}</ul>'
        '<div id="foot" box="0 940 1000 40"><a href="/?p=2">Next page</a></div></body></html>'
    )
