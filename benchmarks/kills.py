"""Crawls of the sample site that are ended at random moments: nothing may be lost, doubled or torn.

    python -m benchmarks.kills [--ends 200] [--seed 1] [--shared]

Each spider first crawls undisturbed. Then it is started again and again on a fresh feed and ended after a random time with
SIGKILL, SIGTERM or SIGINT, :data:`ENDS_A_FEED` times, and finally runs to its end. Its feed must then hold the lines of the
undisturbed crawl, each once, apart from times and from what depends on the order. With ``--shared`` state and records are in
PostgreSQL (a server in a temporary folder). Prints one line for each feed; exit code 1 if any differs. About four seconds
an end.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from sqlalchemy import text

from benchmarks.crawling import ENVIRONMENT, command
from benchmarks.machine import postgres
from benchmarks.server import ROOT
from newsextract.database import read_address
from newsextract.database.connection import open_engine
from tests.postgres_server import PostgresServer

SPIDERS: dict[str, tuple[str, ...]] = {
    "news": (),
    "forum": ("-a", "sites=merrow-forum"),
    "search": ("-a", "query=harbour", "-a", "sites=hafen-suche"),
    "list": ("-a", "sites=coast-wire"),
}
TABLES = {"news": "articles", "forum": "posts", "search": "hits", "list": "teasers"}
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
ENDS_A_FEED = 3
"""How often a crawl of one feed is ended before it may come to its end."""
LONGEST = 120.0
"""Seconds after which a crawl hangs."""
_PASSING = frozenset(
    {"fetched_at", "duplicate_of", "date", "etag", "last_modified", "run", "day", "text_hash", "content_hash"}
)
"""Fields that depend on the time or on the order of the pages."""


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ends", type=int, default=200, help="how many crawls are ended")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shared", action="store_true", help="state and records in PostgreSQL")
    given = parser.parse_args()
    dice, ended, wrong = random.Random(given.seed), Counter[str](), 0
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = stack.enter_context(postgres()) if given.shared else None
        whole = {name: _whole(name, folder / f"whole-{name}", server) for name in SPIDERS}
        number = 0
        while ended.total() < given.ends:
            name = list(SPIDERS)[number % len(SPIDERS)]
            feed, url = folder / str(number) / f"{name}.jsonl", server.schema() if server else None
            for _ in range(ENDS_A_FEED):
                how = dice.choice(SIGNALS)
                if _crawl(name, feed, url, dice.uniform(0.5, 0.7 * whole[name][0]), how):
                    ended[how.name] += 1
            _crawl(name, feed, url)
            fault = _difference(whole[name][1], _lines(name, feed, url))
            wrong += bool(fault)
            print(f"{ended.total():4} ended {dict(ended)}; {name}: {fault or 'the same lines'}", flush=True)
            number += 1
    print(f"{number - wrong} of {number} feeds are whole after {ended.total()} ends")
    sys.exit(1 if wrong else 0)


def _whole(name: str, folder: Path, server: PostgresServer | None) -> tuple[float, dict[str, Any]]:
    """Seconds and lines of an undisturbed crawl."""
    began, feed, url = time.monotonic(), folder / f"{name}.jsonl", server.schema() if server else None
    _crawl(name, feed, url)
    return time.monotonic() - began, _lines(name, feed, url)


def _crawl(name: str, feed: Path, url: str | None, seconds: float = LONGEST, how: signal.Signals | None = None) -> bool:
    """Crawl; whether the signal has met the crawl.

    :raises RuntimeError: it hangs, or fails without a signal.
    """
    words = command(name, *SPIDERS[name], *(["-a", f"state={url}"] if url else ["-o", feed]), STATE_LEASE=2)
    quiet, pipe = subprocess.DEVNULL, subprocess.PIPE
    process = subprocess.Popen(
        words, cwd=ROOT, env=ENVIRONMENT, stdout=quiet, stderr=pipe, text=True, start_new_session=True
    )
    try:
        _, told = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        if how is None:
            os.killpg(process.pid, signal.SIGKILL)
            raise RuntimeError(f"{name}: still runs after {seconds:g} s") from None
        if how is signal.SIGKILL:
            os.killpg(process.pid, how)
        else:
            process.send_signal(how)
        process.communicate(timeout=LONGEST)
        return True
    if how is None and process.returncode:
        raise RuntimeError(f"{name}: exit code {process.returncode}: {told[-2000:]}")
    return False


def _lines(name: str, feed: Path, url: str | None) -> dict[str, Any]:
    """Lines by id, without what passes; ``twice`` names ids of more than one line."""
    rows: Iterable[Mapping[str, Any]]
    if url is None:
        found = feed.read_bytes()
        if not found.endswith(b"\n"):
            raise RuntimeError(f"{feed}: torn")
        rows = map(json.loads, found.splitlines())
    else:
        engine = open_engine(read_address(url))
        with engine.connect() as connection:
            rows = [dict(row._mapping) for row in connection.execute(text(f"SELECT * FROM {TABLES[name]}"))]
        engine.dispose()
    lines: dict[str, Any] = {"twice": []}
    for row in rows:
        if row["id"] in lines and not row.get("revision"):
            lines["twice"].append(row["url"])
        lines[row["id"]] = {key: value for key, value in row.items() if key not in _PASSING}
    return lines


def _difference(whole: dict[str, Any], found: dict[str, Any]) -> str:
    lost, more = whole.keys() - found.keys(), found.keys() - whole.keys()
    other = [key for key in whole.keys() & found.keys() if whole[key] != found[key]]
    return "" if not (lost or more or other) else f"LOST {sorted(lost)}, MORE {sorted(more)}, OTHER {sorted(other)}"


if __name__ == "__main__":
    main()
