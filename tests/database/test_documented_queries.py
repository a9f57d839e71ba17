"""The queries of docs/storage.md run, and give something where there is something."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from tests.database.feed_lines import LATER, article, bring_in, hit, name, post, rejection, write

PAGE = Path(__file__).parents[2] / "docs" / "storage.md"
BLOCK = re.compile(r"^```sql ?(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def queries(dialect: str) -> list[str]:
    blocks = [block for kind, block in BLOCK.findall(PAGE.read_text("utf-8")) if kind in ("", dialect)]
    return [query for block in blocks for query in block.split(";") if query.strip()]


@pytest.mark.filterwarnings("error")
def test_they_run(engine: Engine, select: Callable[[str], list[dict[str, Any]]], tmp_path: Path) -> None:
    feed = tmp_path / "news.jsonl"
    write(feed, article(1), article(2, text="A tidal barrier for the bay."), article(3, duplicate_of=name(1)))
    write(feed, article(2, revision=1, text="Two tidal barriers; a barrier was tidal.", fetched_at=LATER))
    write(feed, post(4, thread_id="0123456789abcdef"), hit(5, query="harbour", address=article(1).url), rejection(6))
    bring_in(engine, feed)
    found = queries(engine.dialect.name)
    assert len(found) >= 9
    for query in found:
        assert select(query), query
