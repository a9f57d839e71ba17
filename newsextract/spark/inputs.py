"""The inputs of a Spark run: files on local disks, HDFS or S3, cut into splits, and a split → its entries."""

from __future__ import annotations

import base64
import importlib.util
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from newsextract.archives import Entry, find_archives, read_entries
from newsextract.archives.entries import EPOCH, ArchivedArticle, Failure
from newsextract.archives.reading import LINE_ENDINGS, PAGE_ENDINGS, WARC_ENDINGS, ZIP_ENDINGS, Archive, page_object
from newsextract.archives.storage import MissingCoding, TooLarge, existing
from newsextract.archives.warc import loader
from newsextract.errors import DataError, MissingExtra
from newsextract.spark import told

if TYPE_CHECKING:
    from pyspark import SparkContext

# --- splits ---------------------------------------------------------------------------------------
# What a Spark run reads, in pieces: a split is one task.
#
# A file is a split; small files go together, since a task costs a tenth of a second. The order of splits is that of
# ``newsextract extract --warc``, since of several pages with one id the first counts.

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
        raise DataError(f"{place}: no archive and no page there; choose from: {', '.join(_KNOWN)}")
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
    """The splits of files. Raises DataError: there is nothing in the files."""
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


# --- rows -----------------------------------------------------------------------------------------
# Parquet of pages → entries. The columns are the fields of a line of JSON: see ``docs/archives.md``.
#
# ``body`` is binary here, and what is nested (``headers``, ``hints``, ``site``) may be a map, a struct, or JSON as text.
# Other columns are not read. What cannot be read costs itself: a row, a group of rows, or the file.

_COLUMNS = ("url", "html", "body", "headers", "fetched_at", "hints", "site", "requested_url")
_NESTED = ("headers", "hints", "site")
_EXPECTED = "expected columns url and html, or body in binary"
_ROWS = 32
"""Rows that are in memory at once."""


def parquet_entries(path: Path, name: str) -> Iterator[ArchivedArticle | Failure]:
    """The pages of a file.

    :param name: what places call it.
    :raises OSError: the disk cannot be read; a damaged file is a failure.
    """
    import pyarrow
    from pyarrow.parquet import ParquetFile

    bad = (pyarrow.ArrowException, OSError, ValueError, MemoryError)
    try:
        file = ParquetFile(path, pre_buffer=False, coerce_int96_timestamp_unit="us", page_checksum_verification=True)
        columns = [column for column in _COLUMNS if column in file.schema_arrow.names]
    except bad as error:
        yield Failure(name, f"not readable as Parquet: {_told(error)}")
        return
    with file:
        if "url" not in columns:
            yield Failure(name, f"no page: there is no column url; {_EXPECTED}")
            return
        number = 0
        for group in range(file.num_row_groups):
            end = number + file.metadata.row_group(group).num_rows
            try:
                for batch in file.iter_batches(_ROWS, row_groups=[group], columns=columns, use_threads=False):
                    values = {column: _times(batch.column(column)) for column in columns}
                    for row in range(batch.num_rows):
                        yield _of_batch(values, row, f"{name}#{number}")
                        number += 1
            except bad as error:
                yield Failure(f"{name}#{number}", f"rows {number} to {end - 1} are not readable as Parquet: {_told(error)}")
            number = end


def _told(error: BaseException) -> str:
    """The first line. Raises OSError: it was the disk, and not what stands there."""
    if isinstance(error, OSError) and error.errno is not None:
        raise error
    return (str(error).splitlines() or [type(error).__name__])[0][:200]


def _times(column: Any) -> Any:
    """A column of times as microseconds since 1970: some of them Python cannot tell. Others as they are."""
    import pyarrow

    if not pyarrow.types.is_timestamp(column.type):
        return column
    return column.cast(pyarrow.timestamp("us", column.type.tz), safe=False).cast(pyarrow.int64())


def _of_batch(columns: Mapping[str, Any], row: int, place: str) -> ArchivedArticle | Failure:
    import pyarrow

    try:
        values = {name: column[row].as_py() for name, column in columns.items()}
        if type(values.get("fetched_at")) is int:
            values["fetched_at"] = EPOCH + timedelta(microseconds=values["fetched_at"])
    except (pyarrow.ArrowException, ValueError, OverflowError, TypeError, KeyError) as error:
        return Failure(place, f"no page: a value that cannot be read: {_told(error)}")
    return row_entry(values, place)


def row_entry(row: Mapping[str, Any], place: str) -> ArchivedArticle | Failure:
    """The page of a row, or why it is none."""
    try:
        return page_object({name: _plain(name, value) for name, value in row.items() if value is not None}, place)
    except (TooLarge, MissingCoding) as error:
        return Failure(place, str(error), error.status)
    except (ValueError, TypeError, RecursionError) as error:
        return Failure(place, f"no page: {error}; {_EXPECTED}")


def _plain(name: str, value: Any) -> Any:
    """As JSON would have it.

    :raises ValueError: what should be JSON is none.
    :raises TypeError: a map has keys that cannot be keys of an object.
    """
    if isinstance(value, bytes | bytearray):
        return base64.b64encode(value).decode("ascii") if name == "body" else bytes(value).decode("utf-8", "replace")
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, list) and value and all(isinstance(pair, tuple) and len(pair) == 2 for pair in value):
        value = dict(value)  # a map
    if isinstance(value, dict):
        return {key: _plain("", inner) for key, inner in value.items() if inner is not None}
    if name in _NESTED and isinstance(value, str) and value.lstrip().startswith("{"):
        return json.loads(value)
    return value


