"""The tables as they are now; :mod:`newsextract.database.connection` makes them, or upgrades those of earlier versions.

A record is a row whose columns are the fields of its line. Articles and objects change: ``…_revisions`` has a row for each
state, ``…_heads`` names the latest, and the views ``articles`` and ``objects`` show it. Times are ``timestamptz`` in
PostgreSQL, ISO 8601 in UTC in SQLite; dates are text, as precise as their page, with the day beside it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, cached_property, lru_cache
from operator import itemgetter
from typing import Any

from sqlalchemy import (
    ARRAY,
    JSON,
    BigInteger,
    Column,
    Connection,
    DateTime,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    bindparam,
    case,
    func,
    or_,
    select,
    tuple_,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeEngine

from newsextract.feed import content_hash, text_hash
from newsextract.feed.record_lines import (
    FeedLine,
    Hit,
    NewsRecord,
    ObjectRecord,
    Post,
    ReadPage,
    Rejection,
    Teaser,
    check_types,
    field_types,
)

# --- schema ---------------------------------------------------------------------------------------

NOW = DateTime(timezone=True).with_variant(String(25), "sqlite")
NESTED = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
metadata = MetaData()


def make_columns(names: str, kind: type[TypeEngine[Any]] | TypeEngine[Any], *, key: bool = False) -> list[Column[Any]]:
    """Columns of one type; a name that ends in ``?`` may be empty."""
    return [
        Column(name.rstrip("?"), kind, primary_key=key, nullable=name.endswith("?"), autoincrement=False)
        for name in names.split()
    ]


def _table(name: str, line: type[FeedLine], *more: Column[Any] | Index, key: str = "id") -> Table:
    """A table whose columns are the fields of a line, and some more."""
    columns = [
        Column(
            field,
            NOW if field == "fetched_at" else _KINDS[types[0]],
            primary_key=field in key.split(),
            nullable=type(None) in types,
            autoincrement=False,
        )
        for field, (types, _) in field_types(line).items()  # type: ignore[arg-type]  # classes are hashable
    ]
    return Table(name, metadata, *columns, *more)


_KINDS: dict[type, Any] = {str: Text, int: Integer, float: Float, list: NESTED, dict: NESTED}


def _heads(name: str, digest: str) -> Table:
    """A table that names the latest of several states."""
    return Table(
        name,
        metadata,
        *make_columns("id", Text, key=True),
        *make_columns("revision", Integer),
        *make_columns(digest, Text),
        *make_columns("fetched_at", NOW),
        *make_columns("feed", Text),
    )


article_revisions = _table(
    "article_revisions",
    NewsRecord,
    *make_columns("text_hash", Text, key=True),
    *make_columns("day?", Text),
    Index("article_revisions_by_day", "day", "site"),
    key="id revision",
)
article_heads = _heads("article_heads", "text_hash")
posts = _table("posts", Post, *make_columns("day?", Text), Index("posts_by_thread", "thread_id", "position"))
hits = _table("hits", Hit, *make_columns("day?", Text), Index("hits_by_query", "query", "engine", "run"))
teasers = _table("teasers", Teaser, *make_columns("day?", Text), Index("teasers_by_list", "list_url"))
object_revisions = _table(
    "object_revisions",
    ObjectRecord,
    *make_columns("content_hash", Text, key=True),
    Index("object_revisions_by_page", "page_url"),
    key="id revision",
)
object_heads = _heads("object_heads", "content_hash")
pages = _table("pages", ReadPage)
rejections = _table("rejections", Rejection, Index("rejections_by_site", "site", "status"), key="id status attempt")
feeds = Table(
    "feeds",
    metadata,
    *make_columns("host path first_digest", Text, key=True),
    *make_columns("position lines last_line", BigInteger),
    *make_columns("last_digest", Text),
    *make_columns("read_at", NOW),
)
"""How far each feed has been read: byte behind the last line that was, lines, and what tells that it is still that feed: a
digest of that line, and one of its first line, since two machines may have one name."""
unwritten = Table(
    "unwritten",
    metadata,
    *make_columns("host path", Text, key=True),
    *make_columns("position", BigInteger, key=True),
    *make_columns("reason", Text),
)
"""Lines of feeds that the database has refused, each with its first byte."""

VIEWS = {
    "articles": "SELECT r.* FROM article_heads AS h JOIN article_revisions AS r "
    "ON r.id = h.id AND r.revision = h.revision AND r.text_hash = h.text_hash",
    "objects": "SELECT r.* FROM object_heads AS h JOIN object_revisions AS r "
    "ON r.id = h.id AND r.revision = h.revision AND r.content_hash = h.content_hash",
}
"""Name → select; the latest state of each."""

# --- rows -----------------------------------------------------------------------------------------
# A line of a feed → the table it belongs to and its row.
#
# A database tells a value of a wrong type in ways of its own, or takes it: SQLite keeps a number in a column of texts. So
# the types of fields are checked here, before any line is sent. Cost: 2 µs a line.

Row = dict[str, Any]


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


@dataclass(frozen=True)
class LineKind:
    """A kind of line."""

    name: str
    """Plural, for counts."""
    line: type[FeedLine]
    table: Table
    made: Callable[[Row], Row]
    """Columns that are not fields."""
    heads: Table | None = None
    """Names the latest of several states."""

    @cached_property
    def key(self) -> Callable[[Row], Any]:
        """What names a row: the values of its key's columns."""
        return itemgetter(*(column.name for column in self.table.primary_key))

    @cached_property
    def fields(self) -> frozenset[str]:
        """Fields of a line."""
        return frozenset(self.line.__slots__)


