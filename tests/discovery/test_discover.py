"""Page kind and the whole of discovery."""

from __future__ import annotations

import pickle
import random
import time
from dataclasses import replace

import lxml.html
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract.discovery import Discovery, Rules, discover
from newsextract.errors import SiteError
from newsextract.page.page import Page
from tests.costs import at_most
from tests.examples import examples

HOST = "http://www.example.com"
SENTENCE = "The harbour board met on Tuesday evening and heard for two hours what the pilots had seen from the tower. "


def page(body: str, url: str | None = "http://www.example.com/news/", head: str = "") -> Page:
    return Page.from_text(f"<!DOCTYPE html><html><head>{head}</head><body>{body}</body></html>", url)


def navigation() -> str:
    names = ("Home", "News", "Sport", "Culture", "Harbour", "About us")
    return "<ul>" + "".join(f'<li><a href="/{n.lower().replace(" ", "-")}/">{n}</a></li>' for n in names) + "</ul>"


def article(url: str = "http://www.example.com/2025/05/12/pilots-heard-by-the-board.html", pager: str = "") -> Page:
    title = "Pilots heard by the harbour board after two hours"
    text = "".join(f"<p>{SENTENCE * 3}</p>" for _ in range(8))
    related = "".join(
        f'<li><a href="/2025/04/0{i}/other.html">Another story that we printed in April {i}</a></li>' for i in range(1, 5)
    )
    body = f"{navigation()}<h1>{title}</h1><p>12 May 2025</p>{text}{pager}<h4>Related</h4><ul>{related}</ul><p>© Ledger</p>"
    return page(body, url, f"<title>{title} - Ledger</title><meta property='og:type' content='article'>")


def chinese_article() -> Page:
    text = "".join(
        "<p>" + "港务局周二晚间召开会议，听取引水员关于航道疏浚情况的报告，会议历时两个小时。" * 4 + "</p>" for _ in range(6)
    )
    return page(
        f"<h1>港务局听取引水员关于航道情况的报告</h1>{text}",
        "http://www.example.com/zh/2025-05/12/content_10021.html",
        "<title>港务局听取引水员关于航道情况的报告_海港报</title>",
    )


def listing(url: str = "http://www.example.com/news/", pager: str = "", count: int = 12) -> Page:
    teasers = "".join(
        f'<div><h3><a href="/2025/05/{i:02}/story-number-{i}-about-the-harbour.html">'
        f"Story number {i} about the harbour and its boats</a></h3>"
        f"<p>{i} May 2025</p><p>What the board said about boat {i} was short and was soon forgotten by all.</p></div>"
        for i in range(1, count + 1)
    )
    return page(f"{navigation()}<h1>News</h1>{teasers}{pager}<p>© Ledger</p>", url, "<title>News - Ledger</title>")


def thread() -> Page:
    posts = "".join(
        f"<div><p>Member</p><p>Joined: 201{i}</p><p>Posts: {i * 7}</p>"
        f"<p>I have the same trouble with boat {i} here. {SENTENCE}</p><p>Reply</p><p>Quote</p></div>"
        for i in range(1, 9)
    )
    return page(
        f"<h1>Engine of my boat</h1>{posts}", "http://www.example.com/forum/viewtopic.php?tid=881", "<title>Engine</title>"
    )


def test_kinds() -> None:
    assert article().kind.is_article
    assert chinese_article().kind.is_article
    assert listing().kind.leads_on
    assert thread().kind.is_dead_end
    assert page("", head="<title>nothing</title>").kind.kind == "other"
    login = "<h1>Sign in</h1><p>Please type your name and the word that you have chosen.</p>"
    assert page(login, head="<title>Sign in</title>").kind.kind == "other"


def test_address_does_not_decide() -> None:
    like_an_article = HOST + "/2025/05/12/week-in-review.html"
    assert listing(like_an_article).kind.leads_on
    assert article(HOST + "/news/").kind.is_article
    assert replace(article(), url=None).kind.is_article


def test_reasons_and_confidence() -> None:
    for made in (article(), listing(), thread()):
        kind = made.kind
        assert 0 < kind.confidence <= 1
        assert 1 <= len(kind.reasons) <= 3
        assert all(kind.reasons)


def test_listing() -> None:
    found = discover(
        listing(pager='<a href="/news/page/2/">Next</a><a href="http://ads.example/">Buy our boat today, it is cheap</a>')
    )
    assert found.kind.kind == "listing"
    assert found.next_page == HOST + "/news/page/2/"
    assert [link.next_page for link in found.links if link.url == found.next_page] == [True]
    assert all(link.url.startswith(HOST) for link in found.links)
    assert all("/2025/05/" in link.url for link in found.links[:12])
    assert found.parts == ()


def test_article() -> None:
    made = article(pager='<a href="/2025/05/12/pilots-heard-by-the-board-2.html">2</a>')
    found = discover(made)
    assert found.parts == (HOST + "/2025/05/12/pilots-heard-by-the-board-2.html",)
    assert found.next_page is None


def test_denied_pages_are_not_followed() -> None:
    rules = Rules(deny=("/page/", "-2.html"))
    assert discover(listing(pager='<a href="/news/page/2/">Next</a>'), rules).next_page is None
    assert discover(article(pager='<a href="/2025/05/12/pilots-heard-by-the-board-2.html">2</a>'), rules).parts == ()


