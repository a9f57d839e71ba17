"""Pages that are shells of scripts or refuse to be read give the text of their feed's entry."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]
SHELL = '<!DOCTYPE html><title>Shell Daily</title><div id="root"></div><script src="/main.js"></script>'
SENTENCE = "The council voted for the second bridge after a long debate, and the harbour office will replace the old one. "


def test_the_text_of_the_feed_stands_in_for_pages_without_text(
    small_crawl: Run, server: Any, make_sites: Run, tmp_path: Path
) -> None:
    whole = {
        path: "".join(f"<p>{path[1:]} {k}: {SENTENCE * 2}</p>" for k in range(4))
        for path in ("/shell", "/refused", "/page", "/gone")
    }
    items = "".join(
        f"<item><title>The bridge of {path[1:]}</title><link>{server.url(path)}</link><dc:creator>Ann Lee</dc:creator>"
        f"<pubDate>Mon, 04 May 2026 10:00:00 +0000</pubDate><content:encoded><![CDATA[{text}]]></content:encoded></item>"
        for path, text in whole.items()
    )
    names = 'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    feed = server.put(
        "/feed.xml", f"<rss version='2.0' {names}><channel>{items}</channel></rss>", kind="application/rss+xml"
    )
    server.put("/shell", SHELL)
    server.put("/refused", "<h1>Forbidden</h1>", status=403)
    server.put_article("/page")
    server.put("/page", SHELL)
    server.put("/gone", "", status=404)
    sites = make_sites({"name": "made", "start": [], "feeds": [feed]})
    first = small_crawl(tmp_path / "news.jsonl", sites=sites).check()
    records = {line["url"].rpartition("/")[2]: line for line in first.records}
    assert records.keys() == {"shell", "refused", "page"}
    for name in ("shell", "refused"):
        one = records[name]
        assert (one["title"], one["authors"], one["date"][:10]) == (f"The bridge of {name}", ["Ann Lee"], "2026-05-04")
        assert one["text"].startswith(f"{name} 0: The council voted")
        assert "feed" in one["reason"]
    assert "feed" not in (records["page"]["reason"] or "")
    assert [line["status"] for line in first.rejected] == ["missing"]
    second = small_crawl(tmp_path / "news.jsonl", "-a", "revisit=all", sites=sites).check()
    assert second.records == first.records, "what was read from a page is not replaced"
