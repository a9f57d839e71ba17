"""Rows into tables, idempotently: ``INSERT … ON CONFLICT … DO UPDATE`` by the record's id.

What was fetched later wins, whatever order the feeds are read in; of what was fetched in the same second, what was written
later. Within one feed the revisions say which state is the latest, for a clock may have been set back. A row that says what
the table says already is not touched. Rows are sorted by their keys, so that two writers in one database do not wait for
each other. PostgreSQL gets new rows by ``COPY`` (:mod:`~newsextract.database.copying`).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from sqlalchemy import Connection, Table, case, or_, tuple_
from sqlalchemy.dialects import postgresql, sqlite

from newsextract.database.copying import copy_new, from_arrays, rounds
from newsextract.database.rows import KINDS, Kind, Row

_INSERTS: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


@cache
def _upsert(dialect: str, table: Table) -> Any:
    """The statement for a table of records."""
    statement = _INSERTS[dialect](table)
    new, old = statement.excluded, table.columns
    rest = [column.name for column in table.columns if not column.primary_key]
    changed = or_(*(new[name].is_distinct_from(old[name]) for name in rest))
    return statement.on_conflict_do_update(
        index_elements=list(table.primary_key.columns),
        set_={name: new[name] for name in rest},
        where=or_(new.fetched_at > old.fetched_at, (new.fetched_at == old.fetched_at) & changed),
    )


@cache
def _upsert_head(dialect: str, table: Table) -> Any:
    """The same for a table that names the latest states; two of the same second are told apart by their revisions.

    Where the same feed has an earlier time for a later revision, the later time stays: other feeds are compared with that.
    """
    statement = from_arrays(table) if dialect == "postgresql" else sqlite.insert(table)
    new, old = statement.excluded, table.columns
    later = new.fetched_at > old.fetched_at
    values = {column.name: new[column.name] for column in table.columns if column.name != "id"}
    values["fetched_at"] = case((later, new.fetched_at), else_=old.fetched_at)
    same_feed = (new.feed == old.feed) & (new.feed != "")
    by_clock = tuple_(new.fetched_at, new.revision) > tuple_(old.fetched_at, old.revision)
    # A revision has two texts where a feed was restored from a backup: then the clock decides.
    return statement.on_conflict_do_update(
        index_elements=[table.columns.id],
        set_=values,
        where=case((same_feed & (new.revision != old.revision), new.revision > old.revision), else_=by_clock),
    )


def write(connection: Connection, rows: Iterable[tuple[Kind, Row]], feed: str = "") -> None:
    """Write rows within the connection's transaction.

    :param feed: what tells the feed that they stand in from others; empty: nothing is known of it.
    """
    dialect = connection.dialect.name
    by_kind: dict[str, dict[tuple[Any, ...], Row]] = {}
    for kind, row in rows:
        by_kind.setdefault(kind.name, {})[tuple(row[name] for name in kind.key)] = row  # of two, the later one
    for kind in KINDS:
        if kind.name not in by_kind:
            continue
        found = [row for _, row in sorted(by_kind[kind.name].items())]
        rest = copy_new(connection, kind.table, found) if dialect == "postgresql" else found
        if rest:
            connection.execute(_upsert(dialect, kind.table), rest)
        if kind.heads is not None:
            _write_heads(connection, kind.heads, found, feed)


def _write_heads(connection: Connection, table: Table, rows: list[Row], feed: str) -> None:
    statement = _upsert_head(connection.dialect.name, table)
    names = [name for name in table.columns.keys() if name != "feed"]  # noqa: SIM118  # of columns, no dictionary
    if connection.dialect.name == "sqlite":
        connection.execute(statement, [{name: row[name] for name in names} | {"feed": feed} for row in rows])
        return
    for some in rounds(rows):
        values = {name: [row[name] for row in some] for name in names}
        connection.execute(statement, values | {"feed": [feed] * len(some)})
