"""The extraction layer of VBIE (Wang, Liang & Min 2019, §6): the data records, and their dynamic and static data items.

**(read)** The largest cluster (§5.3) is the one with the most blocks, of equal ones that with the most area. Leaves are
visible text nodes; two leaves of two records belong together when their paths of tags from the record's root are equal and
they are equally many from its beginning on that path. A leaf that the other record does not have has changed.

Cost: 5 µs a leaf.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from newsextract.nodes import Nodes
from newsextract.record import Region


@dataclass(frozen=True, slots=True)
class PublishedItem:
    """A leaf of a record."""

    node: int
    """Number of the text node."""
    static: bool
    """Whether the other record has the same text in the same style at this place."""
    link: str | None
    """The address of the anchor around it, as written; None without one."""


def largest_cluster(labels: NDArray[np.int64], areas: NDArray[np.float64]) -> int | None:
    """The number of the records' cluster: by blocks, then by area, then the first; None where all is noise."""
    members = labels >= 0
    if not members.any():
        return None
    counts = np.bincount(labels[members])
    sizes = np.bincount(labels[members], weights=areas[members])
    return int(np.lexsort((-np.arange(len(counts)), sizes, counts))[-1])


def data_region(nodes: Nodes, roots: Sequence[int], score: float) -> Region:
    """A region of records of one subtree each.

    :param roots: at least one, in document order, none within another.
    """
    return Region(common_ancestor(nodes, roots), tuple((root,) for root in roots), score)


def common_ancestor(nodes: Nodes, roots: Sequence[int]) -> int:
    """The smallest subtree that holds all roots; of one root itself."""
    node, last = roots[0], roots[-1]
    while nodes.ends[node] <= last and nodes.parents[node] >= 0:
        node = int(nodes.parents[node])
    return node


def published_items(nodes: Nodes, records: Sequence[Sequence[int]], seed: int) -> list[list[PublishedItem]]:
    """The data items of each record, in document order: each is compared with one other record, chosen at random.

    Of a single record all items are dynamic.

    :param records: for each the roots of its subtrees.
    """
    choice = Random(seed)
    leaves = [_leaves(nodes, record) for record in records]
    items: list[list[PublishedItem]] = []
    for number, own in enumerate(leaves):
        other: dict[tuple[object, ...], int] = {}
        if len(leaves) > 1:
            drawn = choice.randrange(len(leaves) - 1)
            other = leaves[drawn + (drawn >= number)]
        items.append([PublishedItem(i, _same(nodes, i, other.get(place)), _link(nodes, i)) for place, i in own.items()])
    return items


def _leaves(nodes: Nodes, roots: Sequence[int]) -> dict[tuple[object, ...], int]:
    """Place in the record → text node."""
    seen: Counter[tuple[object, ...]] = Counter()
    leaves: dict[tuple[object, ...], int] = {}
    for number, root in enumerate(roots):
        paths: dict[int, tuple[object, ...]] = {root: (number,)}
        for leaf in nodes.text_nodes(root):
            path = _path(nodes, leaf, paths)
            leaves[*path, seen[path]] = leaf
            seen[path] += 1
    return leaves


def _path(nodes: Nodes, node: int, paths: dict[int, tuple[object, ...]]) -> tuple[object, ...]:
    """Tags from a record's root to a node; ``paths`` keeps those that are known."""
    way: list[int] = []
    while node not in paths:
        way.append(node)
        node = int(nodes.parents[node])
    path = paths[node]
    for step in reversed(way):
        path = (*path, nodes.tags[step])
        paths[step] = path
    return path


def _same(nodes: Nodes, leaf: int, other: int | None) -> bool:
    """Whether neither content nor look has changed."""
    if other is None or nodes.texts[leaf] != nodes.texts[other]:
        return False
    return nodes.geometry is None or bool(nodes.geometry.styles[leaf] == nodes.geometry.styles[other])


def _link(nodes: Nodes, node: int) -> str | None:
    while node >= 0:
        if nodes.tags[node] == "a":
            return nodes.attributes[node].get("href")
        node = int(nodes.parents[node])
    return None
