"""Formats learned from marked examples: what they say, what they find on the page and on its sisters, what is refused."""

from __future__ import annotations

import pickle
from itertools import pairwise
from time import process_time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from newsextract.page.page import Page
from newsextract.wrappers import parse_format, run
from newsextract.wrappers.learn import learn
from newsextract.wrappers.learn_marks import MAX_TRIALS, LearnError
from newsextract.wrappers.objects import flatten
from newsextract.wrappers.pattern import Attribute, Hole, Optional, Part, Tag, Text, parse_pattern, written
from tests.examples import examples

PAPERS = """<html><head><title>Tides and other papers</title></head><body>
<ul class=nav><li><a href="/">Home</a><li><a href="/all">All papers</a></ul>
<ul class="papers">
<li><b>Tides</b> by <i>Ann Lee</i> <a href="/p/1.pdf">pdf</a></li>
<li><b>Dunes &amp; Sands</b> by <i>Bo Chen</i>, <i>Cy Dee</i> <a href="/p/2.pdf">pdf</a></li>
<li><b>Reeds</b> by <i>Ed Fox</i></li>
<li><b>Gulls</b> by <i>Gil Hart</i> <a href="/p/4.pdf">pdf</a></li>
</ul><p>Printed in the harbour.</p></body></html>"""


def page(source: str) -> Page:
    return Page(source.encode(), "http://papers.example/list/")


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("#")]


def records(text: str, source: str, label: str = "entry") -> list[dict[str, object]]:
    root = run(parse_format(text), page(source)).root
    assert root is not None
    return [{key: value for key, value in row.items() if key not in ("oid", "path")} for row in flatten(root, label)]


def test_one_field_is_one_line() -> None:
    learned = learn(page(PAPERS), [{"title": "Tides"}, {"title": "Dunes & Sands"}])
    assert lines(learned.text) == ['{<ul class="papers">#</ul>, root, get()}', "{<b>#</b>, title, root}"]
    assert (learned.records, learned.found) == (4, {"title": 4})
    assert learned.samples == {"title": ("Reeds", "Gulls")}
    assert '# title: in 4 of 4, also "Reeds", "Gulls"' in learned.text


def test_records_with_links_and_lists() -> None:
    learned = learn(
        page(PAPERS),
        [
            {"title": "Tides", "author": "Ann Lee", "link@href": "/p/1.pdf"},
            {"title": "Dunes & Sands", "author": ["Bo Chen", "Cy Dee"], "link": "http://papers.example/p/2.pdf"},
        ],
        record="paper",
    )
    assert lines(learned.text)[1:] == [
        "{<li>#</li>, paper, root}",
        "{<b>#</b>, title, paper}",
        "{<i>#</i>, author*, paper}",
        '{<a href="#">, link, paper}',
    ]
    assert learned.found == {"title": 4, "author": 4, "link": 3}
    assert records(learned.text, PAPERS, "paper")[2:] == [
        {"title": "Reeds", "author": ["Ed Fox"]},
        {"title": "Gulls", "author": ["Gil Hart"], "link": "http://papers.example/p/4.pdf"},
    ]


def test_what_an_example_lacks_is_optional() -> None:
    learned = learn(page(PAPERS), [{"title": "Tides", "link@href": "/p/1.pdf"}, {"title": "Reeds"}])
    assert lines(learned.text)[-1] == '{<a href="#">, link, entry}?'
    sister = '<ul class="papers"><li><b>Kelp</b></li></ul>'
    result = run(parse_format(learned.text), page(sister))
    assert result.misfits == ()
    assert records(learned.text, sister) == [{"title": "Kelp"}]


def test_one_example_is_enough_where_records_are_alike() -> None:
    learned = learn(page(PAPERS), [{"title": "Gulls", "author": "Gil Hart"}])
    assert [record["title"] for record in records(learned.text, PAPERS)] == ["Tides", "Dunes & Sands", "Reeds", "Gulls"]


TABLE = """<body><table><tr><td>menu</td></tr></table><table>
<tr><td>1</td><td>Ebb</td><td>low</td></tr><tr><td>2</td><td>Flow</td><td>high</td></tr><tr><td>3</td><td>Neap</td><td>mid</td></tr>
</table></body>"""


def test_cells_without_classes_are_counted() -> None:
    learned = learn(page(TABLE), [{"word": "Ebb", "level": "low"}, {"word": "Flow", "level": "high"}])
    assert {"word": "Neap", "level": "mid"} in records(learned.text, TABLE)


