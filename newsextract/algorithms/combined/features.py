"""A page's blocks as a matrix: what `combined` knows of each, and which blocks belong together.

The features take up what the five papers know: lengths of blocks (Zou & Zhong), tag paths and their periods (Hou & Yang),
densities and place (Wang & Cao), and beside them the markup's words, the best container, and the headline.

Cost: 0.7 of a plain lxml parse (0.2 of it the likeness to the title), measured in a loop; 0.85 between other work.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.combined import group_features, phrases, text_features
from newsextract.algorithms.combined.characters import characters
from newsextract.algorithms.combined.element_features import ANCESTORS, ClassPaths, element_columns, kinds
from newsextract.dom import Dom

_TAGS = tuple(
    "p div li td h1 h2 h3 h4 h5 h6 dd dt blockquote pre figcaption section article th caption address ul body".split()
)
_TAG_NUMBER = {tag: i for i, tag in enumerate(_TAGS)}
_ONE_HOT = np.eye(len(_TAGS) + 1, len(_TAGS), dtype=np.float32)
"""A row a tag; the last, of other tags, is 0."""
_GROUPS = ("path", "class_path", "parent", "grandparent")
PLACES = ("hidden", "depth", "place", "text_place", "all_place", "number", "number_from_end", "page_blocks", "page_text")
CONTAINERS = ("parent_score", "grandparent_score", "in_best", "around_best")
_HEADLINE = ("similar", "known", "distance", "before", "text_distance", "is")
_COMMAS = text_features.NAMES.index("commas")
_NO_BLANKS = "\u2e80"
"""From here on languages are written without blanks: a headline is compared as a whole."""
_MAX_TITLE = 200
_DEEP = 40
"""Deeper blocks count as so deep: there is none on 99 % of the pages, and the network knows nothing of them."""


def names() -> tuple[str, ...]:
    """The columns of the matrix, in order."""
    return (
        *text_features.NAMES,
        *phrases.names(),
        *(f"tag_{tag}" for tag in _TAGS),
        *(f"parent_tag_{tag}" for tag in _TAGS),
        *(f"in_{tag}" for tag in ANCESTORS),
        *(f"own_{kind}" for kind in kinds()),
        *(f"parent_{kind}" for kind in kinds()),
        *(f"inherited_{kind}" for kind in kinds()),
        *PLACES,
        *(f"{group}_{name}" for group in _GROUPS for name in group_features.NAMES),
        *CONTAINERS,
        *(f"headline_{name}" for name in _HEADLINE),
    )


@dataclass(frozen=True, slots=True, eq=False)
class BlockFeatures:
    """What the network reads."""

    matrix: NDArray[np.float32]
    """Shape (blocks, :func:`names`)."""
    parents: NDArray[np.intp]
    """The element above each block's; blocks with equal numbers are one group."""
    class_paths: NDArray[np.intp]
    """The tag path with classes of each block's element."""


def block_features(dom: Dom, title: str) -> BlockFeatures:
    """The features of a page with at least one block.

    :param title: what the page's head gives as its title; may be empty.
    """
    elements = np.asarray(dom.elements, dtype=np.intp)
    above = np.maximum(np.asarray(dom.parents, dtype=np.intp), 0)
    parents = above[elements]
    grandparents = above[parents]
    columns = element_columns(dom)
    class_paths = columns.class_paths[elements]
    counts, linked, links = (np.array(column).astype(np.float64) for column in (dom.counts, dom.link_counts, dom.links))
    totals = counts + linked
    letters = characters(dom.texts)
    texts = text_features.text_features(letters, counts, linked, links)
    weights = np.where(counts >= 25, np.minimum(counts / 100, 3) + np.expm1(texts[:, _COMMAS]) + 1, 0.0) * (
        totals - counts < 0.5 * totals
    )
    tag_paths = np.array(columns.paths.tag_paths)[class_paths]
    groupings = np.stack((tag_paths, class_paths, parents, grandparents))
    tags = np.array([_TAG_NUMBER.get(tag, -1) for tag in columns.paths.tags])
    depths = np.array(columns.paths.depths)[class_paths]
    matrix = np.concatenate(
        (
            texts,
            phrases.phrase_features(dom.texts, counts),
            _path_features(columns.paths, tags)[class_paths],
            _places(columns.hidden[elements], depths, counts, totals),
            group_features.group_features(groupings, counts, totals, links, weights),
            _containers(dom, parents, grandparents, weights),
            _headline(dom, letters.lengths, title[:_MAX_TITLE], tags[class_paths], totals),
        ),
        axis=1,
    )
    return BlockFeatures(matrix, parents, class_paths)


