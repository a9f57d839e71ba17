"""Pages whose text is in ``noscript``, in shadow roots or in the data of scripts."""

from __future__ import annotations

import json
import time
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract import Page, extract
from newsextract.page.dom import read_dom
from newsextract.page.shells import text_in_scripts, with_shadows

TITLE = "Council votes for a new bridge"
SENTENCES = [
    f"On Tuesday the council of Northfield voted to build bridge number {number} across the river & the “old” canal, after a "
    "debate about its costs and the noise of the works."
    for number in range(12)
]
BODY = "".join(f"<p>{escape(sentence)}</p>" for sentence in SENTENCES)
CONSENT = "<p>We use cookies to make this site work. You may change your mind at any time.</p>" * 40
MENU = "".join(f"<li><a href=/{number}>Section {number} of the paper</a>" for number in range(40))
HEAD = f"<html><head><title>{TITLE} | Northfield News</title></head><body><div id=app>Loading</div>"


def written(value: object) -> str:
    return json.dumps(value).replace("<", "\\u003c")


def stream(*rows: str) -> str:
    """The scripts by which React's server components arrive: rows in pieces that end anywhere."""
    whole = "".join(rows)
    pieces = [whole[at : at + 700] for at in range(0, len(whole), 700)]
    return "".join(f"<script>self.__next_f.push({written([1, piece])})</script>" for piece in pieces)


def row(number: str, text: str) -> str:
    return f"{number}:T{len(text.encode()):x},{text}"


STATE = {"consent": CONSENT, "article": {"headline": TITLE, "body": BODY, "more": [{"headline": "Other", "text": "Short."}]}}
PARAGRAPHS = {"title": TITLE, "content": [{"type": "paragraph", "children": [{"text": one}]} for one in SENTENCES]}
SCRIPTS = {
    "state of Next.js": f'<script id="__NEXT_DATA__" type="application/json">{written({"props": STATE["article"]})}</script>',
    "state beside a consent dialog": f"<script>window.c = {written({'text': CONSENT})}</script>"
    f"<script>window.__STATE__ = {written(STATE['article'])}</script>",
    "state within a string": f"<script>window.__STATE__ = JSON.parse({written(written(STATE['article']))});</script>",
    "state as a function's value": f"<script>window.__NUXT__=(function(a,b){{return {{title:{written(TITLE)},"
    f"body:{written(BODY)},a:a}}}}(null,true))</script>",
    "paragraphs": f"<script>window.__STATE__ = {written(PARAGRAPHS)}</script>",
    "JSON-LD": '<script type="application/ld+json">'
    f"{written({'@type': 'NewsArticle', 'headline': TITLE, 'articleBody': chr(10).join(SENTENCES)})}</script>",
    "stream": stream(
        '1:"$Sreact.fragment"\n', f'2:["$","h1",null,{{"children":"{TITLE}"}}]\n', row("1a", BODY), row("1b", "x")
    ),
}


@pytest.mark.parametrize("how", SCRIPTS)
@pytest.mark.parametrize("menu", ["", f"<ul>{MENU}</ul>"])
def test_text_in_scripts(how: str, menu: str) -> None:
    article = extract(Page(f"{HEAD}{menu}{SCRIPTS[how]}</body></html>".encode(), "http://news.example/2026/03/04/bridge"))
    assert article.text.splitlines() == SENTENCES
    assert article.title == TITLE
    assert article.status == "ok"


OTHERS = {
    "data without the title": f"<script>window.c = {written({'site': 'Northfield News', 'text': CONSENT})}</script>",
    "translations": f"<script>x = {written({'title': TITLE} | {f'message{number}': one for number, one in enumerate(SENTENCES)})}"
    "</script>",
    "code": "<script>" + f'var title = "{TITLE}"; call("function (a) {{ return a.b; }}");' * 50 + "</script>",
    "names": f"<script>x = {written([TITLE, *(f'Page number {number} of the long index' for number in range(90))])}</script>",
    "a list of texts": "<script>x = "
    + written([TITLE, *(BODY.replace("bridge", word) for word in ("tower", "school", "road", "park"))])
    + "</script>",
}


@pytest.mark.parametrize("how", OTHERS)
def test_scripts_without_the_text_of_the_page(how: str) -> None:
    assert read_dom(f"{HEAD}{OTHERS[how]}</body></html>").texts == ["Loading"]


