"""Crawls that write archives, and the same records again from those: by the archive spider and the command line."""

from __future__ import annotations

import gzip
import json
import random
import re
import shutil
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import brotli
import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from newsextract import Hints
from newsextract.archives import ArchivedArticle, Failure, extract_entry, find_archives, read_entries, read_pages
from newsextract.archives.entries import WALK_TYPE, Described, Part, SiteFacts
from newsextract.archives.warc import WarcWriter
from newsextract.discovery import record_id
from newsextract.feed import line as line_of
from newsextract.feed.record_lines import ReadPage
from tests.crawl import launcher
from tests.made_archives import AT, exchange

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]
NEWSEXTRACT = str(Path(sys.executable).with_name("newsextract"))
ROOT = Path(__file__).parents[2]


_MARK = re.compile(rb'"duplicate_of": "[0-9a-f]{16}"')


def whole_lines(path: Path) -> list[bytes]:
    """The lines of a feed, byte by byte but for what depends on their order, in an order of their own."""
    return sorted(_MARK.sub(b'"duplicate_of": null', line) for line in path.read_bytes().splitlines())


def command(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    done = launcher.run("newsextract", "extract", *arguments)
    assert "Traceback" not in done.stderr
    return done


def answers(folder: Path) -> Iterator[tuple[str, Any, bytes]]:
    """(kind, record, content) of all records, as warcio reads them, digests checked."""
    for path in sorted(folder.iterdir()):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                yield record.rec_type, record, record.raw_stream.read()


def by_path(folder: Path, server: Any) -> dict[str, tuple[int, dict[str, str], bytes]]:
    """Path → status, headers and body of its last answer."""
    found = {}
    for kind, record, body in answers(folder):
        if kind == "response":
            path = record.rec_headers.get_header("WARC-Target-URI").removeprefix(server.url().rstrip("/"))
            headers = {name.lower(): value for name, value in record.http_headers.headers}
            found[path] = int(record.http_headers.get_statuscode()), headers, body
    return found


def articles_in(path: Path, live: Any) -> list[bytes]:
    """The lines of a feed without those of pages that a live crawl has rejected by what the other records of the site say:
    its archive has them, and no single page tells."""
    rejected = {row["id"] for row in live.rejected if row["status"] == "not_article"}
    return [row for row in whole_lines(path) if json.loads(row)["id"] not in rejected]


def test_the_sample_newspaper_again(undisturbed: Any, run_crawl: Run, tmp_path: Path) -> None:
    """Live crawl, archive crawl, command line with 0, 1 and 2 workers, a WACZ of it: the same JSON lines, byte by byte."""
    live, warc = undisturbed, undisturbed.feed.with_name("warc")
    expected = whole_lines(live.feed)
    assert len(expected) == 55
    (path,) = warc.iterdir()
    assert path.name.endswith(".warc.gz")
    checked = Checker(type("Options", (), {"verbose": False, "inputs": [str(path)]})())
    checked.process_all()
    assert checked.exit_value == 0
    count = sum(kind == "response" for kind, _, _ in answers(warc))
    assert f"\narchive: {path} ({count} responses, {path.stat().st_size / 1e6:.1f} MB)\n" in live.err
    again = run_crawl(tmp_path / "again" / "news.jsonl", "-a", f"path={warc}", spider="archive").check()
    assert articles_in(again.feed, live) == expected
    assert again.rejected == []
    assert "55 new" in again.err, "the articles; the fixed page is known by its kind, when it is crawled"
    assert "\narchive: " not in again.err
    for workers in (0, 1, 2):
        output = tmp_path / f"{workers}.jsonl"
        done = command("--warc", warc, "-o", output, "--workers", str(workers))
        assert (done.returncode, articles_in(output, live)) == (0, expected), done.stderr
    shutil.make_archive(str(tmp_path / "x"), "zip", warc)
    (tmp_path / "x.zip").rename(tmp_path / "x.wacz")
    assert command("--warc", tmp_path / "x.wacz", "-o", tmp_path / "wacz.jsonl").returncode == 0
    assert articles_in(tmp_path / "wacz.jsonl", live) == expected
    other = command("--warc", warc, "-o", tmp_path / "other.jsonl", "--algorithm", "block_statistics")
    assert other.returncode == 0
    values = [json.loads(line) for line in (tmp_path / "other.jsonl").read_text("utf-8").splitlines()]
    assert {value["algorithm"] for value in values} == {"block_statistics"}
    assert {value["id"] for value in values} <= {json.loads(row)["id"] for row in whole_lines(again.feed)}


def test_the_same_command_goes_on(undisturbed: Any, run_crawl: Run, tmp_path: Path) -> None:
    """What stands in the output is passed over; what a kill tore off is cut and done again."""
    live, warc, output = undisturbed, undisturbed.feed.with_name("warc"), tmp_path / "out.jsonl"
    with subprocess.Popen([NEWSEXTRACT, "extract", "--warc", warc, "-o", output, "--workers", "2"]) as process:
        end = time.monotonic() + 60
        while not output.exists() or output.read_bytes().count(b"\n") < 10:
            assert process.poll() is None
            assert time.monotonic() < end
        process.kill()
    written = output.read_bytes()
    begun = written[: written.rfind(b"\n") + 1].count(b"\n")
    output.write_bytes(written + b'{"id": "torn')
    done = command("--warc", warc, "-o", output)
    assert f"{55 - begun} new, {begun} already there" in done.stderr
    assert articles_in(output, live) == whole_lines(live.feed)
    assert "0 new, 55 already there; 0 rejected; 0 pages" in command("--warc", warc, "-o", output).stderr
    again = run_crawl(output, "-a", f"path={warc}", spider="archive").check()
    assert "0 new, 55 already there" in again.err
    refused = command("--warc", warc, "-o", output, "--algorithm", "block_statistics")
    assert (refused.returncode, "holds records of combined" in refused.stderr) == (2, True)


def test_a_killed_crawl_leaves_whole_records(start_crawl: Run, run_crawl: Run, tmp_path: Path) -> None:
    """All that the feed has, the archive has; the next run mends it and ends with everything."""
    warc, feed = tmp_path / "warc", tmp_path / "news.jsonl"
    for lines in (8, 20):
        crawl = start_crawl(feed, "-a", f"warc={warc}")
        crawl.wait_for_lines(lines)
        crawl.kill()
        assert crawl.session.is_gone_within(10)
        kept = [page.url for page in read_pages(warc) if not isinstance(page, Failure)]
        whole = [line for line in feed.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]
        assert {json.loads(line)["url"] for line in whole} <= set(kept)
    assert [path for path in warc.iterdir() if path.name.endswith(".open")]
    live = run_crawl(feed, "-a", f"warc={warc}").check()
    assert not [path for path in warc.iterdir() if path.name.endswith(".open")]
    assert len(list(answers(warc))) > 100
    output = tmp_path / "again.jsonl"
    assert command("--warc", warc, "-o", output).returncode == 0
    # A page that was on its way when the crawl was killed was fetched twice, and stands in the archive twice: dates that count
    # from the fetch ("3 minutes ago") may differ. What is known of it was written before the feed, so only the feed knows which.
    articles = [step.entry for step in read_entries(find_archives([warc])) if isinstance(step.entry, ArchivedArticle)]
    copies = [json.loads(line_of(extract_entry(article))) | {"duplicate_of": None} for article in articles]
    for path in (feed, output):
        records = [json.loads(row) for row in articles_in(path, live)]
        assert {record["id"] for record in records} <= {copy["id"] for copy in copies}
        assert len(records) == len({record["id"] for record in records}) == 55
        assert [record for record in records if record | {"duplicate_of": None} not in copies] == []


@pytest.mark.parametrize("spider", ["forum", "search", "list"])
def test_pages_of_many_records_again(run_crawl: Run, tmp_path: Path, spider: str) -> None:
    more: tuple[str, ...] = ()
    if spider == "search":
        (tmp_path / "queries").write_text("harbour\nfish & chips\n港口 码头\n", "utf-8")
        more = ("-a", f"queries={tmp_path / 'queries'}", "-a", "run=first")
    warc = tmp_path / "warc"
    live = run_crawl(tmp_path / "a.jsonl", *more, "-a", f"warc={warc}", spider=spider, seconds=120).check()
    again = run_crawl(
        tmp_path / "b.jsonl", "-a", f"path={warc}", "-a", f"kind={spider}", spider="archive", seconds=120
    ).check()
    assert len(live.records) > 50
    assert whole_lines(again.feed) == whole_lines(live.feed)
    assert whole_lines(again.pages_feed) == [line for line in whole_lines(live.pages_feed) if json.loads(line)["count"]]
    kind = {"forum": "posts", "search": "hits", "list": "teasers"}[spider]
    output = tmp_path / "d.jsonl"
    assert command("--warc", warc, "-o", output, "--as", kind, "--workers", "2").returncode == 0
    assert whole_lines(output) == whole_lines(live.feed)
    news = run_crawl(tmp_path / "c.jsonl", "-a", f"path={warc}", spider="archive").check(1)  # it has no record
    assert news.records == []
    assert f"-a kind={spider} reads them" in news.err


def test_bytes_are_those_of_the_wire(server: Any, small_crawl: Run, make_sites: Run, tmp_path: Path) -> None:
    """Content codings stay, chunks are put together; redirects, errors, robots.txt, sitemap and feed are there, too."""
    page = server.article("/2025/05/06/gzip.html").encode()
    packed = {
        "gzip": gzip.compress(page), "deflate": zlib.compress(page), "br": brotli.compress(page), "plain": page,
        "torn": gzip.compress(page)[:-20],
    }  # fmt: skip

    def chunked(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/html")
        handler.send_header("Content-Encoding", "gzip")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        data = packed["gzip"]
        for k in range(0, len(data), 400):
            part = data[k : k + 400]
            handler.wfile.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
        handler.wfile.write(b"0\r\n\r\n")

    urls = [server.url(f"/2025/05/06/{name}.html") for name in (*packed, "chunked", "moved", "broken")]
    for name, body in packed.items():
        coding = {} if name == "plain" else {"Content-Encoding": "gzip" if name == "torn" else name}
        server.answers[f"/2025/05/06/{name}.html"] = [(200, body, {"Content-Type": "text/html; charset=utf-8", **coding})]
    server.put("/2025/05/06/chunked.html", chunked)
    server.put("/2025/05/06/moved.html", status=301, Location="/2025/05/06/new.html")
    server.put_article("/2025/05/06/new.html")
    server.put("/2025/05/06/broken.html", b"<h1>down</h1>", status=503)
    entries = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    server.put("/sitemap.xml", f"<urlset>{entries}</urlset>", kind="application/xml")
    item = f"<item><link>{urls[0]}</link><title>A hint</title><pubDate>Tue, 06 May 2025 08:00:00 GMT</pubDate></item>"
    server.put("/feed.xml", f"<rss><channel>{item}</channel></rss>", kind="application/rss+xml")
    server.put("/robots.txt", "User-agent: *\nDisallow: /no/\n", kind="text/plain")
    sites = make_sites({"name": "made", "sitemaps": [server.url("/sitemap.xml")], "feeds": [server.url("/feed.xml")]})
    warc = tmp_path / "warc"
    live = small_crawl(tmp_path / "a.jsonl", "-a", f"warc={warc}", sites=sites, settings={"RETRY_TIMES": 1}).check()
    found = by_path(warc, server)
    for name, body in packed.items():
        status, headers, content = found[f"/2025/05/06/{name}.html"]
        assert (status, content) == (200, body)
        assert headers.get("content-encoding") == ({"plain": None, "torn": "gzip"}.get(name, name))
    assert found["/2025/05/06/chunked.html"][2] == packed["gzip"]
    assert "transfer-encoding" not in found["/2025/05/06/chunked.html"][1]
    assert found["/2025/05/06/moved.html"][0] == 301
    assert found["/2025/05/06/broken.html"][0] == 503
    assert {"/robots.txt", "/sitemap.xml", "/feed.xml"} <= set(found)
    kinds = [kind for kind, _, _ in answers(warc)]
    assert kinds.count("request") == kinds.count("response") == len(server.hits)
    assert len(live.records) == 7
    again = small_crawl(tmp_path / "b.jsonl", "-a", f"path={warc}", spider="archive").check()
    assert whole_lines(again.feed) == whole_lines(live.feed)


def test_articles_over_several_pages_and_what_is_turned_away(
    server: Any, small_crawl: Run, make_sites: Run, address_file: Run, tmp_path: Path
) -> None:
    paths = [f"/2025/05/06/long{end}.html" for end in ("", "-2", "-3")]
    numbers = "".join(f'<a href="{path}">{k}</a> ' for k, path in enumerate(paths, 1))
    for k, path in enumerate(paths):
        head = f'<link rel="next" href="{paths[k + 1]}">' if k < 2 else ""
        server.put(path, server.article(path, head=head, tail=f'<div class="pagination">{numbers}</div>'))
    server.put_article("/2025/05/06/old.html")
    server.put("/2025/05/06/short.html", "<html><head><meta property=og:type content=article></head><h1>S</h1><p>Short.</p>")
    urls = [server.url(path) for path in (paths[0], "/2025/05/06/old.html", "/2025/05/06/short.html")]
    sites = make_sites({"name": "made", "start": [server.url("/start")], "min_length": 200})
    warc = tmp_path / "warc"
    live = small_crawl(tmp_path / "a.jsonl", "-a", address_file(*urls), "-a", f"warc={warc}", sites=sites).check()
    assert sorted(record["pages"] for record in live.records) == [1, 3]
    output = tmp_path / "b.jsonl"
    assert command("--warc", warc, "-o", output).returncode == 0
    assert whole_lines(output) == whole_lines(live.feed)
    (short,) = [json.loads(line) for line in whole_lines(output.with_suffix(".rejected.jsonl"))]
    assert short == next(line for line in live.rejected if line["url"] == urls[2])


def test_a_full_disk_stops_the_crawl(
    server: Any, run_crawl: Run, make_sites: Run, address_file: Run, tmp_path: Path
) -> None:
    """Nothing is recorded that is not in the archive; when there is room again, the same command ends the work."""
    import resource
    import signal

    noise = random.Random(1)  # so that the archive is larger than feed and state
    urls = [
        server.put_article(f"/2025/05/06/story-{k}.html", head=f"<!-- {noise.randbytes(60_000).hex()} -->")
        for k in range(60)
    ]
    sites = make_sites({"name": "made", "start": [server.url("/start")]})

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))

    warc, feed, addresses = tmp_path / "warc", tmp_path / "a.jsonl", address_file(*urls)
    arguments = ("-a", addresses, "-a", f"warc={warc}")
    stopped = run_crawl(feed, *arguments, sites=sites, preexec_fn=limited, settings={"EXTRACTION_WORKERS": 0})
    assert stopped.code == 5
    assert stopped.err.count("cannot write") == 1
    assert ".warc.gz" in stopped.err
    assert "Traceback" not in stopped.err
    kept = {page.url for page in read_pages(warc) if not isinstance(page, Failure)}
    assert {record["url"] for record in stopped.records} <= kept
    done = run_crawl(feed, *arguments, sites=sites).check()
    assert {record["url"] for record in done.records} == set(urls)


