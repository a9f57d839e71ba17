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
from typing import Any

from newsextract.archives import ArchivedArticle, ArchivedRecordPage, Entry, Failure, SiteFacts, extract_entry, read_entries
from newsextract.archives.entries import extract_record_page, rejected
from newsextract.sites import Site
from pipelines.items import Item, Rejection
from pipelines.workers import WorkerError
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
            sys.stderr.write(f"note: {count} pages of kind {kind!r} are left out; -a kind={kind} reads them\n")
