"""CPU time of extraction, stage by stage, as multiples of a plain ``lxml.html.fromstring`` of the same bytes.

    python -m benchmarks.extraction [FOLDER ...] [--step 4]

Of each page the best of ``REPETITIONS`` times of each stage counts, in one process, after a warm-up; each whole (body,
everything, discovery) is timed on a fresh page of its own, and the stages on another. ``body`` is decoding, block
splitting and statistics; ``everything`` adds title, date, authors, language and the other fields; ``crawl`` is what a
worker does for one article page: discovery, extraction and fingerprint. ``tree`` is the parsed page in columns
(``newsextract.page.dom``). The body of every registered algorithm is timed in the same way, each on a fresh page.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import lxml.etree
import lxml.html
import trafilatura

from benchmarks.crawling import SETS
from benchmarks.machine import timed as seconds_of
from newsextract import Page, algorithms, extract
from newsextract.discovery import Rules, discover
from newsextract.feed.duplicates import fingerprint
from newsextract.fields.authors import find_authors
from newsextract.fields.page_facts import canonical_url, find_language, image, section
from newsextract.fields.report_date import find_date
from newsextract.fields.title import find_title
from newsextract.lab.datasets import load, read
from newsextract.lab.runner import FETCHED_AT

ALGORITHM = "block_statistics"
"""Whose stages are taken apart, and whose body, everything and crawl the targets mean."""
TARGETS = {"body": 2.5, "everything": 4.0}
"""Largest multiples of a plain lxml parse."""
ALGORITHM_TARGET = 6.0
"""The same for the body of any registered algorithm; two more with a value filter."""
REPETITIONS = 3
PEER_EVERY = 5
"""trafilatura, many times as slow as a parse, is timed once on every fifth page, the time of a first call left out."""
STAGES = (
    "decode", "scan", "tree", "metadata", "statistics",
    "title", "date", "authors", "language", "other fields", "fingerprint",
)  # fmt: skip
WHOLES = ("body", "everything", "everything, default algorithm", "discovery", "crawl")


def measure(folders: Sequence[Path], step: int = 4, progress: Callable[[str], None] = lambda line: None) -> dict[str, Any]:
    """Multiples of lxml, by stage and by whole.

    :param step: every how many pages one is taken.
    """
    totals: dict[str, float] = defaultdict(float)
    peer = peer_fields = peer_yardstick = 0.0
    pages = load(folders)[::step]
    size = 0
    for number, truth in enumerate(pages):
        body = read(truth)
        size += len(body)
        best: dict[str, float] = {}
        for _ in range(REPETITIONS + (number == 0)):
            for name, seconds in _times(body, truth.url).items():
                best[name] = min(best.get(name, seconds), seconds)
        for name, seconds in best.items():
            totals[name] += seconds
        if number % PEER_EVERY == 0:
            if number == 0:
                trafilatura.extract(body, with_metadata=True)
            peer += seconds_of(partial(trafilatura.extract, body))
            peer_fields += seconds_of(partial(trafilatura.extract, body, with_metadata=True))
            peer_yardstick += best["lxml"]
        if number % 100 == 99:
            progress(f"{number + 1}/{len(pages)} pages")
    yardstick = totals["lxml"]
    return {
        "pages": len(pages),
        "mean_bytes": size / len(pages),
        "lxml_milliseconds": 1e3 * yardstick / len(pages),
        "times_lxml": {name: totals[name] / yardstick for name in (*WHOLES, *STAGES)},
        "algorithms_times_lxml": {name: totals[_body_of(name)] / yardstick for name in algorithms.names("article")},
        "trafilatura_times_lxml": {"body": peer / peer_yardstick, "everything": peer_fields / peer_yardstick},
    }


def _times(body: bytes, url: str | None) -> Mapping[str, float]:
    """CPU seconds of each stage and whole on one page."""
    times: dict[str, float] = {}

    @contextmanager
    def timed(name: str) -> Iterator[None]:
        start = process_time()
        yield
        times[name] = process_time() - start

    def page() -> Page:
        return Page(body, url, fetched_at=FETCHED_AT)

    times["lxml"] = seconds_of(lambda: _parse(body))
    choose = algorithms.make(ALGORITHM)
    times["body"] = seconds_of(lambda: choose(page()))
    for name in algorithms.names("article"):
        times[_body_of(name)] = seconds_of(partial(algorithms.make(name), page()))
    times["everything"] = seconds_of(lambda: extract(page(), algorithm=ALGORITHM))
    times["everything, default algorithm"] = seconds_of(lambda: extract(page()))
    times["discovery"] = seconds_of(lambda: discover(page(), Rules()))
    times["crawl"] = seconds_of(lambda: _crawl_work(page()))
    fresh = page()
    with timed("decode"):
        fresh.text  # noqa: B018  # makes it
    with timed("scan"):
        fresh.source  # noqa: B018  # makes it
    with timed("tree"):
        fresh.dom  # noqa: B018  # makes it
    with timed("metadata"):
        metadata = fresh.metadata
    with timed("statistics"):
        found = choose(fresh)
    with timed("language"):
        language = find_language(metadata, found.text, None)
    with timed("title"):
        find_title(metadata, found.surroundings, url, None)
    with timed("date"):
        find_date(
            metadata, found.surroundings, url=url, language=language, fetched_at=FETCHED_AT, hint=None, hint_source=None
        )
    with timed("authors"):
        find_authors(metadata, found.surroundings)
    with timed("other fields"):
        canonical_url(metadata, url), section(metadata), image(metadata, url)
    with timed("fingerprint"):
        fingerprint(found.text)
    return times


def _body_of(algorithm: str) -> str:
    return f"body of {algorithm}"


def _crawl_work(page: Page) -> None:
    discover(page, Rules())
    fingerprint(extract(page, algorithm=ALGORITHM).text)


def _parse(body: bytes) -> object:
    with suppress(lxml.etree.ParserError):  # an empty page
        return lxml.html.fromstring(body)
    return None


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=list(SETS))
    parser.add_argument("--step", type=int, default=4, help="every n-th page (default: 4)")
    arguments = parser.parse_args()
    found = measure(arguments.folders, arguments.step, progress=print)
    print(f"{found['pages']} pages, mean {found['mean_bytes'] / 1e3:.0f} kB; lxml parse {found['lxml_milliseconds']:.2f} ms")
    for name, times in found["times_lxml"].items():
        target = f"   target {TARGETS[name]}: {'met' if times <= TARGETS[name] else 'MISSED'}" if name in TARGETS else ""
        label = name if name in WHOLES else "  " + name
        print(f"{label:20s}{times:7.2f} x lxml {times * found['lxml_milliseconds']:8.3f} ms{target}")
    for name, times in found["algorithms_times_lxml"].items():
        met = "met" if times <= ALGORITHM_TARGET else "MISSED"
        print(f"{_body_of(name):36s}{times:7.2f} x lxml   target {ALGORITHM_TARGET}: {met}")
    for name, times in found["trafilatura_times_lxml"].items():
        print(f"{'trafilatura, ' + name:24s}{times:7.2f} x lxml")


if __name__ == "__main__":
    main()
