from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from newsextract.archives import ArchivedArticle, Failure
from newsextract.spark.inputs import row_entry
from tests.made_archives import html

URL = "https://courier.example/2026/03/01/one.html"


@pytest.mark.parametrize(
    "row",
    [
        {"url": URL, "body": bytearray(html("one")), "headers": {"Content-Type": "text/html"}, "html": None},
        {"url": URL, "html": html("one").decode(), "headers": json.dumps({"content-type": "text/html"})},
        {
            "url": URL,
            "body": html("one"),
            "fetched_at": datetime(2026, 3, 4, tzinfo=UTC),
            "hints": {"title": "x", "date": None},
        },
    ],
)
def test_a_row_is_a_page(row: dict[str, object]) -> None:
    entry = row_entry(row, "x.parquet#0")
    assert isinstance(entry, ArchivedArticle)
    (page,) = entry.parts
    assert (page.body, page.url, entry.place) == (html("one"), URL, "x.parquet#0")
    if "fetched_at" in row:
        assert page.time.isoformat() == "2026-03-04T00:00:00+00:00"


@pytest.mark.parametrize("row", [{}, {"url": URL}, {"url": 7, "html": "x"}, {"url": URL, "html": "x", "headers": "{wrong"}])
def test_a_bad_row_is_a_failure(row: dict[str, object]) -> None:
    entry = row_entry(row, "x.parquet#7")
    assert isinstance(entry, Failure)
    assert entry.place == "x.parquet#7"
    assert "expected columns" in entry.reason
