"""`kill -9` at any moment loses nothing and doubles nothing; Ctrl-C ends soon."""

from __future__ import annotations

import random
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]


def comparable(records: Iterable[dict[str, Any]], expected: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Lines by id without what depends on the time of the fetch: a relative date does, too."""
    found: dict[str, dict[str, Any]] = {}
    for line in records:
        assert line["id"] not in found, f"twice: {line['url']}"
        relative = expected.get(line["url"], {}).get("relative_hours") is not None
        left_out = {"fetched_at", "duplicate_of"} | ({"date"} if relative else set())  # the latter depends on the order
        found[line["id"]] = {key: value for key, value in line.items() if key not in left_out}
    return found


def verdicts(rejected: Iterable[dict[str, Any]]) -> Counter[tuple[str, str]]:
    return Counter((line["url"], line["status"]) for line in rejected)


@pytest.mark.parametrize("seed", [1, 2])
def test_killed_crawl_goes_on_where_it_was(
    seed: int, start_crawl: Run, run_crawl: Run, undisturbed: Any, expected: dict[str, Any], tmp_path: Path
) -> None:
    feed = tmp_path / "news.jsonl"
    dice = random.Random(seed)
    for _ in range(2):
        crawl = start_crawl(feed)
        begun = feed.read_bytes().count(b"\n") if feed.exists() else 0
        crawl.wait_for_lines(begun + dice.randint(1, 15))
        assert len(crawl.session.processes()) >= 3, "workers are looked for in the wrong place"
        crawl.kill()
        assert crawl.session.is_gone_within(5), f"orphans: {crawl.session.processes()}"
    last = run_crawl(feed).check()
    assert comparable(last.records, expected) == comparable(undisturbed.records, expected)
    assert verdicts(last.rejected) == verdicts(undisturbed.rejected)


def test_every_state_of_the_record_feed_is_completed(
    small_crawl: Run, undisturbed: Any, expected: dict[str, Any], tmp_path: Path
) -> None:
    """The two feeds are written independently: a crash may leave all rejections and only some records."""
    lines = undisturbed.feed.read_bytes().splitlines(keepends=True)
    kept = random.Random(5).sample(lines, 20)
    for feed in undisturbed.feed.parent.glob("news.*"):
        shutil.copy(feed, tmp_path)
    feed = tmp_path / "news.jsonl"
    # The kept lines say of themselves what they are duplicates of, as if the others had never been written.
    feed.write_bytes(b"".join(kept))
    crawl = small_crawl(feed).check()
    missing = set(comparable(undisturbed.records, expected)) - set(comparable(crawl.records, expected))
    assert {line["url"] for line in undisturbed.records if line["id"] in missing} == set()


def test_torn_lines_are_repaired(small_crawl: Run, undisturbed: Any, expected: dict[str, Any], tmp_path: Path) -> None:
    for feed in undisturbed.feed.parent.glob("news.*"):
        shutil.copy(feed, tmp_path)
    feed, rejected = tmp_path / "news.jsonl", tmp_path / "news.rejected.jsonl"
    whole = feed.read_bytes()
    cut = whole[:-1].rindex(b"\n") + 1
    feed.write_bytes(whole[: cut + 300])  # the last line is torn in its middle
    with rejected.open("ab") as file:
        file.write(b'{"id": "0123')
    crawl = small_crawl(feed).check()
    assert "1 new" in crawl.err
    assert comparable(crawl.records, expected) == comparable(undisturbed.records, expected)
    assert crawl.rejected == undisturbed.rejected


@pytest.mark.parametrize("how", ["redirect", "refresh", "canonical"])
def test_a_page_reached_through_another_survives_a_crash(
    how: str, server: Any, make_sites: Callable[..., Path], start_crawl: Run, small_crawl: Run, tmp_path: Path
) -> None:
    """Killed after the first page was turned away, before the one it leads to became a record."""
    first, last = "/2025/05/06/first-address.html", "/2025/05/06/last-address.html"
    server.put("/", server.listing(first))
    if how == "redirect":
        server.put(first, status=302, Location=last)
    elif how == "refresh":
        server.put(first, f'<html><head><meta http-equiv="refresh" content="0; url={last}"></head><body></body></html>')
    else:
        server.put_article(first, head=f'<link rel="canonical" href="{server.url(last)}">')
    server.put(last, lambda handler: server.released.wait(8))  # no answer before the crawl is killed
    server.put_article(last)
    if how == "redirect":  # there the rejection comes with the answer: stop time between the two by hand
        server.answers[last].pop(0)
    sites = make_sites({"name": "made", "start": [server.url("/")]})
    feed = tmp_path / "news.jsonl"
    crawl = start_crawl(feed, sites=sites)
    if how == "redirect":
        crawl.wait()
        feed.write_bytes(b"")
    elif how == "canonical":  # the page that names it has no line until it is known whether it gives a record
        while not server.times(last):
            assert crawl.process.poll() is None, crawl.err
            time.sleep(0.05)
        assert all(first not in line["url"] for line in crawl.rejected)
        crawl.kill()
        server.answers[last] = server.answers[last][-1:]
    else:
        crawl.wait_for_lines(2, crawl.rejected_feed)
        crawl.kill()
        server.answers[last] = server.answers[last][-1:]
    again = small_crawl(feed, sites=sites).check()
    assert [line["title"] for line in again.records] == [server.headline(last)], again.rejected


def test_ctrl_c_ends_soon_and_cleanly(start_crawl: Run, run_crawl: Run, undisturbed: Any, tmp_path: Path) -> None:
    crawl = start_crawl(tmp_path / "news.jsonl")
    crawl.wait_for_lines(15)
    crawl.interrupt()
    crawl.wait(10)
    crawl.check(4)
    assert "ended early (shutdown)" in crawl.err
    begun = crawl.records
    assert 15 <= len(begun) < len(undisturbed.records)
    again = run_crawl(crawl.feed).check()
    assert again.records[: len(begun)] == begun or {r["id"] for r in begun} <= {r["id"] for r in again.records}
    assert {line["id"] for line in again.records} == {line["id"] for line in undisturbed.records}


def test_ctrl_c_does_not_wait_for_a_server_that_hangs(
    server: Any, make_sites: Callable[..., Path], start_crawl: Run, address_file: Callable[..., str], tmp_path: Path
) -> None:
    good = server.put_article("/good")
    slow = server.put("/slow", lambda handler: server.released.wait(60))
    sites = make_sites({"name": "made", "start": [server.url("/")]})
    crawl = start_crawl(tmp_path / "news.jsonl", "-a", address_file(good, slow), sites=sites)
    crawl.wait_for_lines(1)
    crawl.interrupt()
    crawl.wait(10)
    crawl.check(4)
    assert "ended early (shutdown)" in crawl.err
    assert len(crawl.records) == 1


def test_ctrl_c_does_not_wait_for_requests_that_a_delay_holds_back(
    server: Any, make_sites: Callable[..., Path], start_crawl: Run, address_file: Callable[..., str], tmp_path: Path
) -> None:
    addresses = [server.put_article(f"/{number}") for number in range(12)]
    sites = make_sites({"name": "made", "start": [server.url("/")], "delay": 2})
    crawl = start_crawl(tmp_path / "news.jsonl", "-a", address_file(*addresses), sites=sites)
    crawl.wait_for_lines(1)
    crawl.interrupt()
    crawl.wait(10)
    crawl.check(4)
    assert "ended early (shutdown)" in crawl.err
    assert crawl.rejected == []


def test_ctrl_c_at_the_very_start(start_crawl: Run, tmp_path: Path) -> None:
    """While the workers are being started they do not ignore SIGINT yet."""
    crawl = start_crawl(tmp_path / "news.jsonl")
    while len(crawl.session.processes()) < 3:
        assert crawl.process.poll() is None
    crawl.interrupt()
    crawl.wait(15)
