"""What the blocks of a group say together: those of one parent element, one grandparent, one tag path, one path with class.

Text sums per path and container are what carries most (docs/combined.md); here every group gives the same ten figures.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

NAMES = ("share", "blocks", "link_share", "links", "mean", "own", "relative", "weight", "dense", "within")


def group_features(
    group: NDArray[np.int64],
    counts: NDArray[np.float64],
    totals: NDArray[np.float64],
    links: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> NDArray[np.float32]:
    """One row a block, the columns of :data:`NAMES`.

    :param group: the number of each block's group, from 0.
    :param counts: characters outside links.
    :param totals: characters.
    :param links: links and images.
    :param weights: of a block as a paragraph.
    """
    blocks = len(group)
    size = int(group.max()) + 1
    number = np.bincount(group, minlength=size)
    text = np.bincount(group, counts, size)
    every = np.bincount(group, totals, size)
    linked = np.bincount(group, links, size)
    weight = np.bincount(group, weights, size)
    order = np.arange(blocks)
    first, last = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    first[group[::-1]] = order[::-1]  # of equal groups the last assignment stays
    last[group] = order
    span = last - first + 1
    per_group = np.stack(
        (
            text / (counts.sum() + 1),
            np.log1p(number),
            1 - text / (every + 1),
            np.minimum(2, linked / (text + 10) * 10),
            np.log1p(text / np.maximum(number, 1)),
            text,
            text / (text.max() + 1),
            weight / (weight.max() + 1),
            number / np.maximum(span, 1),
            first,
        ),
        axis=1,
    )
    columns = per_group[group]
    columns[:, 5] = counts / (columns[:, 5] + 1)
    columns[:, 9] = (order - columns[:, 9]) / np.maximum(1, span[group] - 1)
    return columns.astype(np.float32)
