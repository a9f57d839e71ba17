"""One process of a shared crawl: its heartbeat, its share of the units, its claims, and its end.

Everything happens on the crawl's own thread: an exchange takes some tenths of a millisecond. While Redis is away nothing new
is begun; what is under way goes on until it needs a claim, and all that is to be told is kept.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from redis import RedisError
from scrapy.http import Request, Response
from scrapy.utils.defer import deferred_from_coro

from newsextract.cluster.connection import ClusterError, told
from newsextract.cluster.frontier import Answer, Beat, StandingError
from newsextract.cluster.status import status_of
from pipelines.shared_feeds import feed_of, settle, written_of

if TYPE_CHECKING:
    from spiders.cluster.plan import ClusterPlan
    from spiders.cluster.queue import LeasedQueue, Unit
    from spiders.site_spider import SiteSpider

logger = logging.getLogger(__name__)

TICK = 0.1
"""Seconds between two looks at what is done."""
BEAT = 1.0
"""Seconds between two signs of life; a process that has nothing to do asks at every second tick."""
IDLE = 0.5
"""Seconds after which a unit that has nothing to fetch is given back."""
RETRY = 1.0
"""Seconds between two tries to reach a server that is away."""
WARN = 30.0
"""Seconds between two warnings about it."""
_ENDS = {
    "taken": "another process works under the name {worker!r}; each needs its own: -a worker=NAME",
    "lost": "Redis has forgotten a part of the frontier (was it started again without its data?); the feeds have all that "
    "was done: the same command goes on from there",
    "failed": "this process ends ({detail}); the others have what it had after a while",
}


class ClusterWorker:
    """See the module."""

    def __init__(self, spider: SiteSpider, plan: ClusterPlan) -> None:
        self.spider = spider
        self.plan = plan
        self.frontier = plan.frontier
        self.queue: LeasedQueue
        """Set by the scheduler, which makes both."""
        self.is_finished = False
        self.claims: dict[str, asyncio.Future[bool]] = {}
        """Claims that are not answered yet."""
        self._started = self._started_told = False
        self._beat: Beat | None = None
        self._beaten_at = 0.0
        self._away_since: float | None = None
        self._warned_at = 0.0
        self._again_at = 0.0
        self._more_at = 0.0
        self._soon: asyncio.Handle | None = None
        self._task: asyncio.Task[None] | None = None
        self._delays: dict[str, float] = {}
        self._over = False

    # -- talking to Redis ------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to beat."""
        self._task = asyncio.get_running_loop().create_task(self._run())
        self._task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """Without a heartbeat this process must not go on."""
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("the heartbeat has failed", exc_info=error)
            self._fail("failed", told(error))

    def started(self) -> None:
        """All start pages have been asked for."""
        self._started = True

    def soon(self) -> None:
        """Exchange when the present work of this thread is done: several claims go together."""
        if self._soon is None:
            self._soon = asyncio.get_running_loop().call_soon(self._flush)

    def _flush(self) -> None:
        self._soon = None
        self.ask([])

    def ask(self, wanted: list[tuple[str, int]]) -> Answer | None:
        """Exchange the outbox; take in what comes. None while the server is away."""
        outbox, queue = self.queue.outbox, self.queue
        outbox.claim = list(self.claims)
        if self.spider.crawler.stats.get_value("newsextract/feed_error"):
            outbox.written, outbox.ack = [], []  # what was not written must be fetched again
        answers: list[Answer] = []
        if not self._attempt(lambda: answers.append(self.frontier.exchange(outbox, wanted))):
            return None
        answer = answers[0]
        for claim, is_ours in zip(outbox.claim, answer.claimed, strict=True):
            future = self.claims.pop(claim)
            if not future.done():
                future.set_result(is_ours)
        for part in (outbox.push, outbox.hints, outbox.written, outbox.ack, outbox.stats):
            part.clear()
        if answer.over:
            self.spider.crawler.stats.inc_value("newsextract/skipped/limit", answer.over)
        self.spider.ledger.admitted.update(int(name, 16) for name in answer.written)
        queue.take(answer.popped, wanted)
        return answer

    def more(self) -> bool:
        """Take further units at once, if this process has less than its share; the engine has room."""
        now = monotonic()
        if self._beat is None or now < self._more_at:
            return False
        self._more_at = now + TICK
        room = self._beat.share - len(self.queue.owned)
        return room > 0 and self._attempt(lambda: self._acquire(min(room, max(1, self.queue.capacity() // 4))))

    def _acquire(self, count: int) -> None:
        for name, wait in self.frontier.acquire(count):
            self.queue.own(name, wait)

    def _attempt(self, question: Callable[[], None]) -> bool:
        """Ask Redis; whether it has answered."""
        if self._over or not self._is_time():
            return False
        try:
            question()
        except (RedisError, OSError) as error:
            self._away(error)
            return False
        except StandingError as error:
            self._stand(error.standing)
            return False
        self._back()
        return True

    def claim(self, name: str) -> asyncio.Future[bool]:
        """Whether a record is this process's to write; waits while the server is away.

        Cancelled when this process is no worker of the crawl any more.
        """
        future = self.claims.setdefault(name, asyncio.get_running_loop().create_future())
        if self._over:
            future.cancel()
        else:
            self.soon()
        return future

    def _is_time(self) -> bool:
        return self._away_since is None or monotonic() >= self._again_at

    def _away(self, error: Exception) -> None:
        now = monotonic()
        if self._away_since is None:
            self._away_since = now
            self._warned_at = 0.0
        self._again_at = now + RETRY
        if not self._warned_at or now - self._warned_at >= WARN:
            self._warned_at = now
            logger.warning("Redis does not answer: %s; the crawl waits for it, and nothing is lost", told(error))

    def _back(self) -> None:
        if self._away_since is not None:
            logger.warning("Redis answers again after %.0f s", monotonic() - self._away_since)
            self._away_since = None

    def _stand(self, standing: str) -> None:
        """This process is no worker any more."""
        if self.is_finished:
            return  # nor need it be
        if standing == "over":
            self._finish()
            return
        if standing == "dead":
            logger.warning(
                "this process was taken for dead: it was not heard of for %g s; it joins again", self.frontier.lease
            )
            self.queue.forget_ready()
            self._started_told = False
            try:
                self.frontier.register(self.plan.digest, starting=not self._started)
            except (RedisError, OSError) as error:
                self._away(error)
            except ClusterError:
                self._fail("lost")  # another crawl has this name by now
            return
        self._fail(standing)

    def _fail(self, cause: str, detail: object = "") -> None:
        """End this process's part; told once."""
        if not self._over:
            self._over = True
            logger.error("%s", _ENDS[cause].format(worker=self.plan.worker, detail=detail))
            self._drop_claims()
            self.spider.crawler.stats.set_value("newsextract/cluster_error", cause)
            deferred_from_coro(self.spider.crawler.engine.close_spider_async(reason=f"frontier_{cause}"))

    def _drop_claims(self) -> None:
        """Nobody will answer them."""
        for future in self.claims.values():
            future.cancel()
        self.claims.clear()

    # -- the heartbeat ---------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        ticks = 0
        while not self.is_finished and not self._over:
            await asyncio.sleep(TICK)
            ticks += 1
            self.queue.collect()
            if self.queue.outbox:
                self.ask([])
            hungry = not len(self.queue) and ticks % 2 == 0
            if hungry or monotonic() - self._beaten_at >= BEAT:
                self._attempt(self.beat)
            slot = self.spider.crawler.engine._slot  # only the engine itself asks for the next request
            if slot is not None:
                slot.nextcall.schedule()

    def beat(self) -> None:
        """A sign of life, and what follows from the answer."""
        waits = [(unit.name, *self._politeness(unit)) for unit in self.queue.owned]
        told_now = [row for row in waits if row[1] > BEAT / 2 or self._delays.get(row[0]) != row[2]]
        started = self._started and not self._started_told and not self.queue.outbox.push
        self._beat = beat = self.frontier.beat(told_now, started=started)
        self._beaten_at = monotonic()
        self._started_told = self._started_told or started
        self._delays |= {unit: delay for unit, _, delay in told_now}
        for worker, at in beat.dead:
            self.bury(worker, at)
        if beat.state == "finished":
            self._finish()
            return
        self._balance(beat)

    def bury(self, worker: str, at: str) -> None:
        """Return what a dead worker had; which of its claims it has written, its feed tells."""
        feed = feed_of(self.plan.base, worker)
        pending = self.frontier.pending(worker)
        written = written_of(feed, pending)
        if pending and not feed.exists():
            logger.warning(
                "%s is not here: whether %s has written its last %d records cannot be told", feed, worker, len(pending)
            )
        count = self.frontier.recover(worker, at, written)
        if count >= 0:
            logger.warning("worker %s has not been heard of; its %d requests wait again", worker, count)

    def _balance(self, beat: Beat) -> None:
        """Take free units up to this process's share; give back what is idle or too much."""
        now, owned = monotonic(), self.queue.owned
        room = beat.share - len(owned)
        excess = -room if not beat.free else 0
        for unit in sorted(owned, key=lambda unit: unit.flying):
            unit.draining = excess > 0
            excess -= 1
        gone = [u for u in owned if u.is_idle and (u.draining or now - max(u.used_at, u.ready_at) > IDLE)]
        if gone:
            self.frontier.release((unit.name, self._politeness(unit)[0]) for unit in gone)
            for unit in gone:
                self.queue.disown(unit)
        if room > 0 and beat.free:
            self._acquire(min(room, max(1, self.queue.capacity() // 2)))

    def _politeness(self, unit: Unit) -> tuple[float, float]:
        """(seconds that the hosts of a unit must be left alone, their longest delay)."""
        wait = longest = 0.0
        for host, slot in self.spider.crawler.engine.downloader.slots.items():
            if (self.queue.units.of_host(host) or f"host {host}") == unit.name:
                longest = max(longest, slot.delay)
                if slot.lastseen:
                    wait = max(wait, slot.lastseen + slot.delay - monotonic())
        return max(wait, unit.ready_at - monotonic(), 0.0), longest

    def downloaded(self, response: Response, request: Request) -> None:
        """A host that asks for a pause is told of at once: this process may die before its next beat."""
        if response.status in (429, 503) and urlsplit(request.url).hostname:
            self._beaten_at = 0.0

    # -- the end ---------------------------------------------------------------------------------------------------

    def _finish(self) -> None:
        self.is_finished = True
        self._drop_claims()  # if there are any, this process was taken for dead, and others have done its work
        if self.spider.name == "news":
            settle(self.plan.base, self.spider.plan.records, self.spider.ledger.near)

    def stop(self) -> list[str]:
        """Tell what is left to tell, and leave. Gives the lines of the summary."""
        if self._task is not None:
            self._task.cancel()
        self.queue.collect()
        if self._over:
            return []
        self._again_at = 0.0
        self.ask([])
        try:
            if not self.is_finished:
                self.frontier.release((unit.name, self._politeness(unit)[0]) for unit in self.queue.owned)
            lines = status_of(self.frontier.client, self.frontier.name).lines()
            if not self.is_finished:
                self._leave(self.spider.plan.records)
        except (RedisError, OSError) as error:
            logger.warning(
                "Redis does not answer: %s; what this process had is given to others in %g s",
                told(error),
                self.frontier.lease,
            )
            return []
        return lines

    def _leave(self, feed: Path) -> None:
        at = self.frontier.last_beat(self.plan.worker)
        if at is not None:
            self.frontier.recover(self.plan.worker, at, written_of(feed, self.frontier.pending(self.plan.worker)))
