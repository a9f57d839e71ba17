"""What a feed had comes out of the database again, byte for byte."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import Engine

from newsextract.database import schema as database_schema
from newsextract.database.schema import EXPORTED, exported
from newsextract.feed import line
from newsextract.feed.record_lines import Hit, NewsRecord, ObjectRecord, Post, ReadPage, Rejection, Teaser
from pipelines.items import Item
from tests.database.feed_lines import (
    LATER,
    article,
    bring_in,
    found_object,
    hit,
    name,
    post,
    read_page,
    rejection,
    teaser,
    write,
)

Make = Callable[..., Item]
BEFORE = "2025-12-31T23:59:59+00:00"


def lines_of(engine: Engine, kind: str, site: str | None = None, *, revisions: bool = False) -> list[bytes]:
    with engine.connect() as connection:
        return list(exported(connection, EXPORTED[kind], site, revisions=revisions))


@pytest.mark.parametrize(
    ("kind", "item"),
    [
        ("news", NewsRecord), ("forum", Post), ("search", Hit), ("list", Teaser), ("object", ObjectRecord),
        ("pages", ReadPage), ("rejections", Rejection),
    ],
)  # fmt: skip
def test_the_fields_have_the_order_of_the_feed(kind: str, item: type[Item]) -> None:
    assert EXPORTED[kind].line is item


@pytest.mark.parametrize(
    ("kind", "make"),
    [
        ("news", article), ("forum", post), ("search", hit), ("list", teaser), ("object", found_object), ("pages", read_page),
        ("rejections", rejection),
    ],
)  # fmt: skip
def test_a_feed_that_was_brought_in_comes_out_again(
    kind: str, make: Make, engine: Engine, feed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_schema, "_ROWS", 3)
    write(feed, make(9, fetched_at=BEFORE), *(make(n) for n in range(1, 8)), make(0, fetched_at=LATER))
    bring_in(engine, feed)
    assert b"".join(lines_of(engine, kind)) == feed.read_bytes()
    assert b"".join(lines_of(engine, kind, revisions=True)) == feed.read_bytes()


def test_odd_values_come_out_again(engine: Engine, feed: Path) -> None:
    write(
        feed,
        article(1, title='a\\ "b"\n\t\x01\u2028', text="雷雨\r\n😀", authors=[], confidence=1 / 3, duplicate_of=name(9)),
        article(2, title="\\N", text="", date=None, confidence=1e-17),
        article(3, title="\0"),
    )
    bring_in(engine, feed)
    assert b"".join(lines_of(engine, "news")) == feed.read_bytes().replace(b"\\u0000", "\ufffd".encode())


def test_nested_objects_say_the_same(engine: Engine, feed: Path) -> None:
    """PostgreSQL sorts their keys."""
    write(feed, found_object(1, fields={"zz": "1", "a": ["2"], "é": "3"}), post(2, quotes=[{"text": "a", "author": None}]))
    bring_in(engine, feed)
    found = lines_of(engine, "object") + lines_of(engine, "forum")
    assert [json.loads(one) for one in found] == [json.loads(one) for one in feed.read_bytes().splitlines()]


def test_the_latest_states_or_all(engine: Engine, feed: Path) -> None:
    items = [
        article(1), article(2), found_object(3),
        article(1, revision=1, text="New.", fetched_at=LATER), found_object(3, revision=1, object=None, fetched_at=LATER),
    ]  # fmt: skip
    write(feed, *items)
    bring_in(engine, feed)
    lines = [line(item) for item in items]
    assert lines_of(engine, "news") == [lines[1], lines[3]]
    assert lines_of(engine, "news", revisions=True) == [lines[0], lines[1], lines[3]]
    assert lines_of(engine, "object") == [lines[4]]
    assert lines_of(engine, "object", revisions=True) == [lines[2], lines[4]]


@pytest.mark.parametrize("kind", EXPORTED)
def test_one_site(kind: str, engine: Engine, feed: Path) -> None:
    made: dict[str, Make] = {
        "news": article, "forum": post, "search": hit, "list": teaser, "object": found_object, "pages": read_page,
        "rejections": rejection,
    }  # fmt: skip
    name_of = "engine" if kind == "search" else "site"
    write(feed, *(made[kind](n, **{name_of: site}) for n, site in enumerate(["one", "two", "one"], 1)))
    bring_in(engine, feed)
    assert [json.loads(found)["id"] for found in lines_of(engine, kind, "one")] == [name(1), name(3)]
    assert lines_of(engine, kind, "three") == []


def test_an_exported_feed_is_a_feed(engine: Engine, feed: Path, tmp_path: Path) -> None:
    write(feed, article(1), article(2), article(1, revision=1, text="New.", fetched_at=LATER))
    bring_in(engine, feed)
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(b"".join(lines_of(engine, "news", revisions=True)))
    assert str(bring_in(engine, copy)) == "3 articles"
    assert len(lines_of(engine, "news", revisions=True)) == 3
