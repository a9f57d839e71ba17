"""Where each page was found, noted in the crawl's state when it is requested, for ``newsextract why``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from scrapy import Request, signals
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from newsextract.state.store import CrawlState
from pipelines.plain_spiders import planned

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

ORIGIN = "newsextract_origin"
"""In the meta of a request: the URL of the page, sitemap or feed that leads to it."""
MOST = 1_000
"""Characters of that URL that are kept."""


class OriginMiddleware(BaseSpiderMiddleware):
    """See the module. A shared crawl notes nothing."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Scrapy's way to make one."""
        planned(crawler)
        made = super().from_crawler(crawler)
        crawler.signals.connect(made.scheduled, signal=signals.request_scheduled)
        return made

    def get_processed_request(self, request: Request, response: Response | None) -> Request | None:
        """Add the page that a request comes from."""
        if response is not None:
            request.meta.setdefault(ORIGIN, response.url)
        return request

    def scheduled(self, request: Request) -> None:
        """Note it."""
        spider = planned(self.crawler)
        state = spider.ledger.state
        if "site" in request.cb_kwargs and isinstance(state, CrawlState):
            place: str | None = request.meta.get(ORIGIN)
            number = int(spider.page_id(request.url), 16)
            state.note_origin(number, _how(request, place), place and place[:MOST])


def _how(request: Request, place: str | None) -> str:
    """How a request was found, in a word or two."""
    if redirected := request.meta.get("redirect_urls"):
        return f"redirect from {redirected[-1][:MOST]}"
    role, hints = request.cb_kwargs.get("role"), request.cb_kwargs.get("hints")
    if place is None:
        return {"start": "start page", None: "sites.toml"}.get(role, "known before the run")
    if "level" in request.cb_kwargs:
        return "sitemap"
    if hints is not None and hints.source:
        return str(hints.source)
    return "next page" if role == "listing" else "link"
