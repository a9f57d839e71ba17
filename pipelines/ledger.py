"""What a crawl has already recorded or rejected: the state of earlier runs, and what this run has added.

A page counts as done when its line is in the feed, or in the feed of rejections (:mod:`newsextract.state`). After a
``kill -9`` discovery runs again and fetches what has no line yet.

* a record: done;
* a rejection: done, except that passing failures (``TRANSIENT``) are tried again by later runs, three times in all;
* a page that robots.txt forbids: done as long as the site obeys it;
* a listing: never done, because its links must be found again;
* a page of many records: done when all records that its line names are in the feed (:mod:`pipelines.pages`);
* a page that a site's wrapper reads: the same, whatever the site's kind. An object whose content has changed is written
  again as a revision.

Cost: 8 bytes of memory for each record and each rejection of earlier runs, about 100 for each of this run.
"""

from __future__ import annotations

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
from newsextract.feed.duplicates import Sketch, original, sketch
from newsextract.feed.lines import MAX_ATTEMPTS, LedgerFile, content_hash, line_at, lines, text_hash
from newsextract.feed.news_record import DROPPED, WITHDRAWN, revision_of
from newsextract.state.store import CrawlState
from newsextract.state.tables import Ids, KeptLink, KnownRecord, State
from pipelines.items import LINE_KINDS, TRANSIENT, Item, NewsRecord, ObjectRecord, ReadPage, Record, Rejection
from pipelines.pages import PageLines, check_page
from pipelines.site_memory import WATCHED, SiteRecords

MEND = "name another feed, or start afresh with -O"
"""What may be done about a feed with lines that are not ours."""
KEPT = 5.0
"""Seconds after which what this run has written is looked up in the state alone: it follows the feed within one or two."""
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
        """Put ids of earlier runs in.

        :param known: in ascending order.
        """
        if self._known:
            known = np.union1d(np.frombuffer(self._known, np.uint64), known).astype(np.uint64)
        self._known = array("Q", known.tobytes())

    def add(self, number: int) -> None:
        """Put an id in."""
        self._removed.discard(number)
        if number not in self:
            self._new.add(number)

    def discard(self, number: int) -> None:
        """Take an id out."""
        self._new.discard(number)
        if number in self:
            self._removed.add(number)


@dataclass(frozen=True, slots=True)
class Known:
    """What the ledger knows of a record that is to be visited again."""

    url: str
    site: str
    revision: int
    text_hash: bytes
    etag: str | None
    last_modified: str | None
    status: str = "ok"


@dataclass(frozen=True, slots=True)
class Recent:
    """Which records a site's own key ``revisit`` asks for again: those that have come lately, but not in this hour."""

    since: Mapping[str, datetime]
    """By site: when the first line of a record was written, at the earliest."""
    before: datetime
    """When it was fetched last, at the latest."""


@dataclass(frozen=True, slots=True)
class Visits:
    """What is to be visited again."""

    before: datetime | None = None
    """All that was fetched last then or earlier."""
    recent: Recent | None = None


@dataclass(slots=True)
class Fresh:
    """What this run has written lately."""

    place: int
    sketch: Sketch | None
    at: float
    """When, by :func:`time.monotonic`."""


