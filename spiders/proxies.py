"""Which proxy reaches which host: also for the requests that Scrapy makes itself (robots.txt, redirects)."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from spiders.news import NewsSpider


class SiteProxyMiddleware:
    """Sets the proxy of the site that a request's host belongs to."""

    def __init__(self, spider: NewsSpider) -> None:
        self.spider = spider

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> SiteProxyMiddleware:
        """Scrapy's way to make one."""
        return cls(crawler.spider)  # type: ignore[arg-type]  # the project's spiders all have sites

    def process_request(self, request: Request) -> None:
        """See the class."""
        site = self.spider.site_of(urlsplit(request.url).hostname or "")
        if site is not None and site.proxy:
            request.meta.setdefault("proxy", site.proxy)
