"""Block splitting over generated and hostile input: an independent oracle, and time in proportion to length."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import newsextract.page.source as module
from newsextract.page.source import Source, scan
from tests.examples import examples

_BLOCKS = ["div", "p", "section", "td", "ul", "li", "blockquote", "header", "h1", "h2", "h4", "article", "tr", "dd"]
_INLINE = ["span", "b", "em", "x-custom", "font", "time"]
_RAW = ["script", "style", "noscript", "textarea", "iframe"]
_NESTING = ["fieldset", "object", "map"]
_WIDGETS = ["button", "label", "legend"]

MARKUP = ("<p>", "</p>", "<div ", "<a href='", "</a>", "<!--", "-->", "<script>", "</script>", "<form>", "</form>", "<h1>")
MARKUP += (
    "</h2>",
    "<label>",
    "<select><option>",
    '"',
    "'",
    "=",
    "<",
    ">",
    "&amp;",
    "&#x41;",
    "&",
    "<br/>",
    "<svg",
    "<!",
    "<?",
)


# --- any text -------------------------------------------------------------------------------------


def check(source: Source) -> None:
    """What holds for the answer to any text at all."""
    assert len(source.texts) == len(source.counts) == len(source.link_counts) <= module.MAX_BLOCKS
    assert all(n >= 0 for n in source.counts)
    assert all(n >= 0 for n in source.link_counts)
    for text, count, linked in zip(source.texts, source.counts, source.link_counts, strict=True):
        assert text == " ".join(text.split())
        assert len(text.replace(" ", "")) == count + linked
    assert source.length == sum(source.counts) + sum(source.link_counts)
    for heading in source.headings:
        assert 1 <= heading.level <= 6
        assert 0 <= heading.block < len(source.texts)


@given(st.one_of(st.text(), st.lists(st.one_of(st.sampled_from(MARKUP), st.text(max_size=4)), max_size=40).map("".join)))
@settings(max_examples=examples(400))
def test_any_text_gives_lists_of_equal_length_and_never_raises(text: str) -> None:
    source = scan(text)
    check(source)
    again = scan(text)
    assert (again.texts, again.counts, again.link_counts) == (source.texts, source.counts, source.link_counts)
    assert again.headings == source.headings


# --- well-formed documents ------------------------------------------------------------------------


@dataclass
class Expected:
    """The blocks of a well-formed document as the definition has them, built beside its markup."""

    markup: list[str] = field(default_factory=list)
    blocks: list[list[tuple[str, bool]]] = field(default_factory=lambda: [[]])
    headings: list[tuple[int, str, int]] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    number: int = 0

    def word(self) -> str:
        self.number += 1
        return f"word{self.number}x"


_KINDS = [*["text"] * 6, *["block"] * 6, *["inline"] * 3, "link", "raw", "nesting", "widget", "select", "comment", "br"]


def document(draw: Callable[[st.SearchStrategy], object], depth: int = 5) -> Expected:
    expected = Expected()
    _children(draw, expected, depth, linked=False, in_heading=False)
    return expected


def _children(draw, out: Expected, depth: int, *, linked: bool, in_heading: bool) -> None:  # type: ignore[no-untyped-def]
    for _ in range(draw(st.integers(0, 4))):
        kind = draw(st.sampled_from(_KINDS))
        if kind == "text" or depth == 0:
            word = out.word()
            out.markup.append(f" {word} ")
            out.blocks[-1].append((word, linked))
        elif kind == "block":
            tag = draw(st.sampled_from(_BLOCKS))
            heading = tag in ("h1", "h2", "h4")
            if heading and in_heading:
                continue
            out.markup.append(draw(st.sampled_from([f"<{tag}>", f'<{tag} class="a > b" id=c>', f"<{tag.upper()}>"])))
            out.blocks.append([])
            start = len(out.blocks) - 1
            _children(draw, out, depth - 1, linked=linked, in_heading=in_heading or heading)
            out.markup.append(f"</{tag}>")
            out.blocks.append([])
            if heading:
                text = " ".join(w for block in out.blocks[start:-1] for w, _ in block)
                out.headings.append((int(tag[1]), text, start))
        elif kind == "inline":
            tag = draw(st.sampled_from(_INLINE))
            out.markup.append(f"<{tag}>")
            _children(draw, out, depth - 1, linked=linked, in_heading=in_heading)
            out.markup.append(f"</{tag}>")
        elif kind == "link" and not linked:
            out.markup.append('<a class="x" href="/y">')
            _children(draw, out, depth - 1, linked=True, in_heading=in_heading)
            out.markup.append("</a>")
        elif kind == "br":
            out.markup.append("<br/>")
            out.blocks.append([])
        elif kind in ("raw", "comment", "nesting", "widget", "select"):
            _deleted(draw, out, kind)


def _deleted(draw, out: Expected, kind: str) -> None:  # type: ignore[no-untyped-def]
    word = out.word()
    out.deleted.append(word)
    if kind == "raw":
        tag = draw(st.sampled_from(_RAW))
        out.markup.append(f"<{tag} a='b'>{word} <div> </p> <a href=x> \" ' </{tag}>")
    elif kind == "comment":
        out.markup.append(f'<!-- {word} <div> " -->')
    elif kind == "nesting":
        tag = draw(st.sampled_from(_NESTING))
        out.markup.append(f"<{tag}><div>{word}<{tag}>{word}</{tag}></div><p>{word}</p></{tag}>")
    elif kind == "widget":
        tag = draw(st.sampled_from(_WIDGETS))
        out.markup.append(f"<{tag} for=x><span>{word}</span><div>{word}</div></{tag}>")
    else:
        out.markup.append(f"<select><option>{word}<option>{word}</option><optgroup>{word}</optgroup></select>")


@given(st.data())
@settings(max_examples=examples(250))
def test_blocks_of_well_formed_documents_are_as_defined(data: st.DataObject) -> None:
    expected = document(data.draw)
    source = scan("".join(expected.markup))
    assert source.texts == [" ".join(word for word, _ in block) for block in expected.blocks]
    assert source.counts == [sum(len(w) for w, linked in block if not linked) for block in expected.blocks]
    assert source.link_counts == [sum(len(w) for w, linked in block if linked) for block in expected.blocks]
    assert [(h.level, h.text, h.block) for h in source.headings] == expected.headings
    check(source)
    text = "\n".join(source.texts)
    assert not any(word in text.split() for word in expected.deleted)
    assert "<" not in text
    assert ">" not in text


# --- hostile input --------------------------------------------------------------------------------

HOSTILE = {
    "less-than signs": "<" * 200_000,
    "open tags": "<a" * 200_000,
    "nested divs": "<div>" * 100_000 + "text" + "</div>" * 100_000,
    "siblings": "<br>" * 1_000_000,
    "attributes": "<p " + " ".join(f'a{i}="v{i}"' for i in range(40_000)) + ">text",
    "bare attributes": "<p " + "a " * 200_000 + ">text",
    "equals signs": "<p " + "=" * 400_000 + ">text",
    "unclosed double quotes": '<p a="' * 50_000,
    "unclosed mixed quotes": "<p a='\"" * 50_000,
    "quotes": "<p " + "='x\"" * 100_000,
    "no tag": "x" * 1_000_000,
    "comments": "<!--" * 200_000,
    "comments with an end": "<!--" * 200_000 + "-->",
    "scripts": "<script>" * 100_000,
    "all kinds of scripts": "<script><style><svg><title><iframe>" * 20_000,
    "links": "<a href=x>" * 100_000,
    "links in links": '<a href="x">y<div>' * 50_000,
    "headings": "<h1>" * 100_000,
    "headings with text": "<h1>x</h1>" * 100_000,
    "one long heading": "<h1>" + "<p>x" * 100_000 + "</h2>" * 1_000,
    "labels": "<label>" * 100_000,
    "options": "<option>x" * 100_000,
    "unclosed widgets": "<div><button>" * 50_000 + "</div>" * 50_000,
    "forms": "<form>x</form>" * 50_000,
    "ampersands": "&" * 1_000_000,
    "character references": "&#" * 500_000,
    "long reference": "<p>&#" + "9" * 500_000 + ";",
    "white space": " " * 1_000_000 + "<p" + " " * 1_000_000,
    "slashes": "<p" + "/" * 500_000 + ">x",
    "bangs": "<!" * 300_000,
    "a long page": "<p>A sentence of a page, <a href='/x'>with a link</a>.</p>\n" * 90_000,
}


def seconds(text: str) -> float:
    """Processor time: other processes on the machine do not count."""
    start = time.process_time()
    check(scan(text))
    return time.process_time() - start


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_time_is_in_proportion_to_the_length_of_the_text(name: str) -> None:
    text = HOSTILE[name]
    plain = HOSTILE["a long page"][:500_000]
    second = min(seconds(plain) for _ in range(3)) / len(plain)  # of a character of an ordinary page
    assert seconds(text) < 10 * second * (len(text) + 250_000)


@pytest.mark.slow
@pytest.mark.parametrize("end", ["</SCRIPT>", "</Script>", "</script>"])
def test_time_does_not_depend_on_how_end_tags_are_written(end: str) -> None:
    assert seconds(f"<script>{end}" * 20_000) < 0.7
    assert seconds(f"<script>{end}" * 20_000 + "</script>") < 0.7


@pytest.mark.slow
def test_many_forms_cost_no_more_than_other_tags() -> None:
    assert seconds("<form><a href=x>y</a></form>" * 50_000) < 2.0


def test_text_behind_the_last_block_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_BLOCKS", 10)
    source = scan("".join(f"<p>word{i} <a href=/{i}>link{i}</a> <b>b</b>" for i in range(50)) + "<h2>head</h2>")
    check(source)
    assert len(source.texts) == 10
    assert source.texts[1] == "word0 link0 b"
    assert "word49" in source.texts[-1]
    assert source.texts[-1].endswith("head")


def test_a_real_cap_on_blocks() -> None:
    source = scan("<br>word " * 250_000)
    assert len(source.texts) == module.MAX_BLOCKS == 200_000
    assert source.length == 4 * 250_000