# --- reading --------------------------------------------------------------------------------------
# A split → its entries, in the task that it belongs to.
#
# A file that is not there, or that the disk does not give, is no damaged page: the task fails, and Spark tries it again,
# elsewhere if it can. Only the last try makes a row of it, and the run's summary names the file.


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
        """All of them. Raises OSError: a file cannot be read to its end, and it is not the last try."""
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


# --- storage --------------------------------------------------------------------------------------
# Files as Spark sees them, on local disks, HDFS or S3: few and small ones, read and written by the driver.

_SPECIAL = frozenset(",{}[]*?\\:")
_HEAD = re.compile(r"[^:/]+:(//[^/]*)?(?=/)")
"""Scheme, host and port of an address."""
_ESCAPED = re.compile(r"[{}\[\]*?\\]")


def address(path: str) -> str:
    """What Spark calls a place: local paths are local, whatever Hadoop's default is.

    :raises DataError: the path has characters that Hadoop takes for a pattern.
    """
    place = path.rstrip("/") if is_address(path) else f"file:{Path(path).absolute()}"
    if bad := _SPECIAL & set(place.removeprefix(_head(place))):
        raise DataError(f"{path}: Spark takes {' '.join(sorted(bad))} in an output's path for a pattern; name another place")
    return place


def _head(place: str) -> str:
    found = _HEAD.match(place)
    return found[0] if found else ""


def literal(place: str) -> str:
    """A place as Hadoop's lists of patterns want it: it means this very name, whatever characters are in it."""
    return _ESCAPED.sub(lambda found: "\\" + found[0], place).replace(",", "{\\,}")


class Storage:
    """Hadoop's file systems, of the driver's Java process.

    All methods raise :class:`DataError` where Java cannot do it.
    """

    def __init__(self, context: SparkContext) -> None:
        java: Any = context._jvm  # pyspark has no public way to Hadoop's file systems
        self._path = java.org.apache.hadoop.fs.Path
        self._configuration = context._jsc.hadoopConfiguration()
        self._encoding = str(java.java.lang.System.getProperty("sun.jnu.encoding"))

    def exists(self, place: str) -> bool:
        """Whether there is a file or a folder."""
        with self._at(place) as (system, path):
            return bool(system.exists(path))

    def names(self, place: str) -> list[str]:
        """The names in a folder; none where there is no folder."""
        if not self.exists(place):
            return []
        with self._at(place) as (system, path):
            return sorted(status.getPath().getName() for status in system.listStatus(path))

    def write(self, place: str, value: Any) -> None:
        """A JSON value in a file."""
        with self._at(place) as (system, path):
            stream = system.create(path, True)
            stream.write(bytearray(json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8", "replace") + b"\n"))
            stream.close()

    def make(self, place: str) -> None:
        """A folder."""
        with self._at(place) as (system, path):
            system.mkdirs(path)

    def rename(self, old: str, new: str) -> None:
        """Move a folder to a place where nothing is, or an empty folder."""
        with self._at(old) as (system, path):
            target = self._path(new)
            if system.exists(target) and not system.listStatus(target):
                system.delete(target, False)
            if system.exists(target) or not system.rename(path, target):
                raise DataError(f"{old}: cannot be moved to {new}")

    def delete(self, place: str) -> None:
        """With all that is in it."""
        with self._at(place) as (system, path):
            system.delete(path, True)

    def files(self, place: str) -> list[SourceFile]:
        """The files that an address means: a file, those below a folder, or those that a pattern finds.

        A name that is there counts as it is, whatever characters are in it.

        :raises DataError: there are none, or the place cannot be reached.
        """
        with self._at(place) as (system, path):
            found: list[SourceFile] = []
            statuses = [system.getFileStatus(path)] if system.exists(path) else system.globStatus(path) or ()
            for status in statuses:
                if status.isDirectory():
                    base = status.getPath().toString().rstrip("/") + "/"
                    found += chosen(self._below(system, status.getPath(), base), place)
                else:
                    found += chosen([_source(status, status.getPath().getName())], place)
        if not found:
            raise DataError(f"{place}: no file there")
        return found

    def _below(self, system: Any, folder: Any, base: str) -> list[SourceFile]:
        files = system.listFiles(folder, True)
        found = []
        while files.hasNext():
            status = files.next()
            found.append(_source(status, status.getPath().toString().removeprefix(base)))
        return sorted(found, key=lambda file: file.name.split("/"))  # as paths are sorted

    @contextmanager
    def _at(self, place: str) -> Iterator[tuple[Any, Any]]:
        if not place.isascii() and place.startswith("file:") and not self._encoding.upper().startswith("UTF"):
            raise DataError(f"{place}: Java knows {self._encoding} only here; set LC_ALL=C.UTF-8 for names like this")
        with told(place):
            path = self._path(place)
            yield path.getFileSystem(self._configuration), path


def _source(status: Any, name: str) -> SourceFile:
    path = status.getPath().toString()
    if ":" in path.removeprefix(_head(path)):
        raise DataError(f"{path}: Hadoop cannot read a name with a colon; rename it, or name a local folder without file:")
    return SourceFile(path, name, status.getLen(), status.getModificationTime() // 1000)
