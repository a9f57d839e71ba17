"""Many rows into PostgreSQL at once; the rules of the upserts are tested with all ways of writing in ``test_import.py``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event, false, select

from newsextract.database import schema as copying
from newsextract.database.connection import open_engine, prepare
from newsextract.database.schema import article_revisions
from tests.database.feed_lines import LATER, article, bring_in, name, write
from tests.postgres_server import PostgresServer

Select = Callable[[str], list[dict[str, Any]]]


@pytest.fixture
def url(postgres: PostgresServer) -> str:
    return postgres.schema()


def test_only_what_is_not_there_is_copied(engine: Engine, select: Select, feed: Path, tmp_path: Path) -> None:
    write(feed, article(1), article(3))
    bring_in(engine, feed)
    statements: list[tuple[str, Any]] = []
    event.listen(engine, "before_cursor_execute", lambda *found: statements.append((found[2], found[3])))
    late = tmp_path / "late.jsonl"
    write(late, *(article(n, fetched_at=LATER, title=None) for n in (1, 2, 3, 4)))
    write(late, article(1, fetched_at=LATER, title=None, text="Else.", revision=1))
    bring_in(engine, late)
    (upserted,) = [values for statement, values in statements if statement.startswith("INSERT INTO article_revisions")]
    assert [(row["id"], row["revision"]) for row in upserted] == [(name(1), 0), (name(1), 1), (name(3), 0)]
    rows = select("SELECT id, title, fetched_at FROM articles ORDER BY id")
    assert [(row["id"], row["title"], row["fetched_at"]) for row in rows] == [
        (name(1), None, LATER), (name(2), None, LATER), (name(3), None, LATER), (name(4), None, LATER),
    ]  # fmt: skip


def test_another_process_may_write_a_row_before_it_is_copied(
    engine: Engine, select: Select, feed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(feed, article(2))
    bring_in(engine, feed)
    monkeypatch.setattr(copying, "_known", lambda table: _nothing())
    late = tmp_path / "late.jsonl"
    write(late, *(article(n, fetched_at=LATER) for n in (1, 2, 3)))
    assert bring_in(engine, late).refused == 0
    rows = select("SELECT id, fetched_at FROM articles ORDER BY id")
    assert [(row["id"], row["fetched_at"]) for row in rows] == [(name(n), LATER) for n in (1, 2, 3)]


def _nothing() -> Any:
    return select(article_revisions.c.id).where(false())


def test_texts_are_compressed_quickly_where_the_server_can(postgres: PostgresServer) -> None:
    url = postgres.database()
    open_engine(prepare(url)[0]).dispose()
    database = url.partition("?")[0].rpartition("/")[2]
    found = postgres.sql(
        "SELECT attcompression FROM pg_attribute WHERE attrelid = 'posts'::regclass AND attname = 'text'", database
    )
    can = postgres.sql("SELECT 'lz4' = ANY(enumvals) FROM pg_settings WHERE name = 'default_toast_compression'", database)
    assert found == ("l" if can == "t" else "")
