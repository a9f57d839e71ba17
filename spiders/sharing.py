"""One process of a shared crawl: which sites it crawls, and when the crawl ends.

Processes lease *units*. A unit is a site, or several sites that share a domain, so that only one process sends requests to a
host and keeps its delay. A process crawls its units like any other crawl. When nothing is left to fetch, it reports them as
finished and leases the next ones. If no unit is free, the process waits, because another process may die and lose its units.
The crawl ends when all units are finished.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.utils.defer import deferred_from_coro

from newsextract.errors import DataError
from newsextract.feed.record_lines import FeedLine, Hit, ReadPage
from newsextract.sites import Site
from newsextract.state.shared import SharedState
from pipelines.storage import SharedOutput

if TYPE_CHECKING:
    from spiders.site_spider import SiteSpider

ERROR = "newsextract/shared_error"
"""Stat: why this process left the shared crawl. If it is set, the crawl exits with code 1."""
AT_A_TIME = 16
"""Number of units that keep a process busy. A process that has as many units, or works on as many pages, leases no more. If
``2 * CONCURRENT_REQUESTS`` is less, that is the limit: units that one process holds too long are missing in another at the
end. Units that wait for a delay do not count. But all units together never exceed ``CONCURRENT_REQUESTS`` (or this limit, if
it is higher), because Scrapy counts a request that waits for its delay as a concurrent one."""
BACKLOG = 5
"""Maximum number of queued requests per concurrent request (``CONCURRENT_REQUESTS``). A process with more leases nothing
while all its concurrent requests are in use. Otherwise it could be left with several large sites when other processes have
none. In a simulation with 60 orders of 150 sites of the bench, two processes are 1.975 times as fast as one with 5 (1.93 in
the worst order), and 1.965 times (1.90) with 10."""
MOST = 512
"""Maximum number of units of a process. It reports them as finished only when nothing is left to fetch. If it dies before
that, another process reads all their start pages again."""
BEATS = 4
"""Number of renewals within the duration of a lease."""
POLL = 0.5
"""Seconds until the next search for free units, if the last search found none."""
SOON = 0.1
"""Seconds until the next search, if the last one found units or the process was busy."""
logger = logging.getLogger(__name__)


class Sharing:
    """Leases units, starts their sites, renews the leases, and ends the crawl."""

    def __init__(self, spider: SiteSpider, state: SharedState) -> None:
        self._spider = spider
        self._state = state
        self._units = units_of(spider.plan.sites.values())
        self._output = SharedOutput(state)
        self._known: Sequence[str] = sorted(set(self._units.values()))
        self._begun: set[str] = set()
        """Units whose first requests have all been made."""
        self._tasks: list[asyncio.Task[None]] = []
        self._finishing: asyncio.Task[None] | None = None
        self._is_over = False

    def open(self) -> None:
        """Join the shared crawl.

        :raises DataError: the database does not answer.
        """
        self._state.leases.join(self._known)
        self._known = by_size(self._units, self._state.counts())
        self._tasks = [asyncio.create_task(self._renew()), asyncio.create_task(self._lease())]
        for task in self._tasks:
            task.add_done_callback(self._check)

    @property
    def goes_on(self) -> bool:
        """Whether the crawl continues. The spider asks when nothing is left to fetch, so all started units are finished."""
        if not self._is_over and self._begun and (self._finishing is None or self._finishing.done()):
            self._finishing = asyncio.create_task(self._finish())
        return not self._is_over

    async def write(self, item: FeedLine) -> str | None:
        """Write a line of the feed.

        :returns: why the line cannot be written; None if it was written.
        """
        site = item.engine if isinstance(item, Hit) else str(item.site)  # type: ignore[attr-defined]  # all other lines have a site
        return await self._output.write(item, self._units[site])

    def close(self) -> None:
        """Leave the shared crawl. Other processes can lease the unfinished units."""
        for task in self._tasks:
            task.cancel()
        try:
            self._state.leases.leave()
        except DataError as error:
            logger.warning("%s; the sites of this process are free when their leases end", error)

    async def _lease(self) -> None:
        """Lease units and start them. The first leases are small, because other processes may be about to start."""
        leases, count = self._state.leases, 1
        while True:
            pause = SOON
            try:
                room = min(count, self._room())
                if room > 0:
                    found = await asyncio.to_thread(leases.acquire, self._known, room)
                    count = min(MOST, 2 * count)
                    pause = SOON if found else POLL
                await self._begin(leases.leased - self._begun)
                if not leases.leased and not (await asyncio.to_thread(leases.renew, self._known)).unfinished:
                    self._end("finished")
                    return
            except DataError as error:
                logger.warning("%s; it is asked again", error)
            await asyncio.sleep(pause)

    def _room(self) -> int:
        """How many more units the process can crawl now."""
        spider = self._spider
        downloader, scraped = spider.crawler.engine.downloader, spider.crawler.engine.scraper.slot
        at_once = downloader.total_concurrency or MOST
        busy = min(AT_A_TIME, 2 * at_once)
        # A host without a running request waits for its delay.
        idle = (slot for slot in downloader.slots.values() if not slot.transferring)
        delayed = {self._unit_of(request) for slot in idle for request, _ in slot.queue}
        active = [self._unit_of(request) for request in downloader.active]
        under_way = sum(unit not in delayed for unit in active)
        waiting = {self._units.get(name) for name in spider.sites_waiting.union(+spider.queued)}
        units = waiting.union(active)
        # The size of a unit that has just started is unknown: assume that it has BACKLOG requests.
        backlog = sum((+spider.queued).values()) + BACKLOG * len(units - waiting)
        if under_way >= at_once and backlog > BACKLOG * at_once:
            return 0
        in_hand = under_way + (len(scraped.queue) + len(scraped.active) if scraped else 0)
        free = min(busy - max(in_hand, len(units - delayed)), max(busy, at_once) - len(units))
        return min(free, MOST - len(self._state.leases.leased))

    def _unit_of(self, request: Request) -> str | None:
        site = self._spider.site_of(request.url)
        return self._units[site.name] if site is not None else None

    async def _finish(self) -> None:
        finished = set(self._begun)
        try:
            await asyncio.to_thread(self._state.leases.finish, finished)
            self._begun -= finished
        except DataError as error:
            logger.warning("%s; it is asked again", error)

    async def _begin(self, units: Iterable[str]) -> None:
        """Load what the database knows about some units, and make their first requests."""
        spider, chosen = self._spider, frozenset(units)
        names = [name for name, unit in self._units.items() if unit in chosen]
        for line in await asyncio.to_thread(self._take_in, names):
            spider.ledger.add_page(ReadPage(**line))
        for name in names:
            for request in spider.start_site(spider.sites[name]):
                spider.crawler.engine.crawl(request)
        self._begun |= chosen

    def _take_in(self, names: Iterable[str]) -> list[dict[str, Any]]:
        """Load what the database knows about some sites into the ledger.

        :returns: the lines of their pages with many records, for the reactor's thread to add.
        """
        lines: list[dict[str, Any]] = []
        for name in names:
            self._spider.ledger.take_in(name)
            lines += self._state.pages(name)
        return lines

    async def _renew(self) -> None:
        """Renew the leases while the crawl runs. If another process has taken over a unit, leave the crawl."""
        leases = self._state.leases
        while True:
            await asyncio.sleep(leases.seconds / BEATS)
            try:
                standing = await asyncio.to_thread(leases.renew, self._known)
            except DataError as error:
                logger.warning("%s; the leases are renewed later", error)
                continue
            if standing.lost:
                self._leave(f"others have taken over {', '.join(sorted(standing.lost))}, since this process stood still")

    def _check(self, task: asyncio.Task[None]) -> None:
        """End the crawl if a task has failed; otherwise the crawl would wait forever."""
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("defect in the shared crawl", exc_info=error)
            self._leave(f"a defect: {type(error).__name__}: {error}")

    def _leave(self, why: str) -> None:
        """Log and store the reason, and end the crawl. Only the first reason counts."""
        stats = self._spider.crawler.stats
        if not stats.get_value(ERROR):
            stats.set_value(ERROR, why)
            logger.error("%s. The crawl ends; start it again.", why)
            self._end("lease_lost")

    def _end(self, reason: str) -> None:
        """Close the spider later in the event loop, because closing cancels the task that calls this method."""
        self._is_over = True
        close = self._spider.crawler.engine.close_spider_async
        asyncio.get_running_loop().call_soon(lambda: deferred_from_coro(close(reason=reason)))


def by_size(units: Mapping[str, str], records: Mapping[str, int]) -> list[str]:
    """Units in the order of leasing: first those without records, then from the largest to the smallest. The last units are
    small, so that no process is left alone with a large one at the end.

    :param units: site → unit.
    :param records: site → number of its records.
    """
    sizes = Counter[str]()
    for name, count in records.items():
        if name in units:
            sizes[units[name]] += count
    return sorted(set(units.values()), key=lambda unit: (unit in sizes, -sizes[unit], unit))


def units_of(sites: Iterable[Site]) -> dict[str, str]:
    """Site → unit. Sites with overlapping domains are one unit, which has the name of the first of them."""
    unit: dict[str, str] = {}
    owner: dict[str, str] = {}

    def joined(one: str, other: str) -> None:
        kept, gone = sorted((unit[one], unit[other]))
        for name, known in unit.items():
            if known == gone:
                unit[name] = kept

    known = sorted(sites, key=lambda site: site.name)
    for site in known:
        unit[site.name] = site.name
        for domain in site.all_domains:
            joined(owner.setdefault(domain, site.name), site.name)
    for domain, name in owner.items():
        above = domain.partition(".")[2]
        while above:
            if above in owner:
                joined(name, owner[above])
            above = above.partition(".")[2]
    return unit
