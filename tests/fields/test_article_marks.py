"""Author, section, picture and headline that themes mark without declaring them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract import Page, extract
from newsextract.fields.article_marks import ArticleMarks, class_words, is_face
from newsextract.page.dom import read_dom
from newsextract.results import Article
from tests.examples import examples

PROSE = "<p>The ferry came in late, and nobody on the quay had a word to say about it, as the wind was up at {}.</p>"
TEXT = "".join(PROSE.format(hour) for hour in ("six", "seven", "eight", "nine"))
URL = "http://quay.example/2023/a-day-at-sea.html"


def article(above: str = "", below: str = "", head: str = "<title>A day at sea</title>", around: str = "{}") -> Article:
    body = around.format(f"<article><h1>A day at sea</h1>{above}<div class=entry-content>{TEXT}</div>{below}</article>")
    return extract(Page.from_text(f"{head}<body>{body}", URL))


@pytest.mark.parametrize(
    "above",
    [
        '<div class="post-author"><p class="post-author__name">Jane Doe</p></div>',
        '<address class="vcard author">By <a class="url fn" href="/x.html">Jane Doe</a></address>',
        '<p>Posted by <a href="/author/jane.html">Jane Doe</a> on 3 May</p>',
        '<p><span class="h-card p-author">Jane Doe</span></p>',
        '<p><a rel="author" href="/jane">Jane Doe</a></p>',
        '<p>Gespeichert von <span rel="schema:author"><span typeof="schema:Person">Jane Doe</span></span> am 3. Mai</p>',
        '<p><span rel="sioc:has_creator">Gespeichert von <b class="username">Jane Doe</b> am 3. Mai</span></p>',
        "<p>كتبه <b>Jane Doe</b> في 3 May</p>",
        "<p>written by <strong>Jane Doe</strong></p>",
        '<div class="author"><div class="text"><div class="name">Jane Doe</div></div></div>',
        '<p><span class="authorName_x1">Jane Doe</span></p>',
        '<dl><dd class="createdby"><span>Written by:</span> <span property="author">Jane Doe</span></dd></dl>',
        '<p>by <a href="/?author=7">Jane Doe</a></p>',
        '<div class="blog__authorname">Jane Doe</div>',
        '<div class="md:[grid-area:sidebar]"><div><p>Written by</p><p>Jane Doe</p></div></div>',
        '<aside><div class="authors"><div class="profile"><img alt="Jane Doe" src=/j.png><b>Jane Doe</b><br>Writes</div></div></aside>',
        '<div><i class="iconfont reco-account"><span>Jane Doe</span></i> <i class="iconfont reco-date">3/5/2024</i></div>',
        '<p><span><svg class="icon icon-user"><path/></svg> Jane Doe</span> <span>3 May</span></p>',
        '<p><i class="fa fa-user"></i> <b>Jane Doe</b></p>',
        '<p><a title="作者" href="/x">Jane Doe</a> <a title="Date">3 May</a></p>',
        '<div class="Post_meta__4"><img alt="Jane Doe" src=/j.png><div><div class="Post_name__5">Jane Doe</div></div></div>',
        '<div class=flex><img alt="" src=/j.png><div><p class=text-sm>Jane Doe</p><p class=text-sm>3 May 2024</p></div></div>',
        '<div class=flex><img alt="" src=/j.png><div><span>Jane Doe</span><span>3 May 2024</span></div></div>',
        '<p><span class="ed-title">Добавила:</span> <a href="/index/8-1">Jane Doe</a></p>',
        "<a href=/people/doe><div><img src=/j.png><div><p class=font-medium>Jane Doe</p><p>Harbour desk</p></div></div></a>",
    ],
)
def test_an_author_is_found_by_what_marks_it(above: str) -> None:
    assert article(above).authors == ("Jane Doe",)


@pytest.mark.parametrize(
    "above",
    [
        "<div><div><p>Jane Doe</p><p>3 May 2024</p></div></div>",  # no picture
        '<div><img alt="" src=/j.png><div><p>Jane Doe</p><p>Opened in May</p></div></div>',  # no day
        '<div><img alt="" src=/j.png><div><p>the old quay</p><p>3 May 2024</p></div></div>',
        '<div><img alt="" src=/j.png><p>Jane Doe</p><p>3 May 2024</p><p>Harbour</p><p>News</p></div>',  # more than a box
    ],
)
def test_a_line_above_the_day_is_an_author_only_beside_a_picture(above: str) -> None:
    assert article(above).authors == ()


def test_a_skip_link_beside_the_page_hides_no_author() -> None:
    around = "<div><a href=#main>Skip to content</a><div id=main>{}</div></div>"
    assert article("<div><time>3 May 2024</time> by <br><span>Jane Doe</span></div>", around=around).authors == ("Jane Doe",)


def test_other_icons_name_nobody() -> None:
    assert (
        article('<p><i class="fa fa-map"></i> <b>Port Royal</b> <span class="user"></span><b>Ann Other</b></p>').authors
        == ()
    )


def test_an_author_below_the_text_is_found() -> None:
    assert article(below='<p class="byline"><a href="/authors/jd/">Jane Doe</a></p>').authors == ("Jane Doe",)


@pytest.mark.parametrize("by", ["By 林小明", "By: 林小明", "Posted by 林小明"])
def test_a_chinese_name_after_a_latin_word_is_an_author(by: str) -> None:
    assert article(f"<p>{by}</p>").authors == ("林小明",)


def test_what_an_author_is_counted_by_and_forms_are_no_authors() -> None:
    counts = '<a href="/followers">Followers - 3</a> <a href="/following">Following - 1</a>'
    assert article(
        below=f'<p class="author-profile"><a href="/people/jd">Jane Doe</a></p><p class="author-profile">{counts}</p>'
    ).authors == ("Jane Doe",)
    log_in = '<ul><li><a href="/user/login?destination=/a">Log in</a> to post comments</li></ul>'
    assert article('<p>By <a href="/user/3">Jane Doe</a></p>', log_in).authors == ("Jane Doe",)


def test_all_of_several_authors_are_found_in_order() -> None:
    people = "".join(f'<li><a class="author" href="/people/{n}/">{n} Doe</a></li>' for n in ("Jane", "Max"))
    assert article(f"<ul>{people}</ul>").authors == ("Jane Doe", "Max Doe")


@pytest.mark.parametrize(
    "below",
    [
        '<div class="comments"><p class="comment-author">Jane Doe</p></div>',
        '<section class="related-posts"><p><a rel=author href="/author/j">Jane Doe</a></p></section>',
        '<p class="author-bio">Jane Doe</p>',
    ],
)
def test_people_who_comment_or_wrote_something_else_are_no_authors(below: str) -> None:
    assert article(below=below).authors == ()


@pytest.mark.parametrize(
    "sentence",
    [
        "You can read all of the letters that the crew sent home in that winter by <a href='/letters/'>clicking here</a>.",
        "The keeper of the light, <a href='/people/jane-doe.html'>Jane Doe</a>, has never seen a sea like that in all her years.",
    ],
)
def test_a_link_within_a_sentence_is_no_author(sentence: str) -> None:
    body = f"<article><h1>A day at sea</h1><div class=entry-content>{TEXT}<p>{sentence}</p>{TEXT}</div></article>"
    assert extract(Page.from_text(f"<title>A day at sea</title><body>{body}", URL)).authors == ()


@pytest.mark.parametrize(
    "above",
    [
        '<p>in <a href="/category/harbour.html">Harbour</a></p>',
        '<p><a rel="category tag" href="/h/">Harbour</a>, <a rel="tag" href="/tag/boats/">boats</a></p>',
        '<div class="taxonomy-category"><a href="/h/" rel="tag">Harbour</a></div>',
        '<p class="kicker">Harbour</p>',
        '<dl><dd class="category-name">Category: <a href="/h">Harbour</a></dd></dl>',
        '<p>分类于 <a href="/categories/h/">Harbour</a></p>',
        '<p>Filed under <a href="/index.php?cat=3">Harbour</a></p>',
        '<ul class=breadcrumb><li><a href="/">Home</a><li><a href="/x/">Harbour</a><li>A day at sea</ul>',
    ],
)
def test_a_section_is_found_by_what_marks_it(above: str) -> None:
    assert article(above).section == "Harbour"


@pytest.mark.parametrize(
    "above",
    [
        '<p>Tags: <a class="tag p-category" rel="tag" href="/categories/boats/">boats</a></p>',
        '<p><a rel="tag" href="/tag/boats/">boats</a></p>',
        '<nav><a href="/category/a/">Harbour</a> <a href="/category/b/">Council</a> <a href="/category/c/">Food</a></nav>',
        '<ul class=breadcrumb><li><a href="/">Home</a><li><a href="/blog/">Blog</a></ul>',
        "<p>in <b>London</b></p>",
    ],
)
def test_keywords_and_menus_are_no_section(above: str) -> None:
    assert article(above).section is None


def test_the_index_of_all_categories_is_no_section() -> None:
    menu = '<nav><ul><li><a href="../archive.html">Archives</a><li><a href="../categories/index.html">Tags</a></ul></nav>'
    assert article(around=f"<header>{menu}</header>{{}}").section is None
    assert article(above='<p>in <a href="/category/harbour/index.html">Harbour</a></p>').section == "Harbour"


def test_menus_without_a_name_and_lists_of_categories_in_the_sidebar_are_no_section() -> None:
    links = [f'<a href="/blog/category/{name.lower()}/">{name}</a>' for name in ("Harbour", "Council", "Food", "Letters")]
    menu = f'<div><a href="/">Home</a> {" ".join(links)} <a href="/about/">About</a></div>{{}}'
    assert article(around=menu).section is None
    shelf = f"<p>Search</p><h4>Categories</h4><ul class=categories>{''.join(f'<li>{link}</li>' for link in links)}</ul>"
    filler = "<p>1</p>" * 10  # the list begins at the edge of what is looked at
    assert article(around=f"{{}}<aside><div class=panel>{filler}{shelf}</div></aside>").section is None


def test_what_the_page_declares_comes_first() -> None:
    head = '<title>A day at sea</title><meta name=author content="Max Roe"><meta property=article:section content=Council>'
    found = article('<p class=byline>By Jane Doe in <a href="/category/h/">Harbour</a></p>', head=head)
    assert (found.authors, found.section) == (("Max Roe",), "Council")


def test_the_first_picture_of_the_body_is_the_articles() -> None:
    face = '<img class=avatar src="/faces/jane.png">'
    pictures = '<figure><img src="/pictures/quay.png" width=320></figure>'
    around = "<img src=/logo.png>{}"
    found = article(f"{face}{pictures}", '<img src="/pictures/other.png">', around=around)
    assert found.image == "http://quay.example/pictures/quay.png"


def test_a_face_or_icon_that_the_head_states_is_no_picture() -> None:
    head = '<title>A day at sea</title><meta itemprop=image content="/images/avatar.gif"><meta property=og:image content="/img/site-icon.png">'
    assert article(head=head).image is None
    assert article("<img src=/quay.png>", head=head).image == "http://quay.example/quay.png"


def test_a_stated_logo_is_taken_after_the_pictures_of_the_body() -> None:
    head = '<title>A day at sea</title><meta property=og:image content="/img/logo.png">'
    assert article(head=head).image == "http://quay.example/img/logo.png"
    assert article("<img src=/quay.png>", head=head).image == "http://quay.example/quay.png"
    assert article("<img src=/quay.png>", head=head.replace("logo", "lead")).image == "http://quay.example/img/lead.png"


def test_the_words_of_class_names() -> None:
    assert class_words("postAuthor entry__meta-name", None, "byLine_x1") == {
        "post",
        "author",
        "entry",
        "meta",
        "name",
        "by",
        "line",
        "x",
    }
    assert is_face("/a/user-avatar.png")
    assert not is_face("/a/surface.png")


@settings(max_examples=examples(50))
@given(
    st.lists(
        st.sampled_from(
            [
                "<p class=author>",
                "<a rel=tag href='//['>",
                "Jane Doe",
                "by",
                "<img alt=x>",
                "</p>",
                "<nav>",
                "<footer>",
                "<div class=breadcrumb>",
            ]
        )
    )
)
def test_any_page_has_marks(pieces: list[str]) -> None:
    dom = read_dom("".join(pieces) + "<p>text")
    marks = ArticleMarks(dom, (len(dom.texts) - 1,), "http://[")
    marks.entitle("text")
    assert isinstance(marks.authors, list)
    assert isinstance(marks.titles, list)
    assert marks.section is None or marks.section


def test_a_list_of_authors_in_a_sidebar_has_one_label_for_all_of_them() -> None:
    names = "".join(f"<li><a class=author-name href=/{n}>{n}</a></li>" for n in ("Jane Doe", "Ole Fell", "Ida Quist"))
    assert article(above=f"<aside><h2>Authors</h2><ul>{names}</ul></aside>").authors == ()


CARD = (
    "<div class=sidebar><div><h2>{day}</h2><ul><li><a href=/author/jane-doe/>Jane Doe</a><li><a href=/category/harbour/>Harbour</a>"
    "<li><a href=/tag/ropes/>ropes</a></ul></div>{more}<ul>{recent}</ul></div>"
)
RECENT = "".join(f"<li><a href=/2023/{n}.html>What the harbour master wrote down on day {n}</a></li>" for n in range(40))


def test_a_box_in_a_sidebar_says_day_author_and_section() -> None:
    found = article(around=CARD.format(day="05 May 2024", more="", recent=RECENT) + "{}")
    assert ((found.date or "")[:10], found.authors, found.section) == ("2024-05-05", ("Jane Doe",), "Harbour")


@pytest.mark.parametrize(
    ("day", "more"),
    [
        ("05 May 2024", "<h3>06 May 2024</h3><p><a href=/author/ole-fell/>Ole Fell</a></p>"),  # two boxes
        ("05 May 2024", "<a href=/2024/the-tide-table-of-may.html>The tide table of May</a>"),  # a teaser
        ("Opening times", ""),
    ],
)
def test_other_boxes_of_a_sidebar_say_nothing_of_the_article(day: str, more: str) -> None:
    box = CARD.format(day=day, more="", recent=RECENT).replace("</ul></div>", f"</ul>{more}</div>", 1)
    assert article(around=box + "{}").date is None


def test_a_list_that_counts_articles_names_no_section() -> None:
    listed = "<p class=categories><a href=/category/harbour/>Harbour (4)</a></p>"
    assert article(above=listed).section is None
