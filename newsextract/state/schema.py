"""The tables of a crawl's state, the same in SQLite and in PostgreSQL.

Ids are 64 bits without a sign; both databases have signed integers, so :func:`signed` and :func:`unsigned` translate.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, LargeBinary, MetaData, Table, Text

from newsextract.feed_lines import OBJECT

NEWS = "news"
"""The kind of the lines of articles."""
VERSION = 1
"""A state of another version is rebuilt."""
_MIDDLE = 1 << 63

metadata = MetaData()

facts = Table("state_facts", metadata, Column("name", Text, primary_key=True), Column("value", Text, nullable=False))
"""``version``, and ``running`` while a crawl writes."""

files = Table(
    "state_files",
    metadata,
    Column("name", Text, primary_key=True),
    Column("device", BigInteger, nullable=False),
    Column("inode", BigInteger, nullable=False),
    Column("position", BigInteger, nullable=False),
    Column("lines", BigInteger, nullable=False),
    Column("digest", Text, nullable=False),
)
"""Up to which byte of which file the state agrees with the feeds, and a digest of the bytes before it."""

records = Table(
    "state_records",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("site", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("status", Text, nullable=False),
    Column("first_at", Text, nullable=False),
    Column("fetched_at", Text, nullable=False),
    Column("etag", Text),
    Column("last_modified", Text),
    Column("algorithm", Text),
    Column("said", LargeBinary),
    Column("place", BigInteger, nullable=False),
    Index("state_records_by_site", "site", "place"),
)
"""Each record as its last line has it. ``said`` is a hash of what it says; ``place`` is the first byte of the line."""
_IS_OBJECT = records.c.kind == OBJECT
Index("state_objects", records.c.id, sqlite_where=_IS_OBJECT, postgresql_where=_IS_OBJECT)

rejections = Table(
    "state_rejections",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("site", Text, nullable=False),
    Column("status", Text),
    Column("attempts", Integer, nullable=False),
)
"""Rejected pages: the last status that is final, and the tries that failed for a passing reason."""

sketches = Table(
    "state_sketches",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("sketch", LargeBinary, nullable=False),
    Column("at", Text, nullable=False),
    Index("state_sketches_by_time", "at"),
)
buckets = Table(
    "state_buckets",
    metadata,
    Column("key", BigInteger, primary_key=True, autoincrement=False),
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)
"""Number and key of each band of each fingerprint → the records that have it (:mod:`newsextract.fingerprint`)."""

titles = Table(
    "state_titles",
    metadata,
    Column("site", Text, primary_key=True),
    Column("key", Text, primary_key=True),
)
"""Titles that turned out to be a site's, not an article's."""

links = Table(
    "state_links",
    metadata,
    Column("url", Text, primary_key=True),
    Column("site", Text, nullable=False),
    Column("depth", Integer, nullable=False),
    Column("role", Text, nullable=False),
    Column("title", Text),
    Column("date", Text),
    Column("source", Text),
    Column("language", Text),
    Column("is_vouched", Boolean, nullable=False),
)
"""URLs that no later run would find again: only a page that is done leads to them."""


def signed(number: int) -> int:
    """An id as the databases have it."""
    return number - _MIDDLE


def unsigned(number: int) -> int:
    """The id that a database has as this number."""
    return number + _MIDDLE
