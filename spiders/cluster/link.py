"""Questions to Redis, and the patience while it is away: nothing is asked more often than once a second then.

Only Redis's own errors mean that it is away; a file that cannot be read is the asker's affair. An answer that got lost may
have brought something, so after one it is first told what this process has (:meth:`SharedFrontier.resume`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from redis import RedisError

from newsextract.cluster.connection import told
from newsextract.cluster.frontier import SharedFrontier, StandingError

if TYPE_CHECKING:
    from spiders.cluster.queue import LeasedQueue

logger = logging.getLogger(__name__)

RETRY = 1.0
"""Seconds between two tries to reach a server that is away."""
WARN = 30.0
"""Seconds between two warnings about it."""
T = TypeVar("T")


class Link:
    """See the module.

    :param stand: what follows when this process is no worker of the crawl any more.
    """

    def __init__(self, frontier: SharedFrontier, queue: LeasedQueue, stand: Callable[[str], None]) -> None:
        self.frontier = frontier
        self.is_cut = False
        """Nothing is asked any more."""
        self._queue = queue
        self._stand = stand
        self._away_since: float | None = None
        self._warned_at: float | None = None
        self._again_at = 0.0

    def ask(self, question: Callable[[], T]) -> T | None:
        """Redis's answer; None while it is away, and when this process is no worker any more."""
        if self.is_cut or monotonic() < self._again_at:
            return None
        try:
            if self.frontier.in_doubt:
                self.frontier.resume(self._queue.keys, [unit.name for unit in self._queue.owned])
            answer = question()
        except RedisError as error:
            self.away(error)
            return None
        except StandingError as error:
            self._stand(error.standing)
            return None
        if self._away_since is not None:
            logger.warning("Redis answers again after %.0f s", monotonic() - self._away_since)
            self._away_since = None
        return answer

    def away(self, error: RedisError) -> None:
        """It does not answer; told at once, and twice a minute."""
        now = monotonic()
        if self._away_since is None:
            self._away_since, self._warned_at = now, None
        self._again_at = now + RETRY
        if self._warned_at is None or now - self._warned_at >= WARN:
            self._warned_at = now
            logger.warning("Redis does not answer: %s; the crawl waits for it, and nothing is lost", told(error))

    def hurry(self) -> None:
        """The next question is asked at once."""
        self._again_at = 0.0
