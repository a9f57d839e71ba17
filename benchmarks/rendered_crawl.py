"""Pages a second of a rendered crawl against a bare playwright loop that only loads the same pages.

    python -m benchmarks.rendered_crawl [--pages 75] [--concurrency 4] [--repetitions 3]

The pages are those of the sample newspaper, over loopback, at equal concurrency. The loop goes to each page, waits for its
``load`` event and closes it; the crawl also waits until the page is quiet, walks through it, extracts the article and writes
the record. Both run in turn, and the median of the pairs' ratios counts. Starting is left out: the clock runs from the first
page that was loaded to the last.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from time import monotonic
from typing import Any

from benchmarks.crawling import command
from newsextract.browser.loading import find_browser
from spiders.addresses import FolderServer

TARGET = 0.6
"""Least ratio of the crawl's pages/s to the loop's."""
SAMPLE = Path("tests/sample_site")
HOST = "www.harbour-ledger.example"
_LOADED = re.compile(r"^(\d+\.\d+) Crawled \(200\) <GET [^>]*> \(referer: None\) \['rendered'\]", re.M)


async def loop(urls: Sequence[str], proxy: str, concurrency: int) -> float:
    """Pages a second of the bare loop."""
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_browser().path, proxy={"server": proxy})
        context = await browser.new_context()
        waiting, ends = list(urls), list[float]()

        async def worker() -> None:
            while waiting:
                url = waiting.pop()
                page = await context.new_page()
                await page.goto(url, wait_until="load")
                await page.close()
                ends.append(monotonic())

        await asyncio.gather(*(worker() for _ in range(concurrency)))
        await browser.close()
    return (len(ends) - 1) / (max(ends) - min(ends))


def crawl(urls: Sequence[str], folder: Path, concurrency: int) -> float:
    """Pages a second of the crawl."""
    (folder / "urls").write_text("\n".join(urls), "utf-8")
    (folder / "sites.toml").write_text(
        f'[[site]]\nname = "x"\nstart = ["http://{HOST}/"]\nserve = "{SAMPLE.absolute()}/www"\nrender = true\ndelay = 0\n'
        f"concurrency = {concurrency}\n",
        "utf-8",
    )
    log = {"LOG_LEVEL": "DEBUG", "LOG_FORMAT": "%(created)f %(message)s"}
    settings = {"SITES_FILE": folder / "sites.toml", "RENDER_PAGES": concurrency, **log}
    words = command("news", "-O", folder / "news.jsonl", "-a", f"urls={folder}/urls", **settings)
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    ends = [float(time) for time in _LOADED.findall(done.stderr)]
    if len(ends) < 0.95 * len(urls):
        raise SystemExit(f"only {len(ends)} of {len(urls)} pages were loaded:\n{done.stderr[-3000:]}")
    return (len(ends) - 1) / (max(ends) - min(ends))


def measure(
    pages: int = 75, concurrency: int = 4, repetitions: int = 3, progress: Callable[[str], None] = lambda line: None
) -> dict[str, Any]:
    """Pages a second of both, pair by pair, and the median of their ratios."""
    truth = map(json.loads, (SAMPLE / "expected.jsonl").read_text("utf-8").splitlines())
    urls = [line["url"] for line in truth if line["kind"] in ("article", "listing")][:pages]
    pairs = []
    for _ in range(repetitions):
        with FolderServer({HOST: SAMPLE / "www"}) as server, tempfile.TemporaryDirectory() as folder:
            bare = asyncio.run(loop(urls, server.address, concurrency))
            ours = crawl(urls, Path(folder), concurrency)
        pairs.append({"ratio": ours / bare, "crawl": ours, "loop": bare})
        progress(f"crawl {ours:.1f} pages/s, loop {bare:.1f} pages/s, ratio {ours / bare:.2f}")
    return {"ratio": median(pair["ratio"] for pair in pairs), "pairs": pairs}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pages", type=int, default=75)
    parser.add_argument("--concurrency", type=int, default=4)
    parser.add_argument("--repetitions", type=int, default=3)
    arguments = parser.parse_args()
    ratio = measure(arguments.pages, arguments.concurrency, arguments.repetitions, print)["ratio"]
    print(f"rendered crawl: {ratio:.2f} of a bare playwright loop (target {TARGET})")
    raise SystemExit(ratio < TARGET)


if __name__ == "__main__":
    main()
