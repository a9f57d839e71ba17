"""The guard before the parser: honest pages pass unchanged, hostile ones keep their text and lose what makes them expensive."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

import newsextract.page.parsing as module
from newsextract import extract
from newsextract.page.parsing import defused
from tests.examples import examples

PAGES = Path(__file__).parent / "pages"


def long_page(
    start: str = "", item: str = "<p>A sentence of a page, <a href='/x'>with a link</a>.</p>\n", n: int = 6_000
) -> bytes:
    return (start + item * n).encode()


@pytest.mark.parametrize("path", sorted(PAGES.glob("*.html")), ids=lambda path: path.stem)
def test_honest_pages_pass_unchanged(path: Path) -> None:
    source = path.read_bytes()
    assert defused(source) is source


@pytest.mark.parametrize(
    "item",
    [
        "<p>A sentence of a page, <a href='/x'>with a link</a>.</p>\n",
        "<div class=a><b>x</b><i id='1'>y</i><x-card><div>z</div></x-card></div>",
        "<table><tr><td><div>unclosed cell<td>x<tr><td>y</div></table>",
        "<ul><li>one<li>two</ul><dl><dt>a<dd>b<ul><li>c</ul><dt>d</dl>",
        "<h2>head</h2><p>one<p>two<br><img src=x><hr>",
        "<DIV><SPAN>x</SPAN></DIV>",
        "<select><option>a<option>b</select><svg><path/><g><path/></g></svg>",
        "<script>if (a<b) { c = '</div>' }</script><!-- </div> <p> -->",
        "<div title='a > b' data-x=\"<p>\">x</div>",
    ],
)
def test_long_honest_pages_pass_unchanged(item: str) -> None:
    source = long_page("<!doctype html><html><body class=x>", item, 200 if "svg" in item or "script" in item else 6_000)
    padded = source + b"<p>x</p>" * module.MANY_TAGS
    assert defused(padded) == padded


@pytest.mark.parametrize(
    "item", ["<x-{}>b</x-{}>", "</x-{}>b", "<p data-{}=1>b</p>", "<p class=c data-{}>b</p>", "<p a='>'DATA-{}='x'>b</p>"]
)
def test_of_endless_names_the_first_stay_and_all_text(item: str) -> None:
    source = "".join(item.replace("{}", str(number)) for number in range(30_000)).encode()
    mended = defused(source)
    name = b"x-" if b"x-" in source else b"data-"
    others = 1 if "class" in item or ("a=" in item.partition("DATA")[0] and "DATA" in item) else 0
    found = set(re.findall(rb"%s\d+" % name, mended.lower()))
    assert found == {b"%s%d" % (name, number) for number in range(module.MAX_NAMES - others)}
    assert re.sub(rb"<[^>]*>(?:'(?:DATA-\d+='x')?>)?|\s", b"", mended) == b"b" * 30_000
    assert defused(mended) == mended


@pytest.mark.parametrize("spared", range(8))
def test_names_cannot_be_kept_out_of_the_sample(spared: int) -> None:
    """A window in eight has no names: which ones are read depends on the whole page."""
    pieces, number = [b"<html><body>"], 0
    for window in range(800):
        piece = b""
        while len(piece) < 2_000:
            piece += b"<p>word</p>" if window % 8 == spared else b"<x%d>b</x%d>" % (number, number)
            number += 1
        pieces.append(piece.ljust(2_048))
    source = b"".join(pieces)
    assert len(set(re.findall(rb"<(x\d+)", defused(source)))) <= module.MAX_NAMES < len(set(re.findall(rb"<(x\d+)", source)))


def test_a_long_honest_page_keeps_its_names() -> None:
    words = b" ".join(b"word%d" % number for number in range(40_000))
    source = (
        b"<p class=lead data-id=7>"
        + words
        + b"</p><my-element>"
        + b"".join(b"<p id=p%d>x</p>" % number for number in range(9_000))
    )
    assert defused(source) == source


def test_scripts_full_of_tags_go_from_long_pages() -> None:
    source = long_page("<script>" + "'<div>'+" * (module.MAX_HIDDEN + 1) + "</script><p>text")
    assert b"'<div>'" not in defused(source)
    assert defused(source).endswith(source[-1_000:])
    few = long_page("<script>" + "'<div>'+" * module.MAX_HIDDEN + "</script><p>text")
    assert defused(few) == few


@pytest.mark.parametrize("before", [0, 1, 1_999, 2_000, 3_999, 10_001])
def test_a_tag_of_endless_attributes_is_found_wherever_it_begins(before: int) -> None:
    attributes = b" ".join(b"a%d" % number for number in range(module.MAX_ATTRIBUTES + 1))
    source = b"<p>" + b"x" * before + b"<i " + attributes + b">text"
    mended = defused(source)
    assert mended.endswith(b">text")
    assert len(mended) < len(source)


def test_start_tags_that_are_too_deep_go() -> None:
    source = b"<p>before" + b"<div>" * 20_000 + b"text"
    mended = defused(source)
    assert mended.count(b"<div>") == module.MAX_DEPTH
    assert mended.endswith(b"text")
    assert defused(b"<div>" * (module.MANY_TAGS - 1)) == b"<div>" * (module.MANY_TAGS - 1), "few enough to be cheap"


def test_where_a_tag_went_no_new_one_arises() -> None:
    mended = defused(b"<div>" * module.MAX_DEPTH + b"<<div>div>" * 10_000)
    assert mended.count(b"<div") == module.MAX_DEPTH
    start = b"".join(b"<i id=%d>" % i for i in range(1_000))
    mended = defused(start + b"".join(b"<<b>b id=%d><p>x" % i for i in range(3_000)))
    assert b"<b" not in mended
    assert mended.count(b"<p>x") == 3_000


def test_formatting_left_open_goes_with_its_text_kept() -> None:
    source = b"".join(b"<p>a<b id=%d>b<FONT size=%d>c" % (i, i) for i in range(3_000))
    mended = defused(source)
    assert b"<b" not in mended
    assert b"<FONT" not in mended
    assert mended.count(b"<p>a") == 3_000
    few = b"<p><b class=x>bold</b> and <i>italic</i> " * 3_000
    assert defused(few) == few, "equal ones are opened again three times at most"


def test_formatting_with_long_attributes_counts_by_its_bytes() -> None:
    start = b"".join(b'<b id=%d title="%s">' % (i, b"z" * 1_000) for i in range(700))
    assert b"<b" not in defused(b"<p>" + start + b"</p>" + b"<p>x</p>" * 600)
    odd = b"".join(b'<b title="> %d %s">' % (i, b"z" * 50_000) for i in range(10))
    assert b"<b" not in defused(b"<p>" + odd + b"</p>" + b"<p>x</p>" * 2_000)


@pytest.mark.parametrize("slash", [b"", b"/"])
@pytest.mark.parametrize("value", [b"", b"=1", b'="<"', b"='x y'", b'= "<div>"'])
def test_a_tag_keeps_its_first_attributes(value: bytes, slash: bytes) -> None:
    source = b"<p>a<" + slash + b"div " + b" ".join(b"attribute%d%s" % (i, value) for i in range(20_000)) + b">text</p>"
    mended = defused(source)
    assert mended.count(b"attribute") == module.MAX_ATTRIBUTES
    assert mended.startswith(b"<p>a<" + slash + b"div attribute0" + value)
    assert mended.endswith(value + b">text</p>")


def test_a_long_value_is_not_cut() -> None:
    """Cut inside its quotes it would swallow the text behind it."""
    source = b'<p>one</p><img src="data:image/png;base64,%s" alt=x><p>two</p><p class="a">three</p>' % (
        b"iVBORw0KGgo" * 20_000
    )
    assert defused(source) == source


def test_bodies_that_are_too_many_go() -> None:
    source = b"".join(b"<BODY a%d>" % i for i in range(500)) + b"text"
    mended = defused(source)
    assert mended.count(b"<BODY") == module.MAX_BODIES
    assert mended.endswith(b"text")


def test_comments_that_are_too_many_go() -> None:
    source = b"<table>" + b"x<!-- y -->z<?>" * module.MANY_TAGS
    assert b"<!" not in defused(source)
    assert b"<?" not in defused(source)


@pytest.mark.parametrize(
    "mark", [b"", b"\xff", b"<", b"<!", b"<!--", b"</", b"<a", b"<a b", b"<a b=", b'<a b="', b"<svg", b"</svg"]
)
def test_sources_that_end_in_the_middle(mark: bytes) -> None:
    assert defused(mark) == mark
    assert defused(b"<p>x" * module.MANY_TAGS + b"<p>" + mark).startswith(b"<p>x<p>x")


# --- generated sources ----------------------------------------------------------------------------

NAMES = """div p span a b font li dd dt ul ol dl table tr td caption h1 h2 option optgroup select button form object marquee template
svg math desc foreignObject title style script textarea xmp iframe noscript body html frameset ruby rt rp nobr x-y details br input
img applet pre listing colgroup""".split()
MARKS = st.one_of(
    st.sampled_from(NAMES).map("<{}>".format),
    st.sampled_from(NAMES).map("</{}>".format),
    st.sampled_from(NAMES).map("<{}/>".format),
    st.sampled_from(NAMES).map('<{} a="'.format),
    st.sampled_from(["x", "<!--", "-->", "<![CDATA[", "]]>", "<?", "</", "<", ">", '"', "'", "<!-->", "<!--->", "--!>"]),
)


def depth(source: bytes) -> int:
    """How deep the parser's tree is."""
    node = LexborHTMLParser(source).root
    now = most = 0
    while node is not None:
        if node.child is not None:
            node, now = node.child, now + 1
            most = max(most, now)
            continue
        while node is not None and now > 0 and node.next is None:
            node, now = node.parent, now - 1
        node = node.next if node is not None and now > 0 else None
    return most


