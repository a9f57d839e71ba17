"""Candidate record sets: what a person would call the records is always among them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract.algorithms.visual_blocks.candidates import (
    Candidate,
    Columns,
    candidates,
    class_words,
    containment,
    relations,
)
from newsextract.page.nodes import Nodes, read_nodes
from tests.examples import examples


def found(markup: str) -> tuple[Nodes, list[Candidate]]:
    nodes = read_nodes(markup)
    return nodes, candidates(Columns(nodes))


def texts(nodes: Nodes, candidate: Candidate) -> list[str]:
    shown = [nodes.texts[i] for i in nodes.shown.tolist()]
    return [" ".join(shown[first:end]) for first, end in candidate.spans.tolist()]


def among(markup: str, *records: str) -> bool:
    nodes, sets = found(markup)
    return any(texts(nodes, candidate) == list(records) for candidate in sets)


LAYOUTS = {
    "list": ("<ul><li>one a</li><li>two b</li></ul>", ["one a", "two b"]),
    "rows": ("<table><tr><td>one</td><td>a</td></tr><tr><td>two</td><td>b</td></tr></table>", ["one a", "two b"]),
    "two rows a record": (
        "<table><tr class=t><td>one</td></tr><tr class=s><td>a</td></tr><tr class=t><td>two</td></tr><tr class=s><td>b</td></tr></table>",
        ["one a", "two b"],
    ),
    "rows without a class": (
        "<table>" + "".join(f"<tr><td class=no>{k}.</td><td><a href=/>{w}</a></td></tr><tr><td></td><td>text {w}</td></tr>"
                            for k, w in enumerate(("one", "two", "six"))) + "</table>",
        ["0. one text one", "1. two text two", "2. six text six"],
    ),
    "heading and text": ("<div><h3>one</h3><p>a</p><p>b</p><h3>two</h3><p>c</p></div>", ["one a b", "two c"]),
    "definition list": ("<dl><dt>one<dd>a<dt>two<dd>b</dl>", ["one a", "two b"]),
    "lines": ("<div><b>one</b> first line<br><b>two</b> second line<br><b>six</b> third line</div>",
              ["one first line", "two second line", "six third line"]),
    "columns": ("<div><div class=col><p class=card>one</p><p class=card>two</p></div>"
                "<div class=col><p class=card>six</p></div></div>", ["one", "two", "six"]),
    "advertisement between": ("<div><div class=hit>one</div><div class=ad>buy</div><div class=hit>two</div></div>",
                              ["one", "two"]),
    "numbered ids": ("<div><div id=p_1 class=a>one</div><div id=box>x</div><div id=p_22 class=b>two</div></div>", ["one", "two"]),
    "first differs": ("<main><section>question</section><div>answer</div><div>reply</div></main>",
                      ["question", "answer", "reply"]),
}  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_records_are_among_the_candidates(layout: str) -> None:
    markup, records = LAYOUTS[layout]
    assert among(markup, *records)


def test_what_is_hidden_is_no_record() -> None:
    nodes, sets = found("<ul><li>one</li><li style='display: none'>two</li><li>six</li></ul>")
    assert [texts(nodes, candidate) for candidate in sets] == [["one", "six"]]


def test_a_page_without_repetition_has_none() -> None:
    assert found("<h1>Title</h1>")[1] == []
    assert found("")[1] == []


def test_equal_texts_make_one_candidate() -> None:
    _, sets = found("<ul><li><div><p>one</p></div></li><li><div><p>two</p></div></li></ul>")
    assert len(sets) == 1


@pytest.mark.parametrize(
    ("value", "words"),
    [("post post-12 odd", ("post",)), ("Result_3 first", ("result",)), ("", ()), ("last", ()), ("b a", ("a", "b"))],
)
def test_words_of_a_class(value: str, words: tuple[str, ...]) -> None:
    assert class_words(value) == words


def test_containment_tells_parts_from_records_from_groups() -> None:
    item = "<li><h3>{0} title</h3><p>{0} text</p></li>"
    nodes, sets = found("<div>" + "<ul>" + item.format("one") + item.format("two") + "</ul></div>")
    within = containment(sets)
    whole = next(k for k, c in enumerate(sets) if texts(nodes, c) == ["one title one text", "two title two text"])
    titles = next(k for k, c in enumerate(sets) if texts(nodes, c) == ["one title", "two title"])
    assert within[whole, titles]
    assert not within[titles, whole]
    assert within.diagonal().all()
    sizes = np.array([len(c) for c in sets])
    chars = np.array([sum(map(len, texts(nodes, c))) for c in sets], dtype=np.float32)
    figures = relations(within, sizes, chars)
    assert figures[titles, 1] == 1, "it is part of another set with as many records"
    assert figures[whole, 4] > 0, "it has such parts"
    assert figures[titles, 2] == pytest.approx(np.log(chars[whole] / chars[titles]), rel=1e-5)


PARTS = st.lists(
    st.sampled_from(
        ["<div class=a>", "</div>", "<p>", "<li>", "<tr>", "<table>", "text ", "<br>", "<a href=/x>", "</a>", "<h3>"]
    ),
    max_size=40,
)


@given(PARTS)
@settings(max_examples=examples(100))
def test_spans_are_ordered_and_apart(parts: list[str]) -> None:
    nodes, sets = found("".join(parts))
    for candidate in sets:
        assert len(candidate) >= 2
        flat = candidate.spans.reshape(-1)
        assert (np.diff(flat) >= 0).all()
        assert (candidate.spans[:, 0] < candidate.spans[:, 1]).all()
        assert (candidate.firsts <= candidate.lasts).all()
        assert (nodes.parents[candidate.firsts] == nodes.parents[candidate.lasts]).all(), "roots of a record are siblings"
