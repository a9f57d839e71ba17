"""What the nodes of a page count for: figures that are summed over the subtrees of records.

Cost: 3 µs a node.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.visual_blocks.candidates import Columns

SHAPES = 32
"""Kinds of elements (tag and class, hashed) that the records' shapes are counted in."""
WORDS = {
    "result": "result hit serp match organic listing",
    "search": "search query find",
    "main": "main content primary center centre body middle",
    "post": "post comment message reply replies answer question tweet thread topic status review forum discussion",
    "item": "item entry entries row card tile product article story stories teaser media record offer",
    "list": "list grid feed stream table",
    "navigation": "nav menu tab breadcrumb crumb pag pager toolbar sitemap dropdown submenu directory",
    "side": "sidebar side aside related widget recommend popular trend facet filter refine rail right left similar also",
    "frame": "foot head masthead copyright lang social share login signin account cart cookie modal popup overlay",
    "advertisement": "ad ads advert adsense sponsor promo banner commercial",
    "title": "title headline subject",
    "text": "text body snippet desc summary abstract excerpt",
    "author": "author user poster member byline avatar profile",
    "date": "date time published ago",
    "button": "button btn action control option",
}
"""Beginnings of words of a class or id; those of three letters or fewer are whole words."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_DATE = re.compile(
    r"\b(?:19|20)\d\d\b|\b\d{1,2}[:/.]\d{2}\b|\b(?:ago|yesterday|today)\b|[年月日前]|\b(?:jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.!?。！？…](?:\s|$)|\.\.\.")
COUNTED = ("elements", "texts", "chars", "links", "link_chars", "images", "headings", "heading_links", "controls", "dates",
            "sentences", "digits", "long_texts", "long_chars", "bold", *(f"in_{name}" for name in WORDS))  # fmt: skip
COLUMN = {name: k for k, name in enumerate(COUNTED)}
"""The column of each figure."""


class Counts:
    """Figures of a page's nodes."""

    def __init__(self, columns: Columns) -> None:
        counted, self.own = _node_counts(columns)
        """``own``: shape (n, WORDS), the groups of words of each node's own class and id."""
        self.before = np.zeros((len(counted) + 1, counted.shape[1]), dtype=np.float32)
        """Shape (n + 1, COUNTED and SHAPES): sums over the nodes before each."""
        np.cumsum(counted, axis=0, out=self.before[1:])

    def of(self, firsts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.float32]:
        """The figures of ranges of nodes; shape (ranges, COUNTED and SHAPES)."""
        found: NDArray[np.float32] = self.before[ends] - self.before[firsts]
        return found


@lru_cache(maxsize=20_000)
def _kinds(value: str) -> tuple[int, ...]:
    """Which groups of words a class or id has words of, as numbers."""
    words = [word.lower() for word in _WORD.findall(value)]
    return tuple(k for k, (whole, begin) in enumerate(_LISTED) if any(w in whole or w.startswith(begin) for w in words))


_LISTED = [
    (
        frozenset(word for word in words.split() if len(word) <= 3),
        tuple(word for word in words.split() if len(word) > 3),
    )
    for words in WORDS.values()
]


def _node_counts(columns: Columns) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """What each node counts for, shape (n, counted + shapes); and the groups of words of its own class and id."""
    nodes = columns.nodes
    n = len(nodes)
    counted = np.zeros((n, len(COUNTED) + SHAPES), dtype=np.float32)
    own = np.zeros((n, len(WORDS)), dtype=np.float32)
    column = COLUMN
    visible = nodes.visible.tolist()
    linked = _within(nodes.tags, nodes.parents, ("a",))
    headed = _within(nodes.tags, nodes.parents, ("h1", "h2", "h3", "h4", "h5", "h6"))
    bold = _within(nodes.tags, nodes.parents, ("b", "strong"))
    rows: list[int] = []
    cells: list[int] = []
    values: list[float] = []

    def count(row: int, name: str, value: float = 1.0) -> None:
        rows.append(row)
        cells.append(column[name])
        values.append(value)

    for node, (tag, text) in enumerate(zip(nodes.tags, nodes.texts, strict=True)):
        if not visible[node]:
            continue
        if text:
            size = len(text)
            count(node, "texts")
            count(node, "chars", size)
            if linked[node]:
                count(node, "link_chars", size)
            if bold[node]:
                count(node, "bold")
            if size > 60 or (size > 25 and text[:1] > "\u2e80"):
                count(node, "long_texts")
                count(node, "long_chars", size)
            if size < 60 and _DATE.search(text):
                count(node, "dates")
            if size > 30:
                count(node, "sentences", len(_SENTENCE.findall(text)))
            if not text.isalpha():
                count(node, "digits", sum(map(str.isdigit, text)))
            continue
        count(node, "elements")
        attributes = nodes.attributes[node]
        if tag == "a":
            if "href" in attributes:
                count(node, "links")
                if headed[node]:
                    count(node, "heading_links")
        elif tag in ("img", "video", "picture", "svg"):
            count(node, "images")
        elif tag in ("input", "button", "select", "textarea", "form"):
            count(node, "controls")
        elif len(tag) == 2 and tag[0] == "h" and tag[1].isdigit():
            count(node, "headings")
        name = f"{attributes.get('class', '')} {attributes.get('id', '')}" if attributes else ""
        if len(name) > 1:
            for kind in _kinds(name[:200]):
                own[node, kind] = 1
    counted[rows, cells] = values
    counted[:, column["in_result"] : len(COUNTED)] = own * np.asarray(nodes.visible)[:, None]
    shape = np.array([_shape_of(number) for number in columns.signatures[1]])
    elements = counted[:, column["elements"]] > 0
    counted[np.flatnonzero(elements), len(COUNTED) + shape[elements]] = 1
    return counted, own


def _shape_of(number: int) -> int:
    return crc32(number.to_bytes(4, "little")) % SHAPES


def _within(tags: Sequence[str], parents: NDArray[np.int32], wanted: tuple[str, ...]) -> list[bool]:
    """Whether each node is one of these elements or stands in one."""
    inside: list[bool] = []
    for tag, parent in zip(tags, parents.tolist(), strict=True):
        inside.append(tag in wanted or (parent >= 0 and inside[parent]))
    return inside
