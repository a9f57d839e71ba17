"""Small result pages and how a test reads them."""

from __future__ import annotations

from newsextract.page.nodes import Nodes, read_nodes
from newsextract.records.items import align
from newsextract.results import Item, Region


def region_of(nodes: Nodes, name: str) -> Region:
    """A region of all elements with a class, or with a tag name."""
    roots = [
        node for node, tag in enumerate(nodes.tags) if tag == name or name in nodes.attributes[node].get("class", "").split()
    ]
    return Region(0, tuple((root,) for root in roots))


def rows(html: str, name: str, url: str | None = "https://seek.example/find?q=a") -> list[dict[str, Item]]:
    """The items of the records with a class or tag name, by label."""
    nodes = read_nodes(html)
    return [{item.label: item for item in items} for items in align(nodes, region_of(nodes, name), url)]


def column(table: list[dict[str, Item]], label: str) -> list[str | None]:
    """The texts of a column; None where a record does not have it."""
    return [row[label].text if label in row else None for row in table]
