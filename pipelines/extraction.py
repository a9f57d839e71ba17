"""Fetched page → record: the chosen algorithm, in a worker process.

The worker that determined the kind of a page has usually extracted it in the same call (:mod:`pipelines.news_pages`). Other
pages, for example those changed by a user's pipeline, are extracted here. The pages of one article are extracted one by one
and joined; title, date and other fields come from the first. Posts, hits and teasers pass: the next page of a thread depends
on them, so the spider has their pages read (:mod:`newsextract.record_pages`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from scrapy.exceptions import DropItem

from newsextract import Article, Page
from newsextract.extraction import failure
from newsextract.feed.duplicates import fingerprint
from newsextract.feed.record_lines import NewsRecord, RecordSource, assemble, join
from newsextract.scrapy.lines import stop
from pipelines.items import FetchedPage, Item, ReadPage
from pipelines.news_pages import Extracted, extracted
from pipelines.plain_spiders import Component
from pipelines.workers import WorkerError

__all__ = ["ExtractionPipeline", "join", "record"]


class ExtractionPipeline(Component):
    """Sends each fetched page to the worker pool, and makes a record of the result."""

    async def process_item(self, item: FetchedPage | Item) -> Item:
        """See the module."""
        spider, archive = self.spider, self.spider.archive
        if isinstance(item, ReadPage) and archive is not None:
            site = spider.sites[item.site]
            with self._writing():
                archive.record_page(item, site, *spider.algorithm_of(site))
        if not isinstance(item, FetchedPage):
            return item
        pool = spider.pool
        algorithm, params = spider.algorithm_of(item.site)
        if archive is not None:
            with self._writing():
                archive.article(item, algorithm, params)
        articles: list[Article] = []
        mark: str | None = None
        for page in item.parts:
            one = item.extracted_of(page)
            try:
                if one is None:
                    one = await pool.ask(page, extracted, algorithm, params)
            except WorkerError as error:
                one = Extracted(failure(Page(b"", page.url), algorithm, "failed", str(error)), None)
            articles.append(one.article)
            mark = one.mark
        text = join(articles)
        if len(articles) > 1:
            try:
                mark = await pool.run(fingerprint, text)
            except WorkerError as error:
                articles.append(failure(Page(b"", item.parts[0].url), algorithm, "failed", str(error)))
        found = record(item, articles, text, mark)
        if articles[0].other_titles:
            spider.other_titles[int(found.id, 16)] = articles[0].other_titles
        return found

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Context of writing to the archive. A record without its page there is not written; a later run fetches the page
        again.

        :raises DropItem: the archive cannot be written; the crawl ends.
        """
        try:
            yield
        except OSError as error:
            stop(self.spider.crawler, error)
            raise DropItem("the archive cannot be written", log_level="DEBUG") from error


def record(item: FetchedPage, articles: list[Article], text: str, mark: str | None) -> NewsRecord:
    """The record of an article."""
    source = RecordSource(item.site.name, item.requested_url, item.site.kind, item.etag, item.last_modified)
    return assemble(source, item.parts[0], len(item.parts), articles, text, mark)
