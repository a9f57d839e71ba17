"""Articles that are not worth keeping are turned away, with the reason: failed, empty, too short, out of the date window.

Posts, hits and teasers pass: a short one is one, too; those outside the window are left out where their page is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.news_record import NewsRecord, judge, length, turned_away
from pipelines.items import Item

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

__all__ = ["QualityPipeline", "judge", "length"]


class QualityPipeline:
    """Checks each record against its site's definition."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> QualityPipeline:
        """Scrapy's way to make one."""
        return cls(crawler)

    def process_item(self, item: Item) -> Item:
        """See the module."""
        if not isinstance(item, NewsRecord):
            return item
        verdict = judge(item, self.crawler.spider.plan.sites[item.site])  # type: ignore[union-attr]  # set when items flow
        if verdict is None:
            return item
        attempts: dict[int, int] = self.crawler.spider.ledger.attempts  # type: ignore[union-attr]  # as above
        return turned_away(item, verdict, attempts.get(int(item.id, 16), 0) + 1)
