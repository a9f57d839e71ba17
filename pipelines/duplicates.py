"""Duplicates: the same page again is dropped, the same or near-same text is kept and marked.

Identity is the URL (:func:`newsextract.discovery.record_id`). Near-same texts of earlier records are looked up here, in a
thread; the mark is set where the line is written (:mod:`pipelines.feeds`), since others may have been written meanwhile.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from scrapy.exceptions import DropItem

from pipelines.items import Item, NewsRecord

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from pipelines.ledger import Ledger


class DuplicatesPipeline:
    """Turns away a record whose id the ledger has; lets a changed text through as a revision."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> DuplicatesPipeline:
        """Scrapy's way to make one."""
        return cls(crawler)

    async def process_item(self, item: Item) -> Item:
        """See the module."""
        ledger: Ledger = self.crawler.spider.ledger  # type: ignore[union-attr]  # set when items flow
        answer = ledger.admit(item)
        if answer is None:
            raise DropItem("the same line stands in the ledger", log_level="DEBUG")
        if isinstance(answer, NewsRecord) and ledger.path is not None:
            ledger.older[answer.id] = await asyncio.to_thread(ledger.older_near, answer)
        return answer
