"""The tree in columns: hand-written pages and what each column says of them."""

from __future__ import annotations

import pytest

import newsextract.page.dom as module
from newsextract.page.dom import Dom, Link, read_dom
from newsextract.results import Heading


def elements(dom: Dom) -> list[tuple[str, int, int, int, int]]:
    """(tag, parent, end, first block, end block) of the elements below the body."""
    rows = list(zip(dom.tags, dom.parents, dom.ends, dom.first_blocks, dom.end_blocks, strict=True))
    assert [row[0] for row in rows[:2]] == ["html", "body"]
    return rows[2:]


def innermost(dom: Dom) -> list[tuple[str, str]]:
    """(tag of the innermost element, text) of each block."""
    return [(dom.tags[element], text) for element, text in zip(dom.elements, dom.texts, strict=True)]


def leaves(dom: Dom) -> list[tuple[str, int, bool]]:
    return list(zip(dom.leaf_texts, dom.leaf_blocks, dom.leaf_linked, strict=True))


# --- elements and blocks --------------------------------------------------------------------------


def test_columns_of_a_small_page() -> None:
    dom = read_dom("<div><p>one</p><p>two</p></div><section>three</section>")
    assert elements(dom) == [("div", 1, 5, 0, 2), ("p", 2, 4, 0, 1), ("p", 2, 5, 1, 2), ("section", 1, 6, 2, 3)]
    assert (dom.parents[:2], dom.ends[:2], dom.end_blocks[:2]) == ([-1, 0], [6, 6], [3, 3])
    assert innermost(dom) == [("p", "one"), ("p", "two"), ("section", "three")]
    assert (dom.counts, dom.link_counts, dom.links, dom.length) == ([3, 3, 5], [0, 0, 0], [0, 0, 0], 11)


def test_text_beside_block_children_makes_anonymous_blocks() -> None:
    dom = read_dom("<div>before<p>inside</p>between<p>inside too</p><b>after</b></div>")
    assert innermost(dom) == [("div", "before"), ("p", "inside"), ("div", "between"), ("p", "inside too"), ("div", "after")]
    assert elements(dom)[0] == ("div", 1, 5, 0, 5)


def test_inline_elements_are_unwrapped() -> None:
    dom = read_dom("<p>a<span>b<em>c</em></span> <code>d</code><label>e</label><font color=red>f</font></p>")
    assert innermost(dom) == [("p", "abc def")]
    assert leaves(dom) == [("abc def", 0, False)]
    assert [row[0] for row in elements(dom)] == ["p"]


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("<span>Jane Doe</span><span>Head of Design</span>", "Jane Doe Head of Design"),
        ("<label>Belts</label><span>200</span>", "Belts 200"),
        ("<a href=/a>Rack</a><em>Shipwreck</em>", "Rack Shipwreck"),
        ("<span>2026</span><!-- a --><span><b>1h 54m</b></span>", "2026 1h 54m"),
        ("<span>SKU</span><span>MFR</span>", "SKU MFR"),
        ("<span>J</span><span>OHN</span>", "JOHN"),
        ("<span>child</span><span>ren</span>", "children"),
        ("<b>3</b><i>D</i>", "3D"),
        ("<i>x</i><sub>2</sub>", "x2"),
        ("You<b>Tube</b>", "YouTube"),
        ("<span>1978</span><span>年参加工作</span>", "1978年参加工作"),
    ],
)
def test_words_of_inline_elements_side_by_side_are_parted(line: str, shown: str) -> None:
    assert read_dom(f"<p>{line}").texts == [shown]


def test_words_of_inline_elements_in_code_are_not_parted() -> None:
    assert read_dom("<pre><b>get</b><i>Name</i></pre>").texts == ["getName"]


@pytest.mark.parametrize(
    "name", ["visually-hidden", "sr-only", "screen-reader-text", "wt-screen-reader-only", "a_visuallyHidden__x1"]
)
def test_what_only_screen_readers_read_within_a_line_is_no_text(name: str) -> None:
    assert read_dom(f"<p><span class={name}>Regular price</span> <b>£12</b></p>").texts == ["£12"]
    assert read_dom(f"<h2><span class={name}>Comments</span> <svg></svg></h2>").texts == ["Comments"]
    assert read_dom("<p><span class='not-sr-only'>About</span> <b>£12</b></p>").texts == ["About £12"]


def test_the_link_to_edit_a_section_is_no_text_of_its_heading() -> None:
    edit = '<span class="mw-editsection"><span>[</span><a href="?edit">Bearbeiten</a><span>]</span></span>'
    assert [heading.text for heading in read_dom(f"<h2><span>Aufbau</span>{edit}</h2>").headings] == ["Aufbau"]


