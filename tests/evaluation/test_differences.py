from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.feed.duplicates import CONTEXT, LONGEST, MOST_WORDS, Stretch, differences
from tests.costs import at_most

words = st.sampled_from(["the", "bridge", "新", "闻", "über", "7", "-", "\n", "  "])
texts = st.lists(words, max_size=30).map(" ".join)


def test_missing_and_extra_words_stand_in_their_place() -> None:
    assert differences("The old bridge\nis open.", "The bridge is not open.") == [
        Stretch("both", "The "),
        Stretch("missing", "old "),
        Stretch("both", "bridge\nis "),
        Stretch("extra", "not "),
        Stretch("both", "open."),
    ]


def test_each_chinese_character_is_a_word() -> None:
    assert differences("新桥开放", "新桥不开放") == [
        Stretch("both", "新桥"),
        Stretch("extra", "不"),
        Stretch("both", "开放"),
    ]


def test_long_stretches_are_shortened_and_counted() -> None:
    common = " ".join(f"w{number}" for number in range(100))
    added = " ".join(f"x{number}" for number in range(500))
    found = differences(f"{common} end", f"{common} {added} end")
    assert [(stretch.kind, stretch.left_out) for stretch in found] == [
        ("both", 100 - CONTEXT),
        ("both", 0),
        ("extra", 500 - LONGEST),
        ("extra", 0),
        ("both", 0),
    ]
    assert found[0].text == ""
    assert found[1].text.split()[-1] == "w99"


def test_equal_and_empty_texts() -> None:
    assert differences("", "") == []
    assert differences("", "a") == [Stretch("extra", "a")]
    assert differences("a " * 50, "a " * 50) == [Stretch("both", "", 50)]


@pytest.mark.slow
def test_huge_texts_take_bounded_time() -> None:
    one = " ".join(f"w{number % 97}" for number in range(3 * MOST_WORDS))
    other = " ".join(f"w{number % 89}" for number in range(2 * MOST_WORDS))
    with at_most(parses=200):
        found = differences(one, other)
    assert found[-2:] == [Stretch("missing", "", 2 * MOST_WORDS), Stretch("extra", "", MOST_WORDS)]


@given(texts, texts)
def test_no_word_is_lost(truth: str, prediction: str) -> None:
    found = differences(truth, prediction)

    def count(kinds: tuple[str, ...]) -> int:
        shown = sum(_words(stretch.text) for stretch in found if stretch.kind in kinds)
        return shown + sum(stretch.left_out for stretch in found if stretch.kind in kinds)

    assert count(("both", "missing")) == _words(truth)
    assert count(("both", "extra")) == _words(prediction)


def _words(text: str) -> int:
    spaced = "".join(f" {character} " if "\u4e00" <= character <= "\u9fff" else character for character in text)
    return len(spaced.split())
