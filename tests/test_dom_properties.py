"""The tree in columns over generated input: what holds for any text at all, and lxml's text as an independent oracle."""

from __future__ import annotations

import dataclasses

import lxml.etree
import lxml.html
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract import Page
from newsextract.page.dom import Dom, read_dom
from tests.examples import examples

MARKUP = """<p> </p> <div> </div> <a\thref=/x> <a> </a> <h1> </h2> <ul> <li> <dd> <table> <tr> <td> </td> </table> <b> </b> <span>
</span> <br> <img> <form> </form> <x-y> </x-y> <script> </script> <template> </template> <svg> </svg> <select> <option> <button>
<body> <html> <head> <frameset> <noscript> <textarea> <title> </title> <!-- --> <! <? </ < > " ' = &amp; &#x41; & \0 \u2028 \u00a0
<div\thidden> <p\tstyle="display:none"> <iframe> <math> <caption> <nobr> <font> <i> </i> </table></div> ]]> <![CDATA[""".split(
    " "
)
MARKUP = [mark for group in MARKUP for mark in group.split("\n")]
ANY_TEXT = st.one_of(st.text(), st.lists(st.one_of(st.sampled_from(MARKUP), st.text(max_size=4)), max_size=50).map("".join))


def columns(dom: Dom) -> dict[str, object]:
    """Everything but the nodes, which are not compared."""
    return {field.name: getattr(dom, field.name) for field in dataclasses.fields(dom) if field.name != "nodes"}


def check(dom: Dom) -> None:
    """What holds for the answer to any text at all."""
    # lengths
    n, m = len(dom.tags), len(dom.texts)
    assert n == len(dom.parents) == len(dom.ends) == len(dom.first_blocks) == len(dom.end_blocks) == len(dom.nodes)
    assert m == len(dom.counts) == len(dom.link_counts) == len(dom.links) == len(dom.elements)
    assert len(dom.leaf_texts) == len(dom.leaf_blocks) == len(dom.leaf_linked)
    assert n >= 1
    assert n <= dom.node_count
    # the tree: depth first, ranges nested
    assert (dom.parents[0], dom.ends[0], dom.first_blocks[0], dom.end_blocks[0]) == (-1, n, 0, m)
    for i in range(1, n):
        parent = dom.parents[i]
        assert 0 <= parent < i < dom.ends[i] <= dom.ends[parent]
        assert dom.first_blocks[parent] <= dom.first_blocks[i] <= dom.end_blocks[i] <= dom.end_blocks[parent]
        if i + 1 < n:
            assert dom.parents[i + 1] == i or dom.ends[i] == i + 1
    # blocks: each in its innermost element, in order; texts folded and never empty
    for i, (text, element) in enumerate(zip(dom.texts, dom.elements, strict=True)):
        assert dom.first_blocks[element] <= i < dom.end_blocks[element]
        children = [j for j in range(element + 1, dom.ends[element]) if dom.parents[j] == element]
        assert not any(dom.first_blocks[j] <= i < dom.end_blocks[j] for j in children)
        assert text
        assert all(line == " ".join(line.split()) != "" for line in text.split("\n"))
        assert len("".join(text.split())) == dom.counts[i] + dom.link_counts[i]
        assert min(dom.counts[i], dom.link_counts[i], dom.links[i]) >= 0
    # leaves: in order, together the text of their block
    assert dom.leaf_blocks == sorted(dom.leaf_blocks)
    joined = ["" for _ in range(m)]
    linked = [0] * m
    for text, block, is_link in zip(dom.leaf_texts, dom.leaf_blocks, dom.leaf_linked, strict=True):
        assert text.strip()
        joined[block] += text
        linked[block] += len("".join(text.split())) if is_link else 0
    assert ["".join(text.split()) for text in joined] == ["".join(text.split()) for text in dom.texts]
    assert linked == dom.link_counts
    # sums
    assert dom.count_sums[-1] + dom.link_count_sums[-1] == dom.length
    assert np.diff(dom.count_sums).tolist() == dom.counts
    for i in range(n):
        expected = [dom.first_blocks[i] <= block < dom.end_blocks[i] for block in range(m)]
        assert dom.covered([i]).tolist() == expected
    # headings
    for heading in dom.headings:
        assert 1 <= heading.level <= 6
        assert 0 <= heading.block <= m
        assert heading.text == " ".join(heading.text.split())
    assert len(dom.hints) == n
    assert set(dom.hidden) <= set(range(n))


