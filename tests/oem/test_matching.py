"""Patterns on pieces of source: where holes end."""

from __future__ import annotations

import time
from urllib.parse import urljoin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.wrappers.matching import Matcher
from newsextract.wrappers.pattern import Document, masked, parse_pattern, plain_text


def found(pattern: str, text: str) -> list[object]:
    """Values, or value and named fields, as a reader sees them."""
    document = Document(masked(text))

    def show(span: object) -> str:
        return plain_text(document.text[span.start : span.end])  # type: ignore[attr-defined]  # a Span

    matches = Matcher(parse_pattern(pattern)).find(document, 0, len(document.text))
    return [(show(m.value), {f.name: show(f) for f in m.fields}) if m.fields else show(m.value) for m in matches]


@pytest.mark.parametrize(
    ("pattern", "text", "values"),
    [
        ("<li>#<li>", "<ul><li>A<li>B<li>C</ul>after", ["A", "B", "C"]),
        ("<li>#<li>", "<ul><li>A</li><li>B</li></ul>after", ["A", "B"]),
        ("<li>#<li>", "<li>A<ul><li>B</ul></li>x<li>C", ["A", "B", "C"]),
        ("<li>#</li>", "<ul><li>A<li>B</ul>after", ["A", "B"]),
        ("<li>#</li>", "<li>A<ul><li>B</li></ul></li><li>C</li>", ["A B", "C"]),
        ("<div class=post>#</div>", "<div class='a post'>A<div>B</div>C</div><div class=posts>D</div>", ["A B C"]),
        ("<h2>#DBLP:", "<h1>x</h1><h2>A</h2>b<h2>c</h2>DBLP: d", ["A b c"]),
        ("<td>#</td>", "<tr><td>A<td>B<table><tr><td>C</table></tr><tr><td>D</table>", ["A", "B C", "D"]),
        ("<p>#</p>", "<p>A<p>B<div>C</div><p>D</p>", ["A", "B", "D"]),
        ("<dt>#</dt>", "<dl><dt>A<dd>B<dt>C<dd>D</dl>", ["A", "C"]),
        ("<br>#<br>", "x<br>A<br>B<br>C", ["A", "B", "C"]),
        ("#:", "A: B: C", ["A"]),
        (":#", "A: B: C", ["B: C"]),
        ("#", "A: B", ["A: B"]),
        ("<B>#</B>", "<b >A</b\n> <b class=x>B</b>", ["A", "B"]),
        ("<tr><td>#</td>", "<tr>\n <td>A</td><td>B</td><tr><td>C", ["A", "C"]),
        ("a  b#<br>", "a\n b C<br>", ["C"]),
        ('"R&D: "#<br>', "R&amp;D:&nbsp;C<br>", ["C"]),
        ("<b>#</b>", "<!-- <b>no</b> --><script>'<b>no</b>'</script><b>A</b>", ["A"]),
        ('<a href="#">', "<a href='/1'>A</a><a name=x>B</a><a class=y href=/2>C</a>", ["/1", "/2"]),
        ('<a href="/p/#.html">', "<a href=/p/1.html><a href='/q/2.html'><a href=\"/p/3.htm\">", ["1"]),
        ("<h3>#<h3>", "<h3>A</h3><p>x</p><h3>B</h3>y", ["A x", "B y"]),
        ("</a>#<*>", "<a>A</a> (1)<br><a>B</a> (2)</td>", ["(1)", "(2)"]),
        ("<p>#<br>#</p>", "<body><p>a<br>b<hr>", ["a b"]),
        ("<h1-6>#</h1-6>", "<h2>A</h2><p>", ["A"]),
        ("<hx>#</hx>", "<h2>A</h2><H3>B</H3>", ["A", "B"]),
        ("#:", "<a href='http://x/'>A</a>: B", ["A"]),
        (":#", "<a href='http://x/'>A</a>: B", ["B"]),
        ('". "#', "<a href='a. b'>A.B</a>. C", ["C"]),
        ("<b>#</i>", "<b>A</b><b>B</b>", []),
        ("<p>#</p>", "<p>A</p><script>x = '<!--'</script><p>B</p>", ["A", "B"]),
        ("<p>#</p>", "<p>A</p><!-- <script> --><p>B</p><!--><p>C</p><!-- x --!><p>D</p>", ["A", "B", "C", "D"]),
        ("<h2>#</h2>", "<h2>A</h3><p>x</p><h2>B</h2>", ["A", "B"]),
        ('<a href="#">', "<a title='a > b' href=/1><a title=' href=/2 ' href=/3><a title=\"<b>\"href='/4?a>b'>", ["/1", "/3", "/4?a>b"]),
        ("<i data-x>#</i>", "<i class=data-x>A</i><i data-x>B</i><I DATA-X=1>C</I><i data-x2>D</i>", ["B", "C"]),
        ("<i class=x>#</i>", "<i title=' class=x '>A</i><i class='x/2'>B</i><i class='y x'>C</i><i class=x/>D</i>", ["C", "D"]),
        ("<* class=x>#</*>", "<p class=x>A</p><div class=x>B<div>C</div></div>", ["A", "B C"]),
        ('<* href="#">', "<a href=/1><link href=/2></a>", ["/1", "/2"]),
        ("<*>#</*>", "</b><i>A</i>", ["A"]),
        ("Köln’s: #.", "K&ouml;ln&rsquo;s: A. K&#0246;ln&#8217;s: B. K&#xF6;ln’s: C.", ["A", "B", "C"]),
        ("作者：#<br>", "&#20316;者：李白<br>作者&#xff1a;杜甫<br>", ["李白", "杜甫"]),
        ('"It\'s "#<br>', "It&#039;s A<br>It&#x27;s B<br>", ["A", "B"]),
        ("<div>#</div>", "<div><header>A</header><main>B<figure>C</figure></main></div>", ["A B C"]),
        ("<table#><tr>#<th>#<td>#</table>", "<table border=1><tr>x<th>A<td>B</table>", ["x A B"]),
    ],
)  # fmt: skip
def test_one_hole(pattern: str, text: str, values: list[str]) -> None:
    assert found(pattern, text) == values


