from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from newsextract.errors import DataError
from newsextract.lab.datasets import Prediction, fold, load, load_predictions, read, save_predictions, select


def test_fold_is_the_md5_of_the_site_modulo_five() -> None:
    # Written down, because every trained model and every published figure depends on it.
    assert [fold(site) for site in ("news.example", "a.example", "新闻.example", "")] == [3, 0, 2, 1]


def test_articles_are_read_in_file_order(make_data_set: Callable[..., Path]) -> None:
    pages = load([make_data_set(4)])
    assert [page.id for page in pages] == ["made-000", "made-001", "made-002", "made-003"]
    assert [page.fold for page in pages] == [0, 3, 3, 0]
    assert pages[1].with_ is None
    assert pages[1].url == "https://news.example/1"


def test_a_page_is_read_as_it_was_served(make_data_set: Callable[..., Path]) -> None:
    assert read(load([make_data_set(1)])[0]).startswith(b"<html lang=en>")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2: not JSON"),
        ("[1]", "line 2: expected a JSON object, got list"),
        ('{"id": "y"}', "line 2: 'site' must be a non-empty string, got None"),
        ('{"id": 7, "site": "a"}', "line 2: 'id' must be a non-empty string, got 7"),
        (
            '{"id": "x", "source": "s", "site": "a", "text": 3}',
            "line 2: 'text' must be a string or null, got 3",
        ),
        ('{"id": "x", "source": "s", "site": "a", "with": [1]}', "line 2: 'with' must be a list of strings"),
        (
            '{"id": "x", "source": "s", "site": "a", "title_in_text": 1}',
            "line 2: 'title_in_text' must be true",
        ),
        ('{"id": "made-000", "source": "s", "site": "a"}', "line 2: the id 'made-000' occurs twice"),
    ],
)
def test_a_malformed_truth_line_is_named(make_data_set: Callable[..., Path], line: str, message: str) -> None:
    directory = make_data_set(1)
    with (directory / "truth.jsonl").open("a") as file:
        file.write(line + "\n")
    with pytest.raises(DataError, match=r"truth.jsonl, ") as caught:
        load([directory])
    assert message in str(caught.value)


def test_missing_files_are_named(make_data_set: Callable[..., Path], tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no such directory: .*nowhere; give a data set"):
        load([tmp_path / "nowhere"])
    with pytest.raises(DataError, match=r"has no truth\.jsonl"):
        load([tmp_path])
    (page,) = load([make_data_set(1)])
    assert page.file is not None
    page.file.unlink()
    with pytest.raises(DataError, match=r"page file missing: .*made-000\.html\.gz"):
        read(page)
    (tmp_path / "truth.jsonl").write_text("\n")
    with pytest.raises(DataError, match=r"is empty"):
        load([tmp_path])


@pytest.mark.parametrize("content", [b"", b"<html>", b"\x1f\x8b\x08\x00torn"])
def test_a_page_file_that_is_not_gzip_is_named(make_data_set: Callable[..., Path], content: bytes) -> None:
    directory = make_data_set(1)
    (directory / "pages" / "made-000.html.gz").write_bytes(content)
    if content == b"":
        assert read(load([directory])[0]) == b""
        return
    with pytest.raises(DataError, match=r"cannot read .*made-000"):
        read(load([directory])[0])


def test_predictions_survive_writing_and_reading(tmp_path: Path) -> None:
    predictions = [
        Prediction(id="a", text="Zwei Wörter 新闻 \ud800", title="t", date="2026-01-02T10:00", authors=("A", "B")),
        Prediction(id="b", status="empty", reason="no text", confidence=0.25, extract_seconds=0.5, lxml_seconds=1),
        Prediction(id="c", language="de", kind="listing", is_article=False, body_seconds=0.25),
    ]
    path = tmp_path / "predictions.jsonl"
    save_predictions(path, predictions)
    assert list(load_predictions(path).values()) == predictions


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"text": "x"}', "line 1: 'id' must be"),
        ('{"id": "a", "text": ["x"]}', "line 1: 'text' must be a string or null, got"),
        ('{"id": "a", "confidence": "high"}', "line 1: 'confidence' must be a number or null, got 'high'"),
        ('{"id": "a"}\n{"id": "a"}', "line 2: a second prediction for the page 'a'"),
    ],
)
def test_a_malformed_prediction_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "predictions.jsonl"
    path.write_text(line)
    with pytest.raises(DataError, match=r"predictions.jsonl") as caught:
        load_predictions(path)
    assert message in str(caught.value)


def test_a_missing_predictions_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot read .*absent\.jsonl: No such file"):
        load_predictions(tmp_path / "absent.jsonl")
    with pytest.raises(DataError, match=r"cannot write predictions"):
        save_predictions(tmp_path / "absent" / "p.jsonl", [])


def test_select_takes_folds_and_nested_limits(make_data_set: Callable[..., Path]) -> None:
    pages = load([make_data_set(30)])
    assert {page.fold for page in select(pages, "test")} == {0}
    assert {page.fold for page in select(pages, "train")} == {3}
    few, more = select(pages, "all", 5), select(pages, "all", 12)
    assert len(few) == 5
    assert {page.id for page in few} < {page.id for page in more}
    assert more == [page for page in pages if page in more]
    assert more != pages[:12]


def test_optional_truth_may_be_left_out(tmp_path: Path) -> None:
    (tmp_path / "truth.jsonl").write_text(json.dumps({"id": "x", "source": "s", "site": "a.example"}))
    (page,) = load([tmp_path])
    assert (page.lang, page.text, page.truth, page.title_in_text) == ("?", None, "", False)