def test_depth() -> None:
    assert depth(b"<div><div>x</div></div><p>y</p>") == 4
    assert depth(b"<div>" * 50) == 51


@given(st.lists(MARKS, max_size=2).map("".join), st.lists(MARKS, min_size=1, max_size=7).map("".join))
@settings(max_examples=examples(400))
def test_no_repeated_markup_makes_a_deep_tree(start: str, item: str) -> None:
    """With small bounds, so that short sources show it: an element a repetition would make 300."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MANY_TAGS", 0)
        patch.setattr(module, "MAX_DEPTH", 40)
        patch.setattr(module, "MAX_HIDDEN", 20)
        assert depth(defused((start + item * 300).encode())) < 290


@given(st.lists(MARKS, max_size=40).map("".join))
@settings(max_examples=examples(300))
def test_any_source_is_mended_without_an_error(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name in (
            "MANY_TAGS",
            "MAX_DEPTH",
            "MAX_HIDDEN",
            "MAX_COMMENTS",
            "MAX_BODIES",
            "FEW_TAGS",
            "MAX_COPIES",
            "MAX_ODD",
        ):
            patch.setattr(module, name, 0)
        mended = defused(text.encode())
        assert defused(text.encode()) == mended


@pytest.mark.parametrize("following", ["<body>", "</head><body>", "<meta charset=utf-8><body>", "<p>", "<DIV>"])
def test_a_title_left_open_ends_before_the_next_element(following: str) -> None:
    source = f"<html><head><title>A day at sea\n{following}{'<p>The ferry came in late.</p>' * 200}"
    assert defused(source.encode()).startswith(f"<html><head><title>A day at sea\n</title>{following}".encode())
    article = extract(source)
    assert article.title == "A day at sea"
    assert article.text.count("ferry") == 200


def test_a_title_with_tags_in_it_that_is_closed_stays() -> None:
    source = b"<title>How to use <div> and <p> in pages</title><p>text"
    assert defused(source) is source
