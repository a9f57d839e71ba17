"""Feeds that survive ``kill -9``: an unbuffered append-only storage and its exporter, for local ``.jsonl`` files.

* A line is written whole, by one system call; if the disk is full, what was written of it is taken back, the crawl is
  stopped with a clear message, and the page is fetched again by the next run.
* A torn last line (the process died while writing) is cut off when the file is opened.
* The place of ``duplicate_of`` in a line is padded, so that it can be filled in later without moving anything: the smallest
  id of a group of near-same texts wins, whatever order they come in.
* The file is locked: two crawls cannot write one feed.

Other feeds (``.csv``, ``s3:`` …) are Scrapy's own and get the same items.
"""

from __future__ import annotations

import fcntl
import io
import json
import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.exporters import BaseItemExporter
from scrapy.extensions.feedexport import FileFeedStorage
from scrapy.utils.defer import deferred_from_coro

from newsextract.errors import DataError
from pipelines.items import Item, NewsRecord
from pipelines.ledger import duplicate_position

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

_PADDING = 18  # a quoted id


class LedgerFile(io.RawIOBase):
    """An append-only file of whole lines."""

    def __init__(self, path: Path, *, overwrite: bool = False) -> None:
        super().__init__()
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._descriptor)
            raise DataError(f"{path}: another crawl is writing this feed; wait for it, or name another feed") from error
        self._end = 0 if overwrite else _whole_lines(self._descriptor)  # not before the lock is ours
        os.ftruncate(self._descriptor, self._end)

    def writable(self) -> bool:
        """True: the exporter asks."""
        return True

    def write(self, data: Any) -> int:
        """Append a whole line; on failure the file is as before.

        :raises OSError: the disk is full or the file cannot be written.
        """
        line, done = bytes(data), 0
        try:
            while done < len(line):
                done += os.pwrite(self._descriptor, line[done:], self._end + done)
        except OSError as error:
            os.ftruncate(self._descriptor, self._end)
            error.filename = str(self.path)
            raise
        self.last_position = self._end + duplicate_position(line)
        """Where the value of ``duplicate_of`` of this line stands."""
        self._end += len(line)
        return len(line)

    def mark_duplicate(self, position: int, duplicate_of: str) -> None:
        """Fill in the value of ``duplicate_of`` that stands at a position."""
        os.pwrite(self._descriptor, json.dumps(duplicate_of).encode(), position)

    def close(self) -> None:
        """Give the lock back."""
        if not self.closed:
            os.close(self._descriptor)
        super().close()


def _whole_lines(descriptor: int) -> int:
    """The length of the file up to its last newline."""
    end = os.fstat(descriptor).st_size
    while end > 0:
        start = max(0, end - 65_536)
        newline = os.pread(descriptor, end - start, start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        end = start
    return 0


class LedgerStorage(FileFeedStorage):
    """Scrapy's storage for local feeds; ``.jsonl`` ones are opened as a :class:`LedgerFile`."""

    def open(self, spider: Spider) -> Any:
        """The file that the exporter writes to."""
        if not is_ledger(self.path):
            return super().open(spider)
        return LedgerFile(Path(self.path), overwrite=self.write_mode == "wb")


def is_ledger(uri: str) -> bool:
    """Whether a feed can be a ledger: a local ``.jsonl`` or ``.jl`` file whose name is the same in every run."""
    return uri.endswith((".jsonl", ".jl")) and ("://" not in uri or uri.startswith("file://")) and "%(" not in uri


class LineExporter(BaseItemExporter):
    """JSON Lines in the order of the item's fields, UTF-8, one write per line."""

    def __init__(self, file: Any, *, crawler: Crawler | None = None, **options: Any) -> None:
        super().__init__(dont_fail=True, **options)
        self.file = file
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: Any, **options: Any) -> LineExporter:
        """Scrapy's way to make one."""
        return cls(file, crawler=crawler, **options)

    def export_item(self, item: Item) -> None:
        """Write one line; a failure stops the crawl."""
        spider = self._crawler.spider if self._crawler else None
        ledger = getattr(spider, "ledger", None)
        try:
            if ledger is not None and isinstance(item, NewsRecord) and self._is_ledger(ledger.path):
                near = ledger.near.place(item, self.file)
                self.file.write(line(item))
                ledger.near.add(near, self.file.last_position)
                if near is not None:
                    ledger.admitted.discard(int(item.id, 16))
            else:
                self.file.write(line(item))
        except OSError as error:
            stop(self._crawler, error)

    def _is_ledger(self, path: Path) -> bool:
        return isinstance(self.file, LedgerFile) and self.file.path == path


def stop(crawler: Crawler | None, error: OSError) -> None:
    """End the crawl because a file cannot be written; told once, however many pages are still in flight."""
    if crawler is None or crawler.spider is None or crawler.stats.get_value("newsextract/feed_error"):
        return
    logger.error(
        "cannot write %s: %s. The crawl stops; what was written is safe, and the same command goes on from there.",
        error.filename or "the feed",
        error.strerror or error,
    )
    crawler.stats.set_value("newsextract/feed_error", str(error))
    deferred_from_coro(crawler.engine.close_spider_async(reason="feed_not_writable"))


def line(item: Item) -> bytes:
    """An item as a line of a feed."""
    values = {name: getattr(item, name) for name in item.__slots__}
    text = json.dumps(values, ensure_ascii=False)
    if isinstance(item, NewsRecord) and item.duplicate_of is None:
        text = text.replace('"duplicate_of": null', '"duplicate_of": null' + " " * (_PADDING - 4), 1)
    return text.encode("utf-8", "replace") + b"\n"
