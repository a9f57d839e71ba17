"""Gates against regression: records of the sample site (always), and of the bench where it is there."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from benchmarks import sample_records
from newsextract import Page, find_records
from newsextract.lab import datasets
from newsextract.lab.datasets import read
from newsextract.lab.metrics import Counts, TrueRecords, match, summarize_records


def counted(body: bytes, true: list[str]) -> Counts:
    found = [record.text for record in find_records(Page(body)).records]
    return Counts(len(match(TrueRecords(true), found)), len(found), len(true))


@pytest.fixture(scope="module")
def sample() -> dict[str, list[tuple[str, Counts]]]:
    """By kind, each page's site and counts, from the pages' sources alone."""
    results: dict[str, list[tuple[str, Counts]]] = defaultdict(list)
    for kind, site, _, source, records in sample_records.pages():
        results[kind].append((site, counted(source.encode(), records)))
    return results


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "floor"), [("forum", 0.95), ("search", 0.95)])
def test_records_of_the_sample_site(kind: str, floor: float, sample: dict[str, list[tuple[str, Counts]]]) -> None:
    assert len(sample[kind]) > 30
    assert summarize_records(sample[kind]).f1 >= floor


def test_pages_without_hits_have_no_records() -> None:
    found = {
        address: find_records(Page(source.encode(), address)) for address, source in sample_records.pages_without_records()
    }
    assert len(found) >= 5
    assert {address: page.status for address, page in found.items()} == dict.fromkeys(found, "empty")
    assert not any(page.records for page in found.values())


def test_records_of_the_bench(shared_bench: Path) -> None:
    """Every fourth page, from its source; the shipped model knows these pages, so the floor is high."""
    pages = datasets.load([shared_bench / "records"], "records")[::4]
    results = [(page.site, counted(read(page), [r.text for r in page.records])) for page in pages]
    assert summarize_records(results).f1 >= 0.96
