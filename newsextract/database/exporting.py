"""Tables → lines of a feed: the fields, their order and their values are those of the lines that were brought in.

What is not in the tables is not in the lines: fields that a user's pipeline has added, and characters that PostgreSQL cannot
keep. PostgreSQL has an order of its own for the keys of nested objects. Rows are fetched some at a time.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC
from typing import Any

from sqlalchemy import Connection, MetaData, Table, select

from newsextract.database.rows import ARTICLES, HITS, KINDS, OBJECTS, PAGES, POSTS, REJECTIONS, TEASERS, Kind
from newsextract.news_record import NewsRecord, Rejection

_ROWS = 500
"""Rows that are in memory at once."""
EXPORTED = {
    "news": ARTICLES, "forum": POSTS, "search": HITS, "list": TEASERS, "object": OBJECTS, "pages": PAGES,
    "rejections": REJECTIONS,
}  # fmt: skip
"""What the command line calls the kinds."""
_OBJECT = "id url page_url site kind wrapper label path page position fields object missing misfits notes fit fetched_at"
_ORDERS = {
    "articles": list(NewsRecord.__slots__),
    "objects": [*_OBJECT.split(), "revision", "schema_version"],
    "rejections": list(Rejection.__slots__),
}
"""Fields of a line where they stand in another order than the columns."""
_LATEST = {
    kind.name: kind.table.to_metadata(MetaData(), name=kind.name) for kind in KINDS if kind.heads is not None
}  # the views, with the columns of their tables


def order_of(kind: Kind) -> list[str]:
    """The fields of a line, in their order."""
    return _ORDERS.get(kind.name) or [name for name in kind.table.columns.keys() if name in kind.fields]  # noqa: SIM118


def exported(connection: Connection, kind: Kind, site: str | None = None, *, revisions: bool = False) -> Iterator[bytes]:
    """The lines of a kind, those that were fetched first before the others.

    :param site: only this site's; of hits, this engine's.
    :param revisions: all states of articles and objects, not only the latest.
    """
    table = kind.table if revisions else _LATEST.get(kind.name, kind.table)
    names = order_of(kind)
    wanted = select(*(table.columns[name] for name in names)).order_by(*_order(table))
    if site is not None:
        wanted = wanted.where(table.columns["engine" if kind is HITS else "site"] == site)
    with connection.execute(wanted, execution_options={"yield_per": _ROWS}) as found:
        for row in found.mappings():
            yield _line(row, names)


def _order(table: Table) -> list[Any]:
    first = [table.columns.fetched_at, table.columns.id]
    return first + [column for column in table.primary_key if column.name != "id"]


def _line(row: Mapping[Any, Any], names: list[str]) -> bytes:
    values = {name: row[name] for name in names}
    if not isinstance(values["fetched_at"], str):
        values["fetched_at"] = values["fetched_at"].astimezone(UTC).isoformat(timespec="seconds")
    return json.dumps(values, ensure_ascii=False).encode() + b"\n"
