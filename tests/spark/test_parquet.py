"""Files of Parquet, whole and damaged, without Spark."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from newsextract.archives import ArchivedArticle, Failure
from newsextract.archives.entries import EPOCH
from newsextract.spark.inputs import parquet_entries
from tests.made_archives import html
from tests.spark.running import overwritten

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def written(path: Path, **columns: Any) -> Path:
    names = [f"p{number:02}" for number in range(40)]
    table = {
        "url": [f"https://courier.example/2026/03/01/{name}.html" for name in names],
        "html": [html(name).decode() + f"<!--{random.Random(name).randbytes(999).hex()}-->" for name in names],
    }
    parquet.write_table(pyarrow.table(table | columns), path, row_group_size=20)
    return path


def test_parquet_is_read_and_what_is_damaged_costs_itself(tmp_path: Path) -> None:
    times = pyarrow.array([0] * 39 + [316_500_000_000_000_000], pyarrow.timestamp("us", "UTC"))  # the last: year 12000
    heads = pyarrow.array([[("content-type", "text/html")]] * 40, pyarrow.map_(pyarrow.string(), pyarrow.string()))
    odd = pyarrow.array([1.5] * 40, pyarrow.float16())
    path = written(tmp_path / "x.parquet", fetched_at=times, headers=heads, of_no_use=odd)
    entries = list(parquet_entries(path, "deep/x.parquet"))
    assert [entry.place for entry in entries] == [f"deep/x.parquet#{number}" for number in range(40)]
    first, last = entries[0], entries[-1]
    assert isinstance(first, ArchivedArticle)
    assert first.parts[0].time == EPOCH
    assert first.parts[0].headers["content-type"] == "text/html; charset=utf-8"
    assert isinstance(last, Failure)
    assert "out of range" in last.reason
    # the second group of rows
    offset = parquet.ParquetFile(path).metadata.row_group(1).column(1).dictionary_page_offset
    entries = list(parquet_entries(overwritten(path, tmp_path / "y.parquet", offset), "y"))
    assert sum(isinstance(entry, ArchivedArticle) for entry in entries) == 20
    assert isinstance(entries[20], Failure)
    assert (entries[20].place, entries[20].reason[:14], len(entries)) == ("y#20", "rows 20 to 39 ", 21)


@pytest.mark.parametrize("content", [b"", b"no Parquet at all" * 50, b"PAR1" + b"x" * 99 + b"PAR1"])
def test_no_parquet_is_a_failure(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(content)
    (entry,) = parquet_entries(path, "x.parquet")
    assert isinstance(entry, Failure)
    assert "not readable as Parquet" in entry.reason
    with pytest.raises(OSError, match="No such file"):
        list(parquet_entries(tmp_path / "nowhere", "nowhere"))


def test_parquet_of_something_else_is_a_failure(tmp_path: Path) -> None:
    parquet.write_table(pyarrow.table({"a": [1]}), tmp_path / "x.parquet")
    (entry,) = parquet_entries(tmp_path / "x.parquet", "x.parquet")
    assert isinstance(entry, Failure)
    assert "no column url" in entry.reason


def test_no_damage_raises(tmp_path: Path) -> None:
    """Noise anywhere: as many pages as can be had, and failures."""
    path = written(tmp_path / "x.parquet")
    size = path.stat().st_size
    for at in [*range(4, size, size // 40), *range(size - 900, size, 60)]:
        for entry in parquet_entries(overwritten(path, tmp_path / "y.parquet", at, 40), "y"):
            assert isinstance(entry, ArchivedArticle | Failure)
