"""The sample forums, search engines and list pages are whole, lead everywhere, and their truth stands on the pages."""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit
from urllib.robotparser import RobotFileParser

import pytest

from newsextract.page.parsing import parse
from spiders.addresses import FolderServer, query_file

HERE = Path(__file__).resolve().parent
FORUMS = {
    "panels": "www.merrow-forum.example",
    "table": "forum.netmakers-guild.example",
    "stream": "talk.meridian-makers.example",
    "columns": "bbs.haimen-quan.example",
    "questions": "ask.tidal-answers.example",
    "comments": "www.matou-hua.example",
    "grid": "forum.oakum-locker.example",
    "tracker": "issues.dredger-works.example",
    "archive": "lists.tidewrack.example",
}
PLAIN = "archive"
"""Has one message a page, without anchors and class names."""
ENGINES = {
    "classic": "hafen-suche.example",
    "cards": "www.lantern-finder.example",
    "tables": "so.haimen-so.example",
    "meta": "searx.merrow-net.example",
    "rows": "www.alte-lotse.example",
}
FORBIDS = "rows"
NEWS, WIRE = "www.harbour-ledger.example", "www.coast-wire.example"
FOLDERS = {
    **{host: HERE / "forum" / layout for layout, host in FORUMS.items()},
    **{host: HERE / "search" / engine for engine, host in ENGINES.items()},
    WIRE: HERE / "lists" / "wire",
    NEWS: HERE / "www",
}
DATES = {  # as a page of the layout shows them
    "panels": lambda m: f"{m:%a %b %d, %Y} {m.hour % 12 or 12}:{m:%M} {m:%p}".replace("AM", "am").replace("PM", "pm"),
    "table": lambda m: f"{m:%B %Y}, {m.hour % 12 or 12}:{m:%M} {m:%p}",
    "stream": lambda m: f"{m:%Y-%m-%dT%H:%M:%S}Z",
    "columns": lambda m: f"{m.year}-{m.month}-{m.day} {m:%H:%M}",
    "questions": lambda m: f"{m:%Y-%m-%d %H:%M:%S}Z",
    "comments": lambda m: f"{m:%Y-%m-%d %H:%M:%S} +08:00",
    "grid": lambda m: f"{m:%d %b %Y %H:%M}",
    "tracker": lambda m: f"{m:%m/%d/%Y} {m.hour % 12 or 12}:{m:%M} {m:%p}",
    "archive": lambda m: f"{m:%a, %d %b %Y %H:%M:%S} +0000",
}
MOST_BYTES = 1_650_000
SHARED_NAMES = 0.2
"""Share of class names that two layouts may have in common."""


def _truth(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]


THREADS, HITS, LISTS = (_truth(f"expected_{name}.jsonl") for name in ("posts", "hits", "lists"))


@pytest.fixture(scope="module")
def server() -> Iterator[FolderServer]:
    with FolderServer(FOLDERS) as server:
        yield server


@cache
def _get(proxy: str, url: str) -> tuple[int, bytes]:
    parts = urlsplit(proxy)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=5)
    try:
        connection.request("GET", url)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def _read(server: FolderServer, url: str) -> str:
    """The page's source."""
    status, raw = _get(server.address, _wire(url))
    assert status == 200, url
    return raw.decode("gbk" if re.search(rb'charset="?gb', raw) else "utf-8")


def _wire(url: str) -> str:
    """An address as a browser sends it."""
    parts = urlsplit(url)
    query = urlencode(parse_qsl(parts.query, keep_blank_values=True))
    path = "".join(
        letter if letter.isascii() else "".join(f"%{byte:02X}" for byte in letter.encode()) for letter in parts.path
    )
    return f"{parts.scheme}://{parts.netloc}{path or '/'}" + (f"?{query}" if query else "")


def _links(source: str, base: str) -> set[str]:
    """Absolute addresses of links, pictures, style sheets and of forms that need no typing."""
    found = {unescape(link) for link in re.findall(r'(?:href|src)="([^"]+)"', source)}
    for action, inside in re.findall(r'<form method="GET" action="([^"]+)"[^>]*>(.*?)</form>', source):
        hidden = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', inside)
        if hidden:
            found.add(f"{action}?{urlencode([(name, unescape(value)) for name, value in hidden])}")
    return {urljoin(base, link) for link in found}


def _plain(source: str) -> str:
    """The page's text, without any white space."""
    return "".join(unescape(re.sub(r"<[^>]+>", "", source)).split())


