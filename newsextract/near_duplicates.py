"""Near-same texts among the records of a feed: which earlier record a text repeats.

Two texts are near-same if their fingerprints are (:mod:`newsextract.fingerprint`) and they were fetched within
:data:`DAYS` days. ``duplicate_of`` names the near-same record that was fetched first, of those that are in the feed already
(of the same second the one with the smallest id).

Records of the last seconds are compared in memory; older ones by the buckets of the state (:mod:`newsextract.state`), in a
thread of its own. The look-up costs the same whatever the number of records (``python -m benchmarks.crawl_state``).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from newsextract.fingerprint import BANDS, keys_of, overlaps, sketch_of

_NUMBERS = np.arange(BANDS, dtype=np.uint64) << np.uint64(32)
DAYS = 14
"""Two records that were fetched further apart are no duplicates of each other."""


@dataclass(frozen=True, slots=True)
class Sketch:
    """What is compared of a record's text."""

    identity: int
    keys: frozenset[int]
    """Number and key of each band in one integer."""
    sketch: bytes
    at: str
    """When it was fetched, ISO 8601 in UTC."""


def sketch(identity: int, mark: str, at: str) -> Sketch:
    """What is compared of a record.

    :param mark: its fingerprint.
    :param at: when it was fetched, ISO 8601.
    """
    return Sketch(identity, frozenset((keys_of(mark) + _NUMBERS).tolist()), sketch_of(mark).tobytes(), at)


def window(at: str) -> tuple[str, str]:
    """The days, first and last, from which records may be duplicates of one that was fetched then."""
    moment = datetime.fromisoformat(at)
    return tuple((moment + timedelta(days=days)).isoformat() for days in (-DAYS, DAYS))  # type: ignore[return-value]  # two


def original(record: Sketch, others: Iterable[Sketch]) -> int | None:
    """The near-same record that was fetched first; None if there is none.

    :param others: candidates; they need not share a band.
    """
    first, last = window(record.at)
    candidates = [
        other
        for other in others
        if other.identity != record.identity and first <= other.at <= last and not other.keys.isdisjoint(record.keys)
    ]
    return first_near(record, candidates)


def first_near(record: Sketch, candidates: list[Sketch]) -> int | None:
    """The same of records that share a band and lie in the window."""
    if not candidates:
        return None
    theirs = np.frombuffer(b"".join(other.sketch for other in candidates), np.uint8).reshape(len(candidates), -1)
    near = overlaps(theirs, np.frombuffer(record.sketch, np.uint8))
    found = [(other.at, other.identity) for other, is_near in zip(candidates, near, strict=True) if is_near]
    return min(found)[1] if found else None
