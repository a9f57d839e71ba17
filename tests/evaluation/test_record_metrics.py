"""Records: tokens, what makes a prediction right, pairing, sums and means; the same figures as the bench's own script."""

from __future__ import annotations

import importlib.util
import json
import random
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract.lab.metrics import SEED, Counts, TrueRecords, match, summarize_records, tokens
from tests.examples import examples

HITS = [
    "How to bake rye bread at home, with a sourdough that is fed twice a day",
    "A short history of mills along the northern canals and of their millers",
    "Which flour keeps longest? Seven kinds stored for a year in a dry cellar",
    "Oven stones compared: granite, clay and steel under a loaf of two pounds",
]


def right(truth: list[str], predicted: list[str]) -> dict[int, int]:
    return match(TrueRecords(truth), predicted)


def verdict(truth: list[str], predicted: str, number: int = 0) -> str:
    return TrueRecords(truth).judge(Counter(tokens(predicted)), number)[0]


# --- tokens ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Rye BREAD, Straße_2", ["rye", "bread", "strasse", "2"]),
        ("ﬁne １２", ["fine", "12"]),
        ("黑麦面包", ["黑麦", "麦面", "面包"]),
        ("黑 麦\n面", ["黑麦", "麦面"]),
        ("麦", ["麦"]),
        ("loaf麦面2kg", ["loaf", "麦面", "2kg"]),
        ("パン・麦", ["パン", "麦"]),
        ("호밀 빵", ["호밀", "빵"]),  # blanks between hangul part words
        ("", []),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


# --- what is right --------------------------------------------------------------------------------


def test_the_truth_itself_is_right_in_any_order() -> None:
    assert right(HITS, HITS[::-1]) == {0: 3, 1: 2, 2: 1, 3: 0}


def test_neighbours_merged_are_wrong() -> None:
    assert verdict(HITS, f"{HITS[0]} {HITS[1]}") == "merged"
    assert right(HITS, [f"{HITS[0]} {HITS[1]}", f"{HITS[2]} {HITS[3]}"]) == {}


