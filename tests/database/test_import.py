"""Lines of feeds as rows: each whole, each once, the latest easy to find, and nothing lost when a reading is cut short."""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, text

from newsextract.database.bringing_in import Importer
from newsextract.database.rows import ARTICLES, HITS, OBJECTS, PAGES, POSTS, REJECTIONS, TEASERS, Kind, read_row
from newsextract.line_file import LedgerFile, line
from newsextract.news_record import NewsRecord
from pipelines.items import Hit, Item, ObjectRecord, Post, ReadPage, Rejection, Teaser
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

Select = Callable[[str], list[dict[str, Any]]]


@pytest.fixture
def feed(tmp_path: Path) -> Path:
    return tmp_path / "news.jsonl"


@pytest.mark.parametrize(
    ("kind", "item"),
    [
        (ARTICLES, NewsRecord), (POSTS, Post), (HITS, Hit), (TEASERS, Teaser), (OBJECTS, ObjectRecord), (PAGES, ReadPage),
        (REJECTIONS, Rejection),
    ],
)  # fmt: skip
def test_the_tables_have_the_fields_of_the_lines(kind: Kind, item: type) -> None:
    assert kind.fields == {field.name for field in dataclasses.fields(item)}


@pytest.mark.parametrize(
    ("table", "make"),
    [
        ("articles", article), ("posts", post), ("hits", hit), ("teasers", teaser), ("objects", found_object),
        ("pages", read_page), ("rejections", rejection),
    ],
)  # fmt: skip
def test_a_row_says_what_its_line_says(
    table: str, make: Callable[[int], Item], engine: Engine, select: Select, feed: Path
) -> None:
    write(feed, make(1), make(2))
    assert str(bring_in(engine, feed)) == f"2 {table}"
    rows = {row["id"]: row for row in select(f"SELECT * FROM {table}")}
    nested = {"authors", "path", "fields", "object", "missing", "misfits", "notes", "records"}
    for one in map(json.loads, feed.read_text("utf-8").splitlines()):
        row = rows[one["id"]]
        for column, value in one.items():
            found = row[column]
            if column in nested and isinstance(found, str):
                found = json.loads(found)
            assert found == value, column
        if "day" in row:
            assert row["day"] == (one["date"][:10] if len(one["date"] or "") >= 10 else None)


def test_reading_again_changes_nothing(engine: Engine, select: Select, feed: Path) -> None:
    write(feed, *(article(n) for n in range(20)), *(rejection(n) for n in range(5)), found_object(7))
    assert str(bring_in(engine, feed, lines=7)) == "20 articles, 1 object, 5 rejections"
    before = select("SELECT * FROM article_revisions ORDER BY id"), select("SELECT * FROM feeds")
    assert str(bring_in(engine, feed)) == "nothing new"
    with engine.begin() as connection:
        connection.execute(text("DELETE FROM feeds"))  # a feed that was moved is read from its beginning
    assert bring_in(engine, feed, lines=3).rows.total() == 26
    assert select("SELECT * FROM article_revisions ORDER BY id") == before[0]
    assert [row["position"] for row in select("SELECT * FROM feeds")] == [feed.stat().st_size]


def test_what_is_appended_is_brought_in_and_a_torn_line_waits(engine: Engine, select: Select, feed: Path) -> None:
    write(feed, article(1))
    bring_in(engine, feed)
    whole = line(article(2))
    with feed.open("ab") as file:
        file.write(whole[:100])
    assert str(bring_in(engine, feed)) == "nothing new"
    with feed.open("ab") as file:
        file.write(whole[100:])
    assert str(bring_in(engine, feed)) == "1 article"
    assert [row["id"] for row in select("SELECT id FROM articles ORDER BY id")] == [name(1), name(2)]


def test_a_feed_begun_afresh_is_read_from_its_beginning(engine: Engine, select: Select, feed: Path) -> None:
    write(feed, article(1), article(2))
    bring_in(engine, feed)
    feed.unlink()
    write(feed, article(3, text="As long as before, or longer." * 9), article(4), article(5))
    assert str(bring_in(engine, feed)) == "3 articles"
    assert len(select("SELECT id FROM articles")) == 5
    feed.write_bytes(feed.read_bytes()[:400])  # a power failure has taken what was written last
    assert str(bring_in(engine, feed)) == "nothing new"
    feed.unlink()
    write(feed, article(6))
    assert str(bring_in(engine, feed)) == "1 article"


# --- revisions --------------------------------------------------------------------------------------------------------


def test_a_changed_article_has_two_revisions_and_the_latest_is_shown(engine: Engine, select: Select, feed: Path) -> None:
    write(feed, article(1), article(2), article(1, revision=1, text="Now it is clear.", fetched_at=LATER))
    bring_in(engine, feed)
    latest = select("SELECT id, revision, text FROM articles ORDER BY id")
    assert [(row["id"], row["revision"]) for row in latest] == [(name(1), 1), (name(2), 0)]
    assert latest[0]["text"] == "Now it is clear."
    kept = select(f"SELECT revision FROM article_revisions WHERE id = '{name(1)}' ORDER BY revision")
    assert [row["revision"] for row in kept] == [0, 1]


def test_a_changed_object_has_two_revisions(engine: Engine, select: Select, feed: Path) -> None:
    write(feed, found_object(1), found_object(1, revision=1, fields={"name": "Sold"}, object=None, fetched_at=LATER))
    bring_in(engine, feed)
    (row,) = select("SELECT * FROM objects")
    assert (row["revision"], row["object"]) == (1, None)
    assert len(select("SELECT * FROM object_revisions")) == 2


