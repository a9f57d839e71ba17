"""A weblog as stock themes write it: from its home page alone, and from its sitemap alone, all posts and nothing else."""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from spiders.news import ABOUT_SITE

pytestmark = pytest.mark.crawl

SAMPLE = Path(__file__).parents[1] / "sample_site"
BLOG = "http://www.merrow-notes.example"
Run = Callable[..., Any]


def truth(kind: str) -> set[str]:
    rows = (json.loads(line) for line in (SAMPLE / "expected_blog.jsonl").read_text("utf-8").splitlines())
    return {row["address"] for row in rows if row["kind"] == kind}


def skipped(crawl: Any) -> dict[str, str]:
    """URLs that a crawl has not requested, with reasons."""
    with closing(sqlite3.connect(crawl.feed.with_suffix(".state"))) as state:
        return dict(state.execute("SELECT url, reason FROM state_skipped"))


@pytest.fixture(params=["home", "sitemap", "feed"])
def blog(request: pytest.FixtureRequest, small_crawl: Run, make_sites: Run, tmp_path: Path) -> tuple[str, Any]:
    ways = {
        "home": {"start": [BLOG + "/"]},
        "sitemap": {"sitemaps": [BLOG + "/sitemap.xml"]},
        "feed": {"feeds": [BLOG + "/feed.xml"]},
    }
    sites = make_sites({"name": "notes", "serve": str(SAMPLE / "blog"), **ways[request.param]})
    return request.param, small_crawl(tmp_path / "news.jsonl", sites=sites, settings={"LOG_LEVEL": "DEBUG"}).check()


def test_all_posts_are_records_and_no_archive_feed_or_fixed_page_is(blog: tuple[str, Any]) -> None:
    way, crawl = blog
    found = {line["url"] for line in crawl.records}
    assert found <= truth("article")
    assert len(found) == len(crawl.records)
    assert len(found) == (5 if way == "feed" else len(truth("article")))
    if way != "feed":
        assert f"{BLOG}/about/" not in crawl.fetched_with(200)
        assert skipped(crawl)[f"{BLOG}/about/"] == ABOUT_SITE
        assert crawl.reasons["/page/2/"] == "listing"
    assert all(line["pages"] == 1 for line in crawl.records), "archives were joined to one record"


def test_archives_that_lead_to_nothing_new_are_left_out(blog: tuple[str, Any]) -> None:
    way, crawl = blog
    fetched = crawl.fetched_with(200)
    assert len(fetched) == len(set(fetched))
    if way == "home":
        archives = [url for url in fetched if any(part in url for part in ("/tag/", "/category/", "/author/", "/2025/"))]
        lists = set(archives) - truth("article")
        assert len(lists) <= 10, sorted(lists)
        assert len([url for url in fetched if url in truth("listing")]) < len(truth("listing")) / 2


def test_a_tag_that_alone_leads_to_a_post_is_read_to_its_end(
    server: Any, small_crawl: Run, make_sites: Run, tmp_path: Path
) -> None:
    """Two months tell nothing new; the tags have a post that no list names, so all of them are read."""
    listed = [server.put_article(f"/posts/{number}") for number in range(6)]
    hidden = [server.put_article(f"/posts/hidden-{number}") for number in range(3)]
    tags = "".join(f'<a rel="tag" href="/tag/{number}/">tag {number}</a> ' for number in range(3))
    months = "".join(f'<a href="/2025/0{number}/">month {number}</a> ' for number in range(1, 7))
    front = server.listing(*[url.partition(str(server.port))[2] for url in listed])
    server.put("/", front.replace("</body>", f"<p>{tags}{months}</p></body>"))
    for number, url in enumerate(hidden):
        server.put(f"/tag/{number}/", server.listing(url.partition(str(server.port))[2]))
    for number in range(1, 7):
        server.put(f"/2025/0{number}/", front)
    sites = make_sites({"name": "x", "start": [server.url()]})
    crawl = small_crawl(tmp_path / "news.jsonl", sites=sites).check()
    assert {line["url"] for line in crawl.records} == {*listed, *hidden}
    assert sum(path.startswith("/2025/") for _, path, _ in server.hits) == 2


