"""The classifier: Wang & Cao 2016, §3.4, equations (1)-(7), by hand; and its file."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.algorithms.value_filter import ScriptPart, ValueFilter
from newsextract.errors import DataError, MissingExtra

CHINESE = "市政府周二表示，旧港大桥将关闭三年，工程师们将修复洪水造成的破坏。"


def part(*rows: tuple[str, int, int], texts: tuple[int, int] = (2, 3), familiar: tuple[str, ...] = ()) -> ScriptPart:
    return ScriptPart(
        tuple(row[0] for row in rows),
        np.array([row[1:] for row in rows], dtype=np.int64).T,
        np.array(texts, dtype=np.int64),
        np.array([0.25, 0.75]),
        familiar,
    )


def model(**parts: ScriptPart) -> ValueFilter:
    return ValueFilter({"data": "by hand"}, parts, marks=False)


# --- equations ------------------------------------------------------------------------------------


def test_probabilities_by_hand() -> None:
    """Two worthless and three valuable texts; "login" in 2 and 0 of them, "bridge" in 1 and 2, Laplace's rule."""
    found = part(("login", 2, 0), ("bridge", 1, 2))
    login = (3 / 4, 1 / 5)  # (n + 1) / (N + 2)
    bridge = (2 / 4, 3 / 5)

    def odds(has_login: bool, has_bridge: bool) -> float:
        joint = []
        for c, prior in enumerate((0.25, 0.75)):
            p = login[c] if has_login else 1 - login[c]
            q = bridge[c] if has_bridge else 1 - bridge[c]
            joint.append(prior * p * q)
        return math.log(joint[0] / joint[1])

    assert found.log_odds(set()) == pytest.approx(odds(False, False), abs=1e-12)
    assert found.log_odds({"login"}) == pytest.approx(odds(True, False), abs=1e-12)
    assert found.log_odds({"bridge", "unknown"}) == pytest.approx(odds(False, True), abs=1e-12)
    assert found.log_odds({"login", "bridge"}) == pytest.approx(odds(True, True), abs=1e-12)
    assert found.log_odds({"login"}) > 0 > found.log_odds({"bridge"})


@given(st.data())
def test_probabilities_are_those_of_scikit_learn(data: st.DataObject) -> None:
    bayes = pytest.importorskip("sklearn.naive_bayes")
    rows = data.draw(st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=2, max_size=12))
    labels = np.array([0, 1, *data.draw(st.lists(st.integers(0, 1), min_size=len(rows) - 2, max_size=len(rows) - 2))])
    matrix = np.array(rows, dtype=np.int64)
    theirs = bayes.BernoulliNB(class_prior=[0.25, 0.75]).fit(matrix, labels).predict_log_proba(matrix)
    counts = np.stack([matrix[labels == c].sum(axis=0) for c in (0, 1)])
    ours = part(*zip("abc", *counts.tolist(), strict=True), texts=tuple(np.bincount(labels).tolist()))
    for row, log in zip(rows, theirs, strict=True):
        words = {word for word, there in zip("abc", row, strict=True) if there}
        assert ours.log_odds(words) == pytest.approx(log[0] - log[1], abs=1e-9)


def test_texts_are_judged_one_by_one() -> None:
    found = model(other=part(("login", 2, 0), ("bridge", 1, 2)))
    odds = found.worthless(["Login!", "The bridge", ""])
    assert odds.dtype == np.float64
    assert odds.tolist() == [found.worthless([text])[0] for text in ("Login!", "The bridge", "")]
    assert found.worthless([]).shape == (0,)


# --- languages ------------------------------------------------------------------------------------


def test_a_kind_of_text_that_was_not_trained_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rjieba", None)  # and needs no segmenter
    assert model(other=part(("login", 2, 0))).worthless([CHINESE]).tolist() == [0.0]
    assert model(chinese=part(("登录", 2, 0))).worthless(["Login", "登录"]).tolist()[0] == 0.0


