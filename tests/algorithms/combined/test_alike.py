"""What `combined` adds between the chosen blocks because it is written like them, and copies and footers that it leaves out."""

from __future__ import annotations

import numpy as np
import pytest

from newsextract.algorithms.combined.furniture import without_marked
from newsextract.algorithms.combined.parts import with_alike, with_headline, with_parts, with_sentences
from newsextract.page.dom import Dom, read_dom

STORY = "The ferry came in late on that day, and nobody on the quay had a single word to say about it."
OTHER = "The harbour master wrote down the time of each boat and, below it, what the wind had been like."


def added(page: str, chosen: list[int], kind: str = "article", probability: float = 0.1) -> list[int]:
    """The blocks that come to the chosen ones."""
    dom = read_dom(page)
    found = with_alike(dom, np.full(len(dom.texts), probability), np.array(chosen), kind)
    return sorted({*found.tolist()} - {*chosen})


def sections(*inner: str) -> str:
    return "".join(f'<section><div class="row">{one}</div></section>' for one in inner)


def test_a_box_between_chosen_boxes_that_is_written_like_them_is_text() -> None:
    page = sections(f"<p>{STORY}", f"<p>{OTHER}", "<p>It was short.", f"<p>{STORY}", f"<p>{OTHER}")
    assert added(page, [0, 1, 4]) == [2, 3]
    assert added(page, [0, 1, 2]) == []
    assert added(page, [0, 1, 4], probability=0.001) == []


@pytest.mark.parametrize("tag", ["nav", "form", "footer", "aside"])
def test_boxes_beside_the_text_stay_out(tag: str) -> None:
    page = sections(f"<p>{STORY}", f"<p>{OTHER}") + f"<{tag}>{sections(f'<p>{STORY}')}</{tag}>" + sections(f"<p>{OTHER}")
    assert added(page, [0, 1, 3]) == []


def test_a_paragraph_elsewhere_needs_several_lines_and_an_item_does_not() -> None:
    inner = f"<main><p>{OTHER}</p><p>One line.</p><ul><li>Second item</ul><figure><p>{STORY}</p></figure></main>"
    page = f"<div><p>{STORY}</p><ul><li>First item</ul></div>{inner}<div><p>{OTHER}</p></div>"
    assert added(page, [0, 1, 6]) == [2, 4]


def test_an_item_without_links_is_text_and_on_other_pages_a_paragraph_too() -> None:
    item, prose = '<ul><li class="z">Four words and more.</ul>', '<p class="y">It is open from nine.'
    links = '<ul><li class="z"><a href="/a">All of the older stories</a></ul>'
    page = f"<p>{STORY}<p>{OTHER}{item}{prose}{links}<p>{STORY}"
    assert added(page, [0, 1, 5]) == [2]
    assert added(page, [0, 1, 5], kind="service") == [2, 3]


def test_the_text_does_not_more_than_double() -> None:
    page = sections("<p>Short.", "<p>Short.", *[f"<p>{STORY}"] * 3, "<p>Short.")
    assert added(page, [0, 1, 5]) == []


def test_a_list_of_links_between_two_chosen_siblings_is_text() -> None:
    links = '<ul><li><a href="/a">The first tool</a><li><a href="/b">The second tool</a></ul>'
    dom = read_dom(f"<div><p>{STORY}{links}<p>{OTHER}</div><div>{links}</div><p>{STORY}")
    assert with_parts(dom, np.array([0, 3, 6])).tolist() == [0, 1, 2, 3, 6]


def test_a_heading_in_a_box_of_its_own_right_above_a_chosen_block_is_text() -> None:
    inner = "<div><h2>The quay</h2></div><div><h3>Winter</h3></div>"
    page = read_dom(
        f"<p>{STORY}{inner}<div><p>{OTHER}</div><div><h2><a href='/a'>More stories</a></h2></div><p>{STORY}<h2>Behind"
    )
    assert with_sentences(page, np.array([0, 3, 5]), "article").tolist() == [0, 1, 2, 3, 5]
    page = read_dom(f"<p>{STORY}<div><h1>Another headline</h1></div><p>{OTHER}")
    assert with_sentences(page, np.array([0, 2]), "article").tolist() == [0, 2]
    assert with_sentences(page, np.array([0, 2]), "service").tolist() == [0, 1, 2]


def test_on_services_a_sentence_between_chosen_blocks_is_text_and_on_articles_it_is_not() -> None:
    page = read_dom(
        f"<p>{STORY}<div><p>We open at nine.</div><p>From nine to five<form><p>Write to us today.</form><p>{OTHER}"
    )
    assert with_sentences(page, np.array([0, 4]), "service").tolist() == [0, 1, 4]
    assert with_sentences(page, np.array([0, 4]), "article").tolist() == [0, 4]


def test_the_headline_above_the_text_comes_to_it() -> None:
    page = read_dom(f"<h1>Ferries</h1><div>Home<p>{STORY}<h1>Boats</h1>")
    assert with_headline(page, np.array([2])).tolist() == [0, 2]
    assert with_headline(page, np.array([0, 2])).tolist() == [0, 2]
    assert with_headline(page, np.array([], dtype=np.intp)).tolist() == []


def left(page: str, kind: str) -> tuple[Dom, list[int]]:
    dom = read_dom(page)
    return dom, without_marked(dom, np.arange(len(dom.texts)), kind).tolist()


def test_a_hidden_copy_in_markdown_is_no_text() -> None:
    marked_up = f"# Ferries\n\n_{STORY}_\n\n{OTHER.replace('harbour', '[harbour](/harbour)')}\n"
    page = f"<h1>Ferries</h1><p>{STORY}<p>{OTHER}"
    dom, kept = left(f"{page}<pre hidden>{marked_up}</pre>", "article")
    assert len(dom.texts) == 4
    assert kept == [0, 1, 2]
    _, kept = left(f"{page}<div hidden><p>{'Another text, which nobody sees before a click. ' * 6}</div>", "article")
    assert kept == [0, 1, 2, 3]


def test_the_footer_of_a_shop_is_no_text_however_long() -> None:
    footer = f"<footer><p>{' '.join([OTHER] * 30)}</footer>"
    page = f"<div><p>{' '.join([STORY] * 5)}</div>"
    assert left(f"{page}{footer}", "product")[1] == [0]
    assert left(f"{page}{footer}", "article")[1] == [0, 1]
    assert left(f"<main>{page}{footer}</main>", "product")[1] == [0, 1]
    assert left(f"<p>Short.{footer}", "product")[1] == [0, 1]
