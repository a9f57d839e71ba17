"""Block splitting: Zou & Zhong (2011), §1.2.1 and Table 1, and how its gaps are closed."""

from __future__ import annotations

from pathlib import Path

import pytest

from newsextract.page.source import Source, fold, scan

PAGES = Path(__file__).parent / "pages"

RAW = ("script", "noscript", "style", "textarea", "iframe")
TYPE_1 = (*RAW, "button", "select", "optgroup", "option", "label", "fieldset", "legend", "map", "form", "object")
TYPE_1_EMPTY = ("meta", "param", "input", "image", "area", "embed")
TYPE_2 = tuple("ul ol li dl dt dd p hr br div table tr td th head body tbody".split())
HTML5 = tuple(
    "section article main header footer nav aside figure figcaption blockquote pre h1 h2 h3 h4 h5 h6 thead tfoot caption"
    " address details summary".split()
)


def words(source: Source) -> list[str]:
    return " ".join(source.texts).split()


# --- type I ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("tag", TYPE_1)
def test_type_1_elements_are_deleted_with_their_content(tag: str) -> None:
    source = scan(f"<p>before <{tag}>noise of the widget</{tag}> after all this longer text of the page</p>")
    assert words(source) == "before after all this longer text of the page".split()


@pytest.mark.parametrize("tag", TYPE_1)
def test_type_1_elements_are_known_in_upper_case_and_with_attributes(tag: str) -> None:
    name = tag.upper()
    source = scan(f'<P>before <{name} ID="x" title="a > b">noise</{name} > after all this longer text</P>')
    assert words(source) == "before after all this longer text".split()


@pytest.mark.parametrize("tag", TYPE_1_EMPTY)
def test_empty_type_1_elements_leave_the_text_around_them(tag: str) -> None:
    source = scan(f'<p>one<{tag} value="hidden words"> two<{tag}/> three</p>')
    assert words(source) == ["one", "two", "three"]
    assert len([t for t in source.texts if t]) == 1, "they are no boundary"


@pytest.mark.parametrize("tag", ["object", "map", "fieldset"])
def test_nested_type_1_elements_end_at_the_matching_end_tag(tag: str) -> None:
    source = scan(f"<p>a<{tag}>x<{tag}>y</{tag}>z</{tag}>b</p>")
    assert "".join(source.texts) == "ab"


def test_links_are_left_out_of_the_counts_but_kept_in_the_text() -> None:
    source = scan('<p>The <a href="/x">old bridge</a> is closed.</p>')
    assert source.texts == ["", "The old bridge is closed.", ""]
    assert source.counts == [0, len("Theisclosed."), 0]
    assert source.link_counts == [0, len("oldbridge"), 0]


def test_an_anchor_without_address_is_no_link() -> None:
    source = scan('<p><a name="top">Start</a> here</p>')
    assert source.counts == [0, 9, 0]


def test_a_link_over_several_blocks_is_link_text_in_each() -> None:
    source = scan('<a href="/x"><div>head line</div><p>teaser</p></a><p>own</p>')
    assert [(t, c, n) for t, c, n in zip(source.texts, source.counts, source.link_counts, strict=True) if t] == [
        ("head line", 0, 8),
        ("teaser", 0, 6),
        ("own", 3, 0),
    ]


def test_link_text_goes_on_behind_a_deleted_element() -> None:
    source = scan('<p><a href="/x">one<button>noise</button>two</a></p>')
    assert (source.counts[1], source.link_counts[1]) == (0, 6)


def test_scripts_may_hold_anything() -> None:
    source = scan("""<p>a</p><script>if (a<b) { s = "<p>no</p>"; t = '</div>'; } // <!-- </script><p>b</p>""")
    assert words(source) == ["a", "b"]


def test_comments_are_cut_out_with_the_tags_in_them() -> None:
    assert words(scan("<p>a<!-- <p>no</p> <script> -->b</p><!---->c<!-->d<!--->e")) == ["ab", "cde"]


@pytest.mark.parametrize("end", ["</SCRIPT>", "</Script>", "</script >", "</script\n>", "</sCRIPT foo>"])
def test_an_end_tag_of_a_script_may_be_written_in_any_way(end: str) -> None:
    assert words(scan(f"<p>a<script>no{end}b")) == ["ab"]


# --- type II --------------------------------------------------------------------------------------


@pytest.mark.parametrize("tag", TYPE_2 + HTML5)
def test_type_2_tags_are_boundaries(tag: str) -> None:
    assert scan(f"one<{tag}>two").texts == ["one", "two"]
    assert scan(f"one</{tag}>two").texts == ["one", "two"]
    assert scan(f"one<{tag.upper()} class='x'>two").texts == ["one", "two"]


