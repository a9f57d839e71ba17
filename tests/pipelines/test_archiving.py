"""What a crawl writes into its archive of the pages that give records."""

from __future__ import annotations

from pathlib import Path

import pytest

from newsextract import Hints, Page
from newsextract.archives import ArchivedArticle, find_archives, read_entries
from newsextract.sites import Site
from pipelines.items import FetchedPage
from pipelines.storage import Asked, CrawlArchive
from tests.made_archives import AT, exchange, html


def test_an_article_whose_first_page_came_long_ago(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many answers come between its pages: what its record is made of is described."""
    monkeypatch.setattr("pipelines.storage.KEEP", 3)
    site = Site(name="courier", start=["https://courier.example/"])

    archive = CrawlArchive(tmp_path, "news")

    def fetched(name: str) -> Page:
        made = exchange(name)
        place = archive.answer(made, made.url, Asked(None, None), None)
        return Page(made.body, made.url, {}, AT, Hints(), place=place)

    first = fetched("one")
    for k in range(5):
        fetched(f"other-{k}")
    parts = [first, fetched("one-2")]
    archive.article(FetchedPage(site, first.url or "", parts), "combined", {})
    archive.close()
    (step,) = read_entries(find_archives([tmp_path]))
    assert isinstance(step.entry, ArchivedArticle)
    assert [part.body for part in step.entry.parts] == [html("one"), html("one-2")]
