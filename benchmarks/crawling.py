"""Running ``scrapy crawl news`` and other crawls as processes of their own, and reading what they measured."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.server import ROOT
from newsextract.alarms import SHORTFALL_EXIT_CODE

CLOCK = "benchmarks.clock.Clock"
SETS = (ROOT.parent / "shared" / "bench" / "articles", ROOT.parent / "shared" / "bench" / "articles-zh")
"""The sets that are used unless others are named."""


def crawl(
    folder: Path,
    sites: str,
    *,
    settings: Mapping[str, str] | None = None,
    extensions: Sequence[str] = (CLOCK,),
    timeout: float = 1_800,
    profile: Path | None = None,
    arguments: Sequence[str] = (),
) -> dict[str, Any]:
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
    enabled = dict.fromkeys(extensions, 0)
    given = {
        "SITES_FILE": str(sites_file),
        "CLOCK_FILE": str(clock),
        "EXTENSIONS": json.dumps(enabled),
        **(settings or {}),
    }
    command = [sys.executable, "-m", "scrapy", "crawl", "news", "-O", str(folder / "news.jsonl")]
    if profile:
        command += ["--profile", str(profile)]
    for name, value in given.items():
        command += ["-s", f"{name}={value}"]
    for argument in arguments:
        command += ["-a", argument]
    return run(command, clock, folder / "crawl.log", timeout)


def run(command: Sequence[str], clock: Path, log: Path, timeout: float = 1_800) -> dict[str, Any]:
    """Run a crawl; gives what its clock wrote.

    :raises RuntimeError: it failed, or took too long.
    """
    clock.unlink(missing_ok=True)
    environment = os.environ | {"SCRAPY_SETTINGS_MODULE": "settings.local"}
    with log.open("w", encoding="utf-8") as output:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT, timeout=timeout, check=False
        )
    if (
        done.returncode not in (0, SHORTFALL_EXIT_CODE) or not clock.exists()
    ):  # a site of one page that is a list finds too little
        raise RuntimeError(f"{' '.join(command[:6])} … failed ({done.returncode}):\n{log.read_text('utf-8')[-2000:]}")
    figures: dict[str, Any] = json.loads(clock.read_text("utf-8"))
    return figures


def lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a feed."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []
