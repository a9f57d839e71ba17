"""``newsextract oem run``: what is printed, what is told, exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from newsextract.cli import main
from newsextract.page.page import MAX_BYTES
from tests.made_snapshots import made_snapshot

WRAPPER = """
{<ul>#</ul>, list, get()}
{<li><b>$title</b>[ by <i>$author</i>], paper, list}
{<i>#</i>, note*, list}?
"""
PAGE = "<body><ul><li><b>Tides</b> by <i>Ann Marsh</i><li><b>Lamps</b></ul></body>"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "list.oem").write_text(WRAPPER)
    (tmp_path / "page.html").write_text(PAGE)
    return tmp_path


def test_objects_plain_records_and_table(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["oem", "run", "list.oem", "page.html"]) == 0
    root = json.loads(capsys.readouterr().out)
    assert (root["label"], root["type"], root["lists"]) == ("list", "complex", ["note"])
    assert main(["oem", "run", "list.oem", "page.html", "--format", "plain"]) == 0
    papers = [{"title": "Tides", "author": "Ann Marsh"}, {"title": "Lamps"}]
    assert json.loads(capsys.readouterr().out) == {"paper": papers, "note": ["Ann Marsh"]}
    assert main(["oem", "run", "list.oem", "page.html", "--records", "paper", "--format", "plain"]) == 0
    assert json.loads(capsys.readouterr().out) == papers
    assert main(["oem", "run", "list.oem", "page.html", "--records", "paper", "--format", "jsonl"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["path"] for line in lines] == [["list"], ["list"]]
    assert main(["oem", "run", "list.oem", "page.html", "--records", "paper", "--format", "table"]) == 0
    assert capsys.readouterr().out.splitlines() == ["#  title  author", "1  Tides  Ann Marsh", "2  Lamps"]


def test_a_file_is_written(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["oem", "run", "list.oem", "page.html", "-o", "objects.json"]) == 0
    assert capsys.readouterr() == ("", "")
    assert json.loads((here / "objects.json").read_text("utf-8"))["label"] == "list"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_byte_order_marks_and_line_ends_do_not_matter(
    here: Path, capsys: pytest.CaptureFixture[str], encoding: str, end: str
) -> None:
    (here / "list.oem").write_bytes(WRAPPER.replace("\n", end).encode("utf-8-sig"))
    (here / "page.html").write_bytes(PAGE.replace("<li>", f"{end}<li>").encode(encoding))
    assert main(["oem", "run", "list.oem", "page.html", "--records", "title", "--format", "jsonl"]) == 0
    assert [json.loads(line)["text"] for line in capsys.readouterr().out.splitlines()] == ["Tides", "Lamps"]


def test_a_snapshot_is_a_page(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made_snapshot(PAGE).save(here / "page.snapshot")
    assert main(["oem", "run", "list.oem", "page.snapshot", "--records", "title", "--format", "plain"]) == 0
    assert json.loads(capsys.readouterr().out) == [{"text": "Tides"}, {"text": "Lamps"}]


def test_standard_input(here: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "newsextract.cli",
        "oem",
        "run",
        "list.oem",
        "-",
        "--records",
        "title",
        "--format",
        "jsonl",
    ]
    done = subprocess.run(command, input=PAGE.encode(), capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.count(b"\n") == 2


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"", "no objects: page.html: the page has no content\n"),
        (b" \r\n", "no objects: page.html: the page has no content\n"),
        (b"%PDF-1.7 text", "no objects: page.html: the content is not a web page (begins with b'%PDF-1.7')\n"),
        (bytes(range(8)) * 20, "no objects: page.html: the content is binary (begins with "),
        (b"x" * (MAX_BYTES + 1), "no objects: page.html: the page has 10,000,001 bytes; the limit is 10,000,000\n"),
        (b"<p>Please log in", "does not fit: page.html: line 2 (list): nothing found in 1 source\n"),
        (b"<ul>none</ul>", "does not fit: page.html: line 3 (paper): nothing found in 1 source\n"),
    ],
)
def test_pages_that_give_nothing_are_exit_code_1(
    here: Path, capsys: pytest.CaptureFixture[str], body: bytes, told: str
) -> None:
    (here / "page.html").write_bytes(body)
    assert main(["oem", "run", "list.oem", "page.html"]) == 1
    err = capsys.readouterr().err
    assert err.startswith(told)
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["no.oem", "page.html"], "no.oem: No such file or directory; expected a wrapper file"),
        ([".", "page.html"], ".: Is a directory; expected a wrapper file"),
        (["page.html", "list.oem"], "page.html:1:1: expected '{', found '<'"),
        (["list.oem"], "list.oem: the first line takes the page at hand; name a page after the wrapper file"),
        (["list.oem", "no.html"], "no.html: No such file or directory; expected a file, an http(s) URL"),
        (
            ["list.oem", "page.html", "--records", "papr"],
            "--records papr: no object has that label; did you mean 'paper'? The",
        ),
        (
            ["list.oem", "page.html", "--format", "jsonl"],
            "--format jsonl writes records; say of which label: --records paper",
        ),
        (["list.oem", "page.html", "--url", "page.html"], "--url page.html: expected an http(s) URL"),
        (["list.oem", "page.html", "-o", "."], "cannot write .: it is a folder"),
        (["list.oem", "page.html", "-o", "no/x.json"], "cannot write no/x.json: there is no directory no"),
        (["relative.oem"], "relative.oem: 'page.html' in the first line is not an http(s) URL; name a page"),
        (["away.oem"], "http://127.0.0.1:1/: "),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: list[str], told: str
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    (here / "relative.oem").write_text('{<ul>#</ul>, list, get("page.html")}')
    (here / "away.oem").write_text('{<ul>#</ul>, list, get("http://127.0.0.1:1/")}')
    assert main(["oem", "run", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"newsextract: {told}")
    assert err.count("\n") == 1


def test_a_label_of_the_format_that_the_page_lacks_is_no_mistake(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "page.html").write_text("<ul><li><b>Tides</b></ul>")
    assert main(["oem", "run", "list.oem", "page.html", "--records", "author", "--format", "jsonl"]) == 1
    assert capsys.readouterr() == ("", "no records: page.html: no object has the label 'author'\n")


def test_what_is_cut_is_told(here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("newsextract.wrappers.interpreter.MAX_OBJECTS", 10)
    (here / "page.html").write_text("<ul>" + "<li><b>x</b>" * 11 + "</ul>")
    assert main(["oem", "run", "list.oem", "page.html", "--records", "title", "--format", "jsonl", "-o", "x.jsonl"]) == 1
    assert capsys.readouterr().err == "note: cut: more than 10 objects\n"


def test_control_characters_do_not_reach_the_terminal(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "page.html").write_text("<ul><li><b>a\x1b[31mb\u202ec</b></ul>", "utf-8")
    main(["oem", "run", "list.oem", "page.html", "--records", "paper", "--format", "table"])
    assert not {"\x1b", "\u202e"} & set(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("option", "value"), [("--max-pages", "-1"), ("--max-pages", "x"), ("--delay", "-1"), ("--delay", "nan")]
)
def test_numbers_are_checked(here: Path, capsys: pytest.CaptureFixture[str], option: str, value: str) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["oem", "run", "list.oem", "page.html", f"{option}={value}"])
    assert stop.value.code == 2
    assert "expected" in capsys.readouterr().err