def test_no_record_lies_outside_allow_and_none_in_follow(
    server: Any, small_crawl: Run, make_sites: Run, tmp_path: Path
) -> None:
    good, other, followed = (server.put_article(path) for path in ("/news/good", "/other/article", "/lists/article"))
    server.put("/", server.listing("/news/good", "/other/article", "/lists/article"))
    sitemap = "".join(f"<url><loc>{url}</loc></url>" for url in (good, other, followed))
    server.put("/sitemap.xml", f"<urlset>{sitemap}</urlset>", kind="application/xml")
    for name, patterns, expected in (
        ("a", {"allow": ["/news/"]}, {good}),
        ("b", {"follow": ["/lists/"]}, {good, other}),
        ("c", {"deny": ["/news/"], "allow": ["/news/", "/lists/"], "follow": ["/lists/"]}, {followed}),
    ):
        table = {"name": name, "start": [server.url()], "sitemaps": [server.url("/sitemap.xml")], **patterns}
        crawl = small_crawl(tmp_path / f"{name}.jsonl", sites=make_sites(table)).check()
        assert {line["url"] for line in crawl.records} == expected, name


def test_two_sites_of_one_host_keep_to_their_folders_and_delays(
    server: Any, small_crawl: Run, make_sites: Run, tmp_path: Path
) -> None:
    for folder in ("one", "two"):
        paths = [f"/{folder}/post-{number}" for number in range(3)]
        for path in paths:
            server.put_article(path)
        other = "two" if folder == "one" else "one"
        server.put(f"/{folder}/", server.listing(*paths, f"/{other}/post-1"))
    server.put("/robots.txt", "User-agent: *\nDisallow: /two/post-2\n", kind="text/plain")
    tables = (
        {"name": "one", "start": [server.url("/one/")], "delay": 0},
        {"name": "two", "start": [server.url("/two/")], "delay": 0.3, "concurrency": 1, "obey_robots": False},
    )
    crawl = small_crawl(tmp_path / "news.jsonl", sites=make_sites(*tables)).check()
    by_site = {name: {line["url"] for line in crawl.records if line["site"] == name} for name in ("one", "two")}
    assert by_site == {name: {server.url(f"/{name}/post-{k}") for k in range(3)} for name in ("one", "two")}
    times = [at for at, path, _ in server.hits if path.startswith("/two/")]
    assert min(later - earlier for earlier, later in pairwise(times)) >= 0.2


def test_a_crawl_without_an_article_says_what_may_help_and_has_an_exit_code_of_its_own(
    server: Any, small_crawl: Run, make_sites: Run, tmp_path: Path
) -> None:
    links = "".join(f'<a href="/app/{number}">A view of the application with number {number}</a>' for number in range(5))
    server.put("/", f"<html><title>Shell</title><body>{links}</body></html>")
    for number in range(5):
        server.put(f"/app/{number}", "<html><title>Shell</title><body><div id=root></div></body></html>")
    crawl = small_crawl(tmp_path / "news.jsonl", sites=make_sites({"name": "shell", "start": [server.url()]})).check(3)
    line = next(line for line in crawl.err.splitlines() if line.startswith("shell: "))
    assert "render = true" in line
    assert crawl.records == []


def test_a_sitemap_may_be_a_feed(server: Any, make_sites: Run, small_crawl: Run, tmp_path: Path) -> None:
    """As in the robots.txt of many blogs."""
    links = [
        f"<entry><title>Story {n}</title><link href='{server.put_article(f'/story-{n}.html')}'/></entry>" for n in (1, 2)
    ]
    server.put("/atom.xml", f"<feed xmlns='http://www.w3.org/2005/Atom'>{''.join(links)}</feed>", kind="text/xml")
    site = {"name": "made", "start": [], "sitemaps": [server.url("/atom.xml")]}
    done = small_crawl(tmp_path / "news.jsonl", sites=make_sites(site)).check()
    assert {record["url"] for record in done.records} == {server.url(f"/story-{n}.html") for n in (1, 2)}


