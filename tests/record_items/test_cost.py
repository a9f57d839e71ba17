"""Hostile pages cost no more than a few times what ordinary ones of their size do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from time import process_time

import numpy as np
import pytest

from newsextract.page.nodes import Nodes, read_nodes
from newsextract.records.items import Column, align, name_columns
from newsextract.records.leaves import MAX_HOLDERS, MAX_STEPS, Paths, TextKind, read_leaves
from newsextract.results import Item, Region
from tests.record_items.pages import region_of


def seconds(run: Callable[[], object]) -> float:
    start = process_time()
    run()
    return process_time() - start


def nested(depth: int, records: int = 2) -> tuple[Nodes, Region]:
    """Records of inline elements in each other, a word in each, as only a snapshot has them."""
    parents, texts = [-1], [""]
    for _ in range(records):
        parents.append(0)
        texts.append("")
        holder = len(parents) - 1
        for step in range(depth):
            parents += [holder, len(parents)]
            texts += ["", f"word {step}"]
            holder = len(parents) - 2
    tags = ["" if text else "span" for text in texts]
    length = 1 + 2 * depth
    ends = [len(tags)]
    for number in range(records):
        end = 1 + (number + 1) * length
        ends += [end, *(i + 1 if texts[i] else end for i in range(end - length + 1, end))]
    depths = [0]
    for parent in parents[1:]:
        depths.append(depths[parent] + 1)
    nodes = Nodes(
        tags, texts, [{}] * len(tags), np.array(parents, np.int32), np.array(ends, np.int32), np.array(depths, np.int32),
        np.ones(len(tags), np.bool_),
    )  # fmt: skip
    return nodes, Region(0, tuple((1 + number * length,) for number in range(records)))


def test_a_long_word_beside_a_mark_is_searched_at_its_end_only() -> None:
    nodes = read_nodes(("<li><p>" + "a" * 100_000 + "/<b>b</b></p></li>") * 3)  # 20 s when the whole word was searched
    table: list[tuple[Item, ...]] = []
    assert seconds(lambda: table.extend(align(nodes, region_of(nodes, "li"), None))) < 3
    assert [items[0].text[-3:] for items in table] == ["/ b"] * 3


def columns(count: int) -> list[Column]:
    kinds: Counter[TextKind] = Counter({"text": 2})
    return [Column(n, 2, 50.0, kinds, ("div",), ("",), "", False, False, False, False, float(n)) for n in range(count)]


@pytest.mark.slow
def test_many_columns_are_named_in_linear_time() -> None:
    many = columns(16_000)  # 5.5 s when each was compared with all
    assert seconds(lambda: name_columns(many)) < 2
    assert len(set(name_columns(columns(50)).values())) == 50


@pytest.mark.slow
def test_deeply_nested_inline_elements_cost_no_more_than_their_number() -> None:
    nodes, region = nested(20_000)  # 32 times as much as an eighth, and 3.5 GB, when each leaf kept all elements around it
    paths = Paths()
    leaves = read_leaves(nodes, region.records[0], paths)
    assert max(len(leaf.holders) for leaf in leaves) == MAX_HOLDERS
    assert max(len(paths.steps(leaf.paths[0])) for leaf in leaves) == MAX_STEPS
    assert all(leaf.holders[-1] == region.records[0][0] and leaf.holders[0] == nodes.parents[leaf.node] for leaf in leaves)
    assert all(len(leaf.holders) == len(leaf.paths) for leaf in leaves)
    part = nested(2_500)
    yardstick = min(seconds(lambda: align(*part, None)) for _ in range(3))
    assert seconds(lambda: align(nodes, region, None)) < 20 * yardstick  # measured: 9 times, for 8 times the nodes


def test_no_word_of_deeply_nested_elements_is_lost() -> None:
    nodes, region = nested(300)
    for (root,), items in zip(region.records, align(nodes, region, None), strict=True):
        assert sorted(node for item in items for node in item.nodes) == nodes.text_nodes(root)
