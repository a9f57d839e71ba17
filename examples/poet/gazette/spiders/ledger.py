"""Articles that a front page links to, as items of zyte-common-items."""

import re

import scrapy

import newsextract
from newsextract.scrapy.zyte import to_article


class LedgerSpider(scrapy.Spider):
    """Its callback asks for an article and gets one, extracted in a worker process."""

    name = "ledger"

    def __init__(self, start, **arguments):
        super().__init__(start_urls=[start], **arguments)

    def parse(self, response):
        """Follow the links to articles: those with a date in their URL."""
        for link in response.css("a::attr(href)").getall():
            if re.search(r"/20\d\d/?\d\d.*\.html$", link):
                yield response.follow(link, self.parse_article)

    async def parse_article(self, response, article: newsextract.Article):
        """Yield what has a text."""
        if article.status == "ok":
            yield to_article(article)