@pytest.mark.usefixtures("rendering")
def test_rendered_pages_again(server: Any, run_crawl: Run, make_sites: Run, address_file: Run, tmp_path: Path) -> None:
    """The walk is in the archive, and the bytes that the server sent; the records come from the walk."""
    path = "/2025/05/06/drawn.html"
    late = "Written by a script: " + "the harbour was calm, said the keeper of the books. " * 6
    script = f'<script>document.querySelector("article").insertAdjacentHTML("beforeend", "<p>{late}</p>")</script>'
    source = server.article(path, tail=script)
    server.put(path, source)
    server.put("/2025/05/06/gone.html", "<h1>gone</h1>", status=404)
    sites = make_sites({"name": "made", "start": [server.url("/start")], "render": True})
    urls = [server.url(path), server.url("/2025/05/06/gone.html")]
    warc = tmp_path / "warc"
    live = run_crawl(tmp_path / "a.jsonl", "-a", address_file(*urls), "-a", f"warc={warc}", sites=sites, seconds=90).check()
    (record,) = live.records
    assert late.strip() in record["text"]
    found = by_path(warc, server)
    assert found[path][2].decode() == source
    assert found["/2025/05/06/gone.html"][0] == 404
    walks = [
        r for kind, r, _ in answers(warc) if kind == "metadata" and r.rec_headers.get_header("Content-Type") == WALK_TYPE
    ]
    (response,) = [
        r for kind, r, _ in answers(warc) if kind == "response" and r.rec_headers.get_header("WARC-Target-URI") == urls[0]
    ]
    assert [walk.rec_headers.get_header("WARC-Refers-To") for walk in walks] == [
        response.rec_headers.get_header("WARC-Record-ID")
    ]
    output = tmp_path / "b.jsonl"
    assert command("--warc", warc, "-o", output).returncode == 0
    assert whole_lines(output) == whole_lines(live.feed)
    again = run_crawl(tmp_path / "c.jsonl", "-a", f"path={warc}", spider="archive").check()
    assert whole_lines(again.feed) == whole_lines(live.feed)


