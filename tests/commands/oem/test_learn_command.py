"""``newsextract oem learn``: ways to give the marks, what is written, messages."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from newsextract.commands import oem as command
from newsextract.errors import DataError, NewsextractError, UsageError
from newsextract.wrappers.learn import of_file, of_marks, of_records

PAGE = """<body><ul class="papers"><li><b>Tides; a=b</b> <i>Ann Lee</i></li><li><b>Reeds</b> <i>Ed Fox</i></li>
<li><b>Gulls</b> <i>Gil Hart</i></li></ul></body>"""
WRITTEN = ['{<ul class="papers">#</ul>, root, get()}', "{<li>#</li>, entry, root}", "{<b>#</b>, title, entry}",
           "{<i>#</i>, author, entry}"]  # fmt: skip


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "papers.html").write_text(PAGE)
    (tmp_path / "marks.toml").write_text(
        '[[record]]\ntitle = "Tides; a=b"\nauthor = ["Ann Lee"]\n[[record]]\ntitle = "Reeds"\nauthor = "Ed Fox"\n'
    )
    (tmp_path / "marks.json").write_text(
        '[{"title": "Tides; a=b", "author": "Ann Lee"}, {"title": "Reeds", "author": ["Ed Fox"]}]'
    )
    return tmp_path


def call(*given: str) -> int:
    parser = argparse.ArgumentParser()
    command.add_learn(parser)
    arguments = parser.parse_args([*given])
    code: int = arguments.run(arguments)
    return code


@pytest.mark.parametrize(
    "given",
    [
        ["--mark", "title=Tides; a=b", "--mark", "author=Ann Lee", "--mark", "title=Reeds", "--mark", "author=Ed Fox"],
        ["--record", "title=Reeds; author=Ed Fox", "--record", "author=Gil Hart; title=Gulls"],
        ["--examples", "marks.toml"],
        ["--examples", "marks.json"],
    ],
    ids=["mark", "record", "toml", "json"],
)
def test_ways_to_give_marks(here: Path, capsys: pytest.CaptureFixture[str], given: list[str]) -> None:
    assert call("papers.html", *given) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if not line.startswith("#")]
    assert sorted(lines) == sorted(WRITTEN)


def test_a_file_is_written(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("papers.html", "--mark", "title=Gulls", "--mark", "title=Reeds", "-o", "papers.oem") == 0
    assert capsys.readouterr().out == "papers.oem: 3 records found on the page; title 3\n"
    assert (here / "papers.oem").read_text().splitlines()[-1] == "{<b>#</b>, title, root}"


def test_a_semicolon_within_a_text() -> None:
    assert of_records(["title=Ebb; flow; link@href=/a?b=c; author=A; author=B"]) == [
        {"title": ["Ebb; flow"], "link@href": ["/a?b=c"], "author": ["A", "B"]}
    ]
    assert of_marks(["a=1", "b=2", "a=3"]) == [{"a": ["1"], "b": ["2"]}, {"a": ["3"]}]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "give the marks in one way"),
        (["--mark", "title=Reeds", "--examples", "marks.toml"], "give the marks in one way"),
        (["--mark", "Reeds"], "--mark: 'Reeds' is not NAME=TEXT; for example --record"),
        (["--record", "title="], "--record: 'title=' is not NAME=TEXT"),
        (["--examples", "none.toml"], "none.toml: No such file or directory; expected a TOML or JSON file"),
        (["--mark", "title=Reed"], "record 1: title='Reed' is not on the page; near it are: 'Reeds'"),
        (["--mark", "title=Reeds", "-o", "no/papers.oem"], "cannot write no/papers.oem"),
    ],
)
def test_messages(here: Path, given: list[str], message: str) -> None:
    with pytest.raises(NewsextractError) as caught:
        call("papers.html", *given)
    assert str(caught.value).startswith(message)


def test_a_page_that_is_none(here: Path) -> None:
    (here / "empty.html").write_bytes(b"")
    with pytest.raises(DataError, match=r"empty\.html: .*; expected a page to learn from"):
        call("empty.html", "--mark", "title=Reeds")


@pytest.mark.parametrize(
    "text", ["", "[[record]]\ntitle = 1", "record = 3", "[1]", "{", "title = ", '{"record": []}', "\udcff"]
)
def test_files_that_hold_something_else(tmp_path: Path, text: str) -> None:
    path = tmp_path / "marks.toml"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(UsageError, match=r"marks\.toml: .*expected"):
        of_file(path)
