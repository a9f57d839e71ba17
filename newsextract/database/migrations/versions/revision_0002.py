"""The day beside every date, so that records can be asked for by day whatever their dates' precision."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the column, fill it, and let the view of articles show it."""
    op.execute("DROP VIEW articles")
    for table in ("article_revisions", "posts", "hits", "teasers"):
        op.add_column(table, sa.Column("day", sa.Text()))
        op.execute(f"UPDATE {table} SET day = substr(date, 1, 10) WHERE length(date) >= 10")
    op.create_index("article_revisions_by_day", "article_revisions", ["day", "site"])
    op.execute(
        "CREATE VIEW articles AS SELECT r.* FROM article_heads AS h JOIN article_revisions AS r "
        "ON r.id = h.id AND r.revision = h.revision AND r.text_hash = h.text_hash"
    )
