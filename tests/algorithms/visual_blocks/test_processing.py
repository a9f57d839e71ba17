"""The processing layer: the formulas (1)–(13) by hand, region focusing, each kind of noise, Algorithm 1, large sets."""

from __future__ import annotations

import dataclasses
import time
import tomllib
from collections.abc import Callable
from importlib.resources import files
from math import hypot

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract.algorithms.visual_blocks.features import Properties, VisualBlockTree, block_tree, indicators, properties
from newsextract.algorithms.visual_blocks.processing import (
    MAX_ROWS,
    PUBLISHED,
    Measures,
    cluster,
    cluster_blocks,
    distant,
    focus,
    innermost,
    key_words,
    local_noise,
    measure,
    misaligned,
    noise_words,
    region_candidates,
    similarity,
)
from newsextract.page.nodes import Nodes, read_nodes
from tests.examples import examples

Draw = Callable[[str], Nodes]


def masked(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.bool_)


def boxes(*rows: tuple[float, float, float, float]) -> np.ndarray:
    return np.array(rows, dtype=np.float64).reshape(-1, 4)


# --- §5.1 region focusing -------------------------------------------------------------------------


def test_measures_1_to_7(rendered: Draw) -> None:
    geometry = rendered('<html box="0 0 1000 2000"><p>x</p></html>').geometry
    found = measure(geometry, boxes((0, 0, 1000, 2000), (100, 200, 600, 1000)), np.array([400, 300]))
    assert found.offsets is not None
    assert found.areas is not None
    assert found.offsets[0] == 0
    assert found.offsets[1] == pytest.approx(hypot(500 - 400, 1000 - 700) / hypot(1000, 2000))
    assert found.areas.tolist() == [1.0, 0.3]
    assert found.texts.tolist() == [1.0, 0.75]


def test_thresholds_are_not_reached_by_their_own_value() -> None:
    found = Measures(np.array([0.2, 0.19, 0.1, 0.1]), np.array([0.5, 0.5, 0.4, 0.41]), np.array([0.5, 0.5, 0.5, 0.4]))
    assert region_candidates(found, PUBLISHED).tolist() == [False, True, False, False]
    assert region_candidates(found, dataclasses.replace(PUBLISHED, text_share=0.3)).tolist() == [False, True, False, True]


def test_without_geometry_only_the_text_counts() -> None:
    found = measure(None, None, np.array([100, 41, 40]))
    assert region_candidates(found, PUBLISHED).tolist() == [True, True, False]


def test_of_nested_candidates_the_innermost_stays() -> None:
    ends = np.array([6, 4, 3, 4, 6, 6])  # 0(1(2) 3?) …: 1 holds 2, 4 holds 5
    assert innermost(masked(1, 1, 1, 0, 1, 0), ends).tolist() == masked(0, 0, 1, 0, 1, 0).tolist()
    assert not innermost(masked(0, 0, 0, 0, 0, 0), ends).any()


def tree(areas: list[float] | None, lengths: list[int]) -> VisualBlockTree:
    """A root with leaves below it."""
    count = len(lengths)
    rows = np.arange(count)
    drawn = None if areas is None else boxes(*((0, 0, area, 1) for area in areas))
    parents = np.where(rows > 0, 0, -1)
    ends = np.where(rows > 0, rows + 1, count)
    return VisualBlockTree(rows, rows, parents, ends, drawn, np.array(lengths), np.zeros(count, dtype=np.int8))


def test_of_several_the_largest() -> None:
    assert focus(tree([9, 2, 3, 1], [9, 1, 1, 5]), masked(1, 1, 1, 1)) == 2
    assert focus(tree(None, [9, 1, 1, 5]), masked(1, 1, 1, 1)) == 3
    assert focus(tree([9, 2], [9, 1]), masked(1, 0)) == 0
    assert focus(tree([9, 2], [9, 1]), masked(0, 0)) is None


# --- §5.2 local noise -----------------------------------------------------------------------------


