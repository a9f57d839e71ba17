"""Pages that belong together: articles over several pages, refreshes, canonical addresses."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]


@pytest.fixture
def crawl_of(small_crawl: Run, make_sites: Run, address_file: Run, server: Any, tmp_path: Path) -> Run:
    """A crawl of some addresses of the one server; ``/start`` leads nowhere."""

    def run(*urls: str, settings: dict[str, Any] | None = None, **site: Any) -> Any:
        sites = make_sites({"name": "made", "start": [server.url("/start")], **site})
        return small_crawl(tmp_path / "news.jsonl", "-a", address_file(*urls), sites=sites, settings=settings).check()

    return run


def paragraphs(server: Any, name: str) -> list[str]:
    page = server.article(name)
    return [part.split("</p>")[0] for part in page[page.index("byline") :].split("<p>")[1:]]


def put_pages(server: Any, name: str, count: int) -> list[str]:
    """An article over several pages that name each other with rel=next and page numbers."""
    paths = [f"/2025/05/06/{name}.html"] + [f"/2025/05/06/{name}-{k}.html" for k in range(2, count + 1)]
    numbers = "".join(f'<a href="{path}">{k}</a> ' for k, path in enumerate(paths, 1))
    for k, path in enumerate(paths):
        head = f'<link rel="next" href="{paths[k + 1]}">' if k + 1 < count else ""
        head += f'<link rel="prev" href="{paths[k - 1]}">' if k else ""
        server.put(path, server.article(path, head=head, tail=f'<div class="pagination">{numbers}</div>'))
    return paths


def canonical(server: Any, path: str) -> str:
    return f'<link rel="canonical" href="{server.url(path)}">'


def test_articles_over_several_pages(server: Any, crawl_of: Run) -> None:
    """One whole, one with a page that is missing."""
    whole, broken = (put_pages(server, name, 3) for name in ("whole-story", "broken-story"))
    server.answers[broken[1]] = [(404, b"<h1>gone</h1>", {"Content-Type": "text/html"})]
    crawl = crawl_of(*(server.url(paths[0]) for paths in (whole, broken)))
    records = {line["url"]: line for line in crawl.records}
    assert set(records) == {server.url(paths[0]) for paths in (whole, broken)}

    def check(paths: list[str], present: list[str]) -> None:
        record = records[server.url(paths[0])]
        assert record["pages"] == len(present)
        assert record["title"] == server.headline(paths[0])
        positions = [record["text"].find(paragraph) for path in present for paragraph in paragraphs(server, path)]
        assert -1 not in positions
        assert positions == sorted(positions)

    check(whole, whole)
    check(broken, [broken[0], broken[2]])
    assert [crawl.reasons[path] for path in (*whole[1:], *broken[1:])] == ["part", "part", "missing", "part"]


def test_a_later_page_that_has_moved_is_joined_too(server: Any, crawl_of: Run) -> None:
    paths = put_pages(server, "moved-story", 2)
    server.answers["/moved-second-page.html"] = server.answers.pop(paths[1])
    server.put(paths[1], status=301, Location="/moved-second-page.html")
    (record,) = crawl_of(server.url(paths[0])).records
    assert record["pages"] == 2
    assert paragraphs(server, paths[1])[0] in record["text"]


def test_redirects_and_refreshes_are_followed(server: Any, crawl_of: Run) -> None:
    server.put_article("/refreshed")
    server.put_article("/redirected")
    page = '<html><head><meta http-equiv="refresh" content="0;url=/refreshed"></head><body>Moved.</body></html>'
    olds = [server.put("/old", page), server.put("/older", status=301, Location="/between")]
    server.put("/between", status=302, Location="/redirected")
    crawl = crawl_of(*olds)
    assert sorted(line["url"] for line in crawl.records) == [server.url("/redirected"), server.url("/refreshed")]
    assert crawl.reasons == {"/old": "redirected", "/older": "redirected"}


def test_canonical_is_followed(server: Any, make_server: Run, crawl_of: Run) -> None:
    other = make_server("127.0.0.2")
    other.put_article("/story")
    server.put_article("/story", head=canonical(server, "/story"))
    copies = [server.put(f"/copy-{k}", server.article("/story", head=canonical(server, "/story"))) for k in range(2)]
    abroad = server.put_article("/abroad", head=canonical(other, "/story"))
    front = server.put_article("/of-the-front-page", head=canonical(server, "/"))
    crawl = crawl_of(*copies, abroad, front)
    assert sorted(line["url"] for line in crawl.records) == [abroad, front, server.url("/story")]
    assert crawl.reasons == {"/copy-0": "not_canonical", "/copy-1": "not_canonical"}
    assert len(server.times("/story")) == 1
    assert [len(server.times(f"/copy-{k}")) for k in range(2)] == [1, 1], "their record is written: they are not read again"
    assert other.hits == [], "the canonical address of another site is left alone"


def test_canonical_ignored_on_wish(server: Any, crawl_of: Run) -> None:
    server.put_article("/story")
    crawl = crawl_of(server.put_article("/copy", head=canonical(server, "/story")), canonical="ignore")
    assert [line["url"] for line in crawl.records] == [server.url("/copy")]
    assert crawl.records[0]["canonical_url"] == server.url("/story")


@pytest.mark.parametrize("broken", ["missing", "loop", "hangs up"])
def test_a_canonical_address_that_does_not_work(broken: str, server: Any, crawl_of: Run) -> None:
    """The page itself is taken, once, and the next run knows it."""
    if broken == "loop":
        server.put("/story", status=302, Location="/story")
    elif broken == "hangs up":
        server.put("/story", lambda handler: handler.connection.shutdown(socket.SHUT_RDWR))
    page = server.put_article("/copy", head=canonical(server, "/story"))
    crawl = crawl_of(page, settings={"RETRY_TIMES": 1})
    assert [line["url"] for line in crawl.records] == [page]
    assert crawl.reasons["/story"] == {"missing": "missing", "loop": "redirect_loop", "hangs up": "download"}[broken]
    asked = len(server.times("/copy"))
    again = crawl_of(page)
    assert "0 new, 1 already there" in again.err
    assert len(server.times("/copy")) == asked


def test_two_pages_that_name_each_other_as_canonical(server: Any, crawl_of: Run) -> None:
    server.put_article("/b", head=canonical(server, "/a"))
    crawl = crawl_of(server.put_article("/a", head=canonical(server, "/b")))
    assert [line["url"] in (server.url("/a"), server.url("/b")) for line in crawl.records] == [True], crawl.rejected


def test_a_canonical_address_that_leads_back_loses_no_article(server: Any, crawl_of: Run) -> None:
    """``/2025/05/07/back`` redirects to ``…/back/``, and that page names the former as canonical."""
    old, new = "/2025/05/07/back", "/2025/05/07/back/"
    server.put_article(new, head=canonical(server, old))
    server.answers[old] = [(301, b"", {"Location": server.url(new)})]
    crawl = crawl_of(server.url(new))
    assert [line["url"] for line in crawl.records] == [server.url(new)]


def test_pages_that_name_one_dead_canonical_address_are_all_kept(server: Any, crawl_of: Run) -> None:
    paths = [f"/2025/05/08/story-{k}.html" for k in range(3)]
    for path in paths:
        server.put_article(path, head=canonical(server, "/2025/05/08/gone.html"))
    crawl = crawl_of(*map(server.url, paths))
    assert {line["url"] for line in crawl.records} == {server.url(path) for path in paths}
    assert crawl.reasons["/2025/05/08/gone.html"] == "missing"


def test_a_redirect_to_another_site_gives_no_record_of_this_one(server: Any, make_server: Run, crawl_of: Run) -> None:
    other = make_server("127.0.0.2")
    other.put_article("/2025/05/09/foreign.html")
    path = "/2025/05/09/away.html"
    server.answers[path] = [(301, b"", {"Location": other.url("/2025/05/09/foreign.html")})]
    crawl = crawl_of(server.url(path))
    assert crawl.records == []
    assert [line["url"] for line in crawl.rejected if line["status"] in ("redirected", "private")] == [server.url(path)]


def test_what_a_feed_says_later_of_a_page_is_not_lost(
    server: Any, small_crawl: Run, make_sites: Run, tmp_path: Path
) -> None:
    """The sitemap leads to the page; the feed, which knows its day, comes while the page is on its way."""
    path = "/stories/quiet-harbour"
    undated = server.article(path).replace("2025-05-06T07:08:09+00:00", "")
    asked, told = threading.Event(), threading.Event()

    def feed(handler: Any) -> None:
        asked.wait(8)
        item = f"<item><link>{server.url(path)}</link><pubDate>Tue, 06 May 2025 08:00:00 GMT</pubDate></item>"
        handler.answer(200, f"<rss><channel>{item}</channel></rss>".encode(), {"Content-Type": "application/rss+xml"})
        told.set()

    def page(handler: Any) -> None:
        asked.set()
        told.wait(8)
        time.sleep(1)  # for the crawler to read the feed
        handler.answer(200, undated.encode(), {"Content-Type": "text/html"})

    server.put("/feed.xml", feed)
    server.put(path, page)
    server.put("/sitemap.xml", f"<urlset><url><loc>{server.url(path)}</loc></url></urlset>", kind="application/xml")
    sites = make_sites({"name": "made", "sitemaps": [server.url("/sitemap.xml")], "feeds": [server.url("/feed.xml")]})
    crawl = small_crawl(tmp_path / "news.jsonl", sites=sites).check()
    assert [(line["date"], line["date_source"]) for line in crawl.records] == [("2025-05-06T08:00:00+00:00", "feed")]