def _day(line: Row) -> Row:
    """The day that a date names; None for one that is less precise."""
    written = line["date"] or ""
    return {"day": written[:10] if len(written) >= 10 else None}


def _article(line: Row) -> Row:
    return {"text_hash": text_hash(line["text"]).hex(), **_day(line)}


def _object(line: Row) -> Row:
    return {"content_hash": content_hash(line["fields"], line["object"], line["missing"]).hex()}


ARTICLES = LineKind("articles", NewsRecord, article_revisions, _article, article_heads)
POSTS = LineKind("posts", Post, posts, _day)
HITS = LineKind("hits", Hit, hits, _day)
TEASERS = LineKind("teasers", Teaser, teasers, _day)
OBJECTS = LineKind("objects", ObjectRecord, object_revisions, _object, object_heads)
PAGES = LineKind("pages", ReadPage, pages, lambda line: {})
REJECTIONS = LineKind("rejections", Rejection, rejections, lambda line: {})
KINDS = (ARTICLES, POSTS, HITS, TEASERS, OBJECTS, PAGES, REJECTIONS)
"""In the order in which they are written, which is always the same: else two writers could wait for each other."""
_RECORDS = {"news": ARTICLES, "post": POSTS, "hit": HITS, "teaser": TEASERS, "object": OBJECTS}
_OPEN = tuple(_RECORDS.values())
"""Lines to which a user's pipeline may add fields; no table has a column for those."""


def kind_of(line: Row) -> LineKind:
    """What a line is. Raises ValueError: it is nothing that is known, or another version of it."""
    # By the kind first: a user's pipeline may add fields of any name.
    kind = _RECORDS.get(str(line.get("kind"))) or (PAGES if "records" in line else REJECTIONS if "attempt" in line else None)
    if kind is None:
        raise ValueError(f"its kind is {line.get('kind')!r}")
    wrong = kind.fields - line.keys() if kind in _OPEN else kind.fields ^ line.keys()
    if wrong:
        raise ValueError(f"among {kind.name}, these fields are missing or unknown: {', '.join(sorted(wrong))}")
    return kind


def read_row(line: bytes) -> tuple[LineKind, Row]:
    """Table and row of a line; its time is in UTC.

    :raises ValueError: it is no line of a feed, or a field has another type.
    """
    try:
        text = line.decode("utf-8")
        value = _DECODER.decode(text)
        if not isinstance(value, dict):
            raise ValueError("it is not a JSON object")
        if "\\u" in text:  # the feed escapes nothing but control characters
            value = _storable(value)
        kind = kind_of(value)
        value = {name: field for name, field in value.items() if name in kind.fields}
        check_types(value, kind.line)
        value["fetched_at"] = in_utc(value["fetched_at"])
        return kind, value | kind.made(value)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    except (KeyError, TypeError) as error:  # of an object's missing pages, which nobody has looked at before
        raise ValueError(f"a nested field is incomplete or has another type: {error}") from error


