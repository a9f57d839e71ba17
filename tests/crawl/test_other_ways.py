"""Articles that no list of a site's pages names: by sitemaps and feeds at their usual places, by neighbours, by days."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]
SHELL = (
    '<html><title>Ledger</title><body><a href="/team">The team</a> <a href="/news">News</a><div id=app></div></body></html>'
)


def urlset(urls: list[str]) -> str:
    return f"<urlset>{''.join(f'<url><loc>{url}</loc></url>' for url in urls)}</urlset>"


def rss(urls: list[str]) -> str:
    return f"<rss><channel>{''.join(f'<item><link>{url}</link></item>' for url in urls)}</channel></rss>"


def asked(server: Any) -> list[str]:
    return [path for _, path, _ in server.hits]


def test_a_sitemap_at_its_usual_place_is_read_by_every_run_if_scripts_make_the_lists(
    server: Any, small_crawl: Run, make_sites: Run, tmp_path: Path
) -> None:
    server.put("/", SHELL)
    server.put("/news", SHELL)
    sites = make_sites({"name": "x", "start": [server.url()]})
    posts = [server.put_article(f"/posts/{number}") for number in range(8)]
    for count in (7, 8):
        server.put("/sitemap.xml", urlset(posts[:count]), kind="text/xml")
    for count in (7, 8):
        crawl = small_crawl(tmp_path / "news.jsonl", sites=sites).check()
        assert {line["url"] for line in crawl.records} == set(posts[:count])
        assert "/sitemap.xml is read" in crawl.err
    assert asked(server).count("/sitemap.xml") == 2
    assert "/feed" not in asked(server)
    assert not any(line["url"].endswith(("robots.txt", "sitemap.xml")) for line in crawl.rejected)


def test_a_feed_is_asked_for_if_there_is_no_sitemap(server: Any, small_crawl: Run, make_sites: Run, tmp_path: Path) -> None:
    """Also below the start page's folder; a server that answers everything with its home page names nothing."""
    posts = [server.put_article(f"/posts/{number}") for number in range(3)]
    server.put("/blog/", SHELL)
    server.put("/blog/sitemap.xml", SHELL)
    server.put("/blog/atom.xml", rss(posts), kind="text/xml")
    crawl = small_crawl(tmp_path / "news.jsonl", sites=make_sites({"name": "x", "start": [server.url("/blog/")]})).check()
    assert {line["url"] for line in crawl.records} == set(posts)
    assert "/feed.json" not in asked(server)


def test_places_that_robots_txt_forbids_are_not_asked_and_the_advice_is_to_render(
    server: Any, small_crawl: Run, make_sites: Run, tmp_path: Path
) -> None:
    for path in ("/", "/team", "/news"):
        server.put(path, SHELL)
    server.put("/robots.txt", "User-agent: *\nDisallow: /sitemap\n", kind="text/plain")
    server.put("/sitemap.xml", urlset([server.put_article("/posts/1")]), kind="text/xml")
    crawl = small_crawl(tmp_path / "news.jsonl", sites=make_sites({"name": "x", "start": [server.url()]})).check(3)
    assert "set render = true" in crawl.err
    assert not [path for path in asked(server) if path.startswith("/sitemap")]
    assert len(asked(server)) <= 20


@pytest.mark.parametrize("keys", [{}, {"feeds": ["/feed.xml"]}])
def test_nothing_is_asked_if_the_start_page_leads_to_articles_or_a_feed_is_named(
    server: Any, small_crawl: Run, make_sites: Run, tmp_path: Path, keys: dict[str, list[str]]
) -> None:
    posts = [server.put_article(f"/posts/{number}") for number in range(6)]
    paths = [url.partition(str(server.port))[2] for url in posts]
    server.put("/", SHELL if keys else server.listing(*paths))
    server.put("/feed.xml", rss(posts), kind="text/xml")
    named = {key: [server.url(path) for path in value] for key, value in keys.items()}
    crawl = small_crawl(tmp_path / "news.jsonl", sites=make_sites({"name": "x", "start": [server.url()], **named})).check()
    assert {line["url"] for line in crawl.records} == set(posts)
    assert not {"/sitemap.xml", "/feed"} & set(asked(server))


def test_a_list_that_ends_in_a_button_for_more_is_completed_by_the_sitemap(
    server: Any, small_crawl: Run, make_sites: Run, tmp_path: Path
) -> None:
    posts = [server.put_article(f"/posts/{number}") for number in range(12)]
    listed = [url.partition(str(server.port))[2] for url in posts[:7]]
    server.put("/", server.listing(*listed).replace("</body>", "<button>Load more stories</button></body>"))
    server.put("/sitemap.xml", urlset(posts), kind="text/xml")
    crawl = small_crawl(tmp_path / "news.jsonl", sites=make_sites({"name": "x", "start": [server.url()]})).check()
    assert {line["url"] for line in crawl.records} == set(posts)