@pytest.mark.parametrize(("body", "status"), [("<html><body>Not here</body></html>", 200), ("", 404)])
def test_a_sitemap_that_names_nothing_is_the_key_to_change(
    server: Any, make_sites: Run, small_crawl: Run, tmp_path: Path, body: str, status: int
) -> None:
    server.put("/map.xml", body, status=status)
    site = {"name": "made", "start": [], "sitemaps": [server.url("/map.xml")]}
    done = small_crawl(tmp_path / "news.jsonl", sites=make_sites(site)).check(3)
    assert "set sitemaps = " in done.err
    assert "render" not in done.err


def test_a_list_that_was_taken_for_an_article_is_taken_back(
    server: Any, small_crawl: Run, make_sites: Run, tmp_path: Path
) -> None:
    """Its articles answer late, so that its record is written before theirs."""
    names = [f"/posts/{number}" for number in range(4)]
    texts = {name: re.findall("<p>.*?</p>", server.article(name)) for name in names}
    listed = server.article("/late")
    server.put("/late", re.sub("(<p>.*</p>)", "".join("".join(texts[name][:2]) for name in names), listed))
    urls = [server.url("/late")]
    for name in names:
        body = server.article(name).encode()

        def late(handler: Any, body: bytes = body) -> None:
            time.sleep(1.5)
            handler.answer(200, body, {"Content-Type": "text/html; charset=utf-8"})

        urls.append(server.put(name, late))
    days = [
        datetime.now(UTC).date() - timedelta(days=9 * number) for number in range(len(urls))
    ]  # the newest is asked for first
    rows = "".join(f"<url><loc>{url}</loc><lastmod>{day}</lastmod></url>" for url, day in zip(urls, days, strict=True))
    server.put("/sitemap.xml", f"<urlset>{rows}</urlset>", kind="text/xml")
    sites = make_sites({"name": "x", "sitemaps": [server.url("/sitemap.xml")], "concurrency": 1})
    database = f"database=sqlite:///{tmp_path / 'news.db'}"
    crawl = small_crawl(tmp_path / "news.jsonl", "-a", database, sites=sites).check()
    assert crawl.reasons["/late"] == "withdrawn"
    assert f"{len(names)} new, 0 already there" in crawl.err
    with closing(sqlite3.connect(tmp_path / "news.db")) as connection:
        states = connection.execute("SELECT url, status, revision FROM articles WHERE status != 'ok'").fetchall()
    assert states == [(server.url("/late"), "withdrawn", 1)]
    taken_back = next(line["id"] for line in crawl.rejected if line["status"] == "withdrawn")
    lines = [line for line in crawl.records if line["id"] == taken_back]
    assert [(line["url"], line["revision"], line["status"]) for line in lines] == [
        (server.url("/late"), 0, "ok"),
        (server.url("/late"), 1, "withdrawn"),
    ]
    assert {line["url"] for line in crawl.records} == set(urls)


