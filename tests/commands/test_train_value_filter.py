"""``newsextract train value-filter``."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from newsextract.algorithms.value_filter import ValueFilter
from newsextract.cli import main
from newsextract.lab.datasets import fold

pytest.importorskip("sklearn")

WORDS = "bridge harbour mayor flood engineer council repair river storm ferry".split()
MENU = "login register share subscribe cookies newsletter advertise imprint".split()


def labelled(path: Path, number: int = 60) -> Path:
    rows = []
    for i in range(number):
        words = WORDS if i % 2 else MENU
        text = " ".join(words[(i + k * (1 + i % 3)) % len(words)] for k in range(5))
        rows.append({"text": text, "label": "valuable" if i % 2 else 0, "group": f"site{i % 12}"})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def data_set(directory: Path, sites: int = 40) -> Path:
    (directory / "pages").mkdir(parents=True)
    with (directory / "truth.jsonl").open("w") as file:
        for i in range(sites):
            said = [" ".join(WORDS[(i + j * k) % len(WORDS)] for k in range(6)) for j in (1, 3)]
            menu = [" ".join(MENU[(i + j * k) % len(MENU)] for k in range(4)) for j in (1, 3)]
            row = {"id": f"p{i}", "source": "ours", "site": f"site{i}.example", "lang": "en", "text": "\n".join(said)}
            file.write(json.dumps(row) + "\n")
            html = "".join(f"<p>{text}" for text in (menu[0], *said, menu[1]))
            (directory / "pages" / f"p{i}.html.gz").write_bytes(gzip.compress(html.encode()))
    return directory


def run(*arguments: str | Path) -> int:
    return main(["train", "value-filter", *map(str, arguments)])


def test_from_labelled_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "model.json"
    assert run(labelled(tmp_path / "labelled.jsonl"), "-o", model, "--features", "15", "--folds", "3") == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "other texts, cross-validated in 3 folds (12 groups, 15 words)"
    assert out[1].split() == ["class", "texts", "precision", "recall", "F1"]
    assert out[2].split()[:2] == ["worthless", "30"]
    assert out[3].split()[:2] == ["valuable", "30"]
    assert float(out[3].split()[2]) > 0.9
    assert out[4] == f"written to {model} ({model.stat().st_size:,} bytes)"
    found = ValueFilter.load(model)
    assert found.card["data"] == "labelled.jsonl"
    odds = found.worthless(["Login, register, share", "The mayor and the flood and the bridge"])
    assert odds[0] > 0 > odds[1]


def test_from_data_sets_with_truth(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = data_set(tmp_path / "data")
    paths = [tmp_path / "one.json", tmp_path / "two.json"]
    for path in paths:
        assert run("--from-articles", data, "--exclude-fold", "0", "-o", path) == 0
    captured = capsys.readouterr()
    left_out = sum(fold(f"site{i}.example") == 0 for i in range(40))
    assert 0 < left_out < 20
    assert f"other texts, cross-validated in 5 folds ({40 - left_out} groups" in captured.out
    assert "other texts, on the folds left out" in captured.out
    assert f"training on {4 * (40 - left_out)} texts" in captured.err
    assert paths[0].read_bytes() == paths[1].read_bytes()
    card = ValueFilter.load(paths[0]).card
    assert card["data"] == "data"
    assert card["data_folds"] == [1, 2, 3, 4]
    assert card["left_out"]["data_folds"] == [0]
    assert card["left_out"]["texts"]["other"] == {"worthless": 2 * left_out, "valuable": 2 * left_out}
    assert card["left_out"]["other"]["valuable"]["f1"] == 1.0


def test_what_is_too_little_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = labelled(tmp_path / "labelled.jsonl")
    with path.open("a") as file:
        file.write('{"text": "登录", "label": 0}\n')
    assert run(path, "-o", tmp_path / "model.json", "--prior", "counted", "--words-only") == 0
    out = capsys.readouterr().out
    assert "chinese texts are too few to be trained (1 worthless, 0 valuable)" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "give either files of labelled texts or --from-articles DIR"),
        (["labelled.jsonl", "--from-articles", "data"], "give either"),
        (["labelled.jsonl", "--exclude-fold", "0"], "--exclude-fold goes with --from-articles"),
        (["none.jsonl"], "cannot read none.jsonl"),
        (["one.jsonl"], "all 3 texts are valuable"),
        (["bad.jsonl"], "bad.jsonl, line 2: not JSON"),
        (["--from-articles", "none"], "no such directory: none"),
        (["--from-articles", "data", *"--exclude-fold 0 --exclude-fold 1 --exclude-fold 2 --exclude-fold 3 --exclude-fold 4".split()],
         "no labelled block is left"),
        (["labelled.jsonl", "-o", "nowhere/model.json"], "there is no directory nowhere"),
    ],
)  # fmt: skip
def test_mistakes_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    labelled(Path("labelled.jsonl"))
    data_set(Path("data"), 3)
    Path("one.jsonl").write_text('{"text": "The bridge", "label": 1}\n' * 3)
    Path("bad.jsonl").write_text('{"text": "The bridge", "label": 1}\n{"text"\n')
    assert run("-o", "model.json", *arguments) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.startswith("newsextract: ")
    assert error.count("\n") == 1
    assert not Path("model.json").exists()


@pytest.mark.parametrize("option", [["--features", "0"], ["--folds", "1"], ["--folds", "x"], ["--exclude-fold", "5"]])
def test_options_out_of_range(tmp_path: Path, option: list[str]) -> None:
    with pytest.raises(SystemExit):
        run(tmp_path / "labelled.jsonl", "-o", tmp_path / "model.json", *option)
