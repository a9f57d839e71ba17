from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract.fingerprint import NEAR
from newsextract.spark.duplicates import Fingerprints, packed
from newsextract.spark.reducing import ByRange, keyed, merged, records, rejections, tallied

IDS = st.integers(0, 2**64 - 1).map("{:016x}".format)
# few different ones, and some bits of them turned: so that near ones occur
MARKS = st.tuples(st.integers(0, 2), st.sets(st.integers(0, 255), max_size=120)).map(
    lambda given: f"{(int('5a' * 32, 16) * given[0]) % 2**256 ^ sum(1 << bit for bit in given[1]):064x}"
)


def line(identity: str, split: int, ordinal: int, status: str = "ok", mark: str = "-", **more: object) -> str:
    value = json.dumps({"id": identity, "duplicate_of": None, **more})
    return f"{identity}\t{split:08}\t{ordinal:010}\t{status}\t{mark}\t{value}"


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(IDS, MARKS, max_size=30))
def test_duplicates_are_the_smallest_near_ids_before(marks: dict[str, str]) -> None:
    known = Fingerprints(packed(marks.items()))
    for own, mark in marks.items():
        near = [other for other, its in marks.items() if other < own and (int(mark, 16) ^ int(its, 16)).bit_count() <= NEAR]
        assert known.original(own, mark) == min(near, default=None)
    assert known.original("ffffffffffffffff", "-") is None


@given(st.lists(IDS, min_size=1, max_size=50), st.integers(1, 40))
def test_partitions_are_ranges_in_order(ids: list[str], partitions: int) -> None:
    found = [ByRange(partitions)(f"{identity}\t0\t0") for identity in sorted(ids)]
    assert found == sorted(found)
    assert 0 <= found[0] <= found[-1] < partitions


def test_the_first_in_the_input_counts() -> None:
    a, b = "a" * 16, "b" * 16
    given_lines = [
        line(b, 0, 1, "failed", reason="died"), line(a, 2, 0, name="late"), line(a, 1, 7, name="first"), line(b, 0, 2),
        f"{'#' * 16}\t00000001\t0000000000\t#\t-\t" + json.dumps({"pages": 3, "seconds": 0.5, "missing": ["x.warc"]}),
    ]  # fmt: skip
    rows = sorted(map(keyed, given_lines))
    assert [(found.id, found.status) for found in merged(rows)] == [(a, "ok"), (b, "failed")]
    (text,) = records(rows, None)
    assert json.loads(text)["name"] == "first"
    (text,) = rejections(rows)
    assert json.loads(text)["reason"] == "died"
    (tally,) = tallied(rows, fingerprints=True)
    assert (tally.passed, tally.statuses, tally.figures) == (2, {"ok": 1, "failed": 1}, {"pages": 3, "seconds": 0.5})
    assert (tally.pages, tally.missing) == ({1: 3}, ["x.warc"])
    assert tally.reasons == {("failed", "died"): 1}


@pytest.mark.parametrize("wanted", [True, False])
def test_fingerprints_are_collected_where_they_are_wanted(wanted: bool) -> None:
    (tally,) = tallied([keyed(line("a" * 16, 0, 0, mark="5" * 64))], fingerprints=wanted)
    assert len(tally.marks) == (40 if wanted else 0)