@pytest.mark.parametrize(
    "markup",
    [
        "<script>var gone = '<p>gone</p>'</script>",
        "<style>gone</style>",
        "<noscript><p>gone</p></noscript>",
        "<template><p>gone</p></template>",
        "<iframe>gone</iframe>",
        "<svg><text>gone</text></svg>",
        "<math><mi>gone</mi></math>",
        "<object><p>gone</p></object>",
        "<select><option>gone</option></select>",
        "<textarea>gone</textarea>",
        "<button>gone</button>",
        "<video>gone</video>",
        "<canvas>gone</canvas>",
        "<!-- gone -->",
        "<![CDATA[gone]]>",
        "<?gone?>",
        "<title>gone</title>",
    ],
)
def test_what_makes_no_text_is_left_out(markup: str) -> None:
    dom = read_dom(f"<div>here {markup}and there</div>")
    assert dom.texts == ["here and there"]
    assert [row[0] for row in elements(dom)] == ["div"]
    assert dom.length == len("hereandthere")


def test_head_is_left_out() -> None:
    dom = read_dom("<head><title>t</title><meta name=a><base href=/></head><body>text")
    assert (dom.tags, dom.texts) == (["html", "body"], ["text"])


def test_custom_and_unknown_elements_are_block_elements() -> None:
    dom = read_dom("<story-body>one<x-note>two</x-note></story-body><blah>three</blah>")
    assert innermost(dom) == [("story-body", "one"), ("x-note", "two"), ("blah", "three")]


def test_unclosed_paragraphs_items_and_cells() -> None:
    dom = read_dom("<p>one<p>two<ul><li>three<li>four</ul><table><tr><td>five<td>six<tr><td>seven</table>")
    expected = ["p one", "p two", "li three", "li four", "td five", "td six", "td seven"]
    assert [f"{tag} {text}" for tag, text in innermost(dom)] == expected
    assert [row[1] for row in elements(dom)[:2]] == [1, 1], "paragraphs side by side"


def test_nested_tables() -> None:
    dom = read_dom("<table><tr><td>a<table><tr><td>b</table>c</table>")
    assert [row[0] for row in elements(dom)] == ["table", "tbody", "tr", "td"] * 2
    assert innermost(dom) == [("td", "a"), ("td", "b"), ("td", "c")]
    assert (dom.elements, dom.first_blocks[6], dom.end_blocks[6]) == ([5, 9, 5], 1, 2)


def test_uppercase_tags_are_the_same() -> None:
    assert read_dom("<DIV><P>x<BR>y</P></DIV>").tags == read_dom("<div><p>x<br>y</p></div>").tags


def test_lines() -> None:
    dom = read_dom("<p> one <br> two<br/><br>three\nfour<br></p>")
    assert dom.texts == ["one\ntwo\nthree four"]
    assert dom.counts == [len("onetwothreefour")]
    assert read_dom("<p>one\u2028two</p>").texts == ["one\ntwo"], "a line separator is a new line"
    assert read_dom("<p><br><br></p>").texts == []


def test_white_space_is_folded_and_entities_are_read() -> None:
    dom = read_dom("<p>\n  a&nbsp;&amp;\t b&#x21; \u3000 c</p><p> \u00a0\n</p>")
    assert dom.texts == ["a & b! c"]
    assert dom.counts == [5]


@pytest.mark.parametrize("text", ["", " \n", "<!-- x -->", "<p></p>", "<br>" * 9, "<a href=/x></a>", "<img src=x>"])
def test_a_page_without_text_has_no_blocks(text: str) -> None:
    dom = read_dom(text)
    assert (dom.texts, dom.leaf_texts, dom.length) == ([], [], 0)
    assert dom.tags[:2] == ["html", "body"]
    assert (dom.end_blocks[0], dom.ends[0]) == (0, len(dom.tags))
    assert dom.covered([0]).tolist() == []
    assert dom.count_sums.tolist() == [0]


def test_a_page_of_frames_has_no_body() -> None:
    dom = read_dom("<frameset cols=1><frame src=x><noframes><p>old</p></noframes></frameset>")
    assert (dom.tags, dom.texts) == (["html"], [])


# --- links and leaves -----------------------------------------------------------------------------


def test_leaves_end_where_links_begin_and_end() -> None:
    dom = read_dom('<p>Read <a href="/x">the <b>long</b> story</a>, it says.</p><p>More</p>')
    assert leaves(dom) == [("Read ", 0, False), ("the long story", 0, True), (", it says.", 0, False), ("More", 1, False)]
    assert dom.texts == ["Read the long story, it says.", "More"]
    assert (dom.counts, dom.link_counts, dom.links) == ([12, 4], [12, 0], [1, 0])


def test_only_a_link_with_an_address_is_a_link() -> None:
    dom = read_dom("<p><a name=top>anchor</a> <a href>empty address</a></p>")
    assert leaves(dom) == [("anchor ", 0, False), ("empty address", 0, True)]
    assert dom.links == [1]


