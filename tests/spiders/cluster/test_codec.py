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

SITE = Site(name="paper", start=["http://www.paper.example/"])
CODEC = RequestCodec(lambda: {"paper": SITE})
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
    return {"url": "http://www.paper.example/", "headers": {b"User-Agent": [b"x"]}, "meta": {}, **values}


@given(arguments=st.dictionaries(TEXT, VALUES, max_size=4))
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
    assert CODEC.loads(CODEC.dumps(request(cb_kwargs={"at": at, "site": SITE, "since": date(2026, 1, 2)})))["cb_kwargs"] == {
        "at": at,
        "site": SITE,
        "since": date(2026, 1, 2),
    }


def test_what_belongs_to_one_process_stays_there() -> None:
    meta = {
        "depth": 2,
        "redirect_urls": ["http://y.example/"],
        "proxy": "http://127.0.0.1:1",
        "download_slot": "x",
        SEEN: "1",
    }
    assert CODEC.loads(CODEC.dumps(request(meta=meta)))["meta"] == {"depth": 2, "redirect_urls": ["http://y.example/"]}


@pytest.mark.parametrize("value", [object(), {1, 2}, lambda: None, 1j, Exception("x")])
def test_anything_else_is_an_error_where_it_is_put_in(value: Any) -> None:
    with pytest.raises(CodecError, match="cannot carry"):
        CODEC.dumps(request(cb_kwargs={"x": value}))


@pytest.mark.parametrize(
    "text", ['{"x": {"$": "os.system", "v": {}}}', '{"x": {"$": "Site", "v": "unknown"}}', "cos\nsystem"]
)
def test_hostile_text_makes_nothing(text: str) -> None:
    with pytest.raises((KeyError, ValueError)):
        CODEC.loads(text)
