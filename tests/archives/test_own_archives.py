"""Archives of our own crawls: whose a record is, what a writer leaves, and what is still being written."""

from __future__ import annotations

import gzip
import multiprocessing
import os
import shutil
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

import pytest

from newsextract import Hints
from newsextract.archives import ArchivedArticle, Entry, Failure, find_archives, read_entries
from newsextract.archives.entries import CONTENT_TYPE, MARK, SNAPSHOT_TYPE, Described, Part, SiteFacts, record_name
from newsextract.archives.reading import KEEP_BYTES, MAX_OTHERS, WarcEntries
from newsextract.archives.storage import open_file
from newsextract.archives.warc import NewRecord, WarcRecord, WarcWriter, placed_records
from tests.made_archives import AT, described, exchange, foreign, late, write_article

Own = Callable[..., Path]


def entries(path: Path) -> list[Entry]:
    return [step.entry for step in read_entries(find_archives([path]))]


def vouched(path: Path) -> dict[str, bool]:
    """Name of each article → whether its crawl says that it is one."""
    found = [entry for entry in entries(path) if isinstance(entry, ArchivedArticle)]
    return {entry.url.rpartition("/")[2].removesuffix(".html"): entry.vouched for entry in found}


def second_record(path: Path) -> int:
    with open_file(path) as stored:
        return [record.offset for _, record in placed_records(stored) if isinstance(record, WarcRecord)][1]


