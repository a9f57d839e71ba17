"""Feeds are told apart by their first lines, too; beside the latest states, the feeds that they were read from."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the columns, empty, and make that of ``feeds`` a part of its key."""
    for table in ("article_heads", "object_heads"):
        op.add_column(table, sa.Column("feed", sa.Text(), nullable=False, server_default=""))
    if op.get_bind().dialect.name == "postgresql":
        op.add_column("feeds", sa.Column("first_digest", sa.Text(), nullable=False, server_default=""))
        op.drop_constraint("feeds_pkey", "feeds", type_="primary")
        op.create_primary_key("feeds_pkey", "feeds", ["host", "path", "first_digest"])
        return
    op.rename_table("feeds", "old_feeds")  # SQLite cannot change a key
    op.create_table(
        "feeds",
        *(sa.Column(name, sa.Text(), primary_key=True, nullable=False) for name in ("host", "path", "first_digest")),
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in ("position", "lines", "last_line")),
        sa.Column("last_digest", sa.Text(), nullable=False),
        sa.Column("read_at", sa.String(25), nullable=False),
    )
    columns = "host, path, position, lines, last_line, last_digest, read_at"
    op.execute(f"INSERT INTO feeds ({columns}, first_digest) SELECT {columns}, '' FROM old_feeds")
    op.drop_table("old_feeds")
