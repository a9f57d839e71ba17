"""The feed file: whole lines, whatever happens."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from scrapy import Spider
from scrapy.utils.test import get_crawler

from newsextract.errors import DataError
from newsextract.feed import LedgerFile, check_record, line, line_at, lines
from newsextract.feed.record_lines import NewsRecord, Rejection
from newsextract.scrapy import ERROR, stop
from pipelines.feeds import Feeds, is_ledger
from pipelines.ledger import MEND

Make = Callable[..., NewsRecord]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "out" / "news.jsonl"


def write(path: Path, *data: bytes, overwrite: bool = False) -> None:
    file = LedgerFile(path, overwrite=overwrite)
    for part in data:
        assert file.write(part) == len(part)
    file.close()


def test_lines_are_appended(path: Path) -> None:
    write(path, b"one\n", b"two\n")
    write(path, b"three\n")
    assert path.read_bytes() == b"one\ntwo\nthree\n"


def test_overwrite_starts_afresh(path: Path) -> None:
    write(path, b"one\n")
    write(path, b"two\n", overwrite=True)
    assert path.read_bytes() == b"two\n"


@pytest.mark.parametrize("torn", [b"t", b'{"id": "', "{港".encode()[:-1], b"x" * 200_000])
def test_a_torn_last_line_is_cut_off(path: Path, torn: bytes) -> None:
    write(path, b"one\n")
    with path.open("ab") as file:
        file.write(torn)
    write(path, b"two\n")
    assert path.read_bytes() == b"one\ntwo\n"


def test_a_file_of_one_torn_line_becomes_empty(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"x" * 100_000)
    write(path)
    assert path.read_bytes() == b""


def test_a_feed_has_one_writer(path: Path) -> None:
    first = LedgerFile(path)
    with pytest.raises(DataError, match="another crawl is writing this feed; wait for it, or name another feed"):
        LedgerFile(path)
    first.close()
    first.close()
    LedgerFile(path).close()


def test_a_refused_second_writer_does_not_touch_the_file(path: Path) -> None:
    first = LedgerFile(path)
    first.write(b"one\n")
    with pytest.raises(DataError):
        LedgerFile(path, overwrite=True)
    first.write(b"two\n")
    first.close()
    assert path.read_bytes() == b"one\ntwo\n"


def test_a_full_disk_leaves_whole_lines(path: Path) -> None:
    """A limit on the size of files makes a real write fail in the middle of a line."""
    code = f"""
import resource, signal
from pathlib import Path
from newsextract.feed import LedgerFile
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
file = LedgerFile(Path({str(path)!r}))
file.write(b"a" * 5_999 + b"\\n")
for attempt in range(2):
    try:
        file.write(b"b" * 5_999 + b"\\n")
    except OSError as error:
        print(error.strerror)
file.write(b"c\\n")
file.close()
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True, cwd=_root()
    )
    assert done.stdout == "File too large\n" * 2
    assert path.read_bytes() == b"a" * 5_999 + b"\nc\n"


def test_a_write_in_pieces_is_still_one_line(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda descriptor, data, offset: real(descriptor, bytes(data)[:3], offset))
    write(path, b"one line\n", b"two\n")
    assert path.read_bytes() == b"one line\ntwo\n"


def _root() -> Path:
    return Path(__file__).parent.parent.parent


# --- lines ----------------------------------------------------------------------------------------

HARD = ['"duplicate_of": null', '\\"duplicate_of\\": ', "a\nb", "\u2028\u2029\x85", "港口", "\x00", "🚢", '"', "\ud800"]


@pytest.mark.parametrize("text", HARD)
def test_a_record_is_one_line_of_json_in_order(make_record: Make, text: str) -> None:
    record = make_record(7, text=text, title=text, authors=[text], etag=text, last_modified=text)
    data = line(record)
    assert data.endswith(b"\n")
    assert data.count(b"\n") == 1
    value = json.loads(data)
    assert tuple(value) == tuple(field.name for field in dataclasses.fields(NewsRecord))
    assert value["duplicate_of"] is None
    if text != "\ud800":
        assert value["text"] == value["title"] == value["etag"] == text


@pytest.mark.parametrize("text", HARD[:-1])
def test_lines_are_found_again_by_their_place(path: Path, make_record: Make, text: str) -> None:
    file = LedgerFile(path)
    places = []
    for identity in (7, 8, 9):
        file.write(line(make_record(identity, text=text, title=text, etag=text)))
        places.append(file.last_place)
    file.close()
    assert [place for _, place in lines(path, check_record, MEND)] == places
    assert [line_at(path, place)["id"] for place in places] == [f"{identity:016x}" for identity in (7, 8, 9)]
    with pytest.raises(DataError, match="changed while the crawl runs"):
        line_at(path, places[1] + 1)


def test_a_rejection_is_a_line(make_rejection: Callable[..., Rejection]) -> None:
    value = json.loads(line(make_rejection(5, reason="too\nshort 港")))
    assert (value["id"], value["status"], value["reason"]) == (f"{5:016x}", "short", "too\nshort 港")


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("out/news.jsonl", True),
        ("/tmp/x.jl", True),
        ("file:///tmp/x.jsonl", True),
        ("s3://bucket/x.jsonl", False),
        ("out/news.csv", False),
        ("stdout:", False),
        ("out/news.jsonl.gz", False),
        ("out/%(name)s-%(time)s.jsonl", False),
    ],
)
def test_which_feeds_can_be_ledgers(uri: str, expected: bool) -> None:
    assert is_ledger(uri) is expected


def test_items_that_come_after_the_feeds_are_closed_are_left_to_the_next_run(path: Path) -> None:
    """After Ctrl-C the spider closes though pages are still being extracted."""
    crawler = get_crawler(Spider, {"FEEDS": {str(path): {"format": "jsonlines"}}})
    crawler.spider = spider = Spider("plain")
    feeds = Feeds.from_crawler(crawler)
    feeds.open_spider(spider)
    feeds.item_scraped({"id": "a"}, spider)
    feeds.is_closed = True
    feeds.item_scraped({"id": "b"}, spider)
    for slot in feeds.slots:
        slot.finish_exporting()
        slot.file.close()
    assert path.read_bytes() == b'{"id": "a"}\n'


def test_a_write_that_fails_while_the_spider_closes_does_not_close_it_again() -> None:
    crawler = get_crawler(Spider)
    crawler.spider = Spider("plain")
    crawler.engine = SimpleNamespace(spider=None)
    stop(crawler, OSError(9, "Bad file descriptor"))
    assert crawler.stats.get_value(ERROR)
