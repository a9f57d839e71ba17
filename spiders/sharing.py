"""A process's part in a shared crawl: which sites it has, and when the crawl is over.

A process leases some *units* (sites that share a domain belong together, so that one process keeps the politeness of a
host), crawls them like any other crawl, reports them finished when nothing is left to fetch, and leases the next. When none
is free, it waits: a process that has others may die. It ends when all units are finished.
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
from newsextract.feed.record_lines import FeedLine
from newsextract.sites import Site
from newsextract.state.shared import SharedState
from pipelines.items import Hit, ReadPage
from pipelines.storage import SharedOutput

if TYPE_CHECKING:
    from spiders.site_spider import SiteSpider

ERROR = "newsextract/shared_error"
"""Why this process has left the shared crawl; it makes the crawl's exit code 1."""
AT_A_TIME = 16
"""Units that keep a process busy: with so many, or with so many pages in hand, it leases no more. With few
``CONCURRENT_REQUESTS`` it is twice their number: what one process has too much of, another lacks in the end. Units that wait
for a delay do not count, but all together are no more than ``CONCURRENT_REQUESTS``: Scrapy counts a request that waits for
its delay as one of those."""
BACKLOG = 10
"""Requests in the queue for each of ``CONCURRENT_REQUESTS``: with more a process leases nothing while all of these are under
way, so that it has not several large sites left when others have nothing. In a simulation of 80 orders of the bench's sites
two processes are then 1.93 times as fast as one (1.81 in the worst order), else 1.89 (1.69)."""
MOST = 512
"""Units that a process has at once, at most: it reports them finished when nothing is left to fetch, and if it dies before,
another process looks at all of their start pages again."""
BEATS = 4
"""How often a lease is renewed before it would end."""
POLL = 0.5
"""Seconds between two looks for free units, where the last one has found none."""
SOON = 0.1
"""The same where it has found some, or the process was busy."""
logger = logging.getLogger(__name__)


class Sharing:
    """See the module.

    :param state: of the crawl.
    """

    def __init__(self, spider: SiteSpider, state: SharedState) -> None:
        self._spider = spider
        self._state = state
        self._units = units_of(spider.plan.sites.values())
        self._output = SharedOutput(state)
        self._known: Sequence[str] = sorted(set(self._units.values()))
        self._begun: set[str] = set()
        """Units of which all first requests have been made."""
        self._tasks: list[asyncio.Task[None]] = []
        self._finishing: asyncio.Task[None] | None = None
        self._is_over = False

    def open(self) -> None:
        """Join the crawl.

        :raises DataError: the database does not answer.
        """
        self._state.leases.join(self._known)
        self._known = by_size(self._units, self._state.counts())
        self._tasks = [asyncio.create_task(self._renew()), asyncio.create_task(self._lease())]
        for task in self._tasks:
            task.add_done_callback(self._check)

    @property
    def goes_on(self) -> bool:
        """Asked when nothing is left to fetch: whether there may be more. What has begun is finished then."""
        if not self._is_over and self._begun and (self._finishing is None or self._finishing.done()):
            self._finishing = asyncio.create_task(self._finish())
        return not self._is_over

    async def write(self, item: FeedLine) -> str | None:
        """Write a line; why it cannot be written, or None."""
        site = item.engine if isinstance(item, Hit) else str(item.site)  # type: ignore[attr-defined]  # all others have it
        return await self._output.write(item, self._units[site])

    def close(self) -> None:
        """Leave the crawl; what is not finished is free for others."""
        for task in self._tasks:
            task.cancel()
        try:
            self._state.leases.leave()
        except DataError as error:
            logger.warning("%s; the sites of this process are free when their leases end", error)

    async def _lease(self) -> None:
        """Lease sites and begin with them; few at first, since other processes may be about to start."""
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
        """Units that the process can crawl beside those that it has."""
        spider = self._spider
        downloader, scraped = spider.crawler.engine.downloader, spider.crawler.engine.scraper.slot
        at_once = downloader.total_concurrency or MOST
        busy = min(AT_A_TIME, 2 * at_once)
        # A host to which nothing is under way waits for its delay.
        idle = (slot for slot in downloader.slots.values() if not slot.transferring)
        delayed = {self._unit_of(request) for slot in idle for request, _ in slot.queue}
        active = [self._unit_of(request) for request in downloader.active]
        under_way = sum(unit not in delayed for unit in active)
        waiting = {self._units.get(name) for name in spider.sites_waiting.union(+spider.queued)}
        units = waiting.union(active)
        # Of a unit that has just begun nobody knows yet how large it is.
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
        """Report what is finished."""
        finished = set(self._begun)
        try:
            await asyncio.to_thread(self._state.leases.finish, finished)
            self._begun -= finished
        except DataError as error:
            logger.warning("%s; it is asked again", error)

    async def _begin(self, units: Iterable[str]) -> None:
        """Take in what is known of some units, and make their first requests."""
        spider, chosen = self._spider, frozenset(units)
        names = [name for name, unit in self._units.items() if unit in chosen]
        for line in await asyncio.to_thread(self._take_in, names):
            spider.ledger.add_page(ReadPage(**line))
        for name in names:
            for request in spider.start_site(spider.sites[name]):
                spider.crawler.engine.crawl(request)
        self._begun |= chosen

    def _take_in(self, names: Iterable[str]) -> list[dict[str, Any]]:
        """What the database knows of some sites: their pages of many records; the rest goes into the ledger."""
        lines: list[dict[str, Any]] = []
        for name in names:
            self._spider.ledger.take_in(name)
            lines += self._state.pages(name)
        return lines

    async def _renew(self) -> None:
        """Renew the leases as long as the crawl runs."""
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
        """A defect in a task ends the crawl: else it would wait for ever."""
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("defect in the shared crawl", exc_info=error)
            self._leave(f"a defect: {type(error).__name__}: {error}")

    def _leave(self, why: str) -> None:
        stats = self._spider.crawler.stats
        if not stats.get_value(ERROR):
            stats.set_value(ERROR, why)
            logger.error("%s. The crawl ends; start it again.", why)
            self._end("lease_lost")

    def _end(self, reason: str) -> None:
        """Close the spider, which ends the task that calls this."""
        self._is_over = True
        close = self._spider.crawler.engine.close_spider_async
        asyncio.get_running_loop().call_soon(lambda: deferred_from_coro(close(reason=reason)))


def by_size(units: Mapping[str, str], records: Mapping[str, int]) -> list[str]:
    """Units in the order in which they are leased: those without records, then the largest first, since one process finishes
    the last ones alone.

    :param units: by site.
    :param records: number of each site's records.
    """
    sizes = Counter[str]()
    for name, count in records.items():
        if name in units:
            sizes[units[name]] += count
    return sorted(set(units.values()), key=lambda unit: (unit in sizes, -sizes[unit], unit))


def units_of(sites: Iterable[Site]) -> dict[str, str]:
    """Site → unit: sites whose domains overlap have one; it is called like the first of them."""
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
