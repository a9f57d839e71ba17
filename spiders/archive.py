"""``scrapy crawl archive``: extracts the pages of archives through the pipelines of a crawl, without the network.

A thread reads the archives, and worker processes extract the pages; only as many pages are in memory as the workers need.
Pages that already have a line are skipped, so the same command continues a killed run.
"""

from __future__ import annotations

import asyncio
import dataclasses
import sys
from collections import Counter
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

from scrapy import Request
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import Headers, Response

from newsextract.archives import ArchivedArticle, ArchivedRecordPage, Entry, Failure, SiteFacts, extract_entry, read_entries
from newsextract.archives.entries import extract_record_page, rejected
from newsextract.archives.warc import Exchange
from newsextract.control_characters import plural
from newsextract.feed.record_lines import Rejection
from newsextract.scrapy import stop
from newsextract.sites import Site
from pipelines.extraction import WorkerError
from pipelines.items import Component, Item
from pipelines.storage import Asked, CrawlArchive
from spiders.pages import FETCHED_AT, NOTE, PLACE, RENDERED, RENDERED_SOURCE
from spiders.plan import ArchivePlan
from spiders.site_spider import SiteSpider

_KINDS = {"thread": "forum", "results": "search", "list": "list"}
"""Kind in a page's line → kind of site."""
_SITES_TOLD = 20


class ArchiveSpider(SiteSpider):
    """Reads archives; sends no requests."""

    name = "archive"
    kind = "archive"
    fetches = False
    plan: ArchivePlan

    def __init__(self, plan: ArchivePlan, **arguments: str) -> None:
        super().__init__(plan, **arguments)
        self.pages_read: Counter[str] = Counter()
        """Site → number of pages read, for the progress."""
        self.left_out: Counter[str] = Counter()
        """Number of skipped pages, because they are of another kind."""
        self.seen: set[str] = set()
        """Requested sites that the archives contain."""
        self._claimed: set[int] = set()

    async def start(self) -> AsyncIterator[Any]:
        """Yield the records of all entries as they are extracted."""
        steps = read_entries(self.plan.archives, every_page=self.plan.every_page)
        most = 2 * max(1, self.crawler.settings.getint("EXTRACTION_WORKERS"))
        waiting: set[asyncio.Task[list[Item]]] = set()
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(1, "archive") as thread:
            while True:
                step = await loop.run_in_executor(thread, next, steps, None)
                if step is not None and self._wants(step.entry):
                    waiting.add(asyncio.ensure_future(self._items(step.entry)))
                while len(waiting) >= most or (step is None and waiting):
                    done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                    for task in done:
                        for item in task.result():
                            yield item
                if step is None:
                    return

    def _wants(self, entry: Entry) -> bool:
        """Whether an entry has the requested kind and site, and no line yet."""
        if isinstance(entry, Failure):
            number = int(entry.rejection().id, 16)
        else:
            kind = "news" if isinstance(entry, ArchivedArticle) else _KINDS.get(str(entry.line.get("kind")), "")
            if kind != self.plan.kind:
                self.left_out[kind] += 1
                return False
            if self.plan.names:
                self.seen.add(entry.site.name)
                if entry.site.name not in self.plan.names:
                    return False
            number = int(entry.id if isinstance(entry, ArchivedArticle) else str(entry.line.get("id")), 16)
        if number in self._claimed or self.ledger.is_done(number):
            return False
        self._claimed.add(number)
        return True

    async def _items(self, entry: Entry) -> list[Item]:
        if isinstance(entry, Failure):
            return [entry.rejection()]
        site = self._site(entry.site)
        self.pages_read[site.name] += 1
        if isinstance(entry, ArchivedRecordPage):
            return await self._records(entry)
        try:
            return [await self.pool.run(extract_entry, entry, self.plan.choice)]
        except WorkerError as error:
            return [rejected(entry, "failed", str(error))]

    def _site(self, facts: SiteFacts) -> Site:
        """The site as defined in the crawl that wrote the archive."""
        values = {f.name: getattr(facts, f.name) for f in dataclasses.fields(facts) if f.name != "params"}
        lists = {name: list(values[name]) for name in ("allow", "deny", "domains")}
        site = Site(**values | lists | {"params": dict(facts.params)})
        self.sites[facts.name] = self.plan.sites[facts.name] = site  # type: ignore[index]  # of an archive plan it is a dict
        return site

    async def _records(self, entry: ArchivedRecordPage) -> list[Item]:
        """The posts, hits or teasers of a page, and the page's own line, as the original crawl wrote them."""
        try:
            found = await self.pool.run(extract_record_page, entry, self.plan.choice)
        except WorkerError as error:
            return [rejected(entry, "failed", str(error))]
        if isinstance(found, Rejection):
            return [found] if found.status in ("failed", "damaged") else []
        return [*(record for record in found.records if not self.ledger.has(int(record.id, 16))), found.page]

    def closed_down(self, reason: str = "finished") -> None:
        """Stop; report skipped pages, and requested sites that the archives do not contain."""
        super().closed_down(reason)
        missing = sorted(self.plan.names - self.seen)
        if missing and reason == "finished":
            some = ", ".join(sorted(self.seen)[:_SITES_TOLD]) + (", …" if len(self.seen) > _SITES_TOLD else "")
            held = f"of kind {self.plan.kind!r} the archives hold: {some or 'none'}"
            sys.stderr.write(f"note: no page of site {', '.join(missing)}; {held}\n")
        for kind, count in self.left_out.items():
            sys.stderr.write(f"note: left out: {plural(count, 'page')} of kind {kind!r}; -a kind={kind} reads them\n")


# --- archiving ------------------------------------------------------------------------------------
# ``-a warc=DIR``: writes every response to WARC files as it was received.
#
# The middleware is the nearest to the downloader, so it sees redirects, error responses, robots.txt, sitemaps, feeds, and
# compressed bodies. For a rendered page it writes the snapshot, and the page's source if the browser still has it.


class ArchiveMiddleware(Component):
    """Writes responses to the crawl's archive; off if it writes none."""

    def __init__(self, spider: SiteSpider) -> None:
        if spider.plan.warc is None:
            raise NotConfigured
        super().__init__(spider)

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
            stop(self.spider.crawler, error)
            raise IgnoreRequest("the archive cannot be written") from error
        request.meta[PLACE] = place
        request.meta[FETCHED_AT] = at
        return response


def _known(request: Request) -> Asked | None:
    """The query, and the template of the records of earlier pages, if the page may have many records."""
    if "at" not in request.cb_kwargs:
        return None
    at = request.cb_kwargs["at"]
    shape = getattr(getattr(at, "next", at), "shape", None) or getattr(at, "shape", None)
    return Asked(request.cb_kwargs.get("query"), shape)


def _plain(headers: Headers) -> list[tuple[str, str]]:
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, values in headers.items() for value in values or ()]
