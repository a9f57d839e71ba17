"""Hou & Yang (2011): equations, split places, listing and template on examples computed by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract import Page, algorithms, extract
from newsextract.algorithms.page_segmentation import (
    CONDITIONS,
    DEFAULT,
    PUBLISHED,
    Clusters,
    Leaves,
    PageSegmentation,
    PageSegmentationParams,
    clean,
    examine,
    frequencies,
    list_noise,
    measure,
    path_frequencies,
    read_leaves,
    split,
    tag_path_clusters,
)
from newsextract.errors import ParameterError
from newsextract.page.dom import read_dom
from tests.examples import examples

OPEN = PageSegmentationParams(length_threshold=0, bn_threshold=0, frequency_threshold=0, variance_bound=1e12)
"""Nothing is split, and every cluster with text outside links satisfies all conditions."""
SENTENCE = "The ferry left the harbour at nine and came back at noon with the post. "


def leaves_of(html: str) -> Leaves:
    dom = read_dom(html)
    return read_leaves(dom, np.zeros(len(dom.texts), dtype=np.bool_))


def cluster(*numbers: int) -> Clusters:
    """One cluster with these leaf numbers, on a page of as many leaves as it takes."""
    return measure(plain(max(numbers) + 1), np.array(numbers), np.array([0]))


def plain(count: int) -> Leaves:
    """Leaves of one character, none linked."""
    ones = np.ones(count, dtype=np.int64)
    return Leaves(np.arange(count), np.zeros(count, dtype=np.bool_), ones, ones, ones - 1, [(-1, "html")])


def chosen_text(html: str, params: PageSegmentationParams = OPEN) -> str:
    return PageSegmentation(params)(Page.from_text(html)).text


# --- leaves and Length (§1.1, §1.2) ---------------------------------------------------------------


def test_length_counts_characters_above_ff_twice() -> None:
    leaves = leaves_of("<p>ab é</p><p>新闻 x</p>")
    assert leaves.lengths.tolist() == [3, 5], "é is U+00E9; white space is not counted"
    assert leaves.characters.tolist() == [3, 3]


def test_styling_is_no_step_of_the_path_and_links_are() -> None:
    leaves = leaves_of("<div><p>one <b>two</b> <a href=/x><i>three</i></a> four</p></div>")
    assert [leaves.path(int(p)) for p in leaves.paths] == ["html/body/div/p", "html/body/div/p/a", "html/body/div/p"]
    assert leaves.linked.tolist() == [False, True, False]


def test_garbled_characters_are_deleted() -> None:
    html = "<p>so\ufffdme \x01text</p><p>\ufffd\ufffd</p><p>\u200bmore</p>"
    leaves = leaves_of(html)
    assert leaves.lengths.tolist()[:1] == [8]
    assert len(leaves) == 2, "a leaf of garbled characters alone is none"
    assert chosen_text(html).split("\n")[0] == "some text"
    assert clean("a\ufffd \n\ufffd\n b\x07 c") == "a\nb c"
    assert clean("é新 \n x") == "é新 \n x", "nothing garbled: unchanged"


def test_hidden_elements_and_widgets_are_no_leaves() -> None:
    html = f"<div hidden><p>{SENTENCE * 9}</p></div><form><p>{SENTENCE}</p></form><script>x</script><p>{SENTENCE * 3}</p>"
    assert chosen_text(html, PUBLISHED) == (SENTENCE * 3).strip()


def test_a_long_path_is_shown_from_its_end() -> None:
    leaves = leaves_of("<div>" * 500 + "text")
    shown = leaves.path(int(leaves.paths[0]))
    assert len(shown) == 160
    assert shown.endswith("/div/div")


# --- eq. (1): the list-noise coefficient ----------------------------------------------------------


def test_list_noise_by_hand() -> None:
    leaves = leaves_of("<p>abcdef <a href=/1>xy</a> ghij</p><p>klmnop</p>")
    # characters 6, 2 (link), 4, 6; leaves without a link 3, with one 1
    first, last = np.array([0, 1, 3]), np.array([3, 1, 3])
    expected = [16 / 18 * 3 / (1 + 1) * 100, 0.0, 1.0 * 1 / 1 * 100]
    assert list_noise(leaves, first, last).tolist() == pytest.approx(expected)


def test_list_noise_is_of_the_span_not_of_the_path_alone() -> None:
    leaves = leaves_of("<p>abcd</p><h2><a href=/1>link</a></h2><p>efgh</p>")
    clusters = tag_path_clusters(leaves)
    paths = [leaves.path(int(path)) for path in clusters.paths]
    assert dict(zip(paths, clusters.noise.tolist(), strict=True)) == {
        "html/body/p": pytest.approx(8 / 12 * 2 / 2 * 100),
        "html/body/h2/a": 0.0,
    }


@given(st.lists(st.tuples(st.integers(1, 50), st.booleans()), min_size=1, max_size=30), st.data())
def test_list_noise_by_the_definition(leaves: list[tuple[int, bool]], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(leaves) - 1))
    last = data.draw(st.integers(first, len(leaves) - 1))
    counts = np.array([count for count, _ in leaves])
    columns = replace(plain(len(leaves)), linked=np.array([linked for _, linked in leaves]), characters=counts)
    span = leaves[first : last + 1]
    outside = sum(count for count, linked in span if not linked)
    share = outside / sum(count for count, _ in span)
    hrefs = sum(linked for _, linked in span)
    expected = share * (len(span) - hrefs) / (hrefs + 1) * 100
    assert list_noise(columns, np.array([first]), np.array([last]))[0] == pytest.approx(expected)


# --- eq. (2)–(4): distances, period, variance -----------------------------------------------------


def test_period_and_variance_by_hand() -> None:
    found = cluster(0, 2, 4, 10)
    assert found.periods[0] == pytest.approx(10 / 3)
    assert found.variances[0] == pytest.approx(((2 - 10 / 3) ** 2 * 2 + (6 - 10 / 3) ** 2) / 3)


def test_paragraphs_in_sequence_have_period_one() -> None:
    found = cluster(3, 4, 5, 6)
    assert (found.periods[0], found.variances[0]) == (1.0, 0.0)


def test_a_single_leaf_counts_as_in_sequence() -> None:
    found = cluster(7)
    assert (found.sizes[0], found.periods[0], found.variances[0]) == (1, 1.0, 0.0)
    assert (found.first[0], found.last[0]) == (7, 7)


@given(st.lists(st.sets(st.integers(0, 200), min_size=1, max_size=12).map(sorted), min_size=1, max_size=6))
def test_periods_and_variances_of_several_clusters_by_the_definition(clusters: list[list[int]]) -> None:
    members = np.array([number for numbers in clusters for number in numbers])
    starts = np.cumsum([0, *map(len, clusters)])[:-1]
    found = measure(plain(201), members, starts)
    for k, numbers in enumerate(clusters):
        gaps = np.diff(numbers)
        assert found.periods[k] == pytest.approx(gaps.mean() if len(gaps) else 1.0)
        assert found.variances[k] == pytest.approx(gaps.var() if len(gaps) else 0.0, abs=1e-9)
        assert (found.sizes[k], found.first[k], found.last[k]) == (len(numbers), numbers[0], numbers[-1])


def test_clusters_have_one_path_each_in_document_order() -> None:
    leaves = leaves_of("<div>a</div><p>bb</p><p>cc <a href=/>d</a></p><div>eee</div>")
    clusters = tag_path_clusters(leaves)
    found = {
        leaves.path(int(path)): (clusters.members[start : start + size].tolist(), length)
        for path, start, size, length in zip(
            clusters.paths, clusters.starts, clusters.sizes, clusters.lengths.tolist(), strict=True
        )
    }
    assert found == {"html/body/div": ([0, 4], 4), "html/body/p": ([1, 2], 4), "html/body/p/a": ([3], 1)}


# --- eq. (5): split places ------------------------------------------------------------------------


def parts_of(*numbers: int, low: float = 0.85, high: float = 2.0) -> list[list[int]]:
    whole = cluster(*numbers)
    parts = split(plain(max(numbers) + 1), whole, np.array([True]), low, high)
    return [parts.members[a : a + n].tolist() for a, n in zip(parts.starts, parts.sizes, strict=True)]


def test_a_longer_distance_cuts_before_the_third_leaf() -> None:
    assert parts_of(0, 1, 2, 12, 13, 14) == [[0, 1, 2], [12, 13, 14]]


def test_a_shorter_distance_cuts_behind_the_first_leaf() -> None:
    assert parts_of(0, 10, 11, 12) == [[0], [10, 11, 12]]


def test_ratios_within_the_range_are_no_split_places() -> None:
    assert parts_of(0, 1, 3, 7, 15) == [[0, 1, 3, 7, 15]], "θ = 2 lies in the range"
    assert parts_of(0, 20, 37) == [[0, 20, 37]], "θ = 0.85 lies in the range"
    assert parts_of(0, 20, 36) == [[0], [20, 36]], "θ = 0.8 does not"


def test_two_leaves_are_not_split() -> None:
    assert parts_of(0, 99) == [[0, 99]]


def test_only_the_chosen_clusters_are_split() -> None:
    members, starts = np.array([0, 2, 50, 1, 3, 60]), np.array([0, 3])
    leaves = plain(61)
    parts = split(leaves, measure(leaves, members, starts), np.array([False, True]), 0.85, 2.0)
    assert parts.starts.tolist() == [0, 3, 5]
    assert parts.last.tolist() == [50, 3, 60]


@given(st.sets(st.integers(0, 300), min_size=3, max_size=40).map(sorted))
def test_no_part_has_a_split_place(numbers: list[int]) -> None:
    parts = parts_of(*numbers)
    assert [number for part in parts for number in part] == numbers
    for part in parts:
        gaps = np.diff(part)
        assert all(0.85 <= b / a <= 2 for a, b in pairwise(gaps))


# --- the listing (§3.1) ---------------------------------------------------------------------------

ARTICLE = f"<div><h1>Ferry</h1><p>{SENTENCE}</p><p>{SENTENCE} <a href=/1>More</a> of it.</p><p>{SENTENCE}</p></div>"
LINKS = "<ul>" + "".join(f"<li><a href=/{i}>{SENTENCE}</a></li>" for i in range(20)) + "</ul>"


def test_the_longest_that_satisfies_all_is_the_main_block() -> None:
    evidence = PageSegmentation(OPEN)(Page.from_text(LINKS + ARTICLE), evidence=True).evidence
    assert evidence is not None
    first, second = evidence["clusters"][:2]
    assert (first["path"], first["failed"], first["chosen"]) == ("html/body/ul/li/a", ["B_n"], False)
    assert (second["path"], second["failed"], second["chosen"]) == ("html/body/div/p", [], True)
    assert (second["size"], second["ΔT"], second["σ²"]) == (
        4,
        pytest.approx(4 / 3, abs=1e-3),
        pytest.approx(2 / 9, abs=1e-3),
    )


def test_links_inside_the_span_come_along_and_what_is_outside_does_not() -> None:
    text = chosen_text(LINKS + ARTICLE)
    assert text.split("\n") == [SENTENCE.strip(), f"{SENTENCE}More of it.", SENTENCE.strip()]


@pytest.mark.parametrize(
    ("change", "failed"),
    [
        ({"length_threshold": 1e6}, "Length"),
        ({"bn_threshold": 1e6}, "B_n"),
        ({"max_size": 4}, "size"),
        ({"pre_d": 1.5}, "period"),
    ],
)
def test_each_condition_can_fail_and_then_the_longest_is_taken_with_doubt(change: dict[str, float], failed: str) -> None:
    page = Page.from_text(ARTICLE)
    sure = PageSegmentation(OPEN)(page)
    doubtful = PageSegmentation(replace(OPEN, **change))(page, evidence=True)
    assert doubtful.text == sure.text
    assert 0 < doubtful.confidence == pytest.approx(sure.confidence / 4)
    assert sure.reason is None
    assert doubtful.reason == "no cluster satisfied all conditions; the longest was taken"
    assert doubtful.evidence is not None
    assert doubtful.evidence["satisfied"] is False
    assert doubtful.evidence["clusters"][0]["failed"] == [failed]


def test_equally_long_clusters_fall_back_to_the_higher_coefficient() -> None:
    leaves = leaves_of("<h2><a href=/>abcd</a></h2><p>efgh</p>")
    found = examine(leaves, tag_path_clusters(leaves), replace(OPEN, length_threshold=100))
    assert not found.satisfied
    assert leaves.path(int(found.clusters.paths[found.chosen])) == "html/body/p"


def test_a_cluster_over_its_variance_bound_is_split() -> None:
    noise = "".join(f"<h3>Note {i}</h3>" for i in range(12))
    html = f"<p>{SENTENCE}</p><p>{SENTENCE}</p><p>{SENTENCE}</p>{noise}<p>Imprint</p>"
    whole, parted = chosen_text(html), chosen_text(html, replace(OPEN, variance_bound=5.0))
    assert "Note 3" in whole
    assert parted.split("\n") == [SENTENCE.strip()] * 3
    evidence = PageSegmentation(replace(OPEN, variance_bound=5.0))(Page.from_text(html), evidence=True).evidence
    assert evidence is not None
    assert [c["size"] for c in evidence["clusters"] if c["path"] == "html/body/p"] == [3, 1]


def test_a_cluster_over_the_bound_without_split_places_fails_by_its_variance() -> None:
    leaves = plain(32)
    clusters = measure(leaves, np.array([0, 1, 3, 7, 15, 31]), np.array([0]))
    found = examine(leaves, clusters, replace(OPEN, variance_bound=1.0))
    assert len(found.clusters) == 1
    assert [n for n, holds in zip(CONDITIONS, found.holds[0], strict=True) if not holds] == ["variance"]
    assert not found.satisfied


def test_a_single_long_leaf_is_enough() -> None:
    assert chosen_text(f"<ul><li>Home</li></ul><div>{SENTENCE * 5}</div>", PUBLISHED) == (SENTENCE * 5).strip()


# --- the text template (§3.2) ---------------------------------------------------------------------

CHUNKS = (
    "<section><div><p>one</p><p>two</p></div><div><p>three</p></div>"
    "<table><tr><td>four</td><td>five</td></tr></table><div>six<div>seven</div>eight</div></section>"
)


def test_chunks_are_counted_by_tag_path() -> None:
    dom = read_dom(CHUNKS)
    blocks = np.arange(len(dom.texts))
    assert dom.texts == ["one", "two", "three", "four", "five", "six", "seven", "eight"]
    # section/div: (one two), (three), (six), (eight); section/table: (four five); section/div/div: (seven)
    assert frequencies(dom, blocks).tolist() == [4, 4, 4, 1, 1, 4, 1, 4]
    assert sorted(path_frequencies(dom, blocks).tolist()) == [1, 1, 4]


def test_only_the_segment_is_counted() -> None:
    dom = read_dom(CHUNKS)
    assert frequencies(dom, np.array([0, 1, 2, 3])).tolist() == [2, 2, 2, 1]


def test_text_outside_tables_and_divs_is_one_chunk() -> None:
    dom = read_dom("<p>a</p><ul><li>b</ul><p>c</p>")
    assert frequencies(dom, np.arange(3)).tolist() == [1, 1, 1]


def test_paths_that_are_too_rare_are_not_printed() -> None:
    rows = "".join(f"<div><p>{SENTENCE}</p></div>" for _ in range(3))
    html = f"{rows}<table><tr><td>Advert</td></tr></table>{rows}"
    assert "Advert" in chosen_text(html)
    assert chosen_text(html, replace(OPEN, frequency_threshold=2)) == "\n".join([SENTENCE.strip()] * 6)


def test_where_no_path_is_frequent_enough_all_is_printed() -> None:
    assert chosen_text(ARTICLE, replace(OPEN, frequency_threshold=9)) == chosen_text(ARTICLE)


# --- extensions -----------------------------------------------------------------------------------


def test_list_weight_puts_list_items_behind() -> None:
    comments = "<ol>" + f"<li><p>{SENTENCE * 2}</p></li>" * 3 + "</ol>"
    assert chosen_text(ARTICLE + comments).count("ferry") == 6
    assert chosen_text(ARTICLE + comments, replace(OPEN, list_weight=0.1)) == chosen_text(ARTICLE)
    assert chosen_text(comments, replace(OPEN, list_weight=0.1)).count("ferry") == 6, "nothing else there"


def test_widen_adds_long_blocks_with_few_links_beside_the_segment() -> None:
    quote = f"<blockquote>{SENTENCE}</blockquote>"
    html = (
        f"<p>{SENTENCE * 3}</p>"
        f"<main>{quote}<p>{SENTENCE * 2}</p><p>{SENTENCE * 2}</p><h4>Short</h4>{quote}<div><a href=/>{SENTENCE}</a></div></main>"
    )
    narrow = [(SENTENCE * 2).strip()] * 2
    assert chosen_text(html).split("\n") == narrow
    assert chosen_text(html, replace(OPEN, widen=50)).split("\n") == [SENTENCE.strip(), *narrow, SENTENCE.strip()]


def test_boilerplate_is_pruned_only_with_the_switch() -> None:
    html = f'<div class="sidebar"><span>{SENTENCE * 4}</span></div><article><p>{SENTENCE * 3}</p><p>{SENTENCE * 2}</p></article>'
    assert chosen_text(html) == "\n".join([(SENTENCE * 3).strip(), (SENTENCE * 2).strip()])
    html = f'<div class="sidebar">{SENTENCE * 3}</div><article><p>{SENTENCE * 2}</p><div>{SENTENCE * 2}</div></article>'
    assert "\n" not in chosen_text(html)
    assert chosen_text(html) == (SENTENCE * 3).strip()
    assert chosen_text(html, replace(OPEN, boilerplate=True)) == (SENTENCE * 2).strip()


def test_the_published_preset_has_no_extension() -> None:
    assert (PUBLISHED.boilerplate, PUBLISHED.list_weight, PUBLISHED.widen) == (False, 1.0, 0.0)
    assert (PUBLISHED.split_low, PUBLISHED.split_high) == (0.85, 2.0)
    assert DEFAULT != PUBLISHED


# --- pages of every kind --------------------------------------------------------------------------


@pytest.mark.parametrize("html", ["", " ", "<p></p>", "<script>x</script>", "<p>\ufffd\x01</p>", "<img src=x>"])
@pytest.mark.parametrize("params", [DEFAULT, PUBLISHED])
def test_a_page_without_leaves_gives_a_reason(html: str, params: PageSegmentationParams) -> None:
    body = PageSegmentation(params)(Page.from_text(html), evidence=True)
    assert (body.text, body.confidence, body.reason) == ("", 0.0, "the page has no text leaves")
    assert body.evidence == {"clusters": []}


@pytest.mark.parametrize("preset", ["default", "published"])
def test_a_page_of_links_alone_still_gives_text(preset: str) -> None:
    article = extract(Page.from_text(LINKS), None, "page_segmentation", {"preset": preset})
    assert article.status == "ok"
    assert article.reason == "no cluster satisfied all conditions; the longest was taken"
    assert article.confidence < 0.1


@pytest.mark.parametrize("params", [DEFAULT, PUBLISHED])
def test_evidence_of_a_huge_page_is_short(params: PageSegmentationParams) -> None:
    html = "".join(f"<div><{tag}>text {i}</{tag}></div>" * 3 for i in range(700) for tag in (f"x{i}", "p"))
    body = PageSegmentation(params)(Page.from_text(html), evidence=True)
    assert body.evidence is not None
    assert len(body.evidence["clusters"]) == 200
    assert body.evidence["clusters_in_all"] > 200


MARKUP = ("<p>", "</p>", "<div>", "</div>", "<table>", "<td>", "</table>", "<ul>", "<li>", "</ul>", "<a href=/x>", "</a>")
MARKUP += (
    "<form>",
    "<div hidden>",
    "<div class=comments>",
    "<br>",
    "<h1>",
    "text ",
    "正文。",
    "\ufffd",
    "\x03",
    "&nbsp;",
    "\ud800",
)


@given(
    st.lists(st.sampled_from(MARKUP), max_size=60).map("".join),
    st.sampled_from([DEFAULT, PUBLISHED, OPEN, replace(OPEN, variance_bound=0, widen=1, frequency_threshold=3)]),
)
@settings(max_examples=examples(300))
def test_arbitrary_markup_never_raises_and_gives_the_same_each_time(html: str, params: PageSegmentationParams) -> None:
    first = PageSegmentation(params)(Page.from_text(html), evidence=True)
    assert first == PageSegmentation(params)(Page.from_text(html), evidence=True)
    assert 0 <= first.confidence <= 1
    assert bool(first.text) == bool(len(leaves_of(html))) or "hidden" in html or "<form>" in html or "class" in html
    for entry in (first.evidence or {})["clusters"]:
        assert math.isfinite(entry["B_n"])
        assert math.isfinite(entry["σ²"])


# --- parameters -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [("length_threshold", -1), ("split_low", 1.1), ("split_high", 0.9), ("max_size", -1), ("list_weight", 2), ("widen", -1.0),
     ("bn_threshold", math.nan), ("variance_bound", math.inf), ("pre_d", -0.1), ("frequency_threshold", -1)],
)  # fmt: skip
def test_values_out_of_range_are_refused(name: str, value: float) -> None:
    with pytest.raises(ParameterError, match=f"page_segmentation: {name} is .*; expected .*, for example {name} = "):
        algorithms.make("page_segmentation", {name: value})
