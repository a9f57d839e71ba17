"""What the news spider takes a page or an address for."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from newsextract.discovery.kinds import DOUBTFUL, PageKind
from newsextract.sites import Site
from spiders.judging import LIKELY, SURE, canonical_of, day_of, is_article, outside, recency

HERE = "https://www.example.org/a"


def site(**more: Any) -> Site:
    return Site(name="x", domains=["example.org"], start=["https://www.example.org/news"], **more)


def kind(article: float, *, leads_on: bool = False) -> PageKind:
    """A page that is an article with this probability, from 0.4 on."""
    is_article = article >= 0.4 and not leads_on
    return PageKind("article" if is_article else None, article, is_article, leads_on, (article, *[(1 - article) / 6] * 6))


@pytest.mark.parametrize(
    ("role", "found", "expected"),
    [
        ("article", kind(0.01), True),
        ("article", kind(SURE + 0.01, leads_on=True), True),
        ("article", kind(SURE, leads_on=True), False),
        ("link", kind(DOUBTFUL), True),
        ("link", kind(DOUBTFUL - 0.01), False),
        ("link", kind(0.2), False),
        ("start", kind(0.99), False),
        ("listing", kind(0.99), False),
    ],
)
def test_evidence_and_what_vouches_for_a_page(role: str, found: PageKind, expected: bool) -> None:
    assert is_article(site(), HERE, role, found) is expected


def test_a_sitemap_vouches_for_less_than_a_feed() -> None:
    listing = kind(LIKELY - 0.1, leads_on=True)
    assert is_article(site(), HERE, "article", listing, "feed")
    assert not is_article(site(), HERE, "article", listing, "sitemap")


def test_allow_follow_and_deny_are_final_whatever_names_a_page() -> None:
    sure = kind(0.99)
    for role in ("article", "link"):
        assert not is_article(site(allow=["/b$"]), HERE, role, sure)
        assert not is_article(site(follow=["/a$"]), HERE, role, sure)
        assert is_article(site(follow=["/a$"], allow=["/a$"]), HERE, role, sure)
        assert not is_article(site(deny=["/a$"], allow=["/a$"]), HERE, role, sure)


def test_allow_vouches_for_doubtful_articles_only() -> None:
    allowed = site(allow=["/a$"])
    assert is_article(allowed, HERE, "link", kind(DOUBTFUL - 0.05))
    assert not is_article(allowed, HERE + "b", "link", kind(DOUBTFUL - 0.05))
    assert not is_article(allowed, HERE, "link", kind(0.1))


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        (None, None),
        (HERE, None),
        (HERE + "#top", None),
        ("https://www.example.org/b", "https://www.example.org/b"),
        ("https://www.example.org/", None),
        ("https://www.example.org/news", None),
        ("https://elsewhere.example.net/b", None),
    ],
)
def test_only_another_page_of_the_site_is_canonical(named: str | None, expected: str | None) -> None:
    assert canonical_of(site(), HERE, named) == expected
    assert canonical_of(site(canonical="ignore"), HERE, named) is None


def test_the_window_and_what_is_fetched_first() -> None:
    bounded = site(since=date(2026, 1, 2), until=date(2026, 1, 3))
    days = [day_of(text) for text in (None, "2026-01-01", "2026-01-02T09:00", "2026-01-03", "2026-01-04", "January")]
    assert [outside(bounded, day) for day in days] == [False, True, False, False, True, False]
    assert day_of("January", date(2026, 1, 2)) == date(2026, 1, 2)
    today = datetime.now(UTC).date()
    assert recency(today) > recency(today - timedelta(days=1)) > recency(today - timedelta(days=600)) == recency(None) == 0
    assert recency(today) == recency(date(9999, 12, 31)) == 500, "feeds name days to come"


def test_a_kind_in_words() -> None:
    listing = PageKind("listing", 0.876, False, True, (0.1, 0, 0, 0, 0, 0.9, 0), ("many headlines", "little prose"))
    assert listing.told == "listing (0.88): many headlines, little prose"
    undecided = PageKind(None, 0.4, False, True, (0.1, 0, 0, 0, 0, 0.4, 0.4), ("many headlines",))
    assert undecided.told == "list of other pages (0.40): many headlines"
