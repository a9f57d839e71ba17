"""Fingerprints: near-same texts are candidates with common shingles; texts from the same sentence frames have too few."""

from __future__ import annotations

import hashlib
import itertools
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.near_duplicates import are_near
from newsextract.feed import duplicates as module
from newsextract.feed.duplicates import BAND_DIGITS, DIGITS, complete, fingerprint, keys_of, overlaps, sketch_of
from tests.costs import at_most
from tests.examples import examples

EN = (
    "The ferry between the two banks of the estuary will leave every twenty minutes from the first of October, the operator "
    "said on Wednesday. Until now passengers have had to wait up to forty minutes outside the rush hour, and complaints about "
    "missed trains had grown louder in every month since the spring. The new timetable needs a third boat, which was bought "
    "second hand from a company in the north and has been refitted in the yard behind the fish market, where a crew of nine "
    "replaced the engine and most of the wiring. Council members of all parties welcomed the decision, but asked who pays when "
    "the subsidy of the region ends in two years. The operator did not answer that question on Wednesday afternoon."
)
ZH = (
    "港口管理处星期三宣布，从十月一日起，往返两岸的渡轮每二十分钟开出一班。此前在非高峰时段，乘客往往要等候四十分钟，"
    "不少人因此误了火车，投诉自春天以来逐月增加。新的班次需要第三艘船。这艘船是从北方一家公司买来的旧船，在鱼市后面的船厂里改装，"
    "九名工人更换了发动机和大部分电线。它可以搭载一百二十名乘客和三十辆自行车，比原来的两艘船多十辆。各党派的议员都欢迎这个决定。"
)


def mark_of(text: str) -> str:
    mark = fingerprint(text)
    assert mark is not None
    return mark


def near(one: str, other: str) -> bool:
    return are_near(mark_of(one), mark_of(other))


def shared(one: str, other: str) -> int:
    """How many bands two texts have in common."""
    return int((keys_of(mark_of(one)) == keys_of(mark_of(other))).sum())


@pytest.mark.parametrize("text", ["", " ", "!? … 。", "\n\n"])
def test_a_text_without_words_has_none(text: str) -> None:
    assert fingerprint(text) is None


@given(st.text())
def test_any_text(text: str) -> None:
    mark = fingerprint(text)
    assert mark is None or (len(mark) == DIGITS and int(mark, 16) >= 0)
    assert fingerprint(text) == mark


GOLDEN = {
    "One": "e45b143fd10c3a5e67b638aea68dbf433c8f3f44c36e3c9ed395a8e895e56577",
    EN: "e7f6df7033db527f6c304a5d0a197f2913eba77356b22aa4e8340a7bdcafa0f3",
    ZH: "83cfc8956a3825a14b165725e530240e2889539e85aadb1d87d64ae03b603a4e",
}
"""SHA-256 of the digits."""


@pytest.mark.parametrize(("text", "digest"), GOLDEN.items(), ids=["one word", "English", "Chinese"])
def test_the_value_does_not_change_between_versions(text: str, digest: str) -> None:
    """Feeds hold fingerprints: another value for the same text would make all old records strangers."""
    assert hashlib.sha256(mark_of(text).encode()).hexdigest() == digest


def test_a_fingerprint_is_these_digits() -> None:
    assert mark_of("one two three four") == mark_of("One, two; THREE\nfour!")
    assert mark_of("one two three four")[:BAND_DIGITS] == (
        "9859373a90fc856d25a9fad001ad3e0fd3bab63463d8b7e1d58a207e55523d1e"
        "26ef91a4e41fa5685317f140e44d55c58d3ab2dafb6401e79f6748d7d9bd0f68"
    )
    sketch = mark_of("one two three four")[BAND_DIGITS:]
    assert {place: digit for place, digit in enumerate(sketch) if digit != "0"} == {210: "b"}


