from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import newsextract
from newsextract.errors import DataError
from newsextract.lab import runner
from newsextract.lab.datasets import Prediction, load
from newsextract.page.page import Page
from newsextract.results import Article

ALGORITHM = runner.algorithm("block_statistics")


def untimed(prediction: Prediction) -> Prediction:
    return replace(prediction, extract_seconds=None, body_seconds=None, lxml_seconds=None)


@pytest.mark.slow
def test_each_page_has_text_and_cost_in_order(make_data_set: Callable[..., Path]) -> None:
    directory = make_data_set(7)
    pages = load([directory])
    told: list[tuple[int, int]] = []
    found = list(runner.run(pages, ALGORITHM, progress=lambda done, total: told.append((done, total))))
    assert [prediction.id for prediction in found] == [page.id for page in pages]
    assert all("Paragraph 3 of story" in prediction.text for prediction in found)
    assert all(prediction.extract_seconds and prediction.lxml_seconds for prediction in found)
    assert [prediction.body_seconds is not None for prediction in found] == [True, *[False] * 4, True, False]
    assert told == [(number, 7) for number in range(1, 8)]


@pytest.mark.slow
def test_workers_change_nothing(make_data_set: Callable[..., Path]) -> None:
    directory = make_data_set(35)
    pages = load([directory])
    in_line = [untimed(prediction) for prediction in runner.run(pages, ALGORITHM)]
    in_two = [untimed(prediction) for prediction in runner.run(pages, ALGORITHM, workers=2)]
    assert in_two == in_line


def test_a_page_that_crashes_is_a_prediction_with_its_reason(
    make_data_set: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = make_data_set(3)
    real = newsextract.extract

    def crash(page: Page, **keywords: Any) -> Article:
        if b"story 1" in page.body:
            raise RecursionError("too deep")
        return real(page, **keywords)

    monkeypatch.setattr(runner, "extract", crash)
    found = list(runner.run(load([directory]), ALGORITHM))
    assert [prediction.status for prediction in found] == ["ok", "failed", "ok"]
    assert found[1].reason == "RecursionError: too deep"
    assert found[1].text == ""


@pytest.mark.slow
def test_a_page_that_kills_its_worker_is_a_prediction_too(
    make_data_set: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The workers are other processes: they get the replaced functions by importing this module.
    (tmp_path / "killing_page.py").write_text(
        "import os\n"
        "from newsextract.lab import runner\n"
        "real = runner._answer\n"
        "def answer(task, *given):\n"
        "    if task.page.id == 'made-017':\n"
        "        os._exit(1)\n"
        "    return real(task, *given)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    killing_page = import_module("killing_page")

    monkeypatch.setattr(runner, "_answer", killing_page.answer)
    directory = make_data_set(20)
    pages = load([directory])
    try:
        found = list(runner.run(pages, ALGORITHM, workers=2))
    finally:
        del sys.modules["killing_page"]
    assert [prediction.id for prediction in found] == [page.id for page in pages]
    assert [prediction.id for prediction in found if prediction.status == "failed"] == ["made-017"]
    assert found[17].reason == "the worker process died (exit code 1)"


def test_an_extractor_gets_no_truth(make_data_set: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr(runner, "_predict", lambda task, *_: seen.append(task.page) or Prediction(id=task.page.id))
    list(runner.run(load([make_data_set(1)]), ALGORITHM))
    assert (seen[0].text, seen[0].title, seen[0].date, seen[0].with_) == (None, None, None, None)


@pytest.mark.parametrize("workers", [0, 1])
def test_a_missing_page_file_is_the_data_sets_mistake(make_data_set: Callable[..., Path], workers: int) -> None:
    directory = make_data_set(2)
    (directory / "pages" / "made-001.html.gz").unlink()
    with pytest.raises(DataError, match=r"made-001"):
        list(runner.run(load([directory]), ALGORITHM, workers=workers))
