"""Files as Spark sees them, on local disks, HDFS or S3: few and small ones, read and written by the driver."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from newsextract.errors import DataError
from newsextract.spark.java_errors import told
from newsextract.spark.splits import SourceFile, chosen, is_address

if TYPE_CHECKING:
    from pyspark import SparkContext

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
        with told(place):
            system, path = self._at(place)
            return bool(system.exists(path))

    def names(self, place: str) -> list[str]:
        """The names in a folder; none where there is no folder."""
        if not self.exists(place):
            return []
        with told(place):
            system, path = self._at(place)
            return sorted(status.getPath().getName() for status in system.listStatus(path))

    def write(self, place: str, value: Any) -> None:
        """A JSON value in a file."""
        with told(place):
            system, path = self._at(place)
            stream = system.create(path, True)
            stream.write(bytearray(json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8", "replace") + b"\n"))
            stream.close()

    def make(self, place: str) -> None:
        """A folder."""
        with told(place):
            system, path = self._at(place)
            system.mkdirs(path)

    def rename(self, old: str, new: str) -> None:
        """Move a folder to a place where nothing is, or an empty folder."""
        with told(old):
            system, path = self._at(old)
            target = self._path(new)
            if system.exists(target) and not system.listStatus(target):
                system.delete(target, False)
            if system.exists(target) or not system.rename(path, target):
                raise DataError(f"{old}: cannot be moved to {new}")

    def delete(self, place: str) -> None:
        """With all that is in it."""
        with told(place):
            system, path = self._at(place)
            system.delete(path, True)

    def files(self, place: str) -> list[SourceFile]:
        """The files that an address means: a file, those below a folder, or those that a pattern finds.

        A name that is there counts as it is, whatever characters are in it.

        :raises DataError: there are none, or the place cannot be reached.
        """
        with told(place):
            system, path = self._at(place)
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

    def _at(self, place: str) -> tuple[Any, Any]:
        if not place.isascii() and place.startswith("file:") and not self._encoding.upper().startswith("UTF"):
            raise DataError(f"{place}: Java knows {self._encoding} only here; set LC_ALL=C.UTF-8 for names like this")
        path = self._path(place)
        return path.getFileSystem(self._configuration), path


def _source(status: Any, name: str) -> SourceFile:
    path = status.getPath().toString()
    if ":" in path.removeprefix(_head(path)):
        raise DataError(f"{path}: Hadoop cannot read a name with a colon; rename it, or name a local folder without file:")
    return SourceFile(path, name, status.getLen(), status.getModificationTime() // 1000)
