"""A feed in other formats: the last state of each record, all values as they were."""

from __future__ import annotations

import csv
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from lxml import etree

from newsextract.cli import main
from tests.database.feed_lines import article, post


@pytest.fixture
def feed(tmp_path: Path) -> Path:
    records = [
        article(1, title="=HYPERLINK(1)"),
        article(2, text='One.\nTwo, "three" <b>&amp;</b>.'),
        article(3),
        article(2, revision=1, text="Better."),
        article(3, revision=1, status="withdrawn"),
    ]
    path = tmp_path / "news.jsonl"
    path.write_text("".join(json.dumps(record.values(), ensure_ascii=False) + "\n" for record in records), "utf-8")
    return path


def last(feed: Path) -> list[dict[str, object]]:
    lines = [json.loads(line) for line in feed.read_text("utf-8").splitlines()]
    return [lines[0], lines[3]]


def test_json(feed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("x.json", "x.jsonl"):
        assert main(["export", str(feed), "-o", str(tmp_path / name)]) == 0
    assert json.loads((tmp_path / "x.json").read_text("utf-8")) == last(feed)
    assert [json.loads(line) for line in (tmp_path / "x.jsonl").read_text("utf-8").splitlines()] == last(feed)
    assert main(["export", str(feed), "--format", "jsonl", "--revisions"]) == 0
    assert capsys.readouterr().out == feed.read_text("utf-8")


def test_csv(feed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(feed), "--fields", "title,authors,page_kind_confidence,section,text"]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert [row["title"] for row in rows] == ["'=HYPERLINK(1)", "Fog 2"]
    assert rows[1]["authors"] == "Mara Quill, 雷雨"
    assert (rows[1]["page_kind_confidence"], rows[1]["section"], rows[1]["text"]) == ("0.875", "", "Better.")


def test_xml(feed: Path, tmp_path: Path) -> None:
    assert main(["export", str(feed), "-o", str(tmp_path / "x.xml"), "--revisions"]) == 0
    items = etree.parse(tmp_path / "x.xml").getroot()
    assert [item.findtext("text") for item in items][1] == 'One.\nTwo, "three" <b>&amp;</b>.'
    assert [value.text for value in items[0].find("authors")] == ["Mara Quill", "雷雨"]
    assert items[0].find("section") is None


def test_parquet(feed: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    assert main(["export", str(feed), "-o", str(tmp_path / "x.parquet")]) == 0
    assert parquet.read_table(tmp_path / "x.parquet").to_pylist() == last(feed)
    posts, empty = tmp_path / "posts.jsonl", tmp_path / "empty.jsonl"
    posts.write_text(json.dumps(post(1).values()) + "\n", "utf-8")
    empty.write_text('{"id": "00')
    for one in (posts, empty):
        assert main(["export", str(one), "-o", str(tmp_path / "y.parquet")]) == 0
        assert len(parquet.read_table(tmp_path / "y.parquet")) == (one is posts)


def test_sqlite(feed: Path, tmp_path: Path) -> None:
    assert main(["export", str(feed), "-o", str(tmp_path / "x.sqlite")]) == 0
    with closing(sqlite3.connect(tmp_path / "x.sqlite")) as database:
        found = database.execute("SELECT title, text FROM articles ORDER BY title").fetchall()
    assert ("Fog 2", "Better.") in found


def test_posts_with_quotes(tmp_path: Path) -> None:
    feed, out = tmp_path / "forum.jsonl", tmp_path / "forum.json"
    feed.write_text(json.dumps(post(1).values()) + "\n")
    for name in ("forum.json", "forum.csv", "forum.xml"):
        assert main(["export", str(feed), "-o", str(tmp_path / name)]) == 0
    assert json.loads(out.read_text())[0]["author"] == "ada"


@pytest.mark.parametrize("form", ["csv", "json", "jsonl", "xml", "parquet"])
def test_fields_of_foreign_pipelines(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Halves of characters, control characters, and values of several types in a column."""
    if form == "parquet":
        pytest.importorskip("pyarrow.parquet")
    feed, output = tmp_path / "news.jsonl", tmp_path / f"x.{form}"
    lines = [article(number).values() | {"mine": mine} for number, mine in enumerate((1, "a\ud800\0b", ["c"], None))]
    feed.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert main(["export", str(feed), "-o", str(output)]) == (2 if form == "parquet" else 0)
    assert capsys.readouterr().err.count("\n") == 1
    if form == "parquet":
        feed.write_text(json.dumps(article(1).values() | {"mine": 10**400}) + "\n")
        assert main(["export", str(feed), "-o", str(output)]) == 2
    if form == "xml":
        assert [item.findtext("mine") for item in etree.parse(output).getroot()] == ["1", "a?b", "", None]
    feed.write_text(json.dumps(article(1).values() | {"my field": 1}) + "\n")
    assert main(["export", str(feed), "-o", str(output)]) == (2 if form == "xml" else 0)


def test_an_empty_feed_and_a_torn_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    feed = tmp_path / "news.jsonl"
    feed.write_text('{"id": "00')
    for form, expected in (("json", "[]\n"), ("jsonl", ""), ("csv", "\n")):
        assert main(["export", str(feed), "--format", form]) == 0
        assert capsys.readouterr().out.replace("\r", "") == expected


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere.jsonl"], "nowhere.jsonl: no such file; name a feed"),
        (["{feed}", "-o", "x.doc"], "unknown suffix; use one of .csv"),
        (["{feed}", "--format", "parquet"], "parquet needs a file: -o FILE.parquet"),
        (["{feed}", "-o", "{feed}"], "is the feed itself"),
        (["{feed}", "-o", "missing/x.csv"], "there is no directory"),
        (["{feed}", "--fields", "titel"], "has titel; choose from: id, url"),
        (["{feed}", "-o", "x.db", "--revisions"], "leave --fields and --revisions out"),
        (["{text}"], "line 1 is not a record of newsextract"),
    ],
)
def test_mistakes(
    feed: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    told: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    text = tmp_path / "text.jsonl"
    text.write_text("no record\n")
    assert main(["export", *(one.format(feed=feed, text=text) for one in arguments)]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize("content", ["no feed", "no feed\n", '{"name": "x"}', '[{"id": "1"}]'])
@pytest.mark.parametrize("command", ["export", "report"])
def test_a_file_that_is_no_feed_is_an_error(
    content: str, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = tmp_path / "notes.jsonl"
    notes.write_text(content, "utf-8")
    assert main([command, str(notes)]) == 2
    assert capsys.readouterr().err.startswith(f"newsextract: {notes}: ")
    assert list(tmp_path.iterdir()) == [notes]
    for empty in ("", '{"id": "00'):
        notes.write_text(empty, "utf-8")
        assert main([command, str(notes)]) == 0, "a crawl that found nothing, or died early"


@pytest.mark.parametrize("form", ["json", "csv", "xml"])
def test_foreign_lines_are_told_and_skipped(form: str, feed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(feed), "--format", form]) == 0
    whole = capsys.readouterr().out
    first, rest = feed.read_bytes().split(b"\n", 1)
    feed.write_bytes(b"\n".join([first, b"no JSON", b'{"name": "x"}', b"[1]", b"{", rest]))
    assert main(["export", str(feed), "--format", form]) == 0
    told = capsys.readouterr()
    assert told.out == whole
    assert told.err.splitlines() == [
        f"note: {feed}: line 2 is not a record of newsextract (it is not JSON); it is skipped",
        f"note: {feed}: line 3 is not a record of newsextract (it has no id); it is skipped",
        f"note: {feed}: line 4 is not a record of newsextract (it has no id); it is skipped",
        f"note: {feed}: 4 lines are not records of newsextract; they are skipped",
    ]
