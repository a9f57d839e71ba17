"""A line that is marked as a duplicate after it was read: in the database, too, whoever dies in between."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from newsextract.database import connection, feed_reader
from newsextract.database.bringing_in import Importer
from newsextract.database.opening import prepare
from newsextract.line_file import LedgerFile
from tests.database.feed_lines import LATER, article, bring_in, name, rejection, write

Select = Callable[[str], list[dict[str, Any]]]


def mark(feed: Path, original: int, *places: int) -> None:
    file = LedgerFile(feed)
    for place in places:
        file.mark_duplicate(place, name(original))
    file.close()


def finish(importer: Importer) -> Importer:
    while importer.step():
        pass
    return importer


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


def test_each_revision_has_its_own_mark_after_a_restart(engine: Engine, select: Select, feed: Path) -> None:
    """One has it in the database already, with the same id and the same original."""
    places = write(feed, article(8), article(8, revision=1, text="Quite another text.", fetched_at=LATER))
    for place in places:
        bring_in(engine, feed)
        mark(feed, 1, place)
    bring_in(engine, feed)
    marks = select("SELECT duplicate_of FROM article_revisions")
    assert [row["duplicate_of"] for row in marks] == [name(1), name(1)]


def test_two_feeds_with_one_article_have_their_own_marks(engine: Engine, select: Select, tmp_path: Path) -> None:
    feeds = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    places = [write(feed, article(8, text=f"In {feed}.")) for feed in feeds]
    bring_in(engine, *feeds)
    for feed, place in zip(feeds, places, strict=True):
        mark(feed, 1, *place)
        bring_in(engine, *feeds)
    assert [row["duplicate_of"] for row in select("SELECT duplicate_of FROM article_revisions")] == [name(1), name(1)]


def test_what_a_server_may_have_forgotten_is_marked_again(engine: Engine, select: Select, feed: Path) -> None:
    places = write(feed, article(8))
    importer = finish(Importer(engine, [feed]))
    mark(feed, 1, *places)
    importer.mark(feed, places[0])
    finish(importer)
    with engine.begin() as opened:
        opened.exec_driver_sql("UPDATE article_revisions SET duplicate_of = NULL")  # a crash without its last transactions
    importer.forget()
    finish(importer)
    assert [row["duplicate_of"] for row in select("SELECT duplicate_of FROM articles")] == [name(1)]


def test_marks_come_in_batches(engine: Engine, select: Select, feed: Path) -> None:
    """All articles are marked while the database is away: no transaction grows without bounds."""
    places = write(feed, *(article(n) for n in range(2, 42)))
    importer = finish(Importer(engine, [feed], lines=7))
    mark(feed, 1, *places)
    for place in places:
        importer.mark(feed, place)
        importer.mark(feed, place + 1)
    write(feed, article(1))
    seen: list[int] = []
    event.listen(engine, "before_cursor_execute", lambda *found: seen.append(len(found[3]) if found[5] else 1))
    steps = 1
    while importer.step():
        steps += 1
    assert len(select("SELECT id FROM articles WHERE duplicate_of IS NOT NULL")) == 40
    assert max(seen) <= 7
    assert steps == 7, "six of marks, the last with the new line, one that finds nothing"


def test_marks_are_looked_for_once_a_process_and_a_part_at_a_time(
    engine: Engine, feed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(feed, *(article(n, duplicate_of=name(1)) for n in range(2, 42)))
    bring_in(engine, feed)
    parts: list[tuple[int, int]] = []
    look = feed_reader.changed_lines

    def counted(path: Path, start: int, *more: Any) -> tuple[list[int], int]:
        changed, end = look(path, start, *more)
        parts.append((start, end))
        assert changed == []
        return changed, end

    monkeypatch.setattr(feed_reader, "changed_lines", counted)
    importer = Importer(engine, [feed], lines=10)
    for again in (importer.forget, importer.look_again, importer.forget):
        importer.step()
        again()
    finish(importer)
    assert len(parts) == 4
    assert [start for start, _ in parts] == [0, *(end for _, end in parts[:-1])]
    assert parts[-1][1] == feed.stat().st_size


def test_looking_back_needs_no_lock_of_sqlite(tmp_path: Path, feed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "WAIT", 0.05)
    engine = connection.open_engine(prepare(f"sqlite:///{tmp_path}/news.db")[0])
    write(feed, article(2, duplicate_of=name(1)))
    bring_in(engine, feed)
    other = sqlite3.connect(tmp_path / "news.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    finish(Importer(engine, [feed]))
    other.close()
    engine.dispose()


def test_rejected_duplicates_are_not_written_at_each_start(engine: Engine, feed: Path) -> None:
    write(feed, *(rejection(n, status="duplicate", duplicate_of=name(1)) for n in range(3)))
    bring_in(engine, feed)
    written: list[str] = []
    event.listen(engine, "before_cursor_execute", lambda *found: written.append(found[2]))
    finish(Importer(engine, [feed]))
    assert written
    assert not any("INSERT" in statement for statement in written)