@pytest.mark.parametrize("answer", ["html", "json", "wrong", None])
def test_a_button_for_more_is_pressed_and_where_it_gives_nothing_the_sitemap_is_read(
    server: Any, small_crawl: Run, make_sites: Run, tmp_path: Path, answer: str | None
) -> None:
    posts = [server.put_article(f"/posts/{number}") for number in range(18)]
    paths = [url.partition(str(server.port))[2] for url in posts]
    button = '<button data-url="/part?page={}">Load more stories</button>'
    server.put("/", server.listing(*paths[:6]).replace("</body>", f"{button.format(2)}</body>"))
    for page, shown in ((2, paths[6:12]), (3, paths[12:])):
        markup = "".join(f'<h2><a href="{path}">{server.headline(path)}</a></h2>' for path in shown)
        if answer == "html":
            server.put(f"/part?page={page}", markup + button.format(page + 1) * (page < 3))
        elif answer is not None:
            data = {"html": markup} if answer == "json" else {"error": "no key"}
            server.put(f"/part?page={page}", json.dumps(data), kind="application/json")
    server.put("/sitemap.xml", urlset(posts), kind="text/xml")
    crawl = small_crawl(tmp_path / "news.jsonl", sites=make_sites({"name": "x", "start": [server.url()]})).check()
    assert {line["url"] for line in crawl.records} == set(posts)
    assert bool(server.times("/sitemap.xml")) == (answer in ("wrong", None))


def test_an_archive_whose_first_page_shows_what_the_home_page_does_is_read_to_its_end(
    server: Any, small_crawl: Run, make_sites: Run, tmp_path: Path
) -> None:
    posts = [server.put_article(f"/posts/{number}") for number in range(12)]
    paths = [url.partition(str(server.port))[2] for url in posts]
    server.put("/", server.listing(*paths[:6]).replace("</body>", '<a href="/archive">Archive</a></body>'))
    server.put("/archive", server.listing(*paths[:6]).replace("</body>", '<a href="/archive?page=2">Next</a></body>'))
    server.put("/archive?page=2", server.listing(*paths[6:]))
    crawl = small_crawl(tmp_path / "news.jsonl", sites=make_sites({"name": "x", "start": [server.url()]})).check()
    assert {line["url"] for line in crawl.records} == set(posts)


@pytest.mark.parametrize("words", ["Previous edition", "Something else"])
def test_an_edition_leads_to_the_one_before_it_however_deep(
    server: Any, small_crawl: Run, make_sites: Run, tmp_path: Path, words: str
) -> None:
    for number in range(9):
        paths = [f"/stories/{number}{letter}" for letter in "abcd"]
        for path in paths:
            server.put_article(path)
        front = server.listing(*paths).replace("</body>", f'<a href="/editions/{99 - number}/">{words}</a></body>')
        server.put(f"/editions/{100 - number}/" if number else "/", front)
    crawl = small_crawl(tmp_path / "news.jsonl", sites=make_sites({"name": "x", "start": [server.url()]})).check()
    assert len(crawl.records) == 4 * (9 if words == "Previous edition" else 3)


@pytest.mark.parametrize("has_pager", [False, True])
def test_neighbours_lead_on_if_no_list_does(
    server: Any, small_crawl: Run, make_sites: Run, tmp_path: Path, has_pager: bool
) -> None:
    """With a pager, the key \"pagination\" says how far back the crawl goes."""
    paths = [f"/posts/{number}" for number in range(16)]
    for number, path in enumerate(paths):
        older = f'<p class=nav-previous><a href="{paths[number + 1]}">The older story</a></p>' if number < 15 else ""
        server.put_article(path, tail=f'{older}<a class=next href="/offers/1">An offer</a>')
    server.put_article("/offers/1")
    pager = '<a href="/page/2/">Next</a>' if has_pager else ""
    server.put("/", server.listing(*paths[:6]).replace("</body>", f"{pager}</body>"))
    server.put("/page/2/", server.listing(*paths[6:8]))
    crawl = small_crawl(tmp_path / "news.jsonl", sites=make_sites({"name": "x", "start": [server.url()]})).check()
    assert {line["url"] for line in crawl.records} == {server.url(path) for path in paths[: 8 if has_pager else 16]}


def test_a_day_leads_to_the_day_before_it_however_deep(
    server: Any, small_crawl: Run, make_sites: Run, tmp_path: Path
) -> None:
    days = ["/", *(f"/2026/05/{30 - number}/" for number in range(9))]
    paths = [f"/stories/{number}" for number in range(len(days))]
    for number, (day, path) in enumerate(zip(days, paths, strict=True)):
        server.put_article(path)
        before = f'<a href="{days[number + 1]}">The day before</a>' if number + 1 < len(days) else ""
        server.put(day, server.listing(path).replace("</body>", f"{before}</body>"))
    crawl = small_crawl(tmp_path / "news.jsonl", sites=make_sites({"name": "x", "start": [server.url()]})).check()
    assert {line["url"] for line in crawl.records} == {server.url(path) for path in paths}
