"""Variants of training pages: the columns stay those of a tree, the labels stay with their blocks."""

from __future__ import annotations

import numpy as np
import pytest

from newsextract.algorithms.combined.features import block_features
from newsextract.lab.train_combined_pages import (
    Labelled,
    Labels,
    _in_sections,
    columns,
    graft,
    grafts,
    variant,
    without,
    wrapped,
)
from newsextract.page.dom import Dom, read_dom

STORY = "The ferry to the northern islands left the harbour on Monday, two days late, with a band on board. "
COMMENT = "I was there and I can tell you that the band was not as good as the one they had the year before. "


def labelled(source: str) -> Labelled:
    """A page of which the blocks with the word ferry are the article."""
    dom = read_dom(source)
    tokens = np.array([float(len(text.split())) for text in dom.texts])
    wanted = np.array([float("ferry" in text) for text in dom.texts])
    return Labelled(columns(dom), "Ferry", Labels(tokens, wanted, float(tokens @ wanted)))


def page(paragraphs: int = 6) -> Labelled:
    story = f"<p>{STORY}</p>" * paragraphs
    return labelled(
        f"<body><ul class=nav><li><a href=/>Home</a><li>News</ul><div id=a><div>{story}</div></div><p>Imprint</body>"
    )


def other() -> Labelled:
    talk = "".join(f"<li><b>Name {n}</b><p>{COMMENT}</p>" for n in range(5))
    return labelled(f"<body><p>{STORY}</p><div hidden><ol class=talk>{talk}</ol></div></body>")


def check_tree(dom: Dom) -> None:
    """What every reader of the columns relies on."""
    for element in range(1, len(dom.tags)):
        parent = dom.parents[element]
        assert 0 <= parent < element < dom.ends[element] <= dom.ends[parent]
        assert dom.first_blocks[parent] <= dom.first_blocks[element] <= dom.end_blocks[element] <= dom.end_blocks[parent]
    for block, element in enumerate(dom.elements):
        assert dom.first_blocks[element] <= block < dom.end_blocks[element]
    assert len(dom.texts) == len(dom.counts) == len(dom.link_counts) == len(dom.links) == len(dom.elements)
    assert len(dom.tags) == len(dom.hints) == len(dom.parents) == len(dom.ends)


def test_a_graft_stands_at_the_end_of_its_new_parent():
    own, new = page(), other()
    found = grafts([own, new])
    assert [p for p, _ in found] == [new] * len(found)
    element = next(e for _, e in found if new.dom.tags[e] == "div")
    story = own.dom.hints.index("#a")
    grafted = graft(own, new, element, story)
    check_tree(grafted.dom)
    assert grafted.dom.texts == own.dom.texts[:-1] + new.dom.texts[1:] + ["Imprint"]
    assert grafted.labels.wanted.tolist() == [0, 0] + [1] * 6 + [0] * 10 + [0]
    assert grafted.dom.parents[grafted.dom.hidden[0]] == story
    assert grafted.dom.hints[grafted.dom.hidden[0] + 1] == "talk"


def test_what_a_graft_makes_is_what_the_page_with_it_gives():
    own, new = page(), other()
    element = next(e for _, e in grafts([new]) if new.dom.tags[e] == "div")
    talk = "".join(f"<li><b>Name {n}</b><p>{COMMENT}</p>" for n in range(5))
    story = f"<p>{STORY}</p>" * 6
    written = read_dom(
        f"<body><ul class=nav><li><a href=/>Home</a><li>News</ul><div id=a><div>{story}</div>"
        f"<div hidden><ol class=talk>{talk}</ol></div></div><p>Imprint</body>"
    )
    grafted = graft(own, new, element, own.dom.hints.index("#a")).dom
    assert block_features(grafted, "Ferry").matrix == pytest.approx(block_features(written, "Ferry").matrix)


def test_a_graft_can_stand_between_the_paragraphs_of_an_article():
    own, new = page(), other()
    element = next(e for _, e in grafts([new]) if new.dom.tags[e] == "div")
    paragraph = own.dom.elements[4]
    grafted = graft(own, new, element, own.dom.parents[paragraph], paragraph)
    check_tree(grafted.dom)
    assert grafted.dom.texts == own.dom.texts[:4] + new.dom.texts[1:] + own.dom.texts[4:]
    assert grafted.labels.wanted.tolist() == [0, 0, 1, 1, *[0] * 10, 1, 1, 1, 1, 0]


def test_containers_around_the_parts_of_an_article_make_the_tree_that_a_page_with_them_gives():
    own = page(4)
    parts = [own.dom.elements[block] for block in (2, 3, 4, 5)]
    inside = _in_sections(own.dom, {parts[0]: (parts[2], 2), parts[3]: (own.dom.ends[parts[3]], 1)}, ["x", "y"])
    check_tree(inside)
    p = f"<p>{STORY}</p>"
    written = read_dom(
        "<body><ul class=nav><li><a href=/>Home</a><li>News</ul><div id=a><div>"
        f"<div class=x><div class=y>{p}{p}</div></div>{p}<div class=x>{p}</div></div></div><p>Imprint</body>"
    )
    assert (inside.tags, inside.hints, inside.parents, inside.ends) == (
        written.tags, written.hints, written.parents, written.ends,
    )  # fmt: skip
    assert (inside.elements, inside.first_blocks, inside.end_blocks) == (
        written.elements, written.first_blocks, written.end_blocks,
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_a_wrapped_page_has_its_blocks_and_labels_in_a_deeper_tree(seed: int):
    own = page(7)
    deeper = wrapped(own, np.random.default_rng(seed))
    check_tree(deeper.dom)
    assert deeper.dom.texts == own.dom.texts
    assert deeper.labels is own.labels
    assert len(deeper.dom.tags) > len(own.dom.tags)


def test_blocks_can_be_left_out():
    own = page()
    kept = np.array([True, False, *[True] * 5, False, True])
    less = without(own, kept)
    check_tree(less.dom)
    assert less.dom.texts == [text for text, keep in zip(own.dom.texts, kept, strict=True) if keep]
    assert less.labels.true == pytest.approx(own.labels.true * 5 / 6)
    assert len(block_features(less.dom, "").matrix) == 7


def test_variants_are_trees_with_an_article_and_hold_for_a_seed():
    pages = [page(n) for n in range(1, 9)] + [other()]
    foreign = grafts(pages)
    changed = 0
    for seed in range(60):
        own = pages[seed % len(pages)]
        one, again = (variant(own, foreign, np.random.default_rng(seed)) for _ in range(2))
        check_tree(one.dom)
        assert one.dom.texts == again.dom.texts
        assert (one.labels.wanted > 0.5).any()
        assert all(
            ("ferry" in text) == (wanted > 0.5) for text, wanted in zip(one.dom.texts, one.labels.wanted, strict=True)
        )
        assert len(block_features(one.dom, one.title).matrix) == len(one.labels.tokens)
        changed += one is not own
    assert changed > 20


def test_a_page_without_an_article_and_without_others_stays():
    nothing = labelled("<p>Imprint")
    assert variant(nothing, [], np.random.default_rng(1)).dom.texts == ["Imprint"]
    assert grafts([nothing]) == []