@given(ANY_TEXT)
@settings(max_examples=examples(400))
def test_any_text_gives_sound_columns_and_never_raises(text: str) -> None:
    dom = read_dom(text)
    check(dom)
    assert columns(read_dom(text)) == columns(dom)


@given(st.binary(max_size=400))
@settings(max_examples=examples(200))
def test_any_bytes_give_sound_columns(body: bytes) -> None:
    check(Page(body).dom)


# --- generated documents --------------------------------------------------------------------------

BLOCKS = ("div", "section", "article", "blockquote", "ul", "li", "p", "h2", "td", "x-card")
INLINE = ("b", "em", "span", "code", "a href=/x", "a name=y")


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, list[str]]:
    """(markup, words in document order) of a well-formed document."""
    words: list[str] = []

    def word() -> str:
        words.append(f"word{len(words)}")
        return f" {words[-1]} "

    def children(depth: int, *, linked: bool, block: bool) -> str:
        parts: list[str] = []
        for _ in range(draw(st.integers(0, 4))):
            kind = draw(st.sampled_from(["text", "text", "block", "inline", "br", "comment", "script"]))
            if kind == "text" or depth == 0:
                parts.append(word())
            elif kind == "block" and block:
                tag = draw(st.sampled_from(BLOCKS))
                inside = children(depth - 1, linked=linked, block=tag not in ("p", "h2"))
                if tag == "li":
                    parts.append(f"<ul><li>{inside}</ul>")
                elif tag == "td":
                    parts.append(f"<table><tr><td>{inside}</table>")
                else:
                    parts.append(f"<{tag}>{inside}</{tag}>")
            elif kind == "inline":
                tag = draw(st.sampled_from(INLINE))
                if not (linked and tag.startswith("a")):
                    inside = children(depth - 1, linked=linked or tag.startswith("a"), block=False)
                    parts.append(f"<{tag}>{inside}</{tag.split()[0]}>")
            elif kind == "br":
                parts.append("<br>")
            elif kind == "comment":
                parts.append("<!-- <p>gone -->")
            elif kind == "script":
                parts.append("<script>'<p>gone'</script>")
        return "".join(parts)

    markup = children(5, linked=False, block=True)
    return f"<!doctype html><html><head><title>gone</title></head><body>{markup}</body></html>", words


@given(documents())
@settings(max_examples=examples(250))
def test_the_text_is_what_lxml_finds(document: tuple[str, list[str]]) -> None:
    markup, words = document
    dom = read_dom(markup)
    check(dom)
    assert " ".join(dom.texts).split() == words
    body = lxml.html.document_fromstring(markup).find("body")
    for script in list(body.iter("script", lxml.etree.Comment)):
        script.drop_tree()
    assert "".join(body.text_content().split()) == "".join("".join(dom.texts).split())


@given(documents(), st.integers(1, 300))
@settings(max_examples=examples(60))
def test_wrapping_a_document_changes_no_text(document: tuple[str, list[str]], depth: int) -> None:
    markup, _ = document
    dom = read_dom(markup)
    inside = markup.partition("<body>")[2].partition("</body>")[0]
    deep = read_dom(f"{'<div>' * depth}{inside}{'</div>' * depth}")
    assert (deep.texts, deep.counts, deep.link_counts, deep.links) == (dom.texts, dom.counts, dom.link_counts, dom.links)
    assert (deep.leaf_texts, deep.leaf_linked, deep.headings) == (dom.leaf_texts, dom.leaf_linked, dom.headings)
    assert len(deep.tags) == len(dom.tags) + depth
