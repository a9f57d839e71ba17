"""Where ``newsextract extract`` gets its page from, and how it prints."""

from __future__ import annotations

import dataclasses
import io
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from newsextract import Page
from newsextract.cli import main
from newsextract.commands import extract as command
from newsextract.commands.site_check import _read
from newsextract.errors import DataError
from newsextract.extraction import failure


def test_a_file_was_fetched_when_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_bytes(b"<p>x")
    at = datetime(2020, 2, 3, 4, 5, tzinfo=UTC)
    os.utime(path, (at.timestamp(), at.timestamp()))
    page = command.read_page(str(path), "https://example.org/a")
    assert (page.body, page.url, page.fetched_at) == (b"<p>x", "https://example.org/a", at)


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"<p>y")))
    page = command.read_page("-")
    assert (page.body, page.url) == (b"<p>y", None)
    assert page.fetched_at is not None


@pytest.mark.parametrize("url", ["http://example.org/", "https://example.org/x"])
def test_addresses_are_fetched(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setattr(command, "fetch", lambda asked: Page(b"", asked))
    assert command.read_page(url).url == url


def test_a_missing_file_names_what_is_possible() -> None:
    with pytest.raises(
        DataError, match=r"no/such: No such file or directory; expected a file, an http.* or - for standard input"
    ):
        command.read_page("no/such")


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
