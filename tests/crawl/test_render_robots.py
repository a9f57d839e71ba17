"""A browser follows redirects and scripts by itself; where they lead, robots.txt holds as for every other redirect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]

RULES = "User-agent: *\nDisallow: /closed/\n"


def scripted(target: str) -> str:
    """A page that goes on to another."""
    return f"<!doctype html><title>x</title><p>Wait.</p><script>location.replace('{target}')</script>"


@pytest.fixture
def two(server: Any, make_server: Run) -> Any:
    """The server has rules; so has another one, which is the first's by its definition."""
    other = make_server("127.0.0.4")
    for one in (server, other):
        one.put("/robots.txt", RULES, kind="text/plain")
        one.put_article("/open/end")
        one.put_article("/closed/end")
    return other


def ways(server: Any, other: Any) -> dict[str, str]:
    """Pages that lead on, by HTTP and by script, to either server, to what is open and what is closed."""
    made = {}
    for name, base in (("here", server), ("there", other)):
        for end in ("open", "closed"):
            target = base.url(f"/{end}/end")
            made[f"/http/{name}/{end}"] = server.put(f"/http/{name}/{end}", status=302, Location=target)
            made[f"/script/{name}/{end}"] = server.put(f"/script/{name}/{end}", scripted(target))
    return made


def test_where_a_redirect_leads_must_be_allowed(render_crawl: Run, server: Any, two: Any, address_file: Run) -> None:
    made = ways(server, two)
    through = server.put("/http/through", status=302, Location="/closed/way")
    server.put("/closed/way", status=302, Location="/open/end")
    last = server.put_article("/last")
    # An address that a script only shows was not asked for; the record has it.
    shown = server.put_article("/open/shown", tail="<script>history.replaceState(null, '', '/closed/shown')</script>")
    start = [server.url("/"), two.url("/")]  # a private address must be named
    done = render_crawl("-a", address_file(*made.values(), through, last, shown), start=start, domains=[two.host]).check()
    # "redirected": the record is that of the other address
    outcome = {"open": "redirected", "shown": "redirected", "closed": "robots", "through": "robots"}
    assert done.reasons == {path: outcome[path.rpartition("/")[2]] for path in [*made, "/http/through", "/open/shown"]}
    assert {line["reason"] for line in done.rejected if line["status"] == "robots"} == {"forbidden by robots.txt"}
    written = [server.url("/open/end"), two.url("/open/end"), last, server.url("/closed/shown")]
    assert sorted(line["url"] for line in done.records) == sorted(written)
    assert server.times("/closed/shown") == []
    assert len(two.times("/robots.txt")) == 1


def test_unless_the_site_says_otherwise(render_crawl: Run, server: Any, two: Any, address_file: Run) -> None:
    made = ways(server, two)
    start = [server.url("/"), two.url("/")]
    urls = address_file(*(url for path, url in made.items() if path.endswith("closed")))
    done = render_crawl("-a", urls, start=start, domains=[two.host], obey_robots=False).check()
    assert set(done.reasons.values()) == {"redirected"}
    assert sorted(line["url"] for line in done.records) == sorted([server.url("/closed/end"), two.url("/closed/end")])


def test_a_host_without_rules_that_can_be_had_gives_nothing(
    render_crawl: Run, server: Any, two: Any, address_file: Run
) -> None:
    two.answers["/robots.txt"] = [(503, b"later", {"Content-Type": "text/plain"})]
    made = ways(server, two)
    start = [server.url("/"), two.url("/")]
    done = render_crawl(
        "-a", address_file(made["/script/there/open"]), start=start, domains=[two.host], concurrency=1
    ).check()
    assert done.records == []
    ((status, reason),) = {(line["status"], line["reason"]) for line in done.rejected}
    assert status == "download"
    assert "no rules, no fetch: robots.txt: HTTP 503" in reason
