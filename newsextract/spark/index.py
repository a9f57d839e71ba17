"""Where the records of WARC files begin: CDX, CDXJ, or JSON Lines as ``warcio index -f offset,filename`` writes them.

Only offset and file name are read. Lines that are none (headers, comments) say nothing.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from newsextract.errors import DataError

if TYPE_CHECKING:
    from newsextract.spark.splits import SourceFile

_BEGINNINGS = (b"\x1f\x8b\x08", b"WARC/")
_OFFSET, _NAME = "V", "g"
"""The letters of CDX for the compressed offset and the file's name."""


class Index:
    """The offsets of all index files together.

    :param range: bytes between two cuts, at least.
    :raises DataError: a file cannot be read, or tells no offset at all.
    """

    def __init__(self, paths: Sequence[Path], range: int) -> None:  # noqa: A002  # the word for it
        self.range = range
        self._offsets: dict[str, set[int]] = {}
        for path in paths:
            before = sum(map(len, self._offsets.values()))
            try:
                for name, offset in _entries(path):
                    self._offsets.setdefault(name.rpartition("/")[2], set()).add(offset)
            except (OSError, EOFError, UnicodeDecodeError) as error:
                raise DataError(f"--index {path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
            if sum(map(len, self._offsets.values())) == before:
                raise DataError(
                    f"--index {path}: no line tells offset and file name; expected CDX, CDXJ, "
                    "or the output of `warcio index -f offset,filename FILE`"
                )

    def __bool__(self) -> bool:
        return bool(self._offsets)

    def offsets(self, file: SourceFile) -> list[int]:
        """Where records of a file begin, ascending; empty: the index does not name it.

        :raises DataError: at one of them none begins.
        """
        found = sorted(self._offsets.get(file.path.rpartition("/")[2], ()))
        with open(file.path, "rb") as stored:
            for offset in found:
                stored.seek(offset)
                if not stored.read(5).startswith(_BEGINNINGS):
                    raise DataError(
                        f"{file.path}: no record begins at {offset}, as --index says; index this very file again"
                    )
        return found


def _entries(path: Path) -> Iterator[tuple[str, int]]:
    columns: list[str] = []
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words[:1] == ["CDX"]:
                columns = words[1:]
                continue
            begin = line.find("{")
            if begin >= 0:
                entry = _object(line[begin:])
            elif columns and len(words) == len(columns):
                named = dict(zip(columns, words, strict=True))
                entry = named.get(_NAME), named.get(_OFFSET)
            else:
                continue
            name, offset = entry
            if isinstance(name, str) and str(offset).isdecimal():
                yield name, int(str(offset))


def _object(text: str) -> tuple[object, object]:
    try:
        value = json.loads(text)
    except ValueError:
        return None, None  # reason: no entry; a file without any is refused
    return (value.get("filename"), value.get("offset")) if isinstance(value, dict) else (None, None)
