"""How a single record of a chosen set stands among the others: for leaving out advertisements, notices and rows of controls.

Every figure compares the record with its set (median, mean shape, most frequent class), so that it means the same on every
page.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.visual_blocks.candidates import Candidate, Columns
from newsextract.algorithms.visual_blocks.node_counts import COLUMN, COUNTED, WORDS, Counts

_COMPARED = (
    "chars",
    "texts",
    "links",
    "images",
    "headings",
    "heading_links",
    "controls",
    "dates",
    "long_chars",
    "link_chars",
    "digits",
)
NAMES: tuple[str, ...] = (
    *(f"{name}_more" for name in _COMPARED), *(f"{name}_here" for name in _COMPARED),
    *(f"{name}_usual" for name in _COMPARED),
    "likeness", "usual_likeness", "same_class", "usual_class", "same_tag", "first", "last", "place", "records",
    *(f"own_{name}" for name in WORDS), *(f"in_{name}" for name in WORDS), *(f"in_{name}_usual" for name in WORDS),
)  # fmt: skip


def features(columns: Columns, counts: Counts, candidate: Candidate) -> NDArray[np.float32]:
    """Shape (records, :data:`NAMES`)."""
    nodes = columns.nodes
    stats = counts.of(candidate.firsts, nodes.ends[candidate.lasts].astype(np.int64))
    n = len(candidate)
    figures = np.log1p(stats[:, [COLUMN[name] for name in _COMPARED]])
    usual = np.median(figures, axis=0)
    shapes = stats[:, len(COUNTED) :]
    unit = shapes / (np.sqrt((shapes * shapes).sum(axis=1)) + 1e-6)[:, None]
    mean = unit.mean(axis=0)
    likeness = unit @ (mean / (np.sqrt(mean @ mean) + 1e-6))
    classes = np.array(columns.signatures[1])[candidate.firsts]
    tags = np.array(columns.signatures[0])[candidate.firsts]
    same_class, share = _same(classes)
    same_tag, _ = _same(tags)
    place = np.arange(n)
    inside = (stats[:, COLUMN["in_result"] : len(COUNTED)] > 0).astype(np.float32)
    alone = np.stack(
        (likeness, np.full(n, np.median(likeness)), same_class, np.full(n, share), same_tag, place == 0, place == n - 1,
         place / n, np.full(n, np.log(n))), axis=1,
    )  # fmt: skip
    matrix = np.concatenate(
        (figures - usual, figures, np.tile(usual, (n, 1)), alone, counts.own[candidate.firsts], inside,
         np.tile(inside.mean(axis=0), (n, 1))), axis=1,
    )  # fmt: skip
    found: NDArray[np.float32] = matrix.astype(np.float32)
    return found


def _same(numbers: NDArray[np.int64]) -> tuple[NDArray[np.bool_], float]:
    """Whether each is the most frequent number, and its share."""
    values, counts = np.unique(numbers, return_counts=True)
    return numbers == values[counts.argmax()], float(counts.max() / len(numbers))