@pytest.mark.parametrize("tag", ["span", "b", "em", "strong", "font", "i", "u", "sup", "time", "unknown-tag", "img"])
def test_other_tags_are_inline(tag: str) -> None:
    assert scan(f"<p>one <{tag}>two</{tag}> three").texts == ["", "one two three"]


def test_empty_blocks_stay_in_the_sequence() -> None:
    source = scan("<div><p>one</p><p></p><p>two</p></div>")
    assert source.texts == ["", "", "one", "", "", "", "two", "", ""]
    assert source.counts == [0, 0, 3, 0, 0, 0, 3, 0, 0]


def test_white_space_is_folded_in_the_text_and_not_counted() -> None:
    source = scan("<p> a\n\t b&nbsp;c\u3000d \xa0 </p>")
    assert source.texts[1] == "a b c d"
    assert source.counts[1] == 4


def test_entities_are_resolved_before_counting() -> None:
    source = scan("<p>Fish &amp; chips &#20013;&#x6587; &eacute; &unknown; 5 &lt; 6</p>")
    assert source.texts[1] == "Fish & chips 中文 é &unknown; 5 < 6"
    assert source.counts[1] == len("".join(source.texts[1].split()))


@pytest.mark.parametrize("reference", ["&#65;", "&#x41;", "&#0000065;", "&#65"])
def test_references_by_number(reference: str) -> None:
    assert scan(f"<p>{reference}<a href={reference}>{reference}</a>").texts[1] == "AA"


@pytest.mark.parametrize(
    "reference", ["&#" + "9" * 5_000 + ";", "&#x" + "f" * 5_000 + ";", "&#" + "9" * 5_000, "&#99999999;"]
)
def test_references_to_no_character_do_not_make_it_raise(reference: str) -> None:
    source = scan(f"<p>one {reference} two</p><h1>{reference}x</h1><a href='/x?{reference}'>{reference}y</a>")
    assert source.texts[1].split()[0] == "one"
    assert source.texts[1].split()[-1] == "two"


# --- repair ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["a < b and c <3 d", "x <= y", "1<2", "a <- b", "<", "a <"])
def test_a_less_than_sign_is_text(text: str) -> None:
    assert scan(f"<p>{text}</p>").texts[1] == " ".join(text.split())


@pytest.mark.parametrize(
    "tag",
    ['<p title="a > b">', "<p title='a > b'>", '<p title=\'"\' data-x=">">', '<p\ntitle\n=\n"<b>a</b>"\n>', '<p a=">" b>'],
)
def test_a_greater_than_sign_in_a_quoted_value_does_not_end_the_tag(tag: str) -> None:
    assert scan(f"{tag}text</p>").texts == ["", "text", ""]


@pytest.mark.parametrize("tag", ['<p class="a"">', "<p class='a''>", '<p">', "<p '>", "<p don't>", '<p class=a">'])
def test_a_stray_quote_does_not_swallow_the_page(tag: str) -> None:
    page = f'{tag}first</p><p class="b">"second"</p><p>it\'s third</p>'
    assert [t for t in scan(page).texts if t] == ["first", '"second"', "it's third"]


@pytest.mark.parametrize("page", ["<p>one</p<p>two</p>", "<p>one<p>two", "<p>one</p><p class=x <p>two"])
def test_a_tag_that_is_not_closed_ends_at_the_next_one(page: str) -> None:
    assert [t for t in scan(page).texts if t] == ["one", "two"]


def test_a_page_that_ends_in_the_middle_of_a_tag() -> None:
    assert words(scan('<p>one</p><p>two <a href="/x')) == ["one", "two"]


@pytest.mark.parametrize("start", ["<!-- lost", "<script>lost", "<style>lost", "<textarea>lost", "<noscript>lost"])
def test_something_raw_that_is_never_closed_leaves_the_text_behind_it(start: str) -> None:
    source = scan(f"<p>one</p>{start}><p>two</p><p>three</p>")
    assert [t for t in source.texts if t and "lost" not in t] == ["one", "two", "three"]


@pytest.mark.parametrize("start", ["<!-- all of this", "<script>all of this", "<style>all of this"])
def test_something_raw_that_is_never_closed_swallows_the_rest_if_nothing_else_is_possible(start: str) -> None:
    assert words(scan(f"<p>one</p>{start} is lost")) == ["one"]


