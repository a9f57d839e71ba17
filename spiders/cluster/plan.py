"""What the user says of a shared crawl (where Redis is, the crawl's and the worker's name), checked before it begins."""

from __future__ import annotations

import hashlib
import json
import re
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.settings import BaseSettings

from newsextract.cluster.connection import ClusterError, check_name, connect, told
from newsextract.errors import DataError, MissingExtra, UsageError
from newsextract.line_file import LedgerFile
from newsextract.sites import Site
from pipelines.shared_feeds import feed_of, written_of

if TYPE_CHECKING:
    from newsextract.cluster.frontier import SharedFrontier

SHARED_NAMES = ("cluster", "crawl", "worker")
LEAST_LEASE = 2.0


@dataclass(slots=True)
class ClusterPlan:
    """A process's place in a shared crawl."""

    frontier: SharedFrontier
    base: Path
    """The feed as the user names it; each worker writes one beside it."""
    worker: str
    lock: LedgerFile
    """Held while the plan lives: nobody else has the worker's name in this folder."""
    digest: str = ""

    @property
    def feed(self) -> Path:
        """Where this worker's records go."""
        return feed_of(self.base, self.worker)

    def join(self, sites: Mapping[str, Site], arguments: Mapping[str, str], more: Sequence[str]) -> None:
        """Register. What a process of the same name had when it died waits again.

        :param more: what else all processes must agree in.
        :raises ClusterError: the crawl runs with another plan, or the server does not answer.
        """
        from redis import RedisError

        said = {
            name: value for name, value in arguments.items() if name not in (*SHARED_NAMES, "ledger", "database", "warc")
        }
        plain = {name: site.model_dump(mode="json", exclude={"proxy", "serve"}) for name, site in sites.items()}
        text = json.dumps([said, plain, *more], sort_keys=True, default=str)
        self.digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        try:
            at = self.frontier.last_beat(self.worker)
            if at is not None:
                self.frontier.recover(self.worker, at, written_of(self.feed, self.frontier.pending(self.worker)))
            self.frontier.register(self.digest)
        except (RedisError, OSError) as error:
            raise ClusterError(f"the Redis server does not answer: {told(error)}") from error


def cluster_plan(settings: BaseSettings, arguments: Mapping[str, str], base: Path, kind: str) -> ClusterPlan | None:
    """The place of this process; None if the crawl is not shared.

    :param base: the feed of records as the user names it.
    :raises UsageError: one line a mistake.
    :raises MissingExtra: a package is not installed.
    """
    url = arguments.get("cluster") or settings.get("CLUSTER_URL")
    if not url:
        for name in ("crawl", "worker"):
            if name in arguments:
                raise UsageError(f"-a {name}={arguments[name]}: only for shared crawls; add -a cluster=redis://…")
        return None
    for module, package in (("redis", "redis"), ("scrapy_redis", "scrapy-redis")):
        if find_spec(module) is None:
            raise MissingExtra(package, "cluster", "a shared crawl (-a cluster=)")
    name = check_name(arguments.get("crawl", kind), "-a crawl")
    lease = settings.getfloat("CLUSTER_LEASE", 30.0)
    if lease < LEAST_LEASE:
        raise UsageError(f"CLUSTER_LEASE={lease:g}: expected seconds, {LEAST_LEASE:g} at least")
    from newsextract.cluster.frontier import SharedFrontier

    client = connect(url)
    worker, lock = _worker(base, arguments.get("worker"))
    frontier = SharedFrontier(client, name, worker, lease, settings.getfloat("DOWNLOAD_DELAY"))
    return ClusterPlan(frontier, base, worker, lock)


def _worker(base: Path, name: str | None) -> tuple[str, LedgerFile]:
    """The worker's name and the lock that keeps it: the user's, or the first of HOST-1, HOST-2 … that nobody has."""
    if name is not None:
        try:
            return name, _lock(base, check_name(name, "-a worker"))
        except DataError as error:
            raise UsageError(f"-a worker={name}: a process of this name is running; give each its own") from error
    host = re.sub(r"[^A-Za-z0-9_-]", "-", socket.gethostname().partition(".")[0])[:40] or "worker"
    for number in count(1):
        try:
            return f"{host}-{number}", _lock(base, f"{host}-{number}")
        except DataError:
            continue  # another process has it
    raise AssertionError("numbers end")


def _lock(base: Path, worker: str) -> LedgerFile:
    feed = feed_of(base, worker)
    try:
        return LedgerFile(feed.with_suffix(".lock"))
    except OSError as error:
        raise UsageError(f"{feed}: cannot be written: {error.strerror}; name another feed with -o") from error