def test_a_model_that_knows_chinese_needs_the_segmenter_for_long_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rjieba", None)
    found = model(chinese=part(("登录", 2, 0)), other=part(("login", 2, 0)))
    assert found.worthless(["登录", "login"]).tolist() == pytest.approx([math.log(0.25 * 3 / 4) - math.log(0.75 / 5)] * 2)
    with pytest.raises(MissingExtra, match="rjieba"):
        found.worthless(["登录", CHINESE])


def test_words_of_a_foreign_text_are_not_absent_but_unobserved() -> None:
    """Only numbers and marks of length count, present or absent."""
    rows = (("login", 2, 0), ("0", 1, 2))
    found = part(*rows, familiar=("the", "of"))
    polish = set("w środę rano zamknięto stary most nad rzeką".split())
    alone = part(("0", 1, 2))
    assert found.log_odds(polish) == pytest.approx(alone.log_odds(set()), abs=1e-12)
    assert found.log_odds(polish | {"0"}) == pytest.approx(alone.log_odds({"0"}), abs=1e-12)
    plain = part(*rows)
    english = {*polish, "the", "of"}  # two of ten are known
    assert found.log_odds(english) == pytest.approx(plain.log_odds(english), abs=1e-12)
    short = {"stary", "most"}  # names and labels are known in no language
    assert found.log_odds(short) == pytest.approx(plain.log_odds(short), abs=1e-12)


# --- the file -------------------------------------------------------------------------------------


