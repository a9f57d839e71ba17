"""The pages that the sitemaps and feeds of a run announce: queued on disk.

A site may announce a million pages. As requests in memory they would take gigabytes, and the first would be fetched only
after all are made. They wait in a temporary SQLite database instead, newest first, and :class:`spiders.politeness.Scheduler`
takes a few at a time. The database ends with the process; the next run reads the sitemaps again. At the end of a crawl, the
state stores the announced pages (:mod:`newsextract.state.announced`).

Cost: about 20 µs of CPU per page to add or to take; about 300 bytes of disk; no memory beyond SQLite's cache.
"""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from newsextract import Hints
from newsextract.state.schema import signed, unsigned

_SCHEMA = """
CREATE TABLE page (
    site TEXT, id INTEGER, turn INTEGER, priority INTEGER, url TEXT, title TEXT, date TEXT, language TEXT,
    origin TEXT, day TEXT, how TEXT, reason TEXT, PRIMARY KEY (site, id)
) WITHOUT ROWID;
CREATE INDEX waiting ON page (site, priority DESC, turn) WHERE turn IS NOT NULL;
"""
_ADD = """
INSERT INTO page VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'sitemap', NULL) ON CONFLICT (site, id) DO UPDATE SET
    title = coalesce(title, excluded.title), date = coalesce(date, excluded.date),
    language = coalesce(language, excluded.language), priority = max(priority, excluded.priority),
    day = coalesce(day, excluded.day)
"""
_TAKEN = """
UPDATE page SET turn = NULL WHERE site = ? AND id = ? AND turn IS NOT NULL
RETURNING url, priority, title, date, language, origin
"""
_NEXT = "SELECT id FROM page WHERE site = ? AND turn IS NOT NULL ORDER BY priority DESC, turn LIMIT ?"


@dataclass(frozen=True, slots=True)
class Announced:
    """A page that a sitemap announces."""

    number: int
    """Its URL's identity (:func:`pipelines.ledger.identity`)."""
    url: str
    priority: int
    hints: Hints
    origin: str | None = None
    """URL of the sitemap."""
    day: str | None = None
    """Day of publication, else of the last change, according to the sitemap."""


class AnnouncedPages:
    """Pages that sitemaps and feeds announce, and a queue of those that wait."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None)  # a temporary file of SQLite
        self._database.executescript(_SCHEMA)
        self._turn = 0
        self.sites: set[str] = set()
        """Sites that may have waiting pages."""

    def add(self, site: str, pages: Iterable[Announced]) -> None:
        """Queue pages after those of the same priority. If a page is announced twice, the metadata is completed, not
        replaced.

        :raises OSError: the disk is full.
        """
        rows = []
        for page in pages:
            self._turn += 1
            hints = page.hints
            about = hints.title, hints.date, hints.language, page.origin, page.day
            rows.append((site, signed(page.number), self._turn, page.priority, page.url, *about))
        try:
            self._database.execute("BEGIN")
            self._database.executemany(_ADD, rows)
            self._database.execute("COMMIT")
        except sqlite3.OperationalError as error:
            raise OSError(
                errno.ENOSPC, str(error), "the temporary file of what sitemaps name (see SQLITE_TMPDIR)"
            ) from error
        self.sites.add(site)

    def note(self, site: str, number: int, how: str = "sitemap", day: str | None = None) -> None:
        """Count a page that was already requested, or that a feed announces; it is not queued.

        :param how: ``sitemap`` or ``feed``.
        """
        row = (site, signed(number), how, day)
        self._database.execute("INSERT OR IGNORE INTO page (site, id, how, day) VALUES (?, ?, ?, ?)", row)

    def take(self, site: str, count: int) -> list[Announced]:
        """Take the next pages of a site from the queue."""
        keys = self._database.execute(_NEXT, (site, count)).fetchall()
        if len(keys) < count:
            self.sites.discard(site)
        return [page for (key,) in keys if (page := self._taken(site, key)) is not None]

    def pop(self, site: str, number: int) -> Announced | None:
        """Take a page out of turn, because something else links to it; None if it is not queued."""
        return self._taken(site, signed(number)) if site in self.sites else None

    def drop(self, site: str, reason: str) -> int:
        """Remove all pages of a site from the queue.

        :returns: the number of removed pages.
        """
        self.sites.discard(site)
        dropped = self._database.execute(
            "UPDATE page SET turn = NULL, reason = ? WHERE site = ? AND turn IS NOT NULL", (reason, site)
        )
        return dropped.rowcount

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """For each announced page: site, signed id, day, kind of source, and why it was not requested, or None."""
        return self._database.execute(
            "SELECT site, id, day, how, CASE WHEN turn IS NULL THEN reason ELSE 'not requested' END FROM page"
        )

    def count(self, site: str) -> int:
        """Number of distinct announced pages of a site."""
        ((found,),) = self._database.execute("SELECT count(*) FROM page WHERE site = ?", (site,))
        return int(found)

    def close(self) -> None:
        """Remove the database."""
        self._database.close()

    def _taken(self, site: str, key: int) -> Announced | None:
        row = self._database.execute(_TAKEN, (site, key)).fetchone()
        if row is None:
            return None
        url, priority, title, date, language, origin = row
        return Announced(unsigned(key), url, priority, Hints(title, date, "sitemap", language), origin)
