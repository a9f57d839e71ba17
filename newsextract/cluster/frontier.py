"""The shared frontier as one process sees it: every call is one question to Redis, and changes it in one step.

All calls raise ``redis.RedisError`` while the server is away; each may be repeated, and changes nothing a second time but
the summary: what an exchange counts is counted twice if its answer got lost, and lines that stand doubled are not told of
again. What an answer that got lost would have brought is given back by :meth:`SharedFrontier.resume`, so that is asked first
afterwards.

Each call tells how many of this worker's calls Redis has answered (``sequence``). Where Redis knows of fewer it was started
again with older data, and the crawl is ``lost``: what the worker knows to be in the frontier is not there any more. A count
of all workers together would not do, since the others' calls make up for those that are gone.

Cost: 0.2 to 0.4 ms a call over loopback, most of it JSON; two calls a page.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from newsextract.cluster import scripts
from newsextract.cluster.connection import ClusterError

if TYPE_CHECKING:
    from redis import Redis

_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
AFTER = 2.0
"""Seconds that a process may live and send requests after it was last heard of: it beats once a second."""


def prefix(name: str) -> str:
    """What the keys of a crawl begin with."""
    return f"{{newsextract:{name}}}:"


class StandingError(Exception):
    """This process is no worker of the crawl any more."""

    def __init__(self, standing: str) -> None:
        super().__init__(standing)
        self.standing = standing
        """``dead``: taken for dead; ``taken``: another process has its name; ``lost``: Redis has forgotten the frontier;
        ``over``: the crawl is finished."""


@dataclass(slots=True)
class Outbox:
    """What a process has to tell, in the order in which it counts."""

    push: list[dict[str, Any]] = field(default_factory=list)
    hints: dict[str, str] = field(default_factory=dict)
    written: list[str] = field(default_factory=list)
    ack: list[str] = field(default_factory=list)
    claim: list[str] = field(default_factory=list)
    stats: dict[str, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.push or self.hints or self.written or self.ack or self.claim)

    def count(self, name: str, amount: int = 1) -> None:
        """Count something for the summary."""
        self.stats[name] = self.stats.get(name, 0) + amount


@dataclass(frozen=True, slots=True)
class Popped:
    """A request that this process has now leased."""

    key: str
    unit: str
    payload: str
    seen: str
    hints: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What an exchange brought."""

    popped: list[Popped]
    claimed: list[bool]
    """One for each claim: whether the record is ours to write."""
    over: int
    """Requests that were over their site's limit."""
    written: list[str]
    """Records that were written since the last exchange, by whomever."""
    doubled: list[str]
    """What this process has told of as written, and another has claimed or written as well."""


