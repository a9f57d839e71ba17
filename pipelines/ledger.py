"""The feed is the ledger: what a crawl has already recorded or turned away is read from its own output.

Scrapy's ``JOBDIR`` loses what was in flight when a process is killed. Here nothing is remembered beside the feed: a
page counts as done when its line stands in it. After a ``kill -9`` discovery runs again and fetches what has no line yet.

* a record: done;
* a rejection: done, except that passing failures (``TRANSIENT``) are tried again by later runs, three times in all;
* a page that robots.txt forbade: done as long as the site obeys it;
* a listing: never done, because its links must be found again;
* a page of many records: done when all records that its line names stand in the feed (:mod:`pipelines.pages`);
* a page that a site's wrapper reads: the same, whatever the site's kind. An object whose content has changed is written
  again as a revision.

Cost: one pass over the feed at the start; about 130 bytes a line in memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from newsextract.discovery import record_id
from newsextract.feed_lines import (
    MAX_ATTEMPTS,
    OBJECT,
    check_other_record,
    check_record,
    check_rejection,
    content_hash,
    lines,
    text_hash,
)
from newsextract.near_duplicates import NearDuplicates
from pipelines.items import LINE_KINDS, TRANSIENT, Item, NewsRecord, ObjectRecord, ReadPage, Record, Rejection
from pipelines.pages import PageLines, check_page

MEND = "name another feed, or start afresh with -O"
"""What may be done about a feed with lines that are not ours."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the ledger knows of a record that is to be visited again."""

    url: str
    site: str
    revision: int
    text_hash: bytes
    etag: str | None
    last_modified: str | None


