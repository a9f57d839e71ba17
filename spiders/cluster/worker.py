"""One process of a shared crawl: its heartbeat, its claims, its standing, and its end.

Everything happens on the crawl's own thread: an exchange takes some tenths of a millisecond. While Redis is away nothing new
is begun; what is under way goes on until it needs a claim, and all that is to be told is kept.
"""

from __future__ import annotations

import asyncio
import logging
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from redis import RedisError
from scrapy.http import Request, Response
from scrapy.utils.defer import deferred_from_coro

from newsextract.cluster.connection import ClusterError, told
from newsextract.cluster.frontier import Answer, StandingError
from newsextract.cluster.status import status_of
from pipelines.shared_feeds import feed_of, settle, written_of
from spiders.cluster.link import Link
from spiders.cluster.shares import Shares

if TYPE_CHECKING:
    from pipelines.items import Item
    from spiders.cluster.plan import ClusterPlan
    from spiders.cluster.queue import LeasedQueue
    from spiders.site_spider import SiteSpider

logger = logging.getLogger(__name__)

TICK = 0.1
"""Seconds between two looks at what is done."""
BEAT = 1.0
"""Seconds between two signs of life, or a quarter of a shorter lease: after half a lease without any, Redis takes itself for
the one that was away. A process that has nothing to do asks at every second tick."""
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
        self.link: Link
        self.shares: Shares
        self.is_finished = False
        self.claims: dict[str, asyncio.Future[bool]] = {}
        """Claims that are not answered yet."""
        self._granted: dict[str, int] = {}
        """Claims whose lines are not written yet, and in which stretch of time they were granted."""
        self.refused: Item | None = None
        """The last item that was claimed, and not written: others have it by now."""
        self._started = self._started_told = False
        self._beaten_at = 0.0
        self._every = min(BEAT, plan.frontier.lease / 4)
        self._soon: asyncio.Handle | None = None
        self._task: asyncio.Task[None] | None = None
        self._delays: dict[str, float] = {}
        self._over = False

    def attach(self, queue: LeasedQueue) -> None:
        """Take the queue, which the scheduler makes."""
        self.queue = queue
        self.link = Link(self.frontier, queue, self._stand)
        self.shares = Shares(self.spider, self.frontier, queue, self.link)

    # -- talking to Redis ------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to beat."""
        self._task = asyncio.get_running_loop().create_task(self._run())
        self._task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """Without a heartbeat this process must not go on."""
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("the heartbeat has failed", exc_info=error)
            self.fail("failed", told(error))

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
        answer = self.link.ask(lambda: self.frontier.exchange(outbox, wanted))
        if answer is None:
            return None
        for claim, is_ours in zip(outbox.claim, answer.claimed, strict=True):
            future = self.claims.pop(claim)
            if is_ours:
                self._granted[claim] = self.frontier.stretch
            if not future.done():
                future.set_result(is_ours)
        for part in (outbox.push, outbox.hints, outbox.written, outbox.ack, outbox.stats):
            part.clear()
        if answer.over:
            self.spider.crawler.stats.inc_value("newsextract/skipped/limit", answer.over)
        if answer.doubled:
            self._tell_of_doubles(answer.doubled)
        self.spider.ledger.elsewhere.update(int(name, 16) for name in answer.written)
        queue.take(answer.popped, wanted)
        return answer

    def more(self) -> bool:
        """Take further units, if this process has less than its share."""
        return self.shares.more()

    def claim(self, name: str) -> asyncio.Future[bool]:
        """Whether a record is this process's to write; waits while the server is away.

        Cancelled when this process is no worker of the crawl any more.
        """
        future = self.claims.setdefault(name, asyncio.get_running_loop().create_future())
        if self._over or self.is_finished:
            future.cancel()
        else:
            self.soon()
        return future

    def holds(self, name: str) -> bool:
        """Whether no other can have been granted a claim that this process was."""
        return self.frontier.is_fresh and self._granted.get(name) == self.frontier.stretch

    def wrote(self, name: str) -> None:
        """The line that a claim is for stands in the feed."""
        self._granted.pop(name, None)
        self.queue.outbox.written.append(name)

    def _tell_of_doubles(self, names: list[str]) -> None:
        """This process stood still just when it wrote a line: nothing could keep it from that any more."""
        logger.error(
            "%d lines stand, or may come to stand, in two feeds, for this process stood still while it wrote them (%s)",
            len(names),
            ", ".join(names[:5]),
        )
        self.spider.crawler.stats.set_value("newsextract/cluster_error", "doubled")

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
            except RedisError as error:
                self.link.away(error)
            except StandingError as error:
                self._stand(error.standing)  # it is over: what is under way here was done by others; or Redis has older data
            except ClusterError as error:
                self.fail("failed", told(error))
            return
        self.fail(standing)

    def fail(self, cause: str, detail: object = "") -> None:
        """End this process's part; told once.

        :param cause: one of the ends above; ``failed`` needs a detail.
        """
        if not self._over:
            self._over = self.link.is_cut = True
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
            if hungry or monotonic() - self._beaten_at >= self._every:
                self.beat()
            slot = self.spider.crawler.engine._slot  # only the engine itself asks for the next request
            if slot is not None:
                slot.nextcall.schedule()

    def beat(self) -> None:
        """A sign of life, and what follows from the answer."""
        waits = [(name, *row) for name, row in self.shares.waits().items()]
        told_now = [row for row in waits if row[1] > self._every / 2 or self._delays.get(row[0]) != row[2]]
        started = self._started and not self._started_told and not self.queue.outbox.push
        beat = self.link.ask(lambda: self.frontier.beat(told_now, started=started))
        if beat is None:
            return
        self._beaten_at = monotonic()
        self._started_told = self._started_told or started
        self._delays |= {unit: delay for unit, _, delay in told_now}
        for worker, at in beat.dead:
            self.bury(worker, at)
        if beat.state == "finished":
            self._finish()
        elif not self._over:
            self.shares.balance(beat)

    def bury(self, worker: str, at: str) -> None:
        """Return what a dead worker had; which of its claims it has written, its feed tells."""
        pending = self.link.ask(lambda: self.frontier.pending(worker))
        if pending is None:
            return
        feed = feed_of(self.plan.base, worker)
        try:
            written = written_of(feed, pending)
        except OSError as error:
            self.fail("failed", f"what worker {worker} has written cannot be read: {told(error)}")
            return
        if pending and not feed.exists():
            logger.warning(
                "%s is not here: whether %s has written its last %d records cannot be told", feed, worker, len(pending)
            )
        count = self.link.ask(lambda: self.frontier.recover(worker, at, written))
        if count is not None and count >= 0:
            logger.warning("worker %s has not been heard of; its %d requests wait again", worker, count)

    def downloaded(self, response: Response, request: Request) -> None:
        """A host that asks for a pause is told of at once: this process may die before its next beat."""
        if response.status in (429, 503) and urlsplit(request.url).hostname:
            self._beaten_at = 0.0

    # -- the end ---------------------------------------------------------------------------------------------------

    def _finish(self) -> None:
        self.is_finished = True
        self._drop_claims()  # if there are any, this process was taken for dead, and others have done its work
        if self.spider.name == "news":
            try:
                settle(self.plan.base, self.spider.plan.records, self.spider.ledger.near)
            except OSError as error:
                logger.error("duplicate_of could not be filled in: %s; the end of the next run does it", told(error))
                self.spider.crawler.stats.set_value("newsextract/cluster_error", "files")

    def gone(self) -> None:
        """The last thing: nothing more is done for this crawl, its database included, so its keys may be removed."""
        if self.is_finished:
            self.link.ask(self.frontier.gone)

    def stop(self) -> list[str]:
        """Tell what is left to tell, and leave. Gives the lines of the summary."""
        if self._task is not None:
            self._task.cancel()
        self.queue.collect()
        if self._over:
            return []
        self.link.hurry()
        self.ask([])
        if not self.is_finished:
            self.shares.give_back()
        lines = self.link.ask(lambda: status_of(self.frontier.client, self.frontier.name).lines())
        if lines is not None and not self.is_finished:
            try:
                self.link.ask(self.plan.leave)
            except OSError as error:
                logger.error(
                    "%s cannot be read: %s; what this process had is given to others later", self.plan.feed, told(error)
                )
        if lines is None and not self._over:
            logger.warning("what this process had is given to others in %g s", self.frontier.lease)
        return lines or []
