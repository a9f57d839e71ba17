"""One comparison: contenders measured on the same pages, with what was left out and why.

``measure`` runs a contender and scores page after page while its workers go on; the console, the JSON file and the
HTML report are made from a :class:`Comparison` alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import newsextract
from newsextract.evaluation import report, runner
from newsextract.evaluation.contenders import Contender, Skipped
from newsextract.evaluation.datasets import TEST_FOLD, FoldName, Kind, Prediction, TruthPage
from newsextract.evaluation.metrics import PageScore, Summary, score_page
from newsextract.evaluation.worst import worst


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that the reports tell."""

    kind: Kind
    fold: FoldName
    limit: int | None
    bootstrap: int
    """Resampled sets for the deviation of F1; 0: none."""
    pages: Sequence[TruthPage]
    tables: Sequence[tuple[report.Result, Mapping[str, Summary]]]
    """Each contender's result with its rows (:func:`newsextract.evaluation.report.rows`)."""
    skipped: Sequence[Skipped]
    worst: int
    """Worst pages to list per contender."""


def measure(
    contender: Contender,
    pages: Sequence[TruthPage],
    kind: Kind = "articles",
    *,
    workers: int = 0,
    progress: runner.Progress | None = None,
) -> report.Result:
    """Run a contender over pages and score what it returns.

    :raises DataError: a page file is missing.
    :raises WorkersDoNotStart: with the reason on standard error.
    :raises MissingExtra: it needs a package that is not installed.
    """
    predictions: dict[str, Prediction] = {}
    scores: list[PageScore] = []
    found = runner.run(pages, contender, kind, workers=workers, progress=progress)
    for page, prediction in zip(pages, found, strict=True):
        predictions[page.id] = prediction
        scores.append(score_page(page, prediction))
    return report.Result(contender.name, pages, predictions, scores, contender)


def data_sets(pages: Sequence[TruthPage]) -> dict[str, dict[str, int]]:
    """Number of pages of each data set, and of those in fold 0."""
    every = Counter(page.data for page in pages)
    test = Counter(page.data for page in pages if page.fold == TEST_FOLD)
    return {name: {"pages": count, "test_pages": test[name]} for name, count in every.items()}


def as_json(comparison: Comparison) -> dict[str, Any]:
    """All figures as plain JSON values; the keys are described in docs/evaluation.md."""
    results: dict[str, Any] = {}
    for result, table in comparison.tables:
        results[result.name] = report.as_json(result, table)
        if comparison.worst:
            results[result.name]["worst"] = [asdict(page) for page in worst(result, comparison.worst)]
    return {
        "newsextract": newsextract.__version__,
        "kind": comparison.kind,
        "fold": comparison.fold,
        "limit": comparison.limit,
        "bootstrap": comparison.bootstrap,
        "pages": len(comparison.pages),
        "data": data_sets(comparison.pages),
        "results": results,
        "skipped": [asdict(skipped) for skipped in comparison.skipped],
    }
