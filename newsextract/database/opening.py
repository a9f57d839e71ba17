"""A database made ready before anything is fetched: its address, its schema, and that this user may write to it."""

from __future__ import annotations

import logging

from sqlalchemy import Engine, false, select
from sqlalchemy.exc import SQLAlchemyError

from newsextract.database.address import Address, read_address
from newsextract.database.connection import open_engine, refused
from newsextract.database.migrations import LATEST, upgrade
from newsextract.database.schema import metadata, unwritten
from newsextract.errors import DataError

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
        try:
            address.file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DataError(f"database {address.shown}: its folder cannot be made: {error.strerror}") from error
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
