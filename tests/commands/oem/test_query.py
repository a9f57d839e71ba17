"""``newsextract oem query``: output, exit codes, standard input."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from newsextract.cli import main
from newsextract.control_characters import escaped


@pytest.fixture
def objects(tmp_path: Path) -> str:
    (tmp_path / "list.oem").write_text("{<ul>#</ul>, list, get()}\n{<li>#</li>, entry, list}\n")
    (tmp_path / "page.html").write_text("<ul><li>One</li><li>Zw\u00f6lf\x1b[1m</li></ul>", "utf-8")
    main(["oem", "run", str(tmp_path / "list.oem"), str(tmp_path / "page.html"), "-o", str(tmp_path / "objects.json")])
    return str(tmp_path / "objects.json")


def test_json_and_lines(objects: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["oem", "query", objects, "entry[0]"]) == 0
    assert capsys.readouterr().out == '"One"\n'
    assert main(["oem", "query", objects, "find('entry')[].text", "--format", "lines"]) == 0
    assert capsys.readouterr().out == "One\nZwölf\ufffd[1m\n"
    assert main(["oem", "query", objects, "{n: length(entry)}", "--format", "lines"]) == 0
    assert json.loads(capsys.readouterr().out) == {"n": 2}


@pytest.mark.parametrize(
    ("expression", "out"), [("nothing", "null\n"), ("entry[?@ == 'x']", "[]\n"), ("length(entry) == `3`", "false\n")]
)
def test_nothing_is_exit_code_1(objects: str, capsys: pytest.CaptureFixture[str], expression: str, out: str) -> None:
    assert main(["oem", "query", objects, expression]) == 1
    assert capsys.readouterr() == (out, "")


def test_an_unknown_label_is_noted(objects: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["oem", "query", objects, "find('entri')", "--format", "lines"]) == 1
    assert capsys.readouterr() == ("", "note: no object has the label 'entri'\n")


def test_standard_input(objects: str) -> None:
    command = [sys.executable, "-m", "newsextract.cli", "oem", "query", "-", "entry[0]"]
    done = subprocess.run(command, input=Path(objects).read_bytes(), capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b'"One"\n', b"")


@pytest.mark.parametrize("place", ["no.json", ".", "a\0b"])
def test_files_that_cannot_be_read(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["oem", "query", place, "@"]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"newsextract: {escaped(place)}: ")
    assert "expected what `newsextract oem run` writes" in err
