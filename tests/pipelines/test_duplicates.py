"""Near-duplicates: the result depends on the set of records, not on the order in which they come."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scrapy.exceptions import DropItem

from newsextract.fingerprint import NEAR, fingerprint
from newsextract.line_file import LedgerFile, line
from newsextract.near_duplicates import NearDuplicates
from pipelines.duplicates import DuplicatesPipeline
from pipelines.items import NewsRecord
from pipelines.ledger import Ledger, load

Make = Callable[..., NewsRecord]


def feed(path: Path, records: list[NewsRecord], near: NearDuplicates | None = None) -> dict[str, str | None]:
    """Write records as the exporter does; what stands in the file then."""
    file = LedgerFile(path)
    near = near or NearDuplicates()
    for record in records:
        entry = near.place(record, file)
        file.write(line(record))
        near.add(entry, file.last_position)
    file.close()
    return {value["id"]: value["duplicate_of"] for value in map(json.loads, path.read_bytes().splitlines())}


def expected(marks: dict[int, str]) -> dict[str, str | None]:
    """By the definition: the smallest near-same id that is smaller than the own one."""
    answer: dict[str, str | None] = {}
    for own, mark in marks.items():
        near = [o for o, m in marks.items() if o < own and (int(m, 16) ^ int(mark, 16)).bit_count() <= NEAR]
        answer[f"{own:016x}"] = f"{min(near):016x}" if near else None
    return answer


def flipped(mark: int, bits: int, rng: random.Random) -> int:
    for bit in rng.sample(range(256), bits):
        mark ^= 1 << bit
    return mark


def marks_of(seed: int, count: int = 12) -> dict[int, str]:
    """Fingerprints in chains: each is near to its neighbours, not always to the others."""
    rng = random.Random(seed)
    values = [rng.getrandbits(256)]
    while len(values) < count:
        values.append(flipped(rng.choice(values), rng.choice([0, 30, 60, NEAR, NEAR + 1, 128]), rng))
    ids = [*rng.sample(range(1, 40), count - 2), 2**64 - 2, 2**63]
    return {identity: f"{value:064x}" for identity, value in zip(ids, values, strict=True)}


@given(st.integers(0, 10_000), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_order_of_arrival_does_not_matter(make_record: Make, tmp_path: Path, seed: int, rng: random.Random) -> None:
    marks = marks_of(seed)
    order = list(marks)
    rng.shuffle(order)
    path = tmp_path / "news.jsonl"
    path.unlink(missing_ok=True)
    assert feed(path, [make_record(n, fingerprint=marks[n]) for n in order]) == expected(marks)


def test_all_orders_of_four(make_record: Make, tmp_path: Path) -> None:
    marks = dict(itertools.islice(marks_of(3).items(), 4))
    for number, order in enumerate(itertools.permutations(marks)):
        answer = feed(tmp_path / f"{number}.jsonl", [make_record(n, fingerprint=marks[n]) for n in order])
        assert answer == expected(marks)


@given(st.integers(0, 10_000), st.integers(0, 12))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_restored_ledger_goes_on_as_if_never_stopped(make_record: Make, tmp_path: Path, seed: int, stop: int) -> None:
    marks = marks_of(seed)
    path = tmp_path / "news.jsonl"
    path.unlink(missing_ok=True)
    order = list(marks)
    feed(path, [make_record(n, fingerprint=marks[n]) for n in order[:stop]])
    near = load(path, tmp_path / "none.jsonl").near
    assert feed(path, [make_record(n, fingerprint=marks[n]) for n in order[stop:]], near) == expected(marks)


def test_a_restored_ledger_is_equal_to_the_one_that_wrote_it(make_record: Make, tmp_path: Path) -> None:
    path = tmp_path / "news.jsonl"
    marks = marks_of(5)
    wrote = NearDuplicates()
    feed(path, [make_record(n, fingerprint=mark) for n, mark in marks.items()], wrote)
    read = load(path, tmp_path / "none.jsonl").near
    for name in ("_ids", "_words", "_duplicate_of", "_positions"):
        assert np.array_equal(getattr(wrote, name)[..., : len(marks)], getattr(read, name)[..., : len(marks)]), name


def test_more_records_than_the_first_allocation(make_record: Make, tmp_path: Path) -> None:
    rng = random.Random(4)
    marks = {n: f"{rng.getrandbits(256):064x}" for n in range(10, 2_510)}
    marks[5] = marks[2_400]
    answer = feed(tmp_path / "news.jsonl", [make_record(n, fingerprint=mark) for n, mark in marks.items()])
    assert {k: v for k, v in answer.items() if v} == {f"{2_400:016x}": f"{5:016x}"}


def test_texts_that_say_the_same(make_record: Make, tmp_path: Path) -> None:
    text = " ".join(f"word{n % 97} of{n % 31} the{n % 53} report" for n in range(150))
    texts = {30: text, 20: "Breaking: " + text, 10: text + " More follows.", 5: " ".join(reversed(text.split()))}
    records = [make_record(n, text=t, fingerprint=fingerprint(t)) for n, t in texts.items()]
    answer = feed(tmp_path / "news.jsonl", records)
    assert answer == {f"{30:016x}": f"{10:016x}", f"{20:016x}": f"{10:016x}", f"{10:016x}": None, f"{5:016x}": None}


def test_records_without_words_are_never_duplicates(make_record: Make, tmp_path: Path) -> None:
    answer = feed(tmp_path / "news.jsonl", [make_record(n, fingerprint=None) for n in (1, 2)])
    assert set(answer.values()) == {None}


def test_the_pipeline_drops_what_is_known(make_record: Make) -> None:
    crawler = SimpleNamespace(spider=SimpleNamespace(ledger=Ledger()))
    pipeline = DuplicatesPipeline.from_crawler(crawler)  # type: ignore[arg-type]
    record = make_record(1)
    assert pipeline.process_item(record) is record
    with pytest.raises(DropItem):
        pipeline.process_item(make_record(1))