@pytest.mark.parametrize(
    ("pattern", "text", "values"),
    [
        ('<a href="$url">$title</a>', '<a href="/1">A</a> <a href="/2"><b>B</b></a>', [("A", {"url": "/1", "title": "A"}), ("B", {"url": "/2", "title": "B"})]),
        ("<td>$a</td><td>$b</td>", "<tr><td>A<td>B</tr><tr><td>C</td> <td>D</td></tr>", [("A B", {"a": "A", "b": "B"}), ("C D", {"a": "C", "b": "D"})]),
        # an item that lacks a part does not swallow the next one
        ("<li>...<b>$t</b>...<i>$d</i>", "<li><b>A</b><li><b>B</b> x <i>2</i>", [("B x 2", {"t": "B", "d": "2"})]),
        ("<li>$t[<i>$d</i>]</li>", "<li>A</li><li>B<i>2</i></li>", [("A", {"t": "A"}), ("B2", {"t": "B", "d": "2"})]),
        ("<a>$标题</a>#[<br>]...</td>", "<td><a>A</a> x<br> y</td><td><a>B</a> z</td>", [("x", {"标题": "A"}), ("z", {"标题": "B"})]),
        ('<a>$t</a>[<font>"("$d")"</font>]<br>', "<a>A</a><br><a>B</a><font>(2)</font><br>", [("A", {"t": "A"}), ("B(2", {"t": "B", "d": "2"})]),
        ('<p>$who[" ("$size")"].', "<p>Bo (2 MB).<p>Cy.", [("Bo (2 MB", {"who": "Bo", "size": "2 MB"}), ("Cy", {"who": "Cy"})]),
        ("<li>[<b>$n</b>]$t</li>", "<li>A</li><li><b>1</b> B</li>", [("A", {"t": "A"}), ("1 B", {"n": "1", "t": "B"})]),
        ("<li>$a:$b<li>", "<li>A: 1<li>no<li>B: 2", [("A: 1", {"a": "A", "b": "1"}), ("B: 2", {"a": "B", "b": "2"})]),
        ('<img src="$src">', "<img src=a.png>", [("a.png", {"src": "a.png"})]),
        ("<*>$a<b>$b</*>", "x</h1>A<b>B</td>", [("AB", {"a": "A", "b": "B"})]),
        ("<div>...<p>$x</p>...</div>", "<div><div>y</div><p>A</p>z</div><p>B</p>", [("A", {"x": "A"})]),
    ],
)  # fmt: skip
def test_several_holes(pattern: str, text: str, values: list[object]) -> None:
    assert [(value.replace("<", ""), fields) for value, fields in found(pattern, text)] == [  # type: ignore[misc, attr-defined]  # with fields
        (value.replace("<", ""), fields)
        for value, fields in values  # type: ignore[misc, attr-defined]  # with fields
    ]


