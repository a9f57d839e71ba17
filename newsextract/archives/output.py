"""Where re-extracted records go: a feed as a crawl writes it, with the rejections beside it. It knows what it has already.

So a run that was killed is gone on with by the same command: what has its line is passed over. A passing failure (a worker
that died) is tried again, three times in all.

Cost: one pass over both files at the start; about 130 bytes a line in memory.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from newsextract.errors import DataError
from newsextract.feed_lines import MAX_ATTEMPTS, check_record, check_rejection, lines
from newsextract.line_file import LedgerFile, line
from newsextract.near_duplicates import NearDuplicates
from newsextract.news_record import TRANSIENT, NewsRecord, Rejection

MEND = "name another file with -o"
"""What may be done about a file with lines that are not ours."""


class Output:
    """The feed and its rejections; a context manager.

    :param path: of the records; the rejections go to ``NAME.rejected.jsonl``.
    :raises DataError: one cannot be written, is in use, or holds something else.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rejected_path = path.with_suffix(".rejected.jsonl")
        self.known = 0
        """Records that were there already."""
        self.algorithms: set[str] = set()
        """Of the records that were there."""
        self.counts: Counter[str] = Counter()
        """Records written (``ok``), and rejections by status."""
        self._near = NearDuplicates()
        self._done: set[int] = set()
        self._attempts: dict[int, int] = {}
        try:
            self._records = LedgerFile(path)
            self._rejected = LedgerFile(self.rejected_path)
        except OSError as error:
            raise DataError(f"{path}: cannot be written: {error.strerror or error}; name another file with -o") from error
        for value, position in lines(path, _check_record, MEND):
            self._near.restore(value["id"], value["fingerprint"], value["duplicate_of"], position)
            self._done.add(int(value["id"], 16))
            self.algorithms.add(value["algorithm"])
            self.known += 1
        for value, _ in lines(self.rejected_path, check_rejection, MEND):
            identity = int(value["id"], 16)
            if value["status"] in TRANSIENT and value["attempt"] < MAX_ATTEMPTS:
                self._attempts[identity] = value["attempt"]
            else:
                self._done.add(identity)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._records.close()
        self._rejected.close()

    def claim(self, identity: str) -> bool:
        """Whether a record is not there yet and has not been claimed: of several pages with one id the first counts."""
        number = int(identity, 16)
        if number in self._done:
            return False
        self._done.add(number)
        return True

    def write(self, result: NewsRecord | Rejection) -> None:
        """Write one line.

        :raises DataError: it cannot be written.
        """
        try:
            if isinstance(result, Rejection):
                result.attempt = self._attempts.get(int(result.id, 16), 0) + 1
                self._rejected.write(line(result))
                self.counts[result.status] += 1
                return
            near = self._near.place(result, self._records)
            self._records.write(line(result))
            self._near.add(near, self._records.last_position)
            self.counts["ok"] += 1
        except OSError as error:
            raise DataError(
                f"cannot write {error.filename or self.path}: {error.strerror or error}; "
                "what was written is safe, and the same command goes on from there"
            ) from error


def _check_record(value: dict[str, Any], line: bytes) -> None:
    check_record(value, line)
    _ = value["fingerprint"], value["duplicate_of"], value["algorithm"]  # an object of a wrapper is none of ours
