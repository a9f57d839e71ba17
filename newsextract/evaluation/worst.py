"""The pages on which an algorithm does worst, for looking at. Only pages of folds 1–4 are ever shown."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan

from newsextract.evaluation.datasets import TEST_FOLD, Prediction, TruthPage
from newsextract.evaluation.metrics import Overlap, PageScore, folded
from newsextract.evaluation.report import Result

_EXCERPT = 90
"""Characters of truth and prediction that are shown."""


@dataclass(frozen=True, slots=True)
class WorstPage:
    """One page that came out badly."""

    id: str
    source: str
    lang: str
    measure: str
    """What the shares are of: ``4-grams`` of the body, or ``segments``."""
    f1: float
    precision: float | None
    recall: float | None
    status: str
    reason: str | None
    title: str
    """``right``, ``wrong``, or ``-`` where the truth has none."""
    date: str
    truth: str
    """First words of the true text; of a page with segments, of the first segment that went wrong."""
    prediction: str
    """First words of the predicted text."""


Looked = tuple[TruthPage, PageScore, Prediction | None]


def worst_pages(result: Result, count: int) -> list[Looked]:
    """The pages of folds 1–4 with the lowest F1 of body or segments, worst first; equal ones by id."""
    found = [
        (page, score, result.predictions.get(page.id))
        for page, score in zip(result.pages, result.scores, strict=True)
        if page.fold != TEST_FOLD and (score.body is not None or score.segments is not None)
    ]
    return sorted(found, key=lambda looked: (_agreement(looked[1]).f1, looked[0].id))[:count]


def worst(result: Result, count: int) -> list[WorstPage]:
    """The same pages, described."""
    return [describe(*looked) for looked in worst_pages(result, count)]


def format_worst(pages: list[WorstPage]) -> str:
    """A numbered list, three lines a page."""
    lines: list[str] = []
    for number, page in enumerate(pages, 1):
        shares = f"F1 {page.f1:.3f}  P {_share(page.precision)}  R {_share(page.recall)} of {page.measure}"
        reason = f" ({printable(page.reason)})" if page.reason else ""
        lines += [
            f"{number:>4}  {page.id}  {page.source}  {page.lang}  {shares}  status {page.status}{reason}"
            f"  title {page.title}  date {page.date}",
            f"      truth: {printable(page.truth)}",
            f"      found: {printable(page.prediction)}",
        ]
    return "\n".join(lines)


def describe(page: TruthPage, score: PageScore, prediction: Prediction | None) -> WorstPage:
    """What is told of a page that has a true body or segments."""
    text = prediction.text if prediction else ""
    agreement = _agreement(score)
    true = _segment_gone_wrong(page, text) if score.body is None else page.text or ""
    return WorstPage(
        id=page.id,
        source=page.source,
        lang=page.lang,
        measure="segments" if score.body is None else "4-grams",
        f1=agreement.f1,
        precision=None if isnan(agreement.precision) else agreement.precision,
        recall=None if isnan(agreement.recall) else agreement.recall,
        status=(prediction.status if prediction else "missing") or "-",
        reason=prediction.reason if prediction else None,
        title=_verdict(score.title_right),
        date=_verdict(score.date_right),
        truth=folded(true)[:_EXCERPT],
        prediction=folded(text)[:_EXCERPT],
    )


def _agreement(score: PageScore) -> Overlap:
    if score.body is not None:
        return score.body
    assert score.segments is not None  # worst_pages() gives only pages that have one of the two
    return score.segments.overlap


def _segment_gone_wrong(page: TruthPage, text: str) -> str:
    flat = folded(text)
    missed = (f"missed: {segment}" for segment in page.with_ or () if folded(segment) not in flat)
    taken = (f"taken in: {segment}" for segment in page.without or () if folded(segment) in flat)
    return next(missed, None) or next(taken, "")


def _verdict(right: bool | None) -> str:
    return "-" if right is None else "right" if right else "wrong"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def printable(text: str) -> str:
    """Without control characters, which would act on the terminal, and without lone surrogates."""
    return "".join(character if character.isprintable() else " " for character in text)
