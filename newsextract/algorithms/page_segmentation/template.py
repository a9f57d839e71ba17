"""The text template of a segment: Hou & Yang 2011, §3.2.

Walking the segment, the text between ``table`` and ``div`` boundaries is one chunk, filed under the tag path of the
innermost ``table`` or ``div`` around it; a path that is seen again raises its frequency, and its text is appended
(the listing only counts; dropping the repeated text would lose it). Printed are the paths that are frequent enough, in
document order.

Cost: one pass over the block elements, one over the segment's blocks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from newsextract.dom import Dom

_BOUNDARIES = ("table", "div")


def frequencies(dom: Dom, blocks: NDArray[np.int64]) -> NDArray[np.int64]:
    """How often the tag path of each block's chunk occurs among the chunks of the segment.

    :param blocks: the segment's blocks, ascending; at least one.
    """
    begins, number, counts = _chunks(dom, blocks)
    frequency: NDArray[np.int64] = counts[number][np.cumsum(begins) - 1]
    return frequency


def path_frequencies(dom: Dom, blocks: NDArray[np.int64]) -> NDArray[np.int64]:
    """The frequencies in the template: one entry a tag path of chunks.

    :param blocks: the segment's blocks, ascending; at least one.
    """
    return _chunks(dom, blocks)[2]


def _chunks(dom: Dom, blocks: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
    """Which blocks begin a chunk; the path (counted from 0) of each chunk; the number of chunks of each path."""
    containers, paths = _containers(dom)
    around = containers[np.asarray(dom.elements, dtype=np.int64)[blocks]]
    begins = np.concatenate(([True], around[1:] != around[:-1]))
    _, number, counts = np.unique(paths[around[begins]], return_inverse=True, return_counts=True)
    return begins, number.astype(np.int64), counts.astype(np.int64)


def _containers(dom: Dom) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of each element: the innermost boundary element around it or itself (else the first), and the number of its path."""
    containers: list[int] = []
    paths: list[int] = []
    numbers: dict[tuple[int, str], int] = {}
    for element, (tag, parent) in enumerate(zip(dom.tags, dom.parents, strict=True)):
        containers.append(element if parent < 0 or tag in _BOUNDARIES else containers[parent])
        paths.append(numbers.setdefault((paths[parent] if parent >= 0 else -1, tag), len(numbers)))
    return np.asarray(containers, dtype=np.int64), np.asarray(paths, dtype=np.int64)
