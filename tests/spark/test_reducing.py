"""What Spark makes of Map's rows: the first of each id, duplicates, and counts."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import TYPE_CHECKING, Any

import pytest

from newsextract.feed.duplicates import BAND_DIGITS, BANDS, BINS, DIGITS, Sketch, original, sketch
from newsextract.spark import job
from newsextract.spark.job import COLUMNS, Row, near_pairs, originals, reduced, tally, winners

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.crawl  # slow: Spark


def marks_of(rng: random.Random, count: int) -> dict[str, str]:
    """Fingerprints in chains, and some that are equal: each is near to its neighbours, not always to the others."""
    marks = [f"{rng.getrandbits(4 * (BAND_DIGITS + BINS)):0{BAND_DIGITS + BINS}x}"]
    while len(marks) < count:
        known, new = rng.choice(marks), f"{rng.getrandbits(4 * (BAND_DIGITS + BINS)):0{BAND_DIGITS + BINS}x}"
        bands, bins = rng.choice([0, 1, BANDS - 1, BANDS]), rng.choice([0, 60, 150, 180, 250])
        marks.append(
            new[: 8 * bands] + known[8 * bands : BAND_DIGITS] + new[BAND_DIGITS:][:bins] + known[BAND_DIGITS + bins :]
        )
    ids = [*(f"{rng.getrandbits(64):016x}" for _ in range(count - 2)), "f" * 16, "0" * 16]
    return dict(zip(rng.sample(ids, count), marks, strict=True))


def expected(marks: dict[str, str], times: dict[str, int]) -> dict[str, str]:
    """What a crawl that fetches the records in the order of their times finds."""
    sketches: list[Sketch] = []
    answers = {}
    for at, own in sorted((times[own], own) for own in marks):
        mine = sketch(int(own, 16), marks[own], datetime.fromtimestamp(at, UTC).isoformat())
        answers[own] = original(mine, sketches)
        sketches.append(mine)
    return {own: f"{answer:016x}" for own, answer in answers.items() if answer is not None}


def found(session: SparkSession, marks: dict[str, str], times: dict[str, int] | None = None) -> dict[str, str]:
    rows = [(own, mark, times[own] if times else 0) for own, mark in marks.items()]
    rows = originals(session.createDataFrame(rows, "id string, mark string, at long")).collect()
    session.catalog.clearCache()
    return {row["id"]: row["original"] for row in rows}


@pytest.mark.parametrize(("seed", "days"), [(0, 0), (1, 10), (2, 60)])
def test_duplicates_are_those_that_a_crawl_finds(session: SparkSession, seed: int, days: int) -> None:
    """Many are fetched in the same second, or exactly a fortnight apart."""
    rng = random.Random(seed)
    marks = marks_of(rng, 150)
    times = {own: 1_770_000_000 + 86_400 * rng.randint(0, days) + rng.randint(0, 1) for own in marks}
    wanted = expected(marks, times)
    assert found(session, marks, times) == wanted
    assert len(wanted) > 30


def test_the_window_moves_on(session: SparkSession) -> None:
    """One text every five days: the original is the first within a fortnight, not the first of all."""
    mark = f"{random.Random(1).getrandbits(4 * DIGITS):0{DIGITS}x}"
    marks = {f"{9 - n:016x}": mark for n in range(6)}
    times = {own: 5 * 86_400 * n for n, own in enumerate(marks)}
    ids = list(marks)
    assert found(session, marks, times) == {ids[1]: ids[0], ids[2]: ids[0], ids[3]: ids[1], ids[4]: ids[2], ids[5]: ids[3]}


def test_of_a_crowd_only_the_first_are_originals(session: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many texts share one band, all with the same sketch; the smallest id is the original of all."""
    rng = random.Random(9)
    bins = "5" * BINS
    marks = {f"{n:016x}": "ab" * 4 + f"{rng.getrandbits(480):0120x}" + bins for n in range(1, 40)}
    monkeypatch.setattr(job, "CROWD", 5)
    assert found(session, marks) == {own: f"{1:016x}" for own in marks if own != f"{1:016x}"}
    late = {f"{n:016x}": "ab" * 4 + f"{rng.getrandbits(480 + 4 * BINS):0{120 + BINS}x}" for n in range(5)} | {
        f"{n:016x}": "ab" * 4 + f"{rng.getrandbits(480):0120x}" + bins for n in (20, 30)
    }
    assert found(session, late) == {}  # the sixth and the seventh are near to each other alone