def _no_number(text: str) -> None:
    raise ValueError(f"it contains {text}, which is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_no_number)


def _storable(value: Any) -> Any:
    """Without what PostgreSQL cannot keep in a text: NUL, and halves of surrogate pairs."""
    if isinstance(value, str):
        return value.replace("\0", "\ufffd").encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [_storable(part) for part in value]
    if isinstance(value, dict):
        return {_storable(name): _storable(part) for name, part in value.items()}
    return value


# --- copying --------------------------------------------------------------------------------------
# Many rows into PostgreSQL at once: new records and their heads by ``COPY``, the others by an upsert. ``COPY`` knows no
# conflicts, so it gets only rows whose id is neither in the table nor twice among the rows. An article of 4.4 kB with its
# head costs 0.07 ms of CPU time in both processes, instead of 0.30 (``python -m benchmarks.storage --import 10000``).

FEWEST = 5
"""Fewer rows are not worth it."""
_encode = json.JSONEncoder(ensure_ascii=False).encode


def copy_new(connection: Connection, kind: LineKind, rows: Sequence[Row], feed: str) -> list[Row]:
    """Copy the rows whose id is new, and the names of the latest states that they are.

    :param rows: each key once, sorted.
    :returns: the other rows; all of them if a row is refused, or another process has just written one of them.
    """
    if len(rows) < FEWEST:
        return list(rows)
    from psycopg import Error  # optional

    counts = Counter(row["id"] for row in rows)
    known = {number for (number,) in connection.execute(_known(kind.table), {"ids": list(counts)})}
    known.update(number for number, count in counts.items() if count > 1)
    new = [row for row in rows if row["id"] not in known]
    if len(new) < FEWEST:
        return list(rows)
    driver: Any = connection.connection.dbapi_connection  # psycopg's
    try:
        with connection.begin_nested(), driver.cursor() as cursor:
            _copy(cursor, kind.table, new)
            if kind.heads is not None:
                _copy(cursor, kind.heads, [row | {"feed": feed} for row in new])
    except (Error, OverflowError):  # the upsert of the same rows reports what is wrong
        return list(rows)
    return [row for row in rows if row["id"] in known]


def _copy(cursor: Any, table: Table, rows: Iterable[Row]) -> None:
    """In the binary format, which costs the server a quarter less than texts; the driver checks no types in it."""
    values_of = itemgetter(*table.columns.keys())
    types = [next(name for kind, name in _BINARY if isinstance(one.type, kind)) for one in table.columns]
    converted = [(number, _CONVERTED[name]) for number, name in enumerate(types) if name in _CONVERTED]
    with cursor.copy(_statement(table)) as copy:
        copy.set_types(types)
        for row in rows:
            values = list(values_of(row))
            for number, convert in converted:
                if values[number] is not None:
                    values[number] = convert(values[number])
            copy.write_row(values)


def _int4(value: int) -> int:
    if not -(2**31) <= value < 2**31:
        raise OverflowError(f"{value} does not fit into 32 bits")  # the driver would write the lower ones
    return value


def _jsonb(value: Any) -> Any:
    from psycopg.types.json import Jsonb

    return Jsonb(value, _encode)


_BINARY = ((JSON, "jsonb"), (Float, "float8"), (Integer, "int4"), (DateTime, "timestamptz"), (Text, "text"))
_CONVERTED: dict[str, Callable[[Any], Any]] = {
    "jsonb": _jsonb, "float8": float, "int4": _int4, "timestamptz": datetime.fromisoformat,
}  # fmt: skip


@cache
def _known(table: Table) -> Any:
    return select(table.columns.id).where(table.columns.id == func.any(bindparam("ids", type_=ARRAY(Text()))))


@cache
def _statement(table: Table) -> str:
    names = ", ".join(f'"{one.name}"' for one in table.columns)
    return f"COPY {table.name} ({names}) FROM STDIN (FORMAT BINARY)"


# --- upserts --------------------------------------------------------------------------------------
# Rows into tables, idempotently: ``INSERT … ON CONFLICT … DO UPDATE`` by the record's id.
#
# The latest fetch wins, in any order of feeds; of the same second, the latest written. Within a feed the revision decides,
# because a clock may have been set back. Rows without a change are not touched. Rows are sorted by their keys, so that two
# writers do not deadlock. PostgreSQL gets new rows by ``COPY`` (*copying*).

INSERTS: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


@cache
def _upsert(dialect: str, table: Table) -> Any:
    """The statement for a table of records."""
    statement = INSERTS[dialect](table)
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
    statement = INSERTS[dialect](table)
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


def write(connection: Connection, rows: Iterable[tuple[LineKind, Row]], feed: str = "") -> None:
    """Write rows within the connection's transaction.

    :param feed: what tells the feed that they stand in from others; empty: nothing is known of it.
    """
    dialect = connection.dialect.name
    by_kind: dict[str, dict[Any, Row]] = {}
    for kind, row in rows:
        by_kind.setdefault(kind.name, {})[kind.key(row)] = row  # of two, the later one
    for kind in KINDS:
        if kind.name not in by_kind:
            continue
        found = [row for _, row in sorted(by_kind[kind.name].items())]
        rest = copy_new(connection, kind, found, feed) if dialect == "postgresql" else found
        if rest:
            connection.execute(_upsert(dialect, kind.table), rest)
            if (heads := kind.heads) is not None:
                names = [one.name for one in heads.columns if one is not heads.c.feed]
                latest = [{name: row[name] for name in names} | {"feed": feed} for row in rest]
                connection.execute(_upsert_head(dialect, heads), latest)


# --- exporting ------------------------------------------------------------------------------------
# Tables → lines of a feed: the fields, their order and their values are those of the lines that were brought in.
#
# What is not in the tables is not in the lines: fields that a user's pipeline has added, and characters that PostgreSQL
# cannot keep. PostgreSQL has an order of its own for the keys of nested objects. Rows are fetched some at a time.

_ROWS = 500
"""Rows that are in memory at once."""
EXPORTED = {
    "news": ARTICLES, "forum": POSTS, "search": HITS, "list": TEASERS, "object": OBJECTS, "pages": PAGES,
    "rejections": REJECTIONS,
}  # fmt: skip
"""What the command line calls the kinds."""
_LATEST = {
    kind.name: kind.table.to_metadata(MetaData(), name=kind.name) for kind in KINDS if kind.heads is not None
}  # the views, with the columns of their tables


def exported(connection: Connection, kind: LineKind, site: str | None = None, *, revisions: bool = False) -> Iterator[bytes]:
    """The lines of a kind, those that were fetched first before the others.

    :param site: only this site's; of hits, this engine's.
    :param revisions: all states of articles and objects, not only the latest.
    """
    table = kind.table if revisions else _LATEST.get(kind.name, kind.table)
    names = kind.line.__slots__
    wanted = select(*(table.columns[name] for name in names)).order_by(*_order(table))
    if site is not None:
        wanted = wanted.where(table.columns["engine" if kind is HITS else "site"] == site)
    with connection.execute(wanted, execution_options={"yield_per": _ROWS}) as found:
        for row in found.mappings():
            yield _line(row, names)


def _order(table: Table) -> list[Any]:
    first = [table.columns.fetched_at, table.columns.id]
    return first + [column for column in table.primary_key if column.name != "id"]


def _line(row: Mapping[Any, Any], names: Iterable[str]) -> bytes:
    values = {name: row[name] for name in names}
    if not isinstance(values["fetched_at"], str):
        values["fetched_at"] = values["fetched_at"].astimezone(UTC).isoformat(timespec="seconds")
    return json.dumps(values, ensure_ascii=False).encode() + b"\n"
