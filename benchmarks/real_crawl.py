"""Crawl all pages of the sets as virtual sites: every page becomes a record or a rejection, and records are as good as
those of the same pages without a crawl.

    python -m benchmarks.real_crawl [FOLDER ...] [--ways sitemaps] [--keep DIRECTORY]

Pages are matched by the id of their address. ``lost`` lists the pages that are neither; there must be none. Pages of
fold 0 are counted but not listed.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.crawling import SETS, crawl, lines
from benchmarks.server import running
from benchmarks.virtual_sites import VirtualPage, by_host, place, sites_toml
from newsextract.discovery import record_id
from newsextract.feed.record_lines import KEPT
from newsextract.lab import report
from newsextract.lab.datasets import TEST_FOLD, Prediction


def measure(
    folders: Sequence[Path], work: Path, ways: Sequence[str] = ("sitemaps",), largest: int | None = None
) -> dict[str, Any]:
    """Crawl and compare.

    :param work: directory for feed and log.
    """
    pages = place(folders, largest)
    arguments: list[str | Path] = [*folders, *([f"largest={largest}"] if largest else [])]
    with running("benchmarks.virtual_sites:answers", *arguments) as proxy:
        clock = crawl(work, sites_toml(pages, proxy, ways))
    records = {line["id"]: line for line in lines(work / "news.jsonl")}
    records = {identity: line for identity, line in records.items() if line["status"] in KEPT}
    rejections = {line["id"]: line for line in lines(work / "news.rejected.jsonl")}
    return {"clock": clock, "hosts": len(by_host(pages)), "pages": len(pages), **compare(pages, records, rejections)}


def compare(
    pages: Sequence[VirtualPage], records: dict[str, dict[str, Any]], rejections: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """What became of the pages."""
    predictions: dict[str, Prediction] = {}
    reasons: Counter[str] = Counter()
    lost: list[str] = []
    for page in pages:
        identity = record_id(page.url)
        if (record := records.get(identity)) is not None:
            predictions[page.truth.id] = Prediction(
                id=page.truth.id, text=record["text"], title=record["title"], date=record["date"], status=record["status"]
            )
        elif (rejection := rejections.get(identity)) is not None:
            reasons[rejection["status"]] += 1
        else:
            lost.append(page.url if page.truth.fold != TEST_FOLD else "(a page of fold 0)")
    wanted = {record_id(page.url) for page in pages}
    result = report.score("crawl", [page.truth for page in pages], predictions)
    table = report.rows(result, "all")
    return {
        "records": len(predictions),
        "rejections": dict(reasons.most_common()),
        "lost": lost,
        "other_rejections": dict(Counter(r["status"] for i, r in rejections.items() if i not in wanted).most_common()),
        "other_records": sum(identity not in wanted for identity in records),
        "table": report.format_result(result, table),
        "scores": report.as_json(result, table)["rows"],
    }


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=list(SETS))
    parser.add_argument("--ways", default="sitemaps", help="how pages are found: sitemaps, feeds, start (default: sitemaps)")
    parser.add_argument("--largest", type=int, help="only this many hosts, those with the most pages")
    parser.add_argument("--keep", type=Path, help="directory for feed and log (default: a temporary one)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work = arguments.keep or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        found = measure(arguments.folders, work, arguments.ways.split(","), arguments.largest)
    clock = found["clock"]
    print(found["table"])
    print(f"{found['pages']} pages on {found['hosts']} hosts: {found['records']} records, rejections: {found['rejections']}")
    print(f"beside them: {found['other_records']} records, rejections: {found['other_rejections']}")
    cost = 1e3 * clock["main_cpu_seconds"] / clock["pages"]
    print(f"{clock['pages_per_second']:.1f} pages/s; main process {cost:.1f} ms CPU a page")
    print(f"lost (neither record nor rejection): {len(found['lost'])}", *found["lost"], sep="\n  ")


if __name__ == "__main__":
    main()
