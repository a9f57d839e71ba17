"""What the news spider takes a page or an address for."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from newsextract.discovery import Rules
from newsextract.discovery.kinds import PageKind
from newsextract.sites import Site
from spiders.outcomes import canonical_of, day_of, outside, recency

HERE = "https://www.example.org/a"


def site(**more: Any) -> Site:
    return Site(name="x", domains=["example.org"], start=["https://www.example.org/news"], **more)


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
    assert canonical_of(site(), Rules(), HERE, named) == expected
    assert canonical_of(site(canonical="ignore"), Rules(), HERE, named) is None


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
