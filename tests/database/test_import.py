"""Lines of feeds as rows: each whole, each once, the latest easy to find, and nothing lost when a reading is cut short."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, text

from newsextract.database.bringing_in import Importer
from newsextract.database.schema import ARTICLES, HITS, OBJECTS, PAGES, POSTS, REJECTIONS, TEASERS, LineKind
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

Select = Callable[[str], list[dict[str, Any]]]


@pytest.mark.parametrize(
    ("kind", "item"),
    [
        (ARTICLES, NewsRecord), (POSTS, Post), (HITS, Hit), (TEASERS, Teaser), (OBJECTS, ObjectRecord), (PAGES, ReadPage),
        (REJECTIONS, Rejection),
    ],
)  # fmt: skip
def test_the_tables_have_the_fields_of_the_lines(kind: LineKind, item: type) -> None:
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
    nested = {"authors", "path", "fields", "object", "missing", "misfits", "notes", "records", "quotes"}
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


def test_two_machines_of_one_name_do_not_read_everything_again(engine: Engine, select: Select, tmp_path: Path) -> None:
    """Two containers, say: the same host, the same path, each with its own feed."""
    out = tmp_path / "out"
    importers = [Importer(engine, [out / "news.jsonl"]) for _ in range(2)]
    for number in range(4):
        for machine, importer in enumerate(importers):
            (tmp_path / f"{machine}").mkdir(exist_ok=True)
            out.unlink(missing_ok=True)
            out.symlink_to(tmp_path / f"{machine}")
            write(out / "news.jsonl", *(article(1000 * machine + 100 * number + n) for n in range(20)))
            while importer.step():
                pass
            importer.look_again()
    assert [importer.written.rows["articles"] for importer in importers] == [80, 80]
    assert [row["lines"] for row in select("SELECT lines FROM feeds")] == [80, 80]


# --- revisions ------------------------------------------------------------------------------------


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


def test_a_clock_that_was_set_back_hides_no_revision(engine: Engine, select: Select, tmp_path: Path) -> None:
    """Within a feed the revisions say what is the latest; to other feeds it is as late as the earlier one."""
    first, other = tmp_path / "first.jsonl", tmp_path / "other.jsonl"
    write(first, article(1, fetched_at=LATER), article(2, fetched_at=LATER), found_object(3, fetched_at=LATER))
    bring_in(engine, first)
    write(first, article(1, revision=1, text="New."), found_object(3, revision=1, object=None))
    write(other, article(1, text="Between.", fetched_at="2026-03-04T23:00:00+00:00"))
    for feeds in ((first, other), (other, first)):
        bring_in(engine, *feeds)
        with engine.begin() as connection:
            connection.execute(text("DELETE FROM feeds"))  # all is read again
        assert [row["text"] for row in select("SELECT text FROM articles ORDER BY id")] == ["New.", article(2).text]
        assert [row["revision"] for row in select("SELECT revision FROM objects")] == [1]


def test_times_are_compared_in_utc(engine: Engine, select: Select, tmp_path: Path) -> None:
    feeds = [tmp_path / f"{number}.jsonl" for number in range(3)]
    for feed, at in zip(
        feeds, ["2026-03-04T05:06:07Z", "2026-03-04T01:06:07-08:00", "2026-03-04T08:00:00.5+01:00"], strict=True
    ):
        write(feed, article(1, text=at, fetched_at=at))
    bring_in(engine, *feeds)
    (row,) = select("SELECT text, fetched_at FROM articles")
    assert row == {"text": "2026-03-04T01:06:07-08:00", "fetched_at": "2026-03-04T09:06:07+00:00"}


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
