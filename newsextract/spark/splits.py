"""What a Spark run reads, in pieces: a split is one task.

A file is a split; small files go together, since a task costs a tenth of a second. The order of splits is that of
``newsextract extract --warc``, since of several pages with one id the first counts.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from newsextract.archives import find_archives
from newsextract.archives.page_files import LINE_ENDINGS, PAGE_ENDINGS
from newsextract.archives.reading import WARC_ENDINGS, ZIP_ENDINGS
from newsextract.archives.warc_records import loader
from newsextract.errors import DataError, MissingExtra

PARQUET = ".parquet"
_KNOWN = (*WARC_ENDINGS, *ZIP_ENDINGS, *LINE_ENDINGS, *PAGE_ENDINGS, PARQUET)
FILES_TOGETHER = 200
"""Files of one split at most; of saved pages about two seconds of work."""
PAGES_TOGETHER = 32_000_000
"""Bytes of saved pages in one split."""
ARCHIVES_TOGETHER = (500_000, 8_000_000)
"""Bytes of small archives in one split: a 32nd of the input, within these bounds, so that many executors have work. Packed,
that is 8 to 130 pages of the bench."""
SHARES = 32


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

    @property
    def page(self) -> bool:
        """Whether it is one saved page."""
        return self.name.lower().endswith(PAGE_ENDINGS)


@dataclass(frozen=True, slots=True)
class Split:
    """One task."""

    number: int
    files: tuple[SourceFile, ...]

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(file.size for file in self.files)

    @property
    def brought(self) -> bool:
        """Whether Spark reads it, and not a task from the disk."""
        return self.files[0].remote

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Split:
        """The reverse."""
        return cls(value["number"], tuple(SourceFile(**file) for file in value["files"]))


def is_address(path: str) -> bool:
    """Whether something is an address for Spark (``hdfs://…``, ``s3a://…``, ``file:/…``) and no path."""
    scheme, sign, _ = path.partition(":/")
    return bool(sign) and scheme.isalnum()


def local_files(path: Path, output: Path | None = None) -> list[SourceFile]:
    """The files that a path means, those of a folder in the order of their names.

    :param output: a folder that the run writes: it is no input, though it may stand in a folder that is.
    :raises DataError: there are none.
    :raises MissingExtra: there are files that a package is needed for, and it is not installed.
    """
    if path.is_dir():
        rows = [
            _local(file, file.relative_to(path).as_posix()) for file in sorted(path.rglob(f"*{PARQUET}")) if file.is_file()
        ]
        rows = [file for file in rows if not _hidden(file) and not (output and Path(file.path).is_relative_to(output))]
        if rows:
            return chosen(rows, str(path))
    elif path.name.lower().endswith(PARQUET) and path.is_file():
        return chosen([_local(path, path.name)], str(path))
    return [_local(archive.path, archive.name) for archive in find_archives([path], [output] if output else [])]


def chosen(files: Sequence[SourceFile], place: str) -> list[SourceFile]:
    """What is read of the files of a folder: Parquet where there is any, else archives and pages; nothing hidden.

    :raises DataError: there is nothing of a known kind.
    :raises MissingExtra: there are files that a package is needed for, and it is not installed.
    """
    known = [file for file in files if file.name.lower().endswith(_KNOWN) and not _hidden(file)]
    if not known:
        raise DataError(f"{place}: no archive and no page there; known are: {', '.join(_KNOWN)}")
    if rows := [file for file in known if file.name.lower().endswith(PARQUET)]:
        if importlib.util.find_spec("pyarrow") is None:
            raise MissingExtra("pyarrow", "spark", "reading Parquet")
        return rows
    if any(file.name.lower().endswith((*WARC_ENDINGS, *ZIP_ENDINGS)) for file in known):
        loader()
    return known


def _hidden(file: SourceFile) -> bool:
    """As Hadoop has it: what is unfinished, and what counts bytes."""
    return any(part.startswith((".", "_")) for part in file.name.split("/"))


def _local(path: Path, name: str) -> SourceFile:
    status = path.stat()
    return SourceFile(str(path.absolute()), name, status.st_size, int(status.st_mtime))


def make_splits(files: Iterable[SourceFile]) -> list[Split]:
    """The splits of files.

    :raises DataError: there is nothing in the files.
    """
    given = list(files)
    if not sum(file.size for file in given):
        raise DataError(
            "the input is empty: no file has a single byte; name archives, folders, JSON Lines or Parquet of pages"
        )
    return [Split(number, tuple(group)) for number, group in enumerate(_groups(given))]


def _groups(files: Sequence[SourceFile]) -> Iterator[list[SourceFile]]:
    least, most = ARCHIVES_TOGETHER
    archives = min(max(sum(file.size for file in files) // SHARES, least), most)
    group: list[SourceFile] = []
    size = 0
    for file in files:
        full = len(group) >= FILES_TOGETHER or size + file.size > (PAGES_TOGETHER if file.page else archives)
        other = group and (file.page, file.remote) != (group[0].page, group[0].remote)
        if group and (full or other):
            yield group
            group, size = [], 0
        group.append(file)
        size += file.size
    if group:
        yield group
