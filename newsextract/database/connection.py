"""A database's connections (settings of SQLite and PostgreSQL, errors in one line), and the versions of its schema.

Beside a feed, a power failure may cost both the last second's transactions (``synchronous`` NORMAL, ``synchronous_commit``
off); the position in the feed goes with them, so nothing is lost. The state of a shared crawl has no feed, so its
transactions are on disk when they end (``is_durable``).
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Mapping, Sequence
from functools import partial
from time import monotonic, sleep
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    ExceptionContext,
    MetaData,
    String,
    Table,
    create_engine,
    event,
    false,
    inspect,
    select,
)
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from newsextract.database import Address, read_address
from newsextract.database.schema import VIEWS, metadata, unwritten
from newsextract.errors import DataError, naming

logger = logging.getLogger(__name__)

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
        event.listen(engine, "connect", partial(_set_up_sqlite, writes=writes))
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


def _set_up_sqlite(connection: sqlite3.Connection, record: object, writes: bool) -> None:
    connection.isolation_level = None  # transactions begin where we say, data definition included
    if writes:
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


# --- versions -------------------------------------------------------------------------------------
# The version of a database is in its table ``newsextract_version``. A new database gets the tables of
# :mod:`newsextract.database.schema` at once. An upgrade is one transaction, and only one process at a time is in it: SQLite
# locks the file, PostgreSQL has a lock for the purpose. There is no way back to an older version.
#
# To add a version: change the schema, and add the statements to :data:`VERSIONS`. A test upgrades a database of the first
# version and compares it with the schema.

VERSIONS: Mapping[str, Sequence[str]] = {"0001": ()}
"""Version → the statements, of SQLite and PostgreSQL alike, that make it of the one before; in their order."""
LATEST = max(VERSIONS)
_VERSION = Table("newsextract_version", MetaData(), Column("version_num", String(32), primary_key=True))
_HAS_LZ4 = "SELECT 1 FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY(enumvals)"
_LOCK = 7_310_223_017
"""Names our lock among those of a PostgreSQL database; any number will do."""


class NewerSchema(DataError):
    """A newer newsextract has written this database."""


def version_of(connection: Connection) -> str | None:
    """The version of a database's schema; None: it has none yet."""
    there = inspect(connection).has_table(_VERSION.name)
    return connection.execute(select(_VERSION)).scalar() if there else None


def check_version(connection: Connection, shown: str) -> str | None:
    """The same.

    :param shown: the database's address, for the message.
    :raises NewerSchema: this newsextract does not know the version.
    """
    found = version_of(connection)
    if found is not None and found not in VERSIONS:
        raise NewerSchema(
            f"database {shown}: its schema has version {found}, this newsextract knows those up to {LATEST}; "
            "install a newer newsextract, or name another database"
        )
    return found


def upgrade(connection: Connection, shown: str) -> str | None:
    """Bring a database's schema up to date, within the connection's transaction.

    :param shown: the database's address, for messages.
    :returns: the version that it had.
    :raises NewerSchema: see :func:`check_version`.
    :raises DataError: the database holds tables of our names that are not ours.
    """
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
    before = check_version(connection, shown)
    if before is None:
        _check_empty(connection, shown)
        _create(connection)
        _VERSION.create(connection, checkfirst=True)
        connection.execute(_VERSION.insert().values(version_num=LATEST))
    elif before != LATEST:
        for version in [one for one in VERSIONS if one > before]:
            for statement in VERSIONS[version]:
                connection.exec_driver_sql(statement)
        connection.execute(_VERSION.update().values(version_num=LATEST))
    return before


def _create(connection: Connection) -> None:
    """Make the tables and views of the latest version."""
    metadata.create_all(connection, checkfirst=False)
    for name, query in VIEWS.items():
        connection.exec_driver_sql(f"CREATE VIEW {name} AS {query}")
    if connection.dialect.name == "postgresql" and connection.exec_driver_sql(_HAS_LZ4).scalar():
        for table in ("article_revisions", "posts"):  # half the server's time for a row, for a tenth more space
            connection.exec_driver_sql(f"ALTER TABLE {table} ALTER COLUMN text SET COMPRESSION lz4")


def _check_empty(connection: Connection, shown: str) -> None:
    found = inspect(connection)
    taken = sorted({*found.get_table_names(), *found.get_view_names()} & {*metadata.tables, *VIEWS})
    if taken:
        raise DataError(
            f"database {shown}: it has a table {taken[0]} already, which is not newsextract's; "
            "name another database, or in PostgreSQL another schema: …?options=-csearch_path%3Dnews"
        )


def prepare(text: str) -> tuple[Address, str | None]:
    """Connect, bring the schema up to date, and try whether every table may be written.

    :param text: the database's address; a plain path is a SQLite file.
    :returns: the address, and the version that its schema had; None: it is new.
    :raises UsageError: a bad address; the database is not there, wants another password, is read-only, locked, too new ….
    :raises MissingExtra: a package is not installed.
    """
    address = read_address(text)
    if address.file is not None:
        with naming(f"database {address.shown}: its folder cannot be created"):
            address.file.parent.mkdir(parents=True, exist_ok=True)
    engine = open_engine(address)
    try:
        before = _upgrade(engine, address)
    except SQLAlchemyError as error:
        raise refused(address, error) from error
    finally:
        engine.dispose()
    if before not in (None, LATEST):
        logger.warning("database %s: its schema had version %s and has version %s now", address.shown, before, LATEST)
    return address, before


def _upgrade(engine: Engine, address: Address) -> str | None:
    with engine.begin() as connection:
        before = upgrade(connection, address.shown)
        for table in metadata.sorted_tables:
            nothing = table.insert().from_select(table.columns.keys(), select(table).where(false()))
            connection.execute(nothing)
            last = table.columns.keys()[-1]
            connection.execute(table.update().values({last: table.columns[last]}).where(false()))
        connection.execute(unwritten.delete().where(false()))
    return before
