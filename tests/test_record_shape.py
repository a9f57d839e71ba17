"""The shape of records: learned on one page, found on the next, and never something else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract import Page, find_records
from newsextract.algorithms.record_shape import Kind, Shape, agree, find_shape, learn_shape, read_shape
from newsextract.extraction import BY_SHAPE, shape_of
from newsextract.page.nodes import Nodes, read_nodes
from newsextract.results import Region
from tests.examples import examples
from tests.made_snapshots import made_snapshot

MENU = "<nav><ul class=menu>" + "".join(f"<li><a href=/{n}>Part {n}</a></li>" for n in range(4)) + "</ul></nav>"
HEAD = f"<html><body class='page-{{}} open'>{MENU}<div id=main>"
SAYING = " The tide came in at noon, and the boats that lay along the quay were off before the bells had rung."
TAIL = "</div><div id=side><ol><li><p>Also <b>read</b></p></li></ol></div>"


def list_page(*items: str, number: int = 1) -> str:
    return HEAD.format(number) + "<ol class=list>" + "".join(items) + "</ol>" + TAIL


def item(n: int, more: str = "") -> str:
    place = "odd first" if n % 2 else "even last"
    return f"<li class='hit {place}' id=hit-{n}><h3><a href=/h/{n}>Hit {n} of the harbour</a></h3><p>It says {n}.{more}</p></li>"


def table_rows(n: int) -> str:
    return f"<tr><td><a href=/r/{n}>Row {n} of the table</a></td></tr><tr><td class=text>It says {n}.</td></tr>"


def terms(n: int) -> str:
    return f"<dt>Term {n}</dt><dd><p>What it is, {n}.</p></dd>"


def source(markup: str) -> Nodes:
    return read_nodes(markup)


def drawn(markup: str) -> Nodes:
    return made_snapshot(markup).nodes


each_kind = pytest.mark.parametrize("nodes_of", [source, drawn])


def region(nodes: Nodes, tag: str, under: str, roots: int = 1) -> Region:
    """Records of some roots each, beginning with a tag, in the last element of another tag."""
    parent = max(node for node, name in enumerate(nodes.tags) if name == under)
    children = [node for node in nodes.children[parent] if nodes.tags[node]]
    starts = [place for place, node in enumerate(children) if nodes.tags[node] == tag][:: roots if tag == "tr" else 1]
    return Region(parent, tuple(tuple(children[place : place + roots]) for place in starts))


def learned(nodes: Nodes, tag: str, under: str, roots: int = 1) -> Shape:
    shape = learn_shape(nodes, region(nodes, tag, under, roots), 0.9)
    assert shape is not None
    assert read_shape(str(shape)) == shape
    return shape


def texts(nodes: Nodes, shape: Shape) -> list[str]:
    found = find_shape(nodes, shape)
    return [] if found is None else [nodes.text(*roots) for roots in found.records]


def first_list(nodes: Nodes) -> Region:
    parent = nodes.tags.index("ol")
    return Region(parent, tuple((node,) for node in nodes.children[parent]))


@each_kind
def test_a_single_record_is_found_and_nothing_else(nodes_of: Callable[[str], Nodes]) -> None:
    page = nodes_of(list_page(*map(item, range(5))))
    shape = learn_shape(page, first_list(page), 0.9)
    assert shape is not None
    later = nodes_of(list_page(item(12), number=3))
    found = find_shape(later, shape)
    assert found is not None
    assert [later.text(*roots) for roots in found.records] == ["Hit 12 of the harbour It says 12."]
    assert later.tags[found.node] == "ol"
    assert found.score == 0.9
    assert find_shape(nodes_of(list_page(number=4)), shape) is None, "menu and side list are none"
    assert find_shape(nodes_of(f"<p>None.{MENU}"), shape) is None


def test_words_that_are_emphasised_for_the_query_are_no_part_of_a_shape() -> None:
    nodes = source(list_page(*(item(n, f"<em>tide</em> <b>{n}</b>") for n in range(4))))
    shape = learn_shape(nodes, first_list(nodes), 0.9)
    assert shape is not None
    found = find_shape(source(list_page(item(9))), shape)
    assert found is not None
    assert found.score == 0.9


def test_a_record_of_another_sort_is_found_if_it_is_built_alike() -> None:
    hits = [item(n).replace("class='hit", "class='hit reply quoted") for n in range(4)]
    nodes = source(list_page(*hits))
    shape = learn_shape(nodes, first_list(nodes), 0.9)
    assert shape is not None
    other = item(9).replace("class='hit", "class='hit topic opening")
    found = find_shape(source(list_page(other)), shape)
    assert found is not None
    assert len(found.records) == 1
    assert find_shape(source(list_page("<li class='hit topic opening'>Nothing more was found</li>")), shape) is None


def test_a_record_that_lacks_a_part_is_less_sure() -> None:
    nodes = source(list_page(*(item(n, "<span class=by>x</span>") for n in range(4))))
    shape = learn_shape(nodes, first_list(nodes), 0.9)
    assert shape is not None
    found = find_shape(source(list_page(item(9))), shape)
    assert found is not None
    assert found.score == pytest.approx(0.9 * 3 / 4)
    assert find_shape(source(list_page("<li class=hit>Nothing more was found</li>")), shape) is None


@each_kind
def test_records_of_several_siblings(nodes_of: Callable[[str], Nodes]) -> None:
    def page(rows: str) -> Nodes:
        return nodes_of(f"<body><table id=menu><tr><td><a href=/>Start</a></td></tr></table><table id=rows>{rows}</table>")

    shape = learned(page("".join(map(table_rows, range(4)))), "tr", "tbody", 2)
    assert texts(page(table_rows(7)), shape) == ["Row 7 of the table It says 7."]
    assert texts(page(table_rows(7) + table_rows(8)), shape) == [
        "Row 7 of the table It says 7.", "Row 8 of the table It says 8.",
    ]  # fmt: skip
    shape = learned(nodes_of("<body><dl class=terms>" + "".join(map(terms, range(3))) + "</dl>"), "dt", "dl", 2)
    assert texts(nodes_of(f"<body><dl class=terms>{terms(5)}<p>end</p></dl><dl class=menu>{terms(6)}</dl>"), shape) == [
        "Term 5 What it is, 5."
    ]


def test_bare_wrappers_and_classes_of_the_body_may_differ() -> None:
    nodes = source(list_page(*map(item, range(4))))
    shape = learn_shape(nodes, first_list(nodes), 0.9)
    assert shape is not None
    other = list_page(item(9)).replace("<div id=main>", "<div><div id=main>").replace("page-1 open", "user night")
    assert texts(source(other), shape) == ["Hit 9 of the harbour It says 9."]
    assert texts(source(list_page(item(9)).replace("<ol class=list>", "<ol class=related>")), shape) == []


def test_what_does_not_tell_records_from_others_is_no_shape() -> None:
    def bare(count: int) -> str:
        return "<ul>" + "".join(f"<li><a href=/{n}>Entry {n}</a></li>" for n in range(count)) + "</ul>"

    nodes = source("<body>" + bare(3) + bare(6))
    assert learn_shape(nodes, region(nodes, "li", "ul"), 0.9) is None, "the menu looks alike"
    nodes = source("<body>" + bare(6))
    assert learn_shape(nodes, region(nodes, "li", "ul"), 0.9) is not None
    assert learn_shape(nodes, region(nodes, "li", "ul"), 0.3) is None, "a page of which the algorithm was not sure"
    nodes = source("<body><div>" + "<p>A paragraph.</p>" * 4 + "</div>")
    assert learn_shape(nodes, region(nodes, "p", "div"), 0.9) is None, "nothing tells them"
    nodes = source(list_page(item(1)))
    assert learn_shape(nodes, first_list(nodes), 0.9) is None, "one is all"


def test_whether_an_algorithm_found_the_same() -> None:
    nodes = source(list_page(*map(item, range(4))))
    shaped = first_list(nodes)
    inner = Region(shaped.node, tuple((nodes.children[root][1],) for (root,) in shaped.records))
    menu = region(nodes, "li", "ul")
    assert agree(nodes, shaped, shaped)
    assert agree(nodes, inner, shaped), "the same records, cut smaller"
    assert agree(nodes, Region(0, menu.records + shaped.records), shaped), "others beside several"
    assert not agree(nodes, menu, shaped)
    assert not agree(nodes, Region(0, shaped.records[:2]), shaped), "half of them"
    assert not agree(nodes, Region(0, ((shaped.node,),)), shaped), "all of them as one"
    single = Region(shaped.node, shaped.records[:1])
    assert agree(nodes, single, single)
    assert not agree(nodes, Region(0, (*single.records, menu.records[0])), single), "one comes with something else"


def test_find_records_takes_those_of_the_shape() -> None:
    first = Page.from_text(list_page(*(item(n, SAYING) for n in range(8))))
    found = find_records(first)
    assert len(found.records) == 8
    shape = shape_of(first, found)
    assert shape is not None
    last = Page.from_text(list_page(item(9, SAYING), number=2))
    alone, helped = find_records(last), find_records(last, shape=shape)
    assert f"Hit 9 of the harbour It says 9.{SAYING}" not in [record.text for record in alone.records]
    assert [record.text for record in helped.records] == [f"Hit 9 of the harbour It says 9.{SAYING}"]
    assert (helped.status, helped.reason, helped.note) == ("ok", None, BY_SHAPE)
    assert 0 < helped.confidence <= found.confidence
    assert [(one.text, one.kind) for one in helped.records[0].items][:1] == [("Hit 9 of the harbour", "link")]
    assert find_records(first, shape=shape) == found, "what the algorithm finds itself stands"
    nothing = Page.from_text(list_page(number=3))
    assert find_records(nothing, shape=shape) == find_records(nothing), "neither finds anything"
    assert shape_of(nothing, find_records("")) is None


PARTS = (
    "<ul>", "</ul>", "<li>", "<li class='a b'>", "<div class=hit>", "<div id=x1>", "</div>", "<tr>", "<td>", "<table>", "</table>",
    "<a href=/x>", "</a>", "<p>", "one two", "港口", "<br>", "<dt>", "<dd>", "<x\N{SNOWMAN}/y>", "<svg class=q>", "</svg>", "<hr>",
)  # fmt: skip
markup = st.lists(st.sampled_from(PARTS), max_size=60).map("".join)
steps = st.sampled_from(["", "html", "body", "ul", "li", "li a b", "div hit", "div", "tr", "/", "+"])
many = st.lists(steps, max_size=3).map(tuple)
shapes = st.builds(
    Shape,
    st.lists(st.builds(Kind, many, steps, many, st.integers(-1, 4), st.integers(-1, 9), many), max_size=3).map(tuple),
    st.floats(0, 1),
)


@given(one=markup, other=markup, shape=shapes, data=st.data())
@settings(max_examples=examples(150))
def test_any_shape_on_any_page(one: str, other: str, shape: Shape, data: st.DataObject) -> None:
    nodes = read_nodes(one)
    for page in (nodes, read_nodes(other)):
        found = find_shape(page, read_shape(str(shape)))
        if found is not None:
            assert 0 <= found.score <= 1
            last = -1
            for roots in found.records:
                assert roots[0] >= last, "in order, none within another"
                last = int(page.ends[roots[-1]])
                assert page.text(*roots)
    elements = [node for node, tag in enumerate(nodes.tags) if tag]
    if elements:
        drawn_ones = sorted(set(data.draw(st.lists(st.sampled_from(elements), min_size=1, max_size=5))))
        outer = [node for k, node in enumerate(drawn_ones) if all(nodes.ends[one] <= node for one in drawn_ones[:k])]
        known = Region(0, tuple((node,) for node in outer))
        own = learn_shape(nodes, known, 0.8)
        if own is not None:
            assert read_shape(str(own)) == own
            again = find_shape(nodes, own)
            assert again is not None
            assert {nodes.text(*found) for found in again.records} <= {nodes.text(node) for node in outer}


@given(st.text(max_size=40))
def test_any_text_is_a_shape_or_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no shape of records"):
        read_shape(text)
