"""The four layers together: the records of a drawn page, a reason for every empty answer, the evidence, arbitrary pages."""

from __future__ import annotations

import dataclasses
import json
import pickle
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract import Page
from newsextract.algorithms.visual_blocks.algorithm import VisualBlocks
from newsextract.algorithms.visual_blocks.features import page_nodes
from newsextract.algorithms.visual_blocks.processing import PUBLISHED, VisualBlocksParams, focus_records
from newsextract.errors import MissingExtra, ParameterError
from newsextract.page.nodes import Nodes, read_nodes
from newsextract.page.snapshot import Snapshot
from newsextract.results import RecordSet
from tests.examples import examples

Draw = Callable[[str], Nodes]
DOM = VisualBlocksParams(features="dom")


def texts(nodes: Nodes, found: RecordSet) -> list[str]:
    return [nodes.text(*record) for region in found.regions for record in region.records]


def snapshot(nodes: Nodes, html: str) -> Snapshot:
    return Snapshot(None, html, nodes, (1000, 1000), datetime(2024, 5, 1, tzinfo=UTC))


# --- the parsing layer and the parameters ---------------------------------------------------------


def test_what_goes_in(rendered: Draw, results_page: str) -> None:
    nodes = rendered(results_page)
    page = Page.from_snapshot(snapshot(nodes, results_page))
    assert page_nodes(page, "visual") is nodes
    assert page_nodes(page, "dom") is page.nodes
    assert page_nodes(Page.from_text(results_page), "visual") is None
    assert page.nodes.geometry is None


def test_published_numbers() -> None:
    assert (PUBLISHED.centre_offset, PUBLISHED.area_share, PUBLISHED.text_share, PUBLISHED.gap) == (0.2, 0.4, 0.4, 0.2)
    assert (PUBLISHED.radius, PUBLISHED.min_points, PUBLISHED.zero_pair) == (0.2, 2, 1)
    for field in dataclasses.fields(VisualBlocksParams):
        assert set(field.metadata) == {"unit", "section", "range"}
        assert field.metadata["section"]
    with pytest.raises(ParameterError, match=r"visual_blocks: radius is 2; expected 0–1, for example radius = 0.2"):
        VisualBlocksParams(radius=2)


# --- records --------------------------------------------------------------------------------------


def test_the_hits_of_a_page(rendered: Draw, results_page: str) -> None:
    nodes = rendered(results_page)
    found = focus_records(nodes, PUBLISHED)
    assert found.status == "ok"
    assert found.evidence is None
    assert texts(nodes, found) == [
        f"Harbour ferry number {i * i} The ferry leaves every {i + 20} minutes from pier {i}." for i in range(10)
    ]
    assert nodes.tags[found.regions[0].node] == "ul"
    assert found.confidence == found.regions[0].score == 1.0


def test_the_hits_without_a_browser(rendered: Draw, results_page: str) -> None:
    nodes = read_nodes(results_page)
    found = focus_records(nodes, DOM, evidence=True)
    assert len(texts(nodes, found)) == 10
    assert found.evidence is not None
    assert "left out of similarity" in found.evidence["notes"][0]
    drawn = Page.from_snapshot(snapshot(rendered(results_page), results_page))
    assert VisualBlocks(DOM)(drawn, evidence=True) == found  # boxes are not looked at


def test_noise_is_no_record(rendered: Draw, results_page: str) -> None:
    pager = '<li box="200 900 600 70"><a href="/?p=2">Next page</a><p>More of it</p></li></ul>'
    nodes = rendered(results_page.replace("</ul>", pager))
    assert len(texts(nodes, focus_records(nodes, PUBLISHED))) == 10


