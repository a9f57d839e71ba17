"""Formats over pages: objects, hierarchy, links, identity, fit, limits."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.errors import DataError
from newsextract.page.page import Page
from newsextract.wrappers import OEMObject, Unavailable, from_json, parse_format, run, to_json
from newsextract.wrappers.interpreter import MAX_OBJECTS
from newsextract.wrappers.objects import MAX_DEPTH, flatten, plain

AAAI = """<html><head><title>Proceedings</title></head><body><h1>14th Conference</h1>
<h2>Technical Papers</h2>
<h3>Agents</h3>
<ul><li><a name="Quill97" href="../../indices/a-tree/q/Quill:Ada.html">Ada Quill</a>:<br>
Harbours That Plan. 22-28
<li><a href="b.html">Ben Osei</a>, <a href="c.html">Carla Voss</a>:<br>
Tides &amp; Teams. 29-34
</ul>
<h3>Vision</h3><h4>Tracking</h4>
<ul><li><a href="d.html">Dana Fox</a>:<br> Following Gulls. 3-9</ul>
<h2>Invited Talks</h2>
<ul><li><a href="e.html">Emil Roe</a>:<br>On Lamps. 1-2</ul>
<hr>DBLP: home</body>"""
LINES = """
1｛〈h2〉#DBLP:,root,get(“http://SunSite.Informatik.RWTH-Aachen.DE/.../AAAI-97.html”)｝
2｛〈/hx〉#〈hx〉,〈hx〉#〈/hx〉,root｝
3｛〈li〉#〈li〉,Section,〈hx〉#〈/hx〉｝
{<a href>#</a>, author*, Section}
{:<br>#". ", title, Section}
{". "#<li>, pages, Section}
"""
URL = "http://db.example/conf/aaai/97.html"


def objects(lines: str, page: str, **pages: str) -> object:
    """The root as plain JSON, with the pages that links lead to."""
    result = run(parse_format(lines), Page.from_text(page, URL), lambda url: Page.from_text(pages[url[-1]], url))
    assert result.root is not None
    assert not result.missing
    return plain(result.root)


def root_of(lines: str, page: str) -> OEMObject:
    root = run(parse_format(lines), Page.from_text(page, URL)).root
    assert root is not None
    return root


def test_the_papers_three_lines_and_three_more_give_six_levels() -> None:
    assert objects(LINES, AAAI) == {
        "Technical Papers": {
            "Agents": {
                "Section": [
                    {"author": ["Ada Quill"], "title": "Harbours That Plan", "pages": "22-28"},
                    {"author": ["Ben Osei", "Carla Voss"], "title": "Tides & Teams", "pages": "29-34"},
                ]
            },
            "Vision": {"Tracking": {"Section": [{"author": ["Dana Fox"], "title": "Following Gulls", "pages": "3-9"}]}},
        },
        "Invited Talks": {"Section": [{"author": ["Emil Roe"], "title": "On Lamps", "pages": "1-2"}]},
    }
    assert root_of(LINES, AAAI).depth == 6


def test_records_carry_their_path() -> None:
    record = flatten(root_of(LINES, AAAI), "Section", {"author"})[2]
    assert record.pop("oid")
    assert record == {
        "path": ["root", "Technical Papers", "Vision", "Tracking"],
        "author": ["Dana Fox"],
        "title": "Following Gulls",
        "pages": "3-9",
    }


def test_sizes_of_fonts_and_bold_lines_make_a_hierarchy() -> None:
    page = (
        "<body><font size=6>News</font><p><font size='4'>Home</font><br>one<br><b>Harbour</b><br>two <b>bold</b> word<p>"
        "<font size=4>World</font><br>three</body>"
    )
    lines = "{<body>#</body>, root, get()}\n{</fontx>#<fontx>, <fontx>#</fontx>, root}\n{#, line, <fontx>#</fontx>}"
    assert objects(lines, page) == {
        "News": {"line": "", "Home": {"line": "one", "Harbour": {"line": "two bold word"}}, "World": {"line": "three"}}
    }
    big = "{<body>#</body>, root, get()}\n{</font>#<font size=5-7>, <font>#</font>, root}"
    assert list(objects(big, page)) == ["News"]  # type: ignore[call-overload]  # a dict


def test_indents_make_a_hierarchy_and_own_text_is_kept() -> None:
    page = "<body><ul><li>Physics<ul><li>Optics<li>Waves</ul><li>Music</ul></body>"
    lines = "{<body>#</body>, root, get()}\n{<indentx>#<indentx>, field, root}"
    assert objects(lines, page) == {"field": [{"text": "Physics", "field": ["Optics", "Waves"]}, "Music"]}
    labelled = "{<body>#</body>, root, get()}\n{</indentx>#<indentx>, <indentx>#</indentx>, root}"
    assert objects(labelled, page) == {"Physics": {"Optics": "", "Waves": ""}, "Music": ""}


def test_text_before_the_first_inner_title_is_kept_unless_a_line_looks_for_it() -> None:
    page = "<body><h1>T</h1>intro<h2>A</h2>x</body>"
    lines = "{<body>#</body>, root, get()}\n{</hx>#<hx>, <hx>#</hx>, root}"
    assert objects(lines, page) == {"T": {"text": "intro", "A": "x"}}
    assert objects(lines + "\n{#, lead, <hx>#</hx>}", page) == {"T": {"lead": "intro", "A": {"lead": "x"}}}


def test_records_that_would_hide_their_own_keys_and_references() -> None:
    root = root_of("{<p>#</p>, root, get()}\n{<b>#</b>, path, root}\n{<i>#</i>, oid, root}", "<p><b>1</b><i>2</i>")
    record = flatten(root, "root")[0]
    assert (record["path"], record["path_"], record["oid_"]) == ([], "1", "2")


def test_named_holes_alone_give_no_text_beside_them() -> None:
    lines = '{<p>#</p>, root, get()}\n{<a href="$link">$title</a>, entry, root}'
    assert objects(lines, "<p><a href='http://x/'>T</a>") == {"entry": {"link": "http://x/", "title": "T"}}


def test_tags_that_open_before_a_title_belong_to_it() -> None:
    page = "<body><font size=5>A</font><p>one<p><font size=5>B</font><p>two</body>"
    lines = "{<body>#</body>, root, get()}\n{</fontx>#<fontx>, <fontx>#</fontx>, root}\n{<p>#</p>, line, <fontx>#</fontx>}"
    assert objects(lines, page) == {"A": {"line": "one"}, "B": {"line": "two"}}


def test_a_part_of_an_address_is_no_address() -> None:
    assert objects('{<p>#</p>, root, get()}\n{<a href="/p/#.html">, number, root}', "<p><a href=/p/6.html>x</a>") == {
        "number": "6"
    }


def test_a_title_without_the_next_level_does_not_fall_out() -> None:
    page = "<body><h1>A</h1><h3>A1</h3>x<h2>B</h2><h3>B1</h3>y</body>"
    lines = "{<body>#</body>, root, get()}\n{</hx>#<hx>, <hx>#</hx>, root}"
    assert objects(lines, page) == {"A": {"A1": "x", "B": {"B1": "y"}}}


def test_labels_from_patterns_and_pieces() -> None:
    page = "<table><tr><th>Room<td>Hall 2<tr><th>Staff<td>Ann, Bo and Cy</table>"
    lines = """{<table>#</table>, root, get()}
{<tr>#</tr>, <th>#</th>, root}
{<td>#</td>, value, <th>#</th>}
{split(",", " and "), person, value}"""
    assert objects(lines, page) == {
        "Room": {"value": {"person": ["Hall 2"]}},
        "Staff": {"value": {"person": ["Ann", "Bo", "Cy"]}},
    }


def test_children_stand_in_the_order_of_the_page() -> None:
    root = root_of(
        "{<p>#</p>, root, get()}\n{<i>#</i>, second, root}\n{<b>#</b>, first, root}", "<p><b>1</b><i>2</i><b>3</b>"
    )
    assert isinstance(root.value, tuple)
    assert [child.value for child in root.value] == ["1", "2", "3"]


def test_links_are_followed_and_their_objects_stand_beside_them() -> None:
    lines = """{<ul>#</ul>, root, get()}
{<li>#</li>, paper, root}
{<a href="$url">$title</a>, link, paper}
{<p class=abstract>#</p>, abstract, get(url)}"""
    page = "<ul><li><a href='1'>One</a><li><a href='2'>Two</a></ul>"
    root = objects(lines, page, **{"1": "<p class=abstract>First.", "2": "<p class=abstract>Second."})
    assert root == {
        "paper": [
            {"link": {"url": "http://db.example/conf/aaai/1", "title": "One", "abstract": "First."}},
            {"link": {"url": "http://db.example/conf/aaai/2", "title": "Two", "abstract": "Second."}},
        ]
    }


CYCLE = """{<body>#</body>, root, get()}
{<b>#</b>, item, root}
{<a rel=next href="#">, next, root}
{<body>#</body>, root, get(next)}"""


def test_a_cycle_of_pages_is_a_reference() -> None:
    pages = {"1": "<body><b>1</b><a rel=next href=2></a></body>", "2": "<body><b>2</b><a rel=next href=1></a></body>"}
    url = "http://db.example/1"
    result = run(parse_format(CYCLE), Page.from_text(pages["1"], url), lambda at: Page.from_text(pages[at[-1]], at))
    assert result.root is not None
    assert isinstance(result.root.value, tuple)
    second = result.root.value[-1]
    assert isinstance(second.value, tuple)
    assert second.url == "http://db.example/2"
    assert second.value[-1] == OEMObject(second.value[-1].oid, "root", "reference", result.root.oid)
    assert [found["oid"] for found in flatten(result.root, "root")] == [result.root.oid, second.oid]
    assert flatten(result.root, "item") == [
        {"oid": flatten(result.root, "item")[0]["oid"], "path": ["root"], "text": "1"},
        {"oid": flatten(result.root, "item")[1]["oid"], "path": ["root", "root"], "text": "2"},
    ]


def test_missing_pages_are_named_and_the_run_repeated() -> None:
    wrapper, page = (
        parse_format(CYCLE),
        Page.from_text("<body><b>1</b><a rel=next href=/2></a></body>", "http://db.example/1"),
    )
    at_hand: dict[str, Page | Unavailable] = {}
    first = run(wrapper, page, at_hand.get)
    assert first.missing == ("http://db.example/2",)
    at_hand["http://db.example/2"] = Page.from_text("<body><b>2</b></body>", "http://db.example/2")
    second = run(wrapper, page, at_hand.get)
    assert not second.missing
    assert second.root is not None
    assert [found["text"] for found in flatten(second.root, "item")] == ["1", "2"]
    at_hand["http://db.example/2"] = Unavailable("HTTP 404")
    assert run(wrapper, page, at_hand.get).failures == (("http://db.example/2", "HTTP 404"),)


def test_pages_have_a_limit() -> None:
    asked: list[str] = []

    def fetch(url: str) -> Page:
        asked.append(url)
        return Page.from_text(f"<body><a rel=next href=/{len(asked)}></a></body>", url)

    result = run(parse_format(CYCLE), fetch("http://db.example/0"), fetch, max_pages=5)
    assert len(asked) == 1 + 5
    assert result.notes == ("cut: links lead to more than 5 pages",)
    assert result.failures[0][1] == "one more than the 5 linked pages of a run"


def test_links_that_cannot_be_followed_say_why() -> None:
    page = "<body><b>1</b><a rel=next href='next.html'></a></body>"
    assert run(parse_format(CYCLE), Page.from_text(page)).failures[0][1].startswith("not an http(s) URL")
    assert run(parse_format(CYCLE), Page.from_text(page, URL)).failures[0][1] == "links are not followed here"


def test_identity_does_not_depend_on_what_stands_around() -> None:
    shown = AAAI.replace(
        "<h3>Agents</h3>\n<ul>", "<h3>Zeal</h3><ul><li>new</ul><h3>Agents</h3>\n<ul><li><a href=n>New</a>:<br>N. 1"
    )
    before = {found["title"]: found["oid"] for found in flatten(root_of(LINES, AAAI), "Section")}
    after = {found.get("title"): found["oid"] for found in flatten(root_of(LINES, shown), "Section")}
    assert set(before.items()) < set(after.items())
    doubled = AAAI.replace(
        '<li><a href="e.html">', '<li><a href="e.html">Emil Roe</a>:<br>On Lamps. 1-2\n<li><a href="e.html">'
    )
    oids = [found["oid"] for found in flatten(root_of(LINES, doubled), "Section")]
    assert len(set(oids)) == len(oids) == 5


def test_identity_does_not_depend_on_linked_pages() -> None:
    wrapper = parse_format(
        "{<ul>#</ul>, root, get()}\n{<li>#</li>, talk, root}\n{<a href='#'>, link, talk}\n{<i>#</i>, note, get(link)}"
    )
    page = Page.from_text("<ul><li>One <a href=1>x</a></ul>", URL)
    with_page = run(wrapper, page, lambda url: Page.from_text("<i>later</i>", url)).root
    without = run(wrapper, page, lambda url: Unavailable("HTTP 503")).root
    assert with_page is not None
    assert without is not None
    assert len(flatten(with_page, "note")) == 1
    assert [found["oid"] for found in flatten(with_page, "talk")] == [found["oid"] for found in flatten(without, "talk")]


def test_long_addresses() -> None:
    address = "http://db.example/" + "x" * 5_000
    assert objects("{<p>#</p>, root, get()}\n{<a href='#'>, link, root}", f"<p><a href='{address}'>x</a>") == {
        "link": address
    }


def test_what_does_not_fit_is_told() -> None:
    result = run(parse_format(LINES), Page.from_text(AAAI.replace(":<br>", ";"), URL))
    assert result.misfits == ("line 6 (title): nothing found in 4 sources",)
    optional = LINES.replace("title, Section}", "title, Section}?")
    assert run(parse_format(optional), Page.from_text(AAAI.replace(":<br>", ";"), URL)).misfits == ()
    gone = run(parse_format(LINES), Page.from_text("<h1>Moved</h1>"))
    assert gone.root is None
    assert gone.misfits == ("line 2 (root): nothing found in 1 source",)


def test_json_there_and_back() -> None:
    root = root_of(LINES, AAAI)
    assert from_json(json.loads(json.dumps(to_json(root))), "f") == root
    for wrong in ([], {"oid": "a"}, {"oid": "a", "label": "b", "type": "complex", "value": "x"}):
        with pytest.raises(DataError, match=r"^f: "):
            from_json(wrong, "f")
    deep: object = {"oid": "a", "label": "b", "type": "string", "value": "x"}
    for _ in range(MAX_DEPTH + 2):
        deep = {"oid": "a", "label": "b", "type": "complex", "value": [deep]}
    with pytest.raises(DataError, match="nested"):
        from_json(deep, "f")


@pytest.mark.slow
def test_objects_and_levels_have_limits() -> None:
    many = run(
        parse_format("{<body>#</body>, root, get()}\n{<b>#</b>, x, root}\n{#, y, x}"),
        Page.from_text("<body>" + "<b>1</b>" * 60_000),
    )
    assert many.notes == (f"cut: more than {MAX_OBJECTS:,} objects",)
    nested = "<body>" + "<ul><li>x" * 5_000
    deep = root_of("{<body>#</body>, root, get()}\n{</indentx>#<indentx>, <indentx>#</indentx>, root}", nested)
    assert deep.depth <= MAX_DEPTH
    chain = "{<body>#</body>, x0, get()}\n" + "\n".join(f"{{#, x{n + 1}, x{n}}}" for n in range(200))
    assert root_of(chain, "<body>a</body>").depth <= MAX_DEPTH + 1


@given(
    st.binary(max_size=300),
    st.sampled_from(
        [LINES, CYCLE, "{#, root, get()}\n{<indentx>#<indentx>, i, root}\n{</fontx>#<fontx>, <fontx>#</fontx>, i}"]
    ),
)
def test_any_bytes_give_a_result_and_always_the_same(data: bytes, lines: str) -> None:
    wrapper = parse_format(lines)
    first = run(wrapper, Page(data, URL))
    assert first.root == run(wrapper, Page(data, URL)).root
    if first.root is not None:
        assert len({found.oid for found, _ in first.root.walk()}) == sum(1 for _ in first.root.walk())


@given(st.text(alphabet='<>/hulib123"= a:.,\n', max_size=200))
def test_any_markup_gives_a_result(text: str) -> None:
    root = run(
        parse_format("{#, root, get()}\n{</hx>#<hx>, <hx>#</hx>, root}\n{<li>#<li>, item, <hx>#</hx>}"), Page.from_text(text)
    ).root
    assert root is not None


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    ["<h1>a</h1>", "<h2>a</h2><h1>b</h1>", "<ul><li>a", "<li>a", "<b>a</b>", "<b>a<br>", "<dl><dd>x", "<font size=3>a"],
)
def test_no_page_makes_a_run_slow(piece: str) -> None:
    """Four times the page may take at most ten times the time."""
    wrapper = parse_format(
        "{#, root, get()}\n{</hx>#<hx>, <hx>#</hx>, root}\n{<li>#<li>, item, <hx>#</hx>}\n"
        "{<indentx>#<indentx>, i, root}\n{</fontx>#<fontx>, <fontx>#</fontx>, root}\n{<b>#</b>, bold, i}"
    )

    def cost(size: int) -> float:
        page = Page.from_text(piece * (size // len(piece)))
        best = 9e9
        for _ in range(2):
            begun = time.process_time()
            run(wrapper, page)
            best = min(best, time.process_time() - begun)
        return best

    assert cost(80_000) < 10 * cost(20_000) + 0.1
