"""Pages that a site's wrapper reads, and those that its links lead to.

The interpreter runs in a worker (:mod:`pipelines.wrapped_pages`) and names the pages that it lacks. They are asked for like
all others (robots.txt, politeness, private addresses, caps, retries), each once in a crawl as long as it is kept, whatever
number of pages link to it; then the run is repeated. A page that cannot be had leaves a rejection of its own, and the
records that lead to it say so. What becomes of the result: :mod:`spiders.objects`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from newsextract import Hints
from newsextract.discovery import matches, normalize, record_id
from newsextract.feed_lines import MAX_ATTEMPTS
from newsextract.oem import Unavailable
from newsextract.rendered_page import Fetched
from newsextract.sites import Site
from pipelines.items import TRANSIENT, Rejection
from pipelines.workers import Kept, WorkerError
from pipelines.wrapped_pages import Lead, no_leads, read_wrapped
from spiders.counting import as_asked
from spiders.objects import Finish, Run
from spiders.outcomes import of_failure, rejection
from spiders.pages import other_type, page_of

if TYPE_CHECKING:
    from spiders.site_spider import SiteSpider

PRIORITY = 950
"""Of linked pages: what was begun is finished before new pages are."""
MAX_RUN_BYTES = 30_000_000
"""Bytes of the pages of one run; workers keep as many."""
KEEP_BYTES = 30_000_000
"""Bytes of linked pages that are kept for further runs."""


@dataclass(frozen=True, slots=True)
class Linked:
    """What became of a linked page."""

    page: Fetched | Unavailable
    passing: bool = False
    """Whether a later run may have it."""

    @property
    def size(self) -> int:
        """Bytes."""
        return 0 if isinstance(self.page, Unavailable) else len(self.page.body)


class Wrapping:
    """The runs of a crawl."""

    def __init__(self, spider: SiteSpider) -> None:
        self._spider = spider
        self._awaited: dict[tuple[str, str], list[tuple[Run, str]]] = {}
        """(site, address) of linked pages that are on their way → runs that wait, and by which address."""
        self._known: OrderedDict[tuple[str, str], Linked] = OrderedDict()
        self._size = 0

    async def read(
        self,
        page: Fetched,
        site: Site,
        asked: str,
        finish: Finish,
        lead: Lead = no_leads,
        *arguments: Any,
        depth: int,
        kept: Kept | None = None,
    ) -> AsyncIterator[Any]:
        """Read a page of a site with a wrapper.

        :param asked: the address that was asked for, before redirects.
        :param finish: makes the items of the result; called once, when all pages have been asked for.
        :param lead: what else is to be read of the page, by the worker, with its arguments.
        :param depth: links that led to the page, as Scrapy counts them.
        """
        assert site.wrapping is not None  # the caller has looked
        for url in dict.fromkeys((asked, page.url)):
            if url:
                self._keep((site.name, as_asked(url)), Linked(page))
        run = Run(site, site.wrapping, page, asked, finish, lead, arguments, kept=kept)
        async for output in self._go(run, depth):
            yield output

    async def _go(self, run: Run, depth: int) -> AsyncIterator[Any]:
        """Run the wrapper until a page is lacking, or to the end.

        :param depth: of the page that has come last, as Scrapy counts: its DEPTH_LIMIT drops requests without a word.
        """
        while True:
            try:
                read, run.kept = await self._spider.pool.ask(
                    run.page, run.kept, read_wrapped, run.wrapper, run.at_hand, run.site.linked_pages, run.leads, run.lead,
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
            # All are noted before the first is asked for: its answer may come before this generator goes on.
            requests = [request for url in read.wanted for request in self._want(run, url, depth + 1)]
            if run.waiting:
                for request in requests:
                    yield request
                return

    # -- linked pages ----------------------------------------------------------------------------------------------

    def _want(self, run: Run, url: str, depth: int) -> Iterator[Request]:
        """Ask for a page, or give it to the run if it is known."""
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

    def _refusal(self, run: Run, url: str, depth: int) -> str | None:
        """Why a page is not asked for, or None."""
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
        """A linked page has come."""
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
        """A linked page cannot be had: the runs go on without it."""
        key: tuple[str, str] = failure.request.cb_kwargs["key"]  # type: ignore[attr-defined]  # set by Scrapy
        told = self._rejected(self._spider.sites[key[0]], key[1], *of_failure(failure))
        yield told
        passing = told.status in TRANSIENT and told.attempt < MAX_ATTEMPTS
        depth: int = failure.request.meta.get("depth", 0)  # type: ignore[attr-defined]  # set by Scrapy
        async for output in self._arrived(key, Linked(Unavailable(_words(told)), passing), depth):
            yield output

    async def _arrived(self, key: tuple[str, str], linked: Linked, depth: int) -> AsyncIterator[Any]:
        """Let the runs that have waited for a page go on."""
        self._keep(key, linked)
        ready: list[Run] = []
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
        """A linked page that cannot be had; as a page of its own it may be read all the same, so its id is another."""
        return rejection(site, url, status, reason, self._spider.ledger, identity=record_id(f"linked {url}"))


def _give(run: Run, url: str, linked: Linked) -> None:
    run.size += linked.size
    run.passing = run.passing or linked.passing
    over = run.size > MAX_RUN_BYTES
    run.at_hand[url] = Unavailable(f"the pages of this run have more than {MAX_RUN_BYTES:,} bytes") if over else linked.page


def _words(told: Rejection) -> str:
    return f"{told.status}: {told.reason}"