@pytest.mark.parametrize("name", ["_ORDERS", "_MULTIPLIERS"])
def test_every_seed_counts(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """So the golden values above hold all of them fast."""
    before = mark_of(EN)
    seeds = getattr(module, name)
    for number in range(len(seeds)):
        edited = seeds.copy()
        edited[number] ^= np.uint64(1 << 20)
        monkeypatch.setattr(module, name, edited)
        assert mark_of(EN) != before
    monkeypatch.undo()
    assert mark_of(EN) == before


@pytest.mark.parametrize("text", [EN, ZH])
def test_punctuation_case_and_space_do_not_count(text: str) -> None:
    assert mark_of(text) == mark_of(text.upper().replace(",", " ;").replace("，", " ").replace(". ", "\n\n"))


def test_near_same_texts_near() -> None:
    assert near(EN, "Ferry news. " + EN)
    assert near(EN, EN.replace("on Wednesday", "yesterday"))
    assert near(EN, EN + " More details will be published by the council in the course of the week.")
    assert near(ZH, "本报讯 " + ZH)
    assert near(ZH, ZH.replace("星期三", "昨天") + "（记者 王某）")


def test_unrelated_texts_are_far() -> None:
    rng = random.Random(1)
    words = [f"word{n}" for n in range(3000)]
    texts = [" ".join(rng.choices(words, k=200)) for _ in range(30)]
    assert [pair for pair in itertools.combinations(texts, 2) if shared(*pair)] == []
    assert not shared(EN, ZH)


def test_the_order_of_words_matters() -> None:
    words = EN.split()
    random.Random(2).shuffle(words)
    assert not near(EN, " ".join(words))


def weather(seed: int) -> str:
    """Ten sentences of three frames, as reports of the weather are made."""
    rng = random.Random(seed)
    towns = ["Ardmore", "Brindle", "Calder", "Dunmoor", "Eastwick", "Farrow", "Glenhead", "Harrow", "Inverlee", "Lowmere"]
    skies = ["cloudy with sunny spells", "overcast", "mostly dry", "wet and windy", "clear and cold", "foggy at first"]
    frames = [
        "In {} it will be {} with a high of {} degrees and a low of {} degrees.",
        "Around {} winds turn {} and gusts of {} to {} kilometres an hour are possible.",
        "The outlook for {} is {}, with up to {} millimetres of rain before {} hours.",
    ]
    return " ".join(
        rng.choice(frames).format(rng.choice(towns), rng.choice(skies), rng.randint(2, 98), rng.randint(2, 98))
        for _ in range(15)
    )


def test_texts_from_the_same_sentence_frames_are_not_near() -> None:
    texts = [weather(seed) for seed in range(30)]
    pairs = list(itertools.combinations(texts, 2))
    assert sum(shared(*pair) > 0 for pair in pairs) > 100  # by the bands alone they would be
    assert [pair for pair in pairs if near(*pair)] == []


@given(st.integers(0, 1_000), st.sampled_from([EN, ZH, weather(1)]))
@settings(max_examples=examples(50))
def test_a_copy_with_every_twelfth_word_replaced_is_near(seed: int, text: str) -> None:
    rng = random.Random(seed)
    pieces = list(text) if text == ZH else text.split(" ")
    for place in rng.sample(range(len(pieces)), len(pieces) // 12):
        pieces[place] = "换" if text == ZH else "replaced"
    assert near(text, ("" if text == ZH else " ").join(pieces))


@pytest.mark.parametrize("digits", [64, 320])
def test_a_fingerprint_of_an_earlier_version_is_made_anew(digits: int) -> None:
    mark = mark_of(EN)
    assert complete("5" * digits, EN) == mark
    assert complete(mark, "another text") == mark
    assert complete(None, EN) is None


def test_a_band_counts_only_at_its_own_place() -> None:
    mark = mark_of(EN)
    turned = mark[8:BAND_DIGITS] + mark[:8] + mark[BAND_DIGITS:]
    assert are_near(mark, mark)
    assert not are_near(mark, turned)


def test_a_shared_band_without_common_shingles_is_not_enough() -> None:
    mark, other = mark_of(EN), mark_of(ZH)
    assert not are_near(mark, mark[:8] + other[8:])
    assert are_near(mark, mark[:8] + other[8:BAND_DIGITS] + mark[BAND_DIGITS:])


@given(st.text(min_size=1))
def test_keys_and_sketch_are_the_whole_fingerprint(text: str) -> None:
    mark = fingerprint(text)
    if mark is not None:
        assert "".join(f"{key:08x}" for key in keys_of(mark)) + sketch_of(mark).tobytes().hex() == mark


@given(st.lists(st.integers(0, 15), min_size=256, max_size=256))
def test_every_sketch_overlaps_with_itself(digits: list[int]) -> None:
    sketch = np.frombuffer(bytes.fromhex("".join(f"{digit:x}" for digit in digits)), np.uint8)
    assert overlaps(sketch[None], sketch).tolist() == [True]
    assert overlaps(np.zeros((0, 128), np.uint8), sketch).tolist() == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["a" * 3_000_000, "字" * 1_000_000, "a " * 1_000_000, "\ud800 " * 1000], ids=["a", "han", "words", "odd"]
)
def test_cost_is_bounded(text: str) -> None:
    with at_most(parses=60):
        fingerprint(text)
