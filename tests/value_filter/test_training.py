"""Training: information gain by hand, folds, what is refused."""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from newsextract.errors import DataError, MissingExtra
from newsextract.lab import train_published
from newsextract.lab.train_published import LabelledText, TrainingOptions, information_gain, read_labelled, scores, train

VALUABLE = "bridge harbour mayor flood engineer council repair river storm ferry".split()
WORTHLESS = "login register share subscribe cookies newsletter advertise imprint".split()
CHINESE = ("大桥 市长 洪水 工程师 修复 政府 河流 渡轮".split(), "登录 注册 分享 订阅 广告 版权 责任编辑 返回首页".split())


def texts(number: int = 60, seed: int = 1, sites: int = 12) -> Iterator[LabelledText]:
    """Texts of two vocabularies that overlap a little; the group is one of some sites."""
    draw = random.Random(seed)
    for i in range(number):
        label = i % 2
        common, rare = (VALUABLE, WORTHLESS) if label else (WORTHLESS, VALUABLE)
        words = draw.choices(common, k=6) + draw.choices(rare, k=1) + ["the", "of"]
        yield LabelledText(" ".join(words), label, f"site{i % sites}", "en")


def chinese_texts(number: int = 60) -> Iterator[LabelledText]:
    draw = random.Random(3)
    for i in range(number):
        words = draw.choices(CHINESE[1 - i % 2], k=12)
        yield LabelledText("，".join(words), i % 2, None, "zh")


@pytest.fixture(autouse=True)
def _needs_scikit_learn() -> None:
    pytest.importorskip("sklearn")


# --- information gain -----------------------------------------------------------------------------


def test_information_gain_by_hand() -> None:
    """Four texts a class: a word in all of one class, in half of both, in none, in three of four and one of four."""
    counts = np.array([[4.0, 2, 0, 3], [0, 2, 0, 1]])
    gain = information_gain(counts, np.array([4.0, 4]), np.array([0.5, 0.5]))
    conditional = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25))
    assert gain.tolist() == pytest.approx([math.log(2), 0, 0, math.log(2) - conditional], abs=1e-12)


def test_information_gain_is_mutual_information() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    draw = np.random.default_rng(5)
    labels = draw.integers(0, 2, 50)
    matrix = draw.integers(0, 2, (50, 6))
    counts = np.stack([matrix[labels == c].sum(axis=0) for c in (0, 1)]).astype(float)
    texts = np.bincount(labels).astype(float)
    gain = information_gain(counts, texts, texts / texts.sum())
    assert gain.tolist() == pytest.approx([metrics.mutual_info_score(labels, column) for column in matrix.T], abs=1e-9)


def test_precision_and_recall_of_both_classes() -> None:
    found = scores(np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 0]))
    assert found["worthless"] == {"precision": 0.6667, "recall": 0.6667, "f1": 0.6667}
    assert found["valuable"] == {"precision": 0.5, "recall": 0.5, "f1": 0.5}
    assert scores(np.array([1]), np.array([1]))["worthless"] == {"precision": 0.0, "recall": 0.0, "f1": 0.0}


# --- training -------------------------------------------------------------------------------------


def test_a_trained_filter_knows_its_words() -> None:
    model = train(list(texts()), data="labelled.jsonl")
    odds = model.worthless(["Login or register, then share", "The mayor had the bridge and the ferry repaired"])
    assert odds[0] > 0 > odds[1]
    assert set(model.parts) == {"other"}
    words = model.parts["other"].words
    assert set(VALUABLE) <= set(words)
    assert not {"the", "of"} & set(words)
    assert model.parts["other"].familiar == ("of", "the")
    assert model.card["data"] == "labelled.jsonl"
    assert model.card["texts"]["other"] == {
        "worthless": 30,
        "valuable": 30,
        "groups": 12,
        "languages": {"en": {"valuable": 30, "worthless": 30}},
    }
    assert model.card["cross_validation"]["other"]["valuable"]["f1"] > 0.9


def test_the_most_telling_words_are_chosen() -> None:
    """ "bridge" is in all of one class, "login" in most of the other, "share" in all texts."""
    items = [LabelledText(text, label) for label, text in enumerate(("login share", "bridge share")) for _ in range(20)]
    items += [LabelledText("share", 0) for _ in range(4)]
    assert train(items, TrainingOptions(features=1, marks=False)).parts["other"].words == ("bridge",)
    assert train(items, TrainingOptions(features=2, marks=False)).parts["other"].words == ("bridge", "login")


@pytest.mark.slow
def test_two_trainings_give_equal_bytes_whatever_the_hash_seed(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from newsextract.lab.train_published import read_labelled;"
        "from newsextract.lab.train_published import train; train(read_labelled(Path(sys.argv[1]))).save(Path(sys.argv[2]))"
    )
    labelled = tmp_path / "labelled.jsonl"
    items = [*texts(), *chinese_texts()]
    rows = [{"text": item.text, "label": item.label, "group": item.group} for item in items]
    labelled.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    made = []
    for seed in ("1", "2"):
        path = tmp_path / f"{seed}.json"
        environment = {"PYTHONHASHSEED": seed, "PATH": ""}
        subprocess.run([sys.executable, "-c", script, str(labelled), str(path)], check=True, env=environment)
        made.append(path.read_bytes())
    assert made[0] == made[1]
    assert b'"chinese": {' in made[0]


