"""`-a revisit=all`: known pages are asked for again; only changed ones give a line, with a higher revision."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
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
    assert revisions == [[0], [0], [0, 1], [0, 1], [0, 1, 2]]
    assert len(server.times("/story")) == 5
    _, edited, gone = crawl.records
    assert (gone["status"], gone["reason"]) == ("gone", "HTTP 410")
    same = ("id", "url", "title", "text", "date", "fingerprint", "confidence")
    assert [gone[name] for name in same] == [edited[name] for name in same]
    assert crawl.rejected == []


def test_a_page_that_stays_gone_has_one_revision_and_one_that_comes_back_another(
    small_crawl: Run, server: Any, make_sites: Run, address_file: Run, tmp_path: Path
) -> None:
    url = server.put_article("/story")
    for status in (404, 410):
        server.put("/story", status=status)
    server.put("/story", server.article("/story"))
    sites = make_sites({"name": "made", "start": [server.url("/")]})
    for argument in ([], *[["-a", "revisit=all"]] * 3):
        crawl = small_crawl(tmp_path / "news.jsonl", "-a", address_file(url), *argument, sites=sites).check()
    assert [(line["revision"], line["status"]) for line in crawl.records] == [(0, "ok"), (1, "gone"), (2, "ok")]
    assert len({line["text"] for line in crawl.records}) == 1


def test_a_page_that_says_with_code_200_that_it_is_missing_is_gone_and_a_log_in_is_no_revision(
    small_crawl: Run, server: Any, make_sites: Run, address_file: Run, tmp_path: Path
) -> None:
    url = server.put_article("/story")
    text = "<p>The page you are looking for may have been moved. Please check the address or use the search of our site.</p>"
    form = "<form><input type=password><button>Log in</button></form>"
    log_in = f"<title>Log in | Example</title><h1>Log in</h1>{text}{form}"
    server.put("/story", log_in)
    server.put(
        "/story", f"<title>Page not found</title><article><h1>Sorry, we could not find that page</h1>{text}</article>"
    )
    new = server.url("/new")
    server.put(
        "/new", f"<title>Seite nicht gefunden - Tagblatt</title><h1>Diese Seite wurde leider nicht gefunden</h1>{text}"
    )
    sites = make_sites({"name": "made", "start": [server.url("/")], "min_length": 10})
    feed = tmp_path / "news.jsonl"
    small_crawl(feed, "-a", address_file(url), sites=sites).check()
    locked = small_crawl(feed, "-a", address_file(url), "-a", "revisit=all", sites=sites).check()
    assert [(line["revision"], line["status"]) for line in locked.records] == [(0, "ok")]
    assert [(line["url"], line["status"]) for line in locked.rejected] == [(url, "blocked")]
    crawl = small_crawl(feed, "-a", address_file(url, new), "-a", "revisit=all", sites=sites).check()
    assert [(line["revision"], line["status"]) for line in crawl.records] == [(0, "ok"), (1, "gone")]
    assert len({line["text"] for line in crawl.records}) == 1
    assert [line["status"] for line in crawl.rejected if line["url"] == new] == ["missing"]


@pytest.mark.parametrize(
    ("code", "target", "expected"),
    [(301, "/new", "moved"), (308, "/new", "moved"), (301, "/", "gone"), (302, "/new", None)],
)
def test_only_a_permanent_redirect_is_a_revision(
    code: int,
    target: str,
    expected: str | None,
    small_crawl: Run,
    server: Any,
    make_sites: Run,
    address_file: Run,
    tmp_path: Path,
) -> None:
    url = server.put_article("/story")
    sites = make_sites({"name": "made", "start": [server.url("/")]})
    feed = tmp_path / "news.jsonl"
    small_crawl(feed, "-a", address_file(url), sites=sites).check()
    server.put_article("/new")
    server.put("/", "<p>The front page.</p>")
    server.answers["/story"] = []
    server.put("/story", status=code, Location=server.url(target))
    crawl = small_crawl(feed, "-a", address_file(url), "-a", "revisit=all", sites=sites).check()
    lines = [line for line in crawl.records if line["url"] == url]
    if expected is None:
        assert [line["status"] for line in lines] == ["ok"]
        assert crawl.reasons["/story"] == "redirected"
        return
    assert [(line["revision"], line["status"]) for line in lines] == [(0, "ok"), (1, expected)]
    assert lines[1]["canonical_url"] == (server.url("/new") if expected == "moved" else lines[0]["canonical_url"])
    assert str(code) in lines[1]["reason"]
    assert [line["status"] for line in crawl.records if line["url"] == server.url("/new")] == ["ok"] * (target == "/new")


def test_a_sites_own_key_visits_young_records_again_after_an_hour(
    small_crawl: Run, server: Any, make_sites: Run, address_file: Run, tmp_path: Path
) -> None:
    urls = [server.put_article(path) for path in ("/old", "/young", "/just-now")]
    sites = make_sites({"name": "made", "start": [server.url("/")], "revisit": "2d"})
    feed = tmp_path / "news.jsonl"
    small_crawl(feed, "-a", address_file(*urls), sites=sites).check()
    ages = {"/old": timedelta(days=3), "/young": timedelta(hours=3), "/just-now": timedelta(minutes=5)}
    lines = []
    for line in feed.read_text("utf-8").splitlines():
        path = next(path for path in ages if f'{path}"' in line)
        then = (datetime.now(UTC) - ages[path]).isoformat(timespec="seconds")
        lines.append(re.sub(r'"fetched_at": "[^"]*"', f'"fetched_at": "{then}"', line))
    feed.write_text("\n".join(lines) + "\n", "utf-8")
    server.answers["/young"] = []
    server.put("/young", status=404)
    crawl = small_crawl(feed, "-a", address_file(*urls), sites=sites).check()
    assert {path: len(server.times(path)) for path in ages} == {"/old": 1, "/young": 2, "/just-now": 1}
    assert [line["url"] for line in crawl.records if line["status"] == "gone"] == [urls[1]]


def test_young_records_are_left_alone(
    small_crawl: Run, server: Any, make_sites: Run, address_file: Run, tmp_path: Path
) -> None:
    urls = address_file(server.put_article("/story"))
    sites = make_sites({"name": "made", "start": [server.url("/")]})
    small_crawl(tmp_path / "news.jsonl", "-a", urls, sites=sites).check()
    small_crawl(tmp_path / "news.jsonl", "-a", urls, "-a", "revisit=1h", sites=sites).check()
    assert len(server.times("/story")) == 1
