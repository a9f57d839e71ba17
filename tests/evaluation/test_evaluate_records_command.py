"""``newsextract evaluate records`` from the command line's words to tables, files and messages."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from newsextract.cli import CommandParser
from newsextract.commands import evaluate
from newsextract.errors import DataError, UnknownAlgorithm, UsageError
from newsextract.lab import runner
from newsextract.lab.datasets import load, load_predictions
from newsextract.lab.runner import algorithm
from newsextract.page.nodes import STYLE_NAMES, Geometry, read_nodes
from newsextract.page.page import Page
from newsextract.page.snapshot import Snapshot
from newsextract.results import RecordPage


def run(*words: str | Path) -> int:
    parser = CommandParser(prog="newsextract")
    evaluate.add_parser(parser)
    arguments = parser.parse_args(["records", *map(str, words)])
    status: int = arguments.run(arguments)
    return status


@pytest.fixture
def data(make_record_set: Callable[..., Path]) -> Path:
    return make_record_set(18)


def test_an_algorithm_is_run_and_scored(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(data, "--algorithm", "mdr", "--bootstrap", "5", "--worst", "1") == 0
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert lines[0] == "mdr"
    assert lines[1].split()[:8] == ["pages", "sites", "right", "pred", "true", "P", "R", "F1"]
    assert lines[2].split()[:10] == ["fold", "0", "6", "1", "36", "36", "36", "1.000", "1.000", "1.000"]
    assert lines[4].split()[:2] == ["all", "18"]
    assert "status: ok 18" in printed.out
    assert " × lxml (" in printed.out
    assert "worst pages of folds 1-4, mdr:\n   1  hits-001  testbed  F1 1.000" in printed.out
    assert printed.err == ""


def test_the_worst_pages_are_among_the_figures(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    run(data, "--algorithm", "mdr", "--bootstrap", "5", "--worst", "1", "--json", out)
    found = json.loads(out.read_text())
    assert (found["kind"], [page["id"] for page in found["results"]["mdr"]["worst"]]) == ("records", ["hits-001"])


def test_what_was_extracted_can_be_scored_again(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved, first, second = tmp_path / "found.jsonl", tmp_path / "first.json", tmp_path / "second.json"
    run(data, "--algorithm", "mdr", "--save-predictions", saved, "--json", first)
    run(data, "--predictions", saved, "--json", second)
    one, other = json.loads(first.read_text())["results"]["mdr"], json.loads(second.read_text())["results"]["found.jsonl"]
    assert one["rows"] == other["rows"]
    assert (one["origin"], other["origin"]) == ("algorithm", "predictions")
    assert one["cost"] == other["cost"]
    assert one["cost"]["times_lxml"] > 0
    assert list(one["sites"]) == ["news.example"], "single sites of fold 0 are not told"
    found = load_predictions(saved, "records")
    assert found.keys() == {f"hits-{number:03d}" for number in range(18)}
    assert (
        found["hits-001"].records[2].text
        == "The book of oven stones, part 1 oven stones explained on page 3 by a baker May 3"
    )
    assert found["hits-001"].rendered is False


def test_several_stand_beside_each_other(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nothing = tmp_path / "none.jsonl"
    nothing.write_text("")
    run(data, "--algorithm", "mdr", "--predictions", nothing, "--fold", "train", "--bootstrap", "0")
    last = capsys.readouterr().out.split("\n\n")
    table = next(part.splitlines() for part in last if part.startswith("folds 1-4\n"))
    assert [line.split()[:4] for line in table[2:]] == [
        ["none.jsonl", "0.000", "0.000", "0.000"],
        ["mdr", "1.000", "1.000", "1.000"],
    ]


def test_parameters_reach_the_algorithm(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    run(data, "--algorithm", "mdr", "--param", "all_regions=true", "--fold", "train", "--limit", "5", "--json", out)
    figures = json.loads(out.read_text())
    assert (figures["fold"], figures["limit"], figures["pages"]) == ("train", 5, 5)
    assert figures["results"]["mdr"]["rows"]["folds 1-4"]["records"]["predicted"] == 5 * (6 + 3), "the menu is a region too"
    assert figures["results"]["mdr"]["faults"] == {"spurious": 15}


def test_a_page_that_fails_does_not_end_the_measurement(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = runner.find_records

    def crash(page: Page, *given: object) -> RecordPage:
        if b"part 2" in page.body:
            raise RecursionError("too deep")
        return real(page, *given)  # type: ignore[arg-type]  # reason: passed on as they came

    monkeypatch.setattr(runner, "find_records", crash)
    found = list(runner.run(load([data], "records")[:4], algorithm("mdr", kind="records"), "records"))
    assert [prediction.status for prediction in found] == ["ok", "ok", "failed", "ok"]
    assert found[2].reason == "RecursionError: too deep"


def test_snapshots_that_are_not_there_are_told(data: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no such directory: .+; make it with newsextract snapshot"):
        run(data, "--algorithm", "mdr", "--snapshots", tmp_path / "none")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"holds no snapshot of any of the pages; expected <id>\.snapshot"):
        run(data, "--algorithm", "mdr", "--snapshots", tmp_path / "empty")


def test_a_page_with_a_snapshot_is_what_the_browser_saw(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The snapshot of one page holds two records more than its source."""
    html = (data / "pages" / "hits-001" / "index.html").read_text("utf-8")
    more = "".join(
        f"<li><h3><a href=/{word}>{word}</a></h3><p>Late</p><p><i>{word}</i></p></li>" for word in ("rye", "oats")
    )
    nodes = read_nodes(html := html.replace("</ol>", f"{more}</ol>"))
    none = np.zeros(len(nodes), dtype=np.int32)
    drawn = Geometry(np.zeros((len(nodes), 4), dtype=np.float32), none, [("",) * len(STYLE_NAMES)], (800.0, 600.0), 16.0)
    at = datetime(2026, 1, 1, tzinfo=UTC)
    Snapshot(None, html, dataclasses.replace(nodes, geometry=drawn), (800, 600), at).save(tmp_path / "hits-001.snapshot")
    run(data, "--algorithm", "mdr", "--snapshots", tmp_path, "--save-predictions", tmp_path / "found.jsonl")
    found = load_predictions(tmp_path / "found.jsonl", "records")
    assert [key for key, prediction in found.items() if prediction.rendered] == ["hits-001"]
    assert (len(found["hits-001"].records), len(found["hits-002"].records)) == (8, 6)
    assert "1 of 18 pages rendered" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        (["--algorithm", "mdr", "mdr"], UsageError, "names the same one twice"),
        (
            ["--algorithm", "combined"],
            UnknownAlgorithm,
            "unknown algorithm 'combined'; choose from: visual_blocks, oem, mdr",
        ),
        (["--all", "--algorithm", "mdr"], UsageError, "leave --algorithm out"),
        (["--param", "a=1"], UsageError, "--param needs --algorithm"),
        (["--algorithm", "mdr", "--fold", "test", "--worst", "3"], UsageError, "use --fold train"),
        (["--predictions", "missing.jsonl", "--save-predictions", "x.jsonl"], UsageError, "nothing extracted to save"),
        (["--predictions", "missing.jsonl"], DataError, "cannot read missing.jsonl"),
        (["--algorithm", "mdr", "--json", "none/x.json"], DataError, "create it first"),
    ],
)
def test_mistakes_are_told(data: Path, words: list[str], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        run(data, *words)
