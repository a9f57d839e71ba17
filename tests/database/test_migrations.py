"""The schema is made once, brought up to date with all data; a newer one is not touched."""

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
from alembic.operations import Operations
from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import SQLAlchemyError

from newsextract.database import connection as migrations
from newsextract.database import read_address
from newsextract.database.connection import LATEST, NewerSchema, open_engine, prepare, version_of
from newsextract.database.schema import VIEWS, metadata, read_row, write
from newsextract.errors import DataError, UsageError
from newsextract.feed import line
from tests.database import version_0001
from tests.database.feed_lines import article, hit, name, post


def differences(connection: Connection) -> list[Any]:
    context = MigrationContext.configure(connection, opts={"version_table": "newsextract_version", "compare_type": True})
    found: list[Any] = compare_metadata(context, metadata)
    return found


def test_the_newest_version_is_the_schema(url: str) -> None:
    assert prepare(url)[1] is None
    engine = open_engine(read_address(url))
    with engine.begin() as connection:
        assert version_of(connection) == LATEST == list(migrations.VERSIONS)[-1]
        assert differences(connection) == []
        assert set(inspect(connection).get_view_names()) == set(VIEWS)
    engine.dispose()
    assert prepare(url)[1] == LATEST


def test_a_database_of_the_first_version_is_brought_up_to_date(url: str) -> None:
    engine = open_engine(read_address(url))
    with engine.begin() as connection:
        with Operations.context(MigrationContext.configure(connection)):
            version_0001.make()
        connection.execute(text("CREATE TABLE newsextract_version (version_num VARCHAR(32) NOT NULL)"))
        connection.execute(text("INSERT INTO newsextract_version VALUES ('0001')"))
    assert prepare(url)[1] == "0001"
    with engine.begin() as connection:
        assert version_of(connection) == LATEST
        assert differences(connection) == []
    engine.dispose()


def test_a_later_version_keeps_the_data(url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """The next version, whatever it will be: here one with a column more."""
    engine = open_engine(read_address(url))
    prepare(url)
    with engine.begin() as connection:
        write(connection, [read_row(line(item)) for item in (article(1), post(2), hit(3))])
    monkeypatch.setattr(migrations, "LATEST", "9002")
    monkeypatch.setattr(migrations, "VERSIONS", {LATEST: (), "9002": ("ALTER TABLE hits ADD COLUMN note TEXT",)})
    assert prepare(url)[1] == LATEST
    assert f"its schema had version {LATEST} and has version 9002 now" in caplog.text
    assert prepare(url)[1] == "9002"
    with engine.begin() as connection:
        (row,) = connection.execute(text("SELECT * FROM hits"))
        assert (row.id, row.note) == (name(3), None)
        assert len(connection.execute(text("SELECT * FROM articles")).all()) == 1
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
