"""What the crawl is measured against: bare Scrapy spiders with Scrapy's standard settings.

    python -m benchmarks.contenders KIND SITES CLOCK [FEED]

runs one crawl in this process. KIND: ``sitemap`` fetches the pages of the sitemaps and does nothing with them;
``links`` goes from the front pages along all ``//a/@href`` of listings; ``links_everywhere`` also reads them on each
article page, without following; ``trafilatura`` is ``sitemap`` with ``trafilatura.extract`` in an item pipeline and a
feed. SITES is a sites file, of which only addresses and proxy are read.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import scrapy
import trafilatura
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Response, TextResponse
from scrapy.spiders import SitemapSpider

from benchmarks.crawling import CLOCK
from settings import base

KINDS = ("sitemap", "links", "links_everywhere", "trafilatura")


class Proxy:
    """Sends every request to the server."""

    def __init__(self, proxy: str) -> None:
        self.proxy = proxy

    @classmethod
    def from_crawler(cls, crawler: scrapy.crawler.Crawler) -> Proxy:
        """Scrapy's way to make one."""
        return cls(crawler.settings["BENCHMARK_PROXY"])

    def process_request(self, request: scrapy.Request) -> None:
        """See the class."""
        request.meta["proxy"] = self.proxy


class Fetching(SitemapSpider):
    """Fetches."""

    name = "sitemap"

    def parse(self, response: Response) -> Iterator[dict[str, Any]]:
        """Nothing."""
        yield from ()


class Extracting(SitemapSpider):
    """Hands the text to the item pipeline."""

    name = "trafilatura"

    def parse(self, response: Response) -> Iterator[dict[str, Any]]:
        """One item."""
        if isinstance(response, TextResponse):
            yield {"url": response.url, "source": response.text}


class ExtractionPipeline:
    """``trafilatura.extract`` on the item."""

    def process_item(self, item: dict[str, Any]) -> dict[str, Any]:
        """Source to text."""
        item["text"] = trafilatura.extract(item.pop("source"))
        return item


class Following(scrapy.Spider):
    """Follows every link of listing pages."""

    name = "links"
    start_addresses: list[str]

    async def start(self) -> AsyncIterator[scrapy.Request]:
        """The front pages."""
        for url in self.start_addresses:
            yield scrapy.Request(url, self.parse)

    def parse(self, response: Response) -> Iterator[scrapy.Request]:
        """Links of a listing; a page of the set is marked by the server."""
        if b"X-Page" not in response.headers:
            for address in response.xpath("//a/@href").getall():
                yield response.follow(address, self.parse)


class FollowingEverywhere(Following):
    """Reads the links of every page."""

    name = "links_everywhere"

    def parse(self, response: Response) -> Iterator[scrapy.Request]:
        """See the class."""
        if b"X-Page" in response.headers and isinstance(response, TextResponse):
            response.xpath("//a/@href").getall()
        yield from super().parse(response)


def main() -> None:
    """Command line."""
    kind, sites, clock, *feed = sys.argv[1:]
    tables = tomllib.loads(Path(sites).read_text("utf-8"))["site"]
    settings: dict[str, Any] = {
        "CLOCK_FILE": clock,
        "EXTENSIONS": {CLOCK: 0},
        "BENCHMARK_PROXY": tables[0]["proxy"],
        "DOWNLOADER_MIDDLEWARES": {Proxy: 740},
        "CONCURRENT_REQUESTS": base.CONCURRENT_REQUESTS,
        "CONCURRENT_REQUESTS_PER_DOMAIN": tables[0]["concurrency"],
        "DOWNLOAD_DELAY": 0,
        "LOG_LEVEL": "WARNING",
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
    }
    if kind == "trafilatura":
        settings["ITEM_PIPELINES"] = {ExtractionPipeline: 100}
    if feed:
        settings["FEEDS"] = {feed[0]: {"format": "jsonlines", "overwrite": True}}
    process = AsyncCrawlerProcess(settings)
    sitemaps = [url for table in tables for url in table.get("sitemaps", [])]
    front = [url for table in tables for url in table.get("start", [])]
    spiders = {spider.name: spider for spider in (Fetching, Extracting, Following, FollowingEverywhere)}
    more = {"sitemap_urls": sitemaps} if kind in ("sitemap", "trafilatura") else {"start_addresses": front}
    process.crawl(spiders[kind], **more)
    process.start()


if __name__ == "__main__":
    main()
