"""Zou & Zhong (2011), §1.2.2: smoothing, thresholds and rules on sequences computed by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract import Page, extract
from newsextract.algorithms.block_statistics import (
    BASELINE,
    DEFAULT,
    PUBLISHED,
    BlockStatistics,
    BlockStatisticsParams,
    LengthThresholds,
    main_runs,
    smooth,
    thresholds,
)
from newsextract.errors import ParameterError
from tests.examples import examples


def array(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float64)


def page(*counts: int) -> Page:
    """A page whose blocks have these counts: ``<br>`` is a boundary that makes no empty block."""
    return Page.from_text("<br>".join(chr(97 + i % 26) * count for i, count in enumerate(counts)) + "<br>")


def main_blocks(page: Page, params: BlockStatisticsParams = DEFAULT) -> list[int]:
    evidence = BlockStatistics(params)(page, evidence=True).evidence
    assert evidence is not None
    return [block["index"] for block in evidence["blocks"] if block["main"]]


# --- smoothing ------------------------------------------------------------------------------------


def test_the_kernel_is_one_two_one_over_four() -> None:
    assert smooth(array(0, 0, 8, 0, 0)).tolist() == [0, 2, 4, 2, 0]
    assert smooth(array(4, 0, 12, 8, 0)).tolist() == [2, 4, 8, 7, 2]


def test_beyond_the_ends_the_count_is_nought() -> None:
    assert smooth(array(8)).tolist() == [4]
    assert smooth(array(8, 8)).tolist() == [6, 6]


@given(st.lists(st.integers(0, 5000), min_size=1, max_size=60))
def test_smoothing_by_the_definition(counts: list[int]) -> None:
    around = [0, *counts, 0]
    expected = [(around[i - 1] + 2 * around[i] + around[i + 1]) / 4 for i in range(1, len(around) - 1)]
    assert smooth(array(*counts)).tolist() == expected


# --- thresholds -----------------------------------------------------------------------------------


def test_thresholds_of_twelve_blocks() -> None:
    limits = thresholds(array(0, 3, 10, 20, 30, 40, 50, 60, 70, 80, 90, 27), DEFAULT)
    assert limits.n_min == 3, "the smallest other than 0"
    assert limits.n_avg == 480 / 12, "empty blocks count in the mean"
    assert limits.low == (2 * 3 + 40) / 3
    nine = 90 + 80 + 70 + 60 + 50 + 40 + 30 + 27 + 20
    assert limits.calibration == pytest.approx((nine + 40) / 10)


def test_fewer_than_nine_blocks_use_those_there_are() -> None:
    limits = thresholds(array(0, 6, 12), DEFAULT)
    assert limits == LengthThresholds(n_min=6, n_avg=6, low=6, calibration=(12 + 6 + 0 + 6) / 4)
    assert thresholds(array(5), DEFAULT) == LengthThresholds(5, 5, 5, 5)


def test_exactly_nine_blocks() -> None:
    limits = thresholds(array(*range(1, 10)), DEFAULT)
    assert limits.calibration == (45 + 5) / 10


def test_the_baseline_takes_a_single_maximum() -> None:
    limits = thresholds(array(0, 3, 10, 20, 30, 40, 50, 60, 70, 80, 90, 27), BASELINE)
    assert limits.calibration == (90 + 40) / 2
    assert limits.low == (2 * 3 + 40) / 3, "the lower threshold is the same"


@given(st.lists(st.integers(0, 3000), min_size=1, max_size=80).filter(any))
@settings(max_examples=examples(200))
def test_thresholds_by_the_definition(counts: list[int]) -> None:
    smoothed = smooth(array(*counts)).tolist()
    limits = thresholds(array(*smoothed), DEFAULT)
    average = math.fsum(smoothed) / len(smoothed)
    largest = sorted(smoothed, reverse=True)[:9]
    assert limits.n_min == min(value for value in smoothed if value > 0)
    assert limits.n_avg == pytest.approx(average)
    assert limits.low == pytest.approx((2 * limits.n_min + average) / 3)
    assert limits.calibration == pytest.approx((math.fsum(largest) + average) / (len(largest) + 1))


# --- rules ----------------------------------------------------------------------------------------

LIMITS = LengthThresholds(n_min=1, n_avg=5, low=10, calibration=50)


def test_rule_1_a_run_needs_one_block_that_reaches_the_calibration() -> None:
    assert main_runs(array(0, 10, 50, 10, 0, 49, 49, 0), LIMITS, bridge=True) == [(1, 4)]


def test_rule_1_both_thresholds_are_reached_by_equal_values() -> None:
    assert main_runs(array(9.75, 50, 9.75), LIMITS, bridge=True) == [(1, 2)]
    assert main_runs(array(10, 50), LIMITS, bridge=True) == [(0, 2)]
    assert main_runs(array(60, 0, 49.75), LIMITS, bridge=True) == [(0, 1)]


def test_rule_1_runs_are_maximal_and_may_touch_the_ends() -> None:
    assert main_runs(array(12, 11, 90), LIMITS, bridge=False) == [(0, 3)]


def test_rule_2_runs_between_two_main_runs_are_main() -> None:
    smoothed = array(20, 0, 60, 5, 20, 20, 5, 30, 5, 70, 5, 20)
    assert main_runs(smoothed, LIMITS, bridge=True) == [(2, 3), (4, 6), (7, 8), (9, 10)]


def test_rule_2_is_not_for_what_lies_outside() -> None:
    assert main_runs(array(20, 0, 60, 0, 20), LIMITS, bridge=True) == [(2, 3)]


def test_rule_2_leaves_blocks_below_the_lower_threshold_out() -> None:
    assert main_runs(array(60, 9, 60), LIMITS, bridge=True) == [(0, 1), (2, 3)]


def test_without_rule_2_the_runs_between_are_lost() -> None:
    smoothed = array(20, 0, 60, 5, 20, 20, 5, 70, 5, 20)
    assert main_runs(smoothed, LIMITS, bridge=False) == [(2, 3), (7, 8)]


@given(st.lists(st.integers(0, 400), min_size=1, max_size=60).filter(any), st.booleans())
@settings(max_examples=examples(300))
def test_rules_by_the_definition(counts: list[int], bridge: bool) -> None:
    smoothed = smooth(array(*counts))
    limits = thresholds(smoothed, DEFAULT)
    runs: list[list[int]] = [[]]
    for index, value in enumerate(smoothed.tolist()):
        if value >= limits.low:
            runs[-1].append(index)
        elif runs[-1]:
            runs.append([])
    runs = [run for run in runs if run]
    main = [any(smoothed[i] >= limits.calibration for i in run) for run in runs]
    if bridge:
        first, last = main.index(True), len(main) - 1 - main[::-1].index(True)
        main = [first <= k <= last for k in range(len(main))]
    expected = [(run[0], run[-1] + 1) for run, chosen in zip(runs, main, strict=True) if chosen]
    assert main_runs(smoothed, limits, bridge=bridge) == expected
    assert expected, "there is always a main run"


# --- whole pages ----------------------------------------------------------------------------------


def test_a_page_by_hand() -> None:
    counts = (4, 0, 8, 0, 0, 120, 0, 200, 100, 0, 0, 12, 4)
    # smoothed: 2 3 4 2 30 60 80 125 100 25 3 7 5; N_min 2, N_avg 446/13, N'_min = (4 + 34.3)/3 = 12.8
    # nine largest: 125+100+80+60+30+25+7+5+4 = 436; N_cal = (436 + 34.3)/10 = 47.0
    body = BlockStatistics(DEFAULT)(page(*counts), evidence=True)
    assert body.evidence is not None
    assert [b["smoothed"] for b in body.evidence["blocks"]][:13] == [2, 3, 4, 2, 30, 60, 80, 125, 100, 25, 3, 7, 5]
    assert body.evidence["blocks"][13]["smoothed"] == 1, "the block behind the last boundary"
    assert [b["index"] for b in body.evidence["blocks"] if b["main"]] == [5, 7, 8], "blocks 4, 6 and 9 are empty"
    assert body.text.split("\n") == ["f" * 120, "h" * 200, "i" * 100]


def test_links_are_not_counted_but_come_along() -> None:
    links = "<p>" + "<a href=/x>a very long list of links that says nothing at all</a> " * 20 + "</p>"
    text = "<p>The text of the article, <a href=/y>with a link</a>, is much shorter than the list of links is.</p>" * 3
    article = extract(links * 3 + "<hr><hr>" + text, algorithm="block_statistics")
    assert "with a link" in article.text
    assert "a very long list" not in article.text


def test_a_short_paragraph_between_two_long_ones_is_kept_by_rule_2_only() -> None:
    counts = (2, 0, 0, 400, 420, 380, 0, 0, 0, 60, 60, 0, 0, 0, 410, 400, 390, 0, 0, 0, 60, 60, 0, 0, 2)
    both = main_blocks(page(*counts))
    assert both == [3, 4, 5, 9, 10, 14, 15, 16]
    without = main_blocks(page(*counts), BlockStatisticsParams(bridge=False))
    assert without == [3, 4, 5, 14, 15, 16]


def test_the_baseline_misses_a_shorter_second_half() -> None:
    counts = (3, 0, 0, 900, 900, 900, 0, 0, 0, 500, 500, 500, 0, 0, 3)
    assert main_blocks(page(*counts)) == [3, 4, 5, 9, 10, 11]
    assert main_blocks(page(*counts), BASELINE) == [3, 4, 5]


@pytest.mark.parametrize("text", ["", "<p></p>", "<p> &nbsp; </p>", "<a href=/x>only a link</a>", "<!-- nothing -->", "<"])
def test_pages_without_text_outside_links(text: str) -> None:
    body = BlockStatistics(DEFAULT)(Page.from_text(text), evidence=True)
    if text != "<":
        assert (body.text, body.confidence) == ("", 0.0)
        assert body.reason == "the page has no text outside links"
        assert body.evidence == {"blocks": []}


def test_a_page_of_one_block() -> None:
    assert extract("<p>Only this.").text == "Only this."


@given(st.lists(st.integers(0, 300), min_size=1, max_size=40), st.floats(0, 100), st.integers(1, 100), st.booleans())
@settings(max_examples=examples(200))
def test_no_parameters_make_it_fail(counts: list[int], weight: float, maxima: int, bridge: bool) -> None:
    params = BlockStatisticsParams(maxima=maxima, min_weight=weight, bridge=bridge)
    body = BlockStatistics(params)(page(*counts))
    assert bool(body.text) == any(counts)


@pytest.mark.parametrize(
    "values",
    [
        {"maxima": 0},
        {"maxima": 101},
        {"maxima": -9},
        {"min_weight": -0.1},
        {"min_weight": math.nan},
        {"min_weight": math.inf},
    ],
)
def test_parameters_out_of_range(values: dict[str, float]) -> None:
    (name,) = values
    with pytest.raises(ParameterError, match=f"block_statistics: {name} is .*; expected .*, for example"):
        BlockStatisticsParams(**values)  # type: ignore[arg-type]


def test_presets() -> None:
    assert (DEFAULT.maxima, DEFAULT.min_weight, DEFAULT.bridge, DEFAULT.published_fields) == (9, 2.0, True, False)
    assert (BASELINE.maxima, BASELINE.bridge) == (1, False)
    assert BlockStatisticsParams(published_fields=True, table_1=True) == PUBLISHED
