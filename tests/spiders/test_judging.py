"""What the news spider takes a page or an address for."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal

import pytest

from newsextract.discovery.kind import DOUBTFUL, Kind
from newsextract.sites import Site
from spiders.judging import SURE, canonical_of, day_of, is_article, outside, recency

HERE = "https://www.example.org/a"


def site(**more: Any) -> Site:
    return Site(name="x", domains=["example.org"], start=["https://www.example.org/news"], **more)


@pytest.mark.parametrize(
    ("role", "kind", "confidence", "expected"),
    [
        ("article", "other", 0.99, True),
        ("article", "listing", SURE - 0.01, True),
        ("article", "listing", SURE, False),
        ("link", "article", DOUBTFUL, True),
        ("link", "article", DOUBTFUL - 0.01, False),
        ("link", "other", 0.6, False),
        ("start", "article", 0.99, False),
        ("listing", "article", 0.99, False),
    ],
)
def test_evidence_and_what_vouches_for_a_page(
    role: str, kind: Literal["article", "listing", "other"], confidence: float, expected: bool
) -> None:
    assert is_article(site(), HERE, role, Kind(kind, confidence, ())) is expected


def test_allow_vouches_for_doubtful_articles_only() -> None:
    allowed = site(allow=["/a$"])
    assert is_article(allowed, HERE, "link", Kind("article", 0.5, ()))
    assert not is_article(allowed, HERE + "b", "link", Kind("article", 0.5, ()))
    assert not is_article(allowed, HERE, "link", Kind("other", 0.9, ()))


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
    assert (
        Kind("listing", 0.876, ("many headlines", "hardly any text")).told
        == "listing (0.88): many headlines, hardly any text"
    )
