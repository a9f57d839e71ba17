"""The figures of each run of each site, and the alarms that they gave, in the state beside a feed.

No feed has them: a state that is made anew begins without history.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path

from newsextract.alarms import RunFigures
from newsextract.errors import DataError
from newsextract.state.store import state_path
from newsextract.state.traces import ask

MOST = 100
"""Runs of a site that are kept."""


def read_runs(feed: Path) -> dict[str, list[tuple[RunFigures, list[str]]]]:
    """By site: figures and alarms of each run, the oldest first."""
    found: dict[str, list[tuple[RunFigures, list[str]]]] = {}
    for site, figures, alarms in ask(feed, "SELECT site, figures, alarms FROM state_figures ORDER BY site, at"):
        with suppress(ValueError, TypeError):  # reason: of a later version
            found.setdefault(site, []).append((RunFigures.read(figures), list(json.loads(alarms))))
    return found


def add_runs(feed: Path, runs: Mapping[str, tuple[RunFigures, Sequence[str]]]) -> None:
    """Write down a run.

    :param runs: by site.
    :raises DataError: the state cannot be written.
    """
    path = state_path(feed)
    rows = [(site, figures.at, figures.text(), json.dumps(list(alarms))) for site, (figures, alarms) in runs.items()]
    try:
        with closing(sqlite3.connect(path, timeout=30)) as database, database:
            database.executemany("INSERT OR REPLACE INTO state_figures VALUES (?, ?, ?, ?)", rows)
            old = "SELECT at FROM state_figures WHERE site = ?1 ORDER BY at DESC LIMIT -1 OFFSET ?2"
            database.executemany(
                f"DELETE FROM state_figures WHERE site = ?1 AND at IN ({old})", [(site, MOST) for site in runs]
            )
    except sqlite3.Error as error:
        raise DataError(f"{path}: the figures of this run cannot be written: {error}") from error
