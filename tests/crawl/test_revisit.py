"""`-a revisit=all`: known pages are asked for again; only changed ones give a line, with a higher revision."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.crawl

WWW = Path(__file__).parents[1] / "sample_site" / "www"
CHANGED = "/en/2025/10/16/nine-days-of-fog.html"
Run = Callable[..., Any]


def test_sample_site(run_crawl: Run, make_sites: Run, tmp_path: Path) -> None:
    folder = tmp_path / "www"
    shutil.copytree(WWW, folder)
    base = "http://www.harbour-ledger.example"
    sites = make_sites(
        {"name": "copy", "serve": str(folder), "start": [base + "/"], "sitemaps": ["robots.txt"],
         "from_articles": True, "depth": 10, "min_length": 60}
    )  # fmt: skip
    feed = tmp_path / "news.jsonl"
    first = run_crawl(feed, sites=sites).check()
    before, turned_away = first.records, first.rejected
    assert len(before) > 50
    whole = feed.read_bytes()

    def revisit() -> Any:
        return run_crawl(feed, "-a", "revisit=all", sites=sites, settings={"LOG_LEVEL": "DEBUG"}).check()

    second = revisit()
    urls = {line["url"] for line in before}
    assert set(second.fetched_with(304)) == urls
    assert f"not modified {len(urls)}" in second.err or f"{len(urls)} not modified" in second.err
    assert feed.read_bytes() == whole
    assert second.rejected == turned_away

    page = folder / CHANGED.lstrip("/")
    text = page.read_text("utf-8")
    assert text.count("<p>") > 3
    page.write_text(text.replace("</p>", " On the tenth day the sun came out again over the whole bay.</p>", 2), "utf-8")
    os.utime(page, ns=(0, page.stat().st_mtime_ns + 2_000_000_000))
    third = revisit()
    assert third.records[:-1] == before
    old, new = (line for line in third.records if line["url"] == base + CHANGED)
    assert (old["revision"], new["revision"]) == (0, 1)
    assert new["id"] == old["id"]
    assert "On the tenth day" in new["text"]
    assert new["etag"] != old["etag"]
    assert set(third.fetched_with(304)) == urls - {base + CHANGED}


def test_a_server_without_etags(small_crawl: Run, server: Any, make_sites: Run, address_file: Run, tmp_path: Path) -> None:
    """The whole page comes again; only its text decides. Then it changes, then it vanishes."""
    url = server.put_article("/story")
    server.put("/story", server.article("/story", tail="<div>Most read today</div>"))
    server.put("/story", server.article("/story", lead="<p>Corrected: it was the other bridge, as readers told us.</p>"))
    server.put("/story", server.article("/story", lead="<p>Corrected: it was the other bridge, as readers told us.</p>"))
    server.put("/story", status=410)
    sites = make_sites({"name": "made", "start": [server.url("/")]})
    feed = tmp_path / "news.jsonl"
    revisions = []
    for argument in ([], *[["-a", "revisit=all"]] * 4):
        crawl = small_crawl(feed, "-a", address_file(url), *argument, sites=sites).check()
        revisions.append([line["revision"] for line in crawl.records])
    assert revisions == [[0], [0], [0, 1], [0, 1], [0, 1]]
    assert len(server.times("/story")) == 5
    assert crawl.reasons["/story"] == "missing"


def test_young_records_are_left_alone(
    small_crawl: Run, server: Any, make_sites: Run, address_file: Run, tmp_path: Path
) -> None:
    urls = address_file(server.put_article("/story"))
    sites = make_sites({"name": "made", "start": [server.url("/")]})
    small_crawl(tmp_path / "news.jsonl", "-a", urls, sites=sites).check()
    small_crawl(tmp_path / "news.jsonl", "-a", urls, "-a", "revisit=1h", sites=sites).check()
    assert len(server.times("/story")) == 1
