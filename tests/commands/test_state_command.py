"""``newsextract state``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from newsextract.cli import main
from newsextract.feed import LedgerFile, line
from newsextract.state.store import state_path
from tests.pipelines.conftest import make_record as _make_record
from tests.pipelines.conftest import make_rejection as _make_rejection

make_record, make_rejection = _make_record, _make_rejection


def test_show_check_and_rebuild(
    make_record: Callable[..., object],
    make_rejection: Callable[..., object],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    feed = tmp_path / "news.jsonl"
    feed.write_bytes(line(make_record(1)) + line(make_record(2)) + b"no record\n")  # type: ignore[arg-type]  # as below
    feed.with_suffix(".rejected.jsonl").write_bytes(line(make_rejection(3, "failed")))  # type: ignore[arg-type]  # any line
    assert main(["state", "check", str(feed)]) == 1
    assert "new: 4 lines; not records: 1 line" in capsys.readouterr().out
    assert main(["state", "check", str(feed)]) == 0
    assert main(["state", "show", str(feed)]) == 0
    shown = capsys.readouterr().out
    assert [row.split() for row in shown.splitlines()[-2:]] == [["x", "2"], "failed temporarily 1".split()]
    state_path(feed).unlink()
    assert main(["state", "rebuild", str(feed)]) == 0
    assert "read: 4 lines; not records: 1 line" in capsys.readouterr().out
    writing = LedgerFile(feed)
    assert main(["state", "show", str(feed)]) == 2
    assert "another crawl is writing this feed" in capsys.readouterr().err
    writing.close()
    assert main(["state", "show", str(tmp_path / "none.jsonl")]) == 2


def test_the_kind_of_a_feed_is_seen_from_its_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    feed = tmp_path / "forum.jsonl"
    feed.write_text(
        f"{'[' * 100_000}\n"
        '\n{"id": "0000000000000001", "url": "http://e.org/", "site": "s", "kind": "post", '
        '"fetched_at": "2026-01-01T00:00:00+00:00"}\n'
    )
    assert main(["state", "rebuild", str(feed)]) == 0
    assert main(["state", "check", str(feed)]) == 0
    assert main(["state", "show", str(feed)]) == 0
    assert capsys.readouterr().out.splitlines()[-2].split() == ["s", "1"]


@pytest.mark.parametrize("content", ["<html>\n</html>", "[1, 2]", '{"name": "x"}', "a,b\n1,2"])
def test_a_file_that_is_no_feed_is_left_as_it_is(content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A torn last line of a feed is cut; one that newsextract has not written is not."""
    path = tmp_path / "notes.jsonl"
    path.write_text(content, "utf-8")
    assert main(["state", "show", str(path)]) == 2
    assert f"{path}: its last line is not a record of newsextract" in capsys.readouterr().err
    assert path.read_text("utf-8") == content


def test_a_torn_line_of_a_feed_is_cut(make_record: Callable[..., object], tmp_path: Path) -> None:
    feed, whole = tmp_path / "news.jsonl", line(make_record(1))  # type: ignore[arg-type]  # as above
    for before, torn in (
        (whole, b"x"),
        (whole, whole[:30]),
        (b"", whole[:30]),
        (b"", whole[:3]),
        (b"no record\n", whole[:9]),
    ):
        feed.write_bytes(before + torn)
        assert main(["state", "rebuild", str(feed)]) == (2 if before.startswith(b"no") else 0)
        assert feed.read_bytes() == before
