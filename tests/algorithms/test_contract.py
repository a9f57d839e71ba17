"""What holds for every registered article algorithm and each of its presets."""

from __future__ import annotations

import dataclasses
import json
import pickle
import time
from functools import lru_cache
from pathlib import Path

import lxml.html
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract import Article, Page, algorithms, extract
from newsextract.cli import describe
from newsextract.errors import ParameterError, UnknownAlgorithm, UsageError
from newsextract.extraction import as_page
from newsextract.page.dom import Dom
from tests.costs import at_most
from tests.examples import examples

PAGES = Path(__file__).parent.parent / "pages"
EVERY = [
    pytest.param(name, preset, marks=() if preset == "default" else pytest.mark.slow)
    for name in algorithms.names("article")
    for preset in algorithms.spec(name).presets
]
each = pytest.mark.parametrize(("name", "preset"), EVERY)
LITERAL = ("block_statistics", "published")
"""Deletes links and forms with their text (Table 1 of its paper), so what holds for whole pages does not hold for it."""
each_whole = pytest.mark.parametrize(("name", "preset"), [row for row in EVERY if row.values != LITERAL])
each_name = pytest.mark.parametrize("name", algorithms.names())

WITH_TEXT = ("ok", "doubtful", "not_article")
FRAGMENTS = (
    "<p>",
    "</p>",
    "<div>",
    "</div>",
    "<a href=/x>",
    "</a>",
    "<h1>",
    "</h1>",
    "<title>",
    "</title>",
    "<time>",
    "<meta ",
)
FRAGMENTS += (
    'content="2010-12-15"',
    "<script type='application/ld+json'>",
    "</script>",
    '{"@type":"NewsArticle"}',
    "2010-12-15",
)
FRAGMENTS += (
    "some words of a text, ",
    "正文，很长的正文。",
    "<form>",
    "</form>",
    "<!--",
    "&nbsp;",
    "\ud800",
    "\x00",
    "{",
    "[[",
    "]",
)


def run(page: Page | bytes | str, name: str, preset: str, *, evidence: bool = False) -> Article:
    return extract(page, None, name, {"preset": preset}, evidence=evidence)


def sample_pages() -> list[Path]:
    return sorted(PAGES.glob("*.html"))


@each
@given(
    st.one_of(st.binary(), st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=8)), max_size=40).map("".join))
)
@settings(max_examples=examples(120))
def test_nothing_makes_it_raise(name: str, preset: str, page: str | bytes) -> None:
    article = run(page, name, preset, evidence=True)
    assert isinstance(article, Article)
    assert article.algorithm == name
    assert 0.0 <= article.confidence <= 1.0
    assert (article.status in WITH_TEXT) == bool(article.text)
    if article.status != "ok":
        assert article.reason
    assert article.title != ""
    json.dumps(article.evidence, allow_nan=False)


@each
@pytest.mark.parametrize("path", sample_pages(), ids=lambda path: path.stem)
def test_answers_are_the_same_each_time_and_travel(name: str, preset: str, path: Path) -> None:
    page = Page(path.read_bytes(), "https://example.org/2024/09/18/a.html", fetched_at=Page(b"").time)
    first = run(page, name, preset, evidence=True)
    again = run(Page(page.body, page.url, fetched_at=page.fetched_at), name, preset, evidence=True)
    assert first == again
    assert pickle.loads(pickle.dumps(first)) == first
    assert json.loads(json.dumps(dataclasses.asdict(first)))["evidence"] == first.evidence


@each_whole
@pytest.mark.parametrize("path", sample_pages(), ids=lambda path: path.stem)
def test_lines_stand_in_the_page(name: str, preset: str, path: Path) -> None:
    article = run(path.read_bytes(), name, preset)
    assert article.status in WITH_TEXT
    whole = "".join(lxml.html.fromstring(path.read_text("utf-8").encode("utf-16")).text_content().split())
    for line in article.text.split("\n"):
        assert line.strip() == line != ""
        assert "".join(line.split()) in whole


@each
def test_the_text_of_the_sample_pages_is_found(name: str, preset: str) -> None:
    article = run((PAGES / "story_en.html").read_bytes(), name, preset)
    assert "will leave every twenty minutes" in article.text
    assert "did not answer that question" in article.text
    assert "never text" not in article.text
    assert "School kitchen" not in article.text
    article = run((PAGES / "story_zh.html").read_bytes(), name, preset)
    assert "从十月一日起" in article.text
    if preset != "precision":  # which leaves out what is doubtful, and on a page of three paragraphs much is
        assert "运营公司没有回答" in article.text
    assert article.title == "港口新渡轮十月启航"
    assert article.date == "2010-12-15T08:30"


