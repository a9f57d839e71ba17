"""Records for the tests of the pipelines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from newsextract.feed.record_lines import NewsRecord, Rejection


@pytest.fixture
def make_record() -> Callable[..., NewsRecord]:
    def make(identity: int = 1, **values: Any) -> NewsRecord:
        given: dict[str, Any] = {
            "id": f"{identity:016x}", "url": f"https://example.org/{identity}", "canonical_url": None, "site": "x", "kind": "news",
            "title": "Title", "title_source": "h1", "date": "2024-09-18", "date_precision": "day", "date_source": "time",
            "text": "A text that is long enough to be kept by all of the rules, whatever it is that they are about to say of it.",
            "authors": ["Ida Marsh"], "language": "en", "section": None, "image": None, "pages": 1,
            "fetched_at": "2024-09-19T08:00:00+00:00", "algorithm": "block_statistics", "confidence": 0.5, "status": "ok",
            "reason": None, "revision": 0, "duplicate_of": None, "fingerprint": None, "etag": None, "last_modified": None,
        }  # fmt: skip
        return NewsRecord(**given | values)

    return make


@pytest.fixture
def make_rejection() -> Callable[..., Rejection]:
    def make(identity: int = 1, status: str = "short", **values: Any) -> Rejection:
        given: dict[str, Any] = {
            "id": f"{identity:016x}", "url": f"https://example.org/{identity}", "site": "x", "status": status, "reason": "because",
            "fetched_at": "2024-09-19T08:00:00+00:00",
        }  # fmt: skip
        return Rejection(**given | values)

    return make
