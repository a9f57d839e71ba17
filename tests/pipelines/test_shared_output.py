"""Lines of a shared crawl: none waits for ever, whatever goes wrong while they are written."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from newsextract.feed.record_lines import NewsRecord
from newsextract.state.shared import NewLine
from pipelines.storage import SharedOutput


class State:
    """Fails as told, then writes."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.batches: list[int] = []

    def write(self, lines: Sequence[NewLine]) -> None:
        if self.errors:
            raise self.errors.pop(0)
        self.batches.append(len(lines))
        lines[-1].refused = "too large"


def write(state: Any, records: list[NewsRecord]) -> list[Any]:
    async def all_of_them() -> list[Any]:
        output = SharedOutput(state)
        first = await asyncio.gather(*(output.write(record, "x") for record in records))
        return [*first, await output.write(records[0], "x")]

    return asyncio.run(asyncio.wait_for(all_of_them(), 20))


def test_a_defect_refuses_its_lines_and_later_ones_are_written(make_record: Callable[..., NewsRecord]) -> None:
    state = State(RuntimeError("no such thing"))
    *failed, later = write(state, [make_record(1), make_record(2)])
    assert failed == ["a defect: RuntimeError: no such thing"] * 2
    assert (later, state.batches) == ("too large", [1])


def test_a_database_that_is_away_is_asked_again(
    make_record: Callable[..., NewsRecord], caplog: pytest.LogCaptureFixture
) -> None:
    state = State(OperationalError("", {}, Exception("no server")))
    assert write(state, [make_record(1), make_record(2)]) == [None, "too large", "too large"]
    assert state.batches == [2, 1]
    assert "can be written again" in caplog.text
