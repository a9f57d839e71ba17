"""Data items: pairing of columns, what counts in which reading."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from newsextract.lab.metrics import Counts, cells, score_items

TRUTH = [["Rye bread", "Ann", "May 1"], ["Old mills", "Ben", ""], ["Oven stones", "", "May 3"]]
FOUND = [
    [("title", "Rye bread"), ("author", "Ann"), ("date", "May 1")],
    [("title", "Old mills"), ("author", "Ben")],
    [("title", "Oven stones"), ("date", "May 3")],
]
ALL = {0: 0, 1: 1, 2: 2}


def test_the_truth_itself() -> None:
    scored = score_items(TRUTH, FOUND, ALL)
    assert scored.in_columns == scored.on_page == Counts(7, 7, 7)
    assert scored.columns == {"title": 0, "author": 1, "date": 2}


def test_names_of_columns_do_not_matter_and_records_may_come_in_any_order() -> None:
    renamed = [[(f"column {label}", text) for label, text in record] for record in FOUND]
    assert score_items(TRUTH, renamed[::-1], {0: 2, 1: 1, 2: 0}).in_columns == Counts(7, 7, 7)


def test_white_space_is_folded_and_nothing_else() -> None:
    truth = [["Rye \n bread", "Ann"]]
    assert score_items(truth, [[("a", " Rye bread\t"), ("b", "ann")]], {0: 0}).in_columns == Counts(1, 1, 2)


def test_a_column_that_means_two_things_keeps_the_commoner() -> None:
    mixed = [[("a", "Rye bread"), ("b", "Ann")], [("a", "Ben"), ("b", "Old mills")], [("a", "Oven stones")]]
    scored = score_items(TRUTH, mixed, ALL)
    assert scored.columns == {"a": 0, "b": 1}
    assert scored.in_columns == Counts(3, 5, 7)


def test_columns_are_paired_for_the_most_items_not_one_after_the_other() -> None:
    """Column a is equal to true column 0 twice and to 1 once, column b to 0 once only: a goes to 0, b to none ... unless b
    brings more than a loses."""
    truth = [["x", "x"], ["y", "q"], ["z", "z"], ["u", "u"]]
    found = [[("a", "x"), ("b", "x")], [("a", "y")], [("a", "z"), ("b", "z")], [("b", "u")]]
    scored = score_items(truth, found, {number: number for number in range(4)})
    assert scored.columns == {"a": 0, "b": 1}
    assert scored.in_columns == Counts(6, 6, 8)


def test_a_split_field_is_lost_and_its_pieces_claim_nothing_where_columns_count() -> None:
    split = [[("title", "Rye"), ("rest", "bread"), ("author", "Ann"), ("date", "May 1")], *FOUND[1:]]
    assert score_items(TRUTH, split, ALL).in_columns == Counts(6, 7, 7), "title is a paired column, rest is not"
    assert score_items(TRUTH, split, ALL).on_page == Counts(6, 8, 7)


def test_lost_and_false_records_count_on_the_page_alone() -> None:
    scored = score_items(TRUTH, [*FOUND[:2], [("title", "Imprint")]], {0: 0, 1: 1})
    assert scored.in_columns == Counts(5, 5, 5)
    assert scored.on_page == Counts(5, 6, 7)


def test_fields_that_nobody_noted_count_on_the_page_alone() -> None:
    scored = score_items(TRUTH, [[*record, ("button", "Share")] for record in FOUND], ALL)
    assert (scored.in_columns, scored.on_page) == (Counts(7, 7, 7), Counts(7, 10, 7))


def test_items_of_one_column_are_one_cell() -> None:
    assert cells([("a", "Rye"), ("b", "Ann"), ("a", " bread "), ("c", " ")]) == {"a": "Rye bread", "b": "Ann"}


def test_rows_may_end_early_and_pages_be_empty() -> None:
    assert score_items([["Rye bread"], ["Old mills", "Ben"]], FOUND[:2], {0: 0, 1: 1}).in_columns == Counts(3, 4, 3)
    assert score_items([[], []], [[], []], {0: 0, 1: 1}).on_page == Counts(0, 0, 0)
    assert score_items([], [], {}).on_page == Counts(0, 0, 0)


_TEXT = st.sampled_from(["", "a", "b", "c", " a"])


@given(
    st.lists(st.lists(_TEXT, max_size=4), max_size=5),
    st.lists(st.lists(st.tuples(st.sampled_from("xyz"), _TEXT), max_size=4), max_size=5),
    st.integers(0, 9),
)
def test_no_more_is_right_than_was_predicted_or_is_true(
    truth: list[list[str]], found: list[list[tuple[str, str]]], seed: int
) -> None:
    numbers = list(range(len(truth)))
    random.Random(seed).shuffle(numbers)
    scored = score_items(truth, found, dict(enumerate(numbers[: len(found)])))
    for counts in (scored.in_columns, scored.on_page):
        assert 0 <= counts.right <= min(counts.predicted, counts.true)
    assert scored.in_columns.predicted <= scored.on_page.predicted
    assert scored.in_columns.true <= scored.on_page.true
