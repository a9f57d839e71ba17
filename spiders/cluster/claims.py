"""Each record is claimed in Redis before it is written: of two processes that have the same, one writes it.

A claim is held by its process until the line stands in the feed. If the process dies before, the claim is released: its feed
tells whether it was in time.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from scrapy.exceptions import DropItem

from pipelines.items import TRANSIENT, Item, ReadPage, Rejection
from pipelines.shared_feeds import claim_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from spiders.cluster.worker import ClusterWorker


def is_claimed(item: Item) -> bool:
    """Whether two processes may not both write a line: of a page's own lines the last one counts, failures are counted."""
    if isinstance(item, Rejection):
        return item.status not in TRANSIENT
    return not isinstance(item, ReadPage)


class ClaimPipeline:
    """Behind the ledger of this process: turns away what another process writes or has written."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ClaimPipeline:
        """Scrapy's way to make one."""
        return cls(crawler)

    async def process_item(self, item: Item) -> Item:
        """See the class."""
        worker: ClusterWorker = self.crawler.spider.shared  # type: ignore[union-attr]  # it is open when items flow
        if is_claimed(item):
            try:
                is_ours = await worker.claim(claim_of(item))
            except asyncio.CancelledError as error:
                raise DropItem("this process is no worker of the crawl any more", log_level="DEBUG") from error
            if not is_ours:
                raise DropItem("another process writes it", log_level="DEBUG")
        return item
