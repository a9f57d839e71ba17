"""Links that stand only in the JSON of scripts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.discovery import Rules, discover
from newsextract.page.page import Page

HOST = "http://www.next.example"
TEASERS = [
    {"id": k, "headline": f"The council votes for the bridge again, part {k}", "url": f"/news/the-council-votes-for-it-{k}",
     "image": {"src": f"/photos/bridge-{k}"}}
    for k in range(12)
]  # fmt: skip
DATA: dict[str, Any] = {
    "props": {"rows": [{"articles": TEASERS}], "nav": [{"label": "Sport", "href": f"{HOST}/sport"}]},
    "page": "/[...slug]",
    "assetPrefix": "/front",
    "more": [
        "/api/teasers",
        "/_next/data/x",
        "/login",
        "/hero.jpg",
        "//cdn.example/x",
        "https://other.example/a-b-c-d",
        "/a b",
    ],
    "query": {},
}


def shell(data: str, body: str = "", kind: str = "application/json") -> Page:
    script = f'<script id="__NEXT_DATA__" type="{kind}">{data}</script>'
    return Page.from_text(f"<title>The Next Post</title><div id=__next></div>{body}{script}", HOST + "/")


@pytest.mark.parametrize("kind", ["application/json", "application/ld+json"])
def test_a_page_without_links_gives_those_of_its_json(kind: str) -> None:
    found = discover(shell(json.dumps(DATA), kind=kind), role="start")
    urls = [HOST + teaser["url"] for teaser in TEASERS]
    assert {link.url for link in found.links if not link.next_page} == {*urls, f"{HOST}/sport"}
    by_url = {link.url: link for link in found.links}
    assert by_url[urls[3]].text == TEASERS[3]["headline"]
    assert min(by_url[url].score for url in urls) > 0.4 > by_url[f"{HOST}/sport"].score


def test_rules_hold_for_them() -> None:
    found = discover(shell(json.dumps(DATA)), Rules(deny=("-it-1",)), "start")
    assert len(found.links) == 10


def test_a_page_with_links_of_its_own_keeps_to_them() -> None:
    menu = "".join(f"<li><a href=/{k}>Section {k}</a>" for k in "abcdefghijkl")
    assert len(discover(shell(json.dumps(DATA), menu), role="start").links) == 12
    story = '<a href="/2025/01/02/the-mayor-has-resigned.html">The mayor has resigned after a long debate</a>'
    assert len(discover(shell(json.dumps(DATA), story), role="start").links) == 1


@pytest.mark.parametrize("data", ["", "{", "[" * 100_000, "12", json.dumps({"url": 5, "href": None}), json.dumps(["/"] * 9)])
def test_other_data_give_none(data: str) -> None:
    assert discover(shell(data), role="start").links == ()


def test_they_are_bounded() -> None:
    data = json.dumps([f"/news/story-{k}" for k in range(5_000)])
    assert len(discover(shell(data), Rules(max_links=10_000), "start").links) == 500


MARKUP = "".join(f'<h3><a href="{one["url"]}">{one["headline"]}</a></h3>' for one in TEASERS)


@pytest.mark.parametrize(
    "answer",
    [
        {"html": MARKUP, "next": "/part?after=12"},
        {"data": {"items": TEASERS}, "links": {"nextPage": f"{HOST}/part?after=12"}},
        [MARKUP, {"more_url": "?after=12", "total": 40}],
    ],
)
def test_the_next_part_of_a_list_may_be_json(answer: Any) -> None:
    part = Page(json.dumps(answer).encode(), HOST + "/part", {"content-type": "application/json"})
    found = discover(part, role="listing")
    assert {link.url for link in found.links if not link.next_page} == {HOST + teaser["url"] for teaser in TEASERS}
    assert all(link.text for link in found.links if not link.next_page)
    assert found.next_page == f"{HOST}/part?after=12"


def test_a_part_that_names_no_other_is_followed_by_the_next_number() -> None:
    def following(body: str) -> str | None:
        return discover(Page.from_text(body, HOST + "/part?page=2"), role="listing").next_page

    assert following(MARKUP) == f"{HOST}/part?page=3"
    assert following(json.dumps({"html": MARKUP})) == f"{HOST}/part?page=3"
    assert following("<p>That was all</p>") is None
    assert following(f"<!DOCTYPE html><html><body>{MARKUP}</body></html>") is None


@given(
    st.recursive(
        st.none() | st.text(max_size=20), lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5), inner)
    )
)
def test_any_json_can_be_read(data: Any) -> None:
    discover(Page(json.dumps(data).encode(), HOST + "/part"), role="listing")
