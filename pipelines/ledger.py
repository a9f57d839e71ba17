"""The ledger: what earlier runs and this run have recorded or rejected.

A page is done when its line is in the feed of records or of rejections (:mod:`newsextract.state`). After a ``kill -9``, the
next run repeats the discovery and fetches the pages without a line.

* a record: done;
* a rejection: done, except that later runs try temporary failures (``TRANSIENT``) again, up to three attempts;
* a page that robots.txt forbids: done as long as the site obeys it;
* a listing: never done, because its links must be found again;
* a page of many records: done when all records that its line names are in the feed (:mod:`pipelines.items`);
* a page that a wrapper reads: likewise, for every kind of site. An object whose content has changed is written again as a
  revision.

Cost: 8 bytes of memory per record and rejection of earlier runs, about 100 per record and rejection of this run.
"""

from __future__ import annotations

import logging
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from newsextract import Hints
from newsextract.discovery import record_id
from newsextract.errors import DataError
from newsextract.feed import MAX_ATTEMPTS, LedgerFile, content_hash, line_at, lines, text_hash
from newsextract.feed.duplicates import Sketch
from newsextract.feed.record_lines import (
    DROPPED,
    TRANSIENT,
    WITHDRAWN,
    NewsRecord,
    ObjectRecord,
    ReadPage,
    Rejection,
    mark_duplicate,
    record_sketch,
    revision_of,
)
from newsextract.state.schema import Ids, KeptLink, KnownRecord, State
from newsextract.state.store import CrawlState
from pipelines.checks import WATCHED, SiteRecords
from pipelines.items import LINE_KINDS, Item, PageLines, Record, check_page

MEND = "name another feed, or start afresh with -O"
"""Advice for a feed with foreign lines."""
KEPT = 12.0
"""Seconds after which lines of this run are looked up only in the state, which follows the feed within three or four
(:data:`newsextract.state.store.SECONDS`)."""
_NONE = np.zeros(0, dtype=np.uint64)


class KnownIds:
    """A set of ids: those of earlier runs in a sorted array of 8 bytes each, those of this run in a set."""

    def __init__(self) -> None:
        self._known = array("Q")
        self._new: set[int] = set()
        self._removed: set[int] = set()

    def __contains__(self, number: object) -> bool:
        assert isinstance(number, int)
        if number in self._new:
            return True
        place = bisect_left(self._known, number)
        return place < len(self._known) and self._known[place] == number and number not in self._removed

    def __len__(self) -> int:
        return len(self._known) + len(self._new) - len(self._removed)

    def extend(self, known: Ids) -> None:
        """Add ids of earlier runs.

        :param known: in ascending order.
        """
        if self._known:
            known = np.union1d(np.frombuffer(self._known, np.uint64), known).astype(np.uint64)
        self._known = array("Q", known.tobytes())

    def add(self, number: int) -> None:
        """Add an id."""
        self._removed.discard(number)
        if number not in self:
            self._new.add(number)

    def discard(self, number: int) -> None:
        """Remove an id."""
        self._new.discard(number)
        if number in self:
            self._removed.add(number)


@dataclass(frozen=True, slots=True)
class Visits:
    """Selects the records to revisit."""

    before: datetime | None = None
    """Select all records that were last fetched at this time or earlier."""
    since: Mapping[str, datetime] = field(default_factory=dict)
    """Site with the key ``revisit`` → earliest time of the first line of its records that are selected, unless they were
    fetched within the last hour."""


@dataclass(frozen=True, slots=True)
class Fresh:
    """A line that this run has written recently."""

    place: int
    sketch: Sketch | None
    at: float
    """Time by :func:`time.monotonic`."""


