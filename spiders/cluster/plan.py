"""What the user says of a shared crawl (where Redis is, the crawl's and the worker's name), checked before it begins."""

from __future__ import annotations

import hashlib
import json
import logging
import re
import socket
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.settings import BaseSettings

from newsextract import __version__
from newsextract.cluster.connection import ClusterError, check_name, connect, told
from newsextract.errors import DataError, MissingExtra, UsageError
from newsextract.line_file import LedgerFile
from newsextract.sites import Site
from pipelines.shared_feeds import feed_of, written_of

if TYPE_CHECKING:
    from redis import Redis

    from newsextract.cluster.frontier import SharedFrontier

logger = logging.getLogger(__name__)

_Make = Callable[[str], "tuple[SharedFrontier, LedgerFile]"]
SHARED_NAMES = ("cluster", "crawl", "worker")
LEAST_LEASE = 2.0
AGREED = {
    "getbool": ("ROBOTSTXT_OBEY", "AUTOTHROTTLE_ENABLED"),
    "getfloat": (
        "CLUSTER_LEASE", "DOWNLOAD_DELAY", "CONCURRENT_REQUESTS_PER_SITE", "AUTOTHROTTLE_START_DELAY",
        "AUTOTHROTTLE_MAX_DELAY", "AUTOTHROTTLE_TARGET_CONCURRENCY",
    ),
    "get": ("USER_AGENT", "ROBOTSTXT_USER_AGENT"),
}  # fmt: skip
"""Settings on which all processes of a crawl must agree, by how they are read: hosts move from one to the other."""


@dataclass(slots=True)
class ClusterPlan:
    """A process's place in a shared crawl."""

    frontier: SharedFrontier
    base: Path
    """The feed as the user names it; each worker writes one beside it."""
    worker: str
    lock: LedgerFile
    """Held while the plan lives: nobody else has the worker's name in this folder."""
    agreed: Mapping[str, object] = field(default_factory=dict)
    """Settings that all workers must have alike."""
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
        said = {
            name: value for name, value in arguments.items() if name not in (*SHARED_NAMES, "ledger", "database", "warc")
        }
        plain = {name: site.model_dump(mode="json", exclude={"proxy", "serve", "wrapper"}) for name, site in sites.items()}
        wrappers = {name: site.wrapping.digest for name, site in sites.items() if site.wrapping is not None}
        whole = [__version__, dict(self.agreed), said, plain, wrappers, *more]
        text = json.dumps(whole, sort_keys=True, default=str)
        self.digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        try:
            if self.frontier.has_moved and (pending := self.frontier.pending(self.worker)):
                logger.warning(
                    "worker %s wrote another feed when it died: whether its last %d records stand there cannot be told",
                    self.worker,
                    len(pending),
                )
            self.leave()
            self.frontier.register(self.digest)
        except OSError as error:
            raise UsageError(f"{self.feed}: cannot be read: {error.strerror}") from error
        except _redis_error() as error:
            raise ClusterError(f"the Redis server does not answer: {told(error)}") from error

    def leave(self) -> None:
        """Give back what a process of this worker's name has, or had when it died.

        :raises OSError: its feed, which tells what it has written, cannot be read.
        """
        at = self.frontier.last_beat(self.worker)
        if at is not None:
            self.frontier.recover(self.worker, at, written_of(self.feed, self.frontier.pending(self.worker)))


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
    client = connect(url)
    make = partial(_frontier, client, name, lease, settings.getfloat("DOWNLOAD_DELAY"), base)
    try:
        frontier, lock = _named(make, arguments["worker"]) if "worker" in arguments else _numbered(make)
    except _redis_error() as error:
        raise ClusterError(f"the Redis server does not answer: {told(error)}") from error
    agreed = {key: getattr(settings, kind)(key) for kind, keys in AGREED.items() for key in keys}
    return ClusterPlan(frontier, base, frontier.worker, lock, agreed)


def _redis_error() -> type[Exception]:
    from redis import RedisError  # not without a shared crawl: it is optional

    return RedisError


def _frontier(
    client: Redis, name: str, lease: float, delay: float, base: Path, worker: str
) -> tuple[SharedFrontier, LedgerFile]:
    """A worker's place, and the lock that keeps its name in this folder.

    :raises DataError: a process here has the name.
    """
    from newsextract.cluster.frontier import SharedFrontier

    feed, lock = feed_of(base, worker), _lock(base, worker)
    try:
        place = _place(feed, lock)
    except OSError as error:
        raise UsageError(f"{feed}: cannot be written: {error.strerror}; name another feed with -o") from error
    return SharedFrontier(client, name, worker, lease, delay, place), lock


def _place(feed: Path, lock: LedgerFile) -> str:
    """What tells a worker's feed from all others, on whatever machine: beside its address a number that is kept in its lock,
    for two machines may have the same name."""
    number = lock.path.read_text("ascii", "replace").strip()
    if not number:
        number = uuid.uuid4().hex
        lock.write(f"{number}\n".encode())
    return f"{socket.gethostname()}:{feed.absolute()} ({number[:8]})"


def _named(make: _Make, name: str) -> tuple[SharedFrontier, LedgerFile]:
    """The name that the user gives."""
    try:
        frontier, lock = make(check_name(name, "-a worker"))
    except DataError as error:
        raise UsageError(f"-a worker={name}: a process of this name is running; give each its own") from error
    place = frontier.take_name()
    if place:
        raise UsageError(
            f"-a worker={name}: a process of this name is running and writes {place}; give each its own, and all of a "
            f"machine the same -o (if that one has died: wait {frontier.lease:g} s, CLUSTER_LEASE)"
        )
    return frontier, lock


def _numbered(make: _Make) -> tuple[SharedFrontier, LedgerFile]:
    """The first of HOST-1, HOST-2 … that nobody has, here or elsewhere."""
    host = re.sub(r"[^A-Za-z0-9_-]", "-", socket.gethostname().partition(".")[0])[:40] or "worker"
    for number in count(1):
        try:
            frontier, lock = make(f"{host}-{number}")
        except DataError:
            continue  # another process has it
        if not frontier.take_name():
            return frontier, lock
        lock.close()
    raise AssertionError("numbers end")


def _lock(base: Path, worker: str) -> LedgerFile:
    feed = feed_of(base, worker)
    try:
        return LedgerFile(feed.with_suffix(".lock"))
    except OSError as error:
        raise UsageError(f"{feed}: cannot be written: {error.strerror}; name another feed with -o") from error
