"""Articles that are not worth keeping are turned away, with the reason: failed, empty, too short, out of the date window.

Posts and hits pass: a short one is one, too; those outside the window are left out where their page is read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipelines.items import Item, NewsRecord, Rejection

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from newsextract.sites import Site

_WIDE = re.compile(r"[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff01-\uff60]")


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
        status, reason = verdict
        return Rejection(
            id=item.id,
            url=item.url,
            site=item.site,
            status=status,
            reason=reason,
            title=item.title,
            date=item.date,
            attempt=self.crawler.spider.ledger.attempts.get(int(item.id, 16), 0) + 1,  # type: ignore[union-attr]  # as above
            fetched_at=item.fetched_at,
        )


def judge(record: NewsRecord, site: Site) -> tuple[str, str] | None:
    """(status, reason) of a record that is turned away, or None."""
    if record.status != "ok":
        return record.status, record.reason or "no text was found"
    size = length(record.text[: 4 * site.min_length + 100])  # enough to tell; the reactor waits for this
    if size < site.min_length:
        return "short", f"the text has {size} characters, fewer than min_length = {site.min_length}"
    if record.date is not None and len(record.date) >= 10:
        day = record.date[:10]
        if site.since and day < site.since.isoformat():
            return "out_of_window", f"its date {day} is before since = {site.since}"
        if site.until and day > site.until.isoformat():
            return "out_of_window", f"its date {day} is after until = {site.until}"
    return None


def length(text: str) -> int:
    """Characters without white space; East Asian ones count double, as they say about twice as much."""
    bare = "".join(text.split())
    return len(bare) + len(_WIDE.findall(bare))
