"""``duplicate_of`` for a whole collection: the smallest id among near-same records that is smaller than a record's own.

The same answer as :class:`newsextract.near_duplicates.NearDuplicates` gives a crawl, whatever the order there: each record
is compared with those of smaller id. Two texts are near-same up to 80 of 256 bits, which leaves no bucket that near-same
texts are sure to share: so it is a comparison with all, shared by the tasks. Equal fingerprints stand once.

Cost: the square of the number of different texts, see ``docs/spark.md``; 40 bytes a record in the memory of each worker.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from newsextract.fingerprint import NEAR

Words = npt.NDArray[np.uint64]
_BLOCK = 16_384
"""Fingerprints that are compared at once, so that they stay in the processor's cache."""


def packed(marks: Iterable[tuple[str, str]]) -> bytes:
    """(id, fingerprint) of records → bytes, 40 each; without the records that have no fingerprint."""
    return b"".join(bytes.fromhex(identity + mark) for identity, mark in marks if mark != "-")


class Fingerprints:
    """The fingerprints of all records, each with the smallest id that has it.

    :param data: of :func:`packed`, in any order.
    """

    def __init__(self, data: bytes) -> None:
        rows = np.frombuffer(data, dtype=">u8").reshape(-1, 5).astype(np.uint64)
        rows = rows[np.argsort(rows[:, 0], kind="stable")]
        _, first = np.unique(rows[:, 1:], axis=0, return_index=True)
        rows = rows[np.sort(first)]
        self._ids = np.ascontiguousarray(rows[:, 0])
        self._words = np.ascontiguousarray(rows[:, 1:].T)

    def original(self, identity: str, mark: str) -> str | None:
        """``duplicate_of`` of a record."""
        if mark == "-":
            return None
        own = np.uint64(int(identity, 16))
        before = int(np.searchsorted(self._ids, own))
        words = [np.uint64(int(mark[k : k + 16], 16)) for k in range(0, 64, 16)]
        for start in range(0, before, _BLOCK):  # ascending, so the first that is found is the smallest
            block = slice(start, min(start + _BLOCK, before))
            distance = np.zeros(block.stop - start, dtype=np.uint16)
            for known, word in zip(self._words, words, strict=True):
                distance += np.bitwise_count(known[block] ^ word)
            near = np.flatnonzero(distance <= NEAR)
            if len(near):
                return f"{int(self._ids[start + near[0]]):016x}"
        return None
