"""`kill -9` between any two posts of a page loses nothing and doubles nothing."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]


@pytest.fixture
def sites(forum: Any, make_sites: Run) -> Path:
    """Twelve threads of one to four pages; the server takes its time, so that a crawl can be killed in its middle."""
    for thread in range(1, 13):
        forum.add(thread, 1 + thread * 7 % 19)
    for path, answers in forum.server.answers.items():
        if "viewtopic" in path:
            forum.server.answers[path] = [slow(answers[0])]
    return make_sites({"name": "quay", "kind": "forum", "start": [forum.board], "concurrency": 2})


def slow(answer: tuple[int, bytes, dict[str, str]]) -> Callable[[Any], None]:
    def handle(handler: Any) -> None:
        time.sleep(0.03)
        handler.answer(*answer)

    return handle


def posts(crawl: Any) -> dict[str, dict[str, Any]]:
    """Lines by id, without what depends on the fetch; each once."""
    found: dict[str, dict[str, Any]] = {}
    for line in crawl.records:
        assert line["id"] not in found, f"twice: {line}"
        found[line["id"]] = {key: value for key, value in line.items() if key != "fetched_at"}
    return found


def check(crawl: Any, forum: Any) -> None:
    found = {(int(line["thread_url"].rpartition("=")[2]), line["position"]): line["text"] for line in posts(crawl).values()}
    assert found == forum.expected()
    assert len(crawl.records) == len(found)


@pytest.mark.parametrize("permalinks", [True, False])
def test_a_killed_crawl_goes_on(
    permalinks: bool, start_crawl: Run, forum: Any, sites: Path, run_crawl: Run, tmp_path: Path
) -> None:
    if not permalinks:
        forum.permalinks = False
        forum.publish()
    feed = tmp_path / "forum.jsonl"
    dice = random.Random(permalinks)
    for _ in range(2):
        crawl = start_crawl(feed, sites=sites, spider="forum")
        begun = feed.read_bytes().count(b"\n") if feed.exists() else 0
        crawl.wait_for_lines(begun + dice.randint(1, 25))
        crawl.kill()
        assert crawl.session.is_gone_within(5), f"orphans: {crawl.session.processes()}"
    last = run_crawl(feed, sites=sites, spider="forum").check()
    check(last, forum)


def test_every_state_of_the_two_feeds_is_completed(small_crawl: Run, forum: Any, sites: Path, tmp_path: Path) -> None:
    """Posts and pages are written independently: any part of either may be missing, and the last line may be torn."""
    whole = small_crawl(tmp_path / "whole" / "forum.jsonl", sites=sites, spider="forum").check()
    check(whole, forum)
    dice = random.Random(3)
    for number in range(3):
        folder = tmp_path / str(number)
        shutil.copytree(whole.feed.parent, folder)
        for name in ("forum.jsonl", "forum.pages.jsonl"):
            lines = (folder / name).read_bytes().splitlines(keepends=True)
            kept = sorted(dice.sample(range(len(lines)), len(lines) * dice.randint(30, 95) // 100))
            (folder / name).write_bytes(b"".join(lines[k] for k in kept) + lines[0][:50])
        again = small_crawl(folder / "forum.jsonl", sites=sites, spider="forum").check()
        assert posts(again) == posts(whole)


def test_a_page_half_written_is_read_again_and_the_rest_of_it_written(
    small_crawl: Run, forum: Any, sites: Path, tmp_path: Path
) -> None:
    """Also when posts were added meanwhile."""
    feed = tmp_path / "forum.jsonl"
    whole = small_crawl(feed, sites=sites, spider="forum").check()
    lines = feed.read_bytes().splitlines(keepends=True)
    page = max({line["url"] for line in whole.records}, key=lambda url: sum(r["url"] == url for r in whole.records))
    places = [k for k, line in enumerate(whole.records) if line["url"] == page]
    assert len(places) == 5
    feed.write_bytes(b"".join(line for k, line in enumerate(lines) if k not in places[2:]))
    forum.add(int(page.rpartition("=")[2]), 3)
    again = small_crawl(feed, sites=sites, spider="forum").check()
    check(again, forum)


def test_a_feed_of_another_spider_is_refused(
    small_crawl: Run, forum: Any, sites: Path, make_sites: Run, tmp_path: Path
) -> None:
    feed = tmp_path / "forum.jsonl"
    small_crawl(feed, sites=sites, spider="forum").check()
    before = feed.read_bytes()
    news = make_sites({"name": "news", "start": [forum.board]}, name="news.toml")
    engines = make_sites({"name": "e", "kind": "search", "search": "http://127.0.0.1:1/?q={query}"}, name="engines.toml")
    for spider, file, arguments in (("news", news, ()), ("search", engines, ("-a", "query=a"))):
        refused = small_crawl(feed, *arguments, sites=file, spider=spider).check(2)
        assert "it has no record of newsextract" in refused.err
        assert "name another feed" in refused.err
    assert feed.read_bytes() == before
