"""Connections: what SQLite and PostgreSQL are told, and their errors in one line.

Beside a feed, both may forget the last second's transactions if the machine loses its power (``synchronous`` NORMAL,
``synchronous_commit`` off). That loses nothing: how far the feed has been read is forgotten with them. The state of a shared
crawl has no feed to be read again, so its transactions are on disk when they end (``is_durable``).
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from math import isfinite
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from newsextract.errors import DataError, MissingExtra, UsageError

if TYPE_CHECKING:
    from sqlalchemy import URL

WAIT = 5
"""Seconds that a lock of others is waited for."""
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
        event.listen(engine, "do_connect", _connect_to_sqlite)
        event.listen(engine, "connect", _set_up_sqlite if writes else _set_up_sqlite_to_read)
        event.listen(engine, "begin", _begin_immediately if writes else _begin)
        return engine
    engine = create_engine(address.url, pool_size=1, max_overflow=1, **more)
    event.listen(engine, "do_connect", _connect_to_postgres)
    event.listen(engine, "begin", partial(_set_up_transaction, commit="on" if is_durable else "off"))
    return engine


def _connect_to_sqlite(dialect: object, record: object, arguments: list[Any], options: dict[str, Any]) -> None:
    options.setdefault("timeout", WAIT)  # the address may name another: …/news.db?timeout=30


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


def _connect_to_postgres(dialect: object, record: object, arguments: list[Any], options: dict[str, Any]) -> None:
    for name, value in _POSTGRES.items():
        options.setdefault(name, value)


def _set_up_transaction(connection: Connection, commit: str) -> None:
    # In each transaction, since a pooler may give each to another session.
    connection.exec_driver_sql(f"SET LOCAL synchronous_commit = {commit}; SET LOCAL lock_timeout = {1000 * WAIT}")


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


# --- database URLs --------------------------------------------------------------------------------
# Where a database is: SQLAlchemy's addresses, checked, with what a message may show of them (no password).

# --- address --------------------------------------------------------------------------------------

DEFAULT = "sqlite:///out/news.db"
"""Where the command line looks if nothing else is said."""
EXAMPLES = "sqlite:///out/news.db or postgresql+psycopg://user@host/name"
_NO_PATH = re.compile(r"(postgres|mysql|mariadb|oracle|mssql|sqlite)[\w+]*:", re.IGNORECASE)
"""An address without its slashes; as a file's name it would show its password."""
_HARMLESS = frozenset({"host", "port", "options", "sslmode"})
"""What may be shown of what stands behind the question mark."""


@dataclass(frozen=True, slots=True)
class Address:
    """A database's address."""

    url: str
    """As SQLAlchemy takes it, with its driver and password."""
    shown: str
    """For messages: without password."""
    backend: str
    """``sqlite`` or ``postgresql``."""
    file: Path | None
    """SQLite's file, where the address names one plainly."""


def read_address(text: str) -> Address:
    """Check an address; a path without ``://`` is a SQLite file.

    :raises UsageError: it is none, or of a kind that is not supported.
    :raises MissingExtra: SQLAlchemy, Alembic or PostgreSQL's driver is not installed.
    """
    for module in ("sqlalchemy", "alembic"):
        if find_spec(module) is None:
            raise MissingExtra(module, "storage", "writing to a database")
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    text = text.strip()
    if not text:
        raise UsageError(f"the database URL is empty; expected for example {EXAMPLES}")
    if "://" not in text and _NO_PATH.match(text):
        raise UsageError(f"the database URL has no slashes; expected for example {EXAMPLES}")
    try:
        url = make_url(text if "://" in text else f"sqlite:///{text}")
    except (ArgumentError, ValueError) as error:  # ValueError: a port that is no number
        # Not the text itself: it may hold a password.
        raise UsageError(f"the database URL is invalid; expected for example {EXAMPLES}") from error
    backend, _, driver = url.drivername.partition("+")
    if backend != "sqlite" and text.count("@") != (url.username is not None):
        # Not the text itself: what stands around that @ is a part of a password.
        raise UsageError("the database URL has an @ that is not between user and host; write %40 for @ in a password")
    shown = _shown(url) if backend != "sqlite" else url.render_as_string()
    if backend in ("postgres", "postgresql"):
        if driver not in ("", "psycopg"):
            raise UsageError(f"{shown}: the driver {driver!r} is not supported; write postgresql+psycopg://…")
        if find_spec("psycopg") is None:
            raise MissingExtra("psycopg", "postgres", "a PostgreSQL database")
        url = url.set(drivername="postgresql+psycopg")
        return Address(url.render_as_string(hide_password=False), shown, "postgresql", None)
    if backend != "sqlite" or driver not in ("", "pysqlite"):
        raise UsageError(f"{shown}: databases of this kind are not supported; expected for example {EXAMPLES}")
    if not url.database or url.database == ":memory:":
        raise UsageError(f"{shown}: a database in memory is lost when the crawl ends; name a file, for example {DEFAULT}")
    file = None if url.database.startswith("file:") else Path(url.database)
    if file is not None and file.is_dir():
        raise UsageError(f"{shown}: this is a folder; name a file, for example {DEFAULT}")
    return Address(url.set(drivername="sqlite").render_as_string(hide_password=False), shown, "sqlite", file)


def _shown(url: URL) -> str:
    """For messages: libpq takes passwords under several names, so only what is known to be harmless is shown."""
    harmless = {name: value if name in _HARMLESS else "hidden" for name, value in url.query.items()}
    return url.set(query=harmless).render_as_string(hide_password=True)


# --- pace -----------------------------------------------------------------------------------------
# How a crawl writes to its database: the settings ``DATABASE_BATCH``, ``_SECONDS`` and ``_PATIENCE``, checked.

_LARGEST = 100_000
_SHORTEST = 0.01


@dataclass(frozen=True)
class Pace:
    """Lines and seconds."""

    lines: int = 500
    """Lines a transaction. 500 articles are about 2 MB, and take 0.1 s with SQLite, 0.2 s with PostgreSQL."""
    seconds: float = 1.0
    """Between two looks at the feeds."""
    patience: float = 30.0
    """Seconds that the end of a crawl waits for a database that gets nothing done."""


def read_pace(setting: Callable[[str], Any]) -> Pace:
    """The settings, checked.

    :param setting: gives the value of a setting, None if it has none.
    :raises UsageError: one is no number, or out of its range.
    """
    lines = _number(setting, "DATABASE_BATCH", Pace.lines, "a number of lines, from 1 to 100000", 1)
    if lines != int(lines) or lines > _LARGEST:
        raise UsageError(f"DATABASE_BATCH = {lines}: expected a number of lines, from 1 to 100000")
    seconds = _number(setting, "DATABASE_SECONDS", Pace.seconds, "seconds, at least 0.01", _SHORTEST)
    patience = _number(setting, "DATABASE_PATIENCE", Pace.patience, "seconds, at least 0", 0)
    return Pace(int(lines), seconds, patience)


def _number(setting: Callable[[str], Any], name: str, default: float, expected: str, least: float) -> float:
    said = setting(name)
    try:
        value = float(default if said is None else said)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{name} = {said}: expected {expected}") from error
    if not isfinite(value) or value < least:
        raise UsageError(f"{name} = {said}: expected {expected}")
    return value
