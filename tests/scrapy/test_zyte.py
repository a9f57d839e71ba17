"""Round trips between our results and the items of zyte-common-items: what both sides have survives."""

from __future__ import annotations

import dataclasses
from dataclasses import asdict
from pathlib import Path
from typing import Any

import attrs
import pytest

from newsextract import Page, extract, extract_hits, extract_posts, extract_teasers
from newsextract.feed.record_lines import RecordSource, news_record
from newsextract.results import Article

zyte_items = pytest.importorskip("zyte_common_items", reason="the extra zyte")

from newsextract.scrapy import zyte  # noqa: E402  # it needs the package

SAMPLE = Path(__file__).parents[1] / "sample_site"
URL = "http://www.harbour-ledger.example/en/2025/01/08/council-approves-tram-extension.html"
BODY = (SAMPLE / "www/en/2025/01/08/council-approves-tram-extension.html").read_bytes()
THREAD = (SAMPLE / "forum/columns/thread-3021-1-1.html").read_bytes()
THREAD_URL = "http://forum.example/thread-3021-1-1.html"
RESULTS = (SAMPLE / "search/classic/search@q=harbour.html").read_bytes()
RESULTS_URL = "http://search.example/search?q=harbour"
LIST = (SAMPLE / "lists/wire/latest/index.html").read_bytes()
LIST_URL = "http://news.example/latest/"


@pytest.fixture(scope="module")
def article() -> Article:
    return extract(BODY, URL)


def test_an_article_comes_back_as_it_was(article: Article) -> None:
    back = zyte.from_article(zyte.to_article(article))
    shared = [*zyte.ARTICLE, "authors", "image", "confidence", "status"]
    assert article.authors
    assert article.image
    assert {name: getattr(back, name) for name in shared} == {name: getattr(article, name) for name in shared}
    assert back.date_source is not None
    assert article.date_source is not None
    assert back.date_source.precision == article.date_source.precision


def test_a_record_and_its_line_give_the_same_item_as_the_article(article: Article) -> None:
    record = news_record([Page(BODY, URL)], RecordSource("ledger", URL), article.algorithm)
    item = zyte.to_article(record)
    assert zyte.to_article(record.values()) == item
    assert item.metadata.dateDownloaded == record.fetched_at.replace("+00:00", "Z")
    item.metadata.dateDownloaded = None
    assert item == zyte.to_article(article)


def test_their_article_comes_back_with_what_we_have_of_it() -> None:
    item = zyte_items.Article(
        url="https://x.example/1",
        canonicalUrl="https://x.example/one",
        headline="Harbour reopens",
        datePublished="2025-05-06T07:08:09Z",
        articleBody="One.\nTwo.",
        inLanguage="en",
        authors=[zyte_items.Author(name="Mara Quill"), zyte_items.Author(name="A. Name")],
        mainImage=zyte_items.Image(url="https://x.example/1.png"),
        metadata=zyte_items.ArticleMetadata(probability=0.7),
    )
    assert zyte.to_article(zyte.from_article(item)) == item


def test_an_article_without_a_url_is_an_error(article: Article) -> None:
    with pytest.raises(ValueError, match="needs a url"):
        zyte.to_article(dataclasses.replace(article, url=None))


def without(value: Any, *names: str) -> dict[str, Any]:
    return {name: found for name, found in asdict(value).items() if name not in names}


def test_threads_come_back_with_their_posts() -> None:
    thread = extract_posts(THREAD, THREAD_URL)
    assert len(thread.posts) > 3
    assert all(post.permalink and post.date for post in thread)
    item = zyte.to_forum_thread(thread, THREAD_URL)
    back = zyte.from_forum_thread(item)
    assert (back.title, back.status) == (thread.title, "ok")
    assert [(p.body, p.permalink, p.date and p.date.value) for p in back] == [
        (p.body, p.permalink, p.date and p.date.value) for p in thread
    ]
    assert zyte.to_forum_thread(back, item.url) == item


def test_result_pages_come_back_with_their_hits() -> None:
    found = extract_hits(RESULTS, RESULTS_URL, query="harbour")
    assert len(found.hits) > 3
    item = zyte.to_serp(found, RESULTS_URL, query="harbour", number=1)
    assert [result.rank for result in item.organicResults] == [*range(1, len(found.hits) + 1)]
    assert item.metadata.searchedQuery == "harbour"
    back = zyte.from_serp(item)
    assert [without(hit, "date") for hit in back] == [without(hit, "date") for hit in found]
    assert zyte.to_serp(back, item.url, query="harbour", number=1) == item


def test_lists_come_back_with_their_teasers() -> None:
    found = extract_teasers(LIST, LIST_URL)
    found = dataclasses.replace(
        found, teasers=(dataclasses.replace(found.teasers[0], author="Mara Quill"), *found.teasers[1:])
    )
    assert len(found.teasers) > 3
    for name in ("image", "author", "date", "snippet"):
        assert any(getattr(teaser, name) for teaser in found), name
    item = zyte.to_article_list(found, LIST_URL)
    back = zyte.from_article_list(item)
    assert [without(one, "date") for one in back] == [without(one, "date") for one in found]
    assert [one.date and one.date.value for one in back] == [one.date and one.date.value for one in found]
    assert zyte.to_article_list(back, item.url) == item


def test_pages_without_records_are_items_without_entries() -> None:
    empty = extract_hits("<p>No hits.</p>", "http://search.example/?q=x")
    item = zyte.to_serp(empty, "http://search.example/?q=x")
    assert item.organicResults == []
    assert zyte.from_serp(item).status == "empty"
    assert zyte.from_serp(zyte_items.Serp(url="http://search.example/")).hits == ()


def test_the_tables_name_fields_of_their_items() -> None:
    for table, kind in (
        (zyte.ARTICLE, zyte_items.Article),
        (zyte.POST, zyte_items.SocialMediaPost),
        (zyte.HIT, zyte_items.SerpOrganicResult),
        (zyte.TEASER, zyte_items.ArticleFromList),
    ):
        assert set(table.values()) <= {one.name for one in attrs.fields(kind)}