def test_damage_is_told_and_costs_nothing_else(undisturbed: Any, run_crawl: Run, tmp_path: Path) -> None:
    """One wrong byte in the middle: the articles that do not need it are there, by spider and command line alike."""
    live, warc = undisturbed, tmp_path / "warc"
    shutil.copytree(undisturbed.feed.with_name("warc"), warc)
    (path,) = warc.iterdir()
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    output = tmp_path / "b.jsonl"
    assert command("--warc", warc, "-o", output).returncode == 0
    assert len(live.records) - 1 <= len(articles_in(output, live)) <= len(live.records)
    rejected = [json.loads(line) for line in whole_lines(output.with_suffix(".rejected.jsonl"))]
    assert {line["status"] for line in rejected} == {"damaged"}
    again = run_crawl(tmp_path / "c.jsonl", "-a", f"path={warc}", spider="archive").check()
    assert whole_lines(again.feed) == whole_lines(output)
    assert whole_lines(again.rejected_feed) == whole_lines(output.with_suffix(".rejected.jsonl"))
    assert re.search(rf"^unknown +0 +0 +{len(rejected)}   damaged {len(rejected)}$", again.err, re.MULTILINE)


def test_no_record_and_a_site_that_is_not_there_are_told(small_crawl: Run, tmp_path: Path) -> None:
    """A folder of feeds is no archive: each line is turned away. The site that was asked for has no page in what is one."""
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "news.jsonl").write_text('{"url": "https://courier.example/a", "text": "A record."}\n' * 2)
    (folder / "pages.jsonl").write_text('{"url": "https://courier.example/b", "html": "<p>Short."}\n')
    crawl = small_crawl(tmp_path / "a.jsonl", "-a", f"path={folder}", "-a", "sites=nope", spider="archive").check(1)
    assert "note: no page of site nope; of kind 'news' the archives hold: courier.example\n" in crawl.err
    assert re.search(r"^unknown +0 +0 +2   damaged 2$", crawl.err, re.MULTILINE)
    assert {line["reason"].partition(";")[0] for line in crawl.rejected} == {"no page: has neither html nor body"}


