"""The simple tree ST of Wang & Cao 2016, §3.2: a page's tree pruned and fused until each leaf is one piece of meaning.

Pruned (rules 1–7): head, scripts, comments and what else makes no text (left out by :mod:`newsextract.dom`), hidden
elements, forms (:mod:`newsextract.pruning`), and elements without text. Fused (fusion rules 1–3): inline elements join
their children and their block parent's other inline children, ``br`` with them; block elements never merge. So the
leaves of ST are the tree's text blocks that are not pruned.

The fusion rate (§4.2) is the share of a tree's nodes that pruning and fusing remove; the paper has 62.8 % (Table 1). All
nodes count: elements, texts (white space, too), comments, and what stands in head and scripts.

Cost: numpy over the columns of the tree. The fusion rate takes a walk of its own and is for evidence and training.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from selectolax.lexbor import LexborNode

from newsextract.dom import Dom
from newsextract.pruning import pruned


@dataclass(frozen=True, slots=True, eq=False)
class SimpleTree:
    """The leaves of ST in columns, in document order."""

    blocks: NDArray[np.int64]
    """The block of the tree that each leaf is."""
    texts: NDArray[np.float64]
    """node.text: characters outside links, white space not counted."""
    links: NDArray[np.float64]
    """node.link: links with an address, and images."""
    containers: NDArray[np.int64]
    """The parent of each leaf's element."""
    node_count: int
    """Nodes of ST."""

    def fusion_rate(self, dom_nodes: int) -> float:
        """Share of the nodes that were removed, 0–1.

        :param dom_nodes: nodes of the tree before, of :func:`count_nodes`.
        """
        return 1 - self.node_count / max(1, dom_nodes)


def count_nodes(dom: Dom) -> int:
    """All nodes of a page's tree, from the document element down."""
    node: LexborNode | None = dom.nodes[0] if dom.nodes else None
    opened: list[LexborNode] = []
    count = 0
    while node is not None:
        count += 1
        if (child := node.child) is not None:
            opened.append(node)
            node = child
            continue
        following = node.next if opened else None
        while following is None and opened:
            node = opened.pop()
            following = node.next if opened else None
        node = following
    return count


def simplify(dom: Dom, *, boilerplate: bool) -> SimpleTree:
    """Prune and fuse (Algorithm 2).

    :param boilerplate: also prune elements that name themselves boilerplate; not in the paper.
    """
    kept = np.flatnonzero(~pruned(dom, boilerplate=boilerplate))
    elements = np.asarray(dom.elements, dtype=np.int64)[kept]
    parents = np.asarray(dom.parents, dtype=np.int64)
    return SimpleTree(
        blocks=kept,
        texts=np.asarray(dom.counts, dtype=np.float64)[kept],
        links=np.asarray(dom.links, dtype=np.float64)[kept],
        containers=parents[elements] if len(elements) else elements,
        node_count=_node_count(dom, kept, elements),
    )


def _node_count(dom: Dom, kept: NDArray[np.int64], elements: NDArray[np.int64]) -> int:
    """Elements that hold kept text, and a leaf apart for text beside block children."""
    if not len(kept):
        return 0
    sums = np.zeros(len(dom.texts) + 1, dtype=np.int64)
    sums[kept + 1] = 1
    sums = np.cumsum(sums)
    held = sums[np.asarray(dom.end_blocks)] - sums[np.asarray(dom.first_blocks)]
    return int((held > 0).sum() + (held[elements] > 1).sum())
