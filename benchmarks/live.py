"""Crawl server software that runs on loopback, and score the feeds against what is known to be on the pages.

    LIVE_DATA=DIRECTORY LIVE_PORT=18700 python -m benchmarks.live [--scorers DIRECTORY] [--only wp23,pelican] [--jobs 2]

The lab (its servers, its truth, and the scorers ``score_news.py``, ``score_forum.py``, ``score_search.py``) is not part of
this project: ``LIVE_DATA/truth/SITE/`` holds ``site.json`` and, by what the site is, ``articles.jsonl``, ``threads.jsonl``,
``queries.jsonl``; ``--scorers`` names the folder of the scorers, which get a feed and the name of a site.

Each site is crawled by itself, with a stock table of three to five lines: the home page alone (``home``), the sitemap alone
(``sitemap``), a forum's index, the address of an engine's result pages. One table by kind: the scorer's line, then the
requests made, requests per true record found, seconds, and the exit code of the crawl.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.crawling import CLOCK, clocked, command, lines
from benchmarks.server import ROOT

SCORERS = ROOT.parent / "shared" / "live"
FOUND_COLUMN = {"news": "found", "forum": "right", "search": "found"}
"""The scorers' column of true records that were found."""
WAYS = ("home", "sitemap", "forum", "search")


