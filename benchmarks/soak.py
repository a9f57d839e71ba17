"""A crawl that runs for as long as you say: do memory and open handles of its processes grow?

    python -m benchmarks.soak [--minutes 10]

One process crawls two virtual sites over loopback: small articles from sitemaps, 20 a second, and pages that a browser
renders, two at a time, with a script and a picture each. Every five seconds the processes are looked at from outside: memory
of the main process, of the workers, of the browser and of its driver (node), open files and sockets of the main process,
and how often a browser has been started. The slopes are those of least-squares lines over the last two thirds of the run,
when buffers and caches have reached their size. At the end the crawl gets SIGINT, and must come to its end.

Eight hours (``--minutes 480``) are what the targets are meant for; a short run shows leaks of a page, none of an hour.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

import numpy as np

from benchmarks import browser_memory
from benchmarks import memory as small_pages
from benchmarks.crawling import ENVIRONMENT, command
from benchmarks.server import LOOPBACK, ROOT, Answer, Answers, running

EVERY = 5.0
"""Seconds between two samples."""
PER_SECOND = 20
"""Small articles a second."""
GROUPS = ("main", "workers", "browser", "driver")
HANDLES_TARGET = 1.0
"""Open handles of the main process that an hour may add."""
MEMORY_TARGET = 500.0
"""Bytes of the main process that a record may add, as in ``benchmarks.memory``."""
END_TARGET = 60.0
"""Seconds to the end after SIGINT."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The crawl at a moment."""

    seconds: float
    records: int
    megabytes: dict[str, float]
    handles: int
    browsers: frozenset[int]
    """First processes of the browsers that run."""


@dataclass(frozen=True, slots=True)
class Soak:
    """What a run showed."""

    samples: list[Sample]
    code: int
    ending: float
    """Seconds from SIGINT to the end."""
    errors: int
    """Lines of the log at ERROR."""

    def slope(self, of: Callable[[Sample], float], per: Callable[[Sample], float] = lambda sample: sample.seconds) -> float:
        """How much one figure grows with another, over the last two thirds."""
        late = self.samples[len(self.samples) // 3 :]
        return float(np.polyfit([per(one) for one in late], [of(one) for one in late], 1)[0])

    @property
    def browsers(self) -> int:
        """How many browsers were started."""
        return len(frozenset().union(*(one.browsers for one in self.samples)))


def answers(small: str, rendered: str) -> Answers:
    """For the server: both sites."""
    plain, drawn = small_pages.answers(small, "sitemap"), browser_memory.answers(rendered)

    def respond(key: bytes) -> Answer | None:
        return (drawn if key.startswith(LOOPBACK.encode()) else plain)(key)

    return respond


def sites_toml(server: str, is_rendered: bool = True) -> str:
    """Both sites."""
    common = "min_length = 0\nallow = ['/story-']\n"
    small = (
        f'[[site]]\nname = "small"\nsitemaps = ["{small_pages.ROOT}sitemap.xml"]\nproxy = "{server}"\n'
        f"delay = {1 / PER_SECOND}\nconcurrency = 4\n{common}"
    )
    drawn = (
        f'[[site]]\nname = "rendered"\nsitemaps = ["{server}/sitemap.xml"]\nrender = true\n'
        f"delay = 0.5\nconcurrency = 2\n{common}"
    )
    return small + drawn * is_rendered


def measure(
    folder: Path, minutes: float, is_rendered: bool = True, progress: Callable[[str], None] = lambda line: None
) -> Soak:
    """Crawl for so long.

    :raises RuntimeError: the crawl has ended before; with the end of its log.
    """
    pages = int(minutes * 60 * PER_SECOND * 1.5) + 1_000
    samples: list[Sample] = []
    with running("benchmarks.soak:answers", str(pages), str(pages // 5)) as server:
        (folder / "sites.toml").write_text(sites_toml(server, is_rendered), "utf-8")
        feed, log = folder / "news.jsonl", folder / "crawl.log"
        words = command("news", "-O", feed, SITES_FILE=folder / "sites.toml")
        began, read, records = monotonic(), 0, 0
        with (
            log.open("w") as output,
            subprocess.Popen(words, cwd=ROOT, env=ENVIRONMENT, stdout=output, stderr=output) as process,
        ):
            try:
                while monotonic() - began < 60 * minutes:
                    sleep(EVERY)
                    if process.poll() is not None:
                        raise RuntimeError(f"the crawl has ended ({process.returncode}):\n{log.read_text()[-2_000:]}")
                    if feed.exists():
                        with feed.open("rb") as file:
                            file.seek(read)
                            new = file.read()
                        read, records = read + len(new), records + new.count(b"\n")
                    samples.append(_sample(process.pid, monotonic() - began, records))
                    if len(samples) % 12 == 0:
                        progress(_line(samples[-1]))
                process.send_signal(signal.SIGINT)
                asked = monotonic()
                code = process.wait(600)
                ending = monotonic() - asked
            finally:
                process.kill()
        if len({one.records for one in samples[len(samples) // 3 :]}) < 3:
            raise RuntimeError(f"too few records for a slope; take more minutes:\n{log.read_text()[-2_000:]}")
        errors = sum(" ERROR: " in line for line in log.read_text("utf-8", "replace").splitlines())
    return Soak(samples, code, ending, errors)


def _sample(main: int, seconds: float, records: int) -> Sample:
    browsers = frozenset(
        pid for kind, pid, words in browser_memory.below(main) if kind == "browser" and b"--type=" not in words
    )
    handles = len(os.listdir(f"/proc/{main}/fd"))
    return Sample(seconds, records, browser_memory.memory(main, GROUPS), handles, browsers)


def _line(sample: Sample) -> str:
    sizes = "".join(f"{sample.megabytes[group]:9.0f}" for group in GROUPS)
    return f"{sample.seconds / 60:6.1f} min {sample.records:8d} records {sizes} MB {sample.handles:5d} handles"


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--no-render", action="store_true", help="without the site that needs a browser")
    arguments = parser.parse_args()
    print(f"{'':27s}{''.join(f'{group:>9s}' for group in GROUPS)}")
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), arguments.minutes, not arguments.no_render, lambda line: print(line, flush=True))
    for group in GROUPS:
        print(f"{group:8s} {3600 * found.slope(lambda one, group=group: one.megabytes[group]):+9.1f} MB an hour")  # type: ignore[misc]
    handles = 3600 * found.slope(lambda one: one.handles)
    size = 1e6 * found.slope(lambda one: one.megabytes["main"], lambda one: one.records)
    print(f"handles {handles:+.1f} an hour (target {HANDLES_TARGET:g}); main process {size:+.0f} bytes a record "
          f"(target {MEMORY_TARGET:g})")  # fmt: skip
    print(f"{found.samples[-1].records} records, {found.browsers} browsers started, {found.errors} errors in the log, ended "
          f"{found.ending:.0f} s after SIGINT with exit code {found.code}")  # fmt: skip
    return int(handles > HANDLES_TARGET or size > MEMORY_TARGET or found.ending > END_TARGET)


if __name__ == "__main__":
    sys.exit(main())