@dataclass(frozen=True, slots=True)
class Beat:
    """How the crawl stands."""

    state: str
    dead: list[tuple[str, str]]
    """Workers that have not been heard of for a lease, and when they last were."""
    workers: int
    free: int
    """Units that wait for an owner."""
    owned: int

    @property
    def share(self) -> int:
        """Units that are this process's share."""
        return max(1, -(-(self.free + self.owned) // max(1, self.workers)))


class SharedFrontier:
    """A worker's place in a shared crawl.

    :param lease: seconds without a sign of life after which a worker counts as dead.
    :param delay: seconds between two requests to a host of which nothing else is known.
    :param place: the feed that the worker writes: a name is of one worker only if this is the same, too.
    """

    def __init__(self, client: Redis, name: str, worker: str, lease: float, delay: float = 1.0, place: str = "") -> None:
        self.client = client
        self.name = name
        self.worker = worker
        self.lease = lease
        self.delay = delay
        self.place = place
        self.token = uuid.uuid4().hex
        self.generation = ""
        self._prefix = prefix(name)
        self.in_doubt = False
        """A call was not answered: whether Redis has seen it is not known."""
        self._cursor = 0
        self._sequence = 0
        self._scripts: dict[str, Any] = {}
        self.stretch = 0
        """Number of the stretch of time in which this process has asked often enough for nobody to take it for dead."""
        self._heard_at = -1e9
        self.has_moved = False
        """The last process of this name wrote another feed, which is not known here."""

    @property
    def is_fresh(self) -> bool:
        """Whether nobody can have taken this process for dead: a question was answered less than half a lease ago. The
        clock goes on while the machine sleeps."""
        return time.clock_gettime(_CLOCK) - self._heard_at < self.lease / 2

    def take_name(self) -> str:
        """Take the worker's name for this place.

        :returns: the place of the live process that has it; empty: it is ours.
        """
        reply = self._run(scripts.NAME, place=self.place)
        self.has_moved = reply["before"] not in ("", self.place)
        return str(reply["place"])

    def register(self, digest: str, *, starting: bool = True) -> bool:
        """Join the crawl, or begin it.

        :param digest: of what is crawled and how; all workers of a crawl agree in it.
        :returns: whether this worker has begun it.
        :raises ClusterError: a crawl of this name runs with another plan, or another process has the name.
        :raises StandingError: Redis was started again with an older state; or this worker was of a crawl that is over.
        """
        self.token = uuid.uuid4().hex
        reply = self._run(scripts.REGISTER, digest=digest, starting=starting, place=self.place)
        if reply["standing"] == "named":
            raise ClusterError(
                f"another process has just taken the name {self.worker!r} (for {reply['place']}); start this one again"
            )
        if reply["standing"] == "other":
            raise ClusterError(
                f"the shared crawl {self.name!r} runs with other sites or arguments (or with other settings of politeness, "
                "or another version of newsextract); give the same, or give this one another name (-a crawl=NAME), or make "
                "an end of that one: newsextract cluster clear"
            )
        if reply["standing"] != "ok":
            raise StandingError(reply["standing"])
        if reply["generation"] != self.generation:
            self.generation, self._cursor = reply["generation"], 0
        return bool(reply["fresh"])

    def exchange(self, outbox: Outbox, want: Sequence[tuple[str, int]] = ()) -> Answer:
        """Tell and ask; the outbox is not emptied.

        :param want: (unit, number): how many requests of which units this process can take.
        :raises StandingError: this process is no worker any more.
        """
        reply = self._standing(
            scripts.EXCHANGE,
            push=outbox.push,
            hints=outbox.hints,
            written=outbox.written,
            ack=outbox.ack,
            claim=outbox.claim,
            stats=outbox.stats,
            want=want,
            cursor=self._cursor,
        )
        written = list(reply["written"])
        self._cursor += len(written)
        popped = [Popped(*row) for row in reply["popped"]]
        return Answer(popped, list(reply["claimed"]), reply["over"], written, list(reply["doubled"]))

    def acquire(self, count: int) -> list[tuple[str, float]]:
        """Own more units: (unit, seconds that its hosts must be left alone)."""
        return [(unit, wait) for unit, wait in self._standing(scripts.ACQUIRE, count=count)["units"]]

    def release(self, units: Iterable[tuple[str, float]]) -> None:
        """Give units back, each with the seconds that its hosts must be left alone.

        :raises StandingError: as above.
        """
        self._standing(scripts.RELEASE, units=list(units))

    def resume(self, keys: Iterable[str], units: Iterable[str]) -> None:
        """After a call that was not answered: say what this process has; what else Redis has for it, others may have.

        :param keys: of requests that it has leased.
        """
        self._standing(scripts.RESUME, keys=list(keys), units=list(units))
        self.in_doubt = False

    def beat(self, waits: Sequence[tuple[str, float, float]] = (), *, started: bool = False) -> Beat:
        """Say that this process is alive.

        :param waits: (unit, seconds that its hosts must be left alone, their longest delay).
        :param started: all start pages have been asked for.
        :raises StandingError: as above.
        """
        reply = self._standing(scripts.BEAT, waits=waits, started=started)
        dead = [(worker, at) for worker, at in reply["dead"]]
        return Beat(reply["state"], dead, reply["workers"], reply["free"], reply["owned"])

    def last_beat(self, worker: str) -> str | None:
        """When a worker was last heard of, as Redis writes it; None if it is not of the crawl."""
        value: Any = self.client.hget(f"{self._prefix}beats", worker)
        return None if value is None else str(value)

    def pending(self, worker: str) -> set[str]:
        """Records that a worker was about to write."""
        members: Any = self.client.smembers(f"{self._prefix}pending:{worker}")
        return set(members)

    def gone(self) -> bool:
        """Leave a crawl that is over; whether this worker was still in it."""
        return bool(self.client.hdel(f"{self._prefix}beats", self.worker))

    def dead(self) -> set[str]:
        """Workers that have died and have not come back."""
        members: Any = self.client.smembers(f"{self._prefix}dead")
        return set(members)

    def adopt(self, worker: str) -> bool:
        """Take on what is left to be done for a dead worker; True if it was, and nobody else had."""
        return bool(self.client.srem(f"{self._prefix}dead", worker))

    def recover(self, worker: str, beat: str, written: Iterable[str]) -> int:
        """Bury a worker.

        :param beat: when it was last heard of; if it has been since, nothing happens.
        :param written: those of its pending records that stand in its feed.
        :returns: requests that wait again; -1 if there was nothing to bury.
        """
        job = {"dead": worker, "beat": beat, "written": list(written), "after": AFTER, "delay": self.delay}
        return int(self._standing(scripts.RECOVER, **job)["requests"])

    def _standing(self, script: str, **job: Any) -> Mapping[str, Any]:
        asked_at = time.clock_gettime(_CLOCK)
        reply = self._run(script, **job)
        if reply["standing"] != "ok":
            raise StandingError(reply["standing"])
        if script in (scripts.EXCHANGE, scripts.BEAT):  # these are signs of life
            self.stretch += asked_at - self._heard_at >= self.lease / 2
            self._heard_at = asked_at
        return reply

    def _run(self, script: str, **job: Any) -> dict[str, Any]:
        run = self._scripts.get(script)
        if run is None:
            run = self._scripts[script] = self.client.register_script(script)
        known = {"worker": self.worker, "token": self.token, "generation": self.generation, "lease": self.lease}
        known |= {"sequence": self._sequence}
        before, self.in_doubt = self.in_doubt, True
        reply = json.loads(run(keys=[self._prefix], args=[json.dumps(known | job)]))
        self.in_doubt = before
        self._sequence = reply.get("sequence", self._sequence)
        return {name: [] if value == {} and name in _LISTS else value for name, value in reply.items()}


_LISTS = frozenset({"popped", "claimed", "written", "units", "dead", "doubled"})
"""An empty list is written like an empty object by Lua."""
