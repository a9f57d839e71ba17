"""Fields that a site's definition selects, in the crawl and from its archive."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from newsextract.cli import main

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]


def test_selected_fields_are_those_of_the_record_here_and_from_the_archive(
    small_crawl: Run, server: Any, make_sites: Run, tmp_path: Path
) -> None:
    server.put("/", server.listing("/a-1.html", "/a-2.html"))
    server.put_article("/a-1.html", lead="<p class=desk>The harbour desk</p>")
    server.put_article("/a-2.html")
    table = {"name": "courier", "start": [server.url("/")]}
    sites = make_sites(table)
    sites.write_text(
        sites.read_text("utf-8") + '[site.fields]\nsection = ".desk"\ntitle = ".desk"\nimage = ".photo"\n', "utf-8"
    )
    crawl = small_crawl(tmp_path / "news.jsonl", "-a", f"warc={tmp_path / 'warc'}", sites=sites).check()
    found = {record["url"].rpartition("/")[2]: record for record in crawl.records}
    assert found["a-1.html"]["section"] == found["a-1.html"]["title"] == "The harbour desk"
    assert found["a-1.html"]["title_source"] == "selector"
    assert found["a-2.html"]["title_source"] != "selector"
    told = [line for line in crawl.err.splitlines() if "site.fields" in line]
    assert told == ["WARNING: site courier: selectors of [site.fields] that match nothing on any page: image = '.photo'"]
    again = tmp_path / "again.jsonl"
    assert main(["extract", "--warc", str(tmp_path / "warc"), "-o", str(again), "--workers", "0"]) == 0
    lines = {json.loads(line)["id"]: json.loads(line) for line in again.read_text("utf-8").splitlines()}
    assert lines == {record["id"]: record for record in crawl.records}
