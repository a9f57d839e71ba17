"""What is turned away, and why."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from types import SimpleNamespace

import pytest

from newsextract.feed.record_lines import NewsRecord, Rejection, judge, length
from newsextract.sites import Site
from pipelines.checks import QualityPipeline

Make = Callable[..., NewsRecord]


def site(**values: object) -> Site:
    return Site(name="x", start=["https://example.org/"], **values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        (" a b\nc ", 3),
        ("港口", 4),
        ("항만", 4),
        ("フェリー", 8),
        ("港 a", 3),
        ("，。", 4),
        ("ａ！", 4),
        ("é", 1),
        ("\u3000", 0),
    ],
)
def test_length(text: str, expected: int) -> None:
    assert length(text) == expected


@pytest.mark.parametrize(
    ("values", "definition", "verdict"),
    [
        ({}, {}, None),
        ({"text": "x" * 80}, {}, None),
        ({"text": "x" * 79}, {}, ("short", "the text has 79 characters, fewer than min_length = 80")),
        ({"text": "港" * 40}, {}, None),
        ({"text": "港" * 39}, {}, ("short", "the text has 78 characters, fewer than min_length = 80")),
        ({"text": "x"}, {"min_length": 0}, None),
        ({"status": "empty", "text": "", "reason": None}, {}, ("empty", "no text was found")),
        ({"status": "failed", "reason": "defect"}, {}, ("failed", "defect")),
        ({"status": "doubtful", "confidence": 0.2, "reason": "unsure"}, {}, None),
        (
            {"status": "doubtful", "confidence": 0.2, "reason": "unsure"}, {"min_confidence": 0.3},
            ("doubtful", "the confidence is 0.20, below min_confidence = 0.3"),
        ),
        ({"status": "ok", "confidence": 0.3}, {"min_confidence": 0.3}, None),
        ({"date": "2024-09-17"}, {"since": date(2024, 9, 18)}, ("out_of_window", "its date 2024-09-17 is before since = 2024-09-18")),
        ({"date": "2024-09-18T23:59:00+02:00"}, {"since": date(2024, 9, 18), "until": date(2024, 9, 18)}, None),
        ({"date": "2024-09-19T00:00"}, {"until": date(2024, 9, 18)}, ("out_of_window", "its date 2024-09-19 is after until = 2024-09-18")),
        ({"date": None}, {"since": date(2024, 9, 18)}, None),
        ({"date": "2024"}, {"since": date(2025, 1, 1)}, None),
    ],
)  # fmt: skip
def test_verdicts(
    make_record: Make, values: dict[str, object], definition: dict[str, object], verdict: tuple[str, str] | None
) -> None:
    assert judge(make_record(1, **values), site(**definition)) == verdict


def test_the_pipeline_makes_rejections(make_record: Make, make_rejection: Callable[..., Rejection]) -> None:
    pipeline = QualityPipeline(
        SimpleNamespace(plan=SimpleNamespace(sites={"x": site()}), ledger=SimpleNamespace(attempts={3: 1}))  # type: ignore[arg-type]
    )
    good = make_record(1)
    assert pipeline.process_item(good) is good
    rejection = make_rejection(2)
    assert pipeline.process_item(rejection) is rejection
    answer = pipeline.process_item(make_record(3, text="short"))
    assert isinstance(answer, Rejection)
    assert (answer.id, answer.status, answer.title, answer.date) == (f"{3:016x}", "short", "Title", "2024-09-18")
    assert answer.fetched_at == good.fetched_at
    assert answer.attempt == 2, "one more than the ledger knows, or a failing page would be tried for ever"