def test_a_class_is_named_where_the_tag_is_not_enough() -> None:
    source = "<body>" + "".join(
        f'<div class="hit n{number}"><span class="when">{number} May</span> <span class="who">Ann {number}</span></div>'
        f'<div class="advert"><span class="who">Buy {number}</span></div>'
        for number in range(1, 6)
    )
    learned = learn(page(source), [{"who": "Ann 1", "when": "1 May"}, {"who": "Ann 2", "when": "2 May"}])
    assert lines(learned.text)[1:] == [
        '{<div class="hit">#</div>, entry, root}',
        '{<span class="who">#</span>, who, entry}',
        '{<span class="when">#</span>, when, entry}',
    ]
    assert learned.records == 5


def test_text_is_a_context_where_tags_are_not_enough() -> None:
    source = "<body><ul>" + "".join(
        f"<li>Year: {1990 + number}; place: Port {letter}</li>" for number, letter in enumerate("ABCD")
    )
    learned = learn(page(source), [{"year": "1990", "place": "Port A"}, {"year": "1991", "place": "Port B"}])
    assert records(learned.text, source)[-1] == {"year": "1993", "place": "Port D"}


@pytest.mark.parametrize(
    ("source", "examples", "last"),
    [
        (
            "<body><dl><dt>Ebb</dt><dd>goes <i>out</i></dd><dt>Flow</dt><dd>comes in</dd><dt>Neap</dt><dd>stays</dd></dl>",
            [{"word": "Ebb", "text": "goes out"}, {"word": "Flow", "text": "comes in"}],
            {"word": "Neap", "text": "stays"},
        ),
        (
            "<body><div>" + "".join(f'<h3><a href="/{n}">Head {n}</a></h3><p>Text {n}</p><p>More {n}</p>' for n in range(4)),
            [
                {"head": "Head 0", "text": "Text 0", "link@href": "/0"},
                {"head": "Head 1", "text": "Text 1", "link@href": "/1"},
            ],
            {"head": "Head 3", "text": "Text 3", "link": "http://papers.example/3"},
        ),
        (
            "<body><table>"
            + "".join(f"<tr><td>No. {n} <a>Head {n}</a></td></tr><tr><td><i>Text {n}</i></td></tr>" for n in range(4)),
            [{"head": "Head 0", "text": "Text 0"}, {"head": "Head 1", "text": "Text 1"}],
            {"head": "Head 3", "text": "Text 3"},
        ),
        (
            "<body><hr>" + "<hr>".join(f"<b>Head {n}</b> Text {n}" for n in range(4)),
            [{"head": "Head 0", "text": "Text 0"}, {"head": "Head 1", "text": "Text 1"}],
            {"head": "Head 3", "text": "Text 3"},
        ),
    ],
    ids=["terms", "headings", "rows", "rules"],
)
def test_records_that_are_runs_of_siblings(
    source: str, examples: list[dict[str, str | list[str]]], last: dict[str, str]
) -> None:
    learned = learn(page(source), examples)
    assert records(learned.text, source)[-1] == last


def test_a_mark_that_stands_twice_is_read_where_its_record_is() -> None:
    source = "<body><p>Latest: <a href='/x'>Tides</a></p><ul>" + "".join(
        f"<li><a href='/{n}'>{title}</a> <em>{n} votes</em></li>" for n, title in enumerate(("Tides", "Reeds", "Gulls"))
    )
    learned = learn(page(source), [{"title": "Tides", "votes": "0 votes"}, {"title": "Reeds", "votes": "1 votes"}])
    assert [record["title"] for record in records(learned.text, source)] == ["Tides", "Reeds", "Gulls"]


def test_sister_page() -> None:
    learned = learn(page(PAPERS), [{"title": "Tides", "author": "Ann Lee"}, {"title": "Reeds", "author": "Ed Fox"}])
    sister = PAPERS.replace("Tides</b>", "Kelp</b>").replace("Ann Lee", "Jo Quay").replace("<p>", "<p><b>Note</b> ")
    assert "{<i>#</i>, author*, entry}" in learned.text  # one record of the page has two: a list everywhere
    assert records(learned.text, sister)[0] == {"title": "Kelp", "author": ["Jo Quay"]}
    assert len(records(learned.text, sister)) == 4


@pytest.mark.parametrize(
    ("examples", "message"),
    [
        ([], "0 marked records; give 1 to 20"),
        ([{}], "record 1: 0 marks"),
        ([{"title": "Tides"}, {"title": " "}], "record 2: title has no text"),
        ([{"the title": "Tides"}], "record 1: 'the title' is not a field name"),
        ([{"root": "Tides"}], "record 1: 'root' is not a field name"),
        ([{"title": "Tidse"}], "record 1: title='Tidse' is not on the page; near it are: 'Tides'"),
        ([{"link@href": "/p/9.pdf"}], "record 1: link@href='/p/9.pdf' is not on the page"),
        ([{"title": "Tides"}, {"title": "Tides"}], "the marks of two records are at the same places"),
    ],
)
def test_messages(examples: list[dict[str, str | list[str]]], message: str) -> None:
    with pytest.raises(LearnError) as caught:
        learn(page(PAPERS), examples)
    assert str(caught.value).startswith(message)


