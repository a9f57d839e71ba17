"""Damaged and hostile archives: what is wrong costs itself, and no more time than its bytes."""

from __future__ import annotations

import base64
import gc
import gzip
import hashlib
import io
import lzma
import re
import struct
import sys
import tracemalloc
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest

from newsextract.archives import ArchivedArticle, Entry, Failure, find_archives, read_entries, storage
from newsextract.archives.storage import MAX_DIRECTORY, MAX_MEMBERS, Stored, decoded
from newsextract.archives.warc import MAX_BLOCK, REREAD, Member, Plain
from newsextract.cli import main
from tests.made_archives import foreign, html


def entries(*paths: Path) -> list[Entry]:
    return [step.entry for step in read_entries(find_archives(paths))]


def answer(name: str, body: bytes | None = None, *, status: str = "200 OK", digest: str = "", headers: str = "") -> bytes:
    """A record as another tool writes it, with whatever is wrong with it."""
    content = f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\n{headers}\r\n".encode() + (
        html(name) if body is None else body
    )
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{name}>\r\nWARC-Date: 2026-03-04T05:06:07Z\r\n"
        f"WARC-Target-URI: https://courier.example/{name}.html\r\nContent-Type: application/http; msgtype=response\r\n"
        f"{digest}Content-Length: {len(content)}\r\n\r\n"
    )
    return head.encode() + content + b"\r\n\r\n"


BAD = {
    "digest": lambda: answer("bad", digest=f"WARC-Block-Digest: sha1:{'A' * 32}\r\n"),
    "too large": lambda: answer("bad", b" " * MAX_BLOCK),
}


@pytest.mark.parametrize("wrong", BAD)
@pytest.mark.parametrize("packed", [True, False])
def test_a_bad_record_among_many_in_one_stream(tmp_path: Path, wrong: str, packed: bool) -> None:
    """Where its end is known, the next one is read, and each has a place of its own."""
    parts = [answer("one"), BAD[wrong](), answer("two"), answer("three")]
    data = b"".join(parts)
    path = tmp_path / ("x.warc.gz" if packed else "x.warc")
    path.write_bytes(gzip.compress(data, 1) if packed else data)
    one, bad, two, three = entries(path)
    assert [entry.url for entry in (one, two, three)] == [
        f"https://courier.example/{n}.html" for n in ("one", "two", "three")
    ]
    assert isinstance(bad, Failure)
    assert bad.status == ("too_large" if wrong == "too large" else "damaged")
    starts = [sum(map(len, parts[:k])) for k in range(4)]
    places = [f"{path.name}#0+{start}" if packed and start else f"{path.name}#{start}" for start in starts]
    assert [entry.place for entry in (one, bad, two, three)] == places


def test_a_record_over_the_cap_is_not_searched_for_others(tmp_path: Path) -> None:
    """A dump of an archive that was fetched is a page of its host, and its pages are nobody's."""
    inner = answer("nobody")
    path = tmp_path / "x.warc"
    path.write_bytes(answer("dump", b"\0" * MAX_BLOCK + inner + b"\0" * 1_000) + answer("one"))
    dump, one = entries(path)
    assert isinstance(dump, Failure)
    assert (dump.status, one.url) == ("too_large", "https://courier.example/one.html")


@pytest.mark.parametrize("status", ["2" * 5_000, "20", "2000", "2⁰0", "-20"])
def test_a_senseless_status(tmp_path: Path, status: str) -> None:
    path = tmp_path / "x.warc"
    path.write_bytes(answer("bad", status=f"{status} OK") + answer("one"))
    assert [entry.url for entry in entries(path)] == ["https://courier.example/one.html"]


@pytest.mark.parametrize(
    ("method", "error"),
    [(zipfile.ZIP_DEFLATED, zlib.error), (zipfile.ZIP_LZMA, lzma.LZMAError), (zipfile.ZIP_BZIP2, OSError)],
)
def test_a_damaged_member_of_a_wacz_file(tmp_path: Path, method: int, error: type[Exception]) -> None:
    path = tmp_path / "x.wacz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/a.warc", answer("one"), method)
        archive.writestr("archive/b.warc", answer("two"), zipfile.ZIP_STORED)
    data = bytearray(path.read_bytes())
    begin = 30 + len("archive/a.warc")
    data[begin + 9 : begin + 60] = b"\xff" * 51  # not in the header of LZMA, where other things are found out
    path.write_bytes(data)
    with zipfile.ZipFile(path) as archive, pytest.raises(error):
        archive.read("archive/a.warc")
    bad, two = entries(path)
    assert isinstance(bad, Failure)
    assert (bad.place, two.url) == ("x.wacz/archive/a.warc", "https://courier.example/two.html")


