"""Fingerprints: equal texts 0 bits apart, near-same texts near, unrelated ones far."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract.fingerprint import NEAR, fingerprint

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


def distance(one: str, other: str) -> int:
    a, b = fingerprint(one), fingerprint(other)
    assert a is not None
    assert b is not None
    return (int(a, 16) ^ int(b, 16)).bit_count()


@pytest.mark.parametrize("text", ["", " ", "!? … 。", "\n\n"])
def test_a_text_without_words_has_none(text: str) -> None:
    assert fingerprint(text) is None


@given(st.text())
@settings(deadline=None)
def test_any_text(text: str) -> None:
    mark = fingerprint(text)
    assert mark is None or (len(mark) == 64 and int(mark, 16) >= 0)
    assert fingerprint(text) == mark


def test_the_value_does_not_change_between_versions() -> None:
    """Feeds hold fingerprints: another value for the same text would make all old records strangers."""
    assert fingerprint("one two three four") == fingerprint("One, two; THREE\nfour!")
    assert fingerprint("one") != fingerprint("two")


@pytest.mark.parametrize("text", [EN, ZH])
def test_punctuation_case_and_space_do_not_count(text: str) -> None:
    assert distance(text, text.upper().replace(",", " ;").replace("，", " ").replace(". ", "\n\n")) == 0


def test_near_same_texts_are_near() -> None:
    assert distance(EN, "Ferry news. " + EN) <= NEAR
    assert distance(EN, EN.replace("on Wednesday", "yesterday")) <= NEAR
    assert distance(EN, EN + " More details will be published by the council in the course of the week.") <= NEAR
    assert distance(ZH, "本报讯 " + ZH) <= NEAR
    assert distance(ZH, ZH.replace("星期三", "昨天") + "（记者 王某）") <= NEAR


def test_unrelated_texts_are_far() -> None:
    rng = random.Random(1)
    words = [f"word{n}" for n in range(3000)]
    texts = [" ".join(rng.choices(words, k=200)) for _ in range(30)]
    distances = [distance(a, b) for i, a in enumerate(texts) for b in texts[:i]]
    assert min(distances) > NEAR + 10
    assert 120 < sum(distances) / len(distances) < 136
    assert distance(EN, ZH) > NEAR


def test_the_order_of_words_matters() -> None:
    words = EN.split()
    random.Random(2).shuffle(words)
    assert distance(EN, " ".join(words)) > NEAR


@pytest.mark.parametrize(
    "text", ["a" * 3_000_000, "字" * 1_000_000, "a " * 1_000_000, "\ud800 " * 1000], ids=["a", "han", "words", "odd"]
)
def test_cost_is_bounded(text: str) -> None:
    start = time.process_time()
    fingerprint(text)
    assert time.process_time() - start < 1.5
