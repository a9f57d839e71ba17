"""Running ``scrapy crawl news`` and other crawls as processes of their own, and reading what they measured."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.machine import others
from benchmarks.server import ROOT
from newsextract.alarms import SHORTFALL_EXIT_CODE

CLOCK = "benchmarks.clock.Clock"
SETS = (ROOT.parent / "shared" / "bench" / "articles", ROOT.parent / "shared" / "bench" / "articles-zh")
"""The sets that are used unless others are named."""
ENVIRONMENT = os.environ | {"SCRAPY_SETTINGS_MODULE": "settings.local"}
"""Of crawls as processes of their own; their folder is :data:`~benchmarks.server.ROOT`."""
Figures = dict[str, Any]
"""What :mod:`benchmarks.clock` measured."""


def command(spider: str, *words: str | Path, **settings: object) -> list[str]:
    """``scrapy crawl SPIDER`` with further words and with settings."""
    given = [word for name, value in settings.items() for word in ("-s", f"{name}={value}")]
    return [sys.executable, "-m", "scrapy", "crawl", spider, *map(str, words), *given]


def crawl(
    folder: Path,
    sites: str,
    *,
    settings: Mapping[str, str] | None = None,
    extensions: Sequence[str] = (CLOCK,),
    timeout: float = 1_800,
    profile: Path | None = None,
    arguments: Sequence[str] = (),
) -> Figures:
    """Crawl with our spider; the feed is ``folder/news.jsonl``, started afresh.

    :param sites: the sites file's text.
    :param extensions: besides the project's own.
    :param profile: where cProfile's figures of the main process go.
    :param arguments: of the spider, ``NAME=VALUE``.
    :returns: what :mod:`benchmarks.clock` measured.
    :raises RuntimeError: the crawl failed; with the end of its log.
    """
    sites_file, clock = folder / "sites.toml", folder / "clock.json"
    sites_file.write_text(sites, "utf-8")
    words: list[str | Path] = ["-O", folder / "news.jsonl", *(["--profile", profile] if profile else [])]
    words += [word for argument in arguments for word in ("-a", argument)]
    given = {"SITES_FILE": sites_file, "CLOCK_FILE": clock, "EXTENSIONS": json.dumps(dict.fromkeys(extensions, 0))}
    return run(command("news", *words, **given | dict(settings or {})), clock, folder / "crawl.log", timeout)


def run(words: Sequence[str], clock: Path, log: Path, timeout: float = 1_800) -> Figures:
    """Run a crawl; gives what its clock wrote.

    :raises RuntimeError: it failed, or took too long.
    """
    code, figures = clocked(words, clock, log, timeout)
    if code not in (0, SHORTFALL_EXIT_CODE) or figures is None:  # a site of one page that is a list finds too little
        raise RuntimeError(f"{' '.join(words[:6])} … failed ({code}):\n{log.read_text('utf-8')[-2000:]}")
    return figures


def clocked(words: Sequence[str], clock: Path, log: Path, timeout: float) -> tuple[int, Figures | None]:
    """Run a crawl; gives its exit code, and what its clock wrote, if it came so far."""
    clock.unlink(missing_ok=True)
    with log.open("w", encoding="utf-8") as output:
        done = subprocess.run(
            words, cwd=ROOT, env=ENVIRONMENT, stdout=output, stderr=subprocess.STDOUT, timeout=timeout, check=False
        )
    return done.returncode, json.loads(clock.read_text("utf-8")) if clock.exists() else None


def in_turn(
    names: Sequence[str], repetitions: int, run: Callable[[str], Figures], pages: int, progress: Callable[[str], None]
) -> tuple[dict[str, list[Figures]], float]:
    """Run crawls several times in turn, in alternating order.

    :param run: runs the crawl of a name.
    :param pages: that each crawl has to fetch.
    :returns: by name what each run measured, and the largest share of the machine that others took.
    :raises RuntimeError: a crawl has not fetched all pages.
    """
    found: dict[str, list[Figures]] = {name: [] for name in names}
    busy = 0.0
    for repetition in range(repetitions):
        for name in names if repetition % 2 == 0 else reversed(names):
            busy = max(busy, others())
            figures = run(name)
            if figures["pages"] != pages:
                raise RuntimeError(f"{name}: {figures['pages']} of {pages} pages were fetched")
            found[name].append(figures)
            progress(f"{repetition + 1}/{repetitions} {name}: {figures['pages_per_second']:.1f} pages/s")
    return found, busy


def a_page(found: Mapping[str, Sequence[Figures]], key: str) -> dict[str, float]:
    """Milliseconds a page, medians, of seconds that were measured."""
    return {name: 1e3 * median(run[key] / run["pages"] for run in runs) for name, runs in found.items()}


def lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a feed."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []
