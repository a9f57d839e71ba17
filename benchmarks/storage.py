"""Pages a second of a crawl that writes to a database, too, against the feed alone; real pages over loopback.

    python -m benchmarks.storage [--hosts 30] [--repetitions 5]

The pages and the server are those of :mod:`benchmarks.crawl_speed`. Crawls with the feed alone, with SQLite and with a
PostgreSQL server of its own (its settings as installed, on the same machine, over a socket) run in turn, one at a time, in
alternating order. Time runs from the first page's response until the last line stands in the database, so that nothing is
left to be written afterwards. The median of the ratios within each repetition counts.

CPU time of all processes (crawl, workers, PostgreSQL's) is given, too: it tells what a busy machine hides.

    python -m benchmarks.storage --import 20000

imports a feed of so many articles of 4.4 kB into each database instead, three times. Milliseconds a row of the fastest
one are printed: by the clock, of CPU time of all processes, and the same without reading and checking the lines, which the
target means.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from benchmarks.clock import Clock
from benchmarks.crawling import SETS, Figures, a_page, crawl, in_turn
from benchmarks.machine import postgres, processes
from benchmarks.server import running
from benchmarks.virtual_sites import place, sites_toml
from newsextract.database.bringing_in import Importer
from newsextract.database.connection import open_engine, prepare
from newsextract.database.schema import read_row
from newsextract.feed import line as line_of
from newsextract.feed.record_lines import NewsRecord
from pipelines.storage import DatabaseStorage
from tests.postgres_server import PostgresServer, programs

if TYPE_CHECKING:
    from sqlalchemy import Engine

TARGETS = {"sqlite": 0.85, "postgresql": 0.75}
"""Least ratio of the pages/s to those with the feed alone."""
_CLOCK = "benchmarks.storage.StorageClock"
MOST_MILLISECONDS = 0.08
"""Of CPU time, of PostgreSQL and the importing process, for a row whose line has been read and checked."""
_IMPORTS = 3
AT = "2026-03-04T05:06:07+00:00"


class StorageClock(Clock):
    """The clock stops when the database is complete."""

    async def closed(self) -> None:  # type: ignore[override]  # Scrapy awaits it
        """Wait for the thread that writes."""
        storage = self.crawler.get_extension(DatabaseStorage)
        if storage is not None:
            while storage.writer.is_running:
                await asyncio.sleep(0.005)
            self.last = perf_counter()
        super().closed()


def measure(
    folders: Sequence[Path],
    work: Path,
    hosts: int = 30,
    repetitions: int = 5,
    progress: Callable[[str], None] = lambda line: None,
) -> dict[str, Any]:
    """Run all crawls ``repetitions`` times in turn; without PostgreSQL, those that need none."""
    pages = place(folders, hosts)
    names = ["feed", "sqlite", *(["postgresql"] if programs() else [])]
    with (
        running("benchmarks.virtual_sites:answers", *folders, f"largest={hosts}") as proxy,
        postgres() if programs() else contextlib.nullcontext() as server,
    ):
        sites = sites_toml(pages, proxy, ["sitemaps"])

        def run(name: str) -> Figures:
            before = cpu_of(server)
            figures = _crawl(work / name, name, sites, server)
            used = cpu_of(server) - before + figures["main_cpu_seconds"] + figures["worker_cpu_seconds"]
            return figures | {"cpu_seconds": used}

        found, busy = in_turn(names, repetitions, run, len(pages), progress)
    rates = {name: [run["pages_per_second"] for run in runs] for name, runs in found.items()}
    return {
        "pages": len(pages),
        "pages_per_second": {name: median(values) for name, values in rates.items()},
        "milliseconds_a_page": a_page(found, "cpu_seconds"),
        "others_share": busy,
        "ratios": {
            name: median(a / b for a, b in zip(rates[name], rates["feed"], strict=True)) for name in names if name != "feed"
        },
        "all": rates,
    }


def cpu_of(server: PostgresServer | None) -> float:
    """Seconds of CPU time that the server's processes have used so far, ended ones included."""
    if server is None:
        return 0.0
    found, leader = processes(), server.pid
    ended = found[leader].ended_seconds if leader in found else 0.0
    return ended + sum(one.seconds for pid, one in found.items() if leader in (pid, one.parent))


def _crawl(work: Path, name: str, sites: str, server: PostgresServer | None) -> dict[str, Any]:
    """One crawl into a new feed and a new database."""
    work.mkdir(parents=True, exist_ok=True)
    settings = {}
    if name == "sqlite":
        for path in work.glob("news.db*"):
            path.unlink()
        settings["DATABASE_URL"] = f"sqlite:///{work}/news.db"
    elif name == "postgresql":
        assert server is not None  # else it is not among the names
        settings["DATABASE_URL"] = server.database()
    figures = crawl(work, sites, settings=settings, extensions=(_CLOCK,))
    os.sync()  # what one crawl has left to be written is not the next one's affair
    return figures


