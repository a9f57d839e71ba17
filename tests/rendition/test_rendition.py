"""to_html and to_markdown: expected files, the words of the text, nothing that could do harm, and hostile pages."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

from newsextract import Article, Page, algorithms, extract, to_html, to_markdown
from newsextract.control_characters import cleaned
from newsextract.extraction import failure
from newsextract.page.dom import read_dom
from tests.costs import at_most
from tests.examples import examples

PAGES = Path(__file__).parent / "pages"
ALL_PAGES = [PAGES / "reading_room.html", PAGES / "layout_zh.html", *sorted((PAGES.parents[1] / "pages").glob("*.html"))]
URL = "https://courier.example/2025/03/reading-room.html"
_MARKDOWN = MarkdownIt("commonmark", {"maxNesting": 1000}).enable("table")


def article_of(page: Page, blocks: Iterable[int], title: str | None = None) -> Article:
    """An article of these blocks, so that no test depends on what an algorithm chooses."""
    chosen = tuple(blocks)
    return dataclasses.replace(failure(page, "test", "ok", ""), text=page.dom.text(chosen), blocks=chosen, title=title)


def words_of_html(html: str) -> list[str]:
    return " ".join(read_dom(html).texts).split()


def words_of_markdown(markdown: str) -> list[str]:
    return words_of_html(_MARKDOWN.render(markdown))


def both(markup: str, left_out: Iterable[int] = (), url: str | None = "https://example.org/a/b") -> tuple[str, str]:
    """HTML and Markdown of all blocks but some, after a look at their words."""
    page = Page.from_text(markup, url)
    article = article_of(page, sorted(set(range(len(page.dom.texts))) - set(left_out)))
    html, markdown = to_html(page, article), to_markdown(page, article)
    words = cleaned(article.text).split()
    assert words_of_html(html) == words
    assert words_of_markdown(markdown) == words
    return html.removesuffix("\n"), markdown.removesuffix("\n")


# --- expected files -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "first", "last", "left_out", "title"),
    [
        (
            "reading_room",
            "The reading room of",
            "Volunteers",
            ("The stairs.", "Related", "Library work"),
            "Reading room opens again",
        ),
        ("layout_zh", "本报讯", "老桥建于", (), "老桥修复工程完工"),
    ],
)
def test_expected_files(name: str, first: str, last: str, left_out: tuple[str, ...], title: str) -> None:
    page = Page((PAGES / f"{name}.html").read_bytes(), URL)
    texts = page.dom.texts
    start, end = (next(i for i, text in enumerate(texts) if text.startswith(begin)) for begin in (first, last))
    article = article_of(page, (i for i in range(start, end + 1) if not texts[i].startswith(left_out)), title)
    html, markdown = to_html(page, article), to_markdown(page, article)
    assert html == (PAGES / f"{name}.expected.html").read_text("utf-8")
    assert markdown == (PAGES / f"{name}.expected.md").read_text("utf-8")
    assert words_of_html(html) == words_of_markdown(markdown) == article.text.split()


@pytest.mark.parametrize("algorithm", algorithms.names("article"))
@pytest.mark.parametrize("path", ALL_PAGES, ids=lambda p: p.stem)
def test_the_words_of_every_algorithm(algorithm: str, path: Path) -> None:
    page = Page(path.read_bytes(), URL)
    article = extract(page, algorithm=algorithm)
    assert article.text
    assert words_of_html(to_html(page, article)) == article.text.split()
    assert words_of_markdown(to_markdown(page, article)) == article.text.split()
    assert (article.blocks is None) == algorithm.startswith("block_statistics")


# --- single things --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("markup", "html", "markdown"),
    [
        ("<div>one</div>two", "<p>one</p>\n<p>two</p>", "one\n\ntwo"),
        ("<p> a <b> b </b>c<i>d</i></p>", "<p>a <strong>b</strong> c<em>d</em></p>", "a **b** c*d*"),
        ("<p>a<br>b<br> <br>c</p>", "<p>a<br>b</p>\n<p>c</p>", "a  \nb\n\nc"),
        ("<h3>a<br>b #</h3>", "<h3>a<br>b #</h3>", "### a b \\#"),
        ("<b><div>a</div><div>b</div></b>", "<p><strong>a</strong></p>\n<p><strong>b</strong></p>", "**a**\n\n**b**"),
        ("<p>H<sub>2</sub>O <b><strong>x</strong></b>", "<p>H<sub>2</sub>O <strong>x</strong></p>", "H<sub>2</sub>O **x**"),
        ("<p><code>a`b</code>", "<p><code>a`b</code></p>", "``a`b``"),
        ("<ul><li>a<li><p>b<p>c</ul>", "<ul>\n<li>a</li>\n<li>b\n<p>c</p></li>\n</ul>", "- a\n- b\n\n  c"),
        ("<ol><li>a<ul><li>b</ul><li>c</ol>", "<ol>\n<li>a\n<ul>\n<li>b</li>\n</ul></li>\n<li>c</li>\n</ol>", "1. a\n   - b\n2. c"),
        ("<ul><li>a</ul><ul><li>b</ul>", "<ul>\n<li>a</li>\n</ul>\n<ul>\n<li>b</li>\n</ul>", "- a\n\n* b"),
        ("<div><li>a</li><li>b</li></div>", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>", "- a\n- b"),
        ("<ul>a<ul><li>b</ul></ul>", "<ul>\n<li>a</li>\n<li><ul>\n<li>b</li>\n</ul></li>\n</ul>", "- a\n- - b"),
        ("<dl><dt>a<dd>b</dl>", "<dl>\n<dt>a</dt>\n<dd>b</dd>\n</dl>", "**a**\n\nb"),
        ("<blockquote>a<p>b</blockquote>", "<blockquote>\n<p>a</p>\n<p>b</p>\n</blockquote>", "> a\n>\n> b"),
        ("<pre>\n  a\n\n <b>b</b>\n</pre>", "<pre>  a\n\n b</pre>", "```\n  a\n\n b\n```"),
        ("<pre><div>a ```</div><div>b</div></pre>", "<pre>a ```\nb</pre>", "````\na ```\nb\n````"),
        ("<p>see <a href='../c?x=1&amp;y'>c</a>", '<p>see <a href="https://example.org/c?x=1&amp;y">c</a></p>', "see [c](https://example.org/c?x=1&y)"),
        ("<p><a href=/c>a</a> <a href=/c>b</a>", '<p><a href="https://example.org/c">a b</a></p>', "[a b](https://example.org/c)"),
        ("<p><q>a</q> <abbr title=x>b</abbr> <u>c</u>", "<p>a b c</p>", "a b c"),
        ("<h3><button><b>a</b></button></h3><p>b<button>c</button>", "<h3><strong>a</strong></h3>\n<p>b</p>", "### **a**\n\nb"),
        ("<details><summary>a</summary>b</details>", "<p>a</p>\n<p>b</p>", "a\n\nb"),
        ("<p>Wow!<a href=/c>c</a>", '<p>Wow!<a href="https://example.org/c">c</a></p>', "Wow\\![c](https://example.org/c)"),
    ],
)  # fmt: skip
def test_what_is_kept(markup: str, html: str, markdown: str) -> None:
    assert both(markup) == (html, markdown)


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("1. a", "1\\. a"), ("2024.", "2024\\."), ("- a", "\\- a"), ("– a", "– a"), ("# a", "\\# a"), ("#a", "#a"), ("> a", "\\> a"),
        ("---", "\\---"), ("===", "\\==="), ("+", "\\+"), ("*a*", "\\*a\\*"), ("a_b", "a_b"), ("_a_", "\\_a\\_"), ("~~a~~", "\\~\\~a\\~\\~"),
        ("[a](b)", "\\[a\\](b)"), ("a|b", "a|b"), ("&amp;lt;", "\\&lt;"), ("&lt;b>", "\\<b>"), ("\\", "\\\\"), ("`", "\\`"), ("!", "!"),
    ],
)  # fmt: skip
def test_markup_in_the_text_is_escaped(text: str, markdown: str) -> None:
    assert both(f"<p>{text}</p>")[1] == markdown


@pytest.mark.parametrize(
    ("markup", "markdown"),
    [
        ("<b>标题：</b>正文", "**标题**：正文"),
        ("<b>标题：</b> 正文", "**标题：** 正文"),
        ("<b>标题</b>正文", "**标题**正文"),
        ("说<b>“好”</b>了", "说“**好**”了"),
        ("<b>“Really?”</b> she said", "**“Really?”** she said"),
        ("<b>a</b><i>b</i>", "**a**b"),
        ("<b>…</b>a", "…a"),
        ("<b><i>a</i></b>", "**a**"),
    ],
)
def test_bold_that_markdown_would_not_see(markup: str, markdown: str) -> None:
    assert both(f"<p>{markup}</p>")[1] == markdown


@pytest.mark.parametrize(
    ("markup", "markdown"),
    [
        ("<a href=/x><code>ab</code></a>", "[`ab`](https://example.org/x)"),
        ("<code>a]b</code>", "`a]b`"),
        ("<a href=/x><code>]: x</code></a>", "[\\]: x](https://example.org/x)"),
        ("<a href=/x><b>]: x</b></a>", "[**\\]: x**](https://example.org/x)"),
    ],
)
def test_code_with_a_bracket_in_a_link_is_written_as_text(markup: str, markdown: str) -> None:
    assert both(f"<p>{markup}</p>")[1] == markdown


def test_what_was_not_chosen_contributes_nothing() -> None:
    html, markdown = both("<p>a</p><ul><li>b<li>c<li>d</ul><blockquote><p>e</blockquote><p>f", left_out=(2, 4))
    assert html == "<p>a</p>\n<ul>\n<li>b</li>\n<li>d</li>\n</ul>\n<p>f</p>"
    assert markdown == "a\n\n- b\n- d\n\nf"


# --- tables ---------------------------------------------------------------------------------------


def test_spans_and_missing_cells_keep_the_columns() -> None:
    cells = "<tr><th rowspan=2>a<th colspan=2>b<tr><th>c<th>d<tr><td><td>e<td>f|g<br>h<tr><td>i<td>left out<td>j"
    html, markdown = both(f"<table><caption>k</caption>{cells}</table>", left_out=(8,))
    assert markdown.split("\n") == [
        "k",
        "",
        "| a | b |  |",
        "| --- | --- | --- |",
        "|  | c | d |",
        "|  | e | f\\|g<br>h |",
        "| i |  | j |",
    ]
    assert html.startswith("<table>\n<caption>k</caption>\n<tbody>\n<tr>\n<th>a</th>\n<th>b</th>\n<td></td>\n</tr>")
    assert "<tr>\n<td>i</td>\n<td></td>\n<td>j</td>\n</tr>" in html


@pytest.mark.parametrize(
    "table",
    [
        "<tr><td>{0}<td>{1}",
        "<tr><td>{0}<tr><td>{1}",
        "<tr><td><p>{0}<p>{0}<p>{0}<p>{0}<td>{1}<tr><td>{0}<td>{1}",
        "<tr><td>{0}<td><table><tr><td>{1}</table><tr><td>{0}<td>{1}",
        "<tr><td>{0}<td>{2}<tr><td>{0}<td>{1}",
    ],
    ids=["one row", "one column", "many paragraphs", "a table in it", "long"],
)
def test_a_table_that_lays_out_the_page_is_unwrapped(table: str) -> None:
    html, markdown = both(f"<table>{table.format('one', 'two', 'long ' * 140)}</table>")
    assert "<t" not in html
    assert "|" not in markdown
    assert html.startswith("<p>one</p>\n<p>")


# --- pictures -------------------------------------------------------------------------------------


def pictures(markup: str, url: str | None = "https://example.org/a/b") -> list[str]:
    """The pictures of a page whose chosen blocks begin with "text"."""
    page = Page.from_text(markup, url)
    article = article_of(page, (i for i, text in enumerate(page.dom.texts) if text.startswith("text")), "Head")
    html = to_html(page, article)
    found = re.findall('<img src="([^"]*)"', html)
    assert re.findall(r"!\[[^\]]*\]\(([^)]*)\)", to_markdown(page, article)) == found
    return [address.removeprefix("https://example.org/") for address in found]


@pytest.mark.parametrize(
    ("between", "expected"),
    [
        ("<img src=x.jpg>", ["a/x.jpg"]),
        ("<figure><img src=/x.jpg alt='“x”'><figcaption>caption</figcaption></figure>", ["x.jpg"]),
        ("<div><a href=/big><img src=/x.jpg></a><p>caption <a href=/y>AP</a></p></div>", ["x.jpg"]),
        ("<div><a href=/1><img src=/x.jpg></a><a href=/1>another story</a></div>", []),
        ("<aside><img src=/x.jpg> said</aside>", []),
        ("<div class='related box'><img src=/x.jpg></div>", []),
        ("<div style='display: none'><img src=/x.jpg></div>", []),
        ("<form><img src=/x.jpg></form>", []),
        ("<img src=/x.jpg width=30>", []),
        ("<img src=/x.jpg height=1px>", []),
        ("<img src=/x.jpg width=100% height=300>", ["x.jpg"]),
        ("<img src=/x.jpg><p>no</p><img src=/x.jpg>", ["x.jpg"]),
        ("<img src=data:image/gif;base64,R0l data-src=/x.jpg>", ["x.jpg"]),
        ("<img src=/spacer.gif><noscript><img src=/x.jpg></noscript>", ["x.jpg"]),
        ("<img data-src=/x.jpg> <noscript><img src=/x-small.jpg></noscript>", ["x.jpg"]),
        ("<noscript><p>turn it on</p></noscript>", []),
        ("<picture><source srcset='/x.webp 1x, /y.webp 2x'><img src=data:,></picture>", ["y.webp"]),
        ("<ul><li><img src=/x.jpg></ul>", ["x.jpg"]),
        ("<img src=javascript:x()><img src='data:image/png;base64,x'><img><img src=''>", []),
    ],
)
def test_pictures_between_the_text(between: str, expected: list[str]) -> None:
    assert pictures(f"<img src=/before.jpg><div><p>text</p>{between}<p>text</div><p><img src=/after.jpg>") == expected


def test_pictures_in_the_text() -> None:
    assert pictures("<p>text <img src=/x.jpg> text<p><img src=/y.jpg></p><p>no <img src=/z.jpg></p>") == ["x.jpg"]
    html, markdown = both("<p>a<a href=/l><img src=/x.jpg alt='a] \n b'></a>b</p>")
    assert html == '<p>a<a href="https://example.org/l"><img src="https://example.org/x.jpg" alt="a] b"></a>b</p>'
    assert markdown == "a[![a\\] b](https://example.org/x.jpg)](https://example.org/l)b"


def test_pictures_between_headline_and_text() -> None:
    lead = "<figure><img src=/lead.jpg></figure><img src=/face.jpg>"
    head = f"<figure><img src=/logo.jpg></figure><header class=header><h1>Head</h1>{lead}</header><p>by</p>"
    assert pictures(f"{head}<p>text<p>text") == ["lead.jpg"]
    assert pictures(f"{head.replace('Head', 'Other')}<p>text<p>text") == []


def test_pictures_in_lists_and_tables() -> None:
    assert both("<ul><li>a<li><img src=/x.jpg><li>b</ul>")[1] == "- a\n\n- ![](https://example.org/x.jpg)\n\n- b"
    rows = "<tr><td>a<td><img src=/gone.jpg><tr><td>b<td>c<img src=/x.jpg>"
    assert both(f"<table>{rows}</table>")[1].split("\n")[0::2] == ["| a |  |", "| b | c![](https://example.org/x.jpg) |"]


def test_relative_addresses_need_a_base() -> None:
    markup = "<p>text <a href=/c>link</a><img src=/x.jpg><p>text"
    assert pictures(markup, None) == []
    assert both(markup, url=None)[0] == "<p>text link</p>\n<p>text</p>"
    assert pictures(f"<base href=https://other.example/d/>{markup.replace('/x', 'x')}", None) == [
        "https://other.example/d/x.jpg"
    ]
    page = Page.from_text(markup)
    article = dataclasses.replace(article_of(page, (0, 1)), canonical_url="https://example.org/e")
    assert "https://example.org/x.jpg" in to_html(page, article)


# --- articles -------------------------------------------------------------------------------------


def test_a_headline_that_is_dropped_from_the_text_is_dropped_here() -> None:
    body = "<p>The harbour was opened on Monday by the mayor, and a band was playing for all.</p>" * 3
    for head in (
        "<h1>Harbour reopens</h1>",
        "<div>Harbour reopens<br>After two years of work, the harbour can be used again.</div>",
    ):
        page = Page.from_text(f"<title>Harbour reopens</title>{head}{body}")
        article = extract(page, algorithm="text_density", params={"preset": "published"})
        assert article.title == "Harbour reopens"
        assert "Harbour reopens" not in article.text
        assert words_of_html(to_html(page, article)) == words_of_markdown(to_markdown(page, article)) == article.text.split()


def test_characters_that_an_algorithm_deletes_are_deleted_here() -> None:
    page = Page.from_text(
        "<p>A text\ufffd with \ufffd garbled\x07 characters, and long enough to be one.<p><b>\ufffd</b>" * 4
    )
    article = extract(page, algorithm="page_segmentation")
    assert "\ufffd" not in article.text
    assert article.blocks
    assert "<p>A text with garbled characters" in to_html(page, article)
    assert words_of_html(to_html(page, article)) == article.text.split()


def test_without_blocks_lines_are_paragraphs() -> None:
    page = Page.from_text("<ul><li>a &lt;b>")
    article = dataclasses.replace(failure(page, "x", "ok", ""), text="1. a <b>\nc")
    assert to_html(page, article) == "<p>1. a &lt;b&gt;</p>\n<p>c</p>\n"
    assert to_markdown(page, article) == "1\\. a \\<b>\n\nc\n"


@pytest.mark.parametrize(
    "change", [{"blocks": (7,)}, {"blocks": (1, 0)}, {"blocks": (-1,)}, {"blocks": ()}, {"text": "b\nother"}]
)
def test_blocks_that_do_not_give_the_text_are_not_used(change: dict[str, object]) -> None:
    page = Page.from_text("<h2>a</h2><h3>b</h3><h4>c</h4>")
    article = dataclasses.replace(article_of(page, (0, 1)), **change)  # type: ignore[arg-type]
    assert to_html(page, article) == "".join(f"<p>{line}</p>\n" for line in article.text.split("\n"))


def test_an_empty_text_is_empty() -> None:
    page = Page.from_text("")
    for article in (failure(page, "x", "empty", ""), article_of(page, ())):
        assert to_html(page, article) == to_markdown(page, article) == ""


# --- any page -------------------------------------------------------------------------------------

WORDS = [
    "word", "*", "**", "_a_", "a_b", "#", "-", "+", "1.", "12)", ">", "&lt;b>", "&amp;amp;", "!", "[x]", "]:", "(y)", "`", "```", "~~", "|",
    "\\", "---", "===", "a|b", "“甲”", "。", "中文", "https://x.org/a_b", "<br>", "<br><br>", ":--", "C#", "\u200b", "é", "^", "\u2028",
    "<img src=/i.png alt='a]b'>", "<script>p</script>", "<!-- c -->", "\x01", "&#13;", "&nbsp;",
]  # fmt: skip
BLOCK_TAGS = "div section blockquote ul ol li p h2 h3 pre dl dt dd table tr td th tbody caption figure aside x-card".split()
INLINE_TAGS = [
    "b",
    "em",
    "span",
    "code",
    "a href=/x",
    "a href='javascript:x()'",
    "a href='/y(1)&copy;\">'",
    "sub",
    "sup",
    "i style=x",
]


@st.composite
def markups(draw: st.DrawFn, depth: int = 4) -> str:
    out = []
    for _ in range(draw(st.integers(0, 4))):
        kind = draw(st.sampled_from(["word", "word", "block", "inline"])) if depth else "word"
        if kind == "word":
            out.append(
                draw(st.sampled_from(["", " ", "\n"])) + draw(st.sampled_from(WORDS)) + draw(st.sampled_from(["", " "]))
            )
        else:
            tag = draw(st.sampled_from(BLOCK_TAGS if kind == "block" else INLINE_TAGS))
            inside = draw(markups(depth - 1))
            cells = f"<tr><td>{inside}<td rowspan=2>x<tr><td colspan=2>{inside}" if tag == "table" else inside
            out.append(f"<{tag}>{cells}" + (f"</{tag.split()[0]}>" if draw(st.integers(0, 9)) else ""))
    return "".join(out)


ALLOWED = set("p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre table caption thead tbody tfoot tr td th figure".split())
ALLOWED |= set("a strong em sub sup code br img".split())


def check(page: Page, article: Article) -> None:
    html, markdown = to_html(page, article), to_markdown(page, article)
    words = cleaned(article.text).split()
    assert words_of_html(html) == words
    assert words_of_markdown(markdown) == words
    for made in (html, _MARKDOWN.render(markdown)):
        tree = LexborHTMLParser(made)
        for node in tree.css("body *"):
            tag, attributes = node.tag, node.attributes
            assert tag in ALLOWED
            assert set(attributes) <= {"a": {"href"}, "img": {"src", "alt"}}.get(tag or "", set())
            address = attributes.get("href") or attributes.get("src")
            assert address is None or address.startswith("https://e.example/")
    assert (to_html(page, article), to_markdown(page, article)) == (html, markdown)


@given(markups(), st.lists(st.booleans(), min_size=1, max_size=20))
@settings(max_examples=examples(400))
def test_the_words_are_those_of_the_text(markup: str, chosen: list[bool]) -> None:
    page = Page.from_text(markup, "https://e.example/")
    blocks = [i for i in range(len(page.dom.texts)) if chosen[i % len(chosen)]]
    check(page, article_of(page, blocks))


@given(st.one_of(st.binary(max_size=300), st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace"))))
@settings(max_examples=examples(200))
def test_any_bytes(body: bytes) -> None:
    page = Page(body, "https://e.example/")
    check(page, article_of(page, range(len(page.dom.texts))))


@pytest.mark.slow
@pytest.mark.parametrize(
    "markup",
    [
        "<blockquote>x" * 9_000,
        "<ul><li>a" * 5_000,
        "<p>" + "<b>x</b><i>y</i> " * 20_000,
        "<table><tr>" + "<td rowspan=50 colspan=50>x<td>y" * 2_000 + "<tr><td>z<td>z" * 2_000,
        "<table><tr><td>a<td>b<tr><td>c<td>" * 2_000,
        "<p>a</p>" + "<img src=/i.png><noscript><b></b></noscript> " * 20_000 + "<p>b",
        "<pre>" + "<div>a</div>" * 20_000,
        "<p>a<img srcset='" + "a, " * 100_000 + "'>",
        "<p>" + "*_`[!" * 50_000,
        "<p>a</p>" + "<div>" * 9_000 + "b" + "</div>" * 9_000 + "<p>c",
    ],
    ids=lambda markup: markup[:20],
)
def test_no_page_takes_long(markup: str) -> None:
    page = Page.from_text(markup, "https://e.example/")
    article = article_of(page, range(len(page.dom.texts)))
    with at_most(parses=200):
        html, markdown = to_html(page, article), to_markdown(page, article)
    assert len(html) + len(markdown) < 40 * len(markup)
    assert words_of_html(html) == article.text.split()


@pytest.mark.parametrize("write", [to_html, to_markdown])
def test_a_page_may_be_given_in_any_form_that_extract_takes(write: Callable[[Any, Any], str]) -> None:
    body = (PAGES / "reading_room.html").read_bytes()
    page = Page(body, URL)
    article = extract(page)
    assert write(body, article) == write(body.decode(), article) == write(page, article) != ""
    with pytest.raises(TypeError, match="a page is a Page, a Snapshot, bytes or str, not NoneType"):
        write(None, article)
    with pytest.raises(TypeError, match=r"an article is what extract\(page\) returns, not bytes"):
        write(page, body)