@pytest.mark.parametrize("damage", ["flipped", "cut out"])
def test_a_damaged_first_record_changes_nothing(own: Own, damage: str) -> None:
    """Without it the file was taken for another tool's, and listings for articles."""
    path = own("one", "two")
    data, start = bytearray(path.read_bytes()), second_record(path)
    if damage == "flipped":
        data[start // 2] ^= 0xFF
    path.write_bytes(data if damage == "flipped" else data[start:])
    found = entries(path)
    assert [isinstance(entry, Failure) for entry in found] == ([True] if damage == "flipped" else []) + [False] * 2
    assert vouched(path) == {"one": True, "two": True}


def test_files_that_were_put_together(own: Own, tmp_path: Path) -> None:
    ours, others = own("one").read_bytes(), foreign(tmp_path / "x.warc.gz", "two").read_bytes()
    told = b"software: another tool\r\n"
    info = gzip.compress(b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: %d\r\n\r\n%b\r\n\r\n" % (len(told), told))
    for name, data in {"a": ours + others, "b": others + ours, "c": ours + info + others, "d": info + others + ours}.items():
        path = tmp_path / f"{name}.warc.gz"
        path.write_bytes(data)
        assert vouched(path) == {"one": True, "two": False}


def test_files_of_before_records_had_a_mark(own: Own, tmp_path: Path) -> None:
    with open_file(own("one")) as stored:
        starts = [record.offset for _, record in placed_records(stored) if isinstance(record, WarcRecord)]
        members = [stored.read(a, b - a) for a, b in zip(starts, [*starts[1:], stored.size], strict=True)]
    old = tmp_path / "old" / stored.name
    old.parent.mkdir()
    old.write_bytes(b"".join(gzip.compress(gzip.decompress(m).replace(f"{MARK}: 1\r\n".encode(), b"")) for m in members))
    assert MARK.encode() not in b"".join(map(gzip.decompress, [old.read_bytes()]))
    assert vouched(old) == {"one": True}


def test_the_id_of_a_record_is_made_of_its_place(own: Own) -> None:
    with open_file(own("one", "two")) as stored:
        found = [record for _, record in placed_records(stored) if isinstance(record, WarcRecord)]
        ids = [record.headers["warc-record-id"] for record in found]
        assert ids == [record_name(stored.place(record.offset)) for record in found]
        assert len(set(ids)) == len(ids) == 7


def test_a_damaged_snapshot_costs_its_page(tmp_path: Path) -> None:
    writer = WarcWriter(tmp_path, "news")
    write_article(writer, "one")
    url, more = "https://courier.example/two.html", {"Content-Type": SNAPSHOT_TYPE}
    (place,) = writer._write(writer._begin(), NewRecord("metadata", url, AT, b"no snapshot", more))
    part = Part.at(place, url, AT)
    writer.describe(Described(SiteFacts("courier"), part.url, Hints(), [part]), AT)
    write_article(writer, "three")
    writer.close()
    assert [type(entry) for entry in entries(tmp_path)] == [ArchivedArticle, Failure, ArchivedArticle]


def test_empty_records_are_not_kept_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("newsextract.archives.reading.KEEP_BYTES", KEEP_BYTES // 1_000)
    writer = WarcWriter(tmp_path, "news")
    for k in range(50):
        writer.exchange(exchange(f"moved-{k}", b"", status=301))
    writer.close()
    (path,) = tmp_path.iterdir()
    with open_file(path) as stored, WarcEntries(stored) as reader:
        assert not list(reader.entries())
        assert 0 < len(reader._recent) < 20


def test_what_has_been_written_in_one_line(tmp_path: Path) -> None:
    writer = WarcWriter(tmp_path, "news", limit=1)
    assert writer.summary() == f"nothing new in {tmp_path}"
    writer.exchange(exchange("robots", b""))
    (path,) = tmp_path.iterdir()
    assert writer.summary() == f"{path.with_suffix('')} (1 response, no new page, 0.0 MB)", "its final name"
    write_article(writer, "one")
    writer.close()
    files, size = len(list(tmp_path.iterdir())), sum(path.stat().st_size for path in tmp_path.iterdir())
    assert writer.summary() == f"{files} files in {tmp_path} (2 responses, {size / 1e6:.1f} MB)"


def test_names_that_lead_nowhere(tmp_path: Path) -> None:
    """What metadata name is from outside: it costs its own record, and no memory for each name."""
    writer = WarcWriter(tmp_path, "news")
    for name in ["x" * 300, "\ud800", "\0", "../x", *(f"{k}.warc.gz" for k in range(20))]:
        url = "https://courier.example/bad.html"
        facts, part = SiteFacts("courier"), Part(name, 0, "<urn:uuid:1>", url, AT)
        writer.describe(Described(facts, url, Hints(), [part]), AT)
    write_article(writer, "good")
    writer.close()
    (path,) = tmp_path.iterdir()
    with open_file(path) as stored, WarcEntries(stored) as reader:
        *bad, good = (entry for _, entry in reader.entries())
        assert len(reader._others) <= MAX_OTHERS
    assert len(bad) == 24
    assert all(isinstance(entry, Failure) and "which is missing" in entry.reason for entry in bad)
    assert isinstance(good, ArchivedArticle)


def test_other_files_are_closed(tmp_path: Path) -> None:
    writer = WarcWriter(tmp_path, "news", limit=1)
    for k in range(2 * MAX_OTHERS):
        late(writer, str(k))
    writer.close()
    with (tmp_path / "all.warc.gz").open("wb") as file:
        for path in sorted(tmp_path.glob("news*")):
            with open_file(path) as stored:
                file.write(b"".join(stored.read(r.offset, 1 << 20) for _, r in placed_records(stored)
                                    if isinstance(r, WarcRecord) and r.headers.get("content-type") == CONTENT_TYPE))  # fmt: skip
    before = len(os.listdir("/proc/self/fd"))
    with open_file(tmp_path / "all.warc.gz") as stored, WarcEntries(stored) as reader:
        assert [type(entry) for _, entry in reader.entries()] == [ArchivedArticle] * 2 * MAX_OTHERS
        assert len(os.listdir("/proc/self/fd")) <= before + 1 + MAX_OTHERS
    assert len(os.listdir("/proc/self/fd")) == before


def test_headers_count_among_what_is_kept(tmp_path: Path) -> None:
    writer = WarcWriter(tmp_path, "news")
    for k in range(300):
        writer.exchange(exchange(f"moved-{k}", b"", status=301, headers=[("A", "x" * 200_000)]))
    writer.close()
    (path,) = tmp_path.iterdir()
    with open_file(path) as stored, WarcEntries(stored) as reader:
        assert not list(reader.entries())
        assert 0 < len(reader._recent) < KEEP_BYTES // 200_000


def test_a_small_record_that_names_large_pages_often(tmp_path: Path) -> None:
    writer = WarcWriter(tmp_path, "news")
    small = exchange("small")
    large = exchange("large", gzip.compress(b"<p>" + b" " * 9_000_000), headers=[("Content-Encoding", "gzip")])
    once, often = writer.exchange(small)[0], writer.exchange(large)[0]
    writer.describe(described(small.url, *[once] * 50), AT)
    writer.describe(described(large.url, *[often] * 50), AT)
    writer.describe(described(large.url, *[often] * 3), AT)
    writer.close()
    same, bad, three = entries(tmp_path)
    assert isinstance(same, ArchivedArticle)
    assert (len(same.parts), len({id(part) for part in same.parts})) == (50, 1)
    assert isinstance(bad, Failure)
    assert bad.status == "too_large"
    assert isinstance(three, ArchivedArticle)


def test_each_file_of_a_crawl_can_be_read_alone(tmp_path: Path) -> None:
    """What is known of a page stands where its answer stands, also when the next file has been begun in between."""
    writer = WarcWriter(tmp_path / "warc", "news", limit=1)
    waiting = []
    for k in range(12):
        made = exchange(f"story-{k}")
        waiting.append((made.url, writer.exchange(made)[0]))
        if k % 2:
            for url, place in waiting:
                writer.describe(described(url, place), AT)
            waiting = []
    assert len(list((tmp_path / "warc").glob("*.open"))) == 2
    writer.close()
    files = sorted((tmp_path / "warc").iterdir())
    assert len(files) > 3
    assert all(path.suffix == ".gz" for path in files)
    alone = []
    for path in files:
        (folder := tmp_path / "alone" / path.name).mkdir(parents=True)
        shutil.copy(path, folder)
        alone += entries(folder)
    assert [type(entry) for entry in alone] == [ArchivedArticle] * 12
    assert sorted(map(str, alone)) == sorted(map(str, entries(tmp_path / "warc")))


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_page_in_another_member_of_a_wacz_file(tmp_path: Path, method: int) -> None:
    """As in a folder; not if it would have to be unpacked once more for each page."""
    writer = WarcWriter(tmp_path / "warc", "news", limit=1)
    late(writer, "one")
    writer.close()
    with zipfile.ZipFile(tmp_path / "x.wacz", "w", method) as archive:
        for path in (tmp_path / "warc").iterdir():
            archive.write(path, f"archive/{path.name}")
    assert [type(entry) for entry in entries(tmp_path / "warc")] == [ArchivedArticle]
    expected = ArchivedArticle if method == zipfile.ZIP_STORED else Failure
    assert [type(entry) for entry in entries(tmp_path / "x.wacz")] == [expected]


# -- while it is written -----------------------------------------------------------------------------------------------


def test_what_is_still_being_written_is_no_damage(own: Own, tmp_path: Path) -> None:
    """A torn tail is tried again by later runs, and a file that is ended meanwhile is read under its final name."""
    whole = own("one", "two")
    opened = tmp_path / "open" / f"{whole.name}.open"
    opened.parent.mkdir()
    opened.write_bytes(whole.read_bytes()[:-9])
    one, torn = entries(opened.parent)
    assert isinstance(one, ArchivedArticle)
    assert isinstance(torn, Failure)
    assert torn.status == "failed"
    assert "is writing" in torn.reason
    archives = find_archives([opened.parent])
    opened.rename(opened.with_name(whole.name))
    assert [type(step.entry) for step in read_entries(archives)] == [ArchivedArticle, Failure]
    broken = bytearray(whole.read_bytes())
    broken[second_record(whole) + 20] ^= 0xFF
    opened.write_bytes(broken)
    assert next(entry.status for entry in entries(opened) if isinstance(entry, Failure)) == "damaged"


def test_a_file_counts_as_far_as_it_was_when_it_was_found(own: Own, tmp_path: Path) -> None:
    lines = tmp_path / "x.jsonl"
    lines.write_text('{"url": "https://x.example/1", "html": "<p>x"}\n')
    plain = foreign(tmp_path / "y.warc", "one", gzip=False)
    archives = find_archives([lines, plain, own("two")])
    found = []
    for step in read_entries(archives):
        assert len(found) < 4, "what is added while it is read is read, too"
        found.append(step.entry)
        for path in (lines, plain):
            with path.open("ab") as file:
                file.write(path.read_bytes())
    assert [type(entry) for entry in found] == [ArchivedArticle] * 3


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """Files may have so many bytes."""
    import resource
    import signal

    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)


def test_a_file_that_cannot_be_begun_is_not_there(tmp_path: Path) -> None:
    writer = WarcWriter(tmp_path, "news")
    with room_for(100), pytest.raises(OSError, match="large"):
        writer.exchange(exchange("one"))
    assert not list(tmp_path.iterdir())
    write_article(writer, "one")
    writer.close()
    (path,) = tmp_path.iterdir()
    with open_file(path) as stored:
        assert next(placed_records(stored))[1].type == "warcinfo"  # type: ignore[union-attr]  # it is no failure
    assert vouched(tmp_path) == {"one": True}


def _begin(folder: Path, barrier: Barrier, told: Any) -> None:
    for _ in range(ROUNDS):
        barrier.wait(30)
        try:
            WarcWriter(folder, "new")
            told.put("")
        except Exception as error:  # noqa: BLE001  # the test tells it
            told.put(repr(error))
        barrier.wait(30)


ROUNDS = 8


def test_crawls_that_begin_at_once_after_a_crash(own: Own, tmp_path: Path) -> None:
    """Each ends what the dead ones left, as far as the others have not yet."""
    whole = own("one").read_bytes()
    context = multiprocessing.get_context("fork")
    barrier, told, folder = context.Barrier(4), context.Queue(), tmp_path / "many"
    processes = [context.Process(target=_begin, args=(folder, barrier, told)) for _ in range(3)]
    for process in processes:
        process.start()
    for _ in range(ROUNDS):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for k in range(40):
            (folder / f"dead-{k}.warc.gz.open").write_bytes(whole + whole[: 9 * (k % 3)])
        barrier.wait(30)
        assert [told.get(timeout=30) for _ in processes] == [""] * 3
        barrier.wait(30)
        assert sorted(os.listdir(folder)) == sorted(f"dead-{k}.warc.gz" for k in range(40))
        assert {(folder / name).read_bytes() for name in os.listdir(folder)} == {whole}
    for process in processes:
        process.join(30)