@each_whole
def test_a_page_in_one_form(name: str, preset: str) -> None:
    assert "overcrowded" in run((PAGES / "aspnet.html").read_bytes(), name, preset).text


@each
def test_evidence_only_on_request(name: str, preset: str) -> None:
    page = (PAGES / "story_en.html").read_bytes()
    assert run(page, name, preset).evidence is None
    assert run(page, name, preset, evidence=True).evidence


HOSTILE = {
    "deep": "<div>" * 20_000 + "text",
    "deep with text": "<div>text<p>of it</p>" * 9_000,
    "wide": "<br>x" * 100_000,
    "line breaks": "<br>" * 500_000,
    "line breaks in a story": "<p>A line of a story, and a comma.<br>" + "<br>" * 500_000 + "Another line of it.</p>",
    "one huge paragraph": "<p>" + "A sentence of a page, as long as others. " * 50_000,
    "one huge word": "<p>" + "x" * 2_000_000,
    "one huge paragraph in Chinese": "<p>" + "这是一个很长的段落，没有空格。" * 40_000,
    "paragraphs": "<p>A short paragraph, one of many.</p>" * 20_000,
    "headings": "<h2>A heading</h2>" * 20_000,
    "links": "<a href=/x>A link of a page</a> " * 30_000,
    "cells": "<table>" + "<tr><td>1<td>two" * 20_000,
    "open quote": "<p a='" + "x" * 500_000,
    "digits": "9" * 300_000,
    "dates": "<p>" + "2010-12-1 " * 50_000,
    "less-than": "<" * 200_000,
    "formatting": "".join(f"<b id={i}><p>x" for i in range(20_000)),
    "attributes": "<p " + " ".join(f'a{i}="<"' for i in range(40_000)) + ">text",
}


@lru_cache(1)  # the cases of one text follow each other
def tree(text: str) -> tuple[Dom, float]:
    """The tree of a page, which is the same for all algorithms, and the CPU seconds that it takes."""
    start = time.process_time()
    return as_page(text).dom, time.process_time() - start


@pytest.mark.slow
@each
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_pages_cost_bounded_time(name: str, preset: str, text: str) -> None:
    dom, seconds = tree(text)
    page = as_page(text)
    page.__dict__["dom"] = dataclasses.replace(dom)  # without what other algorithms have computed of it
    with at_most(parses=100, already=seconds):
        article = run(page, name, preset, evidence=True)
    assert (article.status in WITH_TEXT) == bool(article.text)
    json.dumps(article.evidence, allow_nan=False)


# --- pages of special shape -----------------------------------------------------------------------

SENTENCES = [f"Sentence {i} of a story, which goes on, and on, for more than a few words. " for i in range(40)]
SENTENCES_ZH = [f"这是故事的第{i}句话，它很长，而且没有空格，也没有结束。" for i in range(40)]


@each
@pytest.mark.parametrize(
    "markup",
    [
        "<html><body></body></html>",
        "<p> &nbsp; </p><br>",
        "<img src=a><img src=b>",
        "<script>var a = 'no text'</script><style>p {}</style>",
        "<!-- nothing but a comment -->",
        "<frameset><frame src=a></frameset>",
        "<svg><path d='M0 0'/></svg>",
    ],
    ids=["empty", "blank", "images", "scripts", "comment", "frames", "drawing"],
)
def test_a_page_without_leaves_is_empty_and_says_why(name: str, preset: str, markup: str) -> None:
    article = run(markup, name, preset, evidence=True)
    assert (article.status, article.text, article.confidence) == ("empty", "", 0.0)
    assert article.reason
    assert isinstance(article.evidence, dict)


@each
def test_a_page_of_links_gives_little_confidence(name: str, preset: str) -> None:
    links = "".join(f'<li><a href="/{i}">A link to the story number {i}</a></li>' for i in range(60))
    article = run(f"<html><body><ul>{links}</ul></body></html>", name, preset, evidence=True)
    assert article.confidence < 0.3
    assert (article.status in WITH_TEXT) == bool(article.text)


