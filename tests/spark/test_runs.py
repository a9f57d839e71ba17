"""Real runs on ``local[2]``: the same records as the plain command, whatever the input's form and whatever goes wrong."""

from __future__ import annotations

import base64
import json
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from newsextract.errors import DataError
from newsextract.spark import job
from newsextract.spark.inputs import SourceFile, Split
from newsextract.spark.job import Options, run
from tests.made_archives import foreign, html
from tests.spark.running import archives, bad, lines, overwritten, plain, task

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.crawl  # slow: processes of their own
AT = "2026-03-04T05:06:07+00:00"


def test_addresses(session: SparkSession, tmp_path: Path) -> None:
    """``file:`` goes the way of HDFS and S3: listed and read by Hadoop."""
    given = archives(tmp_path / "in")
    wanted = plain([given], tmp_path / "plain.jsonl")
    b, c = given / "b.warc.gz", given / "c.warc.gz"
    output = tmp_path / "out"
    inputs = [f"file:{given / 'a.warc.gz'}", str(b), f"file:{c.parent}/c*"]
    assert run(Options(inputs, f"file:{output}", task()), session)["splits"] == 3
    assert lines(output) == wanted


def test_an_address_of_a_folder_with_names_of_all_kinds(session: SparkSession, tmp_path: Path) -> None:
    """It is read as the folder itself is: archives and pages alone."""
    given = tmp_path / "in"
    (given / "_temporary").mkdir(parents=True)
    for number, name in enumerate(["a,b", "c[1]", "d{x}", "ümlaut *?"]):
        foreign(given / f"{name}.warc.gz", f"page{number}")
    wanted = plain([given], tmp_path / "plain.jsonl")
    (given / "notes.txt").write_text("hello " * 200, "utf-8")
    (given / "a.cdxj").write_text('com,x)/ 2026 {"offset": 0, "filename": "a,b.warc.gz"}\n', "utf-8")
    foreign(given / "_temporary" / "half.warc.gz", "half")
    assert run(Options([f"file:{given}"], str(tmp_path / "out"), task()), session)["splits"] == 1
    assert lines(tmp_path / "out") == wanted
    assert len(wanted[0]) == 4
    foreign(given / "e:f.warc.gz", "five")
    with pytest.raises(DataError, match=r"e:f\.warc\.gz: Hadoop cannot read a name with a colon"):
        run(Options([f"file:{given}"], str(tmp_path / "other"), task()), session)


def test_parquet_and_lines(session: SparkSession, tmp_path: Path) -> None:
    """One file of Parquet that is damaged costs itself."""
    pages = [(name, f"https://courier.example/2026/03/01/{name}.html") for name in ("one", "two", "three")]
    values = [
        {"url": url, "body": base64.b64encode(html(name)).decode(), "fetched_at": AT, "headers": {}} for name, url in pages
    ]
    written = tmp_path / "pages.jsonl"
    written.write_text("".join(json.dumps(value) + "\n" for value in [*values, {"url": 1}]), "utf-8")
    records, rejected = plain([written], tmp_path / "lines.jsonl")
    assert (len(records), len(rejected)) == (3, 1)
    rows = tmp_path / "rows.parquet"
    table = [(url, bytearray(html(name)), AT) for name, url in pages]
    session.createDataFrame(table, "url string, body binary, fetched_at string").coalesce(1).write.parquet(str(rows))
    whole = next(rows.glob("part-*.parquet"))
    overwritten(whole, rows / "z1.parquet", 4)
    (rows / "z2.parquet").write_bytes(b"no Parquet at all" * 50)
    summary = run(Options([str(rows)], str(tmp_path / "of-rows"), task()), session)
    assert (lines(tmp_path / "of-rows")[0], summary["rejected"]) == (records, {"damaged": 2})
    run(Options([str(written)], str(tmp_path / "to-rows"), task(), format="parquet"), session)
    found = [row.asDict() for row in session.read.parquet(str(tmp_path / "to-rows" / "records")).collect()]
    assert sorted(found, key=lambda row: row["id"]) == sorted(map(json.loads, records), key=lambda row: row["id"])


def test_what_is_gone_and_what_kills_costs_itself(
    session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files vanish after they were listed, a page kills its process; and the user's Spark compresses what it writes."""
    given = tmp_path / "in"
    given.mkdir()
    foreign(given / "a.warc.gz", "one", "kills", "two")
    gone = [foreign(given / "b.warc.gz", "three"), given / "c.wacz", foreign(given / "d.warc.gz", "four")]
    with zipfile.ZipFile(gone[1], "w") as packed:
        packed.write(gone[0], "archive/b.warc.gz")

    def splits(files: Sequence[SourceFile]) -> list[Split]:
        found = make_splits(files)
        for path in gone:
            path.unlink()
        return found

    make_splits = job.make_splits
    monkeypatch.setattr(job, "make_splits", splits)
    inputs = [str(given / name) for name in ("a.warc.gz", "b.warc.gz", "c.wacz")]
    context: Any = session.sparkContext
    configuration = context._jsc.hadoopConfiguration()
    configuration.set("mapreduce.output.fileoutputformat.compress", "true")
    try:
        options = Options([*inputs, f"file:{gone[2]}"], str(tmp_path / "out"), task(bad), duplicates=False)
        summary = run(options, session)
    finally:
        configuration.unset("mapreduce.output.fileoutputformat.compress")
    assert (summary["records"], summary["rejected"]) == (2, {"damaged": 3, "failed": 1})
    assert summary["missing_files"] == [str(gone[0]), str(gone[1]), f"file:{gone[2]}"]
    assert {reason["reason"] for reason in summary["reasons"]} == {
        "the worker process died (exit code -9)", "the file cannot be read: No such file or directory",
    }  # fmt: skip
    packed_parts = sorted((tmp_path / "out" / "records").glob("part-*"))
    assert sum(zlib.decompress(part.read_bytes()).count(b"\n") for part in packed_parts) == 2
