"""The extraction layer: the largest cluster, the region around records."""

from __future__ import annotations

import numpy as np
import pytest

from newsextract.algorithms.visual_blocks.processing import common_ancestor, data_region, largest_cluster
from newsextract.page.nodes import read_nodes

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
