"""Records of WARC files, whole and damaged."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from newsextract.archives.entries import ArchivedArticle, Failure
from newsextract.archives.reading import find_archives, read_entries, read_pages
from newsextract.archives.storage import open_file
from newsextract.archives.warc import MAX_BLOCK, WarcRecord, WarcWriter, mend, placed_records, whole_until
from tests.examples import examples
from tests.made_archives import AT, exchange, foreign, html, late, write_article

Own = Callable[..., Path]


def read(path: Path) -> list[WarcRecord | Failure]:
    with open_file(path) as stored:
        return [record for _, record in placed_records(stored)]


def names(path: Path) -> list[str]:
    """The last part of the address of each whole response."""
    return [
        r.headers["warc-target-uri"].rpartition("/")[2].removesuffix(".html")
        for r in read(path)
        if isinstance(r, WarcRecord) and r.type == "response"
    ]


def failures(path: Path) -> list[Failure]:
    return [r for r in read(path) if isinstance(r, Failure)]


def test_what_is_written_is_what_warcio_reads(own: Own) -> None:
    path = own("one", "two")
    with path.open("rb") as file:
        kinds, bodies = [], []
        for record in ArchiveIterator(file, check_digests="raise"):
            kinds.append(record.rec_type)
            content = record.content_stream().read()
            if record.rec_type == "response":
                bodies.append(content)
                assert record.rec_headers.protocol == "WARC/1.1"
                assert record.http_headers.get_header("ETag") == '"x"'
    assert kinds == ["warcinfo", *["response", "request", "metadata"] * 2]
    assert bodies == [html("one"), html("two")]


def test_each_record_is_a_gzip_member_of_its_own(own: Own) -> None:
    data, found = own("one").read_bytes(), []
    while data:
        stream = zlib.decompressobj(31)
        found.append(stream.decompress(data)[:10])
        assert stream.eof
        data = stream.unused_data
    assert found == [b"WARC/1.1\r\n"] * 4


def test_secrets_of_requests_are_not_written(tmp_path: Path) -> None:
    writer = WarcWriter(tmp_path, "news")
    secret = [("Authorization", "Basic c2VjcmV0"), ("Proxy-Authorization", "Basic c2VjcmV0"), ("Cookie", "a=secret")]
    writer.exchange(exchange("one", request_headers=[*secret, ("Accept", "text/html")]))
    writer.close()
    (request,) = [r for r in read(next(tmp_path.glob("*.gz"))) if isinstance(r, WarcRecord) and r.type == "request"]
    assert dict(request.http_headers) == {"host": "courier.example", "accept": "text/html"}


def test_header_bytes_stay_as_they_came(tmp_path: Path) -> None:
    writer = WarcWriter(tmp_path, "news")
    place = "/caf\u00e9".encode().decode("latin-1")
    writer.exchange(exchange("one", b"", status=302, headers=[("Location", place)]))
    writer.close()
    path = next(tmp_path.glob("*.gz"))
    assert b"Location: /caf\xc3\xa9\r\n" in gzip.decompress(path.read_bytes())


def test_files_are_rolled(tmp_path: Path) -> None:
    writer = WarcWriter(tmp_path, "news", limit=2_000)
    for k in range(6):
        write_article(writer, f"story-{k}")
    writer.close()
    files = sorted(tmp_path.glob("*.warc.gz"))
    assert len(files) > 2
    assert not list(tmp_path.glob("*.open"))
    steps = list(read_entries(find_archives([tmp_path])))
    assert [s.entry.url.rpartition("/")[2] for s in steps if isinstance(s.entry, ArchivedArticle)] == [
        f"story-{k}.html" for k in range(6)
    ]
    assert steps[-1].done <= sum(file.stat().st_size for file in files)


@pytest.mark.parametrize("packed", [True, False])
def test_other_tools_files(tmp_path: Path, packed: bool) -> None:
    path = foreign(tmp_path / ("x.warc.gz" if packed else "x.warc"), "one", "two", gzip=packed)
    assert names(path) == ["one", "two"]
    pages = list(read_pages(path))
    assert [page.place for page in pages] == [f"{path.name}#{r.offset}" for r in read(path) if isinstance(r, WarcRecord)]
    assert [page.body for page in pages if not isinstance(page, Failure)] == [html("one"), html("two")]


def test_one_gzip_stream_of_many_records(tmp_path: Path) -> None:
    """Not what the standard asks for, but there are such files."""
    plain = foreign(tmp_path / "x.warc", "one", "two", gzip=False)
    path = tmp_path / "y.warc.gz"
    path.write_bytes(gzip.compress(plain.read_bytes()))
    assert names(path) == ["one", "two"]


def test_a_file_cut_anywhere_gives_what_is_whole(own: Own, tmp_path: Path) -> None:
    whole = own("one", "two")
    data = whole.read_bytes()
    starts = [r.offset for r in read(whole) if isinstance(r, WarcRecord)] + [len(data)]
    path = tmp_path / "cut.warc.gz"
    for size in range(0, len(data), 37):
        path.write_bytes(data[:size])
        expected = max((k for k, start in enumerate(starts) if start <= size), default=0)
        found = read(path)
        assert len([r for r in found if isinstance(r, WarcRecord)]) == expected
        assert len(found) - expected == (0 if size in starts else 1)
        with open_file(path) as stored:
            assert whole_until(stored) == starts[expected]


@pytest.mark.parametrize("packed", [True, False])
def test_garbage_between_records_costs_nothing_else(tmp_path: Path, packed: bool) -> None:
    one = foreign(tmp_path / "1.warc", "one", gzip=packed).read_bytes()
    two = foreign(tmp_path / "2.warc", "two", gzip=packed).read_bytes()
    path = tmp_path / "x.warc"
    path.write_bytes(one + b"\x1f\x8b\x08 WARC/1.0 is no record\n\x00\x00" * 50 + two)
    assert names(path) == ["one", "two"]
    assert failures(path)


def test_a_length_that_is_too_long_is_told_by_the_digest(tmp_path: Path) -> None:
    path = foreign(tmp_path / "x.warc", "one", "two", "three", gzip=False)
    data = path.read_bytes()
    start = data.index(b"Content-Length: ", data.index(b"one.html")) + 16
    end = data.index(b"\r", start)
    path.write_bytes(data[:start] + str(int(data[start:end]) + 300).encode() + data[end:])
    assert names(path) == ["two", "three"]
    assert "digest" in failures(path)[0].reason


def test_a_length_that_is_too_short_is_told_by_the_digest(tmp_path: Path) -> None:
    path = foreign(tmp_path / "x.warc", "one", "two", gzip=False)
    data = path.read_bytes()
    start = data.index(b"Content-Length: ", data.index(b"one.html")) + 16
    end = data.index(b"\r", start)
    path.write_bytes(data[:start] + str(int(data[start:end]) - 300).encode() + data[end:])
    assert names(path) == ["two"]


@pytest.mark.parametrize("length", ["-1", "x", "", str(MAX_BLOCK + 1), "9" * 15, "9" * 400])
@pytest.mark.parametrize("packed", [True, False])
def test_a_senseless_length(tmp_path: Path, length: str, packed: bool) -> None:
    bad = f"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: {length}\r\n\r\nabc\r\n\r\n".encode()
    two = foreign(tmp_path / "2.warc", "two", gzip=packed).read_bytes()
    path = tmp_path / "x.warc"
    path.write_bytes((gzip.compress(bad) if packed else bad) + two)
    assert names(path) == ["two"]
    assert len(failures(path)) == 1


@pytest.mark.parametrize(
    ("start", "more", "times"),
    [(b"WARC/1.0\r\n", b"x", 300_000_000), (b"", b"\r\n", 50_000_000), (b"", b"WARC/1.0\r\nA: b\r\n", 9_000_000)],
)
def test_a_bomb_costs_no_memory_and_nothing_else(tmp_path: Path, start: bytes, more: bytes, times: int) -> None:
    """What unpacks to 100 MB and more is given up within the first 64 KB."""
    import tracemalloc

    path = tmp_path / "x.warc.gz"
    packed = gzip.compress(start + more * times, 1)
    two = foreign(tmp_path / "2.warc.gz", "two").read_bytes()
    path.write_bytes(packed + two)
    del packed
    tracemalloc.start()
    assert names(path) == ["two"]
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


def test_a_page_that_unpacks_to_more_than_the_cap(tmp_path: Path) -> None:
    writer = WarcWriter(tmp_path, "news")
    bomb = gzip.compress(b"<p>" + b" " * 50_000_000)
    write_article(writer, "bomb", body=bomb, headers=[("Content-Type", "text/html"), ("Content-Encoding", "gzip")])
    write_article(writer, "good")
    writer.close()
    bad, good = (step.entry for step in read_entries(find_archives([tmp_path])))
    assert isinstance(bad, Failure)
    assert bad.status == "too_large"
    assert isinstance(good, ArchivedArticle)


def test_what_metadata_name_must_be_there(tmp_path: Path) -> None:
    writer = WarcWriter(tmp_path / "a", "news", limit=1)
    late(writer, "one")  # its answer and what is known of it stand in two files
    writer.close()
    files = sorted((tmp_path / "a").glob("*.gz"))
    assert len(files) == 4
    assert [type(s.entry) for s in read_entries(find_archives([tmp_path / "a"]))] == [ArchivedArticle]
    files[0].unlink()
    (step,) = read_entries(find_archives([tmp_path / "a"]))
    assert isinstance(step.entry, Failure)
    assert files[0].name in step.entry.reason


def test_what_was_torn_is_cut_off_when_the_next_run_begins(tmp_path: Path) -> None:
    writer = WarcWriter(tmp_path, "news")
    write_article(writer, "one")
    (path,) = tmp_path.glob("*.open")
    whole = path.read_bytes()
    mend(tmp_path)
    assert path.exists(), "it is being written"
    writer.close()
    done = path.with_name(path.name.removesuffix(".open"))
    for torn in (b"", b"\x1f", whole[:50], whole[: len(whole) - 3]):
        done.unlink(missing_ok=True)
        path.write_bytes(whole + torn)
        mend(tmp_path)
        assert not path.exists()
        kept = done.read_bytes()
        assert kept.startswith(whole)
        assert all(isinstance(r, WarcRecord) for r in read(done))


def test_a_full_disk_leaves_whole_records(tmp_path: Path) -> None:
    import subprocess
    import sys

    code = f"""
