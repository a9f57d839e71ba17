"""Real font sizes and indents of a snapshot in place of what the tags say."""

from __future__ import annotations

from pathlib import Path

import pytest

from newsextract.browser.render import render
from newsextract.page.page import Page
from newsextract.wrappers import parse_format, run
from newsextract.wrappers.objects import plain
from newsextract.wrappers.pattern import Document

STYLED = """<!DOCTYPE html><meta charset=utf-8><title>Fields</title>
<style>h2 {font-size: 14px} h3 {font-size: 30px} .deep {padding-left: 60px} .deeper {padding-left: 120px} li {margin: 0}</style>
<script>var a = "<h3>no</h3>";</script><noscript><p>none</p></noscript>
<body><h3>Sciences</h3><h2>Physics</h2><p>one</p><h2>Chemistry</h2><p>two</p><h3>Arts</h3><p>three</p>
<div id=outline><p>Top</p><p class=deep>Inner</p><p class=deeper>Innermost</p><p>Next</p></div></body>"""


@pytest.fixture(scope="module")
def rendered(rendering: None, tmp_path_factory: pytest.TempPathFactory) -> Page:
    path: Path = tmp_path_factory.mktemp("looks") / "styled.html"
    path.write_text(STYLED, "utf-8")
    return Page.from_snapshot(render(path))


def test_every_element_has_its_look(rendered: Page) -> None:
    document = Document.of_page(rendered)
    assert document.looks is not None
    starts = {document.text[place:].split(">")[0].strip("<").split()[0] for place in document.looks}
    assert {"html", "h2", "h3", "p", "div"} <= starts
    place = document.text.index("<h3>Sciences")
    assert document.looks[place].font_size == 30
    assert document.looks[place].bold
    assert document.looks[document.text.index('<p class="deep"')].font_size == 16


def test_titles_by_real_size(rendered: Page) -> None:
    wrapper = parse_format("{<body>#<div, root, get()}\n{</hx>#<hx>, <hx>#</hx>, root}\n{<p>#</p>, line, <hx>#</hx>}")
    source = run(wrapper, Page.from_text(STYLED)).root
    seen = run(wrapper, rendered).root
    assert source is not None
    assert seen is not None
    assert plain(seen) == {
        "Sciences": {"Physics": {"line": "one"}, "Chemistry": {"line": "two"}},
        "Arts": {"line": "three"},
    }
    assert plain(source) != plain(seen)


def test_items_by_real_indent(rendered: Page) -> None:
    wrapper = parse_format('{<div id="outline">#</div>, root, get()}\n{<indentx>#<indentx>, entry, root}')
    seen = run(wrapper, rendered).root
    assert seen is not None
    assert plain(seen) == {"entry": [{"text": "Top", "entry": [{"text": "Inner", "entry": ["Innermost"]}]}, "Next"]}


def test_a_snapshot_that_does_not_match_its_source_is_read_like_a_source(rendered: Page) -> None:
    assert rendered.snapshot is not None
    other = Page(rendered.body.replace(b"<h2>", b"<h2><i></i>", 1), snapshot=rendered.snapshot)
    assert Document.of_page(other).looks is None
