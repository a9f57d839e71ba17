"""The worst pages of folds 1-4 of our algorithms, for the HTML report: truth against prediction, word by word."""

from __future__ import annotations

from html import escape

from newsextract.evaluation.comparison import Comparison
from newsextract.evaluation.datasets import Prediction, TruthPage
from newsextract.evaluation.differences import Stretch, differences
from newsextract.evaluation.metrics import PageScore, compared_text, folded
from newsextract.evaluation.report import Result
from newsextract.evaluation.worst import describe, worst_pages

_PREVIEW = 400
"""Characters of a predicted text that are shown where the truth has segments only."""


def worst_section(comparison: Comparison) -> str:
    """A list per algorithm; empty where only fold 0 was measured, none was asked for, or only peers ran."""
    if not comparison.worst or comparison.fold == "test":
        return ""
    parts = [
        _algorithm(result, comparison.worst)
        for result, _ in comparison.tables
        if result.contender is None or result.contender.origin == "algorithm"
    ]
    if not any(parts):
        return ""
    return (
        "<section><h2>Worst pages of folds 1-4</h2><p>By F1 of the body or of the segments. "
        "<span class='missing'>Words of the truth that are missing</span>, "
        "<span class='extra'>words that are not in the truth</span>; what both have is shortened.</p>\n"
        + "\n".join(parts)
        + "</section>"
    )


def _algorithm(result: Result, count: int) -> str:
    pages = "".join(_page(*looked) for looked in worst_pages(result, count))
    return f"<details><summary>{escape(result.name)}</summary>{pages}</details>" if pages else ""


def _page(page: TruthPage, score: PageScore, prediction: Prediction | None) -> str:
    told = describe(page, score, prediction)
    shares = f"F1 {told.f1:.3f}, P {_share(told.precision)}, R {_share(told.recall)} of {told.measure}"
    reason = f" ({told.reason})" if told.reason else ""
    about = f"{page.source}, {page.lang}; {shares}; status {told.status}{reason}; title {told.title}, date {told.date}"
    text = prediction.text if prediction else ""
    if score.body is None:
        content = _segments(page, text)
    else:
        compared = compared_text(page, text, (prediction.title if prediction else None) or "")
        content = f"<div class='diff' dir='auto'>{''.join(map(_stretch, differences(page.text or '', compared)))}</div>"
    return f"<article><h3>{escape(page.id)}</h3><p>{escape(about)}</p>{content}</article>"


def _stretch(stretch: Stretch) -> str:
    text = escape(stretch.text).replace("\n", "<br/>")
    gap = f"<span class='gap'>… {stretch.left_out} words …</span>" if stretch.left_out else ""
    return f"{text}{gap}" if stretch.kind == "both" else f"<span class='{stretch.kind}'>{text}{gap}</span>"


def _segments(page: TruthPage, text: str) -> str:
    """Each segment with what became of it, and how the predicted text begins."""
    flat = folded(text)
    lines = [
        ("", "found", segment) if folded(segment) in flat else ("missing", "missing", segment)
        for segment in page.with_ or ()
    ]
    lines += [
        ("extra", "wrongly taken in", segment) if folded(segment) in flat else ("", "kept out", segment)
        for segment in page.without or ()
    ]
    items = "".join(
        f"<li dir='auto'>{told}: <span class='{kind or 'plain'}'>{escape(segment)}</span></li>"
        for kind, told, segment in lines
    )
    more = f"<span class='gap'>… {len(flat) - _PREVIEW} characters …</span>" if len(flat) > _PREVIEW else ""
    return f"<ul>{items}</ul><div class='diff' dir='auto'>Prediction: {escape(flat[:_PREVIEW])}{more}</div>"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