@each_whole
@pytest.mark.parametrize("sentences", [SENTENCES, SENTENCES_ZH], ids=["English", "Chinese"])
@pytest.mark.parametrize(
    "frame",
    [
        "<p>{}</p>",
        "<div>{}</div>",
        "<article>{}</article>",
        "{}",
        "<table><tr><td>{}</table>",
        "<form>{}</form>",
        "<pre>{}</pre>",
    ],
)
def test_one_huge_paragraph_is_found(name: str, preset: str, frame: str, sentences: list[str]) -> None:
    menu = "".join(f"<li><a href=/{i}>Part {i}</a></li>" for i in range(5))
    story = "".join(sentences * 5)
    article = run(f"<html><body><ul>{menu}</ul>{frame.replace('{}', story)}<ul>{menu}</ul></body></html>", name, preset)
    assert article.status in WITH_TEXT
    assert "".join(story.split()) in "".join(article.text.split())


@each
def test_paragraphs_in_chinese_are_found(name: str, preset: str) -> None:
    menu = "".join(f"<li><a href=/{i}>栏目{i}</a></li>" for i in range(12))
    story = "".join(f"<p>{''.join(SENTENCES_ZH[i : i + 4])}</p>" for i in range(0, 40, 4))
    page = f"<html><meta charset=gbk><body><ul>{menu}</ul><div>{story}</div><ul>{menu}</ul></body></html>".encode("gbk")
    article = run(page, name, preset)
    assert [line for line in SENTENCES_ZH if line not in article.text] == []
    assert "栏目3" not in article.text


@each
@pytest.mark.parametrize("depth", [300, 2_000, 20_000])
def test_the_text_of_a_deep_page_is_kept(name: str, preset: str, depth: int) -> None:
    story = "".join(f"<p>{line}</p>" for line in SENTENCES)
    ends = "".join(f"<p><a href=/{i}>Part {i}</a></p>" for i in range(9))
    text = run(f"{ends}{'<div>' * depth}{story}{'</div>' * depth}{ends}", name, preset).text
    missing = [
        line for line in SENTENCES[4:-4] if line.strip() not in text
    ]  # trained ones may take the ends for something else
    assert missing == []


@each
@pytest.mark.parametrize("path", sample_pages(), ids=lambda path: path.stem)
def test_what_was_read_of_the_page_before_changes_nothing(name: str, preset: str, path: Path) -> None:
    body, time_of_fetch = path.read_bytes(), Page(b"").time
    bodies = []
    for attributes in ([], ["dom"], ["source"], ["metadata"], ["source", "dom", "metadata"], ["metadata", "dom", "source"]):
        page = Page(body, fetched_at=time_of_fetch)
        for attribute in attributes:
            getattr(page, attribute)
        choose = algorithms.make(name, {"preset": preset})
        bodies += [choose(page, evidence=True), choose(page, evidence=True)]
    assert all(found == bodies[0] for found in bodies[1:])


@each
def test_the_page_is_left_as_it_was(name: str, preset: str) -> None:
    page = Page((PAGES / "story_en.html").read_bytes())
    dom, source = page.dom, page.source
    before = [list(column) for column in (dom.texts, dom.counts, dom.ends, dom.leaf_texts, source.texts, source.counts)]
    run(page, name, preset, evidence=True)
    assert [list(c) for c in (dom.texts, dom.counts, dom.ends, dom.leaf_texts, source.texts, source.counts)] == before


@each
def test_parameters_travel_between_processes(name: str, preset: str) -> None:
    params = algorithms.make_params(name, {"preset": preset})
    again = pickle.loads(pickle.dumps(params))
    assert again == params
    assert hash(again) == hash(params)


# --- the registry ---------------------------------------------------------------------------------


@each_name
def test_parameters_are_frozen_and_described(name: str) -> None:
    params = algorithms.make_params(name)
    assert dataclasses.is_dataclass(params)
    fields = dataclasses.fields(params)
    assert fields
    for field in fields:
        assert set(field.metadata) == {"unit", "section", "range"}, field.name
        assert field.metadata["section"]
        assert field.metadata["range"]
        assert field.default is not dataclasses.MISSING
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(params, fields[0].name, None)
    assert not hasattr(params, "__dict__"), "slots"
    hash(params)


@each_name
def test_presets_are_instances_of_the_parameters(name: str) -> None:
    spec = algorithms.spec(name)
    assert "default" in spec.presets
    for preset, attribute in spec.presets.items():
        assert isinstance(spec.attribute(attribute), spec.attribute(spec.params))
        assert algorithms.make_params(name, {"preset": preset}) == spec.attribute(attribute)