import resource, signal
from pathlib import Path
from tests.made_archives import exchange
from newsextract.archives.warc import WarcWriter
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (3_000, 3_000))
writer = WarcWriter(Path({str(tmp_path)!r}), "news")
try:
    for k in range(100):
        writer.exchange(exchange(f"story-{{k}}"))
except OSError as error:
    print(error.filename)
writer.close()
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2]
    )
    (path,) = tmp_path.glob("*.warc.gz")
    assert done.stdout.strip() == str(path)
    assert names(path)
    assert not failures(path)


@settings(max_examples=examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.one_of(st.binary(max_size=400), st.builds(lambda b: b"WARC/1.0\r\n" + b, st.binary(max_size=200)),
                      st.builds(lambda b: gzip.compress(b"WARC/1.0\r\nContent-Length: 3\r\n" + b), st.binary(max_size=80))))  # fmt: skip
def test_whatever_the_file_holds(tmp_path: Path, data: bytes) -> None:
    """No bytes make the reader fail, or go on for ever; a whole record behind them is found."""
    two = foreign(tmp_path / "2.warc.gz", "two").read_bytes()
    path = tmp_path / "x.warc.gz"
    path.write_bytes(data + two)
    found = read(path)
    assert len(found) <= len(data) + 1
    assert any(isinstance(r, WarcRecord) and r.content == html("two") for r in found)


@settings(max_examples=examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(position=st.integers(0, 10_000), value=st.integers(1, 255))
def test_one_wrong_byte_costs_one_record_at_most(tmp_path: Path, position: int, value: int) -> None:
    path = tmp_path / "x.warc.gz"
    if not path.exists():
        foreign(path, "one", "two", "three")
    data = bytearray(path.read_bytes())
    data[position % len(data)] ^= value
    broken = tmp_path / "broken.warc.gz"
    broken.write_bytes(data)
    found = [r.content for r in read(broken) if isinstance(r, WarcRecord)]
    assert len([body for body in (html("one"), html("two"), html("three")) if body in found]) >= 2


def test_time_and_place_of_pages(own: Own) -> None:
    path = own("one")
    (page,) = (p for p in read_pages(path))
    assert not isinstance(page, Failure)
    assert page.fetched_at == AT
    assert page.place is not None
    assert page.place.startswith(path.name + "#")


def test_a_folder_that_is_removed_is_an_error(tmp_path: Path) -> None:
    writer = WarcWriter(tmp_path / "warc", "news")
    (tmp_path / "warc").rmdir()
    with pytest.raises(FileNotFoundError):
        write_article(writer, "one")
