"""How a shared crawl is doing, for a person; and its end, when its keys are removed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from newsextract.cluster import scripts
from newsextract.cluster.frontier import prefix

if TYPE_CHECKING:
    from redis import Redis


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """One worker."""

    name: str
    silent: float | None
    """Seconds since it was last heard of; None: it has left."""
    units: int
    leases: int
    pages: int
    records: int


@dataclass(frozen=True, slots=True)
class ClusterStatus:
    """A crawl."""

    name: str
    state: str
    """``running``, ``finished``, ``lost``, or ``unknown``: there is none of this name."""
    waiting: int
    """Requests that nobody has."""
    held: int
    """Of these, those that wait until nothing else is left."""
    leased: int
    sites_free: int
    seconds: float
    """Since it began."""
    workers: tuple[WorkerStatus, ...]

    @property
    def records(self) -> int:
        """Written by all workers in this crawl."""
        return sum(worker.records for worker in self.workers)

    @property
    def pages(self) -> int:
        """Fetched by all."""
        return sum(worker.pages for worker in self.workers)

    def lines(self) -> list[str]:
        """The same for a person."""
        if self.state == "unknown":
            return [f"no shared crawl {self.name!r} on this server"]
        last = f" ({self.held} until nothing else is left)" if self.held else ""
        lines = [
            f"shared crawl {self.name}: {self.state}; {self.waiting} requests wait{last}, {self.leased} leased; "
            f"{self.records} records, {self.pages} pages"
        ]
        for worker in self.workers:
            seen = "has left" if worker.silent is None else f"seen {worker.silent:.0f} s ago"
            lines.append(
                f"  {worker.name:<24}{worker.records:>8} records{worker.pages:>8} pages{worker.leases:>6} leased"
                f"{worker.units:>5} sites   {seen}"
            )
        return lines


def status_of(client: Redis, name: str) -> ClusterStatus:
    """How a crawl stands."""
    base = prefix(name)
    ask: Any = client.pipeline(transaction=False)
    for key in ("meta", "beats"):
        ask.hgetall(f"{base}{key}")
    ask.smembers(f"{base}workers")
    ask.hlen(f"{base}requests")
    ask.llen(f"{base}held")
    ask.scard(f"{base}free")
    ask.time()
    meta, beats, workers, requests, held, free, time = ask.execute()
    now = time[0] + time[1] / 1e6
    rows = []
    for worker in sorted(workers):
        ask.scard(f"{base}units:{worker}")
        ask.scard(f"{base}leases:{worker}")
        ask.hgetall(f"{base}stats:{worker}")
        units, leases, stats = ask.execute()
        silent = now - float(beats[worker]) if worker in beats else None
        rows.append(WorkerStatus(worker, silent, units, leases, int(stats.get("pages", 0)), int(stats.get("records", 0))))
    leased = sum(row.leases for row in rows)
    return ClusterStatus(
        name=name,
        state=meta.get("state", "unknown"),
        waiting=requests - leased,
        held=held,
        leased=leased,
        sites_free=free,
        seconds=now - float(meta.get("began", now)),
        workers=tuple(rows),
    )


def clear(client: Redis, name: str) -> bool:
    """Remove all keys of a crawl; whether there were any. Feeds stay."""
    return bool(client.eval(scripts.FORGET, 1, prefix(name)))


def names(client: Redis) -> list[str]:
    """The crawls that the server knows."""
    keys = client.scan_iter(match="{newsextract:*}:meta", count=1_000)
    return sorted(str(key).removeprefix("{newsextract:").removesuffix("}:meta") for key in keys)
