"""A page's blocks as a matrix: what `combined` knows of each, and which blocks belong together.

The features take up what the five papers know: lengths of blocks (Zou & Zhong), tag paths and their periods (Hou & Yang),
densities and place (Wang & Cao), and beside them the markup's words, the best container, and the headline.

Cost: about one plain lxml parse (``benchmarks/extraction.py``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.combined import group_features, text_features
from newsextract.algorithms.combined.element_features import ANCESTORS, ElementColumns, element_columns, kinds
from newsextract.dom import Dom

_TAGS = tuple(
    "p div li td h1 h2 h3 h4 h5 h6 dd dt blockquote pre figcaption section article th caption address ul body".split()
)
_TAG_NUMBER = {tag: i for i, tag in enumerate(_TAGS)}
_ONE_HOT = np.eye(len(_TAGS) + 1, len(_TAGS), dtype=np.float32)
"""A row a tag; the last, of other tags, is 0."""
_GROUPS = ("path", "class_path", "parent", "grandparent")
_PLACES = ("hidden", "depth", "place", "text_place", "all_place", "number", "number_from_end", "page_blocks", "page_text")
_CONTAINERS = ("parent_score", "grandparent_score", "in_best", "around_best")
_HEADLINE = ("similar", "known", "distance", "before", "text_distance", "is")
_WORD = re.compile(r"\w+")
_MAX_TITLE = 200
_DEEP = 40
"""Deeper blocks count as so deep: there is none on 99 % of the pages, and the network knows nothing of them."""


def names() -> tuple[str, ...]:
    """The columns of the matrix, in order."""
    return (
        *text_features.NAMES,
        *(f"tag_{tag}" for tag in _TAGS),
        *(f"parent_{tag}" for tag in _TAGS),
        *(f"in_{tag}" for tag in ANCESTORS),
        *(f"own_{kind}" for kind in kinds()),
        *(f"parent_{kind}" for kind in kinds()),
        *(f"inherited_{kind}" for kind in kinds()),
        *_PLACES,
        *(f"{group}_{name}" for group in _GROUPS for name in group_features.NAMES),
        *_CONTAINERS,
        *(f"headline_{name}" for name in _HEADLINE),
    )


@dataclass(frozen=True, slots=True, eq=False)
class BlockFeatures:
    """What the network reads."""

    matrix: NDArray[np.float32]
    """Shape (blocks, :func:`names`)."""
    parents: NDArray[np.int64]
    """The element above each block's; blocks with equal numbers are one group."""
    class_paths: NDArray[np.int64]
    """The tag path with classes of each block's element."""


def block_features(dom: Dom, title: str) -> BlockFeatures:
    """The features of a page with at least one block.

    :param title: what the page's head gives as its title; may be empty.
    """
    elements = np.asarray(dom.elements, dtype=np.int64)
    above = np.maximum(np.asarray(dom.parents, dtype=np.int64), 0)
    parents = above[elements]
    grandparents = above[parents]
    columns = element_columns(dom)
    counts = np.asarray(dom.counts, dtype=np.float64)
    totals = counts + np.asarray(dom.link_counts)
    links = np.asarray(dom.links, dtype=np.float64)
    numbers = np.array([_TAG_NUMBER.get(tag, -1) for tag in dom.tags])
    tags = numbers[elements]
    texts = text_features.text_features(dom)
    weights = np.where(counts >= 25, np.minimum(counts / 100, 3) + np.expm1(texts[:, 13]) + 1, 0.0) * (
        totals - counts < 0.5 * totals
    )
    groups = (columns.path[elements], columns.class_path[elements], parents, grandparents)
    matrix = np.concatenate(
        (
            texts,
            _ONE_HOT[tags],
            _ONE_HOT[numbers[parents]],
            _bits(columns.ancestors[elements], len(ANCESTORS)),
            _bits(columns.own[elements], len(kinds())),
            _bits(columns.own[parents], len(kinds())),
            _bits(columns.inherited[elements], len(kinds())),
            _places(columns, elements, counts, totals),
            *(group_features.group_features(group, counts, totals, links, weights) for group in groups),
            _containers(dom, parents, grandparents, weights),
            _headline(dom, title[:_MAX_TITLE], tags, totals),
        ),
        axis=1,
    )
    return BlockFeatures(matrix, parents, columns.class_path[elements])


def _bits(values: NDArray[np.int64], count: int) -> NDArray[np.float32]:
    return ((values[:, None] >> np.arange(count)) & 1).astype(np.float32)


def _places(
    columns: ElementColumns, elements: NDArray[np.int64], counts: NDArray[np.float64], totals: NDArray[np.float64]
) -> NDArray[np.float32]:
    blocks = len(elements)
    order = np.arange(blocks)
    text, every = counts.sum() + 1, totals.sum() + 1
    return np.stack(
        (
            columns.hidden[elements],
            np.minimum(columns.depth[elements], _DEEP) / 20,
            order / blocks,
            (np.cumsum(counts) - counts / 2) / text,
            (np.cumsum(totals) - totals / 2) / every,
            np.log1p(order),
            np.log1p(blocks - order),
            np.full(blocks, np.log1p(blocks)),
            np.full(blocks, np.log1p(text)),
        ),
        axis=1,
    ).astype(np.float32)


def _containers(
    dom: Dom, parents: NDArray[np.int64], grandparents: NDArray[np.int64], weights: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Paragraphs score for the element above them, and half for the one above that, as in Readability."""
    size = len(dom.tags)
    score = np.bincount(parents, weights, size) + np.bincount(grandparents, weights / 2, size)
    best = int(score.argmax())
    around = max(0, dom.parents[best])
    order = np.arange(len(parents))
    relative = score / (score[best] + 1e-9)
    return np.stack(
        (
            relative[parents],
            relative[grandparents],
            (order >= dom.first_blocks[best]) & (order < dom.end_blocks[best]),
            (order >= dom.first_blocks[around]) & (order < dom.end_blocks[around]),
        ),
        axis=1,
    ).astype(np.float32)


def _headline(dom: Dom, title: str, tags: NDArray[np.int64], totals: NDArray[np.float64]) -> NDArray[np.float32]:
    """How much each block is like the title, and how far it is from the one that is most like it."""
    blocks = len(totals)
    order = np.arange(blocks)
    similar = np.zeros(blocks)
    wanted = frozenset(_WORD.findall(title.lower()))
    if wanted:
        shortest, longest = len(title) // 4, 3 * len(title) + 20
        for i, text in enumerate(dom.texts):
            if shortest < len(text) <= longest:
                words = frozenset(_WORD.findall(text.lower()))
                common = len(words & wanted)
                if common:
                    similar[i] = 2 * common / (len(words) + len(wanted))
    rank = similar + 0.3 * (tags == _TAG_NUMBER["h1"]) + 0.15 * (tags == _TAG_NUMBER["h2"])
    at = int(rank.argmax())
    known = float(rank[at] > 0.45)
    distance = order - at
    reached = np.cumsum(totals)
    return np.stack(
        (
            similar,
            np.full(blocks, known),
            np.sign(distance) * np.log1p(np.abs(distance)) * known,
            (distance < 0) * known,
            (reached - reached[at]) / (reached[-1] + 1) * known,
            (distance == 0) * known,
        ),
        axis=1,
    ).astype(np.float32)
