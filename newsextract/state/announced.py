"""What sitemaps and feeds have named, what a crawl left out and why, and what became of it; in the state beside a feed.

Two tables, written at the end of a run, which cannot be rebuilt from the feed. ``state_announced``: a row for each page that
a sitemap or feed has named. ``state_skipped``: what the last run of each site has not requested, with the reason; the first
:data:`MOST` URLs of a site, and for further ones of sitemaps and feeds a number for each day and reason.

Cost: 63 bytes and, in each run, 2.6 µs of CPU per announced page; :func:`coverage` of a million pages takes 1.6 s, beside
reading the feed.
"""

from __future__ import annotations

import errno
import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from newsextract import Hints
from newsextract.discovery.links import archive_group
from newsextract.errors import DataError, naming
from newsextract.feed import OBJECT, check_feed
from newsextract.state.schema import NEWS, signed, unsigned
from newsextract.state.store import state_path, writing
from newsextract.urls import record_id

MOST = 2_000
"""Of each site: URLs that are written down with their reason."""
_LONGEST = 1_000
"""Characters of a URL that are kept."""

# --- waiting pages --------------------------------------------------------------------------------
# The pages that the sitemaps and feeds of a run announce: queued on disk.
#
# A site may announce a million pages, too many for requests in memory. They wait in a temporary SQLite database, newest
# first; the scheduler takes a few at a time. The next run reads the sitemaps again.
#
# Cost: about 20 µs of CPU per page to add or to take, and 300 bytes of disk.

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
    """Its URL's identity (:func:`~newsextract.urls.record_id` as a number)."""
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
        """Remove all pages of a site from the queue; their number."""
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


# --- what a run leaves out ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Skip:
    """A URL that was not requested."""

    number: int
    """Its id."""
    url: str
    how: str
    """What named it: ``sitemap``, ``feed`` or ``link``."""
    reason: str
    day: str | None = None
    place: str | None = None
    """URL of the page, sitemap or feed."""


class Skips:
    """What a run does not request. Of links only the first are kept; a URL that is requested later is taken out again."""

    def __init__(self) -> None:
        self._kept: dict[str, dict[int, Skip]] = defaultdict(dict)
        self._more: dict[str, Counter[tuple[str, str | None, str]]] = defaultdict(Counter)

    def add(self, site: str, skip: Skip) -> None:
        """Take note of a URL."""
        kept = self._kept[site]
        if len(kept) < MOST:
            kept.setdefault(skip.number, skip)
        elif skip.how != "link" and skip.number not in kept:
            self._more[site][skip.how, skip.day, skip.reason] += 1

    def is_half_full(self, site: str) -> bool:
        """Whether only reasons of single URLs are kept, and no more links of pages that do not lead on."""
        return len(self._kept[site]) >= MOST // 2

    def drop(self, site: str, number: int) -> None:
        """A URL is requested after all."""
        self._kept[site].pop(number, None)

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Rows of ``state_skipped``."""
        for site, kept in self._kept.items():
            for skip in kept.values():
                place = skip.place and skip.place[:_LONGEST]
                yield site, signed(skip.number), skip.url[:_LONGEST], skip.how, skip.day, skip.reason, place, 1
        for site, more in self._more.items():
            for (how, day, reason), count in more.items():
                yield site, None, None, how, day, reason, None, count


def write_announced(
    feed: Path, pages: Iterable[tuple[Any, ...]], skipped: Iterable[tuple[Any, ...]], sites: Iterable[str]
) -> None:
    """Write down what the sitemaps and feeds of a run have named, and what it has left out.

    :param pages: site, signed id, day, ``sitemap`` or ``feed``, and why it was not requested (None: it was, or it is done).
    :param skipped: of :meth:`Skips.rows`.
    :param sites: those of the run; what earlier runs have left out of them is replaced.
    :raises DataError: the state cannot be written.
    """
    with writing(feed, "what the run has announced") as database:
        database.executemany(
            "INSERT INTO state_announced (site, id, day, how, reason) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE "
            "SET day = coalesce(day, excluded.day), reason = excluded.reason "
            "WHERE reason IS NOT excluded.reason OR (day IS NULL AND excluded.day IS NOT NULL)",
            pages,
        )
        database.executemany("DELETE FROM state_skipped WHERE site = ?", [(site,) for site in sites])
        database.executemany(
            "INSERT INTO state_skipped (site, id, url, how, day, reason, place, count) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            skipped,
        )


# --- coverage -------------------------------------------------------------------------------------

UNREQUESTED, UNANSWERED, AGAIN = "not requested", "no answer", "tried again later"
BARREN_ARCHIVES = "archives like it gave nothing new"
EXCLUDED = frozenset({"denied", "not allowed", "out_of_window", "limit", "other site", BARREN_ARCHIVES})
"""Reasons that make no gap: the user's own keys, and archives that are left out."""
NO_ARTICLE = frozenset({"listing", "part", "redirected", "not_canonical", "not_html", "out_of_window"})
"""Rejections of pages that a sitemap may name and that are no missing article."""


