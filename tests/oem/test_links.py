"""Links between pages: what stands where when several lead to one page, by whatever address, and how often a page is read."""

from __future__ import annotations

import pytest

from newsextract.errors import UsageError
from newsextract.page.page import Page
from newsextract.wrappers import OEMObject, Result, Unavailable, parse_format, run
from newsextract.wrappers.interpreter import MAX_OBJECTS
from newsextract.wrappers.objects import plain
from tests.costs import at_most

HERE = "http://a.example/d/index.html"
ROOT = "{<body>#</body>, root, get()}\n"


def taken(lines: str, body: str, pages: dict[str, Page] | None = None) -> tuple[Result, list[str]]:
    """The result, and the addresses that were asked for."""
    asked: list[str] = []

    def fetch(url: str) -> Page | Unavailable:
        asked.append(url)
        return (pages or {}).get(url) or Unavailable("HTTP 404")

    return run(parse_format(ROOT + lines), Page.from_text(f"<body>{body}</body>", HERE), fetch), asked


def nested(result: Result) -> object:
    assert result.root is not None
    return plain(result.root)


def test_a_page_is_found_by_its_base_address() -> None:
    lines = '{<a href="#">, link, root}\n{<i>#</i>, note, get(link)}'
    page = Page.from_text("<base href=/e/><body><a href=x>y</a></body>", HERE)
    result = run(parse_format(ROOT + lines), page, lambda url: Page.from_text("<i>N</i>", url))
    assert nested(result) == {"link": "http://a.example/e/x", "note": "N"}


def test_two_lines_with_one_label_both_take_a_linked_page() -> None:
    pages = {"http://a.example/d/1": Page.from_text("<h1>T</h1><p>U</p>", "http://a.example/d/1")}
    lines = '{<a href="#">, link, root}\n{<h1>#</h1>, said, get(link)}\n{<p>#</p>, said, get(link)}'
    result, asked = taken(lines, "<a href=1>x</a>", pages)
    assert nested(result) == {"link": "http://a.example/d/1", "said": ["T", "U"]}
    assert asked == ["http://a.example/d/1"]


def test_a_second_link_refers_to_all_objects_of_the_page_once() -> None:
    pages = {"http://a.example/d/1": Page.from_text("<i>I</i><i>J</i>", "http://a.example/d/1")}
    lines = '{<div>#</div>, entry, root}\n{<a href="#">, link, entry}\n{<i>#</i>, note, get(link)}'
    twice = "<a href=1>x</a><a href=1#top>y</a>"
    result, _ = taken(lines, f"<div>{twice}</div><div>{twice}</div>", pages)
    assert result.root is not None
    first, second = (entry.value for entry in result.root.value if isinstance(entry, OEMObject))
    notes = [child for child in first if isinstance(child, OEMObject) and child.label == "note"]
    assert [note.value for note in notes] == ["I", "J"]
    refer = [child.value for child in second if isinstance(child, OEMObject) and child.type == "reference"]
    assert refer == [note.oid for note in notes]


def test_addresses_that_redirect_to_one_page_are_one_page() -> None:
    final = Page.from_text("<body><i>I</i></body>", "http://a.example/d/new")
    pages = {f"http://a.example/d/{name}": final for name in ("old", "older", "new")}
    lines = '{<a href="#">, link, root}\n{<body>#</body>, page, get(link)}\n{<i>#</i>, note, page}'
    result, asked = taken(lines, "<a href=old>x</a><a href=older>y</a><a href=new>z</a>", pages)
    assert nested(result) == {
        "link": [f"http://a.example/d/{name}" for name in ("old", "older", "new")],
        "page": {"note": "I"},
    }
    assert asked == ["http://a.example/d/old", "http://a.example/d/older"]


def test_the_hierarchy_of_a_linked_page() -> None:
    body = "<h1>A</h1><h2>B</h2><i>I</i><h2>C</h2>u"
    pages = {"http://a.example/d/1": Page.from_text(body, "http://a.example/d/1")}
    lines = '{<a href="#">, link, root}\n{</hx>#<hx>, <hx>#</hx>, get(link)}\n{<i>#</i>, note, <hx>#</hx>}'
    result, _ = taken(lines, "<a href=1>x</a>", pages)
    assert nested(result) == {"link": "http://a.example/d/1", "A": {"B": {"note": "I"}, "C": "u"}}
    assert not result.misfits


def test_any_attribute_may_hold_the_address() -> None:
    pages = {"http://a.example/1": Page.from_text("<i>I</i>", "http://a.example/1")}
    result, _ = taken('{<p data-page="#">, link, root}\n{<i>#</i>, note, get(link)}', "<p data-page=/1>", pages)
    assert nested(result) == {"link": "/1", "note": "I"}


def test_a_page_that_gives_nothing_is_searched_once() -> None:
    page = Page.from_text("<b " * 50_000, "http://a.example/d/1")
    lines = '{<a href="#">, link, root}\n{<b>#</b>, note, get(link)}'
    with at_most(parses=100):  # a search for each link takes ten times as long
        result, _ = taken(lines, "<a href=1>x</a>" * 3_000, {"http://a.example/d/1": page})
    assert result.misfits == ("line 3 (note): nothing found in 1 source",)


@pytest.mark.slow
@pytest.mark.parametrize(
    "line", ["{<b>#<b>, x, root}", '{split(" "), x, root}', "{<b>$a<i>$b, x, root}", "{</hx>#<hx>, x, root}"]
)
def test_one_line_makes_no_more_objects_than_a_run_may_have(line: str) -> None:
    result, _ = taken(line, "<b>a <i>b<h2>c</h2> " * (MAX_OBJECTS + 10))
    assert result.root is not None
    assert sum(1 for _ in result.root.walk()) <= MAX_OBJECTS + 3
    assert result.notes == (f"cut: more than {MAX_OBJECTS:,} objects",)


@pytest.mark.parametrize("line", ["{</hx>#<hx>, <hx>#</hx>, get()}", '{split(","), root, get()}'])
def test_the_first_line_bounds_the_page(line: str) -> None:
    with pytest.raises(UsageError, match="format:1:1: the first line bounds the page"):
        parse_format(line)


def test_an_optional_hole_that_is_missing_leaves_no_text() -> None:
    result, _ = taken('{<li>[<b>$n</b>]$t[" ("#")"]</li>, entry, root}', "<li><b>1</b> foo (x)<li>bar<li><b>2</b> baz")
    assert nested(result) == {"entry": [{"n": "1", "t": "foo", "text": "x"}, {"t": "bar"}, {"n": "2", "t": "baz"}]}
