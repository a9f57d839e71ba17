"""What a Spark run reads, in pieces: a split is one task, and has one committed part of output.

A WARC file, a WACZ file, a file of JSON Lines or of Parquet is a split; with an index a large WARC file is several, each
beginning at a record. Small saved pages go together. The order of splits is that of ``newsextract extract --warc``, since of
several pages with one id the first counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from newsextract.archives import find_archives
from newsextract.archives.page_files import PAGE_ENDINGS
from newsextract.errors import DataError
from newsextract.spark.index import Index

PARQUET = ".parquet"
PAGES_TOGETHER = 200
"""Saved pages of one split: about two seconds of work."""
BYTES_TOGETHER = 32_000_000
RANGE = 64_000_000
"""Bytes of a WARC file that make a split of their own where an index allows it: about 2,000 pages, half a minute of work."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file, on this machine's disks (a path) or elsewhere (an address)."""

    path: str
    name: str
    """What places call it."""
    size: int
    modified: int
    """Seconds since 1970."""

    @property
    def remote(self) -> bool:
        """Whether Spark has to bring it."""
        return is_address(self.path)


@dataclass(frozen=True, slots=True)
class Split:
    """One task."""

    number: int
    files: tuple[SourceFile, ...]
    start: int = 0
    """Offset of the first record that is read."""
    end: int | None = None
    """Offset behind the last one; None: the end of the file."""

    @property
    def size(self) -> int:
        """Bytes."""
        return (self.end - self.start) if self.end is not None else sum(file.size for file in self.files)

    @property
    def parquet(self) -> bool:
        """Whether it holds pages as rows."""
        return self.files[0].name.lower().endswith(PARQUET)

    @property
    def brought(self) -> bool:
        """Whether Spark reads it, and not a task from the disk."""
        return self.parquet or self.files[0].remote

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Split:
        """The reverse."""
        return cls(value["number"], tuple(SourceFile(**file) for file in value["files"]), value["start"], value["end"])


def is_address(path: str) -> bool:
    """Whether something is an address for Spark (``hdfs://…``, ``s3a://…``, ``file:/…``) and no path."""
    scheme, sign, _ = path.partition(":/")
    return bool(sign) and scheme.isalnum()


def local_files(path: Path) -> list[SourceFile]:
    """The files that a path means, those of a folder in the order of their names.

    :raises DataError: there are none.
    :raises MissingExtra: there are WARC files, and warcio is not installed.
    """
    if path.is_dir():
        rows = [file for file in sorted(path.rglob(f"*{PARQUET}")) if file.is_file()]
        if rows:
            return [_local(file, file.relative_to(path).as_posix()) for file in rows]
    elif path.name.lower().endswith(PARQUET) and path.is_file():
        return [_local(path, path.name)]
    return [_local(archive.path, archive.name) for archive in find_archives([path])]


def _local(path: Path, name: str) -> SourceFile:
    status = path.stat()
    return SourceFile(str(path.absolute()), name, status.st_size, int(status.st_mtime))


def make_splits(files: Iterable[SourceFile], index: Index) -> list[Split]:
    """The splits of files.

    :raises DataError: there is nothing in the files, or the index does not fit them.
    """
    found: list[Split] = []
    for group in _groups(files):
        for start, end in _ranges(group, index):
            found.append(Split(len(found), tuple(group), start, end))
    if not sum(file.size for split in found for file in split.files):
        raise DataError(
            "the input is empty: no file has a single byte; name archives, folders, JSON Lines or Parquet of pages"
        )
    return found


def _groups(files: Iterable[SourceFile]) -> Iterator[list[SourceFile]]:
    group: list[SourceFile] = []
    for file in files:
        alone = file.remote or not file.name.lower().endswith(PAGE_ENDINGS)
        full = len(group) >= PAGES_TOGETHER or sum(f.size for f in group) >= BYTES_TOGETHER
        if group and (alone or full):
            yield group
            group = []
        group.append(file)
        if alone:
            yield group
            group = []
    if group:
        yield group


def _ranges(group: Sequence[SourceFile], index: Index) -> list[tuple[int, int | None]]:
    """Pieces of about :data:`RANGE` bytes, cut where the index says that a record begins."""
    if len(group) > 1 or group[0].remote or not index:
        return [(0, None)]
    cuts = [0]
    for offset in index.offsets(group[0]):
        if offset - cuts[-1] >= index.range:
            cuts.append(offset)
    return list(zip(cuts, [*cuts[1:], None], strict=True))
