"""A feed that somebody deletes, replaces or cuts while a crawl writes it: the crawl stops and says so."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]


def replace(path: Path) -> None:
    """As ``jq … feed > copy && mv copy feed`` does."""
    copy = path.with_suffix(".copy")
    shutil.copy(path, copy)
    copy.replace(path)


def cut(path: Path) -> None:
    path.write_bytes(b"")


CHANGES: dict[str, tuple[Callable[[Path], None], str]] = {
    "deleted": (Path.unlink, "was deleted while"),
    "replaced": (replace, "was replaced by another file while"),
    "cut": (cut, "was cut off"),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("suffix", [".jsonl", ".rejected.jsonl"])
def test_a_feed_that_is_changed_meanwhile_stops_the_crawl(
    start_crawl: Run, small_crawl: Run, server: Any, make_sites: Run, tmp_path: Path, change: str, suffix: str
) -> None:
    act, message = CHANGES[change]
    paths = [f"/a-{number}.html" for number in range(8)]
    server.put("/", server.listing(*paths, *(f"/gone-{number}.html" for number in range(8))))
    for path in paths:
        server.put_article(path)
    sites = make_sites({"name": "courier", "start": [server.url("/")], "delay": 0.1, "concurrency": 1})
    feed = tmp_path / "news.jsonl"
    changed = feed.with_suffix(suffix)
    crawl = start_crawl(feed, sites=sites, settings={"EXTRACTION_WORKERS": 0})
    crawl.wait_for_lines(1, changed)
    act(changed)
    crawl.wait(60)
    assert crawl.code == 5, crawl.err
    assert "Traceback" not in crawl.err
    assert f"{changed} {message}" in crawl.err
    again = small_crawl(feed, sites=sites).check()
    assert sorted(line["url"] for line in again.records) == sorted(map(server.url, paths)), "none is lost, none is twice"


def test_a_feed_of_pages_that_is_deleted_stops_the_crawl(
    start_crawl: Run, forum: Any, make_sites: Run, tmp_path: Path
) -> None:
    forum.add(7, 40)
    sites = make_sites({"name": "quay", "kind": "forum", "start": [forum.board], "delay": 0.2, "concurrency": 1})
    crawl = start_crawl(tmp_path / "forum.jsonl", sites=sites, spider="forum", settings={"EXTRACTION_WORKERS": 0})
    crawl.wait_for_lines(1, crawl.pages_feed)
    crawl.pages_feed.unlink()
    crawl.wait(60)
    assert crawl.code == 5, crawl.err
    assert f"{crawl.pages_feed} was deleted while" in crawl.err


def test_a_feed_that_is_deleted_after_its_last_line_is_told_at_the_end(
    start_crawl: Run, server: Any, make_sites: Run, tmp_path: Path
) -> None:
    server.put("/", server.listing("/a-1.html", "/slow.html"))
    server.put_article("/a-1.html")
    server.put("/slow.html", lambda handler: (server.released.wait(20), handler.answer(404, b"", {})))
    sites = make_sites({"name": "courier", "start": [server.url("/")]})
    crawl = start_crawl(tmp_path / "news.jsonl", sites=sites, settings={"EXTRACTION_WORKERS": 0})
    crawl.wait_for_lines(1)
    crawl.feed.unlink()
    server.released.set()
    crawl.wait(60)
    assert crawl.code == 5, crawl.err
    assert f"ERROR: {crawl.feed} was deleted while" in crawl.err
