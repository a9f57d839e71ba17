"""The requests of a shared crawl: scrapy-redis's queue with leases.

scrapy-redis takes a request out of Redis when it is handed to the engine, and loses it when the process dies. Here a request
stays in Redis, leased, until everything that it led to is safe: its records written, its links in the frontier. Calls are
bundled: what was found, written and done goes to Redis together with the question for more.

Requests that belong to a page this process is at (later pages of an article, pages that a wrapper's links lead to) are not
shared: they would carry that page's bytes. Nor are those for hosts that no site has (where a redirect leads, or a robots.txt
that names sitemaps): what is read from Redis is only ever fetched from the sites. They stay here, and while a unit has such
requests, its pages stay leased.
"""

from __future__ import annotations

import heapq
import logging
from collections import deque
from collections.abc import Callable
from inspect import signature
from itertools import count
from time import monotonic
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.utils.request import request_from_dict
from scrapy_redis.queue import Base

from newsextract.cluster.connection import told
from newsextract.cluster.frontier import Answer, Outbox, Popped, SharedFrontier
from spiders.cluster.codec import MOST_BYTES, CodecError, RequestCodec
from spiders.cluster.leases import Lease, Unit
from spiders.cluster.marks import COUNTED, HELD, LOCAL, SEEN

if TYPE_CHECKING:
    from spiders.cluster.units import Units
    from spiders.site_spider import SiteSpider

logger = logging.getLogger(__name__)

BATCH = 32
"""Requests that are leased by one question."""
LOOK_AGAIN = 0.2
"""Seconds until a unit that had nothing waiting is looked at again, unless this process finds something."""
MOST_WAITING = 50
"""Pages of a unit that may wait for requests that are not shared, before new ones are begun."""
_DEFAULTS: dict[str, Any] = {"method": "GET", "encoding": "utf-8"}


