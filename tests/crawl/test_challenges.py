"""A host that asks for a proof is left alone: one request, nothing lost, and the next run tries again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.crawl

WALL = b"<!doctype html><title>Just a moment...</title><script>window._cf_chl_opt = {cvId: '3'};</script><p>Wait, please."


def sitemap(server: Any, count: int) -> str:
    urls = "".join(f"<url><loc>{server.url(f'/story-{k}')}</loc></url>" for k in range(count))
    urlset = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>'
    return str(server.put("/sitemap.xml", urlset, kind="application/xml"))


def stories(server: Any) -> list[str]:
    """Of what was asked the pages."""
    return [path for _, path, _ in server.hits if path.startswith("/story-")]


@pytest.mark.parametrize(
    ("code", "headers", "by"),
    [(403, {"cf-mitigated": "challenge"}, "cf-mitigated"), (200, {}, "_cf_chl_opt"), (503, {}, "_cf_chl_opt")],
)
def test_a_wall_is_asked_once(
    run_crawl: Any, make_sites: Any, server: Any, tmp_path: Path, code: int, headers: dict[str, str], by: str
) -> None:
    address = sitemap(server, 300)
    for k in range(300):
        server.answers[f"/story-{k}"] = [(code, WALL, {"Content-Type": "text/html"} | headers)]
    sites = make_sites({"name": "made", "sitemaps": [address], "concurrency": 1, "delay": 0.01})
    crawl = run_crawl(tmp_path / "news.jsonl", sites=sites).check(1)
    assert len(stories(server)) <= 2  # the next one may be on its way when the first answer comes
    assert crawl.records == []
    assert {line["status"] for line in crawl.rejected} == {"challenged"}
    assert by in crawl.rejected[0]["reason"]
    assert "left alone for the rest of this run" in crawl.err
    assert f"{300 - len(crawl.rejected)} addresses that wait are left to the next run" in crawl.err

    server.hits.clear()
    server.answers = {path: answers for path, answers in server.answers.items() if not path.startswith("/story-")}
    for k in range(3):
        server.put_article(f"/story-{k}")
    again = run_crawl(tmp_path / "news.jsonl", sites=sites).check(3)  # most are missing now
    assert len(again.records) == 3
    assert sorted(stories(server)) == sorted(f"/story-{k}" for k in range(300))
