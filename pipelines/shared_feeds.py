"""The feeds of a shared crawl: one per worker, ``news.WORKER.jsonl``, and all of them together are the ledger.

A worker writes its own feeds alone. At its start it reads all: ``news.jsonl`` and those of every worker in the same
folder (:class:`SharedReading`). At the end it sets ``duplicate_of`` in its own feed where another's near-same record has a
smaller id (:func:`settle`), and in the feeds of workers that are no more; ``news.WORKER.settled.json`` says how much of the
others' feeds that has been done for, so nothing is compared twice. If the file is missing, it costs time and nothing else.

Cost: that of :mod:`pipelines.ledger` for all feeds; at the end 10 µs for each new record of the others and 10,000 of one's
own.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from newsextract.errors import DataError
from newsextract.feed_lines import OBJECT, Check, check_other_record, check_record, check_rejection, content_hash, lines
from newsextract.line_file import LedgerFile, quoted, whole_lines
from newsextract.near_duplicates import NearDuplicates
from pipelines.items import LINE_KINDS, Item, ReadPage
from pipelines.ledger import MEND, Ledger, pages_path
from pipelines.pages import check_page

_FOREIGN = f"{0:016x}"
"""What stands for the original of another worker's record: no id is smaller, so it is never marked in our file."""
_ID = re.compile(rb'\{"id": "([0-9a-f]{16})"')


def feed_of(base: Path, worker: str) -> Path:
    """Where a worker's records go: ``out/news.jsonl`` → ``out/news.WORKER.jsonl``."""
    return base.with_suffix(f".{worker}{base.suffix}")


def siblings(base: Path) -> list[Path]:
    """All feeds of records of a shared crawl, the unshared one first."""
    pattern = re.compile(rf"{re.escape(base.stem)}\.(?!rejected\.|pages\.)[A-Za-z0-9_-]+{re.escape(base.suffix)}")
    found = sorted(path for path in base.parent.glob("*") if pattern.fullmatch(path.name)) if base.parent.is_dir() else []
    return [*([base] if base.exists() else []), *found]


def frontiers(base: Path) -> list[Path]:
    """The files of addresses that no later run would find again, of all workers."""
    return [path.with_suffix(".frontier") for path in siblings(base)]


class SharedReading:
    """Reads the feeds of all workers into one ledger; asked again, what they have grown by.

    :param own: this worker's feed, the ledger's ``path``.
    """

    def __init__(self, base: Path, own: Path, revisit_before: datetime | None, kind: str) -> None:
        self.ledger = Ledger(path=own)
        self.ledger.pages.written = self.ledger.records
        self._base = base
        self._own = own
        self._revisit_before = revisit_before
        self._kind = kind
        self._revisions: dict[str, int] = {}
        self._pages: dict[str, ReadPage] = {}
        self._ends: dict[Path, int] = {}

    def read(self) -> Ledger:
        """Take in what has not been read yet, the feeds of new workers among it.

        :raises DataError: a line that is no record, as :func:`pipelines.ledger.load`.
        """
        check = check_record if self._kind == "news" else partial(check_other_record, wanted=LINE_KINDS[self._kind])
        fresh: set[str] = set()
        for feed in dict.fromkeys([*siblings(self._base), self._own]):
            for record, position in self._following(feed, check):
                self._take(record, position, feed == self._own)
            for line, _ in self._following(pages_path(feed), check_page):
                page = ReadPage(**line)
                if page.id not in self._pages or self._pages[page.id].fetched_at <= page.fetched_at:
                    self._pages[page.id] = page
                    fresh.add(page.id)
            for rejection, _ in self._following(feed.with_suffix(".rejected.jsonl"), check_rejection):
                self.ledger.add_rejection(rejection)
        for identity in fresh:
            self.ledger.add_page(self._pages[identity], self._revisit_before)
        return self.ledger

    def _take(self, record: dict[str, Any], position: int, is_own: bool) -> None:
        revision, known = record.get("revision", 0), self._revisions.get(record["id"], 0)
        if revision > known:
            self._revisions[record["id"]] = revision
        if record.get("kind") == OBJECT:
            if revision >= known:
                self.ledger.add_object(record)
            return
        if revision >= known:
            self.ledger.add_record(record, self._revisit_before)
        if self._kind == "news":
            original = record["duplicate_of"] if is_own else _FOREIGN
            self.ledger.near.restore(record["id"], record["fingerprint"], original, position)

    def _following(self, path: Path, check: Check) -> Iterator[tuple[dict[str, Any], int]]:
        """What has not been read of a file. Its end is noted first: a line that comes meanwhile is taken twice, and that
        changes nothing."""
        start = self._ends.get(path, 0)
        if path.exists():
            with path.open("rb") as file:
                self._ends[path] = whole_lines(file.fileno())
        return lines(path, check, MEND, start)