@given(
    st.text(alphabet='<>/ libra"=:#\n', max_size=60),
    st.sampled_from(["<li>#<li>", "<a href=$u>$t</a>", "#:", "<li>[<b>$x</b>]#</li>", "<b>...:$y<i>", "<p>#</p>", "<td>$a</td><td>$b"]),
)  # fmt: skip
def test_spans_lie_in_the_source_in_order_and_repeat(text: str, pattern: str) -> None:
    document = Document(masked(text))
    assert len(document.text) == len(text)
    matches = Matcher(parse_pattern(pattern)).find(document, 0, len(text))
    assert matches == Matcher(parse_pattern(pattern)).find(Document(masked(text)), 0, len(text))
    place = 0
    for match in matches:
        assert place <= match.outer_start <= match.value.start <= match.value.end <= len(text)
        assert match.outer_start <= match.outer_end
        place = match.value.start
        for span in match.fields:
            assert match.outer_start <= span.start <= span.end <= len(text)


HOSTILE = [
    "<div>",
    "<div><p>",
    "<li>",
    "<li ",
    "<li a='",
    '<li a="b',
    "<a href=",
    "<a href=x",
    " ",
    "<b><i>",
    "a:",
    "<!--",
    "<script>",
    "<td><table>",
    "<",
    "&",
    "<li>x</li>",
]


@pytest.mark.slow
@pytest.mark.parametrize("piece", HOSTILE)
def test_no_text_makes_a_pattern_slow(piece: str) -> None:
    """Four times the text may take at most ten times the time: quadratic would take sixteen."""

    def cost(size: int) -> float:
        text = (piece * (size // len(piece) + 1))[:size]
        best = 9e9
        for _ in range(3):
            begun = time.process_time()
            for pattern in (
                "<li>#</li>",
                "<li>#<li>",
                '<a href="$u/x">$t</a>',
                "<b>...<i>$x</i>[:$z;]<p>",
                '" "#:',
                "<li>$a:$b<br>",
            ):
                document = Document(masked(text))
                Matcher(parse_pattern(pattern)).find(document, 0, len(text))
            best = min(best, time.process_time() - begun)
        return best

    assert cost(200_000) < 10 * cost(50_000) + 0.05


@pytest.mark.parametrize(
    ("head", "page", "wanted"),
    [
        ('<base href="http://b.example/c/">', "http://a.example/d/", "http://b.example/c/x"),
        ("<BASE target=_top HREF=../e/>", "http://a.example/d/", "http://a.example/e/x"),
        ("<base href='http://b.example/?a=1&amp;b=2'>", None, "http://b.example/x"),
        ("<!-- <base href=http://b.example/> -->", "http://a.example/d/", "http://a.example/d/x"),
        ("<base target=_top>", "http://a.example/d/", "http://a.example/d/x"),
        ("<base href=/e/><base href=/f/>", "http://a.example/d/", "http://a.example/e/x"),
        ("<base href='data:x'>", "http://a.example/d/", "http://a.example/d/x"),
        ("<base href='http://[x/'>", "http://a.example/d/", "http://a.example/d/x"),
        ("<base href='/e/'>", None, "x"),
    ],
)
def test_addresses_are_relative_to_the_base_that_the_page_names(head: str, page: str | None, wanted: str) -> None:
    assert Document(masked(f"{head}<a href=x>"), page).absolute("x") == wanted


@pytest.mark.parametrize(
    "page",
    ["http://x.example/", "http://x.example/a/b", "http://x.example/a/b/", "http://x.example", "http://x.example/a/b?q=/1"],
)
@pytest.mark.parametrize(
    "address",
    [
        "x",
        "x/y.html",
        "../x",
        "../../../x",
        "x?q",
        "/x",
        "mailto:x",
        "T/a:b",
        "#q",
        "",
        "?x",
        "./x",
        "x/../y",
        "x//y",
        "a:b",
        "//h/x",
    ],
)
def test_addresses_become_absolute_as_the_standard_library_has_it(page: str, address: str) -> None:
    assert Document("", page).absolute(address) == urljoin(page, address)
