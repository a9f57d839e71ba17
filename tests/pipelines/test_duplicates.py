"""Near-duplicates: a record names the near-same one that was fetched first, of those that are in the feed."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scrapy.exceptions import DropItem

from newsextract.feed import LedgerFile, line
from newsextract.feed.duplicates import BAND_DIGITS, BANDS, BINS, DAYS, OVERLAP, fingerprint
from newsextract.feed.record_lines import NewsRecord
from pipelines import ledger as ledger_module
from pipelines.checks import DuplicatesPipeline
from pipelines.ledger import Ledger
from tests.examples import examples
from tests.pipelines.loading import load_feed

Make = Callable[..., NewsRecord]
DAY = datetime.fromisoformat("2026-03-01T00:00:00+00:00")


def write(path: Path, records: list[NewsRecord], restart_after: int = 10**9) -> dict[str, str | None]:
    """Write records as a crawl does; what is in the file then.

    :param restart_after: records after which the crawl is begun anew.
    """
    ledger = load_feed(path)
    file = LedgerFile(path)
    for number, record in enumerate(records):
        if number == restart_after:
            file.close()
            ledger = load_feed(path)
            file = LedgerFile(path)
        if number % 3 == 0 and ledger.state is not None:
            ledger.state.catch_up()  # type: ignore[attr-defined]  # of a file
        ledger.older[record.id] = ledger.older_near(record)
        ledger.mark(record)
        file.write(line(record))
        ledger.written(record, file.last_place)
    file.close()
    return {value["id"]: value["duplicate_of"] for value in map(json.loads, path.read_bytes().splitlines())}


def expected(records: list[NewsRecord]) -> dict[str, str | None]:
    """By the definition."""
    answer: dict[str, str | None] = {}
    for number, record in enumerate(records):
        near = [
            (other.fetched_at, other.id)
            for other in records[:number]
            if is_near(str(other.fingerprint), str(record.fingerprint)) and days_between(other, record) <= DAYS
        ]
        answer[record.id] = min(near)[1] if near else None
    return answer


def days_between(one: NewsRecord, other: NewsRecord) -> float:
    between = datetime.fromisoformat(one.fetched_at) - datetime.fromisoformat(other.fetched_at)
    return abs(between / timedelta(days=1))


def is_near(one: str, other: str) -> bool:
    if all(one[k : k + 8] != other[k : k + 8] for k in range(0, BAND_DIGITS, 8)):
        return False
    bins = [(a, b) for a, b in zip(one[BAND_DIGITS:], other[BAND_DIGITS:], strict=True) if a + b != "00"]
    equal = sum(a == b for a, b in bins)
    return (equal - len(bins) / 15) / (len(bins) * 14 / 15) >= OVERLAP


def marks_of(rng: random.Random, count: int = 12) -> dict[int, str]:
    """Fingerprints in chains: each is near to its neighbours, not always to the others."""
    values = [(keys(rng), sketch(rng))]
    while len(values) < count:
        known, digits = rng.choice(values)
        others = rng.choice([0, 1, BANDS - 1, BANDS])
        places = set(rng.sample(range(BANDS), others))
        mine = [new if place in places else old for place, (old, new) in enumerate(zip(known, keys(rng), strict=True))]
        values.append((mine, changed(digits, rng.choice([0, 0, 60, 150, 180, 250]), rng)))
    ids = [*rng.sample(range(1, 40), count - 2), 2**64 - 2, 2**63]
    return {identity: "".join(mine) + digits for identity, (mine, digits) in zip(ids, values, strict=True)}


def keys(rng: random.Random) -> list[str]:
    return [f"{rng.getrandbits(32):08x}" for _ in range(BANDS)]


def sketch(rng: random.Random) -> str:
    return "".join(rng.choices("0123456789abcdef", k=BINS))


def changed(digits: str, bins: int, rng: random.Random) -> str:
    places = set(rng.sample(range(BINS), bins))
    return "".join(rng.choice("0123456789abcdef") if place in places else digit for place, digit in enumerate(digits))


@given(st.integers(0, 10_000), st.integers(0, 12), st.booleans())
@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_by_the_definition(
    make_record: Make, tmp_path_factory: pytest.TempPathFactory, seed: int, stop: int, is_slow: bool
) -> None:
    rng = random.Random(seed)
    records = [
        make_record(
            n, fingerprint=mark, fetched_at=(DAY + timedelta(hours=rng.randrange(200 if is_slow else 2))).isoformat()
        )
        for n, mark in marks_of(rng).items()
    ]
    if is_slow:  # over months
        for number, record in enumerate(records):
            moment = datetime.fromisoformat(record.fetched_at) + timedelta(days=number * rng.choice([0, 3, 10]))
            record.fetched_at = moment.isoformat()
        records.sort(key=lambda record: record.fetched_at)
    assert write(tmp_path_factory.mktemp("feed") / "news.jsonl", records, stop) == expected(records)


def test_what_was_written_some_seconds_ago_is_looked_up_in_the_state(
    make_record: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_module, "KEPT", 0.0)
    mark = "0f" * 192
    answer = write(tmp_path / "news.jsonl", [make_record(n, fingerprint=mark) for n in (7, 6, 5, 4)])
    assert answer == {f"{7:016x}": None} | {f"{n:016x}": f"{7:016x}" for n in (6,)} | {
        f"{5:016x}": f"{6:016x}",
        f"{4:016x}": f"{5:016x}",
    }, "of the same second the smallest id that is in the feed"


def test_texts_that_say_the_same(make_record: Make, tmp_path: Path) -> None:
    text = " ".join(f"word{n % 97} of{n % 31} the{n % 53} report" for n in range(150))
    texts = {30: text, 20: "Breaking: " + text, 10: text + " More follows.", 5: " ".join(reversed(text.split()))}
    records = [make_record(n, text=t, fingerprint=fingerprint(t)) for n, t in texts.items()]
    answer = write(tmp_path / "news.jsonl", records)
    assert answer == {f"{30:016x}": None, f"{20:016x}": f"{30:016x}", f"{10:016x}": f"{20:016x}", f"{5:016x}": None}


@pytest.mark.parametrize("digits", [64, 320])
def test_a_feed_of_an_earlier_version_is_gone_on_with(make_record: Make, tmp_path: Path, digits: int) -> None:
    """Its fingerprints are others; what is compared today is made of the text."""
    text = " ".join(f"word{n % 97} of{n % 31} the{n % 53} report" for n in range(150))
    path = tmp_path / "news.jsonl"
    path.write_bytes(line(make_record(7, text=text, fingerprint="5" * digits)))
    answer = write(path, [make_record(9, text=text, fingerprint=fingerprint(text))])
    assert answer[f"{9:016x}"] == f"{7:016x}"


def test_a_withdrawn_record_is_no_original(make_record: Make, tmp_path: Path) -> None:
    mark = "0f" * 192
    records = [make_record(7, fingerprint=mark), make_record(7, fingerprint=mark, status="withdrawn", revision=1)]
    path = tmp_path / "news.jsonl"
    path.write_bytes(b"".join(map(line, records)))
    assert write(path, [make_record(9, fingerprint=mark)])[f"{9:016x}"] is None


def test_records_without_words_are_never_duplicates(make_record: Make, tmp_path: Path) -> None:
    answer = write(tmp_path / "news.jsonl", [make_record(n, fingerprint=None) for n in (1, 2)])
    assert set(answer.values()) == {None}


def test_the_pipeline_drops_what_is_known(make_record: Make) -> None:
    pipeline = DuplicatesPipeline(SimpleNamespace(ledger=Ledger()))  # type: ignore[arg-type]
    record = make_record(1)
    assert asyncio.run(pipeline.process_item(record)) is record
    with pytest.raises(DropItem):
        asyncio.run(pipeline.process_item(make_record(1)))