def test_a_member_of_a_wacz_file_that_is_larger_than_the_file(tmp_path: Path) -> None:
    path = tmp_path / "x.wacz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/a.warc", answer("one"))
    data = path.read_bytes()
    begin = data.rindex(b"PK\x01\x02")
    entry, name, end = bytearray(data[begin : begin + 46]), b"archive/a.warc", bytearray(data[begin + 60 :])
    extra = struct.pack("<HHQ", 1, 8, 1 << 60)  # zip64
    struct.pack_into("<I", entry, 24, 0xFFFFFFFF)
    struct.pack_into("<H", entry, 30, len(extra))
    struct.pack_into("<I", end, 12, 46 + len(name) + len(extra))
    path.write_bytes(data[:begin] + entry + name + extra + end)
    (bad,) = entries(path)
    assert isinstance(bad, Failure)


def test_a_disk_that_gives_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: Any) -> bytes:
        raise OSError(5, "Input/output error")

    path = foreign(tmp_path / "x.warc", "one")
    (tmp_path / "y.jsonl").write_text('{"url": "https://courier.example/two.html", "html": "<p>x"}\n')
    monkeypatch.setattr(Stored, "read", broken)
    bad, two = entries(path, tmp_path / "y.jsonl")
    assert isinstance(bad, Failure)
    assert "Input/output error" in bad.reason
    assert two.url == "https://courier.example/two.html"


# -- what hostile bytes cost -------------------------------------------------------------------------------------------

UNENDING_NAME = b"\x1f\x8b\x08\x08\x01\x01\x01\x01\x01\x01" * 10_000  # a gzip header whose file name has no end
UNENDING_HEAD = b"WARC/1.0\r\nA: b\r\n" * 3_000
NESTED = b"".join(b"WARC/1.0\r\nContent-Length: %07d\r\n\r\n" % (200_000 - 40 * k) for k in range(4_000))
LYING = b"".join(
    b"WARC/1.0\r\nWARC-Block-Digest: md5:%b\r\nContent-Length: 0150001\r\n\r\n" % (b"x" * 32) for _ in range(5_000)
) + bytes(200_000)
CUT_HEADS = b"WARC/1.0\r\nA:x" * 4_000  # of each 64 KB are read, and put back


def convergent(count: int) -> bytes:
    """Gzip members that each begin with a block of plain bytes, and all end in the same one, which unpacks to a lot."""
    head = b"WARC/1.0\r\nContent-Length: 65000000\r\n\r\n"
    unit, found = 15 + len(head), b""
    for k in range(count):
        plain = (count - k) * unit - 15
        found += b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + b"\0" + struct.pack("<HH", plain, plain ^ 0xFFFF) + head
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return found + packer.compress(b"\0" * 60_000_000) + packer.flush() + b"\0" * 8


@pytest.mark.slow
@pytest.mark.parametrize("data", [CUT_HEADS, convergent(20)], ids=["heads", "bombs"])
def test_what_is_put_back_or_unpacked_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    """Neither the file's bytes nor the budget grow with the places where records seem to begin."""
    given = 0

    def counted(kind: type[Plain | Member], unpatched: Any) -> Any:
        def read(stream: Any, size: int) -> bytes:
            nonlocal given
            given += min(size, 64_000_000) if kind is Member and size > 100_000 else 0
            found: bytes = unpatched(stream, size)
            given += len(found)
            return found

        return read

    for kind in (Plain, Member):
        monkeypatch.setattr(kind, "read", counted(kind, kind.read))
    path = tmp_path / "x.warc.gz"
    path.write_bytes(data + b"\0" * 100_000 + gzip.compress(answer("one")))
    found = entries(path)
    assert found[-1].url == "https://courier.example/one.html"
    assert given < 3 * MAX_BLOCK + 2 * REREAD * len(data)


