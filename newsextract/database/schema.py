"""The tables as they are now. The way there is in :mod:`newsextract.database.migrations`; a test compares the two.

A record is a row whose columns are the fields of its line. Articles and objects change: each state of one is a row of
``…_revisions``, ``…_heads`` names the latest, and the views ``articles`` and ``objects`` show that one alone. Times are
``timestamptz`` in PostgreSQL, ISO 8601 in UTC in SQLite; dates, which are as precise as their page, are text everywhere,
with the day beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import JSON, BigInteger, Column, DateTime, Float, Index, Integer, MetaData, String, Table, Text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeEngine

# --- schema ---------------------------------------------------------------------------------------

NOW = DateTime(timezone=True).with_variant(String(25), "sqlite")
NESTED = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
metadata = MetaData()


def _columns(names: str, kind: type[TypeEngine[Any]] | TypeEngine[Any], *, key: bool = False) -> list[Column[Any]]:
    """Columns of one type; a name that ends in ``?`` may be empty."""
    return [
        Column(name.rstrip("?"), kind, primary_key=key, nullable=name.endswith("?"), autoincrement=False)
        for name in names.split()
    ]


article_revisions = Table(
    "article_revisions",
    metadata,
    *_columns("id", Text, key=True),
    *_columns("revision", Integer, key=True),
    *_columns("text_hash", Text, key=True),
    *_columns("url canonical_url? site kind title? title_source? date? date_precision? date_source? day? text", Text),
    *_columns("authors", NESTED),
    *_columns("language? section? image?", Text),
    *_columns("pages", Integer),
    *_columns("fetched_at", NOW),
    *_columns("algorithm", Text),
    *_columns("confidence page_kind_confidence?", Float),
    *_columns(
        "page_kind? access? access_source? reserved? status reason? duplicate_of? fingerprint? etag? last_modified?", Text
    ),
    *_columns("schema_version", Integer),
    Index("article_revisions_by_day", "day", "site"),
)
article_heads = Table(
    "article_heads",
    metadata,
    *_columns("id", Text, key=True),
    *_columns("revision", Integer),
    *_columns("text_hash", Text),
    *_columns("fetched_at", NOW),
    *_columns("feed", Text),
)
posts = Table(
    "posts",
    metadata,
    *_columns("id", Text, key=True),
    *_columns("url permalink? thread_id thread_title? thread_url site kind", Text),
    *_columns("page position", Integer),
    *_columns("author? date? date_precision? day? text", Text),
    *_columns("quotes", NESTED),
    *_columns("signature? reply_to?", Text),
    *_columns("fetched_at", NOW),
    *_columns("algorithm", Text),
    *_columns("confidence", Float),
    *_columns("schema_version", Integer),
    Index("posts_by_thread", "thread_id", "position"),
)
hits = Table(
    "hits",
    metadata,
    *_columns("id", Text, key=True),
    *_columns("url engine kind query run", Text),
    *_columns("page rank", Integer),
    *_columns("title address snippet? date? date_precision? day?", Text),
    *_columns("fetched_at", NOW),
    *_columns("algorithm", Text),
    *_columns("confidence", Float),
    *_columns("schema_version", Integer),
    Index("hits_by_query", "query", "engine", "run"),
)
teasers = Table(
    "teasers",
    metadata,
    *_columns("id", Text, key=True),
    *_columns("url list_url list_title? site kind", Text),
    *_columns("page position", Integer),
    *_columns("title address snippet? author? image? date? date_precision? day?", Text),
    *_columns("fetched_at", NOW),
    *_columns("algorithm", Text),
    *_columns("confidence", Float),
    *_columns("schema_version", Integer),
    Index("teasers_by_list", "list_url"),
)
object_revisions = Table(
    "object_revisions",
    metadata,
    *_columns("id", Text, key=True),
    *_columns("revision", Integer, key=True),
    *_columns("content_hash", Text, key=True),
    *_columns("url page_url site kind wrapper label", Text),
    *_columns("path", NESTED),
    *_columns("page position", Integer),
    *_columns("fields object? missing misfits notes", NESTED),
    *_columns("fit", Float),
    *_columns("fetched_at", NOW),
    *_columns("schema_version", Integer),
    Index("object_revisions_by_page", "page_url"),
)
object_heads = Table(
    "object_heads",
    metadata,
    *_columns("id", Text, key=True),
    *_columns("revision", Integer),
    *_columns("content_hash", Text),
    *_columns("fetched_at", NOW),
    *_columns("feed", Text),
)
pages = Table(
    "pages",
    metadata,
    *_columns("id", Text, key=True),
    *_columns("url site kind", Text),
    *_columns("number first count", Integer),
    *_columns("records", NESTED),
    *_columns("next? since? until? thread_id? thread_title? thread_url? list_title? list_url? run? note? shape?", Text),
    *_columns("etag? last_modified?", Text),
    *_columns("fetched_at", NOW),
    *_columns("schema_version", Integer),
)
rejections = Table(
    "rejections",
    metadata,
    *_columns("id", Text, key=True),
    *_columns("status", Text, key=True),
    *_columns("attempt", Integer, key=True),
    *_columns("url site reason title? date? duplicate_of?", Text),
    *_columns("fetched_at", NOW),
    *_columns("schema_version", Integer),
    Index("rejections_by_site", "site", "status"),
)
feeds = Table(
    "feeds",
    metadata,
    *_columns("host path first_digest", Text, key=True),
    *_columns("position lines last_line", BigInteger),
    *_columns("last_digest", Text),
    *_columns("read_at", NOW),
)
"""How far each feed has been read: byte behind the last line that was, lines, and what tells that it is still that feed: a
digest of that line, and one of its first line, since two machines may have one name."""
unwritten = Table(
    "unwritten",
    metadata,
    *_columns("host path", Text, key=True),
    *_columns("position", BigInteger, key=True),
    *_columns("reason", Text),
)
"""Lines of feeds that the database has refused, each with its first byte."""

VIEWS = {
    "articles": "SELECT r.* FROM article_heads AS h JOIN article_revisions AS r "
    "ON r.id = h.id AND r.revision = h.revision AND r.text_hash = h.text_hash",
    "objects": "SELECT r.* FROM object_heads AS h JOIN object_revisions AS r "
    "ON r.id = h.id AND r.revision = h.revision AND r.content_hash = h.content_hash",
}
"""Name → select; the latest state of each."""


# --- field types ----------------------------------------------------------------------------------
# Whether the fields of a line have the types of their columns.
#
# A database tells a value of a wrong type in ways of its own, or takes it: SQLite keeps a number in a column of texts. So
# lines are checked here, before any of them is sent. Cost: 2 µs a line.

_MAPPINGS = frozenset({"fields", "object"})
"""Nested fields that are objects; the others are lists."""
_SAID: dict[type, str] = {
    str: "a text", int: "a whole number", float: "a number", list: "a list", dict: "an object", bool: "true or false",
    type(None): "null",
}  # fmt: skip
Types = Mapping[str, frozenset[type]]


def types_of(table: Table, fields: frozenset[str]) -> Types:
    """The types that the fields of a line may have; exactly these: ``True`` is no number."""
    return {column.name: frozenset(_types(column)) for column in table.columns if column.name in fields}


def _types(column: Column[Any]) -> list[type]:
    kind, empty = column.type, [type(None)] if column.nullable else []
    if isinstance(kind, JSON):
        return [dict if column.name in _MAPPINGS else list, *empty]
    if isinstance(kind, Float):
        return [float, int, *empty]
    if isinstance(kind, Integer):
        return [int, *empty]
    return [str, *empty]  # times, too


def check_types(line: Mapping[str, Any], types: Types) -> None:
    """Check a line whose fields are those of the table.

    :raises ValueError: a field has another type.
    """
    for name, allowed in types.items():
        if type(line[name]) not in allowed:
            expected = " or ".join(_SAID[one] for one in _SAID if one in allowed)
            raise ValueError(f"its {name} is {_SAID[type(line[name])]}; expected {expected}")


@lru_cache(maxsize=64)  # a crawl fetches several records a second
def in_utc(moment: str) -> str:
    """A time of a feed as ISO 8601 in UTC, so that times can be compared as texts.

    :raises ValueError: it is no time, or has no time zone.
    """
    try:
        found = datetime.fromisoformat(moment)
        if found.tzinfo is not None:
            return found.astimezone(UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError) as error:  # the latter: within a day of year 1 or 9999
        raise ValueError(f"its time {moment[:40]!r} cannot be read") from error
    raise ValueError(f"its time {moment[:40]!r} has no time zone")
