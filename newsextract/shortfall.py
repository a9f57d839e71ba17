"""A crawl that finds nothing, or much less than sitemaps and feeds announce: one line with a key that is likely to help."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

EXIT_CODE = 3
"""Of a crawl that ended well and found too little. 1: it broke off; 2: it was not started."""
LEAST_ANNOUNCED = 10
"""Announced articles from which on their number counts."""
ENOUGH = 0.5
"""Share of the announced articles that is no shortfall: a sitemap also lists fixed pages and what has moved."""
NO_TEXT = "hardly any text"
"""In the reason of a rejection: the source has no text, as that of an application that draws itself."""
_NO_ARTICLES = ("listing", "part", "redirected", "not_canonical", "out_of_window", "not_html")
"""Rejections of pages that a sitemap may name and that are no missing article."""


@dataclass(frozen=True, slots=True)
class Shortfall:
    """What is missing, and what to do."""

    line: str
    key: str
    """Of the site's table."""
    value: str
    """For it, as TOML; an example where only the user can know."""


def shortfall(
    name: str, found: int, announced: int, rejections: Iterable[tuple[str, str]], *, has_allow: bool = False
) -> Shortfall | None:
    """What to say of a site that has been crawled; None if it gave enough.

    :param found: articles in the feed, those of earlier runs included.
    :param announced: distinct articles of sitemaps and feeds; 0 where there are none, or only a few were wanted.
    :param rejections: status and reason of each.
    :param has_allow: whether the site has ``allow`` patterns.
    """
    counts: dict[str, int] = {}
    thin = 0
    for status, reason in rejections:
        counts[status] = counts.get(status, 0) + 1
        thin += NO_TEXT in reason or status == "empty"
    expected = announced - sum(counts.get(status, 0) for status in _NO_ARTICLES)
    if found and (expected < LEAST_ANNOUNCED or found >= ENOUGH * expected):
        return None
    what = f"found {found} of {expected} articles that sitemaps and feeds announce" if found else "found no article"
    why, key, value = _cause(counts, thin, has_allow=has_allow)
    return Shortfall(f"{name}: {what}: {why}; set {key} = {value}", key, value)


def _cause(counts: Mapping[str, int], thin: int, *, has_allow: bool) -> tuple[str, str, str]:
    """The likeliest reason, and key and value that mend it."""
    pages = sum(counts.values())
    refused = sum(
        counts.get(status, 0) for status in ("blocked", "challenged", "server_error", "download", "failed", "http_error")
    )
    causes = [
        (thin, f"the source of {thin} of {pages} rejected pages has hardly any text", "render", "true"),
        (counts.get("robots", 0), f"robots.txt forbids {counts.get('robots', 0)} pages", "obey_robots", "false"),
        (counts.get("private", 0), "it leads to private addresses", "start", '["http://the-private-host/"]'),
        (refused, f"{refused} pages could not be fetched", "user_agent", '"name (+https://example.org/contact)"'),
        (counts.get("out_of_window", 0), "articles lie outside the date window", "since", "2000-01-01"),
        (counts.get("short", 0), f"{counts.get('short', 0)} texts are too short", "min_length", "20"),
        (
            counts.get("listing", 0) + counts.get("not_article", 0) - thin,
            "no fetched page looks like an article" if not has_allow else "no fetched page matches allow",
            "allow",
            "['/part-of-all-article-urls/']",
        ),
    ]
    count, *cause = max(causes, key=lambda cause: cause[0])
    if not count:
        cause = ["no page was fetched", "start", '["https://www.example.org/"]']
    return cause[0], cause[1], cause[2]