@each_name
def test_unknown_parameters_and_presets_name_the_known_ones(name: str) -> None:
    known = [field.name for field in dataclasses.fields(algorithms.make_params(name))]
    with pytest.raises(ParameterError) as wrong:
        algorithms.make_params(name, {"no_such": 1})
    assert str(wrong.value) == f"{name}: unknown parameter 'no_such'; choose from: preset, {', '.join(known)}"
    with pytest.raises(ParameterError) as wrong:
        algorithms.make_params(name, {"preset": "no_such"})
    assert str(wrong.value) == f"{name}: unknown preset 'no_such'; choose from: {', '.join(algorithms.spec(name).presets)}"


@each_name
@pytest.mark.parametrize(
    "value",
    [None, [], {}, "x", object(), [1, 2], 1j],
    ids=["none", "empty list", "dict", "text", "object", "list", "complex"],
)
def test_values_of_a_wrong_type_are_refused(name: str, value: object) -> None:
    for field in dataclasses.fields(algorithms.make_params(name)):
        if not isinstance(field.default, str):
            with pytest.raises(ParameterError, match=f"{name}: parameter {field.name} is .*; expected .*, for example"):
                algorithms.make_params(name, {field.name: value})
    if value != "x":
        with pytest.raises(ParameterError, match="unknown preset"):
            algorithms.make_params(name, {"preset": value})


def test_true_is_no_number_and_a_whole_number_is_a_float() -> None:
    with pytest.raises(ParameterError, match="parameter maxima is True; expected int"):
        algorithms.make_params("block_statistics", {"maxima": True})
    assert algorithms.make_params("block_statistics", {"min_weight": 3}).min_weight == 3.0
    assert type(algorithms.make_params("block_statistics", {"min_weight": 3}).min_weight) is float


def test_single_values_replace_those_of_a_preset() -> None:
    params = algorithms.make_params("block_statistics", {"preset": "published", "maxima": 5})
    assert (params.published_fields, params.maxima, params.bridge) == (True, 5, True)
    given = {"preset": "published"}
    algorithms.make_params("block_statistics", given)
    assert given == {"preset": "published"}, "the caller's mapping is left alone"


@pytest.mark.parametrize("name", ["no_such", "", "Block_Statistics"])
def test_an_unknown_algorithm_names_the_known_ones(name: str) -> None:
    with pytest.raises(UnknownAlgorithm) as wrong:
        algorithms.make(name)
    assert str(wrong.value) == f"unknown algorithm {name!r}; choose from: {', '.join(algorithms.names())}"
    assert wrong.value.known == algorithms.names()
    assert isinstance(wrong.value, UsageError)


def test_an_algorithm_is_made_once() -> None:
    first = algorithms.make("block_statistics", {"maxima": 7})
    assert algorithms.make("block_statistics", {"maxima": 7}) is first
    assert algorithms.make("block_statistics") is not first


@each_name
def test_each_is_described_for_people(name: str) -> None:
    spec = algorithms.spec(name)
    text = describe(name)
    assert text.startswith(name)
    assert spec.reference in text
    for field in dataclasses.fields(algorithms.make_params(name)):
        line = next(line for line in text.splitlines() if line.startswith(f"  {field.name} = "))
        assert field.metadata["range"] in line
        explanation = text.splitlines()[text.splitlines().index(line) + 1].strip()
        assert explanation.endswith("."), f"{field.name} has no docstring"
    assert set(spec.kinds) <= {"article", "records"}


def test_the_default_is_registered() -> None:
    assert algorithms.DEFAULT in algorithms.names("article")
    assert "(default)" in describe(algorithms.DEFAULT)
    assert algorithms.names("records") == [n for n in algorithms.names() if "records" in algorithms.spec(n).kinds]


@each
@pytest.mark.parametrize("digits", [20, 5_000])
@pytest.mark.parametrize(
    "markup",
    [
        "<p>a text with {}; in it</p>",
        "<title>a {}; title</title><p>text",
        '<meta property="og:title" content="{};"><p>text',
        '<h1>{};</h1><p>text<a href="{};">link</a>',
        '<time datetime="{};">{};</time><p>text',
        '<script type="application/ld+json">{{"@type": "NewsArticle", "headline": "{};", "datePublished": "{};"}}</script><p>text',
        '<script type="application/ld+json">{{"@type": "NewsArticle", "x": 9{}}}</script><p>text',
    ],
)
def test_numbers_that_python_refuses_to_read(name: str, preset: str, markup: str, digits: int) -> None:
    """Python raises for decimal numbers of more than 4,300 digits, html.unescape included."""
    number = "9" * digits if '"x": 9' in markup else "&#" + "9" * digits
    page = markup.replace("{}", number).replace("{{", "{").replace("}}", "}") + "".join(f"<p>{line}" for line in SENTENCES)
    assert run(page, name, preset).status == "ok"
