"""Plain spiders: a user's own spider and those of ``scrapy shell``, ``fetch``, ``parse`` and ``bench``.

They have no plan, no sites and no ledger. Components that need these are off for them; the others work like Scrapy's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self, cast

import scrapy
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

if TYPE_CHECKING:
    from spiders.site_spider import SiteSpider


class PlannedSpider(scrapy.Spider):
    """Base of this project's spiders; every other spider is a plain spider."""

    kind: str
    """Name of the project's spider; a user's subclass may have another ``name``."""


def is_planned(crawler: Crawler) -> bool:
    """Whether the crawler runs one of this project's spiders."""
    return isinstance(crawler.spider, PlannedSpider)


def planned(crawler: Crawler) -> SiteSpider:
    """The crawler's spider, which Scrapy creates before the components.

    :raises NotConfigured: the spider is a plain spider, so the component is off.
    """
    if not is_planned(crawler):
        raise NotConfigured
    return cast("SiteSpider", crawler.spider)  # the base of all of this project's spiders


class Component:
    """Base of pipelines and middlewares that need this project's spider."""

    def __init__(self, spider: SiteSpider) -> None:
        self.spider = spider

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Called by Scrapy."""
        return cls(planned(crawler))
