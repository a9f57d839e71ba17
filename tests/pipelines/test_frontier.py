"""Addresses found on article pages, written down beside the feed."""

from __future__ import annotations

from pathlib import Path

import pytest

from newsextract import Hints
from pipelines.frontier import Frontier

FOUND = [
    ("x", "https://example.org/a", 1, "article", Hints("Title", "2025-01-01", "feed", "en")),
    ("y", "https://example.org/港", 2, "link", Hints(language="zh")),
    ("x", "https://example.org/\u2028\x85b", 3, "link", Hints()),
]


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    frontier = Frontier(tmp_path / "out" / "news.frontier")
    assert frontier.read() == []
    for one in FOUND:
        frontier.add(*one)
    frontier.close()
    frontier.close()
    assert frontier.read() == FOUND
    frontier.add("z", "https://example.org/c", 0, "link")
    frontier.close()
    assert frontier.read() == [*FOUND, ("z", "https://example.org/c", 0, "link", Hints())]


@pytest.mark.parametrize("cut", range(1, 12))
def test_a_torn_last_line_is_passed_over(tmp_path: Path, cut: int) -> None:
    frontier = Frontier(tmp_path / "news.frontier")
    for one in FOUND[:2]:
        frontier.add(*one)
    frontier.close()
    frontier.path.write_bytes(frontier.path.read_bytes()[:-cut])
    assert frontier.read() == FOUND[:1]
    frontier.add(*FOUND[1])
    frontier.close()
    assert frontier.read() == FOUND[:2]


def test_reading_makes_no_file(tmp_path: Path) -> None:
    frontier = Frontier(tmp_path / "news.frontier")
    frontier.read()
    frontier.close()
    assert list(tmp_path.iterdir()) == []
