"""Broken and hostile servers: every bad page leaves a rejection with the right status, the good ones become records.

All of them stand on one site and are fetched by one crawl, whose time and memory are bounded.
"""

from __future__ import annotations

import gzip
import socket
import struct
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]
MOST_MEMORY = 1_500
"""Megabytes: the sum of the peaks of all the crawl's processes."""
MOST_SECONDS = 60
HTML = {"Content-Type": "text/html; charset=utf-8"}


def reset(handler: Any) -> None:
    """RST instead of an answer."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()
    handler.close_connection = True


def stop_in_the_middle(handler: Any) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "text/html")
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    handler.wfile.write(b"<html><h1>A headline</h1><p>And then")
    handler.close_connection = True


def not_http(handler: Any) -> None:
    handler.wfile.write(b"220 mail.example.org ESMTP\r\n")
    handler.close_connection = True


def hang(handler: Any) -> None:
    handler.server.owner.released.wait(30)


def drip(handler: Any) -> None:
    """A byte now and then, for ever."""
    handler.send_response(200)
    handler.send_header("Content-Type", "text/html")
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    while not handler.server.owner.released.wait(0.3):
        handler.wfile.write(b"<")
        handler.wfile.flush()


def endless_body(handler: Any) -> None:
    """Chunks without end and without a length."""
    handler.send_response(200)
    handler.send_header("Content-Type", "text/html")
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    chunk = b"10000\r\n" + b"<p>more of the same" * 3449 + b"     \r\n"
    assert len(chunk) == 7 + 0x10000 + 2
    for _ in range(2000):
        handler.wfile.write(chunk)


def bombs() -> dict[str, Any]:
    """300 MB of spaces, packed once and twice; made for the test, since every process that tests reads this module."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = b"<p>" + b" " * 999_997
    packed = b"".join(packer.compress(block) for _ in range(300)) + packer.flush()
    return {
        "/bomb": (200, packed, HTML | {"Content-Encoding": "gzip"}),
        "/bomb-in-a-bomb": (200, gzip.compress(packed), HTML | {"Content-Encoding": "gzip, gzip"}),
    }


# path → (what the server answers, statuses of which one must stand in the rejected feed)
FAILURES: dict[str, tuple[Any, set[str]]] = {
    "/redirects-for-ever": ((302, b"", {"Location": "/redirects-for-ever"}), {"redirect_loop"}),
    "/404": ((404, b"<h1>Not here</h1>", HTML), {"missing"}),
    "/410": ((410, b"", HTML), {"missing"}),
    "/401": ((401, b"", HTML), {"blocked"}),
    "/403": ((403, b"<h1>Forbidden</h1>", HTML), {"blocked"}),
    "/429": ((429, b"", HTML), {"blocked"}),
    "/451": ((451, b"", HTML), {"blocked"}),
    "/500": ((500, b"<h1>Oops</h1>", HTML), {"server_error"}),
    "/503": ((503, b"", HTML), {"server_error"}),
    "/418": ((418, b"", HTML), {"http_error"}),
    "/hangs": (hang, {"download"}),
    "/drips": (drip, {"download"}),
    "/resets": (reset, {"download"}),
    "/stops": (stop_in_the_middle, {"download"}),
    "/not-http": (not_http, {"download"}),
    "/big": ((200, b"<p>large " * 5_500_000, HTML), {"too_large"}),
    "/endless-body": (endless_body, {"too_large"}),
    "/bomb": (None, {"too_large"}),
    "/bomb-in-a-bomb": (None, {"too_large"}),
    "/broken-gzip": (
        (200, b"\x1f\x8b\x08 not at all", HTML | {"Content-Encoding": "gzip"}),
        {"download", "empty", "not_html"},
    ),
    "/many-codings": ((200, b"<p>x", HTML | {"Content-Encoding": "gzip, " * 40 + "gzip"}), {"download"}),
    "/many-frames": ((200, b"\x50\x2a\x4d\x18\0\0\0\0" * 1_000_000, HTML | {"Content-Encoding": "zstd"}), {"download"}),
    "/empty-packed": ((200, gzip.compress(b""), HTML | {"Content-Encoding": "gzip"}), {"empty"}),
    "/404-packed": ((404, gzip.compress(b""), HTML | {"Content-Encoding": "gzip"}), {"missing"}),
    "/empty": ((200, b"", HTML), {"empty"}),
    "/blank": ((200, b" \n" * 1000, HTML), {"empty"}),
    "/png": ((200, b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 400, HTML), {"not_html"}),
    "/declared-png": ((200, b"\x89PNG\r\n\x1a\n", {"Content-Type": "image/png"}), {"not_html"}),
    "/pdf": ((200, b"%PDF-1.7\n" + b"x" * 5000, {"Content-Type": "text/html"}), {"not_html"}),
    "/json": ((200, b'{"a": 1}', {"Content-Type": "application/json"}), {"not_html"}),
}

