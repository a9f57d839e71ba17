"""Fetched page → record: joining the pages of an article, and what goes into the record."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from newsextract import Article, Page, extract
from newsextract.discovery import Rules, discover, record_id
from newsextract.extraction import failure
from newsextract.feed.duplicates import fingerprint
from newsextract.feed.record_lines import NewsRecord, join
from newsextract.sites import Site
from pipelines.extraction import ExtractionPipeline, WorkerError, record
from pipelines.items import FetchedPage
from pipelines.page_work import Extracted, NewsPage, extracted, read_news_page

BODY = (
    "<title>A title of the page</title><h1>A title of the page</h1>"
    + "<p>One sentence of the text, and then some more of it.</p>" * 4
)
URL = "https://Example.org:443/a?utm_source=x#top"


def article(text: str) -> Article:
    return dataclasses.replace(failure(Page(b""), "block_statistics", "ok", ""), text=text, reason=None)


def fetched(*bodies: str, url: str | None = URL) -> FetchedPage:
    parts = [Page(body.encode(), url, fetched_at=datetime(2024, 5, 1, 8, 0, 0, 5, tzinfo=UTC)) for body in bodies]
    site = Site(name="x", start=["https://example.org/"])
    return FetchedPage(site, "https://example.org/asked", parts, etag='"e"')


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([], ""),
        (["a\nb"], "a\nb"),
        (["a\nb", "c"], "a\nb\nc"),
        (["lead\na", "lead\nb", "lead\nc"], "lead\na\nb\nc"),
        (["", "b"], "b"),
        (["a", "", "c"], "a\nc"),
        (["a\nb", "c\na"], "a\nb\nc\na"),
        (["a", "a"], "a"),
        (["a\na"], "a\na"),
    ],
)
def test_join(texts: list[str], expected: str) -> None:
    assert join([article(text) for text in texts]) == expected


def test_a_record_of_one_page() -> None:
    item = fetched(BODY)
    found = extract(item.parts[0], algorithm="text_density")
    answer = record(item, [found], found.text, fingerprint(found.text))
    assert answer.url == "https://example.org/a"
    assert answer.id == record_id(answer.url)
    assert (answer.site, answer.kind, answer.pages, answer.status) == ("x", "news", 1, "ok")
    assert (answer.title, answer.title_source is not None) == (found.title, True)
    assert answer.fetched_at == "2024-05-01T08:00:00+00:00"
    assert (answer.etag, answer.revision, answer.duplicate_of, answer.schema_version) == ('"e"', 0, None, 1)


def test_what_extraction_calls_no_article_is_a_doubtful_record() -> None:
    item = fetched(BODY)
    found = dataclasses.replace(extract(item.parts[0]), status="not_article", reason="the page is a shop")
    answer = record(item, [found], found.text, None)
    assert (answer.status, answer.reason) == ("doubtful", "the page is a shop")


def test_the_record_does_not_depend_on_how_the_page_was_found() -> None:
    ids = set()
    for url in ("https://example.org/a", "https://example.org/a#x", "https://EXAMPLE.org:443/a?utm_medium=y"):
        item = fetched(BODY, url=url)
        ids.add(record(item, [extract(item.parts[0])], "t", None).id)
    assert len(ids) == 1


def test_a_failed_part_is_told_and_the_rest_is_kept() -> None:
    item = fetched(BODY, BODY)
    found = extract(item.parts[0], algorithm="text_density")
    answer = record(item, [found, failure(item.parts[1], "block_statistics", "failed", "stuck")], found.text, None)
    assert (answer.status, answer.reason, answer.pages) == ("ok", "stuck", 2)
    answer = record(item, [failure(p, "block_statistics", "failed", "stuck") for p in item.parts], "", None)
    assert (answer.status, answer.reason) == ("failed", "stuck")


def test_without_its_first_page_an_article_has_failed() -> None:
    item = fetched(BODY, BODY)
    found = extract(item.parts[1])
    answer = record(item, [failure(item.parts[0], "block_statistics", "failed", "stuck"), found], found.text, None)
    assert (answer.status, answer.reason) == ("failed", "stuck")


def test_extraction_in_a_worker() -> None:
    page = fetched(BODY).parts[0]
    found = extracted(page, "block_statistics", {})
    assert found.article == extract(page, algorithm="block_statistics")
    assert found.mark == fingerprint(found.article.text)


def read(body: str, role: str = "article", **more: Any) -> NewsPage:
    return read_news_page(Page(body.encode(), URL), Rules(**more), role, "text_density", {})


def test_one_call_judges_a_page_and_extracts_it() -> None:
    found = read(BODY)
    assert found.is_article
    assert found.found == discover(Page(BODY.encode(), URL), Rules(), "article")
    assert found.extracted == extracted(Page(BODY.encode(), URL), "text_density", {})
    assert read(BODY, "part").extracted == found.extracted


@pytest.mark.parametrize(
    ("body", "role", "more", "takes"),
    [
        (BODY, "start", {}, False),
        (BODY, "article", {"deny": ("/a",)}, False),
        ('<link rel="canonical" href="https://example.org/b">' + BODY, "article", {}, True),
        ('<meta http-equiv="refresh" content="0; url=https://example.org/b">' + BODY, "article", {}, True),
    ],
)
def test_what_may_be_no_record_is_not_extracted(body: str, role: str, more: dict[str, Any], takes: bool) -> None:
    found = read(body, role, **more)
    assert (found.is_article, found.extracted) == (takes, None)


def test_a_page_that_names_its_own_canonical_address_is_extracted() -> None:
    assert read('<link rel="canonical" href="https://example.org/a">' + BODY).extracted is not None


class _Pool:
    """In line; the second page is stuck."""

    async def ask(self, page: Page, function: Callable[..., object], *arguments: object) -> object:
        if b"stuck" in page.body:
            raise WorkerError("stopped after 30 s")
        return function(page, *arguments)

    async def run(self, function: Callable[..., object], *arguments: object) -> object:
        return function(*arguments)


def test_the_pipeline_joins_pages_and_keeps_what_it_can() -> None:
    spider = SimpleNamespace(pool=_Pool(), archive=None, algorithm_of=lambda site: ("block_statistics", {}))
    pipeline = ExtractionPipeline(spider)  # type: ignore[arg-type]  # what it reads of a spider
    item = fetched(BODY, "<p>stuck</p>", BODY.replace("One", "Another"))
    known = Extracted(article("what the worker has found already"), None)
    item.extracted.append((item.parts[0], known))
    answer = asyncio.run(pipeline.process_item(item))
    assert isinstance(answer, NewsRecord)
    assert (answer.pages, answer.status, answer.reason) == (3, "ok", "stopped after 30 s")
    assert "what the worker has found already" in answer.text
    assert "Another sentence" in answer.text
    assert answer.fingerprint == fingerprint(answer.text)
