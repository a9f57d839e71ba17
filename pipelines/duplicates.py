"""Duplicates: the same page again is turned away, the same or near-same text is kept and marked.

Identity is the address (:func:`newsextract.discovery.record_id`); near-sameness is told where the line is written
(:mod:`newsextract.near_duplicates`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import DropItem

from pipelines.items import Item

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

    def process_item(self, item: Item) -> Item:
        """See the module."""
        ledger: Ledger = self.crawler.spider.ledger  # type: ignore[union-attr]  # set when items flow
        answer = ledger.admit(item)
        if answer is None:
            raise DropItem("the same line stands in the ledger", log_level="DEBUG")
        return answer
