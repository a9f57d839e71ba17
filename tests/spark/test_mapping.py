"""One split, without Spark: what a bad page costs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from newsextract.spark import job
from newsextract.spark.inputs import local_files, make_splits
from newsextract.spark.job import STATISTICS, map_local
from tests.made_archives import foreign
from tests.spark.running import bad, task


@pytest.fixture(autouse=True)
def _process() -> Iterator[None]:
    yield
    job._Kept.end()


@pytest.mark.slow
def test_a_page_that_kills_or_hangs_or_swells_costs_itself(tmp_path: Path) -> None:
    names = ["one", "kills", "two", "hangs", "three", "swells", "four"]
    splits = make_splits(local_files(foreign(tmp_path / "x.warc.gz", *names)))
    rows = list(map_local(task(bad, 3.0), (split.to_json() for split in splits)))
    found = {}
    for row in rows[:-1]:
        value = json.loads(row[-1])
        found[value["url"].rpartition("/")[2]] = (value.get("text") and "ok") or value["reason"]
    assert found == {
        "one.html": "ok", "kills.html": "the worker process died (exit code -9)", "two.html": "ok",
        "hangs.html": "stopped after 3 s", "three.html": "ok", "swells.html": "stopped: over the memory limit of a worker",
        "four.html": "ok",
    }  # fmt: skip
    assert [row[1:3] for row in rows[:-1]] == [(0, ordinal) for ordinal in range(7)]
    assert [row[3] for row in rows] == ["ok", "failed", "ok", "failed", "ok", "failed", "ok", STATISTICS]
    assert {name: json.loads(rows[-1][-1])[name] for name in ("rows", "pages")} == {"rows": 7, "pages": 7}


def test_the_process_is_kept_and_not_after_a_split_was_given_up(tmp_path: Path) -> None:
    splits = make_splits(local_files(foreign(tmp_path / "x.warc.gz", "one", "two")))
    given = [split.to_json() for split in splits]
    whole = list(map_local(task(), given))[:-1]
    kept = job._Kept.made
    assert kept is not None
    assert list(map_local(task(), given))[:-1] == whole
    assert job._Kept.made is kept
    half = map_local(task(), given)
    next(half)
    half.close()  # type: ignore[attr-defined]  # it is a generator
    assert job._Kept.made is None
    assert list(map_local(task(), given))[:-1] == whole
