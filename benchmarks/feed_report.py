"""What an index of a large feed costs: ``python -m benchmarks.feed_report [RECORDS]`` (default 100,000), on made records.

The records have 300 words of a vocabulary of 50,000 with Zipf's frequencies, on 200 sites over two years; a tenth have a
revision, and a twentieth are near-duplicates. Prints the time for the index, its size, and the time of each question.
"""

from __future__ import annotations

import json
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from newsextract.feed_report import report
from newsextract.feed_report.index import Chosen, FeedIndex

WORDS, VOCABULARY, SITES = 300, 50_000, 200


def write_feed(path: Path, records: int) -> None:
    """Write a made feed."""
    random = np.random.default_rng(1)
    words = np.array([f"w{number:x}" for number in range(VOCABULARY)])
    chances = 1 / np.arange(1, VOCABULARY + 1)
    chances /= chances.sum()
    first, places = datetime(2024, 1, 1, tzinfo=UTC), count()
    with path.open("w", encoding="utf-8") as file:
        for start in range(0, records, 10_000):
            texts = random.choice(words, (min(10_000, records - start), WORDS), p=chances)
            for text in texts:
                number = next(places)
                moment = (first + timedelta(minutes=number)).isoformat()
                value = {
                    "id": f"{number:016x}", "url": f"https://site{number % SITES}.example/{number}", "kind": "news",
                    "site": f"site{number % SITES}", "title": " ".join(text[:8]), "date": moment,
                    "text": " ".join(text), "authors": ["A"], "language": "en", "section": None, "image": None,
                    "fetched_at": moment, "confidence": 0.9, "status": "ok",
                    "revision": 0, "duplicate_of": f"{number - number % 20:016x}" if number % 20 == 1 else None,
                }  # fmt: skip
                file.write(json.dumps(value) + "\n")
                if number % 10 == 0:
                    file.write(json.dumps({**value, "revision": 1, "text": value["text"][20:]}) + "\n")


def main(records: int) -> None:
    """Measure, and print."""
    with tempfile.TemporaryDirectory() as folder:
        feed, path = Path(folder, "news.jsonl"), Path(folder, "news.index")
        write_feed(feed, records)
        print(f"{records:,} records, {feed.stat().st_size / 1e6:,.0f} MB")
        began, cpu = perf_counter(), process_time()
        index = FeedIndex(feed, path, searchable=True)
        index.catch_up()
        spent = process_time() - cpu
        print(f"index: {perf_counter() - began:.1f} s ({1e3 * spent / records:.2f} ms of CPU a record), "
              f"{path.stat().st_size / feed.stat().st_size:.2f} of the feed's size")  # fmt: skip
        for name, question in (
            ("sites", index.sites),
            ("days", lambda: index.days(60)),
            ("newest records", lambda: index.records(Chosen(), 50)),
            ("last page", lambda: index.records(Chosen(), 50, records - 50)),
            ("a rare word", lambda: index.records(Chosen("w7530"), 50)),
            ("the commonest word", lambda: index.records(Chosen("w0"), 50)),
            ("two words, one site", lambda: index.records(Chosen("w10 w100", site="site7"), 50)),
            ("revisions", lambda: index.revised(50)),
            ("groups", lambda: index.groups(50, 20)),
            ("nothing new", index.catch_up),
        ):
            began = perf_counter()
            question()
            print(f"{name}: {1e3 * (perf_counter() - began):,.0f} ms")
        index.close()
        began = perf_counter()
        size = len(report(feed))
        print(f"the file without an index: {perf_counter() - began:.1f} s, {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
