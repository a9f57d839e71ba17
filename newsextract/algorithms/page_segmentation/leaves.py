"""The text leaves of a page in columns, numbered in document order: what Hou & Yang 2011 cluster, measure and split.

Preprocessing (§1.1): (1) tags dropped with their text kept is what the tree walk does to inline elements; (2) tags
dropped with their text are those that it leaves out, and pruned elements (:mod:`newsextract.pruning`); (3) repair is
the parser's; garbled characters (U+FFFD and controls) are not counted, and :func:`clean` deletes them.

Cost: one dictionary look-up a block element, one numpy pass over the characters of the page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsextract.dom import Dom

_WIDE = 0xFF
"""Characters above it count 2 in ``Length`` (§1.2)."""
_SHOWN = 160
"""Characters of a tag path that the evidence shows, from its end."""
_LISTS = frozenset(["li", "dd", "dt"])

_GARBLED = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ufffd]")  # the other controls are white space
_WEIGHTS = np.ones(0x110000, dtype=np.uint8)
_WEIGHTS[_WIDE + 1 :] = 2
_WEIGHTS[[code for code in (*range(0x3001), 0xFFFD) if chr(code).isspace() or _GARBLED.match(chr(code))]] = 0


@dataclass(frozen=True, slots=True, eq=False)
class Leaves:
    """Columns, one entry a leaf; the index is the leaf's number, from 0."""

    blocks: NDArray[np.int64]
    """The text block of the page's tree that each leaf stands in."""
    linked: NDArray[np.bool_]
    characters: NDArray[np.int64]
    """White space and garbled characters not counted; above 0."""
    lengths: NDArray[np.int64]
    """``Length`` of §1.2: characters above U+00FF count 2, others 1."""
    paths: NDArray[np.int64]
    """Leaves with equal numbers have equal tag paths; odd for the text of a link, whose path ends in ``/a``."""
    steps: list[tuple[int, str]]
    """Of each tag path (half its number): the path without the last step, and that step."""

    def __len__(self) -> int:
        return len(self.blocks)

    def path(self, number: int) -> str:
        """A tag path as text: ``html/body/div/p``, and ``/a`` for the text of a link; long ones cut at the beginning."""
        names = ["a"] if number % 2 else []
        at = number // 2
        while at >= 0 and len(names) < _SHOWN:
            at, name = self.steps[at]
            names.append(name)
        return "/".join(reversed(names))[-_SHOWN:]

    def in_lists(self, paths: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which tag paths lead through a list item (``li``, ``dd``, ``dt``)."""
        inside: list[bool] = []
        for above, name in self.steps:
            inside.append(name in _LISTS or (above >= 0 and inside[above]))
        return np.asarray(inside, dtype=np.bool_)[paths // 2]


def read_leaves(dom: Dom, pruned: NDArray[np.bool_]) -> Leaves:
    """The leaves of a page that hold text and are not pruned.

    :param pruned: a mask over the blocks.
    """
    element_paths, steps = dom.tag_paths
    blocks = np.asarray(dom.leaf_blocks, dtype=np.int64)
    linked = np.asarray(dom.leaf_linked, dtype=np.bool_)
    characters, lengths = _measure(dom.leaf_texts)
    kept = characters > 0
    if len(blocks):
        kept &= ~pruned[blocks]
    blocks, linked = blocks[kept], linked[kept]
    paths = 2 * np.asarray(element_paths, dtype=np.int64)[np.asarray(dom.elements, dtype=np.int64)[blocks]] + linked
    return Leaves(blocks, linked, characters[kept], lengths[kept], paths, steps)


def clean(text: str) -> str:
    """The text without garbled characters."""
    if not _GARBLED.search(text):
        return text
    lines = (" ".join(line.split()) for line in _GARBLED.sub("", text).split("\n"))
    return "\n".join(filter(None, lines))


def _measure(texts: list[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Characters and ``Length`` of each text."""
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    weights = _WEIGHTS[codes]
    ends = np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)))
    return _sums(weights > 0, ends), _sums(weights, ends)


def _sums(values: NDArray[np.bool_ | np.uint8], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sums over consecutive runs that end before ``ends``."""
    totals = np.concatenate(([0], np.cumsum(values, dtype=np.int64)))
    return np.diff(totals[np.concatenate(([0], ends))])
