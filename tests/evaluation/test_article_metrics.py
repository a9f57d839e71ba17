from __future__ import annotations

import random
from collections import Counter
from dataclasses import asdict
from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.lab.datasets import Prediction, TruthPage
from newsextract.lab.metrics import Overlap, day, four_grams, score_page, summarize, tokenizer

words = st.sampled_from(["the", "bridge", "新", "闻", "über", "7", "a_b", "かな", "-", "\n"])
texts = st.one_of(st.lists(words, max_size=40).map(" ".join), st.text(max_size=60))


def truth_page(**fields: object) -> TruthPage:
    page: dict[str, object] = {
        "id": "p", "source": "made", "url": None, "site": "news.example", "lang": "en", "title": None,
        "date": None, "text": None, "title_in_text": False, "with_": None, "without": None, "truth": "human",
        "fold": 3,
    }  # fmt: skip
    return TruthPage(**{**page, **fields})  # type: ignore[arg-type]  # reason: fields are given by name


pages = st.builds(
    lambda text, title, with_, without, in_text: truth_page(
        text=text, title=title, with_=with_, without=without, title_in_text=in_text, date="2026-01-02"
    ),
    st.none() | texts,
    st.none() | texts,
    st.none() | st.lists(texts, max_size=3).map(tuple),
    st.none() | st.lists(texts, max_size=3).map(tuple),
    st.booleans(),
)
predictions = st.builds(
    Prediction,
    id=st.just("p"),
    text=texts,
    title=st.none() | texts,
    date=st.sampled_from([None, "2026", "2026-01-02"]),
)


def test_each_chinese_or_japanese_character_is_a_token() -> None:
    assert tokenizer("made")("Das E-Auto 新闻7かな über a_b") == [
        "Das", "E", "Auto", "新", "闻", "7", "か", "な", "über", "a_b",
    ]  # fmt: skip
    assert tokenizer("aeb")("新闻7 b") == ["新闻7", "b"]


def test_four_grams_are_a_multiset_and_short_texts_are_one_gram() -> None:
    assert four_grams([]) == Counter()
    assert four_grams(["a", "b"]) == Counter({("a", "b"): 1})
    assert four_grams(list("aaaaa")) == Counter({("a", "a", "a", "a"): 2})


def test_body_by_hand() -> None:
    # Truth 5 tokens: 2 grams. Prediction 6 tokens: 3 grams. One gram in common.
    score = score_page(truth_page(text="a b c d e"), Prediction(id="p", text="a b c d x y"))
    assert score.body == Overlap(both=1, predicted_only=2, truth_only=1)
    assert score.cover == pytest.approx(4 / 5)
    assert score.noise == pytest.approx(2 / 6)
    summary = summarize([score])
    assert summary.precision == pytest.approx(1 / 3)
    assert summary.recall == pytest.approx(1 / 2)
    assert summary.f1 == pytest.approx(0.4)


def test_averages_leave_out_pages_without_a_prediction_from_precision_only() -> None:
    right = score_page(truth_page(text="a b c d"), Prediction(id="p", text="a b c d"))
    nothing = score_page(truth_page(text="a b c d"), None)
    summary = summarize([right, nothing])
    assert (summary.precision, summary.recall) == (1.0, 0.5)
    assert summary.f1 == pytest.approx(2 / 3)
    assert summary.page_f1 == 0.5
    assert (summarize([nothing]).precision, summarize([nothing]).f1) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("missing", "added", "expected"),
    [(0, 0, "CQE"), (1, 0, "CQE"), (2, 0, ""), (0, 4, "CQE"), (0, 5, "CQ"), (0, 10, "CQ"), (0, 12, "C")],
)
def test_complete_qualified_excellent_thresholds(missing: int, added: int, expected: str) -> None:
    tokens = [f"w{number}" for number in range(200)]
    missed = tokens[missing * 2 :] if missing < 2 else tokens[3:]
    prediction = Prediction(id="p", text=" ".join(missed + [f"x{number}" for number in range(added)]))
    summary = summarize([score_page(truth_page(text=" ".join(tokens)), prediction)])
    got = "".join(
        mark for mark, share in zip("CQE", (summary.complete, summary.qualified, summary.excellent), strict=True) if share
    )
    assert got == expected


def test_a_missing_headline_is_put_before_the_text_only_where_the_truth_has_it() -> None:
    truth = truth_page(text="The Bridge opens\nIt is open again today.", title="The Bridge opens", title_in_text=True)
    without = Prediction(id="p", text="It is open again today.", title="The bridge opens!")
    body = score_page(truth, without).body
    assert body is not None
    assert body.truth_only > 0  # "bridge" is not "Bridge": the predicted headline is taken as it is
    same = Prediction(id="p", text="It is open again today.", title="The Bridge opens")
    assert score_page(truth, same).cover == 1.0
    twice = Prediction(id="p", text="THE BRIDGE opens\nIt is open again today.", title="The Bridge opens")
    assert score_page(truth, twice).noise == pytest.approx(2 / 8)
    kept_out = score_page(truth_page(text="It is open again today."), same)
    assert kept_out.noise == 0.0


def test_segments_are_found_whatever_the_white_space() -> None:
    truth = truth_page(with_=("one  two", "three"), without=("menu", "imprint"))
    score = score_page(truth, Prediction(id="p", text="one\ntwo Menu imprint"))
    summary = summarize([score])
    assert (summary.with_found, summary.without_absent, summary.segment_accuracy) == (0.5, 0.5, 0.5)
    assert summary.segment_f1 == pytest.approx(0.5)
    assert summary.text_pages == 0
    assert summary.f1 is None


