"""Fetched page → record: the chosen algorithm, in a worker process.

The pages of one article are extracted one by one and joined; title, date and the rest come from the first. Posts and hits
pass: where a thread goes on depends on them, so the spider has their pages read (:mod:`pipelines.record_pages`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract import Article, Page, extract
from newsextract.article import Status
from newsextract.discovery import normalize, record_id
from newsextract.extraction import failure
from newsextract.fingerprint import fingerprint
from pipelines.items import FetchedPage, Item, NewsRecord
from pipelines.workers import WorkerError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from pipelines.workers import WorkerPool


class ExtractionPipeline:
    """Sends each fetched page to the worker pool and makes a record of the answer."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ExtractionPipeline:
        """Scrapy's way to make one."""
        return cls(crawler)

    async def process_item(self, item: FetchedPage | Item) -> Item:
        """See the module."""
        if not isinstance(item, FetchedPage):
            return item
        pool: WorkerPool = self.crawler.spider.pool  # type: ignore[union-attr]  # ours is always set when items flow
        algorithm, params = self.crawler.spider.algorithm_of(item.site)  # type: ignore[union-attr]
        articles: list[Article] = []
        mark: str | None = None
        for page, kept in zip(item.parts, item.kept, strict=True):
            try:
                (article, mark), _ = await pool.ask(page, kept, extract_marked, algorithm, params)
            except WorkerError as error:
                article, mark = failure(Page(b"", page.url), algorithm, "failed", str(error)), None
            articles.append(article)
        text = join(articles)
        if len(articles) > 1:
            try:
                mark = await pool.run(fingerprint, text)
            except WorkerError as error:
                articles.append(failure(Page(b"", item.parts[0].url), algorithm, "failed", str(error)))
        return record(item, articles, text, mark)


def extract_marked(page: Page, algorithm: str, params: dict[str, object]) -> tuple[Article, str | None]:
    """Article and fingerprint of its text; runs in a worker."""
    article = extract(page, None, algorithm, params)
    return article, fingerprint(article.text)


def join(articles: list[Article]) -> str:
    """The text of an article over several pages; a paragraph that begins every page (a repeated lead) stands once."""
    paragraphs: list[str] = []
    for number, article in enumerate(articles):
        lines = article.text.split("\n") if article.text else []
        if number and paragraphs and lines and lines[0] == paragraphs[0]:
            lines = lines[1:]
        paragraphs += lines
    return "\n".join(paragraphs)


def record(item: FetchedPage, articles: list[Article], text: str, mark: str | None) -> NewsRecord:
    """The record of an article; its address is normalised, so that it does not depend on how the page was found."""
    page, first = item.parts[0], articles[0]
    failed = next((a for a in articles if a.status != "ok"), first)
    status: Status = "ok" if text and first.status != "failed" else failed.status  # without its beginning a text is none
    url = normalize(page.url or item.requested_url) or item.requested_url
    return NewsRecord(
        id=record_id(url),
        url=url,
        canonical_url=first.canonical_url,
        site=item.site.name,
        kind=item.site.kind,
        title=first.title,
        title_source=first.title_source.source if first.title_source else None,
        date=first.date,
        date_precision=first.date_source.precision if first.date_source else None,
        date_source=first.date_source.source if first.date_source else None,
        text=text,
        authors=list(first.authors),
        language=first.language,
        section=first.section,
        image=first.image,
        pages=len(item.parts),
        fetched_at=page.time.isoformat(timespec="seconds"),
        algorithm=first.algorithm,
        confidence=first.confidence,
        status=status,
        reason=failed.reason,
        revision=0,
        duplicate_of=None,
        fingerprint=mark,
        etag=item.etag,
        last_modified=item.last_modified,
    )
