"""Connections: settings of SQLite and PostgreSQL, and their errors in one line.

Beside a feed, a power failure may cost both the last second's transactions (``synchronous`` NORMAL, ``synchronous_commit``
off); the position in the feed goes with them, so nothing is lost. The state of a shared crawl has no feed, so its
transactions are on disk when they end (``is_durable``).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from functools import partial
from time import monotonic, sleep
from typing import Any

from sqlalchemy import Connection, Engine, ExceptionContext, create_engine, event
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from newsextract.database import Address
from newsextract.errors import DataError

WAIT = 5
"""Seconds that a lock of others is waited for."""
IDLE = 4
"""Seconds that PostgreSQL lets a process stand still within a transaction: less than :data:`WAIT`, so that one which is
suspended does not stop the others."""
_READS = "newsextract_reads"
_POSTGRES = {
    "connect_timeout": "10",
    "application_name": "newsextract",
    # A server that has vanished without a word is noticed within about half a minute.
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
}


def open_engine(address: Address, *, writes: bool = True, is_durable: bool = False) -> Engine:
    """An engine that has not connected yet.

    :param writes: every transaction is meant to write; else SQLite's file is left as it is.
    :param is_durable: PostgreSQL says that a transaction has ended when it is on disk.
    """
    more: dict[str, Any] = {"json_serializer": partial(json.dumps, ensure_ascii=False)}
    if address.backend == "sqlite":
        engine = create_engine(address.url, **more)
        # The address may name another time: …/news.db?timeout=30
        event.listen(engine, "do_connect", partial(_connect, defaults={"timeout": WAIT}))
        event.listen(engine, "connect", _set_up_sqlite if writes else _set_up_sqlite_to_read)
        event.listen(engine, "begin", _begin_immediately if writes else _begin)
        return engine
    engine = create_engine(address.url, pool_size=1, max_overflow=1, **more)
    event.listen(engine, "do_connect", partial(_connect, defaults=_POSTGRES))
    event.listen(engine, "begin", partial(_set_up_transaction, commit="on" if is_durable else "off"))
    event.listen(engine, "handle_error", _notice_end)
    return engine


def _connect(
    dialect: object, record: object, arguments: list[Any], options: dict[str, Any], defaults: Mapping[str, Any]
) -> None:
    options |= {**defaults, **options}


def _set_up_sqlite(connection: sqlite3.Connection, record: object) -> None:
    connection.isolation_level = None  # transactions begin where we say, data definition included
    _switch_to_wal(connection)
    connection.execute("PRAGMA synchronous = NORMAL")


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """Others may read while we write then. SQLite does not wait where several processes want to switch a new file."""
    deadline = monotonic() + WAIT
    while True:
        try:
            if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or monotonic() > deadline:
                raise
            sleep(0.02)


def _set_up_sqlite_to_read(connection: sqlite3.Connection, record: object) -> None:
    connection.isolation_level = None


def _begin(connection: Connection) -> None:
    # Past SQLAlchemy, whose way takes as long as a short question; it touches no file, so it cannot fail.
    connection.connection.cursor().execute("BEGIN")


def _begin_immediately(connection: Connection) -> None:
    if connection.get_execution_options().get(_READS):
        _begin(connection)
    else:
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def reading(engine: Engine) -> Engine:
    """The same engine for transactions that only read: with SQLite they neither wait for those who write nor stop them."""
    return engine.execution_options(**{_READS: True})


def _set_up_transaction(connection: Connection, commit: str) -> None:
    # In each transaction, since a pooler may give each to another session.
    connection.exec_driver_sql(
        f"SET LOCAL synchronous_commit = {commit}; SET LOCAL lock_timeout = {1000 * WAIT}; "
        f"SET LOCAL idle_in_transaction_session_timeout = {1000 * IDLE}"
    )


def _notice_end(context: ExceptionContext) -> None:
    """Else a connection that the server ended would be used again."""
    if getattr(context.original_exception, "sqlstate", None) == _ENDED:
        context.is_disconnect = True


_ENDED = "25P03"
"""Idle in a transaction for too long."""


def explain(error: SQLAlchemyError) -> str:
    """What went wrong, in one line, without SQL, without a password, and without its full stop."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    text = " ".join(str(cause).split()).rstrip(".") or type(cause).__name__
    for said, meant in _MEANINGS:
        if said in text:
            return f"{meant} ({text[:200]})"
    return text[:400]


_MEANINGS = (
    ("unable to open database file", "the file cannot be opened; is the folder there, and may this user write to it?"),
    ("database is locked", "another program has locked it; wait for that program or end it"),
    ("readonly database", "it is read-only"),
    ("read-only transaction", "it is read-only"),
    ("file is not a database", "the file is no SQLite database"),
)


def refused(address: Address, error: SQLAlchemyError) -> DataError:
    """The error as a user's."""
    return DataError(f"database {address.shown}: {explain(error)}")