def test_canonical_and_refresh() -> None:
    head = '<link rel="canonical" href="/a?utm_source=x"><meta http-equiv="refresh" content="0; url=/b">'
    found = discover(page("", HOST + "/old", head))
    assert (found.canonical_url, found.refresh) == (HOST + "/a", HOST + "/b")


def test_domains() -> None:
    body = "".join(
        f'<a href="http://{host}/a">x</a>'
        for host in ("news.example.com", "example.org", "notexample.com", "a.example.org:8080")
    )
    made = page(body, "http://www.example.com/")
    assert {link.url for link in discover(made).links} == {"http://news.example.com/a"}
    chosen = discover(made, Rules(domains=("www.example.org",)))
    assert {link.url for link in chosen.links} == {"http://example.org/a", "http://a.example.org:8080/a"}


def test_patterns() -> None:
    made = listing()
    stories = [link.url for link in discover(made).links if "/2025/" in link.url]
    kept = [link.url for link in discover(made, Rules(allow=(r"story-number-1\d-",))).links]
    assert set(kept) & set(stories) == {u for u in stories if "story-number-1" in u and "story-number-1-" not in u}
    assert HOST + "/sport/" in kept  # no follow pattern: evidence decides
    kept = [link.url for link in discover(made, Rules(allow=("/2025/",), follow=("/sport/",))).links]
    assert [u for u in kept if "/2025/" not in u] == [HOST + "/sport/"]
    assert discover(made, Rules(deny=("example",))).links == ()


def test_bounds_and_nofollow() -> None:
    assert len(discover(listing(), Rules(max_links=3)).links) == 3
    made = page('<a rel="nofollow" href="/a">x</a>')
    assert discover(made).links == ()
    assert len(discover(made, Rules(nofollow=True)).links) == 1


def test_wrong_pattern_is_the_callers_mistake() -> None:
    with pytest.raises(SiteError, match=r"allow.*'\('"):
        Rules(allow=("(",))


def test_pickles_and_is_deterministic() -> None:
    for made in (article(), listing(), thread()):
        rules = pickle.loads(pickle.dumps(Rules(allow=("/2025/",))))
        found = discover(pickle.loads(pickle.dumps(made)), rules)
        assert found == discover(Page(made.body, made.url, made.headers), rules)
        again: Discovery = pickle.loads(pickle.dumps(found))
        assert again == found


def test_a_story_that_the_head_names_as_next_is_no_page_of_the_list() -> None:
    story = "/2025/05/02/story-number-2-about-the-harbour.html"
    for named, following in (("/news/page/2/", "/news/page/2/"), ("/news/older/", "/news/older/"), (story, None)):
        made = listing()
        head = f"<link rel=next href={named}>"
        found = discover(Page.from_text(made.text.replace("<head>", f"<head>{head}"), made.url), role="start")
        assert found.next_page == (HOST + following if following else None)
        assert all(link.next_page == (link.url == found.next_page) for link in found.links)


PIECES = [
    "<a href=",
    '"',
    "'",
    ">",
    "<",
    "</a>",
    "<p>",
    "<h1>",
    "/page/2",
    "2",
    "next",
    "下一页",
    "?page=3",
    "<base href=",
    "&amp;",
    "&#x",
]
PIECES += [
    "<meta http-equiv=refresh content='0;url=",
    "http://",
    "//[",
    "<link rel=next href=",
    "javascript:",
    " ",
    "x" * 50,
    "\x00",
    "\ud800",
]


@settings(max_examples=examples(150))
@given(
    st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(),
    st.sampled_from([None, "", "x", HOST + "/a", "http://[", "ftp://e.com"]),
)
def test_arbitrary_pages_never_raise(text: str, url: str | None) -> None:
    made = Page.from_text(text, url)
    found = discover(made)
    assert found == discover(Page.from_text(text, url))
    assert all(link.url.startswith("http") for link in found.links)


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        "<a href=",
        '<a href="/a">',
        '<a href="?page=2">2</a>',
        "<base ",
        "<meta http-equiv=refresh content='",
        "<h1>",
        "<a href='/" + "a/" * 500 + "'>x</a>",
        "<p>" + "1" * 30,
        "<a href=/x>" + "»" * 39 + "</a>",
        "<a href='/%%%%'>1",
        "http-equiv=refresh ",
    ],
)
def test_hostile_pages_cost_no_more_than_large_ones(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    made = Page.from_text(text, HOST + "/")
    made.source  # noqa: B018  reason: the scan has its own tests
    with at_most(parses=300):
        discover(made)


def test_many_links_are_bounded() -> None:
    text = "".join(f'<a href="/2025/05/12/story-{i}.html">Story number {i} about the harbour</a>\n' for i in range(20_000))
    made = Page.from_text(text, HOST + "/")
    made.dom.all_links  # noqa: B018  reason: the tree has its own tests
    start = time.perf_counter()
    lxml.html.fromstring(text)
    yardstick = time.perf_counter() - start
    start = time.perf_counter()
    found = discover(made)
    assert time.perf_counter() - start < 20 * yardstick + 1
    assert len(found.links) == 500


def test_order_of_links_does_not_depend_on_chance() -> None:
    made = listing(count=30)
    first = discover(made).links
    for _ in range(3):
        random.random()
        assert discover(Page(made.body, made.url, made.headers)).links == first