def titled_page(server: Any, name: str, second: str) -> str:
    """A page whose only h1 is the site's name, which its stated title begins with."""
    page = re.sub("<title>.*?</title>", f"<title>The Quay Weekly: {second}</title>", server.article(name))
    return re.sub("<h1[^>]*>.*?</h1>", "<h1>The Quay Weekly</h1>", page)


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 1, 0, 2)])
def test_a_title_that_all_pages_have_is_corrected_in_the_records_that_are_written_already(
    order: tuple[int, ...], server: Any, small_crawl: Run, make_sites: Run, tmp_path: Path
) -> None:
    titles = ["Fog on the bay", "A lock without its key", "Ferry late once more", "Gulls at the town hall"]
    names = [f"/posts/{number}" for number in range(4)]
    for name, title in zip(names, titles, strict=True):
        assert "<h1>The Quay Weekly</h1>" in titled_page(server, name, title)
        server.put(name, titled_page(server, name, title))
    days = {number: datetime.now(UTC).date() - timedelta(days=9 * place) for place, number in enumerate(order)}
    rows = "".join(f"<url><loc>{server.url(names[n])}</loc><lastmod>{days[n]}</lastmod></url>" for n in range(4))
    server.put("/sitemap.xml", f"<urlset>{rows}</urlset>", kind="text/xml")
    sites = make_sites({"name": "x", "sitemaps": [server.url("/sitemap.xml")], "concurrency": 1})
    database = f"database=sqlite:///{tmp_path / 'news.db'}"
    crawl = small_crawl(tmp_path / "news.jsonl", "-a", database, sites=sites).check()
    last = {line["url"]: line for line in crawl.records}
    assert {url: line["title"] for url, line in last.items()} == {
        server.url(name): title for name, title in zip(names, titles, strict=True)
    }
    early = [server.url(names[number]) for number in order[:2]]
    assert sorted(url for url, line in last.items() if line["revision"] == 1) == sorted(early)
    with closing(sqlite3.connect(tmp_path / "news.db")) as connection:
        rows = connection.execute("SELECT url, title, revision FROM articles").fetchall()
    assert sorted(rows) == sorted((url, line["title"], line["revision"]) for url, line in last.items())

    # A later run knows the site's title from the feed.
    written = len(crawl.records)
    server.put("/posts/4", titled_page(server, "/posts/4", "Rain until Friday"))
    server.put("/new.xml", f"<urlset><url><loc>{server.url('/posts/4')}</loc></url></urlset>", kind="text/xml")
    sites = make_sites({"name": "x", "sitemaps": [server.url("/new.xml")]})
    again = small_crawl(tmp_path / "news.jsonl", sites=sites).check()
    assert [(line["title"], line["revision"]) for line in again.records[written:]] == [("Rain until Friday", 0)]


def test_a_fixed_page_that_a_later_run_comes_to_is_judged_as_by_the_first(
    server: Any, small_crawl: Run, make_sites: Run, tmp_path: Path
) -> None:
    """Only articles link to it, and they are not fetched again: what has led to it is written down."""
    names = [f"/posts/{number}" for number in range(6)]
    server.put("/", server.listing(*names))
    for name in names:
        server.put_article(
            name, tail='<p><a href="/harbour/masters-house">The house</a> <a rel=author href="/people/mara">Mara</a></p>'
        )
    undated = re.sub('<meta property="article:published_time"[^>]*>', "", server.article("/house"))
    for path in ("/harbour/masters-house", "/people/mara"):
        for _ in range(3):
            server.put(path, "busy", status=503)
        server.put(path, undated.replace("/house", path))
    sites = make_sites({"name": "x", "start": [server.url()], "from_articles": True})
    first = small_crawl(tmp_path / "news.jsonl", sites=sites).check()
    assert first.reasons["/harbour/masters-house"] == "server_error"
    again = small_crawl(tmp_path / "news.jsonl", sites=sites).check()
    assert {line["url"] for line in again.records} == {server.url(name) for name in names}, again.err
    assert again.reasons["/harbour/masters-house"] == "not_article"
    assert "it has no date" in next(line["reason"] for line in again.rejected if line["status"] == "not_article")


