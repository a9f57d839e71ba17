"""Real runs on ``local[…]``, in this process: the same records as the plain command, whatever the input's form."""

from __future__ import annotations

import argparse
import base64
import json
from pathlib import Path

import pytest

from newsextract.commands import spark
from newsextract.errors import NewsextractError
from newsextract.spark.job import Options, run
from newsextract.spark.session import check_master, open_session
from tests.made_archives import foreign, html
from tests.spark.running import archives, bad, lines, need_spark, plain, task
from tests.spark.test_splits import index_of

pytestmark = pytest.mark.crawl  # slow: processes of their own
AT = "2026-03-04T05:06:07+00:00"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_spark()
    return tmp_path_factory.mktemp("spark")


@pytest.fixture(scope="module")
def given(folder: Path) -> Path:
    return archives(folder / "in")


@pytest.fixture(scope="module")
def wanted(folder: Path, given: Path) -> tuple[list[bytes], list[bytes]]:
    return plain([given], folder / "plain.jsonl")


def command(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    spark.add_parser(parser.add_subparsers())
    parsed = parser.parse_args(["spark", "extract", *arguments])
    return int(parsed.run(parsed))


def test_the_records_are_those_of_the_plain_command(
    folder: Path, given: Path, wanted: tuple[list[bytes], list[bytes]], capsys: pytest.CaptureFixture[str]
) -> None:
    output = folder / "one"
    assert command(str(given), str(output), "--master", "local[1]", "--partitions", "3") == 0
    assert lines(output) == wanted
    assert any(b'"duplicate_of": "' in line for line in wanted[0])
    parts = sorted((output / "records").glob("part-*"))
    written = [json.loads(line)["id"] for part in parts for line in part.read_bytes().splitlines()]
    assert len(parts) == 3
    assert written == sorted(written)
    summary = json.loads((output / "summary.json").read_text("utf-8"))
    assert (summary["records"], sum(summary["rejected"].values())) == (len(wanted[0]), len(wanted[1]))
    assert (summary["passed_over"], summary["splits"], summary["splits_done_before"]) == (1, 3, 0)
    assert {reason["status"] for reason in summary["reasons"]} == set(summary["rejected"]) == {"damaged", "not_article"}
    assert not (output / "_work").exists()
    assert f"{len(wanted[0])} records; {len(wanted[1])} turned away" in capsys.readouterr().err
    with pytest.raises(NewsextractError, match="is complete already; name another output"):
        command(str(given), str(output), "--master", "local[1]")
    with pytest.raises(NewsextractError, match="holds something else"):
        command(str(given), str(given), "--master", "local[1]")


def test_addresses_and_an_index_on_two_cores(folder: Path, given: Path, wanted: tuple[list[bytes], list[bytes]]) -> None:
    """``file:`` goes the way of HDFS and S3: listed and read by Hadoop; the second file is cut by an index."""
    b, c = given / "b.warc.gz", given / "c.warc.gz"
    index = index_of(b, folder)
    output = folder / "address"
    inputs = [f"file:{given / 'a.warc.gz'}", str(b), f"file:{c.parent}/c*"]
    summary = run(Options(inputs, f"file:{output}", task(), "local[2]", index=[index], range=100))
    assert lines(output) == wanted
    assert summary["splits"] == 5


def test_parquet_and_lines_and_folders(folder: Path) -> None:
    pages = [(name, f"https://courier.example/2026/03/01/{name}.html") for name in ("one", "two", "three")]
    values = [
        {"url": url, "body": base64.b64encode(html(name)).decode(), "fetched_at": AT, "headers": {}} for name, url in pages
    ]
    written = folder / "pages.jsonl"
    written.write_text("".join(json.dumps(value) + "\n" for value in [*values, {"url": 1}]), "utf-8")
    rows = folder / "rows.parquet"
    session = open_session("local[2]", {})
    try:
        table = [(url, bytearray(html(name)), AT) for name, url in pages]
        session.createDataFrame(table, "url string, body binary, fetched_at string").coalesce(1).write.parquet(str(rows))
    finally:
        session.stop()
    records, rejected = plain([written], folder / "lines.jsonl")
    assert (len(records), len(rejected)) == (3, 1)
    run(Options([str(rows)], str(folder / "of-rows"), task(), "local[2]"))
    assert lines(folder / "of-rows") == (records, [])
    run(Options([str(written)], str(folder / "to-rows"), task(), "local[2]", format="parquet"))
    session = open_session("local[2]", {})
    try:
        found = [row.asDict() for row in session.read.parquet(str(folder / "to-rows" / "records")).collect()]
    finally:
        session.stop()
    assert sorted(found, key=lambda row: row["id"]) == sorted(map(json.loads, records), key=lambda row: row["id"])


def test_bad_pages_become_rows_of_failures(folder: Path) -> None:
    names = ["one", "kills", "hangs", "two", "swells"]
    archive = foreign(folder / "bad.warc.gz", *names)
    summary = run(Options([str(archive)], str(folder / "bad"), task(bad, 3.0), "local[1]"))
    assert (summary["records"], summary["rejected"]) == (2, {"failed": 3})
    assert {reason["reason"] for reason in summary["reasons"]} == {
        "the worker process died (exit code -9)", "stopped after 3 s", "stopped: over the memory limit of a worker",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["{}", "o", "--master", "spark:/wrong"], "expected local"),
        (["{}", "o", "--master", "spark://127.0.0.1:1"], "no master answers"),
        (["nowhere.warc", "o"], "no such file"),
        (["{}", "o", "--partitions", "0"], "--partitions 0"),
        (["{}", "o", "--timeout", "0"], "--timeout"),
        (["{}", "o", "--memory", "1"], "--memory 1"),
        (["{}", "o", "--conf", "x"], "spark.NAME=VALUE"),
        (["{}", "o", "--algorithm", "wrong"], "unknown algorithm"),
        (["{}", "o,p"], "for a pattern"),
    ],
)
def test_mistakes_are_one_line(given: Path, arguments: list[str], told: str) -> None:
    with pytest.raises(NewsextractError, match=told) as error:
        command(*(argument.format(given) for argument in arguments))
    assert "\n" not in str(error.value)


def test_masters() -> None:
    for master in ("local", "local[*]", "local[2]", "yarn", "k8s://https://10.0.0.1:443"):
        check_master(master)


def test_without_java_or_pyspark(given: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    with pytest.raises(NewsextractError, match="no java there; Spark needs Java 17"):
        command(str(given), "o")
    monkeypatch.setitem(__import__("sys").modules, "pyspark", None)
    with pytest.raises(NewsextractError, match=r"pip install 'newsextract\[spark\]'"):
        command(str(given), "o")