def test_forged_pages_of_records_cost_themselves(small_crawl: Run, tmp_path: Path) -> None:
    """What a metadata record says is from outside: it ended the run, and each later one."""
    posts = "".join(
        f"<div class=post id=p{k}><a class=author href=/u/{k}>User {k}</a> <time datetime=2026-01-0{k + 1}T10:00:00Z></time>"
        f"<div class=body><p>This is what number {k} has to say of the bridge, in words of its own: {'x' * k}.</p></div></div>"
        for k in range(8)
    )
    pages = {
        "deny": ({"deny": ("(",)}, {}, posts), "url": ({}, {"thread_url": 5}, posts), "id": ({}, {"thread_id": {"a": 1}}, posts),
        "kind": ({}, {"kind": ["x"]}, posts), "other": ({}, {"of another version": 1}, posts), "good": ({}, {}, posts),
    }  # fmt: skip
    writer = WarcWriter(tmp_path / "warc", "forum")
    for name, (site, more, body) in pages.items():
        url = f"https://forum.example/t/{name}"
        made = exchange(name, f"<html><title>Bridge</title><h1>Bridge</h1>{body}".encode(), url=url)
        page, _ = writer.exchange(made)
        line = ReadPage(
            id=record_id(url), url=url, site="forum", kind="thread", number=1, first=1, count=8, records=[], next=None,
            thread_id=name, thread_url=url, fetched_at=AT.isoformat(),
        )  # fmt: skip
        facts = SiteFacts("forum", "forum", "visual_blocks", domains=("forum.example",), **site)
        part = Part.at(page, url, AT)
        writer.describe(Described(facts, url, Hints(), [part], line=asdict(line) | more), AT)
    writer.close()
    crawl = small_crawl(
        tmp_path / "a.jsonl", "-a", f"path={tmp_path / 'warc'}", "-a", "kind=forum", spider="archive"
    ).check()
    assert "Traceback" not in crawl.err
    assert {post["thread_id"] for post in crawl.records} == {"good"}
    assert sorted(row["status"] for row in crawl.rejected) == [*["damaged"] * 4, "failed"]
    reasons = sorted(row["reason"].removeprefix("its ").split()[0].rstrip(":") for row in crawl.rejected)
    assert reasons == ["deny", "kind", "not", "thread_id", "thread_url"], crawl.rejected