def test_pairs_are_compared_by_their_sketches() -> None:
    mark, other = (random.Random(seed).randbytes(BINS // 2) for seed in (1, 2))
    assert list(near_pairs([("b", "a", mark, mark, 7), ("c", "a", mark, other, 7)] * 3_000)) == [("b", 7, "a")] * 3_000


def row(identity: str, split: int, ordinal: int, status: str = "ok", mark: str | None = None, **more: object) -> Row:
    value = json.dumps({"id": identity, "note": '"duplicate_of": null', **more, "duplicate_of": None, "etag": None})
    return identity, split, ordinal, status, None if status == "ok" else "died", mark, None if mark is None else 0, value


def frame(session: SparkSession, rows: Sequence[Row]) -> DataFrame:
    return session.createDataFrame(list(rows), COLUMNS)


def test_the_first_in_the_input_counts(session: SparkSession) -> None:
    a, b, c, d = (name * 16 for name in "abcd")
    mark = "5" * 384
    figures = {"rows": 6, "pages": 5, "left_out": 1, "seconds": 0.5, "extract_seconds": 0.25}
    mapped = frame(
        session,
        [
            row(b, 0, 1, "failed"), row(a, 2, 0, name="late"), row(a, 1, 7, mark=mark, name="first"), row(b, 0, 2, mark=mark),
            row(d, 3, 0, mark=mark, name="copy"), row(c, 2, 2, "failed"),
            ("", 1, 0, "#", None, None, None, json.dumps(figures | {"missing": ["y.warc", "x.warc"]})),
            ("", 2, 0, "#", None, None, None, json.dumps(figures | {"rows": 0, "missing": ["x.warc"]})),
        ],
    )  # fmt: skip
    first = winners(mapped)
    known = originals(first.where("mark IS NOT NULL").select("id", "mark", "at"))
    lines = reduced(mapped, known, 3).collect()
    records = [json.loads(line["text"]) for line in lines if line["kind"] == "records"]
    assert [(value["id"], value["name"], value["duplicate_of"]) for value in records] == [(a, "first", None), (d, "copy", a)]
    assert {value["note"] for value in records} == {'"duplicate_of": null'}
    assert lines[-1]["text"].endswith(f'"name": "copy", "duplicate_of": "{a}", "etag": null}}')
    assert [json.loads(line["text"])["id"] for line in lines if line["kind"] == "rejected"] == [b, c]
    assert tally(mapped, first) == {
        "records": 2, "rejected": {"failed": 2}, "reasons": [{"status": "failed", "reason": "died", "count": 2}],
        "passed_over": 2, "missing_files": ["x.warc", "y.warc"], "pages": 10, "left_out": 2, "task_seconds": 1.0,
        "extract_seconds": 0.5,
    }  # fmt: skip


def test_without_duplicates_the_field_stays_empty(session: SparkSession) -> None:
    mapped = frame(session, [row("a" * 16, 0, 0, mark="5" * 384), row("b" * 16, 0, 1, mark="5" * 384)])
    values: list[Any] = [json.loads(line["text"]) for line in reduced(mapped, None, 2).collect()]
    assert [value["duplicate_of"] for value in values] == [None, None]


def test_partitions_are_ranges_in_order(session: SparkSession) -> None:
    rng = random.Random(3)
    mapped = frame(session, [row(f"{rng.getrandbits(64):016x}", 0, n, rng.choice(["ok", "failed"])) for n in range(400)])
    parts = reduced(mapped, None, 4).rdd.glom().collect()
    assert len(parts) == 4
    for kind in ("records", "rejected"):
        ids = [[json.loads(line["text"])["id"] for line in part if line["kind"] == kind] for part in parts]
        assert all(len(part) > 10 for part in ids)
        every = list(chain.from_iterable(ids))
        assert every == sorted(every)
