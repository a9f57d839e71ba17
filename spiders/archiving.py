"""``-a warc=DIR``: writes every response to WARC files as it was received.

The middleware is the nearest to the downloader, so it sees redirects, error responses, robots.txt, sitemaps, feeds, and
compressed bodies. For a rendered page it writes the snapshot, and the page's source if the browser still has it.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from scrapy.exceptions import IgnoreRequest, NotConfigured

from newsextract.archives.writing import Exchange
from newsextract.scrapy.lines import stop
from pipelines.archiving import Asked
from pipelines.plain_spiders import planned
from spiders.pages import FETCHED_AT, NOTE, PLACE, RENDERED, RENDERED_SOURCE

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Headers, Response

    from pipelines.archiving import CrawlArchive
    from spiders.site_spider import SiteSpider


class ArchiveMiddleware:
    """Writes responses to the crawl's archive."""

    def __init__(self, crawler: Crawler, spider: SiteSpider) -> None:
        self.crawler, self.spider = crawler, spider

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ArchiveMiddleware:
        """Called by Scrapy.

        :raises NotConfigured: the crawl writes no archive.
        """
        spider = planned(crawler)
        if spider.plan.warc is None:
            raise NotConfigured
        return cls(crawler, spider)

    def process_response(self, request: Request, response: Response) -> Response:
        """Write the response, and note its position in the archive.

        :raises IgnoreRequest: the archive cannot be written; the crawl ends.
        """
        archive: CrawlArchive | None = self.spider.archive
        if archive is None:
            return response
        rendered = RENDERED in response.flags
        source: bytes | None = request.meta.pop(RENDERED_SOURCE, None) if rendered else response.body
        at = datetime.now(UTC).replace(microsecond=0)
        exchange = Exchange(
            response.url,
            request.url,
            request.method,
            _plain(request.headers),
            response.status,
            [header for header in _plain(response.headers) if header[0].lower() != "transfer-encoding"],
            source or b"",
            at,
            response.body if rendered and response.body else None,
            source is None,
        )
        asked = (request.meta.get("redirect_urls") or [request.url])[0]
        try:
            place = archive.answer(exchange, asked, _known(request), request.meta.get(NOTE))
        except OSError as error:
            stop(self.crawler, error)
            raise IgnoreRequest("the archive cannot be written") from error
        request.meta[PLACE] = place
        request.meta[FETCHED_AT] = at
        return response


def _known(request: Request) -> Asked | None:
    """The query, and the template of the records of earlier pages, if the page may have many records."""
    if "at" not in request.cb_kwargs:
        return None
    at = request.cb_kwargs["at"]
    return Asked(request.cb_kwargs.get("query"), getattr(getattr(at, "next", at), "shape", None))


def _plain(headers: Headers) -> list[tuple[str, str]]:
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, values in headers.items() for value in values or ()]
