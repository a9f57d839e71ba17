"""What a host, its headers and its pages reserve stands in the records, and is obeyed where the site says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.crawl


@pytest.mark.parametrize("obeys", [False, True])
def test_reservations(run_crawl: Any, make_sites: Any, server: Any, tmp_path: Path, obeys: bool) -> None:
    rules = [{"location": "/mine/*", "tdm-reservation": 1, "tdm-policy": "https://x.example/p"}]
    server.put("/.well-known/tdmrep.json", json.dumps(rules), kind="application/json")
    server.put_article("/mine/one")
    server.put_article("/meta", head='<meta name=robots content="noai, follow">')
    server.put("/header", server.article("/header"), X_Robots_Tag="noindex")
    server.put_article("/free")
    paths = ("/mine/one", "/meta", "/header", "/free")
    server.put("/", server.listing(*paths))
    sites = make_sites({"name": "made", "start": [server.url("/")], "obey_reservations": obeys})
    crawl = run_crawl(tmp_path / "news.jsonl", sites=sites).check()
    told = {line["url"]: line["reserved"] for line in crawl.records}
    reserved = {
        server.url("/mine/one"): "tdm-reservation (/.well-known/tdmrep.json), policy https://x.example/p",
        server.url("/meta"): "noai (meta robots)",
        server.url("/header"): "noindex (X-Robots-Tag)",
    }
    assert told == ({} if obeys else reserved) | {server.url("/free"): None}
    if obeys:
        turned = {line["url"]: line["reason"] for line in crawl.rejected if line["status"] == "reserved"}
        assert turned == {url: f"the page reserves its use: {reason}" for url, reason in reserved.items()}
    assert len(server.times("/.well-known/tdmrep.json")) == 1
