"""What a state beside a feed says of single pages, read without opening the crawl's state: also while a crawl writes it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from newsextract.state.schema import signed
from newsextract.state.store import state_path


@dataclass(frozen=True, slots=True)
class Trace:
    """What is known of a page."""

    how: str | None = None
    """How it was found: ``sitemap``, ``feed``, ``link``, ``next page``, ``start page``, ``redirect from URL`` …"""
    place: str | None = None
    """URL of what led to it."""
    kept: str | None = None
    """If its link was written down for later runs: its role, and the depth."""
    attempts: int = 0
    """Tries that failed for a passing reason."""
    skipped: str | None = None
    """Why the last run did not request it, and where it was named, if that was noted (:mod:`.announced`)."""


def trace(feed: Path, numbers: Iterable[int], url: str | None) -> Trace:
    """What the state of a feed knows of a page.

    :param numbers: the page's id, and others that it may have had.
    """
    known = [signed(number) for number in numbers]
    marks = ", ".join("?" * len(known))
    origin = ask(feed, f"SELECT how, place FROM state_origins WHERE id IN ({marks})", *known)
    links = ask(feed, "SELECT role, depth FROM state_links WHERE url = ?", url)
    attempts = ask(feed, f"SELECT max(attempts) FROM state_rejections WHERE id IN ({marks})", *known)
    left = ask(feed, f"SELECT reason, how, place FROM state_skipped WHERE id IN ({marks})", *known)
    skipped = f"{left[0][0]} ({left[0][1]}{f' at {left[0][2]}' if left[0][2] else ''})" if left else None
    how, place = origin[0] if origin else (None, None)
    kept = f"{links[0][0]}, {links[0][1]} links from the start" if links else None
    return Trace(how, place, kept, (attempts[0][0] or 0) if attempts else 0, skipped)


def ask(feed: Path, question: str, *values: Any) -> list[Any]:
    """Rows of a feed's state; none if it does not exist, or is of an earlier version."""
    path = state_path(feed)
    if not path.is_file():
        return []
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=10)) as database:
            return database.execute(question, values).fetchall()
    except sqlite3.DatabaseError:
        return []  # reason: a table that an earlier version did not have, or a damaged file, which the next crawl mends