def test_title_and_date() -> None:
    truth = truth_page(title="“Bridge” opens — again", date="2026-01-02")
    score = score_page(truth, Prediction(id="p", title="bridge OPENS again", date="2026-01-02T23:59+14:00"))
    assert (score.title_right, score.title_f1, score.date_right) == (True, 1.0, True)
    wrong = score_page(truth, Prediction(id="p", title="Bridge", date="2026-01"))
    assert (wrong.title_right, wrong.title_f1, wrong.date_right, wrong.date_given) == (
        False,
        0.5,
        False,
        False,
    )
    summary = summarize([score, wrong])
    assert (summary.title_exact, summary.date_exact, summary.date_right_where_given) == (0.5, 0.5, 1.0)


def test_authors_are_compared_as_a_set() -> None:
    truth = truth_page(authors=("Jane Doe", "Max Power"))
    same = score_page(truth, Prediction(id="p", authors=("MAX  Power", "Jane Doe.")))
    fewer, none = (score_page(truth, Prediction(id="p", authors=names)) for names in (("Jane Doe",), ()))
    unknown = score_page(truth_page(), Prediction(id="p", authors=("Jane Doe",)))
    assert [score.authors_right for score in (same, fewer, none, unknown)] == [True, False, False, None]
    summary = summarize([same, fewer, unknown])
    assert (summary.author_pages, summary.authors_exact) == (2, 0.5)


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        (None, None),
        ("", None),
        ("2026-1-2", None),
        (" 2026-01-02 10:00", "2026-01-02"),
        ("on 2026-01-02", None),
    ],
)
def test_day(date: str | None, expected: str | None) -> None:
    assert day(date) == expected


def test_the_deviation_is_the_same_each_time_and_zero_for_equal_pages() -> None:
    equal = [score_page(truth_page(text="a b c d e"), Prediction(id="p", text="a b c d"))] * 5
    assert summarize(equal, 50).f1_sd == pytest.approx(0.0)
    mixed = [*equal, score_page(truth_page(text="a b c d e"), None)]
    assert summarize(mixed, 50).f1_sd == summarize(mixed, 50).f1_sd
    assert (summarize(mixed, 50).f1_sd or 0) > 0.01
    assert summarize(mixed).f1_sd is None


@given(st.lists(st.tuples(pages, predictions | st.none()), max_size=6))
def test_shares_lie_between_zero_and_one(pairs: list[tuple[TruthPage, Prediction | None]]) -> None:
    summary = asdict(summarize([score_page(page, prediction) for page, prediction in pairs], 5))
    for key, value in summary.items():
        if not key.endswith("pages") and value is not None:
            assert 0 <= value <= 1, key


@given(st.lists(st.tuples(pages, predictions), max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_pages_does_not_matter(pairs: list[tuple[TruthPage, Prediction]], chance: random.Random) -> None:
    scores = [score_page(page, prediction) for page, prediction in pairs]
    shuffled = list(scores)
    chance.shuffle(shuffled)
    assert summarize(shuffled) == summarize(scores)


@given(texts.filter(lambda text: bool(tokenizer("made")(text))), texts.filter(bool))
def test_a_text_against_itself_scores_one(text: str, title: str) -> None:
    fields = {"text": text, "title": title, "date": "2026-01-02", "authors": (title,)}
    truth = truth_page(with_=(text,), without=(), **fields)
    summary = summarize([score_page(truth, Prediction(id="p", **fields))], 3)  # type: ignore[arg-type]  # reason: by name
    for key, value in asdict(summary).items():
        if key.endswith("pages"):
            assert value == 1, key
        elif key in ("f1_sd", "lost", "lost_silently"):
            assert value == 0, key
        elif key != "without_absent":
            assert value == 1, key


@given(texts, texts)
def test_precision_one_way_is_recall_the_other_way(one: str, other: str) -> None:
    there = score_page(truth_page(text=one or "x"), Prediction(id="p", text=other or "x")).body
    back = score_page(truth_page(text=other or "x"), Prediction(id="p", text=one or "x")).body
    assert there is not None
    assert back is not None
    assert there.precision == back.recall or (isnan(there.precision) and isnan(back.recall))
    assert there.f1 == back.f1


def test_words_are_compared_as_bags_and_averaged_over_pages() -> None:
    whole, half = truth_page(text="One two, two THREE"), truth_page(text="one two")
    scores = [
        score_page(whole, Prediction(id="p", text="three two one five")),
        score_page(half, Prediction(id="p", text="")),
    ]
    summary = summarize(scores)
    assert scores[0].words == pytest.approx((0.75, 0.75, 0.75))
    assert (summary.word_pages, summary.word_f1) == (2, pytest.approx(0.375))


@pytest.mark.parametrize(("status", "silently"), [("ok", 1), ("doubtful", 0), (None, 0)])
def test_a_page_that_loses_most_of_its_text_is_lost_silently_only_with_the_status_ok(
    status: str | None, silently: int
) -> None:
    truth = truth_page(text="a b c d e")
    summary = summarize([score_page(truth, Prediction(id="p", text="a b", status=status))])
    assert (summary.lost, summary.lost_silently) == (1, silently)
    assert summarize([score_page(truth, Prediction(id="p", text="a b c", status=status))]).lost == 0
