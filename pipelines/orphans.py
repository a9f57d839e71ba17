"""The feeds of workers that died, into the database: each worker of a shared crawl follows its own, and nobody theirs.

Those that see the crawl to its end bring them in, after ``duplicate_of`` has been filled in there
(:func:`pipelines.shared_feeds.settle`). Redis knows who was taken for dead; who died shortly before the end, with nothing to
do, nobody has missed. So every feed in the folder that nobody holds is looked at, as well. A feed that stands on another
machine is left to a worker there; where there is none, a warning and the exit code say what is to be done, if it was missed.

Cost: of a feed that is in the database, what :mod:`newsextract.database.looking_back` costs.
"""

from __future__ import annotations

import asyncio
import sys
from time import monotonic
from typing import TYPE_CHECKING

from redis import RedisError

from newsextract.cluster.connection import told
from pipelines.shared_feeds import feed_of, locked, siblings

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
    base = worker.plan.base
    feeds = [feed for feed in siblings(base) if feed not in (base, worker.plan.feed)]  # base: of crawls that are not shared
    deadline = monotonic() + PATIENCE
    try:
        while True:
            for feed in feeds:
                trouble = trouble or await _bring_in(storage, worker, feed)
            names = sorted(worker.frontier.dead())
            feeds = [feed for feed in (feed_of(base, name) for name in names) if feed.exists()]
            if trouble or not names or monotonic() > deadline:
                break
            await asyncio.sleep(_PAUSE)
    except RedisError as error:
        sys.stderr.write(f"WARNING: whether the database lacks the feeds of dead workers cannot be told: {told(error)}\n")
        return trouble or "the feeds of dead workers"
    for name in names:
        sys.stderr.write(
            f"WARNING: worker {name} has died, and the database may lack what its feed has; on its machine: "
            f"newsextract database import {feed_of(base, name)}\n"
        )
    return trouble or (f"the feed of worker {names[0]}" if names else "")


async def _bring_in(storage: DatabaseStorage, worker: ClusterWorker, feed: Path) -> str:
    """Bring a feed in if nobody holds it; gives why not all of it is in the database."""
    name = feed.name[len(worker.plan.base.stem) + 1 : -len(feed.suffix)]
    try:
        with locked(feed) as is_ours:
            if not is_ours:
                return ""
            worker.frontier.adopt(name)  # now: others wait for it
            writer = storage.follow(feed)
            writer.start()
            return await storage.finish(writer)
    except OSError as error:
        return f"{feed}: {told(error)}"
