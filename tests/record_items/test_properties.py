"""What holds for any page."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from newsextract.page.nodes import Nodes, read_nodes
from newsextract.records.items import align
from newsextract.records.leaves import joined, text_kind
from newsextract.results import Region

_TAGS = ("div", "p", "span", "b", "a href=/x", "li", "td", "br", "h3", "img alt=pic src=i", "i class=date")
_trees = st.recursive(
    st.sampled_from(["word", "3 May 2011", "$ 5", "…", "，", "by", "x.example/y", ""]),
    lambda inner: st.tuples(st.sampled_from(_TAGS), st.lists(inner, max_size=4)).map(
        lambda drawn: f"<{drawn[0]}>{' '.join(drawn[1])}</{drawn[0].split()[0]}>"
    ),
    max_leaves=12,
)


def _records(bodies: list[str]) -> tuple[Nodes, Region]:
    nodes = read_nodes("<main>" + "".join(f"<article>{body}</article>" for body in bodies) + "</main>")
    roots = [node for node, tag in enumerate(nodes.tags) if tag == "article"]
    return nodes, Region(max(roots[0] - 1, 0), tuple((root,) for root in roots))


@given(st.lists(_trees, min_size=1, max_size=8))
def test_every_record_has_its_items_and_a_label_once(bodies: list[str]) -> None:
    nodes, region = _records(bodies)
    table = align(nodes, region, "https://a.example/")
    assert len(table) == len(region.records)
    for roots, items in zip(region.records, table, strict=True):
        labels = [item.label for item in items]
        assert len(set(labels)) == len(labels)
        for item in items:
            assert item.text == " ".join(item.text.split()) != ""
            assert item.nodes
            assert all(roots[0] <= node < nodes.ends[roots[0]] and nodes.visible[node] for node in item.nodes)
            assert item.link is None or item.link.startswith("https://")


@given(st.lists(_trees, min_size=1, max_size=8))
def test_no_word_is_lost_or_doubled(bodies: list[str]) -> None:
    nodes, region = _records(bodies)
    for roots, items in zip(region.records, align(nodes, region, None), strict=True):
        used = [node for item in items for node in item.nodes if item.kind != "image"]
        assert len(set(used)) == len(used)
        left = set(nodes.text_nodes(roots[0])) - set(used)
        assert not any(character.isalnum() for node in left for character in nodes.texts[node])


@given(_trees, st.integers(2, 6))
def test_equal_records_have_equal_items(body: str, times: int) -> None:
    nodes, region = _records([body] * times)
    table = [[(item.label, item.text) for item in items] for items in align(nodes, region, None)]
    assert table == [table[0]] * times


@given(st.lists(st.text(min_size=1).map(lambda text: " ".join(text.split())).filter(bool), min_size=1, max_size=6))
def test_joined_texts_differ_from_their_parts_in_blanks_only(texts: list[str]) -> None:
    assert joined(texts).replace(" ", "") == "".join(texts).replace(" ", "")


@given(st.text(max_size=500))
def test_any_text_has_a_kind(text: str) -> None:
    assert (text_kind(text) == "none") == (not any(map(str.isalnum, text)))