@pytest.mark.parametrize("left", [0, 200])
@pytest.mark.parametrize(
    "inner", ["Harbour ferry", "Harbour ferry {n}", "<p>Ferry {n}</p><p>leaves</p><a href=/{n}>weiter</a>"]
)
def test_all_of_eight_equal_hits_are_records(rendered: Draw, inner: str, left: int) -> None:
    """§5.2 looks for noise at the region's ends; by §5.3 equal blocks are near each other, the first one, too."""
    hits = "".join(f'<div box="{left} {100 * n} 600 100">{inner.format(n=n)}</div>' for n in range(8))
    nodes = rendered(f'<body><div box="{left} 0 600 800">{hits}</div></body>')
    assert len(texts(nodes, focus_records(nodes, PUBLISHED))) == 8


def test_a_key_word_between_the_ends_is_no_noise(rendered: Draw, results_page: str) -> None:
    inside = results_page.replace("from pier 4.</p>", "from pier 4.</p><a href=/4>next</a>")
    nodes = rendered(inside)
    assert len(texts(nodes, focus_records(nodes, PUBLISHED))) == 10


def test_a_positioned_block_that_is_a_region_candidate_stays(rendered: Draw, results_page: str) -> None:
    floating = results_page.replace('<ul box="200 100 600 800">', '<ul box="200 100 600 800" css="position:absolute">')
    nodes = rendered(floating)
    assert len(texts(nodes, focus_records(nodes, PUBLISHED))) == 10
    small = dataclasses.replace(PUBLISHED, area_share=0.6)  # now it is none, and nothing else is but the page
    found = focus_records(nodes, small, evidence=True)
    assert found.evidence is not None
    listing = next(block for block in found.evidence["blocks"] if block["node"] == nodes.tags.index("ul"))
    assert listing["why"] == "R5: out of the flow"


# --- reasons --------------------------------------------------------------------------------------


def test_no_snapshot(results_page: str) -> None:
    found = VisualBlocks(PUBLISHED)(Page.from_text(results_page))
    assert found.status == "no_snapshot"
    assert "features" in (found.reason or "")


def spread(*parts: str) -> str:
    """A page of blocks below each other."""
    step = 900 // len(parts)
    return "".join(f'<div box="0 {i * step} 1000 {step}">{part}</div>' for i, part in enumerate(parts))


@pytest.mark.parametrize(
    ("markup", "reason"),
    [
        ("", "the page has no visible text"),
        ("<div hidden>nothing to see</div>", "the page has no visible text"),
        (
            '<html box="0 0 1000 1000"><body box="0 0 1000 300"><p>a</p><p>b</p></body></html>',
            "no 2 of the 2 blocks that are left of the region's 2 are within r = 0.05 of each other",
        ),
        ("<p>one block alone</p>", "the data region holds no further block"),
        (
            spread("one", '<p css="color:red">two and much more</p><p>2</p>', "<a>next</a>"),
            "no 2 of the 2 blocks that are left of the region's 3 are within r = 0.05 of each other",
        ),
    ],
)
def test_empty_answers_have_a_reason(rendered: Draw, markup: str, reason: str) -> None:
    params = dataclasses.replace(PUBLISHED, radius=0.05)
    found = focus_records(rendered(markup), params, evidence=True)
    assert found.status == "empty"
    assert found.regions == ()
    assert found.reason == reason
    assert found.evidence is not None
    assert found.evidence["notes"][-1] == found.reason


def test_the_reason_of_a_page_without_region(rendered: Draw) -> None:
    found = focus_records(rendered(spread("one", "two", "three")), dataclasses.replace(PUBLISHED, area_share=1.0))
    assert found.reason == (
        "no block passes T_o, T_a and T_c: of 4 blocks 3 are near the centre, 0 are large, 2 hold enough text"
    )