def test_chinese_has_a_part_of_its_own() -> None:
    pytest.importorskip("rjieba")
    model = train([*texts(), *chinese_texts()])
    assert set(model.parts) == {"chinese", "other"}
    odds = model.worthless(
        [
            "登录，注册，分享，订阅，广告，版权，登录，注册，分享，订阅",
            "市长，洪水，工程师，修复，大桥，政府，河流，渡轮，市长，洪水",
        ]
    )
    assert odds[0] > 0 > odds[1]
    assert "大桥" in model.parts["chinese"].words
    assert not model.parts["chinese"].familiar


def test_the_prior_and_the_marks_are_choices() -> None:
    items = list(texts())[:-1] + [LabelledText("login menu", 0) for _ in range(31)]
    assert train(items).parts["other"].prior.tolist() == [0.5, 0.5]
    counted = train(items, TrainingOptions(prior="counted", marks=False))
    assert counted.parts["other"].prior.tolist() == pytest.approx([61 / 90, 29 / 90])
    assert not counted.marks
    assert all(word.isalpha() for word in counted.parts["other"].words)


def test_groups_stay_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """A word that tells the class, but only of one site each, is worth nothing on other sites."""
    items = [
        LabelledText(f"{'good' if i % 2 else 'bad'}{chr(97 + i // 2 % 8)} word", i % 2, f"s{i // 2 % 8}") for i in range(160)
    ]
    apart = train([LabelledText(i.text, i.label) for i in items], TrainingOptions(marks=False)).card["cross_validation"][
        "other"
    ]
    assert apart["valuable"]["f1"] == 1.0
    monkeypatch.setattr(train_published, "LEAST_GROUPS", 1)
    together = train(items, TrainingOptions(marks=False)).card["cross_validation"]["other"]
    assert together["valuable"]["f1"] < 0.7


# --- what is refused ------------------------------------------------------------------------------


def test_one_class_only() -> None:
    only = [item for item in texts() if item.label]
    with pytest.raises(DataError, match="all 30 texts are valuable; a filter needs worthless ones, too"):
        train(only)


def test_too_few_texts() -> None:
    with pytest.raises(DataError, match=r"too few texts \(other: 4 worthless, 4 valuable\).* 10 are needed"):
        train(list(texts(8)))


def test_too_few_groups() -> None:
    with pytest.raises(DataError, match=r"too few texts \(other: 30 worthless, 30 valuable\).* at least 5 groups"):
        train(list(texts(sites=4)))
    train(list(texts(sites=4)), TrainingOptions(folds=2))


def test_a_kind_with_too_few_texts_is_left_out_and_told() -> None:
    model = train([*texts(), LabelledText("登录", 0), LabelledText("注册", 0)])
    assert set(model.parts) == {"other"}
    assert model.card["too_few"] == {"chinese": {"worthless": 2, "valuable": 0}}


def test_texts_without_words() -> None:
    with pytest.raises(DataError, match="no word"):
        train([LabelledText("— · —", i % 2) for i in range(40)])


def test_without_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train_published, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"training a value filter needs .*scikit-learn>="):
        train(list(texts()))


# --- the file of labelled texts -------------------------------------------------------------------


def test_labelled_texts_are_read(tmp_path: Path) -> None:
    path = tmp_path / "labelled.jsonl"
    path.write_text(
        '{"text": "a", "label": 0}\n\n{"text": "b", "label": "valuable", "group": "g", "lang": "en", "more": 1}\n'
        '{"text": "c", "label": "worthless"}\n{"text": "d", "label": 1}\n'
    )
    assert read_labelled(path) == [
        LabelledText("a", 0),
        LabelledText("b", 1, "g", "en"),
        LabelledText("c", 0),
        LabelledText("d", 1),
    ]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not JSON"),
        ("[1]", "expected a JSON object, got list"),
        ('{"label": 1}', "'text' must be a string that is not empty, got None"),
        ('{"text": " ", "label": 1}', "'text' must be"),
        ('{"text": "a"}', "'label' must be 0 or \"worthless\""),
        ('{"text": "a", "label": 2}', "got 2"),
        ('{"text": "a", "label": true}', "got True"),
        ('{"text": "a", "label": "spam"}', "got 'spam'"),
        ('{"text": "a", "label": [0]}', "got [0]"),
        ('{"text": "a", "label": 1, "group": 3}', "'group' must be a string or null, got 3"),
        ('{"text": "a", "label": 1, "lang": []}', "'lang' must be a string"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "labelled.jsonl"
    path.write_text(f'{{"text": "a", "label": 0}}\n{line}\n')
    with pytest.raises(DataError) as error:
        read_labelled(path)
    assert str(error.value).startswith(f"{path}, line 2: ")
    assert said in str(error.value)


def test_an_empty_and_a_missing_file(tmp_path: Path) -> None:
    path = tmp_path / "labelled.jsonl"
    path.write_text("\n")
    with pytest.raises(DataError, match="is empty; expected lines like"):
        read_labelled(path)
    with pytest.raises(DataError, match=r"cannot read .*none\.jsonl: No such file"):
        read_labelled(tmp_path / "none.jsonl")
