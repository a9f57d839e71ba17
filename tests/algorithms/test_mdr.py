"""MDR: generalised nodes, data regions, and the records in them, on small pages; nothing makes it raise; bounded cost."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract import Page
from newsextract.algorithms import mdr
from newsextract.algorithms.mdr import DEFAULT, MDR, MDRParams
from newsextract.results import RecordSet
from tests.costs import at_most
from tests.examples import examples

MENU = "<ul>" + "".join(f"<li><b><a href=/{i}>Part {i}</a></b></li>" for i in range(9)) + "</ul>"


def found(markup: str, **params: object) -> tuple[Page, RecordSet]:
    page = Page.from_text(f"<html><body>{markup}</body></html>")
    return page, MDR(MDRParams(**params))(page, evidence=True)  # type: ignore[arg-type]  # reason: names as in a settings file


def texts(markup: str, region: int = 0, **params: object) -> list[str]:
    page, result = found(markup, **params)
    return [page.nodes.text(*record) for record in result.regions[region].records]


def entry(number: int, more: str = "") -> str:
    return f"<h3><a href=/{number}>Title {number}</a></h3><p>A few words on <em>number {number}</em> of them</p>{more}"


def entry_text(number: int) -> str:
    return f"Title {number} A few words on number {number} of them"


# --- one element a record -------------------------------------------------------------------------


def test_a_list() -> None:
    items = "".join(f"<li>{entry(number)}</li>" for number in range(5))
    assert texts(f"<div>{MENU}</div><div><ul>{items}</ul></div>") == [entry_text(number) for number in range(5)]


def test_records_may_differ_a_little() -> None:
    items = "".join(f"<li>{entry(number, '<i>new</i>' if number == 2 else '')}</li>" for number in range(4))
    assert len(texts(f"<ul>{items}</ul>")) == 4


def test_what_stands_between_records_ends_the_region() -> None:
    items = [f"<li>{entry(number)}</li>" for number in range(5)]
    advertisement = "<li><table><tr><td><form><input><input><input></form></td><td><b>Buy now</b></td></tr></table></li>"
    markup = f"<ul>{''.join(items[:3])}{advertisement}{''.join(items[3:])}</ul>"
    assert texts(markup, max_nodes=1) == [entry_text(number) for number in range(3)]
    assert texts(markup, 1, max_nodes=1, all_regions=True) == [entry_text(number) for number in (3, 4)]


def test_rows_of_a_data_table_are_records_not_their_cells() -> None:
    rows = "".join(f"<tr><td><b>{n}</b></td><td><b>{n * n}</b></td><td><b>{n**3}</b></td></tr>" for n in range(2, 7))
    assert texts(f"<table><tbody>{rows}</tbody></table>") == [f"{n} {n * n} {n**3}" for n in range(2, 7)]


def test_cells_of_a_grid_are_records() -> None:
    rows = [f"<tr>{''.join(f'<td>{entry(3 * row + column)}</td>' for column in range(3))}</tr>" for row in range(3)]
    assert texts(f"<table><tbody>{''.join(rows)}</tbody></table>") == [entry_text(number) for number in range(9)]


def test_the_last_row_of_a_grid_may_be_short() -> None:
    rows = [f"<tr>{''.join(f'<td>{entry(4 * row + column)}</td>' for column in range(4))}</tr>" for row in range(3)]
    last = f"<tr><td>{entry(12)}</td><td></td></tr>"
    assert texts(f"<table><tbody>{''.join(rows)}{last}</tbody></table>") == [entry_text(number) for number in range(13)]


# --- several elements a record --------------------------------------------------------------------


def test_two_rows_a_record() -> None:
    rows = "".join(
        f"<tr><td><img src=x></td><td><h3><a href=/{n}>Title {n}</a></h3></td></tr>"
        f"<tr><td><form><input><button>Vote</button></form><p>Text {n}</p><p>Price <b>{n}</b> <i>net</i></p></td></tr>"
        for n in range(4)
    )
    assert texts(f"<table><tbody>{rows}</tbody></table>") == [f"Title {n} Vote Text {n} Price {n} net" for n in range(4)]


def test_parts_side_by_side_make_a_record() -> None:
    """A row of names, a row of prices: the record is a column of two cells."""
    rows = "".join(
        f"<tr>{''.join(f'<th><h3><a href=/{n}>Name {n}</a></h3></th>' for n in (row, row + 1, row + 2))}</tr>"
        f"<tr>{''.join(f'<td><p>Price <b>{n}</b></p><form><input><button>Buy</button></form></td>' for n in (row, row + 1, row + 2))}</tr>"
        for row in (10, 20, 30)
    )
    expected = [f"Name {n} Price {n} Buy" for row in (10, 20, 30) for n in (row, row + 1, row + 2)]
    assert texts(f"<table><tbody>{rows}</tbody></table>") == expected


def test_similar_elements_of_one_generalised_node_are_records() -> None:
    """One odd record ends the stretch of single ones, so pairs cover more; all but the odd pair are taken apart again."""
    odd = "<p><b>a</b><i>b</i></p>"
    items = "".join(f"<div>{entry(number, odd if number == 5 else '')}</div>" for number in range(12))
    expected = [entry_text(number) for number in range(12)]
    expected[4:6] = [f"{expected[4]} {expected[5]} a b"]
    assert texts(f"<section>{items}</section>") == expected
    assert texts(f"<section>{items}</section>", max_nodes=1) == expected[5:]


# --- regions --------------------------------------------------------------------------------------


def test_the_region_with_the_most_text_is_the_main_one() -> None:
    items = "".join(f"<li>{entry(number)}</li>" for number in range(3))
    page, result = found(f"<nav>{MENU}</nav><main><ol>{items}</ol></main>", all_regions=True)
    assert [page.nodes.tags[region.node] for region in result.regions] == ["ol", "ul"]
    assert [len(region.records) for region in result.regions] == [3, 9]
    assert result.confidence == result.regions[0].score > result.regions[1].score
    assert len(found(f"<nav>{MENU}</nav><main><ol>{items}</ol></main>")[1].regions) == 1


def test_a_region_higher_up_covers_those_in_it() -> None:
    posts = "".join(
        f"<div>{entry(number)}<ul><li><a href=/a><b>Like</b></a></li><li><a href=/b><b>Share</b></a></li></ul></div>"
        for number in range(3)
    )
    page, result = found(f"<main>{posts}</main>", all_regions=True)
    assert [page.nodes.tags[region.node] for region in result.regions] == ["main"]


def test_a_region_within_a_page_of_unlike_parts_is_found() -> None:
    items = "".join(f"<li>{entry(number)}</li>" for number in range(3))
    markup = f"<header><h1>Site</h1></header><div><div><h2>Hits</h2><div><ol>{items}</ol></div></div></div>"
    assert texts(markup) == [entry_text(number) for number in range(3)]


@pytest.mark.parametrize(
    "markup",
    [
        "",
        "Just a text",
        "<p>One <b>paragraph</b></p>",
        "<ul>" + "<li><b><i></i></b></li>" * 4 + "</ul>",
        "<p>a</p><h2>b</h2>",
    ],
    ids=["empty", "text", "paragraph", "list without text", "two"],
)
def test_nothing(markup: str) -> None:
    _, result = found(markup)
    assert (result.status, result.regions, result.confidence) == ("empty", (), 0.0)
    assert result.reason == "no adjacent elements with similar tags hold text"


def test_what_is_hidden_is_no_record() -> None:
    items = "".join(f"<li style='display:none'>{entry(number)}</li>" for number in range(3))
    assert found(f"<ul>{items}</ul>")[1].status == "empty"
    shown = f"<ul>{items}{''.join(f'<li>{entry(number)}</li>' for number in (7, 8))}</ul>"
    assert texts(shown) == [entry_text(7), entry_text(8)]


# --- parameters, bounds, anything -----------------------------------------------------------------


def test_published_values() -> None:
    assert (DEFAULT.max_nodes, DEFAULT.distance) == (10, 0.3)


def test_a_smaller_threshold_finds_less() -> None:
    items = "".join(f"<li>{entry(number, '<i>new</i>' if number % 2 else '')}</li>" for number in range(4))
    assert len(texts(f"<ul>{items}</ul>")) == 4
    assert found(f"<ul>{items}</ul>", distance=0.0, max_nodes=1)[1].status == "empty"


def test_long_generalised_nodes_are_no_records() -> None:
    parts = "".join(f"<div>{'<p><b>x</b></p>' * (mdr.LONGEST // 2 + 1)}</div>" for _ in range(2))
    page, result = found(parts, all_regions=True)
    assert {page.nodes.tags[region.node] for region in result.regions} == {"div"}


def test_the_evidence_is_plain_json() -> None:
    _, result = found(MENU)
    assert json.loads(json.dumps(result.evidence)) == {
        "regions": [{"node": 3, "tag": "ul", "records": 9, "score": 1.0, "text": "Part 0"}]
    }


def division(tags: list[str]) -> str:
    return f"<div>{''.join(f'<{tag}>x</{tag}>' for tag in tags)}</div>"


HOSTILE = {
    "flat": "<p><b><i>x</i></b></p>" * 20_000,
    "flat and mixed": "".join(f"<p>{'<b>x</b>' * (n % 7)}<i><u>y</u></i></p>" for n in range(8_000)),
    "deep": "<div>" * 5_000 + "x",
    "deep pairs": "<div><p><b>x</b></p>" * 5_000,
    "two unlike halves": division(["b", "i"] * 900) + division(["i", "u"] * 900),
    "long and unlike": "".join(division(["biu"[n * k % 7 % 3] for n in range(400)]) for k in range(1, 60)),
}


@pytest.mark.slow
@pytest.mark.parametrize("markup", HOSTILE.values(), ids=HOSTILE)
def test_cost_is_bounded(markup: str) -> None:
    page = Page.from_text(markup)
    _ = page.nodes
    with at_most(parses=500):  # measured: at most 3 s
        MDR(DEFAULT)(page)


FRAGMENTS = (
    "<ul> </ul> <li> </li> <div> </div> <table> <tr> <td> </table> <a> </a> <p> </p> <b> x 正文 <!-- &nbsp; \x00".split(" ")
)


@given(
    st.one_of(st.binary(max_size=200), st.lists(st.sampled_from(FRAGMENTS), max_size=60).map(lambda f: "".join(f).encode()))
)
@settings(max_examples=examples(300))
def test_nothing_makes_it_raise(body: bytes) -> None:
    page = Page(body)
    result = MDR(MDRParams(all_regions=True))(page, evidence=True)
    assert result == MDR(MDRParams(all_regions=True))(Page(body), evidence=True), "the same again"
    assert (result.status == "ok") == bool(result.regions)
    scores = [region.score for region in result.regions]
    assert scores == sorted(scores, reverse=True)
    for region in result.regions:
        assert len(region.records) >= 2
        roots = [root for record in region.records for root in record]
        assert len(set(roots)) == len(roots)
        assert all(region.node < root < page.nodes.ends[region.node] for root in roots)
        assert all(page.nodes.text(*record) for record in region.records)
