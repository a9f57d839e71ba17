"""The state beside a feed: what it costs to build, to open, to keep up with a crawl, and to look near-same texts up in it.

    python -m benchmarks.crawl_state [100000 1000000]

For each number of records a feed with random fingerprints, fifteen a second, is made in a temporary folder, 600 bytes a
record (their texts are short). Targets: a start with 1,000,000 records in 1 s; a rebuild in 60 s; a look-up in .3 ms,
whatever the number; keeping up, with what a crawl of 25 pages a second writes between two looks, in .3 ms of CPU time a
page.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from newsextract.feed import LedgerFile
from newsextract.feed.duplicates import DIGITS, sketch
from newsextract.state.store import SECONDS, CrawlState, state_path
from pipelines.ledger import load

LOOKUPS = 500
ROUNDS, A_ROUND = 20, int(25 * SECONDS)
"""Looks at the growing feed, and records that each finds."""
AT = datetime(2026, 11, 20, tzinfo=UTC)
PER_SECOND = 15


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="*", type=int, default=[10_000, 100_000, 1_000_000])
    for count in parser.parse_args().records:
        with tempfile.TemporaryDirectory() as folder:
            _measure(Path(folder) / "news.jsonl", count)


def _measure(feed: Path, count: int) -> None:
    dice = random.Random(count)
    with feed.open("w", encoding="utf-8") as file:
        for number in range(count):
            file.write(json.dumps(_record(number, dice), ensure_ascii=False) + "\n")
    began, cpu = time.monotonic(), time.process_time()
    state = CrawlState(feed)
    state.catch_up()
    built, cost = time.monotonic() - began, time.process_time() - cpu
    state.close()
    began = time.monotonic()
    opened = LedgerFile(feed)
    ledger = load(opened)
    start = time.monotonic() - began
    assert ledger.size == count
    assert isinstance(ledger.state, CrawlState)
    state = ledger.state
    sketches = [sketch(0, dice.randbytes(DIGITS // 2).hex(), AT.isoformat()) for _ in range(LOOKUPS)]
    began, cpu = time.monotonic(), time.process_time()
    for one in sketches:
        state.near(one)
    looked, spent = (time.monotonic() - began) / LOOKUPS, (time.process_time() - cpu) / LOOKUPS
    kept_up = 0.0
    more = ROUNDS * A_ROUND
    for begin in range(count, count + more, A_ROUND):
        with feed.open("a", encoding="utf-8") as file:
            for number in range(begin, begin + A_ROUND):
                file.write(json.dumps(_record(number, dice), ensure_ascii=False) + "\n")
        cpu = time.process_time()
        state.catch_up()
        kept_up += time.process_time() - cpu
    state.close()
    opened.close()
    print(
        f"{count:>9,} records: built in {built:6.1f} s ({1000 * cost / count:.3f} ms of CPU time a record); "
        f"start {start:.2f} s; keeping up {1000 * kept_up / more:.3f} ms of CPU time a record; "
        f"near-same look-up {1000 * looked:.2f} ms ({1000 * spent:.2f} ms of CPU time); "
        f"{state_path(feed).stat().st_size / (count + more):.0f} bytes a record"
    )


def _record(number: int, dice: random.Random) -> dict[str, object]:
    at = (AT + timedelta(seconds=number // PER_SECOND)).isoformat()
    return {
        "id": f"{dice.getrandbits(64):016x}", "url": f"https://www.example.org/{number}", "site": f"site{number % 60}",
        "kind": "news", "text": "A text of the bench.", "fetched_at": at, "algorithm": "combined", "status": "ok",
        "revision": 0, "duplicate_of": None, "fingerprint": dice.randbytes(DIGITS // 2).hex(),
    }  # fmt: skip


if __name__ == "__main__":
    main()
