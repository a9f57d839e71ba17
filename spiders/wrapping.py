"""Sites with a wrapper: fetches the pages that the wrapper asks for, and yields the records it extracts."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from newsextract import Hints
from newsextract.control_characters import plural
from newsextract.discovery import matches, normalize, record_id
from newsextract.feed import MAX_ATTEMPTS, content_hash
from newsextract.feed.record_lines import TRANSIENT, ObjectRecord, ReadPage, Rejection
from newsextract.page.page import Fetched
from newsextract.sites import Site
from newsextract.wrappers import Unavailable
from newsextract.wrappers.format import SiteWrapper
from pipelines.extraction import WorkerError
from pipelines.page_work import Lead, Leads, WrappedPage, no_leads, read_wrapped
from spiders.outcomes import of_failure, rejection
from spiders.pages import as_asked, other_type, page_of

if TYPE_CHECKING:
    from spiders.site_spider import SiteSpider

# --- objects --------------------------------------------------------------------------------------
# The records that a site's wrapper extracts from a page, the page's own line, and how well the wrapper fits.
#
# As for all pages with many records, a page is done when its own line and all its records are in their feeds. It gets no
# line while a later run may still fetch a linked page, or if an object has changed: the line lists records by id, and cannot
# tell whether the new revision was written before the process died. A page that the wrapper does not fit is rejected until
# the wrapper file changes.

MISFIT = "wrapper_misfit"
"""Status of pages that the wrapper does not fit."""


@dataclass(slots=True, eq=False)
class WrapperRun:
    """A page that is being read, and the linked pages that its wrapper has requested."""

    site: Site
    wrapper: SiteWrapper
    page: Fetched
    asked: str
    """The requested URL, before redirects."""
    finish: Finish
    lead: Lead
    arguments: tuple[Any, ...]
    leads: Leads | None = None
    at_hand: dict[str, Fetched | Unavailable] = field(default_factory=dict)
    waiting: set[str] = field(default_factory=set)
    rounds: int = 0
    """Number of links between the page and the pages requested last."""
    size: int = 0
    passing: bool = False
    """Whether a later run may fetch more of the linked pages."""
    revised: bool = False
    """Whether an object has changed since it was last written."""


Finish = Callable[[WrapperRun, WrappedPage], Iterator[Any]]
"""Turns the result of a run into items."""


@dataclass(slots=True)
class Fit:
    """How well a site's wrapper fits in this crawl."""

    wrapper: str
    pages: int = 0
    misfitting: int = 0
    rootless: int = 0
    lines: Counter[str] = field(default_factory=Counter)
    """Line of the wrapper that does not fit (number and variable) → number of pages."""
    example: str = ""
    """The first page that the wrapper does not fit."""

    def warning(self, site: str) -> str:
        """Warning for the summary; empty if the wrapper fits."""
        if not self.misfitting:
            return ""
        lines = ", ".join(f"{line} on {count}" for line, count in self.lines.items())
        rootless = f"; {self.rootless} gave nothing ({MISFIT})" if self.rootless else ""
        return (
            f"WARNING: site {site}: the wrapper {self.wrapper} does not fit {self.misfitting} of "
            f"{plural(self.pages, 'page')}: {lines}{rootless}; for example {self.example}"
        )


def said(records: list[ObjectRecord]) -> frozenset[str]:
    """Hashes of the records of a page, to recognise the same page under another URL."""
    return frozenset(content_hash(record.fields, None, []).hex() for record in records)


# --- wrapping -------------------------------------------------------------------------------------
# Runs wrappers over pages, and fetches the linked pages that they need.
#
# The interpreter runs in a worker (:mod:`pipelines.page_work`) and names the pages that it lacks. The spider requests
# them under the usual rules (robots.txt, politeness, private addresses, limits, retries), each page once while it is cached;
# then the run is repeated. A page that cannot be fetched becomes a rejection, and the records that link to it report this.

PRIORITY = 950
"""Priority of linked pages: runs that have started finish before new pages."""
MAX_RUN_BYTES = 30_000_000
"""Maximum size of the pages of one run, in bytes."""
KEEP_BYTES = 30_000_000
"""Maximum size of the cache of linked pages, in bytes."""


@dataclass(frozen=True, slots=True)
class Linked:
    """A linked page: fetched, or why not."""

    page: Fetched | Unavailable
    passing: bool = False
    """Whether a later run may fetch it."""

    @property
    def size(self) -> int:
        """Bytes."""
        return 0 if isinstance(self.page, Unavailable) else len(self.page.body)