def test_first_and_last_blocks_that_are_not_aligned() -> None:
    rows = np.arange(6)
    column = [(100.0, 100.0 * i, 600.0, 90.0) for i in range(6)]
    assert misaligned(boxes(*column), rows) == []
    column[0], column[5], column[4] = (100, 0, 300, 90), (150, 500, 550, 90), (101, 400, 600.5, 90)
    assert misaligned(boxes(*column), rows) == [0, 5]  # two pixels do not matter
    column[3] = (0, 300, 1000, 90)  # not at an end
    assert misaligned(boxes(*column), rows) == [0, 5]
    column[1] = (0, 0, 10, 10)
    assert misaligned(boxes(*column), rows) == [0, 1, 5]


def test_where_no_edges_are_shared_nothing_is_misaligned() -> None:
    assert misaligned(boxes((0, 0, 10, 10), (20, 0, 30, 10), (60, 0, 5, 10)), np.arange(3)) == []
    assert misaligned(boxes((0, 0, 10, 10)), np.arange(1)) == []
    assert misaligned(boxes(), np.arange(0)) == []


def test_a_grid_loses_its_ends_as_published() -> None:
    grid = [(300.0 * (i % 3), 100.0 * (i // 3), 290.0, 90.0) for i in range(6)]
    assert misaligned(boxes(*grid), np.arange(6)) == [4, 5]


@pytest.mark.parametrize(
    ("markup", "noise"),
    [
        ("<div><a>上一页</a> <a>2</a></div>", True),
        ("<div><b>Next »</b></div>", True),
        ("<div>PREVIOUS PAGE</div>", True),
        ("<div><span><i>[next]</i></span></div>", True),
        ("<div>What happens next is open</div>", False),
        ("<div>next <b>ferry</b></div>", False),  # not wrapped alone
        ("<div><a>下一页的内容</a></div>", False),
        ("<div><a hidden>next</a> words</div>", False),
        ("<div><a>next<i hidden> week</i></a></div>", True),
    ],
)
def test_key_words_stand_alone_in_their_element(markup: str, noise: bool) -> None:
    assert bool(key_words(read_nodes(markup)).any()) == noise


def test_the_list_of_key_words() -> None:
    words = tomllib.loads(files("newsextract").joinpath("data/noise_words.toml").read_text("utf-8"))["words"]
    assert len(words) >= 30
    assert {"上一页", "下一页", "previous", "next"} <= noise_words()
    for language, group in words.items():
        assert len(set(group)) >= 3, language
        for word in group:
            assert word == word.strip().casefold(), word
            assert key_words(read_nodes(f"<p>‹ {word} ›</p>")).any(), word


def test_blocks_beyond_a_gap_of_t_d() -> None:
    column = [(0.0, 0.0, 100.0, 1000.0)] + [(0.0, top, 100.0, 100.0) for top in (0, 301, 401, 501, 700)]
    rows = np.arange(1, 6)
    assert distant(boxes(*column), rows, 0, 0.2) == [1]  # 201 > 200
    assert distant(boxes(*column), rows, 0, 0.05) == [1, 5]
    assert distant(boxes(*column), rows, 0, 0.25) == []
    assert distant(boxes(*column), rows[:2], 0, 0.1) == []  # of two neither is the one at the end


def test_local_noise_says_why(rendered: Draw) -> None:
    items = "".join(f'<li box="0 {100 + 100 * i} 900 90">text {i}</li>' for i in range(5))
    nodes = rendered(
        f'<html box="0 0 1000 1500"><p box="0 0 900 20">.</p><ul box="0 20 1000 1480"><li box="0 20 400 50">5 hits</li>{items}'
        '<li box="0 1400 900 90">far</li><li box="0 1495 900 90"><a>Next</a></li></ul></html>'
    )
    blocks = block_tree(nodes)
    region = blocks.children.index(max(blocks.children, key=len))
    rows = np.array(blocks.children[region])
    found = local_noise(nodes, blocks, rows, region, PUBLISHED)
    assert [found.get(row) for row in rows.tolist()] == [
        "noise: not aligned with the rest",
        *[None] * 5,
        "noise: farther off than T_d",
        "noise: a key word",
    ]
    without = local_noise(nodes, blocks, rows, region, dataclasses.replace(PUBLISHED, align=False))
    assert rows[0] not in without
    seen = dataclasses.replace(nodes, geometry=None)
    blocks = block_tree(seen)
    rows = np.array(max(blocks.children, key=len))
    assert list(local_noise(seen, blocks, rows, 0, PUBLISHED)) == [rows[-1]]


# --- §5.3 similarity ------------------------------------------------------------------------------


def by_hand(columns: Properties, a: int, b: int, zero_pair: int) -> float:
    """(8)–(12), an indicator at a time."""
    kinds: dict[str, list[float]] = {}
    for countable, values in ((True, columns.countable), (False, columns.codes)):
        for row, found in zip(indicators(visual=columns.visual, countable=countable), values, strict=True):
            x, y = float(found[a]), float(found[b])
            if not countable:
                sim = float(found[a] == found[b])
            elif x == y == 0:
                sim = zero_pair
            else:
                sim = 1 - (x - y) ** 2 / (x**2 + y**2)
            kinds.setdefault(row.kind, []).append(max(0.0, sim))
    return sum(sum(sims) / len(sims) for sims in kinds.values()) / len(kinds)


def some(count: int, *, visual: bool = True, seed: int = 1) -> Properties:
    random = np.random.default_rng(seed)
    countable = random.integers(-3, 30, (14 if visual else 7, count)) * random.integers(0, 2, (14 if visual else 7, count))
    return Properties(countable.astype(np.float64), random.integers(0, 2, (20 if visual else 3, count)), visual)


def test_similarity_12_worked() -> None:
    zeros = Properties(np.zeros((7, 2)), np.array([[1, 1], [1, 2], [3, 3]]), visual=False)
    zeros.countable[0] = [100, 50]  # ContentLength: 1 - 50² / (100² + 50²) = 0.8
    zeros.countable[4] = [5, 5]  # DOMDepth
    content, dom = (1 + 0 + 0.8 + 0 + 0 + 0) / 6, (1 + 1 + 0 + 0) / 4
    assert similarity(zeros)[0, 1] == pytest.approx((content + dom) / 2)
    content, dom = (1 + 0 + 0.8 + 3) / 6, 1
    assert similarity(zeros, zero_pair=1)[0, 1] == pytest.approx((content + dom) / 2)


@pytest.mark.parametrize("visual", [True, False])
@pytest.mark.parametrize("zero_pair", [0, 1])
def test_similarity_8_to_12(visual: bool, zero_pair: int) -> None:
    columns = some(12, visual=visual)
    found = similarity(columns, zero_pair=zero_pair)
    expected = [[by_hand(columns, a, b, zero_pair) for b in range(12)] for a in range(12)]
    assert found == pytest.approx(np.array(expected))
    part = similarity(columns.take(np.array([3, 5])), columns, zero_pair=zero_pair)
    assert part == pytest.approx(found[[3, 5]])


def test_similarity_of_more_pairs_than_fit_at_once() -> None:
    columns = some(150)
    found = similarity(columns)
    assert found[140, 3] == pytest.approx(by_hand(columns, 140, 3, 0))
    assert found == pytest.approx(found.T)


@given(st.integers(0, 2**32 - 1), st.integers(0, 9), st.booleans(), st.sampled_from((0, 1)))
@settings(max_examples=examples(60))
def test_similarity_is_within_0_and_1_and_symmetric(seed: int, count: int, visual: bool, zero_pair: int) -> None:
    found = similarity(some(count, visual=visual, seed=seed), zero_pair=zero_pair)
    assert found.shape == (count, count)
    assert ((found >= 0) & (found <= 1)).all()
    assert np.allclose(found, found.T)
    if zero_pair:
        own = some(count, visual=visual, seed=seed)
        assert np.allclose(np.diag(similarity(own, zero_pair=1)), 1)


# --- §5.3 Algorithm 1 -----------------------------------------------------------------------------


def algorithm_1(distances: np.ndarray, radius: float, min_points: int) -> list[int]:
    """The listing of the paper, blocks taken in order; -1 is noise."""
    count = len(distances)
    near = [[b for b in range(count) if a == b or distances[a, b] <= radius] for a in range(count)]
    labels, visited, clusters = [-1] * count, [False] * count, 0
    for p in range(count):
        if visited[p]:
            continue
        visited[p] = True
        if len(near[p]) < min_points:
            continue
        labels[p] = clusters
        queue = list(near[p])
        for other in queue:
            if labels[other] < 0:
                labels[other] = clusters
            if not visited[other]:
                visited[other] = True
                if len(near[other]) >= min_points:
                    queue.extend(near[other])
        clusters += 1
    return labels


def test_dbscan_is_algorithm_1_on_a_small_example() -> None:
    places = np.array([0.0, 0.1, 0.2, 0.9, 1.0, 3.0])
    distances = np.abs(places[:, None] - places)
    assert cluster(distances, 0.11, 2).tolist() == [0, 0, 0, 1, 1, -1] == algorithm_1(distances, 0.11, 2)
    assert cluster(distances, 0.11, 3).tolist() == [0, 0, 0, -1, -1, -1] == algorithm_1(distances, 0.11, 3)
    assert cluster(distances, 0.05, 2).tolist() == [-1] * 6


@given(st.lists(st.integers(0, 60), max_size=14), st.integers(1, 4), st.integers(0, 9))
@settings(max_examples=examples(100))
def test_dbscan_is_algorithm_1(places: list[int], min_points: int, radius: int) -> None:
    column = np.array(places, dtype=np.float64)
    distances = np.abs(column[:, None] - column)
    assert cluster(distances, radius + 0.5, min_points).tolist() == algorithm_1(distances, radius + 0.5, min_points)


def test_weights_count_as_equal_blocks_and_the_diagonal_is_not_read() -> None:
    distances = np.ones((2, 2))
    assert cluster(distances, 0.2, 2).tolist() == [-1, -1]
    assert cluster(distances, 0.2, 2, np.array([1, 2])).tolist() == [-1, 0]
    assert distances[0, 0] == 1  # left as it was


# --- large sets -----------------------------------------------------------------------------------


def listing(count: int, words: int) -> Properties:
    """Blocks of two kinds: items of a list, and every tenth a heading; ``words`` different texts."""
    parts = "".join(
        f"<h2>Day</h2><p>{i}</p>" if i % 10 == 0 else f"<li><a href=/>a {i % words}</a><img> b</li>" for i in range(count)
    )
    nodes = read_nodes(f"<ul>{parts}</ul>")
    blocks = block_tree(nodes)
    return properties(nodes, blocks).take(np.array(max(blocks.children, key=len)))


def test_equal_blocks_are_collapsed() -> None:
    columns = listing(1000, 5)
    labels, note = cluster_blocks(columns, PUBLISHED)
    assert note is not None
    assert "of which" in note
    kind = columns.codes[0]
    assert len(labels) == len(columns) > MAX_ROWS
    items = labels[kind == kind[3]]
    assert (items == items[0]).all()
    assert items[0] >= 0
    assert not (labels[kind != kind[3]] == items[0]).any()


def test_more_different_blocks_are_sampled() -> None:
    columns = listing(3000, 3000)
    labels, note = cluster_blocks(columns, PUBLISHED)
    assert note is not None
    assert note.startswith(f"{MAX_ROWS} of ")
    kind = columns.codes[0]
    items = labels[kind == kind[3]]
    assert (items == items[0]).all()
    assert items[0] >= 0
    again, _ = cluster_blocks(columns, PUBLISHED)
    assert again.tolist() == labels.tolist()


def test_small_sets_are_clustered_exactly() -> None:
    columns = listing(MAX_ROWS // 2, 7)
    labels, note = cluster_blocks(columns, PUBLISHED)
    assert note is None
    assert labels.tolist() == algorithm_1(1 - similarity(columns, zero_pair=1), PUBLISHED.radius, PUBLISHED.min_points)


def test_all_noise_in_a_sample_stays_noise() -> None:
    columns = some(2 * MAX_ROWS)
    labels, _ = cluster_blocks(columns, dataclasses.replace(PUBLISHED, radius=0.0))
    assert labels.tolist() == [-1] * len(columns)


@pytest.mark.slow
def test_twenty_blocks_cost_milliseconds() -> None:
    columns = listing(18, 18)
    cluster_blocks(columns, PUBLISHED)  # scikit-learn is loaded
    costs = []
    for _ in range(15):
        start = time.process_time()
        cluster_blocks(columns, PUBLISHED)
        costs.append(time.process_time() - start)
    assert min(costs) < 0.01
