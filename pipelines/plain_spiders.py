"""Plain spiders: a user's own spider and those of ``scrapy shell``, ``fetch``, ``parse`` and ``bench``.

They have no plan, no sites and no ledger. Components that need these are off for them; the others do what Scrapy's do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import scrapy
from scrapy.exceptions import NotConfigured

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from spiders.site_spider import SiteSpider


class PlannedSpider(scrapy.Spider):
    """Base of the spiders that come with this project; every other spider is a plain one."""

    kind: str
    """The name of the spider that comes with this project: a user's subclass of it has a name of its own."""


def is_planned(crawler: Crawler) -> bool:
    """Whether the crawler runs one of this project's spiders."""
    return isinstance(crawler.spider, PlannedSpider)


def planned(crawler: Crawler) -> SiteSpider:
    """The crawler's spider, which Scrapy makes before the components; a component of plain spiders is off.

    :raises NotConfigured: the spider is a plain one.
    """
    if not is_planned(crawler):
        raise NotConfigured
    return cast("SiteSpider", crawler.spider)  # the base of all of this project's spiders
