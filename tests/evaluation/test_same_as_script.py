"""Our figures equal those of the bench's own script on the same predictions."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from math import isnan
from pathlib import Path

import pytest

from newsextract.lab.datasets import TEST_FOLD, Prediction, TruthPage, load, save_predictions
from newsextract.lab.report import LEAST_PAGES, LEAST_TEST_PAGES, rows, score

BOOTSTRAP = 20
NOT_OURS = {
    "word_f1_sd",
    "clock_pages",
    "clock_exact",
    "clock_right_where_given",
    "authors_f1",
}
NOT_THEIRS = {"lost", "lost_silently"}


def truth_itself(page: TruthPage) -> Prediction:
    text = page.text or "\n".join(page.with_ or ())
    return Prediction(id=page.id, text=text, title=page.title, date=page.date, authors=page.authors)


def empty(page: TruthPage) -> Prediction:
    return Prediction(id=page.id)


def truncated(page: TruthPage) -> Prediction:
    """The first half without a headline line; the title cut, the date to the month on some pages."""
    whole = truth_itself(page)
    text = whole.text[: len(whole.text) // 2]
    if page.title_in_text:
        text = text.partition("\n")[2]
    date = whole.date and (whole.date[:7] if len(text) % 3 == 0 else whole.date + "T08:30")
    return Prediction(
        id=page.id,
        text=text,
        title=whole.title and whole.title[: len(whole.title) - len(text) % 4],
        date=date,
    )


def noisy(page: TruthPage) -> Prediction:
    """Foreign words before and after, some of the unwanted segments, another day on some pages."""
    chance = random.Random(page.id)
    whole = truth_itself(page)
    noise = " ".join(chance.choices(["Home", "登录", "Anzeige", "Subscribe", "more", "広告"], k=chance.randrange(60)))
    unwanted = [segment for segment in page.without or () if chance.random() < 0.5]
    text = "\n".join([noise, whole.text, *unwanted, noise[: chance.randrange(30)]])
    return Prediction(
        id=page.id,
        text=text,
        title=(whole.title or "") + " | Site",
        date=chance.choice([None, whole.date, "2001-02-03"]),
        authors=chance.choice([(), tuple(name.upper() for name in page.authors), (*page.authors, "Jane Doe")]),
    )


def partly(page: TruthPage) -> Prediction | None:
    """Truth, noise, a cut text, or no line at all."""
    kind = random.Random(page.id).randrange(4)
    return (truth_itself, noisy, truncated, lambda _: None)[kind](page)


def by_script(bench: Path, truth: Path, predictions: Path, out: Path) -> dict[str, dict[str, float]]:
    command = [sys.executable, *map(str, (bench / "score_articles.py", truth, predictions, "--json", out))]
    subprocess.run([*command, "--words", "--bootstrap", str(BOOTSTRAP)], check=True, capture_output=True)
    result: dict[str, dict[str, float]] = json.loads(out.read_text(encoding="utf-8"))
    return result


def write_truth(directory: Path, ids: set[str], out: Path) -> None:
    lines = (directory / "truth.jsonl").read_bytes().split(b"\n")  # not splitlines(): texts hold other line separators
    out.write_bytes(b"\n".join(line for line in lines if line and json.loads(line)["id"] in ids))


def labels(page: TruthPage) -> set[str]:
    if page.kind and page.truth == "tool":
        return {page.source}
    human = {"human truth"} if page.truth in ("human", "segments", "date") else set()
    kind = {f"kind {page.kind}"} if page.kind else set()
    return {page.source, f"lang {page.lang}", *human, *kind}


def rows_with_few_of_the_test_fold(pages: list[TruthPage]) -> set[str]:
    """Rows that are shown without their pages of fold 0, because these are few."""
    counts = Counter(label for page in pages if page.fold == TEST_FOLD for label in labels(page))
    return {label for label, count in counts.items() if count < LEAST_TEST_PAGES}


@pytest.mark.parametrize("kind", [truth_itself, empty, truncated, noisy, partly], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("data", ["articles", "articles-zh", "modern"])
def test_figures_equal_those_of_the_script(
    shared_bench: Path, tmp_path: Path, data: str, kind: Callable[[TruthPage], Prediction | None]
) -> None:
    directory = shared_bench / data
    pages = load([directory])
    pages = pages[
        :: 2 if kind is partly else 6
    ]  # of one form alone fewer are enough; the script takes half a minute for all
    truth = tmp_path / "truth.jsonl"
    write_truth(directory, {page.id for page in pages}, truth)
    predictions = [prediction for page in pages if (prediction := kind(page)) is not None]
    save_predictions(tmp_path / "predictions.jsonl", predictions)
    theirs = by_script(shared_bench, truth, tmp_path / "predictions.jsonl", tmp_path / "out.json")
    few = rows_with_few_of_the_test_fold(pages)
    shown = {page.id for page in pages if page.fold != TEST_FOLD and few & labels(page)}
    write_truth(directory, shown, tmp_path / "shown.jsonl")
    theirs_of_few = by_script(shared_bench, tmp_path / "shown.jsonl", tmp_path / "predictions.jsonl", tmp_path / "out.json")
    ours = rows(score("x", pages, {prediction.id: prediction for prediction in predictions}), "all", BOOTSTRAP)
    compared = 0
    for label, of_all in theirs.items():
        if not of_all["pages"] or label.startswith("truth ") or (label not in ours and of_all["pages"] < LEAST_PAGES):
            continue  # the script also prints a row of human truth where there is none, and rows of rare languages
        mine = asdict(ours[label])
        figures = theirs_of_few[label] if label in few else of_all
        for key, value in figures.items():
            if key in NOT_OURS:
                continue
            compared += 1
            if isnan(value):
                assert mine[key] is None, (label, key)
            else:
                assert mine[key] == pytest.approx(value, abs=1e-12), (label, key)
        absent = [key for key, value in mine.items() if key not in figures | dict.fromkeys(NOT_THEIRS) and value]
        assert not absent, label
    assert compared > 20
