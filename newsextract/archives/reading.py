"""Archives of any kind → entries, one after the other: WARC, WACZ, folders, JSON Lines. No network.

:func:`read_pages` gives plain pages; :func:`read_entries` what a crawl made of them, for the same records again.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from newsextract.archives.entries import ArchivedArticle, Entry, Failure
from newsextract.archives.page_files import LINE_ENDINGS, PAGE_ENDINGS, page_file, page_lines
from newsextract.archives.storage import OPEN, open_file, wacz_members
from newsextract.archives.warc_entries import WarcEntries
from newsextract.archives.warc_records import loader
from newsextract.errors import DataError, NewsextractError
from newsextract.page import Page
from newsextract.rendered_page import Fetched, opened

WARC_ENDINGS = (".warc", ".warc.gz", f".warc{OPEN}", f".warc.gz{OPEN}")
ZIP_ENDINGS = (".wacz",)
_KNOWN = (*WARC_ENDINGS, *ZIP_ENDINGS, *LINE_ENDINGS, *PAGE_ENDINGS)


@dataclass(frozen=True, slots=True)
class Archive:
    """One file that is to be read."""

    path: Path
    name: str
    """Path below the folder that the user named, or the file's own name."""
    size: int
    """When it was found; what is added later does not count."""


@dataclass(frozen=True, slots=True)
class Step:
    """An entry, and how far the archives have been read."""

    entry: Entry
    done: int
    """Bytes."""


def find_archives(paths: Iterable[Path], output: Iterable[Path] = ()) -> list[Archive]:
    """The files that are meant: those named, and those below the folders named, in the order of their names.

    :param output: files and folders that the run writes: they are no input, though they may stand in a folder that is.
    :raises DataError: a path is missing, of an unknown kind, the run's own output, or a folder without archives and pages.
    :raises MissingExtra: there are WARC files, and warcio is not installed.
    """
    own = _Own(output)
    found: list[Archive] = []
    for path in paths:
        if path.is_dir():
            below = [file for file in sorted(path.rglob("*")) if file.name.lower().endswith(_KNOWN) and file.is_file()]
            below = [file for file in below if not own.has(file)]
            if not below:
                raise DataError(f"{path}: no archive and no page in this folder; known are: {', '.join(_KNOWN)}")
            found += [Archive(file, file.relative_to(path).as_posix(), file.stat().st_size) for file in below]
        elif path.is_file():
            if not path.name.lower().endswith(_KNOWN):
                raise DataError(f"{path}: not known as an archive by its name; known are: {', '.join(_KNOWN)}, and folders")
            if own.has(path):
                raise DataError(f"{path}: is what this run writes; name another file for the output")
            found.append(Archive(path, path.name, path.stat().st_size))
        else:
            raise DataError(f"{path}: no such file or folder")
    if any(archive.name.lower().endswith((*WARC_ENDINGS, *ZIP_ENDINGS)) for archive in found):
        loader()
    return found


class _Own:
    """What a run writes itself, under whatever name."""

    def __init__(self, output: Iterable[Path]) -> None:
        there = [path for path in output if path.exists()]
        self._folders = [path.resolve() for path in there if path.is_dir()]
        self._files = {_identity(path) for path in there if path.is_file()}

    def has(self, file: Path) -> bool:
        if self._folders and any(file.resolve().is_relative_to(folder) for folder in self._folders):
            return True
        return bool(self._files) and _identity(file) in self._files


def _identity(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino


def read_entries(archives: Iterable[Archive], *, every_page: bool = False, strict: bool = False) -> Iterator[Step]:
    """All entries in the order of the archives.

    :param every_page: every web page counts as an article, whatever its own evidence says.
    :param strict: who calls will try again what the disk does not give.
    :raises OSError: a file cannot be read any further; only if ``strict``, else it is a failure.
    """
    before = 0
    for archive in archives:
        try:
            for at, entry in _entries(archive):
                if every_page and isinstance(entry, ArchivedArticle):
                    entry = dataclasses.replace(entry, vouched=True)
                yield Step(entry, before + min(at, archive.size))
        except (DataError, OSError) as error:
            if strict and isinstance(error, OSError):
                raise
            yield Step(Failure(archive.name, str(error)), before + archive.size)
        before += archive.size


def _entries(archive: Archive) -> Iterator[tuple[int, Entry]]:
    name = archive.name.lower()
    if name.endswith(WARC_ENDINGS):
        with open_file(archive.path, archive.size) as stored, WarcEntries(stored) as reader:
            yield from reader.entries()
    elif name.endswith(ZIP_ENDINGS):
        for member in wacz_members(archive.path):
            if isinstance(member, Failure):
                yield 0, member
                continue
            with WarcEntries(member) as reader:
                yield from reader.entries()
    elif name.endswith(LINE_ENDINGS):
        yield from page_lines(archive.path, archive.size)
    else:
        yield archive.size, page_file(archive.path, archive.name)


def read_pages(*paths: str | Path) -> Iterator[Page | Failure]:
    """All web pages of archives, each with its ``place``; what cannot be read as a :class:`Failure`.

    :raises DataError: a path is missing or of an unknown kind.
    :raises MissingExtra: there are WARC files, and warcio is not installed.
    """
    for archive in find_archives(map(Path, paths)):
        try:
            yield from _pages(archive)
        except (DataError, OSError) as error:
            yield Failure(archive.name, str(error))


def _pages(archive: Archive) -> Iterator[Page | Failure]:
    name = archive.name.lower()
    if name.endswith(WARC_ENDINGS):
        with open_file(archive.path, archive.size) as stored, WarcEntries(stored) as reader:
            yield from map(_opened, reader.pages())
    elif name.endswith(ZIP_ENDINGS):
        for member in wacz_members(archive.path):
            if isinstance(member, Failure):
                yield member
                continue
            with WarcEntries(member) as reader:
                yield from map(_opened, reader.pages())
    else:
        for _, entry in _entries(archive):
            if isinstance(entry, ArchivedArticle):
                yield from map(_opened, entry.parts)
            elif isinstance(entry, Failure):
                yield entry


def _opened(page: Fetched | Failure) -> Page | Failure:
    if isinstance(page, Failure):
        return page
    try:
        return opened(page)
    except NewsextractError as error:
        return Failure(page.place or "", str(error), url=page.url)
