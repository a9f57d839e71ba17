"""What the tests of Spark share: whether it can run here, pages, and functions that tasks are given instead of extraction."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from pathlib import Path

import pytest

from newsextract import cli
from newsextract.archives import ArchivedArticle, extract_entry
from newsextract.archives.entries import Choice
from newsextract.errors import NewsextractError
from newsextract.feed.duplicates import Sketch, original, sketch
from newsextract.feed.record_lines import NewsRecord, Rejection
from newsextract.spark import check_environment
from newsextract.spark.job import MapTask
from tests.made_archives import foreign, html

ROOT = Path(__file__).parents[2]


def need_spark() -> None:
    """Skip with a line that says what is missing."""
    try:
        check_environment()
    except NewsextractError as error:
        pytest.skip(str(error))


def task(function: object = extract_entry, timeout: float = 30.0) -> MapTask:
    return MapTask(Choice(), False, timeout, 1_500, function)  # type: ignore[arg-type]  # a test's function


def bad(article: ArchivedArticle, choice: Choice) -> NewsRecord | Rejection:
    """Extraction with a defect in native code, an endless loop, and a leak."""
    name = article.requested_url
    if "kills" in name:
        os.kill(os.getpid(), signal.SIGKILL)
    while "hangs" in name:
        pass
    if "swells" in name:
        assert bytearray(3_000_000_000)
    return extract_entry(article, choice)


def slow(article: ArchivedArticle, choice: Choice) -> NewsRecord | Rejection:
    """Half a second a page; each page that was begun is written down."""
    with open(os.environ["SLOW_LOG"], "a", encoding="utf-8") as log:
        log.write(f"{article.requested_url}\n")
    time.sleep(0.5)
    return extract_entry(article, choice)


def damaged(path: Path, *names: str) -> Path:
    """An archive whose second member is overwritten, and whose end is torn."""
    foreign(path, *names)
    data = bytearray(path.read_bytes())
    second = data.index(b"\x1f\x8b\x08", 10)
    data[second + 40 : second + 90] = b"\xff" * 50
    path.write_bytes(data[:-20])
    return path


def overwritten(whole: Path, target: Path, at: int, count: int = 56) -> Path:
    """A file with noise in it."""
    data = bytearray(whole.read_bytes())
    data[at : at + count] = random.Random(7).randbytes(count)
    target.write_bytes(data)
    return target


def archives(folder: Path) -> Path:
    """Archives with a page that stands twice, near-same pages, and damage."""
    folder.mkdir()
    foreign(folder / "a.warc.gz", "one", "two", "three")
    same = {"four": html("two"), "two": html("another two")}
    foreign(folder / "b.warc.gz", "two", "four", "short", bodies=same | {"short": b"<p>Short."})
    damaged(folder / "c.warc.gz", "six", "seven", "eight", "nine")
    return folder


def plain(given: list[Path], output: Path) -> tuple[list[bytes], list[bytes]]:
    """The sorted lines of ``newsextract extract --warc``: records, rejections.

    What its records repeat depends on the order of the input; here it is what a crawl in the order of their times finds.
    """
    assert cli.main(["extract", "--warc", *map(str, given), "-o", str(output), "--workers", "0"]) == 0
    records = [json.loads(line) for line in output.read_bytes().splitlines()]
    earlier: list[Sketch] = []
    for record in sorted(records, key=lambda value: (value["fetched_at"], value["id"])):
        mine = sketch(int(record["id"], 16), record["fingerprint"], record["fetched_at"])
        found = original(mine, earlier)
        record["duplicate_of"] = f"{found:016x}" if found is not None else None
        earlier.append(mine)
    written = sorted(json.dumps(record, ensure_ascii=False).encode() for record in records)
    return written, sorted(output.with_suffix(".rejected.jsonl").read_bytes().splitlines())


def lines(output: Path) -> tuple[list[bytes], list[bytes]]:
    """The sorted lines of a run with Spark."""
    found = [
        sorted(line for part in (output / name).glob("part-*") for line in part.read_bytes().splitlines())
        for name in ("records", "rejected")
    ]
    return found[0], found[1]
