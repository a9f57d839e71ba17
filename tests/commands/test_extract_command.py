"""Where ``newsextract extract`` gets its page from, and how it prints."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from newsextract import Page
from newsextract.cli import main
from newsextract.commands import extract as command
from newsextract.commands.site_check import _read
from newsextract.extraction import failure


@pytest.mark.parametrize(
    ("title", "date", "authors", "head"),
    [
        ("T", "2024-01-02", ("A", "B"), "T\n2024-01-02 · A, B\n\n"),
        ("T", None, (), "T\n\n"),
        (None, "2024-01-02", (), "2024-01-02\n\n"),
        (None, None, ("A",), "A\n\n"),
        (None, None, (), ""),
    ],
)
def test_text_for_people(title: str | None, date: str | None, authors: tuple[str, ...], head: str) -> None:
    article = dataclasses.replace(
        failure(Page(b""), "x", "ok", ""), title=title, date=date, authors=authors, text="one\ntwo"
    )
    assert command.as_text(article) == head + "one\ntwo\n"


def test_site_check_reads_lines_that_hold_other_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "feed.jsonl"
    path.write_text('{"title": "a\u2028b\x85c"}\n{"title": "d"}\n', "utf-8")
    assert [record["title"] for record in _read(path)] == ["a\u2028b\x85c", "d"]
    assert _read(tmp_path / "none.jsonl") == []


def test_a_page_that_is_no_article_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = "".join(
        f"<div><h3><a href=/story-{n}-of-the-harbour-and-its-ferries>Story {n} of the harbour and its ferries</a></h3>"
        f"<p>What was said of it on day {n}, in a few words.</p></div>"
        for n in range(30)
    )
    (tmp_path / "page.html").write_text(f"<title>Search results for ferry</title><h1>Search results</h1>{results}")
    arguments = ["extract", str(tmp_path / "page.html"), "--url", "https://news.example/search?q=ferry"]
    main([*arguments, "--algorithm", "text_density", "--format", "json"])
    said = capsys.readouterr()
    assert "looks like a listing rather than an article" in json.loads(said.out)["reason"]
    assert said.err.startswith("note: the page looks like a listing")
    main(
        [
            "extract",
            str(Path(__file__).parent.parent / "pages" / "story_en.html"),
            "--algorithm",
            "text_density",
            "--format",
            "json",
        ]
    )
    said = capsys.readouterr()
    assert json.loads(said.out)["reason"] is None
    assert not said.err
