"""The extraction layer: the largest cluster, the region around records, dynamic and static items."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from newsextract.algorithms.visual_blocks.processing import common_ancestor, data_region, largest_cluster, published_items
from newsextract.page.nodes import Nodes, read_nodes

Draw = Callable[[str], Nodes]

POSTS = [
    ("Anna", "3 May", "I saw the ferry", "/1"),
    ("Bo", "4 May", "It was late", "/2"),
    ("Cleo", "5 May", "As it ever was", "/3"),
]


def thread(posts: list[tuple[str, str, str, str]]) -> str:
    return "".join(
        f'<div class=post><b>{who}</b> <i>{day}</i><p>{text}</p><a href="{link}">Permalink</a><button>Reply</button></div>'
        for who, day, text, link in posts
    )


@pytest.mark.parametrize(
    ("labels", "areas", "expected"),
    [
        ([0, 0, 1, 1, 1, -1], [9, 9, 1, 1, 1, 99], 1),  # by count
        ([0, 0, 1, 1, -1], [1, 1, 2, 1, 9], 1),  # then by area
        ([0, 0, 1, 1], [1, 1, 1, 1], 0),  # then the first
        ([-1, -1], [1, 1], None),
        ([], [], None),
    ],
)
def test_largest_cluster(labels: list[int], areas: list[float], expected: int | None) -> None:
    assert largest_cluster(np.array(labels, dtype=np.int64), np.array(areas, dtype=np.float64)) == expected


def test_region_is_the_smallest_subtree_that_holds_all_records() -> None:
    nodes = read_nodes(f"<main><section>{thread(POSTS[:2])}</section><section>{thread(POSTS[2:])}</section></main>")
    posts = [i for i, attributes in enumerate(nodes.attributes) if attributes.get("class") == "post"]
    assert nodes.tags[common_ancestor(nodes, posts[:2])] == "section"
    region = data_region(nodes, posts, 0.5)
    assert nodes.tags[region.node] == "main"
    assert region.records == tuple((post,) for post in posts)
    assert common_ancestor(nodes, posts[:1]) == posts[0]


def test_dynamic_and_static_items() -> None:
    nodes = read_nodes(f"<main>{thread(POSTS)}</main>")
    posts = [(i,) for i, attributes in enumerate(nodes.attributes) if attributes.get("class") == "post"]
    items = published_items(nodes, posts, 1)
    for found, (who, day, text, link) in zip(items, POSTS, strict=True):
        told = [(nodes.texts[item.node], item.static, item.link) for item in found]
        assert told[:4] == [(who, False, None), (day, False, None), (text, False, None), ("Permalink", True, link)]
        assert told[4:] == [("Reply", True, None)]


def test_a_leaf_that_looks_otherwise_is_dynamic(rendered: Draw) -> None:
    nodes = rendered('<div><p>word</p><p css="color:rgb(1, 1, 1)">word</p></div>')
    records = [(i,) for i, tag in enumerate(nodes.tags) if tag == "p"]
    assert [[item.static for item in record] for record in published_items(nodes, records, 1)] == [[False], [False]]


def test_leaves_are_aligned_by_path_and_place_on_it() -> None:
    nodes = read_nodes("<ul><li><p>a</p><p>b</p><i>c</i><li><p>a</p><i>c</i><p>b</p><li><p>b</p></ul>")
    records = [(i,) for i, tag in enumerate(nodes.tags) if tag == "li"]
    first, second = published_items(nodes, records[:2], 1)
    assert [item.static for item in (*first, *second)] == [True] * 6
    for found in published_items(nodes, [records[0], records[2]], 1):  # "b" stands first there, the rest is missing
        assert not any(item.static for item in found)


def test_records_of_several_roots() -> None:
    nodes = read_nodes("<dl><dt>A<dd>new<dt>B<dd>new</dl>")
    roots = [i for i, tag in enumerate(nodes.tags) if tag in ("dt", "dd")]
    items = published_items(nodes, [roots[:2], roots[2:]], 1)
    assert [[item.static for item in record] for record in items] == [[False, True], [False, True]]


def test_the_other_record_is_seeded_and_never_the_record_itself() -> None:
    nodes = read_nodes("<ul>" + "".join(f"<li><b>{i % 2}</b><i>{i}</i>" for i in range(9)) + "</ul>")
    records = [(i,) for i, tag in enumerate(nodes.tags) if tag == "li"]
    assert published_items(nodes, records, 7) == published_items(nodes, records, 7)
    assert any(published_items(nodes, records, seed) != published_items(nodes, records, 7) for seed in range(5))
    for seed in range(5):
        assert not any(record[1].static for record in published_items(nodes, records, seed))


def test_one_record_alone_is_all_dynamic() -> None:
    nodes = read_nodes("<p>alone</p>")
    assert [[item.static for item in record] for record in published_items(nodes, [(0,)], 1)] == [[False]]
    assert published_items(nodes, [], 1) == []
