"""Sort, Partition and Reduce: lines of Map → one line for each id, in the order of the ids.

Ids are hashes, so ranges of equal width have about as many each: no sample has to be drawn. Of several lines with one id the
first in the order of the input counts, as with ``newsextract extract --warc``.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from newsextract.line_file import duplicate_position, quoted
from newsextract.spark.duplicates import Fingerprints, packed
from newsextract.spark.mapping import KEY, STATISTICS

MOST_REASONS = 20
"""Kinds of rejections that the summary tells, with their reasons."""
_REASONS_KEPT = 500


class Line(NamedTuple):
    """A line of Map, apart."""

    id: str
    status: str
    fingerprint: str
    text: str


@dataclass(slots=True)
class Tally:
    """What is counted in one partition, or in all."""

    statuses: Counter[str] = field(default_factory=Counter)
    reasons: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(status, reason) of rejections."""
    passed: int = 0
    """Lines whose id had one before."""
    figures: Counter[str] = field(default_factory=Counter)
    """Sums of the statistics of splits."""
    pages: dict[int, int] = field(default_factory=dict)
    """Of each split."""
    missing: list[str] = field(default_factory=list)
    """Files that could not be read."""
    marks: bytes = b""
    """Ids and fingerprints of the records."""

    def add(self, other: Tally) -> None:
        """Take in another partition's, without its marks."""
        self.statuses += other.statuses
        self.reasons += other.reasons
        self.passed += other.passed
        self.figures.update(other.figures)
        self.pages |= other.pages
        self.missing += other.missing

    def count(self, split: int, statistics: dict[str, Any]) -> None:
        """Take in the statistics of a split."""
        self.missing += statistics.pop("missing", [])
        self.pages[split] = int(statistics.get("pages", 0))
        self.figures.update(statistics)


def keyed(line: str) -> tuple[str, str]:
    """(what is sorted by, the rest)."""
    return line[:KEY], line[KEY + 1 :]


@dataclass(frozen=True, slots=True)
class ByRange:
    """Which partition a key belongs to: ranges of ids of equal width."""

    partitions: int

    def __call__(self, key: str) -> int:
        """Its number; statistics go to the first."""
        return 0 if key.startswith(STATISTICS) else int(key[:16], 16) * self.partitions >> 64


def merged(rows: Iterable[tuple[str, str]], tally: Tally | None = None) -> Iterator[Line]:
    """The first line of each id of a sorted partition.

    :param tally: counts, where that is wanted.
    """
    last = ""
    for key, rest in rows:
        status, mark, text = rest.split("\t", 2)
        identity = key[:16]
        if status == STATISTICS:
            if tally:
                tally.count(int(key[17:25]), json.loads(text))
        elif identity == last:
            if tally:
                tally.passed += 1
        else:
            last = identity
            yield Line(identity, status, mark, text)


def tallied(rows: Iterable[tuple[str, str]], fingerprints: bool) -> Iterator[Tally]:
    """A partition's counts.

    :param fingerprints: whether those of the records are wanted, too.
    """
    tally = Tally()
    marks = []
    for line in merged(rows, tally):
        tally.statuses[line.status] += 1
        if line.status == "ok":
            if fingerprints:
                marks.append((line.id, line.fingerprint))
        else:
            tally.reasons[line.status, str(json.loads(line.text)["reason"])[:200]] += 1
    tally.marks = packed(marks)
    tally.reasons = Counter(dict(tally.reasons.most_common(_REASONS_KEPT)))
    yield tally


def records(rows: Iterable[tuple[str, str]], known: Fingerprints | None) -> Iterator[str]:
    """The records' lines of a partition, ``duplicate_of`` filled in.

    :param known: None: it stays empty.
    """
    for line in merged(rows):
        if line.status == "ok":
            original = known.original(line.id, line.fingerprint) if known else None
            yield _filled(line.text, original) if original else line.text


def rejections(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The lines of what was turned away."""
    return (line.text for line in merged(rows) if line.status != "ok")


def _filled(text: str, original: str) -> str:
    """As :meth:`newsextract.line_file.LedgerFile.mark_duplicate` does it: over the blanks that were left for it."""
    data = text.encode("utf-8")
    at = duplicate_position(data)
    value = quoted(original)
    return (data[:at] + value + data[at + len(value) :]).decode("utf-8")


def row(text: str) -> tuple[Any, ...]:
    """A record's values in the order of its fields, for Parquet."""
    return tuple(json.loads(text).values())
