"""Identity of addresses, traps, domains."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract.urls import MAX_LENGTH, is_trap, normalize, record_id, registered_domain
from tests.examples import examples

TODAY = date(2025, 6, 1)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("HTTP://WWW.Example.COM:80/", "http://www.example.com/"),
        ("https://example.com:443", "https://example.com/"),
        ("https://example.com:8443/a", "https://example.com:8443/a"),
        ("http://example.com/a/./b/../c", "http://example.com/a/c"),
        ("http://example.com/../../a", "http://example.com/a"),
        ("http://example.com/a#part", "http://example.com/a"),
        ("http://example.com/?b=2&a=1", "http://example.com/?a=1&b=2"),
        ("http://example.com/a?", "http://example.com/a"),
        ("http://example.com/a?utm_source=x&id=7&fbclid=abc&spm=1.2&from=app", "http://example.com/a?id=7"),
        ("http://example.com/a;jsessionid=0A1B?PHPSESSID=3", "http://example.com/a"),
        ("http://example.com/%7Euser/%e4%b8%ad", "http://example.com/~user/%E4%B8%AD"),
        ("http://example.com/中?q=文", "http://example.com/%E4%B8%AD?q=%E6%96%87"),
        ("http://example.com/a%2Fb", "http://example.com/a%2Fb"),
        ("http://example.com/?q=%b0%a1", "http://example.com/?q=%B0%A1"),
        ("http://example.com/?q=a+b", "http://example.com/?q=a%20b"),
        ("  http://example.com/a\n", "http://example.com/a"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://user:secret@example.com/", "http://example.com/"),
        ("http://example.com/100%", "http://example.com/100%25"),
    ],
)
def test_spellings_of_one_address(raw: str, expected: str) -> None:
    assert normalize(raw) == expected


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "/a",
        "ftp://example.com/",
        "javascript:void(0)",
        "mailto:a@example.com",
        "http://",
        "http:///a",
        "http://exa mple.com/",
        "http://[::1",
        "http://example.com:port/",
        "http://e.com/" + "a" * MAX_LENGTH,
    ],
)
def test_no_address(raw: str) -> None:
    assert normalize(raw) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://e.com/a?id=1", "http://e.com/a?id=2"),
        ("http://e.com/a%2Fb", "http://e.com/a/b"),
        ("http://e.com/A", "http://e.com/a"),
        ("http://e.com/a", "http://e.com/a/"),
    ],
)
def test_different_documents_stay_different(one: str, other: str) -> None:
    assert normalize(one) != normalize(other)


def test_record_id_ignores_scheme_and_www() -> None:
    names = {
        record_id(f"{scheme}://{www}example.com/a?utm_medium=x") for scheme in ("http", "https") for www in ("", "www.")
    }
    assert len(names) == 1
    (name,) = names
    assert len(name) == 16
    assert int(name, 16) >= 0
    assert name != record_id("http://example.com/b")
    assert record_id("http://www.com/") != record_id("http://com/")
    assert record_id("no address") != record_id("none")


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("news.bbc.co.uk", "bbc.co.uk"),
        ("WWW.Example.com.", "example.com"),
        ("a.b.gov.cn:8080", "b.gov.cn"),
        ("localhost:8000", "localhost"),
        ("127.0.0.1", "127.0.0.1"),
        ("", ""),
    ],
)
def test_registered_domain(host: str, domain: str) -> None:
    assert registered_domain(host) == domain


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://e.com/photo.JPG", "file"),
        ("http://e.com/feed/report.pdf?x=1", "file"),
        ("http://e.com/a/b/a/b/a/b/", "repeated_segments"),
        ("http://e.com/news/x/news/y/news/z", "repeated_segments"),
        ("http://e.com/" + "/".join(f"s{i}" for i in range(14)), "too_deep"),
        ("http://e.com/list?" + "&".join(f"p{i}=1" for i in range(9)), "too_many_parameters"),
        ("http://e.com/list?sort=asc", "parameter:sort"),
        ("http://e.com/post?replytocom=77", "parameter:replytocom"),
        ("http://e.com/story?view=print", "parameter:view"),
        ("http://e.com/login?next=/a", "segment:login"),
        ("http://e.com/en/print/story.html", "segment:print"),
        ("http://e.com/login.html", "segment:login"),
        ("http://e.com/en/calendar/2025/05/", "calendar"),
        ("http://e.com/events/2031/05/", "calendar"),
        ("http://e.com/archive/1901/02/03/", "calendar"),
        ("http://e.com/archive/1901/12/13/", "calendar"),
        ("http://e.com/news?date=2040-01-02", "calendar"),
        ("http://e.com/" + "a" * MAX_LENGTH, "too_long"),
    ],
)
def test_traps(url: str, reason: str) -> None:
    assert is_trap(url, TODAY) == reason


@pytest.mark.parametrize(
    "url",
    [
        "http://e.com/2025/05/12/council-votes.html",
        "http://e.com/2025/05/12/",
        "http://e.com/2025/04/19/2132.html",
        "http://e.com/2024/12/19/2046",
        "http://e.com/2025/06/01/",
        "http://e.com/2011/11/11/11-11-11.html",
        "http://e.com/1969/07/20/science/moon-landing.html",
        "http://e.com/news?date=2025-05-12",
        "http://e.com/news/page/2/",
        "http://e.com/news/list.php?page=3&cat=5",
        "http://e.com/",
        "http://e.com/sport/2026-world-cup-draw",
        "http://example.ai",
    ],
)
def test_no_traps(url: str) -> None:
    assert is_trap(url, TODAY) is None


PIECES = [
    "/",
    ".",
    "..",
    "?",
    "&",
    "=",
    "#",
    "%",
    ";",
    "+",
    " ",
    "~",
    "_",
    "-",
    ":",
    "@",
    "\\",
    "a",
    "A",
    "1",
    "é",
    "中",
    "\ud800",
]
PIECES += [
    "%2F",
    "%2f",
    "%41",
    "%7e",
    "%e4",
    "%5F",
    "%zz",
    "utm_x=1",
    "sid=3",
    "jsessionid=",
    "http://",
    "e.com",
    ":80",
    "[::1]",
]
SPELLINGS = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


@settings(max_examples=examples(500))
@given(rest=SPELLINGS | st.text(max_size=30), start=st.sampled_from(["", "http://e.com/", "https://E.com:443", "//"]))
def test_normalize_is_idempotent(rest: str, start: str) -> None:
    once = normalize(start + rest)
    if once is not None:
        assert normalize(once) == once
        assert once.isascii()
        assert len(once) <= MAX_LENGTH
    assert len(record_id(start + rest)) == 16
    is_trap(start + rest, TODAY)


@settings(max_examples=examples(200))
@given(st.dictionaries(st.sampled_from("abcdefg"), st.integers(0, 99).map(str)), st.randoms())
def test_order_of_parameters_says_nothing(parameters: dict[str, str], random: object) -> None:
    pairs = [f"{name}={value}" for name, value in parameters.items()]
    shuffled = sorted(pairs, key=lambda _: random.random())  # type: ignore[attr-defined]  # reason: random.Random
    assert normalize("http://e.com/?" + "&".join(pairs)) == normalize("http://e.com/?" + "&".join(shuffled))


def test_a_segment_of_the_page_s_own_address_is_no_trap_for_its_links() -> None:
    url = "http://e.com/cgi-bin/diary.cgi/2025"
    assert is_trap(url, TODAY) == "segment:cgi-bin"
    assert is_trap(url, TODAY, "http://e.com/cgi-bin/diary.cgi") is None
    assert is_trap("http://e.com/cgi-bin/login/", TODAY, "http://e.com/cgi-bin/diary.cgi") == "segment:login"
