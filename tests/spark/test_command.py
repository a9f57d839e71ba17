"""The whole command on ``local[1]``, in this process, and what its user is told."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from newsextract.commands import spark
from newsextract.errors import NewsextractError
from newsextract.spark.session import check_master
from tests.spark.running import archives, lines, need_spark, plain

pytestmark = pytest.mark.crawl  # slow: processes of their own


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_spark()
    return archives(tmp_path_factory.mktemp("spark") / "in")


def command(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    spark.add_parser(parser.add_subparsers())
    parsed = parser.parse_args(["spark", "extract", *arguments])
    return int(parsed.run(parsed))


def test_the_records_are_those_of_the_plain_command(tmp_path: Path, given: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "one"
    wanted = plain([given], tmp_path / "plain.jsonl")
    assert command(str(given), str(output), "--master", "local[1]", "--partitions", "3") == 0
    assert lines(output) == wanted
    assert any(b'"duplicate_of": "' in line for line in wanted[0])
    parts = sorted((output / "records").glob("part-*"))
    written = [json.loads(line)["id"] for part in parts for line in part.read_bytes().splitlines()]
    assert len(parts) == 3
    assert written == sorted(written)
    summary = json.loads((output / "summary.json").read_text("utf-8"))
    assert (summary["records"], sum(summary["rejected"].values())) == (len(wanted[0]), len(wanted[1]))
    assert (summary["passed_over"], summary["splits"], summary["splits_done_before"]) == (1, 1, 0)
    assert {reason["status"] for reason in summary["reasons"]} == set(summary["rejected"]) == {"damaged", "not_article"}
    assert {path.name for path in output.iterdir() if not path.name.startswith(".")} == {
        "records",
        "rejected",
        "summary.json",
    }
    assert f"{len(wanted[0])} records; {len(wanted[1])} turned away" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["{}", "o", "--master", "spark:/wrong"], "expected local"),
        (["{}", "o", "--master", "spark://127.0.0.1:1"], "no master answers"),
        (["{}", "o", "--master", "yarn"], "set HADOOP_CONF_DIR"),
        (["nowhere.warc", "o"], "no such file"),
        (["{}", "o", "--partitions", "0"], "--partitions 0"),
        (["{}", "o", "--timeout", "0"], "--timeout"),
        (["{}", "o", "--memory", "1"], "--memory 1"),
        (["{}", "o", "--conf", "x"], "spark.NAME=VALUE"),
        (["{}", "o", "--algorithm", "wrong"], "unknown algorithm"),
        (["{}", "o,p"], "for a pattern"),
        (["{}", "file:/tmp/o:p"], "for a pattern"),
    ],
)
def test_mistakes_are_one_line(given: Path, arguments: list[str], told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HADOOP_CONF_DIR", raising=False)
    monkeypatch.delenv("YARN_CONF_DIR", raising=False)
    with pytest.raises(NewsextractError, match=told) as error:
        command(*(argument.format(given) for argument in arguments))
    assert "\n" not in str(error.value)


def test_masters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YARN_CONF_DIR", "/etc/hadoop")
    for master in ("local", "local[*]", "local[2]", "yarn", "k8s://https://10.0.0.1:443"):
        check_master(master)


def test_without_java_or_pyspark(given: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    with pytest.raises(NewsextractError, match="no java there; Spark needs Java 17"):
        command(str(given), "o")
    monkeypatch.setitem(__import__("sys").modules, "pyspark", None)
    with pytest.raises(NewsextractError, match=r"pip install 'newsextract\[spark\]'"):
        command(str(given), "o")


def test_a_run_that_was_gone_on_with_tells_its_own_pages() -> None:
    summary = {
        "records": 90, "rejected": {"damaged": 10}, "passed_over": 0, "pages": 100, "pages_done_before": 80, "splits": 10,
        "splits_done_before": 8, "seconds": 4.0, "record_pages": 0, "missing_files": ["a.warc.gz"],
    }  # fmt: skip
    told = spark.told(summary, "out")
    assert "20 of 100 pages in 4.0 s (5.0 pages/s), 10 splits, 8 of them by a run before" in told
    assert "WARNING: 1 files could not be read" in told
    assert "a.warc.gz; see out/rejected" in told