def written(tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    path = tmp_path / "model.json"
    found = model(other=part(("login", 2, 0), ("橋", 1, 2), familiar=("the",)), chinese=part(("登录", 1, 1)))
    found.save(path)
    return path, json.loads(path.read_text("utf-8"))


def test_a_saved_model_is_the_same_and_makes_the_same_bytes(tmp_path: Path) -> None:
    path, data = written(tmp_path)
    assert data["parts"]["other"]["words"] == [["login", 2, 0], ["橋", 1, 2]]
    again = ValueFilter.load(path)
    assert again.card == {"data": "by hand"}
    assert again.as_json().encode() == path.read_bytes()
    first = model(other=part(("login", 2, 0), ("橋", 1, 2), familiar=("the",)), chinese=part(("登录", 1, 1)))
    assert again.worthless(["login", "登录", "the 橋"]).tolist() == first.worthless(["login", "登录", "the 橋"]).tolist()


def test_a_card_with_any_characters_can_be_saved(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    ValueFilter({"data": "\udcff.jsonl"}, {"other": part(("login", 2, 0))}, marks=True).save(path)
    assert ValueFilter.load(path).card == {"data": "\udcff.jsonl"}


def test_where_it_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot write the model.*-o"):
        model(other=part(("login", 2, 0))).save(tmp_path / "none" / "model.json")


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot read the value filter .*none\.json: No such file.*train value-filter"):
        ValueFilter.load(tmp_path / "none.json")
    with pytest.raises(DataError, match="cannot read the value filter"):
        ValueFilter.load(tmp_path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe\x00", "not JSON"),
        (b'{"format": "newsextract value filter", "version": 1, "car', "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", '"format" is not'),
        (b'{"title": "kind", "bias": 0.1}', '"format" is not'),
        (b'{"format": "newsextract value filter", "version": NaN}', "NaN is no number"),
        (b'{"format": "newsextract value filter"}', '"version" is None'),
        (b"\x80\x04\x95pickle", "not JSON"),
    ],
)
def test_a_foreign_or_broken_file(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(content)
    with pytest.raises(DataError) as error:
        ValueFilter.load(path)
    assert said in str(error.value)
    assert str(error.value).startswith(f"{path} is no value filter: ")
    assert "train one with: newsextract train value-filter" in str(error.value)
    assert "\n" not in str(error.value)


OTHER = ("parts", "other")


@pytest.mark.parametrize(
    ("keys", "value", "said"),
    [
        (("version",), 2, '"version" is 2, and this newsextract reads 1'),
        (("card",), None, '"card" must be an object'),
        (("marks",), 1, '"marks" true or false'),
        (("parts",), {}, '"parts" must be'),
        (("parts",), {"klingon": {}}, '"parts" must be'),
        (OTHER, None, '"texts" of other'),
        ((*OTHER, "texts"), [2], '"texts" of other'),
        ((*OTHER, "texts"), [0, 3], '"texts" of other'),
        ((*OTHER, "prior"), [0.5, 0.6], '"prior" of other'),
        ((*OTHER, "prior"), [0.0, 1.0], '"prior" of other'),
        ((*OTHER, "prior"), ["0.5", "0.5"], '"prior" of other'),
        ((*OTHER, "familiar"), [1], '"familiar" of other'),
        ((*OTHER, "familiar"), ["login"], "occurs twice"),
        ((*OTHER, "words"), [], '"words" of other'),
        ((*OTHER, "words"), [["login", 2]], "word 1 of other must be"),
        ((*OTHER, "words"), [["login", 2, 0], ["bridge", 1.5, 0]], "word 2 of other must be"),
        ((*OTHER, "words"), [["login", True, 0]], "word 1 of other must be"),
        ((*OTHER, "words"), [["login", -1, 0]], "word 1 of other must be"),
        ((*OTHER, "words"), [["login", 3, 0]], "in more texts than there are"),
        ((*OTHER, "words"), [["login", 2, 0], ["login", 2, 0]], "occurs twice"),
    ],
)
def test_wrong_values_are_named(tmp_path: Path, keys: tuple[str, ...], value: Any, said: str) -> None:
    path, data = written(tmp_path)
    place = data
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    path.write_text(json.dumps(data), "utf-8")
    with pytest.raises(DataError) as error:
        ValueFilter.load(path)
    assert said in str(error.value)


def test_a_truncated_file_is_told_wherever_it_ends(tmp_path: Path) -> None:
    path, _ = written(tmp_path)
    whole = path.read_bytes()
    for end in range(0, len(whole) - 2, 7):
        path.write_bytes(whole[:end])
        with pytest.raises(DataError, match="is no value filter"):
            ValueFilter.load(path)


# --- the shipped model ----------------------------------------------------------------------------


def test_the_shipped_model_is_read_once_and_small() -> None:
    found = ValueFilter.load()
    assert found is ValueFilter.load()
    assert set(found.parts) == {"chinese", "other"}
    assert len(found.as_json().encode()) < 300_000
    assert found.card["cross_validation"]["other"]["valuable"]["f1"] > 0.6


@pytest.mark.parametrize(
    "text",
    [
        "Copyright 2020 Harbour Ledger. All rights reserved.",
        "Read more",
        "Login | Register",
        "Teilen auf Facebook",
        "责任编辑：王小明",
        "上一篇：旧港大桥",
    ],
)
def test_worthless_texts(text: str) -> None:
    assert ValueFilter.load().worthless([text])[0] > 0


@pytest.mark.parametrize(
    "text",
    [
        "The old harbour bridge will be closed for three years, the mayor said on Tuesday, because the flood damaged it.",
        "Die alte Hafenbrücke wird für drei Jahre gesperrt, sagte der Bürgermeister am Dienstag, weil das Hochwasser sie"
        " beschädigt hat.",
        "市长周二表示，由于洪水造成的破坏，旧港大桥将关闭三年，工程师们正在寻找解决办法。这座桥建于一九三零年。",
        "Мэр заявил во вторник, что старый портовый мост закроют на три года. Наводнение повредило его опоры.",
        "Stary most portowy zostanie zamknięty na trzy lata, powiedział burmistrz. Powódź uszkodziła jego filary.",
    ],
)
def test_valuable_texts(text: str) -> None:
    assert ValueFilter.load().worthless([text])[0] < 0


@given(st.lists(st.text(), max_size=5))
def test_no_text_makes_it_raise(texts: list[str]) -> None:
    odds = ValueFilter.load().worthless(texts)
    assert odds.shape == (len(texts),)
    assert np.isfinite(odds).all()
