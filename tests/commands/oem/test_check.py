"""``newsextract oem check``: tables, exit codes, counts that are kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from newsextract.cli import main

WRAPPER = "{<ul>#</ul>, list, get()}\n{<li>#</li>, entry, list}\n{<b>#</b>, title, entry}\n"


def page(entries: int, title: str = "<b>title {}</b>") -> str:
    return "<body><ul>" + "".join(f"<li>{title.format(number)}, text</li>" for number in range(entries)) + "</ul></body>"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "list.oem").write_text(WRAPPER)
    (tmp_path / "a.html").write_text(page(30))
    (tmp_path / "b.html").write_text(page(25))
    (tmp_path / "same.html").write_text(page(30, "<b>Read more</b> title {}"))
    (tmp_path / "gone.html").write_text(page(30, "<i>title {}</i>"))
    return tmp_path


def test_pages_that_fit(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["oem", "check", "list.oem", "a.html", "b.html"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.splitlines()[:5] == [
        "a.html: fits",
        "  line  variable  sources  matched  objects",
        "     1  list            1        1        1",
        "     2  entry           1        1       30",
        "     3  title          30       30       30",
    ]
    assert out.splitlines()[-1] == "2 of 2 pages fit, 0 warnings"


def test_a_page_that_does_not_fit_is_exit_code_1(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "empty.html").write_bytes(b"")
    assert main(["oem", "check", "list.oem", "a.html", "gone.html", "empty.html", "-q"]) == 1
    assert capsys.readouterr().out == (
        "gone.html: does not fit\n  does not fit: line 3 (title): nothing found in 30 sources\n\n"
        "empty.html: does not fit\n  does not fit: the page has no content\n\n"
        "1 of 3 pages fit, 0 warnings\n"
    )


def test_warnings_and_strict(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["oem", "check", "list.oem", "a.html", "b.html", "same.html", "-q"]
    assert main(given) == 0
    out = capsys.readouterr().out
    assert out == (
        "same.html: fits\n  warning: title: all 30 texts are the same; elsewhere they differ\n\n3 of 3 pages fit, 1 warning\n"
    )
    assert main([*given, "--strict"]) == 1


def test_counts_are_kept_and_compared(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["oem", "check", "list.oem", "a.html", "b.html", "gone.html", "--save", "counts.json", "-q"]) == 1
    assert [entry["page"] for entry in json.loads((here / "counts.json").read_text())] == ["a.html", "b.html"]
    capsys.readouterr()
    assert main(["oem", "check", "list.oem", "same.html", "--against", "counts.json", "-q"]) == 0
    assert "warning: title: all 30 texts are the same" in capsys.readouterr().out


def test_json(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["oem", "check", "list.oem", "a.html", "gone.html", "--format", "json"]) == 1
    fitting, gone = json.loads(capsys.readouterr().out)
    assert (fitting["fits"], gone["fits"], gone["warnings"]) == (True, False, [])
    assert fitting["labels"][0]["label"] == "title"
    assert gone["misfits"] == ["line 3 (title): nothing found in 30 sources"]


def test_pages_that_cannot_be_read_do_not_stop_the_others(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["oem", "check", "list.oem", "no.html", "a.html"]) == 2
    out, err = capsys.readouterr()
    assert err.startswith("newsextract: no.html: No such file or directory")
    assert out.endswith("1 of 1 page fits, 0 warnings\n")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["no.html"], "no.html: No such file"),
        ([], "list.oem: the first line takes the page at hand"),
        (["a.html", "--against", "no.json"], "no.json: No such file or directory; `newsextract oem check … --save no.json`"),
        (["a.html", "--against", "a.html"], "a.html: not JSON; expected counts"),
        (["a.html", "--against", "other.json"], "other.json: these counts are of a format with other lines than list.oem"),
        (["a.html", "--against", "list.json"], "list.json: expected counts"),
        (["a.html", "--save", "no/x.json"], "cannot write no/x.json: there is no directory no"),
        (["gone.html", "--save", "x.json"], "nothing is saved in x.json: the wrapper fits none of the pages"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    (here / "other.oem").write_text("{<ul>#</ul>, list, get()}")
    (here / "list.json").write_text("[]")
    assert main(["oem", "check", "other.oem", "a.html", "--save", "other.json"]) == 0
    capsys.readouterr()
    assert main(["oem", "check", "list.oem", *arguments]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"newsextract: {told}")
    assert err.count("\n") == 1