@dataclass(slots=True)
class Ledger:
    """What is in the feeds. Ids are kept as numbers (16 hexadecimal digits)."""

    records: KnownIds = field(default_factory=KnownIds)
    """Those that were in the feed at the start."""
    admitted: set[int] = field(default_factory=set)
    """Those of this run: in the feed, or on their way to it."""
    rejected: KnownIds = field(default_factory=KnownIds)
    """Rejected for good, listings included."""
    listings: KnownIds = field(default_factory=KnownIds)
    robots: KnownIds = field(default_factory=KnownIds)
    """Rejected because of robots.txt: done only as long as the site obeys it."""
    attempts: dict[int, int] = field(default_factory=dict)
    """Tries of pages that failed for a passing reason."""
    revisit: dict[int, Known] = field(default_factory=dict)
    pages: PageLines = field(default_factory=PageLines)
    objects: dict[int, tuple[int, bytes]] = field(default_factory=dict)
    """Objects of wrappers: revision, and a hash of what they say."""
    again: dict[str, tuple[str, str]] = field(default_factory=dict)
    """News pages read by a wrapper that are to be visited again: id → (site, URL)."""
    counts: Counter[str] = field(default_factory=Counter)
    """By site: records that were in the feed at the start."""
    state: State | None = None
    path: Path | None = None
    """The feed of records."""
    visits: Visits = field(default_factory=Visits)
    older: dict[str, list[Sketch]] = field(default_factory=dict)
    """By record on its way to the feed: see :meth:`older_near`."""
    _sites: dict[str, SiteRecords] = field(default_factory=dict)
    _fresh: dict[int, Fresh] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Number of records at the start."""
        return len(self.records)

    @property
    def sites(self) -> dict[str, SiteRecords]:
        """By site, as far as they have been asked for: what its articles say about each other."""
        return self._sites

    def site(self, name: str) -> SiteRecords:
        """What the articles of a site say about each other; of earlier runs the last :data:`~pipelines.site_memory.WATCHED`.

        :raises DataError: the feed has been changed since the crawl began.
        """
        known = self._sites.get(name)
        if known is None:
            known = self._sites[name] = SiteRecords()
            if self.state is not None:
                for line in self.state.latest(name, WATCHED):
                    known.restore(line)
                known.titles.of_site.update(dict.fromkeys(self.state.site_titles(name), frozenset()))
        return known

    def has(self, identity: int) -> bool:
        """Whether the record (for news: the page's) is written or on its way."""
        return identity in self.admitted or identity in self.records

    def is_done(self, identity: int, obey_robots: bool = True) -> bool:
        """Whether the page need not be fetched.

        :param obey_robots: the site's key; without it, what robots.txt forbade is to be fetched.
        """
        if identity in self.records:
            return identity not in self.revisit
        if identity in self.rejected and (obey_robots or identity not in self.robots):
            return identity not in self.listings
        return self.attempts.get(identity, 0) >= MAX_ATTEMPTS

    # -- what earlier runs have done -----------------------------------------------------------------------------------

    def take_in(self, site: str | None = None) -> None:
        """Take in what the state knows, of one site or of all."""
        state = self.state
        if state is None:
            return
        rejected = state.rejection_ids(site)
        attempts = state.attempts(site)
        self.records.extend(state.record_ids(site))
        for ids in rejected.values():
            self.rejected.extend(ids)
        self.listings.extend(rejected.get("listing", _NONE))
        self.robots.extend(rejected.get("robots", _NONE))
        self.attempts.update(attempts)
        self.counts |= state.counts(site)
        self.objects.update((known.number, (known.revision, known.said or b"")) for known in state.objects(site))
        self.revisit.update((known.number, _visited(known)) for known in self._due(state, site))
        self.pages.written = self.records
        self.pages.given_up.update(map(int, rejected.get(DROPPED, _NONE)))
        self.pages.given_up.update(number for number, count in attempts.items() if count >= MAX_ATTEMPTS)

    def _due(self, state: State, site: str | None) -> Iterator[KnownRecord]:
        if self.visits.before is not None:
            yield from state.due(self.visits.before, site)
        recent = self.visits.recent
        for name, since in recent.since.items() if recent is not None else ():
            if recent is not None and site in (None, name):
                yield from state.due(recent.before, name, since)

    def add_page(self, page: ReadPage) -> None:
        """Take in the line of a page of many records; an older one may be visited again."""
        before = self.visits.before
        if before is not None and not before < datetime.fromisoformat(page.fetched_at) < now() + timedelta(days=1):
            self.again[page.id] = page.site, page.url
        else:
            self.again.pop(page.id, None)
            self.pages.add(page)

    # -- what this run adds --------------------------------------------------------------------------------------------

    def admit(self, item: Item) -> Item | None:
        """Take note of a new line; drop a record that is known and has not changed.

        :returns: what is to be written; None if the ledger has it already.
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
        if isinstance(record, NewsRecord) and known is not None and _has_changed(known, record):
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
        """Take back what :meth:`admit` has noted of a record that a user's pipeline has turned away."""
        identity = int(record.id, 16)
        if isinstance(record, ObjectRecord):
            said = content_hash(record.fields, record.object, record.missing)
            if self.objects.get(identity) == (record.revision, said):
                self.objects[identity] = record.revision, b""  # what the revision before it said is not known any more
        elif isinstance(record, NewsRecord) and record.revision:
            self.revisit[identity] = Known(record.url, record.site, record.revision - 1, b"", None, None)
        else:
            self.admitted.discard(identity)

    def keep_link(self, site: str, url: str, depth: int, role: str, hints: Hints, *, is_vouched: bool = True) -> None:
        """Write down a link that no later run would find again.

        :param is_vouched: more than a menu leads to it, see :mod:`pipelines.checks`.
        :raises OSError: the disk is full or the state cannot be written.
        """
        if self.state is not None:
            self.state.keep_link(KeptLink(site, url, depth, role, hints, is_vouched))

    def kept_links(self, site: str) -> list[KeptLink]:
        """The links of a site that were written down, by this run or an earlier one."""
        return self.state.kept_links(site) if self.state is not None else []

    def revises(self, record: ObjectRecord) -> bool:
        """Whether an object is in the feed, or on its way, with another content."""
        known = self.objects.get(int(record.id, 16))
        return known is not None and known[1] != content_hash(record.fields, record.object, record.missing)

    def written(self, record: NewsRecord, place: int) -> None:
        """Take note that a record is in the feed.

        :param place: first byte of its line.
        """
        now = monotonic()
        number = int(record.id, 16)
        found = record.fingerprint is not None and record.status != WITHDRAWN
        self._fresh[number] = Fresh(place, _sketch(record) if found else None, now)
        while (oldest := next(iter(self._fresh))) != number and now - self._fresh[oldest].at > KEPT:
            del self._fresh[oldest]

    def revision(self, identity: int, **changes: Any) -> NewsRecord | None:
        """The next revision of a record that is in the feed, to be admitted; None if it is not.

        :param changes: fields that have other values now.
        :raises DataError: the feed has been changed since the crawl began.
        """
        line = self.line(identity)
        if line is None:
            return None
        self.revisit[identity] = Known(line["url"], line["site"], line["revision"], b"", None, None)
        return revision_of(line, **changes)

    def line(self, identity: int) -> dict[str, Any] | None:
        """The last line of a record of news; None if it is not in the feed.

        :raises DataError: the feed has been changed since the crawl began.
        """
        fresh = self._fresh.get(identity)
        if fresh is not None and self.path is not None:
            return line_at(self.path, fresh.place)
        return self.state.line(identity) if self.state is not None and self.has(identity) else None

    # -- near-same texts -----------------------------------------------------------------------------------------------

    def older_near(self, record: NewsRecord) -> list[Sketch]:
        """What earlier records share a band with one. Takes a look-up in the state: not for the reactor's thread."""
        if self.state is None or record.fingerprint is None:
            return []
        return self.state.near(_sketch(record))

    def mark(self, record: NewsRecord) -> None:
        """Set a record's ``duplicate_of``, directly before it is written."""
        older = self.older.pop(record.id, [])
        if record.fingerprint is None:
            return
        fresh = [found.sketch for found in self._fresh.values() if found.sketch is not None]
        known = original(_sketch(record), [*older, *fresh])
        record.duplicate_of = f"{known:016x}" if known is not None else None


def _sketch(record: NewsRecord) -> Sketch:
    assert record.fingerprint is not None  # its callers have asked
    return sketch(int(record.id, 16), record.fingerprint, record.fetched_at)


def _has_changed(known: Known, record: NewsRecord) -> bool:
    return known.text_hash != text_hash(record.text) or known.status != record.status


def load(feed: LedgerFile, visits: Visits | None = None, kind: str = "news") -> Ledger:
    """The ledger of a feed that is open, and closed if it cannot be gone on with.

    :param kind: of site: ``news``, or one that gives many records a page.
    :param visits: what is to be visited again.
    :raises DataError: none of the file's lines is a record; a torn last line is no error.
    """
    state = CrawlState(feed.path, LINE_KINDS.get(kind, "news"))
    try:
        state.catch_up()
        ledger = Ledger(state=state, path=feed.path, visits=visits or Visits())
        ledger.take_in()
        for line, _ in lines(pages_path(feed.path), check_page, MEND):
            ledger.add_page(ReadPage(**line))
        return ledger
    except DataError:
        state.close(is_complete=False)
        feed.close()
        raise


def _visited(known: KnownRecord) -> Known:
    return Known(known.url, known.site, known.revision, known.said or b"", known.etag, known.last_modified, known.status)


def pages_path(records: Path) -> Path:
    """Where the lines of pages of many records are, beside the feed."""
    return records.with_suffix(".pages.jsonl")


def identity(url: str) -> int:
    """The number that stands for a page's URL."""
    return int(record_id(url), 16)


def age(value: str) -> timedelta:
    """``all``, ``12h``, ``7d`` or ``2w`` as a time span.

    :raises ValueError: anything else.
    """
    if value == "all":
        return timedelta(0)
    units = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
    if not 2 <= len(value) <= 6 or value[-1] not in units or not value[:-1].isdecimal():
        raise ValueError(value)
    return int(value[:-1]) * units[value[-1]]


def now() -> datetime:
    """The present, in UTC, to the second."""
    return datetime.now(UTC).replace(microsecond=0)
