"""Files as Spark sees them, on local disks, HDFS or S3: few and small ones, read and written by the driver."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from newsextract.errors import DataError
from newsextract.spark.splits import SourceFile, is_address

if TYPE_CHECKING:
    from pyspark import SparkContext

_SPECIAL = frozenset(",{}[]*?\\")


def address(path: str) -> str:
    """What Spark calls a place: local paths are local, whatever Hadoop's default is.

    :raises DataError: the path has characters that Hadoop takes for a pattern.
    """
    if bad := _SPECIAL & set(path):
        raise DataError(f"{path}: Spark takes {' '.join(sorted(bad))} in an output's name for a pattern; name another place")
    return path.rstrip("/") if is_address(path) else f"file:{Path(path).absolute()}"


class Storage:
    """Hadoop's file systems, of the driver's Java process."""

    def __init__(self, context: SparkContext) -> None:
        java: Any = context._jvm  # pyspark has no public way to Hadoop's file systems
        self._path = java.org.apache.hadoop.fs.Path
        self._configuration = context._jsc.hadoopConfiguration()

    def exists(self, place: str) -> bool:
        """Whether there is a file or a folder."""
        system, path = self._at(place)
        return bool(_told(place, system.exists, path))

    def names(self, place: str) -> list[str]:
        """The names in a folder; none where there is no folder."""
        if not self.exists(place):
            return []
        system, path = self._at(place)
        return sorted(status.getPath().getName() for status in _told(place, system.listStatus, path))

    def read(self, place: str) -> Any:
        """A JSON value.

        :raises DataError: the file is not there, or holds something else.
        """
        system, path = self._at(place)
        stream = _told(place, system.open, path)
        try:
            return json.loads(bytes(stream.readAllBytes()))
        except ValueError as error:
            raise DataError(f"{place}: damaged: {error}") from error
        finally:
            stream.close()

    def write(self, place: str, value: Any) -> None:
        """A JSON value; the file is there whole or not at all."""
        system, path = self._at(place)
        new = self._path(f"{place}.new")
        stream = _told(place, system.create, new, True)
        stream.write(bytearray(json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8", "replace") + b"\n"))
        stream.close()
        _told(place, system.delete, path, False)
        if not _told(place, system.rename, new, path):
            raise DataError(f"{place}: cannot be written")

    def delete(self, place: str) -> None:
        """With all that is in it."""
        system, path = self._at(place)
        _told(place, system.delete, path, True)

    def files(self, place: str) -> list[SourceFile]:
        """The files that an address means: a file, those below a folder, or those that a pattern finds.

        :raises DataError: there are none, or the place cannot be reached.
        """
        system, path = self._at(place)
        found: list[SourceFile] = []
        for status in _told(place, system.globStatus, path) or ():
            if status.isDirectory():
                base = status.getPath().toString().rstrip("/") + "/"
                found += self._below(system, status.getPath(), base)
            else:
                found.append(_source(status, status.getPath().getName()))
        if not found:
            raise DataError(f"{place}: no file there")
        return found

    def _below(self, system: Any, folder: Any, base: str) -> Iterator[SourceFile]:
        files = system.listFiles(folder, True)
        found = []
        while files.hasNext():
            status = files.next()
            name = status.getPath().toString().removeprefix(base)
            if not any(part.startswith((".", "_")) for part in name.split("/")):
                found.append(_source(status, name))
        yield from sorted(found, key=lambda file: file.name)

    def _at(self, place: str) -> tuple[Any, Any]:
        path = _told(place, self._path, place)
        return _told(place, path.getFileSystem, self._configuration), path


def _source(status: Any, name: str) -> SourceFile:
    return SourceFile(status.getPath().toString(), name, status.getLen(), status.getModificationTime() // 1000)


def _told(place: str, function: Any, *arguments: Any) -> Any:
    """Call Java.

    :raises DataError: it could not; the message is the first line of Java's.
    """
    from py4j.protocol import Py4JJavaError

    try:
        return function(*arguments)
    except Py4JJavaError as error:
        text = str(error.java_exception.getMessage() or error.java_exception.toString()).strip().splitlines()[0]
        raise DataError(f"{place}: {text}") from error
