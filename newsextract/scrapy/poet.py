"""Articles as arguments of callbacks and page objects, by scrapy-poet (extra ``poet``).

>>> async def parse(self, response, article: newsextract.Article): ...         # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import Any

from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy_poet.page_input_providers import PageObjectInputProvider

from newsextract.results import Article
from newsextract.scrapy import WorkerPool, page_of


class ArticleProvider(PageObjectInputProvider):
    """Extracts the article of the response in a worker process, by the settings ``NEWSEXTRACT_…``.

    No article is withheld: ``status`` and ``confidence`` say what it is worth.
    """

    provided_classes = {Article}  # noqa: RUF012  # as its base declares it
    name = "newsextract"

    async def __call__(self, to_provide: Set[Callable[..., Any]], response: Response, crawler: Crawler) -> Sequence[Article]:
        """Scrapy-poet's hook."""
        return [await WorkerPool.of(crawler).extract(page_of(response))]
