"""Pages that would wear out a browser, its memory or its patience: each costs itself at most, and its record says why."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]

HEAD = "<!doctype html><title>x</title><p>Some words.</p>"


def outcomes(done: Any, server: Any) -> dict[str, tuple[str, str]]:
    """Path of each rejected page → status and reason."""
    return {line["url"].removeprefix(server.url("")): (line["status"], line["reason"]) for line in done.rejected}


def recorded(done: Any, server: Any) -> dict[str, str]:
    """Path of each record → its text."""
    return {line["url"].removeprefix(server.url("")): line["text"] for line in done.records}


def test_scrolling_without_an_end_gives_the_first_screen(render_crawl: Run, server: Any, address_file: Run) -> None:
    more = "const p = document.createElement('p'); p.style.height = '300px'; p.textContent = text; end.before(p);"
    load = (
        f"<p id=end>-</p><script>const load = () => fetch('/more').then(r => r.text()).then(text => {{ {more} watch() }});"
    )
    seen = "new IntersectionObserver((all, o) => { if (all[0].isIntersecting) { o.disconnect(); load() } })"
    paths = {
        "/feed": f"{load} const watch = () => {seen}.observe(end); watch()</script>",
        "/greedy": f"{load} const watch = load; watch()</script>",
        "/growing": "<script>setInterval(() => document.body.append(document.createElement('i')), 0)</script>",
        "/timer": "<script>setInterval(() => fetch('/tick'), 20)</script>",
    }
    server.put("/more", "One more teaser of what was published some time ago.")
    server.put("/tick", "")
    urls = [server.put_article(path, tail=script, paragraphs=3) for path, script in paths.items()]
    good = [server.put_article(f"/good/{k}") for k in range(3)]
    done = render_crawl("-a", address_file(*urls, *good), concurrency=1).check()
    assert sorted(recorded(done, server)) == sorted([*paths, "/good/0", "/good/1", "/good/2"])
    assert done.rejected == []
    assert all(len(text) > 500 for text in recorded(done, server).values())
    assert done.seconds < 30
    order = [path for _, path, _ in server.hits if not path.startswith("/good")]
    assert 1 <= order[: order.index("/greedy")].count("/more") <= 4  # what the first screen shows, no more
    assert len(server.times("/greedy")) == len(server.times("/timer")) == 1


def test_a_renderer_that_crashes_costs_its_page(render_crawl: Run, server: Any, address_file: Run, browsers: Run) -> None:
    crashed = []

    def crash(handler: Any) -> None:
        """Answer nothing; the page's process gets the signal of a bad memory access."""
        for pid in browsers("renderer"):
            os.kill(pid, signal.SIGSEGV)
            crashed.append(pid)
        server.released.wait(20)

    server.put("/slow.png", crash)
    early, late = ([server.put_article(f"/{name}/{k}") for k in range(3)] for name in ("early", "late"))
    bad = server.put_article("/crash", tail="<img src=/slow.png>")
    done = render_crawl("-a", address_file(*early, bad, *late), concurrency=1).check()
    assert crashed
    assert sorted(line["url"] for line in done.records) == sorted([*early, bad, *late])
    told = {line["url"]: line["reason"] for line in done.records}
    assert told[bad] == "read from its source, without its scripts: the page's renderer crashed"
    assert "'playwright/browser_count': 1" in done.err
    assert browsers() == set()


def test_a_snapshot_over_its_cap(render_crawl: Run, server: Any, address_file: Run) -> None:
    sheet = f"<style>b{{background-image:url('data:,{'x' * 4_000}')}}</style>"
    rows = "".join(f"<b style=font-size:{10 + k / 1000}px>w</b>" for k in range(17_000))
    bad = server.put("/heavy", HEAD + sheet + rows)
    good = [server.put_article(f"/good/{k}") for k in range(3)]
    done = render_crawl("-a", address_file(bad, *good), concurrency=1).check()
    assert sorted(line["url"] for line in done.records) == sorted(good)
    ((path, (status, reason)),) = outcomes(done, server).items()
    assert (path, status) == ("/heavy", "too_large")
    assert "characters, over the cap of 64,000,000" in reason


def test_fifty_thousand_nodes(render_crawl: Run, server: Any, address_file: Run) -> None:
    many = "<ul>" + "<li><a href=/x>some <b>text</b> more</a></li>" * 10_000 + "</ul>"
    paths = ["/many", "/good"]
    urls = [server.put_article("/many", tail=many), server.put_article("/good")]
    done = render_crawl("-a", address_file(*urls)).check()
    assert sorted(recorded(done, server)) == sorted(paths)
    assert done.rejected == []
    assert len(recorded(done, server)["/many"]) < 5_000  # the article, not the list