@dataclass(slots=True)
class DayCoverage:
    """What was named for one day of a site in one place, and what became of it."""

    site: str
    day: str
    """Of the article as sitemap, feed or record state it; empty: none does."""
    found: str
    """``sitemap``, ``feed``, ``page`` (start pages, listings, articles), ``pagination`` or ``archive``."""
    announced: int = 0
    got: int = 0
    other: Counter[str] = field(default_factory=Counter)
    """What is no gap, by reason: pages that are no articles, and those that the keys of the site exclude."""
    gaps: Counter[str] = field(default_factory=Counter)
    """What is missing, by reason: a status of the rejected feed, or why the page was not requested."""

    def add(self, what: str, count: int) -> None:
        """Count pages by what became of them: ``got``, or a reason."""
        self.announced += count
        if what == "got":
            self.got += count
        elif what in EXCLUDED or what in NO_ARTICLE or (what == "not_article" and self.found not in ("sitemap", "feed")):
            self.other[what] += count
        else:
            self.gaps[what] += count

    def plain(self) -> dict[str, Any]:
        """As JSON values."""
        plain = {name: getattr(self, name) for name in ("site", "day", "found", "announced", "got")}
        return plain | {"missing": sum(self.gaps.values()), "gaps": dict(self.gaps), "other": dict(self.other)}


def summed(days: Iterable[DayCoverage]) -> DayCoverage:
    """The sum of some days."""
    total = DayCoverage("", "", "")
    for day in days:
        total.announced += day.announced
        total.got += day.got
        total.gaps += day.gaps
        total.other += day.other
    return total


def counted(reasons: Counter[str]) -> str:
    """Reasons with their numbers, the most frequent first."""
    return ", ".join(f"{reason} {count:,}" for reason, count in sorted(reasons.items(), key=lambda one: (-one[1], one[0])))


@dataclass(slots=True)
class Coverage:
    """What sitemaps, feeds and pages have named in all runs that the state knows of."""

    days: list[DayCoverage] = field(default_factory=list)
    """By site, the newest day first, those without a day last."""
    links: Mapping[str, Counter[str]] = field(default_factory=dict)
    """By site: links that the last run has not followed, by reason; a sample of :data:`MOST`."""


_BECAME = """CASE WHEN r.id IS NOT NULL OR d.id IS NOT NULL THEN 'got' WHEN j.status IS NOT NULL THEN j.status
    WHEN j.attempts > 0 THEN ?1 WHEN o.id IS NOT NULL THEN ?2 ELSE {} END"""
