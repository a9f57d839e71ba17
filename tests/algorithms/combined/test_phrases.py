"""Phrases at the ends of short texts."""

from __future__ import annotations

import tomllib
from importlib import resources

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.algorithms.combined.phrases import begins_with_word, phrase_features, phrase_names


def found(text: str) -> set[str]:
    """The names of the kinds that a text has."""
    return {phrase_names()[i] for i in np.flatnonzero(phrase_features([text], np.ones(1))[0])}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Read more: the ferry is back", {"begins_more"}),
        ("READ MORE", {"begins_more", "ends_more"}),
        ("• Related", {"begins_more"}),
        ("By Ada Marsh", {"begins_byline"}),
        ("By", {"begins_byline"}),
        ("3 comments", {"ends_comments"}),
        ("A bell (Photo: Getty Images)", {"ends_credit"}),
        ("Copyright Harbour Ledger. All rights reserved.", {"begins_legal", "ends_legal"}),
        ("Lesen Sie auch: Fähre zurück", {"begins_more"}),
        ("Czytaj też: prom wrócił", {"begins_more"}),
        ("Читайте также", {"begins_more"}),
        ("İLGİLİ HABER: Liman kapandı", {"begins_more"}),
        ("ΔΙΑΒΑΣΤΕ ΕΠΙΣΗΣ: Δεμένα τα πλοία", {"begins_more"}),
        ("อ่านข่าวที่เกี่ยวข้อง: ปิดท่าเรือ", {"begins_more"}),
        ("மேலும் படிக்க: துறைமுகம் மூடல்", {"begins_more"}),
        ("责任编辑：林海", {"begins_byline"}),
        ("相关阅读", {"begins_more"}),
        ("渡轮恢复（图片）", {"ends_credit"}),
        ("Reading is fun", set()),
        ("Moreover, the ferry was late", set()),
        ("?!", set()),
        ("Read more " + "x" * 200, set()),
    ],
)
def test_phrases(text: str, expected: set[str]):
    assert found(text) == expected


def test_menus_are_not_looked_at():
    texts = ["Home", "Read more: the ferry is back", "Home"]
    assert phrase_features(texts, np.array([0.0, 0, 4])).any(axis=1).tolist() == [False, True, True]


@given(st.lists(st.text(min_size=1, max_size=60), min_size=1, max_size=20))
def test_any_texts_give_a_row_each(texts: list[str]):
    matrix = phrase_features(texts, np.ones(len(texts)))
    assert matrix.shape == (len(texts), len(phrase_names()))
    assert set(np.unique(matrix)) <= {0.0, 1.0}
    assert {begins_with_word(text) for text in texts} <= {True, False}


def test_every_phrase_of_the_list_is_found():
    data = tomllib.loads(resources.files("newsextract").joinpath("data/phrases.toml").read_text("utf-8"))
    for side, kinds in data.items():
        for kind, phrases in kinds.items():
            missed = [phrase for phrase in phrases if f"{side}_{kind}" not in found(phrase)]
            assert not missed, f"[{side}] {kind}: never found: {missed}"
