"""The settings of the writing: numbers in their ranges, or one line that says what is wrong."""

from __future__ import annotations

from typing import Any

import pytest
from scrapy.settings import Settings

from newsextract.database import Pace, read_pace
from newsextract.errors import UsageError
from spiders.plan import database_of


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BATCH", 0), ("BATCH", -1), ("BATCH", "1.5"), ("BATCH", "many"), ("BATCH", 200_000), ("SECONDS", "abc"),
        ("SECONDS", 0), ("SECONDS", "nan"), ("SECONDS", "inf"), ("PATIENCE", -1), ("PATIENCE", ""), ("PATIENCE", [1]),
    ],
)  # fmt: skip
def test_mistakes(name: str, value: Any, tmp_path: Any) -> None:
    settings = Settings({f"DATABASE_{name}": value, "DATABASE_URL": f"sqlite:///{tmp_path}/news.db"})
    with pytest.raises(UsageError, match=f"DATABASE_{name} = .*: expected"):
        database_of(None, settings)
    assert database_of(None, Settings({f"DATABASE_{name}": value})) is None, "without a database they do not matter"


def test_what_is_said_counts() -> None:
    assert read_pace(Settings().get) == Pace(500, 1.0, 30.0)
    said = {"DATABASE_BATCH": "7", "DATABASE_SECONDS": "0.5", "DATABASE_PATIENCE": 0}
    assert read_pace(Settings(said).get) == Pace(7, 0.5, 0.0)