@pytest.mark.parametrize("data", [UNENDING_NAME, UNENDING_HEAD, NESTED, LYING], ids=["name", "head", "nested", "lying"])
def test_bytes_are_not_read_again_and_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    """A place where a record seems to begin costs a bounded stretch, or one of the few that may be read again."""
    read = 0

    def counted(stored: Stored, offset: int, size: int) -> bytes:
        nonlocal read
        found = unpatched(stored, offset, size)
        read += len(found)
        return found

    unpatched = Stored.read
    monkeypatch.setattr(Stored, "read", counted)
    path = tmp_path / "x.warc.gz"
    path.write_bytes(data + gzip.compress(answer("one")))
    found = entries(path)
    assert found[-1].url == "https://courier.example/one.html"
    places = data.count(b"WARC/1.0") + data.count(b"\x1f\x8b\x08")
    assert read < (REREAD + 2) * len(data) + MAX_BLOCK + places * 5_000


def test_chunks_without_end(tmp_path: Path) -> None:
    """A record of 70 MB, which is 100 kB when packed, took two minutes."""
    path = tmp_path / "x.warc"
    path.write_bytes(answer("bad", b"1\r\n \r\n" * 200_001, headers="Transfer-Encoding: chunked\r\n") + answer("one"))
    bad, one = entries(path)
    assert isinstance(bad, Failure)
    assert (bad.status, one.url) == ("too_large", "https://courier.example/one.html")
    assert "200,000 chunks" in bad.reason


