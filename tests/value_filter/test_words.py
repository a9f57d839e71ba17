"""The words of a text: Wang & Cao 2016, §3.4."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.algorithms.value_filter import LANGUAGE_FREE, MAX_CHARACTERS, is_chinese, present, stop_words
from newsextract.errors import MissingExtra

BRIDGE = "市政府周二表示，旧港大桥将关闭三年，工程师们将修复洪水造成的破坏。"


def words(text: str) -> set[str]:
    return present(text, chinese=is_chinese(text), marks=False)


def test_words_are_letters_in_lower_case_and_each_counts_once() -> None:
    assert words("The Bridge, the bridge: it's über-alles!") == {"the", "bridge", "it", "s", "über", "alles"}


def test_all_numbers_are_one_word() -> None:
    assert words("On 3 May 2019, route B7") == words("On 12 May 1998, route B66") == {"on", "may", "route", "b", "0"}


def test_a_text_without_words_has_none() -> None:
    assert words("") == words(" \n—… _ \ud800") == set()


def test_marks_tell_how_many_words_and_sentences() -> None:
    assert present("One two three.", chinese=False) == {"one", "two", "three", "<.1>"}
    assert present("a b c d e f g h. Yes! (No?) Then", chinese=False) >= {"<4>", "<8>", "<.1>", "<.2>"}
    assert "<16>" not in present("a b c d e f g h", chinese=False)
    assert {"<8>", "<.1>"} <= present(BRIDGE, chinese=True)
    assert present("An address of example.org", chinese=False) & LANGUAGE_FREE == {"<4>"}


def test_no_mark_can_be_a_word_of_a_text() -> None:
    assert words(" ".join(LANGUAGE_FREE)) == {"0"}


def test_only_the_beginning_is_read() -> None:
    assert words("word " * (MAX_CHARACTERS // 5) + "late") == {"word"}


@pytest.mark.parametrize(
    ("text", "chinese"),
    [
        ("", False),
        ("Harbour bridge", False),
        ("Brücke über den Fluß", False),
        ("中文", True),
        (BRIDGE, True),
        ("旧港大桥 reopens", True),
        ("The mayor, whose name is written 王小明, did not come", False),
        ("港の橋は三年間閉鎖されると市は火曜日に発表した。", False),
        ("优衣库的のれん品牌，旧港大桥将关闭三年，工程师们将修复洪水造成的破坏。", True),
        ("한국어 문장입니다", False),
    ],
)
def test_chinese_or_not(text: str, chinese: bool) -> None:
    assert is_chinese(text) is chinese


def test_chinese_is_cut_into_words() -> None:
    pytest.importorskip("rjieba")
    found = words(BRIDGE)
    assert {"市政府", "周二", "大桥", "关闭", "工程师", "修复", "洪水"} <= found
    assert not {" ", "，", "。", BRIDGE} & found


def test_short_chinese_is_left_whole_and_needs_no_segmenter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rjieba", None)
    assert words("简体中文 | 登录") == {"简体中文", "登录"}
    assert words(f"The sign read {BRIDGE} and many of those who came that day could not make out what any of it meant") > {
        "旧港大桥将关闭三年"
    }


def test_long_chinese_without_the_segmenter_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rjieba", None)
    with pytest.raises(MissingExtra, match=r"Chinese.*rjieba.*pip install .rjieba>="):
        words(BRIDGE)


@pytest.mark.parametrize("word", ["the", "und", "nous", "nuestro", "的", "因为", "della", "você", "het"])
def test_stop_lists(word: str) -> None:
    assert word in stop_words()


def test_stop_words_are_written_as_texts_are_cut() -> None:
    """Else they would never be found."""
    for word in stop_words():
        assert words(word) == {word}


@given(st.text())
def test_no_text_makes_it_raise(text: str) -> None:
    assert all(words(text))
