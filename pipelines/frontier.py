"""Addresses that no later run would find again.

Listings, feeds and sitemaps are read anew by every run; an article that stands in the feed is not, nor a page that leads
elsewhere (a redirect, another canonical address). So what such a page leads to is written down, before its own line is,
one address per line, beside the feed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from newsextract import Hints
from newsextract.errors import DataError
from newsextract.line_file import LedgerFile


class Frontier:
    """An append-only file of (site, address, depth, role, hints); for the roles see :mod:`spiders.news`.

    :param others: those of other workers of a shared crawl, which are read, too.
    """

    def __init__(self, path: Path, others: Sequence[Path] = ()) -> None:
        self.path = path
        self._others = others
        self._file: LedgerFile | None = None

    def add(self, site: str, url: str, depth: int, role: str, hints: Hints | None = None) -> None:
        """Write an address down.

        :raises OSError: the disk is full or the file cannot be written.
        """
        if self._file is None:
            self._file = LedgerFile(self.path)
        self._file.write(
            json.dumps([site, url, depth, role, *_plain(hints or Hints())], ensure_ascii=False).encode("utf-8", "replace")
            + b"\n"
        )

    def read(self) -> list[tuple[str, str, int, str, Hints]]:
        """All addresses that were written down, in the others, too; a torn last line is passed over.

        :raises DataError: a line is none of ours.
        """
        paths = [path for path in dict.fromkeys([self.path, *self._others]) if path.exists()]
        return [
            _row(path, number, line) for path in paths for number, line in enumerate(path.read_bytes().split(b"\n")[:-1], 1)
        ]

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _row(path: Path, number: int, line: bytes) -> tuple[str, str, int, str, Hints]:
    try:
        site, url, depth, role, *hints = json.loads(line)
        if not (isinstance(site, str) and isinstance(url, str) and isinstance(depth, int) and isinstance(role, str)):
            raise TypeError("expected site, address, depth, role, …")
        return site, url, depth, role, Hints(*hints)
    except (ValueError, TypeError) as error:
        raise DataError(
            f"{path}: line {number} is no address that a crawl has written down ({error}); remove the line and start again"
        ) from error


def _plain(hints: Hints) -> list[str | None]:
    return [hints.title, hints.date, hints.source, hints.language]