# -- which claimed records a dead worker has written -----------------------------------------------------------------------


def claim_of(item: Item) -> str:
    """The name under which a line is claimed: its id, and what tells two lines of one id apart."""
    return _claim_of_line({name: getattr(item, name) for name in item.__slots__})


def written_of(feed: Path, claims: Iterable[str]) -> set[str]:
    """Those of some claims whose lines stand in a worker's feeds. Whole lines only."""
    wanted = set(claims)
    ids = {claim.lstrip("ro")[:16].encode() for claim in wanted}
    found: set[str] = set()
    for path in (feed, feed.with_suffix(".rejected.jsonl")):
        if not wanted or not path.exists():
            continue
        with path.open("rb") as file:
            for line in file:
                match = _ID.match(line)
                if match and match[1] in ids and line.endswith(b"\n"):
                    found.add(_claim_of_line(json.loads(line)))
    return found & wanted


def _claim_of_line(line: dict[str, Any]) -> str:
    if line.get("kind") == OBJECT:
        return f"o{line['id']}{content_hash(line['fields'], line['object'], line['missing']).hex()}"
    if "reason" in line and "attempt" in line:
        return f"r{line['id']}{line['status']}"
    revision = line.get("revision")  # of an article that has changed; its first line is known by the id alone
    return f"{line['id']}.{revision}" if revision else str(line["id"])


# -- near-same records of different workers --------------------------------------------------------------------------------


@dataclass(slots=True)
class _Foreign:
    """What :meth:`NearDuplicates.place` needs of a record that stands elsewhere."""

    id: str
    fingerprint: str | None
    duplicate_of: str | None = None


class _Marker:
    """Fills in ``duplicate_of`` in a file that is open elsewhere in this process, or nowhere."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR)
        self.marked = 0

    def mark_duplicate(self, position: int, duplicate_of: str) -> None:
        """As :meth:`newsextract.line_file.LedgerFile.mark_duplicate`."""
        os.pwrite(self._descriptor, quoted(duplicate_of), position)
        self.marked += 1

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)


def settle(base: Path, own: Path, near: NearDuplicates) -> int:
    """Set ``duplicate_of`` in our own feed, and in those that nobody writes any more, by what stands in the others.

    :param near: the records of our own feed, with their positions.
    :returns: how many were set.
    """
    feeds = siblings(base)
    count = _settle_one(own, feeds, near) if own.exists() else 0
    for feed in feeds:
        if feed == own or not _is_behind(feed, feeds):
            continue
        with locked(feed) as is_ours:
            if is_ours:
                count += _settle_one(feed, feeds, _near_of(feed))
    return count


def _settled_path(feed: Path) -> Path:
    return feed.with_suffix(".settled.json")


def _settled(feed: Path) -> dict[str, int]:
    path = _settled_path(feed)
    if not path.exists():
        return {}
    sizes: dict[str, int] = json.loads(path.read_bytes())
    return sizes


def _is_behind(feed: Path, feeds: list[Path]) -> bool:
    sizes = _settled(feed)
    return any(other.stat().st_size > sizes.get(other.name, 0) for other in feeds if other != feed)


def _settle_one(feed: Path, feeds: list[Path], near: NearDuplicates) -> int:
    sizes, marker = _settled(feed), _Marker(feed)
    try:
        for other in feeds:
            if other == feed:
                continue
            for record, end in _new_lines(other, sizes.get(other.name, 0)):
                if "fingerprint" in record:
                    near.place(_Foreign(record["id"], record["fingerprint"]), marker)  # type: ignore[arg-type]  # it needs no more
                sizes[other.name] = end
    finally:
        marker.close()
    path = _settled_path(feed)
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(sizes), "utf-8")
    fresh.replace(path)
    return marker.marked


def _new_lines(path: Path, start: int) -> Iterator[tuple[dict[str, Any], int]]:
    """Whole lines from a position on, each with its end."""
    with path.open("rb") as file:
        file.seek(start)
        end = start
        for line in file:
            if not line.endswith(b"\n"):
                return
            end += len(line)
            yield json.loads(line), end


def _near_of(feed: Path) -> NearDuplicates:
    near = NearDuplicates()
    for record, position in lines(feed, check_record, MEND):
        near.restore(record["id"], record.get("fingerprint"), record.get("duplicate_of"), position)
    return near


@contextmanager
def locked(feed: Path) -> Iterator[bool]:
    """Whether nobody writes a feed; it is locked meanwhile."""
    try:
        lock = LedgerFile(feed.with_suffix(".lock"))
    except DataError:
        yield False  # its worker lives, and does it itself
        return
    try:
        yield True
    finally:
        lock.close()
