"""Posts, hits and teasers from archives: of our own crawls, and of pages of which nothing is known."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from newsextract import Hints, Page, extract_posts
from newsextract.archives import Failure, find_archives, read_entries
from newsextract.archives.entries import (
    KINDS,
    Described,
    PageLines,
    Part,
    SiteFacts,
    extract_record_page,
    extractor_of,
    record_entry,
)
from newsextract.archives.warc import WarcWriter
from newsextract.cli import main
from newsextract.discovery.threads import thread_id
from newsextract.feed import line
from newsextract.feed.record_lines import ReadPage, Rejection
from newsextract.record_pages import Thread, posts_of
from newsextract.urls import record_id
from tests.made_archives import AT, exchange, foreign, html, write_article

SITE = Path(__file__).parents[1] / "sample_site"
URL = "https://forum.example/threads/bridge.12/"
POSTS = "".join(
    f'<div class=post id=p{k}><b class=author>User {k}</b> <a href="#p{k}">#{k + 1}</a>'
    f"<time datetime=2026-01-0{k + 1}T10:00:00Z></time>"
    f"<div class=body><p>This is what number {k} has to say of the bridge, in words of its own: {'x' * k}.</p></div></div>"
    for k in range(8)
)
THREAD = f"<html><title>Bridge</title><h1>Bridge</h1>{POSTS}".encode()


def own(folder: Path, **site: Any) -> Path:
    """An archive of ours: a page of a thread, which is the second of it, and an article."""
    writer = WarcWriter(folder, "forum")
    page, _ = writer.exchange(exchange("bridge", THREAD, url=URL))
    known = ReadPage(
        id=record_id(URL), url=URL, site="forum", kind="thread", number=2, first=21, count=8, records=[], next=None,
        thread_id="0123456789abcdef", thread_title="Bridge", thread_url="https://forum.example/t/1", fetched_at=AT.isoformat(),
    )  # fmt: skip
    facts = SiteFacts("forum", "forum", domains=("forum.example",), **site)
    part = Part.at(page, URL, AT)
    writer.describe(Described(facts, URL, Hints(), [part], line=asdict(known)), AT)
    write_article(writer, "one")
    writer.close()
    return folder


def extracted(path: Path, kind: str = "posts") -> list[PageLines | Rejection]:
    pages = [record_entry(step.entry, KINDS[kind]) for step in read_entries(find_archives([path]))]
    return [extract_record_page(page, extractor_of(kind, None, {})[1]) for page in pages if page is not None]


def test_a_described_page_keeps_what_its_crawl_knew(tmp_path: Path) -> None:
    (found,) = extracted(own(tmp_path / "warc"))
    assert isinstance(found, PageLines)
    read = extract_posts(Page(THREAD, URL, {"content-type": "text/html"}, AT))
    thread = Thread("0123456789abcdef", "https://forum.example/t/1", "Bridge")
    wanted = posts_of(read, thread, "forum", URL, 2, 21, "visual_blocks")
    assert [line(post) for post in found.records] == [line(post) for post in wanted]
    assert [post.position for post in wanted] == list(range(21, 29))
    assert found.page.records == [post.id for post in wanted]


def test_a_page_of_which_nothing_is_known_is_the_first_of_its_thread(tmp_path: Path) -> None:
    (found,) = extracted(foreign(tmp_path / "x.warc.gz", "bridge", bodies={"bridge": THREAD}))
    assert isinstance(found, PageLines)
    url = "https://courier.example/2026/03/01/bridge.html"
    assert found.page.url == url
    assert {(post.thread_id, post.thread_url, post.page) for post in found.records} == {(thread_id(url), url, 1)}  # type: ignore[union-attr]
    assert [post.author for post in found.records] == [f"User {k}" for k in range(8)]  # type: ignore[union-attr]


def test_hits_of_two_pages_are_different_records(tmp_path: Path) -> None:
    body = min((SITE / "search" / "classic").rglob("*.html"), key=lambda path: -path.stat().st_size).read_bytes()
    found = extracted(foreign(tmp_path / "x.warc.gz", "a", "b", bodies={"a": body, "b": body}), "hits")
    assert len({hit.id for lines in found if isinstance(lines, PageLines) for hit in lines.records}) == 20


@pytest.mark.parametrize(("site", "status"), [({"min_confidence": 1.1}, "empty"), ({"allow": ("(a+)+$",)}, "failed")])
def test_pages_without_records_are_rejected(tmp_path: Path, site: dict[str, Any], status: str) -> None:
    (found,) = extracted(own(tmp_path / "warc", **site))
    assert isinstance(found, Rejection)
    assert (found.id, found.status) == (record_id(URL), status)


def test_kinds_of_entries(tmp_path: Path) -> None:
    described, article = (step.entry for step in read_entries(find_archives([own(tmp_path / "warc")])))
    assert [record_entry(described, kind) is described for kind in KINDS.values()] == [True, False, False]
    assert {record_entry(article, kind) for kind in KINDS.values()} == {None}
    assert record_entry(Failure("x", "damaged"), KINDS["posts"]) is None


def test_the_command_writes_each_record_once(tmp_path: Path) -> None:
    foreign(own(tmp_path / "warc") / "x.warc.gz", "a", "b", "c", bodies={"a": THREAD, "b": html("b"), "c": b"<p>Short."})
    output = tmp_path / "posts.jsonl"
    arguments = ["extract", "--warc", str(tmp_path / "warc"), "-o", str(output), "--as", "posts", "--workers", "0"]
    assert main(arguments) == 0
    whole = output.read_bytes()
    pages = [found for found in extracted(tmp_path / "warc") if isinstance(found, PageLines)]
    assert len(pages) == 2
    assert whole == b"".join(line(post) for found in pages for post in found.records)
    rejected = output.with_suffix(".rejected.jsonl").read_bytes()
    assert {json.loads(row)["status"] for row in rejected.splitlines()} == {"empty"}
    output.write_bytes(b"".join(whole.splitlines(keepends=True)[:3]))
    assert main(arguments) == 0
    assert output.read_bytes() == whole, "a torn run is completed, in the same order"
    assert output.with_suffix(".rejected.jsonl").read_bytes() == rejected
    assert main([*arguments[:-3], "hits"]) == 2, "a feed has records of one kind"


def test_as_needs_archives() -> None:
    assert main(["extract", "page.html", "--as", "posts"]) == 2
