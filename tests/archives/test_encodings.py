"""Content codings: as Scrapy takes them off, within a cap."""

from __future__ import annotations

import contextlib
import gzip
import sys
import zlib
from collections.abc import Callable
from functools import cache
from importlib import import_module

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.http import Request, Response
from scrapy.settings import Settings

from newsextract.archives.storage import TooLarge, decoded

zstd = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
PAGE = "".join(f"<p>{k * 7919 % 100_003} texts.</p>" for k in range(20_000)).encode()


def raw_deflate(data: bytes) -> bytes:
    stream = zlib.compressobj(wbits=-15)
    return stream.compress(data) + stream.flush()


CODINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": lambda data: gzip.compress(data[:99]) + gzip.compress(data[99:]),
    "deflate": zlib.compress,
    "Deflate ": raw_deflate,
    "br": brotli.compress,
    "zstd": zstd.compress,
    "ZSTD": lambda data: zstd.compress(data[:99]) + zstd.compress(data[99:]),
    "gzip, br": lambda data: brotli.compress(gzip.compress(data)),
}


@cache
def packed(coding: str) -> bytes:
    return CODINGS[coding](PAGE)


def as_scrapy(body: bytes, coding: str) -> bytes:
    from types import SimpleNamespace

    crawler = SimpleNamespace(settings=Settings({"DOWNLOAD_MAXSIZE": 10_000_000}), stats=None, spider=None)
    crawler.signals = SimpleNamespace(connect=lambda *a, **k: None)
    middleware = HttpCompressionMiddleware(crawler=crawler)  # type: ignore[arg-type]  # what it reads of it is there
    response = Response("https://x.example/", headers={"Content-Encoding": coding}, body=body)
    return bytes(middleware.process_response(Request("https://x.example/"), response).body)  # type: ignore[union-attr]


@pytest.mark.parametrize("coding", CODINGS)
def test_an_empty_page(coding: str) -> None:
    assert decoded(CODINGS[coding](b""), coding, 99) == b""


def test_so_many_codings_and_frames_only() -> None:
    """A header of 256 kB and a body of 10 MB took a crawl's own thread five minutes, frames without content 12 s."""
    with pytest.raises(ValueError, match="4 content codings"):
        decoded(b"", "gzip, br, br, br", 10)
    with pytest.raises(ValueError, match="100 zstd frames"):
        decoded(zstd.compress(b"") * 101, "zstd", 10)


@pytest.mark.parametrize("coding", CODINGS)
def test_all_that_crawls_accept(coding: str) -> None:
    assert decoded(packed(coding), coding, len(PAGE)) == PAGE == as_scrapy(packed(coding), coding)


@pytest.mark.parametrize("coding", CODINGS)
def test_over_the_cap(coding: str) -> None:
    with pytest.raises(TooLarge):
        decoded(packed(coding), coding, len(PAGE) - 1)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_cut_off(coding: str) -> None:
    """What can be had is the page, as in the crawl."""
    cut = packed(coding)[:-9]
    found = decoded(cut, coding, len(PAGE))
    assert PAGE.startswith(found)
    assert found == as_scrapy(cut, coding)


def test_unknown_codings_stay() -> None:
    assert decoded(b"abc", "rot13", 10) == b"abc"
    assert decoded(gzip.compress(b"abc"), "rot13, gzip", 10) == b"abc"
    assert decoded(b"abc", None, 1) == b"abc"
    assert decoded(b"", "gzip", 1) == b""


@given(st.binary(max_size=200), st.sampled_from(["gzip", "deflate", "br", "zstd"]))
def test_whatever_the_body_holds(body: bytes, coding: str) -> None:
    with contextlib.suppress(ValueError):  # that it is no such coding
        assert len(decoded(body, coding, 1_000_000)) <= 1_000_000