class FreshLines:
    """The lines of the last :data:`KEPT` seconds, by id and by the bands of their fingerprints."""

    def __init__(self) -> None:
        self._lines: dict[int, Fresh] = {}
        self._of_band: dict[int, set[int]] = {}

    def add(self, number: int, place: int, sketch: Sketch | None) -> None:
        """Add a line, and forget old ones.

        :param sketch: None: no other record can repeat it.
        """
        now = monotonic()
        if number in self._lines:
            self._forget(number)
        while self._lines and now - self._lines[oldest := next(iter(self._lines))].at > KEPT:
            self._forget(oldest)
        self._lines[number] = Fresh(place, sketch, now)
        for key in sketch.keys if sketch else ():
            self._of_band.setdefault(key, set()).add(number)

    def place(self, number: int) -> int | None:
        """The first byte of a record's line."""
        line = self._lines.get(number)
        return line.place if line else None

    def near(self, record: Sketch) -> list[Sketch]:
        """The records that share a band with one."""
        numbers = set[int]().union(*(self._of_band.get(key, ()) for key in record.keys))
        return [found for number in numbers if (found := self._lines[number].sketch) is not None]

    def _forget(self, number: int) -> None:
        sketch = self._lines.pop(number).sketch
        for key in sketch.keys if sketch else ():
            self._of_band[key].discard(number)
            if not self._of_band[key]:
                del self._of_band[key]


