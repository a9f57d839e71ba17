"""Format files: what is read, and what the errors say."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.errors import UsageError
from newsextract.wrappers.format import FormatError, Get, SplitText, load_format, parse_format
from newsextract.wrappers.pattern import Attribute, Hole, Optional, Tag, Text

ROOT = "{<body>#</body>, root, get()}\n"
PRINTED = """
1｛〈h2〉#DBLP:,root,get(“http://SunSite.Informatik.RWTH-Aachen.DE/.../AAAI-97.html”)｝
2｛〈/hx〉#〈hx〉,〈hx〉#〈/hx〉,root｝
3｛〈li〉#〈li〉,Section,〈hx〉#〈/hx〉｝
"""


def section(text: str) -> object:
    """The section text of a second line."""
    return parse_format(ROOT + "{" + text + ", x, root}").lines[1].section


def test_lines_as_the_paper_prints_them() -> None:
    lines = parse_format(PRINTED).lines
    assert [line.number for line in lines] == [2, 3, 4]
    assert lines[0].section == (Tag("h2"), Hole(), Text("DBLP:"))
    assert lines[0].source == Get("http://SunSite.Informatik.RWTH-Aachen.DE/.../AAAI-97.html")
    assert lines[1].scale == Tag("hx")
    assert lines[1].label == (Tag("hx"), Hole(), Tag("hx", closing=True))
    assert lines[2].source == lines[1].variable
    assert lines[2].scale is None


def test_comments_numbers_blank_lines_and_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.oem"
    path.write_bytes(
        b"\xef\xbb\xbf# a comment\r\n\r\n" + ROOT.encode() + b"  2. {<li>#</li>, item, root}? # may be missing\r\n"
    )
    lines = load_format(path).lines
    assert [(line.number, line.variable, line.optional) for line in lines] == [(3, "root", False), (4, "item", True)]


@pytest.mark.parametrize(
    ("written", "parts"),
    [
        ("<li>#</li>", (Tag("li"), Hole(), Tag("li", closing=True))),
        (" <LI> # </LI> ", (Tag("li"), Hole(), Tag("li", closing=True))),
        ('<a href="$url">$title</a>', (Tag("a", attributes=(Attribute("href", "", Hole("url")),)), Hole("title"), Tag("a", True))),
        ("<div class=post>#", (Tag("div", attributes=(Attribute("class", "post"),)), Hole())),
        ("<a href='/p/#.html'>...</a>", (Tag("a", attributes=(Attribute("href", "/p/", Hole(), ".html"),)), Hole(skipped=True), Tag("a", True))),
        ('"no. #"#<br>', (Text("no. #"), Hole(), Tag("br"))),
        ('","#"} "', (Text(","), Hole(), Text("} "))),
        (r"\##\,", (Text("#"), Hole(), Text(","))),
        ("price $5 #<br>", (Text("price $5"), Hole(), Tag("br"))),
        ("#[<i>$note</i>]<br>", (Hole(), Optional((Tag("i"), Hole("note"), Tag("i", True))), Tag("br"))),
        ("<font size=1-7>#</font>", (Tag("font", sizes=(1, 7)), Hole(), Tag("font", closing=True))),
        ("<font color=red size=5>#</font>", (Tag("font", attributes=(Attribute("color", "red"),), sizes=(5, 5)), Hole(), Tag("font", closing=True))),
        ("<font size=5 color=red>#</font>", (Tag("font", attributes=(Attribute("color", "red"),), sizes=(5, 5)), Hole(), Tag("font", closing=True))),
        ('<b>#"，"', (Tag("b"), Hole(), Text("，"))),
        ("<fontsize=5>#</font>", (Tag("font", sizes=(5, 5)), Hole(), Tag("font", closing=True))),
        ("<table#><tr>#<th>#<td>#</table>", (Tag("table"), Tag("tr"), Hole(), Tag("th"), Hole(), Tag("td"), Hole(), Tag("table", True))),
        ("a < b #<br>", (Text("a < b"), Hole(), Tag("br"))),
        ('split(", ", " and ")', SplitText((", ", " and "))),
    ],
)  # fmt: skip
def test_section_texts(written: str, parts: object) -> None:
    assert section(written) == parts


def test_star_and_named_holes() -> None:
    wrapper = parse_format(ROOT + '{<a href="$url">#</a>, author*, root}\n{<b>#</b>, bold, get(url)}')
    assert wrapper.many == {"author"}
    assert wrapper.lines[1].names == {"author", "url"}
    assert wrapper.lines[2].source == Get(links="url")


def test_a_pattern_names_its_objects_whatever_its_case_and_blanks() -> None:
    lines = parse_format(ROOT + "{</hx>#<hx>, <hx>#</hx>, root}\n{<li>#</li>, item, <HX> # </hx>}").lines
    assert lines[2].source == lines[1].variable


@pytest.mark.parametrize(
    ("line", "column", "told"),
    [
        ("li", 1, "expected '{', found 'l'"),
        ("{<li>#</li>, item, root", 24, "expected '}' at the end"),
        ("{<li>#</li>, item, root} x", 25, "expected the end of the line"),
        ("{<li>#</li>, item}", 18, "expected three parts"),
        ("{<li>#, <b>, item, root}", 20, "expected three parts, section text, section variable, source, found 4"),
        ("{<li>, item, root}", 2, "the section text has no '#'"),
        ("{<li>#</li>, , root}", 14, "the section variable is empty"),
        ("{<li>#</li>, <b></b>, root}", 14, "the label's pattern has no '#'"),
        ("{<li>#</li>, item, }", 20, "the source is empty"),
        ("{<li>#</li>, item, rot}", 20, "did you mean 'root'?"),
        ("{<li>#</li>, item, get(rot)}", 20, "did you mean 'root'?"),
        ("{<li>#</li>, item, get()}", 20, "get() is for the first line"),
        ('{"no. #, item, root}', 2, "the quote is not closed"),
        ("{[<li>#</li>, item, root}", 2, "'[' is not closed"),
        ("{a[]#, item, root}", 3, "nothing between [ and ]"),
        ("{<b>#$x</b>, item, root}", 6, "two holes touch"),
        ("{<li>#</li class=x>, item, root}", 12, "an end tag has no attributes"),
        ('{<a href="#-#">x</a>, item, root}', 5, "two holes in the attribute href"),
        ("{</indentx>#<indentx>, item, root}", 2, "expected <indentx>#<indentx> and no more"),
        ("{<b>#<hx>, item, root}", 2, "expected </hx>#<hx> and no more"),
    ],
)  # fmt: skip
def test_errors_name_file_line_column_and_an_example(line: str, column: int, told: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse_format(ROOT + line, "papers.oem")
    message = str(caught.value)
    assert message.startswith(f"papers.oem:2:{column}: ")
    assert told in message
    assert "Example: {" in message


def test_the_first_line_takes_a_page() -> None:
    with pytest.raises(FormatError, match="the first line defines the root"):
        parse_format("{<li>#</li>, item, root}")


def test_an_empty_format() -> None:
    with pytest.raises(FormatError, match="no line; expected"):
        parse_format("# nothing\n")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.oem: No such file"):
        load_format(tmp_path / "none.oem")
    (tmp_path / "latin.oem").write_bytes(b"# ok\n\xe9\n")
    with pytest.raises(FormatError, match=r"latin\.oem:2:1: not UTF-8"):
        load_format(tmp_path / "latin.oem")
    (tmp_path / "big.oem").write_bytes(b"#" * 1_000_001)
    with pytest.raises(UsageError, match="at most 1,000,000"):
        load_format(tmp_path / "big.oem")


@given(st.text(alphabet='{}<>/#$,.[]"\\()=ahx1 \n', max_size=80))
def test_any_text_is_a_format_or_a_format_error(text: str) -> None:
    with contextlib.suppress(FormatError):
        assert parse_format(text).lines
