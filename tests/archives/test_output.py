"""Where re-extracted records go: a ledger of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from newsextract.commands.extract_archives import Output
from newsextract.errors import DataError
from newsextract.feed import MAX_ATTEMPTS
from newsextract.feed.record_lines import NewsRecord, Rejection
from tests.pipelines.conftest import make_record as _make_record
from tests.pipelines.conftest import make_rejection as _make_rejection

make_record, make_rejection = _make_record, _make_rejection
Make = Callable[..., Any]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_records_rejections_and_what_is_near_same(tmp_path: Path, make_record: Make, make_rejection: Make) -> None:
    path, mark = tmp_path / "a.jsonl", "0f" * 192
    with Output(path) as output:
        for record in (make_record(5, fingerprint=mark), make_record(3, fingerprint=mark), make_rejection(9)):
            assert output.claim(record.id)
            assert not output.claim(record.id)
            output.write(record)
    assert [line["duplicate_of"] for line in lines(path)] == [None, f"{5:016x}"]
    with Output(path) as output:
        assert (output.known, output.algorithms) == (2, {"block_statistics"})
        assert not any(output.claim(f"{k:016x}") for k in (3, 5, 9))
        output.write(make_record(1, fingerprint=mark))
    assert [line["duplicate_of"] for line in lines(path)] == [None, f"{5:016x}", f"{3:016x}"]
    assert [line["status"] for line in lines(output.rejected_path)] == ["short"]


def test_what_may_pass_is_tried_three_times(tmp_path: Path, make_rejection: Callable[..., Rejection]) -> None:
    for _ in range(MAX_ATTEMPTS + 1):
        with Output(tmp_path / "a.jsonl") as output:
            failed = make_rejection(7, status="failed")
            if output.claim(failed.id):
                output.write(failed)
    assert [line["attempt"] for line in lines(tmp_path / "a.rejected.jsonl")] == [1, 2, 3]


@pytest.mark.parametrize("text", ['{"id": 1}', "[]", "x", '{"id": "0123456789abcdef"}', '{"id": "x", "status": "ok"}'])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(text + "\n")
    with pytest.raises(DataError, match="it has no record of newsextract"):
        Output(path)
    assert path.read_text() == text + "\n"


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
def test_a_feed_that_another_tool_has_rewritten_is_gone_on_with(
    tmp_path: Path, make_record: Make, separators: tuple[str, str]
) -> None:
    path, mark = tmp_path / "a.jsonl", "0f" * 192
    with Output(path) as output:
        output.write(make_record(5, fingerprint=mark))
    rewritten = json.dumps(lines(path)[0] | {"more": 1}, ensure_ascii=False, separators=separators) + "\n"
    path.write_text(rewritten, "utf-8")
    with Output(path) as output:
        assert not output.claim(f"{5:016x}")
        output.write(make_record(3, fingerprint=mark))
    assert path.read_text("utf-8").startswith(rewritten)
    assert lines(path)[1]["duplicate_of"] == f"{5:016x}"


def test_two_at_a_time_are_refused(tmp_path: Path, make_record: Callable[..., NewsRecord]) -> None:
    with Output(tmp_path / "a.jsonl") as output:
        output.write(make_record())
        with pytest.raises(DataError, match="another"):
            Output(tmp_path / "a.jsonl")
    assert len(lines(tmp_path / "a.jsonl")) == 1