def test_a_page_with_text_of_its_own_keeps_it() -> None:
    own = "".join(f"<p>{sentence.replace('bridge', 'tower')}</p>" for sentence in SENTENCES[:4])
    assert len(read_dom(f"{HEAD}{own}{SCRIPTS['paragraphs']}").texts) == 5


SHADOW = (
    f'<template shadowrootmode="open"><style>p {{}}</style><slot></slot><article><h1>{TITLE}</h1>{BODY}</article></template>'
)


def test_declarative_shadow_roots() -> None:
    page = f"<title>{TITLE}</title><site-story>{SHADOW}<b>Light</b></site-story><template><p>Unused.</p></template>"
    assert read_dom(page).texts == [TITLE, *SENTENCES, "Light"]
    assert extract(Page(page.encode(), "http://news.example/2026/03/04/bridge")).text.splitlines()[:12] == SENTENCES


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("<template shadowrootmode=open><template><p></template></template>", "<div><template><p></template></div>"),
        ("<!--<template shadowrootmode=open>--></template>", "<!--<template shadowrootmode=open>--></template>"),
        ("<script>'<template shadowrootmode>'</script>", "<script>'<template shadowrootmode>'</script>"),
        ("<TEMPLATE class=x shadowRootMode=closed>a</TEMPLATE>", "<div>a</div>"),
        ("<template shadowrootmode=open>a", "<div>a"),
        ("<!-- shadowrootmode <template shadowrootmode=open>", "<!-- shadowrootmode <template shadowrootmode=open>"),
    ],
)
def test_templates_that_are_shadow_roots(source: str, shown: str) -> None:
    assert with_shadows(source.encode()).decode() == shown


@given(
    st.lists(
        st.sampled_from(
            ["<script>", "</script>", '"', "\\", '\\"', "{", "[1,", "self.__next_f.push(", "1:Tff,", "<p>", "A. "]
        )
    )
)
def test_any_scripts(parts: list[str]) -> None:
    text_in_scripts("".join(parts))
    with_shadows(f"shadowrootmode{''.join(parts)}<template shadowrootmode>".encode())


HOSTILE = {
    "a string of quotes": '<script>"' + '\\"' * 700_000,
    "strings": "<script>" + '"a' * 700_000,
    "tags": '<script>"' + "<p " * 500_000 + '"</script>',
    "ends of sentences": '<script>"' + ".))))" * 300_000 + '"</script>',
    "texts": "<script>" + ('"' + "Some words here. " * 40 + '",') * 2_000 + "</script>",
    "rows": stream(*[row("1", "a")] * 50_000),
    "shadow roots": "<template shadowrootmode=open>" * 50_000,
    "shadow roots in comments": "<!--<template shadowrootmode>" * 50_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("how", HOSTILE)
def test_hostile_scripts_cost_little(how: str) -> None:
    start = time.process_time()
    read_dom(f"<title>{TITLE}</title>{HOSTILE[how]}")
    assert time.process_time() - start < 3


STYLE = "<div style='padding: 20px; font-family: sans-serif; max-width: 600px; margin: 0 auto; text-align: center; line-height: 1.5'>"


@pytest.mark.parametrize(
    ("within", "shown"),
    [
        (
            "<h1>Boards</h1><ul>"
            + "".join(f"<li><a href=/d/{n}>The roof of house {n}</a></li>" for n in range(3))
            + "</ul>",
            True,
        ),
        ("<h1>The roof</h1><h3>quill</h3><p>Is it dry?</p><hr><h3>bo</h3><p>No.</p>", True),
        (
            "<h1>Scripts are needed</h1><p>Turn them on <a href=https://help.example/>as told here</a>, and load it again.</p>",
            False,
        ),
        ("<img src=/count.gif alt='a picture that counts visitors'>", False),
    ],
    ids=["board", "thread", "request", "counter"],
)
@pytest.mark.parametrize("text", ["Loading", BODY], ids=["shell", "page"])
def test_little_text_without_scripts_is_that_of_the_page_if_it_has_parts(within: str, shown: bool, text: str) -> None:
    dom = read_dom(f"<title>Roofs</title><div id=app>{text}</div><noscript>{STYLE}{within}</div></noscript>")
    assert ("Boards" in dom.texts or "quill" in dom.texts) == (shown and text == "Loading")
    assert SENTENCES[0] in dom.texts or text == "Loading"
