"""Where the records of WARC files begin: CDX, CDXJ, or JSON Lines as ``warcio index -f offset,filename`` writes them.

Only offset and file name are read. Lines that are none (headers, comments) say nothing. Which file is meant, the end of its
path tells: as much of it as the index has.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from newsextract.errors import DataError

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
                    self._offsets.setdefault(name, set()).add(offset)
            except (OSError, EOFError, UnicodeDecodeError) as error:
                raise DataError(f"--index {path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
            if sum(map(len, self._offsets.values())) == before:
                raise DataError(
                    f"--index {path}: no line tells offset and file name; expected CDX, CDXJ, "
                    "or the output of `warcio index -f offset,filename FILE`"
                )

    def cuts(self, paths: Sequence[str]) -> dict[str, list[int]]:
        """Of each file that is to be shared out, where its pieces begin: 0, and records :attr:`range` bytes apart or more.

        :raises DataError: at an offset no record begins, or the index does not tell which file it means.
        """
        found = {}
        for path, offsets in self._meant(paths).items():
            starts = [0]
            with open(path, "rb") as stored:
                for offset in sorted(offsets):
                    stored.seek(offset)
                    if not stored.read(5).startswith(_BEGINNINGS):
                        raise DataError(f"{path}: no record begins at {offset}, as --index says; index this very file again")
                    if offset - starts[-1] >= self.range:
                        starts.append(offset)
            if len(starts) > 1:
                found[path] = starts
        return found

    def _meant(self, paths: Sequence[str]) -> dict[str, set[int]]:
        """The offsets of each file that the index names: the longest common end of file and name decides, both ways."""
        found = {}
        named, there = _by_base(self._offsets), _by_base(dict.fromkeys(paths))
        for base, path in [(base, path) for base, same in there.items() for path in same]:
            names = _best(path, named.get(base, []))
            if len(names) > 1:
                raise DataError(f"--index: two files in it may be {path}: {names[0]} and {names[1]}; index it anew")
            for name in names:
                others = _best(name, there[base])
                if path in others and len(others) > 1:
                    raise DataError(
                        f"--index: two files are named {base}, {others[0]} and {others[1]}; index them with their folders"
                    )
                if path in others:
                    found[path] = self._offsets[name]
        return found


def _by_base(paths: Iterable[str]) -> dict[str, list[str]]:
    """Those of each file name, without its folders."""
    found: dict[str, list[str]] = {}
    for path in paths:
        found.setdefault(path.rpartition("/")[2], []).append(path)
    return found


def _best(path: str, others: Sequence[str]) -> list[str]:
    """Those that share the longest end with a path."""
    shared = [_shared(path, other) for other in others]
    return [other for other, parts in zip(others, shared, strict=True) if parts == max(shared)]


def _shared(path: str, name: str) -> int:
    """How many folders and names two paths have in common, from the end."""
    count = 0
    for mine, its in zip(reversed(path.split("/")), reversed(name.split("/")), strict=False):
        if mine != its:
            break
        count += 1
    return count


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
