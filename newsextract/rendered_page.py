"""A page that a browser has rendered, before the browser's walk is read.

The walk is one long JSON string. It is carried as it came, by a crawl and by an archive, and taken apart where the page is
read: in a worker, under the worker's limits.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from newsextract.page import Hints, Page
from newsextract.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """What is known of it before the walk is read; the fields that a :class:`~newsextract.Page` has, too, mean the same."""

    body: bytes
    """The walk: what ``newsextract.snapshot.WALKER`` returned, UTF-8."""
    url: str
    """After redirects and scripts."""
    headers: Mapping[str, str]
    fetched_at: datetime
    hints: Hints
    note: str | None = None
    place: str | None = None

    @property
    def time(self) -> datetime:
        """The time of fetch."""
        return self.fetched_at

    def read(self) -> Page:
        """The page itself, with its snapshot.

        :raises SnapshotError: it is over a cap, or its scripts gave something else than a walk.
        """
        walk = self.body.decode("utf-8", "surrogatepass")
        snapshot = Snapshot.from_walk(walk, self.url, fetched_at=self.fetched_at, scripts=True, note=self.note)
        page = Page.from_snapshot(snapshot)
        return dataclasses.replace(page, headers={**self.headers, **page.headers}, hints=self.hints, place=self.place)


Fetched = Page | RenderedPage


def opened(page: Fetched) -> Page:
    """The page that extraction reads.

    :raises SnapshotError: see :meth:`RenderedPage.read`.
    """
    return page.read() if isinstance(page, RenderedPage) else page
