"""Memory of the browser, its driver and the crawl while hundreds of pages are rendered: it must stay bounded.

    python -m benchmarks.browser_memory [--pages 500] [--recycle N]

Both ways are measured over loopback: newsextract's ``Browser``, one page after another, and a rendered crawl, four pages at
a time. Each page is another one, with a style sheet, a picture that no other page has, and a script that keeps 4 MB of
objects and a timer. Sampled after every fifth page is the proportional set size of the processes (``Pss_Anon`` and
``Pss_Shmem`` of ``/proc/*/smaps_rollup``; their programs are left out, as those are shared with any other browser on the
machine): the browser's together, the driver's (node), the main process of the program that renders or crawls.

Memory of browser and main process is flat if the mean over pages 401-500 is at most :data:`TARGET` times that over 101-200;
before, caches and allocators reach their size. The driver collects its garbage only every several hundred pages, so there
is a ceiling for it.

``--recycle`` shows what it would be with another number of pages per context. About four minutes on two cores.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import struct
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any

from benchmarks.clock import Watch
from benchmarks.crawling import CLOCK, crawl
from benchmarks.machine import processes
from benchmarks.server import Answer, Answers, answer, running
from benchmarks.virtual_sites import sitemaps
from newsextract.browser.render import RECYCLE, Browser
from newsextract.feed.record_lines import NewsRecord

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

TARGET = 1.15
"""Most times the memory of pages 101-200 that pages 401-500 may have."""
DRIVER_TARGET = 256.0
"""Megabytes of the driver at most; over 1,500 pages it went between 70 and 145."""
PAGES = 500
EVERY = 5
"""Pages between two samples."""
GROUPS = ("browser", "driver", "main")
JUDGED = ("browser", "main")
"""What must not grow."""
Sample = tuple[int, dict[str, float]]
"""Pages so far, and megabytes of each group of processes."""


def proportional(pid: int) -> float:
    """Megabytes of a process that are not of files; memory that n processes share counts an n-th."""
    lines = (line.split() for line in Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines())
    return sum(int(words[1]) for words in lines if words[0] in ("Pss_Anon:", "Pss_Shmem:")) / 1e3


def below(main: int) -> Iterator[tuple[str, int, bytes]]:
    """A process and those that it has started: what each is (``main``, ``workers``, ``browser`` or ``driver``), its pid and
    its command."""
    found = processes()
    for pid, (_, command, *_) in found.items():
        top = pid
        while top in found and top != main:
            top = found[top].parent
        if top == main:
            is_browser = b"--headless" in command or b"--type=" in command
            others = "driver" if b"playwright" in command else "workers"
            yield "main" if pid == main else "browser" if is_browser else others, pid, command


def memory(main: int, groups: Iterable[str] = GROUPS) -> dict[str, float]:
    """Megabytes of a process, and of the others that it has started."""
    found = dict.fromkeys(groups, 0.0)
    for kind, pid, _ in below(main):
        if kind in found:
            with suppress(OSError):  # reason: it has just ended
                found[kind] += proportional(pid)
    return found


class BrowserMemoryWatch(Watch):
    """Scrapy extension; writes the samples to ``MEMORY_FILE``."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.path = Path(crawler.settings["MEMORY_FILE"])
        self.records = 0
        self.samples: list[Sample] = []

    def scraped(self, item: Any) -> None:
        """Sample."""
        if isinstance(item, NewsRecord):
            self.records += 1
            if self.records % EVERY == 0:
                self.samples.append((self.records, memory(os.getpid())))

    def closed(self) -> None:
        """Write the samples."""
        self.path.write_text(json.dumps(self.samples), "utf-8")


def answers(count: str) -> Answers:
    """For the server: so many articles, the picture of each, and the sitemap."""
    sheet = answer(b"body{font:16px serif;margin:2em auto;width:60em}li{float:left}", kind="text/css")

    def respond(key: bytes) -> Answer | None:
        host, _, path = key.partition(b"/")
        if path == b"style.css":
            return sheet
        if path.startswith(b"sitemap"):
            root = f"http://{host.decode()}/"
            made = sitemaps(root, [f"{root}story-{n}.html" for n in range(1, int(count) + 1)])
            found = {url: answer(text.encode(), kind=kind) for url, text, kind in made}
            return found.get(root + path.decode())
        name, _, suffix = path.removeprefix(b"story-").partition(b".")
        if not name.isdigit():
            return None
        if suffix == b"png":
            return answer(picture(int(name)), kind="image/png", headers={"Cache-Control": "max-age=86400"})
        return answer(article(int(name)), headers={"X-Page": name.decode()})

    return respond


_SCRIPT = (
    "const kept = Array.from({length: 50000}, (_, k) => ({k, text: 'object ' + k}));"
    "setInterval(() => { kept.push(document.title + kept.length) }, 20);"
    "addEventListener('scroll', () => kept.reverse());"
    "for (const one of kept.slice(0, 200)) { const item = document.createElement('li'); item.textContent = one.text;"
    "document.querySelector('ul').append(item) }"
)


