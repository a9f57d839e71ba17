"""The walk through rendered pages: what is visible, where it is, and pages that try to confuse it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from newsextract.page.nodes import STYLE_NAMES, Nodes, read_nodes
from newsextract.page.snapshot import Snapshot, SnapshotError, aligned_elements

pytestmark = pytest.mark.crawl
Show = Callable[..., Snapshot]


def text(made: Snapshot) -> str:
    return made.nodes.text(0)


def numbered(nodes: Nodes, name: str) -> int:
    return next(i for i, own in enumerate(nodes.attributes) if own.get("id") == name)


def box(made: Snapshot, name: str) -> list[float]:
    assert made.nodes.geometry is not None
    return [round(float(side), 1) for side in made.nodes.geometry.boxes[numbered(made.nodes, name)]]


def style(made: Snapshot, name: str, prop: str) -> str:
    geometry = made.nodes.geometry
    assert geometry is not None
    return geometry.style_table[geometry.styles[numbered(made.nodes, name)]][STYLE_NAMES.index(prop)]


HIDDEN = {
    "display": "<p style='display:none'>h",
    "attribute": "<p hidden>h",
    "visibility": "<p style='visibility:hidden'>h",
    "collapse": "<p style='visibility:collapse'>h",
    "opacity": "<div style='opacity:0'><div><p>h</p></div></div>",
    "clipped": "<div style='overflow:hidden;height:20px'><div style='height:60px'></div><p>h</div>",
    "closed": "<div style='height:0;overflow:hidden'><p>h</div>",
    "clipped by the outer": "<div style='overflow:clip;width:100px'><div style='margin-left:200px'><b>h</b></div></div>",
    "clipped in a positioned one": "<div style='position:relative;overflow:hidden;height:9px'><p style='position:absolute;top:90px'>h",
    "left": "<p style='position:absolute;left:-9999px'>h",
    "above": "<p style='position:absolute;top:-500px'>h",
    "indent": "<p style='text-indent:-9999px;overflow:hidden'>h",
    "right": "<div style='position:fixed;left:1500px;width:200px'>h</div>",
    "one pixel": "<p style='position:absolute;width:1px;height:1px;overflow:hidden'>h",
    "clip": "<p style='position:absolute;clip:rect(1px,1px,1px,1px)'>h",
    "transparent": "<p style='color:transparent'>h",
    "no size": "<p style='font-size:0'>h",
    "details": "<details><summary>x</summary>h</details>",
    "script": "<script>h</script>",
    "style": "<style>h</style>",
    "noscript": "<noscript><p>h</noscript>",
    "template": "<template><p>h</template>",
    "option": "<select><option>h<option>h</select>",
    "textarea": "<textarea>h</textarea>",
}


@pytest.mark.parametrize("how", HIDDEN)
def test_what_no_reader_sees(show: Show, how: str) -> None:
    made = show(f"<!DOCTYPE html><title>h</title><h1>a heading</h1>{HIDDEN[how]}")
    assert text(made).replace("x", "").split() == ["a", "heading"]


SEEN = {
    "visible again": "<div style='visibility:hidden'><p style='visibility:visible'>s",
    "contents": "<div style='display:contents'><p>s</p></div>",
    "partly clipped": "<div style='overflow:hidden;height:30px'><p>s",
    "scroller": "<div style='overflow:auto;height:40px'><div style='height:400px'></div><p>s</div>",
    "in a scroller": "<div style='overflow:scroll;height:40px'><div style='height:900px'><p style='padding-top:800px'>s</div></div>",
    "positioned out of a clip": "<div style='overflow:hidden;height:9px'><p style='position:absolute;top:90px'>s",
    "fixed": "<div style='overflow:hidden;height:0'><p style='position:fixed;top:90px'>s",
    "far below": "<div style='height:30000px'></div><p>s",
    "body overflow": "<style>body,html{overflow:hidden;height:100px}</style><div style='height:5000px'></div><p>s",
    "gradient": "<p style='color:transparent;background-image:linear-gradient(red,blue);background-clip:text'>s",
    "float": "<div id=x><p style='float:left'>s</p></div>",
    "open details": "<details open><summary></summary>s</details>",
    "half": "<p style='opacity:.4'>s",
    "covered": "<p>s</p><div style='position:fixed;inset:0;background:white'></div>",
    "table": "<table><tr><td>s</table>",
}


@pytest.mark.parametrize("how", SEEN)
def test_what_a_reader_sees(show: Show, how: str) -> None:
    assert text(show(f"<!DOCTYPE html><h1>a heading</h1>{SEEN[how]}")) == "a heading s"


@pytest.mark.parametrize("rule", ["opacity:0", "visibility:hidden", "display:none", "opacity:0;transition:opacity 9s"])
@pytest.mark.parametrize("where", ["html", "body", "#main"])
def test_a_page_that_waits_for_its_script_counts_as_seen(show: Show, rule: str, where: str) -> None:
    html = f"<style>{where}{{{rule}}}</style><b>menu</b><div id=main><p>the text of the page</p><p hidden>no</p></div>"
    made = show(html)
    hidden = where == "#main" and rule == "display:none"
    assert text(made) == ("menu" if hidden else "menu the text of the page")
    assert "style=" not in made.html
    assert made.nodes.visible[numbered(made.nodes, "main")] != hidden
    if not hidden:
        assert box(made, "main")[2] > 1000


def test_amp_pages(show: Show) -> None:
    boilerplate = "<style>body{animation:-amp-start 8s steps(1,end) 0s 1 normal both}@keyframes -amp-start{from{visibility:hidden}to{visibility:visible}}</style>"
    assert text(show(boilerplate + "<p>news")) == "news"


def test_boxes_and_styles(show: Show) -> None:
    made = show(
        "<!DOCTYPE html><body style='margin:0;font:20px monospace'><div id=a style='height:1000px'></div>"
        "<p id=b style='margin:10px 5px;padding:1px;border:2px solid;color:red;width:100.25px'>one <b id=c>two</b></p>"
        "<span id=d style='display:contents'><i style='display:block;height:7px'></i></span><p hidden id=e><i id=f>x</i></p>"
    )
    assert box(made, "a") == [0, 0, 1423, 1000]
    assert box(made, "b")[:3] == [5, 1010, 106.2]
    assert style(made, "b", "margin") == "10px 5px"
    assert style(made, "b", "border-width") == "2px"
    assert style(made, "c", "font-weight") == "700"
    assert style(made, "c", "color") == "rgb(255, 0, 0)"
    assert box(made, "d")[3] == 7
    assert (style(made, "e", "display"), style(made, "f", "display"), box(made, "f")) == ("none", "none", [0, 0, 0, 0])
    geometry = made.nodes.geometry
    assert geometry is not None
    assert geometry.base_font_size == 20
    assert geometry.page_size[0] == 1423
    words = {made.nodes.texts[i]: geometry.boxes[i] for i in made.nodes.shown.tolist()}
    assert list(words) == ["one", "two"]
    assert words["one"][0] == 8
    assert words["two"][0] > words["one"][0] + words["one"][2] - 0.1
    row = made.nodes.texts.index("two")
    assert geometry.styles[row] == geometry.styles[made.nodes.parents[row]]


def test_pages_from_right_to_left(show: Show) -> None:
    wide = "<p id=w style='width:3000px;height:9px'></p>"
    made = show(f"<!DOCTYPE html><html dir=rtl><body style='margin:0'>{wide}<p>שלום</p>")
    assert text(made) == "שלום"
    assert box(made, "w")[0] == 0
    assert made.nodes.geometry is not None
    assert made.nodes.geometry.page_size[0] == 3000


SHADOWED = "".join(
    f"<input name={name}>"
    for name in "id className attributes firstChild nextSibling parentNode childNodes nodeType localName tagName outerHTML "
    "getAttribute getBoundingClientRect checkVisibility style innerHTML textContent scrollWidth children".split()
)


def test_form_fields_that_shadow_properties(show: Show) -> None:
    made = show(f"<form id=f class=c>{SHADOWED}<p>text</p></form>")
    number = numbered(made.nodes, "f")
    assert made.nodes.attributes[number] == {"id": "f", "class": "c"}
    assert text(made) == "text"
    assert made.nodes.tags.count("input") == SHADOWED.count("<input")


def test_names_that_shadow_properties_of_the_document(show: Show) -> None:
    names = "documentElement body doctype getElementsByTagName createRange location querySelectorAll head".split()
    made = show("".join(f"<form name={name}></form><img name={name}>" for name in names) + "<noscript>x</noscript><p>text")
    assert text(made) == "text"


@pytest.mark.parametrize(
    "script",
    [
        "for (const k of [Array, String, Number, Object]) k.prototype.toJSON = () => 'taught'",
        "Object.defineProperty(Array.prototype, 'toJSON', {value: () => 1, configurable: true})",
        "Node.prototype.foo = 1; Array.prototype.bar = 2; String.prototype.baz = 3; Object.prototype.error = undefined",
        "document.getElementById = null; window.getSelection = null; document.body.scrollWidth = 1",
    ],
)
def test_scripts_that_change_what_there_is(show: Show, script: str) -> None:
    made = show(f"<p id=p class='a b'>text</p><script>{script}</script>", True)
    assert text(made) == "text"
    assert made.nodes.attributes[numbered(made.nodes, "p")] == {"id": "p", "class": "a b"}


@pytest.mark.parametrize("answer", ["'x'", "'[]'", "'{}'", "7", "'{\"tags\": [[[[]]]]}'", "undefined"])
def test_scripts_that_answer_in_place_of_the_walk(show: Show, answer: str) -> None:
    with pytest.raises(SnapshotError, match="the snapshot"):
        show(f"<p>text</p><script>JSON.stringify = () => {answer}</script>", True)


PAGES = [
    "<!DOCTYPE html><title>x</title><p>one<p>two<ul><li>a<li>b</ul><table><tr><td>1<td>2</table>",
    "<p>a<!-- c -->b<svg viewBox='0 0 1 1'><linearGradient/><path d=''/><foreignObject><p>x</p></foreignObject></svg><math><mi>x</mi></math>",
    "<noscript><p>a<b>c</b></noscript><p>d<template><i>t</i></template><iframe><p></iframe><textarea><p></textarea><b>e",
    "<body><h1>x</h1><a href=1>a<a href=2>b</a><p><div>c</div></p><b><i>d</b>e</i><select><option>1<option>2</select>",
    "<o:p>word</o:p><custom-tag A=1 a=2 B='&quot;&amp;&nbsp;'>x</custom-tag><pre>\n\n a</pre><button><p>b</button>",
    "<head><noscript><img src=x></noscript><link rel=icon href=data:,><style>p{}</style></head><body><p>x",
    "<frameset><frame></frameset>",
    "",
    "<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 4.01//EN' 'http://www.w3.org/TR/html4/strict.dtd'><p>q",
    "<p>\u2028 a \u3000 b\ufeff</p> \ufeff <p>\x1c</p><p>\x85</p><p>&#8203;</p>",
]


@pytest.mark.parametrize("html", PAGES)
@pytest.mark.parametrize("scripts", [False, True])
def test_elements_come_in_the_order_of_the_source(show: Show, html: str, scripts: bool) -> None:
    made = show(html, scripts)
    source = read_nodes(made.html)
    numbers = aligned_elements(source, made.nodes)
    assert numbers is not None
    for here, there in enumerate(numbers.tolist()):
        if there >= 0:
            lower = {name.lower(): value for name, value in source.attributes[here].items()}
            assert lower == made.nodes.attributes[there]
    if "noscript" not in html and "template" not in html:
        assert list(source.texts) == list(made.nodes.texts)


def test_a_page_that_no_source_makes(show: Show) -> None:
    script = "p.append(document.createElement('div'))"
    made = show(f"<p id=p>x</p><script>{script}</script>", True)
    assert aligned_elements(read_nodes(made.html), made.nodes) is None


def test_a_scrolled_page_has_the_same_boxes(show: Show) -> None:
    html = "<!DOCTYPE html><body style='margin:0'><div style='height:4000px'></div><p id=p style='margin:0'>x</p>"
    still = show(html)
    moved = show(html + "<script>scrollTo(0, 2500)</script>", True)
    assert box(still, "p") == box(moved, "p") == [0, 4000, 1423, box(still, "p")[3]]


SHADOWS = """<!DOCTYPE html><title>t</title><body><h1>heading</h1><site-story id=host><b slot=name>light</b><i>lost</i></site-story><p>behind
<script>
const shadow = document.getElementById("host").attachShadow({ mode: "open" });
shadow.innerHTML = "<p id=inner>before</p><slot name=name>unused</slot><div><site-part></site-part></div>";
shadow.querySelector("site-part").attachShadow({ mode: "open" }).innerHTML = "<em>deep</em>";
document.querySelector("h1").attachShadow({ mode: "open" });
</script>"""


def test_open_shadow_roots(show: Show) -> None:
    made = show(SHADOWS, scripts=True)
    assert text(made).split() == ["before", "deep", "light", "behind"]  # a heading with an empty shadow root shows nothing
    assert box(made, "inner")[3] > 0
    source = read_nodes(made.html)
    assert source.texts == made.nodes.texts
    assert aligned_elements(source, made.nodes) is not None
