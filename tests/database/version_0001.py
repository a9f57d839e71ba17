"""The tables of version 0001 as they were when it was new: databases that have them are brought up to date."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

_NOW = sa.DateTime(timezone=True).with_variant(sa.String(25), "sqlite")
_NESTED = sa.JSON().with_variant(JSONB(), "postgresql")


def _columns(names: str, kind: sa.types.TypeEngine[Any], *, key: bool = False) -> list[sa.Column[Any]]:
    return [
        sa.Column(name.rstrip("?"), kind, primary_key=key, nullable=name.endswith("?"), autoincrement=False)
        for name in names.split()
    ]


def make() -> None:
    """Make them, within ``Operations.context``."""
    text, whole, large, real = sa.Text(), sa.Integer(), sa.BigInteger(), sa.Float()
    op.create_table(
        "article_revisions",
        *_columns("id", text, key=True),
        *_columns("revision", whole, key=True),
        *_columns("text_hash", text, key=True),
        *_columns("url canonical_url? site kind title? title_source? date? date_precision? date_source? day? text", text),
        *_columns("authors", _NESTED),
        *_columns("language? section? image?", text),
        *_columns("pages", whole),
        *_columns("fetched_at", _NOW),
        *_columns("algorithm", text),
        *_columns("confidence page_kind_confidence?", real),
        *_columns(
            "page_kind? access? access_source? reserved? status reason? duplicate_of? fingerprint? etag? last_modified?",
            text,
        ),
        *_columns("schema_version", whole),
    )
    op.create_index("article_revisions_by_day", "article_revisions", ["day", "site"])
    op.create_table(
        "article_heads",
        *_columns("id", text, key=True),
        *_columns("revision", whole),
        *_columns("text_hash", text),
        *_columns("fetched_at", _NOW),
        *_columns("feed", text),
    )
    op.create_table(
        "posts",
        *_columns("id", text, key=True),
        *_columns("url permalink? thread_id thread_title? thread_url site kind", text),
        *_columns("page position", whole),
        *_columns("author? date? date_precision? day? text", text),
        *_columns("quotes", _NESTED),
        *_columns("signature? reply_to?", text),
        *_columns("fetched_at", _NOW),
        *_columns("algorithm", text),
        *_columns("confidence", real),
        *_columns("schema_version", whole),
    )
    op.create_index("posts_by_thread", "posts", ["thread_id", "position"])
    op.create_table(
        "hits",
        *_columns("id", text, key=True),
        *_columns("url engine kind query run", text),
        *_columns("page rank", whole),
        *_columns("title address snippet? date? date_precision? day?", text),
        *_columns("fetched_at", _NOW),
        *_columns("algorithm", text),
        *_columns("confidence", real),
        *_columns("schema_version", whole),
    )
    op.create_index("hits_by_query", "hits", ["query", "engine", "run"])
    op.create_table(
        "teasers",
        *_columns("id", text, key=True),
        *_columns("url list_url list_title? site kind", text),
        *_columns("page position", whole),
        *_columns("title address snippet? author? image? date? date_precision? day?", text),
        *_columns("fetched_at", _NOW),
        *_columns("algorithm", text),
        *_columns("confidence", real),
        *_columns("schema_version", whole),
    )
    op.create_index("teasers_by_list", "teasers", ["list_url"])
    op.create_table(
        "object_revisions",
        *_columns("id", text, key=True),
        *_columns("revision", whole, key=True),
        *_columns("content_hash", text, key=True),
        *_columns("url page_url site kind wrapper label", text),
        *_columns("path", _NESTED),
        *_columns("page position", whole),
        *_columns("fields object? missing misfits notes", _NESTED),
        *_columns("fit", real),
        *_columns("fetched_at", _NOW),
        *_columns("schema_version", whole),
    )
    op.create_index("object_revisions_by_page", "object_revisions", ["page_url"])
    op.create_table(
        "object_heads",
        *_columns("id", text, key=True),
        *_columns("revision", whole),
        *_columns("content_hash", text),
        *_columns("fetched_at", _NOW),
        *_columns("feed", text),
    )
    op.create_table(
        "pages",
        *_columns("id", text, key=True),
        *_columns("url site kind", text),
        *_columns("number first count", whole),
        *_columns("records", _NESTED),
        *_columns("next? since? until? thread_id? thread_title? thread_url? list_title? list_url? run? note? shape?", text),
        *_columns("etag? last_modified?", text),
        *_columns("fetched_at", _NOW),
        *_columns("schema_version", whole),
    )
    op.create_table(
        "rejections",
        *_columns("id", text, key=True),
        *_columns("status", text, key=True),
        *_columns("attempt", whole, key=True),
        *_columns("url site reason title? date? duplicate_of?", text),
        *_columns("fetched_at", _NOW),
        *_columns("schema_version", whole),
    )
    op.create_index("rejections_by_site", "rejections", ["site", "status"])
    op.create_table(
        "feeds",
        *_columns("host path first_digest", text, key=True),
        *_columns("position lines last_line", large),
        *_columns("last_digest", text),
        *_columns("read_at", _NOW),
    )
    op.create_table(
        "unwritten",
        *_columns("host path", text, key=True),
        *_columns("position", large, key=True),
        *_columns("reason", text),
    )
    op.execute(
        "CREATE VIEW articles AS SELECT r.* FROM article_heads AS h JOIN article_revisions AS r "
        "ON r.id = h.id AND r.revision = h.revision AND r.text_hash = h.text_hash"
    )
    op.execute(
        "CREATE VIEW objects AS SELECT r.* FROM object_heads AS h JOIN object_revisions AS r "
        "ON r.id = h.id AND r.revision = h.revision AND r.content_hash = h.content_hash"
    )
