"""Accuracy must not fall: floors about two bootstrap deviations below those of docs/figures.md and docs/measurements."""

from __future__ import annotations

from pathlib import Path

import pytest

from newsextract import Page
from newsextract.lab import report, runner
from newsextract.lab.datasets import TruthPage, load, read
from newsextract.lab.metrics import PageScore, score_page, summarize
from newsextract.lab.runner import FETCHED_AT, predicted

FLOORS = {
    # set: algorithm: body F1, title exact, date's day
    # combined: on pages that its shipped model knows; on unseen ones: docs/measurements/combined.md
    "articles": {
        "combined": (0.935, 0.82, 0.92),
        "block_statistics": (0.805, 0.83, 0.91),
        "page_segmentation": (0.915, 0.825, 0.90),
        "node_attributes": (0.905, 0.82, 0.905),
    },
    "articles-zh": {
        "combined": (0.97, 0.93, 0.97),
        "block_statistics": (0.925, 0.93, 0.95),
        "page_segmentation": (0.94, 0.93, 0.95),
        "node_attributes": (0.92, 0.93, 0.95),
        "block_statistics_baseline": (0.930, 0.93, 0.95),
    },
}


def scores(data: str, number: int, truth: TruthPage) -> dict[str, PageScore]:
    """Of each algorithm on one page, which is read once for all.

    Of the articles every second page: F1 differs by .002 at most from that of all 2,146. For the older algorithms every sixth;
    their floors lie as far below these pages' figures as they lay below those of every second.
    """
    steps = {algorithm: 1 if data != "articles" else 2 if algorithm == "combined" else 6 for algorithm in FLOORS[data]}
    chosen = [algorithm for algorithm, step in steps.items() if number % step == 0]
    page = Page(read(truth) if chosen else b"", truth.url, fetched_at=FETCHED_AT)
    return {algorithm: score_page(truth, predicted(truth.id, page, algorithm)) for algorithm in chosen}


@pytest.mark.parametrize("data", FLOORS)
def test_accuracy(shared_bench: Path, data: str) -> None:
    found = [scores(data, number, page) for number, page in enumerate(load([shared_bench / data]))]
    missed = []
    for algorithm, floors in FLOORS[data].items():
        summary = summarize([each[algorithm] for each in found if algorithm in each])
        reached = (summary.f1 or 0, summary.title_exact or 0, summary.date_exact or 0)
        missed += [(algorithm, reached)] if any(one < floor for one, floor in zip(reached, floors, strict=True)) else []
    assert missed == []


MODERN_FLOORS = {
    # word F1 by kind of page, on pages that the shipped models know; unseen: docs/measurements/combined.md
    "kind article": 0.944,
    "kind documentation": 0.92,
    "kind service": 0.84,
    "kind forum": 0.80,
    "kind collection": 0.68,
    "kind listing": 0.80,
    "kind product": 0.60,
    "all": 0.88,
}


def test_accuracy_by_kind_of_page(shared_bench: Path) -> None:
    if not (shared_bench / "modern").is_dir():
        pytest.skip("the bench beside the repository has no pages of all kinds (../shared/bench/modern)")
    pages = load([shared_bench / "modern"])[1::2]  # no floor lies farther below the figures of these than of all pages
    combined = runner.algorithm("combined")
    result = report.Result.measured(combined, pages, runner.run(pages, combined, workers=2), score_page)
    table = report.rows(result, "all")
    found = {label: table[label].word_f1 or 0 for label in MODERN_FLOORS}
    assert {label: value for label, value in found.items() if value < MODERN_FLOORS[label]} == {}
    judged = [(page, result.predictions[page.id]) for page in result.pages if page.truth != "tool"]
    articles = [prediction.is_article is False for page, prediction in judged if page.kind == "article"]
    others = [prediction.is_article is False for page, prediction in judged if page.kind != "article"]
    assert sum(articles) / len(articles) <= 0.015
    assert sum(others) / len(others) >= 0.9
