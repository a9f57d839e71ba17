"""Damaged and hostile archives: what is wrong costs itself, and no more time than its bytes."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import lzma
import struct
import sys
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest

from newsextract.archives import ArchivedArticle, Entry, Failure, find_archives, read_entries
from newsextract.archives.encodings import MAX_MEMBERS, decoded
from newsextract.archives.storage import Stored
from newsextract.archives.warc_records import REREAD
from newsextract.archives.warc_streams import MAX_BLOCK
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
    "digest": answer("bad", digest=f"WARC-Block-Digest: sha1:{'A' * 32}\r\n"),
    "too large": answer("bad", b" " * MAX_BLOCK),
}


@pytest.mark.parametrize("wrong", BAD)
@pytest.mark.parametrize("packed", [True, False])
def test_a_bad_record_among_many_in_one_stream(tmp_path: Path, wrong: str, packed: bool) -> None:
    """Where its end is known, the next one is read, and each has a place of its own."""
    data = answer("one") + BAD[wrong] + answer("two") + answer("three")
    path = tmp_path / ("x.warc.gz" if packed else "x.warc")
    path.write_bytes(gzip.compress(data, 1) if packed else data)
    one, bad, two, three = entries(path)
    assert [entry.url for entry in (one, two, three)] == [
        f"https://courier.example/{n}.html" for n in ("one", "two", "three")
    ]
    assert isinstance(bad, Failure)
    assert bad.status == ("too_large" if wrong == "too large" else "damaged")
    starts = [0, len(answer("one")), len(answer("one") + BAD[wrong]), len(answer("one") + BAD[wrong] + answer("two"))]
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
LYING = b"".join(b"WARC/1.0\r\nWARC-Block-Digest: md5:x\r\nContent-Length: 0150001\r\n\r\n" for _ in range(5_000))


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
        assert "pip install 'newsextract[archive]'" in entry.reason


def test_line_files_that_are_packed_in_many_members(tmp_path: Path) -> None:
    line = b'{"url": "https://courier.example/one.html", "html": "<p>x"}\n'
    written = io.BytesIO()
    for k in range(0, len(line), 3):
        written.write(gzip.compress(line[k : k + 3]))
    (tmp_path / "x.JSONL.GZ").write_bytes(written.getvalue())
    (tmp_path / "y.HTML.GZ").write_bytes(gzip.compress(html("two")))
    one, two = entries(tmp_path)
    assert one.url == "https://courier.example/one.html"
    assert isinstance(two, ArchivedArticle)
    assert two.parts[0].body == html("two")
