"""Both kinds of database, and feeds with lines of every kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, text

from newsextract.database import schema as database_schema
from newsextract.database.connection import open_engine, prepare

Select = Callable[[str], list[dict[str, Any]]]


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/news.db"
    found: str = request.getfixturevalue("postgres").schema()
    return found


@pytest.fixture(autouse=True)
def copies(monkeypatch: pytest.MonkeyPatch) -> None:
    """PostgreSQL copies where there is but one new row."""
    monkeypatch.setattr(database_schema, "FEWEST", 1)


@pytest.fixture
def engine(url: str) -> Iterator[Engine]:
    """Of a database with our tables."""
    engine = open_engine(prepare(url)[0])
    yield engine
    engine.dispose()


@pytest.fixture
def select(engine: Engine) -> Select:
    """Rows of a query as dictionaries; the times as they stand in the feed."""

    def rows(query: str) -> list[dict[str, Any]]:
        with engine.begin() as connection:
            return [plain(dict(row._mapping)) for row in connection.execute(text(query))]

    return rows


def plain(row: dict[str, Any]) -> dict[str, Any]:
    for name in ("fetched_at", "read_at"):
        if name in row and not isinstance(row[name], str):
            row[name] = row[name].astimezone(UTC).isoformat(timespec="seconds")
    return row


@pytest.fixture
def feed(tmp_path: Path) -> Path:
    """Where a feed may be written."""
    return tmp_path / "news.jsonl"
