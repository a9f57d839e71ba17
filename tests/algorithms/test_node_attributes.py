"""``node_attributes``: simple tree, leaf filter, value filter, thresholds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract import Page, extract
from newsextract.algorithms import make_params, node_attributes
from newsextract.algorithms.node_attributes import (
    EDGE,
    KEPT,
    LINKED,
    NO_TEXT,
    SMALL_CONTAINER,
    THIN,
    Attributes,
    LeafLimits,
    NodeAttributes,
    NodeAttributesParams,
    attributes,
    count_nodes,
    simplify,
    verdicts,
)
from newsextract.errors import DataError, ParameterError
from newsextract.lab import train_published
from newsextract.page.dom import read_dom
from tests.examples import examples

PARAGRAPH = "The harbour master counted forty boats in the fog before the bell was rung for the second time. "
PAGE = f"""<html><head><title>Forty boats</title></head><body>
<div id=top><a href=/1>Home</a> <a href=/2>News</a> <a href=/3>Sport</a></div>
<div id=story><h1>Forty boats</h1><p>{PARAGRAPH}</p><p>{PARAGRAPH}<b>And then</b> they <a href=/x>left</a>.</p></div>
<div class=sidebar><p>Most read in the harbour pages this week, chosen by our readers and nobody else at all.</p></div>
<form><input name=q> Search the archive <button>Go</button></form>
<div style="display:none">This is hidden until somebody clicks on something.</div>
</body></html>"""


def test_leaves_are_blocks_with_inline_elements_fused():
    dom = read_dom("<body><div>one <b>two</b> <a href=/x>three</a><br>four<p>five <i>six</i></p>seven</div></body>")
    tree = simplify(dom, boilerplate=False)
    assert [dom.texts[i] for i in tree.blocks] == ["one two three\nfour", "five six", "seven"]
    assert tree.texts.tolist() == [len("onetwofour"), len("fivesix"), len("seven")]
    assert tree.links.tolist() == [1, 0, 0]


def test_hidden_elements_and_small_forms_are_pruned():
    dom = read_dom(PAGE)
    texts = [dom.texts[i] for i in simplify(dom, boilerplate=False).blocks]
    assert not any("hidden until" in text or "Search" in text for text in texts)
    assert any("Most read" in text for text in texts)


def test_boilerplate_is_pruned_on_demand():
    dom = read_dom(PAGE)
    texts = [dom.texts[i] for i in simplify(dom, boilerplate=True).blocks]
    assert not any("Most read" in text for text in texts)
    assert any("harbour master" in text for text in texts)


def test_fusion_rate_counts_what_pruning_and_fusing_removed():
    # tree: html, head, body, div, text "one ", b, text "two": 7 nodes; left: html, body, div
    dom = read_dom("<html><head></head><body><div>one <b>two</b></div></body></html>")
    tree = simplify(dom, boilerplate=False)
    assert (count_nodes(dom), tree.node_count) == (7, 3)
    assert tree.fusion_rate(7) == pytest.approx(4 / 7)


def test_fusion_rate_counts_all_nodes():
    # html, head, title, its text, body, comment, script, its text, blank, select, option, its text, div, text: 14; left: 3
    dom = read_dom(
        "<html><head><title>t</title></head><body><!-- c --><script>x</script> <select><option>o</option></select>"
        "<div>one</div></body></html>"
    )
    assert (count_nodes(dom), simplify(dom, boilerplate=False).node_count) == (14, 3)
    assert count_nodes(read_dom("")) == 3


def test_text_beside_block_children_is_a_leaf_of_its_own():
    tree = simplify(read_dom("<body><div>one<p>two</p></div></body>"), boilerplate=False)
    assert tree.node_count == 5  # html, body, div, p, and the leaf "one"


def test_attributes_by_hand():
    dom = read_dom(
        "<body><p>aaaa</p><div><p>bbbbbb<a href=/1>c</a><a href=/2>d</a></p></div><p><a href=/3>eee</a></p></body>"
    )
    leaves = attributes(simplify(dom, boilerplate=False))
    assert leaves.rho1.tolist() == [0.4, 0.6, 0.0]
    assert leaves.rho2[:2].tolist() == [0.0, 2 / 6]
    assert np.isinf(leaves.rho2[2])
    assert leaves.top.tolist() == pytest.approx([0, 1 / 3, 2 / 3])
    assert leaves.bottom.tolist() == pytest.approx([2 / 3, 1 / 3, 0])
    assert leaves.container.tolist() == pytest.approx([0.4, 0.6, 0.4])  # body holds the first and the last


def test_an_image_counts_as_a_link():
    dom = read_dom("<body><p>text <img src=x> more</p></body>")
    assert simplify(dom, boilerplate=False).links.tolist() == [1]


def leaves_of(**columns: list[float]) -> Attributes:
    count = len(next(iter(columns.values())))
    middle = {"top": 0.5, "bottom": 0.5, "width": 1.0, "height": 0.1, "rho1": 0.5, "rho2": 0.0, "container": 0.5}
    return Attributes(**{name: np.array(columns.get(name, [value] * count)) for name, value in middle.items()})


@pytest.mark.parametrize(
    ("column", "values", "limits", "expected"),
    [
        ("rho1", [0.0009, 0.001], LeafLimits(0.001, 1, 0, 0), [THIN, KEPT]),
        ("rho2", [0.05, 0.0501, np.inf], LeafLimits(0, 0.05, 0, 0), [KEPT, LINKED, NO_TEXT]),
        ("container", [0.01, 0.03], LeafLimits(0, 1, 0, 0, 0.02), [SMALL_CONTAINER, KEPT]),
        ("width", [0.19, 0.2], LeafLimits(0, 1, 0, 0, width=0.2), [EDGE, KEPT]),
        ("height", [0.001, 0.002], LeafLimits(0, 1, 0, 0, height=0.002), [EDGE, KEPT]),
    ],
)
def test_limits_are_inclusive(column, values, limits, expected):
    assert verdicts(leaves_of(**{column: values}), limits).tolist() == expected


def test_the_nearer_edge_decides():
    limits = LeafLimits(0, 1, delta3=0.1, delta4=0.2)
    leaves = leaves_of(top=[0.15, 0.3, 0.85, 0.95], bottom=[0.8, 0.6, 0.1, 0.0])
    assert verdicts(leaves, limits).tolist() == [EDGE, KEPT, KEPT, EDGE]


def test_the_text_of_a_story():
    article = extract(PAGE, algorithm="node_attributes")
    assert article.text.count("forty boats in the fog") == 2
    assert "Most read" not in article.text
    assert "Home" not in article.text
    assert article.title == "Forty boats"
    assert article.status == "ok"


class _Judge:
    """A value filter that knows some words."""

    def __init__(self, *worthless: str) -> None:
        self.words = worthless

    def worthless(self, texts):
        return np.array([1.0 if any(w in text for w in self.words) else -1.0 for text in texts])


def filtered(*worthless: str, drop_pages: bool) -> NodeAttributes:
    algorithm = NodeAttributes(NodeAttributesParams(value_filter=True, drop_pages=drop_pages))
    algorithm.filter = _Judge(*worthless)  # type: ignore[assignment]  # reason: any judge will do
    return algorithm


def test_kind_2_removes_the_leaf_and_says_so():
    body = filtered("Most read", drop_pages=True)(Page(PAGE.encode()), evidence=True)
    assert "Most read" not in body.text
    assert "harbour master" in body.text
    assert body.reason == "value filter: 1 of 4 leaves removed as worthless"
    assert [leaf["worthless"] for leaf in body.evidence["leaves"] if "Most read" in leaf["text"]] == [1.0]


def test_kind_1_drops_the_page_and_says_so():
    page = Page(PAGE.encode())
    assert filtered("Forty", drop_pages=False)(page).text
    body = filtered("Forty", drop_pages=True)(page)
    assert body.text == ""
    assert "first leaf is worthless" in body.reason


def test_a_page_of_worthless_leaves_only_is_empty_with_a_reason():
    body = filtered("e", "o", drop_pages=False)(Page(PAGE.encode()))
    assert body.text == ""
    assert "all 4 leaves are worthless" in body.reason


def test_a_page_without_leaves_has_a_reason():
    article = extract(b"<html><body><img src=x></body></html>", algorithm="node_attributes")
    assert (article.status, article.text) == ("empty", "")
    assert "no leaf" in article.reason


def test_boxes_have_limits_of_their_own_and_densities_in_common(tmp_path: Path):
    position = LeafLimits(0.001, 0.05, 0.02, 0.01, 0.015)
    fitted = node_attributes.Fitted(position, LeafLimits(0.001, 0.05, 0.04, 0.03, 0.015, width=0.2, height=0.002))
    node_attributes.write(tmp_path / "limits.toml", fitted, {})
    assert node_attributes.read(tmp_path / "limits.toml") == fitted
    assert fitted.numbers["box_bottom"] == 0.04
    assert fitted.numbers["box_top"] == 0.03
    assert node_attributes.Fitted.of(fitted.numbers) == fitted


def test_a_thresholds_file_without_limits_of_boxes_is_told(tmp_path: Path):
    path = tmp_path / "limits.toml"
    node_attributes.write(path, node_attributes.shipped("default"), {})
    path.write_text("".join(line for line in path.read_text().splitlines(True) if not line.startswith("box_width")))
    with pytest.raises(DataError, match=r"box_width is missing.*train node-attributes"):
        node_attributes.read(path)


@pytest.mark.parametrize(
    "values",
    [
        {"delta1": 2.0},
        {"delta3": 0.6},
        {"margin": -1.0},
        {"drop_pages": True},
        {"box_top": 0.6},
        {"box_width": 1.5},
        {"geometry": "visual"},
    ],
)
def test_bad_parameters(values):
    with pytest.raises(ParameterError, match="node_attributes: "):
        make_params("node_attributes", values)


def test_a_thresholds_file_replaces_the_numbers(tmp_path: Path):
    path = tmp_path / "limits.toml"
    limits = LeafLimits(0.9, 0.05, 0, 0)
    node_attributes.write(path, node_attributes.Fitted(limits, limits), {"data": "mine"})
    article = extract(PAGE, algorithm="node_attributes", params={"thresholds": str(path)})
    assert article.status == "empty"


def test_a_missing_thresholds_file_is_told(tmp_path: Path):
    with pytest.raises(DataError, match="train node-attributes"):
        extract(PAGE, algorithm="node_attributes", params={"thresholds": str(tmp_path / "none.toml")})


def _sample(rho1: list[float], rho2: list[float], wanted: list[bool]) -> train_published.Sample:
    leaves = leaves_of(rho1=rho1, rho2=rho2)
    grams = np.array(rho1) * 1000
    return train_published.Sample(leaves, grams, np.where(wanted, grams, 0.0), int(grams[wanted].sum()), 0.5)


def test_fitting_finds_the_threshold_that_separates():
    samples = [_sample([0.3, 0.3, 0.4], [0.0, 0.07, 0.3], [True, True, False])] * 3
    limits, f1 = train_published.fit(samples, container=False)
    assert 0.07 <= limits.delta2 < 0.3
    assert f1 == pytest.approx(1.0)
    assert train_published.score(samples, limits) == f1


def test_fitting_needs_pages():
    with pytest.raises(DataError, match="no page has both"):
        train_published.fit([], container=False)


@settings(max_examples=examples(60))
@given(
    st.lists(
        st.sampled_from(["<div>", "</div>", "<p>", "<a href=x>", "</a>", "word ", "正文，", "<form>", "<br>"]), max_size=60
    )
)
def test_any_markup_gives_the_same_answer_twice(parts):
    source = "".join(parts).encode()
    algorithm = NodeAttributes(NodeAttributesParams(boilerplate=True))
    assert algorithm(Page(source)) == algorithm(Page(source))