class Wrapping:
    """The wrapper runs of a crawl."""

    def __init__(self, spider: SiteSpider) -> None:
        self._spider = spider
        self._awaited: dict[tuple[str, str], list[tuple[WrapperRun, str]]] = {}
        """(site, URL) of a requested linked page → the runs that wait for it, and the URL that each of them used."""
        self._known: OrderedDict[tuple[str, str], Linked] = OrderedDict()
        self._size = 0
        self.fits: dict[str, Fit] = {}
        """Site → fit."""

    async def read(
        self, page: Fetched, site: Site, asked: str, finish: Finish, lead: Lead = no_leads, *arguments: Any, depth: int
    ) -> AsyncIterator[Any]:
        """Read a page of a site with a wrapper.

        :param asked: the requested URL, before redirects.
        :param finish: turns the result into items; called once, when no page is lacking.
        :param lead: what else the worker reads from the page, with arguments.
        :param depth: number of links to the page, as Scrapy counts them.
        """
        assert site.wrapping is not None  # the caller has checked
        for url in dict.fromkeys((asked, page.url)):
            if url:
                self._keep((site.name, as_asked(url)), Linked(page))
        run = WrapperRun(site, site.wrapping, page, asked, finish, lead, arguments)
        async for output in self._go(run, depth):
            yield output

    async def _go(self, run: WrapperRun, depth: int) -> AsyncIterator[Any]:
        """Run the wrapper until a page is lacking, or to the end.

        :param depth: Scrapy's depth of the last fetched page; its DEPTH_LIMIT drops requests silently.
        """
        while True:
            try:
                read = await self._spider.pool.ask(
                    run.page, read_wrapped, run.wrapper, run.at_hand, run.site.linked_pages, run.leads, run.lead,
                    *run.arguments,
                )  # fmt: skip
            except WorkerError as error:
                yield self._spider.rejected(run.site, run.asked, "failed", str(error))
                return
            run.leads = read.leads
            if not read.wanted:
                for output in run.finish(run, read):
                    yield output
                return
            run.rounds += 1
            # Register all pages before requesting the first: its response may arrive before this generator continues.
            requests = [request for url in read.wanted for request in self._want(run, url, depth + 1)]
            if run.waiting:
                for request in requests:
                    yield request
                return

    # -- linked pages ----------------------------------------------------------------------------------------------

    def _want(self, run: WrapperRun, url: str, depth: int) -> Iterator[Request]:
        """Request a page, or pass it to the run if it is cached."""
        reason = self._refusal(run, url, depth)
        if reason is not None:
            run.at_hand[url] = Unavailable(reason)
            return
        key = (run.site.name, as_asked(url))
        known = self._known.get(key)
        if known is not None:
            self._known.move_to_end(key)
            _give(run, url, known)
            return
        run.waiting.add(url)
        runs = self._awaited.setdefault(key, [])
        runs.append((run, url))
        if len(runs) == 1:
            yield self._spider._request(run.site, key[1], self.parse_linked, PRIORITY, {"key": key}, self.linked_failed)

    def _refusal(self, run: WrapperRun, url: str, depth: int) -> str | None:
        settings = self._spider.crawler.settings
        longest, deepest = settings.getint("URLLENGTH_LIMIT"), settings.getint("DEPTH_LIMIT")
        if run.rounds > run.site.depth:
            return f"more than depth = {run.site.depth} links away"
        if deepest and depth > deepest:
            return f"more than DEPTH_LIMIT = {deepest} links away"
        try:
            inside, size = run.site.covers(as_asked(url)), len(as_asked(url))
        except ValueError:
            return "no valid address"
        if longest and size > longest:
            return f"its address has {size:,} characters, more than URLLENGTH_LIMIT = {longest:,}"
        if not inside:
            return "it belongs to another site; the key domains would let it in"
        if matches(tuple(run.site.deny), normalize(url) or url):
            return "the key deny forbids it"
        return None

    async def parse_linked(self, response: Response, site: Site, key: tuple[str, str]) -> AsyncIterator[Any]:
        """Process a linked page."""
        if not site.covers(response.url):
            told: Rejection | None = self._rejected(site, key[1], "redirected", f"redirects to {response.url}")
        elif (reason := other_type(response)) is not None:
            told = self._rejected(site, key[1], "not_html", reason)
        else:
            told = None
        if told is not None:
            yield told
        page = Unavailable(_words(told)) if told is not None else page_of(response, Hints(language=site.language))
        async for output in self._arrived(key, Linked(page), response.meta.get("depth", 0)):
            yield output

    async def linked_failed(self, failure: Failure) -> AsyncIterator[Any]:
        """If a linked page cannot be fetched, continue the runs without it."""
        key: tuple[str, str] = failure.request.cb_kwargs["key"]  # type: ignore[attr-defined]  # set by Scrapy
        told = self._rejected(self._spider.sites[key[0]], key[1], *of_failure(failure))
        yield told
        passing = told.status in TRANSIENT and told.attempt < MAX_ATTEMPTS
        depth: int = failure.request.meta.get("depth", 0)  # type: ignore[attr-defined]  # set by Scrapy
        async for output in self._arrived(key, Linked(Unavailable(_words(told)), passing), depth):
            yield output

    async def _arrived(self, key: tuple[str, str], linked: Linked, depth: int) -> AsyncIterator[Any]:
        self._keep(key, linked)
        ready: list[WrapperRun] = []
        for run, url in self._awaited.pop(key, []):
            _give(run, url, linked)
            run.waiting.discard(url)
            if not run.waiting:
                ready.append(run)
        for run in ready:
            async for output in self._go(run, depth):
                yield output

    def _keep(self, key: tuple[str, str], linked: Linked) -> None:
        before = self._known.pop(key, None)
        self._size += linked.size - (before.size if before else 0)
        self._known[key] = linked
        while self._size > KEEP_BYTES and len(self._known) > 1:
            self._size -= self._known.popitem(last=False)[1].size

    def _rejected(self, site: Site, url: str, status: str, reason: str) -> Rejection:
        """The rejection of a linked page. Its id differs from that of the page itself, which may still give records."""
        return rejection(site, url, status, reason, self._spider.ledger, identity=record_id(f"linked {url}"))

    # -- objects ---------------------------------------------------------------------------------------------------

    def is_misfit(self, site: Site, url: str) -> bool:
        """Whether an earlier run found that the current wrapper does not fit a page."""
        return site.wrapping is not None and int(self._misfit_id(site.wrapping, url), 16) in self._spider.ledger.rejected

    def _misfit_id(self, wrapper: SiteWrapper, url: str) -> str:
        return record_id(f"misfit {wrapper.digest} {self._spider.page_id(url)}")

    def is_read(self, url: str) -> bool:
        """Whether all objects of a page are in the feed."""
        pages = self._spider.ledger.pages
        line = pages.lines.get(self._spider.page_id(url))
        return line is not None and pages.is_done(line)

    def records(
        self, run: WrapperRun, read: WrappedPage, number: int = 1, first: int = 1, *, must_fit: bool = True
    ) -> list[ObjectRecord] | Rejection:
        """The records of a page, or its rejection.

        :param must_fit: False: the page may be beyond the last one, so a page without objects is not a misfit.
        """
        if not read.objects and not must_fit:
            return []
        self._note_fit(run, read)
        if not read.objects:
            wanted = f"no object {run.wrapper.records!r}" if run.wrapper.records else "nothing within the root"
            wanted = wanted if read.has_root else "no root"
            if not read.misfits:
                return self._spider.rejected(run.site, run.asked, "empty", wanted)
            told = self._spider.rejected(run.site, run.asked, MISFIT, f"{wanted}: {run.wrapper.name}: {read.misfits[0]}")
            told.id = self._misfit_id(run.wrapper, run.asked)
            return told
        key = self._spider.object_key(run.asked)
        records = [
            ObjectRecord(
                id=record_id(f"object {key} {found.oid}"),
                url=found.url or run.asked,
                page_url=run.asked,
                site=run.site.name,
                wrapper=run.wrapper.name,
                label=found.label,
                path=list(found.path),
                page=number,
                position=position,
                fields=found.fields,
                object=found.nested,
                missing=[{"url": url, "reason": reason} for url, reason in found.missing],
                misfits=list(read.misfits),
                notes=list(read.notes),
                fit=read.fit,
                fetched_at=read.fetched_at,
                revision=0,
            )
            for position, found in enumerate(read.objects, first)
        ]
        run.revised = any(map(self._spider.ledger.revises, records))
        return records

    def line(
        self,
        run: WrapperRun,
        read: WrappedPage,
        kind: str,
        records: list[ObjectRecord],
        number: int = 1,
        first: int = 1,
        following: str | None = None,
        /,
        **more: Any,
    ) -> Iterator[ReadPage]:
        """The page's own line, if it gets one."""
        if run.passing or run.revised:
            return
        lost = len(read.failures)
        notes = [*read.notes, *([f"{plural(lost, 'linked page')} could not be had"] if lost else [])]
        yield ReadPage(
            id=self._spider.page_id(run.asked),
            url=run.asked,
            site=run.site.name,
            kind=kind,
            number=number,
            first=first,
            count=len(records),
            records=[record.id for record in records],
            next=following,
            note="; ".join(notes) or None,
            fetched_at=read.fetched_at,
            **more,
        )

    def _note_fit(self, run: WrapperRun, read: WrappedPage) -> None:
        fit = self.fits.setdefault(run.site.name, Fit(run.wrapper.name))
        fit.pages += 1
        if read.misfits:
            fit.misfitting += 1
            fit.rootless += not read.objects
            fit.lines.update(misfit.partition(":")[0] for misfit in read.misfits)
            fit.example = fit.example or run.asked


def _give(run: WrapperRun, url: str, linked: Linked) -> None:
    run.size += linked.size
    run.passing = run.passing or linked.passing
    over = run.size > MAX_RUN_BYTES
    run.at_hand[url] = Unavailable(f"the pages of this run have more than {MAX_RUN_BYTES:,} bytes") if over else linked.page


def _words(told: Rejection) -> str:
    return f"{told.status}: {told.reason}"
