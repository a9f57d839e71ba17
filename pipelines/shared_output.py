"""Lines of a shared crawl into its database, in batches: an item goes on only when its line is there.

So what waits is bounded by what Scrapy has in its pipelines, and a page counts as done when the database says so. While the
database is away the batch is tried again, after .5, 1, 2 … 30 seconds.
"""

from __future__ import annotations

import asyncio
import logging
from time import monotonic

from sqlalchemy.exc import SQLAlchemyError

from newsextract.database.connection import explain
from newsextract.news_record import FeedLine
from newsextract.state.shared import NewLine, SharedState

BATCH = 200
"""Lines of one transaction, at most."""
PAUSE = 0.05
"""Seconds that the first line of a batch waits for others."""
_FIRST, _LONGEST = 0.5, 30.0
logger = logging.getLogger(__name__)


class SharedOutput:
    """Writes lines to a shared state."""

    def __init__(self, state: SharedState) -> None:
        self._state = state
        self._waiting: list[tuple[NewLine, asyncio.Future[str | None]]] = []
        self._task: asyncio.Task[None] | None = None

    async def write(self, item: FeedLine, unit: str) -> str | None:
        """Write a line.

        :param unit: what the process has leased of it.
        :returns: why it is not in the database; None: it is.
        """
        done: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._waiting.append((NewLine(item, unit), done))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._write_all())
        return await done

    async def _write_all(self) -> None:
        while self._waiting:
            await asyncio.sleep(PAUSE)
            batch, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
            try:
                await self._write([new for new, _ in batch])
            except Exception as error:  # reason: a defect costs these lines, which are counted; else they wait for ever
                logger.error("defect while lines were written", exc_info=error)
                for new, _ in batch:
                    new.refused = f"a defect: {type(error).__name__}: {error}"
            for new, done in batch:
                if not done.done():
                    done.set_result(new.refused)

    async def _write(self, lines: list[NewLine]) -> None:
        pause, began = _FIRST, monotonic()
        while True:
            try:
                await asyncio.to_thread(self._state.write, lines)
            except SQLAlchemyError as error:
                if pause == _FIRST:
                    logger.warning("the shared state cannot be written: %s. The crawl waits for it.", explain(error))
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST)
                continue
            if pause > _FIRST:
                logger.warning("the shared state can be written again, after %.0f s", monotonic() - began)
            return