@pytest.mark.parametrize("sign", ["¶", "#", " 🔗 "])
def test_the_sign_of_a_link_to_the_heading_itself_is_no_text(sign: str) -> None:
    own = f"<a class=own href='#tides'>{sign}</a>"
    dom = read_dom(f"<h2>Tides{own}</h2><p>Text</p><h2>{own}<b>Ports</b></h2><h2>{own}</h2><p>Issue <a href='/1'>#</a></p>")
    assert dom.texts == ["Tides", "Text", "Ports", "Issue #"]
    assert leaves(dom) == [
        ("Tides", 0, False),
        ("Text", 1, False),
        ("Ports", 2, False),
        ("Issue ", 3, False),
        ("#", 3, True),
    ]
    assert dom.link_counts == [0, 0, 0, 1]
    assert [heading.text for heading in dom.headings] == ["Tides", "Ports", ""]


@pytest.mark.parametrize(
    ("tag", "href"),
    [
        ('<a href="/a?b=1&amp;c=2">', "/a?b=1&c=2"),
        ("<a class=x href = ' /a '>", "/a"),
        ("<A HREF=/a>", "/a"),
        ('<a title="href=no" href="/a">', "/a"),
        ("<a\nhref\n=\n/a\n>", "/a"),
    ],
)
def test_all_links_have_address_text_and_relations(tag: str, href: str) -> None:
    page = (
        f"<p>before {tag}<b>The</b>\n text</a> <a name=x>none</a> <a href=''>none</a></p><a href=2 rel='Next NOFOLLOW'></a>"
    )
    assert read_dom(page).all_links == [Link(href, "The text", ""), Link("2", "", "next nofollow")]


def test_the_blocks_and_lines_of_a_link_are_parted_in_its_text() -> None:
    found = read_dom("<a href=1><h3>Head</h3><p>Lead<img><script>x</script></p></a><p><a href=2>one<br>two</a>three</p>")
    assert [link.text for link in found.all_links] == ["Head Lead", "one two"]


def test_a_link_without_end_ends_at_the_next_one() -> None:
    found = read_dom('<div><a href="/1">one<a href="/2">two</div><p>three</p>').all_links
    assert [(link.href, link.text) for link in found][:2] == [("/1", "one"), ("/2", "two")]


def test_links_of_a_small_form_are_left_out() -> None:
    form = "<form><p>Login or <a href=/register>register</a></p></form>"
    around = "<p>A page with much more text than its form, and <a href=/x>a link</a></p>"
    assert [link.href for link in read_dom(form + around).all_links] == ["/x"]
    assert [link.href for link in read_dom(f"<form>{around}</form><p>x</p>").all_links] == ["/x"]


def test_images_count_as_links() -> None:
    dom = read_dom("<p>text<img src=a><a href=x><img src=b></a></p>")
    assert dom.links == [3]
    assert dom.link_counts == [0]


def test_a_link_around_blocks() -> None:
    dom = read_dom("<a href=/x>one<div>two</div>three</a> four")
    assert innermost(dom) == [("body", "one"), ("div", "two"), ("body", "three four")]
    assert (dom.counts, dom.link_counts) == ([0, 0, 4], [3, 3, 5])
    assert dom.links == [1, 0, 0], "counted where it begins"
    assert [linked for _, _, linked in leaves(dom)] == [True, True, True, False]


def test_an_image_or_a_line_parts_words_in_leaves() -> None:
    assert [text for text, _, _ in leaves(read_dom("<p>one<br>two<img src=x>three</p>"))] == ["one two three"]


# --- headings -------------------------------------------------------------------------------------


def test_headings() -> None:
    heads = "<h1>Head <a href=/>line</a></h1><p>x</p><h3>two<br>lines</h3><h6></h6>"
    dom = read_dom(heads + "<p>y</p><h2><div>a</div><div>b</div></h2>")
    assert dom.headings == [
        Heading(1, "Head line", 0),
        Heading(3, "two lines", 2),
        Heading(6, "", 3),
        Heading(2, "a b", 4),
    ]
    assert dom.texts == ["Head line", "x", "two\nlines", "y", "a", "b"]


@pytest.mark.parametrize(
    ("ruby", "shown"),
    [("漢<rt>かん</rt>字<rt>じ</rt>", "漢字"), ("漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp>", "漢字(かんじ)")],
)
def test_readings_are_text_only_in_brackets(ruby: str, shown: str) -> None:
    assert read_dom(f"<p>これは<ruby>{ruby}</ruby>です。").texts == [f"これは{shown}です。"]


def test_a_button_in_a_heading_is_its_text() -> None:
    dom = read_dom(
        "<h3><button><span>Who pays?</span></button></h3><p>All.</p><p><button>Share</button></p><button>Up</button>"
    )
    assert dom.texts == ["Who pays?", "All."]
    assert [heading.text for heading in dom.headings] == ["Who pays?"]


