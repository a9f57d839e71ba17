"""The parser keeps deep text, and no page costs much more than an honest one of its length."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import dataclass
from functools import lru_cache

import lxml.html
import pytest

from newsextract import Page, algorithms, extract
from newsextract.page.dom import read_dom
from newsextract.page.parsing import parse

SIZE = 500_000
"""Characters of a hostile page."""


@dataclass(frozen=True)
class Fill:
    """An item again and again; ``%d`` in it counts. Made when a test asks for it: every process that tests reads this module."""

    item: str
    start: str = ""
    end: str = ""
    size: int = SIZE

    def __str__(self) -> str:
        if "%d" not in self.item:
            return self.start + self.item * (self.size // len(self.item)) + self.end
        items: list[str] = []
        length = 0
        while length < self.size:
            items.append(self.item.replace("%d", str(len(items))))
            length += len(items[-1])
        return self.start + "".join(items) + self.end


# --- deep pages -----------------------------------------------------------------------------------


@pytest.mark.parametrize("tag", ["div", "span", "x-y", "b", "section"])
@pytest.mark.parametrize("depth", [300, 2_000, 100_000])
def test_the_deepest_text_is_kept(tag: str, depth: int) -> None:
    dom = read_dom(f"<p>first</p>{f'<{tag}>' * depth}deepest{f'</{tag}>' * depth}<p>last</p>")
    assert " ".join(dom.texts).split() == ["first", "deepest", "last"]


def test_lxml_loses_it() -> None:
    """Why lexbor: if this fails, libxml2 has changed, and the reason is gone."""
    assert "deepest" not in lxml.html.fromstring("<div>" * 300 + "deepest").text_content()


def test_an_empty_text_has_a_document_element() -> None:
    root = parse("")
    assert root is not None
    assert root.tag == "html"


POSTS = "".join(
    f"<div class=post><b>reader{i}</b><p>Answer {i}: the chain slips because the teeth of the old sprocket are worn, "
    f"so change both, clean the hub and ride {i} kilometres before you tighten it.</p></div>"
    for i in range(20)
)


def test_a_page_whose_text_is_all_in_noscript_is_read_as_without_scripts() -> None:
    shell = f"<title>t</title><body><div id=app>Loading…</div><noscript>{POSTS}</noscript><script>run()</script>"
    texts = read_dom(shell).texts
    assert sum(text.startswith("Answer") for text in texts) == 20
    assert "Answer 19" in Page(shell.encode()).nodes.text(0)


def test_noscript_beside_text_stays_unread() -> None:
    story = "".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS)
    texts = read_dom(f"<body>{story}<noscript>{POSTS}</noscript><p>The end.</p>").texts
    assert texts == [*PARAGRAPHS, "The end."]


def test_a_request_to_turn_scripts_on_is_no_text() -> None:
    assert (
        read_dom("<body><noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div>").texts == []
    )


PARAGRAPHS = [
    f"Paragraph {i} of a story that stands very deep, with enough words to be a paragraph, and a comma or two."
    for i in range(12)
]


@pytest.mark.parametrize("depth", [100, 400, 3_000])
@pytest.mark.parametrize("name", algorithms.names("article"))
def test_an_article_at_a_great_depth(name: str, depth: int) -> None:
    menu = "<ul>" + "".join(f"<li><a href=/{i}>Section {i}</a></li>" for i in range(12)) + "</ul>"
    story = "".join(f"<p>{text}</p>" for text in PARAGRAPHS)
    markup = f"<html><body>{menu}{'<div>' * depth}<h1>A deep story</h1>{story}{'</div>' * depth}{menu}</body></html>"
    text = extract(markup, algorithm=name).text
    assert [line for line in PARAGRAPHS if line not in text] == []
    assert "Section 3" not in text


# --- hostile pages --------------------------------------------------------------------------------

FORMATTING = "".join(f"<{name}>" * 3 for name in "b i u s tt em big code font small strike strong".split())
NESTING = {
    "divs": Fill("<div>"),
    "upper case": Fill("<DIV>"),
    "new lines": Fill("<div\n>"),
    "slashes": Fill("<div/>"),
    "tags that never end": Fill("<a " + "x" * 3_999),
    "vertical tabs": Fill("<div></div\x0b>"),
    "null characters": Fill("<d\0>"),
    "custom elements": Fill("<x-y>", end="<p>" * 9_000),
    "spans closed in vain": Fill("<span>" * 900 + "<div>" + "</span>" * 900, end="<p></p>" * 9_000),
    "end tags in comments": Fill("<div><!--</div>-->"),
    "end tags in bogus comments": Fill("<div><?</div>"),
    "end tags in values": Fill('<div a="</div>">'),
    "end tags in scripts": Fill("<div><script></div></script>"),
    "end tags behind nested scripts": Fill("<div>" * 900 + "<script><!--<script></script>" + "</div>" * 900 + "</script>"),
    "end tags in titles": Fill("<div><title></div></title>"),
    "end tags in xmp": Fill("<div><xmp></div></xmp>"),
    "end tags in objects": Fill("<div><object></div></object>"),
    "end tags in selects": Fill("<div><select></div></select>"),
    "end tags in templates": Fill("<div><template></div></template>"),
    "end tags in marquees": Fill("<div><marquee></div></marquee>"),
    "end tags in drawings": Fill("<div><svg><desc></div></svg>"),
    "end tags in CDATA": Fill("<div><svg><svg></svg><![CDATA[></div>]]></svg>"),
    "end tags in tables": Fill("<div><table><td></div></table>"),
    "tables closed twice": Fill("<table><table></table><div></table>"),
    "tags that join": Fill("<<div>div>", "<div>" * 1_000),
    "list items": Fill("<li><dd>"),
    "list items and lists": Fill("<li><dd><ul></ul>"),
    "lists": Fill("<ul><li>"),
    "headings": Fill("<h1>"),
    "headings in items": Fill("<h1><li>"),
    "option groups": Fill("<optgroup>x", "<select>"),
    "options": Fill("<option>x", "<select>"),
    "tables": Fill("<table>"),
    "cells": Fill("<table><td>"),
    "tables with text": Fill("<table>x"),
    "drawings": Fill("<svg>"),
    "drawings left by a paragraph": Fill("<path/>", "<svg><p>"),
    "templates": Fill("<template>"),
    "forms": Fill("<form><div>"),
    "buttons": Fill("<button><div>"),
    "ruby": Fill("<ruby><rt>"),
    "frames": Fill("<frameset>"),
    "links": Fill("<a href=x><div>"),
    "links in tables": Fill("<a href=x><table><td>"),
    "end tags of nothing": Fill("</y>", "<span>" * 900),
}
OPEN_FORMATTING = {
    "formatting": Fill("<b class=c%d>x<p>"),
    "formatting in upper case": Fill("<B id=%d><p>x"),
    "formatting with new lines": Fill("<b\nid=%d><p>x"),
    "formatting with slashes": Fill("<b/id=%d><p>x"),
    "formatting closed in comments": Fill("<b id=%d><!--</b>--><p>x"),
    "formatting closed in values": Fill('<b id=%d title="</b>"><p>x'),
    "formatting closed in objects": Fill("<b id=%d><object></b></object><p>x"),
    "formatting closed in tables": Fill("<b id=%d><table><td></b></table><p>x"),
    "formatting with quotes": Fill('<b a=">" id=%d></b><b id=%d><p>x'),
    "formatting that joins": Fill("<<b>b id=%d><p>x"),
    "formatting of all kinds": Fill("<p>x</p>", f"<p>{FORMATTING}</p>"),
    "formatting below the bound": "<p>" + "".join(f"<b id={i}>" for i in range(740)) + "</p>" + "<p>x" * 740,
    "formatting with long values": "<p>"
    + "".join(f'<b id={i} t="{"z" * 900}">' for i in range(500))
    + "</p>"
    + "<p>x" * 900,
    "formatting misnested": Fill("<b><i><p></b></i>"),
    "formatting of links": Fill("<a href=1><b id=%d></a><p>x"),
    "nobr": Fill("<nobr id=%d><p>"),
}
ATTRIBUTES = {
    "attributes": Fill("a%d ", "<p ", ">x"),
    "attributes with values": Fill("a%d=1 ", "<p ", ">x"),
    "attributes with <": Fill('a%d="<" ', "<p ", ">x"),
    "attributes with >": Fill('a%d=">" ', "<p ", ">x"),
    "attributes with < and >": Fill('a%d="<>" ', "<p ", ">x"),
    "attributes with slashes": Fill("/a%d", "<p", ">x"),
    "attributes named <": Fill("<a%d ", "<p ", ">x"),
    "attributes of end tags": Fill("a%d ", "</p ", ">x"),
    "attributes of many tags": 10 * str(Fill("a%d ", "<p ", ">x", 50_000)),
    "attributes below the bound": Fill("<p " + " ".join(f"a{i}" for i in range(990)) + ">"),
    "attributes in drawings": Fill("a%d ", "<svg><style><p ", "></style></svg>y"),
    "attributes of bodies": Fill("<body a%d>"),
    "attributes of mixed bodies": Fill("<body a%d><HTML b%d>"),
}
WIDTH = {
    "siblings": Fill("<p>x"),
    "line breaks": "<br>" * 500_000,
    "line breaks with text": Fill("<br>x"),
    "links side by side": Fill("x<a href>x</a>"),
    "headings side by side": Fill("<h1>x</h1>"),
    "one heading": Fill("<p>x", "<h1>"),
    "images": Fill("<img>"),
    "foster parents": Fill("<b>x", "<table>"),
    "paragraphs in a table": Fill("<p>x", "<table>"),
    "text and comments in a table": Fill("x<!---->", "<table>"),
    "text and bogus comments in a table": Fill("x<?>", "<table><td><table>"),
    "rows": Fill("<tr>", "<table>"),
    "less-than signs": "<" * SIZE,
    "character references": Fill("&#"),
    "null characters in text": Fill("x\0"),
    "one paragraph": "<p>" + "x" * 3_000_000,
    "comments": Fill("<!--"),
    "comments with an end": Fill("<!--", end="-->"),
    "scripts": Fill("<script>"),
    "quotes": Fill('<p a="', "<p " + "x" * 5_000 + ">"),
    "quotes in formatting": Fill('<b "'),
    "long tags": Fill("<a " + "x" * 4_000 + ' " '),
    "tags without an end": Fill("<a" * 1_999 + ">"),
    "drawings side by side": Fill("<svg></svg>"),
}
NAMES = {
    f"{what} of {size:,} bytes": Fill(item, start, size=size)
    for size in (700_000, 4_700_000)
    for what, (item, start) in {
        "names": ("<x%d>b", ""),
        "names with end tags": ("<x%d>b</x%d>", ""),
        "names of end tags": ("</x%d>b", ""),
        "names with quotes": ("<x\"'%d>b</p>", ""),
        "names in upper case": ("<X%d/>b", ""),
        "names in drawings": ("<g%d/>b", "<svg>"),
        "attributes with names of their own": ("<p a%d=1>b</p>", ""),
        "attributes in pairs": ("<p a%d b%d='>'>b</p>", ""),
        "attributes with quotes": ("<p a=''b\"%d>b</p>", ""),
        "attributes of drawings": ("<svg A%d=1 /></svg>b", ""),
    }.items()
}
HOSTILE: dict[str, str | Fill] = NESTING | OPEN_FORMATTING | ATTRIBUTES | WIDTH | NAMES


def seconds(text: str) -> float:
    """Processor time: other processes on the machine do not count."""
    start = time.process_time()
    read_dom(text)
    return time.process_time() - start


@lru_cache
def yardstick() -> float:
    """What a page of as many tags costs that only holds short paragraphs; a hostile one may cost five times as much."""
    return min(seconds(str(Fill("<p>a</p>"))) for _ in range(3))


@pytest.mark.slow
@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pages_cost_what_honest_ones_of_their_length_cost(name: str) -> None:
    text = str(HOSTILE[name])
    limit = 5 * yardstick() * max(1.0, len(text) / SIZE)
    assert seconds(text) < limit or seconds(text) < limit, "twice"  # once may be the machine's


@pytest.mark.parametrize("name", OPEN_FORMATTING)
def test_no_formatting_element_is_copied_without_end(name: str) -> None:
    text = str(OPEN_FORMATTING[name])
    assert read_dom(text).node_count < 600_000 + 4 * text.count("<")


@pytest.mark.parametrize("name", ["divs", "end tags in comments", "list items", "tables with text", "tags that join"])
def test_the_tree_of_hostile_pages_is_not_deep(name: str) -> None:
    dom = read_dom(str(NESTING[name]))
    depth = [0] * len(dom.tags)
    for element, parent in enumerate(dom.parents[1:], 1):
        depth[element] = depth[parent] + 1
    assert max(depth) < 5_000


_MEMORY = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
from newsextract.page.dom import read_dom
text = sys.stdin.read()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert read_dom(text).node_count
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.slow
@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "name",
    [
        "divs",
        "formatting",
        "formatting closed in values",
        "formatting closed in objects",
        "formatting of all kinds",
        "formatting below the bound",
        "formatting with long values",
        "text and comments in a table",
        "text and bogus comments in a table",
        "tables with text",
        "siblings",
        "line breaks",
    ],
)
def test_hostile_pages_take_bounded_memory(name: str) -> None:
    """Under 500 MB a megabyte of source; without the guard the formatting takes several GB."""
    run = subprocess.run(
        [sys.executable, "-c", _MEMORY], input=str(HOSTILE[name]), capture_output=True, text=True, timeout=50, check=False
    )
    assert run.returncode == 0, run.stderr[-500:]
    assert int(run.stdout) < 400


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_a_million_siblings() -> None:
    dom = read_dom("<p>x" * 1_000_000)
    assert dom.length == 1_000_000
    assert dom.node_count == 2_000_003


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["divs", "formatting", "attributes with < and >", "text and comments in a table", "headings in items"]
)
def test_hostile_pages_keep_their_last_words(name: str) -> None:
    text = str(HOSTILE[name]).removesuffix("</table>") + "</p></table><p>the last words</p>"
    assert "the last words" in " ".join(Page.from_text(text).dom.texts[-3:])


@pytest.mark.parametrize(
    "noscript",
    [
        "<noscript><div></noscript>",
        "<NOSCRIPT><div><p>Please turn on scripts</NOSCRIPT >",
        "<noscript><img src=x></noscript><noscript><span></noscript>",
    ],
)
def test_an_element_left_open_in_noscript_does_not_swallow_the_page(noscript: str) -> None:
    assert read_dom(f"<html><body>{noscript}<p>The story.</p></body></html>").texts == ["The story."]


@pytest.mark.parametrize("begin", ["<!-- <noscript> -->", "<script>'<noscript>'</script>"])
def test_a_noscript_that_may_be_none_is_left_alone(begin: str) -> None:
    page = f"<html><body>{begin}<p>The story.</p><noscript>x</noscript></body></html>"
    assert read_dom(page).texts == ["The story."]


@pytest.mark.slow
def test_many_noscripts_cost_little() -> None:
    assert read_dom("<noscript>" * 200_000 + "<p>x").texts in ([], ["x"])
    assert read_dom("<noscript><div></noscript>" * 100_000 + "<p>x").texts == ["x"]