# Pages without an article in them that are costly for a careless parser: any verdict will do, but in time.
SHAPES: dict[str, bytes] = {
    "/deep": b"<div>" * 100_000 + b"x",
    "/deep-lists": b"<ul><li>" * 50_000,
    "/wide": b"<p>" + b"<b></b>" * 1_000_000,
    "/attributes": b"<p " + b" ".join(b'a%d="%d"' % (k, k) for k in range(40_000)) + b">x</p>",
    "/one-long-tag": b"<a " + b"x" * 5_000_000,
    "/angle-brackets": b"<" * 2_000_000,
    "/quotes": b"<a href='" * 300_000,
    "/entities": b"<p>" + b"&" * 1_000_000 + b"&#x10FFFF;" * 10_000,
    "/comments": b"<!--" * 300_000,
    "/scripts": b"<script>" * 200_000,
    "/json-ld": b'<script type="application/ld+json">' + b'{"a":[' * 200_000 + b"</script>",
    "/refreshes": b'<meta http-equiv="refresh" content="0">' * 20_000,
    "/digits": b"<p>" + b"2025-01-" * 200_000,
    "/links": b"".join(b'<a href="/x/%d">A headline of link %d</a>' % (k, k) for k in range(100_000)),
    "/tables": b"<table><tr><td>" * 60_000,
    "/nul": b"<p>a\x00b\x00" * 100_000,
    "/utf-16": "<p>half a page".encode("utf-16")[:-1],
    "/surrogates": b"<p>" + b"\xed\xa0\x80" * 10_000,
}


@pytest.fixture
def hostile(server: Any) -> tuple[list[str], dict[str, str]]:
    """Addresses of all bad pages; of the good ones, address → headline."""
    for path, answer in ({path: answer for path, (answer, _) in FAILURES.items()} | bombs()).items():
        server.answers[path] = [answer]
    for path, body in SHAPES.items():
        server.put(path, b"<!doctype html><html><head><title>Shape</title></head><body>" + body)
    good = {f"/good-{k}": server.article(f"/good-{k}") for k in range(4)}
    good["/unclosed"] = server.article("/unclosed").replace("</p>", "").replace("</article>", "").replace("</h1>", "</h2>")
    good["/mixed-encodings"] = server.article("/mixed-encodings")
    good["/deep-article"] = server.article("/deep-article").replace("<nav>", "<div>" * 3000 + "<nav>")
    for path, text in good.items():
        data = text.encode()
        if path == "/mixed-encodings":
            data = data.replace(b", said the keeper", b", s\xe9id the k\xffeper", 3)
        server.put(path, data)
    return [server.url(p) for p in [*FAILURES, *SHAPES]], {server.url(p): server.headline(p) for p in good}


def test_a_site_of_horrors(
    hostile: tuple[list[str], dict[str, str]],
    run_crawl: Run,
    make_sites: Run,
    address_file: Run,
    server: Any,
    tmp_path: Path,
) -> None:
    bad, good = hostile
    half = len(bad) // 2
    crawl = run_crawl(
        tmp_path / "news.jsonl",
        *("-a", address_file(*list(good)[:2], *bad[:half], *list(good)[2:4], *bad[half:], *list(good)[4:])),
        sites=make_sites({"name": "made", "start": [server.url("/")], "concurrency": 16}),
        settings={"DOWNLOAD_TIMEOUT": 2, "RETRY_TIMES": 1, "EXTRACTION_TIMEOUT": 20},
        seconds=MOST_SECONDS,
        watch_memory=True,
    )
    crawl.check()
    assert {line["url"]: line["title"] for line in crawl.records if line["url"] in good} == good
    verdicts: dict[str, set[str]] = {}
    for line in crawl.rejected:
        verdicts.setdefault(line["url"], set()).add(line["status"])
        assert line["reason"], line
    for path, (_, allowed) in FAILURES.items():
        assert verdicts.get(server.url(path), set()) & allowed, (path, verdicts.get(server.url(path)))
    assert {"41 content codings", "100 zstd frames"} <= {
        part for line in crawl.rejected for part in ("41 content codings", "100 zstd frames") if part in line["reason"]
    }
    known = set(verdicts) | {line["url"] for line in crawl.records}
    assert [path for path in SHAPES if server.url(path) not in known] == [], "lost"
    assert [url for url, found in verdicts.items() if "failed" in found] == [], "stopped or defect"
    assert len(crawl.peaks) >= 3
    assert sum(crawl.peaks.values()) < MOST_MEMORY, crawl.peaks


