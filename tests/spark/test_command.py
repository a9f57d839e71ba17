"""The whole command on ``local[1]``, in this process, and what its user is told."""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from newsextract import cli
from newsextract.commands import spark
from newsextract.errors import NewsextractError, UsageError
from newsextract.spark import check_master, job
from tests.archives.test_record_entries import own
from tests.spark.running import ROOT, archives, lines, need_spark, plain

pytestmark = pytest.mark.crawl  # slow: processes of their own


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_spark()
    return archives(tmp_path_factory.mktemp("spark") / "in")


def command(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    spark.add_parser(parser)
    parsed = parser.parse_args(["extract", *arguments])
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
    assert (summary["passed_over"], summary["splits"]) == (1, 1)
    assert summary["algorithm"] == "that of each page's site as the crawl had it, else combined"
    assert {reason["status"] for reason in summary["reasons"]} == set(summary["rejected"]) == {"damaged", "not_article"}
    assert {path.name for path in output.iterdir() if path.suffix != ".crc"} == {"records", "rejected", "summary.json"}
    assert {path.name for path in tmp_path.iterdir() if not path.name.startswith("plain.")} == {"one"}
    assert f"{len(wanted[0])} records; {len(wanted[1])} rejected" in capsys.readouterr().err


def test_posts_are_those_of_the_plain_command(tmp_path: Path, given: Path) -> None:
    own(tmp_path / "in")
    output = tmp_path / "posts.jsonl"
    assert cli.main(["extract", "--warc", str(tmp_path / "in"), str(given), "-o", str(output), "--as", "posts"]) == 0
    wanted = [sorted(path.read_bytes().splitlines()) for path in (output, output.with_suffix(".rejected.jsonl"))]
    inputs = [str(tmp_path / "in"), str(given)]
    assert command(*inputs, str(tmp_path / "out"), "--master", "local[1]", "--as", "posts") == 0
    assert list(lines(tmp_path / "out")) == wanted
    assert len(wanted[0]) == 8
    summary = json.loads((tmp_path / "out" / "summary.json").read_text("utf-8"))
    assert (summary["kind"], summary["records"], summary["left_out"]) == ("posts", 8, 1)
    assert command(*inputs, str(tmp_path / "p"), "--master", "local[1]", "--as", "posts", "--format", "parquet") == 0
    rows = pytest.importorskip("pyarrow.parquet").read_table(tmp_path / "p" / "records").to_pylist()
    assert sorted(rows, key=lambda row: row["id"]) == sorted(map(json.loads, wanted[0]), key=lambda row: row["id"])


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
        (["{}/a.warc.gz", "{}"], "a.warc.gz: lies in the output folder .*in; name another output"),
        (["{}", "{}/.."], "in: lies in the output folder"),
        (["{}", "{}/../in"], "is the input"),
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


def test_a_complete_output_is_refused_before_java(given: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(*arguments: object, **options: object) -> None:
        raise AssertionError("Spark was started")

    monkeypatch.setattr(job, "open_session", start)
    (tmp_path / "summary.json").write_text("{}", "utf-8")
    with pytest.raises(UsageError, match="is complete already; name another output"):
        command(str(given), str(tmp_path))
    (tmp_path / "summary.json").rename(tmp_path / "thesis.txt")
    with pytest.raises(UsageError, match="is there and holds something else; name another output"):
        command(str(given), str(tmp_path))
    with pytest.raises(UsageError, match="is there and holds something else"):
        command(str(given), str(tmp_path / "thesis.txt"))


def started(*arguments: str) -> subprocess.Popen[str]:
    """The command in a process group of its own, as a terminal has it."""
    words = [sys.executable, "-m", "newsextract.cli", "spark", "extract", *arguments, "--master", "local[1]"]
    return subprocess.Popen(
        words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )


def test_ctrl_c_is_one_line_and_java_says_nothing(given: Path, tmp_path: Path) -> None:
    with started(str(given), str(tmp_path / "out")) as process:
        until = time.monotonic() + 60
        while not list(tmp_path.glob("_out.unfinished-*/mapped/_temporary")):
            assert time.monotonic() < until
            assert process.poll() is None
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        assert process.communicate()[0] == "interrupted; run the same command again to start from the beginning\n"
        assert process.returncode == 130
    assert list(tmp_path.iterdir()) == []


def test_java_that_does_not_start_is_one_line(given: Path, tmp_path: Path) -> None:
    with started(str(given), str(tmp_path / "out"), "--conf", "spark.driver.memory=99999t") as process:
        told = process.communicate()[0]
    assert process.returncode == 2
    assert re.fullmatch(r"newsextract: Spark does not start: Error .*; .*heap.*\n", told)


def test_masters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YARN_CONF_DIR", "/etc/hadoop")
    for master in ("local", "local[*]", "local[2]", "yarn", "k8s://https://10.0.0.1:443"):
        check_master(master)


def test_without_java_or_pyspark(given: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    with pytest.raises(NewsextractError, match="no java there; Spark needs Java 17"):
        command(str(given), "o")
    monkeypatch.setitem(__import__("sys").modules, "pyspark", None)
    with pytest.raises(NewsextractError, match=r"python -m pip install 'pyarrow>="):
        command(str(given), "o")


def test_the_summary_is_told_in_lines() -> None:
    summary = {
        "records": 90, "rejected": {"damaged": 10}, "passed_over": 0, "pages": 100, "splits": 10, "seconds": 4.0,
        "left_out": 0, "missing_files": ["a.warc.gz"],
    }  # fmt: skip
    told = spark.told(summary, "out")
    assert "100 pages in 4.0 s (25.0 pages/s), 10 splits" in told
    assert "WARNING: 1 file could not be read" in told
    assert "a.warc.gz; see out/rejected" in told
