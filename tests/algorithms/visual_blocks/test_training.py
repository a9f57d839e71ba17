"""What pages teach the trees of the default preset: with their records, without them, drawn and as source."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from newsextract.algorithms.visual_blocks.algorithm import LEAST_SCORE, width
from newsextract.algorithms.visual_blocks.candidates import Candidate, Columns, candidates
from newsextract.lab.train_pages import RecordExample, emptied, judges, lessons
from newsextract.page.nodes import Geometry, Nodes, read_nodes

NAMES = "anchor lantern harbour canvas".split()
MENU = "<ul class=nav>" + "".join(f"<li><a href=/m{k}>menu {k}</a></li>" for k in range(5)) + "</ul>"
HITS = "".join(f"<li class=hit><h3><a href=/{name}>{name}</a></h3><p>some text about {name}</p></li>" for name in NAMES)
PAGE = "<body>" + MENU + "<ul class=hits>{}</ul><p>imprint</p></body>"
TRUE = [f"{name} some text about {name}" for name in NAMES]
HEIGHT = 10.0


def page() -> tuple[Nodes, Candidate]:
    """A page and its hits."""
    nodes = read_nodes(PAGE.format(HITS))
    (hits,) = (c for c in candidates(Columns(nodes)) if nodes.text(*c.firsts.tolist()) == " ".join(TRUE) and len(c) == 4)
    return nodes, hits


def drawn(nodes: Nodes) -> Nodes:
    """The nodes one below the other, each as high as what it holds."""
    tops = np.arange(len(nodes), dtype=np.float32) * HEIGHT
    bottoms = nodes.ends.astype(np.float32) * HEIGHT
    boxes = np.stack((np.zeros_like(tops), tops, np.full_like(tops, 500), bottoms - tops), axis=1)
    styles = np.zeros(len(nodes), dtype=np.int32)
    return replace(nodes, geometry=Geometry(boxes, styles, [("16px",) * 18], (500.0, len(nodes) * HEIGHT), 16.0))


def test_an_emptied_page_is_the_page_without_these_parts() -> None:
    rest, expected = emptied(*page()), read_nodes(PAGE.format(""))
    for column in ("tags", "texts", "attributes"):
        assert getattr(rest, column) == getattr(expected, column)
    for column in ("parents", "ends", "depths", "visible"):
        assert getattr(rest, column).tolist() == getattr(expected, column).tolist()


def test_what_stood_below_moves_up() -> None:
    nodes, hits = page()
    rest = emptied(drawn(nodes), hits)
    assert rest.geometry is not None
    expected = drawn(read_nodes(PAGE.format(""))).geometry
    assert expected is not None
    assert rest.geometry.page_size == expected.page_size
    assert rest.geometry.boxes.tolist() == expected.boxes.tolist()


def test_a_page_teaches_twice() -> None:
    whole, without = lessons("site", read_nodes(PAGE.format(HITS)), TRUE)
    assert whole.shares.max() == 1.0
    assert len(without.features) > 0
    assert not without.shares.any()
    assert without.records == []


@pytest.mark.parametrize("true", [TRUE[:2], [*TRUE, "menu 0", "menu 1", "menu 2"]])
def test_a_page_teaches_once_where_not_all_its_records_are_found(true: list[str]) -> None:
    """What is left may hold records."""
    assert len(lessons("site", read_nodes(PAGE.format(HITS)), true)) == 1


def test_a_page_without_repetition_teaches_nothing() -> None:
    assert lessons("site", read_nodes("<p>one</p>"), ["one"]) == []


@pytest.mark.slow
def test_rendered_pages_are_scored_by_both_kinds_of_trees() -> None:
    pytest.importorskip("sklearn")
    learned: dict[str, list[RecordExample]] = {"visual": [], "dom": []}
    for k in range(12):
        nodes = read_nodes(PAGE.format(HITS))
        for kind, own in (("visual", drawn(nodes)), ("dom", nodes)):
            learned[kind] += lessons(f"site{k}", own, TRUE)
    # Records that are none, so that there is something to tell apart.
    for examples in learned.values():
        for example in examples:
            example.records[:] = [(features, np.arange(len(features)) > 0) for features, _ in example.records]
    found = judges(learned)
    whole, without = learned["visual"][:2]
    assert whole.features.shape[1] == width("visual", "sets")
    plain = found["dom"].sets.predict(whole.features[:, : width("dom", "sets")])
    both = found["visual"].sets.predict(whole.features)
    assert not np.allclose(both, plain)
    assert whole.shares[both.argmax()] == whole.shares[plain.argmax()] == 1.0
    assert len(found["visual"].sets.roots) == 2 * len(found["dom"].sets.roots)
    assert found["visual"].sets.predict(without.features).max() < LEAST_SCORE < both.max()
