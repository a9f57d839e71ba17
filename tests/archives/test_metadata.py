"""What a crawl stores beside the bytes."""

from __future__ import annotations

import dataclasses
import json
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract import Hints
from newsextract.archives.entries import NO_SITE, Described, Part, SiteFacts, site_name
from newsextract.feed.record_lines import ReadPage

TEXT = st.text(max_size=20)
MAYBE = st.none() | TEXT
FACTS = st.builds(
    SiteFacts, st.from_regex(r"[a-z0-9][a-z0-9._-]{0,30}", fullmatch=True), TEXT, MAYBE, st.dictionaries(TEXT, st.integers() | TEXT, max_size=3), MAYBE, st.integers(0, 999),
    st.floats(0, 1), st.booleans(), st.none() | st.dates(), st.none() | st.dates(), *[st.lists(TEXT, max_size=3).map(tuple)] * 3,
)  # fmt: skip
PARTS = st.builds(Part, TEXT, st.integers(0), TEXT, TEXT, st.datetimes(timezones=st.just(UTC)), MAYBE)
LINE = dataclasses.asdict(
    ReadPage(
        id="0123456789abcdef", url="https://x.example/", site="x", kind="thread", number=1, first=1, count=3,
        records=["0123456789abcdee"], next=None, fetched_at="2026-01-02T00:00:00+00:00",
    )
)  # fmt: skip


@given(st.builds(Described, FACTS, TEXT, st.builds(Hints, MAYBE, MAYBE, MAYBE, MAYBE), st.lists(PARTS, min_size=1, max_size=3),
                 MAYBE, MAYBE, st.none() | st.just(LINE), MAYBE, MAYBE))  # fmt: skip
def test_what_is_written_is_what_is_read(described: Described) -> None:
    assert Described.from_bytes(described.to_bytes()) == described


def whole() -> dict[str, Any]:
    part = Part("x.warc.gz", 7, "<urn:uuid:1>", "https://x.example/", datetime(2026, 1, 2, tzinfo=UTC))
    facts = SiteFacts("x", since=date(2026, 1, 1))
    made: dict[str, Any] = json.loads(Described(facts, "https://x.example/", Hints(), [part], line=LINE).to_bytes())
    return made


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("version",), 2), (("site",), None), (("site", "since"), "soon"), (("site", "params"), []), (("site", "allow"), [1]),
        (("site", "min_length"), "80"), (("site", "name"), 1), (("hints",), {}), (("hints",), [1, 2, 3, 4]), (("parts",), []),
        (("parts", 0), None), (("parts", 0, "offset"), "7"), (("parts", 0, "offset"), True), (("parts", 0, "fetched_at"), "x"),
        (("parts", 0, "file"), None), (("line",), []), (("line", "id"), "x"), (("line", "number"), None), (("etag",), 1),
        (("requested_url",), None), (("site", "min_confidence"), "much"),
        *[(("site", "name"), name) for name in ("", "../../etc/cron.d/x", "a/b", "a\x1b[2J", "A", "x" * 254, ".hidden")], (("line", "first"), 10**400),
        *[(("line", name), {"a": 1}) for name in LINE],
    ],
)  # fmt: skip
def test_anything_else_is_refused(path: tuple[Any, ...], value: Any) -> None:
    made = whole()
    Described.from_bytes(json.dumps(made).encode())
    place: Any = made
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(ValueError, match=r"."):
        Described.from_bytes(json.dumps(made).encode())


@given(st.binary(max_size=60) | st.recursive(st.none() | TEXT, lambda x: st.lists(x) | st.dictionaries(TEXT, x)).map(
    lambda value: json.dumps(value).encode()))  # fmt: skip
def test_whatever_the_record_holds(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        Described.from_bytes(data)


@pytest.mark.parametrize(
    ("url", "name"),
    [("https://www.news.example.co.uk/a", "example.co.uk"), ("http://127.0.0.1:80", "127.0.0.1"), (None, NO_SITE),
     ("http://[::1]/", NO_SITE), ("http://[", NO_SITE), ("file:a.html", NO_SITE)],
)  # fmt: skip
def test_sites_of_pages_without_one(url: str | None, name: str) -> None:
    assert site_name(url) == name