@dataclass(slots=True)
class Ledger:
    """Index of the feeds. Ids are numbers (16 hexadecimal digits in the feeds)."""

    records: KnownIds = field(default_factory=KnownIds)
    """Records that were in the feed at the start."""
    told: KnownIds = field(default_factory=KnownIds)
    """Hashes of posts that are in the feed or queued (:func:`newsextract.feed.post_hash`)."""
    admitted: set[int] = field(default_factory=set)
    """Records of this run, written or queued."""
    rejected: KnownIds = field(default_factory=KnownIds)
    """Final rejections, including listings."""
    listings: KnownIds = field(default_factory=KnownIds)
    robots: KnownIds = field(default_factory=KnownIds)
    """Pages that robots.txt forbids: done as long as the site obeys it."""
    attempts: dict[int, int] = field(default_factory=dict)
    """Page → number of attempts with temporary failures."""
    revisit: dict[int, KnownRecord] = field(default_factory=dict)
    pages: PageLines = field(default_factory=PageLines)
    objects: dict[int, tuple[int, bytes]] = field(default_factory=dict)
    """Object of a wrapper → its revision, and a hash of its content."""
    again: dict[str, tuple[str, str]] = field(default_factory=dict)
    """News pages read by a wrapper that will be revisited: id → (site, URL)."""
    counts: Counter[str] = field(default_factory=Counter)
    """Site → number of records in the feed at the start."""
    state: State | None = None
    path: Path | None = None
    """The feed of records."""
    visits: Visits = field(default_factory=Visits)
    older: dict[str, list[Sketch]] = field(default_factory=dict)
    """Queued record → similar earlier records; see :meth:`older_near`."""
    sites: dict[str, SiteRecords] = field(default_factory=dict)
    """Site → memory of its articles, for the sites that :meth:`site` was called for."""
    _fresh: FreshLines = field(default_factory=FreshLines)

    @property
    def size(self) -> int:
        """Number of records at the start."""
        return len(self.records)

    def site(self, name: str) -> SiteRecords:
        """The memory of a site's articles, with the last :data:`~pipelines.checks.WATCHED` of earlier runs.

        :raises DataError: the feed was changed since the crawl began.
        """
        known = self.sites.get(name)
        if known is None:
            known = self.sites[name] = SiteRecords()
            if self.state is not None:
                for line in self.state.latest(name, WATCHED):
                    known.restore(line)
                known.titles.of_site.update(dict.fromkeys(self.state.site_titles(name), frozenset()))
        return known

    def has(self, identity: int) -> bool:
        """Whether the record (for news: the page's record) is written or queued."""
        return identity in self.admitted or identity in self.records

    def is_done(self, identity: int, obey_robots: bool = True) -> bool:
        """Whether the page need not be fetched.

        :param obey_robots: the site's key; if it is False, pages that robots.txt forbids are not done.
        """
        if identity in self.records:
            return identity not in self.revisit
        if identity in self.rejected and (obey_robots or identity not in self.robots):
            return identity not in self.listings
        return self.attempts.get(identity, 0) >= MAX_ATTEMPTS

    # -- what earlier runs have done -----------------------------------------------------------------------------------

    def take_in(self, site: str | None = None) -> None:
        """Load the state of one site or of all sites."""
        state = self.state
        if state is None:
            return
        rejected = state.rejection_ids(site)
        attempts = state.attempts(site)
        self.records.extend(state.record_ids(site))
        self.told.extend(state.told(site))
        for ids in rejected.values():
            self.rejected.extend(ids)
        self.listings.extend(rejected.get("listing", _NONE))
        self.robots.extend(rejected.get("robots", _NONE))
        self.attempts.update(attempts)
        self.counts |= state.counts(site)
        self.objects.update((known.number, (known.revision, known.said or b"")) for known in state.objects(site))
        self.revisit.update((known.number, known) for known in self._due(state, site))
        self.pages.written = self.records
        self.pages.given_up.update(map(int, rejected.get(DROPPED, _NONE)))
        self.pages.given_up.update(number for number, count in attempts.items() if count >= MAX_ATTEMPTS)

    def _due(self, state: State, site: str | None) -> Iterator[KnownRecord]:
        if self.visits.before is not None:
            yield from state.due(self.visits.before, site)
        for name, since in self.visits.since.items():
            if site in (None, name):
                yield from state.due(now() - timedelta(hours=1), name, since)

    def add_page(self, page: ReadPage) -> None:
        """Add the line of a page with many records; old pages may be revisited."""
        before = self.visits.before
        if before is not None and not before < datetime.fromisoformat(page.fetched_at) < now() + timedelta(days=1):
            self.again[page.id] = page.site, page.url
        else:
            self.again.pop(page.id, None)
            self.pages.add(page)

    # -- what this run adds --------------------------------------------------------------------------------------------

    def admit(self, item: Item) -> Item | None:
        """Register a new line; drop a known record that has not changed.

        :returns: the line to write; None if the ledger already has it.
        """
        if isinstance(item, Rejection):
            return self._admit_rejection(item)
        if isinstance(item, ReadPage):
            return item if self.pages.add(item) else None
        if isinstance(item, ObjectRecord):
            return self._admit_object(item)
        return self._admit_record(item)

    def _admit_rejection(self, rejection: Rejection) -> Rejection | None:
        identity = int(rejection.id, 16)
        if rejection.status in TRANSIENT:
            return rejection
        if identity in self.rejected and (identity not in self.robots or rejection.status == "robots"):
            return None
        self.robots.discard(identity)
        self.rejected.add(identity)
        return rejection

    def _admit_record(self, record: Record) -> Record | None:
        identity = int(record.id, 16)
        known = self.revisit.pop(identity, None)
        if isinstance(record, NewsRecord) and known is not None:
            unchanged = known.said == text_hash(record.text) and known.status == record.status
            if not unchanged:
                record.revision = known.revision + 1
                return record
        if not self.has(identity):
            self.admitted.add(identity)
            return record
        return None

    def _admit_object(self, record: ObjectRecord) -> ObjectRecord | None:
        identity, said = int(record.id, 16), content_hash(record.fields, record.object, record.missing)
        revision, known = self.objects.get(identity, (-1, b""))
        if said == known:
            return None
        record.revision = revision + 1
        self.objects[identity] = record.revision, said
        return record

    def withdraw(self, record: Record) -> None:
        """Undo :meth:`admit` for a record that a user's pipeline has rejected."""
        identity = int(record.id, 16)
        if isinstance(record, ObjectRecord):
            said = content_hash(record.fields, record.object, record.missing)
            if self.objects.get(identity) == (record.revision, said):
                self.objects[identity] = record.revision, b""  # the content of the previous revision is no longer known
        elif isinstance(record, NewsRecord) and record.revision:
            self.revisit[identity] = KnownRecord(identity, record.url, record.site, record.revision - 1)
        else:
            self.admitted.discard(identity)

    def keep_link(self, site: str, url: str, depth: int, role: str, hints: Hints, *, is_vouched: bool = True) -> None:
        """Store a link that no later run would find again.

        :param is_vouched: more than a menu leads to it; see :mod:`pipelines.checks`.
        :raises OSError: the disk is full or the state cannot be written.
        """
        if self.state is not None:
            self.state.keep_link(KeptLink(site, url, depth, role, hints, is_vouched))

    def kept_links(self, site: str) -> list[KeptLink]:
        """The stored links of a site, of this run and earlier ones."""
        return self.state.kept_links(site) if self.state is not None else []

    def revises(self, record: ObjectRecord) -> bool:
        """Whether an object is written or queued with different content."""
        known = self.objects.get(int(record.id, 16))
        return known is not None and known[1] != content_hash(record.fields, record.object, record.missing)

    def written(self, record: NewsRecord, place: int) -> None:
        """Note that a record is in the feed."""
        self._fresh.add(int(record.id, 16), place, record_sketch(record) if record.status != WITHDRAWN else None)

    def revision(self, identity: int, **changes: Any) -> NewsRecord | None:
        """Make the next revision of a record; None if the record is not in the feed.

        :raises DataError: the feed was changed since the crawl began.
        """
        line = self.line(identity)
        if line is None:
            return None
        self.revisit[identity] = KnownRecord(identity, line["url"], line["site"], line["revision"])
        return revision_of(line, **changes)

    def line(self, identity: int) -> dict[str, Any] | None:
        """The last line of a news record; None if it is not in the feed.

        :raises DataError: the feed was changed since the crawl began.
        """
        place = self._fresh.place(identity)
        if place is not None and self.path is not None:
            return line_at(self.path, place)
        return self.state.line(identity) if self.state is not None and self.has(identity) else None

    # -- near-same texts -----------------------------------------------------------------------------------------------

    def older_near(self, record: NewsRecord) -> list[Sketch]:
        """Earlier records that share a band with a record. Reads the state, so do not call it in the reactor's thread."""
        mine = record_sketch(record)
        return [] if self.state is None or mine is None else self.state.near(mine)

    def mark(self, record: NewsRecord) -> None:
        """Set ``duplicate_of`` of a record immediately before it is written."""
        older = self.older.pop(record.id, [])
        if (mine := record_sketch(record)) is not None:
            mark_duplicate(record, [*older, *self._fresh.near(mine)])


