"""What functions and processes take of the machine, and what other processes take of it meanwhile."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from tests.postgres_server import PostgresServer, programs

QUIET = 0.05
"""Share of the machine that others may take without spoiling the figures."""


def timed(work: Callable[[], object]) -> float:
    """CPU seconds of a function. Freeing what it returns is left out."""
    start = time.process_time()
    result = work()
    seconds = time.process_time() - start
    del result
    return seconds


def least(work: Callable[[], object], times: int) -> float:
    """CPU seconds of the fastest of some runs."""
    return min(timed(work) for _ in range(times))


class Process(NamedTuple):
    """A process that runs."""

    parent: int
    command: bytes
    seconds: float
    """CPU time of its own."""
    ended_seconds: float
    """CPU time of its children that have ended."""


def processes() -> dict[int, Process]:
    """The processes that run, by pid; none where the system has no ``/proc``."""
    found = {}
    second = os.sysconf("SC_CLK_TCK")
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # reason: it has just ended
            fields = (folder / "stat").read_text("ascii", "replace").rpartition(")")[2].split()
            own, ended = (sum(map(int, fields[place : place + 2])) / second for place in (11, 13))
            found[int(folder.name)] = Process(int(fields[1]), (folder / "cmdline").read_bytes(), own, ended)
    return found


def others() -> float:
    """Share of the machine's CPU time that other processes take now, while no crawl runs; 0 where it cannot be told."""
    if not Path("/proc/stat").exists():
        return 0.0
    before = _times()
    time.sleep(0.5)
    spent = [b - a for a, b in zip(before, _times(), strict=True)]
    return 1 - (spent[3] + spent[4]) / max(1, sum(spent))


def _times() -> list[int]:
    return [int(field) for field in Path("/proc/stat").read_text("ascii").split("\n", 1)[0].split()[1:9]]


@contextmanager
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server in a temporary folder.

    :raises SystemExit: PostgreSQL is not installed.
    """
    found = programs()
    if found is None:
        raise SystemExit("PostgreSQL is not installed; on Debian: apt-get install postgresql")
    with tempfile.TemporaryDirectory(prefix="pg") as folder, PostgresServer(found, Path(folder)) as server:
        yield server