def article(number: int) -> bytes:
    """A page of about 450 elements."""
    draw = random.Random(number)
    words = [f"{draw.choice('bdfghklmnprst')}{draw.choice('aeiou')}{draw.choice('lmnrst')}{k % 7}o" for k in range(60)]
    paragraphs = "".join(f"<p>{' '.join(draw.choices(words, k=60)).capitalize()}.</p>" for _ in range(6))
    links = "".join(f"<li><a href=/section/{k}>Section {k}</a></li>" for k in range(100))
    title = f"Story {number}: {' '.join(draw.choices(words, k=5))}"
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<link rel="stylesheet" href="/style.css"><meta property="article:published_time" content="2026-01-02T08:00:00Z">'
        f"</head><body><ul>{links}</ul><article><h1>{title}</h1><img src=/story-{number}.png width=400 height=300>"
        f"{paragraphs}</article><script>{_SCRIPT}</script></body></html>"
    ).encode()


def picture(number: int) -> bytes:
    """A PNG of 400 x 300 random grey pixels, 120 kB."""
    draw = random.Random(number)
    rows = b"".join(b"\0" + draw.randbytes(400) for _ in range(300))
    parts = [(b"IHDR", struct.pack(">IIBBBBB", 400, 300, 8, 0, 0, 0, 0)), (b"IDAT", zlib.compress(rows, 1)), (b"IEND", b"")]
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def rendered(pages: int, recycle: int = RECYCLE, progress: Callable[[str], None] = lambda line: None) -> list[Sample]:
    """Memory while a ``Browser`` renders so many pages; the main process is this one."""
    samples = []
    progress(f"rendering {pages} pages")
    with running("benchmarks.browser_memory:answers", str(pages)) as server, Browser(recycle=recycle) as browser:
        for number in range(1, pages + 1):
            browser.render(f"{server}/story-{number}.html", settle=0)  # nothing comes late
            if number % EVERY == 0:
                samples.append((number, memory(os.getpid())))
    return samples


def crawled(
    work: Path, pages: int, recycle: int = RECYCLE, progress: Callable[[str], None] = lambda line: None
) -> list[Sample]:
    """Memory while a rendered crawl fetches so many pages.

    :raises RuntimeError: the crawl failed, or pages are missing.
    """
    progress(f"crawling {pages} rendered pages")
    with running("benchmarks.browser_memory:answers", str(pages)) as server:
        sites = f"""[[site]]
name = "pages"
sitemaps = ["{server}/sitemap.xml"]
delay = 0
concurrency = 4
min_length = 0
allow = ['/story-']
render = true
"""
        settings = {"MEMORY_FILE": str(work / "memory.json"), "RENDER_RECYCLE": str(recycle)}
        crawl(work, sites, settings=settings, extensions=(CLOCK, "benchmarks.browser_memory.BrowserMemoryWatch"))
    samples: list[Sample] = json.loads((work / "memory.json").read_text("utf-8"))
    if not samples or samples[-1][0] < 0.98 * pages:
        raise RuntimeError(f"{samples[-1][0] if samples else 0} of {pages} pages have a record; see {work}/crawl.log")
    return samples


def growth(samples: Iterable[Sample], group: str) -> float:
    """Mean memory of the last fifth of the pages over that of the second."""
    samples = list(samples)
    fifth = samples[-1][0] / 5
    second = [size[group] for pages, size in samples if fifth < pages <= 2 * fifth]
    last = [size[group] for pages, size in samples if pages > 4 * fifth]
    return mean(last) / mean(second)


def measure(
    work: Path, pages: int = PAGES, recycle: int = RECYCLE, progress: Callable[[str], None] = lambda line: None
) -> dict[str, Any]:
    """Both ways: samples, and growth of each group of processes."""
    found = {"Browser": rendered(pages, recycle, progress), "crawl": crawled(work, pages, recycle, progress)}
    return {
        way: {
            "growth": {group: growth(samples, group) for group in GROUPS},
            "driver_megabytes": max(size["driver"] for _, size in samples),
            "samples": samples,
        }
        for way, samples in found.items()
    }


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=PAGES)
    parser.add_argument("--recycle", type=int, default=RECYCLE, help=f"pages per context; default: {RECYCLE}")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        found = measure(Path(work), arguments.pages, arguments.recycle, lambda line: print(f"{line} ..."))
    tenth = max(1, arguments.pages // 10)
    for way, figures in found.items():
        samples = figures["samples"]
        print(f"{way + ', MB':20s}" + "".join(f"{group:>10s}" for group in GROUPS))
        for start in range(0, arguments.pages, tenth):
            part = [size for pages, size in samples if start < pages <= start + tenth]
            if part:
                sizes = "".join(f"{mean(size[group] for size in part):10.0f}" for group in GROUPS)
                print(f"pages {start + 1:4d}-{start + tenth:<9d}{sizes}")
        print(f"{'growth':20s}" + "".join(f"{figures['growth'][group]:10.2f}" for group in GROUPS))
    worst = max(figures["growth"][group] for figures in found.values() for group in JUDGED)
    driver = max(figures["driver_megabytes"] for figures in found.values())
    print(f"growth of {' and '.join(JUDGED)} at most {TARGET:g} times: {'met' if worst <= TARGET else 'MISSED'}")
    print(f"driver at most {DRIVER_TARGET:g} MB: {driver:.0f}, {'met' if driver <= DRIVER_TARGET else 'MISSED'}")
    raise SystemExit(worst > TARGET or driver > DRIVER_TARGET)


if __name__ == "__main__":
    main()
