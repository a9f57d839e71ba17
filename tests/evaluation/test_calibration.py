"""What the confidence is worth."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from newsextract.lab import report
from newsextract.lab.datasets import Prediction, load
from newsextract.lab.report import calibration

WORDS = " ".join(f"word{n}" for n in range(40))


def result(tmp_path: Path, confidences: list[float | None], right: list[bool]) -> report.ContenderResult:
    """Pages of one truth each, found or not."""
    rows = [{"id": f"p{n}", "source": "s", "site": "x.example", "text": WORDS} for n in range(len(right))]
    (tmp_path / "truth.jsonl").write_text("\n".join(map(json.dumps, rows)))
    predictions = {
        f"p{n}": Prediction(id=f"p{n}", text=WORDS if good else "something else altogether", confidence=confidence)
        for n, (confidence, good) in enumerate(zip(confidences, right, strict=True))
    }
    return report.score("one", load([tmp_path]), predictions)


def test_pages_are_called_as_long_as_enough_are_right(tmp_path: Path):
    scored = result(tmp_path, [0.99 - n / 200 for n in range(100)], [n != 60 and n < 80 for n in range(100)])
    found = calibration(scored)
    assert found is not None
    assert found.pages == 100
    assert found.called == pytest.approx(0.81)  # 79 of 81 are right: .975; of 82 .963
    assert found.least == pytest.approx(0.99 - 80 / 200)
    assert sum(b.pages for b in found.bins) == 100
    assert [b.right for b in found.bins] == sorted(b.right for b in found.bins)
    assert "at 97% certainty of an F1 over 0.9 81% of 100 pages can be called, those from 0.590" in report.sure_line(found)


def test_of_equal_confidences_all_are_called_or_none(tmp_path: Path):
    scored = result(tmp_path, [1.0] * 40, [True] * 20 + [False] * 20)
    found = calibration(scored)
    assert found is not None
    assert found.called == 0


def test_where_the_surest_are_wrong_nothing_is_called(tmp_path: Path):
    scored = result(tmp_path, [0.9] * 20 + [0.1] * 20, [False] * 20 + [True] * 20)
    found = calibration(scored)
    assert found is not None
    assert found.called == 0
    assert "no page can be called" in report.sure_line(found)


def test_without_confidences_or_with_few_pages_nothing_is_said(tmp_path: Path):
    scored = result(tmp_path, [None] * 40, [True] * 40)
    assert calibration(scored) is None
    scored = result(tmp_path, [0.9] * 10, [True] * 10)
    assert calibration(scored) is None