class LeasedQueue(Base):  # type: ignore[misc]  # scrapy-redis has no types
    """What the engine puts in and takes out.

    :param ask: exchanges the outbox with Redis; None while the server is away.
    :param more: takes further units, if there are any for this process.
    """

    def __init__(
        self,
        server: Any,
        spider: SiteSpider,
        key: str,
        serializer: RequestCodec,
        *,
        frontier: SharedFrontier,
        units: Units,
        ask: Callable[[list[tuple[str, int]]], Answer | None],
        more: Callable[[], bool],
    ) -> None:
        super().__init__(server, spider, key, serializer)
        self.frontier = frontier
        self.units = units
        self.outbox = Outbox()
        self.known: dict[str, Unit] = {}
        """The units that this process owns, and those that it has pages of."""
        self.ready: deque[Lease] = deque()
        self._ask = ask
        self._more = more
        self._numbers = count()
        self._leases: dict[str, Lease] = {}
        """Handed to the engine."""
        self._local: list[tuple[int, int, Request]] = []
        self._local_handed: list[tuple[Request, Unit]] = []
        self._limits = {site.name: site.limit for site in spider.plan.sites.values()}
        self._most = spider.crawler.settings.getint("CONCURRENT_REQUESTS")

    # -- what scrapy-redis's scheduler calls -----------------------------------------------------------------------

    def push(self, request: Request) -> None:
        """Put a request in. It is in Redis after the next exchange, and its parent is done only after that."""
        unit = self.units.of(request)
        is_local = request.meta.get(LOCAL) or not self.serializer.belongs(request.url)
        payload = "" if is_local else self._payload(request)
        if not payload or len(payload) > MOST_BYTES:
            home = self.unit(unit)
            home.local += 1
            request.meta[LOCAL] = True
            heapq.heappush(self._local, (-request.priority, next(self._numbers), request))
            return
        row: dict[str, Any] = {
            "key": f"{self.frontier.token}{next(self._numbers):010x}",
            "unit": unit,
            "score": str(-request.priority),
            "payload": payload,
        }
        if request.meta.get(SEEN):
            row["seen"] = request.meta[SEEN]
        if request.meta.get(COUNTED):
            site = request.cb_kwargs["site"].name
            if self._limits[site] is not None:
                row |= {"site": site, "limit": self._limits[site]}
        if request.meta.get(HELD):
            row["held"] = True
        if unit in self.known:
            self.known[unit].look_at = 0.0
        self.outbox.push.append(row)

    def pop(self, timeout: float = 0) -> Request | None:
        """The next request, or None if nothing can be sent now."""
        self.collect()
        if self._local:
            request = heapq.heappop(self._local)[2]
            self._local_handed.append((request, self.unit(self.units.of(request))))
            return request
        if not self.ready:
            wanted = self._wanted()
            if not wanted and self._more():
                wanted = self._wanted()
            if wanted:
                self._ask(wanted)
        if not self.ready:
            return None
        lease = self.ready.popleft()
        self._leases[lease.key] = lease
        return lease.request

    def __len__(self) -> int:
        """Requests that this process has."""
        return len(self.ready) + len(self._leases) + len(self._local) + len(self._local_handed)

    def clear(self) -> None:
        """Nothing: other processes use it, too."""

    def _payload(self, request: Request) -> str:
        """The request as text; empty if it cannot be shared. Then it is fetched all the same, by this process."""
        try:
            return self._encode_request(request)
        except CodecError as error:
            logger.error("%s cannot be shared, and stays with this process: %s", request.url, told(error))
            return ""

    def _encode_request(self, request: Request) -> str:
        """As the base class; it would look through all of the spider's attributes for the name of a callback."""
        values = {name: getattr(request, name) for name in request.attributes}
        for name in ("callback", "errback"):
            method = values[name]
            if method is not None:
                if getattr(self.spider, method.__name__, None) != method:
                    raise ValueError(f"{name} {method!r} is no method of the spider")
                values[name] = method.__name__
        values["headers"] = dict(request.headers)
        kept = {name: value for name, value in values.items() if value and value != _DEFAULTS.get(name)}
        text: str = self.serializer.dumps({"headers": {}, "meta": {}} | kept)
        return text

    # -- leases ----------------------------------------------------------------------------------------------------

    def unit(self, name: str) -> Unit:
        """A unit, also one that another process owns by now."""
        if name not in self.known:
            site = self.spider.plan.sites.get(name)
            default = self.spider.crawler.settings.getint("CONCURRENT_REQUESTS_PER_SITE")
            self.known[name] = Unit(name, 2 * ((site.concurrency if site else None) or default))
        return self.known[name]

    def own(self, name: str, wait: float) -> None:
        """Take note of a unit that is this process's now.

        :param wait: seconds that its hosts must be left alone.
        """
        unit = self.unit(name)
        unit.is_owned, unit.draining = True, False
        unit.ready_at, unit.used_at = monotonic() + wait, monotonic()

    def disown(self, unit: Unit) -> None:
        """The unit is no longer this process's; what is left of it here goes on."""
        unit.is_owned = False
        if unit.is_idle:
            self.known.pop(unit.name, None)

    @property
    def owned(self) -> list[Unit]:
        """The units that are this process's."""
        return [unit for unit in self.known.values() if unit.is_owned]

    def _wanted(self) -> list[tuple[str, int]]:
        """Which units can take how many requests: those with the fewest first."""
        now, left = monotonic(), min(BATCH, self.capacity())
        able = [
            unit
            for unit in self.owned
            if not unit.draining
            and unit.ready_at <= now
            and unit.look_at <= now
            and unit.flying < unit.room
            and len(unit.waiting) < MOST_WAITING
        ]
        wanted = []
        for unit in sorted(able, key=lambda unit: (unit.flying, unit.used_at)):
            if left <= 0:
                break
            room = min(unit.room - unit.flying, left)
            wanted.append((unit.name, room))
            left -= room
        return wanted

    def capacity(self) -> int:
        """Requests that the engine would take now."""
        return self._most - len(self.spider.crawler.engine.downloader.active) - len(self.ready)

    @property
    def keys(self) -> list[str]:
        """What this process has leased, as far as it knows."""
        waiting = [key for unit in self.known.values() for key in unit.waiting]
        return [*(lease.key for lease in self.ready), *self._leases, *waiting, *self.outbox.ack]

    def take(self, popped: list[Popped], wanted: list[tuple[str, int]]) -> None:
        """Take in what an exchange brought. A row that no spider can have written is told, counted, and done with."""
        now = monotonic()
        brought: dict[str, int] = {}
        for row in popped:
            unit = self.known[row.unit]
            brought[row.unit] = brought.get(row.unit, 0) + 1
            unit.used_at = now
            if row.key in self._leases or row.key in unit.waiting:
                continue  # taken for dead meanwhile: what is under way here goes on, and is told of as done
            try:
                request = self._request_of(row)
            except CodecError as error:
                logger.error("a request in Redis cannot be read, and is left out: %s", told(error))
                self.spider.crawler.stats.inc_value("newsextract/unreadable")
                self.spider.crawler.stats.set_value("newsextract/cluster_error", "unreadable")
                self.outbox.ack.append(row.key)
                continue
            unit.flying += 1
            self.ready.append(Lease(row.key, unit, request))
        for name, room in wanted:
            if brought.get(name, 0) < room:
                self.known[name].look_at = now + LOOK_AGAIN

    def _request_of(self, row: Popped) -> Request:
        """The request of a row.

        :raises CodecError: the spiders send no such request.
        """
        values = self.serializer.loads(row.payload)
        try:
            request = request_from_dict(values, spider=self.spider)
            signature(request.callback).bind(None, **request.cb_kwargs)  # type: ignore[arg-type]  # the codec has seen to it
            if row.hints:
                self.spider.later_hints.take(row.seen, row.hints)
        except (ValueError, TypeError) as error:
            raise CodecError(str(error)) from error
        if self.units.of(request) != row.unit:
            raise CodecError(f"{request.url} does not belong to {row.unit}")
        return request

    def collect(self) -> None:
        """See which pages the engine is through with."""
        slot = self.spider.crawler.engine._slot  # no signal tells when a page's last item has left the pipelines
        running = slot.inprogress if slot is not None else ()
        for key, lease in list(self._leases.items()):
            if lease.request not in running:
                del self._leases[key]
                lease.unit.flying -= 1
                lease.unit.waiting.append(key)
                self.outbox.count("pages")
                self._settle(lease.unit)
        kept = []
        for request, unit in self._local_handed:
            if request in running:
                kept.append((request, unit))
            else:
                unit.local -= 1
                self.outbox.count("pages")
                self._settle(unit)
        self._local_handed = kept

    def _settle(self, unit: Unit) -> None:
        if unit.waiting and not unit.local:
            self.outbox.ack += unit.waiting
            unit.waiting.clear()

    def forget_ready(self) -> None:
        """This process was taken for dead: what it has not begun is others' now, and so are its units."""
        for lease in self.ready:
            lease.unit.flying -= 1
        self.ready.clear()
        for unit in self.owned:
            self.disown(unit)
