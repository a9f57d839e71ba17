"""The registered domain of a host: rules of the list by hand, and the same answers as tldextract for many hosts."""

from __future__ import annotations

import subprocess
import sys
from functools import cache

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from newsextract.urls import _rules, registered, registered_domain
from tests.costs import at_most


@cache
def peer() -> object:
    tldextract = pytest.importorskip("tldextract", reason="tldextract is not installed (it comes with newspaper4k)")
    return tldextract.TLDExtract(cache_dir=None, suffix_list_urls=())


def by_peer(host: str) -> str | None:
    return peer().extract_str(host).top_domain_under_public_suffix or None  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("www.example.org", "example.org"),
        ("news.example.co.uk", "example.co.uk"),
        ("co.uk", None),
        ("uk", None),
        ("localhost", None),
        ("", None),
        ("a.b.unknown-ending", None),
        ("127.0.0.1", None),
        ("[::1]", None),
        ("www.example.org.", "example.org"),
        ("a..org", None),
        ("someone.github.io", "github.io"),
        ("a.b.example.ck", "b.example.ck"),
        ("example.ck", None),
        ("ck", None),
        ("shop.www.ck", "www.ck"),
        ("a.city.kawasaki.jp", "city.kawasaki.jp"),
        ("a.b.ward.kawasaki.jp", "b.ward.kawasaki.jp"),
        ("news.报纸.中国", "报纸.中国"),
        ("news.example.xn--fiqs8s", "example.xn--fiqs8s"),
        ("news.example。co。uk", "example.co.uk"),
        ("a.example.個人.hk", "example.個人.hk"),
        ("a.example.xn--gmqw5a.hk", "example.xn--gmqw5a.hk"),
    ],
)
def test_a_registered_domain_is_the_suffix_and_one_label(host: str, domain: str | None) -> None:
    assert registered(host) == domain


def test_a_host_without_registered_domain_stays_as_it_is() -> None:
    assert registered_domain("LOCALHOST.:8080") == "localhost."
    assert registered_domain("127.0.0.1:80") == "127.0.0.1"
    assert registered_domain("[::1]:80") == "[::1]:80"
    assert registered_domain("co.uk") == "co.uk"


def test_every_rule_of_the_list_gives_what_tldextract_gives() -> None:
    rules, longest = _rules()
    assert len(rules) > 5_000
    assert longest > 3
    for rule in rules:
        bare = rule.lstrip("!*.")
        for host in (bare, f"a.{bare}", f"b.a.{bare}", f"c.b.a.{bare}", f"{bare}.com", f".{bare}"):
            assert registered(host) == by_peer(host), host


ENDINGS = [
    "com",
    "co.uk",
    "ck",
    "www.ck",
    "kawasaki.jp",
    "city.kawasaki.jp",
    "中国",
    "xn--fiqs8s",
    "hk",
    "xn--gmqw5a.hk",
    "github.io",
    "er",
]
LABELS = st.text("ab-_0*!é中ßxn", max_size=6) | st.sampled_from(
    ["www", "xn--", "xn--a", "xn--p1ai", "xn--fiqs8s", "com", "co", "jp", "ck"]
)


@given(
    st.lists(LABELS, max_size=6),
    st.sampled_from(ENDINGS) | LABELS,
    st.sampled_from([".", "。", "．", "｡"]),
    st.sampled_from(["", "."]),
)
@example(["*"], "ck", ".", "")
@example(["!www"], "ck", ".", "")
@example(["a", "", "b"], "com", ".", ".")
def test_made_hosts_give_what_tldextract_gives(labels: list[str], ending: str, dot: str, end: str) -> None:
    host = dot.join([*labels, ending]) + end
    assert registered(host) == by_peer(host)


@pytest.mark.slow
def test_hostile_hosts_cost_no_more_than_a_look_at_their_end() -> None:
    for host in ("a." * 500_000 + "co.uk", "." * 1_000_000, "x" * 1_000_000 + ".com", "xn--" * 250_000):
        with at_most(parses=20):
            registered(host)
    assert registered("a." * 500_000 + "co.uk") == "a.co.uk"


def test_the_list_is_not_read_before_it_is_needed() -> None:
    code = "from newsextract import urls as p; print(p._rules.cache_info().currsize)"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "0\n"
