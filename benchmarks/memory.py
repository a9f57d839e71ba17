"""Resident memory of the crawl's main process as the number of records grows.

    python -m benchmarks.memory [--pages 10000] [--way links|sitemap]

The server makes small articles on the fly. With ``links`` each article leads to one further article, so that always the
same number of addresses waits and what grows is what a record leaves behind; with ``sitemap`` all addresses wait from the
start, which shows what a waiting address costs (peak memory, not part of the target). Samples are taken every 100
records; the slope is that of a least-squares line from ``BASE`` records on, behind which buffers and caches have
reached their size.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.clock import Watch
from benchmarks.crawling import CLOCK, crawl
from benchmarks.server import Answer, Answers, answer, running
from benchmarks.virtual_sites import sitemaps
from newsextract.feed.record_lines import NewsRecord

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

TARGET = 500.0
"""Bytes per record."""
BASE = 2_000
EVERY = 100
DEPTH = 100
"""Articles in one chain of links; a site's ``depth`` is at most this."""
ROOT = "http://memory.example/"


class MemoryWatch(Watch):
    """Scrapy extension; writes [records, resident bytes] to ``MEMORY_FILE``."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.path = Path(crawler.settings["MEMORY_FILE"])
        self.records = 0
        self.samples: list[tuple[int, int]] = []

    def scraped(self, item: Any) -> None:
        """Sample."""
        self.records += isinstance(item, NewsRecord)
        if self.records % EVERY == 0 and isinstance(item, NewsRecord):
            gc.collect()
            self.samples.append((self.records, resident()))

    def closed(self) -> None:
        """Write the samples."""
        self.path.write_text(json.dumps(self.samples), "utf-8")


def resident() -> int:
    """Resident bytes of this process."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def answers(count: str, way: str) -> Answers:
    """For the server: the articles ``1`` … ``count``, made when they are asked for, and what leads to them."""
    number = int(count)
    chains = max(1, number // (DEPTH - 1) + 1)
    words = [f"{a}{b}" for a in _SYLLABLES for b in _SYLLABLES]
    leading = {url.encode(): answer(text.encode(), kind=kind) for url, text, kind in _leading(number, chains, way)}

    def respond(key: bytes) -> Answer | None:
        url = b"http://" + key
        if url in leading:
            return leading[url]
        name = url.removeprefix(ROOT.encode() + b"news/story-").removesuffix(b".html")
        if not name.isdigit() or not 1 <= int(name) <= number:
            return None
        following = int(name) + chains
        link = _LINK.format(following) if way == "links" and following <= number else ""
        return answer(_article(int(name), words, link), headers={"X-Page": name.decode()})

    return respond


_LINK = '<aside><h2>More news</h2><ul><li><a href="/news/story-{0}.html">Ferry story of the week {0}</a></li></ul></aside>'
_SYLLABLES = ("ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "qui", "ro", "su", "ta")


def _leading(number: int, chains: int, way: str) -> list[tuple[str, str, str]]:
    if way == "sitemap":
        return list(sitemaps(ROOT, [f"{ROOT}news/story-{n}.html" for n in range(1, number + 1)]))
    links = "".join(f'<li><a href="/news/story-{n}.html">Story {n} of the day</a></li>' for n in range(1, chains + 1))
    return [(ROOT, f"<html><title>Front page</title><h1>Front page</h1><ul>{links}</ul></html>", "text/html")]


def _article(number: int, words: list[str], more: str) -> bytes:
    """About 2 kB, no two of which are near-duplicates."""
    draw = random.Random(number)
    paragraphs = "".join(f"<p>{' '.join(draw.choices(words, k=50)).capitalize()}.</p>" for _ in range(5))
    title = f"Story {number}: {' '.join(draw.choices(words, k=5))}"
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta property="article:published_time" content="2026-01-{1 + number % 28:02d}T08:00:00Z"></head>'
        f"<body><article><h1>{title}</h1>{paragraphs}</article>{more}</body></html>"
    ).encode()


def measure(
    work: Path, pages: int = 10_000, way: str = "links", progress: Callable[[str], None] = lambda line: None
) -> dict[str, Any]:
    """Crawl and fit the line."""
    progress(f"crawling {pages} small pages")
    found = f'start = ["{ROOT}"]\nfrom_articles = true' if way == "links" else f'sitemaps = ["{ROOT}sitemap.xml"]'
    with running("benchmarks.memory:answers", str(pages), way) as proxy:
        sites = f"""[[site]]
name = "memory"
{found}
depth = {DEPTH}
delay = 0
concurrency = 8
min_length = 0
allow = ['/news/story-']
proxy = "{proxy}"
"""
        watch = (CLOCK, "benchmarks.memory.MemoryWatch")
        clock = crawl(work, sites, settings={"MEMORY_FILE": str(work / "memory.json")}, extensions=watch)
    samples = np.array(json.loads((work / "memory.json").read_text("utf-8")), dtype=float)
    behind = samples[samples[:, 0] >= min(BASE, pages / 2)]
    slope, base = np.polyfit(behind[:, 0], behind[:, 1], 1)
    return {
        "records": int(samples[-1, 0]),
        "bytes_per_record": float(slope),
        "base_megabytes": float(base) / 1e6,
        "peak_megabytes": clock["resident_megabytes"],
        "megabytes": {int(n): round(float(size) / 1e6, 1) for n, size in behind if n % max(1_000, pages // 10) == 0},
        "clock": clock,
    }


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--way", choices=("links", "sitemap"), default="links")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        found = measure(Path(work), arguments.pages, arguments.way, print)
    for records, size in found["megabytes"].items():
        print(f"{records:8d} records {size:8.1f} MB")
    slope = found["bytes_per_record"]
    base, peak = found["base_megabytes"], found["peak_megabytes"]
    print(f"{found['records']} records: {base:.1f} MB and {slope:.0f} bytes a record; peak {peak:.0f} MB")
    print(f"target {TARGET:.0f} bytes a record: {'met' if slope <= TARGET else 'MISSED'}")
    print(f"{found['clock']['pages_per_second']:.0f} pages/s")


if __name__ == "__main__":
    main()
