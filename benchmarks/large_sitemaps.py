"""A site whose sitemaps name far more pages than are fetched: when the first article comes, and what waiting pages cost.

    python -m benchmarks.large_sitemaps [--files 6] [--entries 50000] [--seconds 300] [--part]

The server makes sitemaps and articles as they are asked for; the index gives no days, so all sitemaps are read early. Ends
the crawl when all of them have been read and their entries taken in. Prints seconds to the first record, and the main
process's peak memory.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from benchmarks.crawling import ENVIRONMENT, command
from benchmarks.server import ROOT, Answer, answer, running

FIRST_TARGET = 10.0
"""Seconds to the first record."""
MEMORY_TARGET = 400.0
"""Megabytes of the main process with a million pages waiting."""
HOST = "http://large.example"
_WORDS = "harbour ferry bridge market crane tide fog lamp quay barge eels bread clock tower river".split()


def answers(files: str, entries: str) -> Any:
    """For the server: what it says to ``host/path``."""
    count, each = int(files), int(entries)
    asked = set()

    def respond(key: bytes) -> Answer | None:
        path = key.decode().partition("/")[2]
        if path == "robots.txt":
            return answer(f"User-agent: *\nAllow: /\nSitemap: {HOST}/index.xml\n".encode(), kind="text/plain")
        if path == "index.xml":
            maps = "".join(f"<sitemap><loc>{HOST}/map-{n}.xml</loc></sitemap>" for n in range(count))
            return answer(f"<sitemapindex>{maps}</sitemapindex>".encode(), kind="text/xml")
        if path == "asked":
            return answer(str(len(asked)).encode(), kind="text/plain")
        if path.startswith("map-"):
            asked.add(path)
            first = int(path[4:-4]) * each
            rows = "".join(
                f"<url><loc>{HOST}/news/story-{n}-of-the-harbour</loc><lastmod>2025-0{1 + n % 9}-1{n % 10}</lastmod></url>"
                for n in range(first, first + each)
            )
            return answer(f"<urlset>{rows}</urlset>".encode(), kind="text/xml")
        if path.startswith("news/"):
            return answer(_article(int(path.split("-")[1])).encode(), kind="text/html; charset=utf-8")
        return answer(b"<html><title>Large</title><h1>Large</h1></html>")

    return respond


def _article(number: int) -> str:
    words = [_WORDS[(number >> shift) % len(_WORDS)] for shift in range(12)]
    text = "".join(f"<p>Of {a} and {b}, {number + n}: so said the keeper of the {c}, and nobody doubted the figure.</p>"
                   for n, (a, b, c) in enumerate(zip(words, words[1:], words[2:], strict=False)))  # fmt: skip
    title = f"Story {number} of {words[0]} and {words[1]}"
    return f"<html><title>{title}</title><article><h1>{title}</h1><time>2025-03-04</time>{text}</article></html>"


def measure(
    folder: Path, files: int = 6, entries: int = 50_000, seconds: float = 300, all_read: bool = True
) -> dict[str, float]:
    """Seconds to the first record, records at the end, peak megabytes of the main process, sitemaps asked for.

    :param all_read: whether all sitemaps must have been asked for by then.
    :raises RuntimeError: no record has come in time, or not all sitemaps have been asked for.
    """
    with running("benchmarks.large_sitemaps:answers", str(files), str(entries)) as proxy:
        sites = folder / "sites.toml"
        sites.write_text(
            f'[[site]]\nname = "large"\nstart = ["{HOST}/"]\nsitemaps = ["robots.txt"]\ndelay = 0\nconcurrency = 8\n'
            f'proxy = "{proxy}"\n'
        )
        feed, log = folder / "news.jsonl", folder / "log.txt"
        words = command("news", "-O", feed, SITES_FILE=sites)
        began, first = time.monotonic(), None
        with log.open("w") as output, subprocess.Popen(words, cwd=ROOT, env=ENVIRONMENT, stderr=output) as process:
            status = Path(f"/proc/{process.pid}/status")
            before, quiet, asked = 0, 0, 0
            while time.monotonic() - began < seconds and quiet < 20 and process.poll() is None:
                time.sleep(0.25)
                if first is None and feed.exists() and feed.stat().st_size:
                    first = time.monotonic() - began
                peak = max(
                    (int(line.split()[1]) for line in status.read_text().split("\n") if line.startswith("VmHWM")), default=0
                )
                asked = asked if asked == files else _asked(proxy)
                quiet = quiet + 1 if first is not None and peak == before and asked == files else 0
                before = peak
            process.send_signal(signal.SIGINT)
    if first is None:
        raise RuntimeError(f"no record within {seconds:.0f} seconds:\n{log.read_text()[-2_000:]}")
    if all_read and asked < files:
        raise RuntimeError(f"{asked} of {files} sitemaps were asked for within {seconds:.0f} seconds")
    return {
        "first": first,
        "records": float(feed.read_bytes().count(b"\n")),
        "megabytes": before / 1_024,
        "sitemaps": float(asked),
    }


def _asked(proxy: str) -> int:
    """How many of the sitemaps the server has been asked for."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxy}))
    with opener.open(f"{HOST}/asked", timeout=10) as found:
        return int(found.read())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=6, help="sitemaps (default: 6)")
    parser.add_argument("--entries", type=int, default=50_000, help="pages in each (default: 50,000)")
    parser.add_argument("--seconds", type=float, default=300, help="at most (default: 300)")
    parser.add_argument("--part", action="store_true", help="the time may be up before all sitemaps have been read")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), arguments.files, arguments.entries, arguments.seconds, not arguments.part)
    print(f"first record after {found['first']:.1f} s (target {FIRST_TARGET:.0f})")
    print(f"main process at most {found['megabytes']:.0f} MB (target {MEMORY_TARGET:.0f} with a million pages)")
    print(f"{found['records']:.0f} records and {found['sitemaps']:.0f} of {arguments.files} sitemaps by then")


if __name__ == "__main__":
    main()