def load(feed: LedgerFile, visits: Visits | None = None, kind: str = "news") -> Ledger:
    """Load the ledger of an open feed; close the feed if it cannot be continued.

    :param kind: kind of site: ``news``, or a kind with many records per page.
    :raises DataError: no line of a file is one of newsextract. A torn last line is not an error.
    """
    state = CrawlState(feed.path, LINE_KINDS.get(kind, "news"))
    try:
        state.catch_up()
        ledger = Ledger(state=state, path=feed.path, visits=visits or Visits())
        ledger.take_in()
        for line, _ in lines(pages_path(feed.path), check_page, MEND, logging.getLogger(__name__).warning):
            ledger.add_page(ReadPage(**line))
        return ledger
    except DataError:
        state.close(is_complete=False)
        feed.close()
        raise


def pages_path(records: Path) -> Path:
    """Path of the feed of pages, next to the feed of records."""
    return records.with_suffix(".pages.jsonl")


def identity(url: str) -> int:
    """The id of a page's URL as a number."""
    return int(record_id(url), 16)


def age(value: str) -> timedelta:
    """``all``, ``12h``, ``7d`` or ``2w`` as a time span. Raises ValueError: anything else."""
    if value == "all":
        return timedelta(0)
    units = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
    if not 2 <= len(value) <= 6 or value[-1] not in units or not value[:-1].isdecimal():
        raise ValueError(value)
    return int(value[:-1]) * units[value[-1]]


def now() -> datetime:
    """The current time in UTC, without fractions of a second."""
    return datetime.now(UTC).replace(microsecond=0)
