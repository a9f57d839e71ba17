"""``newsextract extract --warc``: the records of archives, by one or more worker processes, without the network."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Self

from newsextract.archives import ArchivedArticle, ArchivedRecordPage, Failure, Step, find_archives, read_entries
from newsextract.archives.entries import KINDS, PageLines, RecordKind, extractor_of, record_entry, rejected
from newsextract.commands import MEMORY, by_count, check_timeout, check_workers
from newsextract.control_characters import ProgressLine, plural
from newsextract.errors import DataError, UsageError, naming
from newsextract.feed import MAX_ATTEMPTS, LedgerFile, line
from newsextract.feed.duplicates import Sketch
from newsextract.feed.record_lines import FeedLine, NewsRecord, Rejection, mark_duplicate, record_sketch
from newsextract.state.schema import NEWS
from newsextract.state.store import CrawlState
from newsextract.workers import Stopped, Workers

Task = ArchivedArticle | ArchivedRecordPage
Result = NewsRecord | PageLines | Rejection


def run(arguments: argparse.Namespace, params: dict[str, object]) -> int:
    """Extract; exit code 1 if the output has no record in the end."""
    if arguments.output is None:
        raise UsageError("--warc writes many records: name a file for them, for example -o records.jsonl")
    if arguments.output.suffix != ".jsonl":
        raise UsageError(f"-o {arguments.output}: expected a .jsonl file, for example -o records.jsonl")
    check_workers(arguments.workers)
    check_timeout(arguments.timeout)
    kind = KINDS.get(arguments.kind)
    function, choice = extractor_of(arguments.kind, arguments.algorithm, params)
    own = [arguments.output, arguments.output.with_suffix(".rejected.jsonl")]
    archives = find_archives(arguments.warc, own)
    with Output(arguments.output, NEWS if kind is None else kind.name) as output:
        others = output.algorithms - {arguments.algorithm}
        if arguments.algorithm and others:
            raise UsageError(f"{output.path}: holds records of {', '.join(sorted(others))}; name another file with -o")
        steps = read_entries(archives, every_page=arguments.every_page)
        reader = _EntryReader(steps, output, sum(a.size for a in archives), kind)
        try:
            if arguments.workers:
                with Workers[Task, Result](
                    arguments.workers, function, choice, timeout=arguments.timeout, memory=MEMORY
                ) as workers:
                    reader.write(workers.run(reader.tasks()))
            else:
                reader.write((task, function(task, choice)) for task in reader.tasks())
        finally:
            reader.close()
        _summary(output, reader)
        return int(output.known + output.counts["ok"] == 0)


class _EntryReader:
    """Gives the pages that have no line yet, writes their results in this order, and reports progress and damage."""

    def __init__(self, steps: Iterator[Step], output: Output, size: int, kind: RecordKind | None) -> None:
        self._steps = steps
        self._output = output
        self._size = size
        self._kind = kind
        self._waiting: deque[Task] = deque()
        """Pages without a result, in the order of the archives."""
        self._ready: dict[int, Result] = {}
        """Results of pages after the first of these."""
        self._began = time.monotonic()
        self._progress = ProgressLine("archives", sys.stderr)
        self.pages = 0
        """Pages extracted by this run."""
        self.passed = 0
        """Pages whose lines are in the output already, or that are in the archives twice."""
        self.left_out = 0
        """Pages of another kind."""
        self.seconds = 0.0

    def tasks(self) -> Iterator[Task]:
        """The pages to be extracted."""
        for step in self._steps:
            pages, records = self.pages, self._output.counts["ok"]
            speed, share = pages / max(time.monotonic() - self._began, 0.001), step.done / max(self._size, 1)
            self._progress.tell(f"pages: {pages:,}, records: {records:,}, {speed:.1f} pages/s, {share:.0%} read")
            entry = step.entry
            if isinstance(entry, Failure):
                failure = entry.rejection()
                if self._output.claim(failure.id):
                    self._output.write(failure)
                continue
            wanted = record_entry(entry, self._kind)
            if wanted is None:
                self.left_out += 1
            elif not self._is_new(wanted):
                self.passed += 1
            else:
                self._waiting.append(wanted)
                yield wanted

    def _is_new(self, task: Task) -> bool:
        """Whether a page has no line yet. Its records are known before it is read only if its crawl has named them."""
        if isinstance(task, ArchivedArticle):
            return self._output.claim(task.id)
        known = task.line.get("records") or ()
        return not self._output.has(task.id) and not (known and all(map(self._output.has, known)))

    def write(self, results: Iterable[tuple[Task, Result | Stopped]]) -> None:
        """Write results, which come in any order, in the order of the archives: of two equal records the first counts."""
        for task, result in results:
            self.pages += 1
            self._ready[id(task)] = rejected(task, "failed", str(result)) if isinstance(result, Stopped) else result
            while self._waiting and id(self._waiting[0]) in self._ready:
                first = self._waiting.popleft()
                ready = self._ready.pop(id(first))
                if isinstance(first, ArchivedArticle) or isinstance(ready, PageLines) or self._output.claim(ready.id):
                    self._output.write(ready)

    def close(self) -> None:
        """End the progress line."""
        self._progress.close()
        self.seconds = time.monotonic() - self._began


def _summary(output: Output, reader: _EntryReader) -> None:
    rejections = {status: count for status, count in by_count(output.counts) if status != "ok"}
    why = f" ({', '.join(f'{status} {count}' for status, count in rejections.items())})" if rejections else ""
    passed = ""
    if reader.passed != output.known:  # else those that are already there, once each, are counted before
        passed = f"; {reader.passed} skipped (already there, rejected before, or twice in the archives)"
    pages, seconds = reader.pages, reader.seconds
    lines = [
        f"{output.counts['ok']} new, {output.known} already there; {sum(rejections.values())} rejected{why}{passed}; "
        f"{plural(pages, 'page')} in {seconds:.1f} s ({pages / max(seconds, 0.001):.1f} pages/s)",
        f"records: {output.path}   rejected: {output.rejected_path}",
    ]
    if reader.left_out:
        lines.append(
            f"note: left out: {plural(reader.left_out, 'page')} of other kinds; to read these: --as {'|'.join(KINDS)}"
        )
    sys.stderr.write("\n".join(lines) + "\n")


# --- output ---------------------------------------------------------------------------------------
# Where re-extracted records go: a feed as a crawl writes it, with the rejections beside it. What is there is known from its
# state (:mod:`newsextract.state`), which is updated at the start and every :data:`BATCH` records. So the same command
# continues a killed run; it tries temporary failures (a worker that died) again, three times in all.


BATCH = 200
"""Records that are compared in memory before the state takes them in."""


class Output:
    """The feed and its rejections; a context manager.

    :param path: of the records; the rejections go to ``NAME.rejected.jsonl``.
    :param kind: of the records: ``news``, ``post``, ``hit`` or ``teaser``.
    """

    def __init__(self, path: Path, kind: str = NEWS) -> None:
        self.path = path
        self.rejected_path = path.with_suffix(".rejected.jsonl")
        self.counts: Counter[str] = Counter()
        """Records written (``ok``), and rejections by status."""
        self._fresh: list[Sketch] = []
        with naming(f"{path}: cannot be written", "name another file with -o"):
            self._records = LedgerFile(path)
            self._rejected = LedgerFile(self.rejected_path)
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

    def __exit__(self, *error: object) -> None:
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
        """Write one line; of a page of many records those that are not there yet."""
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
        if (mine := record_sketch(record)) is None:
            return
        mark_duplicate(record, [*self._state.near(mine), *self._fresh])
        self._fresh.append(mine)
        if len(self._fresh) >= BATCH:
            self._state.catch_up()  # all of them are in the feed by now, except this one
            self._fresh = [mine]
