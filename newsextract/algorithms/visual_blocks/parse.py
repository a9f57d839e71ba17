"""The parsing layer of VBIE (Wang, Liang & Min 2019, §3): what goes into the other three.

The paper gives the page to a browser. Here the browser has been already (:mod:`newsextract.browser`, or a crawl): its
snapshot holds every node with box and style, taken in one round trip. With ``features = "dom"`` there is no browser,
and the nodes come from the source; nothing is rendered, and nothing is quietly put in a snapshot's place.

Cost: none with a snapshot; else the parse and 1 to 2 µs a node, once a page.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from newsextract.nodes import Nodes
from newsextract.page import Page

NO_SNAPSHOT = 'features = "visual" needs a rendered page: give a snapshot, or set features = "dom"'
"""The reason of status ``no_snapshot``."""


Features = Literal["auto", "visual", "dom"]


def page_nodes(page: Page, features: Features) -> Nodes | None:
    """The nodes of a page; None where the visual ones are asked for and there is no snapshot."""
    if features == "dom" or (features == "auto" and page.snapshot is None):
        return page.nodes
    return page.snapshot.nodes if page.snapshot is not None else None


def seen_nodes(nodes: Nodes, features: Features) -> Nodes | None:
    """The nodes with what the features may know: without geometry for ``dom``; None for ``visual`` where there is none."""
    if features == "auto":
        return nodes
    if features == "dom":
        return nodes if nodes.geometry is None else replace(nodes, geometry=None)
    return nodes if nodes.geometry is not None else None