@pytest.mark.parametrize("date", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_times_at_the_ends_of_the_calendar(tmp_path: Path, date: str) -> None:
    path = tmp_path / "x.warc"
    dates = (date, "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z")
    bad = [
        re.sub(rb"WARC-Date: \S+", b"WARC-Date: " + one.encode(), answer(name))
        for one, name in zip(dates, "abc", strict=True)
    ]
    path.write_bytes(b"".join(bad) + answer("one"))
    assert main(["extract", "--warc", str(path), "-o", str(tmp_path / "o.jsonl"), "--workers", "0", "--every-page"]) == 0
    assert (tmp_path / "o.rejected.jsonl").read_text().count("is no time of a page") == 1


@pytest.mark.parametrize("headers", ["a:\r\n" * 100_000, "a: b\r\n" + " c\r\n" * 100_000, f"a: {'x' * 300_000}\r\n"])
def test_http_headers_without_end(tmp_path: Path, headers: str) -> None:
    """They cost time and memory far beyond their size; chunks, which are lines, too, are no headers."""
    chunks = b"1\r\n \r\n" * 50_000 + b"%x\r\n" % len(html("one")) + html("one") + b"\r\n0\r\n\r\n"
    path = tmp_path / "x.warc"
    path.write_bytes(answer("bad", headers=headers) + answer("one", chunks, headers="Transfer-Encoding: chunked\r\n"))
    bad, one = entries(path)
    assert isinstance(bad, Failure)
    assert (bad.status, one.url) == ("too_large", "https://courier.example/one.html")
    assert "HTTP headers" in bad.reason
    assert isinstance(one, ArchivedArticle)
    assert one.parts[0].body.strip() == html("one")


def test_the_bytes_of_bad_records_are_let_go(tmp_path: Path) -> None:
    """They hung in the tracebacks of their errors until the garbage was collected."""
    path = tmp_path / "x.warc.gz"
    wrong = f"WARC-Block-Digest: sha1:{'A' * 32}\r\n"
    whole = gzip.compress(answer("bad", b" " * 4_000_000, digest=wrong))
    torn = gzip.compress(answer("bad", b" " * 4_000_000, digest=wrong) + b"no record", 1)
    path.write_bytes((whole + torn) * 8)
    gc.disable()
    tracemalloc.start()
    try:
        assert len(entries(path)) >= 16
        assert tracemalloc.get_traced_memory()[1] < 30_000_000
    finally:
        tracemalloc.stop()
        gc.enable()


@pytest.mark.parametrize("form", ["sha256 base32", "sha1 hex", "md5 base64", "sha256 base64"])
def test_digests_in_other_forms(tmp_path: Path, form: str) -> None:
    """The standard names no form: what is neither in hexadecimal digits nor in base32 is not compared."""
    name, _, kind = form.partition(" ")
    made = hashlib.new(name, answer("one").partition(b"\r\n\r\n")[2].removesuffix(b"\r\n\r\n")).digest()
    written = {"base32": base64.b32encode(made).rstrip(b"="), "hex": made.hex().encode(), "base64": base64.b64encode(made)}
    path = tmp_path / "x.warc"
    path.write_bytes(answer("one", digest=f"WARC-Block-Digest: {name}:{written[kind].decode()}\r\n"))
    assert [type(entry) for entry in entries(path)] == [ArchivedArticle]


def test_members_of_a_wacz_file_that_overlap(tmp_path: Path) -> None:
    """The same bytes under many names are read once."""
    path = tmp_path / "x.wacz"
    with zipfile.ZipFile(path, "w") as archive:
        for k in range(5):
            archive.writestr(f"archive/{k}.warc", answer("one") if k == 0 else b"")
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02")
    first = data[at + 16 : at + 28]
    while at >= 0:
        data[at + 16 : at + 28], data[at + 42 : at + 46] = first, b"\0" * 4
        at = data.find(b"PK\x01\x02", at + 1)
    path.write_bytes(data)
    one, *others = entries(path)
    assert one.url == "https://courier.example/one.html"
    assert len(others) == 4
    assert all(isinstance(other, Failure) and "overlaps" in other.reason for other in others)


def test_links_and_ways_out_in_a_wacz_file(tmp_path: Path) -> None:
    """A member that is a link leads nowhere, and no name is one of a file: nothing is written, or read from elsewhere."""
    secret = foreign(tmp_path / "secret.warc", "secret", gzip=False)
    folder = tmp_path / "in" / "deep"
    folder.mkdir(parents=True)
    path = folder / "x.wacz"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("archive/link.warc", "archive/link.warc.gz"):
            link = zipfile.ZipInfo(name)
            link.create_system, link.external_attr = 3, 0o120777 << 16
            archive.writestr(link, str(secret))
        archive.writestr("../../secret2.warc", answer("one"))
        archive.writestr("/tmp/../secret3.warc", answer("two"), zipfile.ZIP_DEFLATED)
        archive.writestr("archive/inner.wacz", b"PK")  # archives in archives are not opened
    before = sorted(tmp_path.rglob("*"))
    found = entries(path)
    assert sorted(one.url for one in found if isinstance(one, ArchivedArticle)) == [
        "https://courier.example/one.html", "https://courier.example/two.html",
    ]  # fmt: skip
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_bomb_in_a_wacz_file_is_not_unpacked(tmp_path: Path, method: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "FREE_UNPACKED", 1_000_000)
    path = tmp_path / "x.wacz"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("archive/a.warc", bytes(3_000_000))
        archive.writestr("archive/b.warc", answer("two"))
    bomb, two = entries(path)
    assert isinstance(bomb, Failure)
    assert (bomb.status, two.url) == ("too_large", "https://courier.example/two.html")


def test_a_bomb_that_lies_about_its_size_ends_there(tmp_path: Path) -> None:
    path = tmp_path / "x.wacz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/a.warc", answer("one") + bytes(50_000_000))
    data = bytearray(path.read_bytes())
    struct.pack_into("<I", data, data.rindex(b"PK\x01\x02") + 24, 5_000)
    path.write_bytes(data)
    tracemalloc.start()
    found = entries(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [type(one) for one in found if isinstance(one, Failure)] == [Failure]
    assert peak < 20_000_000


def test_a_huge_directory_of_a_wacz_file_is_not_read(tmp_path: Path) -> None:
    """400,000 names would take a gigabyte."""
    path = tmp_path / "x.wacz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/a.warc", answer("one"))
    data = path.read_bytes()
    begin, end = data.index(b"PK\x01\x02"), data.rindex(b"PK\x05\x06")
    directory = data[begin:end] * (MAX_DIRECTORY // (end - begin) + 1)
    tail = bytearray(data[end:])
    struct.pack_into("<HHI", tail, 8, 0xFFFF, 0xFFFF, len(directory))
    path.write_bytes(data[:begin] + directory + tail)
    tracemalloc.start()
    (failure,) = entries(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(failure, Failure)
    assert "directory" in failure.reason
    assert peak < 20_000_000


def test_many_members_in_a_body() -> None:
    page = html("one")
    members = b"".join(gzip.compress(page[k : k + 20], 1) + b"\0" * 3 for k in range(0, len(page), 20))
    assert decoded(members, "gzip", len(page)) == page
    with pytest.raises(ValueError, match="gzip members"):
        decoded(gzip.compress(b"", 1) * (MAX_MEMBERS + 1), "gzip", 10)


def test_a_body_is_not_copied_for_each_piece_of_it() -> None:
    """What is left of a body was copied for every 64 KB of the page: half a gigabyte here."""
    noise = b"".join(hashlib.sha256(str(k).encode()).digest() for k in range(250_000))
    copied = 0

    class Body(bytes):
        def __getitem__(self, key: Any) -> Any:
            nonlocal copied
            part = bytes(self)[key] if isinstance(key, int) else super().__getitem__(key)
            copied += len(part) if isinstance(part, bytes) else 1
            return part

    packed = Body(gzip.compress(noise, 0))
    assert decoded(packed, "gzip", len(noise)) == noise
    assert len(packed) <= copied < 2 * len(packed)


# -- whose line a failure is -------------------------------------------------------------------------------------------


def test_a_damaged_copy_does_not_stand_for_the_page(tmp_path: Path) -> None:
    path = tmp_path / "x.warc"
    path.write_bytes(answer("one", headers="Content-Encoding: gzip\r\n") + answer("one"))
    bad, good = entries(path)
    assert isinstance(bad, Failure)
    assert isinstance(good, ArchivedArticle)
    line = bad.rejection()
    assert line.url == "archive:x.warc#0"
    assert line.id != good.id
    assert good.url in line.reason


def test_places_of_files_of_the_same_name(tmp_path: Path) -> None:
    """In two folders: each failure has a line of its own, the same one each time."""
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.warc").write_bytes(answer(name, headers="Content-Encoding: gzip\r\n"))
        (tmp_path / name / "x.jsonl").write_text(f'{{"url": "{name}"}}\n')
        (tmp_path / name / "x.html.gz").write_bytes(b"no gzip " + name.encode())
        with zipfile.ZipFile(tmp_path / name / "x.wacz", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("x.warc", answer(name))
        data = bytearray((tmp_path / name / "x.wacz").read_bytes())
        data[40] ^= 0xFF
        (tmp_path / name / "x.wacz").write_bytes(data)
    folders = [tmp_path / "a", tmp_path / "b"]
    found = [entry.rejection() for entry in entries(*folders) if isinstance(entry, Failure)]
    assert len(found) == 8
    assert len({line.id for line in found}) == 8
    assert len({line.url for line in found}) == 4
    assert [entry.rejection().id for entry in entries(*folders) if isinstance(entry, Failure)] == [line.id for line in found]


def test_a_missing_package_is_no_fault_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``failed``, which later runs try again."""
    body = base64.b64encode(b"x").decode()
    (tmp_path / "x.jsonl").write_text(
        f'{{"url": "https://x.example/", "body": "{body}", "headers": {{"Content-Encoding": "br"}}}}\n'
    )
    (tmp_path / "x.warc").write_bytes(answer("one", headers="Content-Encoding: br\r\n"))
    monkeypatch.setitem(sys.modules, "brotli", None)
    for entry in entries(tmp_path):
        assert isinstance(entry, Failure)
        assert entry.status == "failed"
        assert "python -m pip install" in entry.reason


def test_line_files_that_are_packed_in_many_members(tmp_path: Path) -> None:
    line = b'{"url": "https://courier.example/one.html", "html": "<p>x"}\n'
    written = io.BytesIO()
    for k in range(0, len(line), 3):
        written.write(gzip.compress(line[k : k + 3]))
    (tmp_path / "x.JSONL.GZ").write_bytes(written.getvalue() + b"\0" * 100_000)  # which fill up a tape's block
    (tmp_path / "y.HTML.GZ").write_bytes(gzip.compress(html("two")))
    one, two = entries(tmp_path)
    assert one.url == "https://courier.example/one.html"
    assert isinstance(two, ArchivedArticle)
    assert two.parts[0].body == html("two")
