"""A stretch of a WARC file → its entries, the same as when the whole file is read.

Whether a file is of our own crawls, its first record tells; so that one is read for every stretch.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

from newsextract.archives.entries import ArchivedArticle, Entry, Failure
from newsextract.archives.storage import open_file
from newsextract.archives.warc_entries import WarcEntries
from newsextract.archives.warc_records import records
from newsextract.errors import DataError


class _Stretch(WarcEntries):
    """Entries of the records that begin in a stretch."""

    def between(self, start: int, end: int | None) -> Iterator[Entry]:
        if start:
            first = next(records(self._stored), None)
            if first is not None and not isinstance(first, Failure) and first.type == "warcinfo":
                self._entry(first)
        for record in records(self._stored, start):
            offset = int(record.place.rpartition("#")[2]) if isinstance(record, Failure) else record.offset
            if end is not None and offset >= end:
                return
            entry = record if isinstance(record, Failure) else self._entry(record)
            if entry is not None:
                yield entry


def range_entries(path: Path, start: int, end: int | None, *, every_page: bool) -> Iterator[Entry]:
    """The entries of the records that begin from ``start`` on and before ``end``.

    A file that cannot be read is one failure.
    """
    try:
        with open_file(path) as stored, _Stretch(stored) as reader:
            for entry in reader.between(start, end):
                if every_page and isinstance(entry, ArchivedArticle):
                    entry = dataclasses.replace(entry, vouched=True)
                yield entry
    except DataError as error:
        yield Failure(path.name, str(error))
