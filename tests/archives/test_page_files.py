"""Folders of saved pages, JSON Lines of pages, WACZ files."""

from __future__ import annotations

import base64
import gzip
import json
import shutil
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from newsextract.archives import ArchivedArticle, Failure, extract_entry, find_archives, read_entries, read_pages
from newsextract.archives.entries import mark_of
from newsextract.archives.reading import MAX_LINE
from newsextract.archives.warc import MAX_BLOCK
from newsextract.errors import DataError
from newsextract.feed.record_lines import NewsRecord
from newsextract.page.page import MAX_BYTES
from tests.examples import examples
from tests.made_archives import foreign, html
from tests.made_snapshots import made_snapshot

URL = "https://courier.example/a.html"


def entries(path: Path, **options: Any) -> list[Any]:
    return [step.entry for step in read_entries(find_archives([path]), **options)]


def test_a_folder_of_saved_pages(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.html").write_bytes(b"<!-- saved from url=(0030)" + URL.encode() + b" -->\n" + html("one"))
    (tmp_path / "b.htm").write_bytes(html("two"))
    (tmp_path / "c.html.gz").write_bytes(gzip.compress(html("three")))
    (tmp_path / "d.css").write_text("p {}")
    (tmp_path / "e.html").write_bytes(b" " * (MAX_BYTES + 1))
    (tmp_path / "f.html.gz").write_bytes(gzip.compress(b" " * (MAX_BYTES + 1)))
    found = {entry.place: entry for entry in entries(tmp_path)}
    assert set(found) == {"sub/a.html", "b.htm", "c.html.gz", "e.html", "f.html.gz"}
    assert found["sub/a.html"].url == URL
    assert found["b.htm"].url == f"file:b.htm#{mark_of(html('two'))}"
    assert found["c.html.gz"].parts[0].body == html("three")
    assert {found[name].status for name in ("e.html", "f.html.gz")} == {"too_large"}


def test_pages_of_the_same_name_in_two_folders(tmp_path: Path) -> None:
    """Most saved pages are called index.html; what tells them apart does not depend on where the folders stand."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.html").write_bytes(html(name))
    found = [step.entry for step in read_entries(find_archives([tmp_path / "one", tmp_path / "two"]))]
    assert [entry.place for entry in found] == ["index.html"] * 2
    ids = [entry.id for entry in found if isinstance(entry, ArchivedArticle)]
    assert len(set(ids)) == 2
    (tmp_path / "one").rename(tmp_path / "three")
    assert [entry.id for entry in entries(tmp_path / "three")] == ids[:1]


def test_snapshots(tmp_path: Path) -> None:
    snapshot = made_snapshot(html("one").decode())
    snapshot.save(tmp_path / "a.snapshot")
    (tmp_path / "b.snapshot").write_bytes((tmp_path / "a.snapshot").read_bytes()[:-9])
    good, bad = entries(tmp_path)
    assert good.parts[0].snapshot is not None
    assert good.parts[0].body == snapshot.html.encode()
    assert isinstance(bad, Failure)


@pytest.mark.parametrize("name", ["pages.jsonl", "pages.ndjson.gz"])
def test_json_lines(tmp_path: Path, name: str) -> None:
    lines = [
        {"url": URL, "html": html("one").decode(), "fetched_at": "2026-03-04T05:06:07Z", "site": "courier",
         "hints": {"title": "A hint", "source": "feed"}},
        {"url": URL, "body": base64.b64encode(gzip.compress(html("two"))).decode(),
         "headers": {"Content-Encoding": "gzip", "Content-Type": "text/html", "ETag": '"x"'}},
        {"html": "<p>without an address"}, {"url": " ", "html": "<p>x"}, {"url": URL, "body": "?"}, {"url": URL}, ["no object"], {"url": URL, "html": 1},
        {"url": URL, "html": "", "headers": {"A": 1}}, {"url": URL, "html": "", "fetched_at": "yesterday"},
    ]  # fmt: skip
    text = "\n".join([*map(json.dumps, lines), "", "{", '"\\ud800"', "[" * 100_000])
    data = text.encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    one, two, *bad = entries(tmp_path / name)
    assert (one.site.name, one.parts[0].hints.title, one.parts[0].fetched_at) == (
        "courier", "A hint", datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC),
    )  # fmt: skip
    assert (two.parts[0].body, two.etag) == (html("two"), '"x"')
    assert two.place == f"{name}#{len(json.dumps(lines[0])) + 1}"
    assert len(bad) == 11
    assert all(isinstance(entry, Failure) and "expected an object with url and html" in entry.reason for entry in bad)
    assert "no page: has neither html nor body; expected" in bad[3].reason


def test_a_line_over_the_cap_and_a_cut_file(tmp_path: Path) -> None:
    good = json.dumps({"url": URL, "html": "<p>x"}).encode() + b"\n"
    (tmp_path / "a.jsonl").write_bytes(b"x" * (MAX_LINE + 100_000) + b"\n" + good)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(good * 2)[:-9])
    long, after, *cut = entries(tmp_path)
    assert (long.status, long.place) == ("too_large", "a.jsonl#0")
    assert after.place == f"a.jsonl#{MAX_LINE + 100_001}"
    assert [type(entry) for entry in cut] == [ArchivedArticle, ArchivedArticle, Failure]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_wacz(own: Callable[..., Path], tmp_path: Path, method: int) -> None:
    ours, others = own("one", "two"), foreign(tmp_path / "other.warc", "three", gzip=False)
    path = tmp_path / "x.wacz"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.write(ours, f"archive/{ours.name}")
        archive.write(others, "archive/zzz.warc")
        archive.writestr("datapackage.json", "{}")
    found = entries(path)
    assert [entry.url.rpartition("/")[2] for entry in found] == ["one.html", "two.html", "three.html"]
    assert found[0].place.startswith(f"x.wacz/archive/{ours.name}#")
    path.write_bytes(path.read_bytes()[:-30])
    (failure,) = entries(path)
    assert isinstance(failure, Failure)


def test_what_looks_like_no_article_is_left_to_the_user(tmp_path: Path) -> None:
    listing = "<html><body>" + "".join(f'<h2><a href="/{k}/{k}.html">Headline number {k}</a></h2>' for k in range(30))
    path = foreign(tmp_path / "x.warc.gz", "one", "front", bodies={"front": listing.encode()})
    article, front = entries(path)
    assert isinstance(extract_entry(article), NewsRecord)
    assert extract_entry(front).status == "listing"
    assert [entry.vouched for entry in entries(path, every_page=True)] == [True, True]


def test_a_path_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("x")
    for path, words in (
        (tmp_path / "none", "no such file"),
        (tmp_path / "x.txt", "unknown kind of file"),
        (tmp_path, "no archive"),
    ):
        with pytest.raises(DataError, match=words):
            find_archives([path])


def test_a_file_that_goes_away_is_a_failure(tmp_path: Path, own: Callable[..., Path]) -> None:
    path = own("one")
    archives = find_archives([path])
    shutil.rmtree(path.parent)
    (step,) = read_entries(archives)
    assert isinstance(step.entry, Failure)


@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(
    st.sampled_from(["url", "html", "body", "headers", "hints", "site", "fetched_at", "name", "params", "since"]), inner)))  # fmt: skip
def test_whatever_a_line_holds(tmp_path: Path, value: Any) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(value) + "\n")
    (entry,) = read_pages(path)
    assert entry.place == "x.jsonl#0"


def test_the_caps_fit_each_other() -> None:
    assert MAX_BLOCK > 6 * MAX_BYTES