def test_headers_without_end(small_crawl: Run, make_sites: Run, address_file: Run, server: Any, tmp_path: Path) -> None:
    """Twisted limits a line of a head, but not their number: they filled the memory of the crawl's process."""
    sent: dict[str, int] = {}

    def flood(handler: Any) -> None:
        block = (b"HTTP/1.1 100 Continue\r\n\r\n" if handler.path == "/interim" else b"X-More: of the same\r\n") * 5_000
        handler.wfile.write(b"" if handler.path == "/interim" else b"HTTP/1.1 200 OK\r\n")
        sent[handler.path] = 0
        handler.close_connection = True
        with suppress(OSError):
            for _ in range(1_000):
                handler.wfile.write(block)
                sent[handler.path] += len(block)

    for path in ("/endless", "/interim"):
        server.answers[path] = [flood]
    urls = [server.url("/endless"), server.url("/interim"), server.put_article("/good")]
    sites = make_sites({"name": "made", "start": [server.url("/")]})
    crawl = small_crawl(tmp_path / "news.jsonl", "-a", address_file(*urls), sites=sites, settings={"RETRY_TIMES": 0}).check()
    assert [line["url"] for line in crawl.records] == urls[2:]
    assert {line["url"]: line["status"] for line in crawl.rejected} == dict.fromkeys(urls[:2], "download")
    assert max(sent.values()) < 20_000_000


def test_headers_do_not_act_on_the_terminal(small_crawl: Run, make_sites: Run, server: Any, tmp_path: Path) -> None:
    server.answers["/"] = [(200, b"<p>x", HTML | {"Content-Encoding": "\x1b]52;c;ea==\x07", "X": "\x1b"})]
    crawl = small_crawl(tmp_path / "news.jsonl", sites=make_sites({"name": "made", "start": [server.url("/")]}))
    assert "\\x1b]52;c;ea==\\x07" in crawl.err
    assert "\x1b" not in crawl.err


def test_passing_failures_are_tried_three_times(
    small_crawl: Run, make_sites: Run, address_file: Run, server: Any, tmp_path: Path
) -> None:
    """A later run tries again what failed temporarily, in all three times; what is missing stays missing."""
    urls = address_file(server.put("/500", status=500), server.put("/404", status=404), server.put("/late", status=503))
    server.put("/late", status=503)
    server.put_article("/late")
    sites = make_sites({"name": "made", "start": [server.url("/")]})
    asked = []
    for _ in range(4):
        crawl = small_crawl(tmp_path / "news.jsonl", "-a", urls, sites=sites, settings={"RETRY_TIMES": 0}).check()
        asked.append([len(server.times(path)) for path in ("/500", "/404", "/late")])
    assert asked == [[1, 1, 1], [2, 1, 2], [3, 1, 3], [3, 1, 3]]
    assert [line["url"] for line in crawl.records] == [server.url("/late")]
    assert [line["attempt"] for line in crawl.rejected if line["url"].endswith("/500")] == [1, 2, 3]


def test_a_page_that_takes_too_long_costs_only_itself(
    run_crawl: Run, make_sites: Run, address_file: Run, server: Any, tmp_path: Path
) -> None:
    """No page is known that takes really long: so the time is made very short, and a huge page is given."""
    links = "".join(f'<a href="/x/{k}">A headline of link {k}</a> x ' for k in range(180_000))
    large = server.put("/large", server.article("/large", tail=links))
    good = [server.put_article(f"/good-{k}") for k in range(3)]
    sites = make_sites({"name": "made", "start": [server.url("/")]})
    arguments = ("-a", address_file(good[0], large, *good[1:]))
    feed = tmp_path / "news.jsonl"
    crawl = run_crawl(feed, *arguments, sites=sites, settings={"EXTRACTION_TIMEOUT": 0.4, "EXTRACTION_WORKERS": 1}).check()
    assert sorted(line["url"] for line in crawl.records) == sorted(good)
    assert [(line["url"], line["status"], line["reason"]) for line in crawl.rejected] == [
        (large, "failed", "stopped after 0.4 s")
    ]
    again = run_crawl(feed, *arguments, sites=sites).check()
    assert len(again.records) == 4, "with more time it is a record"


BROKEN = """
import pipelines.page_work as pages

extracted = pages.extracted

def broken(page, *arguments):
    if page.url.endswith("/stuck"):
        raise RuntimeError("no text for you")
    return extracted(page, *arguments)

pages.extracted = broken
from scrapy.cmdline import execute
execute()
"""


def test_the_links_of_a_page_that_cannot_be_extracted_are_followed(
    run_crawl: Run, make_sites: Run, server: Any, tmp_path: Path
) -> None:
    behind = server.put_article("/behind")
    stuck = server.put(
        "/stuck", server.article("/stuck", tail='<a href="/behind">What happened behind the harbour wall</a>')
    )
    server.put("/", server.listing("/stuck"))
    sites = make_sites({"name": "made", "start": [server.url("/")], "from_articles": True})
    crawl = run_crawl(tmp_path / "news.jsonl", sites=sites, program=BROKEN, settings={"EXTRACTION_WORKERS": 0})
    assert [line["url"] for line in crawl.records] == [behind], crawl.err
    assert [line["status"] for line in crawl.rejected if line["url"] == stuck] == ["failed"]
