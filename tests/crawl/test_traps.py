"""Sites without end: what gives nothing new is left after a while, the user is told, and the articles are found all the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]
ARTICLES = [f"/story-{word}" for word in ("anchor", "barge", "cutter", "dinghy", "ferry", "galley", "hulk", "ketch")]
MOST = 1_000
"""Pages of a trap that are fetched at most: what is fetched before the first ones have been read counts, too."""


@pytest.fixture
def crawl(server: Any, small_crawl: Run, make_sites: Run, tmp_path: Any) -> Run:
    """A crawl of the server, which has some articles; the paths of the trap that were asked for come with it."""

    def run(trap: Callable[[str], str | None], *links: str, **keys: Any) -> tuple[Any, list[str]]:
        for path in ARTICLES:
            server.put_article(path, tail="".join(f'<p><a href="{link}">More of it</a></p>' for link in links))

        class Answers(dict[str, list[Any]]):
            """What is known, and whatever the trap makes up."""

            def get(self, path: str, default: Any = None) -> Any:
                made = None if path in self else trap(path)
                if made is None:
                    return super().get(path, default)
                kind = "text/xml" if made.startswith("<?xml") else "text/html; charset=utf-8"
                return [(200, made.encode(), {"Content-Type": kind})]

        server.put("/", server.listing(*ARTICLES, *links))
        server.answers = Answers(server.answers)
        sites = make_sites({"name": "quay", "start": [server.url("/")], "concurrency": 4, "depth": 100, **keys})
        done = small_crawl(tmp_path / "news.jsonl", sites=sites, seconds=200).check()
        fetched = [path for _, path, _ in server.hits]
        return done, [path for path in fetched if path not in (*ARTICLES, "/", "/robots.txt")]

    return run


def found(done: Any) -> set[str]:
    return {urlsplit(line["url"]).path for line in done.records}


def test_a_calendar_without_end(crawl: Run, server: Any) -> None:
    def calendar(path: str) -> str | None:
        url = urlsplit(path)
        if url.path != "/diary":
            return None
        week = int(parse_qs(url.query).get("week", ["0"])[0])
        return str(server.listing(*(f"/diary?week={week + step}&day={day}" for step in (-1, 0, 1) for day in range(7))))

    done, pages = crawl(calendar, "/diary?week=0")
    assert found(done) == set(ARTICLES)
    assert 30 <= len(pages) <= MOST
    assert "/*?day=*&week=*: " in done.err


def test_session_keys_that_change_with_every_page(crawl: Run, server: Any) -> None:
    """Every page is there again and again under another URL."""
    made = iter(range(10**6))

    def shop(path: str) -> str | None:
        url = urlsplit(path)
        if not url.query:
            return None
        links = [f"{other}?visit={next(made):08x}" for other in ("/", *ARTICLES)]
        if url.path not in ARTICLES:
            return str(server.listing(*links))
        return str(server.article(url.path, tail="".join(f'<p><a href="{link}">Again</a></p>' for link in links)))

    done, pages = crawl(shop, "/?visit=ffffffff")
    assert found(done) == set(ARTICLES)
    assert 30 <= len(pages) <= MOST
    assert "?visit=*" in done.err


def test_a_sitemap_index_that_names_itself(crawl: Run, server: Any) -> None:
    made = iter(range(10**6))

    def sitemap(path: str) -> str | None:
        if not path.startswith("/sitemap"):
            return None
        names = "".join(f"<sitemap><loc>{server.url(f'/sitemap-{next(made)}.xml')}</loc></sitemap>" for _ in range(40))
        return (
            f'<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{names}</sitemapindex>'
        )

    done, pages = crawl(sitemap, sitemaps=[server.url("/sitemap.xml")])
    assert found(done) == set(ARTICLES)
    assert len(pages) <= MOST
    assert "/*.xml: " in done.err


def test_parameters_of_where_the_reader_came_from(server: Any, small_crawl: Run, make_sites: Run, tmp_path: Any) -> None:
    """Links to every article have another ``source`` on every page; lists need theirs."""
    stories = [f"/@keeper{path}" for path in ARTICLES]
    for path in stories:
        head = f'<link rel="canonical" href="{server.url(path)}">'
        links = "".join(
            f'<p><a href="{other}?source=under{path[-3:]}">{server.headline(other)}</a></p>' for other in stories
        )
        server.put_article(path, head=head, tail=links)
    lists = ["/?source=latest", "/?source=popular"]
    server.put("/", server.listing(*(f"{path}?source=front-{k}" for path in stories[:6] for k in range(4)), *lists))
    for path in lists:
        server.put(path, server.listing(*(f"{story}?source=list{path[-3:]}" for story in stories)))
    sites = make_sites({"name": "quay", "start": [server.url("/")], "from_articles": True})
    done = small_crawl(tmp_path / "news.jsonl", sites=sites, settings={"CONCURRENT_REQUESTS": 2}).check()
    assert found(done) == set(stories)
    fetched = [path for _, path, _ in server.hits]
    assert set(lists) < set(fetched)
    assert sum(path.startswith("/@keeper") for path in fetched) <= 2 * len(stories)
