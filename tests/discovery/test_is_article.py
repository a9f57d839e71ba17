"""What a crawl of news takes for an article."""

from __future__ import annotations

import pytest

from newsextract.discovery import DOUBTFUL, NAMED_BY_FEED, NAMED_BY_SITEMAP, Rules, is_article
from newsextract.discovery.kinds import PageKind

HERE = "https://www.example.org/a"


def kind(article: float, *, leads_on: bool = False) -> PageKind:
    """A page that is an article with this probability, from 0.4 on."""
    is_article = article >= 0.4 and not leads_on
    return PageKind("article" if is_article else None, article, is_article, leads_on, (article, *[(1 - article) / 6] * 6))


@pytest.mark.parametrize(
    ("role", "found", "expected"),
    [
        ("article", kind(0.01), True),
        ("article", kind(NAMED_BY_FEED + 0.01, leads_on=True), True),
        ("article", kind(NAMED_BY_FEED, leads_on=True), False),
        ("link", kind(DOUBTFUL), True),
        ("link", kind(DOUBTFUL - 0.01), False),
        ("link", kind(0.2), False),
        ("start", kind(0.99), False),
        ("listing", kind(0.99), False),
    ],
)
def test_evidence_and_what_vouches_for_a_page(role: str, found: PageKind, expected: bool) -> None:
    assert is_article(Rules(), HERE, role, found) is expected


def test_a_sitemap_vouches_for_less_than_a_feed() -> None:
    listing = kind(NAMED_BY_SITEMAP - 0.1, leads_on=True)
    assert is_article(Rules(), HERE, "article", listing, "feed")
    assert not is_article(Rules(), HERE, "article", listing, "sitemap")


def test_pages_about_the_site_are_articles_only_where_a_pattern_a_feed_or_the_user_names_them() -> None:
    about, sure = "https://www.example.org/en/about-us.html", kind(0.99)
    assert not is_article(Rules(), about, "link", sure)
    assert not is_article(Rules(), about, "article", sure, "sitemap")
    assert is_article(Rules(), about, "article", sure, "feed")
    assert is_article(Rules(), about, "article", sure)
    assert is_article(Rules(allow=("/en/",)), about, "link", sure)
    assert is_article(Rules(), "https://www.example.org/2025/04/about-us.html", "link", sure)


def test_allow_follow_and_deny_are_final_whatever_names_a_page() -> None:
    sure = kind(0.99)
    for role in ("article", "link"):
        assert not is_article(Rules(allow=("/b$",)), HERE, role, sure)
        assert not is_article(Rules(follow=("/a$",)), HERE, role, sure)
        assert is_article(Rules(follow=("/a$",), allow=("/a$",)), HERE, role, sure)
        assert not is_article(Rules(deny=("/a$",), allow=("/a$",)), HERE, role, sure)


def test_allow_vouches_for_doubtful_articles_only() -> None:
    allowed = Rules(allow=("/a$",))
    assert is_article(allowed, HERE, "link", kind(DOUBTFUL - 0.05))
    assert not is_article(allowed, HERE + "b", "link", kind(DOUBTFUL - 0.05))
    assert not is_article(allowed, HERE, "link", kind(0.1))
