"""Pages that belong together: articles over several pages, refreshes, canonical addresses."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]


@pytest.fixture
def crawl_of(run_crawl: Run, make_sites: Run, address_file: Run, server: Any, tmp_path: Path) -> Run:
    """A crawl of some addresses of the one server; ``/start`` leads nowhere."""

    def run(*urls: str, settings: dict[str, Any] | None = None, **site: Any) -> Any:
        sites = make_sites({"name": "made", "start": [server.url("/start")], **site})
        return run_crawl(tmp_path / "news.jsonl", "-a", address_file(*urls), sites=sites, settings=settings).check()

    return run


def paragraphs(server: Any, name: str) -> list[str]:
    page = server.article(name)
    return [part.split("</p>")[0] for part in page[page.index("byline") :].split("<p>")[1:]]


def put_pages(server: Any, count: int) -> list[str]:
    """An article over several pages that name each other with rel=next and page numbers."""
    paths = ["/2025/05/06/long-story.html"] + [f"/2025/05/06/long-story-{k}.html" for k in range(2, count + 1)]
    numbers = "".join(f'<a href="{path}">{k}</a> ' for k, path in enumerate(paths, 1))
    for k, path in enumerate(paths):
        head = f'<link rel="next" href="{paths[k + 1]}">' if k + 1 < count else ""
        head += f'<link rel="prev" href="{paths[k - 1]}">' if k else ""
        server.put(path, server.article(path, head=head, tail=f'<div class="pagination">{numbers}</div>'))
    return paths


def test_pages_of_an_article_are_joined(server: Any, crawl_of: Run) -> None:
    paths = put_pages(server, 3)
    crawl = crawl_of(server.url(paths[0]))
    (record,) = crawl.records
    assert record["pages"] == 3
    assert record["title"] == server.headline(paths[0])
    positions = [record["text"].find(paragraph) for path in paths for paragraph in paragraphs(server, path)]
    assert -1 not in positions
    assert positions == sorted(positions)
    assert crawl.reasons == {paths[1]: "part", paths[2]: "part"}


def test_a_page_that_fails_leaves_the_others(server: Any, crawl_of: Run) -> None:
    paths = put_pages(server, 3)
    server.answers[paths[1]] = [(404, b"<h1>gone</h1>", {"Content-Type": "text/html"})]
    crawl = crawl_of(server.url(paths[0]))
    (record,) = crawl.records
    assert record["pages"] == 2
    assert paragraphs(server, paths[0])[0] in record["text"]
    assert paragraphs(server, paths[2])[0] in record["text"]
    assert crawl.reasons == {paths[1]: "missing", paths[2]: "part"}


def test_a_page_that_redirects_is_joined_too(server: Any, crawl_of: Run) -> None:
    paths = put_pages(server, 2)
    server.answers["/moved-second-page.html"] = server.answers.pop(paths[1])
    server.put(paths[1], status=301, Location="/moved-second-page.html")
    (record,) = crawl_of(server.url(paths[0])).records
    assert record["pages"] == 2
    assert paragraphs(server, paths[1])[0] in record["text"]


def test_meta_refresh_is_followed(server: Any, crawl_of: Run) -> None:
    server.put_article("/new")
    old = server.put("/old", '<html><head><meta http-equiv="refresh" content="0;url=/new"></head><body>Moved.</body></html>')
    crawl = crawl_of(old)
    assert [line["url"] for line in crawl.records] == [server.url("/new")]
    assert crawl.reasons == {"/old": "redirected"}


def test_redirect_is_followed(server: Any, crawl_of: Run) -> None:
    server.put_article("/new")
    crawl = crawl_of(server.put("/old", status=301, Location="/newer"), server.put("/newer", status=302, Location="/new"))
    assert [line["url"] for line in crawl.records] == [server.url("/new")]
    assert crawl.reasons["/old"] == "redirected"


def canonical(server: Any, path: str) -> str:
    return f'<link rel="canonical" href="{server.url(path)}">'


def test_canonical_is_followed(server: Any, crawl_of: Run) -> None:
    server.put_article("/story", head=canonical(server, "/story"))
    copies = [server.put(f"/copy-{k}", server.article("/story", head=canonical(server, "/story"))) for k in range(2)]
    crawl = crawl_of(*copies)
    assert [line["url"] for line in crawl.records] == [server.url("/story")]
    assert crawl.reasons == {"/copy-0": "not_canonical", "/copy-1": "not_canonical"}
    assert len(server.times("/story")) == 1


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


def test_a_canonical_address_of_another_site_is_left_alone(server: Any, make_server: Run, crawl_of: Run) -> None:
    other = make_server("127.0.0.2")
    other.put_article("/story")
    crawl = crawl_of(server.put_article("/copy", head=canonical(other, "/story")))
    assert [line["url"] for line in crawl.records] == [server.url("/copy")]
    assert other.hits == []
