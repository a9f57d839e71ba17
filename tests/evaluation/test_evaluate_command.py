from __future__ import annotations

import io
import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from newsextract.cli import CommandParser, main
from newsextract.commands import evaluate
from newsextract.control_characters import ProgressLine
from newsextract.errors import DataError, UnknownAlgorithm, UsageError
from newsextract.lab.datasets import Prediction, TruthPage, load, load_predictions, save_predictions
from newsextract.lab.report import format_worst, rows, score, worst


def run(*words: str | Path) -> int:
    parser = CommandParser(prog="newsextract")
    evaluate.add_parser(parser)
    return evaluate.run(parser.parse_args(["articles", *map(str, words)]))


@pytest.fixture
def data(make_data_set: Callable[..., Path]) -> Path:
    return make_data_set(9)


@pytest.fixture
def truth_as_predictions(data: Path, tmp_path: Path) -> Path:
    path = tmp_path / "truth-again.jsonl"
    save_predictions(path, [Prediction(id=p.id, text=p.text or "", title=p.title) for p in load([data])])
    return path


def test_an_algorithm_is_run_and_scored(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(data, "--algorithm", "block_statistics", "--bootstrap", "5") == 0
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert lines[0] == "block_statistics"
    assert lines[1].split()[:6] == ["pages", "text", "P", "R", "F1", "±"]
    assert [line.split()[0] for line in lines[2:5]] == ["made", "human", "fold"]
    assert "status: ok 9" in printed.out
    assert " × lxml" in printed.out
    assert printed.err == ""


def test_several_algorithms_get_a_line_each(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ("block_statistics", "block_statistics:published")
    run(data, "--algorithm", *names, "--save-predictions", tmp_path / "out-{algorithm}.jsonl")
    last = capsys.readouterr().out.splitlines()[-3:]
    assert last[0].split()[-5:] == ["body", "×", "all", "×", "failed"]
    assert [line.split()[0] for line in last[1:]] == list(names)
    assert load_predictions(tmp_path / "out-block_statistics-published.jsonl").keys() == {
        f"made-{number:03d}" for number in range(9)
    }


def test_predictions_are_scored_and_written_as_json(data: Path, truth_as_predictions: Path, tmp_path: Path) -> None:
    out = tmp_path / "scores.json"
    run(data, "--predictions", truth_as_predictions, "--json", out, "--fold", "train", "--worst", "2")
    figures = json.loads(out.read_text())
    assert (figures["fold"], figures["pages"]) == ("train", 6)
    result = figures["results"]["truth-again.jsonl"]
    assert list(result["rows"]) == ["made", "human truth", "folds 1-4"]
    assert result["rows"]["folds 1-4"]["f1"] == 1.0
    assert result["rows"]["folds 1-4"]["segment_f1"] is None
    assert result["cost"] is None
    assert [page["title"] for page in result["worst"]] == ["right", "right"]


def test_pages_without_a_prediction_are_told(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "none.jsonl").write_text("")
    run(data, "--predictions", tmp_path / "none.jsonl")
    assert "9 of 9 pages have no prediction: counted as empty" in capsys.readouterr().out


def test_of_the_test_fold_only_the_total_is_printed(
    data: Path, truth_as_predictions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(data, "--predictions", truth_as_predictions, "--fold", "test")
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].split()[:3] == ["fold", "0", "3"]
    assert lines[3] == ""  # nothing between the total and the legend
    assert lines[4].startswith("text: ")


def test_worst_pages_are_never_of_the_test_fold(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pages = load([data])
    result = score("x", pages, {})
    assert {page.id for page in worst(result, 100)} == {page.id for page in pages if page.fold != 0}
    (tmp_path / "none.jsonl").write_text("")
    run(data, "--predictions", tmp_path / "none.jsonl", "--worst", "100")
    printed = capsys.readouterr().out
    assert "made-001" in printed
    assert not any(page.id in printed for page in pages if page.fold == 0)


def test_worst_pages_say_what_went_wrong(make_truth: Callable[..., TruthPage]) -> None:
    pages = [
        make_truth(id="good", text="a b c d"),
        make_truth(id="bad", text="one two three four", title="T", date="2026-01-02"),
        make_truth(id="segments", with_=("wanted",), without=("menu",)),
        make_truth(id="date-only", date="2026-01-02"),
    ]
    predictions = [
        Prediction(id="good", text="a b c d"),
        Prediction(id="bad", text="\x1b[31mred", title="t", date="2026-01-03", status="ok", reason="doubtful"),
        Prediction(id="segments", text="wanted menu", status="ok"),
    ]
    found = worst(score("x", pages, {prediction.id: prediction for prediction in predictions}), 3)
    assert [page.id for page in found] == ["bad", "segments", "good"]
    assert (found[0].title, found[0].date, found[1].title) == ("right", "wrong", "-")
    assert found[1].truth == "taken in: menu"
    shown = format_worst(found)
    assert "\x1b" not in shown
    assert "F1 0.000  P 0.000  R 0.000 of 4-grams  status ok (doubtful)  title right  date wrong" in shown


def test_rows_of_languages_need_ten_pages(make_truth: Callable[..., TruthPage]) -> None:
    pages = [make_truth(id=f"{lang}{n}", lang=lang, text="x") for lang, k in (("de", 10), ("fr", 9)) for n in range(k)]
    assert list(rows(score("x", pages, {}), "train")) == ["made", "lang de", "human truth", "folds 1-4"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--algorithm", "block_statistics", "--fold", "test", "--worst", "3"),
            "fold 0 is kept for the final",
        ),
        (("--algorithm", "block_statistics", "block_statistics"), "twice"),
        (("--algorithm", "block_statistics:nonesuch"), "unknown preset 'nonesuch'"),
        (
            ("--algorithm", "block_statistics", "block_statistics_baseline", "--save-predictions", "out.jsonl"),
            "must hold {algorithm}",
        ),
        (("--all", "--algorithm", "block_statistics"), "leave --algorithm out"),
        (("--peer", "trafilatura", "--no-peers"), "give one of the two"),
        (("--peer", "trafilatura", "trafilatura"), "--peer names the same one twice"),
        (("--peer", "nonesuch"), "unknown peer 'nonesuch'; choose from: trafilatura, readability"),
        (("--algorithm", "block_statistics", "--html", "/nonesuch/x.html"), "there is no directory /nonesuch"),
        (("--predictions", "p.jsonl", "--save-predictions", "out.jsonl"), "nothing extracted to save"),
        (
            ("--algorithm", "block_statistics", "--json", "/nonesuch/x.json"),
            "there is no directory /nonesuch",
        ),
    ],
)
def test_what_cannot_be_done_is_refused_first(data: Path, words: tuple[str, ...], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        run(data, *words)
    assert message in str(caught.value)


def test_unknown_algorithms_and_missing_data_are_named(data: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownAlgorithm, match=r"block_statistics"):
        run(data, "--algorithm", "nonesuch")
    with pytest.raises(DataError, match=r"no such directory"):
        run(tmp_path / "nowhere", "--algorithm", "block_statistics")


@pytest.mark.parametrize("words", [("--limit", "0"), ("--limit", "x"), ("--workers", "-1"), ("--fold", "dev")])
def test_bad_numbers_are_refused(data: Path, words: tuple[str, str]) -> None:
    with pytest.raises(SystemExit, match=r"2"):
        run(data, "--algorithm", "block_statistics", *words)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_a_live_line_on_a_terminal_and_a_seldom_line_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    terminal, log = Terminal(), io.StringIO()
    bars = [ProgressLine("x", terminal), ProgressLine("x", log)]
    for second in range(1, 26):
        now = float(second)
        for bar in bars:
            bar.update(second, 50)
    for bar in bars:
        bar.close()
    assert log.getvalue() == "x: 10 of 50 pages, 40 s left\nx: 20 of 50 pages, 30 s left\n"
    assert terminal.getvalue().count("\r\x1b[Kx: ") == 25
    assert terminal.getvalue().endswith("\r\x1b[K")
    assert "\n" not in terminal.getvalue()


def test_a_single_parameter_is_taken(
    make_data_set: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = tmp_path / "f.json"
    command = ["evaluate", "articles", str(make_data_set(2)), "--json", str(figures)]
    assert main([*command, "--algorithm", "node_attributes", "--param", "delta1=1.0"]) == 0
    assert json.loads(figures.read_text("utf-8"))["results"]["node_attributes"]["statuses"] == {"empty": 2}
    assert main([*command, "--param", "delta1=1.0"]) == 2
    assert "--param needs --algorithm" in capsys.readouterr().err
