"""Sites with ``render = true``: what scripts put into a page is read, and no page ends the crawl."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]
Mark = dict[str, str]


def scripted(page: str) -> str:
    """A page whose body a script writes."""
    head, _, rest = page.partition("<body>")
    body, _, tail = rest.partition("</body>")
    written = body.replace("\\", "\\\\").replace("`", "").replace("</", "<\\/")
    return f"{head}<body><p>Loading</p><script>document.body.innerHTML = `{written}`</script></body>{tail}"


def test_articles_that_a_script_writes(render_crawl: Run, server: Any, address_file: Run, browsers: Run) -> None:
    """A worker process reads them as the crawl's own process does."""
    paths = [f"/2025/05/0{k}/story-number-{k}-of-the-harbour.html" for k in range(1, 6)]
    server.put("/", scripted(server.listing(*paths)))
    for path in paths:
        server.put(path, scripted(server.article(path)))
    done = render_crawl().check()
    assert sorted(line["url"] for line in done.records) == [server.url(path) for path in paths]
    for line in done.records:
        path = line["url"].removeprefix(server.url(""))
        assert line["title"] == server.headline(path)
        assert len(line["text"]) > 500
    assert "'playwright/browser_count': 1" in done.err
    assert server.hits[0][1] == "/robots.txt"
    agents = {value for _, _, headers in server.hits for name, value in headers.items() if name.lower() == "user-agent"}
    assert {agent.partition("/")[0] for agent in agents} == {"newsextract"}
    assert browsers() == set()
    records, urls = done.records, address_file(*map(server.url, paths))
    again = render_crawl("-a", urls, "-a", "revisit=all", settings={"EXTRACTION_WORKERS": 0}).check()
    assert [len(server.times(path)) for path in paths] == [2] * 5
    assert again.records == records


def test_a_start_page_that_loads_more(render_crawl: Run, server: Any) -> None:
    paths = [f"/2025/05/0{k}/story-number-{k}-of-the-harbour.html" for k in range(1, 6)]
    for path in paths:
        server.put_article(path)
    shown, _, tail = server.listing(*paths[:2]).partition("</body>")
    links = "".join(f"<p><a href='{path}'>{server.headline(path)}</a></p>" for path in paths[2:])
    more = f'<div id=more></div><button onclick="more.innerHTML = `{links}`; this.remove()">Show more</button>'
    server.put("/", f"{shown}{more}</body>{tail}")
    assert len(render_crawl().check().records) == 2
    assert len(render_crawl(scrolls=3).check().records) == 5
    hits = sum(path == paths[0] for _, path, _ in server.hits)
    assert hits == 1  # the second run knows it


def test_a_forum_and_an_engine(run_crawl: Run, make_sites: Run, forum: Any, engine: Any, tmp_path: Path) -> None:
    for thread in (7, 8, 9):
        forum.add(thread, 7)
    sites = make_sites(
        {"name": "quay", "kind": "forum", "start": [forum.board], "render": True},
        {"name": "find", "kind": "search", "search": engine.template, "render": True},
    )
    done = run_crawl(tmp_path / "forum.jsonl", sites=sites, spider="forum").check()
    found = {(int(line["thread_url"].rpartition("=")[2]), line["position"]): line["text"] for line in done.records}
    assert found == forum.expected()
    again = run_crawl(tmp_path / "forum.jsonl", sites=sites, spider="forum").check()
    assert again.records == done.records
    done = run_crawl(tmp_path / "search.jsonl", "-a", "query=tidal barrier", sites=sites, spider="search").check()
    assert sorted(line["rank"] for line in done.records) == list(range(1, 24))


def test_pages_that_go_wrong_are_told_and_the_crawl_goes_on(
    render_crawl: Run, server: Any, make_server: Run, address_file: Run, browsers: Run
) -> None:
    private = make_server("127.0.0.3")
    private.put_article("/secret")
    good = [server.put_article(f"/good/{k}") for k in range(6)]
    head = "<html><head><title>x</title></head><body><p>Some words.</p>"
    bad = {
        "/download": server.put(
            "/download", b"\0" * 5000, kind="application/octet-stream", Content_Disposition="attachment"
        ),
        "/pdf": server.put("/pdf", b"%PDF-1.4", kind="application/pdf"),
        "/missing": server.url("/missing"),
        "/away": server.put("/away", status=302, Location=private.url("/secret")),
        "/silent": server.put("/silent", lambda handler: server.released.wait(40)),
        "/huge": server.put("/huge", head + "<i></i>" * 200_001),
        "/dialogs": server.put(
            "/dialogs", server.article("/dialogs", head="<script>alert(1); confirm(2); print()</script>")
        ),
        "/popups": server.put(
            "/popups", server.article("/popups", head="<script>open('/good/1'); open('/good/2')</script>")
        ),
        "/endless": server.put("/endless", endless(server.article("/endless"))),
    }
    settings = {"RENDER_TIMEOUT": 4, "RETRY_TIMES": 0}
    done = render_crawl("-a", address_file(*good, *bad.values()), settings=settings, domains=["127.0.0.3"])
    done.check()
    found = {line["url"].removeprefix(server.url("")) for line in done.records}
    assert {f"/good/{k}" for k in range(6)} | {"/dialogs", "/popups", "/endless"} <= found
    told = {line["url"].removeprefix(server.url("")): (line["status"], line["reason"]) for line in done.rejected}
    wanted = {
        "/download": ("not_html", "download"),
        "/pdf": ("not_html", "download"),
        "/missing": ("missing", "404"),
        "/away": ("private", "private address"),
        "/silent": ("download", "no answer within 4 s"),
        "/huge": ("failed", "over the cap"),
    }
    for path, (status, reason) in wanted.items():
        assert told[path][0] == status, (path, told[path])
        assert reason in told[path][1], (path, told[path])
    assert private.hits == []
    assert browsers() == set()


