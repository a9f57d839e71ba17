"""``newsextract database upgrade|check|import|export``."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from newsextract.cli import main
from newsextract.database import read_address
from newsextract.database.bringing_in import HOST
from newsextract.database.connection import LATEST, open_engine
from tests.database.feed_lines import LATER, article, post, read_page, rejection, write


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/news.db"


@pytest.fixture(params=["sqlite", "postgresql"])
def either(request: pytest.FixtureRequest, url: str) -> str:
    """The address of a database of either kind."""
    found: str = url if request.param == "sqlite" else request.getfixturevalue("postgres").schema()
    return found


def test_upgrade(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["database", "upgrade", "--database", url]) == 0
    assert main(["database", "upgrade", "--database", url]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out == [f"database {url}: schema {LATEST}, new", f"database {url}: schema {LATEST}, nothing to do"]


def test_check_of_one_without_tables_changes_nothing(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["database", "check", "--database", url]) == 2
    assert "the file does not exist; `newsextract database upgrade` creates it" in capsys.readouterr().err
    engine = open_engine(read_address(url))
    engine.connect().close()
    engine.dispose()
    for _ in range(2):
        assert main(["database", "check", "--database", url]) == 1
        assert f"no tables of newsextract; `newsextract database upgrade` makes it {LATEST}" in capsys.readouterr().out


def test_import_and_check(either: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url, shown = either, read_address(either).shown
    assert main(["database", "upgrade", "--database", url]) == 0
    capsys.readouterr()
    news, forum = tmp_path / "news.jsonl", tmp_path / "forum.jsonl"
    write(news, article(1), article(2))
    write(tmp_path / "news.rejected.jsonl", rejection(3))
    write(forum, post(4))
    write(tmp_path / "forum.pages.jsonl", read_page(5))
    command = ["database", "import", str(news), str(forum), "--database", url]
    assert main(command) == 0
    assert main(command) == 0
    out = capsys.readouterr().out.splitlines()
    assert out == [
        f"database {shown}: 2 articles, 1 post, 1 page, 1 rejection",
        f"database {shown}: nothing new",
    ]
    assert main(["database", "check", "--database", url]) == 0
    out = capsys.readouterr().out
    assert "articles                     2\n" in out
    assert f"feed {news} of " in out
    assert ", not yet written: 0" in out
    write(news, article(6))
    assert main(["database", "check", "--database", url]) == 1
    assert ", not yet written: 1" in capsys.readouterr().out
    with news.open("ab") as file:
        file.write(b"{}\n")
    assert main(command) == 1
    assert capsys.readouterr().out == f"database {shown}: 1 article\n"
    assert main(["database", "check", "--database", url]) == 1
    assert "its kind is None" in capsys.readouterr().out


def test_check_of_feeds_that_have_changed(url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    feeds = [tmp_path / f"{name}.jsonl" for name in ("afresh", "unreadable", "gone")]
    for feed in feeds:
        write(feed, article(1), article(2))
    assert main(["database", "import", *map(str, feeds), "--database", url]) == 0
    for feed in feeds:
        feed.unlink()
    assert main(["database", "check", "--database", url]) == 0
    write(feeds[0], article(3))
    feeds[1].mkdir()
    capsys.readouterr()
    assert main(["database", "check", "--database", url]) == 1
    out = capsys.readouterr().out
    assert "; the file is another feed now, not yet written: 1\n" in out
    assert "; it cannot be read: Is a directory\n" in out
    feeds[1].rmdir()
    assert main(["database", "import", str(feeds[0]), "--database", url]) == 0
    assert main(["database", "check", "--database", url]) == 0
    assert "; the file is another feed now\n" in capsys.readouterr().out


def test_a_feed_that_the_database_does_not_know(either: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url, known, new, gone = either, *(tmp_path / f"{name}.jsonl" for name in ("known", "new", "gone"))
    for feed in (known, new):
        write(feed, article(1))
    assert main(["database", "import", str(known), "--database", url]) == 0
    assert main(["database", "check", "--database", url]) == 0, "it cannot know of the others"
    assert main(["database", "check", str(known), "--database", url]) == 0
    capsys.readouterr()
    assert main(["database", "check", str(known), str(new), str(gone), "--database", url]) == 1
    told = [line for line in capsys.readouterr().out.splitlines() if "not in the database yet" in line]
    assert told == [
        f"feed {new} of {HOST}: not in the database yet; `newsextract database import {new}` imports it",
        f"feed {gone} of {HOST}: not in the database yet; there is no such file",
    ]
    beside = tmp_path / "known.rejected.jsonl"
    write(beside, rejection(3))
    assert main(["database", "check", str(known), "--database", url]) == 1
    assert f"feed {beside} of {HOST}: not in the database yet" in capsys.readouterr().out


def test_check_shows_five_refused_lines_a_feed(either: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url, many, few = either, tmp_path / "many.jsonl", tmp_path / "few.jsonl"
    many.write_bytes(b"{}\n" * 208)
    few.write_bytes(b"{}\n" * 5)
    assert main(["database", "import", str(many), str(few), "--database", url]) == 1
    capsys.readouterr()
    assert main(["database", "check", "--database", url]) == 1
    out = capsys.readouterr().out.splitlines()
    refused = [line for line in out if line.startswith("refused: ")]
    assert [line.partition(":")[0] for line in out[-11:]] == ["refused"] * 10 + ["… and 203 more in the table unwritten"]
    assert [line.partition(" byte ")[2].partition(":")[0] for line in refused] == ["0", "3", "6", "9", "12"] * 2
    engine = open_engine(read_address(url))
    with engine.begin() as connection:
        for feed in (many, few):
            connection.execute(text("DELETE FROM unwritten WHERE path = :path"), {"path": str(feed)})
    engine.dispose()
    assert main(["database", "check", "--database", url]) == 0


def test_export_to_a_file_and_to_standard_output(
    either: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    news, output = tmp_path / "news.jsonl", tmp_path / "copy.jsonl"
    write(news, article(1), article(2, site="herald", title="雷雨"), article(1, revision=1, text="New.", fetched_at=LATER))
    lines = news.read_bytes().splitlines(keepends=True)
    command = ["database", "export", "--kind", "news", "--database", either]
    assert main(["database", "import", str(news), "--database", either]) == 0
    capfdbinary.readouterr()
    assert main([*command, "-o", str(output)]) == 0
    assert output.read_bytes().splitlines(keepends=True) == lines[1:]
    assert capfdbinary.readouterr().err == f"{output}: 2 lines\n".encode()
    assert main([*command, "--revisions"]) == 0
    assert capfdbinary.readouterr() == (b"".join(lines), b"")
    assert main([*command, "--site", "herald"]) == 0
    assert capfdbinary.readouterr().out == lines[1]
    assert main([*command, "-o", str(output)]) == 2
    assert b"exists already; name another file" in capfdbinary.readouterr().err
    assert sorted(path.name for path in tmp_path.glob("*.jsonl*")) == ["copy.jsonl", "news.jsonl"]


def test_an_export_that_fails_leaves_no_file(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    news, output = tmp_path / "news.jsonl", tmp_path / "copy.jsonl"
    write(news, article(1), article(2))
    assert main(["database", "import", str(news), "--database", url]) == 0

    def full(*arguments: object, **options: object) -> Iterator[bytes]:
        yield b"{}\n"
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("newsextract.database.schema.exported", full)
    assert main(["database", "export", "--kind", "news", "--database", url, "-o", str(output)]) == 2
    assert f"cannot write {output}: No space left on device\n" in capsys.readouterr().err
    assert [path.name for path in tmp_path.glob("copy*")] == []


def test_mistakes_are_one_line(url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command, said in (
        (["import", str(tmp_path / "no.jsonl"), "--database", url], "no.jsonl: no such file"),
        (["import", "settings/sites.toml", "--database", url], "settings/sites.toml: expected a feed of records, .jsonl"),
        (["check", "news.csv", "--database", url], "news.csv: expected a feed of records, .jsonl"),
        (["export", "--kind", "news", "--database", url], "the file does not exist"),
        (["export", "--kind", "news", "-o", str(tmp_path / "no" / "a.jsonl"), "--database", url], "there is no directory"),
        (["check", "--database", "mysql://me:s3cret@host/x"], "not supported"),
        (["upgrade", "--database", ""], "is empty"),
    ):
        assert main(["database", *command]) == 2
        told = capsys.readouterr().err
        assert said in told
        assert told.count("\n") == 1
        assert "s3cret" not in told


def test_a_newer_schema_is_refused(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["database", "upgrade", "--database", url])
    engine = open_engine(read_address(url))
    with engine.begin() as connection:
        connection.execute(text("UPDATE newsextract_version SET version_num = '9999'"))
    engine.dispose()
    capsys.readouterr()
    assert main(["database", "check", "--database", url]) == 2
    assert "install a newer newsextract" in capsys.readouterr().err
