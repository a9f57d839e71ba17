"""From every older schema to the newest, with all data; no newer one is touched."""

from __future__ import annotations

import multiprocessing
import threading
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, MetaData, Table, inspect, text
from sqlalchemy.exc import SQLAlchemyError

from newsextract.database import migrations
from newsextract.database.address import read_address
from newsextract.database.connection import open_engine
from newsextract.database.migrations import LATEST, NewerSchema, upgrade, version_of
from newsextract.database.opening import prepare
from newsextract.database.rows import read_row
from newsextract.database.schema import VIEWS, metadata
from newsextract.database.upserts import write
from newsextract.errors import DataError, UsageError
from newsextract.line_file import line
from tests.database.feed_lines import LATER, article, found_object, hit, name, post, read_page, rejection, teaser


def differences(connection: Connection) -> list[Any]:
    context = MigrationContext.configure(connection, opts={"version_table": "newsextract_version", "compare_type": True})
    found: list[Any] = compare_metadata(context, metadata)
    return found


def names(table: Table) -> list[str]:
    return [column.name for column in table.columns]


def test_the_newest_version_is_the_schema(url: str) -> None:
    assert prepare(url)[1] is None
    engine = open_engine(read_address(url))
    with engine.begin() as connection:
        assert version_of(connection) == LATEST == migrations._scripts().get_current_head()
        assert differences(connection) == []
        assert set(inspect(connection).get_view_names()) == set(VIEWS)
    engine.dispose()
    assert prepare(url)[1] == LATEST


def test_data_of_the_first_version_is_kept(url: str) -> None:
    engine = open_engine(read_address(url))
    items = [
        article(1), article(1, revision=1, text="Changed.", fetched_at=LATER), article(2, date="2026-02"), article(3, date=None),
        post(4), hit(5), teaser(6, date="2026-01-31"), found_object(7), read_page(8), rejection(9),
    ]  # fmt: skip
    rows = [read_row(line(item)) for item in items]
    with engine.begin() as connection:
        assert upgrade(connection, "here", to="0001") is None
        assert version_of(connection) == "0001"
        for kind, row in rows:
            for target in (kind.table, kind.heads):
                if target is not None:
                    then = Table(target.name, MetaData(), autoload_with=connection)
                    known = {column: row[column] for column in names(then)}
                    if target is kind.heads:
                        connection.execute(then.delete().where(then.c.id == row["id"]))
                    connection.execute(then.insert().values({target.c[key]: value for key, value in known.items()}))
        read = {"host": "h", "path": "p", "position": 9, "lines": 1, "last_line": 0, "last_digest": "d", "read_at": LATER}
        connection.execute(Table("feeds", MetaData(), autoload_with=connection).insert().values(read))
        before = {
            kind.name: connection.execute(text(f"SELECT * FROM {kind.table.name} ORDER BY fetched_at, id")).all()
            for kind, _ in rows
        }
    address, was = prepare(url)
    assert (was, address.url) == ("0001", read_address(url).url)
    with engine.begin() as connection:
        assert version_of(connection) == LATEST
        assert differences(connection) == []
        (feed,) = connection.execute(text("SELECT * FROM feeds")).all()
        assert {name: feed._mapping[name] for name in read} == read | {"read_at": feed.read_at}
        assert feed.first_digest == ""
        for kind, _ in rows:
            old = [column for column in names(kind.table) if column != "day"]
            chosen = ", ".join(f'"{column}"' for column in old)
            after = connection.execute(text(f"SELECT {chosen} FROM {kind.table.name} ORDER BY fetched_at, id")).all()
            assert [dict(row._mapping) for row in after] == [{c: row._mapping[c] for c in old} for row in before[kind.name]]
        days = connection.execute(text("SELECT id, revision, day FROM articles ORDER BY id")).all()
        assert [tuple(row) for row in days] == [(name(1), 1, "2026-03-04"), (name(2), 0, None), (name(3), 0, None)]
        assert [row.day for row in connection.execute(text("SELECT day FROM teasers"))] == ["2026-01-31"]
        whole = connection.execute(text("SELECT * FROM article_revisions ORDER BY id, revision")).all()
        write(connection, rows)  # the new code writes what the old one wrote: nothing changes
        assert connection.execute(text("SELECT * FROM article_revisions ORDER BY id, revision")).all() == whole
    engine.dispose()


def test_a_newer_schema_is_refused(url: str) -> None:
    prepare(url)
    engine = open_engine(read_address(url))
    with engine.begin() as connection:
        connection.execute(text("UPDATE newsextract_version SET version_num = '9999'"))
    engine.dispose()
    with pytest.raises(NewerSchema, match=f"version 9999, this newsextract knows those up to {LATEST}; install a newer"):
        prepare(url)


def test_tables_of_others_are_left_alone(url: str) -> None:
    engine = open_engine(read_address(url))
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE posts (id INTEGER, mine TEXT)"))
    with pytest.raises(DataError, match="it has a table posts already, which is not newsextract's"):
        prepare(url)
    with engine.begin() as connection:
        assert inspect(connection).get_table_names() == ["posts"], "all or nothing"
    engine.dispose()


def _open_each(folder: Path, barrier: Barrier, failures: Queue[str]) -> None:
    for number in range(60):
        barrier.wait(20)
        engine = open_engine(read_address(f"{folder}/{number}.db"))
        try:
            with engine.begin() as connection:
                assert connection.exec_driver_sql("PRAGMA journal_mode").scalar_one() == "wal"
        except SQLAlchemyError as error:
            failures.put(str(error))
        engine.dispose()
    failures.put("")


def test_several_processes_make_a_sqlite_file_at_once(tmp_path: Path) -> None:
    """SQLite itself does not wait where several switch to WAL."""
    fork = multiprocessing.get_context("fork")
    failures, barrier = fork.Queue(), fork.Barrier(4)
    processes = [fork.Process(target=_open_each, args=(tmp_path, barrier, failures)) for _ in range(4)]
    for process in processes:
        process.start()
    told = [failures.get(timeout=60)]
    while told.count("") < len(processes):
        told.append(failures.get(timeout=60))
    for process in processes:
        process.join()
    assert told == [""] * len(processes)


def test_several_processes_upgrade_at_once(url: str) -> None:
    failures: list[UsageError] = []

    def go() -> None:
        try:
            prepare(url)
        except UsageError as error:
            failures.append(error)

    threads = [threading.Thread(target=go) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert prepare(url)[1] == LATEST