def endless(page: str) -> Callable[[Any], None]:
    """An answer that never ends."""

    def handle(handler: Any) -> None:
        data = page.encode()
        handler.send_response(200)
        handler.send_header("Content-Type", "text/html; charset=utf-8")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        handler.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        handler.wfile.flush()
        handler.server.owner.released.wait(30)

    return handle


def test_a_browser_that_is_killed_is_begun_anew(
    start_crawl: Run, make_sites: Run, server: Any, address_file: Run, mark: Mark, browsers: Run, tmp_path: Path
) -> None:
    addresses = [server.put_article(f"/good/{k}") for k in range(20)]
    sites = make_sites({"name": "made", "start": [server.url("/")], "render": True, "concurrency": 2})
    crawl = start_crawl(tmp_path / "news.jsonl", "-a", address_file(*addresses), sites=sites, env=mark)
    for lines in (5, 12):
        crawl.wait_for_lines(lines)
        for pid in browsers():
            os.kill(pid, signal.SIGKILL)
    crawl.wait(90)
    assert crawl.code == 0, crawl.err
    lost = {line["url"] for line in crawl.rejected}
    assert len(crawl.records) + len(lost) == 20
    assert len(lost) <= 4, crawl.rejected
    assert browsers() == set()


@pytest.mark.parametrize("how", ["kill", "interrupt"])
def test_nothing_is_left_behind(
    how: str, start_crawl: Run, make_sites: Run, server: Any, address_file: Run, mark: Mark, browsers: Run, tmp_path: Path
) -> None:
    addresses = [server.put_article(f"/good/{k}") for k in range(16)]
    sites = make_sites({"name": "made", "start": [server.url("/")], "render": True, "concurrency": 2})
    crawl = start_crawl(tmp_path / "news.jsonl", "-a", address_file(*addresses), sites=sites, env=mark)
    crawl.wait_for_lines(5)
    assert browsers()
    if how == "kill":
        crawl.kill()
        assert crawl.session.is_gone_within(5), crawl.session.processes()
    else:
        crawl.interrupt()
        crawl.wait(15)
        assert "Traceback" not in crawl.err, crawl.err
    end = time.monotonic() + 5
    while browsers() and time.monotonic() < end:
        time.sleep(0.1)
    assert browsers() == set()
    if how == "kill":
        again = start_crawl(tmp_path / "news.jsonl", "-a", address_file(*addresses), sites=sites, env=mark).wait(90).check()
        assert sorted(line["url"] for line in again.records) == sorted(addresses)


def test_without_such_a_site_no_browser_is_known_of(run_crawl: Run, make_sites: Run, server: Any, tmp_path: Path) -> None:
    server.put("/", server.listing())
    sites = make_sites({"name": "made", "start": [server.url("/")]})
    code = "import sys, builtins\nfrom scrapy.cmdline import execute\n"
    code += "try:\n    execute()\nfinally:\n    print([m for m in sys.modules if 'playwright' in m])\n"
    done = run_crawl(tmp_path / "news.jsonl", sites=sites, settings={"EXTRACTION_WORKERS": 0}, program=code)
    assert done.out.strip() == "[]"


def test_a_missing_browser_is_one_clear_line(run_crawl: Run, make_sites: Run, server: Any, tmp_path: Path) -> None:
    sites = make_sites({"name": "made", "start": [server.url("/")], "render": True})
    done = run_crawl(tmp_path / "news.jsonl", sites=sites, env={"NEWSEXTRACT_BROWSER": "/no/such/browser"}).check(2)
    mistake, last = done.err.strip().splitlines()
    assert "NEWSEXTRACT_BROWSER=/no/such/browser: no program there" in mistake
    assert last == "The crawl was not started."
    code = (
        "import spiders.plan as p\nfound = p.find_spec\n"
        "p.find_spec = lambda name: None if name == 'scrapy_playwright' else found(name)\n"
        "from scrapy.cmdline import execute\nexecute()\n"
    )
    done = run_crawl(tmp_path / "news.jsonl", sites=sites, program=code).check(2)
    told = r"render = true in the site 'made' of sites.toml needs the package scrapy-playwright: \S*python -m pip install"
    assert re.search(told, done.err)
    assert server.hits == []
