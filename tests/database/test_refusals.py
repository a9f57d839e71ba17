"""Lines that are none, or that a database does not take: told, noted, and no hindrance to the others."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, text

from newsextract.database.schema import ARTICLES, read_row
from newsextract.feed import line
from pipelines.items import Item
from tests.database.feed_lines import article, bring_in, found_object, hit, name, post, read_page, write
from tests.examples import examples

Select = Callable[[str], list[dict[str, Any]]]


def test_a_refused_line_does_not_stop_the_others(
    engine: Engine, select: Select, feed: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(feed, article(1), article(2, pages=2**70), article(3, title=None), article(4, site=None))
    with feed.open("ab") as file:
        file.write(b'{"id": "no record"}\n[1]\n\xff\n')
    write(feed, article(5))
    written = bring_in(engine, feed)
    assert (str(written), written.refused) == ("3 articles", 5)
    assert [row["id"] for row in select("SELECT id FROM articles ORDER BY id")] == [name(1), name(3), name(5)]
    noted = select("SELECT position, reason FROM unwritten ORDER BY position")
    whole = feed.read_bytes()
    starts = [row["position"] for row in noted]
    assert [whole[at : at + 30].split(b",")[0] for at in starts[:2]] == [b'{"id": "%s"' % name(n).encode() for n in (2, 4)]
    assert len(noted) == 5
    assert all(row["reason"] for row in noted)
    assert [record.levelname for record in caplog.records if not record.name.startswith("psycopg")].count("WARNING") == 1
    assert f"{feed}: 5 lines are not in the database; at byte {starts[0]}: " in caplog.text


def test_a_value_that_is_too_large_for_an_index_does_not_stop_the_others(engine: Engine, select: Select, feed: Path) -> None:
    dice = random.Random(1)
    write(feed, hit(1), hit(2, query="".join(chr(dice.randrange(0x4E00, 0x9FFF)) for _ in range(5_000))), hit(3))
    refused = 1 if engine.dialect.name == "postgresql" else 0
    assert bring_in(engine, feed).refused == refused
    assert len(select("SELECT id FROM hits")) == 3 - refused
    assert len(select("SELECT reason FROM unwritten")) == refused


def test_a_number_over_32_bits_is_kept_as_it_is_or_refused(engine: Engine, select: Select, feed: Path) -> None:
    write(feed, article(1), article(2, pages=2**31), article(3))
    refused = 1 if engine.dialect.name == "postgresql" else 0
    assert bring_in(engine, feed).refused == refused
    pages = [row["pages"] for row in select("SELECT pages FROM articles ORDER BY id")]
    assert pages == ([1, 1] if refused else [1, 2**31, 1])


def test_what_postgresql_cannot_keep_is_replaced(engine: Engine, select: Select, feed: Path) -> None:
    write(feed, article(1, title="a\0b", authors=["\0"]), found_object(2, fields={"a\0": ["\0"]}))
    with feed.open("ab") as file:  # not as the crawl writes it, but as JSON may be
        file.write(line(article(3)).replace(b'"Fog 3"', b'"\\ud800 \\ud83d\\ude00 \\\\u0000"'))
    assert bring_in(engine, feed).refused == 0
    assert [row["title"] for row in select("SELECT title FROM articles ORDER BY id")] == ["a\ufffdb", "\ufffd 😀 \\u0000"]


@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.too_slow])
@given(st.text(st.characters(exclude_categories=())), st.lists(st.text()))
def test_any_text_becomes_a_row(title: str, authors: list[str]) -> None:
    raw = line(article(1, title=title, authors=authors))
    kind, row = read_row(raw)
    assert kind is ARTICLES
    told = json.loads(raw)
    assert row["title"] == told["title"].replace("\0", "\ufffd")
    assert row["authors"] == [author.replace("\0", "\ufffd") for author in told["authors"]]
    row["title"].encode("utf-8")


WRONG: list[tuple[Item, dict[str, Any], str]] = [
    (article(2), {"title": ["a"]}, "its title is a list; expected a text or null"),
    (article(2), {"title": {"a": 1}}, "its title is an object"),
    (article(2), {"text": 5}, "its text is a whole number; expected a text"),
    (article(2), {"pages": True}, "its pages is true or false; expected a whole number"),
    (article(2), {"pages": "2"}, "its pages is a text"),
    (article(2), {"confidence": float("nan")}, "it contains NaN, which is not JSON"),
    (article(2), {"authors": {"a": "b"}}, "its authors is an object; expected a list"),
    (article(2), {"id": None}, "its id is null"),
    (article(2), {"duplicate_of": 7}, "its duplicate_of is a whole number"),
    (article(2), {"fetched_at": "yesterday"}, "its time 'yesterday' cannot be read"),
    (article(2), {"fetched_at": "0001-01-01T00:00:00+01:00"}, "cannot be read"),
    (article(2), {"fetched_at": "2026-03-04T05:06:07"}, "has no time zone"),
    (post(2), {"date": 2026}, "its date is a whole number"),
    (found_object(2), {"fields": []}, "its fields is a list; expected an object"),
    (found_object(2), {"missing": ["https://fair.example/"]}, "a nested field is incomplete"),
    (found_object(2), {"missing": [{"reason": "download"}]}, "a nested field is incomplete"),
    (read_page(2), {"records": None}, "its records is null; expected a list"),
]


def altered(item: Item, change: dict[str, Any]) -> bytes:
    return json.dumps(json.loads(line(item)) | change, ensure_ascii=False).encode() + b"\n"


def test_values_of_a_wrong_type_do_not_stop_the_feed(engine: Engine, select: Select, feed: Path) -> None:
    deep = [b"[" * 100_000 + b"\n", line(article(2)).replace(b'["Mara Quill"', b'["a", ' + b"[" * 100_000)]
    nested = altered(found_object(5), {"fields": {"name": json.loads("[" * 400 + "]" * 400)}})
    lines = [altered(item, change) for item, change, _ in WRONG] + deep
    feed.write_bytes(line(article(1)) + b"".join(lines) + line(article(3)) + nested)
    written = bring_in(engine, feed)
    assert (str(written), written.refused) == ("2 articles, 1 object", len(lines))
    reasons = [row["reason"] for row in select("SELECT reason FROM unwritten ORDER BY position")]
    for reason, said in zip(reasons, [said for _, _, said in WRONG] + ["it is nested too deeply"] * 2, strict=True):
        assert said in reason


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=4,
)


@settings(max_examples=examples(200))
@given(st.sampled_from([article(1), post(1), found_object(1), read_page(1)]), st.data())
def test_any_value_is_a_row_or_a_reason(item: Item, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(json.loads(line(item)))))
    value = data.draw(json_values)
    with suppress(ValueError):  # no other error
        _, row = read_row(altered(item, {name: value}))
        assert type(row[name]) in (str, int, float, list, dict, type(None))


@pytest.mark.slow
def test_many_refused_lines_are_told_in_one_line_and_cost_no_pause(
    engine: Engine, select: Select, feed: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """As after an upgrade that has added a field; then they are brought in, and nothing is noted any more."""
    feed.write_bytes(b"".join(altered(read_page(n), {"more": 1}) for n in range(500)))
    began = time.monotonic()
    written = bring_in(engine, feed)
    assert time.monotonic() - began < 5, "twenty milliseconds each would be ten seconds"
    assert written.refused == 500
    assert [record.levelname for record in caplog.records if not record.name.startswith("psycopg")].count("WARNING") == 1
    assert (
        "500 lines are not in the database; at byte 0: among pages, these fields are missing or unknown: more" in caplog.text
    )
    assert len(select("SELECT reason FROM unwritten")) == 500
    with engine.begin() as connection:
        connection.execute(text("DELETE FROM feeds"))
    feed.write_bytes(line(read_page(1)))
    bring_in(engine, feed)
    assert select("SELECT reason FROM unwritten") == []


def test_what_is_written_when_the_feed_is_read_again_is_not_noted_any_more(
    engine: Engine, select: Select, feed: Path
) -> None:
    write(feed, article(1), article(2))
    whole = feed.read_bytes()
    at = whole.rindex(b'"fetched_at": "2')
    feed.write_bytes(whole[:at] + whole[at:].replace(b'"fetched_at": "2', b'"fetched_at": "X'))
    assert bring_in(engine, feed).refused == 1
    assert len(select("SELECT reason FROM unwritten")) == 1
    feed.write_bytes(whole)
    bring_in(engine, feed)
    assert select("SELECT reason FROM unwritten") == []
    assert len(select("SELECT id FROM articles")) == 2