@dataclass(frozen=True, slots=True)
class Run:
    """One crawl of one site."""

    site: str
    way: str
    spider: str
    table: str
    arguments: tuple[str, ...] = ()

    def folder(self, work: Path) -> Path:
        """Where feed, log and sites file are."""
        return work / self.way / self.site


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it."""

    run: Run
    header: str
    row: str
    requests: int
    per_found: float | None
    seconds: float
    exit_code: int
    details: str


def runs(truth: Path, only: Sequence[str] = (), ways: Sequence[str] = WAYS) -> list[Run]:
    """What there is to crawl, by what the truth says of each site."""
    found = []
    for folder in sorted(path.parent for path in truth.glob("*/site.json")):
        name = folder.name
        if only and name not in only:
            continue
        site = json.loads((folder / "site.json").read_text("utf-8"))
        articles = lines(folder / "articles.jsonl")
        if any(article.get("kind", "post") == "post" for article in articles):
            found.append(_run(name, "home", "news", start=[site["base"]]))
            if site.get("sitemap"):
                found.append(_run(name, "sitemap", "news", sitemaps=[site["sitemap"]]))
        if (folder / "threads.jsonl").exists():
            found.append(_run(name, "forum", "forum", kind="forum", start=[site["base"]]))
        if (folder / "queries.jsonl").exists() and site.get("search"):
            keys: dict[str, Any] = {"kind": "search", "search": site["search"] + "{query}", "results": 20}
            found.append(_run(name, "search", "search", ("queries=queries.txt",), **keys))
    return [run for run in found if run.way in ways]


def _run(site: str, way: str, spider: str, arguments: tuple[str, ...] = (), **keys: Any) -> Run:
    """A JSON string, number or list of strings is TOML, too."""
    pairs = {"name": site, **keys, "delay": 0}
    table = "\n".join(["[[site]]", *(f"{key} = {json.dumps(value)}" for key, value in pairs.items())])
    return Run(site, way, spider, table + "\n", arguments)


def measure(run: Run, truth: Path, work: Path, scorers: Path, *, is_verbose: bool = False, timeout: float = 900) -> Outcome:
    """Crawl and score one site.

    :raises RuntimeError: the crawl or the scorer failed; with the end of its output.
    """
    folder = run.folder(work)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sites.toml").write_text(run.table, "utf-8")
    if run.spider == "search":
        queries = [line["query"] for line in lines(truth / run.site / "queries.jsonl")]
        (folder / "queries.txt").write_text("\n".join(dict.fromkeys(queries)) + "\n", "utf-8")
    feed, clock, log = folder / f"{run.spider}.jsonl", folder / "clock.json", folder / "crawl.log"
    words: list[str | Path] = ["-O", feed]
    for argument in run.arguments:
        name, _, value = argument.partition("=")
        words += ["-a", f"{name}={folder / value}"]
    settings = {"SITES_FILE": folder / "sites.toml", "CLOCK_FILE": clock, "EXTENSIONS": json.dumps({CLOCK: 0})}
    code, figures = clocked(command(run.spider, *words, **settings), clock, log, timeout)
    if figures is None:
        raise RuntimeError(f"{run.site} ({run.way}): no crawl:\n{log.read_text('utf-8')[-2000:]}")
    header, row, details = _score(run, feed, scorers, truth.parent, is_verbose)
    found = int(row.replace("|", " ").split()[header.replace("|", " ").split().index(FOUND_COLUMN[run.spider])])
    requests = figures["requests"]
    per_found = requests / found if found else None
    return Outcome(run, header, row, requests, per_found, figures["elapsed"], code, details)


def _score(run: Run, feed: Path, scorers: Path, data: Path, is_verbose: bool) -> tuple[str, str, str]:
    """Header, the site's line and further lines of a scorer's output."""
    script = scorers / f"score_{run.spider}.py"
    feed.touch()
    done = subprocess.run(
        [sys.executable, str(script), str(feed), run.site, *(["-v"] if is_verbose else [])],
        env=os.environ | {"LIVE_DATA": str(data), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    output = done.stdout.splitlines()
    if done.returncode or len(output) < 2:
        raise RuntimeError(f"{script.name} {feed}: {done.stderr[-1000:] or 'printed no table'}")
    return output[0], output[1], "\n".join(output[2:])


def table(outcomes: Iterable[Outcome]) -> str:
    """One table for each way."""
    by_way: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        by_way.setdefault(outcome.run.way, []).append(outcome)
    out = []
    for way, rows in by_way.items():
        out += [f"== {way}", f"{rows[0].header} |  requests per found seconds exit"]
        for row in rows:
            per_found = "-" if row.per_found is None else f"{row.per_found:.2f}"
            out.append(f"{row.row} | {row.requests:>9} {per_found:>9} {row.seconds:>7.0f} {row.exit_code:>4}")
            if row.details:
                out.append(row.details)
    return "\n".join(out)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scorers", type=Path, default=SCORERS, help=f"folder of the scorers (default: {SCORERS})")
    parser.add_argument("--only", default="", help="names of sites, separated by commas (default: all)")
    parser.add_argument("--ways", default=",".join(WAYS), help=f"what to crawl from (default: {','.join(WAYS)})")
    parser.add_argument("--jobs", type=int, default=1, help="crawls at the same time (default: 1)")
    parser.add_argument("--keep", type=Path, help="directory for feeds and logs (default: a temporary one)")
    parser.add_argument("-v", "--verbose", action="store_true", help="with what the scorers say of each record")
    arguments = parser.parse_args()
    data = os.environ.get("LIVE_DATA")
    if not data or not (Path(data) / "truth").is_dir():
        parser.error("LIVE_DATA: name the folder of a running lab, one with truth/SITE/site.json")
    truth = Path(data).resolve() / "truth"
    wanted = runs(truth, [name for name in arguments.only.split(",") if name], arguments.ways.split(","))
    if not wanted:
        known = ", ".join(sorted(path.parent.name for path in truth.glob("*/site.json")))
        parser.error(f"nothing to crawl; the lab's sites are {known}")
    with tempfile.TemporaryDirectory() as temporary, ThreadPoolExecutor(arguments.jobs) as pool:
        work = (arguments.keep or Path(temporary)).resolve()

        def one(run: Run) -> Outcome:
            return measure(run, truth, work, arguments.scorers, is_verbose=arguments.verbose)

        print(table(sorted(pool.map(one, wanted), key=lambda outcome: WAYS.index(outcome.run.way))))


if __name__ == "__main__":
    main()
