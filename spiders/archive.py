"""``scrapy crawl archive``: the records of archives, without the network, through the pipelines of a crawl.

The archives are read in a thread, pages are extracted in the worker processes, and no more of them are in memory than the
workers need. What a run has written already is passed over, so a killed run is gone on with by the same command.
"""

from __future__ import annotations

import asyncio
import dataclasses
import sys
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from newsextract.archives import ArchivedArticle, ArchivedRecordPage, Entry, Failure, SiteFacts, extract_entry, read_entries
from newsextract.archives.entries import rejected
from newsextract.discovery import Rules
from newsextract.errors import MissingExtra, UsageError
from newsextract.feed.news_record import in_window
from newsextract.record_pages import (
    FoundRecords,
    TeaserList,
    Thread,
    hits_of,
    posts_of,
    read_list_page,
    read_result_page,
    read_thread_page,
    teasers_of,
)
from newsextract.sites import Site
from pipelines.items import Hit, Item, Post, ReadPage, Teaser
from pipelines.workers import WorkerError
from spiders.plan import ArchivePlan
from spiders.record_spider import is_sure
from spiders.site_spider import SiteSpider

_KINDS = {"thread": "forum", "results": "search", "list": "list"}
"""Kind of a page's line → kind of site."""
_SITES_TOLD = 20


class ArchiveSpider(SiteSpider):
    """Reads archives; asks for nothing."""

    name = "archive"
    kind = "archive"
    fetches = False
    plan: ArchivePlan

    def __init__(self, plan: ArchivePlan, **arguments: str) -> None:
        super().__init__(plan, **arguments)
        self.pages_read: Counter[str] = Counter()
        """Per site, for the progress."""
        self.left_out: Counter[str] = Counter()
        """Pages of another kind than was asked for."""
        self.seen: set[str] = set()
        """Sites that the archives have pages of, where some were asked for."""
        self._claimed: set[int] = set()

    async def start(self) -> AsyncIterator[Any]:
        """The records of all entries, as they are ready."""
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
        """Whether an entry is of the kind and the sites that were asked for, and has no line yet."""
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
            return await self._records(entry, site)
        try:
            return [await self.pool.run(extract_entry, entry, self.plan.choice)]
        except WorkerError as error:
            return [rejected(entry, "failed", str(error))]

    def _site(self, facts: SiteFacts) -> Site:
        """The site as its crawl knew it."""
        values = {f.name: getattr(facts, f.name) for f in dataclasses.fields(facts) if f.name != "params"}
        lists = {name: list(values[name]) for name in ("allow", "deny", "domains")}
        site = Site(**values | lists | {"params": dict(facts.params)})
        self.sites[facts.name] = self.plan.sites[facts.name] = site  # type: ignore[index]  # of an archive plan it is a dict
        return site

    async def _records(self, entry: ArchivedRecordPage, site: Site) -> list[Item]:
        """The posts, hits or teasers of a page, and its own line, as its crawl wrote them."""
        try:
            line = ReadPage(**entry.line)
        except TypeError as error:  # of another version of this project
            return [Failure(entry.place, f"no line of a page: {error}", url=str(entry.line["url"])).rejection()]
        try:
            algorithm, params = self.plan.choice.of(entry.site)
            pattern = entry.site.costly_pattern()
            if pattern and pattern not in self.plan.patterns:
                raise UsageError(
                    f"the archive has a pattern that may take for ever, {pattern!r:.200}; yours are in sites.toml"
                )
            rules = Rules(tuple(site.domains), tuple(site.allow), (), tuple(site.deny))
        except (UsageError, MissingExtra) as error:
            return [self.rejected(site, line.url, "failed", str(error))]
        url, number, first = entry.page.url or line.url, line.number, line.first
        given = algorithm, params
        try:
            if line.kind == "thread":
                of_page = True, entry.shape, line.thread_title, number
                posts_read, _ = await self.pool.ask(entry.page, None, read_thread_page, rules, *given, *of_page)
                if (
                    number > 1 and len(posts_read.posts) == line.count + 1
                ):  # the opening post again, which the crawl left out
                    posts_read = dataclasses.replace(posts_read, posts=posts_read.posts[1:])
                thread = Thread(line.thread_id or "", line.thread_url or "", line.thread_title)
                found = posts_read.found
                records: Sequence[Post | Hit | Teaser] = posts_of(
                    posts_read, thread, site.name, url, number, first, algorithm
                )
            elif line.kind == "results":
                asked = entry.query or "", number
                hits_read, _ = await self.pool.ask(entry.page, None, read_result_page, *given, *asked, entry.shape)
                found = hits_read.found
                records = hits_of(hits_read, site.name, entry.query or "", line.run or "", url, number, first, algorithm)
            else:
                teasers_read, _ = await self.pool.ask(entry.page, None, read_list_page, rules, *given, entry.shape)
                teased = TeaserList(line.list_url or "", line.list_title)
                found = teasers_read.found
                records = teasers_of(teasers_read, teased, site.name, url, number, first, algorithm)
        except WorkerError as error:
            return [self.rejected(site, line.url, "failed", str(error))]
        if not _has_records(line, site, found):
            return []
        kept = [record for record in records if in_window(record.date, site.since, site.until)]
        written = dataclasses.replace(line, count=len(records), records=[record.id for record in kept])
        return [*(record for record in kept if not self.ledger.has(int(record.id, 16))), written]

    def closed_down(self, reason: str = "finished") -> None:
        """Stop, and tell what was left out, and what was asked for and is not there."""
        super().closed_down(reason)
        missing = sorted(self.plan.names - self.seen)
        if missing and reason == "finished":
            some = ", ".join(sorted(self.seen)[:_SITES_TOLD]) + (", …" if len(self.seen) > _SITES_TOLD else "")
            held = f"of kind {self.plan.kind!r} the archives hold: {some or 'none'}"
            sys.stderr.write(f"note: no page of site {', '.join(missing)}; {held}\n")
        for kind, count in self.left_out.items():
            sys.stderr.write(f"note: {count} pages of kind {kind!r} are left out; -a kind={kind} reads them\n")


def _has_records(line: ReadPage, site: Site, found: FoundRecords | None) -> bool:
    """Whether a page is one of records: its crawl found some, and the algorithm is as sure as the site demands."""
    return bool(line.count) and found is not None and is_sure(site, found)
