"""Requests survive the way through Redis, and nothing that is not in the table does."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract import Hints
from newsextract.sites import Site
from pipelines.items import ReadPage
from pipelines.pages import NextPage
from pipelines.record_pages import TeaserList, Thread
from spiders import forum, lists
from spiders.cluster.codec import CodecError, RequestCodec
from spiders.cluster.marks import SEEN
from spiders.judging import recency

SITE = Site(name="paper", start=["http://www.paper.example/"])
RENDERED = Site(name="rendered", start=["http://www.rendered.example/"], render=True, user_agent="our bot")
SITES = {site.name: site for site in (SITE, RENDERED)}


def site_of(host: str) -> Site | None:
    return next((site for site in SITES.values() if site.covers(f"http://{host}/")), None)


CODEC = RequestCodec(lambda: SITES, site_of)
TEXT = st.text(max_size=8)
PAGE = ReadPage(
    id="0" * 16, url="http://x.example/", site="paper", kind="thread", number=2, first=3, count=4, records=["a"], next=None,
    fetched_at="2026-01-01T00:00:00+00:00",
)  # fmt: skip
ATOMS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT | st.binary(max_size=8) | st.dates()
    | st.just(SITE) | st.builds(Hints, TEXT, TEXT, TEXT, TEXT) | st.builds(Thread, TEXT, TEXT, st.none() | TEXT)
    | st.builds(TeaserList, TEXT, TEXT) | st.builds(NextPage, TEXT, st.integers(1), st.integers(1), st.none() | st.just(PAGE))
    | st.frozensets(TEXT, max_size=3)
)  # fmt: skip
VALUES = st.recursive(
    ATOMS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.dictionaries(TEXT | st.integers(), inner, max_size=3)
    ),
    max_leaves=8,
)


def request(**values: Any) -> dict[str, Any]:
    arguments = {"site": SITE} | values.pop("cb_kwargs", {})
    return {
        "url": "http://www.paper.example/", "callback": "parse_page", "errback": "failed", "headers": {}, "meta": {},
        "cb_kwargs": arguments, **values,
    }  # fmt: skip


@given(arguments=st.dictionaries(TEXT.filter(lambda name: name != "site"), VALUES, max_size=4))
def test_what_the_spiders_carry_comes_back(arguments: dict[str, Any]) -> None:
    text = CODEC.dumps(request(cb_kwargs=arguments))
    json.loads(text)
    assert text.isascii()
    assert CODEC.loads(text) == request(cb_kwargs=arguments)


@pytest.mark.parametrize(
    "at",
    [
        forum.At(NextPage("http://x.example/2", 2, 6, PAGE), Thread("t", "http://x.example/", None), frozenset({"b", "a"})),
        lists.At(NextPage("u", 1, 1), "http://x.example/?p={page}", 0, TeaserList("u", None), frozenset()),
    ],
)
def test_where_a_thread_and_a_list_stand(at: Any) -> None:
    assert CODEC.loads(CODEC.dumps(request(cb_kwargs={"at": at, "since": date(2026, 1, 2)})))["cb_kwargs"] == {
        "at": at,
        "site": SITE,
        "since": date(2026, 1, 2),
    }


def test_what_belongs_to_one_process_stays_there() -> None:
    """Among it the password of a proxy, which Scrapy puts into a header."""
    shared = {
        "depth": 2, "redirect_urls": ["http://www.paper.example/old"], "redirect_times": 1, "redirect_ttl": 7,
        "redirect_reasons": [301], "retry_times": 1, "handle_httpstatus_list": [304], "canonical_tried": True,
    }  # fmt: skip
    own = {
        "proxy": "http://127.0.0.1:1",
        "download_slot": "x",
        SEEN: "1",
        "playwright_context": "x",
        "is_start_request": True,
    }
    headers = {b"If-None-Match": [b"tag"], b"User-Agent": [b"bot"], b"Proxy-Authorization": [b"Basic secret"]}
    text = CODEC.dumps(request(meta=shared | own, headers=headers, priority=3, dont_filter=True))
    assert "secret" not in text
    assert CODEC.loads(text) == request(meta=shared, headers={b"If-None-Match": [b"tag"]}, priority=3, dont_filter=True)


def test_what_a_site_says_is_taken_from_there() -> None:
    values: dict[str, Any] = {"url": "http://www.rendered.example/", "cb_kwargs": {"site": RENDERED}}
    page = CODEC.loads(CODEC.dumps(request(**values, meta={"playwright": True})))
    assert (page["meta"], page["headers"]) == ({"playwright": True}, {b"User-Agent": [b"our bot"]})
    assert CODEC.loads(CODEC.dumps(request(**values, callback="parse_sitemap")))["meta"] == {}
    assert CODEC.loads(CODEC.dumps(request(meta={"playwright": True})))["meta"] == {}


def test_no_spider_sends_a_body() -> None:
    with pytest.raises(CodecError, match="cannot have body, method"):
        CODEC.dumps(request(method="POST", body=b"a=1"))


@pytest.mark.parametrize("day", [date(1000, 1, 1), date(9999, 12, 31)])
def test_whatever_day_a_feed_names(day: date) -> None:
    priority = recency(day)
    assert CODEC.loads(CODEC.dumps(request(priority=priority))).get("priority", 0) == priority


@pytest.mark.parametrize("change", [{"priority": 1_000_000}, {"meta": {"depth": -1}}, {"url": "http://elsewhere.example/"}])
def test_what_could_not_be_read_is_not_written(change: dict[str, Any]) -> None:
    with pytest.raises(CodecError):
        CODEC.dumps(request(**change))


FORGED = {
    "a class": {"_class": "antigravity.x"},
    "a proxy": {"meta": {"proxy": "http://127.0.0.1:1"}},
    "no robots.txt": {"meta": {"dont_obey_robotstxt": True}},
    "another download": {"meta": {"download_slot": "x"}},
    "a browser": {"meta": {"playwright_page_methods": []}},
    "a code let pass": {"meta": {"handle_httpstatus_list": [200, 500]}},
    "endless tries": {"meta": {"max_retry_times": 9}},
    "a wrong type": {"meta": {"depth": "1"}},
    "a foreign origin": {"meta": {"redirect_urls": ["http://other.example/"]}},
    "any method of the spider": {"callback": "put_off"},
    "a callback of local requests": {"callback": "parse_part"},
    "another errback": {"errback": "closed_down"},
    "no callback": {"callback": None},
    "a callback that is no name": {"callback": ["parse_page"]},
    "POST": {"method": "POST"},
    "a body": {"body": {"$": "bytes", "v": "a=1"}},
    "cookies": {"cookies": {"a": "b"}},
    "a header": {"headers": [[{"$": "bytes", "v": "Host"}, [{"$": "bytes", "v": "x"}]]]},
    "a header within a header": {"headers": [[{"$": "bytes", "v": "If-None-Match"}, [{"$": "bytes", "v": "x\r\nHost: y"}]]]},
    "an address of nobody": {"url": "http://169.254.169.254/latest"},
    "an address by its look": {"url": "http://www.paper.example.evil.example/"},
    "a file": {"url": "file:///etc/passwd"},
    "no address": {"url": "http://[x"},
    "a site of nobody": {"cb_kwargs": {"site": {"$": "Site", "v": "unknown"}}},
    "no site": {"cb_kwargs": {"site": "paper"}},
    "an unknown type": {"cb_kwargs": {"site": {"$": "Site", "v": "paper"}, "x": {"$": "os.system", "v": {}}}},
    "a type's wrong fields": {"cb_kwargs": {"site": {"$": "Site", "v": "paper"}, "x": {"$": "Hints", "v": {"y": 1}}}},
    "a priority without end": {"priority": 10**40},
}


@pytest.mark.parametrize("change", FORGED.values(), ids=FORGED)
def test_what_no_spider_sends_is_refused(change: dict[str, Any]) -> None:
    """Whoever can write to Redis can have pages of the sites fetched, and nothing else."""
    plain = json.loads(CODEC.dumps(request()))
    CODEC.loads(json.dumps(plain))
    with pytest.raises(CodecError):
        CODEC.loads(json.dumps(plain | change))


@pytest.mark.parametrize("text", ["", "cos\nsystem", "[]", "7", "{}", "[" * 100_000, '{"url": 1}'], ids=range(7))
def test_hostile_text_makes_nothing(text: str) -> None:
    with pytest.raises(CodecError):
        CODEC.loads(text)


@pytest.mark.parametrize("value", [object(), {1, 2}, lambda: None, 1j, Exception("x")])
def test_anything_else_is_an_error_where_it_is_put_in(value: Any) -> None:
    with pytest.raises(CodecError, match="cannot carry"):
        CODEC.dumps(request(cb_kwargs={"x": value}))
