"""Where re-extracted records go: a feed as a crawl writes it, with the rejections beside it. It knows what it has already.

So a run that was killed is gone on with by the same command: what has its line is passed over. A passing failure (a worker
that died) is tried again, three times in all.

What is there is known from the state beside the feed (:mod:`newsextract.state`), which is brought up to date at the start
and every :data:`BATCH` records.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import TracebackType
from typing import Self

from newsextract.archives.entries import PageLines
from newsextract.errors import DataError
from newsextract.feed.duplicates import Sketch, original, sketch
from newsextract.feed.lines import MAX_ATTEMPTS, LedgerFile, line
from newsextract.feed.news_record import FeedLine, NewsRecord, Rejection
from newsextract.state.schema import NEWS
from newsextract.state.store import CrawlState

BATCH = 200
"""Records that are compared in memory before the state takes them in."""


class Output:
    """The feed and its rejections; a context manager.

    :param path: of the records; the rejections go to ``NAME.rejected.jsonl``.
    :param kind: of the records: ``news``, ``post``, ``hit`` or ``teaser``.
    :raises DataError: one cannot be written, is in use, or holds something else.
    """

    def __init__(self, path: Path, kind: str = NEWS) -> None:
        self.path = path
        self.rejected_path = path.with_suffix(".rejected.jsonl")
        self.counts: Counter[str] = Counter()
        """Records written (``ok``), and rejections by status."""
        self._fresh: list[Sketch] = []
        try:
            self._records = LedgerFile(path)
            self._rejected = LedgerFile(self.rejected_path)
        except OSError as error:
            raise DataError(f"{path}: cannot be written: {error.strerror or error}; name another file with -o") from error
        self._state = CrawlState(path, kind)
        self._state.catch_up()
        self.algorithms = self._state.algorithms()
        self._attempts = self._state.attempts()
        self._done = set(map(int, self._state.record_ids()))
        self.known = len(self._done)
        self._done.update(*(map(int, ids) for ids in self._state.rejection_ids().values()))
        self._done.update(number for number, count in self._attempts.items() if count >= MAX_ATTEMPTS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._records.close()
        self._rejected.close()
        self._state.catch_up()
        self._state.close()

    def has(self, identity: str) -> bool:
        """Whether a record or a rejection is there, or has been claimed."""
        return int(identity, 16) in self._done

    def claim(self, identity: str) -> bool:
        """Whether a record is not there yet and has not been claimed: of several pages with one id the first counts."""
        number = int(identity, 16)
        if number in self._done:
            return False
        self._done.add(number)
        return True

    def write(self, result: NewsRecord | Rejection | PageLines) -> None:
        """Write one line; of a page of many records those that are not there yet.

        :raises DataError: it cannot be written.
        """
        try:
            if isinstance(result, Rejection):
                result.attempt = self._attempts.get(int(result.id, 16), 0) + 1
                self._rejected.write(line(result))
                self.counts[result.status] += 1
                return
            if isinstance(result, NewsRecord):
                self._mark(result)
            for record in [result] if isinstance(result, NewsRecord) else filter(self._is_new, result.records):
                self._records.write(line(record))
                self.counts["ok"] += 1
        except OSError as error:
            raise DataError(
                f"cannot write {error.filename or self.path}: {error.strerror or error}; "
                "all lines written so far are saved; run the same command again to continue"
            ) from error

    def _is_new(self, record: FeedLine) -> bool:
        return self.claim(record.id)

    def _mark(self, record: NewsRecord) -> None:
        """Set ``duplicate_of`` by what is in the feed."""
        if record.fingerprint is None:
            return
        mine = sketch(int(record.id, 16), record.fingerprint, record.fetched_at)
        known = original(mine, [*self._state.near(mine), *self._fresh])
        record.duplicate_of = f"{known:016x}" if known is not None else None
        self._fresh.append(mine)
        if len(self._fresh) >= BATCH:
            self._state.catch_up()  # all of them are in the feed by now, except this one
            self._fresh = [mine]