def test_halves_are_wrong() -> None:
    halves = [half for hit in HITS for half in (hit[: len(hit) // 2], hit[len(hit) // 2 :])]
    assert right(HITS, halves) == {}
    assert verdict(HITS, halves[0]) == "incomplete"


def test_four_fifths_of_what_tells_a_record_apart_are_enough() -> None:
    truth = ["alpha beta gamma delta epsilon", "one two three four five"]
    assert verdict(truth, "alpha beta gamma delta") == "right"
    assert verdict(truth, "alpha beta gamma") == "incomplete"


def test_words_of_most_records_do_not_tell_one_apart() -> None:
    truth = [f"{hit} read more" for hit in HITS]
    assert verdict(truth, HITS[0]) == "right"


def test_a_few_buttons_are_allowed_a_column_is_not() -> None:
    assert verdict(HITS, HITS[0] + " share" * 60) == "right"
    assert verdict(HITS, HITS[0] + " share" * 61) == "unclean"
    long = " ".join(f"word{number}" for number in range(40))
    assert verdict([long, *HITS], long + " share" * 80) == "right"
    assert verdict([long, *HITS], long + " share" * 81) == "unclean"


def test_a_pair_of_characters_counts_half() -> None:
    assert verdict(HITS, HITS[0] + " x 麦面包坊" * 24) == "right", "24 words and 72 pairs are 60"
    assert verdict(HITS, HITS[0] + " x 麦面包坊" * 25) == "unclean"


def test_half_a_second_record_is_a_merge_but_not_of_a_short_one() -> None:
    truth = ["alpha beta gamma delta epsilon", "one two three four five six", "uno due tre quattro"]
    assert verdict(truth, truth[0] + " one two three") == "merged"
    assert verdict(truth, truth[0] + " one two") == "right"
    assert verdict(truth, truth[0] + " uno due tre") == "right"
    assert verdict(truth, truth[0] + " uno due tre quattro") == "merged"


def test_a_second_record_that_shares_words_with_the_first_must_bring_its_own() -> None:
    truth = ["red shoe of leather for winter walks", "red shoe of leather for summer days", *HITS]
    assert verdict(truth, truth[0] + " shoe of leather") == "right"


# --- pairing --------------------------------------------------------------------------------------


def test_equal_records_are_each_found_once() -> None:
    truth = [HITS[0], HITS[0], HITS[1]]
    assert sorted(right(truth, [HITS[0]] * 3).values()) == [0, 1]


def test_as_many_pairs_as_can_be() -> None:
    """The first prediction fits both records, the second one only one of them: taking the best first loses a pair."""
    truth = ["alpha beta gamma delta epsilon", "alpha beta gamma delta zeta"]
    predicted = ["alpha beta gamma delta epsilon", "alpha beta gamma delta epsilon"]
    assert set(right(truth, predicted).values()) == {0, 1}


def test_the_cleaner_of_two_is_taken() -> None:
    assert right(HITS[:1], [HITS[0] + " share this", HITS[0]]) == {1: 0}


def test_nothing() -> None:
    assert right(HITS, []) == {}
    assert right([], HITS) == {}
    assert right(["", "…"], ["", "…"]) == {}


# --- sums and means -------------------------------------------------------------------------------


def test_shares_of_nothing_are_zero() -> None:
    assert (Counts(0, 0, 5).precision, Counts(0, 5, 0).recall, Counts(0, 0, 0).f1) == (0.0, 0.0, 0.0)


def test_pooled_macro_and_site_figures() -> None:
    pages = [("a.example", Counts(2, 4, 2)), ("a.example", Counts(0, 2, 4)), ("b.example", Counts(4, 4, 4))]
    summary = summarize_records(pages)
    assert (summary.pages, summary.sites) == (3, 2)
    assert (summary.right, summary.predicted, summary.true) == (6, 10, 10)
    assert (summary.precision, summary.recall, summary.f1) == pytest.approx((0.6, 0.6, 0.6))
    assert summary.macro_precision == pytest.approx((0.5 + 0 + 1) / 3)
    assert summary.macro_recall == pytest.approx((1 + 0 + 1) / 3)
    assert summary.macro_f1 == pytest.approx((2 / 3 + 0 + 1) / 3)
    assert summary.site_f1 == pytest.approx((2 * 2 / (6 + 6) + 1) / 2)
    assert summary.f1_sd is None
    assert summary.macro_f1_sd is None


def test_deviations_are_over_sites_and_the_same_every_time() -> None:
    chance = random.Random(SEED)
    pages = [(f"{number % 7}.example", Counts(chance.randrange(10), 10, 10)) for number in range(40)]
    one, other = summarize_records(pages, 200), summarize_records(pages[::-1], 200)
    assert one.f1_sd is not None
    assert 0.01 < one.f1_sd < 0.2
    assert (one.f1_sd, one.macro_f1_sd) == (other.f1_sd, other.macro_f1_sd)
    alone = summarize_records([("a.example", counts) for _, counts in pages], 200)
    assert (alone.f1_sd, alone.macro_f1_sd) == (0.0, 0.0), "a single site cannot vary"
    assert summarize_records(pages, 1).f1_sd == 0.0


# --- the bench's own script -----------------------------------------------------------------------


@pytest.fixture
def script(shared_bench: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("score_records", shared_bench / "score_records.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def distorted(texts: list[str], chance: random.Random) -> list[str]:
    """Records as they come out of an extractor: whole, cut, merged with parts of others, noisy, doubled, missing."""
    predicted = []
    for text in texts:
        words = text.split()
        kind = chance.randrange(8)
        if kind == 0:
            predicted.append(" ".join(words[: int(len(words) * chance.uniform(0.5, 1))]))
        elif kind == 1:
            predicted.append(f"{text} {' '.join(chance.choice(texts).split()[: chance.randrange(1, 30)])}")
        elif kind == 2:
            predicted.append(
                f"{text} {' '.join(chance.choices(['Home', '登录按钮', 'Anzeige', 'more'], k=chance.randrange(120)))}"
            )
        elif kind == 3:
            predicted += [" ".join(words[: len(words) // 2]), " ".join(words[len(words) // 2 :])]
        elif kind == 4:
            predicted += [text, text]
        elif kind < 7:
            predicted.append(text)
    chance.shuffle(predicted)
    return predicted


def test_figures_equal_those_of_the_script(script: ModuleType, shared_bench: Path) -> None:
    lines = (shared_bench / "records" / "truth.jsonl").read_bytes().split(b"\n")
    theirs: dict[str, list[tuple[int, int, int]]] = {}
    ours: list[tuple[str, Counts]] = []
    for row in (json.loads(line) for line in lines if line):
        if not row["records"]:
            continue
        texts = [record["text"] for record in row["records"] if record["located"]]
        predicted = distorted(texts, random.Random(row["id"]))
        theirs.setdefault(row["site"], []).append(script.score_page(row, predicted)[:3])
        ours.append((row["site"], Counts(len(right(texts, predicted)), len(predicted), len(texts))))
        assert theirs[row["site"]][-1] == (ours[-1][1].right, ours[-1][1].predicted, ours[-1][1].true), row["id"]
    group = script.group([page for pages in theirs.values() for page in pages])
    summary = summarize_records(ours)
    assert 0.3 < summary.f1 < 0.9, "the distortions should be worth something"
    assert (summary.precision, summary.recall, summary.f1) == pytest.approx(group["pooled"], abs=1e-12)
    macro = (summary.macro_precision, summary.macro_recall, summary.macro_f1)
    assert macro == pytest.approx(group["macro"], abs=1e-12)
    of_sites = [script.group(pages)["pooled"][2] for pages in theirs.values()]
    assert summary.site_f1 == pytest.approx(sum(of_sites) / len(of_sites), abs=1e-12)


def test_single_verdicts_equal_those_of_the_script(script: ModuleType) -> None:
    words = st.sampled_from([*"abcdefgh", "麦", "面包", "빵집", "_", "ｱ", "ﬁ", "·"])
    text = st.lists(words, max_size=14).map(" ".join)

    @settings(max_examples=examples(400))
    @given(st.lists(text, max_size=5), st.lists(text, max_size=5), st.text(max_size=30))
    def compare(truth: list[str], predicted: list[str], anything: str) -> None:
        assert tokens(anything) == script.tokens(anything)
        predicted = [*predicted, anything, " ".join(truth[:2])]
        assert len(right(truth, predicted)) == len(script.match(truth, predicted))
        theirs, ours = script.Truth(truth), TrueRecords(truth)
        for one in predicted:
            bag = Counter(tokens(one))
            for number in range(len(truth)):
                assert (theirs.hit(bag, number) is not None) == (ours.judge(bag, number)[0] == "right")

    compare()
