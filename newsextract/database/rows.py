"""A line of a feed → the table it belongs to and its row."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Table

from newsextract.database import schema
from newsextract.database.field_types import check_types, in_utc, types_of
from newsextract.feed_lines import content_hash, text_hash

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of line."""

    name: str
    """Plural, for counts."""
    table: Table
    made: Callable[[Row], Row]
    """Columns that are not fields."""
    heads: Table | None = None
    """Names the latest of several states."""

    @property
    def key(self) -> tuple[str, ...]:
        """Columns that name a row."""
        return tuple(column.name for column in self.table.primary_key)

    @property
    def fields(self) -> frozenset[str]:
        """Fields of a line."""
        return frozenset(self.table.columns.keys()) - {"day", "text_hash", "content_hash"}


def _day(line: Row) -> Row:
    """The day that a date names; None for one that is less precise."""
    written = line["date"] or ""
    return {"day": written[:10] if len(written) >= 10 else None}


def _article(line: Row) -> Row:
    return {"text_hash": text_hash(line["text"]).hex(), **_day(line)}


def _object(line: Row) -> Row:
    return {"content_hash": content_hash(line["fields"], line["object"], line["missing"]).hex()}


def _nothing(line: Row) -> Row:
    return {}


ARTICLES = Kind("articles", schema.article_revisions, _article, schema.article_heads)
POSTS = Kind("posts", schema.posts, _day)
HITS = Kind("hits", schema.hits, _day)
TEASERS = Kind("teasers", schema.teasers, _day)
OBJECTS = Kind("objects", schema.object_revisions, _object, schema.object_heads)
PAGES = Kind("pages", schema.pages, _nothing)
REJECTIONS = Kind("rejections", schema.rejections, _nothing)
KINDS = (ARTICLES, POSTS, HITS, TEASERS, OBJECTS, PAGES, REJECTIONS)
"""In the order in which they are written, which is always the same: else two writers could wait for each other."""
_RECORDS = {"news": ARTICLES, "post": POSTS, "hit": HITS, "teaser": TEASERS, "object": OBJECTS}
_OPEN = tuple(_RECORDS.values())
"""Lines to which a user's pipeline may add fields; no table has a column for those."""
_FIELDS = {kind.name: kind.fields for kind in KINDS}
_TYPES = {kind.name: types_of(kind.table, kind.fields) for kind in KINDS}


def kind_of(line: Row) -> Kind:
    """What a line is.

    :raises ValueError: it is nothing that is known, or another version of it.
    """
    # By the kind first: a user's pipeline may add fields of any name.
    kind = _RECORDS.get(str(line.get("kind"))) or (PAGES if "records" in line else REJECTIONS if "attempt" in line else None)
    if kind is None:
        raise ValueError(f"its kind is {line.get('kind')!r}")
    fields = _FIELDS[kind.name]
    wrong = fields - line.keys() if kind in _OPEN else fields ^ line.keys()
    if wrong:
        raise ValueError(f"among {kind.name}, it lacks or adds {', '.join(sorted(wrong))}")
    return kind


def read_row(line: bytes) -> tuple[Kind, Row]:
    """Table and row of a line; its time is in UTC.

    :raises ValueError: it is no line of a feed, or a field has another type.
    """
    try:
        text = line.decode("utf-8")
        value = _DECODER.decode(text)
        if not isinstance(value, dict):
            raise ValueError("it is no JSON object")
        if "\\u" in text:  # the feed escapes nothing but control characters
            value = _storable(value)
        kind = kind_of(value)
        value = {name: field for name, field in value.items() if name in _FIELDS[kind.name]}
        check_types(value, _TYPES[kind.name])
        value["fetched_at"] = in_utc(value["fetched_at"])
        return kind, value | kind.made(value)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    except (KeyError, TypeError) as error:  # of an object's missing pages, which nobody has looked at before
        raise ValueError(f"a nested field lacks something, or has another type: {error}") from error


def _no_number(text: str) -> None:
    raise ValueError(f"it has {text}, which is no JSON")


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
