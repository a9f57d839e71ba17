"""Text density: the formulas by hand, the threshold and the marking on small trees, the presets."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import e, log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract import Page, algorithms, extract
from newsextract.algorithms.text_density import (
    DEFAULT,
    PUBLISHED,
    Densities,
    TextDensity,
    TextDensityParams,
    content_elements,
    densities,
)
from newsextract.page.dom import Dom, read_dom
from tests.examples import examples

PAGES = Path(__file__).parent.parent / "pages"
LONG = "These are words of a story that goes on for long enough to be found by its density, line after line. "
MENU = "<ul>" + "".join(f"<li><a href=/{i}>Part {i}</a></li>" for i in range(8)) + "</ul>"


def measured(markup: str, *, composite: bool = True) -> tuple[Dom, Densities]:
    dom = read_dom(markup)
    return dom, densities(dom, np.ones(len(dom.texts), dtype=np.bool_), composite=composite)


def composite_density(c: int, t: int, lc: int, lt: int, ratio: float) -> float:
    """The formula, zero denominators read as 1."""
    unlinked, t, lc, lt = max(1, c - lc), max(1, t), max(1, lc), max(1, lt)
    return c / t * log(c / lc * t / lt) / log(log(c / unlinked * lc + ratio * c + e))


# --- densities ------------------------------------------------------------------------------------

SMALL = "<div><p>1234567890</p><p>12345<a href=/x>678</a></p></div><p><a href=/y>abcd</a></p>"


def test_counts() -> None:
    dom, values = measured(SMALL)
    assert dom.tags == ["html", "body", "div", "p", "p", "p"]
    assert values.body == 1
    assert values.chars.tolist() == [22, 22, 18, 10, 8, 4]
    assert values.link_chars.tolist() == [7, 7, 3, 0, 3, 4]
    assert values.link_tags.tolist() == [2, 2, 1, 0, 1, 1]
    assert values.tags.tolist() == [7, 6, 3, 0, 1, 1]


def test_text_density_is_characters_per_tag() -> None:
    _, values = measured(SMALL, composite=False)
    assert values.density.tolist() == [22 / 7, 22 / 6, 18 / 3, 10, 8, 4]
    # of text directly in an element what stands outside links, and its children's densities
    assert values.sums.tolist() == [0, 6 + 4, 10 + 8, 10, 5, 0]


def test_composite_text_density() -> None:
    _, values = measured(SMALL)
    rows = zip(values.chars, values.tags, values.link_chars, values.link_tags, strict=True)
    assert values.density.tolist() == pytest.approx([composite_density(*row, 7 / 22) for row in rows])
    assert values.density[5] == 0.0, "nothing but one link"
    text = [composite_density(n, 0, 0, 0, 7 / 22) for n in (10, 5)]
    assert values.sums.tolist() == pytest.approx([0, values.density[2], sum(values.density[3:5]), *text, 0])


def test_links_lower_the_composite_density() -> None:
    _, plain = measured("<p>1234567890</p>")
    _, linked = measured("<p>12345<a href=/x>67890</a></p>")
    assert 0 < linked.density[2] < plain.density[2]


def test_no_link_on_the_page() -> None:
    """The base of the logarithm would be 1, and the logarithm infinite, if zero were not read as one."""
    _, values = measured("<p>x</p><p>1234567890</p>")
    assert np.isfinite(values.density).all()
    assert np.isfinite(values.sums).all()


def test_blocks_that_are_left_out_do_not_count() -> None:
    dom = read_dom("<p>one</p><p>two <a href=/>link</a></p>")
    values = densities(dom, np.array([True, False]), composite=True)
    assert values.chars.tolist() == [3, 3, 3, 0]
    assert values.link_tags.tolist() == [0, 0, 0, 0]


@given(
    st.lists(
        st.sampled_from(["<div>", "</div>", "<p>", "<a href=/>", "</a>", "word ", "<img>", "<br>", "很长"]), max_size=40
    )
)
@settings(max_examples=examples(200))
@pytest.mark.parametrize("composite", [True, False])
def test_densities_are_finite_and_not_negative(composite: bool, marks: list[str]) -> None:
    dom, values = measured("".join(marks), composite=composite)
    for column in (values.density, values.sums):
        assert len(column) == len(dom.tags)
        assert np.isfinite(column).all()
        assert (column >= 0).all()
    assert (values.link_chars <= values.chars).all()
    assert (values.link_tags <= values.tags).all()
    assert (values.density[values.chars == 0] == 0).all()


# --- threshold and content ------------------------------------------------------------------------


def given_values(dom: Dom, density: list[float], sums: list[float]) -> Densities:
    none = np.zeros(len(dom.tags), dtype=np.int64)
    return Densities(1, none, none, none, none, np.array(density), np.array(sums))


TREE = "<div><p>a</p><p>b</p></div><section><p>c</p></section><footer>d</footer>"
"""html 0, body 1, div 2, p 3, p 4, section 5, p 6, footer 7."""


@pytest.mark.parametrize(
    ("density", "sums", "threshold", "content"),
    [
        # The best element, and the smallest density on the way down to it.
        ([9, 3, 5, 8, 8, 1, 9, 1], [0, 6, 16, 8, 8, 9, 9, 1], 3, [2]),
        ([9, 5, 3, 8, 8, 1, 9, 1], [0, 6, 16, 8, 8, 9, 9, 1], 3, [2]),
        # Another part reaches the threshold: its best element is main text as well.
        ([9, 3, 5, 8, 8, 4, 9, 1], [0, 6, 16, 8, 8, 9, 10, 1], 3, [2, 6]),
        ([9, 3, 5, 8, 8, 3, 9, 3], [0, 6, 16, 8, 8, 10, 9, 1], 3, [2, 5, 7]),
        # What is below the threshold is not looked into.
        ([9, 3, 5, 8, 8, 2.9, 9, 1], [0, 6, 16, 8, 8, 9, 10, 1], 3, [2]),
        # The body itself; of equals the first.
        ([9, 3, 5, 8, 8, 4, 9, 1], [0, 20, 16, 8, 8, 9, 10, 1], 3, [1]),
        ([9, 3, 5, 8, 8, 4, 9, 1], [0, 6, 16, 16, 8, 9, 10, 1], 3, [2, 6]),
        # A leaf deep down: its siblings are judged by the threshold, too.
        ([9, 3, 5, 8, 4, 1, 9, 1], [0, 6, 12, 16, 4, 9, 9, 1], 3, [3, 4]),
        ([9, 5, 5, 8, 4, 1, 9, 1], [0, 6, 12, 16, 4, 9, 9, 1], 5, [3]),
    ],
)
def test_threshold_and_marking(density: list[float], sums: list[float], threshold: float, content: list[int]) -> None:
    dom = read_dom(TREE)
    assert dom.tags == ["html", "body", "div", "p", "p", "section", "p", "footer"]
    assert content_elements(dom, given_values(dom, density, sums)) == (threshold, content)


def recursive(dom: Dom, values: Densities) -> set[int]:
    """The marking as the paper puts it: from the body down, by recursion. Returns the elements that are main text."""
    marked: set[int] = set()
    children = [[j for j, parent in enumerate(dom.parents) if parent == i] for i in range(len(dom.tags))]

    def best(i: int) -> int:
        return max((i, *(best(j) for j in children[i])), key=lambda j: (values.sums[j], -j))

    def mark(i: int) -> None:
        marked.add(i)
        for j in children[i]:
            mark(j)

    def visit(i: int, threshold: float) -> None:
        if i not in marked and values.density[i] >= threshold:
            mark(best(i))
            for j in children[i]:
                visit(j, threshold)

    path = [best(values.body)]
    while path[-1] != values.body:
        path.append(dom.parents[path[-1]])
    visit(values.body, min(values.density[i] for i in path))
    return marked


@given(
    st.lists(
        st.sampled_from(["<div>", "</div>", "<div>", "</div>", "<p>", "</p>", "<a href=/>link</a>", "some words ", LONG]),
        min_size=4,
        max_size=60,
    )
)
@settings(max_examples=examples(300))
def test_the_marking_is_that_of_the_paper(marks: list[str]) -> None:
    dom, values = measured("".join(["word", *marks]))
    _, content = content_elements(dom, values)
    subtrees = {j for i in content for j in range(i, dom.ends[i])}
    assert subtrees == recursive(dom, values)


# --- pages ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("params", [DEFAULT, PUBLISHED, TextDensityParams(composite=False)])
def test_a_story_between_menus(params: TextDensityParams) -> None:
    page = f"<div>{MENU}</div><div><h2>Head</h2><p>{LONG}</p><p>{LONG * 2}</p><p>{LONG}<a href=/>more</a></p></div><div>{MENU}</div>"
    body = TextDensity(params)(Page.from_text(page))
    lines = body.text.split("\n")
    assert lines[-3:] == [LONG.strip(), (LONG * 2).strip(), LONG + "more"]
    assert "Part" not in body.text
    assert body.confidence > 0.5
    assert body.reason is None


def test_inline_elements_do_not_make_text_less_dense() -> None:
    plain = TextDensity(PUBLISHED)(Page.from_text(f"<div>{MENU}</div><p>{LONG}</p>"))
    words = " ".join(f"<span><b>{word}</b></span>" for word in LONG.split())
    assert TextDensity(PUBLISHED)(Page.from_text(f"<div>{MENU}</div><p>{words}</p>")).text == plain.text


def test_switches() -> None:
    page = Page.from_text(
        f"<div><p>{LONG * 3}</p></div><div hidden><p>Hidden. {LONG * 2}</p></div>"
        f"<form><p>Widget. {LONG}</p></form><div class=comments><p>Comment. {LONG}</p></div>"
    )
    published = TextDensity(PUBLISHED)(page).text
    assert [word in published for word in ("Hidden.", "Widget.", "Comment.")] == [True] * 3
    pruned = TextDensity(TextDensityParams(prune=True))(page).text
    assert [word in pruned for word in ("Hidden.", "Widget.", "Comment.")] == [False, False, True]
    assert TextDensity(DEFAULT)(page).text == (LONG * 3).strip()


def test_where_pruning_would_leave_only_links_nothing_is_pruned() -> None:
    page = Page.from_text(f"<div>{MENU}</div><p hidden>{LONG}</p>")
    assert LONG.strip() in TextDensity(DEFAULT)(page).text


@pytest.mark.parametrize("params", [DEFAULT, PUBLISHED, TextDensityParams(composite=False)])
@pytest.mark.parametrize(
    "markup", ["<p>0", "0", "<p>0<p>1", "<td>0<a href=/>1</a>", "<div>x</div><a href=/><div>link</div></a>"]
)
def test_single_characters_are_text(params: TextDensityParams, markup: str) -> None:
    """Their composite density is 0, as the logarithm of 1 is."""
    assert TextDensity(params)(Page.from_text(markup)).text


@pytest.mark.parametrize("markup", ["", "<p> </p>", MENU, "<img src=x><a href=/>one</a>", "<frameset><frame></frameset>"])
@pytest.mark.parametrize("params", [DEFAULT, PUBLISHED])
def test_a_page_without_text_outside_links(params: TextDensityParams, markup: str) -> None:
    body = TextDensity(params)(Page.from_text(markup), evidence=True)
    assert (body.text, body.confidence) == ("", 0.0)
    assert body.reason == "the page has no text outside links"
    assert body.evidence == {"elements": []}


def test_surroundings_are_around_the_chosen_blocks() -> None:
    page = Page.from_text(f"<p>Site</p><h1>The headline</h1>{MENU}<div><p>{LONG}</p><p>{LONG}</p></div>{MENU}<p>Imprint</p>")
    around = TextDensity(PUBLISHED)(page).surroundings
    assert "The headline" in [heading.text for heading in around.headings]
    assert around.before[0] == "Site"
    assert around.after[-1] != LONG.strip()


def test_evidence() -> None:
    page = Page((PAGES / "story_en.html").read_bytes())
    found = TextDensity(DEFAULT)(page, evidence=True).evidence
    assert found is not None
    indices = [row["index"] for row in found["elements"]]
    assert indices == sorted(indices)
    article = next(row for row in found["elements"] if row["tag"] == "article")
    assert article["content"]
    assert article["density"] >= found["threshold"]
    assert article["text"].startswith("Ferry timetable changes")
    assert set(article) == {
        "index", "tag", "chars", "link_chars", "tags", "link_tags", "density", "density_sum", "content", "text"
    }  # fmt: skip


def test_evidence_is_bounded_and_keeps_the_content() -> None:
    many = "".join(f"<p>word {i}</p>" for i in range(500))
    found = TextDensity(PUBLISHED)(
        Page.from_text(f"<section>{many}</section><div><p>{LONG * 50}</p></div>"), evidence=True
    ).evidence
    assert found is not None
    assert len(found["elements"]) == 200
    assert any(row["content"] for row in found["elements"])


def test_registered() -> None:
    assert isinstance(algorithms.make("text_density"), TextDensity)
    assert algorithms.make_params("text_density", {"preset": "published"}) == PUBLISHED == TextDensityParams()
    assert extract(f"<p>{LONG}</p>", algorithm="text_density").text == LONG.strip()


# --- cost -----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "make",
    [
        lambda: "<div>" * 9_000 + LONG,
        lambda: "".join(f"<div><p>{LONG[: 20 + i % 60]}</p></div>" for i in range(20_000)),
        lambda: "<div><p>words of it</p>" * 4_000,
        lambda: f"<p>{LONG * 50}</p>" + "<div>some text<p>more of it</p></div>" * 30_000,
    ],
    ids=["deep", "wide", "deep with text", "many that reach the threshold"],
)
def test_choosing_costs_no_more_than_the_tree(make: Callable[[], str]) -> None:
    page = Page.from_text(make())
    start = time.process_time()
    page.dom  # noqa: B018  # makes it
    tree = time.process_time() - start
    start = time.process_time()
    assert TextDensity(PUBLISHED)(page).text
    assert time.process_time() - start < 0.2 + 2 * tree
