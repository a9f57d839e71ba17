"""Articles that a front page links to."""

import re

import scrapy


class LedgerSpider(scrapy.Spider):
    """Yields the responses of article pages; the add-on makes records of them."""

    name = "ledger"

    def __init__(self, start, **arguments):
        super().__init__(start_urls=[start], **arguments)

    def parse(self, response):
        """Follow the links to articles: those with a date in their URL."""
        for link in response.css("a::attr(href)").getall():
            if re.search(r"/20\d\d/?\d\d.*\.html$", link):
                yield response.follow(link, self.parse_article)

    def parse_article(self, response):
        """Hand the page to newsextract."""
        yield response
