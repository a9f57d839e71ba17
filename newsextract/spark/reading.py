"""A split → its entries, in the task that it belongs to.

A file that is not there, or that the disk does not give, is no damaged page: the task fails, and Spark tries it again,
elsewhere if it can. Only the last try makes a row of it, and the run's summary names the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from newsextract.archives import Entry, Failure, read_entries
from newsextract.archives.reading import Archive
from newsextract.archives.storage import existing
from newsextract.spark.rows import parquet_entries
from newsextract.spark.splits import PARQUET, SourceFile, Split


class SplitReader:
    """The entries of one split.

    :param split: what is read.
    :param paths: where each of its files stands on this machine.
    :param every_page: see :func:`newsextract.archives.read_entries`.
    :param last: whether the task is not tried again.
    :raises OSError: a file is not there, and it is not the last try.
    """

    def __init__(self, split: Split, paths: Sequence[Path], *, every_page: bool, last: bool) -> None:
        self._files = list(zip(split.files, paths, strict=True))
        self._every_page = every_page
        self._last = last
        self.missing: list[str] = []
        """Paths of files that could not be read (to their end)."""
        self._absent: dict[str, OSError] = {}
        for file, path in self._files:  # before anything is extracted
            try:
                existing(path).open("rb").close()
            except OSError as error:
                if not last:
                    raise
                self._absent[file.path] = error

    def entries(self) -> Iterator[Entry]:
        """All of them.

        :raises OSError: a file cannot be read to its end, and it is not the last try.
        """
        for file, path in self._files:
            if file.path in self._absent:
                yield self._failed(file, self._absent[file.path])
                continue
            try:
                yield from self._of_file(file, path)
            except OSError as error:
                if not self._last:
                    raise
                yield self._failed(file, error)

    def _of_file(self, file: SourceFile, path: Path) -> Iterator[Entry]:
        if file.name.lower().endswith(PARQUET):
            yield from parquet_entries(path, file.name)
            return
        archive = Archive(path, file.name, file.size)
        for step in read_entries([archive], every_page=self._every_page, strict=True):
            yield step.entry

    def _failed(self, file: SourceFile, error: OSError) -> Failure:
        self.missing.append(file.path)
        return Failure(file.name, f"the file cannot be read: {error.strerror or error}")
