"""Each record is claimed in Redis before it is written: of two processes that have the same, one writes it.

A claim is held by its process until the line stands in the feed. If the process dies before, the claim is released: its feed
tells whether it was in time. Its pages are fetched again, maybe by a process that had the record, too, and was refused: so
what is refused is withdrawn from that one's ledger. A process that stands still (stopped, out of memory, on a machine that
sleeps) looks like one that died. So directly before a line is written :class:`FencedFeeds` looks at the clock: if others may
have taken this process for dead since the claim was granted, it is asked for again. What is left is the time of one write.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from scrapy.exceptions import DropItem
from scrapy.extensions.feedexport import FeedExporter

from pipelines.items import TRANSIENT, Item, ReadPage, Rejection
from pipelines.shared_feeds import claim_of

if TYPE_CHECKING:
    from scrapy import Spider
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
            ledger = self.crawler.spider.ledger  # type: ignore[union-attr]  # as above
            try:
                is_ours = await worker.claim(claim_of(item))
            except asyncio.CancelledError as error:
                ledger.withdraw(item)
                raise DropItem("this process is no worker of the crawl any more", log_level="DEBUG") from error
            if not is_ours:
                ledger.withdraw(item)
                raise DropItem("another process writes it", log_level="DEBUG")
        return item


class FencedFeeds(FeedExporter):
    """Scrapy's feeds, and in front of them a last look at the clock. No pipeline could do that: other work may be done
    between the last of them and the feeds."""

    def item_scraped(self, item: Item, spider: Spider) -> None:
        """Write an item, unless it has become another's."""
        worker: ClusterWorker = spider.shared  # type: ignore[attr-defined]  # of the project's spiders
        if not is_claimed(item) or self._is_ours(worker, claim_of(item)):
            super().item_scraped(item, spider)
        else:
            worker.refused = item
            spider.ledger.withdraw(item)  # type: ignore[attr-defined]  # as above

    @staticmethod
    def _is_ours(worker: ClusterWorker, name: str) -> bool:
        if worker.holds(name):
            return True
        claim = worker.claim(name)
        for _ in range(2):  # the first answer may be that this process was taken for dead
            if not claim.done():
                worker.link.hurry()
                worker.ask([])
        if not claim.done():
            worker.fail("failed", "it stood still, and Redis, which knows what others have done meanwhile, does not answer")
        return not claim.cancelled() and claim.result()