def test_missing_scikit_learn(rendered: Draw, results_page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.cluster", None)
    with pytest.raises(MissingExtra, match=r"python -m pip install .scikit-learn>="):
        focus_records(rendered(results_page), PUBLISHED)


# --- evidence -------------------------------------------------------------------------------------


def by_node(found: RecordSet) -> dict[int, dict[str, Any]]:
    assert found.evidence is not None
    assert json.loads(json.dumps(found.evidence, allow_nan=False)) == found.evidence
    return {block["node"]: block for block in found.evidence["blocks"]}


def test_evidence_tells_the_role_of_each_block(rendered: Draw, results_page: str) -> None:
    odd = '<li box="200 900 600 70"><a href="/?p=2">Next page</a><p>More of it</p></li></ul>'
    nodes = rendered(results_page.replace("</ul>", odd))
    found = focus_records(nodes, PUBLISHED, evidence=True)
    blocks = by_node(found)
    assert found.evidence is not None
    assert found.evidence["thresholds"]["area_share"] == 0.4
    items = [i for i, tag in enumerate(nodes.tags) if tag == "li"]
    assert [blocks[i]["role"] for i in items] == ["record"] * 10 + ["noise"]
    assert blocks[items[-1]]["why"] == "noise: a key word"
    assert {blocks[i]["cluster"] for i in items[:-1]} == {0}
    assert blocks[items[-1]]["cluster"] is None
    first = blocks[items[0]]
    assert first["box"] == [200, 100, 600, 70]
    assert first["kept"]
    assert len(first["properties"]) == 34
    listing = blocks[nodes.tags.index("ul")]
    assert listing["role"] == "region"
    assert found.evidence["blocks"][first["parent"]] is found.evidence["blocks"][list(blocks).index(listing["node"])]
    assert blocks[0]["parent"] == -1
    body = blocks[nodes.tags.index("body")]
    assert (body["kept"], body["parent"], body["properties"]) == (False, 0, {})
    assert body["why"] == "R2: one unit with its parent"


def test_evidence_is_capped_and_says_so(rendered: Draw) -> None:
    nodes = rendered(f"<ul>{'<li>word<p>a</p><p>b</p></li>' * 1200}</ul>")
    found = focus_records(nodes, PUBLISHED, evidence=True)
    assert found.evidence is not None
    assert len(found.evidence["blocks"]) == 3000
    assert "only the first 3000 of 36" in found.evidence["notes"][-1]


# --- anything -------------------------------------------------------------------------------------

PARTS = (
    "<div>", "</div>", "<ul>", "<li>", "</ul>", "<p>", "<span>", "</span>", "<a href=/x>", "</a>", "<table><tr><td>",
    "</table>", "text ", "next", "下一页", "<img>", "<b hidden>", '<p box="0 0 1000 900">', '<div box="-5 10 0 20">',
    '<div box="10 10 900 800" css="position:absolute">', '<li box="10 50 900 40">', '<li box="10 90 900 40" css="margin:1px">',
    '<p css="display:inline">', "<script>", "</script>", "\x00", "&nbsp;",
)  # fmt: skip


@given(st.lists(st.sampled_from(PARTS), max_size=40).map("".join), st.sampled_from((PUBLISHED, DOM)))
@settings(max_examples=examples(150))
def test_no_page_makes_it_raise(rendered: Draw, markup: str, params: VisualBlocksParams) -> None:
    nodes = rendered(markup)
    found = focus_records(nodes, params, evidence=True)
    assert found == focus_records(rendered(markup), params, evidence=True)
    assert pickle.loads(pickle.dumps(found)) == found
    by_node(found)
    assert 0 <= found.confidence <= 1
    assert (found.status == "ok") == bool(found.regions)
    assert found.status == "ok" or found.reason
    for region in found.regions:
        roots = [record[0] for record in region.records]
        assert all(nodes.text(root) for root in roots)
        assert all(region.node <= root < nodes.ends[region.node] for root in roots)
        assert all(nodes.ends[a] <= b for a, b in pairwise(roots))


@given(st.text(max_size=200))
@settings(max_examples=examples(60))
def test_no_text_makes_it_raise(markup: str) -> None:
    found = focus_records(read_nodes(markup), DOM, evidence=True)
    assert found.status == "ok" or found.reason
