"""Reading pages of many records, and predictions for them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from newsextract.errors import DataError
from newsextract.lab.datasets import (
    PredictedRecord,
    Prediction,
    load,
    load_predictions,
    read,
    save_predictions,
    select,
)

MakeDataSet = Callable[..., Path]


def test_pages_with_records_are_read_in_file_order(make_record_set: MakeDataSet) -> None:
    pages = load([make_record_set(4)], "records")
    assert [page.id for page in pages] == ["hits-000", "hits-001", "hits-002", "hits-003"], "the thread has no true records"
    assert [page.fold for page in pages] == [0, 3, 3, 0]
    assert [page.kind for page in pages] == ["search"] * 4
    assert len(pages[0].records) == 6
    assert pages[1].records[2].fields == (
        "The book of oven stones, part 1",
        "oven stones explained on page 3 by a baker",
        "May 3",
    )
    assert b"The book of oven stones, part 1" in read(pages[1])


def test_the_split_is_that_of_articles(make_record_set: MakeDataSet) -> None:
    pages = load([make_record_set(6)], "records")
    assert [page.id for page in select(pages, "test")] == ["hits-000", "hits-003"]
    assert len(select(pages, "train", 2)) == 2


def test_what_does_not_stand_on_the_page_is_not_asked_for(make_record_set: MakeDataSet) -> None:
    directory = make_record_set(1)
    row = json.loads((directory / "truth.jsonl").read_text().splitlines()[0])
    row["records"][4]["located"] = False
    (directory / "truth.jsonl").write_text(json.dumps(row))
    texts = [record.text for record in load([directory], "records")[0].records]
    assert len(texts) == 5
    assert not any("wheat prices" in text for text in texts)


PAGE = {"id": "x", "source": "s", "kind": "list", "site": "a"}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({**PAGE, "id": "hits-000", "records": [{"text": "a"}]}, "line 3: the id 'hits-000' occurs twice"),
        ({**PAGE, "records": "a"}, "line 3: 'records' must be a list of objects, got 'a'"),
        ({**PAGE, "records": [{"fields": []}]}, "line 3: each of 'records' and 'items' needs a 'text'"),
        ({**PAGE, "records": [{"text": "a", "fields": [1]}]}, "line 3: 'fields' must be a list of strings"),
        ({**PAGE, "kind": None, "records": [{"text": "a"}]}, "line 3: 'kind' must be a non-empty string"),
        ({"records": [{"text": "a"}]}, "line 3: 'id' must be a non-empty string"),
    ],
)
def test_a_malformed_truth_line_is_named(make_record_set: MakeDataSet, row: dict[str, object], message: str) -> None:
    directory = make_record_set(1)
    with (directory / "truth.jsonl").open("a") as file:
        file.write(json.dumps(row) + "\n")
    with pytest.raises(DataError, match=message):
        load([directory], "records")


def test_a_folder_without_truth_or_records_is_refused(tmp_path: Path, forum: Path) -> None:
    with pytest.raises(DataError, match=r"has no truth\.jsonl; expected a data set"):
        load([tmp_path], "records")
    (forum / "truth.jsonl").write_text('{"id": "x", "records": null}\n')
    with pytest.raises(DataError, match="holds no row with 'records'; for article pages: evaluate articles"):
        load([forum], "records")


def test_predictions_come_back_as_they_were_saved(tmp_path: Path) -> None:
    records = (PredictedRecord("Rye bread Ann", (("title", "Rye bread"), ("author", "Ann"))), PredictedRecord("\ud800 x"))
    full = Prediction(
        id="a", records=records, status="ok", confidence=0.5, extract_seconds=0.01, lxml_seconds=0.002, rendered=True
    )
    none = Prediction(id="b", records=(), status="empty", reason="no text")
    save_predictions(tmp_path / "p.jsonl", [full, none])
    assert load_predictions(tmp_path / "p.jsonl", "records") == {"a": full, "b": none}


def test_predictions_of_others_need_texts_only(tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_text('{"id": "a", "records": [{"text": "Rye"}]}\n\n{"id": "b", "records": []}\n')
    found = load_predictions(tmp_path / "p.jsonl", "records")
    assert found["a"].records == (PredictedRecord("Rye"),)
    assert found["b"].records == ()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "a"}', "'records' must be a list of objects, got None"),
        ('{"id": "a", "records": ["x"]}', "'records' must be a list of objects"),
        ('{"id": "a", "records": [{"text": "x", "items": [{"text": "x"}]}]}', "'label' must be a non-empty string"),
        ('{"id": "a", "records": [], "rendered": 1}', "'rendered' must be true, false or null"),
        ('{"id": "a", "records": [], "extract_seconds": "1"}', "'extract_seconds' must be a number or null"),
        ('{"id": "z", "records": []}', "a second prediction for the page 'z'"),
    ],
)
def test_a_malformed_prediction_is_named(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "p.jsonl").write_text(f'{{"id": "z", "records": []}}\n{line}\n')
    with pytest.raises(DataError, match=rf"p.jsonl, line 2: {message}"):
        load_predictions(tmp_path / "p.jsonl", "records")
