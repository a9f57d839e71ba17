"""``node_attributes`` on pages that a real browser has drawn: what is near in the document may be far on the screen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract import Page, extract
from newsextract.algorithms.node_attributes import (
    EDGE,
    KEPT,
    LeafLimits,
    NodeAttributes,
    NodeAttributesParams,
    attributes,
    block_boxes,
    leaf_boxes,
    simplify,
    verdicts,
)
from newsextract.lab import train_published
from newsextract.page.snapshot import Snapshot
from tests.examples import examples
from tests.made_snapshots import made_snapshot

Show = Callable[..., Snapshot]

PLAIN = "<!DOCTYPE html><style>* { margin: 0; padding: 0 } body { width: 1000px; position: relative }</style>"
SENTENCE = "The pilot cutter went out before the fog had lifted and found the ferry on the sand bank. "
LAYOUT = """<!DOCTYPE html><style>
body { margin: 0; position: relative; height: 4000px; width: 1423px }
div { position: absolute }
#first { top: 3960px; left: 0; width: 1000px }    /* first in the document, at the foot of the page */
#second { top: 1000px; left: 0; width: 1000px }
#third { top: 1000px; left: 1300px; width: 100px }  /* beside the second */
#last { top: 2000px; left: 0; width: 1000px }     /* last in the document, in the middle of the page */
</style>"""
PAGE = LAYOUT + "".join(f"<div id={name}><p>{name} {SENTENCE}</p></div>" for name in ("first", "second", "third", "last"))
LIMITS = {"delta1": 0.0, "delta2": 0.05, "container": 0.0, "boilerplate": False}
EDGES = {"delta3": 0.05, "delta4": 0.05, "box_bottom": 0.05, "box_top": 0.05}


def boxes_of(snapshot: Snapshot) -> dict[str, list[int]]:
    """Box of each block in CSS pixels, by its first word; those that have one."""
    dom = Page.from_snapshot(snapshot).dom
    boxes = block_boxes(dom, snapshot.nodes)
    assert boxes is not None
    assert snapshot.nodes.geometry is not None
    width, height = snapshot.nodes.geometry.page_size
    pixels = boxes * (width, height, width, height)
    rows = zip(dom.texts, pixels.tolist(), strict=True)
    return {text.split()[0]: [round(side) for side in row] for text, row in rows if not np.isnan(row).any()}


def words(snapshot: Snapshot, **params: Any) -> list[str]:
    """The first word of each paragraph that is kept."""
    body = NodeAttributes(NodeAttributesParams(**{**LIMITS, **params}))(Page.from_snapshot(snapshot))
    assert body.reason is None or "no leaf" in body.reason
    return [line.split()[0] for line in body.text.split("\n") if line]


@pytest.mark.crawl
def test_the_foot_of_the_screen_is_not_the_end_of_the_document(show: Show) -> None:
    snapshot = show(PAGE)
    assert words(snapshot, geometry="boxes", box_bottom=0.05) == ["second", "third", "last"]
    assert words(snapshot, geometry="position", delta3=0.05) == ["first", "second", "third"]
    assert words(snapshot, geometry="position", delta4=0.05) == ["second", "third", "last"]
    assert words(snapshot, geometry="boxes", box_top=0.2) == ["first", "second", "third", "last"]
    assert words(snapshot, geometry="boxes", box_top=0.3) == ["first", "last"]


@pytest.mark.crawl
def test_the_two_geometries_have_limits_of_their_own(show: Show) -> None:
    snapshot = show(PAGE)
    everything = ["first", "second", "third", "last"]
    assert words(snapshot, geometry="boxes", delta3=0.5, delta4=0.5) == everything
    assert words(snapshot, geometry="position", box_bottom=0.5, box_top=0.5, box_width=1.0) == everything


@pytest.mark.crawl
def test_neighbours_in_the_document_differ_in_width_and_height(show: Show) -> None:
    snapshot = show(PAGE)
    assert words(snapshot, geometry="boxes", box_width=0.1) == ["first", "second", "last"]
    assert words(snapshot, geometry="boxes", box_height=0.02) == ["third"]


@pytest.mark.crawl
def test_auto_reads_boxes_where_there_are_any(show: Show) -> None:
    snapshot = show(PAGE)
    source = Page(snapshot.html.encode())
    params = {**LIMITS, **EDGES}
    rendered, plain = (
        extract(page, algorithm="node_attributes", params=params) for page in (Page.from_snapshot(snapshot), source)
    )
    assert (rendered.text.count("last"), rendered.text.count("first")) == (1, 0)
    assert (plain.text.count("last"), plain.text.count("first")) == (0, 0)
    assert rendered.status == plain.status == "ok"


@pytest.mark.crawl
@pytest.mark.parametrize("preset", ["default", "published"])
def test_both_presets_leave_a_narrow_column_out_of_rendered_pages(show: Show, preset: str) -> None:
    snapshot = show(PAGE.replace("The pilot", "Meanwhile the harbour pilot"))
    params = {"preset": preset, "value_filter": False}
    assert "third" not in extract(Page.from_snapshot(snapshot), algorithm="node_attributes", params=params).text
    params["geometry"] = "position"
    assert "third" in extract(Page.from_snapshot(snapshot), algorithm="node_attributes", params=params).text


def test_without_a_snapshot_boxes_cannot_be_had() -> None:
    article = extract(PAGE, algorithm="node_attributes", params={"geometry": "boxes"})
    assert (article.status, article.text) == ("empty", "")
    assert "needs a rendered page" in (article.reason or "")


@pytest.mark.crawl
def test_boxes_by_hand(show: Show) -> None:
    snapshot = show(
        PLAIN + "<p style='height:40px'>One short</p>"
        "<div>Two <b>and</b> more<p style='height:60px'>Three</p>Four</div>"
        "<div style='height:30px'><span style='float:left;width:50px;height:200px'>Five</span></div>"
        "<p style='display:contents'>Six</p>"
        "<p style='display:none'>Seven</p><p style='visibility:hidden'>Eight</p>"
    )
    boxes = boxes_of(snapshot)
    assert list(boxes) == ["One", "Two", "Three", "Four", "Five", "Six"]
    assert boxes["One"] == [0, 0, 1000, 40]  # the element's box: as wide as the column
    left, top, right, bottom = boxes["Two"]  # the texts' alone: the element holds other blocks
    assert (left, top) == pytest.approx((0, 40), abs=6)
    assert right < 200
    # A text's box is as high as its font, the line around it up to a few pixels more or less: every font must pass.
    assert boxes["Three"] == pytest.approx([0, bottom, 1000, bottom + 60], abs=6)
    assert boxes["Three"][3] - boxes["Three"][1] == 60
    assert boxes["Four"][1] == pytest.approx(boxes["Three"][3], abs=6)
    assert boxes["Five"][:3] == pytest.approx([0, boxes["Four"][3], 1000], abs=6)
    assert boxes["Six"][1] >= boxes["Five"][1] - 6


@pytest.mark.crawl
def test_a_cell_is_as_wide_as_its_row(show: Show) -> None:
    cells = "<td>Grain<td>386<tr><td>Ore<td><p>471<p>more"
    boxes = boxes_of(show(PLAIN + f"<table style='width:800px;border-spacing:0'><tr>{cells}</table>"))
    assert boxes["Grain"] == boxes["386"]
    assert boxes["Grain"][2] == 800
    assert boxes["Ore"][0] == 0
    assert boxes["Ore"][2] == 800
    assert boxes["471"][0] > 0  # a cell of several blocks is a column


@pytest.mark.crawl
def test_what_no_reader_sees_has_no_box(show: Show) -> None:
    html = PLAIN + f"<p>Seen {SENTENCE}</p><p class=x>Hidden words</p><style>.x {{ display: none }}</style>"
    snapshot = show(html)
    dom = Page.from_snapshot(snapshot).dom
    tree = simplify(dom, boilerplate=False)  # the source does not tell: the rule stands in a style sheet
    boxes = leaf_boxes(dom, tree, snapshot.nodes)
    assert isinstance(boxes, np.ndarray)
    assert np.isnan(boxes).all(axis=1).tolist() == [False, True]
    leaves = attributes(tree, boxes)
    assert [column[1] for column in (leaves.top, leaves.bottom, leaves.width, leaves.height)] == [0, 0, 0, 0]
    assert verdicts(leaves, LeafLimits(0, 1, 0, 0, width=0.0001)).tolist() == [KEPT, EDGE]
    assert verdicts(leaves, LeafLimits(0, 1, 0, 0)).tolist() == [KEPT, KEPT]


@pytest.mark.crawl
def test_a_page_that_waits_for_its_script_is_read_in_document_order(show: Show) -> None:
    snapshot = show(f"<style>.late {{ display: none }}</style><p>Wait</p><div class=late><p>{SENTENCE * 3}</p></div>")
    article = extract(Page.from_snapshot(snapshot), algorithm="node_attributes")
    assert "pilot cutter" in article.text
    assert article.reason == "document order in place of boxes: the browser shows less than half of the text"


@pytest.mark.crawl
def test_a_page_that_no_source_makes_is_read_in_document_order(show: Show) -> None:
    script = "p.append(document.createElement('div'))"
    snapshot = show(f"<p id=p>x</p><p>{SENTENCE}</p><script>{script}</script>", True)
    article = extract(Page.from_snapshot(snapshot), algorithm="node_attributes")
    assert "pilot cutter" in article.text
    assert "are not those of the source" in (article.reason or "")


@pytest.mark.crawl
def test_evidence_tells_which_geometry_was_read(show: Show) -> None:
    page = Page.from_snapshot(show(PAGE))
    for geometry, width in (("boxes", 0.0703), ("position", 1.0)):
        algorithm = NodeAttributes(NodeAttributesParams(**LIMITS, geometry=geometry))
        shown = algorithm(page, evidence=True).evidence
        assert shown is not None
        assert shown["geometry"] == geometry
        assert shown["leaves"][2]["width"] == pytest.approx(width, abs=0.0001)


MARKUP = st.lists(
    st.sampled_from(
        ["<div>", "</div>", "<p>", "<table>", "<td>", "</table>", "<a href=x>", "</a>", "<b>", "<img src=x>", "<br>", "<svg>",
         "</svg>", "<noscript>", "</noscript>", "<script>x</script>", "<select><option>", "</select>", "<form>", "word ",
         "正文，", " \u2028", "\xa0", "<ul><li>", "<pre>\n", "<h2>"]
    ),
    max_size=60,
)  # fmt: skip


@settings(max_examples=examples(150))
@given(MARKUP)
def test_every_block_of_a_source_is_a_run_of_its_nodes(parts: list[str]) -> None:
    snapshot = made_snapshot("".join(parts) + "<p>end")
    dom = Page.from_snapshot(snapshot).dom
    boxes = block_boxes(dom, snapshot.nodes)
    assert boxes is not None
    assert boxes.shape == (len(dom.texts), 4)
    seen = boxes[~np.isnan(boxes[:, 0])]
    assert ((seen >= 0) & (seen <= 1)).all()


@pytest.mark.parametrize("html", ["", "<img src=x>", "<script>x</script>"])
def test_a_rendered_page_without_text_has_no_boxes(html: str) -> None:
    page = Page.from_snapshot(made_snapshot(html))
    assert page.snapshot is not None
    boxes = block_boxes(page.dom, page.snapshot.nodes)
    assert boxes is not None
    assert boxes.shape == (0, 4)
    body = NodeAttributes(NodeAttributesParams())(page)
    assert (body.text, body.reason) == ("", "no leaf passes the density and position filter")


def test_nodes_of_another_page_are_refused() -> None:
    snapshot = made_snapshot("<div><p>one</p>two</div>")
    dom = Page(b"<div><p>one</p></div>two").dom
    assert dom.tags == Page.from_snapshot(snapshot).dom.tags
    assert block_boxes(dom, snapshot.nodes) is None
    assert block_boxes(Page(b"<div><p>one</p>two</div>").dom, replace(snapshot.nodes, geometry=None)) is None


def _sample(width: list[float], wanted: list[bool]) -> train_published.Sample:
    count = len(width)
    tree = simplify(Page(b"<p>word</p>" * count).dom, boilerplate=False)
    row = np.linspace(0.1, 0.8, count)
    drawn = attributes(tree, np.column_stack((np.zeros(count), row, width, row + 0.05)))
    grams = np.full(count, 100.0)
    return train_published.Sample(attributes(tree), grams, np.where(wanted, grams, 0.0), 100 * sum(wanted), 0.5, drawn)


def test_fitting_finds_the_width_that_separates() -> None:
    samples = [_sample([0.6, 0.12, 0.7], [True, False, True])] * 3
    position, before = train_published.fit(samples, container=False)
    limits, after = train_published.fit_boxes(samples, position)
    assert 0.12 < limits.width <= 0.6
    assert (limits.delta1, limits.delta2, limits.container) == (position.delta1, position.delta2, position.container)
    assert before < after == pytest.approx(1.0)
    assert train_published.score(train_published.rendered(samples), limits) == after
