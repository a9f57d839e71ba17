"""How a candidate record set looks where a browser drew the page: boxes and fonts, the visual class of Table 1.

Cost: a few operations a record.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.visual_blocks.candidates import Candidate
from newsextract.nodes import STYLE_NAMES, Geometry, Nodes

NAMES: tuple[str, ...] = (
    "area_share", "width_share", "height", "left", "top", "right", "centre_offset", "area_covered", "columns",
    "width_variation", "height_variation", "gap_variation", "font_size", "font_variation", "bold_opening", "no_box",
    "records_in_window",
)  # fmt: skip
_FONT_SIZE, _FONT_WEIGHT = STYLE_NAMES.index("font-size"), STYLE_NAMES.index("font-weight")
_LARGEST = 10_000.0
_WINDOW = 900.0
"""Height in CSS pixels that a reader sees first."""


def appearance(nodes: Nodes, geometry: Geometry, found: Sequence[Candidate]) -> NDArray[np.float32]:
    """Shape (candidates, :data:`NAMES`)."""
    boxes = geometry.boxes
    width, height = (max(1.0, side) for side in geometry.page_size)
    sizes = np.array([_number(row[_FONT_SIZE]) for row in geometry.style_table] or [0.0], dtype=np.float32)
    bold = np.array([_number(row[_FONT_WEIGHT]) >= 600 for row in geometry.style_table] or [False])
    shown = nodes.shown
    rows = np.zeros((len(found), len(NAMES)), dtype=np.float32)
    for k, candidate in enumerate(found):
        record = _union(boxes[candidate.firsts], boxes[candidate.lasts])
        there = (record[:, 2] > record[:, 0]) & (record[:, 3] > record[:, 1])
        rows[k, 15] = 1 - there.mean()
        if not there.any():
            continue
        record = record[there]
        left, top, right, bottom = record[:, 0], record[:, 1], record[:, 2], record[:, 3]
        wide, high = right - left, bottom - top
        area = float((wide * high).sum())
        around = np.float32((right.max() - left.min()) * (bottom.max() - top.min()))
        opening = geometry.styles[shown[np.minimum(candidate.spans[:, 0], len(shown) - 1)]]
        font = sizes[opening] / max(1.0, geometry.base_font_size)
        gaps = np.diff(np.sort(top))
        rows[k] = (
            area / (width * height), wide.mean() / width, np.log1p(high.mean()), left.min() / width, top.min() / height,
            right.max() / width, abs((left.min() + right.max()) / 2 - width / 2) / width, area / max(np.float32(1), around),
            np.log(len(np.unique(np.round(left / 8)))+ 1), _variation(wide), _variation(high), _variation(gaps),
            font.mean(), font.std(), bold[opening].mean(), rows[k, 15], np.log1p((top < _WINDOW).sum()),
        )  # fmt: skip
    return rows


def _union(first: NDArray[np.float32], last: NDArray[np.float32]) -> NDArray[np.float32]:
    """Left, top, right, bottom of two boxes together; of one alone where the other has no area."""
    edges = [np.concatenate((box[:, :2], box[:, :2] + box[:, 2:]), axis=1) for box in (first, last)]
    empty = [(box[:, 2:] <= 0).any(axis=1) for box in (first, last)]
    low = np.minimum(edges[0], edges[1])[:, :2]
    high = np.maximum(edges[0], edges[1])[:, 2:]
    both: NDArray[np.float32] = np.concatenate((low, high), axis=1)
    both[empty[1]] = edges[0][empty[1]]
    both[empty[0]] = edges[1][empty[0]]
    return both


def _variation(values: NDArray[np.float32]) -> float:
    return float(values.std() / (abs(values.mean()) + 1)) if len(values) else 0.0


def _number(value: str) -> float:
    """The number at the beginning of a CSS value: ``16px``, ``700``; 0 of anything else."""
    digits = value.removesuffix("px")
    try:
        number = float(digits)
    except ValueError:
        return 0.0
    return min(max(number, 0.0), _LARGEST) if number == number else 0.0
