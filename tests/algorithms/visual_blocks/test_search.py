"""The default preset: records of pages of many layouts, and what it says when there are none."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract import Page, extract_records, find_records
from newsextract.algorithms.visual_blocks.algorithm import Judges, Trees, load, search_records
from newsextract.fields.hits import hit_fields
from newsextract.page.nodes import read_nodes
from newsextract.page.snapshot import Snapshot
from newsextract.results import RecordPage
from tests.examples import examples
from tests.made_snapshots import made_snapshot

WORDS = "harbour ferry lamp market breeze tunnel signal anchor gull canvas ledger plank rudder buoy crane".split()
NAV = "<nav class=menu><ul>" + "".join(f"<li><a href=/{w}>{w.title()}</a></li>" for w in WORDS[:8]) + "</ul></nav>"


def sentence(k: int, length: int = 14) -> str:
    return " ".join(WORDS[(k * 5 + j * (k + 2)) % len(WORDS)] for j in range(length)).capitalize() + "."


def hits(count: int, between: str = "") -> str:
    rows = [
        f'<div class="result"><h3><a href="/page/{k}">{sentence(k, 5)}</a></h3><p class=snippet>{sentence(k)} {sentence(k + 7)}</p></div>'
        for k in range(count)
    ]
    return (
        f"<html><head><title>lamp - search</title></head><body>{NAV}<form><input name=q value=lamp></form>"
        f"<div id=results>{between.join(rows)}</div><footer>Imprint and contact</footer></body></html>"
    )


def posts(count: int) -> str:
    rows = [
        f"<article class=post id=post-{k}><div class=author><a href=/user/{k}>User {WORDS[k]}</a></div><time>3 May 2025 10:2{k}</time>"
        f"<div class=body><p>{sentence(k)}</p><p>{sentence(k + 3, 20)}</p></div><button>Reply</button></article>"
        for k in range(count)
    ]
    return (
        f"<html><head><title>A thread</title></head><body>{NAV}<h1>A thread</h1><main>{''.join(rows)}</main></body></html>"
    )


def test_hits() -> None:
    records = extract_records(hits(8), "http://example.org/search?q=lamp").records
    assert len(records) == 8
    assert all(record.text.startswith(sentence(k, 5)) for k, record in enumerate(records))
    assert {item.link for item in records[3].items if item.kind == "link"} == {"http://example.org/page/3"}
    assert len({tuple(item.label for item in record.items) for record in records}) == 1, "the same columns"


def test_posts() -> None:
    records = extract_records(posts(6)).records
    assert len(records) == 6
    assert all(sentence(k + 3, 20) in record.text for k, record in enumerate(records))


def test_a_notice_between_the_hits_is_left_out_or_at_least_no_hit_is_lost() -> None:
    notice = "<div class=sponsored-ad><p>Ad</p></div>"
    texts = [record.text for record in extract_records(hits(8, between=notice))]
    assert sum(text.startswith(tuple(sentence(k, 5) for k in range(8))) for text in texts) == 8
    assert len(texts) == 8


TITLED = {
    "terms": "<dl>|<dt>{t}</dt><dd>{s}</dd>|</dl>",
    "bold lines": "<div>|<p><b>{t}</b></p><p>{s}</p>|</div>",
    "folded": "<div>|<details class=faq><summary>{t}</summary><div class=answer><p>{s}</p></div></details>|</div>",
    "accordion": "<div class=accordion>|<div class=accordion-item><h2 class=accordion-header><button>{t}</button></h2>"
    "<div class=accordion-collapse><div class=accordion-body>{s}</div></div></div>|</div>",
}


@pytest.mark.parametrize("form", TITLED)
def test_the_title_above_a_text_is_a_part_of_the_record(form: str) -> None:
    before, entry, behind = TITLED[form].split("|")
    told = [(f"{sentence(k, 5).rstrip('.')}?", f"{sentence(k)} {sentence(k + 7)}") for k in range(9)]
    entries = "".join(entry.format(t=title, s=text) for title, text in told)
    page = f"<html><title>Questions</title><body>{NAV}<h1>Questions</h1>{before}{entries}{behind}<footer>Imprint</footer>"
    assert [record.text for record in extract_records(page).records] == [" ".join(one) for one in told]


def page_of(entries: str) -> str:
    return f"<html><title>Lists</title><body>{NAV}<div id=content><h1>Lists</h1>{entries}</div><footer>Imprint</footer>"


def test_a_heading_above_headings_is_no_part_of_the_record_before_it() -> None:
    entries = [f"<h3><a href=/{k}>{sentence(k, 5)}</a></h3><p>{sentence(k)}</p>" for k in range(9)]
    groups = "".join(f"<h2>{WORDS[k]} works</h2>{''.join(entries[3 * k : 3 * k + 3])}" for k in range(3))
    texts = [record.text for record in extract_records(page_of(groups)).records]
    assert texts == [f"{sentence(k, 5)} {sentence(k)}" for k in range(9)]


def test_headings_that_repeat_are_parts_of_a_record() -> None:
    entries = [
        f"<h2>2.{k}.0 - 2025-0{k}-11</h2><h3>Added</h3><ul><li>{sentence(k)}</li><li>{sentence(k + 1)}</li></ul>"
        f"<h3>Fixed</h3><ul><li>{sentence(k + 2)}</li></ul>"
        for k in range(1, 8)
    ]
    texts = [record.text for record in extract_records(page_of("<p>All changes.</p>" + "".join(entries))).records]
    assert [text.partition(" ")[0] for text in texts] == [f"2.{k}.0" for k in range(1, 8)]
    assert all("Added" in text and "Fixed" in text for text in texts)


def test_articles_of_several_kinds_are_records_of_their_own() -> None:
    kinds = (
        "<article class='card card--image'><a href=/{k}><img src=/{k}.jpg alt=''><h3 class=card__title>{t}</h3></a><p>{s}</p></article>",
        "<article class='card card--text'><h3 class=card__title><a href=/{k}>{t}</a></h3></article>",
        "<article class='card card--video'><a href=/{k}><span>3:1{k}</span><h3>{t}</h3></a><ul><li>{w}</li></ul></article>",
    )
    cards = [kinds[k % 3].format(k=k, t=sentence(k, 5), s=sentence(k), w=WORDS[k]) for k in range(9)]
    cards.insert(4, "<div class=card><p>Subscribe</p><a href=/newsletter>Sign up</a></div>")
    page = (
        f"<html><title>News</title><body>{NAV}<h1>News</h1><div class=cards>{''.join(cards)}</div><footer>Imprint</footer>"
    )
    texts = [record.text for record in extract_records(page).records]
    assert len(texts) == 9
    assert all(sentence(k, 5) in text for k, text in enumerate(texts))


def test_a_page_without_repetition_says_so() -> None:
    page = find_records("<p>One paragraph.</p>")
    assert (page.status, page.records) == ("empty", ())
    assert page.reason == "no two parts of the page have a similar structure"


def test_a_page_whose_best_set_is_bad_says_so() -> None:
    leaf = (np.array([-1], dtype=np.int16), np.array([0.02], dtype=np.float32), np.zeros(1, dtype=np.int32))
    trees = Trees(*leaf, np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.float32))
    found = search_records(read_nodes(hits(4)), Judges(trees, trees))
    assert (found.status, found.regions) == ("empty", ())
    assert found.reason == "no set of parts looks like records (the best has 0.02, 0.15 is asked for)"


def test_further_regions_on_request() -> None:
    other = (
        "<aside>"
        + "".join(
            f"<div class=teaser><h4><a href=/t{k}>{sentence(k + 9, 6)}</a></h4><p>{sentence(k + 4)}</p></div>"
            for k in range(6)
        )
        + "</aside>"
    )
    markup = hits(8).replace("<footer>", other + "<footer>")
    one = find_records(markup)
    more = find_records(markup, params={"regions": 3})
    assert {record.region for record in one.records} == {0}
    assert [r.text for r in more.records if r.region == 0] == [r.text for r in one.records]
    assert len(more.records) >= len(one.records)


def drawn_without(name: str, markup: str) -> Snapshot:
    """A page as drawn, with the elements of a class hidden by a style sheet."""
    made = made_snapshot(markup)
    visible = made.nodes.visible.copy()
    for node, attributes in enumerate(made.nodes.attributes):
        if name in attributes.get("class", "").split():
            visible[node : int(made.nodes.ends[node])] = False
    return replace(made, nodes=replace(made.nodes, visible=visible))


def test_text_that_the_page_hides_within_its_records_stays_in_them() -> None:
    drawn = drawn_without("snippet", hits(8))
    found = find_records(drawn)
    assert [record.text for record in found.records] == [record.text for record in find_records(hits(8)).records]
    assert (found.rendered, found.written) == (True, True)
    page = Page.from_snapshot(drawn)
    assert hit_fields(page, found.records[3]).snippet == f"{sentence(3)} {sentence(10)}"
    assert page.nodes_of(found).text(*found.regions[0].records[3]) == found.records[3].text


def test_a_hidden_panel_of_likely_records_does_not_win_over_drawn_ones() -> None:
    entries = "".join(
        f"<div class=entry><a href=/m{k}>{sentence(k, 4)}</a><p>{sentence(k + 2)}</p></div>" for k in range(30)
    )
    markup = hits(8).replace(NAV, f"{NAV}<div class=panel>{entries}</div>")
    found = find_records(drawn_without("panel", markup))
    assert [record.text for record in found.records] == [record.text for record in find_records(hits(8)).records]


def test_visual_without_a_snapshot_is_told() -> None:
    page = find_records(hits(5), params={"features": "visual"})
    assert (page.status, page.records) == ("no_snapshot", ())
    assert "dom" in (page.reason or "")


def test_evidence_is_plain() -> None:
    page = find_records(hits(5), evidence=True)
    assert page.evidence is not None
    best = page.evidence["candidates"][0]
    assert best["records"] == 5
    assert json.loads(json.dumps(page.evidence)) == page.evidence


def same(one: RecordPage, other: RecordPage) -> bool:
    return (one.records, one.status, one.confidence, one.reason) == (
        other.records,
        other.status,
        other.confidence,
        other.reason,
    )


@given(st.binary(max_size=300))
@settings(max_examples=examples(100))
def test_any_bytes_are_a_page(body: bytes) -> None:
    assert same(find_records(Page(body)), find_records(Page(body)))


def test_records_are_whole_siblings_in_order() -> None:
    nodes = read_nodes("<dl>" + "".join(f"<dt>{sentence(k, 4)}</dt><dd>{sentence(k)}</dd>" for k in range(6)) + "</dl>")
    found = search_records(nodes, load().judges["dom"])
    roots = [root for region in found.regions for record in region.records for root in record]
    assert roots == sorted(set(roots))
    assert all(
        nodes.parents[record[0]] == nodes.parents[record[-1]] for region in found.regions for record in region.records
    )
