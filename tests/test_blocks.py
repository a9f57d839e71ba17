"""The block type of source and tree, and what of it the field modules are given."""

from __future__ import annotations

import pytest

from newsextract.page.dom import read_dom
from newsextract.page.source import Blocks, scan
from newsextract.results import Heading


def blocks(n: int, *, headings: list[int] | None = None) -> Blocks:
    """Blocks named by their index, with a heading at some of them."""
    return Blocks([f"block{i}" for i in range(n)], [6] * n, [2] * n, [Heading(2, f"heading{i}", i) for i in headings or []])


def test_empty() -> None:
    empty = Blocks()
    assert (empty.length, empty.text([]), empty.confidence([])) == (0, "", 0.0)


def test_text_and_length() -> None:
    some = Blocks(["one", "", "two\nlines", "three"], [3, 0, 8, 5], [0, 4, 0, 0])
    assert some.length == 20
    assert some.text([0, 1, 3]) == "one\nthree", "empty blocks make no line"
    assert some.text(range(4)) == "one\ntwo\nlines\nthree"
    assert some.text([3, 0]) == "three\none", "in the order given"


def test_surroundings_in_the_middle() -> None:
    around = blocks(100, headings=[10, 40, 52, 53, 60]).surroundings(50, 70)
    assert around.before == tuple(f"block{i}" for i in range(36, 53))
    assert around.after == tuple(f"block{i}" for i in range(68, 81))
    assert [heading.block for heading in around.headings] == [10, 40, 52], "those behind the start are the story's own"


@pytest.mark.parametrize(("first", "last", "n"), [(0, 0, 1), (0, 2, 3), (1, 1, 2), (0, 99, 100), (99, 99, 100)])
def test_surroundings_at_the_ends(first: int, last: int, n: int) -> None:
    around = blocks(n).surroundings(first, last)
    assert around.before[-1] == f"block{min(last, first + 2)}"
    assert around.before[0] == f"block{max(0, first - 14)}"
    assert around.after[0] == f"block{max(first, last - 2)}"
    assert around.after[-1] == f"block{min(n - 1, last + 10)}"


def test_surroundings_skip_empty_blocks() -> None:
    some = Blocks(["a", "", "", "b", "", "c"], [1, 0, 0, 1, 0, 1], [0] * 6, [Heading(1, "", 0), Heading(2, "b", 3)])
    around = some.surroundings(3, 3)
    assert around.before == ("a", "b")
    assert around.after == ("b", "c")
    assert [heading.text for heading in around.headings] == ["b"], "a heading without text says nothing"


def test_surroundings_are_bounded() -> None:
    around = blocks(10_000, headings=list(range(9_000))).surroundings(9_500, 9_600)
    assert len(around.headings) == 14
    assert around.headings[-1].block == 8_999
    assert len(around.before) == 17
    assert len(around.after) == 13


def test_confidence() -> None:
    some = Blocks(["a", "b", "c"], [1_000, 1_000, 0], [0, 1_000, 500])
    whole, first, second = some.confidence([0, 1]), some.confidence([0]), some.confidence([1])
    assert 0.0 < second < first < 1.0, "links lower it"
    assert first < 0.5 < whole, "and so does text left behind"
    assert some.confidence([2]) == 0.0
    assert some.confidence([]) == 0.0
    assert Blocks(["a"], [10], [0]).confidence([0]) < 0.1, "little text is no proof"


def test_source_and_tree_are_blocks() -> None:
    markup = "<div><h1>Head</h1><p>one <a href=/x>two</a></p></div>"
    for found in (scan(markup), read_dom(markup)):
        assert isinstance(found, Blocks)
        assert [text for text in found.texts if text] == ["Head", "one two"]
        assert (sum(found.counts), sum(found.link_counts), found.length) == (7, 3, 10)
        assert [(heading.level, heading.text) for heading in found.headings] == [(1, "Head")]
