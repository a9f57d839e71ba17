"""What every registered record algorithm keeps to, in every preset."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract import Page, algorithms, find_records
from newsextract.errors import ParameterError, UnknownAlgorithm, WrongKind
from newsextract.results import RecordPage
from tests.costs import at_most
from tests.examples import examples

EVERY = [
    pytest.param(name, preset, marks=() if preset == "default" else pytest.mark.slow)
    for name in algorithms.names("records")
    for preset in algorithms.spec(name).presets
]
each = pytest.mark.parametrize(("name", "preset"), EVERY)
FRAGMENTS = (
    "<ul>", "</ul>", "<li>", "<div class=hit>", "</div>", "<tr>", "<td>", "<table>", "</table>", "<a href=/x>", "</a>", "<h3>", "<p>",
    "one two", "港口", "2025-05-06", "<br>", "<img alt=x>", "<!-- c -->", "<script>1</script>", "&amp;", "<b>",
)  # fmt: skip


def records_of(page: Page | bytes | str, name: str, preset: str, *, evidence: bool = False) -> RecordPage:
    features = {} if preset != "published" or name != "visual_blocks" else {"features": "dom"}  # that preset needs a browser
    return find_records(page, None, name, {"preset": preset, **features}, evidence=evidence)


def facts(page: RecordPage) -> tuple[object, ...]:
    return page.status, page.reason, page.confidence, page.records


@each
@given(parts=st.lists(st.sampled_from(FRAGMENTS), max_size=60))
@settings(max_examples=examples(40))
def test_any_markup_gives_the_same_answer_twice(name: str, preset: str, parts: list[str]) -> None:
    markup = "".join(parts)
    first = records_of(markup, name, preset)
    assert facts(first) == facts(records_of(markup, name, preset))
    assert first.status in ("ok", "empty")
    assert bool(first.records) == (first.status == "ok")
    assert (first.reason is None) == (first.status == "ok"), "never silently empty"
    assert 0 <= first.confidence <= 1


@each
@given(body=st.binary(max_size=200))
@settings(max_examples=examples(30))
def test_any_bytes_are_answered(name: str, preset: str, body: bytes) -> None:
    # A body may happen to be the sign of a bot wall: hypothesis tries the constants of the code.
    assert records_of(body, name, preset).status in ("ok", "empty", "not_html", "too_large", "challenged")


@each
def test_evidence_is_plain_and_changes_nothing(name: str, preset: str) -> None:
    markup = (
        "<ul>"
        + "".join(f"<li><a href=/{k}>Hit number {k}</a> <p>some words about {k * 7}</p></li>" for k in range(9))
        + "</ul>"
    )
    told = records_of(markup, name, preset, evidence=True)
    assert facts(told) == facts(records_of(markup, name, preset))
    assert told.evidence
    assert json.loads(json.dumps(told.evidence)) == told.evidence


HOSTILE = {
    "deep": "<div>" * 20_000 + "text",
    "siblings": "<ul>" + "".join(f"<li>a{k}</li>" for k in range(50_000)) + "</ul>",
    "cells": "<table>" + "<tr>" + "<td>x" * 50_000,
    "kinds": "".join(f"<div class=c{chr(97 + k % 26)}{chr(97 + k // 26 % 26)}>t{k}</div>" for k in range(20_000)),
    "links": "<a href=/x>y</a>" * 30_000,
    "rows": "<table>" + "".join(f"<tr class={'ab'[k % 2]}><td>{k}<td>x" for k in range(15_000)) + "</table>",
    "nested lists": "<ul><li>x" * 2_000,
}


@pytest.mark.slow
@each
@pytest.mark.parametrize("page", HOSTILE)
def test_hostile_pages_end(name: str, preset: str, page: str) -> None:
    """Absolute, but far from what is usual: a page of this size takes 0.1 to 3 s."""
    with at_most(parses=1000):
        assert records_of(HOSTILE[page], name, preset).status in ("ok", "empty")


def test_mistakes_are_told() -> None:
    with pytest.raises(UnknownAlgorithm):
        find_records("<p>x", algorithm="no_such")
    with pytest.raises(WrongKind, match="'combined' does not find records; those that do are: visual_blocks, oem, mdr"):
        find_records("<p>x", algorithm="combined")
    with pytest.raises(WrongKind, match="'mdr' does not find articles; those that do are: combined, "):
        algorithms.make("mdr")
    with pytest.raises(ParameterError):
        find_records("<p>x", params={"no_such": 1})
