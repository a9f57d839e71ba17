"""Where ``newsextract extract`` gets its page from, and how it prints."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from newsextract import Page
from newsextract.cli import main
from newsextract.commands import extract as command
from newsextract.commands.sites import _read
from newsextract.extraction import extract, failure
from newsextract.feed.record_lines import RecordSource, assemble, join, news_record, revision_of


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
    assert "the page is no article: listing" in json.loads(said.out)["reason"]
    assert said.err.startswith("note: the page is no article: listing")
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


def test_a_doubtful_text_is_printed_with_a_note(capsys: pytest.CaptureFixture[str]) -> None:
    page = str(Path(__file__).parent.parent / "pages" / "story_en.html")
    assert main(["extract", page, "--algorithm", "combined", "--param", "doubtful=1.0"]) == 0
    said = capsys.readouterr()
    assert len(said.out) > 500
    assert said.err.startswith("note: doubtful: the confidence is ")
    assert main(["extract", page, "--algorithm", "combined", "--param", "doubtful=0.0"]) == 0
    assert capsys.readouterr().err == ""


def test_a_record_of_which_one_page_is_doubtful_is_doubtful() -> None:
    page = Page((Path(__file__).parent.parent / "pages" / "story_en.html").read_bytes(), "https://news.example/1")
    article = extract(page)
    unsure = dataclasses.replace(article, status="doubtful", reason="unsure")
    source = RecordSource("news", "https://news.example/1")
    record = assemble(source, page, 2, [article, unsure], join([article, unsure]), None)
    assert (record.status, record.reason) == ("doubtful", "unsure")
    assert assemble(source, page, 1, [article], article.text, None).status == "ok"


def test_a_record_has_the_page_kind_of_its_first_page() -> None:
    page = Page((Path(__file__).parent.parent / "pages" / "story_en.html").read_bytes(), "https://news.example/1")
    source = RecordSource("news", "https://news.example/1")
    record = news_record([page, Page(b"<p>Next.", "https://news.example/2")], source, "combined")
    assert (record.kind, record.page_kind) == ("news", "article")
    assert record.page_kind_confidence == page.kind.confidence > 0.5
    unjudged = news_record([page], source, "text_density")
    assert (unjudged.page_kind, unjudged.page_kind_confidence) == (None, None)


def test_a_line_without_page_kinds_has_a_next_revision() -> None:
    """Earlier versions did not write them."""
    page = Page((Path(__file__).parent.parent / "pages" / "story_en.html").read_bytes(), "https://news.example/1")
    line = news_record([page], RecordSource("news", "https://news.example/1"), "combined").values()
    assert revision_of(line, status="gone").page_kind == "article"
    del line["page_kind"], line["page_kind_confidence"]
    later = revision_of(line, status="gone")
    assert (later.revision, later.page_kind, later.page_kind_confidence) == (1, None, None)
