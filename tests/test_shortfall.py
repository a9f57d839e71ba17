"""What a crawl says that found too little."""

from __future__ import annotations

import tomllib

import pytest

from newsextract.alarms import NO_LINKS, shortfall
from newsextract.results import ASKS_CONSENT, IS_LOG_IN


@pytest.mark.parametrize(
    ("rejections", "key"),
    [
        ([("not_article", "other (0.90): hardly any text")] * 3, "render"),
        ([("robots", "forbidden by robots.txt")] * 2, "obey_robots"),
        ([("blocked", "HTTP 403")] * 5, "user_agent"),
        (
            [("redirected", f"redirects to /privacy-gate; that page {ASKS_CONSENT}"), *[("blocked", "HTTP 403")]],
            "user_agent",
        ),
        ([("listing", "listing (0.90): teasers"), *[("missing", "HTTP 404")] * 5], "start"),
        ([("download", "ConnectionRefusedError: Connection refused")], "start"),
        ([("failed", "stopped after 30 s")] * 2, "algorithm"),
        ([("out_of_window", "its date 2020-01-01 is before since")], "since"),
        ([("short", "the text has 20 characters")], "min_length"),
        ([("listing", "listing (0.90): teasers")] * 4, "allow"),
        ([("listing", f"{NO_LINKS}; other (0.90): menu"), *[("not_article", "service (0.70): prices")] * 3], "render"),
        ([("empty", "sitemap: no URL found in it"), ("not_article", "other (0.70): a page")], "sitemaps"),
        ([("missing", "sitemap: HTTP 404")], "sitemaps"),
        ([("missing", "feed: HTTP 404"), ("empty", "feed: no entry found in it")], "feeds"),
        ([("blocked", "sitemap: HTTP 403")], "user_agent"),
        ([("blocked", f"{IS_LOG_IN}: 'sign in'")] * 3, "start"),
        ([("not_html", "the server says it is application/pdf")], "start"),
        ([], "start"),
    ],
)
def test_the_likeliest_key_is_named_with_a_value_that_is_toml(rejections: list[tuple[str, str]], key: str) -> None:
    found = shortfall("x", 0, 0, rejections)
    assert found is not None
    assert found.key == key
    assert key in tomllib.loads(f"{found.key} = {found.value}")
    assert found.line.startswith("x: found no article: ")
    assert "\n" not in found.line


def test_much_less_than_announced_is_too_little_and_half_is_enough() -> None:
    assert shortfall("x", 10, 100, []) is not None
    assert shortfall("x", 50, 100, []) is None
    assert shortfall("x", 3, 9, []) is None, "too few to say"
    assert shortfall("x", 20, 100, [("listing", "a list")] * 65) is None, "the sitemap lists archives, too"
    assert shortfall("x", 20, 100, [("not_article", "product (0.98): price")] * 65) is None, "the site has a shop, too"
    assert shortfall("x", 20, 100, [("not_article", "other (0.90): hardly any text")] * 65) is not None