def _path_features(paths: ClassPaths, tags: NDArray[np.intp]) -> NDArray[np.float32]:
    """Tags, ancestors, and kinds of words of each class path, a row each."""
    above = np.array(paths.parents)
    own = np.array(paths.own)
    words = len(kinds())
    return np.concatenate(
        (
            _ONE_HOT[tags],
            _ONE_HOT[tags[above]],
            _bits(np.array(paths.ancestors), len(ANCESTORS)),
            _bits(own | own[above] << words | np.array(paths.inherited) << 2 * words, 3 * words),  # 42 of 63 bits
        ),
        axis=1,
    )


def _bits(values: NDArray[np.intp], count: int) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = values[:, None] & (1 << np.arange(count)) != 0
    return found


def _places(
    hidden: NDArray[np.bool_], depths: NDArray[np.intp], counts: NDArray[np.float64], totals: NDArray[np.float64]
) -> NDArray[np.float32]:
    blocks = len(counts)
    order = np.arange(blocks)
    text, every = counts.sum() + 1, totals.sum() + 1
    columns = np.empty((blocks, len(PLACES)), dtype=np.float32)
    columns[:, 0] = hidden
    columns[:, 1] = np.minimum(depths, _DEEP) / 20
    columns[:, 2] = order / blocks
    columns[:, 3] = (np.cumsum(counts) - counts / 2) / text
    columns[:, 4] = (np.cumsum(totals) - totals / 2) / every
    columns[:, 5] = np.log1p(order)
    columns[:, 6] = np.log1p(blocks - order)
    columns[:, 7] = np.log1p(blocks)
    columns[:, 8] = np.log1p(text)
    return columns


def _containers(
    dom: Dom, parents: NDArray[np.int64], grandparents: NDArray[np.int64], weights: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Paragraphs score for the element above them, and half for the one above that, as in Readability."""
    size = len(dom.tags)
    score = np.bincount(parents, weights, size) + np.bincount(grandparents, weights / 2, size)
    best = int(score.argmax())
    around = max(0, dom.parents[best])
    relative = score / (score[best] + 1e-9)
    columns = np.zeros((len(parents), len(CONTAINERS)), dtype=np.float32)
    columns[:, 0] = relative[parents]
    columns[:, 1] = relative[grandparents]
    columns[dom.first_blocks[best] : dom.end_blocks[best], 2] = 1
    columns[dom.first_blocks[around] : dom.end_blocks[around], 3] = 1
    return columns


def _headline(
    dom: Dom, lengths: NDArray[np.intp], title: str, tags: NDArray[np.int64], totals: NDArray[np.float64]
) -> NDArray[np.float32]:
    """How much each block is like the title, and how far it is from the one that is most like it."""
    blocks = len(totals)
    similar = np.zeros(blocks)
    title = title.lower()
    wanted = frozenset(title.split())
    if wanted:
        fitting = (lengths > len(title) // 3) & (lengths <= len(title) + 40)
        for i in np.flatnonzero(fitting).tolist():
            text = dom.texts[i].lower()
            words = text.split()
            if not wanted.isdisjoint(words):
                distinct = frozenset(words)
                similar[i] = 2 * len(distinct & wanted) / (len(distinct) + len(wanted))
            elif text[0] >= _NO_BLANKS and text in title:
                similar[i] = len(text) / len(title)
    rank = similar + 0.3 * (tags == _TAG_NUMBER["h1"]) + 0.15 * (tags == _TAG_NUMBER["h2"])
    at = int(rank.argmax())
    known = bool(rank[at] > 0.45)
    distance = np.arange(-at, blocks - at)
    reached = np.cumsum(totals)
    columns = np.zeros((blocks, len(_HEADLINE)), dtype=np.float32)
    columns[:, 0] = similar
    if known:
        columns[:, 1] = 1
        columns[:, 2] = np.sign(distance) * np.log1p(np.abs(distance))
        columns[:at, 3] = 1
        columns[:, 4] = (reached - reached[at]) / (reached[-1] + 1)
        columns[at, 5] = 1
    return columns