@dataclass(slots=True)
class Ledger:
    """What stands in the feeds. Ids are kept as numbers (16 hexadecimal digits)."""

    records: set[int] = field(default_factory=set)
    """Those that stood in the feed at the start; the run's own are in ``admitted``, then (news only) in ``near``."""
    admitted: set[int] = field(default_factory=set)
    """On their way to the feed; posts, hits and teasers also when they are there."""
    elsewhere: set[int] = field(default_factory=set)
    """Written in this run by whatever process of a shared crawl."""
    rejected: set[int] = field(default_factory=set)
    """Turned away for good, listings included."""
    listings: set[int] = field(default_factory=set)
    robots: set[int] = field(default_factory=set)
    """Turned away because of robots.txt: done only as long as the site obeys it."""
    attempts: dict[int, int] = field(default_factory=dict)
    """Tries of pages that failed for a passing reason."""
    revisit: dict[int, Known] = field(default_factory=dict)
    near: NearDuplicates = field(default_factory=NearDuplicates)
    pages: PageLines = field(default_factory=PageLines)
    objects: dict[int, tuple[int, bytes]] = field(default_factory=dict)
    """Objects of wrappers: revision, and what tells whether the content has changed."""
    again: dict[str, tuple[str, str]] = field(default_factory=dict)
    """News pages read by a wrapper that are to be visited again: id → (site, address)."""
    path: Path | None = None
    """The feed of records."""

    @property
    def size(self) -> int:
        """Number of records."""
        return len(self.records)

    def has(self, identity: int) -> bool:
        """Whether the record (for news: the page's) is written or on its way."""
        known = identity in self.records or identity in self.admitted or identity in self.elsewhere
        return known or self.near.has(identity)

    def is_done(self, identity: int, obey_robots: bool = True) -> bool:
        """Whether the page need not be fetched.

        :param obey_robots: the site's key; without it, what robots.txt forbade is to be fetched.
        """
        if identity in self.records:
            return identity not in self.revisit
        if identity in self.rejected and (obey_robots or identity not in self.robots):
            return identity not in self.listings
        return self.attempts.get(identity, 0) >= MAX_ATTEMPTS

    def admit(self, item: Item) -> Item | None:
        """Take note of a new line; turn away a record that is known and has not changed.

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
        if isinstance(record, NewsRecord) and known is not None and known.text_hash != text_hash(record.text):
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

    def withdraw(self, item: Item) -> None:
        """Take back what :meth:`admit` has noted of a line that is not written: another process is about to, and if it dies
        before, the page comes here."""
        identity = int(item.id, 16)
        if isinstance(item, Rejection):
            self.rejected.discard(identity)
        elif isinstance(item, ObjectRecord):
            said = content_hash(item.fields, item.object, item.missing)
            if self.objects.get(identity) == (item.revision, said):
                self.objects[identity] = item.revision, b""  # the number may be the other's, what it wrote is not known
        elif isinstance(item, NewsRecord) and item.revision:
            self.revisit[identity] = Known(item.url, item.site, item.revision - 1, b"", None, None)
        elif not isinstance(item, ReadPage):
            self.admitted.discard(identity)

    def revises(self, record: ObjectRecord) -> bool:
        """Whether an object stands in the feed, or is on its way, with another content."""
        known = self.objects.get(int(record.id, 16))
        return known is not None and known[1] != content_hash(record.fields, record.object, record.missing)

    def add_object(self, line: dict[str, Any]) -> None:
        """Take note of an object of a wrapper; its last line counts."""
        identity = int(line["id"], 16)
        self.records.add(identity)
        self.objects[identity] = line["revision"], content_hash(line["fields"], line["object"], line["missing"])

    def add_record(self, line: dict[str, Any], revisit_before: datetime | None = None) -> None:
        """Take note of a record; with ``revisit_before``, of what a second visit needs to know."""
        identity = int(line["id"], 16)
        self.records.add(identity)
        if revisit_before is not None:
            if datetime.fromisoformat(line["fetched_at"]) <= revisit_before:
                self.revisit[identity] = Known(
                    line["url"],
                    line["site"],
                    line["revision"],
                    text_hash(line["text"]),
                    line["etag"],
                    line["last_modified"],
                )
            else:
                self.revisit.pop(identity, None)

    def add_page(self, page: ReadPage, revisit_before: datetime | None = None) -> None:
        """Take note of a page of many records; with ``revisit_before``, an older one is to be visited again."""
        if revisit_before is not None and datetime.fromisoformat(page.fetched_at) <= revisit_before:
            self.again[page.id] = page.site, page.url
        else:
            self.again.pop(page.id, None)
            self.pages.add(page)

    def add_rejection(self, line: dict[str, Any]) -> None:
        """Take note of a rejection."""
        identity = int(line["id"], 16)
        if line["status"] in TRANSIENT:
            self.attempts[identity] = max(self.attempts.get(identity, 0), line["attempt"])
            return
        self.rejected.add(identity)
        if line["status"] == "listing":
            self.listings.add(identity)
        if line["status"] == "robots":
            self.robots.add(identity)
        else:  # it was fetched after all
            self.robots.discard(identity)


def load(records: Path, rejected: Path, revisit_before: datetime | None = None, kind: str = "news") -> Ledger:
    """Read a ledger from its feeds; missing files are empty ones.

    :param kind: of site: ``news``, or one that gives many records a page.
    :raises DataError: a line that is not a record, with its number; a torn last line is no error.
    """
    ledger = Ledger(path=records)
    check = check_record if kind == "news" else partial(check_other_record, wanted=LINE_KINDS[kind])
    for record, position in lines(records, check, MEND):
        if record.get("kind") == OBJECT:
            ledger.add_object(record)
            continue
        ledger.add_record(record, revisit_before)
        if kind == "news":
            ledger.near.restore(record["id"], record["fingerprint"], record["duplicate_of"], position)
    for line, _ in lines(pages_path(records), check_page, MEND):
        ledger.add_page(ReadPage(**line), revisit_before)
    ledger.pages.written = ledger.records
    for rejection, _ in lines(rejected, check_rejection, MEND):
        ledger.add_rejection(rejection)
    return ledger


def pages_path(records: Path) -> Path:
    """Where the lines of pages of many records stand, beside the feed."""
    return records.with_suffix(".pages.jsonl")


def identity(url: str) -> int:
    """The number that stands for a page's address."""
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
