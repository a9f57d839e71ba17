"""What the blocks of a group say together: those of one parent element, one grandparent, one tag path, one path with class.

Text sums per path and container are what carries most (docs/combined.md); here every group gives the same ten figures.
All groupings are worked out together: on a page's few hundred blocks each call of numpy costs as much as its work.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

NAMES = ("share", "blocks", "link_share", "links", "mean", "own", "relative", "weight", "dense", "within")


def group_features(
    groupings: NDArray[np.intp],
    counts: NDArray[np.float64],
    totals: NDArray[np.float64],
    links: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> NDArray[np.float32]:
    """One row a block, the columns of :data:`NAMES` once for each grouping.

    :param groupings: for each grouping, the number of each block's group, from 0.
    :param counts: characters outside links.
    :param totals: characters.
    :param links: links and images.
    :param weights: of a block as a paragraph.
    """
    many, blocks = groupings.shape
    sizes = groupings.max(axis=1) + 1
    firsts = np.cumsum(sizes) - sizes
    groups = groupings + firsts[:, None]  # one behind the other, so that all are summed up at once
    flat, size = groups.ravel(), int(sizes.sum())

    def sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
        result: NDArray[np.float64] = np.bincount(flat, np.concatenate((values,) * many), size).astype(
            np.float64, copy=False
        )
        return result

    def relative(values: NDArray[np.float64]) -> NDArray[np.float64]:
        """To the largest of the same grouping."""
        result: NDArray[np.float64] = values / np.repeat(np.maximum.reduceat(values, firsts) + 1, sizes)
        return result

    number = np.maximum(np.bincount(flat, minlength=size), 1)
    text, weight = sums(counts), sums(weights)
    order = np.arange(blocks)
    first, last = np.zeros(size, dtype=np.intp), np.zeros(size, dtype=np.intp)
    first[groups[:, ::-1].ravel()] = np.concatenate((order[::-1],) * many)  # of equal groups the last assignment stays
    last[flat] = np.concatenate((order,) * many)
    span = last - first + 1
    per_group = np.empty((size, len(NAMES)), dtype=np.float32)
    per_group[:, 0] = text / (counts.sum() + 1)
    per_group[:, 1] = np.log1p(number)
    per_group[:, 2] = 1 - text / (sums(totals) + 1)
    per_group[:, 3] = np.minimum(2, sums(links) / (text + 10) * 10)
    per_group[:, 4] = np.log1p(text / number)
    per_group[:, 6] = relative(text)
    per_group[:, 7] = relative(weight)
    per_group[:, 8] = number / span
    columns = per_group[groups.T]
    columns[:, :, 5] = counts[:, None] / (text[groups.T] + 1)
    columns[:, :, 9] = (order[:, None] - first[groups.T]) / np.maximum(1, span - 1)[groups.T]
    result: NDArray[np.float32] = columns.reshape(blocks, -1)
    return result
