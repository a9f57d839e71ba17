"""The schema's versions, and a database made ready before anything is fetched.

The version of a database is in its table ``newsextract_version``. A new database gets the tables of
:mod:`newsextract.database.schema` at once. An upgrade is one transaction, and only one process at a time is in it: SQLite
locks the file, PostgreSQL has a lock for the purpose. There is no way back to an older version.

To add a version: change the schema, and add the statements to :data:`VERSIONS`. A test upgrades a database of the first
version and compares it with the schema.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from sqlalchemy import Column, Connection, Engine, MetaData, String, Table, false, inspect, select
from sqlalchemy.exc import SQLAlchemyError

from newsextract.database import Address, read_address
from newsextract.database.connection import open_engine, refused
from newsextract.database.schema import VIEWS, metadata, unwritten
from newsextract.errors import DataError, naming

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


logger = logging.getLogger(__name__)


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
