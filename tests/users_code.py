"""What a user writes, checked by mypy (test_typing.py); never run."""

from __future__ import annotations

from typing import assert_type

from newsextract import (
    Article,
    Item,
    ListPage,
    NewsextractError,
    Page,
    Record,
    RecordPage,
    ResultPage,
    Snapshot,
    ThreadPage,
    aio,
    crawl,
    extract,
    extract_hits,
    extract_posts,
    extract_records,
    extract_teasers,
    fetch,
    find_records,
    render,
    to_html,
    to_markdown,
)


def use(html: str, body: bytes, page: Page, url: str) -> None:
    article = extract(html, url, "combined", {"preset": "precision"}, evidence=True)
    assert_type(article, Article)
    assert_type(article.title, str | None)
    assert_type(article.text, str)
    found = extract_records(body, url, "visual_blocks", {"preset": "published"}, evidence=True)
    assert_type(found, RecordPage)
    assert_type(find_records(html, url), RecordPage)
    assert_type(found.records, tuple[Record, ...])
    assert_type([record.items for record in found], list[tuple[Item, ...]])
    assert_type(extract_posts(html, url), ThreadPage)
    assert_type([post.author for post in extract_posts(html, url)], list[str | None])
    assert_type(extract_hits(html, url, query="harbour"), ResultPage)
    assert_type([hit.title for hit in extract_hits(html, url)], list[str])
    assert_type(extract_teasers(html, url), ListPage)
    assert_type([teaser.image for teaser in extract_teasers(html, url)], list[str | None])
    if article.status == found.status:  # one type: of both results
        assert_type(found.reason or article.reason, str | None)
    try:
        snapshot = render(url)
    except NewsextractError as error:
        assert_type(str(error), str)
    else:
        assert_type(snapshot, Snapshot)
        assert_type(extract(snapshot), Article)
        assert_type(extract_records(snapshot), RecordPage)
    assert_type(to_html(page, article), str)
    assert_type(to_markdown(page, article), str)


def use_crawl(url: str) -> list[str | None]:
    return [article.title for article in crawl(url, limit=3, delay=2.0)]


async def use_async(url: str) -> None:
    page = fetch(url)
    assert_type(page, Page)
    assert_type(await aio.extract(page), Article)
    async with aio.Pool(2) as pool:
        assert_type(await pool.extract_records(page), RecordPage)


def misuse(page: Page) -> None:
    extract(page, algorithm=1)  # type: ignore[arg-type]  # reason: a user's mistake that a checker must report
    extract_records(3)  # type: ignore[arg-type]  # reason: as above
    find_records(page, shape="list")  # type: ignore[arg-type]  # reason: as above
