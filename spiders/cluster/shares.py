"""This process's share of the units (sites), and what their hosts must be spared when another has them.

Cost: of a beat, one look at each unit and at each host that the downloader knows.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from newsextract.cluster.frontier import Beat, SharedFrontier

if TYPE_CHECKING:
    from spiders.cluster.link import Link
    from spiders.cluster.queue import LeasedQueue
    from spiders.site_spider import SiteSpider

IDLE = 0.5
"""Seconds after which a unit that has nothing to fetch is given back."""
PAUSE = 0.1
"""Seconds between two looks for more units while the engine has room."""


class Shares:
    """See the module."""

    def __init__(self, spider: SiteSpider, frontier: SharedFrontier, queue: LeasedQueue, link: Link) -> None:
        self.spider = spider
        self.frontier = frontier
        self.queue = queue
        self._link = link
        self._beat: Beat | None = None
        self._more_at = 0.0

    def more(self) -> bool:
        """Take further units at once, if this process has less than its share; the engine has room."""
        now = monotonic()
        if self._beat is None or now < self._more_at:
            return False
        self._more_at = now + PAUSE
        room = self._beat.share - len(self.queue.owned)
        return room > 0 and self._acquire(min(room, max(1, self.queue.capacity() // 4)))

    def balance(self, beat: Beat) -> None:
        """Take free units up to this process's share; give back what is idle or too much."""
        self._beat = beat
        now, owned = monotonic(), self.queue.owned
        room = beat.share - len(owned)
        excess = -room if not beat.free else 0
        for unit in sorted(owned, key=lambda unit: unit.flying):
            unit.draining = excess > 0
            excess -= 1
        gone = [u for u in owned if u.is_idle and (u.draining or now - max(u.used_at, u.ready_at) > IDLE)]
        if gone and self._release([unit.name for unit in gone]):
            for unit in gone:
                self.queue.disown(unit)
        if room > 0 and beat.free:
            self._acquire(min(room, max(1, self.queue.capacity() // 2)))

    def give_back(self) -> None:
        """All units: this process leaves."""
        self._release([unit.name for unit in self.queue.owned])

    def waits(self) -> dict[str, tuple[float, float]]:
        """Of each unit of this process: (seconds that its hosts must be left alone, their longest delay)."""
        now = monotonic()
        found = {unit.name: (max(unit.ready_at - now, 0.0), 0.0) for unit in self.queue.owned}
        for host, slot in self.spider.crawler.engine.downloader.slots.items():
            name = self.queue.units.of_host(host)
            if name in found:
                wait, longest = found[name]
                if slot.lastseen:
                    wait = max(wait, slot.lastseen + slot.delay - now)
                found[name] = wait, max(longest, slot.delay)
        return found

    def _release(self, names: list[str]) -> bool:
        waits = self.waits()
        rows = [(name, waits[name][0]) for name in names]

        def question() -> bool:
            self.frontier.release(rows)
            return True

        return self._link.ask(question) is not None

    def _acquire(self, count: int) -> bool:
        units = self._link.ask(lambda: self.frontier.acquire(count))
        for name, wait in units or ():
            self.queue.own(name, wait)
        return units is not None