@pytest.mark.parametrize("tag", ["button", "label", "legend", "fieldset", "object", "map", "option", "optgroup", "select"])
def test_an_unclosed_type_1_element_ends_with_its_parent(tag: str) -> None:
    assert words(scan(f"<div><div>one <{tag}>noise</div><p>two</p></div>")) == ["one", "two"]


@pytest.mark.parametrize("tag", ["select", "option", "optgroup"])
def test_an_unclosed_select_ends_at_a_tag_that_cannot_stand_in_it(tag: str) -> None:
    assert words(scan(f"<div><{tag}>noise<p>two</p></div>")) == ["two"]


def test_options_need_no_end_tags() -> None:
    assert words(scan("<p>a<select><option>x<option>y<optgroup label=z><option>w</select>b</p>")) == ["ab"]


@pytest.mark.parametrize("parent", ["p", "li", "dd", "tr", "h2"])
@pytest.mark.parametrize("tag", ["label", "button", "legend"])
def test_an_unclosed_widget_in_a_paragraph_ends_with_it(parent: str, tag: str) -> None:
    source = scan(f"<div><{parent}><{tag}>noise</{parent}><p>all of the article</p></div>")
    assert words(source) == "all of the article".split()


def test_an_svg_that_closes_itself_holds_nothing() -> None:
    assert words(scan("<p>one<svg width=1 />two</p><p>three<svg><text>no</text></svg>four</p>")) == ["onetwo", "threefour"]


def test_overlapping_tags_do_not_derail() -> None:
    assert [t for t in scan("<div><b><p>one</b> two</p></i></div></div></td>three").texts if t] == ["one two", "three"]


def test_text_without_any_tag_is_one_block() -> None:
    source = scan("just text")
    assert (source.texts, source.counts) == (["just text"], [8])


def test_text_in_front_of_the_first_tag_is_a_block() -> None:
    assert scan("before<p>after").texts == ["before", "after"]


# --- forms ----------------------------------------------------------------------------------------


def test_a_page_wrapped_in_one_form_keeps_its_text() -> None:
    source = scan((PAGES / "aspnet.html").read_text("utf-8"))
    text = "\n".join(source.texts)
    assert "The town council passed the budget" in text
    assert "Most of the money" in text
    assert "Monday<" not in text
    assert "Tuesday" not in text
    assert [(h.level, h.text) for h in source.headings] == [(2, "Council budget passed")]
    assert source.texts[source.headings[0].block] == "Council budget passed"


def test_a_form_is_a_container_only_with_more_than_half_of_the_text() -> None:
    assert words(scan("<form>xxxx</form><p>yyyy</p>")) == ["yyyy"]
    assert words(scan("<form>xxxxx</form><p>yyyy</p>")) == ["xxxxx", "yyyy"]
    assert words(scan('<form>xx<a href="/">xxx</a></form><p>yyyy</p>')) == ["xxxxx", "yyyy"], "links are text of the page"


def test_an_unclosed_form_around_the_article_is_a_container() -> None:
    assert "article" in words(scan("<p>a</p><form><input><p>the long text of the article</p>"))


def test_an_unclosed_widget_form_ends_with_its_parent() -> None:
    assert (
        words(scan("<div><form>search</div><p>the long text of the article</p>")) == "the long text of the article".split()
    )


def test_indices_behind_deleted_forms_stay_right() -> None:
    source = scan(
        '<h1>First</h1><form><h2>Login</h2><a href="/login">Go</a></form><p>long text of the page</p>'
        '<form>search</form><h3>Third</h3><p><a href="/x">a link</a> and more text of the page</p><form>z</form>'
    )
    assert [(h.level, h.text, source.texts[h.block]) for h in source.headings] == [
        (1, "First", "First"),
        (3, "Third", "Third"),
    ]
    assert source.length == sum(source.counts) + sum(source.link_counts)


# --- headings -------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", range(1, 7))
def test_headings_have_level_text_and_block(level: int) -> None:
    source = scan(f"<p>x</p><h{level} class=a>Two <b>words</b> &amp;\n more</h{level}><p>y</p>")
    (heading,) = source.headings
    assert (heading.level, heading.text) == (level, "Two words & more")
    assert source.texts[heading.block] == heading.text


def test_a_heading_over_several_blocks() -> None:
    source = scan("<h1>One<br>two</h1>")
    assert [(h.text, h.block) for h in source.headings] == [("One two", 1)]


def test_a_heading_that_is_never_closed_is_none() -> None:
    assert [h.text for h in scan("<h1>One<p>text<h2>Two</h2>").headings] == ["Two"]


def test_helpers() -> None:
    assert fold(" a\n b&lt; ") == "a b<"