def import_speed(lines: int) -> dict[str, dict[str, float]]:
    """Milliseconds a row of an import, by database: the fastest of some."""
    fastest: dict[str, dict[str, float]] = {}
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = stack.enter_context(postgres()) if programs() else None
        feed = folder / "news.jsonl"
        feed.write_bytes(b"".join(_lines(lines)))
        began = process_time()
        with feed.open("rb") as file:
            for line in file:
                read_row(line)
        reading = 1e3 * (process_time() - began) / lines
        for _ in range(_IMPORTS):
            for name in ("sqlite", *(["postgresql"] if server else [])):
                url = server.database() if server and name == "postgresql" else f"sqlite:///{folder}/{perf_counter()}.db"
                engine = open_engine(prepare(url)[0])
                os.sync()
                began, used = perf_counter(), process_time() + cpu_of(server)
                _import(engine, feed)
                seconds, used = perf_counter() - began, process_time() + cpu_of(server) - used
                figures = {"clock": 1e3 * seconds / lines, "cpu": 1e3 * used / lines, "reading": reading}
                fastest[name] = min(fastest.get(name, figures), figures, key=lambda one: one["cpu"])
                engine.dispose()
    return fastest


def _import(engine: Engine, feed: Path) -> None:
    importer = Importer(engine, [feed])
    while importer.step():
        pass
    if importer.written.refused or importer.pending:
        raise RuntimeError(f"{feed}: not all of it is in the database")


def _lines(count: int) -> Iterator[bytes]:
    """Lines of articles: each number has a text of its own, of words as frequent as in a language."""
    dice = Random(1)
    words = ["".join(dice.choices("etaoinshrdlucmä", k=dice.randint(2, 11))) for _ in range(20_000)]
    weights = list(accumulate(1 / rank for rank in range(1, len(words) + 1)))
    for number in range(count):
        said = " ".join(dice.choices(words, cum_weights=weights, k=450))
        record = NewsRecord(
            id=f"{dice.getrandbits(64):016x}", url=f"https://www.courier.example/{number}/{said[:60].replace(' ', '-')}",
            canonical_url=None, site="courier", kind="news", title=said[:70], title_source="h1",
            date="2026-03-04T08:00+01:00", date_precision="minute", date_source="meta", text=said,
            authors=["Mara Quill"], language="en", section=None, image=None, pages=1,
            fetched_at=AT, algorithm="combined", confidence=0.75, status="ok", reason=None, revision=0,
            duplicate_of=None, fingerprint=dice.randbytes(192).hex(), etag=None, last_modified=None,
        )  # fmt: skip
        yield line_of(record)


def _print_imports(lines: int) -> None:
    found = import_speed(lines)
    print(f"import of {lines:,} articles, ms a row, fastest of {_IMPORTS}:")
    for name, figures in found.items():
        print(
            f"  {name:12s}{figures['clock']:.3f} by the clock; CPU of all processes {figures['cpu']:.3f}, "
            f"without reading and checking the lines {figures['cpu'] - figures['reading']:.3f}"
        )
    if "postgresql" not in found:
        print("  postgresql: SKIPPED: it is not installed")
        return
    most = found["postgresql"]["cpu"] - found["postgresql"]["reading"]
    print(
        f"  postgresql, ms a row {most:.3f}   target {MOST_MILLISECONDS}: {'met' if most <= MOST_MILLISECONDS else 'MISSED'}"
    )
    raise SystemExit(most > MOST_MILLISECONDS)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="*", type=Path, default=list(SETS))
    parser.add_argument("--hosts", type=int, default=30)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--import", dest="lines", type=int, metavar="LINES", help="import a feed of so many lines instead")
    arguments = parser.parse_args()
    if arguments.lines:
        _print_imports(arguments.lines)
        return
    with tempfile.TemporaryDirectory() as work:
        found = measure(arguments.folders, Path(work), arguments.hosts, arguments.repetitions, print)
    print(f"\n{found['pages']} pages, medians of {arguments.repetitions}:")
    for name, rate in found["pages_per_second"].items():
        used = found["milliseconds_a_page"][name]
        print(f"  {name:12s}{rate:8.1f} pages/s; CPU of all processes {used:.2f} ms a page")
    print(f"  other processes took up to {found['others_share']:.0%} of the machine")
    if "postgresql" not in found["ratios"]:
        print("  postgresql: SKIPPED: it is not installed")
    for name, ratio in found["ratios"].items():
        met = "met" if ratio >= TARGETS[name] else "MISSED"
        used = found["milliseconds_a_page"]["feed"] / found["milliseconds_a_page"][name]
        print(
            f"  feed and {name:12s}/ feed alone {ratio:6.2f} pages/s   target {TARGETS[name]}: {met}; by CPU time {used:.2f}"
        )
    raise SystemExit(any(ratio < TARGETS[name] for name, ratio in found["ratios"].items()))


if __name__ == "__main__":
    main()