def test_the_order_of_the_feeds_does_not_matter(engine: Engine, select: Select, tmp_path: Path) -> None:
    """Two crawls have the same article; the one that saw it later is brought in first."""
    early, late = tmp_path / "early.jsonl", tmp_path / "late.jsonl"
    write(early, article(1), article(2, text="The same for both."), post(3))
    write(late, article(1, text="Seen later.", fetched_at=LATER), article(2, text="The same for both.", fetched_at=LATER))
    write(late, post(3, text="Edited.", fetched_at=LATER))
    bring_in(engine, late)
    bring_in(engine, early)
    rows = select("SELECT id, text, fetched_at FROM articles ORDER BY id")
    assert [(row["text"], row["fetched_at"]) for row in rows] == [("Seen later.", LATER), ("The same for both.", LATER)]
    assert [row["text"] for row in select("SELECT text FROM posts")] == ["Edited."]
    states = select("SELECT id, text FROM article_revisions ORDER BY id, fetched_at")
    assert [row["text"] for row in states] == [article(1).text, "Seen later.", "The same for both."]


def test_the_last_line_of_a_page_counts_and_every_try_of_a_rejection(engine: Engine, select: Select, feed: Path) -> None:
    write(feed, read_page(1), read_page(1, count=3, next="https://board.example/t/1?p=2"))
    write(feed, rejection(2, status="download"), rejection(2, status="download", attempt=2))
    bring_in(engine, feed)
    assert [(row["count"], row["next"]) for row in select("SELECT * FROM pages")] == [(3, "https://board.example/t/1?p=2")]
    assert [row["attempt"] for row in select("SELECT * FROM rejections ORDER BY attempt")] == [1, 2]


# --- duplicates -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("restarted", [False, True])
def test_a_duplicate_that_is_marked_later_is_marked_in_the_database(
    restarted: bool, engine: Engine, select: Select, feed: Path
) -> None:
    places = write(feed, article(8), article(9), article(4), article(5, text='He said "duplicate_of": "0".'))
    importer = Importer(engine, [feed])
    while importer.step():
        pass
    write(feed, article(1))
    file = LedgerFile(feed)
    for place in (places[0], places[2]):
        file.mark_duplicate(place, name(1))
        if not restarted:
            importer.mark(feed, place)
    file.close()
    if restarted:
        importer = Importer(engine, [feed])
    while importer.step():
        pass
    marks = {row["id"]: row["duplicate_of"] for row in select("SELECT id, duplicate_of FROM articles")}
    assert marks == {name(8): name(1), name(9): None, name(4): name(1), name(5): None, name(1): None}
    assert importer.written.rows["articles"] == (1 if restarted else 5), "a marked line is no new one"
    assert not importer.step(), "marks are settled once"


def test_an_old_revision_is_marked_and_the_latest_is_not(engine: Engine, select: Select, feed: Path) -> None:
    places = write(feed, article(8), article(8, revision=1, text="Quite another text.", fetched_at=LATER))
    bring_in(engine, feed)
    file = LedgerFile(feed)
    file.mark_duplicate(places[0], name(1))
    file.close()
    bring_in(engine, feed)
    assert [row["duplicate_of"] for row in select("SELECT duplicate_of FROM articles")] == [None]
    kept = select("SELECT duplicate_of FROM article_revisions ORDER BY revision")
    assert [row["duplicate_of"] for row in kept] == [name(1), None]


# --- lines that do not fit --------------------------------------------------------------------------------------------


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
    assert caplog.text.count("is not in the database") == 5


def test_a_value_that_is_too_large_for_an_index_does_not_stop_the_others(engine: Engine, select: Select, feed: Path) -> None:
    dice = random.Random(1)
    write(feed, hit(1), hit(2, query="".join(chr(dice.randrange(0x4E00, 0x9FFF)) for _ in range(5_000))), hit(3))
    refused = 1 if engine.dialect.name == "postgresql" else 0
    assert bring_in(engine, feed).refused == refused
    assert len(select("SELECT id FROM hits")) == 3 - refused
    assert len(select("SELECT reason FROM unwritten")) == refused


def test_what_postgresql_cannot_keep_is_replaced(engine: Engine, select: Select, feed: Path) -> None:
    write(feed, article(1, title="a\0b", authors=["\0"]), found_object(2, fields={"a\0": ["\0"]}))
    with feed.open("ab") as file:  # not as the crawl writes it, but as JSON may be
        file.write(line(article(3)).replace(b'"Fog 3"', b'"\\ud800 \\ud83d\\ude00 \\\\u0000"'))
    assert bring_in(engine, feed).refused == 0
    assert [row["title"] for row in select("SELECT title FROM articles ORDER BY id")] == ["a\ufffdb", "\ufffd 😀 \\u0000"]


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(st.characters(exclude_categories=())), st.lists(st.text()))
def test_any_text_becomes_a_row(title: str, authors: list[str]) -> None:
    raw = line(article(1, title=title, authors=authors))
    kind, row = read_row(raw)
    assert kind is ARTICLES
    told = json.loads(raw)
    assert row["title"] == told["title"].replace("\0", "\ufffd")
    assert row["authors"] == [author.replace("\0", "\ufffd") for author in told["authors"]]
    row["title"].encode("utf-8")
