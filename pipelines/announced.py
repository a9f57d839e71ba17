"""What the sitemaps and feeds of a run name: on disk, until the turn of each page comes.

A site may name a million pages; as requests in memory they would take some gigabytes, and none would be fetched before all
are made. They are kept in a temporary SQLite database instead, newest first, and :class:`spiders.politeness.Scheduler` asks
for a few at a time. It is forgotten with the process: the next run reads the sitemaps again. At the
end of a crawl the state takes over what was named (:mod:`newsextract.state.announced`).

Cost: about 20 µs of CPU a page to add or to take; about 300 bytes of disk; no memory beyond SQLite's cache.
"""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from newsextract import Hints

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
_MIDDLE = 1 << 63
"""Ids are 64 bits without a sign, SQLite's integers have one."""


@dataclass(frozen=True, slots=True)
class Announced:
    """A page that a sitemap names."""

    number: int
    """Its URL's identity (:func:`pipelines.ledger.identity`)."""
    url: str
    priority: int
    hints: Hints
    origin: str | None = None
    """The sitemap that names it."""
    day: str | None = None
    """When it was published, else changed, as the sitemap says."""


class AnnouncedPages:
    """The pages that sitemaps and feeds name, and which of them wait."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None)  # SQLite's own temporary file
        self._database.executescript(_SCHEMA)
        self._turn = 0
        self.sites: set[str] = set()
        """Those of which pages may wait."""

    def add(self, site: str, pages: Iterable[Announced]) -> None:
        """Let pages wait behind those of the same priority. What a page is said to be twice is completed, not replaced.

        :raises OSError: the disk is full.
        """
        rows = []
        for page in pages:
            self._turn += 1
            hints = page.hints
            key = page.number - _MIDDLE
            about = hints.title, hints.date, hints.language, page.origin, page.day
            rows.append((site, key, self._turn, page.priority, page.url, *about))
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
        """Count a page that is on its way already, or that a feed names: it does not wait.

        :param how: ``sitemap`` or ``feed``.
        """
        row = (site, number - _MIDDLE, how, day)
        self._database.execute("INSERT OR IGNORE INTO page (site, id, how, day) VALUES (?, ?, ?, ?)", row)

    def take(self, site: str, count: int) -> list[Announced]:
        """The next pages of a site; they wait no more."""
        keys = self._database.execute(_NEXT, (site, count)).fetchall()
        if len(keys) < count:
            self.sites.discard(site)
        return [page for (key,) in keys if (page := self._taken(site, key)) is not None]

    def pop(self, site: str, number: int) -> Announced | None:
        """A page out of turn, because something else leads to it; None if it does not wait."""
        return self._taken(site, number - _MIDDLE) if site in self.sites else None

    def drop(self, site: str, reason: str) -> int:
        """Let no page of a site wait any longer.

        :returns: how many did.
        """
        self.sites.discard(site)
        dropped = self._database.execute(
            "UPDATE page SET turn = NULL, reason = ? WHERE site = ? AND turn IS NOT NULL", (reason, site)
        )
        return dropped.rowcount

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Of each page that was named: site, signed id, day, what named it, and why it was not requested, or None."""
        return self._database.execute(
            "SELECT site, id, day, how, CASE WHEN turn IS NULL THEN reason ELSE 'not requested' END FROM page"
        )

    def count(self, site: str) -> int:
        """How many distinct pages of a site have been named."""
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
        return Announced(key + _MIDDLE, url, priority, Hints(title, date, "sitemap", language), origin)
