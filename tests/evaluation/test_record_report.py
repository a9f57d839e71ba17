"""Rows, what is never shown of fold 0, faults and the worst pages."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from newsextract.lab.datasets import PredictedRecord, Prediction, TrueRecord, TruthPage, load
from newsextract.lab.metrics import TrueRecords, match
from newsextract.lab.record_report import (
    RecordResult,
    all_faults,
    as_json,
    cost,
    faults,
    format_result,
    format_summary,
    format_worst,
    rows,
    score,
    worst,
)

MakeDataSet = Callable[..., Path]


def the_truth(pages: list[TruthPage]) -> dict[str, Prediction]:
    return {
        page.id: Prediction(
            id=page.id,
            records=tuple(
                PredictedRecord(record.text, tuple((f"c{n}", field) for n, field in enumerate(record.fields)))
                for record in page.records
            ),
            status="ok",
            extract_seconds=0.004,
            lxml_seconds=0.001,
            rendered=False,
        )
        for page in pages
    }


@pytest.fixture
def pages(make_record_set: MakeDataSet) -> list[TruthPage]:
    return load([make_record_set(18)], "records")


@pytest.fixture
def result(pages: list[TruthPage]) -> RecordResult:
    """The truth; on page 4 (folds 1-4) and 3 (fold 0) nothing."""
    predictions = the_truth(pages)
    for number in (3, 4):
        missed = pages[number].id
        predictions[missed] = Prediction(id=missed, status="empty", reason=f"page {number} is no list")
    return score("x", pages, predictions)


def test_rows_are_totals_sources_and_kinds(result: RecordResult) -> None:
    table = rows(result, "all", 10)
    assert list(table) == ["fold 0", "folds 1-4", "all", "testbed", "testbed, fold 0", "testbed, folds 1-4", "kind search"]
    assert table["fold 0"].records.pages == 6
    assert table["folds 1-4"].records.recall == pytest.approx(11 / 12)
    assert table["all"].records.precision == 1.0
    items = table["all"].items
    assert items is not None
    assert (items.pages, items.recall, items.macro_recall) == (16, 1.0, 1.0), "only of the records that were found"
    on_page = table["all"].items_on_page
    assert on_page is not None
    assert (on_page.pages, on_page.recall, on_page.macro_recall) == (18, pytest.approx(16 / 18), pytest.approx(16 / 18))


def test_one_fold_has_its_total_alone(pages: list[TruthPage]) -> None:
    test = [page for page in pages if page.fold == 0]
    assert list(rows(score("x", test, {}), "test")) == ["fold 0", "testbed", "kind search"]
    few = test[:4]
    assert list(rows(score("x", few, {}), "test")) == ["fold 0"], "a source of which few pages are in fold 0 is not shown"


def test_few_pages_of_fold_0_are_left_out_of_a_source(make_record_set: MakeDataSet) -> None:
    pages = load([make_record_set(9)], "records")
    table = rows(score("x", pages, the_truth(pages)), "all")
    assert table["all"].records.pages == 9
    assert table["testbed"].records.pages == 6
    assert "testbed, fold 0" not in table


def test_items_are_measured_where_fields_are_columns_and_items_predicted(make_record_set: MakeDataSet) -> None:
    pages = load([make_record_set(6, source="lists")], "records")
    assert rows(score("x", pages, the_truth(pages)), "all")["all"].items is None
    pages = load([make_record_set(6, name="more")], "records")
    bare = {
        key: Prediction(id=key, records=tuple(PredictedRecord(r.text) for r in prediction.records))
        for key, prediction in the_truth(pages).items()
    }
    row = rows(score("x", pages, bare), "all")["all"]
    assert (row.records.f1, row.items) == (1.0, None)


def test_pages_without_a_prediction_are_told(pages: list[TruthPage]) -> None:
    nothing = score("x", pages, {})
    assert rows(nothing, "all")["all"].records.f1 == 0.0
    assert "18 of 18 pages have no prediction: counted as empty" in format_result(nothing, rows(nothing, "all"))


def test_the_worst_pages_and_reasons_are_never_of_fold_0(result: RecordResult) -> None:
    shown = worst(result, 100)
    assert len(shown) == 12
    assert shown[0].id == "hits-004"
    assert dict(shown[0].faults) == {"missed": 6}
    assert {"hits-000", "hits-003"}.isdisjoint(page.id for page in shown)
    assert all_faults(result) == {"missed": 6}
    told = json.dumps(as_json(result, rows(result, "all")))
    assert "page 4 is no list" in told
    assert "page 3 is no list" not in told
    assert "a.example" not in told


def test_the_console_tells_cost_status_and_faults(result: RecordResult) -> None:
    text = format_result(result, rows(result, "all", 10))
    assert "status: ok 16, empty 2" in text
    assert "faults, folds 1-4: missed 6" in text
    assert "cost: 4.00 × lxml (4.0 ms a page, median 4.0, a plain lxml parse 1.0; CPU time); 0 of 16 pages rendered" in text
    spent = cost(result)
    assert spent is not None
    assert spent.pages == 16, "two were not timed"


def test_contenders_stand_beside_each_other(pages: list[TruthPage], result: RecordResult) -> None:
    nothing = score("nothing", pages, {})
    text = format_summary([(each, rows(each, "all")) for each in (result, nothing)])
    fold_0 = text.split("\n\n")[0].splitlines()
    assert fold_0[0] == "fold 0"
    assert [line.split()[:4] for line in fold_0[2:]] == [
        ["x", "1.000", "0.833", "0.909"],
        ["nothing", "0.000", "0.000", "0.000"],
    ]


TRUE = [
    "How to bake rye bread at home with a sourdough",
    "A short history of mills along northern canals",
    "Which flour keeps longest in a dry dark cellar",
]


@pytest.mark.parametrize(
    ("predicted", "expected"),
    [
        (TRUE, {}),
        ([f"{TRUE[0]} {TRUE[1]}", TRUE[2]], {"merged": 2}),
        ([" ".join(TRUE)], {"merged": 3}),
        ([TRUE[0] + " share" * 99, *TRUE[1:]], {"unclean": 1}),
        ([TRUE[0][:22], TRUE[0][22:], *TRUE[1:]], {"cut": 1}),
        ([TRUE[0][:22], *TRUE[1:]], {"partial": 1}),
        (TRUE[1:], {"missed": 1}),
        ([*TRUE, "Imprint", "Privacy"], {"spurious": 2}),
        ([], {"missed": 3}),
        (["", *TRUE], {"spurious": 1}),
    ],
)
def test_faults(predicted: list[str], expected: dict[str, int]) -> None:
    true = TrueRecords(TRUE)
    assert dict(faults(true, predicted, match(true, predicted))) == expected


def test_what_a_page_says_cannot_act_on_the_terminal() -> None:
    page = TruthPage(
        id="x", source="s", kind="list", site="news.example", lang="en", fold=3,
        records=(TrueRecord("rye \x1b[31m \ud800 bread"),),
    )  # fmt: skip
    found = {"x": Prediction(id="x", records=(PredictedRecord("\x07 mills"),), reason="odd \x1b")}
    text = format_worst(worst(score("x", [page], found), 1))
    assert text.replace("\n", "").isprintable()
    assert "1 missed, 1 spurious" in text
