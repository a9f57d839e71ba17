"""A crawl names sites that fall out of their own history, and notes what led to each page."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from newsextract.alarms import RunFigures
from newsextract.feed_report.views import way
from newsextract.state.store import add_runs, read_runs, trace
from newsextract.urls import record_id

pytestmark = pytest.mark.crawl
ARTICLES = [f"/story-{word}" for word in "anchor barge cutter dinghy ferry galley hulk ketch lugger punt skiff yawl".split()]


def test_a_site_without_its_bylines_is_an_alarm_of_the_run(
    server: Any, small_crawl: Callable[..., Any], make_sites: Callable[..., Path], tmp_path: Path
) -> None:
    feed, got = tmp_path / "news.jsonl", tmp_path / "got.json"
    notify = f"{sys.executable} -c \"import sys; open('{got}', 'w').write(sys.stdin.read())\""
    sites = make_sites({"name": "quay", "start": [server.url("/")]})
    server.put("/", server.listing(ARTICLES[0]))
    server.put("/", server.listing(*ARTICLES))
    server.put_article(ARTICLES[0])
    for path in ARTICLES[1:]:
        server.put(path, server.article(path).replace("By Mara Quill", ""))

    def run() -> Any:
        return small_crawl(feed, sites=sites, settings={"ALARM_NOTIFY": notify})

    assert run().check(0).records[0]["authors"] == ["Mara Quill"]
    [(first, _)] = read_runs(feed)["quay"]
    assert (first.records, first.coverage["authors"]) == (1, 1.0)

    now = datetime.now(UTC)
    for number in range(1, 9):  # as if it had been crawled each day
        at = (now - timedelta(days=number)).isoformat(timespec="seconds")
        figures = RunFigures(at, 11, 0, first.length, 0.2, first.confidence, first.coverage)
        add_runs(feed, {"quay": (figures, [])})
    done = run().check(6)
    assert "ALARM: quay: " in done.err
    assert "authors" in done.err
    assert [site["site"] for site in json.loads(got.read_text("utf-8"))["sites"]] == ["quay"]
    assert read_runs(feed)["quay"][-1][1]

    found = trace(feed, [int(record_id(server.url(ARTICLES[5])), 16)], server.url(ARTICLES[5]))
    assert (found.how, found.place) == ("link", server.url("/"))
    assert trace(feed, [int(record_id(server.url("/")), 16)], None).how == "start page"
    lines, known = way(server.url(ARTICLES[5]), [feed], {})
    assert known
    assert any("in the feed" in line for line in lines)


def test_a_run_that_chooses_among_the_pages_is_no_part_of_the_history(
    server: Any, small_crawl: Callable[..., Any], make_sites: Callable[..., Path], tmp_path: Path
) -> None:
    feed = tmp_path / "news.jsonl"
    server.put("/", server.listing(*ARTICLES[:3]))
    for path in ARTICLES[:3]:
        server.put_article(path)
    small_crawl(feed, "-a", "limit=1", sites=make_sites({"name": "quay", "start": [server.url("/")]})).check(0)
    assert read_runs(feed) == {}
