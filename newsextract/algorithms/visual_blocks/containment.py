"""Which candidate sets have their records within the records of others: parts of records, records, groups of records.

Cost: candidates × (texts + records), in numpy.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.visual_blocks.candidates import Candidate

NAMES: tuple[str, ...] = (
    "groups_of_others", "part_of_other", "other_more_text", "part_of_longer", "has_parts", "parts_less_text", "overlapping",
)  # fmt: skip
NEAR = 1.35
"""A set with up to this many times the records of another (and one more) has the same records and some besides."""


def containment(found: Sequence[Candidate], texts: int) -> NDArray[np.bool_]:
    """Shape (candidates, candidates): whether all records of the second stand within records of the first.

    :param texts: visible text nodes of the page.
    """
    record_of = np.full((len(found), texts + 1), -1, dtype=np.int32)
    for number, candidate in enumerate(found):
        marks = np.zeros(texts + 1, dtype=np.int32)
        marks[candidate.spans[:, 0]] = 1
        inside = np.zeros(texts + 2, dtype=np.int32)
        np.add.at(inside, candidate.spans[:, 0], 1)
        np.add.at(inside, candidate.spans[:, 1], -1)
        record_of[number] = np.where(np.cumsum(inside)[: texts + 1] > 0, np.cumsum(marks), -1)
    sizes = np.array([len(candidate) for candidate in found])
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    spans = np.concatenate([candidate.spans for candidate in found])
    first, last = record_of[:, spans[:, 0]], record_of[:, spans[:, 1] - 1]
    within: NDArray[np.bool_] = np.logical_and.reduceat((first == last) & (first >= 0), starts, axis=1)
    return within


def relations(within: NDArray[np.bool_], sizes: NDArray[np.int64], chars: NDArray[np.float32]) -> NDArray[np.float32]:
    """Shape (candidates, :data:`NAMES`).

    :param within: of :func:`containment`.
    :param sizes: records of each candidate.
    :param chars: characters of each candidate.
    """
    inner, outer = sizes[None, :], sizes[:, None]
    other = within & ~np.eye(len(sizes), dtype=np.bool_)
    more = np.log(np.maximum(chars[:, None] / chars[None, :], 1e-6))
    same = other & (inner == outer) & (more > 0)
    longer = other & (outer > inner) & (outer <= NEAR * inner + 1)
    groups = other & (inner > outer)
    return np.stack(
        (
            np.log1p(groups.sum(axis=1)),
            same.any(axis=0),
            np.where(same, more, 0).max(axis=0),
            longer.any(axis=0),
            np.log1p(same.sum(axis=1)),
            np.where(same, more, 0).max(axis=1),
            np.log1p(other.sum(axis=0)),
        ),
        axis=1,
    ).astype(np.float32)