def _built() -> list[str]:
    """Addresses of all built pages, made from their file names."""
    found = []
    for host, folder in FOLDERS.items():
        for path in sorted(folder.rglob("*.html")) if host != NEWS else ():
            above, name = path.relative_to(folder).parent.as_posix(), path.name.removesuffix(".html")
            name, _, query = name.partition("@")
            name = f"{name}.html" if "@" not in path.name else name
            place = f"{'' if above == '.' else above + '/'}{'' if name in ('index', 'index.html') else name}"
            found.append(f"http://{host}/{place}" + (f"?{query}" if query else ""))
    return found


PAGES = _built()


def test_there_is_enough() -> None:
    assert len(THREADS) >= 30
    assert sum(len(thread["posts"]) for thread in THREADS) >= 150
    assert {thread["layout"] for thread in THREADS} == set(FORUMS)
    assert {thread["language"] for thread in THREADS} == {"en", "zh"}
    for layout in FORUMS.keys() - {PLAIN}:
        assert max(len(thread["pages"]) for thread in THREADS if thread["layout"] == layout) >= 2, layout
    for engine in ENGINES:
        pages = [line for line in HITS if line["layout"] == engine and line["hits"]]
        queries = {line["query"] for line in pages}
        assert len(queries) == 6, engine
        assert all(2 <= sum(line["query"] == query for line in pages) <= 3 for query in queries), engine
    assert {"grid", "river", "days", "lines", "modern", "portal"} == {line["layout"] for line in LISTS}


def test_it_stays_small() -> None:
    assert (
        sum(path.stat().st_size for folder in ("forum", "search", "lists") for path in (HERE / folder).rglob("*.*"))
        < MOST_BYTES
    )


@pytest.mark.parametrize("url", PAGES)
def test_page(server: FolderServer, url: str) -> None:
    """It is served under its address, has a title and text, and every link inside the sample world leads to a page."""
    source = _read(server, url)
    root = parse(source)
    assert root is not None
    assert (root.css_first("title").text() or "").strip()
    assert (root.css_first("body").text() or "").strip()
    known = [link for link in _links(source, url) if urlsplit(link).hostname in FOLDERS]
    assert known or "<a " not in source
    assert [link for link in known if _get(server.address, _wire(link.partition("#")[0]))[0] != 200] == []


@pytest.mark.parametrize("host", [host for host in FOLDERS if host != NEWS])
def test_style_sheet(server: FolderServer, host: str) -> None:
    """Every site has a style sheet of its own that lays the page out, and its front page asks for it."""
    assert f"http://{host}/static/style.css" in _links(_read(server, f"http://{host}/"), f"http://{host}/")
    css = _read(server, f"http://{host}/static/style.css")
    assert len(css) > 500
    assert css.count("{") == css.count("}")
    assert host in (ENGINES["rows"], FORUMS[PLAIN]) or re.search(r"float:|grid|flex|border-collapse|\.tborder", css)


@pytest.mark.parametrize("layout", FORUMS)
def test_every_thread_is_reached_from_the_front_page(server: FolderServer, layout: str) -> None:
    """All pages of all threads, with links alone and without what robots.txt forbids."""
    front = f"http://{FORUMS[layout]}/"
    robots = RobotFileParser()
    robots.parse(_read(server, front + "robots.txt").splitlines())
    seen, waiting = {front}, [front]
    while waiting:
        url = waiting.pop()
        for link in (link.partition("#")[0] for link in _links(_read(server, url), url)):
            if (
                link not in seen
                and urlsplit(link).hostname == FORUMS[layout]
                and robots.can_fetch("x", link)
                and "/static/" not in link
            ):
                seen.add(link)
                waiting.append(link)
    wanted = {page["address"] for thread in THREADS if thread["layout"] == layout for page in thread["pages"]}
    assert wanted - seen == set()


@pytest.mark.parametrize("thread", THREADS, ids=lambda thread: f"{thread['layout']}-{thread['title'][:20]}")
def test_posts_stand_on_their_pages(server: FolderServer, thread: dict[str, Any]) -> None:
    posts = {post["position"]: post for post in thread["posts"]}
    assert sorted(posts) == list(range(1, len(posts) + 1))
    assert {position for page in thread["pages"] for position in page["positions"]} == set(posts)
    assert thread["address"] == thread["pages"][0]["address"]
    for page in thread["pages"]:
        source = _read(server, page["address"])
        text = _plain(source)
        assert _plain(thread["title"]) in text
        end = 0
        for position in page["positions"]:
            post = posts[position]
            assert "".join(post["author"].split()) in text
            assert DATES[thread["layout"]](datetime.fromisoformat(post["date"])) in source
            for piece in post["text"].split("\n\n"):
                end = text.index("".join(piece.split()), end)
            for quote in post["quotes"]:
                assert quote["text"] not in post["text"]
                assert "".join(quote["text"].split()) in text.replace("&gt;", "").replace(">", "")
            for comment in post.get("comments", ()):
                assert "".join(comment["text"].split()) in text