def test_a_field_without_contexts_is_named() -> None:
    source = "<body>" + "".join(f"<div><b>Head {n}</b><p>one {n} two {n}</p></div>" for n in "abcd")
    with pytest.raises(LearnError, match="no contexts single out 'part'") as caught:
        learn(page(source), [{"head": "Head a", "part": "one"}, {"head": "Head b", "part": "two"}])
    assert caught.value.field == "part"
    assert pickle.loads(pickle.dumps(caught.value)).field == "part"


def test_the_record_that_is_built_differently_is_named() -> None:
    source = "<body><h1>Ann</h1><blockquote>first</blockquote>" + "".join(
        f"<div class='reply'><b>Who {n}</b><p>said {n}</p></div>" for n in range(4)
    )
    examples = [{"who": "Ann", "text": "first"}, *({"who": f"Who {n}", "text": f"said {n}"} for n in range(2))]
    with pytest.raises(LearnError, match="record 1 is built differently") as caught:
        learn(page(source), examples)
    assert caught.value.record == 1


def test_a_label_that_cannot_be_one() -> None:
    with pytest.raises(LearnError, match="'root' is not a valid label"):
        learn(page(PAPERS), [{"title": "Tides"}], record="root")


TAGS = st.sampled_from(
    ("<ul>", "</ul>", "<li>", "</li>", "<b>", "</b>", '<a href="/x">', "</a>", "<td", "<tr><td>", "</table>", "<!--", "-->",
     "<script>", "&amp;", "&lt", "\x00", "“", "，", "#", "{", "$a", '"', "\\", "one", "two", " ", "<p class='a b'>", "<hr>")
)  # fmt: skip


@settings(max_examples=examples(150))
@given(st.lists(TAGS, max_size=60).map("".join), st.sampled_from(("one", "two", "/x", "#", "“")))
def test_any_page_gives_a_format_that_finds_the_marks_or_an_error_that_says_why(source: str, mark: str) -> None:
    found = Page(source.encode())
    try:
        learned = learn(found, [{"a": "one", "b": mark}, {"a": "two"}])
    except LearnError:
        return
    root = run(parse_format(learned.text), found).root
    assert root is not None
    assert {"one", "two"} <= {str(row.get("a")) for row in flatten(root, "entry")}


@settings(max_examples=examples(100))
@given(st.binary(max_size=300))
@example(b"<A(>")
def test_arbitrary_bytes_never_raise_anything_else(body: bytes) -> None:
    with pytest.raises(LearnError, match="is not on the page"):
        learn(Page(body), [{"a": "a text that no page has by chance"}])


ATTRIBUTES = st.builds(
    Attribute, st.sampled_from(("class", "href")), st.sampled_from(("", "x y", "/p?a=")), st.none() | st.just(Hole("name"))
).filter(lambda attribute: attribute.before != "" or attribute.hole is not None)
PARTS: st.SearchStrategy[Part] = st.one_of(
    st.builds(Text, st.text('ab"\\#,{} ', min_size=1).map(str.strip).filter(bool)),
    st.builds(Tag, st.sampled_from(("li", "a")), st.just(False), st.lists(ATTRIBUTES, max_size=2).map(tuple)),
    st.builds(Tag, st.just("li"), st.just(True)),
    st.sampled_from((Hole(), Hole("name"), Hole(skipped=True), Optional((Tag("b"), Hole())))),
)


@given(st.lists(PARTS, min_size=1, max_size=6))
def test_a_pattern_is_read_back_as_it_was_written(parts: list[Part]) -> None:
    for one, other in pairwise(parts):
        if (isinstance(one, Hole) and isinstance(other, Hole)) or (isinstance(one, Text) and isinstance(other, Text)):
            return
    assert parse_pattern(written(parts)) == tuple(parts)


@pytest.mark.slow
@pytest.mark.parametrize(
    "filler", ["<li><b>x</b>", "<div>", "</div>", "<x" + "y" * 50 + ">", "word ", "&amp;", "<a href='/x'>x</a>"]
)
def test_time_is_near_linear_in_the_page(filler: str) -> None:
    def seconds(times: int) -> float:
        source = "<body><ul><li><b>Tides</b><i>one</i></li><li><b>Reeds</b><i>two</i></li></ul>" + filler * times
        begun = process_time()
        learn(page(source), [{"title": "Tides", "text": "one"}, {"title": "Reeds", "text": "two"}])
        return process_time() - begun

    seconds(100)
    small, large = seconds(4_000), seconds(32_000)
    assert large < 24 * max(small, 0.02)  # 8 is linear
    assert MAX_TRIALS <= 3_000
