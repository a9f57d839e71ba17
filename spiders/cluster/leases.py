"""What a process has of a shared frontier: its units (sites), and the requests that it has leased."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic

from scrapy import Request


@dataclass(slots=True, eq=False)
class Unit:
    """A unit that this process owns, or has pages of."""

    name: str
    room: int
    """Requests that this process leases of it at a time."""
    ready_at: float = 0.0
    """When its hosts may be asked again; the time of :func:`time.monotonic`."""
    is_owned: bool = False
    flying: int = 0
    """Requests that are leased and not done."""
    local: int = 0
    """Requests that are not shared."""
    waiting: list[str] = field(default_factory=list)
    """Keys of pages that are done but for requests that are not shared."""
    look_at: float = 0.0
    draining: bool = False
    """It is to be given back: no new page is begun."""
    used_at: float = field(default_factory=monotonic)

    @property
    def is_idle(self) -> bool:
        """Whether nothing of it is here."""
        return not (self.flying or self.local or self.waiting)


@dataclass(slots=True, eq=False)
class Lease:
    """A request that this process has taken."""

    key: str
    unit: Unit
    request: Request