@pytest.mark.parametrize("way", ["home", "sitemap"])
def test_a_post_of_one_sentence_is_an_article_beside_the_others_of_its_blog(
    server: Any, small_crawl: Run, make_sites: Run, tmp_path: Path, way: str
) -> None:
    def note(title: str, text: str, dated: str, rest: str = "") -> str:
        menu = '<ul><li><a href="/pages/help">Help</a></li><li><a href="/code">code</a></li></ul>'
        body = f"{menu}<h2>{title}</h2><p>{dated}</p><p>{text}</p>{rest}"
        return f"<html><head><title>{title}</title></head><body>{body}</body></html>"

    short = "Virtual reality has reached the consoles at last, and to our surprise it is pretty good."
    names = [f"/posts/{number}" for number in range(6)]
    latest = "".join(f"<li><a href={name}>Why the lamp {name} burns all day long</a></li>" for name in names)
    server.put("/", server.listing(*names, "/posts/note", "/posts/beside", "/posts/undated").replace(
        "</body>", '<h2><a href="/posts/boats">Boats</a></h2></body>'
    ))  # fmt: skip
    for name in names:
        server.put_article(name)
    day = "17 September 2026"
    server.put("/posts/note", note("A note on consoles", short, day))
    server.put("/posts/beside", note("The four kitchens of the old house", f"{short} And more.", day, f"<ul>{latest}</ul>"))
    server.put("/posts/undated", note("What we do here", short.replace("consoles", "kitchens"), ""))
    server.put("/posts/boats", note("Boats", short.replace("consoles", "boats"), day, f"<ul>{latest}</ul>"))
    pages = "".join(f"<url><loc>{server.url(name)}</loc></url>" for name in (*names, "/posts/beside", "/posts/boats"))
    server.put("/sitemap.xml", f"<urlset>{pages}</urlset>", kind="text/xml")
    ways = {"sitemaps": [server.url("/sitemap.xml")]} if way == "sitemap" else {}
    sites = make_sites({"name": "x", "start": [server.url()], "min_length": 60, **ways})
    crawl = small_crawl(tmp_path / "news.jsonl", sites=sites).check()
    found = {line["url"]: line["text"] for line in crawl.records}
    assert found.keys() == {server.url(name) for name in (*names, "/posts/note", "/posts/beside")}, crawl.rejected
    assert not any("Help" in text or "burns" in text for text in found.values())
    assert (crawl.reasons["/posts/undated"], crawl.reasons["/posts/boats"]) == ("not_article", "listing")


def test_a_sitemaps_archives_wait_until_its_articles_are_read(
    server: Any, small_crawl: Run, make_sites: Run, tmp_path: Path
) -> None:
    """Nine tags that name what the sitemap names, too, are not worth nine requests; a post among dated folders is found."""
    names = [f"/posts/{number}" for number in range(12)]
    for name in names:
        server.put_article(name)
    tags = [f"/tag/{number}/" for number in range(9)]
    for tag in tags:
        server.put(tag, server.listing(*names[:3]))
    rows = "".join(f"<url><loc>{server.url(path)}</loc></url>" for path in (*tags, *names))
    server.put("/sitemap.xml", f"<urlset>{rows}</urlset>", kind="text/xml")
    sites = make_sites({"name": "x", "sitemaps": [server.url("/sitemap.xml")], "delay": 0})
    crawl = small_crawl(tmp_path / "news.jsonl", sites=sites).check(0)
    assert {line["url"] for line in crawl.records} == {server.url(name) for name in names}
    assert sum(path.startswith("/tag/") for _, path, _ in server.hits) == 2


@pytest.mark.parametrize("keys", [{}, {"sitemaps": ["robots.txt"]}])
def test_the_feed_of_a_home_page_without_links_is_read_where_nothing_else_is_named(
    server: Any, small_crawl: Run, make_sites: Run, tmp_path: Path, keys: dict[str, Any]
) -> None:
    posts = [server.put_article(f"/posts/{number}") for number in range(3)]
    items = "".join(f"<item><link>{url}</link></item>" for url in posts)
    server.put("/feed.xml", f"<rss><channel>{items}</channel></rss>", kind="application/rss+xml")
    server.put(
        "/",
        "<head><link rel=alternate type=application/rss+xml href=/feed.xml></head><a href=/about/>About</a><div id=app></div>",
    )
    crawl = small_crawl(tmp_path / "news.jsonl", sites=make_sites({"name": "x", "start": [server.url()], **keys})).check(
        None
    )
    assert {line["url"] for line in crawl.records} == (set() if keys else set(posts))
    assert ("its feed" in crawl.err) is not bool(keys)
