"""``newsextract extract --warc``: the records of archives, by one or more worker processes, without the network."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator

from newsextract import algorithms
from newsextract.archives import (
    ArchivedArticle,
    ArchivedRecordPage,
    Failure,
    Step,
    extract_entry,
    find_archives,
    read_entries,
)
from newsextract.archives.entries import Choice, rejected
from newsextract.archives.output import Output
from newsextract.commands.common import MEMORY, check_timeout, check_workers
from newsextract.errors import UsageError
from newsextract.feed.news_record import NewsRecord, Rejection
from newsextract.progress import ProgressLine
from newsextract.workers import Stopped, Workers


def run(arguments: argparse.Namespace, params: dict[str, object]) -> int:
    """Extract; exit code 1 if the output has no record in the end."""
    if arguments.output is None:
        raise UsageError("--warc writes many records: name a file for them, for example -o records.jsonl")
    if arguments.output.suffix != ".jsonl":
        raise UsageError(f"-o {arguments.output}: expected a .jsonl file, for example -o records.jsonl")
    check_workers(arguments.workers)
    check_timeout(arguments.timeout)
    choice = Choice(arguments.algorithm, params)
    if params or arguments.algorithm:
        algorithms.make(arguments.algorithm or algorithms.DEFAULT, params)
    own = [arguments.output, arguments.output.with_suffix(".rejected.jsonl")]
    archives = find_archives(arguments.warc, own)
    with Output(arguments.output) as output:
        others = output.algorithms - {arguments.algorithm}
        if arguments.algorithm and others:
            raise UsageError(f"{output.path}: holds records of {', '.join(sorted(others))}; name another file with -o")
        reader = _ArticleReader(
            read_entries(archives, every_page=arguments.every_page), output, sum(a.size for a in archives)
        )
        try:
            if arguments.workers:
                with Workers[ArchivedArticle, NewsRecord | Rejection](
                    arguments.workers, extract_entry, choice, timeout=arguments.timeout, memory=MEMORY
                ) as workers:
                    for article, result in workers.run(reader.articles()):
                        output.write(rejected(article, "failed", str(result)) if isinstance(result, Stopped) else result)
            else:
                for article in reader.articles():
                    output.write(extract_entry(article, choice))
        finally:
            reader.close()
        _summary(output, reader)
        return int(output.known + output.counts["ok"] == 0)


class _ArticleReader:
    """Gives the articles that have no line yet; writes down what is damaged, and tells how far it is."""

    def __init__(self, steps: Iterator[Step], output: Output, size: int) -> None:
        self._steps = steps
        self._output = output
        self._size = size
        self._began = time.monotonic()
        self._progress = ProgressLine("archives", sys.stderr)
        self.passed = 0
        """Articles that have their line already, or stand in the archives twice."""
        self.record_pages = 0
        """Pages of posts, hits and teasers."""
        self.seconds = 0.0

    def articles(self) -> Iterator[ArchivedArticle]:
        for step in self._steps:
            entry = step.entry
            counts = self._output.counts
            pages = sum(counts.values())
            rate = pages / max(time.monotonic() - self._began, 0.001)
            share = step.done / max(self._size, 1)
            self._progress.tell(f"{pages:,} pages, {counts['ok']:,} records, {rate:.1f} pages/s, {share:.0%} read")
            if isinstance(entry, ArchivedRecordPage):
                self.record_pages += 1
            elif isinstance(entry, Failure):
                failure = entry.rejection()
                if self._output.claim(failure.id):
                    self._output.write(failure)
            elif self._output.claim(entry.id):
                yield entry
            else:
                self.passed += 1

    def close(self) -> None:
        self._progress.close()
        self.seconds = time.monotonic() - self._began


def _summary(output: Output, reader: _ArticleReader) -> None:
    turned_away = {status: count for status, count in output.counts.most_common() if status != "ok"}
    why = ", ".join(f"{status} {count}" for status, count in turned_away.items())
    pages = sum(output.counts.values())
    passed = ""
    if reader.passed != output.known:  # else those that are already there, once each, were told of before
        passed = f"; {reader.passed} passed over (already there, turned away before, or twice in the archives)"
    lines = [
        f"{output.counts['ok']} new, {output.known} already there; {sum(turned_away.values())} turned away"
        f"{f' ({why})' if why else ''}{passed}; "
        f"{pages} pages in {reader.seconds:.1f} s ({pages / max(reader.seconds, 0.001):.1f} pages/s)",
        f"records: {output.path}   turned away: {output.rejected_path}",
    ]
    if reader.record_pages:
        lines.append(
            f"note: {reader.record_pages} pages of posts, hits or teasers are left out; `scrapy crawl archive` reads them"
        )
    sys.stderr.write("\n".join(lines) + "\n")
