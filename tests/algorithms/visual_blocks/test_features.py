"""The feature layer: Table 1, the rules R1–R5, the tree, and each indicator's column on pages drawn by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from newsextract.algorithms.visual_blocks import features as rules
from newsextract.algorithms.visual_blocks.features import (
    TABLE_1,
    Properties,
    VisualBlockTree,
    block_tree,
    described,
    indicators,
    properties,
)
from newsextract.page.nodes import STYLE_NAMES, Nodes, read_nodes

Draw = Callable[[str], Nodes]


def node(nodes: Nodes, name: str) -> int:
    """The element with this id."""
    return next(i for i, attributes in enumerate(nodes.attributes) if attributes.get("id") == name)


def ids(nodes: Nodes, blocks: VisualBlockTree) -> list[str]:
    return [nodes.attributes[i].get("id", nodes.tags[i]) for i in blocks.nodes.tolist()]


def column(columns: Properties, name: str) -> list[float]:
    """The column of an indicator, by its name in the paper."""
    for countable, values in ((True, columns.countable), (False, columns.codes)):
        names = [row.name for row in indicators(visual=columns.visual, countable=countable)]
        if name in names:
            found: list[float] = values[names.index(name)].tolist()
            return found
    raise KeyError(name)


# --- Table 1 --------------------------------------------------------------------------------------


def test_table_1_has_34_indicators_in_11_groups_and_3_classes() -> None:
    assert len(TABLE_1) == len({row.name for row in TABLE_1}) == 34
    assert len({row.group for row in TABLE_1}) == 11
    assert Counter(row.kind for row in TABLE_1) == {"content": 6, "dom": 4, "visual": 24}
    assert Counter(row.group for row in TABLE_1 if row.kind == "visual") == {
        "font": 5,
        "box": 6,
        "layout": 8,
        "background": 5,
    }
    assert sorted(row.style for row in TABLE_1 if row.style) == sorted(STYLE_NAMES)


# --- Table 2: R1–R5 -------------------------------------------------------------------------------

AROUND = '<html><body><div id="a" box="0 0 900 100">one</div>{}<div id="z" box="0 800 900 100">two</div></body></html>'


def why(nodes: Nodes, name: str) -> str:
    return rules.WHY[int(block_tree(nodes).rules[node(nodes, name)])][:2]


@pytest.mark.parametrize(("size", "block"), [("17 17", True), ("16 17", False), ("17 16", False), ("900 0", False)])
def test_r1_both_sides_exceed_the_base_font_size(rendered: Draw, size: str, block: bool) -> None:
    nodes = rendered(AROUND.format(f'<div id="x" box="0 200 {size}">text</div>'))
    assert ("x" in ids(nodes, block_tree(nodes))) == block
    assert why(nodes, "x") == ("" if block else "R1")


def test_r2_an_only_child_makes_one_unit_with_its_parent(rendered: Draw) -> None:
    inside = (
        '<div id="outer"><script>1</script><div id="x"><section id="y"><p id="p">b</p><p id="q">c</p></section></div></div>'
    )
    nodes = rendered(AROUND.format(inside))
    blocks = block_tree(nodes)
    assert ids(nodes, blocks) == ["html", "a", "outer", "p", "q", "z"]  # html and body are one, too
    outer = ids(nodes, blocks).index("outer")
    assert blocks.inner[outer] == node(nodes, "y")
    assert why(nodes, "x") == why(nodes, "y") == "R2"
    assert column(properties(nodes, blocks), "DOMChildrenNum")[outer] == 2


def test_r2_judges_the_unit_by_any_of_its_nodes(rendered: Draw) -> None:
    inside = '<div id="flat" box="0 200 900 0"><div id="x" box="0 200 900 300">text</div></div>'
    nodes = rendered(AROUND.format(inside))
    assert ids(nodes, block_tree(nodes)) == ["html", "a", "x", "z"]


def test_r3_no_text_or_white_space_only(rendered: Draw) -> None:
    nodes = rendered(AROUND.format('<div id="x"> &nbsp;\n</div><div id="y"><img></div><div id="w">\u2003 w</div>'))
    assert ids(nodes, block_tree(nodes)) == ["html", "a", "w", "z"]
    assert why(nodes, "x") == why(nodes, "y") == "R3"


def test_r4_invisible_or_off_the_page(rendered: Draw) -> None:
    inside = (
        '<div id="x" hidden>text</div><div id="left" box="-900 10 900 100">text</div><div id="up" box="0 -500 900 100">text</div>'
        '<div id="right" box="1000 0 900 100">text</div><div id="partly" box="-800 10 900 100">text</div>'
    )
    nodes = rendered(AROUND.format(inside))
    assert ids(nodes, block_tree(nodes)) == ["html", "a", "partly", "z"]
    assert [why(nodes, name) for name in ("left", "up", "right")] == ["R4"] * 3
    assert why(nodes, "x") == "R3"  # its text is not visible either


@pytest.mark.parametrize("position", ["absolute", "fixed"])
def test_r5_out_of_the_flow(rendered: Draw, position: str) -> None:
    nodes = rendered(AROUND.format(f'<div id="x" css="position:{position}"><p id="p">b</p><p id="q">c</p></div>'))
    blocks = block_tree(nodes)
    assert ids(nodes, blocks) == ["html", "a", "p", "q", "z"]  # what it holds goes to the block around it
    assert blocks.parents.tolist() == [-1, 0, 0, 0, 0]
    assert why(nodes, "x") == "R5"
    spared = np.zeros(len(nodes), dtype=np.bool_)
    spared[node(nodes, "x")] = True
    assert "x" in ids(nodes, block_tree(nodes, positioned=spared))
    relative = rendered(AROUND.format('<div id="x" css="position:relative"><p>b</p><p>c</p></div>'))
    assert "x" in ids(relative, block_tree(relative))


def test_fine_grained_nodes_go_with_the_block_around_them(rendered: Draw) -> None:
    inside = (
        '<div id="x">words <a id="link" href="/">a link</a> <b id="bold">bold</b></div>'
        '<span id="holder"><p id="p">one</p><p id="q">two</p></span>'
        '<a id="button" css="display:inline-block">press</a>'
    )
    nodes = rendered(AROUND.format(inside))
    assert ids(nodes, block_tree(nodes)) == ["html", "a", "x", "holder", "p", "q", "button", "z"]


def test_without_geometry_the_source_decides() -> None:
    nodes = read_nodes(
        '<div id=a>one<span>two</span></div><div id=x style="display:none">no</div><div id=y></div><p id=p>three</p>'
    )
    blocks = block_tree(nodes)
    assert blocks.boxes is None
    assert ids(nodes, blocks) == ["html", "a", "p"]


# --- the tree -------------------------------------------------------------------------------------


def test_the_tree_keeps_the_nodes_ancestry(rendered: Draw, results_page: str) -> None:
    nodes = rendered(results_page)
    blocks = block_tree(nodes)
    assert blocks.boxes is not None
    assert blocks.parents[0] == -1
    assert blocks.nodes[0] == 0
    assert (np.diff(blocks.nodes) > 0).all()
    for row in range(1, len(blocks)):
        parent = int(blocks.parents[row])
        assert row in blocks.children[parent]
        assert parent < row < blocks.ends[parent]
        between = range(parent + 1, row)  # no other block is nearer
        assert not any(blocks.nodes[k] < blocks.nodes[row] < nodes.ends[blocks.nodes[k]] for k in between)
    listing = ids(nodes, blocks).index("ul")
    assert len(blocks.children[listing]) == 10
    assert blocks.ends[listing] == listing + 31
    assert blocks.text_lengths[0] == sum(map(len, nodes.texts))


def test_a_page_without_nodes() -> None:
    empty = np.zeros(0, dtype=np.int32)
    nodes = Nodes([], [], [], empty, empty, empty, np.zeros(0, dtype=np.bool_))
    blocks = block_tree(nodes)
    assert len(blocks) == 0
    assert len(properties(nodes, blocks)) == 0


# --- the columns ----------------------------------------------------------------------------------

TWO = """<html box="0 0 1000 2000"><body><div id="list" box="100 200 800 700">
<div id="one" box="110 210 780 300" css="margin:10px 20px;font-size:18px;color:rgb(1, 2, 3)">A title <a href="/1">here</a>
<a href="#">top</a><a>no</a><a href="javascript:x()">js</a><img><img hidden><video></video><audio></audio></div>
<div id="two" box="110 510 780 300" css="margin:1px 2px 3px 4px">A title <p>x</p><p>y</p></div>
<div id="three" box="110 810 780 90">A title <p>x</p><p>y</p></div></div><p>end</p></body></html>"""


def test_the_columns_of_two_blocks(rendered: Draw) -> None:
    nodes = rendered(TWO)
    blocks = block_tree(nodes)
    columns = properties(nodes, blocks)
    assert columns.countable.shape == (14, len(blocks))
    assert columns.codes.shape == (20, len(blocks))
    one, two, three = (ids(nodes, blocks).index(name) for name in ("one", "two", "three"))
    expected = {
        "ContentLength": (7 + 4 + 3 + 2 + 2, 9),
        "LinkNum": (1, 0),
        "ImageNum": (1, 0),
        "MultimediaNum": (2, 0),
        "DOMDepth": (3, 3),
        "DOMChildrenNum": (8, 2),
        "DOMSiblingsNum": (2, 2),
        "FontSize": (18, 16),
        "BoxWidth": (780, 780),
        "BoxHeight": (300, 300),
        "LayoutRelativeLeft": (110 - 20 - 100, 110 - 4 - 100),
        "LayoutRelativeTop": (210 - 10 - 200, 510 - 1 - 200),
        "LayoutAbsoluteLeft": (90, 106),
        "LayoutAbsoluteTop": (200, 509),
    }
    for name, values in expected.items():
        found = column(columns, name)
        assert (found[one], found[two]) == values, name
    for name in ("HTMLTag", "DOMPath", "FontFamily", "LayoutDisplay", "BackgroundColor"):
        assert column(columns, name)[one] == column(columns, name)[two], name
    for name in ("FontColor", "BoxMargin"):
        assert column(columns, name)[one] != column(columns, name)[two], name
    text = column(columns, "ContentText")
    assert text[one] != text[two] == text[three]
    assert column(columns, "HTMLTag")[0] != column(columns, "HTMLTag")[one]
    assert column(columns, "DOMPath")[0] != column(columns, "DOMPath")[one]


def test_equal_texts_have_equal_codes_wherever_they_stand() -> None:
    nodes = read_nodes("<p>a<b>b</b></p><p>b<b>a</b></p><p>a<b>b</b></p><p>ab</p><p>a</p><p>b</p><p>a<i>b</i></p>")
    blocks = block_tree(nodes)
    codes = column(properties(nodes, blocks), "ContentText")[1:]
    assert codes[0] == codes[2] == codes[6]
    assert len(set(codes)) == 5


def test_without_geometry_only_content_and_dom() -> None:
    nodes = read_nodes(TWO)
    columns = properties(nodes, block_tree(nodes))
    assert not columns.visual
    assert columns.countable.shape[0] == 7
    assert columns.codes.shape[0] == 3
    assert "FontSize" not in described(nodes, block_tree(nodes), columns, 0)


def test_described_names_all_34(rendered: Draw) -> None:
    nodes = rendered(TWO)
    blocks = block_tree(nodes)
    told = described(nodes, blocks, properties(nodes, blocks), ids(nodes, blocks).index("one"))
    assert list(told) == [row.name for row in TABLE_1]
    assert told["HTMLTag"] == "div"
    assert told["DOMPath"] == "html/body/div/div"
    assert told["ContentText"] == "A title here top no js"
    assert told["FontColor"] == "rgb(1, 2, 3)"
    assert told["FontSize"] == 18
    assert told["LayoutAbsoluteTop"] == 200
    assert told["BackgroundSize"] == "auto"


def test_hostile_numbers_stay_finite(rendered: Draw) -> None:
    nodes = rendered(
        '<html box="0 0 1000 1000"><body><p css="font-size:1e999px;margin:auto" box="0 0 3e38 3e38">a</p>'
        '<p css="margin:-1.5e+07px 2px 3px;font-size:" box="0 900 20 20">b</p></body></html>'
    )
    columns = properties(nodes, block_tree(nodes))
    assert np.isfinite(columns.countable).all()
    assert column(columns, "LayoutAbsoluteTop")[2] == 900 + 1.5e7