def test_a_pattern_of_an_archive_does_not_hold_up_the_run(small_crawl: Run, tmp_path: Path) -> None:
    writer = WarcWriter(tmp_path / "warc", "list")
    url = "https://forum.example/list"
    links = "".join(f'<li><a href="/{"a" * 60}{k}!">Teaser number {k} of the list</a><p>Some words.</p>' for k in range(20))
    made, _ = writer.exchange(exchange("list", f"<html><title>List</title><ul>{links}</ul>".encode(), url=url))
    line = ReadPage(
        id=record_id(url), url=url, site="courier", kind="list", number=1, first=1, count=8, records=[], next=None,
        list_url=url, fetched_at=AT.isoformat(),
    )  # fmt: skip
    facts = SiteFacts("courier", "list", "visual_blocks", domains=("forum.example",), deny=("(a+)+$",))
    part = Part.at(made, url, AT)
    writer.describe(Described(facts, url, Hints(), [part], line=asdict(line)), AT)
    writer.close()
    began = time.monotonic()
    crawl = small_crawl(tmp_path / "a.jsonl", "-a", f"path={tmp_path / 'warc'}", "-a", "kind=list", spider="archive")
    assert time.monotonic() - began < 25
    assert [(row["status"], "(a+)+$" in row["reason"]) for row in crawl.rejected] == [("failed", True)]


