"""Accuracy must not fall: floors about two bootstrap deviations below the figures of docs/measurements.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from newsextract.evaluation import contenders
from newsextract.evaluation.comparison import measure
from newsextract.evaluation.datasets import load
from newsextract.evaluation.metrics import summarize

FLOORS = [
    # set, algorithm, body F1, title exact, date's day
    ("articles", "combined", 0.945, 0.82, 0.92),  # on pages that its shipped model knows; unseen: docs/combined.md
    ("articles", "block_statistics", 0.805, 0.80, 0.88),
    ("articles", "page_segmentation", 0.915, 0.80, 0.88),
    ("articles", "node_attributes", 0.902, 0.80, 0.88),
    ("articles-zh", "combined", 0.97, 0.93, 0.97),
    ("articles-zh", "block_statistics", 0.925, 0.93, 0.95),
    ("articles-zh", "page_segmentation", 0.94, 0.93, 0.95),
    ("articles-zh", "node_attributes", 0.92, 0.93, 0.95),
    ("articles-zh", "block_statistics_baseline", 0.930, 0.93, 0.95),
]


@pytest.mark.parametrize(("data", "algorithm", "body", "title", "day"), FLOORS)
def test_accuracy(shared_bench: Path, data: str, algorithm: str, body: float, title: float, day: float) -> None:
    pages = load([shared_bench / data])
    summary = summarize(measure(contenders.algorithm(algorithm), pages, workers=2).scores)
    assert (summary.f1 or 0) >= body
    assert (summary.title_exact or 0) >= title
    assert (summary.date_exact or 0) >= day
