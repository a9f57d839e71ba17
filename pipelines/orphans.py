"""The feeds of workers that died, into the database: each worker of a shared crawl follows its own, and nobody theirs.

One of the workers that see the crawl to its end brings them in, after ``duplicate_of`` has been filled in there
(:func:`pipelines.shared_feeds.settle`). A feed that stands on another machine is left to a worker there; where there is
none, a warning and the exit code say what is to be done.
"""

from __future__ import annotations

import asyncio
import sys
from time import monotonic
from typing import TYPE_CHECKING

from redis import RedisError

from newsextract.cluster.connection import told
from pipelines.shared_feeds import feed_of, locked

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.storage import DatabaseStorage
    from spiders.cluster.worker import ClusterWorker

PATIENCE = 5.0
"""Seconds that others, who end at the same moment, have for a feed: to mark what is double in it, or to bring it in."""
_PAUSE = 0.1


async def bring_in_orphans(storage: DatabaseStorage, worker: ClusterWorker, trouble: str) -> str:
    """See the module; called at the end of the crawl, when this worker's own feed is in the database.

    :param trouble: why that is not so; then nothing more is tried.
    :returns: why the database lacks something; empty: it has all.
    """
    try:
        names = sorted(worker.frontier.dead())
        deadline = monotonic() + PATIENCE
        while names and not trouble:
            for name in names:
                trouble = trouble or await _bring_in(storage, worker, name)
            names = sorted(worker.frontier.dead())
            if monotonic() > deadline:
                break
            if names:
                await asyncio.sleep(_PAUSE)
    except RedisError as error:
        sys.stderr.write(f"WARNING: whether the database lacks the feeds of dead workers cannot be told: {told(error)}\n")
        return trouble or "the feeds of dead workers"
    for name in names:
        sys.stderr.write(
            f"WARNING: worker {name} has died, and the database may lack what its feed has; on its machine: "
            f"newsextract database import {feed_of(worker.plan.base, name)}\n"
        )
    return trouble or (f"the feed of worker {names[0]}" if names else "")


async def _bring_in(storage: DatabaseStorage, worker: ClusterWorker, name: str) -> str:
    """Bring a feed in if that is for this process to do; gives why not all of it is in the database."""
    feed: Path = feed_of(worker.plan.base, name)
    if not feed.exists():
        return ""
    with locked(feed) as is_ours:
        if not is_ours or not worker.frontier.adopt(name):
            return ""
        writer = storage.follow(feed)
        writer.start()
        return await storage.finish(writer)