def test_a_heading_around_the_page_is_not_read_to_its_end() -> None:
    dom = read_dom("<h1>" + "<div>word</div>" * 100)
    assert dom.headings == [Heading(1, " ".join(["word"] * 20), 0)]
    assert len(dom.texts) == 100


# --- attributes, counts, sums ---------------------------------------------------------------------


def test_attributes_hints_and_hidden() -> None:
    dom = read_dom(
        '<div CLASS="Main Story" id=Top DATA-x=1>a</div><p id=B hidden>b</p><p style="color: red; DISPLAY :none">c</p>'
        '<p style="visibility: hidden">d</p><p style="display: block" class>e</p><p hidden=until-found>f</p>'
    )
    assert dom.attributes(2) == {"class": "Main Story", "id": "Top", "data-x": "1"}
    assert dom.hints == ["", "", "main story #top", "#b", "", "", "", ""]
    assert dom.hidden == [3, 4, 5, 7]
    assert dom.attributes(1) == {}


def test_attributes_of_inline_elements_are_not_read() -> None:
    assert read_dom("<p><span hidden class=x>a</span></p>").hidden == []


def test_elements_by_tag() -> None:
    dom = read_dom("<html><body><nav>Home</nav><form>Search</form><nav>Imprint</nav></body></html>")
    assert dom.by_tag["nav"] == [2, 4]
    assert dom.of(("form", "nav", "table")) == [2, 3, 4]


def test_prefix_sums_and_covered() -> None:
    dom = read_dom("<div><p>one</p><p>two <a href=x>link</a></p></div><p>three</p><footer>four</footer>")
    assert dom.count_sums.tolist() == [0, 3, 6, 11, 15]
    assert dom.link_count_sums.tolist() == [0, 0, 4, 4, 4]
    div, footer = dom.tags.index("div"), dom.tags.index("footer")
    assert dom.covered([]).tolist() == [False] * 4
    assert dom.covered([div]).tolist() == [True, True, False, False]
    assert dom.covered([footer, div, div, div + 1]).tolist() == [True, True, False, True]
    assert dom.covered([0]).tolist() == [True] * 4


def test_node_count_is_of_the_whole_tree() -> None:
    dom = read_dom(
        "<!doctype html><html><head><title>t</title></head><body><p>a<b>c</b></p><script>x</script></body></html>"
    )
    # html, head, body, p, its text, b, its text, script; what stands in head and script is not gone into
    assert dom.node_count == 8


# --- bounds ---------------------------------------------------------------------------------------


def test_elements_over_the_bound_are_unwrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_ELEMENTS", 5)
    dom = read_dom("".join(f"<p>word{i}</p>" for i in range(6)))
    assert dom.tags == ["html", "body", "p", "p", "p"]
    assert dom.texts == ["word0", "word1", "word2", "word3 word4 word5"]
    assert (dom.ends[0], dom.end_blocks[0]) == (5, 4)


def test_the_real_bound() -> None:
    dom = read_dom("<p>x" * 250_000)
    assert len(dom.tags) == module.MAX_ELEMENTS == 200_000
    assert dom.length == 250_000


def test_headings_around_the_whole_page_are_cut() -> None:
    dom = read_dom("<h1><div>" * 200 + "word " * 20_000 + "</div></h1>" * 200)
    assert len(dom.headings) == 200
    assert {len(heading.text) for heading in dom.headings} == {1_000}


def test_links_of_a_pager_in_a_form_are_kept() -> None:
    form = "<form>Page 1 of 9 <a href=/x?page=2>2</a> <a href=/x?page=9 rel=last>Last</a> <a href=/x?page=2 rel='nofollow next'><img></a>"
    around = (
        "<p>A page with much more text than its form, and <a href=/y>a link</a> that leads elsewhere than the pager does</p>"
    )
    found = read_dom(f"{form}<input name=page></form>{around}").all_links
    assert [(link.href, link.text) for link in found] == [("/x?page=2", "2"), ("/x?page=2", ""), ("/y", "a link")]


def test_lines_of_preformatted_text_are_kept() -> None:
    dom = read_dom("<pre>one\n  two\r\n\n<b>three</b> four</pre><p>one\ntwo</p><pre><p>a\nb</p></pre>")
    assert dom.texts == ["one\ntwo\nthree four", "one two", "a b"]


def test_elements_that_html_does_not_know() -> None:
    page = "<p>a <g-emoji>b</g-emoji> c <st1:place><i>d</i></st1:place></p><x-card>e<x-card>f</x-card></x-card><h2>g <x-anchor>h</x-anchor></h2>"
    assert read_dom(page).texts == ["a b c d", "e", "f", "g h"]