_JOINS = "LEFT JOIN s.state_records r USING (id) LEFT JOIN s.state_rejections j USING (id) LEFT JOIN days d USING (id)"
_NAMED = f"""
SELECT a.site, coalesce(d.day, a.day, ''), a.how, {_BECAME.format("coalesce(k.reason, a.reason, ?3)")}, count(*)
FROM s.state_announced a {_JOINS} LEFT JOIN s.state_origins o USING (id)
LEFT JOIN (SELECT id, min(reason) AS reason FROM s.state_skipped WHERE id IS NOT NULL GROUP BY id) k USING (id)
GROUP BY 1, 2, 3, 4
"""
_LINKED = f"""
SELECT coalesce(r.site, j.site), coalesce(d.day, ''),
    CASE WHEN o.how IN ('sitemap', 'feed') THEN o.how ELSE led(o.place) END, {_BECAME.format("?3")}, count(*)
FROM s.state_origins o {_JOINS}
WHERE o.how NOT IN ('next page', 'start page', 'sites.toml') AND o.id NOT IN (SELECT id FROM s.state_announced)
AND coalesce(r.site, j.site) IS NOT NULL GROUP BY 1, 2, 3, 4
"""
_SKIPPED = """
SELECT site, coalesce(day, ''), how, reason, sum(count) FROM s.state_skipped
WHERE how != 'link' AND (id IS NULL OR id NOT IN (SELECT id FROM s.state_announced)) GROUP BY 1, 2, 3, 4
"""


def coverage(feed: Path) -> Coverage:
    """What was named, and what became of it.

    :raises DataError: the feed or its state is missing or cannot be read, or the feed has no articles.
    """
    path = state_path(feed)
    check_feed(feed)
    if not path.is_file():
        raise DataError(
            f"{path}: no such file; coverage is read from the state, which the next crawl writes beside its feed"
        )
    found: dict[tuple[str, str, str], DayCoverage] = {}
    links: dict[str, Counter[str]] = {}
    try:
        with closing(sqlite3.connect("", uri=True)) as database:
            database.execute("ATTACH ? AS s", (f"{path.resolve().as_uri()}?mode=ro",))
            kind = database.execute("SELECT value FROM s.state_facts WHERE name = 'kind'").fetchone()
            if kind is not None and kind[0] != NEWS:
                raise DataError(f"{feed}: has records of the kind {kind[0]!r}; coverage is of articles alone")
            database.execute("CREATE TEMP TABLE days (id INTEGER PRIMARY KEY, day TEXT)")
            database.executemany("INSERT OR REPLACE INTO days VALUES (?, ?)", _days(feed))
            database.create_function("led", 1, _Leads(database), deterministic=True)
            for question in (_NAMED, _LINKED, _SKIPPED):
                values = (AGAIN, UNANSWERED, UNREQUESTED) if "?" in question else ()
                for site, day, how, what, count in database.execute(question, values):
                    found.setdefault((site, day, how), DayCoverage(site, day, how)).add(what, count)
            asked = "SELECT site, reason, count(*) FROM s.state_skipped WHERE how = 'link' GROUP BY 1, 2"
            for site, reason, count in database.execute(asked):
                links.setdefault(site, Counter())[reason] = count
    except sqlite3.DatabaseError as error:
        if "no such table" not in str(error):
            raise DataError(f"{path}: {error}; `newsextract state rebuild` mends it") from error
        # reason: of an earlier version, whose crawls did not note what was announced
    order = sorted(found.values(), key=lambda one: one.found)
    order.sort(key=lambda one: one.day, reverse=True)
    order.sort(key=lambda one: one.site)
    return Coverage(order, links)


def _days(feed: Path) -> Iterator[tuple[int, str | None]]:
    """Id and day of each record; for an object of a wrapper those of its page."""
    with naming(f"{feed}: cannot be read"), feed.open("rb") as file:
        for line in file:
            with suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):  # reason: a line of others
                value = json.loads(line)
                identity = record_id(value["url"]) if value["kind"] == OBJECT else value["id"]
                yield signed(int(identity, 16)), (value.get("date") or "")[:10] or None


class _Leads:
    """From the URL of a page to what it is that leads on: a page, the next page of a list, an archive."""

    def __init__(self, database: sqlite3.Connection) -> None:
        next_pages = database.execute("SELECT id FROM s.state_origins WHERE how = 'next page'")
        self._next_pages = {number for (number,) in next_pages}

    def __call__(self, place: str | None) -> str:
        if place and archive_group(place):
            return "archive"
        return "pagination" if place and signed(int(record_id(place), 16)) in self._next_pages else "page"
