"""What a page of records carries beside its records: regions, whose numbers they are, and notes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from newsextract import Page, find_records
from newsextract.page.nodes import MAX_NODES
from tests.made_snapshots import made_snapshot

HITS = (
    "<ul>"
    + "".join(
        f"<li><h3><a href=/b/{n}>The boat number {n}</a></h3><p>It lies at pier {n}, and leaves with the tide.</p></li>"
        for n in range(6)
    )
    + "</ul>"
)


@pytest.mark.parametrize("algorithm", ["visual_blocks", "mdr"])
def test_regions_are_those_of_the_records(algorithm: str) -> None:
    page = Page.from_text(HITS, "http://e.example/")
    found = find_records(page, algorithm=algorithm)
    assert len(found.records) == 6
    assert [region.records for region in found.regions] == [tuple(record.nodes for record in found.records)]
    assert page.nodes.tags[found.regions[0].node] == "ul"
    assert (found.rendered, found.note) == (False, None)


def test_numbers_of_the_snapshot() -> None:
    snapshot = replace(made_snapshot(f"<body>{HITS}"), note="not loaded to the end")
    assert find_records(snapshot, params={"preset": "published", "centre_offset": 1.0}).rendered
    found = find_records(snapshot, algorithm="mdr")
    assert (found.rendered, found.note) == (False, "not loaded to the end")


@pytest.mark.slow
def test_a_source_that_is_cut_is_told() -> None:
    found = find_records(HITS + "<i></i>" * MAX_NODES, algorithm="mdr")
    assert len(found.records) == 6
    assert found.note == "only the first 200,000 nodes of the source were read"
    assert find_records(HITS + "<i></i>" * 1_000, algorithm="mdr").note is None
