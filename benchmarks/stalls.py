"""The longest stall of the reactor while a crawl meets hostile pages.

    python -m benchmarks.stalls

A site with pages of 50 MB, 9.9 MB, 100,000 nested elements, a million siblings, 200,000 links and a gzip bomb, among
ordinary ones. In the crawl's process a callback is due every 5 ms; a gap is the time by which one is late. A
thread notes what the reactor's thread is doing while a callback is late (as far as it gets to run: code that keeps the
interpreter's lock is seen where it gives it back).
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from scrapy import signals

from benchmarks.clock import Watch
from benchmarks.crawling import CLOCK, crawl, lines
from benchmarks.server import Answer, answer, running
from benchmarks.virtual_sites import sitemaps

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

TARGET = 0.2
"""Longest gap allowed, in seconds."""
BEAT = 0.005
LATE = 0.03
"""Gaps from this length on are kept."""
ROOT = "http://hostile.example/"
ORDINARY = 300
_WORDS = "the harbour council said on monday that the new ferry would sail before winter and that fares stay as they are"


class StallWatch(Watch):
    """Scrapy extension; writes the gaps to ``STALLS_FILE``."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.path = Path(crawler.settings["STALLS_FILE"])
        self.beat = 0.0
        self.event = "start"
        self.doing = ""
        self.gaps: list[dict[str, Any]] = []
        self.task: asyncio.Task[None] | None = None
        self.ended = threading.Event()
        self.main = threading.main_thread().ident
        crawler.signals.connect(self.opened, signal=signals.spider_opened)

    def opened(self) -> None:
        """Begin, once the crawl's own start is over."""
        self.task = asyncio.get_running_loop().create_task(self._measure())
        threading.Thread(target=self._observe, name="observer", daemon=True).start()

    async def _measure(self) -> None:
        while True:
            self.beat = perf_counter()
            await asyncio.sleep(BEAT)
            gap = perf_counter() - self.beat - BEAT
            if gap >= LATE:
                self.gaps.append({"seconds": gap, "after": self.event, "doing": self.doing})
            self.doing = ""

    def _observe(self) -> None:
        while not self.ended.wait(LATE / 2):
            if self.beat and perf_counter() - self.beat > LATE and not self.doing:
                frame = sys._current_frames().get(self.main or 0)
                stack = traceback.extract_stack(frame)[-4:] if frame else []
                self.doing = " < ".join(f"{entry.name} ({Path(entry.filename).name})" for entry in reversed(stack))

    def received(self, response: Response) -> None:
        """Remember what came last."""
        self.event = f"response {response.url} ({len(response.body):,} bytes)"

    def scraped(self, item: Any) -> None:
        """Remember what was written last."""
        self.event = f"item {item.url} ({type(item).__name__})"

    def closed(self) -> None:
        """Write the gaps, the longest first."""
        if self.task is not None:
            self.task.cancel()
        self.ended.set()
        self.gaps.sort(key=lambda gap: -gap["seconds"])
        self.path.write_text(json.dumps(self.gaps), "utf-8")


HOSTILE = tuple(
    f"{name}.html" for name in "fifty-megabytes ten-megabytes one-line nested siblings angle-brackets links bomb".split()
)


def pages() -> dict[str, tuple[bytes, dict[str, str]]]:
    """Name → body and headers of the hostile pages."""
    head = b"<html><head><title>A page</title></head><body><h1>A page</h1>"
    words = _WORDS.encode()
    paragraph = b"<p>" + words * 3 + b"</p>\n"
    bomb = gzip.compress(head + b" " * 1_000_000_000, 6)
    bodies: tuple[tuple[bytes, dict[str, str]], ...] = (
        (head + paragraph * (50_000_000 // len(paragraph)), {}),
        (head + paragraph * (9_900_000 // len(paragraph)), {}),
        (head + b"<p>" + words * (9_000_000 // len(words)), {}),
        (head + b"<div>" * 100_000 + paragraph * 5, {}),
        (head + b"<p>word" * 1_000_000, {}),
        (head + b"<" * 9_000_000, {}),
        (head + b"".join(b'<a href="/n/%d.html">%b</a>\n' % (n, words[:20]) for n in range(200_000)), {}),
        (bomb, {"Content-Encoding": "gzip"}),
    )
    return dict(zip(HOSTILE, bodies, strict=True))


def ordinary(number: int) -> bytes:
    """A small article."""
    paragraph = "".join(f"<p>{number} {_WORDS}, {_WORDS} ({number * k}).</p>" for k in range(1, 8))
    return f"<html><head><title>Ferry {number}</title></head><body><h1>Ferry {number}</h1>{paragraph}</body></html>".encode()


def answers() -> dict[bytes, Answer]:
    """All responses; the hostile pages come in the middle of the ordinary ones."""
    hostile = pages()
    names = [f"n/{number}.html" for number in range(ORDINARY)]
    names[ORDINARY // 3 : ORDINARY // 3] = list(hostile)
    found = {ROOT + name: answer(body, headers=headers | {"X-Page": name}) for name, (body, headers) in hostile.items()}
    for number in range(ORDINARY):
        found[f"{ROOT}n/{number}.html"] = answer(ordinary(number), headers={"X-Page": str(number)})
    for url, text, kind in sitemaps(ROOT, [ROOT + name for name in names]):
        found[url] = answer(text.encode(), kind=kind)
    return {url.removeprefix("http://").encode(): response for url, response in found.items()}


def measure(work: Path, progress: Callable[[str], None] = lambda line: None) -> dict[str, Any]:
    """Crawl the hostile site."""
    progress("crawling the hostile site")
    with running("benchmarks.stalls:answers") as proxy:
        sites = f"""[[site]]
name = "hostile"
start = ["{ROOT}links.html"]
sitemaps = ["{ROOT}sitemap.xml"]
delay = 0
concurrency = 8
min_length = 0
depth = 1
proxy = "{proxy}"
"""
        watch = (CLOCK, "benchmarks.stalls.StallWatch")
        clock = crawl(work, sites, settings={"STALLS_FILE": str(work / "stalls.json")}, extensions=watch)
    gaps = json.loads((work / "stalls.json").read_text("utf-8"))
    hostile = [ROOT + name for name in HOSTILE]
    became = {line["url"]: line["status"] for name in ("news", "news.rejected") for line in lines(work / f"{name}.jsonl")}
    return {
        "longest_seconds": gaps[0]["seconds"] if gaps else 0.0,
        "gaps": gaps[:10],
        "clock": clock,
        "became": {url: became.get(url, "lost") for url in hostile},
    }


def main() -> None:
    """Command line."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    with tempfile.TemporaryDirectory() as work:
        found = measure(Path(work), print)
    for gap in found["gaps"]:
        print(f"{1e3 * gap['seconds']:8.0f} ms after {gap['after']}\n            {gap['doing'] or '(not seen)'}")
    for url, status in found["became"].items():
        print(f"  {url}: {status}")
    longest = found["longest_seconds"]
    print(f"longest stall {1e3 * longest:.0f} ms, target {1e3 * TARGET:.0f} ms: {'met' if longest < TARGET else 'MISSED'}")


if __name__ == "__main__":
    main()