@pytest.mark.parametrize("thread", THREADS, ids=lambda thread: f"{thread['layout']}-{thread['title'][:20]}")
def test_permalinks_lead_to_the_posts(server: FolderServer, thread: dict[str, Any]) -> None:
    links = [post["permalink"] for post in thread["posts"]]
    assert len(set(links)) == len(links)
    for post in thread["posts"] if thread["layout"] != PLAIN else ():
        page, _, anchor = post["permalink"].partition("#")
        assert page == post["page"]
        assert post["position"] in next(line["positions"] for line in thread["pages"] if line["address"] == page)
        source = _read(server, page)
        assert f'id="{anchor}"' in source
        assert post["permalink"] in _links(source, page), "the page itself links to it"


@pytest.mark.parametrize("line", HITS, ids=lambda line: f"{line['layout']}-{line['query']}-{line['page']}")
def test_hits_stand_on_their_pages(server: FolderServer, line: dict[str, Any]) -> None:
    source = _read(server, line["address"])
    text, links = _plain(source), _links(source, line["address"])
    assert line["next"] is None or line["next"] in {unescape(link) for link in links}
    if line["hits"]:
        assert "".join(line["query"].split()) in "".join(unescape(source).split())
    end = 0
    for hit in line["hits"]:
        end = text.index("".join(hit["title"].split()), end)
        end = text.index("".join(hit["snippet"].split()), end)
        assert hit["address"] in links
        assert hit["date"] is None or datetime.fromisoformat(hit["date"])
        if urlsplit(hit["address"]).hostname in FOLDERS:
            assert _get(server.address, _wire(hit["address"]))[0] == 200


def test_ranks_run_over_the_pages_of_a_query() -> None:
    for engine in ENGINES:
        for query in {line["query"] for line in HITS if line["layout"] == engine}:
            pages = sorted(
                (line for line in HITS if (line["layout"], line["query"]) == (engine, query)), key=lambda line: line["page"]
            )
            ranks = [hit["rank"] for line in pages for hit in line["hits"]]
            assert ranks == list(range(1, len(ranks) + 1))
            assert [line["next"] for line in pages] == [*[line["address"] for line in pages[1:]], None]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_unknown_query_has_no_hits(server: FolderServer, engine: str) -> None:
    line = next(line for line in HITS if line["layout"] == engine and not line["hits"])
    source = _read(server, line["address"])
    assert source == _read(server, line["address"].replace(line["query"], "what+else%3F"))
    assert not {hit["address"] for other in HITS for hit in other["hits"]} & _links(source, line["address"])


def test_robots() -> None:
    """One engine forbids its result pages, the others allow them."""
    for engine, host in ENGINES.items():
        robots = RobotFileParser()
        robots.parse((FOLDERS[host] / "robots.txt").read_text().splitlines())
        address = next(line["address"] for line in HITS if line["layout"] == engine)
        assert robots.can_fetch("x", address) == (engine != FORBIDS)
        assert robots.can_fetch("x", f"http://{host}/")


@pytest.mark.parametrize("line", LISTS, ids=lambda line: line["address"])
def test_teasers_stand_on_their_pages(server: FolderServer, line: dict[str, Any]) -> None:
    source = _read(server, line["address"])
    text, links = _plain(source), _links(source, line["address"])
    assert line["items"]
    assert line["next"] is None or line["next"] in links
    assert [item["position"] for item in line["items"]] == list(range(1, len(line["items"]) + 1))
    end = 0
    for item in line["items"]:
        end = text.index("".join(item["title"].split()), end)
        assert item["address"] in links
        assert _get(server.address, item["address"])[0] == 200
        if item["text"]:
            end = text.index("".join(item["text"].split()), end)


def test_layouts_differ(server: FolderServer) -> None:
    """No two layouts of a kind share many class names."""
    shown = [{layout: next(t["address"] for t in THREADS if t["layout"] == layout) for layout in FORUMS.keys() - {PLAIN}}]
    shown.append({engine: next(line["address"] for line in HITS if line["layout"] == engine) for engine in ENGINES})
    for group in shown:
        names = {
            layout: set(" ".join(re.findall(r'class="([^"]+)"', _read(server, url))).split())
            for layout, url in group.items()
        }
        for one, own in names.items():
            assert len(own) >= 5, one
            for other, theirs in names.items():
                assert one == other or len(own & theirs) <= SHARED_NAMES * min(len(own), len(theirs)), (
                    one,
                    other,
                    own & theirs,
                )


def test_the_builder_names_files_as_the_server_looks_for_them() -> None:
    for url in PAGES:
        parts = urlsplit(url)
        folder, _, name = parts.path.lstrip("/").rpartition("/")
        if parts.query:
            assert (FOLDERS[parts.hostname or ""] / folder / query_file(name, parts.query)).is_file(), url