def test_a_run_that_cannot_begin_is_told_by_the_exit_code(small_crawl: Run, tmp_path: Path) -> None:
    """A defect while the first entries are read: Scrapy tells it in the log, and would exit as if all was well."""
    (tmp_path / "a.html").write_text("<p>x")
    defect = "from spiders.archive import ArchiveSpider\nArchiveSpider._wants = None\n"
    program = f"{defect}from scrapy.cmdline import execute\nexecute()"
    crawl = small_crawl(tmp_path / "a.jsonl", "-a", f"path={tmp_path}", spider="archive", program=program)
    assert "ended early (start_error)" in crawl.err
    assert "why not a record" not in crawl.err, "the head of a table without rows"
    assert crawl.code == 1


@pytest.mark.parametrize(
    ("spider", "argument", "told"),
    [
        ("news", "warc=", "names no folder"),
        ("news", "warc=/proc/none", "cannot be written"),
        ("archive", "path=", "which archives?"),
        ("archive", "path=/nowhere", "no such file or folder"),
        ("archive", "wrong=1", "choose from: path"),
        ("archive", "kind=wrong", "expected one of news, forum"),
    ],
)
def test_mistakes_are_one_line(small_crawl: Run, tmp_path: Path, spider: str, argument: str, told: str) -> None:
    crawl = small_crawl(tmp_path / "a.jsonl", "-a", argument, spider=spider).check(2)
    assert told in crawl.err
    assert crawl.err.count("\n") <= 3
