"""Where a command gets its page from."""

from __future__ import annotations

import base64
import gzip
import io
import os
import quopri
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from newsextract import Page, extract
from newsextract.cli import main
from newsextract.commands import pages as command
from newsextract.errors import DataError
from newsextract.page.snapshot import MAGIC, Snapshot, SnapshotError
from tests.made_snapshots import made_snapshot


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


@pytest.mark.parametrize(
    "url", ["http://example.org/", "https://example.org/x", "HTTPS://EXAMPLE.org/", "Http://example.org"]
)
def test_addresses_are_fetched(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setattr(command, "fetch", lambda asked, policy: Page(b"", asked))
    assert command.read_page(url).url == url


def test_a_missing_file_names_what_is_possible() -> None:
    with pytest.raises(
        DataError, match=r"no/such: No such file or directory; expected a file, an http.* or - for standard input"
    ):
        command.read_page("no/such")


@pytest.mark.parametrize(
    ("place", "path"),
    [
        ("file:///tmp/a%20page.html", "/tmp/a page.html"),
        ("FILE:/tmp/page.html", "/tmp/page.html"),
        ("file:page.html", "page.html"),
    ],
)
def test_of_a_file_address_the_path_is_wanted(
    place: str, path: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    commands = (["extract"], ["records"], ["records", "--no-render"], ["inspect", "-o", str(tmp_path / "o.html")])
    for arguments in (*commands, ["snapshot", "-o", str(tmp_path / "o.snapshot")]):
        assert main([*arguments, place]) == 2
        assert capsys.readouterr().err == f"newsextract: {place}: file addresses are not read; give the path, {path}\n"


def test_what_only_looks_like_an_address_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("http", "https:page", "filed:x"):
        Path(name).write_bytes(b"<p>x")
        assert command.read_page(name).body == b"<p>x"


def test_a_snapshot_is_told_by_its_first_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = made_snapshot("<h1>Ferries</h1>", url="https://example.org/a")
    path = tmp_path / "named.html"
    snapshot.save(path)
    page = command.read_page(str(path))
    assert (page.text, page.url, page.fetched_at) == (snapshot.html, "https://example.org/a", snapshot.fetched_at)
    assert isinstance(page.snapshot, Snapshot)
    assert len(page.snapshot.nodes) == len(snapshot.nodes)
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(snapshot.to_bytes())))
    piped = command.read_page("-", "https://example.org/b")
    assert (piped.text, piped.url) == (snapshot.html, "https://example.org/b")
    assert command.body_of(path.read_bytes(), "x") == snapshot.html.encode()
    assert command.body_of(b"<p>x", "x") == b"<p>x"


def test_a_damaged_snapshot_names_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cut.snapshot"
    path.write_bytes(made_snapshot("<p>x").to_bytes()[:-3])
    with pytest.raises(SnapshotError, match=r"cut\.snapshot: .* bytes, expected .*; make it again"):
        command.read_page(str(path))
    assert main(["extract", str(path)]) == 2
    assert "cut.snapshot" in capsys.readouterr().err
    with pytest.raises(SnapshotError, match="the file is cut off"):
        command.body_of(MAGIC, "x")


def test_extract_takes_a_snapshot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "The harbour reopened on Monday after a week of storms, the council said, and the first ferry left at noon. " * 4
    path = tmp_path / "page.snapshot"
    made_snapshot(f"<h1>Harbour reopens</h1><article><p>{text}</p><p>{text}</p></article>").save(path)
    assert main(["extract", str(path)]) == 0
    assert "the first ferry left at noon" in capsys.readouterr().out


MHTML = """From: <Saved by Blink>
Snapshot-Content-Location: https://example.org/news/1
MIME-Version: 1.0
Content-Type: multipart/related;
\ttype="text/html";
\tboundary="----MB"


------MB
Content-Type: text/css
Content-Location: cid:1

p {{ color: red }}
------MB
Content-Type: text/html; charset={charset}
Content-Transfer-Encoding: {coding}
Content-Location: https://example.org/news/1

"""
TITLE = "Hafen öffnet wieder"


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize(("coding", "encode"), [("quoted-printable", quopri.encodestring), ("base64", base64.encodebytes)])
@pytest.mark.parametrize("charset", ["utf-8", "windows-1252"])
def test_a_page_saved_as_one_file(
    tmp_path: Path, charset: str, coding: str, encode: Callable[[bytes], bytes], ends: str
) -> None:
    source = f"<html><title>{TITLE}</title><p>{'Die Fähre fuhr am Mittag ab. ' * 20}</html>"
    head = MHTML.format(charset=charset, coding=coding).replace("\n", ends).encode()
    path = tmp_path / "page.mhtml"
    path.write_bytes(head + encode(source.encode(charset)) + f"{ends}------MB--{ends}".encode())
    page = command.read_page(str(path))
    assert (page.text.strip(), page.url) == (source, "https://example.org/news/1")
    assert command.read_page(str(path), "https://example.org/2").url == "https://example.org/2"
    article = extract(path.read_bytes())
    assert (article.title, article.url) == (TITLE, "https://example.org/news/1")


@pytest.mark.parametrize(
    "data",
    [
        b"<p>Content-Type: multipart/related; boundary=a\n\n--a\nContent-Type: text/html\n\nx",
        b"Content-Type: multipart/related\n\n--a\nContent-Type: text/html\n\nx",
        b"Content-Type: multipart/related; boundary=a\n\n--a\nContent-Type: text/plain\n\nx",
    ],
)
def test_other_data_are_taken_as_they_are(data: bytes) -> None:
    assert Page.from_saved(data).body == data


def test_packed_pages(tmp_path: Path) -> None:
    path = tmp_path / "page.html.gz"
    path.write_bytes(gzip.compress(b"<p>x"))
    assert command.read_page(str(path)).body == b"<p>x"
    path.write_bytes(b"<p>x")
    with pytest.raises(DataError, match=r"page\.html\.gz: the body is not gzip"):
        command.read_page(str(path))
