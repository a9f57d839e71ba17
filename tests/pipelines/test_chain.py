"""What users' item pipelines return becomes a line that the next run can read, or a reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from itemadapter import ItemAdapter

from newsextract.database.schema import read_row
from newsextract.feed import FeedChangedError, LedgerFile, check_record, line
from newsextract.feed.record_lines import FeedLine, NewsRecord
from newsextract.page.page import Page
from newsextract.sites import Site
from pipelines.chain import UnusableError, checked
from pipelines.items import FetchedPage
from tests.database.feed_lines import article, found_object, hit, post, teaser
from tests.examples import examples

MAKE: list[Callable[[], Any]] = [
    lambda: article(1),
    lambda: post(1),
    lambda: hit(1),
    lambda: teaser(1),
    lambda: found_object(1),
]
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["duplicate_of", "id", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)


def read_back(made: FeedLine) -> dict[str, Any]:
    """The line, as the next run and the database accept it."""
    data = line(made)
    value: dict[str, Any] = json.loads(data)
    if isinstance(made, NewsRecord):
        check_record(value, data)
    else:
        check_record(value, data, value["kind"])
    return value


@settings(max_examples=examples(300))
@given(st.sampled_from(MAKE), st.data())
def test_whatever_a_pipeline_sets_is_a_line_that_can_be_read_or_a_reason(
    make: Callable[[], Any], data: st.DataObject
) -> None:
    item = make()
    before = item.values()
    names = st.sampled_from([*before, "topic", "attempt", "records", "status"]) | st.text("abc", min_size=1, max_size=3)
    changes = data.draw(st.dictionaries(names, values, max_size=3))
    with suppress(UnusableError):  # no other error
        made = checked(item, before, {**ItemAdapter(item).asdict(), **changes})
        assert isinstance(made, FeedLine)
        written = read_back(made)
        assert written["id"] == before["id"]
        assert changes.keys() <= written.keys()


@pytest.mark.parametrize("make", MAKE)
def test_a_dict_with_a_further_field_is_the_same_line_with_it(make: Callable[[], Any]) -> None:
    item = make()
    made = checked(item, item.values(), {**ItemAdapter(item).asdict(), "topic": "x", "on": date(2026, 1, 2)})
    assert type(made) is type(item)
    written = read_back(made)  # type: ignore[arg-type]  # a line
    assert written == json.loads(line(item)) | {"topic": "x", "on": "2026-01-02"}
    _, row = read_row(line(made))  # type: ignore[arg-type]  # a line
    assert "topic" not in row


def test_a_schema_field_that_is_returned_replaces_the_value() -> None:
    item = article(1)
    made = checked(item, item.values(), {**item.values(), "title": "Another", "authors": ("A", "B")})
    assert isinstance(made, NewsRecord)
    assert (made.title, made.authors) == ("Another", ["A", "B"])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"id": None}, "no id"),
        ({"id": "0" * 16}, "another id"),
        ({"kind": "post"}, "changed kind"),
        ({"fingerprint": "x"}, "changed fingerprint"),
        ({"text": None}, "its text is null; expected a text"),
        ({"topic": {1, object()}}, "no JSON"),
        ({"topic": float("nan")}, "no JSON"),
    ],
)
def test_what_the_next_run_could_not_read_is_refused(change: dict[str, Any], reason: str) -> None:
    item = article(1)
    with pytest.raises(UnusableError, match=reason):
        checked(item, item.values(), {**item.values(), **change})


def test_fields_that_are_left_out() -> None:
    item = article(1)
    made = checked(
        item, item.values(), {name: value for name, value in item.values().items() if name not in ("title", "site")}
    )
    assert isinstance(made, NewsRecord)
    assert (made.title, made.site) == (None, item.site)
    with pytest.raises(UnusableError, match="without text"):
        checked(item, item.values(), {name: value for name, value in item.values().items() if name != "text"})


def test_in_logs_nothing_shows_a_text() -> None:
    site = Site(name="courier", start=["http://courier.example/"])
    page = FetchedPage(site, "http://courier.example/1", [Page(b"<html>" * 1000, "http://courier.example/1")])
    assert "<html>" not in repr(page)
    assert "6000 bytes" in repr(page)
    for make in MAKE:
        assert len(repr(make())) < 200
        assert make().id in repr(make())


def test_a_changed_file_takes_no_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    for change in (Path.unlink, lambda p: p.write_bytes(b""), lambda p: p.write_bytes(b"more\n" * 9), lambda p: p.rename(p.with_suffix(".b"))):  # fmt: skip
        file = LedgerFile(path, overwrite=True)
        file.write(b"one\n")
        file.check()
        change(path)
        with pytest.raises(FeedChangedError):
            file.write(b"two\n")
        file.close()