def test_what_never_ends_loading_is_taken_as_it_is(render_crawl: Run, server: Any, address_file: Run) -> None:
    for path in ("/slow.png", "/slow.css", "/slow.js", "/slow.json"):
        server.put(path, lambda handler: server.released.wait(40))
    tails = {
        "/picture": "<img src=/slow.png>",
        "/sheet": "<link rel=stylesheet href=/slow.css>",
        "/script": "<script src=/slow.js></script>",
        "/waits": "<script>fetch('/slow.json').then(() => document.body.remove())</script>",
    }
    urls = [server.put_article(path, tail=tail) for path, tail in tails.items()]
    hangs = server.put_article("/hangs", tail="<script>while (true) {}</script>")
    good = [server.put_article(f"/good/{k}") for k in range(3)]
    settings = {"RENDER_TIMEOUT": 3, "RENDER_SETTLE": 1}
    impatient = "import spiders.requests as r; r.ALIVE = 3.0\nfrom scrapy.cmdline import execute; execute()"
    addresses = address_file(*urls, hangs, *good)
    done = render_crawl("-a", addresses, concurrency=2, settings=settings, program=impatient).check()
    assert sorted(recorded(done, server)) == sorted([*tails, "/hangs", "/good/0", "/good/1", "/good/2"])
    told = {line["url"]: line["reason"] for line in done.records if line["reason"]}
    assert told.keys() == {hangs}
    assert told[hangs].startswith("read from its source, without its scripts: the page does not respond")
    assert done.rejected == []


def test_dialogs_pop_ups_downloads_and_pages_that_go_in_circles(
    render_crawl: Run, server: Any, address_file: Run, browsers: Run
) -> None:
    server.put("/file.zip", b"PK" * 1000, kind="application/zip", Content_Disposition="attachment")
    server.put("/popup", HEAD + "<script>open('/popup'); onbeforeunload = () => 'stay'; alert(1)</script>")
    scripts = {
        "/dialogs": "for (let i = 0; i < 50; i++) { alert(i); confirm(i); prompt(i) } onbeforeunload = () => 'stay'; print()",
        "/alerts": "setInterval(() => alert('again'), 0)",
        "/popups": "for (let i = 0; i < 8; i++) open('/popup?' + i)",
        "/later-popups": "setInterval(() => open('/popup'), 200)",
        "/downloads": "for (let i = 0; i < 5; i++) { const a = document.createElement('a'); a.href = '/file.zip'; "
        "a.download = 'x'; a.click() }",
        "/mail": "location = 'mailto:somebody@example.org'",
        "/print": "onload = () => print()",
    }
    good = {path: server.put_article(path, tail=f"<script>{script}</script>") for path, script in scripts.items()}

    def late(handler: Any) -> None:
        """Makes the pages below idle between their turns, so that they cost little while they last."""
        time.sleep(0.2)
        handler.answer(200, b"", {})

    server.put("/late", late)
    ask = "const asked = new XMLHttpRequest(); asked.open('GET', '/late', false); asked.send()"
    bad = {
        "/for-ever": server.put_article("/for-ever", tail=f"<script>while (true) {{ alert(1); {ask} }}</script>"),
        "/circle": server.put_article("/circle", tail=f"<script>{ask}; location.search = Math.random()</script>"),
    }
    why = {
        "/for-ever": "the page does not respond; a script of it may never end",
        "/circle": "the page goes on to another again and again",
    }
    last = server.put_article("/last")
    settings = {"RENDER_TIMEOUT": 10}  # of a machine that does other things, too
    done = render_crawl("-a", address_file(*bad.values(), *good.values(), last), concurrency=2, settings=settings).check()
    assert sorted(recorded(done, server)) == sorted([*good, *bad, "/last"]), done.rejected
    told = {line["url"]: line["reason"] for line in done.records if line["reason"]}
    assert told == {bad[path]: f"read from its source, without its scripts: {reason}" for path, reason in why.items()}
    assert browsers() == set()


def test_contexts_are_made_anew_and_few_stay_open(render_crawl: Run, server: Any, address_file: Run) -> None:
    urls = [server.put_article(f"/good/{k}") for k in range(10)]
    done = render_crawl("-a", address_file(*urls), concurrency=1, settings={"RENDER_RECYCLE": 3}).check()
    assert len(done.records) == 10
    assert "'playwright/context_count': 4," in done.err
    assert "'playwright/context_count/max_concurrent': 1," in done.err
