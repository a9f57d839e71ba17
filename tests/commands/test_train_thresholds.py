"""``newsextract train thresholds``: pages in, a file and a table out."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from newsextract import Page, algorithms
from newsextract.algorithms.page_segmentation import FILE
from newsextract.cli import main
from newsextract.lab.datasets import fold
from newsextract.sites import load_sites

SENTENCE = "The ferry left the harbour at nine and came back at noon with the post. "


def page(times: int) -> str:
    paragraphs = "".join(f"<p>{SENTENCE * (k + 1)}</p>" for k in range(times))
    return f"<h1>Ferry {times}</h1><div>{paragraphs}</div><ul><li><a href=/>Home</a></li></ul><h6>End of page</h6>"


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "one.html").write_text(page(3))
    (folder / "two.html.gz").write_bytes(gzip.compress(page(1).encode()))
    (folder / "three.HTM").write_text(page(5))
    (folder / "notes.txt").write_text("no page")
    return folder


def train(*arguments: Path | str) -> int:
    return main(["train", "thresholds", *map(str, arguments)])


def test_one_page(pages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "site.toml"
    assert train(pages / "one.html", "-o", output) == 0
    found = FILE.read(output)
    card = dict(found.card)
    assert card.pop("satisfied") in (0, 1)
    assert card == {
        "pages": 1, "clusters": 3, "seed": 1, "preset": "default", "over_pages": "minimum", "data": "files"
    }  # fmt: skip
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["clusters", "Length", "B_n", "%", "frequency", "page"]
    assert lines[1].endswith("one.html")
    assert lines[2].split()[0] == f"{found.numbers['length_threshold']:.2f}"
    assert lines[2].endswith("minimum of 1 pages")
    assert lines[3] == f"written to {output}"


def test_a_folder_gives_the_minimum_of_its_pages_and_the_same_bytes_each_time(pages: Path, tmp_path: Path) -> None:
    single = []
    for name in ("one.html", "two.html.gz", "three.HTM"):
        assert train(pages / name, "-o", tmp_path / "single.toml") == 0
        single.append(FILE.read(tmp_path / "single.toml"))
    assert train(pages, "-o", tmp_path / "a.toml") == 0
    assert train(pages, "-o", tmp_path / "b.toml") == 0
    assert (tmp_path / "a.toml").read_bytes() == (tmp_path / "b.toml").read_bytes()
    found = FILE.read(tmp_path / "a.toml")
    assert found.card["pages"] == 3
    for name in FILE.keys:
        assert found.numbers[name] == min(one.numbers[name] for one in single)


def test_the_result_can_be_used(pages: Path, tmp_path: Path) -> None:
    output = tmp_path / "site.toml"
    assert train(pages, "-o", output) == 0
    sites = tmp_path / "sites.toml"
    sites.write_text(
        '[[site]]\nname = "harbour"\nstart = ["https://www.example.org/"]\n'
        'algorithm = "page_segmentation"\nparams = { thresholds = "site.toml" }\n'
    )
    body = algorithms.make("page_segmentation", load_sites(sites)["harbour"].params)(Page.from_text(page(4)))
    assert body.text.count("ferry") == 1 + 2 + 3 + 4


def test_presets_clusters_and_quantile_are_in_the_card(pages: Path, tmp_path: Path) -> None:
    output = tmp_path / "site.toml"
    assert train(pages, "-o", output, "--preset", "published", "--clusters", "2", "--seed", "7", "--quantile", "0.5") == 0
    card = FILE.read(output).card
    assert (card["preset"], card["clusters"], card["seed"], card["over_pages"]) == ("published", 2, 7, "quantile 0.5")


def test_pages_without_text_are_left_out(pages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (pages / "blank.html").write_text("<p></p>")
    (pages / "huge.html").write_bytes(b"<p>x" + b" " * 10_000_000)
    assert train(pages, "-o", tmp_path / "site.toml") == 0
    assert FILE.read(tmp_path / "site.toml").card["pages"] == 3
    out = capsys.readouterr().out
    assert "blank.html: left out, no text or too large" in out
    assert "huge.html: left out, no text or too large" in out


def test_many_pages_are_not_all_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(45):
        (tmp_path / f"{number:02}.html").write_text("<p>Some text.</p>")
    assert train(tmp_path, "-o", tmp_path / "site.toml") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[40].endswith("39.html")
    assert lines[41] == "… and 5 more pages"


def test_of_a_data_set_an_excluded_fold_is_never_read(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    (folder / "pages").mkdir(parents=True)
    names = [f"site{k}.example" for k in range(30)]
    kept = [name for name in names if fold(name) != 0]
    assert 0 < len(kept) < len(names)
    rows = [{"id": name, "source": "s", "site": name, "text": "x"} for name in names]
    (folder / "truth.jsonl").write_text("\n".join(map(json.dumps, rows)))
    for name in kept:  # the others have no file, so that reading them would fail
        (folder / "pages" / f"{name}.html.gz").write_bytes(gzip.compress(page(2).encode()))
    output = tmp_path / "site.toml"
    assert train(folder, "--exclude-fold", "0", "-o", output) == 0
    card = FILE.read(output).card
    assert (card["pages"], card["data"]) == (len(kept), "folds 1 2 3 4 of data")
    assert train(folder, folder / "pages" / f"{kept[0]}.html.gz", "--exclude-fold", "0", "-o", output) == 0
    assert FILE.read(output).card["data"] == "folds 1 2 3 4 of data, files"


def failure(capsys: pytest.CaptureFixture[str], *arguments: Path | str) -> str:
    assert train(*arguments) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    return error


def test_mistakes_are_one_line(pages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "site.toml"
    assert "No such file" in failure(capsys, tmp_path / "none.html", "-o", output)
    assert "there is no directory" in failure(capsys, pages, "-o", tmp_path / "none" / "site.toml")
    (pages / "bad.html.gz").write_text("not gzip")
    assert "bad.html.gz: Not a gzipped file" in failure(capsys, pages, "-o", output)
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "holds no page" in failure(capsys, empty, "-o", output)
    (empty / "blank.html").write_text("")
    assert "none of the 1 pages has text to train on" in failure(capsys, empty, "-o", output)
    assert not output.exists()


@pytest.mark.parametrize(
    "option", [["--clusters", "0"], ["--clusters", "x"], ["--seed", "-1"], ["--quantile", "1"], ["--quantile", "nan"]]
)
def test_wrong_options(pages: Path, option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        train(pages, "-o", pages / "site.toml", *option)
    assert stop.value.code == 2
    assert "expected a number" in capsys.readouterr().err
